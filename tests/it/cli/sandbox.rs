//! Tests the verbs of the sandbox with real children.
//!
//! Must not know: how a kernel confines.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use overrule::domain::event::{Event, SandboxEvent};

use crate::cli::playbooks::command;
use crate::cli::world::{Said, World, wait};

/// A directory that no sandbox replaces, unlike that of a world.
fn outside() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Writes a protected file and one outside.
fn script(outside: &tempfile::TempDir) -> String {
    let file = outside.path().join("outside.txt");
    format!("echo x > .mcp.json; echo y > {}; echo done\n", file.display())
}

fn is_empty(outside: &tempfile::TempDir) -> bool {
    fs::read_dir(outside.path()).unwrap().next().is_none()
}

/// A world whose session was refused two things; none where the machine has no sandbox.
fn refused() -> Option<World> {
    let (world, outside) = (World::new(), outside());
    world.file("try.sh", &script(&outside));
    world.play(&command("sh try.sh"), &["--policy", "auto"]).ends(0);
    if view(&world.run(&["sandbox", "--json"]).ends(0))["level"] != 1 {
        println!("SKIPPED: this machine holds no guarantee of the sandbox");
        return None;
    }
    assert!(is_empty(&outside));
    Some(world)
}

fn view(said: &Said) -> Value {
    serde_json::from_str(said.out.trim()).unwrap_or_else(|error| panic!("{error}: {}", said.out))
}

fn widened(world: &World) -> usize {
    let facts = world.facts(&world.id());
    let is = |event: &Event| matches!(event, Event::Sandbox(SandboxEvent::Widened { .. }));
    facts.iter().filter(|fact| is(&fact.event)).count()
}

#[test]
fn a_session_tells_its_sandbox_and_what_was_refused() {
    let Some(world) = refused() else { return };
    assert!(!world.path("ws/.mcp.json").exists());
    let found = view(&world.run(&["sandbox", "last", "--json"]).ends(0));
    assert_eq!(found["guarantees"].as_array().unwrap().len(), 9);
    let refused = found["refused"][0]["refused"].as_array().unwrap();
    let has = |kind: &str, end: &str| {
        refused
            .iter()
            .any(|one| one["kind"] == kind && one["what"].as_str().unwrap().ends_with(end))
    };
    assert!(
        has("write", "outside.txt") && has("protected", ".mcp.json"),
        "{found}"
    );
    let text = world.run(&["sandbox"]).ends(0).out;
    assert!(
        text.starts_with("sandbox 1") && text.contains("G5       held: no network"),
        "{text}"
    );
    assert!(
        text.contains("refused write ") && text.contains("protected .mcp.json"),
        "{text}"
    );
}

#[test]
fn hosts_and_directories_are_allowed_in_a_stored_session() {
    let Some(world) = refused() else { return };
    let id = world.id();
    let data = world.path("data");
    fs::create_dir(&data).unwrap();
    let data = data.canonicalize().unwrap();
    let data = data.to_str().unwrap();
    for (args, code, words) in [
        (vec!["--allow-host", "a/b"], 4, "it is a URL or a network"),
        (
            vec!["--allow-host", "127.1:18999"],
            4,
            "it is no usual spelling of an IPv4 address",
        ),
        (vec!["--allow-host", "x:0"], 4, "the port is no number"),
        (
            vec!["--allow-host", "all"],
            4,
            "only the settings allow every host",
        ),
        (vec!["--allow-write", "/no/such/directory"], 2, "No such file"),
        (vec!["--allow-write", "notes.txt"], 2, "it is no directory"),
    ] {
        let said = world.run(&[&["sandbox", &id], args.as_slice()].concat());
        assert!(said.err.contains(words), "{args:?}: {}", said.err);
        assert_ne!(said.code, Some(0), "{args:?}, expected {code}");
    }
    assert_eq!(widened(&world), 0, "a refusal records nothing");
    world
        .run(&[
            "sandbox",
            &id,
            "--allow-host",
            "registry.example.org:443",
            "--allow-write",
            data,
        ])
        .ends(0);
    assert_eq!(widened(&world), 2);
    let found = view(&world.run(&["sandbox", "--json"]).ends(0));
    let allowed = found["allowed"].as_array().unwrap();
    assert_eq!(allowed[0]["what"], "registry.example.org:443");
    assert_eq!(allowed[1]["what"], data);
    world
        .run(&["sandbox", &id, "--allow-host", "registry.example.org:443"])
        .tells("already allowed");
    assert_eq!(widened(&world), 2);
}

#[test]
fn without_a_sandbox_nothing_is_allowed() {
    let world = World::new();
    world
        .play(&command("echo done"), &["--policy", "auto", "--sandbox", "0"])
        .ends(0);
    let said = world.run(&["sandbox"]).ends(0).tells("--sandbox 1");
    assert_eq!(said.out.trim(), "no sandbox");
    let said = world.run(&["sandbox", "last", "--allow-host", "a.example"]);
    assert_ne!(said.code, Some(0));
    said.tells("the session has no sandbox");
    assert_eq!(widened(&world), 0);
}

/// Runs a command by hand; none where it cannot be confined.
fn by_hand(world: &World, args: &[&str]) -> Option<Said> {
    let said = world.run(&[&["sandbox", "run"], args].concat());
    if said.err.contains("cannot run it in a sandbox") {
        println!("SKIPPED: {}", said.err);
        return None;
    }
    Some(said)
}

#[test]
fn a_command_is_tried_by_hand() {
    let (world, outside) = (World::new(), outside());
    world.file("try.sh", &format!("{}cat\nexit 7\n", script(&outside)));
    for form in [&[][..], &["--without-namespaces"]] {
        let args = [form, &["--", "sh", "try.sh"]].concat();
        let Some(said) = by_hand(&world, &args) else {
            return;
        };
        let said = said.ends(7);
        assert_eq!(said.out, "done\n");
        assert!(said.err.contains("[sandbox] refused: write "), "{}", said.err);
        assert!(
            said.err.contains("[sandbox] undid: .mcp.json is protected"),
            "{}",
            said.err
        );
        assert_eq!(
            said.err.contains("[sandbox] missing G2"),
            !form.is_empty() || said.err.contains("no namespaces"),
            "{}",
            said.err
        );
        assert!(is_empty(&outside) && world.read(".mcp.json").is_empty());
    }
    let sessions = world.path("home/.local/share/overrule/sandbox/sessions");
    assert_eq!(
        fs::read_dir(sessions).unwrap().count(),
        0,
        "its private directory is gone"
    );
    assert!(world.ids().is_empty(), "it is no session");
}

#[test]
fn a_command_by_hand_reads_its_input_and_a_missing_one_is_told() {
    let world = World::new();
    let mut cat = world.command(&["sandbox", "run", "--", "cat"]);
    let mut child = cat
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    let said = wait(child);
    if said.err.contains("cannot run it in a sandbox") {
        println!("SKIPPED: {}", said.err);
        return;
    }
    assert_eq!(said.ends(0).out, "one\ntwo\n");
    world
        .run(&["sandbox", "run", "--", "no-such-program"])
        .ends(1)
        .tells("cannot run `no-such-program`");
    world
        .run(&["sandbox", "run", "--level", "0", "--", "true"])
        .ends(2)
        .tells("it confines nothing");
}

#[test]
fn a_host_is_reached_by_the_proxy_of_a_sandbox_only() {
    let world = World::new();
    world
        .run(&["sandbox", "connect", "a.example", "443"])
        .ends(3)
        .tells("this works in a sandbox only");
    let program = crate::support::program();
    let args = ["--", program, "sandbox", "connect", "a.example", "443"];
    let Some(said) = by_hand(&world, &args) else {
        return;
    };
    assert_ne!(said.code, Some(0));
    if said.err.contains("no variable names the proxy") {
        println!("SKIPPED: without a network of its own there is no proxy");
        return;
    }
    assert!(
        said.err.contains("cannot connect to a.example:443")
            && said.err.contains("[sandbox] refused: network a.example:443"),
        "{}",
        said.err
    );
}

#[test]
fn the_doctor_lists_every_guarantee_and_leaves_nothing() {
    let world = World::new();
    let said = world.run(&["doctor"]);
    for number in 1..=9 {
        let start = format!("sandbox G{number} ");
        let line = said.out.lines().find(|line| line.contains(&start));
        let line = line.unwrap_or_else(|| panic!("no {start} in {}", said.out));
        let is_held = line.starts_with("ok ") && line.ends_with(": held");
        assert!(
            is_held || line.starts_with("warning") && line.contains(": missing: "),
            "{line}"
        );
    }
    let has_missing = said.out.contains(": missing: ");
    assert_eq!(said.out.contains("sandbox remedy: "), has_missing, "{}", said.out);
    let json = world.run(&["doctor", "--json"]).out;
    assert_eq!(json.matches("\"check\":\"sandbox G").count(), 9, "{json}");
    let temporary = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let left = temporary.filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with("overrule-doctor-")
    });
    assert_eq!(left.count(), 0);
    assert!(!world.path("home/.local/share/overrule/sandbox").exists());
}

/// What a sandbox of macOS is probed with is the same program on every system.
#[test]
fn a_probe_prints_what_it_could_do() {
    let world = World::new();
    world.file("file", "content");
    let targets = serde_json::json!({
        "file": world.path("ws/file"), "workspace": world.path("ws"), "hidden": world.path("ws/none"), "port": 1,
        "socket": world.path("ws/none"), "name": "", "process": 0, "terminal": null, "terminals": null,
    });
    let found: Value = serde_json::from_str(
        world
            .run(&["sandbox", "probe", &targets.to_string()])
            .ends(0)
            .out
            .trim(),
    )
    .unwrap();
    assert_eq!(found.as_array().unwrap().len(), 9);
    assert_eq!(found[0]["guarantee"], "writes");
    assert!(
        found[0]["succeeded"]
            .as_array()
            .unwrap()
            .contains(&"write".into()),
        "{found}"
    );
    assert_eq!(
        found[3]["succeeded"],
        serde_json::json!([]),
        "what is not there is not read"
    );
    world.run(&["sandbox", "probe", "{}"]).ends(2);
}

#[test]
fn what_a_killed_command_by_hand_left_is_removed_at_the_next_start() {
    let world = World::new();
    let sessions = world.path("home/.local/share/overrule/sandbox/sessions");
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    // Its number belongs to no process now; that of this one does.
    let (stale, running) = (
        sessions.join(format!("by-hand-{}", gone.id())),
        sessions.join(format!("by-hand-{}", std::process::id())),
    );
    for directory in [
        &stale,
        &running,
        &sessions.join("s_other"),
        &sessions.join("by-hand-x"),
    ] {
        fs::create_dir_all(directory.join("undone")).unwrap();
    }
    if by_hand(&world, &["--", "true"]).is_none() {
        return;
    }
    assert!(!stale.exists());
    assert!(running.exists() && sessions.join("s_other").exists() && sessions.join("by-hand-x").exists());
}

#[test]
fn a_signal_ends_a_command_by_hand_in_order() {
    use std::io::BufRead as _;
    let world = World::new();
    for (signal, code) in [
        (rustix::process::Signal::TERM, 143),
        (rustix::process::Signal::HUP, 129),
    ] {
        let line = "echo x > .mcp.json; trap '' HUP; echo $$; exec sleep 600";
        let mut command = world.command(&["sandbox", "run", "--", "sh", "-c", line]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut first).unwrap();
        let Ok(inner) = first.trim().parse::<i32>() else {
            println!("SKIPPED: {}", wait(child).err);
            return;
        };
        let own = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(own, signal).unwrap();
        let said = wait(child).ends(code);
        assert!(
            said.err.contains("[sandbox] undid: .mcp.json is protected"),
            "{}",
            said.err
        );
        assert!(world.read(".mcp.json").is_empty());
        let inner = rustix::process::Pid::from_raw(inner).unwrap();
        assert!(
            rustix::process::test_kill_process(inner).is_err(),
            "the command has ended"
        );
        let sessions = world.path("home/.local/share/overrule/sandbox/sessions");
        assert_eq!(fs::read_dir(sessions).unwrap().count(), 0);
    }
}
