//! Tests of the effects of weights on the offered tools and on approvals.
//!
//! Must not know: how a weight is made.
//!
//! They read the requests and the journal.

use serde_json::{Value, json};

use crate::cli::server::{Reply, Server, answer_in_words, calls};
use crate::cli::world::{Said, World};

/// Weights of another run: `list_dir` kept failing, `search` failed often, `read_file` served well.
const LEARNT: &str = r#"{"version":1,"executions":99,"weights":[
  {"kind":"general","tool":"list_dir","weight":0.1,"samples":45},
  {"kind":"general","tool":"search","weight":0.3,"samples":45},
  {"kind":"general","tool":"read_file","weight":0.99,"samples":45}]}"#;

/// A run with these weights and settings, with a model that answers in this way.
fn run(settings: &str, replies: Vec<Reply>) -> (World, Server, Said) {
    let world = World::new();
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("weights.json"), LEARNT).unwrap();
    let settings = format!("[policy]\npreset = \"auto\"\n{settings}\n");
    std::fs::write(dir.join("config.toml"), settings).unwrap();
    let server = Server::new(replies);
    let text = world.run(&[
        "run",
        "greet",
        "--headless",
        "--model",
        "m",
        "--base-url",
        &server.base,
    ]);
    (world, server, text)
}

/// The tools of a request, in order, with what is said of each.
fn tools(request: &Value) -> Vec<(String, String)> {
    let all = request["tools"].as_array().unwrap().iter();
    let word = |tool: &Value, key: &str| tool["function"][key].as_str().unwrap().to_owned();
    all.map(|tool| (word(tool, "name"), word(tool, "description")))
        .collect()
}

const NOTE: &str = "It failed often of late";

#[test]
fn what_keeps_failing_is_offered_last_with_a_note_and_nothing_else_moves() {
    let (_, server, text) = run("", vec![answer_in_words("hello")]);
    text.ends(0);
    let usual = tools(&server.seen()[0].json());
    assert!(usual.iter().all(|(_, words)| !words.contains(NOTE)));

    let learnt = "[routing]\npriors = \"weights.json\"";
    let (_, server, text) = run(learnt, vec![answer_in_words("hello")]);
    text.ends(0);
    let offered = tools(&server.seen()[0].json());
    let (rest, last) = offered.split_at(offered.len() - 2);
    let others = |(name, _): &&(String, String)| name != "list_dir" && name != "search";
    assert!(
        rest.iter().eq(usual.iter().filter(others)),
        "what served well is no reason to be first: {offered:?}"
    );
    // The worse one comes after the other.
    for ((name, words), (expected, weight)) in last.iter().zip([("search", "0.3"), ("list_dir", "0.1")]) {
        assert_eq!(name, expected);
        assert!(
            words.contains(NOTE) && words.contains(&format!("about {weight} of 1")),
            "{words}"
        );
    }

    // Who does not want that is offered them as ever.
    let (_, server, text) = run(
        &format!("{learnt}\norder = false"),
        vec![answer_in_words("hello")],
    );
    text.ends(0);
    assert_eq!(tools(&server.seen()[0].json()), usual);
}

#[test]
fn a_tool_is_hidden_only_where_the_operator_wants_it() {
    let learnt = "[routing]\npriors = \"weights.json\"\nhide_below = 0.2";
    let (world, server, text) = run(learnt, vec![answer_in_words("hello")]);
    text.ends(0);
    let offered = tools(&server.seen()[0].json());
    let names: Vec<&str> = offered.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        !names.contains(&"list_dir") && names.contains(&"search"),
        "{names:?}"
    );
    // The reason is recorded in the journal.
    let facts = world.state(&world.id()).learned.weights.offers;
    let hidden = facts.values().flatten().filter(|one| one.hidden);
    assert_eq!(hidden.map(|one| &*one.tool).collect::<Vec<_>>(), ["list_dir"]);
}

#[test]
fn a_weight_only_ever_asks_it_neither_allows_nor_sends_a_call_elsewhere() {
    let once = |settings: &str| {
        let look = calls("I look.", &[("c", "list_dir", json!({"path": "."}))]);
        let (world, server, text) = run(
            &format!("{settings}\n[routing]\nask_below = 0.25\npriors = \"weights.json\""),
            vec![look, answer_in_words("done")],
        );
        text.ends(0);
        assert_eq!(server.seen().len(), 2);
        let state = world.state(&world.id());
        assert!(state.ledger.is_empty(), "neither it nor another tool ran");
        let call = state.calls.values().next().unwrap();
        let (tool, _) = state.nodes[&call.id].as_call().unwrap();
        assert_eq!(&**tool, "list_dir");
        world.journal(&world.id())
    };
    let record = once("");
    assert!(
        record.contains("routing.ask_below (the policy allows it"),
        "{record}"
    );
    // What is denied stays denied, by the rule that denies it.
    let record = once("[[policy.rule]]\ntool = \"list_dir\"\ngate = \"deny\"\nreason = \"not here\"");
    assert!(
        record.contains("not here") && !record.contains("routing.ask_below (the policy allows it"),
        "{record}"
    );
}

#[test]
fn a_tool_that_keeps_failing_is_only_told_of_where_nothing_else_is_set() {
    let look = calls("I look.", &[("c", "list_dir", json!({"path": "."}))]);
    let (world, server, text) = run(
        "[routing]\npriors = \"weights.json\"",
        vec![look, answer_in_words("done")],
    );
    text.ends(0);
    assert_eq!(server.seen().len(), 2);
    let offered = tools(&server.seen()[0].json());
    let (name, words) = offered.last().unwrap();
    assert!(name == "list_dir" && words.contains(NOTE), "{offered:?}");
    let record = world.journal(&world.id());
    assert!(record.contains("call.started"), "{record}");
    assert!(!record.contains("routing.ask_below"), "{record}");
}
