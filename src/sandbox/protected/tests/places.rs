//! Tests which paths of a workspace are protected, and which outside are writable.

use super::*;
use crate::protected::git::roots;

use overrule_base::runs_later::ROWS;

#[test]
fn every_protected_row_is_found_at_the_top_and_in_a_nested_repository_and_no_other() {
    let fixture = Fixture::new();
    assert_eq!(fixture.existing(), [""; 0]);
    let mut expected = Vec::new();
    for root in ["", "a/b/sub/"] {
        fs::create_dir_all(fixture.at(&format!("{root}.git"))).unwrap();
        for row in ROWS {
            let place = row.place.replace('*', "x");
            let file = if place.ends_with('/') {
                format!("{place}file")
            } else {
                place.clone()
            };
            fixture.write(&format!("{root}{file}"), "");
            if row.is_protected {
                expected.push(format!("{root}{}", place.trim_end_matches('/')));
            }
        }
    }
    fixture.write("pkg/.npmrc", "a directory that is no repository");
    expected.sort();
    let mut found = fixture.existing();
    found.sort();
    assert_eq!(found, expected);
    assert!(
        !found
            .iter()
            .any(|path| path.contains(".github") || path.contains("pkg"))
    );
    assert_eq!(
        Protected::find(&fixture.workspace).git_directories(),
        [fixture.at(".git"), fixture.at("a/b/sub/.git")]
    );
    assert!(Protected::find(&fixture.workspace).linked().is_empty());
    // A workspace that is not there has none.
    assert!(
        Protected::find(&fixture.at("gone")).existing().is_empty()
            && Protected::find(&fixture.at("gone")).git_directories().is_empty()
    );
}

#[test]
fn the_walk_is_bounded_in_depth_number_and_names() {
    let fixture = Fixture::new();
    for place in ["a/b/c", "a/b/c/d", "node_modules/x", "target/y", ".git/z"] {
        fs::create_dir_all(fixture.at(place).join(".git")).unwrap();
    }
    let found = |fixture: &Fixture| -> Vec<String> {
        let found = roots(&fixture.workspace).paths;
        found[1..].iter().map(|root| fixture.named(root)).collect()
    };
    assert_eq!(found(&fixture), ["a/b/c"]);
    symlink(&fixture.workspace, fixture.at("loop")).unwrap();
    symlink(&fixture.outside, fixture.at("out")).unwrap();
    repository(&fixture.outside);
    assert_eq!(found(&fixture), ["a/b/c"]);
    for i in 0..100 {
        fs::create_dir_all(fixture.at(&format!("many/r{i}/.git"))).unwrap();
    }
    assert_eq!(found(&fixture).len(), 64);
}

#[test]
fn ten_thousand_entries_and_odd_names_are_survived() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::large();
    for i in 0..10_000 {
        fs::write(fixture.at(&format!("f{i}")), "").unwrap();
    }
    let odd = fixture
        .workspace
        .join(std::ffi::OsStr::from_bytes(b".overrule\n\xff"));
    fs::write(&odd, "x").unwrap();
    fs::create_dir(fixture.at(".npmrc")).unwrap();
    fifo(&fixture.at(".envrc"));
    let mut found = Protected::find(&fixture.workspace).existing();
    found.sort();
    assert_eq!(found, [fixture.at(".envrc"), fixture.at(".npmrc"), odd]);
    assert_eq!(changes_of(&fixture.watch().check()), ["not searched . !"]);
}

#[test]
fn of_a_link_the_target_in_the_workspace_is_protected() {
    let fixture = Fixture::new();
    fixture.write("config/envrc", "x");
    fixture.write("shared/hg/hgrc", "x");
    fs::write(fixture.outside.join("f"), "x").unwrap();
    for (link, target) in [
        (".envrc", "config/envrc"),
        (".hg", "shared/hg"),
        (".claude", "."),
        (".vscode", ".."),
        (".codex", ".codex"),
        (".idea", "nowhere"),
        (".mcp.json", "../outside/f"),
    ] {
        symlink(target, fixture.at(link)).unwrap();
    }
    assert_eq!(fixture.existing(), ["config/envrc", "shared/hg/hgrc"]);
    let watch = fixture.watch();
    fixture.write("config/envrc", "evil");
    fs::remove_file(fixture.at(".mcp.json")).unwrap();
    symlink("config/other", fixture.at(".mcp.json")).unwrap();
    fs::write(fixture.outside.join("f"), "changed by another program").unwrap();
    let undone = watch.check();
    assert_eq!(changes_of(&undone), ["changed .mcp.json", "changed config/envrc"]);
    assert_eq!(fixture.text("config/envrc"), "x");
    assert_eq!(
        fs::read_link(fixture.at(".mcp.json")).unwrap(),
        Path::new("../outside/f")
    );
    assert_eq!(
        fs::read_to_string(fixture.outside.join("f")).unwrap(),
        "changed by another program"
    );
}

#[test]
fn submodules_are_found_by_their_git_directories() {
    let fixture = Fixture::new();
    repository(&fixture.outside.join("lib"));
    repository(&fixture.workspace);
    let lib = fixture.outside.join("lib");
    git(
        &fixture.workspace,
        &[
            "submodule",
            "add",
            "-q",
            "--name",
            "group/lib",
            lib.to_str().unwrap(),
            "deps/lib",
        ],
    );
    let found = fixture.existing();
    for path in [
        ".git/hooks",
        ".git/config",
        ".git/modules/group/lib/hooks",
        ".git/modules/group/lib/config",
        "deps/lib/.git",
    ] {
        assert!(found.contains(&path.to_owned()), "{path}: {found:?}");
    }
    assert!(found.iter().all(|path| !path.starts_with("OUT")));
    assert_eq!(
        Protected::find(&fixture.workspace).git_directories(),
        [fixture.at(".git")]
    );
    // Where the submodule is the workspace, the repository around it names it.
    let module = fixture.at("deps/lib");
    assert_eq!(
        Protected::find(&module).linked(),
        [fixture.at(".git/modules/group/lib")]
    );
    let inside = Protected::find(&module).existing();
    assert!(
        inside.contains(&fixture.at(".git/modules/group/lib/config")),
        "{inside:?}"
    );
    assert!(!inside.contains(&fixture.at(".git/config")));
    // One that names another directory is not believed.
    let config = fixture.at(".git/modules/group/lib/config");
    let text = fs::read_to_string(&config).unwrap().replace("deps/lib", "deps");
    fs::write(&config, text).unwrap();
    assert!(Protected::find(&module).linked().is_empty());
}

#[test]
fn the_repository_of_a_linked_work_tree_is_writable_and_protected() {
    let fixture = Fixture::new();
    let main = fixture.outside.join("main");
    repository(&main);
    fs::remove_dir(&fixture.workspace).unwrap();
    git(
        &main,
        &["worktree", "add", "-q", fixture.workspace.to_str().unwrap()],
    );
    assert_eq!(Protected::find(&fixture.workspace).linked(), [main.join(".git")]);
    let found = fixture.existing();
    for path in [
        ".git",
        "OUT/main/.git/hooks",
        "OUT/main/.git/config",
        "OUT/main/.git/worktrees/w/commondir",
    ] {
        assert!(found.contains(&path.to_owned()), "{path}: {found:?}");
    }
    assert!(
        !found
            .iter()
            .any(|path| path.ends_with("HEAD") || path.ends_with("index")),
        "{found:?}"
    );

    let watch = fixture.watch();
    let before = fs::read_to_string(main.join(".git/config")).unwrap();
    fs::write(main.join(".git/config"), "[core]\nfsmonitor = evil\n").unwrap();
    fs::write(main.join(".git/hooks/pre-commit"), "evil").unwrap();
    fs::write(main.join(".git/commondir"), "evil").unwrap();
    fs::write(fixture.at(".git"), "gitdir: evil\n").unwrap();
    let undone = changes_of(&watch.check());
    assert_eq!(undone.len(), 4, "{undone:?}");
    assert!(undone.iter().all(|one| !one.ends_with('!')), "{undone:?}");
    assert_eq!(fs::read_to_string(main.join(".git/config")).unwrap(), before);
    assert!(!main.join(".git/hooks/pre-commit").exists() && !main.join(".git/commondir").exists());
    git(
        &fixture.workspace,
        &["commit", "-q", "--allow-empty", "-m", "two"],
    );
}

#[test]
fn ordinary_work_of_git_is_not_undone() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    repository(&fixture.at("gone"));
    repository(&fixture.at("vendored"));
    repository(&fixture.at("renamed"));
    let watch = fixture.watch();
    fixture.write("f", "x");
    fixture.write(".github/workflows/ci.yml", "x");
    git(&fixture.workspace, &["add", "f"]);
    git(&fixture.workspace, &["commit", "-q", "-m", "two"]);
    git(&fixture.workspace, &["switch", "-q", "-c", "other"]);
    git(&fixture.workspace, &["stash", "list"]);
    git(&fixture.workspace, &["worktree", "add", "-q", "../tree"]);
    git(&fixture.workspace, &["gc", "-q"]);
    fs::remove_dir_all(fixture.at("gone")).unwrap();
    fs::remove_dir_all(fixture.at("vendored/.git")).unwrap();
    fs::rename(fixture.at("renamed"), fixture.at("new-name")).unwrap();
    assert_eq!(changes_of(&watch.check()), [""; 0]);
    assert!(!fixture.store.exists() && !fixture.at("gone").exists() && !fixture.at("vendored/.git").exists());
    let watch = fixture.watch();
    git(&fixture.workspace, &["worktree", "remove", "../tree"]);
    assert_eq!(changes_of(&watch.check()), [""; 0]);
}

#[test]
fn a_bare_repository_around_the_work_tree_is_writable_in_parts() {
    let fixture = Fixture::new();
    repository(&fixture.outside.join("origin"));
    let bare = fixture.outside.join("bare");
    git(&fixture.outside, &["clone", "-q", "--bare", "origin", "bare"]);
    git(&bare, &["worktree", "add", "-q", "one", "-b", "one"]);
    git(&bare, &["worktree", "add", "-q", "two", "-b", "two"]);
    let found = Protected::find(&bare.join("one")).linked();
    assert!(
        found.contains(&bare.join("objects")) && found.contains(&bare.join("worktrees/one")),
        "{found:?}"
    );
    for not in [
        bare.clone(),
        bare.join("two"),
        bare.join("worktrees"),
        bare.join("worktrees/two"),
        bare.join("hooks"),
    ] {
        assert!(!found.contains(&not), "{found:?}");
    }
}

#[test]
fn a_git_file_that_points_elsewhere_opens_nothing() {
    let fixture = Fixture::new();
    let other = fixture.outside.join("other");
    repository(&other);
    git(&other, &["worktree", "add", "-q", "../tree"]);
    fs::create_dir_all(fixture.outside.join("ssh")).unwrap();
    fs::write(fixture.outside.join("ssh/config"), "x").unwrap();
    let out = fixture.outside.to_str().unwrap().to_owned();
    let check = |text: &str| {
        fs::write(fixture.at(".git"), text).unwrap();
        assert!(Protected::find(&fixture.workspace).linked().is_empty(), "{text}");
        // Nothing outside is protected either: it is not writable, and no call of this workspace changes it.
        let found = fixture.existing();
        assert!(
            found.iter().all(|path| !path.starts_with("OUT")),
            "{text}: {found:?}"
        );
        let watch = fixture.watch();
        fs::write(fixture.outside.join("ssh/config"), text).unwrap();
        fs::write(other.join(".git/commondir2"), text).unwrap();
        assert!(watch.check().is_empty(), "{text}");
    };
    for target in [
        "ssh",
        "other/.git",
        "other/.git/worktrees/tree",
        "other",
        "gone",
        "ssh/config",
        "",
    ] {
        check(&format!("gitdir: {out}/{target}\n"));
        check(&format!("gitdir: ../outside/{target}"));
    }
    for text in [
        "",
        "gitdir:",
        "gitdir: /",
        "gitdir: .",
        "gitdir: ..",
        "gitdir: \0",
        "gitdir: \n\n",
        &"x".repeat(100_000),
    ] {
        check(text);
    }
    // Directories that the workspace made up, which name it and an object store of another repository.
    let fake = fixture.at("fake/worktrees/w");
    fs::create_dir_all(&fake).unwrap();
    fs::write(fake.join("HEAD"), "ref: refs/heads/main").unwrap();
    fs::write(fake.join("commondir"), format!("{out}/other/.git")).unwrap();
    fs::write(fake.join("gitdir"), fixture.at(".git").to_str().unwrap()).unwrap();
    check("gitdir: fake/worktrees/w\n");
    // A link, a pipe, a directory that is none of git.
    fs::remove_file(fixture.at(".git")).unwrap();
    symlink(other.join(".git"), fixture.at(".git")).unwrap();
    assert!(
        Protected::find(&fixture.workspace).linked().is_empty()
            && Protected::find(&fixture.workspace).git_directories().is_empty()
    );
    fs::remove_file(fixture.at(".git")).unwrap();
    symlink(fixture.outside.join("tree/.git"), fixture.at(".git")).unwrap();
    assert!(Protected::find(&fixture.workspace).linked().is_empty());
    fs::remove_file(fixture.at(".git")).unwrap();
    fifo(&fixture.at(".git"));
    assert!(Protected::find(&fixture.workspace).linked().is_empty());
}

#[test]
fn a_repository_that_a_call_creates_at_the_top_works_without_its_settings() {
    let fixture = Fixture::new();
    let watch = fixture.watch();
    repository(&fixture.workspace);
    git(
        &fixture.workspace,
        &["config", "core.fsmonitor", "touch fired; false"],
    );
    let undone = changes_of(&watch.check());
    assert!(undone.contains(&"created .git/config".to_owned()), "{undone:?}");
    fixture.write("f", "x");
    git(&fixture.workspace, &["add", "f"]);
    git(&fixture.workspace, &["commit", "-q", "-m", "two"]);
    git(&fixture.workspace, &["status"]);
    assert!(!fixture.at("fired").exists() && !fixture.at(".git/config").exists());
}
