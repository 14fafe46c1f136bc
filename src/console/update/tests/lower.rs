//! Tests the panes at the bottom: one at a time, with rows that lead to their subject.

use crate::kernel::hints::{hints, surface};
use crate::kernel::model::Source;
use crate::kernel::pane::Pane;
use crate::kernel::prompt::Prompt;
use crate::run::target::Target;
use crate::surfaces;
use crate::surfaces::compare::Comparison;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{Epoch, Rev};

fn spent() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.spent();
    stage
}

#[test]
fn one_is_shown_at_a_time_and_its_key_hides_it_again() {
    let mut stage = spent();
    stage.press("2");
    for (key, pane, place) in [
        ("4", Pane::LOG, Pane::LOG.id()),
        ("5", surfaces::state::PANE, surfaces::state::PANE.id()),
        ("6", surfaces::branch_pane::PANE, surfaces::branch_pane::PANE.id()),
        ("7", surfaces::budget::PANE, surfaces::budget::PANE.id()),
        ("8", surfaces::health::PANE, surfaces::health::PANE.id()),
        ("9", surfaces::tools::PANE, surfaces::tools::PANE.id()),
    ] {
        stage.press(key);
        assert_eq!(stage.model.screen.focus, pane);
        assert_eq!(stage.model.screen.lower, Some(pane));
        assert_eq!(surface(&stage.model), place);
    }
    stage.press("9");
    assert_eq!(stage.model.screen.lower, None);
    assert_eq!(
        stage.model.screen.focus,
        Pane::QUEUE,
        "back to where decisions are made"
    );
}

#[test]
fn left_and_right_go_round_them() {
    let mut stage = spent();
    stage.press("4 l l");
    assert_eq!(stage.model.screen.focus, surfaces::branch_pane::PANE);
    stage.press("h h h");
    assert_eq!(stage.model.screen.focus, surfaces::tools::PANE);
}

#[test]
fn a_row_of_the_state_leads_to_its_writer() {
    let mut stage = spent();
    stage.press("5");
    let pane = stage.model.lower.of(surfaces::state::PANE).unwrap();
    let rows: Vec<Target> = pane.rows.iter().map(|row| row.target).collect();
    assert_eq!(
        rows,
        [
            Target::Node(id("c3")),
            Target::Node(id("c5")),
            Target::Node(id("c4"))
        ],
        "the text so far, the completion, and the path below"
    );
    stage.press("j enter");
    assert_eq!(stage.selected(), Some(id("c5")));
    assert_eq!(stage.model.screen.focus, Pane::GRAPH);
}

#[test]
fn the_current_write_is_shown_with_its_readers() {
    let mut stage = spent();
    stage.press("5");
    let row = |stage: &Stage, at: usize| {
        stage.model.lower.of(surfaces::state::PANE).unwrap().rows[at]
            .words
            .plain()
    };
    let text = row(&stage, 0);
    assert!(text.starts_with("plan = ") && text.contains("by c3 "), "{text}");
    assert!(text.contains("read by c5"), "{text}");
    assert!(text.contains("c5 writes it in the same turn"), "{text}");
    stage.finish("c5", overrule_domain::call::Outcome::ok("\"newer\""));
    stage.draw();
    let text = row(&stage, 0);
    assert!(text.contains("newer") && text.contains("by c5"), "{text}");
    assert!(row(&stage, 1).contains("by c3 before"), "{}", row(&stage, 1));
}

#[test]
fn a_row_of_the_budget_changes_the_limit_or_leads_to_the_request() {
    let mut stage = spent();
    stage.press("7 enter");
    assert!(stage.model.stack.is_top::<Prompt>());
    stage.press("esc 1 g 7 G enter");
    assert_eq!(stage.selected(), Some(id("t2")));
}

#[test]
fn the_budget_shows_how_often_the_operator_was_asked_and_why() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.press("7");
    assert!(!stage.text().contains("asked "), "{}", stage.text());
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.awaiting("c4", "write_file", r#"{"path":"b","content":"b"}"#);
    stage.consent("c5");
    let text = stage.text();
    assert!(
        text.contains("asked      3 times: 2 by preset supervised, 1 by a repeated effect"),
        "{text}"
    );
}

#[test]
fn the_budget_shows_working_time_without_waits_for_the_operator() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.close();
    stage.wait(60_000);
    stage.start("c3");
    stage.wait(4_000);
    stage.clock += 4_000;
    stage.finish("c3", Outcome::ok("1"));
    stage.wait(60_000);
    stage.clock += 60_000;
    let limits = |wall_ms| Limits {
        wall_ms,
        ..Limits::default()
    };
    stage.engine(Event::Run(RunEvent::LimitsRaised { limits: limits(None) }));
    stage.press("7");
    assert!(
        stage.text().contains("4 s at work since it opened, no limit"),
        "{}",
        stage.text()
    );
    let limits = limits(Some(5_000));
    stage.engine(Event::Run(RunEvent::LimitsRaised { limits }));
    let text = stage.text();
    assert!(text.contains("80%  4 s at work of 5 s since it opened"), "{text}");
    assert!(
        text.contains("limit 80%"),
        "the header tells what is tightest: {text}"
    );
    assert!(!text.contains("in all processes"), "there was one: {text}");
    // A night later another process resumes the run. The time between is in neither total.
    stage.wait(36_000_000);
    stage.clock += 36_000_000;
    stage.engine(Event::Run(RunEvent::Reopened {
        interrupted: Vec::new(),
        version: "1".to_owned(),
    }));
    stage.proposed("c5", "read_file", "{}");
    stage.ready("c5", 1);
    stage.start("c5");
    stage.wait(2_000);
    stage.clock += 2_000;
    stage.finish("c5", Outcome::ok("1"));
    let text = stage.text();
    assert!(text.contains("2 s at work of 5 s since it opened"), "{text}");
    assert!(
        text.contains("6 s at work in all processes of the session"),
        "{text}"
    );
}

/// Two branches, with the cursor of the pane not on the current one.
fn branches() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.edited();
    stage.press("6 g");
    assert_eq!(stage.model.followed(), Target::Branch(Epoch(0)));
    stage
}

#[test]
fn switching_to_a_branch_of_the_pane_needs_a_preview_and_a_second_key() {
    let mut stage = branches();
    stage.press("enter");
    let text = stage.text();
    assert!(text.contains("switch to branch 0"), "{text}");
    stage.press("enter");
    assert_eq!(
        stage.commands(),
        [],
        "not before it was on screen for long enough"
    );
    stage.wait(ARMING);
    stage.press("enter");
    let commands = stage.carry_out();
    assert!(
        matches!(commands.as_slice(), [Command::Edit(EditCommand::Switch { to, .. })] if *to == Epoch(0)),
        "{commands:?}"
    );
    stage.press("6 6 g enter");
    assert!(
        stage.status().contains("already the current branch"),
        "{}",
        stage.status()
    );
}

#[test]
fn a_branch_of_the_pane_is_named_marked_and_compared() {
    let mut stage = branches();
    stage.press("j alt-n");
    stage.type_text("mine");
    stage.press("enter");
    let named = EditCommand::Name {
        epoch: Epoch(1),
        name: "mine".into(),
    };
    assert_eq!(stage.carry_out(), [Command::Edit(named)]);
    assert!(stage.text().contains("mine"), "{}", stage.text());
    stage.press("space alt-c");
    assert!(
        stage.status().contains("mark one with space"),
        "{}",
        stage.status()
    );
    stage.press("space k alt-n");
    assert!(
        stage.status().contains("Cannot name the first branch"),
        "{}",
        stage.status()
    );
    stage.press("space");
    assert!(stage.text().contains("marked"), "{}", stage.text());
    stage.press("j alt-c");
    let open = stage.model.stack.top::<Comparison>().expect("a comparison");
    assert_eq!((open.a, open.b), (Epoch(0), Epoch(1)));
    assert_eq!(stage.commands(), [], "looking changes nothing");
}

#[test]
fn the_selected_node_is_copied_from_a_branch_of_the_pane_after_a_preview() {
    let mut stage = branches();
    stage.press("1 g j j");
    assert_eq!(stage.selected(), Some(id("c3")));
    stage.press("6 g alt-t");
    let text = stage.text();
    assert!(text.contains("copy of o3"), "{text}");
    stage.wait(ARMING);
    stage.press("enter");
    let commands = stage.carry_out();
    let taken = Edit::Copy {
        node: id("c3"),
        base: Some(Rev(1)),
        from: Epoch(0),
    };
    assert!(
        matches!(commands.as_slice(), [Command::Edit(EditCommand::Commit { edits, .. })] if *edits == [taken]),
        "{commands:?}"
    );
}

#[test]
fn a_branch_of_a_recorded_run_is_compared_from_the_pane_and_nothing_else() {
    let mut stage = branches();
    stage.model.settings.source = Source::Replay;
    for key in ["enter", "alt-t", "alt-n"] {
        stage.press(key);
        assert!(
            stage.status().contains("it is recorded"),
            "{key}: {}",
            stage.status()
        );
        assert!(stage.model.stack.is_empty(), "{key}");
    }
    stage.press("alt-c");
    assert!(stage.model.stack.is_top::<Comparison>());
}

#[test]
fn a_line_of_the_log_leads_to_its_node() {
    let mut stage = spent();
    stage.press("4 k k k");
    let before = stage.model.followed();
    assert_ne!(before, Target::Nothing);
    stage.press("enter");
    assert_eq!(stage.selected().map(Target::Node), Some(before));
}

#[test]
fn the_hint_of_following_is_there_only_where_it_leads_somewhere() {
    let words = |stage: &Stage| -> Vec<&str> { hints(&stage.model).iter().map(|hint| hint.word).collect() };
    let mut stage = spent();
    stage.press("5");
    assert!(words(&stage).contains(&"go to writer"));
    stage.press("6");
    assert!(!words(&stage).contains(&"switch"), "there is one branch");
    stage.press("enter");
    assert!(stage.model.stack.is_empty());
    assert!(
        stage.status().contains("already the current branch"),
        "{}",
        stage.status()
    );
}

#[test]
fn panes_keep_the_cursor_while_the_run_continues() {
    let mut stage = spent();
    stage.press("7 G");
    let before = stage.model.followed();
    stage.request(3, 2);
    stage.draw();
    assert_eq!(stage.model.followed(), before);
}

#[test]
fn earlier_events_are_in_the_log_before_the_notes() {
    use crate::kernel::log::Line;
    use crate::kernel::msg::Msg;
    use crate::run::link::Update;
    let stage = spent();
    let past: Vec<_> = stage
        .model
        .log
        .shown()
        .filter_map(|(_, line)| match line {
            Line::Event(event) => Some(event.clone()),
            _ => None,
        })
        .collect();
    let mut other = Stage::new(120, 40);
    other.send(Msg::Run(Update::Snapshot(Box::new(
        stage.model.run.state.clone(),
    ))));
    other.send(Msg::Run(Update::Notice("a torn line was set aside".to_owned())));
    other.send(Msg::Run(Update::Past(past.clone())));
    other.press("4");
    assert_eq!(other.model.log.shown().count(), past.len() + 1);
    let text = other.text();
    assert!(text.contains("turn 2: stream ended"), "{text}");
    let last = other.model.log.selected();
    assert!(matches!(last, Some(Line::Note(_))), "{last:?}");
}
