//! Tests of several agents behind one proxy: each has its own vendor, sessions and name.
//!
//! Must not know: how conversations are distinguished.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use overrule::domain::call::Status;
use overrule::domain::state::State;
use overrule::policy::Preset;
use serde_json::{Value, json};

use crate::proxy::agent::{Agent, client};
use crate::proxy::beside::{asked_model, asks, base, finished, prompts, reply, run};
use crate::proxy::course::{bash, streamed};
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, reject};
use crate::proxy::world::{World, until};

const CLAUDE: &str = "claude-cli/2.1.332 (external, cli)";
const CODEX: &str = "codex_exec/0.171.0 (Debian 12)";
/// What no vendor but their own may see.
const LOG_INS: [&str; 2] = ["key-for-anthropic", "key-for-openai"];

fn claude(base: &str) -> Agent {
    Agent::new("anthropic", base)
        .of_program(CLAUDE)
        .with_log_in(LOG_INS[0])
}

fn codex(base: &str) -> Agent {
    Agent::new("openai-responses", base)
        .of_program(CODEX)
        .with_log_in(LOG_INS[1])
}

/// The models of both, and where their formats go.
fn models(of_claude: Vec<Reply>, of_codex: Vec<Reply>) -> ([Server; 2], [String; 2]) {
    let models = [Server::new(of_claude), Server::new(of_codex)];
    let at = [
        format!("anthropic={}", base(&models[0])),
        format!("openai-responses={}", models[1].base),
    ];
    (models, at)
}

/// Fails if a vendor saw a request of the other agent.
fn saw_only_their_own(models: &[Server; 2]) {
    for (number, model) in models.iter().enumerate() {
        let seen = model.seen();
        assert!(!seen.is_empty());
        for one in seen {
            let all = format!("{}{}", one.head, one.body);
            assert!(all.contains(LOG_INS[number]), "{all}");
            assert!(!all.contains(LOG_INS[1 - number]), "{all}");
        }
    }
}

#[tokio::test]
async fn two_agents_are_held_and_decided_apart_and_each_vendor_sees_its_own_alone() {
    let (models, at) = models(
        vec![
            streamed("anthropic", "I look.", &[("a1", "bash", bash("ls"))]),
            streamed("anthropic", "Claude is done.", &[]),
        ],
        vec![
            streamed("openai-responses", "I write.", &[("b1", "bash", bash("rm -r ."))]),
            streamed("openai-responses", "Codex is done.", &[]),
        ],
    );
    let mut stage = Stage::before_all(&at).await;
    let (mut one, mut two) = (claude(&stage.base), codex(&stage.base));
    let (of_one, of_two) = (one.ran.clone(), two.ran.clone());
    let one = tokio::spawn(async move { one.work("the same task").await });
    let mut first = run(&mut stage, Preset::Supervised).await;
    let held = asked(&mut first, "bash").await;
    let two = tokio::spawn(async move { two.work("the same task").await });
    let mut second = run(&mut stage, Preset::Supervised).await;
    let other = asked(&mut second, "bash").await;
    assert!(of_one.lock().unwrap().is_empty() && of_two.lock().unwrap().is_empty());
    reject(&second, other, "not this").await;
    assert_eq!(two.await.unwrap(), "Codex is done.");
    assert_eq!(first.state.calls[&held].status, Status::AwaitingApproval);
    approve(&first, held).await;
    assert_eq!(one.await.unwrap(), "Claude is done.");
    assert_eq!(*of_one.lock().unwrap(), [("bash".to_owned(), bash("ls"))]);
    assert!(of_two.lock().unwrap().is_empty(), "it was rejected");
    for live in [&mut first, &mut second] {
        live.settles("finished", finished).await;
        assert_eq!(prompts(&live.state), ["the same task"]);
        assert_eq!(live.state.calls.len(), 1);
    }
    saw_only_their_own(&models);
    let told = models[1].seen();
    assert!(told[1].body.contains("not this"), "its model knows why");
    first.end().await;
    second.end().await;
}

#[tokio::test]
async fn what_is_no_reply_goes_to_the_vendor_that_it_is_for_or_nowhere() {
    const OK: &str = "Content-Type: application/json\r\n";
    let replies = || (0..3).map(|_| Reply::Status(200, OK, "{}")).collect();
    let (models, at) = models(replies(), replies());
    let stage = Stage::before_all(&at).await;
    let get = async |path: &str, headers: &[(&'static str, &'static str)], log_in: &str| {
        let request = client().get(format!("{}{path}", stage.base));
        let request = request.header("authorization", format!("Bearer {log_in}"));
        let headers = headers.iter();
        let request = headers.fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let [of_claude, of_codex] = LOG_INS;
    for (path, headers, log_in, status) in [
        ("/v1/models", &[("user-agent", CLAUDE)][..], of_claude, 200),
        (
            "/v1/models",
            &[("anthropic-version", "2023-06-01")],
            of_claude,
            200,
        ),
        ("/v1/models", &[("user-agent", CODEX)], of_codex, 200),
        // Nothing says whose it is.
        ("/v1/models", &[("user-agent", "OpenAI/Python 1")], of_codex, 400),
        ("/v1/models", &[], of_claude, 400),
        (
            "/v1/models",
            &[("user-agent", "opencode/1.18.33")],
            of_claude,
            400,
        ),
    ] {
        let (found, body) = get(path, headers, log_in).await;
        assert_eq!(found, status, "{headers:?}: {body}");
        assert_eq!(status == 400, body.contains("--upstream URL"), "{body}");
    }
    // The path tells it, whoever asks.
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": []});
    let count = client()
        .post(format!("{}/v1/messages/count_tokens", stage.base))
        .header("user-agent", CODEX)
        .header("x-api-key", of_claude)
        .body(body.to_string());
    assert_eq!(count.send().await.unwrap().status(), 200);
    saw_only_their_own(&models);
    assert_eq!([models[0].seen().len(), models[1].seen().len()], [3, 1]);
}

/// Another agent that begins while the run of the first one is idle.
struct Joining {
    what: &'static str,
    wire: &'static str,
    program: &'static str,
    tools: &'static [&'static str],
    /// True if it continues that run.
    joins: bool,
}

#[tokio::test]
async fn a_conversation_without_a_name_continues_only_a_run_of_its_program_with_its_format_and_tools() {
    let wire = "openai-chat";
    for row in [
        Joining {
            what: "another first message",
            wire,
            program: "QwenCode/1",
            tools: &["bash", "edit"],
            joins: true,
        },
        Joining {
            what: "another version",
            wire,
            program: "QwenCode/2",
            tools: &["bash", "edit"],
            joins: true,
        },
        Joining {
            what: "a tool in common",
            wire,
            program: "QwenCode/1",
            tools: &["edit", "grep"],
            joins: true,
        },
        Joining {
            what: "no tool in common",
            wire,
            program: "QwenCode/1",
            tools: &["grep"],
            joins: false,
        },
        Joining {
            what: "another agent",
            wire,
            program: CLAUDE,
            tools: &["bash", "edit"],
            joins: false,
        },
        Joining {
            what: "an unknown program",
            wire,
            program: "Agents/Python 1",
            tools: &["bash", "edit"],
            joins: false,
        },
        Joining {
            what: "another format",
            wire: "anthropic",
            program: "QwenCode/1",
            tools: &["bash", "edit"],
            joins: false,
        },
    ] {
        let model = Server::answering(move |number, _| match number {
            1 => streamed(wire, "First.", &[]),
            _ => streamed(row.wire, "Second.", &[]),
        });
        let mut stage = Stage::before(&model.base).await;
        let mut first = Agent::new(wire, &stage.base).of_program("QwenCode/1");
        first.say("one");
        let asking = asks(&first);
        let mut live = run(&mut stage, Preset::Auto).await;
        reply(wire, asking).await;
        live.settles("finished", finished).await;
        let second = Agent::new(row.wire, &stage.base).of_program(row.program);
        let mut second = second.with_tools(row.tools);
        second.say("two");
        let asking = asks(&second);
        if row.joins {
            reply(row.wire, asking).await;
            live.settles("it is in the same run", |state| prompts(state).len() == 2)
                .await;
            assert!(live.state.origin.agent.rewritten.is_some(), "{}", row.what);
        } else {
            let mut other = run(&mut stage, Preset::Auto).await;
            reply(row.wire, asking).await;
            other.settles("finished", finished).await;
            assert_eq!(prompts(&other.state), ["two"], "{}", row.what);
            assert_eq!(prompts(&live.state), ["one"], "{}", row.what);
            assert_eq!(live.state.origin.agent.rewritten, None, "{}", row.what);
            other.end().await;
        }
        live.end().await;
    }
}

#[tokio::test]
async fn the_same_name_and_history_of_another_program_are_another_conversation() {
    let wire = "anthropic";
    for header in [None, Some("x-session-id")] {
        let model = Server::new(vec![
            streamed(wire, "One.", &[]),
            streamed(wire, "Two.", &[]),
            streamed(wire, "Three.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let named = |agent: Agent| match header {
            Some(header) => agent.with_header(header, "s"),
            None => agent,
        };
        let mut first = named(Agent::new(wire, &stage.base));
        first.say("go");
        let asking = asks(&first);
        let mut live = run(&mut stage, Preset::Auto).await;
        first.take(&reply(wire, asking).await);
        live.settles("finished", finished).await;
        first.say("on");
        let second = named(first.clone().of_program("opencode/1.18.33"));
        let asking = asks(&second);
        let mut other = run(&mut stage, Preset::Auto).await;
        assert_eq!(reply(wire, asking).await.text, "Two.", "{header:?}");
        other.settles("finished", finished).await;
        assert_eq!(prompts(&live.state), ["go"], "{header:?}");
        // The first one continues in its own.
        assert_eq!(reply(wire, asks(&first)).await.text, "Three.", "{header:?}");
        live.settles("its words are known", |state| prompts(state) == ["go", "on"])
            .await;
        live.end().await;
        other.end().await;
    }
}

#[tokio::test]
async fn an_agent_is_no_sub_agent_of_another_one() {
    let task = "Count the files below src.";
    let args = json!({"command": "count", "prompt": task});
    let (models, at) = models(
        vec![streamed("anthropic", "One.", &[("a", "bash", args)])],
        vec![
            streamed("openai-responses", "Two.", &[]),
            streamed("openai-responses", "Two.", &[]),
        ],
    );
    let mut stage = Stage::before_all(&at).await;
    let mut agent = claude(&stage.base);
    agent.say("go");
    let asking = asks(&agent);
    let mut live = run(&mut stage, Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    approve(&live, call).await;
    live.settles("it runs", |state: &State| {
        matches!(state.calls[&call].status, Status::Running(_))
    })
    .await;
    asking.await.unwrap();
    // With the task alone, and with a mark of its own: neither belongs to a conversation of another agent.
    let plain = codex(&stage.base);
    let marked = codex(&stage.base)
        .with_header("thread-id", "t")
        .with_header("x-codex-parent-thread-id", "p");
    for mut other in [marked, plain] {
        other.say(task);
        let asking = asks(&other);
        let (opening, _) = stage.opening().await;
        assert!(opening.parent.is_none() && opening.is_beside);
        asking.abort();
    }
    // Its own sub-agent does.
    let mut own = claude(&stage.base);
    own.say(task);
    let asking = asks(&own);
    let (opening, _) = stage.opening().await;
    assert_eq!(opening.parent.unwrap().call, Some(call));
    asking.abort();
    drop(models);
    live.end().await;
}

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
