//! Saved contents: limits, permissions, damage, collection.

use std::collections::HashSet;
use std::time::SystemTime;

use super::*;
use crate::{Collected, Error, Session, collect};

fn hash(content: &[u8]) -> String {
    hex(blake3::hash(content).as_bytes())
}

fn objects(data: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![data.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else if entry.file_name() != OsStr::new("lock") {
                found.push(entry.path());
            }
        }
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "compared with the times of files")]
fn now() -> SystemTime {
    SystemTime::now()
}

#[test]
fn contents_are_for_their_owner_alone() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    let tracker = fixture.tracker();
    call(&tracker, 1, || fixture.write("b", "text ".repeat(4000)));
    let mut open = vec![fixture.data.join("files")];
    let mut count = 0;
    while let Some(at) = open.pop() {
        let meta = at.symlink_metadata().unwrap();
        let expected = if meta.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(meta.permissions().mode() & 0o7777, expected, "{}", at.display());
        if meta.is_dir() {
            open.extend(std::fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            count += 1;
        }
    }
    assert_eq!(count, 3, "two contents and the lock");
}

#[test]
fn contents_are_for_their_owner_under_any_umask() {
    let program = std::env::current_exe().unwrap();
    for umask in ["000", "077"] {
        let script =
            format!("umask {umask}; exec \"$0\" --exact tests::store::contents_are_for_their_owner_alone");
        let output = Command::new("sh")
            .arg("-c")
            .arg(script)
            .arg(&program)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{umask}: {text}"
        );
    }
}

#[test]
fn a_content_is_saved_once_and_deflated_where_that_helps() {
    let fixture = Fixture::new();
    let text = "the same line again\n".repeat(5_000);
    fixture.write("a", &text);
    fixture.write("b", &text);
    let tracker = fixture.tracker();
    assert_eq!(objects(&fixture.data).len(), 1);
    assert!(tracker.saved() < text.len() as u64 / 10, "{}", tracker.saved());
    assert_eq!(tracker.content(&hash(text.as_bytes())).unwrap(), text.as_bytes());
}

#[test]
fn a_full_store_is_reported_and_what_is_not_saved_is_named() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    let tracker = fixture.tracker_with(Settings {
        max_session: 100,
        ..settings()
    });
    let set = call(&tracker, 1, || fixture.write("b", [1; 90]));
    assert_eq!(set.untracked, None);
    tracker.begin(key(2));
    fixture.write("c", "another content that has no room");
    let set = tracker.end(key(2));
    assert_eq!(set.untracked.as_deref(), Some("store full"));
    assert_eq!(names(&set.changes), ["c"]);
    let after = &set.changes.0[0].after;
    assert!(
        matches!(after, FileState::Unsaved { why, .. } if why == "store full"),
        "{after:?}"
    );
    assert_eq!(tracker.readiness(), Readiness::Not("store full".to_owned()));
    let again = fixture.open(Settings {
        max_store: 50,
        ..settings()
    });
    let begun = again.begin_exact(key(1), &[path("c")]);
    assert!(begun.untracked.is_some(), "the contents of all workspaces count");
}

#[test]
fn contents_that_could_not_be_saved_are_saved_later() {
    // Writing a content fails, or giving it its name does.
    for name in ["temporary", "objects"] {
        let fixture = Fixture::new();
        fixture.write("a", "1");
        let tracker = fixture.tracker();
        let store = objects(&fixture.data)[0].ancestors().nth(3).unwrap().to_owned();
        let (part, away) = (store.join(name), store.join("away"));
        tracker.begin(key(1));
        fixture.write("b", "not saved yet");
        std::fs::rename(&part, &away).unwrap();
        std::fs::write(&part, "in its way").unwrap();
        let set = tracker.end(key(1));
        assert!(set.untracked.is_some(), "{name}");
        let after = &set.changes.0[0].after;
        assert!(matches!(after, FileState::Unsaved { .. }), "{name}: {after:?}");
        assert!(matches!(tracker.readiness(), Readiness::Not(_)));
        assert!(tracker.not_restorable().contains(&path("b")), "{name}");
        let begun = tracker.begin(key(2));
        assert!(begun.untracked.is_some(), "{name}: it still fails");
        tracker.end(key(2));

        std::fs::remove_file(&part).unwrap();
        std::fs::rename(&away, &part).unwrap();
        let begun = tracker.begin(key(3));
        assert_eq!((begun.untracked, begun.outside.0.len()), (None, 0), "{name}");
        assert_eq!(tracker.readiness(), Readiness::Ready);
        assert_eq!(*tracker.not_restorable(), []);
        assert_eq!(
            tracker.content(&hash(b"not saved yet")).unwrap(),
            b"not saved yet"
        );
        assert_eq!(tracker.end(key(3)), ChangeSet::default());
        let set = call(&tracker, 4, || fixture.write("b", "other"));
        assert_eq!(
            set.changes.0[0].before.hash(),
            Some(hash(b"not saved yet").as_str())
        );
    }
}

#[test]
fn what_is_saved_is_restored_while_the_disk_is_nearly_full() {
    let fixture = Fixture::new();
    fixture.write("a", "before");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || fixture.write("a", "after"));
    drop(tracker);
    let full = fixture.at("../full");
    std::fs::create_dir(&full).unwrap();
    let Some(_small) = Small::mount(&full, "size=1m") else {
        return;
    };
    let copied = Command::new("cp")
        .arg("-a")
        .arg(fixture.data.join("files"))
        .arg(&full)
        .status();
    assert!(copied.unwrap().success());
    let before = objects(&full).len();
    let tracker = Tracker::open(&fixture.workspace, &full, settings()).unwrap();
    assert_eq!(tracker.content(&hash(b"before")).unwrap(), b"before");
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(fixture.read("a"), b"before");
    // Nothing more is saved.
    let begun = tracker.begin(key(1));
    let why = "less than 1 GiB or 5 % of the disk is free";
    assert_eq!(begun.untracked.as_deref(), Some(why));
    fixture.write("b", "new");
    assert_eq!(tracker.end(key(1)).untracked.as_deref(), Some(why));
    assert_eq!(tracker.readiness(), Readiness::Not(why.to_owned()));
    let begun = tracker.begin_exact(key(2), &[path("b")]);
    assert_eq!(begun.untracked.as_deref(), Some("store full"));
    assert_eq!(objects(&full).len(), before);
}

#[test]
fn a_damaged_content_is_reported_and_not_used() {
    let fixture = Fixture::new();
    fixture.write("a", "good");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || fixture.write("a", "bad!"));
    let before = hash(b"good");
    let (head, rest) = before.split_at(2);
    let object = objects(&fixture.data)
        .into_iter()
        .find(|one| one.ends_with(Path::new(head).join(rest)));
    std::fs::write(object.unwrap(), "pevil").unwrap();
    assert!(matches!(tracker.content(&before), Err(Error::Damaged { .. })));
    let restored = tracker.restore(&undo(&set.changes)).unwrap();
    assert!(restored.skipped[0].1.contains("is damaged"), "{restored:?}");
    assert_eq!(fixture.read("a"), b"bad!");
    assert_eq!(fixture.snapshot().len(), 1, "nothing is left next to it");
    for wrong in ["", "..", "../../lock", &hash(b"unknown")] {
        assert!(
            matches!(
                tracker.content(wrong),
                Err(Error::NotSaved { .. } | Error::Io { .. })
            ),
            "{wrong}"
        );
    }
}

/// Collects as soon as the thread of a first scan has ended.
fn collect_when_free(fixture: &Fixture, sessions: &[Session], settings: &Settings) -> Collected {
    loop {
        let collected = collect(&fixture.data, || Ok(sessions.to_vec()), settings, now()).unwrap();
        if collected.in_use == 0 {
            return collected;
        }
    }
}

/// Makes contents old enough for a collection.
fn age_objects(fixture: &Fixture) {
    for object in objects(&fixture.data) {
        let file = std::fs::File::options().append(true).open(object).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000))
            .unwrap();
    }
}

fn session(fixture: &Fixture, days: u32, contents: &[&[u8]]) -> Session {
    Session {
        workspace: fixture.workspace.clone(),
        last_event: now() - Duration::from_secs(24 * 3600) * days,
        hashes: contents
            .iter()
            .map(|content| hash(content))
            .collect::<HashSet<String>>(),
    }
}

#[test]
fn what_no_session_names_is_deleted_unless_a_run_uses_it() {
    let fixture = Fixture::new();
    for (name, content) in [("a", "named"), ("b", "unnamed"), ("c", "old")] {
        fixture.write(name, content);
    }
    let tracker = fixture.tracker();
    age_objects(&fixture);
    let sessions = vec![
        session(&fixture, 1, &[b"named"]),
        session(&fixture, 31, &[b"old"]),
    ];
    let run = || collect_when_free(&fixture, &sessions, &settings());
    let nothing = Collected {
        in_use: 1,
        ..Collected::default()
    };
    let collected = collect(&fixture.data, || Ok(sessions.clone()), &settings(), now()).unwrap();
    assert_eq!(collected, nothing);
    assert_eq!(objects(&fixture.data).len(), 3);
    drop(tracker);
    // A draft that a crash left.
    let drafts = objects(&fixture.data)[0]
        .ancestors()
        .nth(3)
        .unwrap()
        .join("temporary");
    std::fs::write(drafts.join("1-1"), "x").unwrap();
    let collected = run();
    assert_eq!((collected.deleted, collected.in_use), (2, 0));
    let left = objects(&fixture.data);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(run().deleted, 0);
    assert_eq!(
        fixture.open(settings()).content(&hash(b"named")).unwrap(),
        b"named"
    );
}

#[test]
fn sessions_are_read_when_no_run_can_use_the_contents_any_longer() {
    let fixture = Fixture::new();
    fixture.write("a", "named late");
    let tracker = fixture.open(settings());
    tracker.begin_exact(key(1), &[path("a")]);
    drop(tracker);
    age_objects(&fixture);
    let lock = objects(&fixture.data)[0].ancestors().nth(3).unwrap().join("lock");
    // The tracker may end a little later on another thread.
    let is_free = || {
        let lock = std::fs::File::open(&lock).unwrap();
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok()
    };
    while !is_free() {
        std::thread::yield_now();
    }
    let sessions = || {
        let lock = std::fs::File::open(&lock).unwrap();
        let taken = rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockShared);
        assert!(taken.is_err(), "a run could use the contents");
        Ok(vec![session(&fixture, 0, &[b"named late"])])
    };
    let collected = collect(&fixture.data, sessions, &settings(), now()).unwrap();
    assert_eq!((collected.deleted, collected.in_use), (0, 0));
    assert_eq!(objects(&fixture.data).len(), 1);
    // What cannot be read may name anything.
    let unread = || Err("cannot read the sessions".to_owned());
    let error = collect(&fixture.data, unread, &settings(), now()).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the sessions");
    assert_eq!(objects(&fixture.data).len(), 1);
}

#[test]
fn young_contents_stay_and_the_oldest_sessions_lose_theirs_over_the_limit() {
    let fixture = Fixture::new();
    let contents: Vec<Vec<u8>> = (1..=3_u8).map(|byte| vec![byte; 100]).collect();
    for (number, content) in contents.iter().enumerate() {
        fixture.write(&number.to_string(), content);
    }
    let tracker = fixture.tracker();
    let each = tracker.saved() / 3;
    drop(tracker);
    let none = collect_when_free(&fixture, &[], &settings());
    assert_eq!(none.deleted, 0, "they are young");
    age_objects(&fixture);
    let sessions = [3, 2, 1].map(|days| session(&fixture, days, &[&contents[days as usize - 1]]));
    let limit = Settings {
        max_store: 2 * each,
        ..settings()
    };
    let collected = collect_when_free(&fixture, &sessions, &limit);
    assert_eq!(collected.deleted, 1);
    let tracker = fixture.open(settings());
    assert!(tracker.content(&hash(&contents[0])).is_ok() && tracker.content(&hash(&contents[1])).is_ok());
    assert!(matches!(
        tracker.content(&hash(&contents[2])),
        Err(Error::NotSaved { .. })
    ));
}

#[test]
fn two_that_collect_and_one_that_saves_lose_nothing() {
    let fixture = Fixture::new();
    fixture.write("a", "named");
    drop(fixture.tracker());
    age_objects(&fixture);
    let sessions = || vec![session(&fixture, 1, &[b"named"])];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..overrule_testing::times(20) {
                    collect(&fixture.data, || Ok(sessions()), &settings(), now()).unwrap();
                }
            });
        }
        scope.spawn(|| {
            for number in 0..overrule_testing::times(10) {
                let tracker = fixture.open(settings());
                tracker.begin_exact(key(1), &[path("b")]);
                fixture.write("b", number.to_string());
                let set = tracker.end(key(1));
                assert_eq!(set.untracked, None);
                assert!(tracker.content(set.changes.0[0].after.hash().unwrap()).is_ok());
            }
        });
    });
    assert_eq!(
        fixture.open(settings()).content(&hash(b"named")).unwrap(),
        b"named"
    );
}
