//! Restores by a user who may not read and write everything.

use overrule_domain::files::StepList;

use super::*;
use crate::tests::{as_user, key};

/// Undoes what a call did, and makes it again.
fn undone_and_redone(fixture: &Fixture, act: impl FnOnce()) {
    let tracker = fixture.tracker();
    let before = fixture.snapshot();
    let set = call(&tracker, 1, act);
    let after = fixture.snapshot();
    let steps = StepList::ordered(undo(&set.changes)).0;
    assert_eq!(tracker.restore(&steps).unwrap().skipped, []);
    assert_eq!(states(&fixture.snapshot()), states(&before));
    let again = StepList::ordered(reversed(&steps)).0;
    assert_eq!(tracker.restore(&again).unwrap().skipped, []);
    assert_eq!(states(&fixture.snapshot()), states(&after));
    open(&fixture.workspace);
}

#[test]
fn an_ordinary_user_gets_the_permissions_of_directories_back() {
    as_user(|| {
        let fixture = Fixture::new();
        fixture.write("lib/a", "1");
        let tracker = fixture.tracker();
        tracker.begin(key(1));
        mode(&fixture, "lib", 0);
        let set = tracker.end(key(1));
        let restored = tracker.restore(&undo(&set.changes)).unwrap();
        assert_eq!((restored.done, restored.skipped), (vec![path("lib")], vec![]));
        assert_eq!(fixture.read("lib/a"), b"1");

        // Entries were changed before the directory was closed.
        undone_and_redone(&fixture, || {
            fixture.write("lib/a", "2");
            fixture.write("lib/b", "2");
            mode(&fixture, "lib", 0o555);
        });
    });
}

#[test]
fn an_ordinary_user_gets_closed_directories_back_with_their_entries() {
    as_user(|| {
        let fixture = Fixture::new();
        first(&fixture);
        undone_and_redone(&fixture, || second(&fixture));
    });
}

#[test]
fn a_closed_directory_that_cannot_be_removed_is_closed_again() {
    let fixture = Fixture::new();
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || {
        fixture.write("closed/a", "1");
        mode(&fixture, "closed", 0o555);
    });
    mode(&fixture, "closed", 0o755);
    fixture.write("closed/theirs", "1");
    mode(&fixture, "closed", 0o555);
    let restored = tracker.restore(&undo(&set.changes)).unwrap();
    assert_eq!(restored.done, [path("closed/a")]);
    assert_eq!(restored.skipped, [(path("closed"), "it is not empty".to_owned())]);
    assert_eq!(fixture.read("closed/theirs"), b"1");
    let closed = tracker.states(&[path("closed")]).remove(0);
    assert_eq!(closed, FileState::Dir { mode: 0o555 });
    open(&fixture.workspace);
}

#[test]
fn a_directory_without_permission_is_skipped_and_named() {
    as_user(|| {
        let fixture = Fixture::new();
        fixture.write("closed/a", "1");
        fixture.write("open/a", "1");
        let tracker = fixture.tracker();
        let set = call(&tracker, 1, || {
            fixture.write("closed/a", "2");
            fixture.write("open/a", "2");
        });
        mode(&fixture, "closed", 0o555);
        let restored = tracker.restore(&undo(&set.changes)).unwrap();
        mode(&fixture, "closed", 0o755);
        assert_eq!(restored.done, [path("open/a")]);
        assert_eq!(restored.skipped[0].0, path("closed/a"));
        assert_eq!(fixture.read("closed/a"), b"2");
    });
}
