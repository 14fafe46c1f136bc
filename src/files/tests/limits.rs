//! What is not tracked or saved, and how that is reported.

use super::*;

#[test]
fn homes_and_their_parents_are_refused() {
    let fixture = Fixture::new();
    for refused in ["/", "/root", "/home"] {
        if Path::new(refused).is_dir() {
            let error = Tracker::open(Path::new(refused), &fixture.data, settings()).unwrap_err();
            assert!(
                error.to_string().starts_with("cannot track the files of"),
                "{error}"
            );
        }
    }
    let home = |home: PathBuf| Settings {
        home: Some(home),
        ..settings()
    };
    fixture.write("inner/a", "1");
    for own in [fixture.workspace.clone(), fixture.at("inner")] {
        let error = Tracker::open(&fixture.workspace, &fixture.data, home(own)).unwrap_err();
        assert!(error.to_string().contains("home director"), "{error}");
    }
    assert!(!fixture.data.exists());
    Tracker::open(
        &fixture.at("inner"),
        &fixture.data,
        home(fixture.workspace.clone()),
    )
    .unwrap();
}

#[test]
fn ignored_directories_are_tracked_named_or_passed_over() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "target/\nsmall/\nlarge/\n*.db\n");
    fixture.write("target/debug/out", "1");
    fixture.write("small/a", "1");
    for number in 0..2_001 {
        fixture.write(&format!("large/{number}"), "");
    }
    fixture.write("local.db", "1");
    let tracker = fixture.tracker();
    assert_eq!(*tracker.not_restorable(), [path("large")]);
    let set = call(&tracker, 1, || {
        for name in [
            "target/debug/out",
            "target/debug/more",
            "small/a",
            "large/new",
            "local.db",
        ] {
            fixture.write(name, "2");
        }
    });
    assert_eq!(names(&set.changes), ["local.db", "small/a"]);
    assert_eq!(set.ignored, [path("large"), path("target")]);
    let set = call(&tracker, 2, || {
        std::fs::remove_dir_all(fixture.at("target")).unwrap();
    });
    assert_eq!(set.changes, ChangeList::default());
    assert_eq!(set.ignored, [path("target")]);
}

#[test]
fn what_becomes_tracked_later_is_not_new() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "dist/\n");
    fixture.write("dist/a", "1");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || fixture.write(".gitignore", "other/\n"));
    assert_eq!(names(&set.changes), [".gitignore"]);
    let set = call(&tracker, 2, || fixture.write("dist/a", "22"));
    assert_eq!(names(&set.changes), ["dist/a"]);
}

#[test]
fn patterns_of_the_settings_decide() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "dist/\n");
    fixture.write("dist/a", "1");
    fixture.write("data/a", "1");
    fixture.write("a.log", "1");
    let tracker = fixture.tracker_with(Settings {
        include: vec!["dist/".to_owned()],
        exclude: vec!["data/".to_owned(), "*.log".to_owned()],
        ..settings()
    });
    let set = call(&tracker, 1, || {
        for name in ["dist/a", "data/a", "a.log"] {
            fixture.write(name, "2");
        }
    });
    assert_eq!(names(&set.changes), ["dist/a"]);
    assert_eq!(set.ignored, [path("a.log"), path("data")]);
    assert_eq!(*tracker.not_restorable(), [path("a.log"), path("data")]);
    // A file tool may name it. For a scan it stays excluded.
    tracker.begin_exact(key(2), &[path("a.log")]);
    fixture.write("a.log", "33");
    assert_eq!(names(&tracker.end(key(2)).changes), ["a.log"]);
    let set = call(&tracker, 3, || std::fs::remove_file(fixture.at("a.log")).unwrap());
    assert_eq!((set.changes.0.len(), set.ignored), (0, vec![path("a.log")]));
    assert_eq!(*tracker.not_restorable(), [path("data")]);
    // `dist` and `dist/a`, `data` and `.gitignore`.
    assert_eq!(tracker.size().0, 3);
}

#[test]
fn a_tracked_directory_stays_tracked() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "data/\n");
    fixture.write("data/a", "kept");
    fixture.write("build/release.sh", "script");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || {
        for number in 0..2_001 {
            fixture.write(&format!("data/new/{number}"), "");
        }
        fixture.write("data/a", "changed");
    });
    assert_eq!(set.changes.0.len(), 2_003);
    assert_eq!(
        (set.ignored.as_slice(), tracker.not_restorable().len()),
        (&[][..], 0)
    );
    let set = call(&tracker, 2, || {
        fixture.write(".gitignore", "data/\nbuild/\n");
        std::fs::remove_file(fixture.at("build/release.sh")).unwrap();
        fixture.write("build/other.sh", "new");
    });
    assert_eq!(
        names(&set.changes),
        [".gitignore", "build/other.sh", "build/release.sh"]
    );
    assert_eq!(set.ignored, []);
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(fixture.read("build/release.sh"), b"script");
    // One that a file tool makes is like any other.
    fixture.write(".gitignore", "target/\n");
    tracker.begin_exact(key(3), &[path("target/a")]);
    fixture.write("target/a", "");
    assert_eq!(names(&tracker.end(key(3)).changes), ["target", "target/a"]);
    tracker.begin(key(4));
    fixture.write("target/b", "");
    let set = tracker.end(key(4));
    assert_eq!((set.changes.0.len(), set.ignored), (0, vec![path("target")]));
}

#[test]
fn a_file_that_an_untracked_directory_replaces_is_recorded() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "target/\n");
    fixture.write("target", "a file");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || {
        std::fs::remove_file(fixture.at("target")).unwrap();
        fixture.write("target/a", "");
    });
    assert_eq!(names(&set.changes), ["target"]);
    assert_eq!(set.changes.0[0].before.hash(), file("a file", 0).hash());
    assert_eq!(set.ignored, [path("target")]);
    let set = call(&tracker, 2, || {
        std::fs::remove_dir_all(fixture.at("target")).unwrap();
        fixture.write("target", "");
    });
    assert_eq!(set.changes, ChangeList::default(), "what was there is not known");
    assert_eq!(set.ignored, [path("target")]);
}

#[test]
fn a_directory_that_became_unreadable_is_not_forgotten() {
    as_user(|| {
        let fixture = Fixture::new();
        for name in ["src/a", "src/b/c", "closed/a"] {
            fixture.write(name, "1");
        }
        set_mode(&fixture.at("closed"), 0);
        let tracker = fixture.tracker();
        assert_eq!(tracker.readiness(), Readiness::Ready);
        assert_eq!(*tracker.not_restorable(), [path("closed")]);
        tracker.begin(key(1));
        std::fs::remove_file(fixture.at("src/a")).unwrap();
        set_mode(&fixture.at("src"), 0);
        let set = tracker.end(key(1));
        assert_eq!(set.untracked.as_deref(), Some("cannot read src"));
        assert_eq!(names(&set.changes), ["src"]);
        assert!(matches!(tracker.readiness(), Readiness::Not(_)));
        set_mode(&fixture.at("src"), 0o755);
        let begun = tracker.begin(key(2));
        assert_eq!(begun.untracked, None);
        assert_eq!(names(&begun.outside), ["src", "src/a"], "of unknown age");
        assert_eq!(begun.outside.0[1].before.hash(), file("1", 0).hash());
        assert_eq!(tracker.end(key(2)), ChangeSet::default());
        assert_eq!(tracker.readiness(), Readiness::Ready);
        let set = call(&tracker, 3, || fixture.write("src/b/c", "2"));
        assert_eq!(names(&set.changes), ["src/b/c"]);
        set_mode(&fixture.at("closed"), 0o755);
    });
}

#[test]
fn large_special_and_linked_files_are_named() {
    let fixture = Fixture::new();
    fixture.write("large", [7; 2048]);
    fixture.write("linked", "1");
    std::fs::hard_link(fixture.at("linked"), fixture.at("other")).unwrap();
    let made = Command::new("mkfifo").arg(fixture.at("pipe")).status().unwrap();
    assert!(made.success());
    let tracker = fixture.tracker_with(Settings {
        max_file: 1024,
        ..settings()
    });
    let named = ["large", "linked", "other", "pipe"].map(path);
    assert_eq!(*tracker.not_restorable(), named);
    let set = call(&tracker, 1, || {
        fixture.write("large", [8; 4096]);
        fixture.write("linked", "2");
    });
    assert_eq!(names(&set.changes), ["large", "linked", "other"]);
    let FileState::Unsaved { why, size, .. } = &set.changes.0[0].after else {
        panic!("{:?}", set.changes.0[0]);
    };
    assert_eq!((why.as_str(), *size), ("0.0 MiB, limit 0.0 MiB", 4096));
    let restored = tracker.restore(&undo(&set.changes)).unwrap();
    assert_eq!(restored.done, []);
    let why: Vec<&str> = restored.skipped.iter().map(|(_, why)| why.as_str()).collect();
    assert!(why[0].starts_with("not saved"), "{why:?}");
    assert_eq!(why[1..], ["it has several names (hard links)"; 2]);
    assert_eq!(fixture.read("linked"), b"2");
}

#[test]
fn too_many_files_are_not_tracked() {
    let fixture = Fixture::new();
    for number in 0..20 {
        fixture.write(&number.to_string(), "1");
    }
    let tracker = fixture.tracker_with(Settings {
        max_files: 10,
        ..settings()
    });
    let why = "too many files, limit 10";
    assert_eq!(tracker.readiness(), Readiness::Not(why.to_owned()));
    assert_eq!(tracker.begin(key(1)).untracked.unwrap(), why);
    fixture.write("1", "2");
    let set = tracker.end(key(1));
    assert_eq!((set.changes.0.len(), set.untracked.as_deref()), (0, Some(why)));
    tracker.begin_exact(key(2), &[path("1")]);
    fixture.write("1", "3");
    assert_eq!(names(&tracker.end(key(2)).changes), ["1"]);
}

#[test]
fn a_late_scan_ends_and_blames_nobody() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    let tracker = fixture.tracker_with(Settings {
        scan: Duration::ZERO,
        ..settings()
    });
    let begun = tracker.begin(key(1));
    assert_eq!(begun.untracked.unwrap(), "scanning took longer than 0 s");
    fixture.write("a", "2");
    let set = tracker.end(key(1));
    assert_eq!(set.changes, ChangeList::default());
    assert!(set.untracked.is_some());
}

#[test]
fn names_that_no_directory_can_hold_do_not_escape() {
    let fixture = Fixture::new();
    let outside = fixture.data.join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("a"), "outside").unwrap();
    std::os::unix::fs::symlink(&outside, fixture.at("link")).unwrap();
    let tracker = fixture.tracker();
    assert_eq!(tracker.states(&[path("link/a")]), [missing()]);
    let step = Step {
        path: path("link/b"),
        from: missing(),
        to: FileState::Dir { mode: 0o755 },
    };
    let restored = tracker.restore(&[step]).unwrap();
    assert_eq!(restored.done, []);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    let set = call(&tracker, 1, || {
        std::fs::write(outside.join("a"), "changed").unwrap();
        std::fs::remove_file(fixture.at("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", fixture.at("link")).unwrap();
    });
    assert_eq!(names(&set.changes), ["link"]);
    tracker.restore(&undo(&set.changes)).unwrap();
    assert_eq!(std::fs::read_link(fixture.at("link")).unwrap(), outside);
    assert_eq!(std::fs::read(outside.join("a")).unwrap(), b"changed");
}
