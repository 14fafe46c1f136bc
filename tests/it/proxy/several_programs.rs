//! Tests of several agents that the program starts, resumes and ends.
//!
//! Must not know: how it works inside.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::proxy::beside::{asked_model, asks, reply};
use crate::proxy::course::{bash, streamed};
use crate::proxy::several::{claude, codex, models, saw_only_their_own};
use crate::proxy::world::{World, until};

/// Starts the proxy without a screen in front of these; returns its address for agents.
fn serving(world: &World, upstreams: &[String], more: &[&str]) -> (Child, String) {
    let mut args = vec!["proxy", "--headless", "--control", "--policy", "supervised"];
    args.extend(upstreams.iter().flat_map(|one| ["--upstream", one]));
    args.extend(more);
    let mut command = world.command(&args);
    command.env("OVERRULE_PROXY_TOKEN", "token-of-the-test-1234");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find_map(|line| line.unwrap().strip_prefix("the proxy serves ").map(str::to_owned));
    // The program must not wait for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (child, line.unwrap())
}

/// The session whose model's name begins so, once it has a call that waits, and that call.
pub fn waiting(world: &World, model: &str) -> (String, Value) {
    let mut found = None;
    until("a call waits", || {
        found = world.ids().into_iter().find_map(|id| {
            let shown = world.run(&["sessions", "show", &id]).out;
            let queue = world.run(&["queue", &id, "--json"]).out;
            let call = serde_json::from_str(queue.lines().next()?).ok()?;
            shown
                .contains(&format!("model      {model}"))
                .then_some((id, call))
        });
        found.is_some()
    });
    found.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_session_has_the_name_of_its_agent_and_one_is_resumed_without_the_other() {
    let world = World::new();
    let (models, at) = models(
        vec![
            streamed(
                "anthropic",
                "I look.",
                &[("a1", "Write", json!({"file_path": "a.txt", "content": "a"}))],
            ),
            streamed("anthropic", "Anew.", &[]),
        ],
        vec![
            streamed(
                "openai-responses",
                "I read.",
                &[("b1", "Write", json!({"file_path": "b.txt", "content": "b"}))],
            ),
            streamed("openai-responses", "Codex is done.", &[]),
        ],
    );
    let (mut program, address) = serving(&world, &at, &[]);
    let tools = &["Write"];
    let (mut one, mut two) = (
        claude(&address).with_tools(tools),
        codex(&address).with_tools(tools),
    );
    one.say("the same task");
    two.say("the same task");
    let (of_one, of_two) = (asks(&one), asks(&two));
    let (first, write) = waiting(&world, "claude: m");
    let (second, other) = waiting(&world, "codex: m");
    assert_ne!(first, second);
    // A tool has the class that it has with its own agent.
    assert_eq!(
        (&write["effect"], &other["effect"]),
        (&json!("idempotent"), &json!("unknown")),
        "{write} {other}"
    );
    let listed = world.run(&["sessions"]).ends(0).out;
    assert!(
        listed.contains("claude: m") && listed.contains("codex: m"),
        "{listed}"
    );
    program.kill().unwrap();
    program.wait().unwrap();
    of_one.abort();
    of_two.abort();
    let before = world.journal(&first);
    assert!(before.contains(r#"\"program\":\"claude\""#), "{before}");

    // The same words from another agent do not continue the session of the first one.
    let (pid, address) = crate::proxy::program::serving_apart(&world, &at, &["--resume", &second]);
    let (one, mut two) = (one.at(&address), two.at(&address));
    let of_one = asks(&one);
    assert_eq!(reply("anthropic", of_one).await.text, "Anew.");
    assert_eq!(world.ids().len(), 3, "a session of its own");
    assert_eq!(world.journal(&first), before);
    let of_two = asks(&two);
    let (again, call) = waiting(&world, "codex: m");
    assert_eq!(again, second);
    let (id, digest) = (call["call"].as_str().unwrap(), call["digest"].as_str().unwrap());
    world
        .run_apart(&["approve", &second, id, "--digest", digest])
        .ends(0);
    let given = reply("openai-responses", of_two).await;
    assert_eq!((given.text.as_str(), given.calls.len()), ("I read.", 1));
    two.take(&given);
    assert_eq!(reply("openai-responses", asks(&two)).await.text, "Codex is done.");
    assert_eq!(world.ids().len(), 3);
    asked_model(&models[1], 2).await;
    saw_only_their_own(&models);
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A world in whose path these programs stand, and that path.
fn with_programs(names: &[&str]) -> (World, String) {
    let world = World::new();
    std::fs::create_dir(world.path("bin")).unwrap();
    for name in names {
        let file = world.aside(&format!("bin/{name}"), "#!/bin/sh\n");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // No program: nobody may run it.
    world.aside("bin/qwen", "#!/bin/sh\n");
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    (world, path)
}

/// What the proxy says when it starts, up to a line with these words.
fn said_at_start(world: &World, path: &str, args: &[&str], last: &str) -> String {
    let mut command = world.command(&[&["proxy"][..], args].concat());
    command
        .env("PATH", path)
        .env("OVERRULE_PROXY_TOKEN", "token-of-the-test-1234");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    for line in lines {
        said.push_str(&line.unwrap());
        said.push('\n');
        if said.contains(last) {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    said
}

#[test]
fn the_start_tells_a_line_for_each_agent_that_is_installed() {
    let (world, path) = with_programs(&["claude", "codex", "gemini"]);
    let workspace = format!("  cd {} && ", world.ws().display());
    let lines = |said: &str| -> Vec<String> {
        let lines = said.lines().filter_map(|line| line.strip_prefix(&workspace));
        lines.map(str::to_owned).collect()
    };
    let end = "ANTHROPIC_BASE_URL or OPENAI_BASE_URL";
    for (flags, gate) in [
        (&["--headless"][..], true),
        (&["--headless", "--keep-prompts"], false),
    ] {
        let said = said_at_start(&world, &path, flags, end);
        let lines = lines(&said);
        let [claude, codex, gemini] = lines.as_slice() else {
            panic!("{said}");
        };
        assert!(
            claude.contains(" claude") && claude.contains("ANTHROPIC_BASE_URL=http://127.0.0.1:"),
            "{claude}"
        );
        assert!(
            codex.contains(" codex ") && codex.contains("/s/") == codex.contains("ANTHROPIC"),
            "{codex}"
        );
        assert!(
            gemini.contains("GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:"),
            "{gemini}"
        );
        for (line, mark) in [
            (claude, "PreToolUse"),
            (codex, "approval_policy"),
            (gemini, "yolo"),
        ] {
            assert_eq!(line.contains(mark), gate, "{line}");
            assert!(line.contains("token-of-the-test-1234"), "{line}");
        }
        for model in [
            "anthropic: https://api.anthropic.com",
            "openai-responses: https://api.openai.com",
            "qwen: https://dashscope",
        ] {
            assert!(said.contains(model), "{said}");
        }
    }
    let said = said_at_start(
        &world,
        &path,
        &["--headless", "--upstream", "http://127.0.0.1:9"],
        end,
    );
    assert!(
        said.contains("the model: http://127.0.0.1:9") && !said.contains("api.anthropic.com"),
        "{said}"
    );
    assert!(world.ids().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_work_of_another_agent_goes_on_after_the_end_of_the_one_that_was_started() {
    let (world, path) = with_programs(&[]);
    let (models, at) = models(
        Vec::new(),
        vec![
            streamed("openai-responses", "I write.", &[("b1", "bash", bash("ls"))]),
            streamed("openai-responses", "Codex is done.", &[]),
        ],
    );
    let script = "#!/bin/sh\nprintf %s \"$ANTHROPIC_BASE_URL\" > base.new; mv base.new base\n\
                  while [ ! -e end ]; do sleep 0.02; done\n";
    let file = world.aside("bin/claude", script);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let flags = at.iter().flat_map(|one| ["--upstream", one]);
    let args = ["proxy", "--headless", "--control", "--policy", "supervised"];
    let args: Vec<&str> = args.into_iter().chain(flags).chain(["claude"]).collect();
    let mut command = world.command(&args);
    command
        .env("PATH", path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    until("the agent runs", || !world.read("base").is_empty());
    let mut agent = codex(&world.read("base"));
    let work = tokio::spawn(async move { agent.work("go").await });
    let (session, call) = waiting(&world, "codex: m");
    world.file("end", "");
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
    let told = lines.find(|line| {
        line.as_ref()
            .unwrap()
            .contains("with the work of the other agents")
    });
    assert!(told.is_some());
    assert!(program.try_wait().unwrap().is_none() && !work.is_finished());
    let (id, digest) = (call["call"].as_str().unwrap(), call["digest"].as_str().unwrap());
    world
        .run_apart(&["approve", &session, id, "--digest", digest])
        .ends(0);
    assert_eq!(work.await.unwrap(), "Codex is done.");
    assert_eq!(program.wait().unwrap().code(), Some(0));
    assert!(models[0].seen().is_empty() && models[1].seen().len() == 2);
}
