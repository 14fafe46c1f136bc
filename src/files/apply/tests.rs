//! Restores that end in the middle, fail, or meet a writer.

mod leaving;
mod permissions;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use overrule_domain::files::{FileState, Step};
use rustix::io::Errno;

use super::{Fault, Restored, restore};
use crate::Tracker;
use crate::scan::Context;
use crate::tests::{
    Fixture, Small, call, context, differences, file, in_order, missing, path, settings, states, undo,
};

fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => {
            open(path);
            std::fs::remove_dir_all(path).unwrap();
        }
        Ok(_) => std::fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Makes a directory and those below it writable.
fn open(directory: &Path) {
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755)).unwrap();
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            open(&entry.path());
        }
    }
}

fn mode(fixture: &Fixture, name: &str, mode: u32) {
    std::fs::set_permissions(fixture.at(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The tree before: about forty paths of all kinds.
fn first(fixture: &Fixture) {
    remove(&fixture.workspace);
    for number in 0..8 {
        fixture.write(&format!("changed/{number}"), format!("first {number}"));
        fixture.write(&format!("removed/{number}"), format!("gone {number}"));
    }
    fixture.write("file-to-dir", "a file");
    fixture.write("dir-to-file/inner/deep", "deep");
    fixture.write("dir-to-link/a", "a");
    fixture.write("file-to-link", "b");
    fixture.write("mode", "c");
    fixture.write("mode-and-content", "d");
    fixture.write("stays", "e");
    fixture.write("dir-mode/a", "f");
    fixture.write("closed-to-file/inner/a", "g");
    fixture.write("closed-removed/inner/a", "h");
    for name in ["closed-to-file", "closed-removed"] {
        mode(fixture, &format!("{name}/inner"), 0o555);
        mode(fixture, name, 0o500);
    }
    fixture.write("file-to-closed", "i");
    symlink("stays", fixture.at("link")).unwrap();
    symlink("stays", fixture.at("link-to-file")).unwrap();
    symlink("nowhere", fixture.at("link-to-dir")).unwrap();
}

/// The tree after.
fn second(fixture: &Fixture) {
    for number in 0..8 {
        fixture.write(&format!("changed/{number}"), format!("second {number}, longer"));
        fixture.write(&format!("created/{number}/file"), format!("new {number}"));
    }
    for name in [
        "removed",
        "file-to-dir",
        "dir-to-file",
        "dir-to-link",
        "file-to-link",
        "link",
        "closed-to-file",
        "closed-removed",
        "file-to-closed",
    ] {
        remove(&fixture.at(name));
    }
    for name in ["link-to-file", "link-to-dir"] {
        remove(&fixture.at(name));
    }
    fixture.write("file-to-dir/x", "x");
    fixture.write("dir-to-file", "now a file");
    symlink("changed", fixture.at("dir-to-link")).unwrap();
    symlink("stays", fixture.at("file-to-link")).unwrap();
    symlink("changed", fixture.at("link")).unwrap();
    fixture.write("link-to-file", "y");
    fixture.write("link-to-dir/z", "z");
    fixture.write("mode-and-content", "dd");
    fixture.write("closed-to-file", "j");
    fixture.write("file-to-closed/inner/a", "k");
    fixture.write("closed-created/a", "l");
    mode(fixture, "file-to-closed/inner", 0o500);
    mode(fixture, "file-to-closed", 0o555);
    mode(fixture, "closed-created", 0o555);
    mode(fixture, "mode", 0o755);
    mode(fixture, "mode-and-content", 0o700);
    mode(fixture, "dir-mode", 0o700);
}

/// Both trees, the steps from the second to the first, and the context with all contents saved.
struct Stage {
    fixture: Fixture,
    steps: Vec<Step>,
    context: Context,
}

impl Stage {
    fn new() -> Self {
        let fixture = Fixture::new();
        first(&fixture);
        let tracker = fixture.tracker();
        let set = call(&tracker, 1, || second(&fixture));
        let steps = undo(&set.changes);
        assert!(steps.len() >= 40, "{}", steps.len());
        let context = context(&fixture);
        Self {
            fixture,
            steps,
            context,
        }
    }

    /// Makes the second tree again.
    fn reset(&mut self) {
        first(&self.fixture);
        second(&self.fixture);
        self.context = context(&self.fixture);
    }

    fn run(&self, hook: super::Hook<'_>) -> Result<Restored, crate::Error> {
        restore(&self.context, &self.steps, hook)
    }

    /// The number of system calls that change something.
    fn calls(&mut self) -> u32 {
        let mut count = 0;
        self.run(&mut |_| {
            count += 1;
            Ok(())
        })
        .unwrap();
        self.reset();
        count
    }
}

/// Fails at one call.
fn at(number: u32, fault: Fault) -> impl FnMut(&'static str) -> Result<(), Fault> {
    let mut count = 0;
    move |_| {
        count += 1;
        if count == number + 1 { Err(fault) } else { Ok(()) }
    }
}

fn reversed(steps: &[Step]) -> Vec<Step> {
    let steps = steps.iter().map(|step| Step {
        path: step.path.clone(),
        from: step.to.clone(),
        to: step.from.clone(),
    });
    in_order(steps.collect())
}

#[test]
fn a_restore_that_ends_anywhere_is_continued_or_undone() {
    let mut stage = Stage::new();
    let second = stage.fixture.snapshot();
    let calls = stage.calls();
    for number in overrule_testing::sample(0..calls, 12) {
        for is_undone in [false, true] {
            stage.reset();
            stage.run(&mut at(number, Fault::Stop)).unwrap_err();
            // The program starts again.
            stage.context = context(&stage.fixture);
            let steps = if is_undone {
                reversed(&stage.steps)
            } else {
                stage.steps.clone()
            };
            let restored = restore(&stage.context, &steps, &mut |_| Ok(())).unwrap();
            assert_eq!(restored.skipped, [], "call {number}");
            assert_eq!(restored.done.len(), steps.len());
            let now = states(&stage.fixture.snapshot());
            if is_undone {
                assert_eq!(now, states(&second), "call {number}");
            } else {
                for step in &steps {
                    assert_eq!(
                        now.get(&step.path).cloned().unwrap_or_else(missing),
                        step.to,
                        "call {number}"
                    );
                }
                let drafts = now
                    .keys()
                    .filter(|path| path.text().contains(".overrule-"))
                    .count();
                assert_eq!(drafts, 0, "call {number}");
            }
        }
    }
}

#[test]
fn a_failing_call_loses_no_path_and_names_what_is_skipped() {
    let mut stage = Stage::new();
    let calls = stage.calls();
    for errno in [Errno::NOSPC, Errno::ACCESS] {
        for number in overrule_testing::sample(0..calls, 12) {
            stage.reset();
            let restored = stage.run(&mut at(number, Fault::Errno(errno)));
            let Ok(restored) = restored else {
                continue; // A directory could not be synced.
            };
            let now = states(&stage.fixture.snapshot());
            let of = |path| now.get(path).cloned().unwrap_or_else(missing);
            for step in &stage.steps {
                let is_skipped = restored.skipped.iter().any(|(path, _)| *path == step.path);
                let is_done = restored.done.contains(&step.path);
                assert_ne!(is_skipped, is_done, "{}", step.path);
                let expected = if is_done { &step.to } else { &step.from };
                let now = of(&step.path);
                // A directory whose permissions could not be set.
                let is_between = !is_done && step.between() == Some(now.clone());
                assert!(
                    now == *expected || is_between,
                    "{errno:?} at {number}: {}",
                    step.path
                );
            }
            let again = stage.run(&mut |_| Ok(())).unwrap();
            assert_eq!(again.skipped, [], "{errno:?} at {number}");
        }
    }
}

#[test]
fn what_changed_since_is_not_touched() {
    let stage = Stage::new();
    let fixture = &stage.fixture;
    fixture.write("changed/1", "by someone else");
    mode(fixture, "changed/2", 0o600);
    fixture.write("created/3/another", "by someone else");
    fixture.write("removed", "by someone else");
    fixture.write("link-to-dir/another", "by someone else");
    let before = fixture.snapshot();
    let restored = stage.run(&mut |_| Ok(())).unwrap();
    let skipped: std::collections::BTreeMap<String, &str> = restored
        .skipped
        .iter()
        .map(|(path, why)| (path.text().into_owned(), why.as_str()))
        .collect();
    for (name, why) in [
        ("changed/1", "changed since by something else"),
        ("changed/2", "changed since by something else"),
        ("removed", "changed since by something else"),
        ("created/3", "it is not empty"),
        ("created", "it is not empty"),
        ("link-to-dir", "it is not empty"),
    ] {
        assert_eq!(skipped.get(name), Some(&why), "{name}: {skipped:?}");
    }
    let after = fixture.snapshot();
    for name in [
        "changed/1",
        "changed/2",
        "created/3/another",
        "removed",
        "link-to-dir/another",
        "stays",
    ] {
        assert_eq!(before[&path(name)], after[&path(name)], "{name}");
    }
    assert_eq!(fixture.read("changed/0"), b"first 0");
    assert!(
        !fixture.at("link-to-dir/z").exists(),
        "what was not changed is undone"
    );
}

#[test]
fn a_restore_is_undone_by_its_reverse() {
    let stage = Stage::new();
    let second = stage.fixture.snapshot();
    stage.run(&mut |_| Ok(())).unwrap();
    assert!(!differences(&second, &stage.fixture.snapshot()).0.is_empty());
    let restored = restore(&stage.context, &reversed(&stage.steps), &mut |_| Ok(())).unwrap();
    assert_eq!(restored.skipped, []);
    assert_eq!(states(&stage.fixture.snapshot()), states(&second));
}

#[test]
fn present_contents_are_saved_before_the_first_step() {
    let fixture = Fixture::new();
    fixture.write("a", "saved by nobody");
    let tracker = fixture.open(settings());
    let from = tracker.states(&[path("a")]).remove(0);
    let hash = from.hash().unwrap().to_owned();
    assert!(tracker.content(&hash).is_err());
    let step = Step {
        path: path("a"),
        from,
        to: missing(),
    };
    assert_eq!(
        tracker.restore(std::slice::from_ref(&step)).unwrap().done,
        [path("a")]
    );
    assert!(!fixture.at("a").exists());
    assert_eq!(tracker.content(&hash).unwrap(), b"saved by nobody");
    assert_eq!(tracker.restore(&reversed(&[step])).unwrap().done, [path("a")]);
    assert_eq!(fixture.read("a"), b"saved by nobody");
}

/// Restores while another thread writes. Returns true if the restore reported the path as done.
fn race(fixture: &Fixture, tracker: &Tracker, step: &Step, write: impl Fn(&Path) + Send, delay: u32) -> bool {
    let start = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let target = fixture.at("a");
        let start = &start;
        let writer = scope.spawn(move || {
            while !start.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            for _ in 0..delay {
                std::hint::spin_loop();
            }
            write(&target);
        });
        start.store(true, Ordering::Release);
        let restored = tracker.restore(std::slice::from_ref(step)).unwrap();
        writer.join().unwrap();
        !restored.done.is_empty()
    })
}

#[test]
fn a_writer_during_a_restore_is_never_overwritten() {
    let fixture = Fixture::new();
    let tracker = fixture.open(settings());
    let in_place = |path: &Path| std::fs::write(path, "by the writer").unwrap();
    let by_rename = |path: &Path| {
        let draft = path.with_extension("draft");
        std::fs::write(&draft, "by the writer").unwrap();
        std::fs::rename(draft, path).unwrap();
    };
    let rounds = overrule_testing::times(60);
    for round in 0..rounds {
        for to in [file("old", 0o644), missing()] {
            // The old content is in the store.
            fixture.write("a", "old");
            mode(&fixture, "a", 0o644);
            tracker.begin_exact(crate::tests::key(1), &[path("a")]);
            fixture.write("a", "new");
            tracker.end(crate::tests::key(1));
            let step = Step {
                path: path("a"),
                from: file("new", 0o644),
                to: to.clone(),
            };
            let delay = round * 2_000 / rounds * 40;
            if round % 2 == 0 {
                race(&fixture, &tracker, &step, in_place, delay);
            } else {
                race(&fixture, &tracker, &step, by_rename, delay);
            }
            let left = std::fs::read_dir(&fixture.workspace).unwrap().count();
            assert_eq!(
                (fixture.read("a"), left),
                (b"by the writer".to_vec(), 1),
                "round {round}, to {to:?}"
            );
        }
    }
}

#[test]
fn a_writer_in_a_loop_goes_on_undisturbed() {
    let fixture = Fixture::new();
    fixture.write("a", "old");
    mode(&fixture, "a", 0o644);
    let tracker = fixture.tracker();
    call(&tracker, 1, || fixture.write("a", "new"));
    let step = Step {
        path: path("a"),
        from: file("new", 0o644),
        to: file("old", 0o644),
    };
    let stop = AtomicBool::new(false);
    fixture.write("a", "0");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut number = 0_u64;
            while !stop.load(Ordering::Acquire) {
                assert_eq!(fixture.read("a"), number.to_string().as_bytes());
                number += 1;
                std::fs::write(fixture.at("draft"), number.to_string()).unwrap();
                std::fs::rename(fixture.at("draft"), fixture.at("a")).unwrap();
            }
        });
        for _ in 0..overrule_testing::times(50) {
            let restored = tracker.restore(std::slice::from_ref(&step)).unwrap();
            assert_eq!(
                restored.skipped,
                [(path("a"), "changed since by something else".to_owned())]
            );
        }
        stop.store(true, Ordering::Release);
        writer.join().unwrap();
    });
}

#[test]
fn a_full_disk_stops_a_restore_before_it_begins_or_skips_the_path() {
    let fixture = Fixture::new();
    let Some(_small) = Small::mount(&fixture.workspace, "size=256k,nr_inodes=12") else {
        return;
    };
    let content = vec![7; 100_000];
    fixture.write("a", &content);
    fixture.write("b", "before");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || {
        std::fs::remove_file(fixture.at("a")).unwrap();
        fixture.write("b", "after!");
    });
    fixture.write("filler", vec![8; 200_000]);
    let before = states(&fixture.snapshot());
    let error = tracker.restore(&undo(&set.changes)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("cannot restore: the disk of the workspace has no room"),
        "{error}"
    );
    assert_eq!(states(&fixture.snapshot()), before);
    remove(&fixture.at("filler"));
    // No inode is left for a draft.
    for number in 0.. {
        if std::fs::write(fixture.at(&format!("n{number}")), "").is_err() {
            break;
        }
    }
    let restored = tracker.restore(&undo(&set.changes)).unwrap();
    assert_eq!(restored.done, []);
    assert!(
        restored
            .skipped
            .iter()
            .all(|(_, why)| why.contains("No space left")),
        "{restored:?}"
    );
    assert_eq!(fixture.read("b"), b"after!");
    for number in 0..4 {
        let _ = std::fs::remove_file(fixture.at(&format!("n{number}")));
    }
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(
        (fixture.read("a"), fixture.read("b")),
        (content, b"before".to_vec())
    );
}
