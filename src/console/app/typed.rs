//! Reads typed input in its own thread, with the time of each message.
//!
//! Must not know: what a key does.
//!
//! The runtime cannot poll a terminal on every system.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::Instant;

use crate::ground::term_msg::TermMsg;
use crate::ground::terminal::{Parser, open_input};

/// Messages that are read ahead.
const AHEAD: usize = 1024;
/// Bytes of one read.
const READ: usize = 16 * 1024;

/// Typed input.
#[derive(Debug)]
pub struct Typed {
    messages: Receiver<TermMsg>,
    thread: JoinHandle<()>,
    /// Ends the thread when it is dropped.
    keep: OwnedFd,
}

impl Typed {
    /// Starts to read. The time of a message is in milliseconds since `start`.
    pub fn new(start: Instant) -> io::Result<Self> {
        let (to, messages) = channel(AHEAD);
        let (end, keep) = io::pipe().map(|(end, keep)| (OwnedFd::from(end), OwnedFd::from(keep)))?;
        let tty = open_input()?;
        let thread = std::thread::Builder::new()
            .name("input".into())
            .spawn(move || read(&tty, &end, &to, start))?;
        Ok(Self {
            messages,
            thread,
            keep,
        })
    }

    /// The next message; `None` when the terminal is gone.
    pub async fn next(&mut self) -> Option<TermMsg> {
        self.messages.recv().await
    }

    /// A message that has arrived.
    pub fn ready(&mut self) -> Option<TermMsg> {
        self.messages.try_recv().ok()
    }

    /// Stops reading, so that another program can use the terminal.
    pub fn stop(self) {
        // First, as the thread may wait for room.
        drop(self.messages);
        drop(self.keep);
        // A thread that panicked does not read either.
        let _ = self.thread.join();
    }
}

/// Reads until the terminal is gone or the receiver is dropped.
fn read(tty: &OwnedFd, end: &OwnedFd, to: &Sender<TermMsg>, start: Instant) {
    let now = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut parser = Parser::default();
    let mut bytes = vec![0; READ];
    loop {
        let patience = parser.wake_at().map(|at| span(at.saturating_sub(now())));
        let mut fds = [
            PollFd::from_borrowed_fd(tty.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(end.as_fd(), PollFlags::empty()),
        ];
        let messages = match poll(&mut fds, patience.as_ref()) {
            Ok(0) => parser.wait(now()),
            Ok(_) if fds.last().is_some_and(|end| !end.revents().is_empty()) => return,
            Ok(_) => match rustix::io::read(tty, &mut bytes) {
                Ok(0) => return,
                Ok(count) => parser.take(bytes.get(..count).unwrap_or_default(), now()),
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(_) => return,
            },
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        for message in messages {
            if to.blocking_send(message).is_err() {
                return;
            }
        }
    }
}

fn span(ms: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(ms / 1000).unwrap_or(i64::MAX),
        // Below a thousand million.
        tv_nsec: i64::try_from(ms % 1000 * 1_000_000).unwrap_or_default(),
    }
}
