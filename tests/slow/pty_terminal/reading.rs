//! Tests of a long session that is resumed: it is read whole before its screen is shown.

use std::path::{Path, PathBuf};
use std::process::Command;

use overrule::domain::event::{Event, RunEvent};
use overrule::journal::{Store, Writer};
use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON};

/// Names of the session, and bytes of each.
const NAMES: usize = 200;
const EACH: usize = 60_000;
/// What is said before it is read.
const READING: &str = "reading session";

/// A run that has come to its answer, and takes a while to be read.
struct Long {
    home: tempfile::TempDir,
    id: String,
}

fn home(root: &Path, mut set: impl FnMut(&str, PathBuf)) {
    set("HOME", root.to_owned());
    for (name, dir) in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
    ] {
        set(name, root.join(dir));
    }
}

impl Long {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path();
        std::fs::create_dir_all(root.join("work")).unwrap();
        let playbook = "[meta]\nname = \"long\"\nversion = \"1\"\n[[rule]]\nanswer = \"here it is\"\n";
        std::fs::write(root.join("playbook.toml"), playbook).unwrap();
        let mut command = Command::new(crate::support::program());
        command.args([
            "run",
            "--headless",
            "--model",
            "scripted",
            "--playbook",
            "../playbook.toml",
        ]);
        command
            .args(["--policy", "supervised", "write"])
            .current_dir(root.join("work"));
        self::home(root, |name, value| {
            command.env(name, value);
        });
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let sessions = std::fs::read_dir(root.join("data/overrule/sessions")).unwrap();
        let dir = sessions
            .map(|entry| entry.unwrap().path())
            .find(|path| path.is_dir())
            .unwrap();
        let id = dir.file_name().unwrap().to_str().unwrap().to_owned();
        let long = Self { home, id };
        long.grow();
        long
    }

    /// Makes its journal long: it was given one name after the other.
    fn grow(&self) {
        let store = Store::open(self.home.path().join("data/overrule/sessions"));
        let place = store.find(&self.id).unwrap();
        let (mut writer, loaded) = Writer::open(&place).unwrap();
        let mut last = loaded.envelopes.last().unwrap().clone();
        for _ in 0..NAMES {
            let title = "x".repeat(EACH);
            last.event = Event::Run(RunEvent::Titled { title });
            last.seq = last.seq.next();
            writer.append(&last).unwrap();
        }
        writer.sync().unwrap();
    }

    fn journal(&self) -> PathBuf {
        let sessions = self.home.path().join("data/overrule/sessions");
        sessions.join(&self.id).join("journal.jsonl")
    }

    fn resume(&self) -> Run {
        let root = self.home.path();
        Run::with(
            crate::support::program(),
            &["resume", &self.id],
            |command: &mut CommandBuilder| {
                home(root, |name, value| command.env(name, value));
                command.env("LC_ALL", "C.UTF-8");
                for name in ["OVERRULE_SESSIONS", "OVERRULE_MODEL", "VTE_VERSION"] {
                    command.env_remove(name);
                }
                command.cwd(root.join("work"));
            },
        )
    }
}

#[test]
fn a_long_session_is_read_before_its_screen_and_then_goes_on() {
    let long = Long::new();
    let bytes = std::fs::metadata(long.journal()).unwrap().len();
    assert!(bytes > 5 << 20, "{bytes} bytes");
    let mut run = long.resume();
    run.wait_for("answered");
    let all = run.text();
    let (content, taken) = (all.find(READING).unwrap(), all.find("\x1b[?1049h").unwrap());
    assert!(content < taken, "it is announced before: {all:?}");
    assert_eq!(
        all.matches("\x1b[?1049h").count(),
        1,
        "the terminal is taken once"
    );
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("a session that was taken up");
}

#[test]
fn a_signal_ends_it_while_it_is_read() {
    let long = Long::new();
    let before = std::fs::read(long.journal()).unwrap();
    let mut run = long.resume();
    run.until("it is read", || run.text().contains(READING));
    run.kill(Signal::TERM);
    assert_ne!(run.exit(SOON), 0);
    let after = std::fs::read(long.journal()).unwrap();
    assert!(after.starts_with(&before), "what was there is there");
}

#[test]
fn what_cannot_be_read_is_told_on_the_shell() {
    let long = Long::new();
    let mut first = long.resume();
    first.wait_for("answered");
    let mut second = long.resume();
    assert_eq!(second.exit(SOON), 7);
    assert!(!second.text().contains('\u{1b}'), "the terminal is not taken");
    let message = second.screen().screen().contents();
    assert!(message.contains("process"), "{message}");
    first.send("q");
    assert_eq!(first.exit(SOON), 0);
}

#[test]
fn a_damaged_session_goes_on_as_a_new_one() {
    let long = Long::new();
    let mut bytes = std::fs::read(long.journal()).unwrap();
    let near_the_end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap() - 200;
    let line = bytes[..near_the_end]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap();
    bytes[line - 20] ^= 1;
    std::fs::write(long.journal(), &bytes).unwrap();
    let mut run = long.resume();
    run.wait_for("is damaged");
    assert_eq!(
        std::fs::read(long.journal()).unwrap(),
        bytes,
        "it was left as it is"
    );
    run.send("\x03\x03");
    assert_eq!(run.exit(SOON), 130);
    run.check_restored("a damaged session");
}
