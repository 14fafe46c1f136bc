//! A program in a pseudo-terminal, with a reader of its screen.
//!
//! Must not know: what is tested.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

const STEP: Duration = Duration::from_millis(10);

/// Much more than it needs, as the machine may be busy.
pub const SOON: Duration = Duration::from_secs(20);

/// Longer than what is to be decided must be on screen before a key counts.
pub const ARMED: Duration = Duration::from_millis(900);

/// One at a time: a program that is started between the opening of another's terminal and the mark that
/// keeps it from being inherited would hold it open.
static STARTING: Mutex<()> = Mutex::new(());

/// Gives a program directories of its own below `root`, those of XDG with `prefix` before their names, and nothing
/// of the tester's terminal.
pub fn at_home(command: &mut CommandBuilder, root: &Path, prefix: &str) {
    command.env("HOME", root);
    for (name, dir) in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
    ] {
        command.env(name, root.join(format!("{prefix}{dir}")));
    }
    command.env("LC_ALL", "C.UTF-8");
    for name in [
        "OVERRULE_SESSIONS",
        "OVERRULE_MODEL",
        "OVERRULE_SANDBOX",
        "SSH_TTY",
        "SSH_CONNECTION",
        "VTE_VERSION",
        "EDITOR",
        "VISUAL",
    ] {
        command.env_remove(name);
    }
}

/// The example's program, which `cargo test` builds; built here where only this file is tested.
pub fn probe_path() -> PathBuf {
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

/// A playbook of writes, one after the other: each with its label, its file and what is written.
pub fn writes(all: &[(&str, &str, &str)]) -> String {
    let mut playbook = String::from("[meta]\nname = \"writes\"\n");
    let done = |label: &str| format!("when = {{ done = [\"{label}\"] }}\n");
    // The first matching rule is followed: the last write comes first.
    for (at, (label, file, content)) in all.iter().enumerate().rev() {
        if at + 1 == all.len() {
            write!(playbook, "[[rule]]\n{}answer = \"written\"\n", done(label)).unwrap();
        }
        let after = at
            .checked_sub(1)
            .map_or(String::new(), |before| done(all[before].0));
        write!(
            playbook,
            "[[rule]]\n{after}think = \"The {content} one.\"\n[[rule.call]]\ntool = \"write_file\"\nas = \"{label}\"\n\
             args = {{ path = \"{file}\", content = \"{content}\" }}\n"
        )
        .unwrap();
    }
    playbook
}

const fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Written to a terminal whose program has ended; no terminal shows anything for it.
const LAST: &[u8] = b"\x1b_the last of it\x1b\\";

/// A terminal that has read a part of what was written.
struct Terminal {
    parser: vt100::Parser,
    from: usize,
    upto: usize,
    size: (u16, u16),
}

impl Terminal {
    fn new(from: usize, (cols, rows): (u16, u16)) -> Self {
        let (some_rows, some_cols) = (rows.max(1).try_into().unwrap(), cols.max(1).try_into().unwrap());
        Self {
            parser: vt100::Parser::new(some_rows, some_cols, 0),
            from,
            upto: from,
            size: (cols, rows),
        }
    }
}

/// The screen at one moment.
pub struct Shown(vt100::Screen);

impl Shown {
    /// What is on it.
    pub const fn screen(&self) -> &vt100::Screen {
        &self.0
    }
}

/// A program in a pseudo-terminal.
pub struct Run {
    pub master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open, so that the modes remain after the end of the program.
    slave: Box<dyn SlavePty + Send>,
    pub writer: Option<Box<dyn std::io::Write + Send>>,
    pub child: Box<dyn Child + Send + Sync>,
    bytes: Arc<Mutex<Vec<u8>>>,
    pub stop: Arc<AtomicBool>,
    /// The reader stops while this is set: the terminal fills up.
    pub hold: Arc<AtomicBool>,
    pub reader: Option<JoinHandle<()>>,
    /// Bytes that a test has seen enough of.
    seen: usize,
    /// Reads each byte once, however often a test looks.
    terminal: Mutex<Terminal>,
    modes: String,
    cols: u16,
    rows: u16,
}

impl Run {
    /// Starts a program at 80x24.
    pub fn new(program: &str, args: &[&str]) -> Self {
        Self::with(program, args, |_| {})
    }

    /// The same in another surrounding.
    pub fn with(program: &str, args: &[&str], change: impl FnOnce(&mut CommandBuilder)) -> Self {
        let (cols, rows) = (80, 24);
        let starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = native_pty_system().openpty(size(cols, rows)).unwrap();
        let modes = format!("{:?}", pair.master.get_termios().unwrap());
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env("PS1", "shell> ");
        for name in ["RUST_BACKTRACE", "ENV", "NO_COLOR", "COLORTERM", "TMUX", "STY"] {
            command.env_remove(name);
        }
        change(&mut command);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut from = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        drop(starting);
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let hold = Arc::new(AtomicBool::new(false));
        let reader = std::thread::spawn({
            let (bytes, stop, hold) = (Arc::clone(&bytes), Arc::clone(&stop), Arc::clone(&hold));
            move || {
                let mut piece = [0_u8; 4096];
                while !stop.load(Ordering::SeqCst) {
                    if hold.load(Ordering::SeqCst) {
                        sleep(STEP);
                        continue;
                    }
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
            hold,
            reader: Some(reader),
            seen: 0,
            terminal: Mutex::new(Terminal::new(0, (cols, rows))),
            modes,
            cols,
            rows,
        }
    }

    /// The probe, which ends in the way that is named.
    pub fn probe(how: &str) -> Self {
        let run = Self::new(probe_path().to_str().unwrap(), &[how]);
        // Not on the screen: a probe that ends soon may have restored it before a busy machine looks.
        run.until("ready", || run.text().contains("ready"));
        run
    }

    /// The screen as a terminal of the last size shows all that was written.
    pub fn screen(&self) -> Shown {
        self.screen_from(self.seen)
    }

    fn screen_from(&self, from: usize) -> Shown {
        let bytes = self.bytes.lock().unwrap();
        let mut terminal = self.terminal.lock().unwrap();
        let size = (self.cols, self.rows);
        if (terminal.from, terminal.size) != (from, size) || terminal.upto > bytes.len() {
            *terminal = Terminal::new(from, size);
        }
        let upto = terminal.upto;
        terminal.parser.process(&bytes[upto..]);
        terminal.upto = bytes.len();
        Shown(terminal.parser.screen().clone())
    }

    /// All that was written, but what was forgotten.
    pub fn text(&self) -> String {
        self.text_from(self.seen)
    }

    fn text_from(&self, from: usize) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()[from..]).into_owned()
    }

    /// Forgets what was written so far.
    pub fn forget(&mut self) {
        self.seen = self.bytes.lock().unwrap().len();
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&self, text: &str) {
        self.until(text, || self.screen().screen().contents().contains(text));
    }

    /// Waits until something holds.
    pub fn until(&self, what: &str, holds: impl Fn() -> bool) {
        for _ in 0..SOON.as_millis() / STEP.as_millis() {
            if holds() {
                return;
            }
            sleep(STEP);
        }
        panic!(
            "`{what}` never came; the screen:\n{}\nall: {:?}",
            self.screen().screen().contents(),
            self.text()
        );
    }

    /// Waits until the screen was unchanged for long enough that a key is accepted. A busy machine draws some of it
    /// late. Gives up on a screen with a running clock.
    pub fn armed(&self) {
        for _ in 0..5 {
            let before = self.bytes.lock().unwrap().len();
            sleep(ARMED);
            if self.bytes.lock().unwrap().len() == before {
                return;
            }
        }
    }

    /// Opens the operator's editor from a text field, and waits until the screen is there again.
    pub fn edit_outside(&mut self) {
        self.forget();
        self.send("\x0f");
        self.until("the editor came back", || {
            let text = self.text();
            text.rfind("\x1b[?1049h") > text.rfind("\x1b[?1049l")
        });
    }

    /// Waits until the shell says that its job is stopped: before that the screen shows an older prompt.
    pub fn stopped(&self) {
        self.until("it is stopped", || self.text().contains("Stopped"));
    }

    /// Types.
    pub fn send(&mut self, text: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Types as slowly as fingers do: keys that come in one burst count as a paste, which decides nothing.
    pub fn types(&mut self, keys: &str) {
        for key in keys.chars() {
            self.send(&key.to_string());
            sleep(Duration::from_millis(30));
        }
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        (self.cols, self.rows) = (cols, rows);
        self.master.as_ref().unwrap().resize(size(cols, rows)).unwrap();
    }

    /// Sends a signal.
    pub fn kill(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// The first process of the job that has the terminal.
    pub fn foreground(&self) -> Pid {
        let leader = self.master.as_ref().unwrap().process_group_leader();
        Pid::from_raw(leader.unwrap()).unwrap()
    }

    /// The exit code, which must come within this time.
    pub fn exit(&mut self, within: Duration) -> u32 {
        for _ in 0..within.as_millis() / STEP.as_millis() {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.drain();
                return status.exit_code();
            }
            sleep(STEP);
        }
        self.child.kill().unwrap();
        panic!("it goes on; got {:?}", self.text());
    }

    /// Waits for what the program wrote last, which is still on its way through the terminal when it has ended: what
    /// is written to the terminal after that comes after it.
    fn drain(&self) {
        let reads = !self.hold.load(Ordering::SeqCst) && !self.stop.load(Ordering::SeqCst);
        let name = self.master.as_ref().and_then(|master| master.tty_name());
        let Some(name) = name.filter(|_| reads) else {
            return;
        };
        let flags = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
        let Ok(mut terminal) = OpenOptions::new().write(true).custom_flags(flags).open(name) else {
            return;
        };
        terminal.write_all(LAST).unwrap();
        for _ in 0..SOON.as_millis() / STEP.as_millis() {
            let mut bytes = self.bytes.lock().unwrap();
            if let Some(at) = bytes.windows(LAST.len()).position(|bytes| bytes == LAST) {
                bytes.drain(at..at + LAST.len());
                // It reads from the beginning again.
                self.terminal.lock().unwrap().upto = usize::MAX;
                return;
            }
            drop(bytes);
            sleep(STEP);
        }
        panic!("the terminal is stuck; got {:?}", self.text());
    }

    /// The modes of the terminal now.
    pub fn modes_now(&self) -> String {
        format!("{:?}", self.master.as_ref().unwrap().get_termios().unwrap())
    }

    /// True while the modes are those of before.
    pub fn is_as_before(&self) -> bool {
        self.modes_now() == self.modes
    }

    /// Everything is as before, and nothing was drawn after that.
    pub fn check_restored(&self, name: &str) {
        // What the program wrote last is still on its way through the terminal.
        self.until("the end of the alternate screen", || {
            let text = self.text_from(0);
            text.rfind("\x1b[?1049l") > text.rfind("\x1b[?1049h")
        });
        sleep(Duration::from_millis(150));
        let shown = self.screen_from(0);
        let screen = shown.screen();
        let text = self.text_from(0);
        assert!(!screen.alternate_screen(), "{name}: {text:?}");
        assert!(!screen.bracketed_paste(), "{name}: {text:?}");
        assert!(!screen.hide_cursor(), "{name}: {text:?}");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "{name}: {text:?}"
        );
        for (on, off, what) in [
            ("\x1b[?1004h", "\x1b[?1004l", "focus events stay on"),
            ("\x1b[>1u", "\x1b[<1u", "the keyboard stays changed"),
            ("\x1b[?2026h", "\x1b[?2026l", "a frame stays open"),
            ("\x1b[8l", "\x1b[8h", "the direction of text stays changed"),
            ("\x1b[?2026h", "\x1b[?1049l", "drawn after the end"),
        ] {
            assert!(text.rfind(off) >= text.rfind(on), "{name}: {what}: {text:?}");
        }
        let count = |sequence: &str| text.matches(sequence).count();
        assert_eq!(
            count("\x1b[22;2t"),
            count("\x1b[23;2t"),
            "{name}: the title stays changed: {text:?}"
        );
        assert!(self.is_as_before(), "{name}: {}", self.modes_now());
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.hold.store(false, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
        let _ = &self.slave;
    }
}
