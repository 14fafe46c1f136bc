//! Tests of the real program in front of a scripted model.
//!
//! Must not know: how it works inside.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asked_model, asks};
use crate::proxy::course::{bash, streamed, whole};
use crate::proxy::server::Server;
use crate::proxy::world::{World, finish, until};

/// A world in whose path a program of this name stands.
fn with_program(name: &str, script: &str) -> World {
    let world = World::new();
    let file = world.aside(name, script);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    world
}

#[test]
fn a_known_agent_gets_the_address_and_one_that_never_asks_is_told() {
    let script = "#!/bin/sh\nprintf '%s %s' \"$ANTHROPIC_BASE_URL\" \"$*\" > asked\nexit 3\n";
    let world = with_program("claude", script);
    let program = world.path("claude").to_str().unwrap().to_owned();
    let said = finish(world.command(&["proxy", "--headless", "--", &program, "-p", "fix it"])).ends(1);
    assert!(said.err.contains("without a request"), "{}", said.err);
    let asked = world.read("asked");
    assert!(
        asked.starts_with("http://127.0.0.1:") && asked.contains("/s/"),
        "{asked}"
    );
    assert!(asked.ends_with(" -p fix it"), "{asked}");
    assert!(world.ids().is_empty(), "no session began");
}

#[test]
fn an_agent_is_started_so_that_it_asks_nobody_again_unless_that_is_kept() {
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > asked\nexit 3\n";
    for (name, flags, own, set) in [
        ("claude", &[][..], &["-p", "fix it"][..], Some("PreToolUse")),
        ("claude", &["--keep-prompts"], &["-p", "fix it"], None),
        // What passes undecided is asked about by the agent.
        ("claude", &["--pass-unknown"], &["-p", "fix it"], None),
        ("claude", &[], &["--settings", "mine"], None),
        ("codex", &[], &["exec", "x"], Some("approval_policy=\"never\"")),
        ("codex", &["--keep-prompts"], &["exec", "x"], None),
        ("gemini", &[], &["-p", "x"], Some("yolo")),
        ("gemini", &[], &["--approval-mode", "plan"], None),
        ("opencode", &[], &["run", "x"], Some("--auto")),
        ("qwen", &[], &[], Some("yolo")),
    ] {
        let world = with_program(name, script);
        let program = world.path(name).to_str().unwrap().to_owned();
        let args = [&["proxy", "--headless"], flags, &["--", &program], own].concat();
        let said = finish(world.command(&args)).ends(1);
        let asked = world.read("asked");
        let settings = ["PreToolUse", "approval_policy", "yolo", "--auto\n"];
        let found: Vec<&str> = settings.into_iter().filter(|one| asked.contains(one)).collect();
        assert_eq!(
            found.len(),
            usize::from(set.is_some()),
            "{name} {flags:?}: {asked}"
        );
        assert!(
            asked.contains(set.unwrap_or_default()),
            "{name} {flags:?}: {asked}"
        );
        assert!(own.iter().all(|word| asked.contains(word)), "{asked}");
        let words = match set {
            Some(_) => "does not ask its own user about calls",
            None => "may ask its own user again",
        };
        assert!(said.err.contains(words), "{name} {flags:?}: {}", said.err);
    }
}

#[test]
fn an_agent_is_named_with_or_without_the_two_dashes_and_its_flags_are_its_own() {
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > asked\nexit 3\n";
    let world = with_program("codex", script);
    let program = world.path("codex").to_str().unwrap().to_owned();
    for before in [
        &["proxy", "--headless", "--keep-prompts"][..],
        &["proxy", "--headless", "--keep-prompts", "--"],
    ] {
        let own = [&program, "exec", "--json", "-s", "read-only", "fix it"];
        finish(world.command(&[before, &own].concat())).ends(1);
        let asked = world.read("asked");
        assert!(
            asked.ends_with("exec\n--json\n-s\nread-only\nfix it\n"),
            "{asked}"
        );
    }
    let said = finish(world.command(&["proxy", "--headless", "--no-such-flag", "codex"])).ends(2);
    assert!(said.err.contains("--no-such-flag"), "{}", said.err);
}

#[test]
fn a_shell_function_is_printed_and_nothing_starts() {
    let world = World::new();
    let said = world
        .run(&[
            "proxy", "--print", "claude", "--window", "tmux", "--policy", "guarded",
        ])
        .ends(0);
    assert_eq!(
        said.out,
        "claude() { overrule proxy --policy guarded --window tmux -- claude \"$@\"; }\n"
    );
    let two = [
        "--upstream",
        "http://h:1",
        "--upstream",
        "openai-responses=http://h:2/v1",
    ];
    let said = world
        .run(&[&["proxy", "--print", "codex"][..], &two].concat())
        .ends(0);
    assert_eq!(
        said.out,
        "codex() { overrule proxy --upstream http://h:1 --upstream openai-responses=http://h:2/v1 -- codex \"$@\"; }\n"
    );
    world.run(&["proxy", "--print", "vim"]).ends(2).tells("claude");
    assert!(world.ids().is_empty());
}

#[tokio::test]
async fn a_supervised_agent_has_no_limit_of_requests_unless_its_operator_sets_one() {
    let wire = "openai-chat";
    for (flags, turns) in [
        (&[][..], "\"turns\":null"),
        (&["--max-turns", "7"], "\"turns\":7"),
    ] {
        let world = World::new();
        let model = Server::new(vec![streamed(wire, "Done.", &[])]);
        let (mut program, base) = serving(&world, &model, flags);
        assert_eq!(Agent::new(wire, &base).work("go").await, "Done.");
        let recorded = world.journal(&world.id());
        assert!(recorded.contains(turns), "{flags:?}: {recorded}");
        program.kill().unwrap();
        program.wait().unwrap();
    }
}

#[test]
fn what_is_no_agent_or_has_no_model_is_refused_with_the_way_out() {
    let world = World::new();
    world
        .run(&["proxy", "--headless", "--", "vim"])
        .ends(2)
        .tells("claude");
    world
        .run(&["proxy", "--headless", "--upstream", "ftp://x"])
        .ends(3)
        .tells("https://");
    for (upstreams, words) in [
        (&["soap=http://h:1"][..], "openai-chat, openai-responses"),
        (&["gemini=ftp://h"], "https://"),
        (&["http://h:1", "http://h:2"], "WIRE=URL"),
    ] {
        let flags = upstreams.iter().flat_map(|one| ["--upstream", one]);
        let args: Vec<&str> = ["proxy", "--headless"].into_iter().chain(flags).collect();
        let said = world.run(&args).ends(3).tells(words);
        assert!(!said.err.contains("the proxy serves"), "{}", said.err);
    }
    world
        .run(&[
            "proxy",
            "--headless",
            "--listen",
            "0.0.0.0:0",
            "--upstream",
            "http://127.0.0.1:1",
        ])
        .ends(3)
        .tells("this machine");
}

/// Starts the proxy in front of a model; returns its address for agents.
fn serving(world: &World, model: &Server, more: &[&str]) -> (Child, String) {
    let args = ["proxy", "--headless", "--control", "--policy", "supervised"];
    let at = [
        "--listen",
        "127.0.0.1:0",
        "--upstream",
        &model.base,
        "--wire",
        "openai-chat",
    ];
    served(world.command(&[&args[..], &at, more].concat()))
}

/// Starts a proxy, and returns it with its address.
pub fn served(mut command: std::process::Command) -> (Child, String) {
    command.env("OVERRULE_PROXY_TOKEN", "token-of-the-test-1234");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find_map(|line| line.unwrap().strip_prefix("the proxy serves ").map(str::to_owned));
    // The program must not wait for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (child, line.unwrap())
}

/// The same as a process that does not descend from this one; returns it, too.
pub fn serving_apart(world: &World, upstreams: &[String], more: &[&str]) -> (rustix::process::Pid, String) {
    let mut args = vec!["proxy", "--headless", "--control", "--policy", "supervised"];
    args.extend(["--listen", "127.0.0.1:0", "--wire", "openai-chat"]);
    args.extend(upstreams.iter().flat_map(|one| ["--upstream", one]));
    args.extend(more);
    let command = world.command(&args);
    let told = world.path("told");
    let mut shell = std::process::Command::new("/bin/sh");
    shell
        .args(["-c", "\"$@\" > /dev/null 2> $TOLD < /dev/null & echo $!", "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("OVERRULE_PROXY_TOKEN", "token-of-the-test-1234")
        .env("TOLD", &told)
        .current_dir(world.ws());
    let out = shell.stderr(Stdio::null()).output().unwrap().stdout;
    let pid = String::from_utf8(out).unwrap().trim().parse().unwrap();
    let base = || {
        let text = fs::read_to_string(&told).unwrap_or_default();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("the proxy serves "));
        line.map(str::to_owned)
    };
    until("the proxy serves", || base().is_some());
    (rustix::process::Pid::from_raw(pid).unwrap(), base().unwrap())
}

#[tokio::test]
async fn the_queue_says_how_long_an_agent_waits_for_a_reply_in_one_piece() {
    let wire = "openai-chat";
    let world = World::new();
    let calls = [("k1", "bash", bash("ls"))];
    let model = Server::new(vec![whole(wire, "Hold.", &calls)]);
    let (mut program, base) = serving(&world, &model, &[]);
    let agent = Agent::new(wire, &base).with_header("x-stainless-timeout", "600");
    let mut agent = agent.in_one_piece();
    agent.say("fix it");
    let asking = asks(&agent);
    asked_model(&model, 1).await;
    let session = world.id();
    until("the call waits", || {
        world.run(&["queue", &session]).out.contains("bash")
    });
    let words = world.run(&["queue", &session]).out;
    assert!(words.contains("agent waits 10 min more"), "{words}");
    let json = world.run(&["queue", &session, "--json"]).out;
    let view: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(view["agent_wait"]["ms"], 600_000, "{json}");
    program.kill().unwrap();
    program.wait().unwrap();
    // Without the process nobody waits.
    let json = world.run(&["queue", &session, "--json"]).out;
    let view: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert!(view["agent_wait"].is_null() && view["tool"] == "bash", "{json}");
    asking.abort();
}

#[tokio::test]
async fn a_resumed_session_waits_for_its_conversation_and_another_task_has_a_new_one() {
    let wire = "openai-chat";
    let world = World::new();
    let model = Server::new(vec![
        streamed(wire, "Hold.", &[("k1", "bash", bash("ls"))]),
        streamed(wire, "A poem.", &[]),
    ]);
    let (mut first, base) = serving(&world, &model, &[]);
    let mut agent = Agent::new(wire, &base);
    agent.say("fix it");
    agent.ask_until("Hold.").await;
    let session = world.id();
    until("the call waits", || {
        world.run(&["queue", &session]).out.contains("bash")
    });
    first.kill().unwrap();
    first.wait().unwrap();
    let before = world.journal(&session);

    // This process was the agent, and what it starts is the agent's.
    let resumes = [
        "proxy",
        "--headless",
        "--resume",
        &session,
        "--upstream",
        &model.base,
    ];
    world.run(&resumes).ends(4).tells("did not begin below it");
    let (second, base) = serving_apart(&world, std::slice::from_ref(&model.base), &["--resume", &session]);
    let mut other = Agent::new(wire, &base);
    assert_eq!(other.work("write a poem").await, "A poem.");
    assert_eq!(world.ids().len(), 2, "a session of its own");
    assert_eq!(
        world.journal(&session),
        before,
        "nothing happened in the resumed one"
    );
    asked_model(&model, 2).await;
    let agent = agent.at(&base);
    agent.ask_until("Hold.").await;
    assert_eq!(model.seen().len(), 2, "the model is not asked again");
    assert_eq!(world.ids().len(), 2);
    let queue = world.run(&["queue", &session]).out;
    assert!(
        queue.contains("runs ls · supervised asks about every call · bash"),
        "{queue}"
    );
    assert!(agent.ran.lock().unwrap().is_empty());
    rustix::process::kill_process(second, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_sub_agent_has_a_session_that_names_the_one_of_its_agent() {
    let wire = "openai-chat";
    let world = World::new();
    let task = "Count the files below src.";
    let model = Server::new(vec![
        streamed(
            wire,
            "I delegate.",
            &[("k1", "bash", serde_json::json!({"command": "x", "task": task}))],
        ),
        streamed(wire, "I count.", &[("k2", "bash", bash("ls src | wc -l"))]),
    ]);
    let (mut program, base) = serving(&world, &model, &[]);
    // Whoever looks at the port without the token is no agent, and hides none.
    let at = base.trim_start_matches("http://").split('/').next().unwrap();
    drop(std::net::TcpStream::connect(at).unwrap());
    let mut agent = Agent::new(wire, &base);
    agent.say("how many files are there?");
    let asking = asks(&agent);
    asked_model(&model, 1).await;
    let session = world.id();
    until("the call waits", || {
        world.run(&["queue", &session]).out.contains("bash")
    });
    let call = world.run(&["queue", &session, "--json"]).out;
    let call: serde_json::Value = serde_json::from_str(call.lines().next().unwrap()).unwrap();
    let (id, digest) = (call["call"].as_str().unwrap(), call["digest"].as_str().unwrap());
    // This process is the agent, and what it starts is the agent's.
    let verb = ["approve", &session, id, "--digest", digest];
    world.run(&verb).ends(4).tells("an agent does not decide");
    assert!(!world.has_recorded(&session, "call.started"));
    world.run_apart(&verb).ends(0);
    until("it runs", || world.has_recorded(&session, "call.started"));
    let mut sub_agent = Agent::new(wire, &base);
    sub_agent.say(task);
    let asking_too = asks(&sub_agent);
    asked_model(&model, 2).await;
    until("both sessions know of each other", || {
        let ids = world.ids();
        ids.len() == 2 && ids.iter().all(|id| world.has_recorded(id, "run.linked"))
    });
    let other = world.ids().into_iter().find(|id| *id != session).unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
    let view = |id: &str| -> serde_json::Value {
        let json = world.run(&["sessions", "show", id, "--json"]).ends(0).out;
        serde_json::from_str(json.lines().next().unwrap()).unwrap()
    };
    assert_eq!(view(&session)["sub_agents"], serde_json::json!([other]));
    assert!(view(&session)["sub_agent_of"].is_null());
    assert_eq!(view(&other)["sub_agent_of"], session.as_str());
    let listed = world.run(&["sessions"]).ends(0).out;
    let line = listed
        .lines()
        .find(|line| line.starts_with(&other[..13]))
        .unwrap();
    assert!(
        line.contains(&format!("(sub-agent of {})", &session[..13])),
        "{listed}"
    );
    assert_eq!(listed.matches("sub-agent of").count(), 1, "{listed}");
    let graph = world.run(&["graph", &session]).ends(0).out;
    let row = graph
        .lines()
        .find(|line| line.contains(&format!(" {id} ")))
        .unwrap();
    assert!(row.contains("sub-agent"), "{graph}");
    for asking in [asking, asking_too] {
        asking.abort();
    }
}

#[test]
fn the_proxy_is_not_its_own_upstream() {
    let world = with_program(
        "claude",
        "#!/bin/sh\nprintf '%s' \"$ANTHROPIC_BASE_URL\" > asked\nexit 3\n",
    );
    let program = world.path("claude").to_str().unwrap().to_owned();
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (listen, url) = (free.to_string(), format!("http://localhost:{}/v1", free.port()));
    for upstream in [url.clone(), format!("anthropic={url}")] {
        let args = [
            "proxy",
            "--headless",
            "--listen",
            &listen,
            "--upstream",
            &upstream,
            "--",
            &program,
        ];
        let said = finish(world.command(&args)).ends(2);
        assert!(
            said.err.contains("it is the address of this proxy"),
            "{}",
            said.err
        );
    }
    assert!(!world.ws().join("asked").exists(), "nothing was started");
    // The variable of a shell for agents names the proxy, not the model.
    let mut command = world.command(&["proxy", "--headless", "--listen", &listen, "--", &program]);
    command.env(
        "ANTHROPIC_BASE_URL",
        format!("http://{listen}/s/0123456789abcdef"),
    );
    let said = finish(command).ends(1);
    assert!(said.err.contains("without a request"), "{}", said.err);
    let asked = world.read("asked");
    assert!(asked.starts_with(&format!("http://{listen}/s/")), "{asked}");
}

#[tokio::test]
async fn new_words_of_the_agents_user_do_not_end_a_run_without_a_screen() {
    let wire = "openai-chat";
    for _ in 0..overrule_testing::times(5) {
        let world = World::new();
        let (begun, rest) = crate::proxy::beside::story(wire);
        let mut first = Some(begun);
        let model =
            Server::answering(move |_, _| first.take().unwrap_or_else(|| streamed(wire, "Sure.", &[])));
        let args = [
            "proxy",
            "--headless",
            "--policy",
            "supervised",
            "--listen",
            "127.0.0.1:0",
        ];
        let (mut child, base) = served(world.command(&[&args[..], &["--upstream", &model.base]].concat()));
        let mut agent = Agent::new(wire, &base);
        agent.say("tell me");
        let asking = asks(&agent);
        asked_model(&model, 1).await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        asking.abort();
        agent.say("stop, be brief");
        let (status, body) = agent.ask().await;
        let body = String::from_utf8_lossy(&body);
        assert!(status == 200 && body.contains("Sure."), "{status}: {body}");
        assert!(child.try_wait().unwrap().is_none(), "the proxy serves its agent");
        drop(rest);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
