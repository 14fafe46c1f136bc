//! Tests of the ledger on the command line: effects, probes and reverts.
//!
//! Must not know: how a template is filled.

use overrule::domain::call::Status;
use overrule::domain::id::NodeKind;
use serde_json::{Value, json};

use crate::cli::decisions::{call, executions, refused};
use crate::cli::doubt::killed;
use crate::cli::playbooks::{STEPS, rule};
use crate::cli::world::World;

fn settings(world: &World, text: &str) {
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), text).unwrap();
}

fn listed(world: &World, id: &str) -> Vec<Value> {
    let output = world.run(&["effects", id, "--json"]).ends(0);
    output
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Replaces the content of the notes, and answers.
const REWRITE: &str = r#"
[meta]
name = "rewrite"
[[rule]]
when = { done = ["put"] }
answer = "put"
[[rule]]
think = "I write."
[[rule.call]]
tool = "write_file"
as = "put"
args = { path = "notes.txt", content = "gone\u202E\n" }
"#;

#[test]
fn every_effect_is_listed_with_what_let_it_run_and_what_came_of_it() {
    let world = World::new();
    let output = world.play(&rule("answer = \"x\""), &[]).ends(0);
    assert!(!output.err.contains("outcome unknown"));
    let id = world.id();
    world
        .run(&["effects", &id])
        .ends(0)
        .tells("no call with an effect has run");

    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let state = world.state(&id);
    let rows = listed(&world, &id);
    let tools: Vec<&str> = rows.iter().map(|row| row["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["shell", "write_file", "shell"], "reads are none");
    let copy = &rows[1];
    assert_eq!(copy["call"], json!(call(&state, "copy").to_string()));
    assert_eq!(
        (&copy["outcome"], &copy["orphaned"]),
        (&json!("ok"), &json!(false))
    );
    assert_eq!(copy["args"], r#"{"path":"copy.txt","content":"alpha\n"}"#);
    assert_eq!(copy["consent"]["kind"], "auto");
    assert_eq!(copy["probe"]["tool"], "read_file");
    let not = copy["compensate"]["not"].as_str().unwrap();
    assert!(
        not.contains("there was no file, and no tool deletes one"),
        "{not}"
    );
    let not = rows[0]["compensate"]["not"].as_str().unwrap();
    assert!(not.contains("no compensate template"), "{not}");

    let output = world.run(&["effects", &id]).ends(0);
    assert!(
        output.out.contains(" · write_file · write · ok · "),
        "{}",
        output.out
    );
    assert!(output.out.contains("allowed by preset auto"), "{}", output.out);
    assert!(output.out.contains("to revert: not possible: "), "{}", output.out);
    assert!(!output.out.contains("orphaned"), "{}", output.out);
}

#[test]
fn a_write_is_taken_back_by_an_ordinary_call_that_asks() {
    let world = World::new();
    // What looks like a reference is a text like any other.
    world.file("notes.txt", "†call.put\nbeta\n");
    world.play(REWRITE, &["--policy", "auto"]).ends(0);
    let id = world.id();
    assert_eq!(world.read("notes.txt"), "gone\u{202e}\n");
    let output = world.run(&["effects", &id]).ends(0);
    assert!(
        !output.out.contains('\u{202e}') && output.out.contains("⟨U+202E⟩"),
        "{:?}",
        output.out
    );

    let put = call(&world.state(&id), "put").to_string();
    let before = world.everything();
    let output = world.run(&["compensate", &id, &put, "--preview"]).ends(0);
    assert!(
        output
            .out
            .contains(r#"insert             write_file {"path":"notes.txt","content":"††call.put\nbeta\n"}"#),
        "{}",
        output.out
    );
    assert!(output.out.contains("model asked again  yes"), "{}", output.out);
    assert_eq!(world.everything(), before, "a preview does nothing");

    // The run asks before it writes from here on.
    let output = world
        .run(&[
            "compensate",
            &id,
            &put,
            "--policy",
            "guarded",
            "--reason",
            "it was wrong",
        ])
        .ends(0);
    assert!(output.out.contains("recorded as"), "{}", output.out);
    assert_eq!(world.read("notes.txt"), "gone\u{202e}\n", "nothing ran");
    let state = world.state(&id);
    let undo = state.calls.values().next_back().unwrap();
    assert_eq!(undo.status, Status::AwaitingApproval);
    assert_eq!(executions(&state, undo.id), 0);
    let (undo, digest) = (undo.id.to_string(), undo.digest.clone().unwrap());
    world
        .run(&[
            "approve",
            &id,
            &undo,
            "--digest",
            &digest.0,
            "--resume",
            "--headless",
        ])
        .ends(0);
    assert_eq!(world.read("notes.txt"), "†call.put\nbeta\n");
    let state = world.state(&id);
    assert_eq!(executions(&state, call(&state, "put")), 1);
    let rows = listed(&world, &id);
    assert_eq!(rows[0]["reverted"], json!(undo));
    let output = world.run(&["effects", &id]).ends(0);
    assert!(
        output.out.contains(&format!("reverted by {undo}")),
        "{}",
        output.out
    );
}

#[test]
fn templates_come_from_the_settings_of_a_person_and_stay_with_the_session() {
    let world = World::new();
    settings(
        &world,
        "[tool.shell]\n\
         probe = { tool = \"search\", args = { pattern = \"start\", path = \"log.txt\" } }\n\
         compensate = { tool = \"shell\", args = { command = \"echo undo {/command|sh} >> log.txt\" } }\n",
    );
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    // Another process with other settings sees the same.
    settings(&world, "");
    let rows = listed(&world, &id);
    assert_eq!(
        rows[0]["compensate"],
        json!({"tool": "shell", "args": r#"{"command":"echo undo 'echo start >> log.txt; echo started' >> log.txt"}"#})
    );
    let entry = rows[0]["entry"].to_string();
    let output = world
        .run(&["probe", &id, &entry, "--resume", "--headless"])
        .ends(0);
    assert!(output.err.contains("recorded as"), "{}", output.err);
    let state = world.state(&id);
    let probe = state.calls.values().next_back().unwrap();
    let (tool, _) = state.nodes.get(&probe.id).unwrap().as_call().unwrap();
    assert_eq!((&**tool, &probe.status), ("search", &Status::Succeeded));
    assert_eq!(world.read("log.txt"), "start\nsecond\n", "nothing ran again");
}

#[test]
fn what_cannot_be_built_is_refused_and_changes_nothing() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let state = world.state(&id);
    let copy = call(&state, "copy").to_string();
    let thought = state
        .nodes
        .keys()
        .find(|id| id.kind == NodeKind::Thought)
        .unwrap();
    for (args, code, why) in [
        (["compensate", &id, &copy], 4, "no tool deletes one"),
        (["compensate", &id, "#1"], 4, "no execution #1"),
        (
            ["probe", &id, &call(&state, "start").to_string()],
            4,
            "[tool.shell] probe",
        ),
        (["probe", &id, "c999"], 2, "cannot find an execution of c999"),
        (
            ["probe", &id, &thought.to_string()],
            2,
            "cannot find an execution of",
        ),
        (["probe", &id, "five"], 2, "neither a call such as c5"),
    ] {
        let output = refused(&world, &args, code);
        assert!(output.err.contains(why), "no `{why}` in {}", output.err);
    }
}

#[test]
fn a_template_of_a_tool_that_is_not_there_stops_a_run_before_it_begins() {
    let world = World::new();
    settings(&world, "[tool.shell]\nprobe = { tool = \"look\", args = {} }\n");
    let output = world.play(STEPS, &[]).ends(3);
    assert!(
        output
            .err
            .contains("config.toml:2:18: `tool.shell.probe.tool`: there is no tool `look`"),
        "{}",
        output.err
    );
    assert!(world.ids().is_empty());

    // A workspace may not smuggle calls in; the run continues without them.
    let world = World::new();
    world.file(
        "overrule.toml",
        "[tool.shell]\nprobe = { tool = \"shell\", args = { command = \"evil\" } }\n",
    );
    world
        .play(STEPS, &["--policy", "auto"])
        .ends(0)
        .tells("ignored: `tool.shell.probe` in ");
    let rows = listed(&world, &world.id());
    assert!(rows[0]["probe"]["not"].is_string());
}

#[test]
fn who_goes_on_is_told_first_what_an_edit_left_behind() {
    let world = World::new();
    world.play(REWRITE, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let state = world.state(&id);
    let thought = state
        .nodes
        .values()
        .find(|node| node.text() == "I write.")
        .unwrap();
    world
        .run(&["edit", &id, &thought.id.to_string(), "--text", "I look."])
        .ends(0);
    let output = world.run(&["effects", &id]).ends(0);
    assert!(output.out.contains("  orphaned: "), "{}", output.out);
    let output = world.run(&["resume", &id, "--headless", "--policy", "auto"]);
    let message = output.err.find("orphaned by an edit, and not reverted: ");
    let asked = output.err.find("asking the model");
    assert!(message.is_some() && message < asked, "{}", output.err);
    assert_eq!(output.err.matches("orphaned by an edit").count(), 1);
    // After the revert the effect is not reported any more.
    let entry = listed(&world, &id)[0]["entry"].to_string();
    let output = world.run(&[
        "compensate",
        &id,
        &entry,
        "--resume",
        "--headless",
        "--policy",
        "auto",
    ]);
    assert_eq!(world.read("notes.txt"), "alpha\nbeta\n", "{}", output.err);
    let output = world.run(&["resume", &id, "--headless"]);
    assert!(!output.err.contains("orphaned by"), "{}", output.err);
}

/// A probe is a call of its own: it runs, the call with the unknown outcome does not.
#[test]
fn a_probe_looks_and_leaves_the_call_in_doubt_to_a_person() {
    let world = World::new();
    settings(
        &world,
        "[tool.shell]\nprobe = { tool = \"read_file\", args = { path = \"log.txt\" } }\n",
    );
    let id = killed(&world);
    let it = call(&world.state(&id), "it");
    let it_is = it.to_string();
    let probe = ["probe", &id, &it_is, "--resume", "--headless", "--policy", "auto"];
    world.run(&probe).ends(4).tells("outcome unknown: #");
    let state = world.state(&id);
    let looked = state.calls.values().next_back().unwrap();
    assert_eq!(looked.status, Status::Succeeded);
    let found = state.observation(looked.id).unwrap().outcome().cloned().unwrap();
    assert!(format!("{found:?}").contains("begun"), "{found:?}");
    assert_eq!(world.read("log.txt"), "begun\n");
    assert!(matches!(state.calls[&it].status, Status::OutcomeUnknown(_)));
    world
        .run(&[
            "resolve",
            &id,
            &it_is,
            "--happened",
            "\"begun\"",
            "--resume",
            "--headless",
        ])
        .ends(0);
    assert_eq!(world.read("log.txt"), "begun\n");
}
