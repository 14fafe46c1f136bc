//! Tests of commands that only a running session accepts, and of its edits and branches.
//!
//! Must not know: sockets.

use overrule::domain::call::Status;

use super::holder::Holder;
use crate::cli::decisions::call;
use crate::cli::edits::node;
use crate::cli::playbooks::{STEPS, command};
use crate::cli::world::{World, until};
use overrule::domain::id::NodeKind;

#[test]
fn one_running_call_is_cancelled_and_the_run_goes_on() {
    let world = World::new();
    let playbook = command("echo begun >> log.txt; sleep 600; echo never >> log.txt");
    let holder = Holder::play(&world, &playbook, &["--policy", "auto"]);
    until("it runs", || world.read("log.txt") == "begun\n");
    let it = call(&holder.state(), "it");
    until("it is known to run", || {
        matches!(holder.state().calls[&it].status, Status::Running(_))
    });
    world
        .run(&["cancel", &holder.id, &it.to_string(), "--reason", "too slow"])
        .ends(0);
    // Ended half-way: the outcome is unknown, and the run waits for the operator to decide it.
    until("it has ended", || {
        matches!(holder.state().calls[&it].status, Status::OutcomeUnknown(_))
    });
    let output = world.run(&["cancel", &holder.id, &it.to_string()]).ends(4);
    assert!(
        output.err.contains("only a running or approved call"),
        "{}",
        output.err
    );
    world
        .run(&[
            "resolve",
            &holder.id,
            &it.to_string(),
            "--happened",
            "\"half of it\"",
        ])
        .ends(0);
    let world = holder.world;
    assert_eq!(holder.end().ends(0).out, "half of it\n");
    assert_eq!(world.read("log.txt"), "begun\n");
}

#[test]
fn an_edit_of_a_running_session_is_undone_and_done_again() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    holder.approve("start");
    holder.waiting("copy");
    holder.waiting("second");
    let thought = node(&holder.state(), NodeKind::Thought, "copy the first");
    let edit = ["edit", &holder.id, &thought, "--text", "I copy the last line."];
    world.run(&edit).ends(0);
    until("the model was asked again", || {
        world.has_recorded(&holder.id, r"beta\\n")
    });
    let (copy, _) = holder.waiting("copy");
    let requests = holder.state().tally.requests;
    let preview = world.run(&["undo", &holder.id, "--preview"]).ends(0);
    assert!(preview.out.contains(&copy), "{}", preview.out);
    assert!(
        holder.state().nodes[&copy.parse().unwrap()].active,
        "only looked at"
    );
    world.run(&["undo", &holder.id]).ends(0);
    until("the first branch waits again", || {
        let state = holder.state();
        !state.nodes[&copy.parse().unwrap()].active && state.queue().count() == 2
    });
    assert_eq!(holder.state().tally.requests, requests, "nobody was asked");
    world
        .run(&["branches", &holder.id, "name", "1", "the last line"])
        .ends(0);
    let output = world.run(&["branches", &holder.id]).ends(0);
    assert!(output.out.contains("the last line"), "{}", output.out);
    world.run(&["switch", &holder.id, "1"]).ends(0);
    until("the other branch waits again", || {
        holder.state().nodes[&copy.parse().unwrap()].active
    });
    holder.approve("copy");
    holder.approve("second");
    let world = holder.world;
    assert_eq!(holder.end().ends(0).out, "copied beta, started, logged\n");
    assert_eq!(world.read("copy.txt"), "beta\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn a_limit_is_raised_while_the_run_goes_on() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &["--max-turns", "3"]);
    holder.waiting("start");
    world.run(&["set-limits", &holder.id, "--max-turns", "9"]).ends(0);
    world.run(&["set-policy", &holder.id, "auto"]).ends(0);
    assert_eq!(holder.state().settings.limits.turns, Some(9));
    // What was asked stays a question; what follows goes by the new preset.
    holder.approve("start");
    let world = holder.world;
    assert_eq!(holder.end().ends(0).out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}
