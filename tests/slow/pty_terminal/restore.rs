//! Tests that the terminal is restored whatever ends a program that uses it.
//!
//! Drives `examples/terminal_probe.rs`.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Signal, kill_process};

use crate::pty_terminal::harness::{Run, SOON, probe_path};

/// A way to end.
struct Case {
    name: &'static str,
    /// The argument of the probe.
    how: &'static str,
    act: fn(&mut Run),
    codes: &'static [u32],
    /// What the shell's screen says afterwards.
    says: &'static [&'static str],
}

const fn case(name: &'static str, how: &'static str, act: fn(&mut Run), codes: &'static [u32]) -> Case {
    Case {
        name,
        how,
        act,
        codes,
        says: &[],
    }
}

const fn defect(name: &'static str, how: &'static str, claims: &'static [&'static str]) -> Case {
    Case {
        name,
        how,
        act: |_| {},
        codes: &[101],
        says: claims,
    }
}

fn check(cases: &[Case]) {
    for case in cases {
        let mut run = Run::probe(case.how);
        (case.act)(&mut run);
        let code = run.exit(SOON);
        assert!(
            case.codes.contains(&code),
            "{}: code {code}: {:?}",
            case.name,
            run.text()
        );
        run.check_restored(case.name);
        let after = run.screen().screen().contents();
        for words in case.says {
            assert!(after.contains(words), "{}: no {words:?} in {after}", case.name);
        }
        assert!(
            !run.text().contains("\x1b[31m"),
            "{}: a message reached the terminal raw",
            case.name
        );
    }
}

fn edit(run: &mut Run) {
    run.send("e");
    run.wait_for("in the editor");
}

#[test]
fn a_normal_end_restores() {
    let mut run = Run::probe("");
    assert!(!run.is_as_before(), "raw mode was never on");
    assert!(run.screen().screen().alternate_screen());
    assert!(run.screen().screen().bracketed_paste());
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("quit");
}

#[test]
fn a_panic_anywhere_restores_and_is_told() {
    const TOLD: &str = "ended because of a defect";
    const HINT: &str = "resume with: probe";
    check(&[
        defect("in main", "main", &["probe: in main", TOLD, HINT]),
        defect("in a drawing", "draw", &["probe: in a drawing", TOLD, HINT]),
        defect("in a task", "task", &["probe: in a task", TOLD, HINT]),
        defect("in a thread", "thread", &["probe: in a thread", TOLD, HINT]),
        defect(
            "in a blocking task",
            "blocking",
            &["probe: in a blocking task", TOLD, HINT],
        ),
        defect("without words", "payload", &["no message", TOLD, HINT]),
        defect("again while unwinding", "drop", &["probe: in main", TOLD, HINT]),
        defect("in two threads at once", "double", &[TOLD, HINT]),
        defect("with a long message", "long", &["xxxx", HINT]),
    ]);
}

#[test]
fn a_panic_in_the_last_words_leaves_the_terminal_restored_all_the_same() {
    let mut run = Run::probe("hook");
    assert_ne!(run.exit(SOON), 0);
    run.check_restored("a panic in the last words");
}

#[test]
fn a_signal_to_end_restores() {
    check(&[
        case("TERM", "", |run| run.kill(Signal::TERM), &[143]),
        case("HUP", "", |run| run.kill(Signal::HUP), &[129]),
        case("INT", "", |run| run.kill(Signal::INT), &[130]),
        case("QUIT", "", |run| run.kill(Signal::QUIT), &[131]),
        case(
            "TERM twice",
            "",
            |run| {
                run.kill(Signal::TERM);
                run.kill(Signal::TERM);
            },
            &[143],
        ),
        case(
            "TERM and HUP at once",
            "",
            |run| {
                run.kill(Signal::HUP);
                run.kill(Signal::TERM);
            },
            &[129, 143],
        ),
    ]);
}

#[test]
fn a_program_that_hangs_ends_and_restores_all_the_same() {
    check(&[
        case("a loop that hangs", "hang", |_| {}, &[143]),
        case("an error of the loop", "error", |_| {}, &[1]),
    ]);
}

#[test]
fn what_happens_while_an_editor_has_the_terminal_restores() {
    check(&[
        case(
            "TERM",
            "edit",
            |run| {
                edit(run);
                run.kill(Signal::TERM);
                run.send("\n");
            },
            &[143],
        ),
        case(
            "the editor fails",
            "edit-fails",
            |run| {
                edit(run);
                run.send("\n");
                run.wait_for("edited ready");
                run.send("q");
            },
            &[0],
        ),
        case(
            "the editor is killed",
            "edit-killed",
            |run| {
                edit(run);
                run.send("\n");
                run.wait_for("edited ready");
                run.send("q");
            },
            &[0],
        ),
        case(
            "another size meanwhile",
            "edit",
            |run| {
                edit(run);
                run.resize(60, 20);
                run.send("\n");
                run.wait_for("edited ready");
                run.send("q");
            },
            &[0],
        ),
        case(
            "ctrl-c in the editor is the editor's",
            "edit",
            |run| {
                edit(run);
                run.send("\x03");
                run.wait_for("edited ready");
                run.send("q");
            },
            &[0],
        ),
        case(
            "twice",
            "edit",
            |run| {
                for _ in 0..2 {
                    edit(run);
                    run.send("\n");
                    run.wait_for("edited ready");
                    run.forget();
                }
                run.send("q");
            },
            &[0],
        ),
    ]);
    check(&[Case {
        act: |run| {
            edit(run);
            run.send("\n");
        },
        ..defect(
            "a panic in a task meanwhile",
            "edit-task",
            &["ended because of a defect"],
        )
    }]);
}

#[test]
fn mouse_and_sizes_restore() {
    check(&[
        case(
            "the mouse switched off and on",
            "",
            |run| {
                run.send("m");
                run.until("off", || run.text().contains("\x1b[?1002l"));
                run.send("m");
                run.until("on", || run.text().matches("\x1b[?1002h").count() == 2);
                run.send("q");
            },
            &[0],
        ),
        case(
            "the mouse switched off",
            "",
            |run| {
                run.send("m");
                run.until("off", || run.text().contains("\x1b[?1002l"));
                run.kill(Signal::TERM);
            },
            &[143],
        ),
        case(
            "a storm of sizes",
            "",
            |run| {
                for step in 0..300_u16 {
                    run.resize(1 + step * 7 % 200, 1 + step * 3 % 60);
                }
                run.resize(80, 24);
                run.send("q");
            },
            &[0],
        ),
        case(
            "one cell",
            "",
            |run| {
                run.resize(1, 1);
                sleep(Duration::from_millis(100));
                run.resize(80, 24);
                run.send("q");
            },
            &[0],
        ),
    ]);
}

#[test]
fn a_terminal_that_takes_nothing_keeps_nobody_waiting() {
    let mut run = Run::probe("");
    run.hold.store(true, Ordering::SeqCst);
    // It draws on and on; the terminal is full after a while.
    sleep(Duration::from_secs(1));
    run.kill(Signal::TERM);
    assert_eq!(run.exit(SOON), 143);
    run.hold.store(false, Ordering::SeqCst);
    assert!(run.is_as_before(), "{}", run.modes_now());
}

#[test]
fn a_closed_terminal_ends_it_even_where_the_signal_is_ignored() {
    for how in ["", "deaf"] {
        let mut run = Run::probe(how);
        // All that holds the other end goes; the reader wakes as the probe draws on and on.
        run.stop.store(true, Ordering::SeqCst);
        run.reader.take().unwrap().join().unwrap();
        drop(run.writer.take());
        drop(run.master.take());
        assert_eq!(run.exit(SOON), 129, "{how:?}");
    }
}

/// The argument of the probe, its environment variables, and its columns and rows.
type Surrounding = (&'static str, &'static [(&'static str, &'static str)], (u16, u16));

#[test]
fn wherever_it_runs_it_restores() {
    let usual = (80, 24);
    let tmux: &[_] = &[("TERM", "tmux-256color"), ("TMUX", "/tmp/tmux-0/default,1,0")];
    let screen: &[_] = &[("TERM", "screen"), ("STY", "1.pts-0.host")];
    let surroundings: [Surrounding; 9] = [
        ("", &[("TERM", "dumb")], usual),
        ("", &[("TERM", "xterm")], usual),
        ("", &[("TERM", "linux")], usual),
        ("", tmux, usual),
        ("", screen, usual),
        ("", &[("NO_COLOR", "1"), ("LC_ALL", "C")], usual),
        (
            "",
            &[("COLORTERM", "truecolor"), ("SSH_TTY", "/dev/pts/9")],
            usual,
        ),
        ("bare", &[], usual),
        ("", &[], (1, 1)),
    ];
    for (how, around, (cols, rows)) in surroundings {
        for end in ["q", "TERM", "HUP", "task"] {
            let how = if end == "task" { "task" } else { how };
            let mut run = Run::with(probe_path().to_str().unwrap(), &[how], |command| {
                for (name, value) in around {
                    command.env(name, value);
                }
            });
            run.resize(cols, rows);
            run.until("a frame", || run.text().contains("\x1b[?2026l"));
            match end {
                "q" => run.send("q"),
                "TERM" => run.kill(Signal::TERM),
                "HUP" => run.kill(Signal::HUP),
                _ => {}
            }
            let name = format!("{how:?} {end} with {around:?} at {cols}x{rows}");
            let code = run.exit(SOON);
            let expected = match end {
                "q" => 0,
                "TERM" => 143,
                "HUP" => 129,
                _ => 101,
            };
            assert_eq!(code, expected, "{name}");
            run.check_restored(&name);
        }
    }
}

fn shell() -> (Run, String) {
    let mut run = Run::new("sh", &["-im"]);
    run.wait_for("shell> ");
    let modes = run.modes_now();
    run.send(&format!("{}\n", probe_path().display()));
    run.wait_for("probe ready");
    (run, modes)
}

#[test]
fn stopped_from_the_keyboard_it_comes_back() {
    let (mut run, modes) = shell();
    run.forget();
    run.send("\x1a");
    run.stopped();
    assert!(!run.screen().screen().alternate_screen());
    assert_eq!(run.modes_now(), modes);
    run.resize(60, 20);
    run.send("fg\n");
    run.wait_for("back ready");
    assert!(run.screen().screen().alternate_screen());
    assert_ne!(run.modes_now(), modes);
    run.send("q");
    run.wait_for("shell> ");
    assert!(!run.screen().screen().alternate_screen());
    run.send("exit\n");
    run.exit(SOON);
}

#[test]
fn ended_while_it_is_stopped_it_leaves_the_shell_alone() {
    let (mut run, modes) = shell();
    run.forget();
    run.send("\x1a");
    run.stopped();
    run.forget();
    run.send("kill %1; fg; echo code $?\n");
    run.wait_for("code 143");
    assert!(!run.screen().screen().alternate_screen(), "{:?}", run.text());
    assert_eq!(run.modes_now(), modes);
    run.send("exit\n");
    run.exit(SOON);
}

#[test]
fn asked_to_stop_from_outside_it_gives_the_terminal_back_first() {
    let (mut run, modes) = shell();
    run.forget();
    kill_process(run.foreground(), Signal::TSTP).unwrap();
    run.stopped();
    assert!(!run.screen().screen().alternate_screen(), "{:?}", run.text());
    assert_eq!(run.modes_now(), modes);
    run.forget();
    run.send("fg\n");
    run.wait_for("back ready");
    assert!(run.screen().screen().alternate_screen());
    assert_ne!(run.modes_now(), modes);
    // Again, from the keyboard: nothing of the first stop is left over.
    run.forget();
    run.send("\x1a");
    run.stopped();
    run.forget();
    run.send("fg\n");
    run.wait_for("back ready");
    run.send("q");
    run.wait_for("shell> ");
    assert!(!run.screen().screen().alternate_screen());
    assert_eq!(run.modes_now(), modes);
    run.send("exit\n");
    run.exit(SOON);
}

#[test]
fn asked_to_stop_where_no_shell_would_continue_it_it_goes_on() {
    let mut run = Run::probe("");
    run.kill(Signal::TSTP);
    run.wait_for("back ready");
    assert!(run.screen().screen().alternate_screen());
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("a stop that was none");
}

#[test]
fn stopped_from_outside_it_takes_the_terminal_again() {
    let mut run = Run::probe("");
    run.kill(Signal::STOP);
    sleep(Duration::from_millis(200));
    run.forget();
    run.kill(Signal::CONT);
    run.wait_for("ready");
    assert!(run.screen().screen().alternate_screen());
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    assert!(run.is_as_before());
}

#[test]
fn an_editor_has_the_terminal_as_it_was() {
    let mut run = Run::probe("edit");
    run.send("e");
    run.wait_for("in the editor");
    let text = run.text();
    let stty = &text[text.find("\x1b[?1049l").unwrap()..];
    assert!(stty.contains(" icanon") && !stty.contains("-icanon"), "{stty:?}");
    run.send("\n");
    run.wait_for("edited ready");
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("an editor");
}

#[test]
fn without_a_terminal_nothing_is_written() {
    let output = std::process::Command::new(probe_path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "{:?}", output.stdout);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("NoTerminal"), "{words}");
}
