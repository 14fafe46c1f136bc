//! Edits that a console collected, where no console is: what they hold waits, and goes on once they are committed or
//! dropped from elsewhere. Must not know: how they are collected.

use std::path::PathBuf;

use crate::control::holder::{Holder, sockets};
use crate::decisions::{call, refused};
use crate::left::WRITES;
use crate::world::{World, until};

fn draft(world: &World, id: &str) -> PathBuf {
    world.sessions().join(id).join("draft.json")
}

/// A session whose only call waits, with an edit of it that a console left.
fn left(world: &World) -> String {
    let holder = Holder::play(world, WRITES, &[]);
    holder.waiting("w");
    let id = holder.kill();
    let w = call(&world.state(&id), "w");
    let args = r#"{\"_as\":\"w\",\"path\":\"out.txt\",\"content\":\"operator\"}"#;
    let edit = format!(
        r#"{{"type":"call","node":"{w}","base":1,"tool":"write_file","args":"{args}","shown":true}}"#
    );
    let text = format!(r#"{{"v":1,"edits":[{edit}],"reason":"","keep_later":false}}"#);
    std::fs::write(draft(world, &id), text).unwrap();
    id
}

/// The session goes on without a screen, under a policy that would let the call run; the edit holds it.
fn held<'w>(world: &'w World, id: &str, more: &[&str]) -> Holder<'w> {
    // What the killed process left is no sign of the next one.
    for socket in sockets(world) {
        std::fs::remove_file(socket).unwrap();
    }
    let words = ["resume", id, "--headless", "--policy", "auto"];
    let holder = Holder::start(world, world.command(&[&words[..], more].concat()));
    until("it holds the call", || !world.state(id).held.is_empty());
    assert!(!world.ws().join("out.txt").exists());
    holder
}

fn digest(world: &World, id: &str) -> String {
    let listed = world.run(&["collected", id]).ends(0).out;
    let last = listed.lines().last().unwrap();
    last.strip_prefix("digest ").unwrap().to_owned()
}

#[test]
fn what_is_collected_is_committed_in_the_process_that_goes_on_without_a_screen() {
    let world = World::new();
    let id = left(&world);
    let holder = held(&world, &id, &["--control"]);
    let seen = digest(&world, &id);
    refused(&world, &["commit", &id, "--collected"], 2);
    let said = world
        .run(&["commit", &id, "--collected", "--digest", &seen])
        .ends(0);
    assert!(said.out.contains("by the process that runs it"), "{}", said.out);
    assert!(holder.end().ends(0).out.starts_with("written"));
    assert_eq!(world.read("out.txt"), "operator");
    assert!(!draft(&world, &id).exists());
}

#[test]
fn what_is_dropped_lets_go_what_it_held_as_it_was() {
    let world = World::new();
    let id = left(&world);
    let holder = held(&world, &id, &["--control"]);
    let seen = digest(&world, &id);
    let shown = world.run(&["drop-collected", &id, "--preview"]).ends(0).out;
    assert!(shown.contains("goes on as it was"), "{shown}");
    assert!(!world.ws().join("out.txt").exists());
    world
        .run(&["drop-collected", &id, "--digest", &seen[..12]])
        .ends(0);
    assert!(holder.end().ends(0).out.starts_with("written"));
    assert_eq!(world.read("out.txt"), "ONE");
    assert!(!draft(&world, &id).exists());
}

#[test]
fn a_process_that_listens_to_nobody_keeps_what_is_collected() {
    let world = World::new();
    let id = left(&world);
    let seen = digest(&world, &id);
    let lock = std::fs::File::open(world.sessions().join(&id).join("lock")).unwrap();
    lock.lock().unwrap();
    for verb in [&["commit", &id, "--collected"][..], &["drop-collected", &id]] {
        let said = refused(&world, &[verb, &["--digest", &seen]].concat(), 7);
        assert!(said.err.contains("--control"), "{}", said.err);
    }
    assert!(draft(&world, &id).exists());
}

#[test]
fn what_cannot_be_read_is_neither_committed_nor_removed() {
    let world = World::new();
    let id = left(&world);
    std::fs::write(draft(&world, &id), "{\u{1b}").unwrap();
    for words in [
        &["collected", &id][..],
        &["commit", &id, "--collected", "--preview"],
        &["drop-collected", &id, "--digest", "0123456789ab"],
    ] {
        let said = refused(&world, words, 7);
        assert!(said.err.contains("cannot be read"), "{}", said.err);
        assert!(!said.err.contains('\u{1b}'), "{}", said.err);
    }
}

#[test]
fn where_nobody_listens_the_run_ends_and_says_what_it_waited_for() {
    let world = World::new();
    let id = left(&world);
    let said = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(4);
    assert!(
        said.err.contains("waits for edits that a console collected"),
        "{}",
        said.err
    );
    assert!(!world.ws().join("out.txt").exists());
    let seen = digest(&world, &id);
    let said = world
        .run(&[
            "drop-collected",
            &id,
            "--digest",
            &seen,
            "--resume",
            "--headless",
            "--policy",
            "auto",
        ])
        .ends(0);
    assert!(said.out.starts_with("written"), "{}", said.out);
    assert_eq!(world.read("out.txt"), "ONE");
}
