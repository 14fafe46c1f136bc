//! Repositories: clean files cost nothing, what filters change is saved, nothing of the repository runs or is written.

use overrule_domain::files::Head;

use super::*;

/// What `.git` holds, with times.
fn repository(fixture: &Fixture) -> Snapshot {
    let mut all = snapshot(&fixture.at(".git"));
    all.retain(|_, (state, _)| !matches!(state, FileState::Dir { .. }));
    all
}

#[test]
fn a_clean_checkout_is_not_copied_and_its_contents_are_there_when_needed() {
    let fixture = Fixture::new();
    for number in 0..30 {
        fixture.write(
            &format!("src/{}/{number}.txt", number % 4),
            format!("content {number}\n"),
        );
    }
    fixture.write("empty", "");
    if !commit_all(&fixture.workspace) {
        return;
    }
    for version in ["2", "3", "4"] {
        git(&fixture.workspace, &["update-index", "--index-version", version]);
        let before = repository(&fixture);
        let tracker = fixture.tracker();
        let set = call(&tracker, 1, || {});
        assert_eq!(
            (set, tracker.saved()),
            (ChangeSet::default(), 0),
            "version {version}"
        );
        let set = call(&tracker, 2, || {
            fixture.write("src/1/1.txt", "changed\n");
            std::fs::remove_file(fixture.at("src/2/2.txt")).unwrap();
            std::fs::set_permissions(fixture.at("src/3/3.txt"), std::fs::Permissions::from_mode(0o755))
                .unwrap();
        });
        assert_eq!(names(&set.changes), ["src/1/1.txt", "src/2/2.txt", "src/3/3.txt"]);
        assert!(tracker.saved() < 200, "{}", tracker.saved());
        assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
        assert_eq!(fixture.read("src/1/1.txt"), b"content 1\n");
        assert_eq!(fixture.read("src/2/2.txt"), b"content 2\n");
        assert_eq!(repository(&fixture), before, "the repository is only read");
        // Proven clean again for the next version.
        age(&fixture.workspace);
        std::fs::remove_file(fixture.at(".git/index")).unwrap();
        git(&fixture.workspace, &["add", "-A"]);
    }
}

#[test]
fn files_that_were_only_touched_did_not_change() {
    let fixture = Fixture::new();
    for number in 0..10 {
        fixture.write(&number.to_string(), "same\n");
    }
    if !commit_all(&fixture.workspace) {
        return;
    }
    let tracker = fixture.tracker();
    let touch = || {
        for number in 0..10 {
            fixture.write(&number.to_string(), "same\n");
        }
    };
    assert_eq!(call(&tracker, 1, touch), ChangeSet::default());
    assert_eq!(call(&tracker, 2, touch), ChangeSet::default());
    let refresh = || _ = git(&fixture.workspace, &["status"]);
    assert_eq!(call(&tracker, 3, refresh), ChangeSet::default());
}

#[test]
fn what_git_converts_is_saved_as_it_is_in_the_workspace() {
    type Prepare = fn(&Path);
    let line_ends: Prepare = |at| _ = git(at, &["config", "core.autocrlf", "true"]);
    // A filter that leaves the size as it is.
    let filter: Prepare = |at| {
        std::fs::write(at.join(".gitattributes"), "*.txt filter=turn\n").unwrap();
        git(at, &["config", "filter.turn.smudge", "tr a-y b-z"]);
        git(at, &["config", "filter.turn.clean", "tr b-z a-y"]);
    };
    for (prepare, content) in [(line_ends, &b"bcd\r\nbcd\r\n"[..]), (filter, b"bcd\nbcd\n")] {
        let fixture = Fixture::new();
        if !git(&fixture.workspace, &["init", "-q"]) {
            return;
        }
        prepare(&fixture.workspace);
        fixture.write("a.txt", content);
        age(&fixture.workspace);
        git(&fixture.workspace, &["add", "-A"]);
        git(&fixture.workspace, &["commit", "-qm", "a"]);
        let tracker = fixture.tracker();
        assert!(tracker.saved() > 0);
        let set = call(&tracker, 1, || fixture.write("a.txt", "changed"));
        assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
        assert_eq!(fixture.read("a.txt"), content);
    }
}

#[test]
fn a_blob_that_the_repository_lacks_is_saved() {
    let fixture = Fixture::new();
    fixture.write("a", "here\n");
    fixture.write("b", "gone\n");
    if !commit_all(&fixture.workspace) {
        return;
    }
    // The identity of the blob of `gone`.
    let output = Command::new("git")
        .args(["rev-parse", "HEAD:b"])
        .current_dir(&fixture.workspace)
        .output()
        .unwrap();
    let oid = String::from_utf8(output.stdout).unwrap();
    let (head, rest) = oid.trim().split_at(2);
    std::fs::remove_file(fixture.at(".git/objects").join(head).join(rest)).unwrap();
    let tracker = fixture.tracker();
    assert!(tracker.saved() > 0);
    let set = call(&tracker, 1, || {
        fixture.write("a", "1");
        fixture.write("b", "1");
    });
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(
        (fixture.read("a"), fixture.read("b")),
        (b"here\n".to_vec(), b"gone\n".to_vec())
    );
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    if !commit_all(&fixture.workspace) {
        return;
    }
    let mark = fixture.data.join("mark");
    std::fs::create_dir_all(&fixture.data).unwrap();
    let program = format!("touch {}", mark.display());
    for name in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "remote.origin.uploadpack",
    ] {
        git(&fixture.workspace, &["config", name, &program]);
    }
    for (name, value) in [
        ("remote.origin.url", "ssh://nowhere/x"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
    ] {
        git(&fixture.workspace, &["config", name, value]);
    }
    let objects = fixture.at(".git/objects");
    for entry in std::fs::read_dir(&objects).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().len() == 2 {
            std::fs::remove_dir_all(path).unwrap();
        }
    }
    let _ = std::fs::remove_file(&mark);
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || fixture.write("a", "22\n"));
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(fixture.read("a"), b"1\n");
    assert!(!mark.exists());
}

#[test]
fn a_checkout_is_a_change_set_and_a_move() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    fixture.write("b", "1\n");
    if !commit_all(&fixture.workspace) {
        return;
    }
    let at = &fixture.workspace;
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || {
        git(at, &["checkout", "-q", "-b", "other/branch"]);
        fixture.write("a", "22\n");
        git(at, &["commit", "-qam", "b"]);
    });
    assert_eq!(names(&set.changes), ["a"]);
    let other = set.head.unwrap();
    let branch = |head: &Head| head.branch.clone();
    assert_eq!(branch(&other.before).unwrap(), "main");
    assert_eq!(branch(&other.after).unwrap(), "other/branch");
    assert_ne!(other.before.commit, other.after.commit);
    git(at, &["pack-refs", "--all"]);
    let set = call(&tracker, 2, || _ = git(at, &["checkout", "-q", "main"]));
    assert_eq!(names(&set.changes), ["a"]);
    let back = set.head.unwrap();
    assert_eq!((&back.before, &back.after), (&other.after, &other.before));
    let set = call(&tracker, 3, || {
        _ = git(at, &["checkout", "-q", "--detach", "other/branch"]);
    });
    let detached = set.head.unwrap().after;
    assert_eq!((detached.branch, detached.commit), (None, other.after.commit));
}

#[test]
fn work_trees_submodules_and_nested_repositories_are_tracked() {
    let fixture = Fixture::new();
    fixture.write("origin/a", "1\n");
    if !commit_all(&fixture.at("origin")) {
        return;
    }
    let origin = fixture.at("origin");
    git(
        &origin,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "linked",
            fixture.at("linked").to_str().unwrap(),
        ],
    );
    age(&fixture.at("linked"));
    git(&fixture.at("linked"), &["update-index", "-q", "--refresh"]);

    // A linked work tree as the workspace.
    let linked = Tracker::open(&fixture.at("linked"), &fixture.data, settings()).unwrap();
    linked.start();
    let set = call(&linked, 1, || fixture.write("linked/a", "22\n"));
    assert_eq!(names(&set.changes), ["a"]);
    assert!(linked.saved() < 10, "only what changed: {}", linked.saved());
    let set = call(&linked, 2, || {
        _ = git(&fixture.at("linked"), &["commit", "-qam", "b"]);
    });
    assert_eq!(set.head.unwrap().after.branch.unwrap(), "linked");

    // All of them below the workspace.
    fixture.write("outer/b", "1\n");
    git(&fixture.at("outer"), &["init", "-q"]);
    git(
        &fixture.at("outer"),
        &["submodule", "--quiet", "add", origin.to_str().unwrap(), "sub"],
    );
    age(&fixture.at("outer"));
    git(&fixture.at("outer/sub"), &["update-index", "-q", "--refresh"]);
    let tracker = fixture.tracker();
    let set = call(&tracker, 3, || {
        for name in ["origin/a", "linked/a", "outer/b", "outer/sub/a"] {
            fixture.write(name, "333\n");
        }
        git(&fixture.at("outer/sub"), &["add", "-A"]);
    });
    assert_eq!(
        names(&set.changes),
        ["linked/a", "origin/a", "outer/b", "outer/sub/a"]
    );
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(
        (fixture.read("outer/sub/a"), fixture.read("linked/a")),
        (b"1\n".to_vec(), b"22\n".to_vec())
    );
}

#[test]
fn a_workspace_inside_of_a_work_tree_uses_its_index_and_rules() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "build/\n");
    fixture.write("inner/a", "1\n");
    fixture.write("inner/dist/tracked", "1\n");
    if !commit_all(&fixture.workspace) {
        return;
    }
    fixture.write("inner/build/out", "1\n");
    // Ignored now, but git tracks a file in it.
    fixture.write(".git/info/exclude", "dist/\n");
    let tracker = Tracker::open(&fixture.at("inner"), &fixture.data, settings()).unwrap();
    tracker.start();
    let set = call(&tracker, 1, || {
        for name in ["inner/a", "inner/build/out", "inner/dist/tracked", "outside"] {
            fixture.write(name, "22\n");
        }
    });
    assert_eq!(names(&set.changes), ["a", "dist/tracked"]);
    assert_eq!(set.ignored, [path("build")]);
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(fixture.read("inner/a"), b"1\n");
}

#[test]
fn a_broken_index_proves_nothing() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    fixture.write("b/c", "1\n");
    if !commit_all(&fixture.workspace) {
        return;
    }
    let index = fixture.read(".git/index");
    assert!(crate::git_index::GitIndex::read(&index, i64::MAX).is_some());
    for end in 0..index.len() {
        let read = crate::git_index::GitIndex::read(&index[..end], 0);
        // Two entries of 64 and 72 bytes, and what is taken for the checksum.
        assert!(end >= 12 + 64 + 72 + 20 || read.is_none(), "cut at {end}");
    }
    for at in 0..index.len() {
        let mut wrong = index.clone();
        wrong[at] ^= 0xff;
        // Whatever it says: it is read without a panic.
        let _ = crate::git_index::GitIndex::read(&wrong, 0);
    }
    fixture.write(".git/index", &index[..40]);
    let tracker = fixture.tracker();
    let set = call(&tracker, 1, || fixture.write("a", "22\n"));
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(fixture.read("a"), b"1\n");
}

#[test]
fn an_index_that_a_command_wrote_proves_nothing() {
    let fixture = Fixture::new();
    fixture.write("a", "first\n");
    if !commit_all(&fixture.workspace) {
        return;
    }
    let tracker = fixture.tracker();
    assert_eq!(tracker.saved(), 0);
    let set = call(&tracker, 1, || {
        fixture.write("a", "other\n");
        age(&fixture.workspace);
        // The only entry gets the present metadata of the file, and keeps the blob.
        let meta = fixture.at("a").metadata().unwrap();
        let mut index = fixture.read(".git/index");
        let mut put = |at: usize, value: i64| {
            index[at..at + 4].copy_from_slice(&(value as u32).to_be_bytes());
        };
        put(12, meta.ctime());
        put(16, meta.ctime_nsec());
        put(20, meta.mtime());
        put(24, meta.mtime_nsec());
        put(32, meta.ino() as i64);
        fixture.write(".git/index", index);
    });
    assert_eq!(names(&set.changes), ["a"]);
    assert_eq!(tracker.restore(&undo(&set.changes)).unwrap().skipped, []);
    assert_eq!(fixture.read("a"), b"first\n");
}

#[test]
fn every_repository_below_the_workspace_is_named() {
    let fixture = Fixture::new();
    for name in [".git/HEAD", "a/b/c/d/e/.git/HEAD", "a/b/file"] {
        fixture.write(name, "");
    }
    fixture.write("a/b/work/tree/.git", "gitdir: /nowhere\n");
    let tracker = fixture.tracker();
    let named = ["a/b/c/d/e/.git", "a/b/work/tree/.git"].map(path);
    assert_eq!(*tracker.not_restorable(), named);
    call(&tracker, 1, || {
        std::fs::remove_dir_all(fixture.at("a/b/c")).unwrap();
        fixture.write("new/.git/HEAD", "");
    });
    let named = ["a/b/work/tree/.git", "new/.git"].map(path);
    assert_eq!(*tracker.not_restorable(), named);
}
