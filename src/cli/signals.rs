//! Handles signals of a headless run: the first requests an orderly end, the second aborts.
//!
//! Must not know: what ends.

use std::path::Path;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::{Code, Failure};
use overrule_regular_file as regular_file;

/// Longest status of a process in bytes.
const STATUS: u64 = 1 << 16;

/// The request of a signal, with the exit code that shells use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRequest {
    /// An orderly end.
    Stop(Code),
    /// An immediate end.
    StopNow(Code),
}

/// The signals.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    /// `None` if SIGHUP was ignored from the start (`nohup`): then a closed terminal does not end the run.
    hang_up: Option<Signal>,
    seen: bool,
}

/// Listens for SIGINT, SIGTERM, SIGQUIT and SIGHUP.
pub fn listen() -> Result<Signals, Failure> {
    let on = |kind| {
        signal(kind).map_err(|error| Failure::new(Code::Other, format!("cannot listen for signals: {error}")))
    };
    Ok(Signals {
        interrupt: on(SignalKind::interrupt())?,
        terminate: on(SignalKind::terminate())?,
        quit: on(SignalKind::quit())?,
        hang_up: if ignores_hang_up() {
            None
        } else {
            Some(on(SignalKind::hangup())?)
        },
        seen: false,
    })
}

async fn hung_up(signal: &mut Option<Signal>) -> Option<()> {
    match signal {
        Some(signal) => signal.recv().await,
        None => std::future::pending().await,
    }
}

/// True if the parent process made this one ignore SIGHUP (`nohup`). Only Linux reports it; elsewhere
/// this returns false.
fn ignores_hang_up() -> bool {
    let status = regular_file::read_text(Path::new("/proc/self/status"), STATUS).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

impl Signals {
    /// Waits for the next signal that no key sends.
    pub async fn next_from_outside(&mut self) -> Code {
        tokio::select! {
            _ = self.terminate.recv() => Code::of_signal(SignalKind::terminate().as_raw_value()),
            Some(()) = hung_up(&mut self.hang_up) => Code::of_signal(SignalKind::hangup().as_raw_value()),
        }
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> StopRequest {
        let code = tokio::select! {
            _ = self.interrupt.recv() => Code::Interrupted,
            _ = self.terminate.recv() => Code::of_signal(SignalKind::terminate().as_raw_value()),
            _ = self.quit.recv() => Code::of_signal(SignalKind::quit().as_raw_value()),
            Some(()) = hung_up(&mut self.hang_up) => Code::of_signal(SignalKind::hangup().as_raw_value()),
        };
        let again = std::mem::replace(&mut self.seen, true);
        if again {
            StopRequest::StopNow(code)
        } else {
            StopRequest::Stop(code)
        }
    }
}
