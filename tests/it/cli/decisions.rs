//! Tests of verbs that decide on a call of a recorded session, or on the whole run.
//!
//! Must not know: edits of the graph.
//!
//! The verbs are approve, reject, answer, retry and consent.

use std::process::Stdio;

use overrule::domain::call::Status;
use overrule::domain::id::NodeId;
use overrule::domain::state::{LedgerOutcome, State};
use rustix::process::Signal;

use crate::cli::playbooks::STEPS;
use crate::cli::world::{Said, World, signal, until, wait};

/// Questions stay open for an hour, so that a run without an operator waits.
const PATIENT: &str = "[policy]\npreset = \"guarded\"\ndeadline = \"1h\"\n";

/// A session of [`STEPS`] that was interrupted while its first shell call waited for approval.
pub fn waiting(world: &World) -> String {
    interrupted(world, STEPS, 1)
}

/// A session that was interrupted while this many calls waited for approval.
pub fn interrupted(world: &World, playbook: &str, calls: usize) -> String {
    let config = world.aside("patient.toml", PATIENT);
    let mut command = world.playing(playbook, &["--config", &config]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("calls wait", || {
        let ids = world.ids();
        ids.last().is_some_and(|id| {
            let path = world.sessions().join(id).join("journal.jsonl");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            // What only looks has ended by then, so that the session is at rest.
            text.matches(r#""type":"call.asked""#).count() == calls
                && text.matches(r#""type":"call.started""#).count()
                    == text.matches(r#""type":"call.finished""#).count()
        })
    });
    signal(&child, Signal::TERM);
    wait(child).ends(143);
    world.ids().pop().unwrap()
}

/// The call of a label.
pub fn call(state: &State, label: &str) -> NodeId {
    let found = state.calls.values().rfind(|call| *call.label == *label);
    found.unwrap_or_else(|| panic!("no call `{label}`")).id
}

/// What the queue prints of a call for programs.
fn waits(world: &World, id: &str, call: NodeId) -> serde_json::Value {
    let output = world.run(&["queue", id, "--json"]).ends(0);
    let line = output
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|line| line["call"] == call.to_string());
    line.unwrap()
}

/// The digest that the queue prints for a call.
pub fn digest(world: &World, id: &str, call: NodeId) -> String {
    waits(world, id, call)["digest"].as_str().unwrap().to_owned()
}

/// Runs a verb and fails unless it is refused with this code and changes nothing.
#[track_caller]
pub fn refused(world: &World, args: &[&str], code: i32) -> Said {
    let before = world.everything();
    let output = world.run(args).ends(code);
    assert_eq!(output.out, "");
    assert!(!output.err.trim().is_empty());
    assert_eq!(world.everything(), before, "{args:?} changed something");
    output
}

/// How often a call was executed.
pub fn executions(state: &State, call: NodeId) -> usize {
    state.ledger.values().filter(|entry| entry.call == call).count()
}

#[test]
fn the_queue_shows_what_waits_with_its_exact_arguments() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    let output = world.run(&["queue", &id]).ends(0);
    assert!(
        output.out.contains(&format!(
            "{start} runs 2 commands · guarded asks about commands · shell"
        )),
        "{}",
        output.out
    );
    assert!(output.out.contains("echo start >> log.txt; echo started"));
    assert!(output.out.contains(&digest(&world, &id, start)));
    assert!(!output.out.contains("it repeats"), "{}", output.out);
    assert_eq!(waits(&world, &id, start)["repeats"], serde_json::json!([]));
    // Looking takes no lock and writes nothing.
    let before = world.everything();
    world.run(&["queue", "last"]).ends(0);
    assert_eq!(world.everything(), before);
}

#[test]
fn an_approval_names_what_was_seen() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start").to_string();
    refused(
        &world,
        &["approve", &id, &start, "--digest", "0123456789abcdef"],
        4,
    );
    let whole = digest(&world, &id, start.parse().unwrap());
    refused(&world, &["approve", &id, &start, "--digest", &whole[..8]], 4);
    refused(&world, &["approve", &id, "c99", "--digest", &whole], 2);
    refused(&world, &["approve", &id, "t2", "--digest", &whole], 2);
    refused(&world, &["approve", "0000", &start, "--digest", &whole], 7);
    let output = world.run(&["approve", &id, &start, "--digest", &whole]).ends(0);
    assert!(output.out.starts_with("recorded as #"), "{}", output.out);
    // Decided, on disk, and nothing has run.
    assert_eq!(world.read("log.txt"), "");
    let state = world.state(&id);
    let decided = state.call(start.parse().unwrap()).unwrap();
    assert_eq!(decided.status, Status::Queued);
    refused(&world, &["approve", &id, &start, "--digest", &whole], 4);
    // It runs once when the session resumes; the next question waits again.
    let output = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    let effects = world.run(&["effects", &id]).ends(0).out;
    assert_eq!(effects.matches("approved (shell)").count(), 1, "{effects}");
    assert!(effects.contains("allowed by"), "{effects}");
    let state = world.state(&id);
    assert_eq!(
        executions(&state, call(&state, "notes")),
        1,
        "the read was not repeated"
    );
}

#[test]
fn an_approval_can_go_on_at_once() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    let seen = digest(&world, &id, start);
    let output = world
        .run(&[
            "approve",
            &id,
            &start.to_string(),
            "--digest",
            &seen[..16],
            "--resume",
            "--headless",
        ])
        .ends(0);
    // Without a configuration no question stays open for an hour: the next calls are not approved.
    assert!(output.out.contains("without copy and second"), "{}", output.out);
    assert_eq!(world.read("log.txt"), "start\n");
}

#[test]
fn a_rejection_reaches_the_model_with_its_reason() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start").to_string();
    let output = world
        .run(&[
            "reject",
            &id,
            &start,
            "--reason",
            "not on my machine",
            "--resume",
            "--headless",
        ])
        .ends(0);
    assert!(output.out.contains("without start"), "{}", output.out);
    assert_eq!(world.read("log.txt"), "");
    assert!(world.journal(&id).contains("not on my machine"));
    let before = world.journal(&id);
    refused(&world, &["reject", &id, &start], 4);
    assert_eq!(world.journal(&id), before);
}

#[test]
fn an_answer_by_hand_counts_as_the_result_and_nothing_runs() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start").to_string();
    let output = refused(&world, &["answer", &id, &start, "--value", "not json"], 2);
    assert!(output.err.contains("double quotes"), "{}", output.err);
    let output = world
        .run(&[
            "answer",
            &id,
            &start,
            "--value",
            "\"by hand\"",
            "--resume",
            "--policy",
            "auto",
        ])
        .ends(0);
    assert_eq!(output.out, "copied alpha, by hand, logged\n");
    assert_eq!(world.read("log.txt"), "second\n");
    let state = world.state(&id);
    assert_eq!(executions(&state, call(&state, "start")), 0);
}

#[test]
fn a_repeated_effect_needs_consent() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let second = call(&world.state(&id), "second").to_string();
    world.run(&["retry", &id, &second]).ends(0);
    let state = world.state(&id);
    assert!(
        matches!(
            state.call(second.parse().unwrap()).unwrap().status,
            Status::Consent(_)
        ),
        "a policy that lets everything go does not repeat an effect"
    );
    // What it would repeat is named.
    let first = state
        .ledger
        .values()
        .rfind(|entry| entry.call.to_string() == second);
    let first = first.unwrap().seq;
    let output = world.run(&["queue", &id]).ends(0);
    let words = format!("it repeats {second} {first}, succeeded; still active");
    assert!(output.out.contains(&words), "{}", output.out);
    let message = waits(&world, &id, second.parse().unwrap());
    let message = message["repeats"].as_array().unwrap();
    assert_eq!(message.len(), 1);
    assert_eq!(
        (&message[0]["entry"], &message[0]["call"], &message[0]["outcome"]),
        (
            &serde_json::json!(first),
            &serde_json::json!(second),
            &serde_json::json!("ok")
        )
    );
    // No operator is there to consent.
    let output = world.run(&["resume", &id, "--headless"]).ends(4);
    assert!(output.err.contains("overrule consent"), "{}", output.err);
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    let seen = digest(&world, &id, second.parse().unwrap());
    refused(
        &world,
        &["consent", &id, &second, "--digest", "0123456789ab", "run-again"],
        4,
    );
    refused(&world, &["approve", &id, &second, "--digest", &seen], 4);
    let output = world
        .run(&[
            "consent",
            &id,
            &second,
            "--digest",
            &seen,
            "run-again",
            "--resume",
        ])
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\nsecond\n");
    let state = world.state(&id);
    for label in ["notes", "start", "copy"] {
        assert_eq!(executions(&state, call(&state, label)), 1, "{label}");
    }
}

#[test]
fn consent_can_take_the_recorded_result_or_none() {
    for (choice, answer) in [
        ("reuse", "copied alpha, started, logged\n"),
        ("reject", "without second\n"),
    ] {
        let world = World::new();
        world.play(STEPS, &["--policy", "auto"]).ends(0);
        let id = world.id();
        let second = call(&world.state(&id), "second");
        world.run(&["retry", &id, &second.to_string()]).ends(0);
        let seen = digest(&world, &id, second);
        let output = world
            .run(&[
                "consent",
                &id,
                &second.to_string(),
                "--digest",
                &seen,
                choice,
                "--resume",
            ])
            .ends(0);
        assert_eq!(output.out, answer, "{choice}");
        assert_eq!(world.read("log.txt"), "start\nsecond\n", "{choice}");
    }
}

#[test]
fn a_read_is_run_again_without_a_question_and_what_saw_the_same_stands() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let requests = world.state(&id).tally.requests;
    let notes = call(&world.state(&id), "notes");
    let output = world.run(&["retry", &id, &notes.to_string(), "--resume"]).ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    let state = world.state(&id);
    assert_eq!(executions(&state, notes), 2);
    assert_eq!(
        state.tally.requests, requests,
        "an equal result changes nothing: nobody was asked again"
    );
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    // With another result, the model is asked again from there.
    world.file("notes.txt", "gamma\n");
    let output = world.run(&["retry", &id, &notes.to_string(), "--resume"]).ends(0);
    assert_eq!(output.out, "copied gamma, started, logged\n");
    let state = world.state(&id);
    assert!(state.tally.requests > requests);
    assert_eq!(
        world.read("log.txt"),
        "start\nsecond\n",
        "an equal effect was not repeated"
    );
    assert_eq!(executions(&state, call(&state, "start")), 1);
}

#[test]
fn a_paused_session_stays_paused_until_it_is_unpaused() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    world.run(&["pause", &id, "--reason", "lunch"]).ends(0);
    refused(&world, &["pause", &id], 4);
    let seen = digest(&world, &id, start);
    world
        .run(&["approve", &id, &start.to_string(), "--digest", &seen])
        .ends(0);
    let output = world.run(&["resume", &id, "--headless"]).ends(4);
    for message in ["lunch", "overrule unpause"] {
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
    assert_eq!(world.read("log.txt"), "");
    let output = world
        .run(&["unpause", &id, "--resume", "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    refused(&world, &["step", &id], 4);
}

#[test]
fn a_step_of_a_paused_session_is_kept_for_the_one_who_goes_on() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    world.run(&["pause", &id]).ends(0);
    let seen = digest(&world, &id, start);
    world
        .run(&["approve", &id, &start.to_string(), "--digest", &seen])
        .ends(0);
    let requests = world.state(&id).tally.requests;
    world.run(&["step", &id, "--resume", "--headless"]).ends(4);
    assert_eq!(
        world.read("log.txt"),
        "start\n",
        "the approved call was let through"
    );
    let state = world.state(&id);
    assert_eq!(state.tally.requests, requests, "and no request");
    assert!(matches!(
        state.ledger.values().last().unwrap().outcome,
        LedgerOutcome::Known(_)
    ));
}

#[test]
fn a_stopped_session_starts_nothing() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    let seen = digest(&world, &id, start);
    world.run(&["stop", &id, "--reason", "enough"]).ends(0);
    refused(&world, &["stop", &id], 4);
    refused(
        &world,
        &["approve", &id, &start.to_string(), "--digest", &seen],
        4,
    );
    let output = world.run(&["resume", &id, "--headless"]).ends(4);
    assert!(output.err.contains("enough"), "{}", output.err);
    assert_eq!(world.read("log.txt"), "");
    world.run(&["unpause", &id]).ends(0);
    let output = world
        .run(&["reject", &id, &start.to_string(), "--resume", "--headless"])
        .ends(0);
    assert_eq!(output.out, "without start\n");
}
