//! Which execution a change belongs to.

use super::*;

#[test]
fn a_call_has_its_changes_with_contents_before_and_after() {
    let fixture = Fixture::new();
    fixture.write("src/a", "one");
    fixture.write("b", "stays");
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || {
        fixture.write("src/a", "two");
        fixture.write("new/deep", "three");
    });
    let mode = fixture.at("b").metadata().unwrap().permissions().mode() & 0o7777;
    let directory = fixture.at("new").metadata().unwrap().permissions().mode() & 0o7777;
    let expected = [
        ("new", missing(), FileState::Dir { mode: directory }),
        ("new/deep", missing(), file("three", mode)),
        ("src/a", file("one", mode), file("two", mode)),
    ];
    let expected = expected.map(|(name, before, after)| Change {
        path: path(name),
        before,
        after,
    });
    assert_eq!(set.changes.0, expected);
    for content in ["one", "two", "three"] {
        let hash = hex(blake3::hash(content.as_bytes()).as_bytes());
        assert_eq!(tracker.content(&hash).unwrap(), content.as_bytes());
    }
    assert!(tracker.end(key(1)).untracked.is_some(), "a window closes once");
}

#[test]
fn the_first_that_ends_reports_a_change_and_names_the_others() {
    let fixture = Fixture::new();
    let tracker = fixture.tracker();
    tracker.begin(key(1));
    fixture.write("only-first", "1");
    assert_eq!(tracker.begin(key(2)).outside, ChangeList::default());
    fixture.write("either", "2");
    let second = tracker.end(key(2));
    assert_eq!(names(&second.changes), ["either"]);
    assert_eq!(second.shared, [key(1).call]);
    fixture.write("late", "3");
    let first = tracker.end(key(1));
    assert_eq!(names(&first.changes), ["late", "only-first"]);
    assert_eq!(first.shared, []);
}

#[test]
fn changes_of_one_path_form_one_chain() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    let tracker = fixture.tracker();
    tracker.begin(key(1));
    fixture.write("a", "22");
    tracker.begin(key(2));
    fixture.write("a", "333");
    let second = tracker.end(key(2));
    assert_eq!(second.shared, [key(1).call]);
    let change = &second.changes.0[0];
    let sizes = [&change.before, &change.after].map(|state| match state {
        FileState::File { size, .. } => *size,
        _ => 0,
    });
    assert_eq!(sizes, [1, 3]);
    assert_eq!(tracker.end(key(1)).changes, ChangeList::default());
}

#[test]
fn a_file_tool_continues_the_chain_of_a_command_that_still_runs() {
    let fixture = Fixture::new();
    fixture.write("p", "1");
    fixture.write("q", "1");
    fixture.write("back", "1");
    let states = |change: &Change| [change.before.clone(), change.after.clone()];
    let mode = fixture.at("p").metadata().unwrap().permissions().mode() & 0o7777;
    let tracker = fixture.tracker();
    tracker.begin(key(3));
    for name in ["p", "q", "back"] {
        fixture.write(name, "22");
    }
    tracker.begin_exact(key(4), &["p", "q", "back"].map(path));
    fixture.write("p", "333");
    fixture.write("back", "1");
    let exact = tracker.end(key(4));
    assert_eq!(names(&exact.changes), ["p"]);
    assert_eq!(exact.shared, [key(3).call]);
    assert_eq!(states(&exact.changes.0[0]), [file("1", mode), file("333", mode)]);
    fixture.write("p", "4444");
    let shell = tracker.end(key(3));
    assert_eq!(names(&shell.changes), ["p", "q"]);
    assert_eq!(shell.shared, []);
    assert_eq!(
        states(&shell.changes.0[0]),
        [file("333", mode), file("4444", mode)]
    );
    assert_eq!(states(&shell.changes.0[1]), [file("1", mode), file("22", mode)]);
    assert_eq!(tracker.begin(key(5)).outside, ChangeList::default());
}

#[test]
fn two_file_tools_on_one_path_form_one_chain() {
    let fixture = Fixture::new();
    fixture.write("p", "1");
    let mode = fixture.at("p").metadata().unwrap().permissions().mode() & 0o7777;
    let tracker = fixture.open(settings());
    tracker.begin_exact(key(1), &[path("p")]);
    tracker.begin_exact(key(2), &[path("p")]);
    fixture.write("p", "22");
    let first = tracker.end(key(1));
    assert_eq!(first.changes.0[0].before, file("1", mode));
    assert_eq!(first.shared, [key(2).call]);
    fixture.write("p", "333");
    let second = tracker.end(key(2));
    assert_eq!(second.changes.0[0].before, file("22", mode));
    assert_eq!(second.shared, []);
}

#[test]
fn a_path_that_a_file_tool_named_is_that_tools() {
    let fixture = Fixture::new();
    fixture.write("tool", "1");
    let tracker = fixture.tracker();
    tracker.begin(key(1));
    tracker.begin_exact(key(2), &[path("tool"), path("made/by/tool")]);
    fixture.write("tool", "2");
    fixture.write("made/by/tool", "2");
    fixture.write("shell", "1");
    // A look while both run.
    tracker.begin(key(3));
    tracker.end(key(3));
    let exact = tracker.end(key(2));
    assert_eq!(names(&exact.changes), ["made", "made/by", "made/by/tool", "tool"]);
    assert_eq!(exact.shared, []);
    assert_eq!(names(&tracker.end(key(1)).changes), ["shell"]);
    assert_eq!(tracker.begin(key(4)).outside, ChangeList::default());
}

#[test]
fn a_file_tool_needs_no_scan() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    let tracker = fixture.open(settings());
    let begun = tracker.begin_exact(key(1), &[path("a")]);
    assert_eq!(begun.untracked, None);
    fixture.write("a", "2");
    fixture.write("b", "2");
    assert_eq!(names(&tracker.end(key(1)).changes), ["a"]);
    assert_eq!(tracker.readiness(), Readiness::NotYet);
    assert_eq!(tracker.size(), (0, 0));
}

#[test]
fn what_others_changed_is_reported_before_a_call() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    let tracker = fixture.tracker();
    fixture.write("a", "2");
    let begun = tracker.begin_exact(key(1), &[path("a")]);
    assert_eq!(names(&begun.outside), ["a"]);
    tracker.end(key(1));
    fixture.write("b", "1");
    assert_eq!(names(&tracker.begin(key(2)).outside), ["b"]);
    assert_eq!(tracker.end(key(2)), ChangeSet::default());
}

#[test]
fn two_runs_in_one_workspace_see_each_other_as_others() {
    let fixture = Fixture::new();
    let (one, other) = (fixture.tracker(), fixture.tracker());
    let set = call(&one, 1, || fixture.write("a", "1"));
    assert_eq!(names(&set.changes), ["a"]);
    assert_eq!(names(&other.begin(key(1)).outside), ["a"]);
    other.end(key(1));
    assert_eq!(one.begin(key(2)).outside, ChangeList::default());
}

#[test]
fn nothing_is_known_of_a_call_whose_window_never_opened() {
    let fixture = Fixture::new();
    let tracker = fixture.tracker();
    fixture.write("a", "1");
    let set = tracker.end(key(1));
    assert_eq!(set.changes, ChangeList::default());
    assert_eq!(
        set.untracked.as_deref(),
        Some("the files were not looked at before it")
    );
}

#[test]
fn a_change_that_leaves_size_and_time_is_found() {
    let fixture = Fixture::new();
    let tracker = fixture.tracker();
    for round in 0..overrule_testing::times(40) {
        call(&tracker, 1, || fixture.write("a", format!("{:08}", 2 * round)));
        let set = call(&tracker, 2, || {
            let time = fixture.at("a").metadata().unwrap().modified().unwrap();
            fixture.write("a", format!("{:08}", 2 * round + 1));
            let file = std::fs::File::options()
                .append(true)
                .open(fixture.at("a"))
                .unwrap();
            file.set_modified(time).unwrap();
        });
        assert_eq!(names(&set.changes), ["a"], "round {round}");
    }
}

#[test]
fn changes_in_a_directory_that_was_made_again_are_found() {
    let fixture = Fixture::new();
    fixture.write("d/e/f", "old");
    let tracker = fixture.tracker();
    // The file system may give the new directories the inode numbers of the old ones.
    for round in 0..4 {
        call(&tracker, 1, || {
            std::fs::remove_dir_all(fixture.at("d")).unwrap();
            fixture.write("d/e/f", "x");
        });
        let set = call(&tracker, 2, || {
            fixture.write("d/e/f", "changed");
            fixture.write("d/e/g", "x");
        });
        assert_eq!(names(&set.changes), ["d/e/f", "d/e/g"], "round {round}");
        assert_eq!(set.untracked, None);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_watch_is_quiet_until_something_changes() {
    use std::os::fd::AsFd as _;

    let fixture = Fixture::new();
    fixture.write("a/b", "1");
    let root = crate::root::Root::open(&fixture.workspace).unwrap();
    let mut watch = crate::watch::Watch::new(root.fd());
    watch.add(root.fd());
    watch.add(root.directory(b"a").unwrap().as_fd());
    if !watch.is_quiet() {
        println!("skipped: this file system is not watched");
        return;
    }
    fixture.read("a/b");
    assert!(watch.is_quiet());
    let acts: [&dyn Fn(); 4] = [
        &|| fixture.write("a/b", "2"),
        &|| std::fs::set_permissions(fixture.at("a/b"), std::fs::Permissions::from_mode(0o600)).unwrap(),
        &|| std::fs::rename(fixture.at("a/b"), fixture.at("c")).unwrap(),
        &|| std::fs::remove_file(fixture.at("c")).unwrap(),
    ];
    for act in acts {
        act();
        assert!(!watch.is_quiet());
        assert!(watch.is_quiet());
    }
}
