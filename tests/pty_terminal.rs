//! Whatever ends a program that has the terminal, the terminal comes back as it was.
//!
//! Drives `examples/terminal_probe.rs` in a pseudo-terminal. Must not know: runs, sessions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and tells by printing"
)]

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

const STEP: Duration = Duration::from_millis(10);

/// One at a time: a program that is started between the opening of another's terminal and the mark that
/// keeps it from being inherited would hold it open.
static STARTING: Mutex<()> = Mutex::new(());

/// The example's program, which `cargo test` builds; built here where only this file is tested.
fn probe() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples/terminal_probe");
    if !path.exists() {
        let release = path.components().any(|part| part.as_os_str() == "release");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--example", "terminal_probe"]);
        if release {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
    }
    path
}

/// A program in a pseudo-terminal.
struct Run {
    master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open, so that the modes outlive the program.
    slave: Box<dyn SlavePty + Send>,
    writer: Option<Box<dyn std::io::Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    bytes: Arc<Mutex<Vec<u8>>>,
    stop: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
    modes: String,
}

impl Run {
    fn new(program: &str, args: &[&str]) -> Self {
        let size = PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 0,
            pixel_height: 0,
        };
        let starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = native_pty_system().openpty(size).unwrap();
        let modes = format!("{:?}", pair.master.get_termios().unwrap());
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env("PS1", "shell> ");
        command.env_remove("RUST_BACKTRACE");
        command.env_remove("ENV");
        let child = pair.slave.spawn_command(command).unwrap();
        let mut from = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        drop(starting);
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let reader = std::thread::spawn({
            let (bytes, stop) = (Arc::clone(&bytes), Arc::clone(&stop));
            move || {
                let mut piece = [0_u8; 4096];
                while !stop.load(Ordering::SeqCst) {
                    match from.read(&mut piece) {
                        Ok(0) | Err(_) => return,
                        Ok(count) => bytes.lock().unwrap().extend_from_slice(&piece[..count]),
                    }
                }
            }
        });
        Self {
            master: Some(pair.master),
            slave: pair.slave,
            writer: Some(writer),
            child,
            bytes,
            stop,
            reader: Some(reader),
            modes,
        }
    }

    fn probe(how: &str) -> Self {
        let run = Self::new(probe().to_str().unwrap(), &[how]);
        run.wait_for("ready");
        run
    }

    fn screen(&self) -> vt100::Parser {
        let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
        parser.process(&self.bytes.lock().unwrap());
        parser
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    fn wait_for(&self, text: &str) {
        for _ in 0..2000 {
            if self.screen().screen().contents().contains(text) {
                return;
            }
            sleep(STEP);
        }
        panic!("`{text}` never came; got {:?}", self.text());
    }

    fn send(&mut self, text: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    fn kill(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// The exit code, which must come within this time.
    fn exit(&mut self, within: Duration) -> u32 {
        for _ in 0..within.as_millis() / STEP.as_millis() {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            sleep(STEP);
        }
        self.child.kill().unwrap();
        panic!("it goes on; got {:?}", self.text());
    }

    fn modes_now(&self) -> String {
        format!("{:?}", self.master.as_ref().unwrap().get_termios().unwrap())
    }

    /// Everything is as before, and nothing was drawn after that.
    fn check_restored(&self) {
        sleep(Duration::from_millis(150));
        let parser = self.screen();
        let screen = parser.screen();
        let text = self.text();
        assert!(!screen.alternate_screen(), "{text:?}");
        assert!(!screen.bracketed_paste(), "{text:?}");
        assert!(!screen.hide_cursor(), "{text:?}");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "{text:?}"
        );
        let last = |sequence: &str| {
            text.rfind(sequence)
                .unwrap_or_else(|| panic!("no {sequence:?}: {text:?}"))
        };
        assert!(last("\x1b[?1004l") > last("\x1b[?1004h"), "focus events stay on");
        assert!(last("\x1b[<1u") > last("\x1b[>1u"), "the keyboard stays changed");
        assert!(last("\x1b[?2026l") > last("\x1b[?2026h"), "a frame stays open");
        assert!(last("\x1b[?1049l") > last("\x1b[?2026h"), "drawn after the end");
        assert_eq!(self.modes_now(), self.modes);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.stop.store(true, Ordering::SeqCst);
        let _ = &self.slave;
    }
}

/// Much more than it needs, as the machine may be busy.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_normal_end_restores() {
    let mut run = Run::probe("");
    assert_ne!(run.modes_now(), run.modes, "raw mode was never on");
    assert!(run.screen().screen().alternate_screen());
    assert!(run.screen().screen().bracketed_paste());
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored();
}

#[test]
fn a_panic_anywhere_restores_and_is_told() {
    for (how, place) in [
        ("main", "in main"),
        ("draw", "in a drawing"),
        ("task", "in a task"),
    ] {
        let mut run = Run::probe(how);
        assert_eq!(run.exit(SOON), 101, "{how}");
        run.check_restored();
        let after = run.screen().screen().contents();
        assert!(after.contains(&format!("probe: {place}")), "{after}");
        assert!(after.contains("ended because of a defect"), "{after}");
        assert!(after.contains("resume with: probe"), "{after}");
        assert!(
            !run.text().contains("\x1b[31m"),
            "{how}: a message reached the terminal raw"
        );
    }
}

#[test]
fn a_signal_to_end_restores() {
    for (signal, code) in [
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 143),
    ] {
        let mut run = Run::probe("");
        run.kill(signal);
        assert_eq!(run.exit(SOON), code, "{signal:?}");
        run.check_restored();
    }
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

#[test]
fn stopped_from_the_keyboard_it_comes_back() {
    let mut run = Run::new("sh", &["-im"]);
    run.wait_for("shell> ");
    let shell = run.modes_now();
    run.send(&format!("{}\n", probe().display()));
    run.wait_for("probe ready");
    run.send("\x1a");
    run.wait_for("shell> ");
    assert!(!run.screen().screen().alternate_screen());
    assert_eq!(run.modes_now(), shell);
    run.send("fg\n");
    run.wait_for("back ready");
    assert!(run.screen().screen().alternate_screen());
    assert_ne!(run.modes_now(), shell);
    run.send("q");
    run.wait_for("shell> ");
    assert!(!run.screen().screen().alternate_screen());
    run.send("exit\n");
    run.exit(SOON);
}

#[test]
fn stopped_from_outside_it_takes_the_terminal_again() {
    let mut run = Run::probe("");
    run.kill(Signal::STOP);
    sleep(Duration::from_millis(200));
    run.bytes.lock().unwrap().clear();
    run.kill(Signal::CONT);
    run.wait_for("ready");
    assert!(run.screen().screen().alternate_screen());
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored();
}

#[test]
fn an_editor_has_the_terminal_as_it_was() {
    let mut run = Run::probe("");
    run.send("e");
    run.wait_for("edited ready");
    let text = run.text();
    let stty = &text[text.find("\x1b[?1049l").unwrap()..];
    assert!(stty.contains(" icanon") && !stty.contains("-icanon"), "{stty:?}");
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored();
}
