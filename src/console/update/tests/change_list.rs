//! The changes by call: what was restored of them, and whose files are restored from there.

use super::restored::take_sent;
use crate::surfaces::changes::ChangesPage;
use crate::surfaces::restore::RestorePage;
use crate::testing::Stage;
use crate::testing::files::path;
use overrule_domain::event::{Event, FilesEvent};
use overrule_domain::files::{Change, ChangeList, FileState};
use overrule_domain::id::NodeId;

/// A restore of the three files of a call, without some of them.
fn restored_without(skipped: &[(&str, &str)]) -> (Stage, NodeId) {
    let mut stage = Stage::new(80, 24);
    stage.restores_the_call();
    take_sent(&mut stage);
    let restore = stage.model.run.state.operator.files.open.unwrap();
    stage.restores_without(skipped);
    (stage, restore)
}

#[test]
fn what_a_restore_left_is_named_with_its_reason() {
    let (mut stage, restore) = restored_without(&[
        ("README.md", "changed since by something else"),
        ("src/lib.rs", "cannot write it\nno space left"),
    ]);
    let text = stage.text();
    assert!(!text.contains("files restored by"), "a part is left: {text}");
    stage.press("ctrl-g");
    let text = stage.text();
    assert!(
        text.contains(&format!("{restore}   restored 1 path, 2 not")),
        "{text}"
    );
    for row in [
        "not restored: README.md: changed since by something else",
        "not restored: src/lib.rs: cannot write it; no space left",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    assert!(
        text.contains("tests/new.rs"),
        "what was restored is shown: {text}"
    );
    assert!(
        !text.contains("restored by"),
        "the call is restored in part only: {text}"
    );
    insta::assert_snapshot!("a_partial_restore", text);
}

#[test]
fn a_whole_restore_names_nothing_that_was_left() {
    let (mut stage, restore) = restored_without(&[]);
    stage.press("ctrl-g");
    let text = stage.text();
    assert!(text.contains(&format!("{restore}   restored 3 paths")), "{text}");
    assert!(text.contains(&format!("restored by {restore}")), "{text}");
    assert!(
        !text.contains("not restored") && !text.contains("paths, "),
        "{text}"
    );
}

#[test]
fn a_row_of_a_restore_leads_to_its_undo() {
    let (mut stage, restore) = restored_without(&[]);
    stage.press("ctrl-g _");
    let text = stage.text();
    assert!(stage.model.stack.is_top::<RestorePage>(), "{text}");
    assert!(text.contains(&format!("undo the restore {restore}")), "{text}");
    assert!(text.contains("restore 3 of 3"), "{text}");
}

#[test]
fn a_row_of_something_else_restores_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    let after = stage.files.get_or_insert_default().state(Some("z\n"));
    stage.engine(Event::Files(FilesEvent::ChangedOutside {
        changes: ChangeList(vec![Change {
            path: path("notes.txt"),
            before: FileState::Missing {},
            after,
        }]),
    }));
    stage.press("ctrl-g");
    let text = stage.text();
    assert!(text.contains("notes.txt"), "{text}");
    stage.press("_");
    assert!(stage.model.stack.is_top::<ChangesPage>(), "{}", stage.text());
    assert_eq!(
        stage.status(),
        "Changed by something else than this run: nothing to restore"
    );
    assert_eq!(stage.commands(), []);
}
