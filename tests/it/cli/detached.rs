//! Tests of runs in the background: they begin or fail as in front, go on without their terminal, and are waited for.
//!
//! Must not know: how a run is decided.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use overrule::journal::holder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::cli::world::{Said, World, until};

/// Asks once, then answers.
const BOOK: &str = "[meta]\nname = \"d\"\n[[rule]]\nwhen = { done = [\"a\"] }\nanswer = \"all done\"\n[[rule]]\n\
                    think = \"I write.\"\n[[rule.call]]\ntool = \"shell\"\nas = \"a\"\nargs = { command = 'echo x >> made.txt' }\n";

/// Starts a run of the playbook in the background.
fn detached(world: &World, more: &[&str]) -> Said {
    let file = world.aside("playbook.toml", BOOK);
    let args = ["run", "--detach", "--model", "scripted", "--playbook", &file];
    world.run(&[&args[..], more].concat())
}

/// The process of the session.
fn process(world: &World) -> u32 {
    holder(&world.place(&world.id())).unwrap()
}

/// Approves the call that waits.
fn approve(world: &World) {
    let mut found = Value::Null;
    until("a call waits", || {
        let queue = world.run(&["queue", "last", "--json"]).out;
        found = queue
            .lines()
            .find_map(|line| serde_json::from_str(line).ok())
            .unwrap_or_default();
        found["digest"].is_string()
    });
    let [call, digest] = ["call", "digest"].map(|name| found[name].as_str().unwrap().to_owned());
    world
        .run(&["approve", "last", &call, "--digest", &digest])
        .ends(0);
}

fn end(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn a_run_goes_on_in_a_session_of_its_own_and_its_end_is_waited_for() {
    let world = World::new();
    let said = detached(&world, &["go"]).ends(0);
    let id = world.id();
    assert!(
        said.out.contains(&format!("session {id} runs detached; ")),
        "{}",
        said.out
    );
    assert!(said.out.contains(&format!("overrule wait {id}")), "{}", said.out);
    // The session of a process is the sixth field after its name.
    let stat = fs::read_to_string(format!("/proc/{}/stat", process(&world))).unwrap();
    let session = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .nth(3)
        .unwrap()
        .to_owned();
    assert_eq!(session, process(&world).to_string(), "it left the terminal");
    world
        .run(&["wait", &id, "--timeout", "200ms"])
        .ends(124)
        .tells("still runs after 200ms");
    assert!(!world.ws().join("made.txt").exists(), "its question waits");
    approve(&world);
    let said = world.run(&["wait"]).ends(0);
    assert_eq!(said.out, "all done\n");
    assert_eq!(world.read("made.txt"), "x\n");
    let log = world.sessions().join(&id).join("detached.log");
    assert_eq!(log.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(log).unwrap().contains("all done"));
    // After its end the same is printed at once, also for programs.
    let said = world.run(&["wait", &id, "--json"]).ends(0);
    let view: Value = serde_json::from_str(said.out.trim()).unwrap();
    assert_eq!(
        (&view["answer"], &view["exit"]),
        (&Value::from("all done"), &Value::from(0))
    );
    world
        .run(&["resume", &id, "--detach"])
        .ends(4)
        .tells("the session has its answer");
}

#[test]
fn what_keeps_a_run_from_beginning_is_said_in_front_with_its_exit_code() {
    let world = World::new();
    let file = world.aside("playbook.toml", "not = [a playbook");
    let broken = [
        "run",
        "--detach",
        "--model",
        "scripted",
        "--playbook",
        &file,
        "go",
    ];
    let front = world.run(&[&["run", "--headless"], &broken[2..]].concat());
    let said = world.run(&broken).ends(front.code.unwrap());
    assert_eq!((&*said.out, said.err), ("", front.err));
    detached(&world, &["--policy", "nonsense", "go"]).ends(3);
    detached(&world, &["  "]).ends(2).tells("the task is empty");
    world.run(&["resume", "last", "--detach"]).ends(7);
    assert!(world.ids().is_empty(), "nothing was begun");
}

#[test]
fn programs_get_one_line_and_the_task_may_come_on_standard_input() {
    let world = World::new();
    let file = world.aside("playbook.toml", BOOK);
    let args = [
        "run",
        "--json",
        "-",
        "--model",
        "scripted",
        "--playbook",
        &file,
        "--detach",
    ];
    let mut command = world.command(&args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"do it\n").unwrap();
    let said = child.wait_with_output().unwrap();
    let view: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(
        (&view["type"], &view["session"]),
        (&Value::from("detached"), &Value::from(world.id()))
    );
    until("the task is recorded", || {
        world.has_recorded(&world.id(), "do it")
    });
    until("a call waits", || world.has_recorded(&world.id(), "call.asked"));
    end(process(&world), Signal::TERM);
    world.run(&["wait", "--timeout", "30s"]).ends(4);
}

#[test]
fn a_run_that_is_killed_is_resumed_in_the_background() {
    let world = World::new();
    detached(&world, &["go"]).ends(0);
    until("a call waits", || world.has_recorded(&world.id(), "call.asked"));
    end(process(&world), Signal::KILL);
    let id = world.id();
    let said = world.run(&["wait", &id, "--timeout", "30s"]).ends(4);
    assert!(said.err.contains("cannot decide c3"), "{}", said.err);
    world.run(&["resume", &id, "--detach"]).ends(0);
    assert_eq!(world.ids(), std::slice::from_ref(&id), "no other session");
    // A second one is refused while it runs.
    world.run(&["resume", &id, "--detach"]).ends(7);
    approve(&world);
    assert_eq!(world.run(&["wait", &id]).ends(0).out, "all done\n");
    assert_eq!(world.read("made.txt"), "x\n", "once");
}
