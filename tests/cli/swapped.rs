//! Tests of a script that is replaced between review and launch.
//!
//! Must not know: how a change of its content is detected.

use overrule::domain::call::Status;

use crate::decisions::{call, digest, executions, interrupted};
use crate::playbooks::command;
use crate::world::World;

const SCRIPT: &str = "deploy.sh";

/// A session that was interrupted while `sh deploy.sh` waited for approval.
fn waiting(world: &World) -> String {
    std::fs::write(world.ws().join(SCRIPT), "echo one >> log.txt; echo deployed\n").unwrap();
    interrupted(world, &command("sh ./deploy.sh"), 1)
}

#[test]
fn the_queue_names_the_script_and_what_was_approved_runs() {
    let world = World::new();
    let id = waiting(&world);
    let it = call(&world.state(&id), "it");
    let output = world.run(&["queue", &id]).ends(0);
    assert!(
        output.out.contains("\n  may run deploy.sh: 35 bytes, "),
        "{}",
        output.out
    );
    let shown = digest(&world, &id, it);
    world
        .run(&["approve", &id, &it.to_string(), "--digest", &shown])
        .ends(0);
    let output = world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(output.out, "deployed\n");
    assert_eq!(world.read("log.txt"), "one\n");
}

#[test]
fn a_script_that_was_swapped_since_does_not_run() {
    let world = World::new();
    let id = waiting(&world);
    let it = call(&world.state(&id), "it");
    let shown = digest(&world, &id, it);
    std::fs::write(world.ws().join(SCRIPT), "echo two >> log.txt; echo deployed\n").unwrap();
    world
        .run(&["approve", &id, &it.to_string(), "--digest", &shown])
        .ends(0);
    // It is asked for again; without an operator that is a refusal.
    world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(world.read("log.txt"), "", "nobody approved what is in it now");
    let state = world.state(&id);
    assert_eq!(state.calls[&it].status, Status::Expired);
    assert_eq!(executions(&state, it), 0);
    assert_eq!(&*state.calls[&it].runs.as_ref().unwrap().changed[0], SCRIPT);
    assert_ne!(&*state.calls[&it].digest.as_ref().unwrap().0, shown);
}
