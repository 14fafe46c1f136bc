//! Tests the page about why the run waits, and what its keys do.
//!
//! Must not know: how a loop is found.

use crate::kernel::hints;
use crate::kernel::msg::Out;
use crate::kernel::prompt::Prompt;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::list::List;
use crate::surfaces::next_task::NextTask;
use crate::surfaces::stop::StopQuestion;
use crate::testing::{ARMING, Stage};
use overrule_domain::breaker::Phase;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, EscapeCommand, RunCommand};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::Rev;

fn failed() -> Outcome {
    Outcome::err(ToolError {
        class: ErrorClass::Business,
        message: "the page is\u{1b}[2J gone".into(),
        evidence: "declared by the tool".into(),
        hint: None,
        partial: None,
        executed: true,
        retry_after_ms: None,
    })
}

/// A run that is paused because a call repeats.
fn round() -> Stage {
    let mut stage = Stage::new(140, 50);
    stage.begin();
    for call in ["c3", "c4", "c5"] {
        stage.finished(call, "read_file", r#"{"path":"page"}"#, failed());
    }
    stage.close();
    stage.draw();
    stage.goes_round("read_file", &["c3", "c4", "c5"]);
    stage.draw();
    stage
}

#[test]
fn the_attention_page_shows_reason_state_attempts_events_and_options() {
    let mut stage = round();
    let banner = stage.text();
    assert!(
        banner.contains("possible loop: read_file: the same 3 times in a row; W: why, what to do"),
        "{banner}"
    );
    stage.press("W");
    let text = stage.text();
    for words in [
        "possible loop: read_file: the same 3 times in a row",
        "paused: loop 1: read_file: the same 3 times in a row",
        "c5 read_file page: failed",
        "i40 told the model to do something else: it changed nothing",
        "i41 paused for the operator: no outcome yet",
        "the newest events",
        "give the call other arguments",
        "let another tool make the call",
        "type the result of the call",
        "give the model guidance",
        "tell the model to leave these calls",
        "allow exactly these calls to repeat",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let events = text.lines().filter(|line| line.contains(" engine: ")).count();
    assert_eq!(events, 10, "{text}");
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
}

#[test]
fn an_idle_run_that_needs_attention_is_not_shown_as_an_empty_queue() {
    let words = "Queue empty, but the run needs you. W shows why";
    let mut stage = round();
    let header = stage.text().lines().next().unwrap_or_default().to_owned();
    assert!(header.ends_with("needs you (W)"), "{header}");
    stage.press("t");
    assert_eq!(stage.status(), words);
    assert!(!stage.text().replace(words, "").contains("Queue empty"));
    let mut quiet = Stage::new(140, 50);
    quiet.begin();
    quiet.press("t");
    assert_eq!(quiet.status(), "Queue empty");
}

#[test]
fn one_key_opens_each_fix_on_the_call_that_it_is_about() {
    for (key, words) in [
        ("e", "c5"),
        ("r", "another tool for c5"),
        ("w", "edit o5"),
        ("i", "next task"),
    ] {
        let mut stage = round();
        stage.press("W");
        stage.press(key);
        let text = stage.text();
        assert!(text.contains(words), "{key}: {words}\n{text}");
        assert!(
            stage.model.stack.is_top::<Editor>()
                || stage.model.stack.is_top::<List>()
                || stage.model.stack.is_top::<NextTask>(),
            "{key}: {text}"
        );
        assert!(
            stage
                .commands()
                .iter()
                .all(|one| matches!(one, Command::Edit(EditCommand::Hold { .. }))),
            "{key}: nothing is decided by it alone"
        );
    }
    let mut stage = round();
    stage.press("W Y");
    assert_eq!(
        stage.commands(),
        [Command::Escape(EscapeCommand::AllowIncident {
            incident: 1,
            allowed: true,
        })]
    );
    let mut stage = round();
    stage.press("W p");
    assert_eq!(stage.commands(), [Command::Run(RunCommand::Resume {})]);
}

#[test]
fn stopping_a_looping_branch_informs_the_model_and_resumes_the_rest() {
    let mut stage = round();
    stage.press("W");
    assert!(
        stage.text().contains("tell the model to leave these calls"),
        "{}",
        stage.text()
    );
    stage.press("X");
    assert_eq!(stage.commands(), [], "it is shown first");
    assert!(
        stage.text().contains("do not make these calls of read_file"),
        "{}",
        stage.text()
    );
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let commands = stage.carry_out();
    let reported = |one: &Command| matches!(one, Command::Edit(EditCommand::Commit { edits, .. }) if matches!(&edits[..], [Edit::InsertPrompt { text, .. }] if text.contains("Leave this part of the task")));
    assert!(commands.iter().any(reported), "{commands:?}");
    assert_eq!(stage.model.run.state.mode, overrule_domain::state::Mode::Running);
}

#[test]
fn stopping_what_waits_skips_the_call_and_nothing_else() {
    let mut stage = Stage::new(140, 50);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.press("W");
    assert!(stage.text().contains("  skip c3"), "{}", stage.text());
    stage.press("X");
    assert_eq!(stage.commands(), [], "it asks first");
    assert!(
        stage
            .text()
            .contains("skip c3, the rest continues; the model sees"),
        "{}",
        stage.text()
    );
    stage.press("esc");
    assert_eq!(stage.commands(), []);
    stage.press("W X enter");
    let rejected = |one: &Command| matches!(one, Command::Call(CallCommand::Reject { reason, .. }) if reason.contains("stopped this branch"));
    let commands = stage.commands();
    assert!(
        commands.iter().any(rejected) && commands.len() == 1,
        "{commands:?}"
    );
}

#[test]
fn where_no_less_than_the_run_can_be_stopped_it_is_the_run() {
    let mut stage = Stage::new(140, 50);
    stage.begin();
    stage.engine(Event::Run(RunEvent::LimitReached {
        which: "turns".into(),
        message: "5 of 5".into(),
    }));
    stage.press("W");
    assert!(
        stage.text().contains("stop the run; resume continues it"),
        "{}",
        stage.text()
    );
    stage.press("X");
    assert!(stage.model.stack.is_top::<StopQuestion>());
    assert_eq!(stage.commands(), [], "it asks first");
}

#[test]
fn a_committed_fix_resumes_the_run() {
    let mut stage = round();
    stage.press("W i");
    stage.type_text("look elsewhere");
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let commands = stage.carry_out();
    let guided = |one: &Command| matches!(one, Command::Edit(EditCommand::Commit { edits, .. }) if matches!(edits[..], [Edit::InsertPrompt { .. }]));
    assert!(commands.iter().any(guided), "{commands:?}");
    assert_eq!(stage.model.run.state.mode, overrule_domain::state::Mode::Running);
}

#[test]
fn waiting_calls_are_shown_with_what_was_tried() {
    let mut stage = Stage::new(140, 50);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.close();
    stage.press("W");
    let text = stage.text();
    assert!(text.lines().next().unwrap().ends_with("◎ 1 to decide"), "{text}");
    for words in [
        "c3 write_file waits for your decision (awaiting approval)",
        "c3 write_file path=a content=b: awaiting approval",
        "state      needs you",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains("allow exactly"), "{text}");
    // Without a loop there is nothing to allow.
    stage.press("Y");
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains("That does not help here"),
        "{}",
        stage.status()
    );
    stage.press("enter");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.selected(), Some(crate::testing::id("c3")));
    assert!(stage.text().contains("┏━ c3 writes a"), "{}", stage.text());
}

#[test]
fn what_decides_the_waiting_call_comes_first_and_works_there() {
    type Scene = fn(&mut Stage, &str);
    let args = r#"{"path":"a","content":"b"}"#;
    let scenes: [(Scene, &[&str]); 5] = [
        (
            |stage, args| stage.awaiting("c3", "write_file", args),
            &["enter, a approve the call", "enter, x reject the call"],
        ),
        (
            |stage, args| stage.outcome_unknown_with("c3", args),
            &[
                "enter, h confirm that the execution happened",
                "enter, d confirm that the execution did not happen",
                "enter, x end the call with an unknown outcome",
            ],
        ),
        (
            |stage, args| stage.consent_of("c3", args),
            &[
                "enter, u use the recorded result",
                "enter, R repeat the effect",
                "enter, x reject the repeated effect",
            ],
        ),
        (
            |stage, _| stage.two_repairs(),
            &["enter, F ", "enter, K stop repairing"],
        ),
        (
            |stage, _| stage.offered_repairs("no day fits", Vec::new()),
            &["enter, K stop repairing"],
        ),
    ];
    for (scene, rows) in scenes {
        let mut stage = Stage::new(140, 50);
        stage.begin();
        scene(&mut stage, args);
        stage.press("W");
        let text = stage.text();
        let after = text.split("what you can do").nth(1).unwrap_or_default();
        for (row, expected) in after.lines().skip(1).zip(rows) {
            assert!(row.contains(expected), "{expected}\n{text}");
        }
        // Each of the keys is offered once the first one was pressed.
        stage.press("enter");
        let offered: Vec<String> = hints::hints(&stage.model)
            .into_iter()
            .map(|hint| hint.key)
            .collect();
        for row in rows {
            let key = row["enter, ".len()..].split(' ').next().unwrap_or_default();
            assert!(
                offered.iter().any(|one| one == key),
                "{key}: {offered:?}\n{}",
                stage.text()
            );
        }
        assert_eq!(stage.commands(), [], "nothing is decided by it alone");
    }
}

#[test]
fn the_way_out_of_the_page_is_shown_at_every_width() {
    for width in [60, 80, 100, 140] {
        let mut stage = Stage::new(width, 24);
        stage.begin();
        stage.finished("c3", "read_file", r#"{"path":"page"}"#, failed());
        stage.close();
        stage.goes_round("read_file", &["c3"]);
        stage.press("W");
        let text = stage.text();
        assert!(
            text.contains("esc close") && text.contains("? help"),
            "{width}\n{text}"
        );
    }
}

#[test]
fn a_breaker_that_blocks_everything_is_shown_and_alerted() {
    let mut stage = Stage::new(140, 50);
    stage.begin();
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, failed());
    stage.close();
    stage.ready_again("c3");
    stage.out.clear();
    stage.breaker("read_file", Phase::Open);
    assert!(
        stage
            .out
            .iter()
            .any(|out| matches!(out, Out::Alert(words) if words == "the run waits for you")),
        "{:?}",
        stage.out
    );
    stage.press("W");
    let text = stage.text();
    for words in [
        "the breaker of tool:read_file is open (5 failures in a row): nothing else is left to do",
        "tool:read_file opened once: 5 failures in a row",
        "the page is⟨U+001B⟩[2J gone",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    stage.press("enter");
    assert!(stage.model.stack.is_top::<Prompt>());
    stage.press("enter");
    let reset = stage.commands();
    assert!(format!("{reset:?}").contains("ResetBreaker"), "{reset:?}");
}

#[test]
fn a_narrow_screen_keeps_the_key_that_shows_more() {
    let mut stage = Stage::new(60, 24);
    stage.begin();
    for call in ["c3", "c4", "c5"] {
        stage.finished(call, "read_file", r#"{"path":"page"}"#, failed());
    }
    stage.close();
    stage.draw();
    stage.goes_round("read_file", &["c3", "c4", "c5"]);
    stage.draw();
    let text = stage.text();
    let banner = text.lines().nth(1).unwrap();
    assert!(banner.contains("possible loop"), "{text}");
    assert!(banner.trim_end().ends_with("…; W: why, what to do"), "{text}");
}

#[test]
fn a_run_that_needs_no_attention_is_shown_as_such() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.press("W");
    assert!(stage.text().contains("The run does not need you now."));
    // The operator knows of their own pause.
    stage.engine(Event::Run(RunEvent::Paused {
        reason: "mine".into(),
    }));
    assert!(stage.text().contains("paused: mine"));
    stage.press("e");
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_manually_paused_run_shows_waiting_calls_and_the_resume_key() {
    type Halt = fn(String) -> RunEvent;
    let paused: Halt = |reason| RunEvent::Paused { reason };
    let stopped: Halt = |reason| RunEvent::Stopped { reason };
    for (halt, words) in [
        (paused, "the run is paused: nothing is started (by hand)"),
        (stopped, "the run is stopped (by hand)"),
    ] {
        let mut stage = Stage::new(100, 30);
        stage.begin();
        stage.awaiting("c3", "write_file", r#"{"path":"a"}"#);
        stage.awaiting("c4", "write_file", r#"{"path":"b"}"#);
        stage.engine(Event::Run(halt("by hand".into())));
        stage.draw();
        let banner = stage.text();
        assert!(
            !banner.lines().nth(1).unwrap().contains("nothing is started"),
            "he knows of it\n{banner}"
        );
        stage.press("W");
        let text = stage.text();
        assert!(!text.contains("does not need you"), "{text}");
        for words in [words, "c3 write_file", "c4 write_file", "p        resume the run"] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        assert!(
            !text.contains("stop the run") && !text.contains("skip c"),
            "{text}"
        );
        stage.press("p");
        assert_eq!(stage.commands(), [Command::Run(RunCommand::Resume {})]);
        assert!(stage.model.stack.is_empty());
    }
}

#[test]
fn a_stopped_run_is_taken_up_again_by_the_key_of_a_paused_one() {
    let mut stage = round();
    stage.engine(Event::Run(RunEvent::Stopped { reason: "x".into() }));
    stage.draw();
    stage.press("p");
    assert_eq!(stage.commands(), [Command::Run(RunCommand::Resume {})]);
}

impl Stage {
    /// A failed call that is to run again, and waits for a free slot.
    fn ready_again(&mut self, call: &str) {
        let call = crate::testing::id(call);
        self.call(CallEvent::Woken { call });
        self.ready(&call.to_string(), 1);
        self.call(CallEvent::Decided {
            call,
            rev: Rev(1),
            digest: None,
            decision: overrule_domain::call::Decision::Auto { rule: "test".into() },
        });
    }
}
