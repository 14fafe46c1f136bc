//! Tests agents that people run inside of a sandbox, as a whole, with a scripted model.
//!
//! Must not know: how a kernel confines.
//!
//! Skipped, loudly, where the agents of `OVERRULE_AGENTS` are not there.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::proxy::course::{streamed, whole};
use crate::proxy::real::{PROGRAM, RealAgent, present, results, text_call};
use crate::proxy::server::{Reply, Server};
use crate::proxy::world::{World, finish};

/// Attempts that must fail, and a file that tells that they were made.
const TRIES: &str = "echo out > \"$HOME/outside.txt\"\ncat \"$HOME/.ssh/id_ed25519\" > key.txt\n\
                     echo hook > \"$HOME/.claude/settings.json\"\necho tried > tried.txt\n";

/// Edits a file. One of the agents refuses `sed -i` of a file that it did not read by its own tool.
const EDIT: &str = "sed s/alpha/gamma/ notes.txt > edited.txt && mv edited.txt notes.txt";

/// What the model asks for, one call a reply.
fn steps(agent: &RealAgent, world: &World) -> Vec<(&'static str, Value)> {
    let shell = |line: &str| (agent.shell.0, agent.running(line));
    let notes = world.ws().join("notes.txt");
    let mut steps = if agent.program == "claude" {
        vec![
            ("Read", json!({ "file_path": notes })),
            (
                "Edit",
                json!({ "file_path": notes, "old_string": "alpha", "new_string": "gamma" }),
            ),
        ]
    } else {
        vec![shell("cat notes.txt"), shell(EDIT)]
    };
    steps.extend([shell("echo one >> made.txt"), shell("sh try.sh")]);
    steps
}

fn model(agent: &'static RealAgent, steps: Vec<(&'static str, Value)>) -> Server {
    Server::answering(move |_, body| -> Reply {
        let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
            || body.to_string().contains(r#""additional_tools""#);
        if !has_tools {
            return if agent.wire == "gemini" {
                whole(agent.wire, "{}", &[])
            } else {
                streamed(agent.wire, "A title", &[])
            };
        }
        let at = results(agent.wire, body);
        let Some((tool, args)) = steps.get(at) else {
            return streamed(agent.wire, "All done.", &[]);
        };
        let id = format!("call_{at}");
        let id = if agent.wire == "gemini" { "" } else { &id };
        if *tool == PROGRAM {
            return text_call(id, tool, &args["input"]);
        }
        streamed(agent.wire, "A step.", &[(id, tool, args.clone())])
    })
}

/// The agent in a sandbox below the program. Its own sandbox is the business of the program.
fn command(world: &World, agent: &RealAgent, dir: &std::path::Path, upstream: &str) -> Command {
    let upstream = format!("{}{}", upstream.trim_end_matches("/v1"), agent.path);
    let flags = [
        "proxy",
        "--headless",
        "--policy",
        "auto",
        "--sandbox",
        "--upstream",
        &upstream,
        "--",
    ];
    let own = agent
        .arguments
        .iter()
        .filter(|word| !["-s", "danger-full-access"].contains(word));
    let own: Vec<&str> = own.copied().collect();
    let mut command = world.command(&[&flags[..], &[agent.program], &own].concat());
    for (file, text) in agent
        .files
        .iter()
        .chain(&[(".ssh/id_ed25519", "the key"), (".claude/settings.json", "{}")])
    {
        let file = world.path("home").join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", dir.display()));
    command.envs(agent.environment.iter().copied());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn a_real_agent_works_inside_and_changes_nothing_outside() {
    let Some((dir, agents)) = present() else {
        eprintln!("SKIPPED: OVERRULE_AGENTS names no directory with agents from the npm registry");
        return;
    };
    for agent in agents {
        let world = World::new();
        world.file("try.sh", TRIES);
        let model = model(agent, steps(agent, &world));
        let said = finish(command(&world, agent, &dir, &model.base));
        if said.err.contains("it needs a network of its own") {
            eprintln!("SKIPPED: {}", said.err);
            return;
        }
        let name = format!("{} {}", agent.program, agent.wire);
        assert_eq!(said.code, Some(0), "{name}: {}\n{}", said.out, said.err);
        assert!(
            said.err.contains("sandbox 1 partial: the terminal can be opened"),
            "{name}: {}",
            said.err
        );
        let last = || {
            model
                .seen()
                .last()
                .map(|seen| seen.body.clone())
                .unwrap_or_default()
        };
        assert_eq!(
            world.read("made.txt"),
            "one\n",
            "{name}: {}\n{}",
            said.err,
            last()
        );
        assert_eq!(world.read("notes.txt"), "gamma\nbeta\n", "{name}: {}", last());
        assert_eq!(world.read("tried.txt"), "tried\n", "{name}: {}", last());
        assert_eq!(world.read("key.txt"), "", "{name}");
        assert!(!world.path("home/outside.txt").exists(), "{name}");
        let settings = world.path("home/.claude/settings.json");
        assert_eq!(std::fs::read_to_string(settings).unwrap(), "{}", "{name}");
        let state = world.state(&world.ids()[0]);
        assert!(state.sandbox_profile().is_full(), "{name}");
        eprintln!("{name}: works inside");
    }
}
