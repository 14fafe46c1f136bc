//! Tests of unknown outcomes after a sudden end: executions in flight and broken turns.
//!
//! Must not know: how a journal is cut.

use std::process::Stdio;

use overrule::domain::call::Status;
use overrule::tools::child;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::cli::decisions::{call, executions, refused};
use crate::cli::playbooks::{STEPS, command, rule};
use crate::cli::world::{World, signal, until, wait};

/// A session whose process was killed while a command that had written to the log was running.
pub fn killed(world: &World) -> String {
    let playbook = command("echo begun >> log.txt; if test -e again; then echo done; else sleep 600; fi");
    let mut running = world.playing(&playbook, &["--policy", "auto"]);
    let child = running
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the command runs", || world.read("log.txt") == "begun\n");
    // The command can be quicker than the record of its process.
    until("its process is on record", || {
        world.has_recorded(&world.id(), "call.spawned")
    });
    signal(&child, Signal::KILL);
    assert_eq!(wait(child).code, None);
    world.id()
}

/// Ends what the killed process had started and what still runs of it; gives its process id.
fn end_the_rest(world: &World, id: &str) -> i32 {
    let state = world.state(id);
    let mut attempts = state.calls.values().flat_map(|call| &call.attempts);
    let (pid, ticks) = attempts.find_map(|one| one.launch.process).unwrap();
    let group = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    // What has ended by itself need not be ended.
    let _ = kill_process_group(group, Signal::KILL);
    until("all of it has ended", || !child::still_running(pid, ticks));
    group.as_raw_nonzero().get()
}

#[test]
fn an_effect_of_unknown_outcome_is_never_repeated_by_itself() {
    let world = World::new();
    let id = killed(&world);
    for _ in 0..2 {
        let output = world
            .run(&["resume", &id, "--headless", "--policy", "auto"])
            .ends(4);
        for message in ["--happened", "--did-not", &id, "outcome unknown: #"] {
            assert!(output.err.contains(message), "no `{message}` in {}", output.err);
        }
    }
    assert_eq!(world.read("log.txt"), "begun\n");
    let it = call(&world.state(&id), "it");
    let output = world.run(&["queue", &id]).ends(0);
    assert!(output.out.contains(&it.to_string()), "{}", output.out);
    for verb in [
        &["approve", &id, &it.to_string(), "--digest", "0123456789abcdef"][..],
        &["reject", &id, &it.to_string()],
        &["answer", &id, &it.to_string(), "--value", "1"],
        &["retry", &id, &it.to_string()],
    ] {
        refused(&world, verb, 4);
    }
}

#[test]
fn it_happened_and_this_is_its_result() {
    let world = World::new();
    let id = killed(&world);
    let it = call(&world.state(&id), "it");
    // Immediately after the kill, before any resume.
    refused(
        &world,
        &["resolve", &id, &it.to_string(), "--happened", "no json"],
        2,
    );
    let output = world
        .run(&[
            "resolve",
            &id,
            &it.to_string(),
            "--happened",
            "\"as I saw\"",
            "--resume",
        ])
        .ends(0);
    assert_eq!(output.out, "as I saw\n");
    assert_eq!(world.read("log.txt"), "begun\n");
    assert_eq!(executions(&world.state(&id), it), 1);
    refused(&world, &["resolve", &id, &it.to_string(), "--did-not"], 4);
}

#[test]
fn it_did_not_happen_and_runs_again() {
    let world = World::new();
    let id = killed(&world);
    world.file("again", "");
    let it = call(&world.state(&id), "it");
    end_the_rest(&world, &id);
    world.run(&["resolve", &id, &it.to_string(), "--did-not"]).ends(0);
    assert_eq!(world.read("log.txt"), "begun\n", "recorded, and nothing ran");
    let output = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "done\n");
    assert_eq!(world.read("log.txt"), "begun\nbegun\n");
    assert_eq!(executions(&world.state(&id), it), 2);
}

#[test]
fn while_it_still_runs_nobody_can_say_that_it_did_not_happen() {
    let world = World::new();
    let id = killed(&world);
    let it = call(&world.state(&id), "it").to_string();
    let message = |out: &str| out.contains("still runs as process") && out.contains("wait for its end");
    let output = world.run(&["queue", &id]).ends(0);
    assert!(message(&output.out), "{}", output.out);
    let output = world.run(&["resolve", &id, &it, "--did-not"]).ends(4);
    assert!(output.err.contains("it may happen yet"), "{}", output.err);
    let pid = end_the_rest(&world, &id);
    assert!(
        output.err.contains(&format!("`kill -- -{pid}`")),
        "{}",
        output.err
    );
    let output = world.run(&["queue", &id]).ends(0);
    assert!(
        output.out.contains("outcome unknown") && !message(&output.out),
        "{}",
        output.out
    );
    world.run(&["resolve", &id, &it, "--did-not"]).ends(0);
}

#[test]
fn it_is_left_unknown_and_does_not_run_again() {
    let world = World::new();
    let id = killed(&world);
    world.file("again", "");
    let it = call(&world.state(&id), "it");
    let name = it.to_string();
    world
        .run(&[
            "resolve",
            &id,
            &name,
            "--abandon",
            "--reason",
            "the office checks",
        ])
        .ends(0);
    assert_eq!(world.state(&id).calls[&it].status, Status::Abandoned);
    let output = world.run(&["queue", &id]).ends(0);
    assert!(!output.out.contains(&name), "{}", output.out);
    let output = world.run(&["effects", &id]).ends(0);
    assert!(output.out.contains("outcome unknown"), "{}", output.out);
    world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(world.read("log.txt"), "begun\n", "nothing ran");
    assert_eq!(executions(&world.state(&id), it), 1);
    refused(&world, &["resolve", &id, &name, "--abandon"], 4);
}

#[test]
fn resolve_wants_to_know_which() {
    let world = World::new();
    let id = killed(&world);
    refused(&world, &["resolve", &id, "c3"], 2);
    refused(&world, &["resolve", &id, "c3", "--did-not", "--happened", "1"], 2);
    refused(&world, &["resolve", &id, "c99", "--did-not"], 2);
}

#[test]
fn a_title_given_after_a_crash_takes_the_session_over() {
    let world = World::new();
    let id = killed(&world);
    world.run(&["sessions", "name", &id, "crashed"]).ends(0);
    let state = world.state(&id);
    assert_eq!(state.settings.title.as_deref(), Some("crashed"));
    let it = call(&state, "it");
    assert!(matches!(
        state.call(it).unwrap().status,
        Status::OutcomeUnknown(_)
    ));
    world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(4);
    assert_eq!(world.read("log.txt"), "begun\n");
}

#[test]
fn a_broken_turn_can_be_asked_again() {
    let world = World::new();
    world
        .play(&rule("think = \"Well.\"\nfail = \"garbage\""), &[])
        .ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let requests = world.state(&id).tally.requests;
    refused(&world, &["ask-again", &id, "1"], 4);
    refused(&world, &["ask-again", &id, "99"], 2);
    let good = world.aside("good.toml", &rule("answer = \"at last\""));
    let output = world
        .run(&[
            "ask-again",
            &id,
            &turn,
            "--resume",
            "--model",
            "scripted",
            "--playbook",
            &good,
        ])
        .ends(0);
    assert_eq!(output.out, "at last\n");
    assert_eq!(
        world.state(&id).tally.requests,
        requests + 1,
        "one request was made, and one is counted"
    );
}

#[test]
fn what_arrived_of_a_broken_turn_can_be_kept() {
    let world = World::new();
    let breaks = "[meta]\nname = \"breaks\"\n\
                  [[rule]]\nwhen = { seen_call = \"notes\" }\nanswer = \"kept\"\n\
                  [[rule]]\nthink = \"Look.\"\nfail = \"garbage\"\n\
                  [[rule.call]]\ntool = \"read_file\"\nas = \"notes\"\nargs = { path = \"notes.txt\" }\n";
    world.play(breaks, &[]).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let output = world.run(&["keep", &id, &turn, "--resume"]).ends(0);
    assert_eq!(output.out, "kept\n");
    let state = world.state(&id);
    assert_eq!(executions(&state, call(&state, "notes")), 1);
    refused(&world, &["keep", &id, &turn], 4);
}

#[test]
fn a_turn_that_was_cut_after_a_call_goes_on_with_what_arrived() {
    let world = World::new();
    let cut = "[meta]\nname = \"cut\"\n\
               [[rule]]\nwhen = { seen_call = \"log\" }\nanswer = \"went on\"\n\
               [[rule]]\nthink = \"Look.\"\nfail = \"truncated\"\n\
               [[rule.call]]\ntool = \"shell\"\nas = \"log\"\nargs = { command = \"echo once >> log.txt\" }\n";
    let output = world.play(cut, &["--policy", "auto"]).ends(0);
    assert_eq!(output.out, "went on\n");
    assert_eq!(world.read("log.txt"), "once\n");
}

#[test]
fn a_session_that_died_before_its_first_prompt_still_knows_its_task() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let first = world.journal(&id).lines().next().unwrap().to_owned();
    std::fs::write(world.place(&id).journal(), format!("{first}\n")).unwrap();
    world.own(&id);
    std::fs::remove_file(world.ws().join("log.txt")).unwrap();
    let output = world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
}

#[test]
fn what_was_decided_elsewhere_is_decided_anew_and_not_failed() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    // Cut where the first command was decided on and not begun.
    let journal = world.journal(&id);
    let started: Vec<usize> = journal
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.contains("call.started"))
        .map(|(_, number)| number)
        .collect();
    let before: String = journal.split_inclusive('\n').take(started[1] - 1).collect();
    std::fs::write(world.place(&id).journal(), before).unwrap();
    world.own(&id);
    std::fs::remove_file(world.ws().join("log.txt")).unwrap();
    // What a child is given there is not the same, so it is not the same call any more.
    let mut command = world.command(&["resume", &id, "--headless", "--policy", "auto"]);
    command.env("LC_MESSAGES", "C").env("TZ", "UTC");
    let output = crate::cli::world::finish(command).ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn asking_again_twice_before_anybody_goes_on_asks_once() {
    let world = World::new();
    world
        .play(&rule("think = \"Well.\"\nfail = \"garbage\""), &[])
        .ends(6);
    let id = world.id();
    let state = world.state(&id);
    let turn = state.turns.keys().last().unwrap().0.to_string();
    for _ in 0..2 {
        world.run(&["ask-again", &id, &turn]).ends(0);
        assert_eq!(
            world.state(&id).tally.requests,
            state.tally.requests,
            "none was sent"
        );
    }
    let good = world.aside("good.toml", &rule("answer = \"at last\""));
    let resume = [
        "resume",
        &id,
        "--headless",
        "--model",
        "scripted",
        "--playbook",
        &good,
    ];
    assert_eq!(world.run(&resume).ends(0).out, "at last\n");
    assert_eq!(world.state(&id).tally.requests, state.tally.requests + 1);
}

#[test]
fn the_queue_of_a_killed_run_shows_what_is_in_doubt() {
    let world = World::new();
    let id = killed(&world);
    let it = call(&world.state(&id), "it").to_string();
    let before = world.everything();
    let output = world.run(&["queue", &id]).ends(0);
    assert!(
        output.out.contains(&format!("{it} outcome unknown · shell")),
        "{}",
        output.out
    );
    assert_eq!(world.everything(), before, "to look is not to take over");
    end_the_rest(&world, &id);
    let output = world.run(&["resolve", &id, &it, "--did-not"]).ends(0);
    assert!(output.out.starts_with("recorded as #"));
}
