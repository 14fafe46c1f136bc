//! A program in a pseudo-terminal of 200 by 60 that notes when each piece of its screen arrived.
//!
//! Must not know: what is measured.

use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::write::now;

const SIZE: PtySize = PtySize {
    rows: 60,
    cols: 200,
    pixel_width: 0,
    pixel_height: 0,
};
/// The first column of the inspector of the bare list.
const RIGHT: u16 = SIZE.cols * 9 / 20;
/// What ends a frame.
const END: &[u8] = b"\x1b[?2026l";
/// Longer than anything that is measured.
const PATIENCE: Duration = Duration::from_secs(40);

/// A program.
pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    pieces: Receiver<(Instant, Vec<u8>)>,
    screen: vt100::Parser,
    /// The last bytes received, in which the end of a frame may be cut in two.
    tail: Vec<u8>,
    /// When it was begun.
    pub began: Instant,
    /// Bytes that came.
    pub bytes: u64,
    /// Frames that came.
    pub frames: u64,
}

impl Program {
    /// Starts it.
    pub fn start(program: &Path, args: &[&str], home: &Path) -> Self {
        let pair = native_pty_system().openpty(SIZE).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("HOME", home);
        command.env("XDG_DATA_HOME", home.join("data"));
        command.env("XDG_CONFIG_HOME", home.join("config"));
        command.env("XDG_STATE_HOME", home.join("state"));
        command.cwd(home);
        let began = now();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut from = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (to, pieces) = channel();
        std::thread::spawn(move || {
            let mut piece = [0_u8; 16384];
            while let Ok(count) = from.read(&mut piece) {
                if count == 0 || to.send((now(), piece[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            _master: pair.master,
            keys,
            pieces,
            screen: vt100::Parser::new(SIZE.rows.try_into().unwrap(), SIZE.cols.try_into().unwrap(), 0),
            tail: Vec::new(),
            began,
            bytes: 0,
            frames: 0,
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Takes the next piece of output within this time; returns its arrival.
    fn take(&mut self, within: Duration) -> Option<Instant> {
        let (at, piece) = self.pieces.recv_timeout(within).ok()?;
        self.bytes += piece.len() as u64;
        self.screen.process(&piece);
        self.tail.extend_from_slice(&piece);
        self.frames += self.tail.windows(END.len()).filter(|part| *part == END).count() as u64;
        let keep = self.tail.len().saturating_sub(END.len() - 1);
        self.tail.drain(..keep);
        Some(at)
    }

    /// The moment at which something has come to hold on the screen.
    pub fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) -> Instant {
        let begin = now();
        if holds(self) {
            return begin;
        }
        while begin.elapsed() < PATIENCE {
            if let Some(at) = self.take(Duration::from_secs(1))
                && holds(self)
            {
                return at;
            }
        }
        let shown = self.screen.screen().contents();
        println!("{shown}");
        panic!("{what} never came")
    }

    /// Takes output for a while.
    pub fn wait(&mut self, long: Duration) {
        let begin = now();
        while let Some(left) = long.checked_sub(begin.elapsed()) {
            self.take(left);
        }
    }

    /// Presses a key; milliseconds until the text that it is about stands in the inspector.
    pub fn press(&mut self, key: &str) -> f64 {
        while self.take(Duration::ZERO).is_some() {}
        let before = self.heading();
        let at = now();
        self.keys.write_all(key.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        let answered = self.until("an answer to a key", |it| it.heading() != before);
        answered.saturating_duration_since(at).as_secs_f64() * 1e3
    }

    /// Presses a key: milliseconds to the first frame after it; none where none comes for so long.
    pub fn answer(&mut self, key: &str, long: Duration) -> Option<f64> {
        while self.take(Duration::ZERO).is_some() {}
        let (at, frames) = (now(), self.frames);
        self.send(key);
        while let Some(left) = long.checked_sub(at.elapsed()) {
            let piece = self.take(left);
            if let Some(when) = piece.filter(|_| self.frames > frames) {
                return Some(when.saturating_duration_since(at).as_secs_f64() * 1e3);
            }
        }
        None
    }

    /// Presses keys without waiting for a frame.
    pub fn send(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// The node that the inspector is about; empty for a stream, whose end is followed. The inspector is below the graph; that of
    /// the bare list is at its right.
    pub fn heading(&self) -> String {
        let found = [0, RIGHT].map(|from| self.heading_from(from));
        found.into_iter().find(|id| !id.is_empty()).unwrap_or_default()
    }

    fn heading_from(&self, from: u16) -> String {
        let rows: Vec<String> = self.screen.screen().rows(from, SIZE.cols - from).collect();
        // The tab that is shown stands in brackets; the bare list has none.
        let is_title = |row: &String| row.contains("[content]") || row.contains(" content ");
        let title = rows.iter().position(is_title);
        let line = title.and_then(|at| rows.get(at + 1));
        let mut words = line.map(|line| line.split_whitespace()).into_iter().flatten();
        let (id, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let is_kind = ["call", "thought", "prompt", "intervention"].contains(&kind);
        if is_kind { id.to_owned() } else { String::new() }
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// True where these words are on the screen.
    pub fn shows(&self, words: &str) -> bool {
        self.text().contains(words)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
