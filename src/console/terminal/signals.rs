//! What the system tells the console: to end, that it goes on, that the terminal is gone.
//!
//! Must not know: what the console does about it.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal as Number, kill_current_process_group};
use tokio::signal::unix::{Signal as Source, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Duration, timeout};

use super::modes;

/// Something that the console must react to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM or SIGQUIT.
    Terminate,
    /// SIGHUP.
    HangUp,
    /// SIGINT from outside (the key is a key).
    Interrupt,
    /// SIGCONT: the process was stopped; take the terminal again.
    Continued,
    /// The terminal is gone, whether or not a signal said so.
    TerminalClosed,
}

impl Signal {
    /// The exit code by which shells know the cause; none where the process goes on.
    pub const fn exit_code(self) -> Option<i32> {
        match self {
            Self::Terminate => Some(143),
            Self::HangUp | Self::TerminalClosed => Some(129),
            Self::Interrupt => Some(130),
            Self::Continued => None,
        }
    }
}

/// The signals of this process, from its making on. Needs a runtime with io enabled.
#[derive(Debug)]
pub struct Signals {
    terminate: Source,
    quit: Source,
    hang_up: Source,
    interrupt: Source,
    continued: Source,
    closed: mpsc::Receiver<()>,
    /// Ends the watcher when dropped.
    _watch: Option<OwnedFd>,
}

impl Signals {
    /// Listens from now on.
    pub fn new() -> io::Result<Self> {
        let (told, closed) = mpsc::channel(1);
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            continued: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
            closed,
            _watch: watch(told)?,
        })
    }

    /// The next one. May be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        loop {
            tokio::select! {
                Some(()) = self.terminate.recv() => return Signal::Terminate,
                Some(()) = self.quit.recv() => return Signal::Terminate,
                Some(()) = self.hang_up.recv() => return Signal::HangUp,
                Some(()) = self.interrupt.recv() => return Signal::Interrupt,
                Some(()) = self.continued.recv() => return Signal::Continued,
                Some(()) = self.closed.recv() => return Signal::TerminalClosed,
                else => std::future::pending().await,
            }
        }
    }
}

/// Watches the terminal from a thread, as a poll of it cannot be had from the runtime. Gives the
/// end of a pipe that ends the thread when it is dropped; none without a terminal.
fn watch(told: mpsc::Sender<()>) -> io::Result<Option<OwnedFd>> {
    if !modes::is_terminal() {
        return Ok(None);
    }
    let tty = modes::with_tty(|tty| tty.try_clone_to_owned())?;
    let (end, keep) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // Where a poll does not report it, asking for the modes now and then does.
    let pause = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    let patience = (!cfg!(target_os = "linux")).then_some(&pause).copied();
    std::thread::Builder::new()
        .name("terminal".into())
        .spawn(move || {
            loop {
                let mut fds = [
                    PollFd::from_borrowed_fd(tty.as_fd(), PollFlags::empty()),
                    PollFd::from_borrowed_fd(end.as_fd(), PollFlags::empty()),
                ];
                match poll(&mut fds, patience.as_ref()) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return,
                }
                let [tty_poll, end_poll] = &fds;
                if !end_poll.revents().is_empty() {
                    return;
                }
                let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
                if tty_poll.revents().intersects(gone) || rustix::termios::tcgetattr(&tty).is_err() {
                    let _ = told.blocking_send(());
                    return;
                }
            }
        })?;
    Ok(Some(keep))
}

/// Stops the process group as ctrl-z does, and returns once it goes on. Where nobody could make it
/// go on again (no shell above), the system does not stop it.
pub(super) async fn stop() -> io::Result<()> {
    let mut continued = signal(SignalKind::from_raw(Number::CONT.as_raw()))?;
    kill_current_process_group(Number::TSTP)?;
    // The stop may come a moment after the call; drawing must not begin before it.
    let _ = timeout(Duration::from_millis(300), continued.recv()).await;
    Ok(())
}
