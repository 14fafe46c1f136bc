//! Tests with servers as others publish them, where their registries can be reached.
//!
//! Must not know: how the program works inside.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::mcp::servers::playbook;
use crate::mcp::world::{World, signal, until, wait};

/// Servers of the npm registry: name, package, program.
const NPM: [(&str, &str, &str); 4] = [
    (
        "everything",
        "@modelcontextprotocol/server-everything@2026.8.31",
        "mcp-server-everything",
    ),
    (
        "filesystem",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "mcp-server-filesystem",
    ),
    (
        "memory",
        "@modelcontextprotocol/server-memory@2026.8.31",
        "mcp-server-memory",
    ),
    (
        "thinking",
        "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
        "mcp-server-sequential-thinking",
    ),
];

/// Servers of PyPI: an environment, its servers, and what is installed. The server for sqlite needs an older library.
const PYPI: [(&str, &[&str], &[&str]); 2] = [
    ("new", &["git", "time"], &["mcp-server-git", "mcp-server-time"]),
    ("old", &["sqlite"], &["mcp-server-sqlite", "mcp<2"]),
];

/// A tool of each server, with arguments and what its result has.
const CALLS: [(&str, &str, &str); 7] = [
    ("everything__echo", r#"{"message":"hello there"}"#, "hello there"),
    ("filesystem__read_text_file", r#"{"path":"notes.txt"}"#, "alpha"),
    ("memory__read_graph", "{}", "entities"),
    (
        "thinking__sequentialthinking",
        r#"{"thought":"t","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}"#,
        "thoughtHistoryLength",
    ),
    ("git__git_status", r#"{"repo_path":"."}"#, "notes.txt"),
    (
        "time__convert_time",
        r#"{"source_timezone":"UTC","time":"10:00","target_timezone":"UTC"}"#,
        "time_difference",
    ),
    ("sqlite__list_tables", "{}", "[]"),
];

/// Calls that the servers refuse: the class of the failure, and the argument that it is about.
const REFUSED: [(&str, &str, &str, &str); 8] = [
    (
        "time__convert_time",
        r#"{"source_timezone":"Europe/Berlni","time":"10:00","target_timezone":"UTC"}"#,
        "parameter",
        "source_timezone",
    ),
    (
        "time__convert_time",
        r#"{"source_timezone":"UTC","time":"10am","target_timezone":"UTC"}"#,
        "parameter",
        "time",
    ),
    (
        "git__git_show",
        r#"{"repo_path":".","revision":"nope"}"#,
        "parameter",
        "revision",
    ),
    (
        "filesystem__edit_file",
        r#"{"path":"notes.txt","edits":[{"oldText":"zzz","newText":"y"}]}"#,
        "parameter",
        "edits.0.oldText",
    ),
    (
        "filesystem__read_text_file",
        r#"{"path":"none.txt"}"#,
        "not found",
        "path",
    ),
    (
        "filesystem__read_text_file",
        r#"{"path":"/etc/passwd"}"#,
        "not permitted",
        "path",
    ),
    (
        "memory__add_observations",
        r#"{"observations":[{"entityName":"Bob","contents":["x"]}]}"#,
        "not found",
        "observations.0.entityName",
    ),
    (
        "everything__get-resource-reference",
        r#"{"resourceType":"Text","resourceId":-1}"#,
        "parameter",
        "resourceId",
    ),
];

fn succeeds(command: &mut Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Says so beside the harness, which keeps what a test that passes prints.
fn skipped(packages: &[&str], what: &str) {
    let words = format!("SKIPPED: {packages:?}: there is no {what}, or its registry cannot be reached\n");
    std::io::stderr().write_all(words.as_bytes()).unwrap();
}

/// What was installed once, for all runs of this build directory. One test at a time uses it.
struct Installed {
    programs: BTreeMap<&'static str, PathBuf>,
    #[expect(dead_code, reason = "held until this is dropped")]
    one_at_a_time: File,
}

/// Fills a directory, unless it was filled before with the same packages. False if that fails.
fn filled(dir: &Path, packages: &[&str], fill: impl FnOnce() -> bool) -> bool {
    let (mark, packages) = (dir.join("installed"), packages.join(" "));
    if fs::read_to_string(&mark).is_ok_and(|before| before == packages) {
        return true;
    }
    fs::remove_dir_all(dir).unwrap_or_default();
    fs::create_dir_all(dir).unwrap();
    let filled = fill();
    if filled {
        fs::write(mark, packages).unwrap();
    }
    filled
}

/// Installs what can be installed, and is not yet there. Tells the programs by name of the server.
fn installed() -> Installed {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("published");
    fs::create_dir_all(&dir).unwrap();
    let one_at_a_time = File::create(dir.join("lock")).unwrap();
    one_at_a_time.lock().unwrap();
    let mut programs = BTreeMap::new();
    let packages = NPM.map(|(_, package, _)| package);
    let npm = dir.join("npm");
    // Without Node.js the programs of an earlier run do not start.
    let is_there = succeeds(Command::new("node").arg("--version"));
    let install = || {
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--prefix"]);
        succeeds(install.arg(&npm).args(packages))
    };
    if is_there && filled(&npm, &packages, install) {
        programs.extend(NPM.map(|(name, _, program)| (name, npm.join("node_modules/.bin").join(program))));
    } else {
        skipped(&packages, "npm");
    }
    for (env, servers, packages) in PYPI {
        let env = dir.join(env);
        let python = env.join("bin/python");
        let install = || {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv", "--without-pip"]).arg(&env);
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "--python"]).arg(&python);
            pip.args(["install", "--quiet", "--no-compile"]).args(packages);
            succeeds(&mut venv) && succeeds(&mut pip)
        };
        if filled(&env, packages, install) && succeeds(Command::new(&python).arg("--version")) {
            programs.extend(
                servers
                    .iter()
                    .map(|name| (*name, env.join(format!("bin/mcp-server-{name}")))),
            );
        } else {
            skipped(packages, "Python");
        }
    }
    Installed {
        programs,
        one_at_a_time,
    }
}

/// A world with all of them, trusted.
fn world_of(programs: &BTreeMap<&'static str, PathBuf>) -> World {
    let world = World::new();
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(world.ws()).output();
    git(&["init", "--quiet"]).unwrap();
    let ws = world.ws();
    let args = |name: &str| match name {
        "filesystem" => vec![ws.to_str().unwrap().to_owned()],
        "sqlite" => vec![
            "--db-path".to_owned(),
            world.path("t.db").to_str().unwrap().to_owned(),
        ],
        _ => Vec::new(),
    };
    let memory = world.path("memory.json");
    let servers: serde_json::Map<String, Value> = programs
        .iter()
        .map(|(name, program)| {
            let env = json!({ "MEMORY_FILE_PATH": memory.to_str().unwrap() });
            let server = json!({ "command": program.to_str().unwrap(), "args": args(name), "env": env });
            ((*name).to_owned(), server)
        })
        .collect();
    world.file(".mcp.json", &json!({ "mcpServers": servers }).to_string());
    let shown = world.run(&["trust", "--json"]).ends(0);
    let line: Value = serde_json::from_str(shown.out.lines().next().unwrap()).unwrap();
    let hash = line["hash"].as_str().unwrap();
    world.run(&["trust", "--hash", hash]).ends(0);
    world
}

/// The processes of a program.
fn pids(program: &Path) -> Vec<i32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let wanted = program.to_str().unwrap();
    all.filter(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line)
            .split('\0')
            .any(|word| word == wanted)
    })
    .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    .collect()
}

#[test]
fn servers_of_the_registries_are_listed_called_refuse_and_are_restarted() {
    let installed = installed();
    let programs = &installed.programs;
    if programs.is_empty() {
        return;
    }
    let world = world_of(programs);
    let is_here = |tool: &str| programs.contains_key(tool.split("__").next().unwrap());
    listed(&world, programs);
    for (tool, args, words) in CALLS.iter().filter(|(tool, ..)| is_here(tool)) {
        let said = world.run(&["tools", "call", tool, args]).ends(0);
        assert!(said.out.contains(words), "{tool}: {}{}", said.out, said.err);
    }
    for (tool, args, class, about) in REFUSED.iter().filter(|(tool, ..)| is_here(tool)) {
        let said = world.run(&["tools", "call", tool, args, "--json"]).ends(1);
        let words = format!("about the argument `{about}`");
        assert!(said.out.contains(&words), "{tool}: {}", said.out);
        assert!(
            said.err.contains(class),
            "{tool} {args}: no `{class}` in {}",
            said.err
        );
    }
    assert_eq!(world.read("notes.txt"), "alpha\nbeta\n");
    if is_here("everything__echo") {
        let program = &programs["everything"];
        let alone = BTreeMap::from([("everything", program.clone())]);
        cancelled_and_killed(&world_of(&alone), program);
    }
    for program in programs.values() {
        assert!(pids(program).is_empty(), "{} is left", program.display());
    }
}

/// All of them are connected at once, and no word of theirs lowers a class.
fn listed(world: &World, programs: &BTreeMap<&'static str, PathBuf>) {
    let said = world.run(&["tools", "list", "--json"]).ends(0);
    let lines: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ready = lines.iter().filter(|line| line["server"]["state"] == "ready");
    assert_eq!(ready.count(), programs.len(), "{}\n{}", said.out, said.err);
    let tools: Vec<&Value> = lines
        .iter()
        .map(|line| &line["tool"])
        .filter(|tool| tool["source"] == "mcp")
        .collect();
    for name in programs.keys() {
        assert!(tools.iter().any(|tool| tool["server"] == **name), "{name}");
    }
    for tool in &tools {
        assert_eq!(tool["effect"], "unknown", "{tool}");
    }
    let suggested = |name: &str| {
        let mut found = tools.iter().filter(|tool| tool["name"] == name);
        found.next().map(|tool| tool["proposed"].clone())
    };
    for (name, class) in [
        ("everything__echo", "read"),
        ("filesystem__move_file", "write"),
        ("git__git_commit", "write"),
        ("git__git_log", "read"),
        ("memory__create_entities", "write"),
    ] {
        if let Some(suggested) = suggested(name) {
            assert_eq!(suggested, class, "{name}");
        }
    }
}

/// A cancelled call ends; a call that only reads is repeated after its server was killed and restarted.
fn cancelled_and_killed(world: &World, program: &Path) {
    const LONG: &str = "everything__trigger-long-running-operation";
    let config = format!("[tool.{LONG}]\neffect = \"read\"\n");
    let config = world.aside("config.toml", &config);
    let policy = world.aside(
        "policy.toml",
        "preset = \"auto\"\n[[rule]]\ntool = \"*\"\ngate = \"allow\"\n",
    );
    let run = |seconds: u32| {
        let text = playbook(&[("long", json!({ "duration": seconds, "steps": 5 }))]);
        let text = text.replace("bad__long", LONG);
        let mut command = world.playing(&text, &["--policy", &policy, "--config", &config]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let before = world.ids().len();
        let child = command.spawn().unwrap();
        until("the call runs", || {
            let newest = world.ids().pop().filter(|_| world.ids().len() > before);
            newest.is_some_and(|id| {
                let path = world.sessions().join(id).join("journal.jsonl");
                let text = fs::read_to_string(path).unwrap_or_default();
                text.contains("\"type\":\"call.started\"")
            })
        });
        child
    };
    let child = run(60);
    signal(&child, Signal::INT);
    wait(child).ends(130);
    let child = run(3);
    for pid in pids(program) {
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
    let said = wait(child).ends(0);
    assert!(said.out.contains("completed"), "{}{}", said.out, said.err);
    assert!(said.err.contains("Restart 1 of 5"), "{}", said.err);
}
