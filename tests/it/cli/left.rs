//! Tests of executions that an edit left running or with an unknown outcome.
//!
//! Must not know: what the console shows.
//!
//! They check how such executions end, what can be found out, and that orphan processes are
//! reported.

use std::process::Stdio;

use overrule::domain::id::{NodeId, NodeKind};
use overrule::domain::orphan_process::OrphanProcess;
use overrule::domain::state::LedgerOutcome;
use overrule::tools::child;
use rustix::process::Signal;

use crate::cli::control::holder::Holder;
use crate::cli::decisions::call;
use crate::cli::playbooks::command;
use crate::cli::world::{World, until};

/// A command that does not end when it is asked to, while the reply still arrives.
const STUBBORN: &str = r#"
[meta]
name = "stubborn"
[[rule]]
when = { thought = "rather" }
answer = "rather then"
[[rule]]
think = "first"
fail = "hang"
[[rule.call]]
tool = "shell"
as = "b"
args = { command = "trap '' TERM; echo b >> log.txt; sleep 300; sleep 300" }
"#;

/// Writes a file; after a rewritten thought it answers with the notice about that file.
pub const WRITES: &str = r#"
[meta]
name = "writes"
[[rule]]
when = { thought = "else" }
answer = "else: {{ notice or 'no notice' }}"
[[rule]]
when = { done = ["w"] }
answer = "written"
[[rule]]
think = "first"
[[rule.call]]
tool = "write_file"
as = "w"
args = { path = "out.txt", content = "ONE" }
"#;

fn thought(world: &World, id: &str) -> NodeId {
    let state = world.state(id);
    let found = state.nodes.keys().find(|node| node.kind == NodeKind::Thought);
    *found.unwrap()
}

/// Keeps the journal up to the first record with these words, and that one where it is wanted.
fn cut(world: &World, id: &str, words: &str, with: bool) {
    let journal = world.journal(id);
    let at = journal.lines().position(|line| line.contains(words)).unwrap();
    let stored: String = journal
        .split_inclusive('\n')
        .take(at + usize::from(with))
        .collect();
    std::fs::write(world.place(id).journal(), stored).unwrap();
    world.own(id);
}

/// A run that ended while a command that it had given up was still ending.
fn ended_before_its_command(world: &World) -> String {
    let holder = Holder::play(world, STUBBORN, &["--policy", "auto"]);
    until("the command runs", || world.read("log.txt") == "b\n");
    let id = holder.id.clone();
    let first = thought(world, &id).to_string();
    world.run(&["edit", &id, &first, "--text", "rather do"]).ends(0);
    assert_eq!(holder.end().ends(0).out, "rather then\n");
    id
}

fn outcome(world: &World, id: &str) -> LedgerOutcome {
    let state = world.state(id);
    let entry = state.ledger.values().next().unwrap();
    entry.outcome.clone()
}

#[test]
fn the_end_of_what_was_given_up_is_recorded_though_the_run_ends_first() {
    let world = World::new();
    let id = ended_before_its_command(&world);
    assert_eq!(outcome(&world, &id), LedgerOutcome::Unknown);
    let output = world.run(&["effects", &id]).ends(0);
    assert!(output.out.contains("outcome unknown"), "{}", output.out);
    let b = call(&world.state(&id), "b").to_string();
    world.run(&["resolve", &id, &b, "--did-not"]).ends(0);
    assert_eq!(outcome(&world, &id), LedgerOutcome::DidNot);
}

#[test]
fn what_ran_when_the_program_was_killed_runs_no_more_though_no_call_waits_for_it() {
    let world = World::new();
    let id = ended_before_its_command(&world);
    // As if it had been killed before the command ended.
    cut(&world, &id, r#""type":"call.finished""#, false);
    assert_eq!(outcome(&world, &id), LedgerOutcome::Running, "it is recorded so");
    let output = world.run(&["effects", &id]).ends(0);
    assert!(output.out.contains("outcome unknown"), "{}", output.out);
    assert!(!output.out.contains("running"), "{}", output.out);
    let b = call(&world.state(&id), "b").to_string();
    let happened = ["resolve", &id, &b, "--happened", "\"b\""];
    world.run(&happened).ends(0);
    assert!(matches!(outcome(&world, &id), LedgerOutcome::Known(_)));
}

#[test]
fn a_process_that_lives_on_is_told_of_though_an_edit_took_its_place() {
    let world = World::new();
    let mut run = world.playing(&command("sleep 600 & echo $$ > pid; wait"), &["--policy", "auto"]);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the command runs", || world.read("pid").ends_with('\n'));
    let id = world.id();
    let pid = world.read("pid").trim().to_owned();
    until("it is recorded", || world.has_recorded(&id, "call.spawned"));
    child.kill().unwrap();
    child.wait().unwrap();
    let it = call(&world.state(&id), "it").to_string();
    let edit = |more: &[&str]| {
        let args = r#"{"_as":"it","command":"echo new"}"#;
        let mut verb = vec!["edit", &id, &it, "--args", args];
        verb.extend(more);
        world.run(&verb).ends(0)
    };
    let group = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    // Linux has ended the shell with the program already; elsewhere it continues until it is killed.
    let _ = rustix::process::kill_process(group, Signal::KILL);
    let lives = format!("what it started still runs as process group {pid}");
    let state = world.state(&id);
    let (of, ticks) = state
        .calls
        .values()
        .flat_map(|call| &call.attempts)
        .find_map(|one| one.launch.process)
        .unwrap();
    until("the shell has ended", || {
        child::orphan_process(of, ticks) == Some(OrphanProcess::Group)
    });
    edit(&["--preview"]).tells(&lives);
    edit(&[]).tells(&lives);
    let output = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    let output = output.tells(&lives).tells("the run does not wait for it");
    assert_eq!(output.out, "new\n");
    rustix::process::kill_process_group(group, Signal::KILL).unwrap();
}

#[test]
fn what_came_of_a_write_is_found_out_though_an_edit_took_its_place() {
    for happened in [true, false] {
        let world = World::new();
        world.play(WRITES, &["--policy", "auto"]).ends(0);
        let id = world.id();
        cut(&world, &id, r#""type":"call.started""#, true);
        if !happened {
            std::fs::remove_file(world.ws().join("out.txt")).unwrap();
        }
        let first = thought(&world, &id).to_string();
        world.run(&["edit", &id, &first, "--text", "else"]).ends(0);
        assert_eq!(outcome(&world, &id), LedgerOutcome::Unknown);
        let output = world
            .run(&["resume", &id, "--headless", "--policy", "auto"])
            .ends(0);
        let message = if happened { "Already happened" } else { "no notice" };
        assert!(output.out.contains(message), "{}", output.out);
        assert!(!output.out.contains("nobody knows"), "{}", output.out);
        assert_eq!(
            matches!(outcome(&world, &id), LedgerOutcome::Known(_)),
            happened,
            "{}",
            output.err
        );
    }
}
