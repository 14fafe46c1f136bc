//! Tests that changes of protected paths are undone, reported and stored.

use super::*;
use crate::protected::at::Directory;
use crate::protected::copy;

#[test]
fn what_was_created_changed_or_removed_is_restored_and_stored() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    let script = fixture.write(".envrc", "mine");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o640)).unwrap();
    fixture.write(".npmrc", "mine");
    fixture.write(".bashrc", "same");
    fixture.write(".claude/settings.json", "{}");
    fixture.write(".claude/agents/one.md", "one");
    fixture.write(".vscode/tasks.json", "mine");
    fixture.write("src/main.rs", "code");
    let before = tree(&fixture.workspace);
    let watch = fixture.watch();

    fixture.write(".mcp.json", "evil");
    fixture.write(".envrc", "evil");
    fs::set_permissions(fixture.at(".npmrc"), fs::Permissions::from_mode(0o777)).unwrap();
    // Replaced by the same.
    fs::remove_file(fixture.at(".bashrc")).unwrap();
    fixture.write(".bashrc", "same");
    fixture.write(".git/hooks/pre-commit", "evil");
    fs::remove_file(fixture.at(".git/config")).unwrap();
    fs::remove_dir_all(fixture.at(".claude")).unwrap();
    fixture.write(".vscode/new/a/b", "evil");
    fixture.write(".overrule/policy.toml", "evil");
    fixture.write(".cargo/config.toml", "evil");
    fixture.write("src/main.rs", "other code");

    let undone = watch.check();
    let expected = [
        "created .cargo/config.toml",
        "removed .claude",
        "changed .envrc",
        "removed .git/config",
        "created .git/hooks/pre-commit",
        "created .mcp.json",
        "changed .npmrc",
        "created .vscode/new",
        "created .overrule",
    ];
    assert_eq!(changes_of(&undone), expected);
    // What is not protected stays as the call left it.
    assert_eq!(fixture.text("src/main.rs"), "other code");
    fixture.write("src/main.rs", "code");
    fs::remove_dir(fixture.at(".cargo")).unwrap();
    assert_eq!(tree(&fixture.workspace), before);
    assert_eq!(fixture.store.metadata().unwrap().mode() & 0o777, 0o700);
    for one in &undone {
        let is_removed = one.how == How::Removed;
        assert_eq!(one.stored.is_none(), is_removed, "{one:?}");
        assert!(
            one.stored
                .as_ref()
                .is_none_or(|stored| stored.starts_with(&fixture.store) && stored.exists())
        );
        assert_eq!(one.place, fixture.at(&one.path));
    }
    let stored = |path: &str| {
        undone
            .iter()
            .find(|one| one.path == path)
            .and_then(|one| one.stored.clone())
            .unwrap()
    };
    assert_eq!(fs::read_to_string(stored(".mcp.json")).unwrap(), "evil");
    assert_eq!(
        fs::read_to_string(stored(".vscode/new").join("a/b")).unwrap(),
        "evil"
    );
    // Nothing is left to undo.
    assert!(fixture.watch().check().is_empty());
}

#[test]
fn a_second_change_of_the_same_path_is_stored_as_well() {
    let fixture = Fixture::new();
    for text in ["one", "two"] {
        let watch = fixture.watch();
        fixture.write(".mcp.json", text);
        let undone = watch.check();
        assert_eq!(
            fs::read_to_string(undone[0].stored.as_ref().unwrap()).unwrap(),
            text
        );
    }
    assert_eq!(fs::read_dir(&fixture.store).unwrap().count(), 2);
    assert!(!fixture.at(".mcp.json").exists());
}

#[test]
fn links_are_moved_and_never_followed() {
    let fixture = Fixture::new();
    fixture.write(".envrc", "mine");
    fixture.write(".claude/settings.json", "mine");
    fixture.write(".cargo/config.toml", "mine");
    fs::create_dir(fixture.at(".hg")).unwrap();
    for name in ["file", "config.toml", "hgrc", "settings.json"] {
        fs::write(fixture.outside.join(name), "outside").unwrap();
    }
    let outside = tree(&fixture.outside);
    let watch = fixture.watch();
    fs::remove_file(fixture.at(".envrc")).unwrap();
    fs::remove_dir_all(fixture.at(".claude")).unwrap();
    fs::rename(fixture.at(".cargo"), fixture.at("cargo")).unwrap();
    fs::remove_dir(fixture.at(".hg")).unwrap();
    symlink(fixture.outside.join("file"), fixture.at(".envrc")).unwrap();
    symlink(fixture.outside.join("file"), fixture.at(".npmrc")).unwrap();
    for directory in [".claude", ".cargo", ".hg", ".git", ".vscode"] {
        symlink(&fixture.outside, fixture.at(directory)).unwrap();
    }
    let undone = watch.check();
    let expected = [
        "changed .cargo",
        "removed .cargo/config.toml",
        "changed .claude",
        "changed .envrc",
        "changed .hg",
        "created .npmrc",
        "created .vscode",
        "created .git",
    ];
    assert_eq!(changes_of(&undone), expected);
    assert_eq!(tree(&fixture.outside), outside);
    assert_eq!(fixture.text(".cargo/config.toml"), "mine");
    assert_eq!(fixture.text(".claude/settings.json"), "mine");
    assert_eq!(fixture.text(".envrc"), "mine");
    for name in [".npmrc", ".hg", ".git", ".vscode"] {
        assert!(fixture.at(name).symlink_metadata().is_err(), "{name}");
    }
    assert!(undone[3].stored.as_ref().unwrap().is_symlink());
}

#[test]
fn other_kinds_are_moved_away() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    fixture.write(".envrc", "mine");
    fixture.write(".idea/a", "mine");
    fifo(&fixture.at(".yarnrc"));
    let watch = fixture.watch();
    fs::remove_file(fixture.at(".envrc")).unwrap();
    fs::create_dir(fixture.at(".envrc")).unwrap();
    fs::remove_dir_all(fixture.at(".idea")).unwrap();
    fifo(&fixture.at(".idea"));
    fifo(&fixture.at(".mcp.json"));
    fs::create_dir_all(fixture.at(".bashrc/x")).unwrap();
    fs::rename(fixture.at(".git"), fixture.at("git")).unwrap();
    fs::write(fixture.at(".git"), "gitdir: evil").unwrap();
    // A plain file at the place of a directory holds no settings.
    fs::write(fixture.at(".cargo"), "").unwrap();
    let undone = changes_of(&watch.check());
    let expected = [
        "created .bashrc",
        "changed .envrc",
        "changed .git",
        "removed .git/config",
        "removed .git/hooks",
        "changed .idea",
        "created .mcp.json",
    ];
    assert_eq!(undone, expected);
    assert_eq!(fixture.text(".idea/a"), "mine");
    assert!(fixture.text(".git/config").contains("[core]") && fixture.at(".git/hooks").is_dir());
    assert!(fixture.at(".cargo").is_file() && !fixture.at(".mcp.json").exists());
    // A pipe that goes cannot come back.
    let watch = fixture.watch();
    fs::remove_file(fixture.at(".yarnrc")).unwrap();
    let undone = watch.check();
    assert_eq!(changes_of(&undone), ["removed .yarnrc !"]);
    assert!(
        undone[0]
            .problem
            .as_ref()
            .unwrap()
            .contains("a pipe, a socket or a device"),
        "{undone:?}"
    );
}

#[test]
fn what_is_too_large_is_reported() {
    let fixture = Fixture::new();
    let large = fixture.write(".mise.toml", "");
    fs::File::create(&large).unwrap().set_len((1 << 20) + 1).unwrap();
    let huge = fixture.write("huge", "");
    fs::File::create(&huge).unwrap().set_len(1 << 40).unwrap();
    symlink("huge", fixture.at(".envrc")).unwrap();
    let watch = fixture.watch();
    assert!(watch.check().is_empty());
    let watch = fixture.watch();
    fs::write(&large, "small").unwrap();
    // A new one is moved whatever its size.
    let new = fs::File::create(fixture.at(".npmrc")).unwrap();
    new.set_len(1 << 40).unwrap();
    let undone = watch.check();
    assert_eq!(changes_of(&undone), ["changed .mise.toml !", "created .npmrc"]);
    assert!(
        undone[0].problem.as_ref().unwrap().contains("larger than 1 MiB"),
        "{undone:?}"
    );
    assert_eq!(fixture.text(".mise.toml"), "small");
    let watch = fixture.watch();
    fs::remove_file(&huge).unwrap();
    assert_eq!(changes_of(&watch.check()), ["removed huge !"]);
}

#[test]
fn a_directory_with_too_many_entries_is_reported() {
    let fixture = Fixture::large();
    for i in 0..9_000 {
        fixture.write(&format!(".idea/f{i}"), "");
    }
    assert!(fixture.watch().check().is_empty());
    let watch = fixture.watch();
    fixture.write(".idea/new", "");
    let undone = watch.check();
    assert_eq!(changes_of(&undone), ["changed .idea !"]);
    assert!(fixture.at(".idea/new").exists() && fixture.at(".idea/f8999").exists());
    // Many new files in one that was noted are one change.
    fs::remove_dir_all(fixture.at(".idea")).unwrap();
    fixture.write(".idea/mine", "mine");
    let watch = fixture.watch();
    for i in 0..9_000 {
        fixture.write(&format!(".idea/f{i}"), "");
    }
    assert_eq!(changes_of(&watch.check()), ["changed .idea"]);
    assert_eq!(fs::read_dir(fixture.at(".idea")).unwrap().count(), 1);
    assert_eq!(fixture.text(".idea/mine"), "mine");
}

#[test]
fn hostile_names_are_shown_escaped_and_moved() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    fs::create_dir(fixture.at(".husky")).unwrap();
    let watch = fixture.watch();
    let name = std::ffi::OsStr::from_bytes(b"a\n\x1b[31m\xff");
    fs::write(fixture.at(".husky").join(name), "evil").unwrap();
    let long = "n".repeat(255);
    fixture.write(&format!(".husky/{long}"), "evil");
    let undone = watch.check();
    assert_eq!(undone.len(), 2);
    assert!(
        undone[0].path.contains("⟨LF⟩") && !undone[0].path.contains(['\n', '\x1b']),
        "{undone:?}"
    );
    assert_eq!(undone[0].place, fixture.at(".husky").join(name));
    assert_eq!(fs::read_dir(fixture.at(".husky")).unwrap().count(), 0);
}

#[test]
fn a_root_that_became_a_link_is_reported() {
    let fixture = Fixture::new();
    repository(&fixture.at("sub"));
    let watch = fixture.watch();
    fs::rename(fixture.at("sub"), fixture.at("real")).unwrap();
    symlink("real", fixture.at("sub")).unwrap();
    fixture.write("real/.mcp.json", "evil");
    let undone = watch.check();
    assert_eq!(changes_of(&undone), ["changed sub !"]);
    assert!(fixture.at("sub").is_symlink());
}

#[test]
fn another_file_system_is_reached_by_a_copy() {
    let fixture = Fixture::new();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: no second file system");
        return;
    };
    if other.path().metadata().unwrap().dev() == fixture.workspace.metadata().unwrap().dev() {
        println!("skipped: no second file system");
        return;
    }
    fixture.write(".envrc", "mine");
    let watch = Watch::begin(&Protected::find(&fixture.workspace), &other.path().join("store"));
    fixture.write(".envrc", "evil");
    fixture.write(".claude/a/b", "evil");
    symlink("/etc/passwd", fixture.at(".claude/link")).unwrap();
    fifo(&fixture.at(".claude/fifo"));
    let large = fs::File::create(fixture.at(".npmrc")).unwrap();
    large.set_len(1 << 40).unwrap();
    let undone = watch.check();
    assert_eq!(
        changes_of(&undone),
        ["created .claude", "changed .envrc", "created .npmrc"]
    );
    assert_eq!(fixture.text(".envrc"), "mine");
    assert!(!fixture.at(".claude").exists() && !fixture.at(".npmrc").exists());
    let stored = undone[0].stored.as_ref().unwrap();
    assert!(stored.starts_with(other.path()), "{undone:?}");
    assert_eq!(fs::read_to_string(stored.join("a/b")).unwrap(), "evil");
    assert!(stored.join("link").is_symlink() && !stored.join("fifo").exists());
    // Too large for a copy: nothing runs it under its other name.
    assert_eq!(undone[2].stored.as_ref().unwrap(), &fixture.at("undone-1.npmrc"));
    assert!(overrule_base::runs_later::row("undone-1.npmrc").is_none());
}

#[test]
fn a_copy_takes_links_as_links_and_stops_at_its_bounds() {
    let fixture = Fixture::new();
    fixture.write("a/b/c", "x");
    symlink("/etc", fixture.at("a/etc")).unwrap();
    let across = |name: &str| {
        let from = Directory::open(&fixture.workspace).unwrap();
        let spot = copy::Spot {
            directory: &from,
            name: name.as_ref(),
            path: &fixture.at(name),
        };
        copy::across(spot, &Directory::open(&fixture.outside).unwrap(), name.as_ref())
    };
    across("a").unwrap();
    assert!(!fixture.at("a").exists());
    assert!(fixture.outside.join("a/etc").is_symlink() && fixture.outside.join("a/b/c").is_file());
    let mut deep = fixture.at("deep");
    for _ in 0..100 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    assert!(across("deep").is_err());
    assert!(deep.exists());
}

#[test]
fn a_store_that_cannot_be_made_leaves_no_change_in_effect() {
    let fixture = Fixture::new();
    fs::write(&fixture.store, "a file").unwrap();
    let watch = fixture.watch();
    fixture.write(".mcp.json", "evil");
    let undone = watch.check();
    assert_eq!(changes_of(&undone), ["created .mcp.json"]);
    assert!(!fixture.at(".mcp.json").exists());
    assert_eq!(
        fs::read_to_string(fixture.at("undone-1.mcp.json")).unwrap(),
        "evil"
    );
}

#[test]
fn missing_permissions_do_not_stop_it() {
    let fixture = Fixture::new();
    fixture.write(".cargo/config.toml", "mine");
    fixture.write(".claude/settings.json", "{}");
    let mode =
        |place: &str, mode| fs::set_permissions(fixture.at(place), fs::Permissions::from_mode(mode)).unwrap();
    let watch = fixture.watch();
    fixture.write(".cargo/config.toml", "evil");
    mode(".cargo/config.toml", 0o000);
    mode(".cargo", 0o500);
    fixture.write(".claude/settings.json", "evil");
    fixture.write(".claude/hooks/a/b", "evil");
    for place in [".claude/hooks/a", ".claude/hooks", ".claude"] {
        mode(place, 0o500);
    }
    mode("", 0o555);
    let undone = changes_of(&watch.check());
    let expected = [
        "changed .cargo/config.toml",
        "changed .claude",
        "created .claude/hooks",
        "changed .claude/settings.json",
    ];
    let mut sorted = undone.clone();
    sorted.sort();
    let mut wanted = expected.map(str::to_owned);
    wanted.sort();
    assert_eq!(sorted, wanted);
    assert_eq!(fixture.text(".cargo/config.toml"), "mine");
    assert_eq!(fixture.text(".claude/settings.json"), "{}");
    assert!(!fixture.at(".claude/hooks").exists());
    // What is not protected has the permissions that the command gave it.
    assert_eq!(fixture.at(".cargo").metadata().unwrap().mode() & 0o777, 0o500);
    mode("", 0o755);
    mode(".cargo", 0o755);
}

#[test]
fn large_directories_do_not_take_the_place_of_single_files() {
    let fixture = Fixture::new();
    repository(&fixture.workspace);
    for i in 0..40 {
        let path = fixture.write(&format!(".claude/large/f{i}"), "");
        fs::File::create(&path).unwrap().set_len(1 << 20).unwrap();
    }
    for i in 0..5000 {
        fixture.write(&format!(".codex/f{i}"), "");
    }
    fixture.write(".npmrc", "mine");
    fixture.write(".git/hooks/pre-commit", "mine");
    let watch = fixture.watch();
    for place in [".npmrc", ".git/config", ".git/hooks/pre-commit"] {
        fixture.write(place, "evil");
    }
    let expected = [
        "changed .git/config",
        "changed .git/hooks/pre-commit",
        "changed .npmrc",
    ];
    assert_eq!(changes_of(&watch.check()), expected);
    assert_eq!(fixture.text(".npmrc"), "mine");
    assert_eq!(fixture.text(".git/hooks/pre-commit"), "mine");
}
