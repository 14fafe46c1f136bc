//! Tests of undo, redo and branches on the command line: what is active, asked and run.
//!
//! Must not know: how a branch is kept.

use overrule::domain::id::NodeKind;
use overrule::domain::state::State;
use serde_json::Value;

use crate::cli::decisions::{call, executions, refused};
use crate::cli::edits::{finished, node};
use crate::cli::world::{Said, World};

/// A finished run whose second thought was rewritten: branch 0 copied the first line, branch 1 the last.
fn two(world: &World) -> String {
    let id = finished(world);
    let thought = node(&world.state(&id), NodeKind::Thought, "copy the first");
    let text = "I copy the last line.";
    world
        .run(&["edit", &id, &thought, "--text", text, "--resume", "--headless"])
        .ends(0);
    assert_eq!(world.read("copy.txt"), "beta\n");
    id
}

/// What may change when nothing is asked and nothing runs.
fn work(state: &State) -> (u32, usize) {
    (state.tally.requests, state.ledger.len())
}

fn lines(output: &Said) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap();
    output.out.lines().map(parse).collect()
}

fn line(output: &Said, word: &str) -> String {
    let found = output.out.lines().find(|line| line.starts_with(word));
    found
        .unwrap_or_else(|| panic!("no `{word}` in {}", output.out))
        .to_owned()
}

#[test]
fn undo_and_redo_bring_back_what_was_and_run_nothing() {
    let world = World::new();
    let id = two(&world);
    let before = work(&world.state(&id));
    let undone = world.run(&["undo", &id, "--resume", "--headless"]).ends(0);
    assert_eq!(undone.out, "copied alpha, started, logged\n");
    assert_eq!(work(&world.state(&id)), before, "nobody was asked, nothing ran");
    // The world stays as it is: an undo reverts no effect.
    assert_eq!(world.read("copy.txt"), "beta\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    let redone = world.run(&["redo", &id, "--resume", "--headless"]).ends(0);
    assert_eq!(redone.out, "copied beta, started, logged\n");
    assert_eq!(work(&world.state(&id)), before);
    refused(&world, &["redo", &id], 4);
    world.run(&["undo", &id]).ends(0);
    refused(&world, &["undo", &id], 4);
}

#[test]
fn the_preview_of_an_undo_says_what_stands_again() {
    let world = World::new();
    let id = two(&world);
    let state = world.state(&id);
    let copy = call(&state, "copy");
    let before = world.everything();
    let output = world.run(&["undo", &id, "--preview"]).ends(0);
    assert_eq!(world.everything(), before);
    assert!(line(&output, "superseded").contains(&copy.to_string()));
    assert!(!line(&output, "active again").contains(&copy.to_string()));
    assert!(line(&output, "active again").contains('c'), "{}", output.out);
    assert_eq!(line(&output, "run again"), "run again          none");
    assert!(line(&output, "model asked again").contains("no"));
    let json = world.run(&["undo", &id, "--preview", "--json"]).ends(0);
    let plan = &lines(&json)[0];
    assert_eq!(plan["asks"], false);
    assert_eq!(plan["certain"], Value::Array(vec![]));
    // What was seen is named: more by now is refused.
    let seen = plan["effects"].as_array().unwrap().len();
    assert!(seen > 0, "{plan}");
    let fewer = (seen - 1).to_string();
    refused(&world, &["undo", &id, "--effects-seen", &fewer], 4);
    world
        .run(&["undo", &id, "--effects-seen", &seen.to_string()])
        .ends(0);
    refused(&world, &["undo", &id, "--preview"], 4);
}

#[test]
fn branches_are_listed_named_and_switched() {
    let world = World::new();
    let id = two(&world);
    let before = work(&world.state(&id));
    let all = lines(&world.run(&["branches", &id, "--json"]).ends(0));
    assert_eq!(all.len(), 2);
    for (branch, text, current) in [
        (0, "copied alpha, started, logged", false),
        (1, "copied beta, started, logged", true),
    ] {
        let found = &all[branch];
        assert_eq!(found["branch"], branch);
        assert_eq!(found["text"], text);
        assert_eq!(found["current"], current);
        assert_eq!(found["calls"], 4);
    }
    refused(&world, &["branches", &id, "name", "0", "first"], 4);
    refused(&world, &["branches", &id, "name", "9", "none"], 2);
    world
        .run(&["branches", &id, "name", "1", "the last line"])
        .ends(0);
    let output = world.run(&["branches", &id]).ends(0);
    assert!(output.out.contains("* 1   the last line: "), "{}", output.out);
    assert!(output.out.contains("  0   as the run began"), "{}", output.out);
    // A switch is an edit like any other, and costs nothing.
    refused(&world, &["switch", &id, "1"], 4);
    refused(&world, &["switch", &id, "9"], 2);
    let everything = world.everything();
    world.run(&["switch", &id, "0", "--preview"]).ends(0);
    assert_eq!(world.everything(), everything);
    let output = world.run(&["switch", &id, "0", "--resume", "--headless"]).ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(work(&world.state(&id)), before);
    let output = world.run(&["switch", &id, "1", "--resume", "--headless"]).ends(0);
    assert_eq!(output.out, "copied beta, started, logged\n");
    assert_eq!(work(&world.state(&id)), before);
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn two_branches_are_compared_node_by_node() {
    let world = World::new();
    let id = two(&world);
    let before = world.everything();
    let output = world.run(&["compare", &id, "0", "1"]).ends(0);
    assert!(
        output.out.contains("copied alpha, started, logged"),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("copied beta, started, logged"),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("on 0: I copy the first line."),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("on 1: I copy the last line."),
        "{}",
        output.out
    );
    let notes = call(&world.state(&id), "notes");
    assert!(!output.out.contains(&format!("= {notes}")), "only what differs");
    let output = world.run(&["compare", &id, "0", "1", "--all"]).ends(0);
    assert!(output.out.contains(&format!("= {notes}")), "{}", output.out);
    let json = &lines(&world.run(&["compare", &id, "0", "1", "--json"]).ends(0))[0];
    assert_eq!(json["a"]["sum"]["text"], "copied alpha, started, logged");
    assert_eq!(json["b"]["sum"]["text"], "copied beta, started, logged");
    let rows = json["nodes"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["same"] == false));
    refused(&world, &["compare", &id, "0", "9"], 2);
    assert_eq!(world.everything(), before);
}

#[test]
fn nodes_of_shifted_turns_are_compared_with_their_counterparts() {
    let world = World::new();
    let id = two(&world);
    // The edited thought splits its turn, so every later turn of branch 1 has another number.
    let output = world.run(&["compare", &id, "0", "1", "--all"]).ends(0);
    assert!(!output.out.contains("only on 0"), "{}", output.out);
    let json = &lines(&world.run(&["compare", &id, "0", "1", "--all", "--json"]).ends(0))[0];
    let rows = json["nodes"].as_array().unwrap();
    let of = |side: &str, word: &str| {
        let has = |row: &&Value| row[side].as_str().is_some_and(|text| text.contains(word));
        rows.iter()
            .find(has)
            .unwrap_or_else(|| panic!("no {word} in {rows:?}"))
            .clone()
    };
    let copy = of("text_a", "\"copy.txt\"");
    assert_ne!(copy["node_a"], copy["node_b"]);
    assert_eq!(copy["differs"], serde_json::json!(["arguments", "result"]));
    assert!(copy["result_a"].as_str().unwrap().contains("created"), "{copy}");
    assert!(copy["result_b"].as_str().unwrap().contains("replaced"), "{copy}");
    let second = of("text_a", "echo second");
    assert_ne!(second["node_a"], second["node_b"]);
    assert_eq!(
        (&second["same"], &second["differs"]),
        (&Value::Bool(true), &Value::Array(vec![]))
    );
    let answer = of("text_a", "copied alpha, started, logged");
    assert_eq!(answer["text_b"], "copied beta, started, logged");
    assert_eq!(answer["differs"], serde_json::json!(["text"]));
    // A node is in one row, and what is said in words is said in JSON.
    for side in ["node_a", "node_b"] {
        let mut nodes: Vec<&str> = rows.iter().filter_map(|row| row[side].as_str()).collect();
        let all = nodes.len();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes.len(), all, "{rows:?}");
    }
    let name = |row: &Value| match (row["node_a"].as_str(), row["node_b"].as_str()) {
        (Some(one), Some(other)) if one != other => format!("{one} (on 0), {other} (on 1)"),
        (one, other) => one.or(other).unwrap().to_owned(),
    };
    let head = format!("~ {}  differs in arguments and result\n", name(&copy));
    assert!(output.out.contains(&head), "{}", output.out);
    for row in rows.iter().filter(|row| row["same"] == true) {
        let head = format!("= {}  ", name(row));
        assert!(output.out.contains(&head), "{head}: {}", output.out);
    }
}

#[test]
fn one_result_is_taken_over_from_another_branch() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, start) = (call(&state, "notes"), call(&state, "start"));
    let observation = notes.observation().to_string();
    // Branch 1 has another result of the reading.
    world
        .run(&[
            "edit",
            &id,
            &observation,
            "--value",
            "\"gamma\\ndelta\"",
            "--resume",
        ])
        .ends(0);
    world.run(&["undo", &id, "--resume", "--headless"]).ends(0);
    let state = world.state(&id);
    let ledger = state.ledger.len();
    refused(&world, &["copy", &id, "o99", "--from", "1"], 2);
    refused(&world, &["copy", &id, &observation, "--from", "77"], 2);
    let before = world.everything();
    world
        .run(&["copy", &id, &observation, "--from", "1", "--preview"])
        .ends(0);
    assert_eq!(world.everything(), before);
    let output = world
        .run(&["copy", &id, &observation, "--from", "1", "--resume", "--headless"])
        .ends(0);
    assert_eq!(output.out, "copied gamma, started, logged\n");
    let after = world.state(&id);
    for call in [notes, start] {
        assert_eq!(executions(&after, call), 1, "{call} did not run again");
    }
    assert!(
        after.ledger.len() <= ledger + 1,
        "nothing ran but what reads the result"
    );
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn later_turns_stand_where_that_is_wished() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let before = work(&state);
    let notes = call(&state, "notes");
    let observation = notes.observation().to_string();
    let edit = ["edit", &id, &observation, "--value", "\"gamma\"", "--keep-later"];
    let output = world.run(&[&edit[..], &["--preview"]].concat()).ends(0);
    assert!(line(&output, "stay, drifted").contains("turns"), "{}", output.out);
    assert!(
        line(&output, "model asked again").ends_with("no"),
        "{}",
        output.out
    );
    let output = world
        .run(&[&edit[..], &["--resume", "--headless"]].concat())
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    let state = world.state(&id);
    assert_eq!(work(&state), before, "nobody was asked and nothing ran");
    assert!(state.turns.values().any(|turn| turn.drifted));
    assert!(state.nodes[&notes.observation()].pinned);
}

#[test]
fn a_whole_turn_can_be_asked_again() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, copy) = (call(&state, "notes"), call(&state, "copy"));
    let turn = state.turn_of(copy).unwrap().id.0.to_string();
    let before = world.everything();
    let output = world.run(&["ask-again", &id, &turn, "--preview"]).ends(0);
    assert_eq!(world.everything(), before);
    assert!(line(&output, "superseded").contains(&copy.to_string()));
    assert!(!line(&output, "superseded").contains(&notes.to_string()));
    world
        .run(&["ask-again", &id, &turn, "--resume", "--headless"])
        .ends(0);
    let after = world.state(&id);
    assert!(
        after.tally.requests > state.tally.requests,
        "this is what was asked for"
    );
    assert!(!after.nodes[&copy].active);
    assert_eq!(executions(&after, notes), 1);
    assert_eq!(
        world.read("log.txt"),
        "start\nsecond\n",
        "an equal effect was taken, not repeated"
    );
}
