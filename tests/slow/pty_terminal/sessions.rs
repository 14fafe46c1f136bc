//! Closes the terminal on a run, and finds the run again: by the line that names it, and in the picker.
//!
//! Must not know: how sessions are stored.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON, at_home, writes};

fn start(root: &Path, work: &Path, args: &[&str]) -> Run {
    Run::with(crate::support::program(), args, |command| {
        at_home(command, root, "");
        command.cwd(work);
    })
}

#[test]
fn a_run_whose_terminal_was_closed_is_named_picked_and_waits_as_before() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join("notes.md"), "# Notes\n\nTODO: write them\n").unwrap();
    let report = work.join("overrule-report.md");

    let mut run = start(root.path(), &work, &[]);
    run.wait_for("1 to decide");
    run.kill(Signal::KILL);
    run.exit(SOON);

    // The next run in this directory says how to go on with the first.
    let mut run = start(root.path(), &work, &[]);
    run.wait_for("continues the last run");
    run.wait_for("1 to decide");
    // It takes one row: the keys stay below it.
    run.wait_for("a approve");
    run.kill(Signal::KILL);
    run.exit(SOON);

    let mut run = start(root.path(), &work, &["resume"]);
    run.wait_for("resume which session?");
    run.wait_for("2 of 2");
    run.types("zzz");
    run.wait_for("no session fits");
    run.wait_for("0 of 2");
    run.types("\x7f\x7f\x7f");
    run.wait_for("2 of 2");
    run.types("\r");
    run.wait_for("1 to decide");
    assert!(!report.exists(), "nothing was written without an approval");
    run.send("t");
    run.wait_for("┏━ c");
    run.wait_for("┗━━━");
    run.armed();
    run.send("a");
    run.wait_for("answered");
    assert!(report.exists());
    run.types("q");
    assert_eq!(run.exit(SOON), 0);

    // Escape leaves the picker, and nothing is resumed.
    let mut run = start(root.path(), &work, &["replay"]);
    run.wait_for("replay which session?");
    run.send("\x1b");
    assert_eq!(run.exit(SOON), 0);
}

/// All files below a directory with their contents.
fn files(dir: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, all);
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

fn sessions(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    files(&root.join("data/overrule/sessions"), &mut all);
    all
}

const OFFER: &str = "enter continue \"write two files\" (1 to decide,";

#[test]
fn without_a_subcommand_an_unfinished_session_of_a_task_is_offered_and_nothing_else_happens() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    fs::create_dir_all(&work).unwrap();
    let playbook = root.path().join("p.toml");
    fs::write(
        &playbook,
        writes(&[("a", "a.txt", "first"), ("b", "b.txt", "second")]),
    )
    .unwrap();
    let playbook = playbook.display().to_string();

    let task = [
        "run",
        "write two files",
        "--model",
        "scripted",
        "--playbook",
        &playbook,
    ];
    let mut run = start(root.path(), &work, &task);
    run.wait_for("1 to decide");
    run.kill(Signal::KILL);
    run.exit(SOON);
    // A built-in run that is left later is not offered.
    let mut run = start(root.path(), &work, &["demo", "audit"]);
    run.wait_for("1 to decide");
    run.kill(Signal::KILL);
    run.exit(SOON);

    // Other keys do nothing, esc leaves, and nothing was written or run.
    let before = sessions(root.path());
    let mut run = start(root.path(), &work, &[]);
    run.wait_for(OFFER);
    run.wait_for("n new  esc leave");
    run.types("a ");
    run.wait_for(OFFER);
    run.send("\x1b");
    assert_eq!(run.exit(SOON), 0);
    assert_eq!(sessions(root.path()), before);
    assert!(!work.join("a.txt").exists());

    // Without a terminal nothing is asked: the built-in run starts.
    let mut command = std::process::Command::new(crate::support::program());
    command.arg("--sessions").arg(root.path().join("other"));
    command.current_dir(&work).env("HOME", root.path());
    for (name, dir) in [
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
    ] {
        command.env(name, root.path().join(dir));
    }
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!told.contains("enter continue"), "{told}");
    assert_eq!(sessions(root.path()), before);

    // A new run is the built-in one; the session stays as it is.
    let mut run = start(root.path(), &work, &[]);
    run.wait_for(OFFER);
    run.send("n");
    run.wait_for("overrule-report.md");
    run.kill(Signal::KILL);
    run.exit(SOON);

    // Enter continues the session where it was, and approves nothing.
    let mut run = start(root.path(), &work, &[]);
    run.wait_for(OFFER);
    run.send("\r");
    run.wait_for("a.txt");
    run.wait_for("1 to decide");
    assert!(!work.join("a.txt").exists());
    run.kill(Signal::KILL);
    run.exit(SOON);
}

#[test]
fn the_first_decision_of_a_person_is_explained_and_no_later_one() {
    const SENTENCE: &str = "It does so only if you approve (a).";
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    fs::create_dir_all(&work).unwrap();
    let kept = root.path().join("state/overrule/decided");

    // Who leaves without a decision reads it again.
    for _ in 0..2 {
        let mut run = start(root.path(), &work, &["demo", "audit"]);
        run.wait_for("1 to decide");
        run.wait_for(SENTENCE);
        run.types("q");
        run.exit(SOON);
        assert!(!kept.exists());
    }
    let mut run = start(root.path(), &work, &["demo", "audit"]);
    run.wait_for(SENTENCE);
    run.armed();
    run.send("x");
    run.types("no\r");
    run.wait_for("answered");
    assert!(!run.screen().screen().contents().contains(SENTENCE));
    run.types("q");
    run.exit(SOON);
    assert!(kept.exists());

    let mut run = start(root.path(), &work, &["demo", "audit"]);
    run.wait_for("1 to decide");
    run.wait_for("a approve");
    assert!(!run.screen().screen().contents().contains(SENTENCE));
    run.kill(Signal::KILL);
    run.exit(SOON);
}

#[test]
fn an_update_that_changed_keys_says_so_once_and_refuses_no_key_file() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    fs::create_dir_all(&work).unwrap();
    for (file, text) in [
        (
            "config/overrule/keys.toml",
            "follow-branch = \"enter\"\ncollect = \"alt-y\"\n",
        ),
        ("state/overrule/keys", "zoom alt-q\n"),
    ] {
        let file = root.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let mut run = start(root.path(), &work, &["demo", "audit"]);
    run.wait_for("keys changed: z zoom; see");
    run.wait_for("1 to decide");
    run.types("L");
    run.types("g");
    run.wait_for("keys.toml:1:1: the command");
    run.kill(Signal::KILL);
    run.exit(SOON);

    let mut run = start(root.path(), &work, &["demo", "audit"]);
    run.wait_for("1 to decide");
    run.types("L");
    run.types("g");
    run.wait_for("keys.toml:1:1: the command");
    assert!(!run.screen().screen().contents().contains("keys changed"));
    run.kill(Signal::KILL);
    run.exit(SOON);
}
