//! Tests what happens to a node while an editor on it is open.
//!
//! Must not know: who else works on the run.

use super::arming::ARGS;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage, flat, id};
use overrule_domain::call::Decision;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::event::{CallEvent, EditEvent, Event};
use overrule_domain::id::{Attempt, Rev};
use overrule_domain::node::Origin;

/// An editor on a waiting write.
fn editing(width: u16, height: u16) -> Stage {
    let mut stage = Stage::asked(width, height, ARGS);
    stage.wait(ARMING);
    stage.press("t e");
    assert!(stage.model.stack.is_top::<Editor>());
    stage.carry_out();
    stage
}

/// Another client decides about it.
fn decided(stage: &mut Stage, decision: Decision) {
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision,
    });
    stage.draw();
}

fn release() -> Command {
    let node = Some(id("c3"));
    Command::Edit(EditCommand::Release { node })
}

#[test]
fn an_approval_by_another_client_is_shown_in_the_editor_and_on_closing() {
    for (width, height) in [(80, 24), (40, 12), (160, 50)] {
        let mut stage = editing(width, height);
        assert!(!stage.flat().contains("meanwhile"), "{}", stage.text());
        decided(
            &mut stage,
            Decision::Approve {
                unread: 0,
                shown: None,
            },
        );
        let message = "c3 was approved meanwhile: closing this runs it unchanged";
        assert!(stage.flat().contains(message), "{}", stage.text());
        stage.press("down");
        assert!(stage.flat().contains(message), "it stays: {}", stage.text());
        // Even with nothing typed, the first press does not close the editor.
        stage.press("esc");
        assert_eq!(stage.commands(), [], "nothing runs yet");
        assert!(stage.status().contains(message), "{}", stage.status());
        stage.press("esc");
        assert_eq!(stage.commands(), [release()]);
        assert!(
            stage.status().contains("c3 runs now, as it was"),
            "{}",
            stage.status()
        );
        assert!(stage.model.stack.is_empty());
    }
}

#[test]
fn the_first_key_names_what_runs_where_a_text_is_dropped() {
    let mut stage = editing(80, 24);
    stage.press("end");
    stage.type_text(" ");
    decided(
        &mut stage,
        Decision::Approve {
            unread: 0,
            shown: None,
        },
    );
    stage.press("esc");
    let output = stage.status().to_owned();
    assert!(output.contains("c3 was approved meanwhile"), "{output}");
    assert!(output.contains("esc again drops the text"), "{output}");
    assert_eq!(stage.commands(), []);
}

#[test]
fn the_preview_shows_the_change_and_has_to_be_viewed_again() {
    let mut stage = editing(80, 24);
    let Some(editor) = stage.model.stack.top_mut::<Editor>() else {
        panic!("no editor");
    };
    editor.field.replace(r#"{"path":"a","content":"other"}"#);
    stage.press("ctrl-s");
    let stamp = |stage: &Stage| match stage.model.stack.top::<Review>() {
        Some(review) => review.stamp,
        other => panic!("{other:?}"),
    };
    stage.draw();
    let before = stamp(&stage);
    assert!(!stage.flat().contains("meanwhile"), "{}", stage.text());
    decided(
        &mut stage,
        Decision::Approve {
            unread: 0,
            shown: None,
        },
    );
    assert!(
        stage.flat().contains("c3 was approved meanwhile"),
        "{}",
        stage.text()
    );
    assert_ne!(stamp(&stage), before);
}

#[test]
fn every_changed_state_has_its_message() {
    let reject = Decision::Reject {
        reason: "no".to_owned(),
    };
    for (decision, words) in [
        (reject, "c3 was rejected meanwhile"),
        (
            Decision::Auto { rule: "r".to_owned() },
            "c3 was approved by the policy meanwhile: closing",
        ),
    ] {
        let mut stage = editing(80, 24);
        decided(&mut stage, decision);
        assert!(stage.flat().contains(words), "{}", stage.text());
    }
    let mut stage = editing(80, 24);
    stage.start_at("c3", Rev(1), Attempt(1));
    assert!(
        stage.flat().contains("c3 runs meanwhile, unchanged"),
        "{}",
        stage.text()
    );
    let mut stage = editing(80, 24);
    stage.awaiting_revised(
        "c3",
        ("write_file", ARGS),
        Origin::Operator { user: "eve".into() },
    );
    assert!(
        stage
            .flat()
            .contains("c3 was changed meanwhile: it is revision 2, this text is about revision 1"),
        "{}",
        stage.text()
    );
    let mut stage = editing(80, 24);
    stage.engine(Event::Edit(EditEvent::Superseded {
        nodes: vec![id("c3")],
    }));
    assert!(
        stage.flat().contains("c3 was superseded meanwhile"),
        "{}",
        stage.text()
    );
}

#[test]
fn an_editor_of_an_unchanged_call_closes_immediately() {
    let mut stage = editing(80, 24);
    stage.awaiting("c4", "write_file", ARGS);
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), [release()]);
    assert_eq!(flat(stage.status()), "", "nothing runs by it");
}
