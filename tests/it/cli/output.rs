//! Tests of answers that must fit a JSON Schema: checked, sent back, left to the operator.
//!
//! Must not know: screens.

use overrule::domain::id::NodeKind;
use overrule::engine::prompt;

use crate::cli::world::{Said, World};

const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

/// A model that answers wrongly this many times, then correctly.
fn wrong(times: usize) -> String {
    let rule = |turn| format!("[[rule]]\nwhen = {{ turn = {turn} }}\nanswer = \"wrong {turn}\"\n");
    let rules: Vec<String> = (1..=times).map(rule).collect();
    let head = "[meta]\nname = \"answers\"\n".to_owned();
    head + &rules.concat() + "[[rule]]\nanswer = '''```json\n{\"n\": 1234567890123}\n```'''\n"
}

fn play(world: &World, playbook: &str, more: &[&str]) -> Said {
    let schema = world.aside("schema.json", SCHEMA);
    let mut args = vec!["--output-schema", &schema];
    args.extend(more);
    world.play(playbook, &args)
}

fn count(world: &World, id: &str, kind: &str) -> usize {
    let kind = format!("\"type\":\"{kind}\"");
    world.journal(id).matches(&kind).count()
}

fn answer(world: &World, id: &str) -> String {
    let state = world.state(id);
    let is_answer = |node: &&overrule::domain::node::Node| node.id.kind == NodeKind::Answer && node.active;
    let answers: Vec<String> = state
        .nodes
        .values()
        .filter(is_answer)
        .map(|node| node.id.to_string())
        .collect();
    answers.last().unwrap().clone()
}

fn last_turn(world: &World, id: &str) -> String {
    let turns = world.state(id).turns;
    turns.values().map(|turn| turn.id.0).max().unwrap().to_string()
}

#[test]
fn an_answer_that_fits_is_printed_as_its_json_and_the_schema_is_recorded() {
    let world = World::new();
    let run_output = play(&world, &wrong(0), &[]).ends(0);
    assert_eq!(run_output.out, "{\"n\": 1234567890123}\n");
    let id = world.id();
    assert_eq!(count(&world, &id, "turn.answer_invalid"), 0);
    assert_eq!(count(&world, &id, "turn.requested"), 1);
    let started = world.state(&id).started.unwrap();
    assert!(started.system.contains(SCHEMA), "the model is told");
    std::fs::remove_file(world.path("schema.json")).unwrap();
    let again = world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(
        again.out, run_output.out,
        "the recorded schema counts, not the file"
    );
}

#[test]
fn a_run_without_a_schema_has_the_words_that_it_always_had() {
    let world = World::new();
    world.play(&wrong(1), &[]).ends(0);
    let journal = world.journal(&world.id());
    assert!(!journal.contains("output_schema"));
    let started = world.state(&world.id()).started.unwrap();
    assert_eq!(&*started.system, prompt::SYSTEM);
}

#[test]
fn a_wrong_answer_goes_back_with_what_is_wrong() {
    let world = World::new();
    let book = r#"
[meta]
name = "learns"
[[rule]]
when = { turn = 1 }
answer = "{\"n\":\"one\"}"
[[rule]]
when = { turn = 2, operator = "does not fit the output schema:\n- /n: must be a whole number" }
answer = "{\"n\":1,\"n\":2}"
[[rule]]
when = { turn = 3, operator = "does not fit the output schema" }
answer = "{\"n\":3}"
"#;
    let run_output = play(&world, book, &["--json"]).ends(0);
    let id = world.id();
    assert_eq!(
        count(&world, &id, "turn.requested"),
        3,
        "a key that stands there twice is wrong too"
    );
    let last: serde_json::Value = serde_json::from_str(run_output.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["output"]["n"], 3);
    assert_eq!(last["exit"], 0);
    assert_eq!(world.state(&id).epoch.0, 0, "nobody edited anything");
}

#[test]
fn after_three_times_a_wrong_answer_waits_for_the_operator() {
    let world = World::new();
    let run_output = play(&world, &wrong(9), &[]).ends(4);
    let id = world.id();
    assert_eq!(run_output.out, "");
    assert_eq!(count(&world, &id, "turn.requested"), 4, "back three times");
    assert_eq!(count(&world, &id, "turn.answer_invalid"), 3);
    for message in [
        "does not fit the output schema",
        "overrule keep",
        "overrule ask-again",
        "overrule edit",
    ] {
        assert!(
            run_output.err.contains(message),
            "no `{message}` in {}",
            run_output.err
        );
    }
    let queue = world.run(&["queue", &id]).ends(0);
    assert!(queue.out.contains("verbs: ask-again, keep"), "{}", queue.out);
    // Asked again it is wrong again, and waits immediately.
    let turn = last_turn(&world, &id);
    let again = ["ask-again", &id, &turn, "--resume", "--headless"];
    world.run(&again).ends(4);
    assert_eq!(count(&world, &id, "turn.requested"), 5);
    // The operator's text is checked against the schema as well, and not sent to the model.
    let edited = |text: &str| {
        let node = answer(&world, &id);
        world.run(&["edit", &id, &node, "--text", text, "--resume", "--headless"])
    };
    edited("still wrong").ends(4);
    assert_eq!(edited("{\"n\":7}").ends(0).out, "{\"n\":7}\n");
    assert_eq!(
        count(&world, &id, "turn.requested"),
        5,
        "no request for what the operator wrote"
    );
}

#[test]
fn the_operator_can_take_an_answer_as_it_is() {
    let world = World::new();
    play(&world, &wrong(9), &[]).ends(4);
    let id = world.id();
    let turn = last_turn(&world, &id);
    let run_output = world.run(&["keep", &id, &turn, "--resume", "--headless"]).ends(0);
    assert_eq!(run_output.out, "wrong 4\n");
    assert!(
        run_output.err.contains("the operator accepted it"),
        "{}",
        run_output.err
    );
    assert_eq!(count(&world, &id, "turn.requested"), 4);
}

#[test]
fn a_structured_answer_is_judged_as_a_written_one() {
    let world = World::new();
    let book = r#"
[meta]
name = "structured"
[[rule]]
when = { turn = 1 }
[[rule.call]]
tool = "final_answer"
args = { answer = { n = "five" } }
[[rule]]
when = { operator = "does not fit" }
[[rule.call]]
tool = "final_answer"
args = { answer = { n = 5 } }
"#;
    let run_output = play(&world, book, &[]).ends(0);
    assert_eq!(run_output.out, "{\"n\":5}\n");
    assert_eq!(count(&world, &world.id(), "turn.answer_invalid"), 1);
}

#[test]
fn what_is_no_schema_is_refused_before_anything_is_written() {
    let world = World::new();
    let big = world.aside("big.json", &format!("{{\"title\":\"{}\"}}", "x".repeat(300_000)));
    let no_json = world.aside("no.json", "{");
    let no_schema = world.aside("type.json", r#"{"type":"nothing"}"#);
    let outside = world.aside("outside.json", r#"{"$ref":"file:///etc/passwd"}"#);
    let dir = world.ws().to_str().unwrap().to_owned();
    let refused = |file: &str| {
        let run_output = world.play(&wrong(0), &["--output-schema", file]).ends(2);
        assert!(
            run_output.err.contains("cannot use the output schema"),
            "{file}: {}",
            run_output.err
        );
        assert!(world.ids().is_empty(), "{file}: nothing is written");
        run_output.err
    };
    for file in [&*big, &no_json, &no_schema, &dir, "/dev/zero", "missing.json"] {
        refused(file);
    }
    assert!(refused(&outside).contains("is not read"));
}

#[test]
fn settings_and_playbooks_can_name_a_schema() {
    let json = "{\"n\": 1234567890123}\n";
    let world = World::new();
    world.aside("schema.json", SCHEMA);
    let config = world.aside("config.toml", "output_schema = \"schema.json\"\n");
    let run_output = world.play(&wrong(1), &["--config", &config]).ends(0);
    assert_eq!(run_output.out, json);
    let shown = world.run(&["config", "--config", &config]).ends(0).out;
    let line = shown.lines().find(|line| line.contains("output_schema")).unwrap();
    assert!(line.contains("schema.json"), "{line}");
    let own = wrong(1).replace("[meta]\n", "[meta]\noutput_schema = \"schema.json\"\n");
    assert_eq!(world.play(&own, &[]).ends(0).out, json);
    // The flag comes first.
    let any = world.aside("any.json", "{}");
    let own = own.replace("\"wrong 1\"", "'\"text\"'");
    let run_output = world.play(&own, &["--output-schema", &any]).ends(0);
    assert_eq!(run_output.out, "\"text\"\n");
}
