//! Tests with agents that people run, from the npm registry, and a scripted model.
//!
//! Must not know: how the proxy works.
//!
//! `OVERRULE_AGENTS` names the directory of their programs (`node_modules/.bin`). Where it names none, these tests say that they
//! are skipped, and pass.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use overrule::model::wire::Wire;
use overrule::model::wire::agent::decode_request;
use overrule::proxy::catalogue::TABLES;
use serde_json::{Value, json};

use crate::proxy::course::{streamed, whole};
use crate::proxy::server::{Reply, Server};
use crate::proxy::several_programs::waiting as waiting_call;
use crate::proxy::world::{World, until, wait};

/// An agent, and how it works without its user.
pub struct RealAgent {
    pub program: &'static str,
    pub wire: &'static str,
    /// What follows the address of the model's server.
    pub path: &'static str,
    /// Its shell, and the argument with the command.
    pub shell: (&'static str, &'static str),
    pub arguments: &'static [&'static str],
    pub environment: &'static [(&'static str, &'static str)],
    /// Files of its user.
    pub files: &'static [(&'static str, &'static str)],
}

/// The settings of codex's user.
const CODEX: &[(&str, &str)] = &[(".codex/auth.json", r#"{"OPENAI_API_KEY":"x"}"#)];
/// What keeps opencode from looking for newer versions and lists of models.
const OPENCODE: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "x"),
    ("OPENAI_API_KEY", "x"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
];

/// They ask their users by themselves: without the settings of the proxy none of them runs a command.
const AGENTS: [RealAgent; 7] = [
    RealAgent {
        program: "claude",
        wire: "anthropic",
        path: "",
        shell: ("Bash", "command"),
        arguments: &["-p", "make it"],
        environment: &[
            ("ANTHROPIC_API_KEY", "x"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        files: &[],
    },
    RealAgent {
        program: "codex",
        wire: "openai-responses",
        path: "/v1",
        shell: ("exec_command", "cmd"),
        arguments: &[
            "exec",
            "-m",
            "gpt-5.4",
            "--skip-git-repo-check",
            "-s",
            "danger-full-access",
            "make it",
        ],
        environment: &[],
        files: CODEX,
    },
    // Its own choice of a model, which has one tool for a program.
    RealAgent {
        program: "codex",
        wire: "openai-responses",
        path: "/v1",
        shell: (PROGRAM, "input"),
        arguments: &[
            "exec",
            "--skip-git-repo-check",
            "-s",
            "danger-full-access",
            "make it",
        ],
        environment: &[],
        files: CODEX,
    },
    RealAgent {
        program: "gemini",
        wire: "gemini",
        path: "",
        shell: ("run_shell_command", "command"),
        arguments: &["-p", "make it", "-m", "gemini-2.5-flash"],
        environment: &[("GEMINI_API_KEY", "x"), ("GEMINI_CLI_TRUST_WORKSPACE", "true")],
        files: &[(
            ".gemini/settings.json",
            r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false}}"#,
        )],
    },
    RealAgent {
        program: "opencode",
        wire: "anthropic",
        path: "/v1",
        shell: ("bash", "command"),
        arguments: &["run", "-m", "anthropic/claude-sonnet-4-5", "make it"],
        environment: OPENCODE,
        files: &[],
    },
    RealAgent {
        program: "opencode",
        wire: "openai-responses",
        path: "/v1",
        shell: ("bash", "command"),
        arguments: &["run", "-m", "openai/gpt-5.4", "make it"],
        environment: OPENCODE,
        files: &[],
    },
    RealAgent {
        program: "qwen",
        wire: "openai-chat",
        path: "/v1",
        shell: ("run_shell_command", "command"),
        arguments: &["-p", "make it"],
        environment: &[("OPENAI_API_KEY", "x"), ("OPENAI_MODEL", "gpt-4o")],
        files: &[(
            ".qwen/settings.json",
            r#"{"security":{"auth":{"selectedType":"openai"}},"general":{"enableAutoUpdate":false}}"#,
        )],
    },
];

/// The tool whose argument is a program.
pub const PROGRAM: &str = "exec";

impl RealAgent {
    /// The arguments of a call of its shell that runs a line.
    pub fn running(&self, line: &str) -> Value {
        let value = match self.shell.0 {
            PROGRAM => format!(
                "const r = await tools.exec_command({{cmd: {}}});\ntext(r.output);",
                json!(line)
            ),
            _ => line.to_owned(),
        };
        let mut args = json!({self.shell.1: value});
        if self.program == "opencode" {
            args["description"] = "a step".into();
        }
        args
    }
}

/// A reply with a call whose argument is a text.
pub fn text_call(id: &str, tool: &str, text: &Value) -> Reply {
    let item = json!({"type": "custom_tool_call", "id": format!("i{id}"), "call_id": id, "name": tool, "input": text,
        "status": "completed"});
    let usage = json!({"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2});
    let all = [
        json!({"type": "response.created", "response": {"id": "r", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed",
            "response": {"id": "r", "status": "completed", "output": [item], "usage": usage}}),
    ];
    let event = |data: &Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    Reply::Stream(all.iter().map(event).collect())
}

/// The agents that are here, with the directory of their programs.
#[expect(
    clippy::disallowed_methods,
    reason = "who runs the test says where the agents are"
)]
pub fn present() -> Option<(PathBuf, Vec<&'static RealAgent>)> {
    let dir = PathBuf::from(std::env::var_os("OVERRULE_AGENTS")?);
    let found = AGENTS.iter().filter(|agent| dir.join(agent.program).exists());
    Some((dir.clone(), found.collect()))
}

/// How many results a request has.
pub fn results(wire: &str, body: &Value) -> usize {
    let mark = match wire {
        "anthropic" => r#""type":"tool_result""#,
        "openai-chat" => r#""role":"tool""#,
        "openai-responses" => r#"call_output","#,
        _ => r#""functionResponse":"#,
    };
    body.to_string().matches(mark).count()
}

/// The model: three calls of the shell, then an answer.
fn model(agent: &'static RealAgent) -> Server {
    let tool = agent.shell.0;
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
        let words = ["one", "two", "three"];
        let Some(word) = words.get(results(agent.wire, body)) else {
            return streamed(agent.wire, "All done.", &[]);
        };
        let id = format!("call_{word}");
        let id = if agent.wire == "gemini" { "" } else { &id };
        let args = agent.running(&format!("echo {word} >> made.txt"));
        if tool == PROGRAM {
            return text_call(id, tool, &args["input"]);
        }
        streamed(agent.wire, &format!("Step {word}."), &[(id, tool, args)])
    })
}

/// Starts an agent below the program.
fn started(world: &World, agent: &RealAgent, dir: &std::path::Path, upstream: &str) -> Command {
    let upstream = format!("{}{}", upstream.trim_end_matches("/v1"), agent.path);
    let own = [
        "proxy",
        "--headless",
        "--control",
        "--policy",
        "supervised",
        "--upstream",
        &upstream,
        "--",
        agent.program,
    ];
    let mut command = world.command(&[&own[..], agent.arguments].concat());
    let home = world.path("home");
    for (file, text) in agent.files {
        let file = home.join(file);
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

/// The call that waits, once it is the one with this word.
fn waiting(world: &World, word: &str) -> Value {
    let mut found = Value::Null;
    until(&format!("`{word}` waits"), || {
        let Some(session) = world.ids().first().cloned() else {
            return false;
        };
        let queue = world.run(&["queue", &session, "--json"]).out;
        let mut calls = queue
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_it = |call: &Value| call.to_string().contains(&format!("echo {word}"));
        found = calls.rfind(is_it).unwrap_or_default();
        !found.is_null()
    });
    found
}

/// Says which tools of an agent its table does not have: they are new, or of a server.
fn tell_unknown(agent: &RealAgent, model: &Server) {
    let table = TABLES.iter().find(|table| table.agent == agent.program).unwrap();
    let wire = Wire::named(agent.wire).unwrap();
    let requests = model.seen();
    let requests = requests
        .iter()
        .filter_map(|seen| decode_request(wire, seen.body.as_bytes()).ok());
    let tools = requests.flat_map(|request| request.tools);
    let unknown = tools.filter(|tool| !tool.is_providers && !table.has(tool));
    let unknown: BTreeSet<String> = unknown.map(|tool| tool.name).collect();
    if !unknown.is_empty() {
        eprintln!("{} {}: not in the table: {unknown:?}", table.agent, table.version);
    }
}

#[test]
fn an_agent_runs_what_was_decided_and_its_model_sees_why() {
    let Some((dir, agents)) = present() else {
        eprintln!("SKIPPED: OVERRULE_AGENTS names no directory with agents from the npm registry");
        return;
    };
    assert!(!agents.is_empty(), "{} has none of the agents", dir.display());
    for agent in agents {
        let world = World::new();
        let model = model(agent);
        let program = started(&world, agent, &dir, &model.base).spawn().unwrap();
        let first = waiting(&world, "one");
        let session = world.ids()[0].clone();
        let name = |call: &Value| call["call"].as_str().unwrap().to_owned();
        let args = agent.running("echo edited >> made.txt").to_string();
        world
            .run(&["edit", &session, &name(&first), "--args", &args])
            .ends(0);
        let second = name(&waiting(&world, "two"));
        world
            .run(&["reject", &session, &second, "--reason", "not a second time"])
            .ends(0);
        let third = waiting(&world, "three");
        let digest = third["digest"].as_str().unwrap();
        world
            .run(&["approve", &session, &name(&third), "--digest", digest])
            .ends(0);
        let end = wait(program);
        assert_eq!(end.code, Some(0), "{}: {}", agent.program, end.err);
        assert_eq!(world.read("made.txt"), "edited\nthree\n", "{}", agent.program);
        tell_unknown(agent, &model);
        let last = model.seen();
        let last = last
            .iter()
            .rfind(|seen| results(agent.wire, &seen.json()) == 3)
            .unwrap();
        for words in ["echo edited", "echo two", "not a second time", "echo three"] {
            assert!(
                last.body.contains(words),
                "{}: no `{words}` in {}",
                agent.program,
                last.body
            );
        }
        // One agent makes ids of its own from the names of tools: these may have the name of the mask.
        for words in ["echo one", r#""name":"rejected_by_operator"#, "no such tool"] {
            assert!(
                !last.body.contains(words),
                "{}: `{words}` in {}",
                agent.program,
                last.body
            );
        }
    }
}

/// What keeps the log-ins of the two apart.
const LOG_INS: [&str; 2] = ["key-for-anthropic", "key-for-openai"];

/// Starts the proxy without an agent; returns it, and the lines for the shell that it prints.
fn serving_all(world: &World, dir: &std::path::Path, models: &[Server; 2]) -> (Child, Vec<String>) {
    let at = [
        format!("anthropic={}", models[0].base.trim_end_matches("/v1")),
        format!("openai-responses={}", models[1].base),
    ];
    let flags = ["proxy", "--headless", "--control", "--policy", "supervised"];
    let flags = [&flags[..], &["--upstream", &at[0], "--upstream", &at[1]]].concat();
    let mut command = world.command(&flags);
    command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", dir.display()));
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut told = Vec::new();
    for line in lines.by_ref() {
        let line = line.unwrap();
        if line.contains("start any other agent") {
            break;
        }
        told.extend(line.strip_prefix("  cd ").map(|rest| format!("cd {rest}")));
    }
    // The program must not wait for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (child, told)
}

/// Starts an agent by the line that the proxy printed.
fn pasted(world: &World, agent: &RealAgent, dir: &std::path::Path, line: &str, log_in: &str) -> Child {
    let words = agent.arguments.iter().map(|word| format!(" '{word}'"));
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", &format!("{line}{}", words.collect::<String>())])
        .env_clear()
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", dir.display()))
        .env("HOME", world.path("home"))
        .envs(agent.environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if agent.program == "codex" {
        let home = world.path("home/.codex");
        std::fs::create_dir_all(&home).unwrap();
        let key = json!({ "OPENAI_API_KEY": log_in }).to_string();
        std::fs::write(home.join("auth.json"), key).unwrap();
    } else {
        command.env("ANTHROPIC_API_KEY", log_in);
    }
    command.spawn().unwrap()
}

#[test]
fn two_agents_work_under_one_console_and_each_vendor_sees_its_own() {
    let agents = [&AGENTS[0], &AGENTS[1]];
    let there = present().filter(|(dir, _)| agents.iter().all(|agent| dir.join(agent.program).exists()));
    let Some((dir, _)) = there else {
        eprintln!("SKIPPED: OVERRULE_AGENTS names no directory with claude and codex from the npm registry");
        return;
    };
    let world = World::new();
    let models = agents.map(model);
    let (mut proxy, lines) = serving_all(&world, &dir, &models);
    let children: Vec<Child> = (agents.iter().zip(LOG_INS))
        .map(|(agent, log_in)| {
            let is_its = |line: &&String| line.contains(&format!(" {} ", agent.program));
            let line = lines.iter().find(is_its).unwrap();
            pasted(&world, agent, &dir, line, log_in)
        })
        .collect();
    for word in ["one", "two", "three"] {
        for agent in agents {
            let mut found = None;
            until(&format!("`{word}` of {} waits", agent.program), || {
                let (session, call) = waiting_call(&world, &format!("{}: ", agent.program));
                let is_it = call.to_string().contains(&format!("echo {word}"));
                found = Some((session, call)).filter(|_| is_it);
                is_it
            });
            let (session, call) = found.unwrap();
            let (id, digest) = (call["call"].as_str().unwrap(), call["digest"].as_str().unwrap());
            world.run(&["approve", &session, id, "--digest", digest]).ends(0);
        }
    }
    for (agent, child) in agents.iter().zip(children) {
        let end = wait(child);
        assert_eq!(end.code, Some(0), "{}: {} {}", agent.program, end.out, end.err);
    }
    assert_eq!(world.ids().len(), 2, "a session for each");
    let made = world.read("made.txt");
    let mut made: Vec<&str> = made.lines().collect();
    made.sort_unstable();
    assert_eq!(made, ["one", "one", "three", "three", "two", "two"]);
    for (number, model) in models.iter().enumerate() {
        let all: Vec<String> = model
            .seen()
            .iter()
            .map(|seen| seen.head.clone() + &seen.body)
            .collect();
        assert!(all.iter().any(|one| one.contains(LOG_INS[number])));
        assert!(
            all.iter().all(|one| !one.contains(LOG_INS[1 - number])),
            "{all:?}"
        );
    }
    proxy.kill().unwrap();
    proxy.wait().unwrap();
}
