//! What the system tells the console: to end, that it goes on, that the terminal is gone.
//!
//! Must not know: what the console does about it.

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

/// Something that the console must react to.
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
    /// The exit code by which shells know the cause; none where the process goes on.
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
    /// Until when an interrupt is that of a program that had the terminal.
    late: Option<Instant>,
    /// Until when a stop is this process's own, which it has made already.
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

    /// Another program (an editor) had the terminal, and ended. A ctrl-c that ended it went to this process as
    /// well, and may come after the news of the end: two threads may be told of the two. Requests to end and
    /// the end of the terminal count whenever they came.
    pub fn another_ended(&mut self) {
        self.forget_stop();
        self.late = Some(Instant::now() + LATE);
    }

    /// The next one. May be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        loop {
            tokio::select! {
                // Who is asked to end and to stop at once ends.
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

/// Watches the terminal from a thread, as a poll of it cannot be had from the runtime. Gives the
/// end of a pipe that ends the thread when it is dropped; none without a terminal.
fn watch(message: mpsc::Sender<()>) -> io::Result<Option<OwnedFd>> {
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

/// Who stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stops {
    /// The whole process group, as ctrl-z does elsewhere.
    Group,
    /// This process, to which somebody sent SIGTSTP.
    Own,
}

/// How long a signal of one's own is waited for.
const SOON: Duration = Duration::from_millis(300);

/// Stops, and returns once the process goes on. Where nobody could make it go on again (no shell
/// above), it does not stop.
pub(super) async fn stop(who: Stops, mut signals: Option<&mut Signals>) -> io::Result<()> {
    if !could_resume() {
        return Ok(());
    }
    let mut continued = signal(SignalKind::from_raw(Number::CONT.as_raw()))?;
    if who == Stops::Group {
        let mut message = signal(SignalKind::from_raw(Number::TSTP.as_raw()))?;
        kill_current_process_group(Number::TSTP)?;
        // This process hears it too, which only means that all of its listeners have.
        let _ = timeout(SOON, message.recv()).await;
        if let Some(signals) = &mut signals {
            signals.forget_stop();
        }
    }
    // SIGTSTP is heard instead of obeyed: this is what it would have done.
    kill_process(getpid(), Number::STOP)?;
    // The stop may come a moment after the call; drawing must not begin before it.
    let _ = timeout(SOON, continued.recv()).await;
    // One's own word may have come late, on a busy machine: whoever goes on has stopped already.
    if who == Stops::Group
        && let Some(signals) = signals
    {
        signals.forget_stop();
        signals.stopped = Some(Instant::now() + SOON);
    }
    Ok(())
}

/// Whether somebody above controls this job. The system stops no group that nobody would continue; it has
/// to be asked here, as SIGSTOP always stops.
fn could_resume() -> bool {
    let (Ok(session), Some(parent)) = (getsid(None), getppid()) else {
        return false;
    };
    // The group of the session's leader is nobody's job, and a parent elsewhere is no shell of ours.
    getpgrp() != session && getsid(Some(parent)).is_ok_and(|other| other == session)
}
