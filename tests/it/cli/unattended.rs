//! Tests of how long questions of a run without a screen stay open.
//!
//! Must not know: what the policy asks about.
//!
//! The cases: a verb asks, an operator may come from another process, no operator will come.

use crate::cli::control::holder::Holder;
use crate::cli::decisions::{call, executions};
use crate::cli::world::World;

/// Reads a command and has the shell run it; answers with the outcome.
const READ_AND_RUN: &str = r#"
[meta]
name = "read and run"
[[rule]]
when = { done = ["r", "a"] }
answer = "ran: {{ result.a | trim }}"
[[rule]]
when = { failed = ["a"] }
answer = "without it"
[[rule]]
think = "I read it."
[[rule.call]]
tool = "read_file"
as = "r"
args = { path = "cmd.txt" }
[[rule.call]]
tool = "shell"
as = "a"
args = { command = "†call.r" }
"#;

/// A finished session of it without a question to the operator.
fn finished(world: &World) -> String {
    world.file("cmd.txt", "echo one >> log.txt");
    world.play(READ_AND_RUN, &["--policy", "auto"]).ends(0);
    world.id()
}

/// Approves the shell command of a run that others may command, and has it end.
fn approved(holder: Holder<'_>, id: &str) {
    let world = holder.world;
    holder.approve("a");
    holder.end().ends(0);
    let state = world.state(id);
    assert_eq!(executions(&state, call(&state, "a")), 2);
    assert_eq!(world.read("log.txt"), "one\ntwo\n");
}

/// Corrects what was read, so that another command is asked for.
fn correction<'a>(id: &'a str, read: &'a str) -> [&'a str; 7] {
    [
        "edit",
        id,
        read,
        "--value",
        "\"echo two >> log.txt\"",
        "--policy",
        "guarded",
    ]
}

#[test]
fn what_a_verb_makes_ready_waits_until_somebody_can_see_it() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (read, shell) = (call(&state, "r").observation().to_string(), call(&state, "a"));
    world.run(&correction(&id, &read)).ends(0);
    let text = world.run(&["queue", &id]).ends(0);
    assert!(
        text.out.contains(&format!(
            "{shell} runs echo two · guarded asks about commands · shell"
        )),
        "{}",
        text.out
    );
    assert!(!text.out.contains("deadline"), "it waits for ever: {}", text.out);
    let on = ["resume", &id, "--headless", "--control", "--policy", "guarded"];
    approved(Holder::start(&world, world.command(&on)), &id);
}

#[test]
fn a_verb_that_goes_on_where_others_may_command_waits_for_them() {
    let world = World::new();
    let id = finished(&world);
    let read = call(&world.state(&id), "r").observation().to_string();
    let mut verb = world.command(&correction(&id, &read));
    verb.args(["--resume", "--headless", "--control"]);
    approved(Holder::start(&world, verb), &id);
}

#[test]
fn what_a_verb_makes_ready_is_refused_at_once_where_nobody_watches_the_run() {
    let world = World::new();
    let id = finished(&world);
    let read = call(&world.state(&id), "r").observation().to_string();
    let mut args = correction(&id, &read).to_vec();
    args.extend(["--resume", "--headless"]);
    let text = world.run(&args).ends(0);
    assert_eq!(text.out, "without it\n");
    assert_eq!(world.read("log.txt"), "one\n");
}

#[test]
fn a_question_that_waited_for_an_operator_is_over_where_none_will_come() {
    let world = World::new();
    world.file("cmd.txt", "echo one >> log.txt");
    let holder = Holder::play(&world, READ_AND_RUN, &["--policy", "guarded"]);
    holder.waiting("a");
    let id = holder.kill();
    let text = world
        .run(&["resume", &id, "--headless", "--policy", "guarded"])
        .ends(0);
    assert_eq!(text.out, "without it\n");
    assert!(text.err.contains("not approved: no operator"), "{}", text.err);
    assert_eq!(world.read("log.txt"), "");
}
