//! Tests typing about a call while its deadline runs, and after it has passed.
//!
//! Must not know: who counts the time.

use super::arming::ARGS;
use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Consequence, Decision, Verdict};
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::event::CallEvent;
use overrule_domain::id::{Epoch, Rev};

/// A selected write with 90 seconds to decide about it.
fn asked(width: u16, height: u16, on_expiry: Consequence) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.begin();
    let verdict = Verdict {
        deadline_ms: Some(90_000),
        on_expiry,
        ..Stage::verdict()
    };
    stage.awaiting_by("c3", ("write_file", ARGS), verdict);
    stage.close();
    stage.at_the_queue();
    stage
}

fn expire(stage: &mut Stage, consequence: Consequence) {
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Expire { consequence },
    });
    // The run continues without it: the model sees that.
    stage.advance();
    stage.draw();
}

fn is_review(stage: &Stage) -> bool {
    stage.model.stack.is_top::<Review>()
}

fn typed(stage: &Stage) -> String {
    let field = stage.model.stack.last().and_then(|top| top.field());
    field.expect("something to type in").shown()
}

#[test]
fn an_open_editor_counts_down_what_is_left() {
    for (width, height) in [(40, 12), (80, 24), (160, 50)] {
        for key in ["w", "e"] {
            let mut stage = asked(width, height, Consequence::Deny);
            stage.press(key);
            let flat = stage.flat();
            assert!(flat.contains("c3 waits: denied in 88 s"), "{}", stage.text());
            assert!(
                stage.model.wake_at().is_some_and(|at| at <= stage.now + 1000),
                "it is woken to count"
            );
            stage.wait(30_000);
            assert!(
                stage.flat().contains("c3 waits: denied in 58 s"),
                "{}",
                stage.text()
            );
        }
    }
    let mut stage = asked(80, 24, Consequence::Escalate);
    stage.press("w");
    assert!(
        stage.flat().contains("c3 waits: escalated in 88 s"),
        "{}",
        stage.text()
    );
    expire(&mut stage, Consequence::Escalate);
    assert!(stage.flat().contains("c3 waits: overdue"), "{}", stage.text());
    assert!(
        !stage.flat().contains("expired"),
        "it is asked as before: {}",
        stage.text()
    );
    let mut stage = Stage::asked(80, 24, ARGS);
    stage.wait(ARMING);
    stage.press("w");
    assert!(!stage.flat().contains("c3 waits:"), "{}", stage.text());
}

#[test]
fn an_answer_in_time_is_sent_as_it_was() {
    let mut stage = asked(80, 24, Consequence::Deny);
    stage.press("w");
    stage.type_text("yes");
    stage.press("ctrl-s");
    assert!(!is_review(&stage));
    let value = "\"yes\"".into();
    assert_eq!(
        stage.commands(),
        [Command::Call(CallCommand::Answer {
            call: id("c3"),
            rev: Rev(1),
            value
        })]
    );
}

#[test]
fn an_answer_after_the_deadline_is_previewed_like_every_edit_and_never_lost() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = asked(width, height, Consequence::Deny);
        stage.press("w");
        stage.type_text("yes");
        expire(&mut stage, Consequence::Deny);
        let message = "c3 expired meanwhile: what you write is now an edit of a decided call";
        assert!(stage.flat().contains(message), "{}", stage.text());
        assert!(
            !stage.flat().contains("c3 waits:"),
            "nothing is left: {}",
            stage.text()
        );
        assert_eq!(typed(&stage), "yes");
        stage.press("ctrl-s");
        assert_eq!(stage.commands(), [], "nothing is sent before it was shown");
        assert!(is_review(&stage));
        let text = stage.flat();
        assert!(text.contains(message), "{text}");
        assert!(text.contains("superseded 1 turn"), "{text}");
        assert!(text.contains("yes"), "{text}");
        // Back to the text, and again.
        stage.press("esc");
        assert_eq!(typed(&stage), "yes");
        assert_eq!(stage.model.run.state.epoch, Epoch(0));
        stage.press("ctrl-s");
        stage.wait(ARMING);
        stage.press("enter");
        let commands = stage.carry_out();
        assert!(
            matches!(commands.as_slice(), [Command::Call(CallCommand::Answer { .. })]),
            "{commands:?}"
        );
        assert_eq!(stage.model.run.state.epoch, Epoch(1));
        assert!(
            stage.model.stack.is_empty(),
            "the preview closes with its editor: {:?}",
            stage.model.stack
        );
    }
}

#[test]
fn an_answer_for_a_call_now_running_shows_what_it_cancels() {
    let mut stage = Stage::asked(100, 30, ARGS);
    stage.wait(ARMING);
    stage.press("w");
    stage.type_text("yes");
    stage.start_at("c3", Rev(1), overrule_domain::id::Attempt(1));
    stage.press("ctrl-s");
    assert_eq!(stage.commands(), []);
    assert!(is_review(&stage));
    let text = stage.flat();
    assert!(text.contains("c3 runs meanwhile, unchanged"), "{text}");
    assert!(text.contains("cancelled c3"), "{text}");
}

#[test]
fn editing_arguments_past_the_deadline_is_shown_in_editor_and_preview() {
    let mut stage = asked(80, 24, Consequence::Deny);
    stage.press("e");
    stage.commands();
    if let Some(editor) = stage.model.stack.top_mut::<Editor>() {
        editor.field.replace(r#"{"path":"a","content":"other"}"#);
    }
    expire(&mut stage, Consequence::Deny);
    let message = "c3 expired meanwhile: what you write is now an edit of a decided call";
    assert!(stage.flat().contains(message), "{}", stage.text());
    stage.press("ctrl-s");
    assert!(is_review(&stage));
    assert!(stage.flat().contains(message), "{}", stage.text());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_stopped_run_refuses_edits_with_a_message() {
    let mut stage = asked(80, 24, Consequence::Halt);
    stage.press("w");
    stage.type_text("yes");
    stage.engine(overrule_domain::event::Event::Run(
        overrule_domain::event::RunEvent::Stopped {
            reason: "c3 was not decided in time".into(),
        },
    ));
    expire(&mut stage, Consequence::Halt);
    let flat = stage.flat();
    assert!(
        flat.contains("c3 expired meanwhile, which stopped the run"),
        "{flat}"
    );
    assert!(!flat.contains("now an edit"), "{flat}");
    stage.press("ctrl-s");
    stage.carry_out();
    assert!(
        stage.status().contains("the run is stopped"),
        "{}",
        stage.status()
    );
    assert_eq!(typed(&stage), "yes");
}

#[test]
fn a_reason_typed_past_the_deadline_is_not_lost() {
    let mut stage = asked(80, 24, Consequence::Deny);
    stage.press("x");
    assert!(
        stage
            .flat()
            .contains("what should the model know? (c3 waits: denied in 88 s)"),
        "{}",
        stage.text()
    );
    stage.type_text("not today");
    expire(&mut stage, Consequence::Deny);
    assert!(
        stage
            .flat()
            .contains("c3 is not approved in time meanwhile, and can no longer be rejected"),
        "{}",
        stage.text()
    );
    stage.press("enter");
    let sent = stage.carry_out();
    assert!(
        matches!(sent.as_slice(), [Command::Call(CallCommand::Reject { .. })]),
        "{sent:?}"
    );
    assert!(stage.status().contains("cannot reject c3"), "{}", stage.status());
    assert_eq!(typed(&stage), "not today", "the words are there again");
}

#[test]
fn a_refused_reason_takes_no_keys_from_what_is_open_by_then() {
    let mut stage = asked(80, 24, Consequence::Deny);
    stage.press("x");
    stage.type_text("not today");
    expire(&mut stage, Consequence::Deny);
    stage.press("enter ?");
    stage.carry_out();
    assert!(stage.model.stack.last().is_some_and(|top| top.id().reads));
    stage.press("esc L");
    assert!(
        stage.flat().contains("what was typed: not today"),
        "{}",
        stage.text()
    );
}

#[test]
fn in_a_run_that_is_halted_no_deadline_counts_down() {
    let mut stage = asked(80, 24, Consequence::Deny);
    assert!(stage.flat().contains("(denied in "), "{}", stage.text());
    stage.send(Msg::Run(Update::Halted("disk full".into())));
    stage.wait(2_000);
    assert!(!stage.flat().contains("(denied in "), "{}", stage.text());
    assert_eq!(stage.model.wake_at(), None, "no wake-up is scheduled to count");
}
