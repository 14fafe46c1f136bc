//! Tests a restore that a crash interrupted: nothing continues by itself, and a person decides.
//!
//! Must not know: how a file is written.

use std::fs;

use super::{BEFORE, CHANGED, changed, digest, owned, restores, tree};
use crate::support::world::World;

/// A session that was killed in a restore: one of three paths is restored, and the end is not recorded. Also the id of the
/// restore.
fn killed() -> (World, String) {
    let world = changed();
    let digest = digest(&world, &["restore", "last", "c3"]);
    world.run(&["restore", "last", "c3", "--digest", &digest]).ends(0);
    let id = world.id();
    let journal = world.journal(&id);
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let began = lines
        .iter()
        .position(|line| line.contains("restore_started"))
        .unwrap();
    fs::write(world.place(&id).journal(), lines[..=began].concat()).unwrap();
    world.own(&id);
    // Two steps have not happened.
    fs::write(world.ws().join("d.txt"), "new\n").unwrap();
    world.file("a.txt", "changed\n");
    let [restore] = restores(&world).try_into().unwrap();
    assert!(restore.end.is_none());
    (world, restore.started.restore.to_string())
}

#[test]
fn nothing_continues_it_without_a_person() {
    let (world, id) = killed();
    let before = tree(&world);
    world
        .run(&["resume", "last", "--headless"])
        .ends(4)
        .tells(&format!("--continue {id}"));
    assert_eq!(tree(&world), before);
    world.run(&["restore", "last", "--continue", "i99"]).ends(2);
    world.run(&["restore", "last", "--continue", &id]).ends(0);
    assert_eq!(tree(&world), BEFORE.map(owned));
    let [restore] = restores(&world).try_into().unwrap();
    assert!(restore.end.unwrap().skipped.is_empty());
    world
        .run(&["restore", "last", "--continue", &id])
        .ends(4)
        .tells("it has ended");
}

#[test]
fn it_can_be_left_and_undone() {
    let (world, id) = killed();
    let before = tree(&world);
    world.run(&["restore", "last", "--leave", &id]).ends(0);
    assert_eq!(tree(&world), before);
    let [restore] = restores(&world).try_into().unwrap();
    assert_eq!(restore.end.unwrap().skipped.len(), 2);

    let (world, id) = killed();
    let undo = ["restore", "last", "--undo", &id];
    let digest = digest(&world, &undo);
    world.run(&[&undo[..], &["--digest", &digest]].concat()).ends(0);
    assert_eq!(tree(&world), CHANGED.map(owned));
}

#[test]
fn what_was_changed_meanwhile_is_not_overwritten() {
    let (world, id) = killed();
    world.file("a.txt", "mine\n");
    world
        .run(&["restore", "last", "--continue", &id])
        .ends(0)
        .tells("not restored: a.txt");
    assert_eq!(world.read("a.txt"), "mine\n");
    assert!(!world.ws().join("d.txt").exists());
}
