//! Random trees and random operations, compared with full copies.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Operation {
    Write(PathBuf, Vec<u8>),
    Append(PathBuf, Vec<u8>),
    Truncate(PathBuf, u64),
    Delete(PathBuf),
    Rename(PathBuf, PathBuf),
    Mode(PathBuf, u32),
    Link(PathBuf, PathBuf),
    Directory(PathBuf),
}

fn name() -> impl Strategy<Value = PathBuf> {
    // Only Linux has names that are not UTF-8.
    let odd: &[u8] = if cfg!(target_os = "linux") {
        b"\xff\xfe"
    } else {
        b"odd"
    };
    let names: [&[u8]; 6] = [b"a", b"b", b"c d", odd, "\u{e4}".as_bytes(), b".hidden"];
    let one = prop::sample::select(names.to_vec()).prop_map(|bytes| PathBuf::from(OsStr::from_bytes(bytes)));
    prop::collection::vec(one, 1..=3).prop_map(|parts| parts.iter().collect())
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(Vec::new()),
        // Of one size, so that only the time or the content tells them apart.
        prop::sample::select(vec![b"one\n".to_vec(), b"two\n".to_vec()]),
        prop::collection::vec(any::<u8>(), 1..40),
        Just(b"line of text\n".repeat(400)),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (name(), content()).prop_map(|(path, content)| Operation::Write(path, content)),
        1 => (name(), content()).prop_map(|(path, content)| Operation::Append(path, content)),
        1 => (name(), 0..8_u64).prop_map(|(path, size)| Operation::Truncate(path, size)),
        2 => name().prop_map(Operation::Delete),
        2 => (name(), name()).prop_map(|(from, to)| Operation::Rename(from, to)),
        1 => (name(), prop::sample::select(vec![0o644, 0o755, 0o600]))
            .prop_map(|(path, mode)| Operation::Mode(path, mode)),
        1 => (name(), name()).prop_map(|(path, target)| Operation::Link(path, target)),
        1 => name().prop_map(Operation::Directory),
    ]
}

fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(path).unwrap(),
        Ok(_) => std::fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Clears the way to a path, so that anything may take the place of anything.
fn clear(root: &Path, path: &Path) {
    let parents: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .filter(|parent| !parent.as_os_str().is_empty())
        .collect();
    for parent in parents.into_iter().rev() {
        let parent = root.join(parent);
        if !parent.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            remove(&parent);
            std::fs::create_dir(&parent).unwrap();
        }
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file())
}

fn carry_out(root: &Path, operation: &Operation) {
    match operation {
        Operation::Write(path, content) => {
            clear(root, path);
            let path = root.join(path);
            if !is_file(&path) {
                remove(&path);
            }
            std::fs::write(path, content).unwrap();
        }
        Operation::Append(path, content) => {
            let path = root.join(path);
            if is_file(&path) {
                let mut file = std::fs::File::options().append(true).open(path).unwrap();
                file.write_all(content).unwrap();
            }
        }
        Operation::Truncate(path, size) => {
            let path = root.join(path);
            if is_file(&path) {
                let file = std::fs::File::options().write(true).open(path).unwrap();
                file.set_len(*size).unwrap();
            }
        }
        Operation::Delete(path) => remove(&root.join(path)),
        Operation::Rename(from, to) => {
            if !to.starts_with(from) && root.join(from).symlink_metadata().is_ok() {
                clear(root, to);
                // Clearing the way may have removed it.
                if root.join(from).symlink_metadata().is_ok() && !from.starts_with(to) {
                    remove(&root.join(to));
                    std::fs::rename(root.join(from), root.join(to)).unwrap();
                }
            }
        }
        Operation::Mode(path, mode) => {
            let path = root.join(path);
            if is_file(&path) {
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(*mode)).unwrap();
            }
        }
        Operation::Link(path, target) => {
            clear(root, path);
            remove(&root.join(path));
            symlink(target, root.join(path)).unwrap();
        }
        Operation::Directory(path) => {
            clear(root, path);
            if !root.join(path).symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                remove(&root.join(path));
                std::fs::create_dir(root.join(path)).unwrap();
            }
        }
    }
}

/// What a run does: operations of a call, or of someone else; the call may be undone after it.
#[derive(Debug, Clone)]
struct Part {
    operations: Vec<Operation>,
    is_outside: bool,
    is_undone: bool,
}

fn part() -> impl Strategy<Value = Part> {
    let operations = prop::collection::vec(operation(), 1..8);
    (operations, prop::bool::weighted(0.2), any::<bool>()).prop_map(|(operations, is_outside, is_undone)| {
        Part {
            operations,
            is_outside,
            is_undone,
        }
    })
}

/// Undoes a call and checks that its paths are what they were, and that nothing else was touched.
fn check_undo(fixture: &Fixture, tracker: &Tracker, set: &ChangeSet, before: &Snapshot) {
    let present = fixture.snapshot();
    let steps = undo(&set.changes);
    let restored = tracker.restore(&steps).unwrap();
    assert_eq!(restored.skipped, []);
    assert_eq!(restored.done.len(), steps.len());
    let after = fixture.snapshot();
    assert_eq!(states(&after), states(before));
    for (path, (state, time)) in &after {
        let is_touched = set.changes.0.iter().any(|change| change.path == *path);
        if !is_touched && !matches!(state, FileState::Dir { .. }) {
            assert_eq!(present[path].1, *time, "the time of {path}");
        }
    }
}

fn check(start: &[Operation], parts: &[Part], has_git: bool) {
    let fixture = Fixture::new();
    for operation in start {
        carry_out(&fixture.workspace, operation);
    }
    if has_git && !commit_all(&fixture.workspace) {
        return;
    }
    let tracker = fixture.tracker();
    for (number, part) in parts.iter().enumerate() {
        let number = number as u32 + 1;
        let before = fixture.snapshot();
        let act = || {
            for one in &part.operations {
                carry_out(&fixture.workspace, one);
            }
        };
        if part.is_outside {
            act();
            let begun = tracker.begin(key(number));
            assert_eq!(begun.outside, differences(&before, &fixture.snapshot()));
            let set = tracker.end(key(number));
            assert_eq!(set, ChangeSet::default());
            continue;
        }
        let set = call(&tracker, number, act);
        assert_eq!(set.changes, differences(&before, &fixture.snapshot()));
        assert_eq!((set.untracked.as_ref(), set.shared.len()), (None, 0));
        for change in &set.changes.0 {
            for hash in [&change.before, &change.after]
                .into_iter()
                .filter_map(FileState::hash)
            {
                tracker.content(hash).unwrap();
            }
        }
        if part.is_undone {
            check_undo(&fixture, &tracker, &set, &before);
        }
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(16))]

    #[test]
    fn calls_are_told_from_others_and_undone_alone(
        start in prop::collection::vec(operation(), 0..12),
        parts in prop::collection::vec(part(), 1..6),
        has_git in any::<bool>(),
    ) {
        check(&start, &parts, has_git);
    }
}
