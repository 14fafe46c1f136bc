//! Tests of an agent that is started in a sandbox as a whole, with the real program and the real kernel.
//!
//! Must not know: how a kernel confines.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use overrule::domain::event::{CallEvent, Event, SandboxEvent};
use overrule::domain::sandbox::{Guarantee, Level, Placement, Refused, RefusedKind};
use overrule::model::decode::summary;
use overrule::model::wire::Wire;

use crate::proxy::agent::Agent;
use crate::proxy::course::{bash, streamed};
use crate::proxy::server::{Reply, Server};
use crate::proxy::world::{Said, World, finish, until, wait};

const WIRE: &str = "anthropic";
/// The variable that makes this program an agent.
const IS_AGENT: &str = "OVERRULE_TEST_AGENT";
/// Allows commands of a sandbox in which everything holds, and nothing else.
const POLICY: &str =
    "preset = \"supervised\"\n[[rule]]\ntool = \"bash\"\nsandbox = \"full\"\ngate = \"allow\"\n";

/// The agent of these tests, when this program is started as one; else nothing. It runs what its model says.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "its settings are its environment")]
async fn agent_program() {
    let Some(port) = std::env::var_os(IS_AGENT) else {
        return;
    };
    let base = std::env::var("ANTHROPIC_BASE_URL").unwrap();
    fs::write("base.txt", &base).unwrap();
    let reached = std::net::TcpStream::connect(format!("127.0.0.1:{}", port.to_str().unwrap()));
    let reached = if reached.is_ok() { "reached" } else { "refused" };
    fs::write("reached.txt", reached).unwrap();
    // What it does by itself. A line may fail: the tests look at what is left.
    for line in fs::read_to_string("lines.txt").unwrap_or_default().lines() {
        Command::new("sh").args(["-c", line]).status().unwrap();
    }
    while std::path::Path::new("wait.txt").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mut agent = Agent::new(WIRE, &base);
    agent.say("work");
    loop {
        let (_, bytes) = agent.ask().await;
        let reply = summary(Wire::named(WIRE).unwrap(), &bytes);
        for call in reply.calls.iter().filter(|call| call.name == "bash") {
            let args: serde_json::Value = serde_json::from_str(&call.args).unwrap();
            let line = args["command"].as_str().unwrap();
            Command::new("sh").args(["-c", line]).status().unwrap();
        }
        if agent.take(&reply) {
            std::process::exit(0);
        }
    }
}

/// A world with the agent, some files of its user, and a server of the machine that it must not reach.
struct Stage {
    world: World,
    machine: Server,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let home = world.path("home");
        for (name, text) in [
            (".ssh/id_ed25519", "the key"),
            (".claude/.credentials.json", "the log-in"),
            (".claude/settings.json", "{}"),
            (".claude.json", "{}"),
            (
                "bin/claude",
                &*format!(
                    "#!/bin/sh\nexec {} proxy::confined::agent_program --exact --nocapture\n",
                    std::env::current_exe().unwrap().display()
                ),
            ),
        ] {
            let file = home.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        world.aside("policy.toml", POLICY);
        Self {
            world,
            machine: Server::new(vec![Reply::Status(200, "", "the machine")]),
        }
    }

    fn command(&self, flags: &[&str], model: &Server) -> Command {
        let policy = self.world.path("policy.toml");
        let program = self.world.path("home/bin/claude");
        let base = model.base.trim_end_matches("/v1");
        let args = [
            "proxy",
            "--headless",
            "--policy",
            policy.to_str().unwrap(),
            "--upstream",
            base,
        ];
        let args = [&args[..], flags, &["--", program.to_str().unwrap()]].concat();
        let mut command = self.world.command(&args);
        let port = self.machine.base.rsplit(':').next().unwrap();
        command.env(IS_AGENT, port.split('/').next().unwrap());
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        command
    }

    fn run(&self, flags: &[&str], model: &Server) -> Said {
        finish(self.command(flags, model))
    }
}

/// A model that asks for these lines at once, and then ends.
fn model(lines: &'static [&'static str]) -> Server {
    Server::answering(move |_, body| {
        let is_answered = body.to_string().contains("tool_result");
        let ids: Vec<String> = (0..lines.len()).map(|at| format!("k{at}")).collect();
        let calls = ids.iter().zip(lines);
        let calls: Vec<_> = calls.map(|(id, line)| (&**id, "bash", bash(line))).collect();
        streamed(WIRE, "Well.", if is_answered { &[] } else { &calls })
    })
}

const LINES: &[&str] = &[
    "echo out > ~/outside.txt",
    "echo own > ~/.claude/own.txt",
    "echo hook > ~/.claude/settings.json",
    "rm -f ~/.claude/settings.json; mv ~/.claude ~/.other",
    "cat ~/.claude/.credentials.json > log_in.txt",
    "cat ~/.ssh/id_ed25519 > key.txt",
    "echo '{\"mcpServers\": {\"x\": {\"command\": \"y\"}}}' > ~/.claude.json",
    "echo '{}' > .mcp.json",
];

/// True where this machine has namespaces; else it says so.
fn is_possible(said: &Said) -> bool {
    let lacks = said.err.contains("it needs a network of its own");
    if lacks {
        eprintln!("SKIPPED: {}", said.err);
    }
    !lacks
}

#[test]
fn an_agent_in_a_sandbox_works_and_changes_nothing_outside() {
    for flags in [&["--sandbox"][..], &["--sandbox", "1"], &["--sandbox=1"]] {
        let (stage, model) = (Stage::new(), model(&["echo in > made.txt"]));
        let world = &stage.world;
        world.file("lines.txt", &LINES.join("\n"));
        let said = stage.run(flags, &model);
        if !is_possible(&said) {
            return;
        }
        let said = said.ends(0);
        assert!(
            said.err
                .contains("claude: sandbox 1 partial: the terminal can be opened"),
            "{}",
            said.err
        );
        assert_eq!(
            model.seen().len(),
            2,
            "its requests came by the port of its own network"
        );
        let home = |name: &str| fs::read_to_string(world.path("home").join(name)).unwrap_or_default();
        assert_eq!(world.read("made.txt"), "in\n");
        assert_eq!(home(".claude/own.txt"), "own\n");
        assert_eq!(world.read("log_in.txt"), "the log-in");
        assert_eq!(world.read("reached.txt"), "refused");
        assert!(stage.machine.seen().is_empty());
        assert_eq!(world.read("key.txt"), "");
        assert_eq!(home(".claude/settings.json"), "{}");
        assert_eq!(home(".ssh/id_ed25519"), "the key");
        for gone in ["outside.txt", ".other"] {
            assert!(!world.path("home").join(gone).exists(), "{gone}");
        }
        // What it may write and what starts programs later is told.
        for changed in ["`mcpServers` in ", ".mcp.json changed while"] {
            assert!(said.err.contains(changed), "no {changed} in {}", said.err);
        }
        assert!(!said.err.contains("settings.json changed"), "{}", said.err);
        let state = world.state(&world.ids()[0]);
        let profile = state.sandbox_profile();
        assert_eq!(profile.level, Level::Workspace);
        assert!(profile.is_full() && !profile.holds(Guarantee::Terminal));
        let started = state.started.as_ref().unwrap();
        let card = |name: &str| started.tools.iter().find(|card| &*card.name == name).unwrap();
        assert!(card("bash").confined && card("edit").confined);
        assert!(!card("bash").schema.contains("_outside"), "its schema is its own");
        assert_eq!(profile.placement(true, "{}"), Placement::Full);
        let left = fs::read_dir(world.path("home/.local/share/overrule/sandbox/sessions"));
        assert_eq!(left.unwrap().count(), 0, "its private directory is gone");
    }
}

#[test]
fn what_a_confined_agent_is_refused_and_changes_is_reported_at_its_results() {
    let (stage, model) = (Stage::new(), model(&["echo in > made.txt"]));
    let world = &stage.world;
    let by_itself = "curl -s --max-time 5 http://registry.example.org/x\necho '{}' > .mcp.json";
    world.file("lines.txt", by_itself);
    let has_curl = Command::new("curl").arg("--version").output().is_ok();
    if !has_curl {
        println!("SKIPPED: there is no curl");
        return;
    }
    let said = stage.run(&["--sandbox"], &model);
    if !is_possible(&said) {
        return;
    }
    let said = said.ends(0);
    let facts = world.facts(&world.ids()[0]);
    let at = |is: &dyn Fn(&Event) -> bool| facts.iter().position(|fact| is(&fact.event));
    let host = Refused::exact(RefusedKind::Network, "registry.example.org:80");
    let refused = at(
        &|event| matches!(event, Event::Sandbox(SandboxEvent::Confined { refused, .. }) if *refused == [host.clone()]),
    );
    let ended = at(&|event| matches!(event, Event::Call(CallEvent::Finished { .. })));
    assert!(refused.is_some() && refused < ended, "{refused:?} {ended:?}");
    let alarms = said.err.matches("ALARM: ").count();
    let alarm = said.err.lines().find(|line| line.contains("ALARM: "));
    assert!(
        alarms == 1 && alarm.is_some_and(|line| line.contains(".mcp.json changed while the agent ran")),
        "{}",
        said.err
    );
}

#[test]
fn a_rule_about_the_sandbox_never_matches_an_agent_outside_of_it() {
    let (stage, model) = (Stage::new(), model(&["echo in > made.txt"]));
    for flags in [&[][..], &["--sandbox", "0"]] {
        stage.run(flags, &model);
        assert_eq!(stage.world.read("reached.txt"), "reached", "it is not confined");
        assert!(
            !stage.world.ws().join("made.txt").exists(),
            "the call was allowed"
        );
        let state = stage.world.state(&stage.world.ids()[0]);
        assert!(!state.sandbox_profile().confines());
        assert!(state.started.unwrap().tools.iter().all(|card| !card.confined));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_agent_of_the_same_proxy_is_not_in_its_sandbox() {
    let (stage, model) = (Stage::new(), model(&["echo in >> made.txt"]));
    let world = &stage.world;
    world.file("wait.txt", "");
    let mut program = stage.command(&["--sandbox"], &model).spawn().unwrap();
    until("the agent has begun, or cannot", || {
        let is_over = program.try_wait().unwrap().is_some();
        is_over || world.ws().join("reached.txt").exists() || stage.machine.seen().len() > 9
    });
    if program.try_wait().unwrap().is_some() {
        assert!(!is_possible(&wait(program)), "the proxy has ended");
        return;
    }
    let base = world.read("base.txt");
    // The same program by its name, with the same history, from outside.
    let mut other = Agent::new(WIRE, &base);
    other.say("work");
    let asked = tokio::spawn(async move { other.ask().await });
    until("it has a session", || !world.ids().is_empty());
    fs::remove_file(world.ws().join("wait.txt")).unwrap();
    let said = wait(program);
    asked.abort();
    let ids = world.ids();
    assert_eq!(ids.len(), 2, "each has a session: {}", said.err);
    let mut levels: Vec<Level> = ids
        .iter()
        .map(|id| world.state(id).sandbox_profile().level)
        .collect();
    levels.sort();
    assert_eq!(levels, [Level::Off, Level::Workspace]);
    assert_eq!(world.read("made.txt"), "in\n", "only the call inside ran");
}

#[test]
fn an_agent_that_cannot_be_confined_is_not_started() {
    let stage = Stage::new();
    let model = model(&[]);
    let settings = stage.world.aside("all.toml", "[sandbox]\nnetwork = [\"all\"]\n");
    for (flags, why) in [
        (&["--sandbox", "2"][..], "level 2 leaves it no place"),
        (&["--sandbox", "--config", &settings], "allow every host"),
        (&["--sandbox", "3"], "write the number of a level"),
        (&["--sandbox", "--listen", "127.0.0.2:0"], "at 127.0.0.1 only"),
    ] {
        stage.run(flags, &model).ends(2).tells(why);
        assert!(!stage.world.ws().join("base.txt").exists(), "{why}");
    }
    let said = stage.world.run(&["proxy", "--headless", "--sandbox"]).ends(2);
    assert!(
        said.err.contains("overrule proxy --sandbox -- claude"),
        "{}",
        said.err
    );
    assert!(stage.world.ids().is_empty() && model.seen().is_empty());
    let said = stage
        .world
        .run(&["proxy", "--sandbox", "--print", "claude"])
        .ends(0);
    assert_eq!(
        said.out,
        "claude() { overrule proxy --sandbox=1 -- claude \"$@\"; }\n"
    );
}
