//! What the status line offers: what the key does here and now, and the way back. Must not know: how it is drawn.

use super::branches::list;
use crate::console::hints::hints;
use crate::console::model::listing::Kind;
use crate::console::model::log::Line;
use crate::console::model::lower::{Named, Target};
use crate::console::model::screen::Pane;
use crate::console::testing::{ARMING, Stage, id};
use crate::console::words;
use crate::domain::breaker::Phase;
use crate::domain::call::EffectClass;
use crate::domain::command::Command;
use crate::domain::escape::Detector;
use crate::domain::event::{Event, ResilienceEvent};
use crate::domain::id::Rev;

/// What a key does, as the status line says it.
fn word(stage: &Stage, key: &str) -> Option<&'static str> {
    let all = hints(&stage.model);
    all.iter().find(|hint| hint.key == key).map(|hint| hint.word)
}

fn on_row(stage: &mut Stage, wanted: Target) {
    if stage.model.screen.focus != Pane::Health {
        stage.press("8");
    }
    stage.press("g");
    for _ in 0..40 {
        if stage.model.followed() == wanted {
            return;
        }
        stage.press("j");
    }
    panic!("no row about {wanted:?}");
}

#[test]
fn troubles_stand_with_the_decisions_and_the_way_back_is_offered() {
    let mut stage = Stage::new(160, 40);
    stage.sample();
    stage.engine(Event::Resilience(ResilienceEvent::GaveUp {
        call: id("c4"),
        rev: Rev(1),
        why: "it is not there".into(),
    }));
    stage.breaker("read_file", Phase::Closed);
    stage.press("4");
    assert_eq!(word(&stage, "space"), Some("decisions only"));
    stage.press("space");
    assert_eq!(word(&stage, "space"), Some("all lines"));
    let shown: Vec<String> = stage
        .model
        .log
        .shown()
        .map(|(_, line)| match line {
            Line::Event(envelope) => words::of(envelope),
            Line::Note(words) | Line::Trouble(words) => words.clone(),
        })
        .collect();
    let has = |words: &str| shown.iter().any(|line| line.contains(words));
    assert!(
        has("c4 did not succeed") && has("c4: the failure stands"),
        "{shown:#?}"
    );
    for quiet in ["c3 succeeded", "is process", "c5 checked", "breaker"] {
        assert!(!has(quiet), "{quiet}: {shown:#?}");
    }
    stage.press("space");
    assert_eq!(word(&stage, "space"), Some("decisions only"));
}

#[test]
fn a_comparison_that_lists_all_offers_the_others_again() {
    let mut stage = Stage::new(100, 40);
    stage.edited();
    stage.press("b k c");
    assert!(matches!(list(&stage).kind, Kind::Compare { all: false, .. }));
    assert_eq!(word(&stage, "s"), Some("same ones too"));
    stage.press("s");
    assert_eq!(word(&stage, "s"), Some("only what differs"));
    stage.press("s");
    assert_eq!(word(&stage, "s"), Some("same ones too"));
}

#[test]
fn enter_on_a_row_of_the_health_says_what_it_does_there() {
    let mut stage = Stage::new(160, 50);
    stage.ailing();
    on_row(&mut stage, Target::Detector(Detector::NoProgress));
    assert_eq!(word(&stage, "enter"), Some("mute it (asks first)"));
    stage.press("enter");
    assert_eq!(stage.commands(), [], "it asks");
    stage.press("enter");
    assert!(!stage.said().contains("muted"), "not before the run has taken it");
    let commands = stage.carry_out();
    assert!(
        matches!(commands.as_slice(), [Command::Escape(_)]),
        "{commands:?}"
    );
    assert_eq!(stage.said(), "the detector no_progress is muted");
    assert_eq!(word(&stage, "enter"), Some("hear it again (asks first)"));
    stage.press("enter enter");
    stage.carry_out();
    assert_eq!(stage.said(), "the detector no_progress is listened to again");

    let mut weights = stage.model.run.watch.weights.rows();
    let named = Named::weight(&weights.find(|row| row.tool == "search").unwrap());
    drop(weights);
    on_row(&mut stage, Target::Weight(named));
    assert_eq!(word(&stage, "enter"), Some("list why"));
    stage.press("enter");
    assert_eq!(word(&stage, "enter"), Some("hide why"));
    stage.press("j");
    assert_eq!(word(&stage, "enter"), Some("go there"));
}

#[test]
fn enter_on_a_row_of_the_budget_says_what_it_does_there() {
    let mut stage = Stage::new(120, 40);
    stage.spent();
    stage.press("7 g");
    assert_eq!(word(&stage, "enter"), Some("change the limits"));
    stage.press("G");
    assert_eq!(word(&stage, "enter"), Some("go there"));
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.said(), "");
}

#[test]
fn the_keys_of_rules_say_what_they_do_where_they_do_it_and_there_is_room() {
    let mut stage = Stage::new(160, 50);
    stage.begin();
    stage.has_tool("launch", EffectClass::Write, &["irreversible"]);
    stage.thought("t2", "look around");
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.awaiting("c4", "launch", "{}");
    stage.draw();
    stage.press("2 g");
    assert_eq!(word(&stage, "*"), Some("always allow exactly this"));
    assert_eq!(word(&stage, "+"), Some("rule for such calls"));
    stage.draw();
    stage.press("j");
    stage.draw();
    assert_eq!(
        word(&stage, "*"),
        None,
        "there is no \"always\" for what cannot be undone"
    );
    stage.press("1 g j");
    stage.draw();
    assert_eq!(
        (word(&stage, "*"), word(&stage, "+")),
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
    assert_eq!(last, ["+", "*"]);
}

#[test]
fn the_line_of_trouble_names_no_key_that_is_not_heard() {
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
fn what_did_not_arrive_is_not_offered_to_be_kept() {
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
fn the_list_of_effects_says_what_its_key_lists_next() {
    let mut stage = Stage::new(100, 30);
    stage.orphaned();
    stage.press("O");
    assert_eq!(word(&stage, "s"), Some("all effects"));
    stage.press("s");
    assert_eq!(word(&stage, "s"), Some("only what needs an eye"));
    stage.press("s");
    assert_eq!(word(&stage, "s"), Some("all effects"));
}
