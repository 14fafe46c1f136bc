//! Tests what stays of a repository that a call makes, and what is undone: whatever would run a program.

use super::*;

/// What git would run at the next look at the workspace.
const MONITOR: &str = "touch fired; false";

#[test]
fn a_harmless_repository_stays_as_git_made_it() {
    let fixture = Fixture::new();
    let watch = fixture.watch();
    repository(&fixture.workspace);
    repository(&fixture.at("sub"));
    repository(&fixture.outside.join("lib"));
    let lib = fixture.outside.join("lib");
    git(
        &fixture.workspace,
        &["clone", "-q", lib.to_str().unwrap(), "cloned"],
    );
    git(&fixture.at("sub"), &["worktree", "add", "-q", "../tree"]);
    fixture.write("sub/.git/hooks/mine.sample", "a sample");
    git(
        &fixture.at("sub"),
        &["submodule", "add", "-q", lib.to_str().unwrap(), "lib"],
    );
    assert_eq!(changes_of(&watch.check()), [""; 0]);
    for path in [".git", "sub/.git", "cloned/.git", "sub/.git/modules/lib"] {
        assert!(!fixture.text(&format!("{path}/config")).is_empty(), "{path}");
    }
    assert_eq!(fixture.text("sub/.git/hooks/mine.sample"), "a sample");
    assert!(!fixture.store.exists());
}

#[test]
fn what_git_would_run_in_a_new_repository_is_undone() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    let watch = fixture.watch();
    repository(&fixture.at("sub"));
    git(&fixture.at("sub"), &["config", "core.fsmonitor", MONITOR]);
    git(&fixture.workspace, &["add", "sub"]);
    repository(&fixture.at("a/hooked"));
    fixture.write(
        "a/hooked/.git/hooks/post-index-change",
        "#!/bin/sh\ntouch fired\n",
    );
    symlink("../../evil", fixture.at("a/hooked/.git/hooks/pre-commit")).unwrap();
    // A file that names a repository elsewhere.
    repository(&fixture.at("deep/a/b/c/d/evil"));
    let evil = fixture.at("deep/a/b/c/d/evil/.git");
    git(
        &fixture.at("deep/a/b/c/d/evil"),
        &["config", "core.fsmonitor", MONITOR],
    );
    let pad = "\n".repeat(5000);
    fixture.write("named/.git", &format!("gitdir: {}{pad}", evil.display()));
    repository(&fixture.at("linked"));
    fs::rename(fixture.at("linked/.git"), fixture.at("linked/git")).unwrap();
    symlink("git", fixture.at("linked/.git")).unwrap();
    repository(&fixture.at("common"));
    fixture.write("common/.git/commondir", "../../deep/a/b/c/d/evil/.git");
    let undone = watch.check();
    let mut found = changes_of(&undone);
    found.sort();
    assert_eq!(
        found,
        [
            "created a/hooked/.git/hooks/post-index-change",
            "created a/hooked/.git/hooks/pre-commit",
            "created common/.git/commondir",
            "created deep/a/b/c/d/evil/.git/config",
            "created linked/.git",
            "created sub/.git/config",
        ]
    );
    git(&fixture.workspace, &["status"]);
    for path in ["sub", "a/hooked", "named"] {
        git(&fixture.at(path), &["status"]);
        assert!(!fixture.at(path).join("fired").exists(), "{path}");
    }
    assert!(!fixture.at("fired").exists());
    assert!(
        fixture.at("a/hooked/.git/config").exists(),
        "what is harmless stays"
    );
}

#[test]
fn a_new_git_file_that_names_a_directory_outside_is_undone() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    // A directory that a call writes besides the workspace, such as its own `/tmp`.
    let evil = fixture.outside.join("evil");
    repository(&evil);
    git(&evil, &["config", "core.fsmonitor", MONITOR]);
    let evil = evil.join(".git").to_str().unwrap().to_owned();
    let watch = fixture.watch();
    fixture.write("named/.git", &format!("gitdir: {evil}\n"));
    fixture.write("relative/.git", "gitdir: ../../outside/evil/.git");
    fixture.write(
        "later/.git",
        &format!("gitdir: {}/later\n", fixture.outside.display()),
    );
    fixture.write("through/.git", "gitdir: ../own\n");
    for name in ["own/HEAD", "own/config"] {
        fixture.write(name, "");
    }
    fixture.write("own/commondir", &evil);
    fixture.write("marker/.git", "");
    let mut found = changes_of(&watch.check());
    found.sort();
    assert_eq!(
        found,
        [
            "created later/.git",
            "created named/.git",
            "created relative/.git",
            "created through/.git",
        ]
    );
    for path in ["named", "relative", "through"] {
        git(&fixture.at(path), &["status"]);
        assert!(!fixture.at(path).join("fired").exists(), "{path}");
    }
    assert!(!fixture.at("fired").exists());
    assert_eq!(fixture.text("marker/.git"), "");
}

#[test]
fn a_git_file_stays_that_was_there_and_follows_no_new_link_out_of_the_workspace() {
    let fixture = Fixture::new();
    let main = fixture.outside.join("main");
    repository(&main);
    git(&main, &["config", "core.fsmonitor", "true"]);
    let tree = fixture.at("tree");
    git(&main, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    repository(&fixture.at("held/own"));
    fs::rename(fixture.at("held/own/.git"), fixture.at("held/git")).unwrap();
    fixture.write("held/own/.git", "gitdir: ../git\n");
    let watch = fixture.watch();
    fs::rename(&tree, fixture.at("renamed")).unwrap();
    assert_eq!(changes_of(&watch.check()), [""; 0]);
    let watch = fixture.watch();
    let evil = fixture.outside.join("evil");
    repository(&evil);
    fs::rename(fixture.at("held/git"), fixture.at("held/git2")).unwrap();
    symlink(evil.join(".git"), fixture.at("held/git")).unwrap();
    let undone = watch.check();
    assert!(
        changes_of(&undone).contains(&"created held/own/.git".to_owned()),
        "{undone:?}"
    );
    assert!(!fixture.at("held/own/.git").exists());
}

#[test]
fn settings_of_a_new_work_tree_in_a_linked_repository_are_looked_at() {
    let fixture = Fixture::new();
    let main = fixture.outside.join("main");
    repository(&main);
    git(&main, &["config", "extensions.worktreeConfig", "true"]);
    git(
        &main,
        &[
            "worktree",
            "add",
            "-q",
            "--force",
            fixture.workspace.to_str().unwrap(),
        ],
    );
    let watch = fixture.watch();
    git(&fixture.workspace, &["worktree", "add", "-q", "new"]);
    git(
        &fixture.at("new"),
        &["config", "--worktree", "core.fsmonitor", MONITOR],
    );
    let undone = watch.check();
    assert_eq!(undone.len(), 1, "{undone:?}");
    assert!(
        undone[0].place.ends_with("worktrees/new/config.worktree"),
        "{undone:?}"
    );
    git(&fixture.at("new"), &["status"]);
    assert!(!fixture.at("new/fired").exists());
}

#[test]
fn a_repository_that_the_index_lists_is_found_however_deep_it_lies() {
    for options in [
        &["-c", "index.version=2"][..],
        &["-c", "index.version=4"],
        &["-c", "core.splitIndex=true"],
    ] {
        let fixture = Fixture::new();
        repository(&fixture.workspace);
        for number in 0..30 {
            fixture.write(&format!("src/long/name/f{number}"), "x");
        }
        let watch = fixture.watch();
        let sub = fixture.at("src/long/name/of/a/sub");
        repository(&sub);
        git(&sub, &["config", "core.fsmonitor", MONITOR]);
        let add = [options, &["add", "--intent-to-add", "."]].concat();
        git(&fixture.workspace, &add);
        git(
            &fixture.workspace,
            &[options, &["add", "src/long/name/of/a/sub"]].concat(),
        );
        assert_eq!(
            changes_of(&watch.check()),
            ["created src/long/name/of/a/sub/.git/config"],
            "{options:?}"
        );
        git(&fixture.workspace, &["status"]);
        assert!(!sub.join("fired").exists() && !fixture.at("fired").exists());
        // From the next call on it is protected as others are.
        let watch = fixture.watch();
        fs::write(sub.join(".git/hooks/post-index-change"), "evil").unwrap();
        fs::write(sub.join(".envrc"), "evil").unwrap();
        assert_eq!(
            changes_of(&watch.check()),
            [
                "created src/long/name/of/a/sub/.envrc",
                "created src/long/name/of/a/sub/.git/hooks/post-index-change",
            ]
        );
    }
}

#[test]
fn a_repository_of_the_operator_that_is_renamed_keeps_its_settings_and_gets_no_new_ones() {
    let fixture = Fixture::new();
    repository(&fixture.at("z"));
    git(&fixture.at("z"), &["config", "core.fsmonitor", "mine"]);
    fixture.write("z/.git/hooks/pre-commit", "mine");
    let before = tree(&fixture.at("z/.git/hooks"));
    let watch = fixture.watch();
    fs::rename(fixture.at("z"), fixture.at("z2")).unwrap();
    assert_eq!(changes_of(&watch.check()), [""; 0]);
    assert_eq!(tree(&fixture.at("z2/.git/hooks")), before);
    assert!(fixture.text("z2/.git/config").contains("mine"));

    // In its place comes a copy, in a later call.
    let watch = fixture.watch();
    repository(&fixture.at("z"));
    fixture.write("z/.git/hooks/pre-push", "evil");
    fixture.write("z2/.git/hooks/pre-push", "evil");
    let mut found = changes_of(&watch.check());
    found.sort();
    assert_eq!(
        found,
        ["created z/.git/hooks/pre-push", "created z2/.git/hooks/pre-push"]
    );
    assert_eq!(tree(&fixture.at("z2/.git/hooks")), before);
}

#[test]
fn a_search_that_is_cut_is_reported() {
    let fixture = Fixture::large();
    for number in 0..10_100 {
        fs::write(fixture.at(&format!("f{number}")), "").unwrap();
    }
    let undone = fixture.watch().check();
    let sentences: Vec<String> = undone.iter().map(Undone::sentence).collect();
    assert_eq!(
        sentences,
        [
            "protected paths were not searched completely: repositories are looked for in 10,000 entries of the workspace \
             and in an index of 64 MiB, and 64 are protected"
        ]
    );
    assert!(!Protected::find(&fixture.workspace).is_complete());
    let small = Fixture::new();
    assert!(small.watch().check().is_empty());
    assert!(Protected::find(&small.workspace).is_complete());
}

#[test]
fn what_the_settings_of_a_repository_name_is_protected() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    fixture.write(".githooks/pre-commit", "mine");
    fixture.write("conf/git", "[include]\n\tpath = more\n");
    fixture.write("conf/more", "[core]\n\tabbrev = 12\n");
    git(&fixture.workspace, &["config", "core.hooksPath", ".githooks"]);
    git(&fixture.workspace, &["config", "include.path", "../conf/git"]);
    git(
        &fixture.workspace,
        &["config", "includeIf.onbranch:main.path", "../absent"],
    );
    fs::write(fixture.outside.join("settings"), "").unwrap();
    let outside = fixture.outside.join("settings");
    git(
        &fixture.workspace,
        &["config", "--add", "include.path", outside.to_str().unwrap()],
    );
    let existing = fixture.existing();
    for path in [".githooks", "conf/git", "conf/more"] {
        assert!(existing.contains(&path.to_owned()), "{path}: {existing:?}");
    }
    assert!(
        existing.iter().all(|path| !path.starts_with("OUT")),
        "{existing:?}"
    );
    let watch = fixture.watch();
    fixture.write(".githooks/pre-commit", "evil");
    fixture.write(".githooks/post-checkout", "evil");
    fixture.write("conf/more", "[core]\n\tfsmonitor = evil\n");
    fixture.write("absent", "[core]\n\tfsmonitor = evil\n");
    fixture.write("conf/other", "ordinary");
    let mut found = changes_of(&watch.check());
    found.sort();
    assert_eq!(
        found,
        [
            "changed .githooks/pre-commit",
            "changed conf/more",
            "created .githooks/post-checkout",
            "created absent",
        ]
    );
    assert_eq!(fixture.text(".githooks/pre-commit"), "mine");
    assert_eq!(fixture.text("conf/other"), "ordinary");
}
