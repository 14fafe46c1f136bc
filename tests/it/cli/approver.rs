//! Tests of an external approver program that is asked about calls.
//!
//! Must not know: how the program is started.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::Value;

use crate::cli::world::{self, Said, World};

/// A write, then an answer that says what became of it.
const PLAYBOOK: &str = r#"
[meta]
name = "approver"
[[rule]]
when = { failed = "write" }
answer = "not written: {{ error.write }}"
[[rule]]
when = { done = "write" }
answer = "written"
[[rule]]
[[rule.call]]
tool = "write_file"
as = "write"
args = { path = "out.txt", content = "text" }
"#;

/// A program with this text, and settings that name it.
fn settings(world: &World, script: &str, more: &str) -> String {
    let program = world.aside("guard.sh", &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    world.aside(
        "approver.toml",
        &format!("[approver]\ncommand = [{program:?}]\nname = \"guard\"\n{more}\n"),
    )
}

fn play(world: &World, script: &str, more: &str) -> Said {
    let settings = settings(world, script, more);
    world.play(PLAYBOOK, &["--config", &settings])
}

#[test]
fn a_program_gets_the_call_as_json_and_lets_it_run() {
    let world = World::new();
    let seen = world.path("seen.json");
    let script = format!(
        "cat > {}\necho '{{\"decision\":\"allow\",\"reason\":\"small file\"}}'",
        seen.display()
    );
    let output = play(&world, &script, "").ends(0);
    assert_eq!(output.out.trim(), "written");
    assert_eq!(world.read("out.txt"), "text");
    let asked: Value = serde_json::from_str(&std::fs::read_to_string(seen).unwrap()).unwrap();
    let state = world.state(&world.id());
    let call = state.calls.values().find(|call| call.digest.is_some()).unwrap();
    assert_eq!(asked["digest"], call.digest.as_ref().unwrap().0.to_string());
    assert_eq!(
        (&asked["tool"], &asked["effect"]),
        (&"write_file".into(), &"write".into())
    );
    assert_eq!(asked["arguments"]["path"], "out.txt");
    assert_eq!(asked["session"], world.id());
    assert!(!asked["rule"].as_str().unwrap().is_empty());
    // The record and the audit name it.
    let audit = world.run(&["audit", "last"]).ends(0).out;
    assert!(audit.contains("guard (approver) · allow c"), "{audit}");
    assert!(audit.contains("small file"), "{audit}");
    let json = world.run(&["audit", "last", "--json"]).ends(0).out;
    let who = json
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(
        who.into_iter()
            .any(|one| one.to_string().contains("\"approver\"")),
        "{json}"
    );
}

#[test]
fn a_program_denies_and_the_model_is_told() {
    let world = World::new();
    let output = play(
        &world,
        "echo '{\"decision\":\"deny\",\"reason\":\"not on a Friday\"}'",
        "",
    )
    .ends(0);
    assert!(output.out.contains("not on a Friday"), "{}", output.out);
    assert!(output.err.contains("denied by approver guard"), "{}", output.err);
    assert_eq!(world.read("out.txt"), "");
}

#[test]
fn a_program_that_gives_no_answer_leaves_the_call_to_the_operator_and_nothing_runs_without_one() {
    for (script, more, why) in [
        (
            "echo '{\"decision\":\"ask\",\"reason\":\"your turn\"}'",
            "",
            "your turn",
        ),
        ("exit 3", "", "ended with exit status: 3"),
        ("sleep 30", "timeout = \"200ms\"", "did not end within 200 ms"),
        ("echo yes", "", "not a JSON object: yes"),
        ("echo {", "", "cannot be read"),
        ("true", "", "printed no answer"),
        ("kill -9 $$", "", "ended with signal: 9"),
    ] {
        let world = World::new();
        let output = play(&world, script, more).ends(0);
        assert!(
            output.err.contains("left to the operator by approver guard"),
            "{}",
            output.err
        );
        assert!(output.err.contains(why), "{why}: {}", output.err);
        assert!(output.out.contains("not approved: no operator"), "{}", output.out);
        assert_eq!(world.read("out.txt"), "", "{why}");
    }
}

#[test]
fn it_lifts_no_denial_and_decides_nothing_that_cannot_be_undone() {
    let allow = "touch \"$HOME/asked\"\necho '{\"decision\":\"allow\"}'";
    for more in [
        "[[policy.rule]]\ntool = \"write_file\"\ngate = \"deny\"\nreason = \"never\"",
        "[tool.write_file]\ntags = [\"irreversible\"]",
    ] {
        let world = World::new();
        play(&world, allow, more).ends(0);
        assert!(!world.path("home/asked").exists(), "{more}: it was asked");
        assert_eq!(world.read("out.txt"), "", "{more}");
    }
}

#[test]
fn the_operator_may_decide_first_and_the_program_ends() {
    let world = World::new();
    let pid = world.path("pid");
    let script = format!(
        "echo $$ > {}\nsleep 60\necho '{{\"decision\":\"deny\"}}'",
        pid.display()
    );
    let settings = settings(&world, &script, "timeout = \"50s\"");
    let mut run = world.playing(PLAYBOOK, &["--config", &settings, "--control"]);
    let child = run
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    world::until("the program is asked", || {
        std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n'))
    });
    let queue = world.run(&["queue", "last", "--json"]).ends(0).out;
    let call: Value = serde_json::from_str(queue.lines().next().unwrap()).unwrap();
    assert!(
        call["approver"]
            .as_str()
            .unwrap()
            .contains("guard is being asked"),
        "{call}"
    );
    let (id, digest) = (call["call"].as_str().unwrap(), call["digest"].as_str().unwrap());
    world.run(&["approve", "last", id, "--digest", digest]).ends(0);
    let output = world::wait(child).ends(0);
    assert_eq!(output.out.trim(), "written");
    let pid = std::fs::read_to_string(&pid).unwrap();
    let process = std::path::PathBuf::from(format!("/proc/{}", pid.trim()));
    world::until("the program has ended", || !process.exists());
}

#[test]
fn a_run_that_is_killed_asks_again_when_it_is_resumed() {
    let world = World::new();
    let slow = settings(&world, "touch \"$HOME/asked\"\nsleep 60", "");
    let mut child = world.playing(PLAYBOOK, &["--config", &slow]).spawn().unwrap();
    world::until("the program is asked", || world.path("home/asked").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let quick = settings(&world, "echo '{\"decision\":\"allow\"}'", "");
    let output = world
        .run(&["resume", "last", "--headless", "--config", &quick])
        .ends(0);
    assert_eq!(output.out.trim(), "written");
    assert_eq!(world.read("out.txt"), "text");
}

#[test]
fn a_workspace_names_no_such_program_and_bad_settings_are_refused() {
    let world = World::new();
    world.file("overrule.toml", "[approver]\ncommand = [\"true\"]\n");
    let output = world.play(PLAYBOOK, &[]).ends(0);
    assert!(output.err.contains("ignored: `approver`"), "{}", output.err);
    assert_eq!(world.read("out.txt"), "");
    for (text, why) in [
        ("command = []", "names no program"),
        ("command = [\"true\"]\ntimeout = \"2h\"", "no such duration"),
        ("command = [\"true\"]\nname = \"a b\"", "no such name"),
        ("command = [\"true\"]\nname = \"\"", "no such name"),
        ("program = \"x\"", "unknown key"),
    ] {
        let settings = world.aside("bad.toml", &format!("[approver]\n{text}\n"));
        let output = world.play(PLAYBOOK, &["--config", &settings]).ends(3);
        assert!(output.err.contains(why), "{text}: {}", output.err);
    }
}
