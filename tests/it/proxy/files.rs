//! Tests which changes of files are recorded for the calls of an agent, and that they are restored while it works.
//!
//! Must not know: how a change is found.

use std::path::Path;
use std::process::Command;

use overrule::domain::event::{Event, FilesEvent};
use overrule::domain::files::ChangeSet;
use overrule::model::decode::{Summary, summary};
use overrule::model::wire::Wire;
use serde_json::{Value, json};

use crate::proxy::agent::Agent;
use crate::proxy::course::{bash, streamed};
use crate::proxy::program::served;
use crate::proxy::server::Server;
use crate::proxy::world::{World, until};

const WIRE: &str = "anthropic";
const PROMPT: &str = "the task";

/// Sends the history of the agent; returns the reply.
async fn asked(agent: &Agent) -> Summary {
    let (status, bytes) = agent.ask().await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&bytes));
    summary(Wire::named(WIRE).unwrap(), &bytes)
}

/// Does what a call says, as an agent does.
fn execute(workspace: &Path, tool: &str, args: &str) {
    let args: Value = serde_json::from_str(args).unwrap();
    if tool == "bash" {
        let line = args["command"].as_str().unwrap();
        let status = Command::new("sh")
            .args(["-c", line])
            .current_dir(workspace)
            .status();
        assert!(status.unwrap().success());
    } else {
        let path = workspace.join(args["file_path"].as_str().unwrap());
        std::fs::write(path, args["content"].as_str().unwrap()).unwrap();
    }
}

/// What each call changed, with its paths.
fn sets(world: &World) -> Vec<(String, Vec<String>, ChangeSet)> {
    let facts = world.facts(&world.id());
    let sets = facts.into_iter().filter_map(|fact| match fact.event {
        Event::Files(FilesEvent::Changed { call, set, .. }) => {
            let paths = set.changes.0.iter().map(|one| one.path.text().into_owned());
            Some((call.to_string(), paths.collect(), *set))
        }
        _ => None,
    });
    sets.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_changed_is_restored_while_it_works_and_its_model_is_informed() {
    let model = Server::new(vec![
        streamed(
            WIRE,
            "One.",
            &[("k1", "bash", bash("echo changed > a.txt; rm b.txt"))],
        ),
        streamed(
            WIRE,
            "Two.",
            &[("k2", "Write", json!({"file_path": "c.txt", "content": "new\n"}))],
        ),
        streamed(WIRE, "Done.", &[]),
        streamed(WIRE, "I see.", &[]),
    ]);
    let world = World::new();
    for (name, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("other.txt", "other\n")] {
        world.file(name, text);
    }
    let base = model.base.trim_end_matches("/v1");
    let args = [
        "proxy",
        "--headless",
        "--control",
        "--policy",
        "auto",
        "--upstream",
        base,
    ];
    let (mut program, address) = served(world.command(&args));
    let mut agent = Agent::new(WIRE, &address).with_tools(&["bash", "Write"]);
    agent.say(PROMPT);
    loop {
        let reply = asked(&agent).await;
        for call in &reply.calls {
            execute(&world.ws(), &call.name, &call.args);
        }
        if agent.take(&reply) {
            break;
        }
    }
    let changed = sets(&world);
    let [(shell, first, _), (_, second, _)] = changed.as_slice() else {
        panic!("two change sets: {changed:?}");
    };
    assert_eq!(first, &["a.txt", "b.txt"], "what the shell changed");
    assert_eq!(second, &["c.txt"], "what the tool wrote, by its name");

    // Its files are restored by the running program, and no others.
    world.file("other.txt", "mine\n");
    let id = world.id();
    let preview = world
        .run_apart(&["restore", &id, shell, "--preview", "--json"])
        .ends(0);
    let preview: Value = serde_json::from_str(preview.out.trim()).unwrap();
    let digest = preview["digest"].as_str().unwrap();
    world
        .run_apart(&["restore", &id, shell, "--digest", digest])
        .ends(0);
    until("both are restored", || world.ws().join("b.txt").exists());
    until("the end is recorded", || {
        world.has_recorded(&id, "files.restored")
    });
    assert_eq!(
        (world.read("a.txt"), world.read("b.txt")),
        ("one\n".to_owned(), "two\n".to_owned())
    );
    assert_eq!(world.read("c.txt"), "new\n");
    assert_eq!(world.read("other.txt"), "mine\n");

    agent.say("go on");
    assert_eq!(asked(&agent).await.text, "I see.");
    let last = model.seen().pop().unwrap().body;
    let words = format!("operator restored 2 files to their state before {shell}");
    assert!(last.contains(&words), "no `{words}` in {last}");
    program.kill().unwrap();
    program.wait().unwrap();
}
