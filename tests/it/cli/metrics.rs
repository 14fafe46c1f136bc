//! Tests of the metrics on the command line: one session, all of a directory, damaged and running ones.
//!
//! Must not know: how they are computed.

use serde_json::{Value, json};

use crate::cli::control::holder::Holder;
use crate::cli::decisions::{call, digest, waiting};
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

fn metrics(world: &World, args: &[&str]) -> Value {
    let args: Vec<&str> = ["metrics", "--format", "json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let output = world.run(&args).ends(0);
    assert_eq!(output.out.lines().count(), 1, "{}", output.out);
    serde_json::from_str(&output.out).unwrap()
}

/// Calls, executions and successes of a tool.
fn counts(metrics: &Value, tool: &str) -> Value {
    let tools = metrics["tools"].as_array().unwrap();
    let tool = tools.iter().find(|one| one["name"] == tool).unwrap();
    json!([tool["calls"], tool["executions"], tool["succeeded"]])
}

#[test]
fn a_decision_and_what_ran_are_measured_and_nothing_is_written() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    let digest = digest(&world, &id, start);
    world
        .run(&["approve", &id, &start.to_string(), "--digest", &digest])
        .ends(0);
    world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    let before = world.everything();
    let found = metrics(&world, &[&id]);
    assert_eq!(
        (&found["type"], &found["sessions"], &found["damaged"]),
        (&json!("metrics"), &json!(1), &json!(0))
    );
    assert_eq!(counts(&found, "read_file"), json!([1, 1, 1]));
    assert_eq!(counts(&found, "shell"), json!([2, 2, 2]));
    assert_eq!(found["questions"], 1);
    assert_eq!(found["decisions"]["count"], 1);
    assert!(found["decisions"]["p99_ms"].is_u64(), "{found}");
    assert_eq!(found["hit_rate"], 1.0);
    assert_eq!(found, metrics(&world, &["last"]));
    assert_eq!(found, metrics(&world, &[]));
    let json = world.run(&["metrics", &id, "--json"]).ends(0).out;
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), found);
    let page = world.run(&["metrics", &id, "--format", "prometheus"]).ends(0).out;
    for line in [
        "# TYPE overrule_tool_calls_total counter",
        r#"overrule_tool_executions_total{tool="shell",outcome="succeeded"} 2"#,
        "overrule_questions_total 1",
        "overrule_decision_wait_seconds_count 1",
    ] {
        assert!(page.lines().any(|one| one == line), "no `{line}` in {page}");
    }
    let text = world.run(&["metrics", &id]).ends(0).out;
    assert!(text.contains("1 question; 1 decided; p50 "), "{text}");
    assert_eq!(world.everything(), before, "it writes nothing");
}

#[test]
fn the_sessions_of_a_directory_are_measured_together_also_if_one_is_damaged() {
    let world = World::new();
    for _ in 0..3 {
        world.play(STEPS, &["--policy", "auto"]).ends(0);
    }
    let ws = world.ws().display().to_string();
    let whole = metrics(&world, &["--workspace", &ws]);
    assert_eq!((&whole["sessions"], &whole["damaged"]), (&json!(3), &json!(0)));
    assert_eq!(counts(&whole, "read_file"), json!([3, 3, 3]));
    assert_eq!(metrics(&world, &["last", "--workspace", &ws])["sessions"], 1);
    let path = world.place(&world.ids()[0]).journal();
    let journal = std::fs::read_to_string(&path).unwrap();
    let at = journal.rfind("turn.requested").unwrap();
    let mut bytes = journal.into_bytes();
    bytes[at] = b'T';
    std::fs::write(&path, &bytes).unwrap();
    let before = world.everything();
    let output = world.run(&["metrics", "--workspace", &ws, "--json"]).ends(0);
    assert!(output.err.contains("is damaged"), "{}", output.err);
    let found: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&found["sessions"], &found["damaged"]), (&json!(3), &json!(1)));
    assert_eq!(
        counts(&found, "read_file"),
        json!([3, 3, 3]),
        "what is before the damage counts"
    );
    assert_eq!(world.everything(), before);
    let other = world.path("other");
    std::fs::create_dir(&other).unwrap();
    let output = world
        .run(&["metrics", "--workspace", &other.display().to_string(), "--json"])
        .ends(0);
    assert!(output.err.contains("no sessions of "), "{}", output.err);
    assert_eq!(serde_json::from_str::<Value>(&output.out).unwrap()["sessions"], 0);
}

#[test]
fn a_running_session_is_measured_as_it_is_recorded_and_goes_on() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &["--policy", "guarded"]);
    let (_, _) = holder.waiting("start");
    let found = metrics(&world, &[&holder.id]);
    assert_eq!(
        (&found["questions"], &found["decisions"]["count"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(counts(&found, "shell"), json!([1, 0, 0]), "it waits");
    assert_eq!(holder.executions(call(&holder.state(), "start")), 0);
}

#[test]
fn a_session_that_is_not_there_is_refused() {
    let world = World::new();
    for format in ["text", "json", "prometheus"] {
        let output = world.run(&["metrics", "nosuch", "--format", format]).ends(7);
        assert_eq!(output.out, "");
    }
    world.run(&["metrics", "--format", "csv"]).ends(2);
}
