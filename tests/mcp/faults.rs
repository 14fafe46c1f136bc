//! Tests of a server that dies, floods, answers wrongly or not at all: it costs its own calls only.
//!
//! Must not know: how the program works inside.

use overrule::domain::call::{Outcome, Status};
use overrule::domain::state::{LedgerOutcome, State};
use serde_json::json;

use crate::servers::{ALLOW, Served, is_running};

/// The status of the only call of a tool.
fn status(state: &State, tool: &str) -> Status {
    let name = format!("bad__{tool}");
    let calls = state.calls.values();
    let mut calls = calls.filter(|call| {
        state.nodes[&call.id]
            .as_call()
            .is_some_and(|(tool, _)| **tool == *name)
    });
    calls.next().unwrap().status.clone()
}

#[test]
fn the_outcome_of_a_call_whose_server_dies_is_unknown_and_it_is_not_repeated() {
    for fault in ["die", "flood", "wrong_id", "hang"] {
        let served = Served::new(&[]);
        let config = served.world.aside("config.toml", "[mcp.bad]\ntimeout = \"2s\"\n");
        let policy = served.world.aside("policy.toml", ALLOW);
        let playbook = crate::servers::playbook(&[(fault, json!({})), ("echo", json!({"text": "a"}))]);
        let more = ["--policy", &policy, "--config", &config];
        // Without an operator the run stops: only they know what happened.
        let said = served.world.play(&playbook, &more).ends(4);
        assert!(said.err.contains("its outcome is unknown"), "{}", said.err);
        let state = served.world.state(&served.world.id());
        assert!(
            matches!(status(&state, fault), Status::OutcomeUnknown(_)),
            "{fault}: {:?}",
            status(&state, fault)
        );
        let entry = state
            .ledger
            .values()
            .find(|entry| *entry.tool == *format!("bad__{fault}"))
            .unwrap();
        assert_eq!(entry.outcome, LedgerOutcome::Unknown, "{fault}");
        let made = served
            .calls()
            .into_iter()
            .filter(|call| call.starts_with(fault))
            .count();
        assert_eq!(made, 1, "{fault} is never repeated by itself");
        assert!(!is_running(&served.world), "{fault}: a process is left");
    }
}

#[test]
fn a_reading_call_is_repeated_after_its_server_died() {
    let served = Served::new(&[]);
    let config = served
        .world
        .aside("config.toml", "[tool.bad__die]\neffect = \"read\"\n");
    let policy = served.world.aside("policy.toml", ALLOW);
    let playbook = crate::servers::playbook(&[("die", json!({}))]);
    let said = served
        .world
        .play(&playbook, &["--policy", &policy, "--config", &config]);
    said.ends(0);
    assert!(served.calls().len() > 1, "{:?}", served.calls());
    let starts = served.log().iter().filter(|line| *line == "start").count();
    assert!(starts > 1, "it was restarted");
    let state = served.world.state(&served.world.id());
    assert!(matches!(status(&state, "die"), Status::Failed(_)));
    assert!(!is_running(&served.world));
}

#[test]
fn what_a_server_says_beside_its_answer_changes_nothing() {
    let served = Served::new(&[]);
    for (tool, value) in [
        ("twice", "first"),
        ("junk", "after junk"),
        ("slow", "slow but done"),
    ] {
        assert_eq!(
            served.call(tool, "{}").ends(0).out,
            format!("{value}\n"),
            "{tool}"
        );
    }
    for (tool, words) in [("ask", "elicitation/create"), ("sample", "sampling")] {
        let said = served.call(tool, "{}").ends(0);
        assert!(said.out.contains(words), "{tool}: {}", said.out);
    }
}

#[test]
fn failures_reach_the_classes_of_the_program() {
    let served = Served::new(&[]);
    for tool in ["fail", "refuse"] {
        served.play(&[(tool, json!({}))], ALLOW).ends(0);
    }
    for (id, tool) in served.world.ids().iter().zip(["fail", "refuse"]) {
        let state = served.world.state(id);
        assert!(matches!(status(&state, tool), Status::Failed(_)), "{tool}");
        let call = state.calls.values().next().unwrap();
        let Some(Outcome::Err(error)) = call.last_attempt().and_then(|last| last.outcome.clone()) else {
            panic!("{tool}: {call:?}");
        };
        assert_eq!(error.class.label(), "parameter", "{tool}: {error:?}");
    }
}

#[test]
fn a_cancelled_call_ends_at_the_server_too() {
    let served = Served::new(&[]);
    let mut command = served.world.command(&["tools", "call", "bad__hang", "{}"]);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    crate::world::until("the call arrived", || !served.calls().is_empty());
    crate::world::signal(&child, rustix::process::Signal::INT);
    crate::world::wait(child).ends(130);
    assert!(
        served.log().iter().any(|line| line.starts_with("cancelled ")),
        "{:?}",
        served.log()
    );
    assert!(!is_running(&served.world));
}

#[test]
fn a_server_that_cannot_start_costs_nothing_else() {
    let served = Served::untrusted(&[]);
    let file = json!({ "mcpServers": {
        "none": { "command": "no-such-program-here" },
        "quits": crate::servers::server(&served.world, &[("FAULTY_START", "exit")]),
        "bad": crate::servers::server(&served.world, &[]),
    }});
    served.world.file(".mcp.json", &file.to_string());
    served.trust();
    let said = served.world.run(&["tools", "list"]).ends(0);
    assert!(
        said.out
            .contains("server none  down: cannot start `no-such-program-here`"),
        "{}",
        said.out
    );
    assert!(said.out.contains("bad__echo"), "{}", said.out);
    assert!(!is_running(&served.world));
}

#[test]
fn a_killed_program_leaves_no_server() {
    let served = Served::new(&[]);
    let mut command = served.world.command(&["tools", "call", "bad__hang", "{}"]);
    let mut child = command.spawn().unwrap();
    crate::world::until("the call arrived", || !served.calls().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    crate::world::until("the server ended", || !is_running(&served.world));
}
