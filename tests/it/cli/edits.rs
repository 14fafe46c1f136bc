//! Tests of verbs that edit the graph of a recorded session: their preview and their changes.
//!
//! Must not know: decisions on calls that wait.

use overrule::domain::id::{NodeId, NodeKind};
use overrule::domain::state::State;

use crate::cli::decisions::{call, executions, refused};
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

/// A finished run of [`STEPS`].
pub fn finished(world: &World) -> String {
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    world.id()
}

/// The newest node of a kind that counts and has these words.
pub fn node(state: &State, kind: NodeKind, words: &str) -> String {
    let found = state
        .nodes
        .values()
        .rfind(|node| node.id.kind == kind && node.active && node.text().contains(words));
    found
        .unwrap_or_else(|| panic!("no node with `{words}`"))
        .id
        .to_string()
}

/// Fails unless these calls were executed exactly once.
#[track_caller]
fn once(state: &State, calls: &[NodeId]) {
    for call in calls {
        assert_eq!(executions(state, *call), 1, "{call}");
    }
}

#[test]
fn a_preview_says_what_would_happen_and_does_nothing() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let thought = node(&state, NodeKind::Thought, "copy the first");
    let (start, copy) = (call(&state, "start"), call(&state, "copy"));
    let before = world.everything();
    let output = world
        .run(&[
            "edit",
            &id,
            &thought,
            "--text",
            "I copy the last line.",
            "--preview",
        ])
        .ends(0);
    let line = |word: &str| {
        let found = output.out.lines().find(|line| line.starts_with(word));
        found
            .unwrap_or_else(|| panic!("no `{word}` in {}", output.out))
            .to_owned()
    };
    assert!(line("superseded").contains(&copy.to_string()));
    assert!(!line("superseded").contains(&start.to_string()));
    assert!(line("keep their results").contains(&start.to_string()));
    assert!(line("already happened").contains("write_file"), "{}", output.out);
    assert!(line("already happened").contains("shell"), "{}", output.out);
    assert!(line("model asked again").contains("yes"));
    world
        .run(&["delete", &id, &copy.to_string(), "--preview"])
        .ends(0);
    let args = r#"{"_as":"copy","path":"other.txt"}"#;
    world
        .run(&[
            "replace",
            &id,
            &copy.to_string(),
            "read_file",
            "--args",
            args,
            "--preview",
        ])
        .ends(0);
    assert_eq!(world.everything(), before);
}

#[test]
fn a_rewritten_thought_changes_what_follows_and_nothing_else() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let thought = node(&state, NodeKind::Thought, "copy the first");
    let stored = [call(&state, "notes"), call(&state, "start")];
    let text = "I copy the last line.";
    let output = world.run(&["edit", &id, &thought, "--text", text]).ends(0);
    assert!(output.out.starts_with("recorded as #"));
    assert_eq!(
        world.read("copy.txt"),
        "alpha\n",
        "nothing runs before somebody goes on"
    );
    let output = world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(output.out, "copied beta, started, logged\n");
    assert_eq!(world.read("copy.txt"), "beta\n");
    assert_eq!(
        world.read("log.txt"),
        "start\nsecond\n",
        "an equal effect of the branch before was taken, not repeated"
    );
    let state = world.state(&id);
    once(&state, &stored);
    assert_eq!(executions(&state, call(&state, "second")), 0);
    assert!(stored.iter().all(|id| state.nodes[id].active));
    assert_eq!(state.operator.edits.len(), 1);
}

#[test]
fn edited_arguments_run_once_and_the_model_goes_on_from_them() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, start) = (call(&state, "notes"), call(&state, "start"));
    let args = r#"{"_as":"start","command":"echo other >> log.txt; echo other"}"#;
    let output = world
        .run(&[
            "edit",
            &id,
            &start.to_string(),
            "--args",
            args,
            "--reason",
            "a better word",
            "--resume",
        ])
        .ends(0);
    assert_eq!(output.out, "copied alpha, other, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\nother\n");
    let state = world.state(&id);
    once(&state, &[notes]);
    assert_eq!(executions(&state, start), 2, "as it was, and as it was edited");
    assert!(world.journal(&id).contains("a better word"));
}

#[test]
fn a_corrected_observation_is_not_executed_again() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, start) = (call(&state, "notes"), call(&state, "start"));
    let observation = notes.observation().to_string();
    refused(&world, &["edit", &id, &observation, "--value", "gamma"], 2);
    let output = world
        .run(&[
            "edit",
            &id,
            &observation,
            "--value",
            "\"gamma\\ndelta\"",
            "--resume",
        ])
        .ends(0);
    assert_eq!(output.out, "copied gamma, started, logged\n");
    assert_eq!(world.read("copy.txt"), "gamma\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    let state = world.state(&id);
    once(&state, &[notes, start]);
    assert!(state.nodes[&notes.observation()].pinned);
}

#[test]
fn a_replaced_call_runs_the_other_tool() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, start) = (call(&state, "notes"), call(&state, "start"));
    let args = r#"{"_as":"notes","command":"echo omega"}"#;
    let output = world
        .run(&[
            "replace",
            &id,
            &notes.to_string(),
            "shell",
            "--args",
            args,
            "--resume",
        ])
        .ends(0);
    assert_eq!(output.out, "copied omega, started, logged\n");
    let state = world.state(&id);
    once(&state, &[start]);
    assert_eq!(executions(&state, notes), 2);
    let tools: Vec<&str> = state
        .ledger
        .values()
        .filter(|entry| entry.call == notes)
        .map(|entry| &*entry.tool)
        .collect();
    assert_eq!(tools, ["read_file", "shell"]);
}

#[test]
fn guidance_asks_the_model_once_more() {
    let world = World::new();
    let id = finished(&world);
    let requests = world.state(&id).tally.requests;
    let output = world.run(&["guide", &id, "And now?", "--resume"]).ends(0);
    assert_eq!(output.out, "without \n".replace(" \n", "\n"));
    let state = world.state(&id);
    assert_eq!(state.tally.requests, requests + 1);
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    node(&state, NodeKind::Prompt, "And now?");
}

#[test]
fn guidance_after_a_turn_takes_back_what_came_later() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, copy) = (call(&state, "notes"), call(&state, "copy"));
    let turn = state.turn_of(notes).unwrap().id.0.to_string();
    world
        .run(&["guide", &id, "Stop there.", "--after", &turn, "--resume"])
        .ends(0);
    let state = world.state(&id);
    assert!(state.nodes[&notes].active);
    assert!(!state.nodes[&copy].active);
    once(&state, &[notes, copy]);
    refused(&world, &["guide", &id, "x", "--after", "99"], 2);
    refused(&world, &["guide", &id, "  "], 2);
}

#[test]
fn an_inserted_thought_leads_the_model_on() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, start) = (call(&state, "notes"), call(&state, "start"));
    let turn = state.turn_of(notes).unwrap().id.0.to_string();
    let output = world
        .run(&[
            "insert-thought",
            &id,
            "I take the last line.",
            "--after",
            &turn,
            "--resume",
        ])
        .ends(0);
    assert_eq!(output.out, "copied beta, started, logged\n");
    let state = world.state(&id);
    once(&state, &[notes, start]);
    refused(&world, &["insert-thought", &id, ""], 2);
}

#[test]
fn an_inserted_call_runs_and_is_seen() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let requests = state.tally.requests;
    let args = r#"{"_as":"extra","path":"copy.txt"}"#;
    refused(&world, &["insert-call", &id, "no_such_tool", "--args", "{}"], 2);
    refused(&world, &["insert-call", &id, "read_file", "--args", "{}"], 2);
    world
        .run(&["insert-call", &id, "read_file", "--args", args, "--resume"])
        .ends(0);
    let state = world.state(&id);
    once(
        &state,
        &[
            call(&state, "extra"),
            call(&state, "notes"),
            call(&state, "second"),
        ],
    );
    assert_eq!(state.tally.requests, requests + 1);
}

#[test]
fn a_deleted_call_is_gone_and_its_effect_is_listed() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let second = call(&state, "second");
    world.run(&["delete", &id, &second.to_string()]).ends(0);
    let state = world.state(&id);
    let line = overrule::domain::branch::line(&state, state.epoch);
    assert!(state.nodes[&second].is_deleted_on(&line));
    let entry = state.ledger.values().find(|entry| entry.call == second).unwrap();
    assert!(entry.more.orphaned, "it happened all the same");
    refused(&world, &["delete", &id, &second.to_string()], 4);
    refused(&world, &["delete", &id, "p1"], 4);
    world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn a_refused_answer_gives_another_turn() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let answer = node(&state, NodeKind::Answer, "copied");
    refused(&world, &["reject-answer", &id, &answer], 2);
    let output = world
        .run(&["reject-answer", &id, &answer, "--reason", "too short", "--resume"])
        .ends(0);
    assert_eq!(output.out, "without\n");
    let state = world.state(&id);
    assert!(!state.nodes[&answer.parse().unwrap()].active);
    node(&state, NodeKind::Prompt, "too short");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn an_edited_answer_is_the_answer() {
    let world = World::new();
    let id = finished(&world);
    let requests = world.state(&id).tally.requests;
    let answer = node(&world.state(&id), NodeKind::Answer, "copied");
    let output = world
        .run(&["edit", &id, &answer, "--text", "In my words.", "--resume"])
        .ends(0);
    assert_eq!(output.out, "In my words.\n");
    assert_eq!(world.state(&id).tally.requests, requests);
}

#[test]
fn an_edited_prompt_begins_anew() {
    let world = World::new();
    let id = finished(&world);
    let prompt = node(&world.state(&id), NodeKind::Prompt, "go");
    world
        .run(&["edit", &id, &prompt, "--text", "do it", "--resume", "--headless"])
        .ends(0);
    let state = world.state(&id);
    assert_eq!(
        world.read("log.txt"),
        "start\nsecond\n",
        "equal effects were taken, not repeated"
    );
    assert_eq!(state.nodes[&prompt.parse().unwrap()].text(), "do it");
    assert_eq!(
        executions(&state, call(&state, "notes")),
        1,
        "a read of the new branch"
    );
}

#[test]
fn what_cannot_be_edited_so_is_refused_and_changes_nothing() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, copy) = (
        call(&state, "notes").to_string(),
        call(&state, "copy").to_string(),
    );
    let thought = node(&state, NodeKind::Thought, "copy the first");
    let same = r#"{"_as":"notes","path":"notes.txt"}"#;
    for (args, code) in [
        (&["edit", &id, &notes, "--text", "x"][..], 2),
        (&["edit", &id, &notes], 2),
        (&["edit", &id, &notes, "--args", "{}", "--text", "x"], 2),
        (&["edit", &id, &thought, "--args", "{}"], 2),
        (&["edit", &id, &thought, "--text", "I copy the first line."], 4),
        (&["edit", &id, &thought, "--text", " "], 2),
        (&["edit", &id, "t99", "--text", "x"], 2),
        (&["edit", &id, "c99", "--args", "{}"], 2),
        (&["edit", &id, "x1", "--text", "x"], 2),
        (&["edit", &id, &notes, "--args", same], 4),
        (&["edit", &id, &notes, "--args", "{"], 2),
        (&["edit", &id, &notes, "--args", "{\"path\": 3}"], 2),
        (
            &["edit", &id, &copy, "--args", "{\"path\":\"x\"}", "--preview"],
            2,
        ),
        (&["edit", "ffff", &thought, "--text", "x"], 7),
    ] {
        refused(&world, args, code);
    }
}
