//! Tests of a script that is replaced between review and launch.
//!
//! Must not know: how a change of its content is detected.

use overrule::domain::call::Status;

use crate::cli::decisions::{call, digest, executions, interrupted};
use crate::cli::playbooks::command;
use crate::cli::world::World;

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

const WRITE: &str = r#"[meta]
name = "write"
[[rule]]
when = { seen_call = "it" }
answer = "done"
[[rule]]
think = "I write."
[[rule.call]]
tool = "write_file"
as = "it"
args = { path = "plan.md", content = "new" }
"#;

/// The base that the queue prints for the only call.
fn base(world: &World, id: &str) -> String {
    let output = world.run(&["queue", id]).ends(0);
    let line = output
        .out
        .lines()
        .find_map(|line| line.trim().strip_prefix("base "));
    line.unwrap_or_else(|| panic!("{}", output.out)).to_owned()
}

#[test]
fn a_file_that_changed_after_the_approval_of_its_difference_is_not_replaced() {
    let world = World::new();
    std::fs::write(world.ws().join("plan.md"), "old").unwrap();
    let id = interrupted(&world, WRITE, 1);
    let it = call(&world.state(&id), "it");
    let shown = digest(&world, &id, it);
    let (base, it) = (base(&world, &id), it.to_string());
    let output = world.run(&["queue", &id]).ends(0).out;
    assert!(
        output.contains("danger: overwrites (the file exists)"),
        "{output}"
    );
    let output = world.run(&["queue", &id, "--json"]).ends(0).out;
    assert!(
        output.contains(r#"{"kind":"overwrites","because":"the file exists"}"#),
        "{output}"
    );
    world
        .run(&["approve", &id, &it, "--digest", &shown, "--base", &base])
        .ends(0);
    std::fs::write(world.ws().join("plan.md"), "other").unwrap();
    world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(world.read("plan.md"), "other", "nobody approved to replace this");
}

#[test]
fn an_approval_of_another_file_than_the_printed_one_is_refused() {
    let world = World::new();
    let id = interrupted(&world, WRITE, 1);
    let it = call(&world.state(&id), "it");
    let shown = digest(&world, &id, it);
    let it = it.to_string();
    assert_eq!(base(&world, &id), "none");
    std::fs::write(world.ws().join("plan.md"), "other").unwrap();
    let output = world
        .run(&["approve", &id, &it, "--digest", &shown, "--base", "none"])
        .ends(4);
    assert!(
        output.err.contains("run `overrule queue` again"),
        "{}",
        output.err
    );
    let base = base(&world, &id);
    world
        .run(&["approve", &id, &it, "--digest", &shown, "--base", &base])
        .ends(0);
    world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(world.read("plan.md"), "new");
}
