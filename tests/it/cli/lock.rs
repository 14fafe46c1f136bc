//! Tests of one writer per session.
//!
//! Must not know: what is written.

use std::process::Stdio;

use rustix::process::Signal;

use crate::cli::decisions::refused;
use crate::cli::playbooks::command;
use crate::cli::world::{World, signal, until, wait};

#[test]
fn a_second_process_is_refused_with_the_holder_named_until_he_is_gone() {
    let world = World::new();
    let mut running = world.playing(&command("echo up > up; sleep 600"), &["--policy", "auto"]);
    let child = running
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the command runs", || !world.read("up").is_empty());
    let id = world.id();
    until("the journal is at rest", || {
        let journal = world.journal(&id);
        ["call.spawned", "turn.closed"]
            .iter()
            .all(|kind| journal.contains(kind))
    });
    let holder = format!("process {}", child.id());
    for args in [
        &["resume", &id, "--headless"][..],
        &["guide", &id, "more"],
        &["pause", &id],
        &["sessions", "name", &id, "mine"],
        &["sessions", "delete", &id],
    ] {
        let text = refused(&world, args, 7);
        assert!(text.err.contains(&holder), "{args:?}: {}", text.err);
    }
    // Looking is free.
    for args in [
        &["queue", &id][..],
        &["sessions", "show", &id],
        &["sessions", "verify", &id],
        &["sessions"],
    ] {
        world.run(args).ends(0);
    }
    signal(&child, Signal::KILL);
    wait(child);
    world.run(&["pause", &id]).ends(0);
    world.run(&["sessions", "delete", &id]).ends(0);
    assert_eq!(world.ids(), [""; 0]);
}
