//! A restore whose process ended before it was done: continued, left or undone.

use super::restored::take_sent;
use crate::surfaces::attention::AttentionPage;
use crate::surfaces::restore::RestorePage;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::NodeId;

/// A restore of three files, of which one is done. The page on why the run waits is open.
fn interrupted(change: impl FnOnce(&mut Stage)) -> (Stage, NodeId) {
    let mut stage = Stage::new(80, 24);
    stage.restores_the_call();
    stage.carry_out();
    let restore = stage.model.run.state.operator.files.open.unwrap();
    stage.put_file("README.md", Some("a\n"));
    stage.engine(Event::Run(RunEvent::Reopened {
        interrupted: Vec::new(),
        version: "0".into(),
    }));
    change(&mut stage);
    stage.press("W");
    stage.draw();
    (stage, restore)
}

#[test]
fn it_needs_attention_and_can_be_continued_left_or_undone() {
    for (key, expected) in [("c", "continue"), ("l", "leave"), ("_", "undo")] {
        let (mut stage, restore) = interrupted(|stage| {
            let text = stage.text();
            assert!(text.contains("needs you (W)"), "{text}");
        });
        let text = stage.text();
        assert!(text.contains("was interrupted"), "{text}");
        assert!(text.contains("continue the restore (2 of 3 left)"), "{text}");
        insta::assert_snapshot!("an_interrupted_restore", text);
        stage.wait(ARMING);
        stage.press(key);
        if key == "_" {
            assert!(stage.model.stack.is_top::<RestorePage>());
            stage.wait(1_500);
            stage.press("enter");
        }
        let sent = take_sent(&mut stage);
        let is_expected = match sent.as_slice() {
            [Command::Files(FilesCommand::Continue { restore: of })] => {
                *of == restore && expected == "continue"
            }
            [Command::Files(FilesCommand::Leave { restore: of })] => *of == restore && expected == "leave",
            [Command::Files(FilesCommand::UndoRestore { restore: of, .. })] => {
                *of == restore && expected == "undo"
            }
            _ => false,
        };
        assert!(is_expected, "{sent:?}: {}", stage.text());
        if expected == "continue" {
            assert_eq!(stage.status(), format!("Continuing the restore {restore}"));
        }
    }
}

#[test]
fn nothing_is_decided_before_its_paths_were_on_screen() {
    for key in ["c", "l"] {
        let (mut stage, _) = interrupted(|_| {});
        stage.press(key);
        assert_eq!(stage.commands(), [], "{key}");
        assert!(stage.model.stack.is_top::<AttentionPage>(), "it stays open");
        assert!(stage.status().contains("Press again"), "{}", stage.status());
        stage.wait(ARMING);
        // Something changed a path: the page says something else now.
        stage.put_file("src/lib.rs", Some("mine\n"));
        stage.model.run.files.forget_states();
        stage.draw();
        stage.press(key);
        assert_eq!(stage.commands(), [], "{key}");
        stage.wait(ARMING);
        stage.press(key);
        assert_eq!(stage.commands().len(), 1, "{key}");
    }
}

#[test]
fn what_something_else_changed_since_is_not_counted_as_left() {
    let (mut stage, _) = interrupted(|stage| {
        stage.put_file("src/lib.rs", Some("mine\n"));
    });
    let text = stage.flat();
    assert!(
        text.contains("continue the restore (1 of 3 left; 1 changed since by something else, is left)"),
        "{text}"
    );
    for row in [
        "↶ tests/new.rs deleted",
        "! src/lib.rs changed since by something else kept",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    assert!(!text.contains("↶ README.md"), "it is done: {text}");
    stage.wait(ARMING);
    stage.press("c");
    let sent = take_sent(&mut stage);
    assert!(
        matches!(sent.as_slice(), [Command::Files(FilesCommand::Continue { .. })]),
        "{sent:?}"
    );
    assert!(
        !stage.status().contains('3'),
        "not all are restored: {}",
        stage.status()
    );
}

#[test]
fn where_all_is_done_nothing_is_listed() {
    let (mut stage, _) = interrupted(|stage| {
        stage.put_file("src/lib.rs", Some("one\ntwo\nthree\n"));
        stage.put_file("tests/new.rs", None);
    });
    let text = stage.text();
    assert!(text.contains("continue the restore (0 of 3 left)"), "{text}");
    assert!(!text.contains("left to restore"), "{text}");
}

#[test]
fn a_page_that_is_opened_again_looks_again() {
    let (mut stage, _) = interrupted(|_| {});
    stage.press("esc");
    stage.put_file("src/lib.rs", Some("mine\n"));
    stage.press("W");
    let text = stage.text();
    assert!(text.contains("1 of 3 left"), "{text}");
}

#[test]
fn while_the_files_are_looked_at_nothing_is_decided_and_nothing_is_said_of_them() {
    let (mut stage, restore) = interrupted(|stage| stage.held_looks = Some(Vec::new()));
    let text = stage.text();
    assert!(text.contains("continue the restore\n"), "{text}");
    assert!(text.contains("looking at the files…"), "{text}");
    stage.wait(ARMING);
    for key in ["c", "l"] {
        stage.press(key);
        assert_eq!(stage.commands(), [], "{key}");
        assert_eq!(stage.status(), "Still looking at the files. Press again");
    }
    stage.press("_");
    let text = stage.text();
    assert!(text.contains(&format!("undo the restore {restore}")), "{text}");
    assert!(text.contains("looking at the files…"), "{text}");
    assert!(
        !text.contains("no file is known"),
        "that is not known yet: {text}"
    );
    stage.answer_held_looks();
    let text = stage.text();
    assert!(text.contains("restore 1 of 1"), "{text}");
}

#[test]
fn without_a_tracker_it_is_said_that_what_is_left_is_not_known() {
    let (mut stage, _) = interrupted(|stage| stage.files = None);
    let text = stage.text();
    assert!(text.contains("continue the restore\n"), "{text}");
    assert!(
        text.contains("not known: the files of this run cannot be looked at here"),
        "{text}"
    );
    stage.press("_");
    let text = stage.text();
    assert!(text.contains("cannot be restored here"), "{text}");
    assert!(!text.contains("no file is known"), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    stage.press("esc W");
    stage.wait(ARMING);
    stage.press("l");
    let sent = stage.commands();
    assert!(
        matches!(sent.as_slice(), [Command::Files(FilesCommand::Leave { .. })]),
        "it can be left: {sent:?}"
    );
}
