//! Tests of a server that dies, floods, answers wrongly or not at all: it costs its own calls only.
//!
//! Must not know: how the program works inside.

use overrule::domain::call::{Outcome, Status};
use overrule::domain::state::{LedgerOutcome, State};
use serde_json::json;

use crate::mcp::servers::{ALLOW, Served, is_running};

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
        let playbook = crate::mcp::servers::playbook(&[(fault, json!({})), ("echo", json!({"text": "a"}))]);
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
    let playbook = crate::mcp::servers::playbook(&[("die", json!({}))]);
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
    for (tool, words) in [("ask", "\"action\":\"decline\""), ("sample", "sampling")] {
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
    crate::mcp::world::until("the call arrived", || !served.calls().is_empty());
    crate::mcp::world::signal(&child, rustix::process::Signal::INT);
    crate::mcp::world::wait(child).ends(130);
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
        "quits": crate::mcp::servers::server(&served.world, &[("FAULTY_START", "exit")]),
        "bad": crate::mcp::servers::server(&served.world, &[]),
    }});
    served.world.file(".mcp.json", &file.to_string());
    served.trust();
    let said = served.world.run(&["tools", "list"]).ends(1);
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
    crate::mcp::world::until("the call arrived", || !served.calls().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    crate::mcp::world::until("the server ended", || !is_running(&served.world));
}

#[test]
fn a_key_that_a_server_repeats_is_in_no_result_error_notice_log_or_record() {
    const KEY: &str = " canary\"4711";
    let served = Served::new(&[("FAULTY_TOKEN", KEY)]);
    // A text of the arguments is not the server's: it stays in the record of the call.
    for (tool, args) in [
        ("structure", "{}"),
        ("slow", "{}"),
        ("fail", "{}"),
        ("refuse", "{}"),
        ("die", "{}"),
    ] {
        let said = served.call(tool, args);
        let words = format!("{}{}", said.out, said.err);
        assert!(!words.contains("canary"), "{tool}: {words}");
        if matches!(tool, "structure" | "fail" | "refuse") {
            assert!(words.contains("[redacted 1"), "{tool}: {words}");
        }
        served.play(&[(tool, json!({}))], ALLOW);
        let session = served.world.sessions().join(served.world.ids().pop().unwrap());
        let mut dirs = vec![session];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir).unwrap().flatten() {
                if entry.path().is_dir() {
                    dirs.push(entry.path());
                } else {
                    let text = std::fs::read(entry.path()).unwrap();
                    let text = String::from_utf8_lossy(&text);
                    assert!(!text.contains("canary"), "{tool}: {}", entry.path().display());
                }
            }
        }
    }
}

#[test]
fn a_call_whose_server_ended_says_how_it_ended_and_not_that_it_was_cancelled() {
    let served = Served::new(&[]);
    for (fault, words) in [
        ("die", "exit status: 9, and said: dying now"),
        ("flood", "the connection ended"),
    ] {
        let said = served.call(fault, "{}");
        let text = format!("{}{}", said.out, said.err);
        for words in ["the server ended while the call ran", "outcome unknown", words] {
            assert!(text.contains(words), "{fault}: no `{words}` in {text}");
        }
        assert!(!text.contains("cancelled"), "{fault}: {text}");
        // The same in a run, where the operator decides what happened.
        let said = served.play(&[(fault, json!({}))], ALLOW).ends(4);
        assert!(
            said.err
                .contains("its outcome is unknown (the call has no answer: the server ended"),
            "{}",
            said.err
        );
        assert!(!said.err.contains("cancelled"), "{fault}: {}", said.err);
    }
}
