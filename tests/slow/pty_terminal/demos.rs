//! Tests of the built-in demos on a real screen: what is shown, and that the keys work.
//!
//! Must not know: how failures are handled.

use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON, at_home};

/// A built-in run in a directory and a home of its own.
fn demo(root: &tempfile::TempDir, args: &[&str], settings: &str) -> Run {
    let root = root.path();
    let own = root.join("config/overrule");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::create_dir_all(root.join("work")).unwrap();
    std::fs::write(own.join("config.toml"), settings).unwrap();
    let args = [&["demo"], args].concat();
    Run::with(crate::support::program(), &args, |command| {
        at_home(command, root, "");
        command.cwd(root.join("work"));
    })
}

fn shows(run: &Run, text: &str) -> bool {
    run.screen().screen().contents().contains(text)
}

/// The row with some words.
fn row(run: &Run, words: &str) -> Option<String> {
    let contents = run.screen().screen().contents();
    let mut rows = contents.lines().filter(|line| line.contains(words));
    rows.next().map(str::to_owned)
}

/// Ends it with a signal as at a shutdown, in any state.
fn leave(mut run: Run, what: &str) {
    run.kill(Signal::TERM);
    run.exit(SOON);
    run.check_restored(what);
}

#[test]
fn in_the_office_the_operator_chooses_a_repair() {
    let root = tempfile::tempdir().unwrap();
    let mut run = demo(&root, &["office"], "");
    run.until("the calls wait", || {
        shows(&run, "repair: you choose") && shows(&run, "4 to decide")
    });
    // The answer to the side request is in the call, which waits in its repaired form.
    let repaired = row(&run, "set_phone_number").unwrap();
    assert!(
        repaired.contains('◎') && repaired.contains("c5  revision 2 set_phone_number zoe"),
        "{repaired}"
    );
    // To the call with the choice, in the graph; what stands in a row may change by itself meanwhile.
    let under = |run: &Run, name: &str| {
        row(run, "❯").is_some_and(|row| row.split_whitespace().any(|word| word == name))
    };
    let chosen = |run: &Run| under(run, "c4");
    // The cursor is on the call that waited first. Which one that is depends on who answered first.
    let first = |run: &Run| ["c3", "c4", "c5", "c6"].iter().position(|name| under(run, name));
    run.until("the cursor is on a call that waits", || first(&run).is_some());
    match first(&run).unwrap() {
        0 => run.send("j"),
        1 => {}
        below => run.send(&"k".repeat(below - 1)),
    }
    run.until("the call is selected", || chosen(&run));
    run.until("its key is told", || shows(&run, "F choose a repair"));
    run.armed();
    run.send("F");
    run.until("what may be chosen", || shows(&run, "1) temp: 0"));
    run.send("\r");
    // The repaired call is another revision, and passes the gate like any: nothing ran.
    run.until("the mended call waits for approval", || {
        row(&run, "set_temperature").is_some_and(|row| row.contains('◎') && row.contains("revision 2"))
    });
    run.until("who mended it is told", || shows(&run, "by repair 1"));
    leave(run, "a chosen repair");
}

#[test]
fn a_wait_before_another_try_is_skipped_by_its_key() {
    let root = tempfile::tempdir().unwrap();
    let slow = "[resilience.retry]\nfirst = \"60s\"\nlongest = \"60s\"\n";
    let mut run = demo(&root, &["ring", "--policy", "auto"], slow);
    run.until("it waits", || shows(&run, "again in") && shows(&run, "(1 of 4)"));
    run.until("its key is told", || shows(&run, "H run now"));
    run.armed();
    run.send("H");
    // It ran immediately: its next failure waits again.
    run.until("it ran", || shows(&run, "(2 of 4)"));
    leave(run, "a skipped wait");
}

#[test]
fn a_stubborn_model_is_let_on_by_one_key_and_a_shut_breaker_by_another() {
    let root = tempfile::tempdir().unwrap();
    let settings = "[resilience.breaker]\nwhen_open = \"wait\"\n";
    let mut run = demo(&root, &["stubborn"], settings);
    run.until("the run waits", || {
        shows(&run, "possible loop") && shows(&run, "W: why, what to do")
    });
    run.send("W");
    for words in [
        "state      paused: loop 1",
        "e        give the call other arguments",
        "r        let another tool make the call",
        "w        type the result of the call",
        "i        give the model guidance",
        "X        tell the model to leave these calls",
        "told the model to do something else",
    ] {
        run.until(words, || shows(&run, words));
    }
    run.send("Y");
    // It repeats, fails on, and its breaker opens: that wait ends by a key as well.
    run.until("the breaker holds it", || {
        shows(&run, "the breaker of tool:read_record is open")
    });
    run.send("W");
    run.until("it is told", || {
        shows(&run, "nothing else is") && shows(&run, "enter    go to the cause")
    });
    run.send("\r");
    run.until("what a reset is of", || shows(&run, "reset the breaker of"));
    run.send("\r");
    run.until("it ran", || {
        !shows(&run, "queued: the breaker of tool:read_record")
    });
    leave(run, "a stubborn model");
}
