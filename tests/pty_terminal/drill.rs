//! An exercise on a real screen: the operator decides good and bad calls and is told his score; and whatever he or
//! the policy lets through, nothing runs, nothing is connected, no file changes. Must not know: what is bad.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use overrule::domain::apply::fold;
use overrule::drill::Script;
use overrule::journal::{self, Store};

use crate::harness::{Run, SOON, at_home, writes};

/// A command, a request and a write at once.
const REACHING: &str = r#"
[meta]
name = "reaching"
[[rule]]
when = { done = ["a", "b", "c"] }
answer = "done"
[[rule]]
think = "All at once."
[[rule.call]]
tool = "shell"
as = "a"
args = { command = "echo ran >> log.txt" }
[[rule.call]]
tool = "http_request"
as = "b"
args = { method = "GET", url = "http://127.0.0.1:PORT/x" }
[[rule.call]]
tool = "write_file"
as = "c"
args = { path = "out.txt", content = "agent" }
"#;

const ALLOWED: &str = r#"
[[rule]]
tool = "shell"
gate = "allow"
[[rule]]
tool = "http_request"
gate = "allow"
[[rule]]
tool = "write_file"
gate = "allow"
"#;

/// A recorded run in a home of its own; what it did is taken away again.
struct World(tempfile::TempDir);

impl World {
    fn recorded(playbook: &str) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(world.work()).unwrap();
        std::fs::write(world.path("playbook.toml"), playbook).unwrap();
        std::fs::write(world.path("policy.toml"), ALLOWED).unwrap();
        let (file, policy) = (world.path("playbook.toml"), world.path("policy.toml"));
        let words = ["run", "--headless", "--model", "scripted", "--playbook"];
        let said = world
            .command()
            .args(words)
            .args([
                file.to_str().unwrap(),
                "--policy",
                policy.to_str().unwrap(),
                "do it",
            ])
            .output()
            .unwrap();
        assert!(said.status.success(), "{said:?}");
        for entry in std::fs::read_dir(world.work()).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// The program without a terminal.
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overrule"));
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.0.path())
            .current_dir(self.work());
        for name in ["config", "data", "state"] {
            let variable = format!("XDG_{}_HOME", name.to_uppercase());
            command.env(variable, self.path(name));
        }
        command
    }

    fn drill(&self, args: &[&str]) -> Run {
        let args = [&["drill"], args].concat();
        let run = Run::with(env!("CARGO_BIN_EXE_overrule"), &args, |command| {
            at_home(command, self.0.path(), "");
            command.cwd(self.work());
        });
        run.wait_for("DRILL: nothing runs");
        run
    }

    fn store(&self) -> Store {
        Store::open(self.path("data/overrule/sessions"))
    }

    /// The record of the newest session, as text.
    fn record(&self) -> String {
        let place = self.store().find("last").unwrap();
        std::fs::read_to_string(place.journal()).unwrap()
    }

    /// A seed with which a bad call stands beside each of the two good ones.
    fn one_in_each_turn(&self) -> String {
        let place = self.store().find("last").unwrap();
        let state = fold(&journal::read(&place).unwrap().envelopes);
        let script = Script::of(&state, "it").unwrap();
        let fits = |_: &str, _: &str| true;
        let each = |seed: &u64| {
            let mixed = script.clone().mixed(2, *seed, &fits).unwrap();
            mixed.turns.iter().all(|turn| turn.calls.len() == 2)
        };
        (0..1000).find(each).unwrap().to_string()
    }

    #[track_caller]
    fn is_untouched(&self) {
        let left: Vec<_> = std::fs::read_dir(self.work()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(!self.record().contains("call.spawned"), "a process was started");
    }
}

fn decided(world: &World) -> usize {
    world.record().matches(r#""type":"call.decided""#).count()
}

#[test]
fn who_catches_one_and_lets_one_through_is_told_so_and_nothing_ran() {
    let world = World::recorded(&writes(&[
        ("a", "first.txt", "first"),
        ("b", "second.txt", "second"),
    ]));
    let seed = world.one_in_each_turn();
    let of = world.store().find("last").unwrap().id();
    let mut run = world.drill(&[&of, "--bad", "2", "--seed", &seed, "--policy", "supervised"]);
    run.wait_for("2 waiting");
    for count in 1..=4 {
        run.send("t");
        run.wait_for("end of the arguments");
        run.armed();
        // The two of the first turn are refused, those of the second let through.
        if count <= 2 {
            run.send("x");
            run.wait_for("what is the model told?");
            run.send("no");
            std::thread::sleep(Duration::from_millis(100));
            run.send("\r");
        } else {
            run.send("a");
        }
        run.until("it is decided", || decided(&world) == count);
        if count == 2 {
            run.wait_for("2 waiting");
        }
    }
    run.until("the end", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
    run.forget();
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("a drill");
    let told = run.text();
    for words in [
        &format!("seed {seed}: nothing ran"),
        "caught 1 of 2 bad calls (50 %), let through 1, not decided 0",
        "1 rejected",
        "1 approved by hand",
        "false alarms: 1 of 2 good calls rejected",
        "4 decided, median ",
    ] {
        assert!(told.contains(words), "no `{words}` in {told}");
    }
    world.is_untouched();
    // Nothing can be made of it that would run.
    for (args, code, words) in [
        (["resume", "last", "--headless"], 2, "is a drill"),
        (["drill", "last", "--headless"], 7, "is a drill itself"),
    ] {
        let said = world.command().args(args).output().unwrap();
        assert_eq!(said.status.code(), Some(code), "{said:?}");
        assert!(String::from_utf8_lossy(&said.stderr).contains(words), "{said:?}");
    }
    world.is_untouched();
}

#[test]
fn what_the_policy_lets_through_in_a_drill_runs_nothing_and_connects_to_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let met = Arc::new(AtomicUsize::new(0));
    std::thread::spawn({
        let met = Arc::clone(&met);
        move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                met.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 4096]);
                let _ =
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
            }
        }
    });
    let world = World::recorded(&REACHING.replace("PORT", &port.to_string()));
    let before = met.load(Ordering::SeqCst);
    assert_eq!(before, 1, "the recorded run asked once");
    let policy = world.path("policy.toml");
    let args = [
        "last",
        "--bad",
        "5",
        "--seed",
        "7",
        "--policy",
        policy.to_str().unwrap(),
    ];
    let mut run = world.drill(&[&args[..], &["--json"]].concat());
    run.until("the end", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
    run.forget();
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    let told = run.text();
    assert!(told.contains(r#""let_through":5"#), "{told}");
    assert!(told.contains(r#""end":"allowed_by_rule""#), "{told}");
    let record = world.record();
    assert_eq!(
        record.matches(r#""type":"call.started""#).count(),
        8,
        "all were let through"
    );
    assert!(record.contains("this is a drill: nothing ran"));
    assert_eq!(met.load(Ordering::SeqCst), before, "something was connected");
    world.is_untouched();
}
