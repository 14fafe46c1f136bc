//! Tests the restore of files from the shell.
//!
//! Must not know: how a file is written.

use std::fs;

use super::{BEFORE, CHANGED, changed, digest, owned, restores, tree, view};
use crate::support::world::World;

#[test]
fn exactly_the_files_of_the_call_are_restored_and_the_restore_is_undone() {
    let world = changed();
    let other = fs::metadata(world.ws().join("other.txt"))
        .unwrap()
        .modified()
        .unwrap();
    let preview = world.run(&["restore", "last", "c3", "--preview"]).ends(0).out;
    for words in [
        "restore 3 of 3 paths",
        "a.txt (c3) +1 -1",
        "created, is deleted",
        "deleted, is created again",
    ] {
        assert!(preview.contains(words), "{words}\n{preview}");
    }
    let digest = digest(&world, &["restore", "last", "c3"]);
    assert!(preview.contains(&digest));
    assert_eq!(tree(&world), CHANGED.map(owned), "a preview changes nothing");
    assert!(restores(&world).is_empty());
    world
        .run(&["restore", "last", "c3"])
        .ends(2)
        .tells("--preview prints the plan and its digest");
    world
        .run(&["restore", "last", "c3", "--digest", "0123456789abcdef"])
        .ends(4)
        .tells("review the new preview");
    assert_eq!(tree(&world), CHANGED.map(owned));

    world
        .run(&["restore", "last", "c3", "--digest", &digest[..16]])
        .ends(0)
        .tells("restored 3 paths");
    assert_eq!(tree(&world), BEFORE.map(owned));
    let now = fs::metadata(world.ws().join("other.txt"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(now, other, "no other file is touched");
    let [restore] = restores(&world).try_into().unwrap();
    assert!(restore.end.unwrap().skipped.is_empty());
    let id = restore.started.restore.to_string();
    // A second time there is nothing to restore.
    let again = super::digest(&world, &["restore", "last", "c3"]);
    world.run(&["restore", "last", "c3", "--digest", &again]).ends(4);

    let undo = ["restore", "last", "--undo", &id];
    let digest = super::digest(&world, &undo);
    world.run(&[&undo[..], &["--digest", &digest]].concat()).ends(0);
    assert_eq!(tree(&world), CHANGED.map(owned));
    assert_eq!(restores(&world).len(), 2);
}

#[test]
fn a_path_that_was_changed_since_is_restored_only_over_the_conflict() {
    let world = changed();
    world.file("a.txt", "mine\n");
    let rows = view(
        &world
            .run(&["restore", "last", "c3", "--preview", "--json"])
            .ends(0),
    );
    let row = rows["paths"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["path"] == "a.txt")
        .unwrap()
        .clone();
    assert_eq!(
        (&row["status"], &row["chosen"]),
        (&"conflict".into(), &false.into())
    );
    let named = ["restore", "last", "c3", "--path", "a.txt"];
    let refused = world.run(&[&named[..], &["--preview"]].concat()).ends(4);
    refused
        .tells("cannot restore a.txt: ")
        .tells("--over-conflicts saves the present content first");
    world
        .run(&["restore", "last", "c3", "--path", "nowhere", "--preview"])
        .ends(4);

    let whole = digest(&world, &["restore", "last", "c3"]);
    world.run(&["restore", "last", "c3", "--digest", &whole]).ends(0);
    assert_eq!(world.read("a.txt"), "mine\n", "the conflict is left");
    assert_eq!(
        (world.read("b.txt"), world.ws().join("d.txt").exists()),
        ("two\n".into(), false)
    );

    let over = [&named[..], &["--over-conflicts"]].concat();
    let digest = digest(&world, &over);
    world.run(&[&over[..], &["--digest", &digest]].concat()).ends(0);
    assert_eq!(world.read("a.txt"), "one\n");
    // What was there is saved: the restore can be undone.
    let last = restores(&world).pop().unwrap().started.restore.to_string();
    let undo = ["restore", "last", "--undo", &last];
    let digest = super::digest(&world, &undo);
    world.run(&[&undo[..], &["--digest", &digest]].concat()).ends(0);
    assert_eq!(world.read("a.txt"), "mine\n");
}

#[test]
fn an_edit_restores_files_only_if_it_is_told_to() {
    let world = changed();
    let edit = ["edit", "last", "c3", "--args", "{\"command\": \":\"}"];
    let said = world.run(&[&edit[..], &["--preview"]].concat()).ends(0);
    let said = said.tells("--files restore");
    assert!(!said.out.contains("digest"), "{}", said.out);
    let both = world
        .run(&[&edit[..], &["--preview", "--files", "restore"]].concat())
        .ends(0)
        .out;
    assert!(
        both.contains("superseded") && both.contains("restore 3 of 3 paths"),
        "{both}"
    );
    world
        .run(&[&edit[..], &["--resume", "--headless"]].concat())
        .ends(0);
    assert_eq!(tree(&world), CHANGED.map(owned));
    assert!(restores(&world).is_empty(), "nothing is restored by itself");

    // The undo makes the first call active again: its changes are there already.
    world.run(&["undo", "last", "--files", "keep"]).ends(0);
    world.run(&["redo", "last", "--files", "restore"]).ends(0);
    assert_eq!(tree(&world), BEFORE.map(owned));
    let [restore] = restores(&world).try_into().unwrap();
    assert!(restore.end.is_some());
    world.run(&["undo", "last", "--files", "restore"]).ends(0);
    assert_eq!(tree(&world), CHANGED.map(owned), "the branch has its files again");
}

#[test]
fn a_session_from_elsewhere_writes_no_file() {
    let world = changed();
    let digest = digest(&world, &["restore", "last", "c3"]);
    fs::remove_dir_all(world.path("home/.local/state/overrule/written")).unwrap();
    fs::create_dir_all(world.path("home/.local/state/overrule/written")).unwrap();
    let before = world.journal(&world.id());
    world
        .run(&["restore", "last", "c3", "--digest", &digest])
        .ends(4)
        .tells("it is from elsewhere");
    let thought = thought(&world);
    let edit = ["edit", "last", &thought, "--text", "Otherwise."];
    world
        .run(&[&edit[..], &["--files", "restore"]].concat())
        .ends(4)
        .tells("it is from elsewhere");
    assert_eq!(tree(&world), CHANGED.map(owned));
    assert_eq!(world.journal(&world.id()), before, "nothing is recorded");
}

#[test]
fn the_end_of_an_earlier_restore_is_not_reported_again() {
    let world = changed();
    let digest = digest(&world, &["restore", "last", "c3"]);
    world
        .run(&["restore", "last", "c3", "--digest", &digest])
        .ends(0)
        .tells("restored 3 paths");
    let said = world.run(&["restore", "last", "c3", "--digest", &digest[..16]]);
    assert!(!said.err.contains("restored 3 paths"), "{}", said.err);
    // An edit that restores nothing says nothing of the restore before it.
    let thought = thought(&world);
    let edit = ["edit", "last", &thought, "--text", "Otherwise."];
    let said = world.run(&[&edit[..], &["--files", "restore"]].concat()).ends(0);
    assert!(!said.err.contains("restored 3 paths"), "{}", said.err);
}

/// The first thought of the session.
fn thought(world: &World) -> String {
    let state = world.state(&world.id());
    let mut ids = state.nodes.keys().map(ToString::to_string);
    ids.find(|id| id.starts_with('t')).unwrap()
}
