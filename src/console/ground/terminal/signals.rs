//! Signals of the system: end, stop, continue, resize, loss of the terminal.
//!
//! Must not know: how the console reacts.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use futures_util::FutureExt as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Signal as Number, getpgrp, getpid, getppid, getsid, kill_current_process_group, kill_process,
};
use tokio::signal::unix::{Signal as Source, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, timeout};

use super::modes;

/// How long after its end an interrupt may be one of a program that had the terminal. The key itself is no
/// signal while the console has it.
const LATE: Duration = Duration::from_secs(1);

/// A signal for the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM.
    Terminate,
    /// SIGQUIT.
    Quit,
    /// SIGHUP.
    HangUp,
    /// SIGINT from outside (the key is a key).
    Interrupt,
    /// SIGTSTP from outside (the key is a key): give the terminal back and stop.
    Stop,
    /// SIGCONT: the process was stopped; take the terminal again.
    Continued,
    /// SIGWINCH: the terminal has another size.
    Resized,
    /// The terminal is gone, whether or not a signal said so.
    TerminalClosed,
}

impl Signal {
    /// The exit code that tells shells the cause; `None` if the process continues.
    pub const fn exit_code(self) -> Option<i32> {
        match self {
            Self::Terminate => Some(143),
            Self::Quit => Some(131),
            Self::HangUp | Self::TerminalClosed => Some(129),
            Self::Interrupt => Some(130),
            Self::Stop | Self::Continued | Self::Resized => None,
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
    stop: Source,
    continued: Source,
    resized: Source,
    closed: mpsc::Receiver<()>,
    /// Until then, an interrupt belongs to the program that had the terminal.
    late: Option<Instant>,
    /// Until then, a stop signal is from this process itself, which has stopped already.
    stopped: Option<Instant>,
    /// Ends the watcher when dropped.
    _watch: Option<OwnedFd>,
}

impl Signals {
    /// Listens from now on.
    pub fn new() -> io::Result<Self> {
        let (message, closed) = mpsc::channel(1);
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: signal(SignalKind::from_raw(Number::TSTP.as_raw()))?,
            continued: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
            resized: signal(SignalKind::window_change())?,
            closed,
            late: None,
            stopped: None,
            _watch: watch(message)?,
        })
    }

    /// Another program (an editor) had the terminal, and ended. A ctrl-c that ended it also went to this process,
    /// and may arrive after the end of the program. Requests to end and the loss of the terminal are always
    /// handled.
    pub fn another_ended(&mut self) {
        self.forget_stop();
        self.late = Some(Instant::now() + LATE);
    }

    /// The next one. May be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        loop {
            tokio::select! {
                // A request to end comes before a stop.
                biased;
                Some(()) = self.terminate.recv() => return Signal::Terminate,
                Some(()) = self.quit.recv() => return Signal::Quit,
                Some(()) = self.hang_up.recv() => return Signal::HangUp,
                Some(()) = self.interrupt.recv() => {
                    if self.late.is_none_or(|until| Instant::now() > until) {
                        return Signal::Interrupt;
                    }
                }
                Some(()) = self.stop.recv() => {
                    if self.stopped.is_none_or(|until| Instant::now() > until) {
                        return Signal::Stop;
                    }
                }
                Some(()) = self.continued.recv() => return Signal::Continued,
                Some(()) = self.resized.recv() => return Signal::Resized,
                Some(()) = self.closed.recv() => return Signal::TerminalClosed,
                else => std::future::pending().await,
            }
        }
    }
}

/// Watches the terminal from a thread, because the runtime cannot poll it. Returns the end of a pipe; dropping it
/// ends the thread. `None` without a terminal.
fn watch(message: mpsc::Sender<()>) -> io::Result<Option<OwnedFd>> {
    if !modes::is_terminal() {
        return Ok(None);
    }
    let tty = modes::with_tty(|tty| tty.try_clone_to_owned())?;
    let (end, keep) = io::pipe().map(|(end, keep)| (OwnedFd::from(end), OwnedFd::from(keep)))?;
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
                    let _ = message.blocking_send(());
                    return;
                }
            }
        })?;
    Ok(Some(keep))
}

impl Signals {
    /// Forgets that a stop was asked for: it was this process that asked.
    fn forget_stop(&mut self) {
        while self.stop.recv().now_or_never().flatten().is_some() {}
    }
}

/// What to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stops {
    /// The whole process group, as ctrl-z does elsewhere.
    Group,
    /// This process, which received SIGTSTP.
    Own,
}

/// How long to wait for the process's own signal.
const SOON: Duration = Duration::from_millis(300);

/// Stops, and returns when the process continues. Without a shell that could continue it, it does not stop.
pub(crate) async fn stop(who: Stops, mut signals: Option<&mut Signals>) -> io::Result<()> {
    if !could_resume() {
        return Ok(());
    }
    let mut continued = signal(SignalKind::from_raw(Number::CONT.as_raw()))?;
    if who == Stops::Group {
        let mut message = signal(SignalKind::from_raw(Number::TSTP.as_raw()))?;
        kill_current_process_group(Number::TSTP)?;
        // This process receives it too: then all other receivers have it.
        let _ = timeout(SOON, message.recv()).await;
        if let Some(signals) = &mut signals {
            signals.forget_stop();
        }
    }
    // SIGTSTP is only received here: stop as it would have done.
    kill_process(getpid(), Number::STOP)?;
    // The stop may come shortly after the call; drawing must not start before it.
    let _ = timeout(SOON, continued.recv()).await;
    // On a busy machine the own signal may arrive late: a process that continues has stopped already.
    if who == Stops::Group
        && let Some(signals) = signals
    {
        signals.forget_stop();
        signals.stopped = Some(Instant::now() + SOON);
    }
    Ok(())
}

/// True if a shell controls this job. The system does not stop a group without such a shell, but SIGSTOP always
/// stops, so it is checked here.
fn could_resume() -> bool {
    let (Ok(session), Some(parent)) = (getsid(None), getppid()) else {
        return false;
    };
    // The group of the session leader is no job, and a parent in another session is not its shell.
    getpgrp() != session && getsid(Some(parent)).is_ok_and(|other| other == session)
}
