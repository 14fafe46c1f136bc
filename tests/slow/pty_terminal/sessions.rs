//! Closes the terminal on a run, and finds the run again: by the line that names it, and in the picker.
//!
//! Must not know: how sessions are stored.

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON, at_home};

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
