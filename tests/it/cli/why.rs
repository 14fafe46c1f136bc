//! Tests of the reason that a model gives for a call: it is no part of what is approved and runs.
//!
//! Must not know: screens.

use overrule::domain::envelope::Envelope;
use overrule::domain::event::{CallEvent, Event, RunEvent};
use overrule::journal::{self, Place, Store};

use crate::cli::decisions::{call, digest, interrupted};
use crate::cli::world::World;

/// One command that says why it is made.
const SAYS_WHY: &str = r#"
[meta]
name = "says why"
[[rule]]
when = { done = ["run"] }
answer = "done"
[[rule]]
think = "I run it."
[[rule.call]]
tool = "shell"
as = "run"
args = { command = "echo hello >> out.txt", _why = "to greet \u202Eeverybody" }
"#;

#[test]
fn a_reason_is_told_and_neither_approved_nor_run() {
    let world = World::new();
    let id = interrupted(&world, SAYS_WHY, 1);
    let run = call(&world.state(&id), "run");
    let resolved = |events: &[Envelope]| {
        let found = events.iter().find_map(|one| match &one.event {
            Event::Call(CallEvent::Ready { resolved, .. }) => resolved.clone(),
            _ => None,
        });
        found.unwrap()
    };
    assert_eq!(
        &*resolved(&world.facts(&id)),
        r#"{"command":"echo hello >> out.txt"}"#
    );
    let shown = "the agent says: to greet ⟨U+202E⟩everybody";
    let queue = world.run(&["queue", &id]).ends(0).out;
    assert_eq!(
        queue.lines().last().unwrap().trim(),
        shown,
        "behind what is decided: {queue}"
    );
    let json = world.run(&["queue", &id, "--json"]).ends(0).out;
    let json: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(json["why"], "to greet \u{202e}everybody");
    assert_eq!(json["args"], r#"{"command":"echo hello >> out.txt"}"#);
    for form in ["gutter", "dot", "mermaid"] {
        let graph = world.run(&["graph", &id, "--format", form]).ends(0).out;
        let output = ["the agent says: to greet", "the agent says#58; to greet"];
        assert!(
            output.iter().any(|output| graph.contains(output)),
            "{form}: {graph}"
        );
        assert!(
            !graph.contains("_why") && !graph.contains('\u{202e}'),
            "{form}: {graph}"
        );
    }
    let graph = world.run(&["graph", &id, "--format", "json"]).ends(0).out;
    assert!(graph.contains("\"why\": \"to greet"), "{graph}");
    let digest = digest(&world, &id, run);
    world
        .run(&["approve", &id, &run.to_string(), "--digest", &digest])
        .ends(0);
    world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(world.read("out.txt"), "hello\n");
    let audit = world.run(&["audit", &id]).ends(0).out;
    assert!(audit.contains(shown), "{audit}");
    assert!(audit.contains("executed  what was shown"), "{audit}");
}

/// A recorded sample as a session of this world, in its workspace.
fn adopted(world: &World, sample: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sessions")
        .join(sample);
    let envelopes = journal::read(&Place::at(&path).unwrap()).unwrap().envelopes;
    let id: uuid::Uuid = "01a1fbe7-f0a0-75b6-b2ba-5c1c67e3eb37".parse().unwrap();
    let mut writer = Store::open(world.sessions()).create(id).unwrap();
    for mut envelope in envelopes {
        if let Event::Run(RunEvent::Started(started) | RunEvent::Refitted { started }) = &mut envelope.event {
            started.workspace = world.ws().display().to_string();
        }
        writer.append(&envelope).unwrap();
    }
    writer.sync().unwrap();
    drop(writer);
    world.own(&id.to_string());
    id.to_string()
}

/// Requests to the model and executions.
fn asked_and_ran(world: &World, id: &str) -> (usize, usize) {
    let journal = world.journal(id);
    let count = |kind: &str| journal.matches(&format!("\"type\":\"{kind}\"")).count();
    (count("turn.requested"), count("call.started"))
}

#[test]
fn a_recorded_session_is_resumed_undone_and_switched_without_a_request() {
    for sample in ["replaced-call.jsonl", "rewritten-thought.jsonl"] {
        let world = World::new();
        let id = adopted(&world, sample);
        let before = asked_and_ran(&world, &id);
        let answer = world.run(&["resume", &id, "--headless"]).ends(0).out;
        assert!(!answer.is_empty());
        for verb in [&["undo"][..], &["redo"], &["switch", "0"], &["switch", "1"]] {
            let mut args = vec![verb[0], &id];
            args.extend(&verb[1..]);
            args.extend(["--resume", "--headless"]);
            let output = world.run(&args);
            assert!(
                !output.err.contains("changed"),
                "{sample} {verb:?}: {}",
                output.err
            );
            assert_eq!(
                asked_and_ran(&world, &id),
                before,
                "{sample} {verb:?}: {}",
                output.err
            );
        }
        let again = world.run(&["resume", &id, "--headless"]).ends(0).out;
        assert_eq!(again, answer, "{sample}");
        let state = world.state(&id);
        assert!(
            state.settings.tool_changes.is_empty(),
            "{sample}: no tool is another one"
        );
    }
}
