//! Tests of definitions that change while a run is in progress: the operator accepts or refuses them, from the console and
//! from the shell.
//!
//! Must not know: how the program works inside.

use std::process::{Child, Stdio};

use overrule::domain::call::{Outcome, Status};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::mcp::harness::{Run, SOON};
use crate::mcp::servers::{ALLOW, Served, is_running, pids, playbook};
use crate::mcp::world::{Said, until, wait};

const GUARDED: &str = "preset = \"guarded\"\n";

/// A run whose call of `echo` awaits approval.
struct Waiting {
    served: Served,
    id: String,
    call: String,
}

/// What a run is started with, besides how it is shown.
fn flags(served: &Served, calls: &[(&str, Value)], policy: &str) -> Vec<String> {
    let world = &served.world;
    let playbook = world.aside("playbook.toml", &playbook(calls));
    let policy = world.aside("policy.toml", policy);
    let config = world.aside("patient.toml", "[policy]\ndeadline = \"1h\"\n");
    [
        "run",
        "--model",
        "scripted",
        "--playbook",
        &playbook,
        "--policy",
        &policy,
        "--config",
        &config,
        "go",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// A run in the console.
fn on_screen(served: &Served, calls: &[(&str, Value)], policy: &str) -> Run {
    let args = flags(served, calls, policy);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let command = served.world.command(&args);
    let mut run = Run::with(command.get_program().to_str().unwrap(), &args, |shown| {
        shown.env_clear();
        for (name, value) in command.get_envs() {
            shown.env(name, value.unwrap_or_default());
        }
        shown.env("TERM", "xterm-256color");
        shown.env("LC_ALL", "C.UTF-8");
        shown.cwd(served.world.ws());
    });
    run.resize(120, 40);
    run
}

impl Waiting {
    /// Without a screen, open to commands of the shell.
    fn headless() -> (Self, Child) {
        let served = Served::new(&[("FAULTY_WATCH", "1")]);
        let mut args = flags(&served, &[("echo", json!({"text": "a"}))], GUARDED);
        args.extend(["--headless".to_owned(), "--control".to_owned()]);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = served.world.command(&args);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        (Self::of(served), child.unwrap())
    }

    /// In the console.
    fn on_screen() -> (Self, Run) {
        let served = Served::new(&[("FAULTY_WATCH", "1")]);
        let run = on_screen(&served, &[("echo", json!({"text": "a"}))], GUARDED);
        let waiting = Self::of(served);
        run.wait_for(" to decide");
        (waiting, run)
    }

    fn of(served: Served) -> Self {
        let world = &served.world;
        until("the call waits", || {
            let id = world.ids().pop();
            id.is_some_and(|id| {
                let path = world.sessions().join(&id).join("journal.jsonl");
                let text = std::fs::read_to_string(path).unwrap_or_default();
                text.contains("\"type\":\"call.asked\"")
            })
        });
        let id = world.id();
        let call = world.state(&id).calls.keys().next().unwrap().to_string();
        Self { served, id, call }
    }

    /// Changes the definitions, and waits until the question about the call shows that.
    fn drift(&self) {
        self.served.change("2");
        until("the change is seen", || {
            self.queue().contains("changed definitions")
        });
    }

    fn queue(&self) -> String {
        self.served.world.run(&["queue", &self.id]).ends(0).out
    }

    fn digest(&self) -> String {
        let state = self.served.world.state(&self.id);
        state
            .calls
            .values()
            .next()
            .unwrap()
            .digest
            .clone()
            .unwrap()
            .0
            .to_string()
    }

    fn approve(&self, digest: &str) -> Said {
        let args = ["approve", &self.id, &self.call, "--digest", digest];
        self.served.world.run(&args)
    }

    /// An action on the server in the run.
    fn tools(&self, action: &str, more: &[&str]) -> Said {
        let args = [&["tools", action, "bad", "--run", &self.id][..], more].concat();
        self.served.world.run(&args)
    }

    fn status(&self) -> Status {
        let state = self.served.world.state(&self.id);
        state.calls.values().next().unwrap().status.clone()
    }
}

#[test]
fn the_shell_accepts_a_change_and_the_waiting_call_is_decided_again_and_runs() {
    let (waiting, child) = Waiting::headless();
    let before = waiting.digest();
    waiting.drift();
    waiting.approve(&before).ends(4);
    // The digest of the changed definition alone approves nothing: what changed has to be named.
    let said = waiting.approve(&waiting.digest()).ends(4);
    assert!(said.err.contains("overrule tools accept bad"), "{}", said.err);
    let queue = waiting.queue();
    for part in [
        "changed: echo",
        "(version 2)",
        "hash of the definitions: ",
        "overrule tools accept bad",
    ] {
        assert!(queue.contains(part), "no `{part}` in {queue}");
    }
    let json = waiting
        .served
        .world
        .run(&["queue", &waiting.id, "--json"])
        .ends(0)
        .out;
    assert!(json.contains("(version 2)"), "{json}");
    let shown = waiting.tools("accept", &[]).ends(0).out;
    assert!(
        shown.contains("changed: echo") && shown.contains("(version 2)"),
        "{shown}"
    );
    waiting.tools("accept", &["--hash", "0000"]).ends(4);
    assert!(waiting.queue().contains("changed definitions"));
    assert_eq!(waiting.served.calls(), [""; 0], "nothing ran");
    let hash = shown.split("--hash ").nth(1).unwrap().split('`').next().unwrap();
    waiting.tools("accept", &["--hash", hash]).ends(0);
    until("the question is another", || {
        !waiting.queue().contains("changed definitions")
    });
    assert_eq!(waiting.served.calls(), [""; 0], "accepting approves no call");
    waiting.approve(&before).ends(4);
    waiting.approve(&waiting.digest()).ends(0);
    assert_eq!(wait(child).ends(0).out, "a\n");
    assert_eq!(waiting.served.calls(), ["echo {\"text\":\"a\"}"]);
    assert!(!is_running(&waiting.served.world));
    // It holds for later runs.
    let later = waiting.served.world.run(&["tools", "accept", "bad"]).ends(0);
    assert_eq!(later.out, "no difference\n");
}

#[test]
fn the_shell_refuses_a_change_and_nothing_of_the_server_runs() {
    let (waiting, child) = Waiting::headless();
    waiting.drift();
    let seen = waiting.digest();
    waiting.tools("refuse", &[]).ends(0);
    until("the server ended", || !is_running(&waiting.served.world));
    until("its tools are gone", || {
        let state = waiting.served.world.state(&waiting.id);
        state
            .started
            .unwrap()
            .tools
            .iter()
            .all(|card| card.server().is_none())
    });
    let said = waiting.approve(&seen);
    assert_ne!(said.code, Some(0), "{}", said.out);
    waiting.served.world.run(&["reject", &waiting.id, &waiting.call]);
    let said = wait(child);
    assert_eq!(said.out, "no result\n", "{}", said.err);
    assert_ne!(waiting.status(), Status::Succeeded);
    assert_eq!(waiting.served.calls(), [""; 0]);
    // The pins stay: the next run asks about the same change.
    let later = waiting.served.world.run(&["tools", "accept", "bad"]).ends(0);
    assert!(later.out.contains("changed: echo"), "{}", later.out);
}

#[test]
fn what_is_accepted_without_the_run_counts_in_it_if_it_is_the_same() {
    let (waiting, child) = Waiting::headless();
    waiting.drift();
    // Another process of the server, with the same definitions.
    let accept = |more: &[&str]| {
        let args = [&["tools", "accept", "bad"][..], more].concat();
        waiting.served.world.run(&args).ends(0).out
    };
    let shown = accept(&[]);
    let hash = shown.split("--hash ").nth(1).unwrap();
    accept(&["--hash", hash.split('`').next().unwrap()]);
    until("the question is another", || {
        !waiting.queue().contains("changed definitions")
    });
    waiting.approve(&waiting.digest()).ends(0);
    assert_eq!(wait(child).ends(0).out, "a\n");
    assert_eq!(waiting.served.calls(), ["echo {\"text\":\"a\"}"]);
}

#[test]
fn without_control_or_a_run_nothing_is_decided_about_the_server() {
    let served = Served::new(&[]);
    served
        .play(&[("echo", json!({"text": "a"}))], "preset = \"guarded\"\n")
        .ends(0);
    let id = served.world.id();
    let starts = || served.log().iter().filter(|line| *line == "start").count();
    let before = starts();
    for args in [
        ["tools", "refuse", "bad", "--run", &id],
        ["tools", "accept", "bad", "--run", &id],
    ] {
        served.world.run(&args).ends(7).tells("no process runs");
    }
    assert_eq!(starts(), before, "no server was started");
}

#[test]
fn the_console_accepts_a_change_and_the_waiting_call_is_decided_again_and_runs() {
    let (waiting, mut run) = Waiting::on_screen();
    waiting.drift();
    run.send("9");
    run.wait_for("its definitions changed");
    run.send("zg");
    run.wait_for("| changed: echo");
    run.armed();
    run.send("\x1bk");
    run.wait_for("for this run and all later ones");
    run.armed();
    run.send("\x01");
    run.until("it is accepted", || {
        !run.screen()
            .screen()
            .contents()
            .contains("its definitions changed")
    });
    until("the question is another", || {
        !waiting.queue().contains("changed definitions")
    });
    assert_eq!(waiting.served.calls(), [""; 0], "accepting approves no call");
    run.send("z9");
    run.wait_for(" to decide");
    run.armed();
    run.send("t");
    run.armed();
    run.send("a");
    run.until("it ran", || waiting.served.calls() == ["echo {\"text\":\"a\"}"]);
    run.until("the answer", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
    run.armed();
    run.send("9");
    run.wait_for("1 of 1 execution succeeded; half within");
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    assert_eq!(waiting.status(), Status::Succeeded);
    assert!(!is_running(&waiting.served.world));
}

#[test]
fn the_console_refuses_a_change_and_nothing_of_the_server_runs() {
    let (waiting, mut run) = Waiting::on_screen();
    waiting.drift();
    run.send("9");
    run.wait_for("its definitions changed");
    run.send("zg");
    run.armed();
    run.send("\x1bx");
    run.wait_for("alt-x again ends bad");
    run.armed();
    run.armed();
    assert!(is_running(&waiting.served.world), "one press only asks");
    run.send("\x1bx");
    run.wait_for("refused by the operator");
    until("the server ended", || !is_running(&waiting.served.world));
    run.send("z9");
    run.armed();
    run.send("t");
    run.armed();
    run.send("a");
    run.armed();
    assert_ne!(waiting.status(), Status::Succeeded);
    assert_eq!(waiting.served.calls(), [""; 0]);
    run.kill(Signal::TERM);
    run.exit(SOON);
    assert_eq!(waiting.served.calls(), [""; 0]);
}

#[test]
fn the_console_shows_that_a_killed_server_was_restarted_while_its_call_waits() {
    let (waiting, mut run) = Waiting::on_screen();
    let before = pids(&waiting.served.world);
    assert_eq!(before.len(), 1);
    for pid in before {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
    run.send("9");
    run.wait_for("restarted once");
    run.wait_for("bad  ready");
    assert_eq!(waiting.served.calls(), [""; 0]);
    assert_eq!(waiting.status(), Status::AwaitingApproval, "it still waits");
    run.kill(Signal::TERM);
    run.exit(SOON);
}

#[test]
fn the_row_of_a_call_shows_the_progress_that_its_server_reports() {
    let served = Served::new(&[("FAULTY_SLOW", "1")]);
    let mut run = on_screen(&served, &[("slow", json!({}))], ALLOW);
    for step in ["1/3 working", "2/3 working", "3/3 working"] {
        let row = |screen: &str| {
            let mut lines = screen.lines();
            lines.any(|line| line.contains("bad.slow") && line.contains(step))
        };
        run.until(step, || row(&run.screen().screen().contents()));
    }
    run.until("the answer", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
}

#[test]
fn a_result_with_structure_is_shown_as_such() {
    let served = Served::new(&[]);
    let mut run = on_screen(&served, &[("structure", json!({}))], ALLOW);
    run.until("the answer", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
    let id = served.world.id();
    let state = served.world.state(&id);
    let call = state.calls.values().next().unwrap();
    let Some(Outcome::Ok { value, .. }) = &call.attempts[0].outcome else {
        panic!("{call:?}")
    };
    assert_eq!(&**value, r#"{"sum":3}"#, "JSON, not a text of JSON");
    run.wait_for("sum");
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
}
