//! Tests of what a server asks the operator while a call of it runs.
//!
//! Must not know: how the program works inside.

use std::process::Stdio;

use overrule::domain::call::{Outcome, Status};
use overrule::domain::state::State;
use overrule::domain::thread::ROOT;
use overrule::domain::transcript::build;
use serde_json::json;

use crate::mcp::servers::{ALLOW, Served, is_running, playbook};
use crate::mcp::world::{until, wait};

/// The question of the server, and the call of this tool that asks.
fn calls_of<'s>(
    state: &'s State,
    asks: &str,
) -> (&'s overrule::domain::call::Call, &'s overrule::domain::call::Call) {
    let tool = |name: &str| {
        let mut calls = state.calls.values();
        let mut found = calls.find(|call| {
            state.nodes[&call.id]
                .as_call()
                .is_some_and(|(tool, _)| **tool == *name)
        });
        found.take()
    };
    (
        tool("ask_operator").expect("a question"),
        tool(asks).expect("the call"),
    )
}

fn calls(state: &State) -> (&overrule::domain::call::Call, &overrule::domain::call::Call) {
    calls_of(state, "bad__ask")
}

#[test]
fn the_operator_answers_a_server_from_the_shell_and_no_model_sees_the_question() {
    let served = Served::new(&[]);
    let world = &served.world;
    let policy = world.aside("policy.toml", ALLOW);
    let config = world.aside("patient.toml", "[policy]\ndeadline = \"1h\"\n");
    let text = playbook(&[("ask", json!({}))]);
    let mut command = world.playing(&text, &["--policy", &policy, "--config", &config, "--control"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the server asks", || {
        let id = world.ids().pop();
        let journal = id.map(|id| std::fs::read_to_string(world.sessions().join(id).join("journal.jsonl")));
        journal.is_some_and(|text| text.unwrap_or_default().contains("\"type\":\"call.asked\""))
    });
    let id = world.id();
    let queue = world.run(&["queue", &id]).ends(0).out;
    assert!(
        queue.contains("The MCP server bad asks") && queue.contains("Your name?"),
        "{queue}"
    );
    let state = world.state(&id);
    let (question, asks) = calls(&state);
    assert!(matches!(asks.status, Status::Running(_)));
    let name = question.id.to_string();
    world.run(&["answer", &id, &name, "--value", "\"Ada\""]).ends(0);
    let said = wait(child).ends(0);
    assert!(said.out.contains("Ada"), "{}{}", said.out, said.err);
    let state = world.state(&id);
    let (question, asks) = calls(&state);
    assert_eq!(question.status, Status::Succeeded);
    let Some(Outcome::Ok { value, .. }) = &asks.attempts[0].outcome else {
        panic!("{asks:?}")
    };
    assert!(value.contains("accept") && value.contains("Ada"), "{value}");
    // The model is shown the call and its result alone.
    let seen = format!("{:?}", build::messages(&state, ROOT, None));
    assert!(
        seen.contains("bad__ask") && !seen.contains("ask_operator") && !seen.contains("Your name?"),
        "{seen}"
    );
    assert!(!is_running(world));
}

#[test]
fn without_an_operator_the_policy_declines() {
    let served = Served::new(&[]);
    let said = served.play(&[("ask", json!({}))], ALLOW).ends(0);
    assert!(said.out.contains("decline"), "{}{}", said.out, said.err);
    let state = served.world.state(&served.world.id());
    let (question, asks) = calls(&state);
    assert!(
        question.status.is_settled() && question.status != Status::Succeeded,
        "{question:?}"
    );
    assert_eq!(asks.status, Status::Succeeded);
}

#[test]
fn a_question_that_the_server_takes_back_leaves_the_queue_while_its_call_runs() {
    let served = Served::new(&[]);
    let world = &served.world;
    let policy = world.aside("policy.toml", ALLOW);
    let config = world.aside("patient.toml", "[policy]\ndeadline = \"1h\"\n");
    let text = playbook(&[("give_up", json!({}))]);
    let said = world
        .playing(&text, &["--policy", &policy, "--config", &config, "--control"])
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let state = world.state(&world.id());
    let (question, asks) = calls_of(&state, "bad__give_up");
    assert_eq!(question.status, Status::Rejected);
    let why = question.validation.because.as_deref();
    assert_eq!(
        why,
        Some("the server no longer asks"),
        "not because its call ended"
    );
    assert_eq!(asks.status, Status::Succeeded);
    let replied = std::fs::read_to_string(world.sessions().join(world.id()).join("servers/bad.log"));
    assert!(!replied.unwrap_or_default().contains("accept"));
}
