//! Tests the hints of the status line: what each key does here, and the way back.
//!
//! Must not know: how a hint is drawn.

use crate::kernel::hints::hints;
use crate::kernel::log::Line;
use crate::run::event_text;
use crate::run::target::{NameHash, Target};
use crate::surfaces;
use crate::surfaces::compare::Comparison;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::breaker::Phase;
use overrule_domain::call::EffectClass;
use overrule_domain::command::Command;
use overrule_domain::escape::Detector;
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_domain::id::Rev;

/// The hint of a key in the status line.
fn label(stage: &Stage, key: &str) -> Option<&'static str> {
    let all = hints(&stage.model);
    all.iter().find(|hint| hint.key == key).map(|hint| hint.word)
}

fn on_row(stage: &mut Stage, expected: Target) {
    if stage.model.screen.focus != surfaces::health::PANE {
        stage.press("8");
    }
    stage.press("g");
    for _ in 0..40 {
        if stage.model.followed() == expected {
            return;
        }
        stage.press("j");
    }
    panic!("no row about {expected:?}");
}

#[test]
fn problems_are_shown_with_the_decisions_and_all_lines_are_offered() {
    let mut stage = Stage::new(160, 40);
    stage.sample();
    stage.engine(Event::Resilience(ResilienceEvent::GaveUp {
        call: id("c4"),
        rev: Rev(1),
        why: "it is not there".into(),
    }));
    stage.breaker("read_file", Phase::Closed);
    stage.press("4");
    assert_eq!(label(&stage, "space"), Some("decisions only"));
    stage.press("space");
    assert_eq!(label(&stage, "space"), Some("all lines"));
    let shown: Vec<String> = stage
        .model
        .log
        .shown()
        .map(|(_, line)| match line {
            Line::Event(envelope) => event_text::of(envelope),
            Line::Note(words) | Line::Problem(words) => words.clone(),
        })
        .collect();
    let has = |words: &str| shown.iter().any(|line| line.contains(words));
    assert!(
        has("c4 did not succeed") && has("c4: the failure is final"),
        "{shown:#?}"
    );
    for quiet in ["c3 succeeded", "is process", "c5 checked", "breaker"] {
        assert!(!has(quiet), "{quiet}: {shown:#?}");
    }
    stage.press("space");
    assert_eq!(label(&stage, "space"), Some("decisions only"));
}

#[test]
fn a_comparison_that_lists_all_offers_the_others_again() {
    let mut stage = Stage::new(100, 40);
    stage.edited();
    stage.press("b k c");
    assert!(!stage.model.stack.top::<Comparison>().unwrap().all);
    assert_eq!(label(&stage, "s"), Some("all nodes"));
    stage.press("s");
    assert_eq!(label(&stage, "s"), Some("only what differs"));
    stage.press("s");
    assert_eq!(label(&stage, "s"), Some("all nodes"));
}

#[test]
fn the_hint_for_enter_on_a_health_row_names_its_action() {
    let mut stage = Stage::new(160, 50);
    stage.ailing();
    on_row(&mut stage, Target::Detector(Detector::NoProgress));
    assert_eq!(label(&stage, "enter"), Some("mute it (asks first)"));
    stage.press("enter");
    assert_eq!(stage.commands(), [], "it asks");
    stage.press("enter");
    assert!(
        !stage.status().contains("muted"),
        "not before the run has taken it"
    );
    let commands = stage.carry_out();
    assert!(
        matches!(commands.as_slice(), [Command::Escape(_)]),
        "{commands:?}"
    );
    assert_eq!(stage.status(), "Detector no_progress is muted");
    assert_eq!(label(&stage, "enter"), Some("unmute it (asks first)"));
    stage.press("enter enter");
    stage.carry_out();
    assert_eq!(stage.status(), "Detector no_progress is unmuted");

    let mut weights = stage.model.run.watch.weights.rows();
    let named = NameHash::weight(&weights.find(|row| row.tool == "search").unwrap());
    drop(weights);
    on_row(&mut stage, Target::Weight(named));
    assert_eq!(label(&stage, "enter"), Some("list why"));
    stage.press("enter");
    assert_eq!(label(&stage, "enter"), Some("hide why"));
    stage.press("j");
    assert_eq!(label(&stage, "enter"), Some("go there"));
}

#[test]
fn the_hint_for_enter_on_a_budget_row_names_its_action() {
    let mut stage = Stage::new(120, 40);
    stage.spent();
    stage.press("7 g");
    assert_eq!(label(&stage, "enter"), Some("change the limits"));
    stage.press("G");
    assert_eq!(label(&stage, "enter"), Some("go there"));
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.status(), "");
}

#[test]
fn rule_keys_show_their_action_where_they_work_and_there_is_room() {
    let mut stage = Stage::new(160, 50);
    stage.begin();
    stage.has_tool("launch", EffectClass::Write, &["irreversible"]);
    stage.thought("t2", "look around");
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.awaiting("c4", "launch", "{}");
    stage.draw();
    stage.press("2 g");
    assert_eq!(label(&stage, "*"), None, "the decision has no room for it");
    assert_eq!(label(&stage, "+"), Some("rule"));
    stage.draw();
    stage.press("j");
    stage.draw();
    assert_eq!(
        label(&stage, "*"),
        None,
        "there is no \"always\" for what cannot be undone"
    );
    stage.press("1 g j");
    stage.draw();
    assert_eq!(
        (label(&stage, "*"), label(&stage, "+")),
        (None, None),
        "a thought is no call"
    );
    // They give way to every other key.
    stage.press("2 g");
    stage.draw();
    let last: Vec<String> = hints(&stage.model)
        .into_iter()
        .rev()
        .take(2)
        .map(|hint| hint.key)
        .collect();
    assert_eq!(last, ["?", ":"]);
}

#[test]
fn the_problem_line_names_no_key_that_does_not_work() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.broken();
    let text = stage.text();
    let keys = "t then enter to ask again, or stop";
    assert!(text.contains(keys), "{text}");
    stage.press("i");
    let text = stage.text();
    assert!(text.contains("you can ask again, or stop"), "{text}");
    assert!(!text.contains("t then enter"), "{text}");
}

#[test]
fn preserving_partial_output_is_offered_only_if_some_arrived() {
    let offers = |stage: &mut Stage| {
        stage.press("t");
        stage.wait(ARMING);
        stage.press("enter");
        stage.wait(ARMING);
        let keys: Vec<String> = hints(&stage.model).into_iter().map(|hint| hint.key).collect();
        (
            keys.iter().any(|key| key == "u"),
            stage.text().contains("keep what arrived"),
        )
    };
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.broken();
    assert_eq!(offers(&mut stage), (false, false), "{}", stage.text());
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t3", "so far");
    stage.broken();
    assert_eq!(offers(&mut stage), (true, true), "{}", stage.text());
}

#[test]
fn the_effect_list_shows_what_its_key_lists_next() {
    let mut stage = Stage::new(100, 30);
    stage.orphaned();
    stage.press("O");
    assert_eq!(label(&stage, "s"), Some("all effects"));
    stage.press("s");
    assert_eq!(label(&stage, "s"), Some("needs attention only"));
    stage.press("s");
    assert_eq!(label(&stage, "s"), Some("all effects"));
}
