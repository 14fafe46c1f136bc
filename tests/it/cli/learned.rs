//! Tests that weights learned in a workspace are kept for its next session.
//!
//! Must not know: how a weight is made.

use serde_json::Value;

use crate::cli::world::{Said, World};

/// One call of `read_file` of a file that is missing, and one of a file that is there.
const PLAYBOOK: &str = r#"
[meta]
name = "learned"
[[rule]]
when = { done = "second" }
answer = "done"
[[rule]]
when = { failed = "first" }
[[rule.call]]
tool = "read_file"
as = "second"
args = { path = "here.txt" }
[[rule]]
[[rule.call]]
tool = "read_file"
as = "first"
args = { path = "missing.txt" }
"#;

fn world() -> World {
    let world = World::new();
    world.file("here.txt", "text");
    world
}

fn play(world: &World, more: &[&str]) -> Said {
    world.play(PLAYBOOK, more)
}

/// The newest session.
fn newest(world: &World) -> String {
    world.ids().pop().unwrap()
}

/// The facts of what the newest session started with.
fn imported(world: &World) -> Vec<Value> {
    let journal = world.journal(&newest(world));
    let records = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .filter(|record| record["type"] == "weight.imported")
        .map(|record| record["body"].clone())
        .collect()
}

#[test]
fn a_session_starts_with_what_the_ones_before_it_in_the_workspace_learned() {
    let world = world();
    play(&world, &[]).ends(0);
    assert!(
        imported(&world).is_empty(),
        "nothing is known before the first session"
    );
    let first = newest(&world);

    play(&world, &[]).ends(0);
    let found = imported(&world);
    assert_eq!(found.len(), 1);
    assert!(found[0]["from"].as_str().unwrap().contains(&first), "{found:?}");
    let health = &found[0]["health"][0];
    assert_eq!(
        (&health["tool"], &health["succeeded"]),
        (&"read_file".into(), &1.into())
    );
    assert_eq!(health["failed"]["not_found"], 1);
    assert_eq!(found[0]["weights"][0]["samples"], 2);

    // The third counts both, and says where it has them from.
    play(&world, &[]).ends(0);
    assert_eq!(imported(&world)[0]["health"][0]["succeeded"], 2);
    assert_eq!(imported(&world)[0]["weights"][0]["samples"], 4);
    let output = world.run(&["weights", "last"]).ends(0);
    assert!(
        output
            .out
            .contains("started with 1 weight, 1 tool record, from earlier sessions"),
        "{}",
        output.out
    );
    assert!(
        output
            .out
            .contains("earlier sessions: 2 of 4 executions succeeded, 2 not found"),
        "{}",
        output.out
    );
    let json = world.run(&["weights", "last", "--json"]).ends(0).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["started_with"]["learned"]["health"][0]["succeeded"], 2);
    // What it says still serves as a file of weights.
    let weights = world.aside("weights.json", &json.to_string());
    let settings = world.aside("priors.toml", &format!("[routing]\npriors = {weights:?}\n"));
    play(&world, &["--config", &settings]).ends(0);
    assert!(
        imported(&world)[0]["from"]
            .as_str()
            .unwrap()
            .ends_with("weights.json")
    );
    assert_eq!(imported(&world)[0].get("health"), None);
}

#[test]
fn one_verb_resets_what_was_learned() {
    let world = world();
    let output = world.run(&["reset-learned"]).ends(0);
    assert!(output.out.starts_with("nothing to reset"), "{}", output.out);
    play(&world, &[]).ends(0);
    let output = world.run(&["reset-learned", "--json"]).ends(0);
    let json: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(json["removed"], true);
    play(&world, &[]).ends(0);
    assert!(imported(&world).is_empty());
}

#[test]
fn another_workspace_a_setting_and_a_built_in_run_start_without_it() {
    let world = world();
    let other = world.path("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("here.txt"), "text").unwrap();
    play(&world, &[]).ends(0);
    play(&world, &["--workspace", other.to_str().unwrap()]).ends(0);
    assert!(
        imported(&world).is_empty(),
        "another directory's sessions learned it"
    );

    let off = world.aside("off.toml", "[routing]\nkeep = false\n");
    let stored = || {
        std::fs::read_dir(world.path("home/.local/state/overrule/learned"))
            .unwrap()
            .count()
    };
    let before = stored();
    play(&world, &["--config", &off]).ends(0);
    assert!(imported(&world).is_empty());
    world.run(&["demo", "ring", "--headless"]);
    assert!(imported(&world).is_empty());
    assert_eq!(stored(), before);
}

#[test]
fn what_cannot_be_read_is_told_and_costs_a_run_nothing() {
    let world = world();
    play(&world, &[]).ends(0);
    let dir = world.path("home/.local/state/overrule/learned");
    let file = std::fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    for text in [
        "{",
        r#"{"version":9,"workspace":"","session":"","learned":{}}"#,
        "\u{0}",
    ] {
        std::fs::write(&file, text).unwrap();
        let output = play(&world, &[]).ends(0);
        assert!(
            output
                .err
                .contains("starts without what earlier sessions learned"),
            "{}",
            output.err
        );
        assert!(imported(&world).is_empty());
    }
    // The run has replaced it by what it learned itself.
    play(&world, &[]).ends(0);
    assert_eq!(imported(&world)[0]["health"][0]["succeeded"], 1);
}

#[test]
fn a_session_that_is_resumed_keeps_what_it_started_with() {
    let world = world();
    play(&world, &[]).ends(0);
    play(&world, &[]).ends(0);
    let id = newest(&world);
    world.run(&["reset-learned"]).ends(0);
    world.run(&["retry", &id, "c5", "--resume"]).ends(0);
    let found = imported(&world);
    assert_eq!(found.len(), 1, "read once, at the start");
    let output = world.run(&["weights", &id]).ends(0);
    assert!(output.out.contains("earlier sessions: 1 of 2"), "{}", output.out);
    world.run(&["retry", &id, "c5", "--resume"]).ends(0);
    // What was reset does not come back with it.
    play(&world, &[]).ends(0);
    let health = &imported(&world)[0]["health"][0];
    assert_eq!(health["failed"]["not_found"], 1, "{health}");
}
