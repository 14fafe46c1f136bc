//! What a restore leaves, and what it never touches.

use super::*;
use crate::tests::key;

/// The names next to the paths of a tree that a restore gave.
fn left(fixture: &Fixture) -> Vec<String> {
    let paths = fixture.snapshot().into_keys();
    let names = paths.map(|path| path.text().into_owned());
    names.filter(|name| name.contains(".overrule-")).collect()
}

#[test]
fn a_restore_that_is_left_leaves_no_temporary_file() {
    let mut stage = Stage::new();
    let calls = stage.calls();
    let mut count = 0;
    for number in overrule_testing::sample(0..calls, 12) {
        stage.reset();
        stage.run(&mut at(number, Fault::Stop)).unwrap_err();
        let present = states(&stage.fixture.snapshot());
        count += left(&stage.fixture).len();
        let tracker = stage.fixture.open(settings());
        tracker.leave_restore(&stage.steps);
        assert_eq!(left(&stage.fixture), [] as [String; 0], "call {number}");
        let now = states(&stage.fixture.snapshot());
        for (path, state) in &now {
            let is_directory = matches!(state, FileState::Dir { .. });
            assert!(
                is_directory || present.get(path) == Some(state),
                "call {number}: {path}"
            );
        }
        for step in &stage.steps {
            let state = now.get(&step.path).cloned().unwrap_or_else(missing);
            assert!(
                [&step.from, &step.to].contains(&&state),
                "call {number}: {}",
                step.path
            );
        }
    }
    assert!(count > 0, "something was left");
}

#[test]
fn what_was_changed_during_a_restore_that_is_left_is_not_lost() {
    let fixture = Fixture::new();
    fixture.write("a", "old");
    mode(&fixture, "a", 0o644);
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || fixture.write("a", "new"));
    let steps = undo(&set.changes);
    let context = context(&fixture);
    let mut stop = |name| {
        if name == "remove" {
            Err(Fault::Stop)
        } else {
            Ok(())
        }
    };
    restore(&context, &steps, &mut stop).unwrap_err();
    let [set_aside] = left(&fixture).try_into().unwrap();
    fixture.write(&set_aside, "by a writer that had it open");
    tracker.leave_restore(&steps);
    assert_eq!(left(&fixture), [] as [String; 0]);
    assert_eq!(fixture.read("a"), b"by a writer that had it open");
}

#[test]
fn what_a_restore_left_is_not_tracked() {
    let fixture = Fixture::new();
    let (whole, draft) = crate::temporary::names(&path("a"));
    let [whole, draft] = [whole, draft].map(|name| name.into_string().unwrap());
    fixture.write(&whole, "1");
    fixture.write(&format!("{draft}/b"), "1");
    let tracker = fixture.tracker();
    assert_eq!(*tracker.not_restorable(), [draft.as_str(), &whole].map(path));
    let set = call(&tracker, 1, || fixture.write(&whole, "22"));
    assert_eq!((set.changes.0.len(), set.ignored), (0, vec![path(&whole)]));
    call(&tracker, 2, || {
        remove(&fixture.at(&whole));
        remove(&fixture.at(&draft));
    });
    assert_eq!(*tracker.not_restorable(), []);
}

#[test]
fn nothing_of_git_is_restored() {
    let fixture = Fixture::new();
    fixture.write(".git/config", "theirs");
    fixture.write("sub/.git/keep", "");
    // Its content is saved.
    fixture.write("a", "#!/bin/sh");
    let tracker = fixture.tracker();
    let before = fixture.at(".git/config").metadata().unwrap().modified().unwrap();
    let config = tracker.states(&[path(".git/config")]).remove(0);
    let step = |name: &str, from, to| Step {
        path: path(name),
        from,
        to,
    };
    let hook = || file("#!/bin/sh", 0o755);
    let steps = [
        step(".git/hooks", missing(), FileState::Dir { mode: 0o755 }),
        step(".git/post-checkout", missing(), hook()),
        step(".git/config", config, hook()),
        step("sub/.git/keep", file("", 0o644), missing()),
        step("sub/.GIT", missing(), hook()),
    ];
    let restored = tracker.restore(&steps).unwrap();
    assert_eq!(restored.done, []);
    let why = restored.skipped.iter().map(|(_, why)| why.as_str());
    assert_eq!(why.collect::<Vec<_>>(), ["git's own files are not restored"; 5]);
    tracker.leave_restore(&steps);
    assert_eq!(fixture.read(".git/config"), b"theirs");
    let meta = fixture.at(".git/config").metadata().unwrap();
    assert_eq!(meta.modified().unwrap(), before);
    assert!(fixture.at("sub/.git/keep").exists());
    for name in [".git/hooks", ".git/post-checkout", "sub/.GIT"] {
        assert!(!fixture.at(name).exists(), "{name}");
    }
    assert_eq!(tracker.begin(key(1)).outside.0.len(), 0);
}
