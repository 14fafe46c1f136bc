//! Signals of a run without a screen: the first asks for an orderly end, the second ends at once.
//! Must not know: what ends.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::{Code, Failure};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// An orderly end.
    Stop,
    /// The end, at once.
    StopNow,
}

/// The signals.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// None where it was ignored from the beginning (`nohup`): then a closed terminal ends nothing.
    hang_up: Option<Signal>,
    seen: bool,
}

/// Listens for SIGINT, SIGTERM and SIGHUP.
pub fn listen() -> Result<Signals, Failure> {
    let on = |kind| {
        signal(kind).map_err(|error| Failure::new(Code::Other, format!("cannot listen for signals: {error}")))
    };
    Ok(Signals {
        interrupt: on(SignalKind::interrupt())?,
        terminate: on(SignalKind::terminate())?,
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

/// Whoever started this program may have told it to outlive its terminal. Linux tells; elsewhere it
/// is taken that nobody did.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

impl Signals {
    /// The next one.
    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            Some(()) = hung_up(&mut self.hang_up) => {}
        }
        let again = std::mem::replace(&mut self.seen, true);
        if again { Asked::StopNow } else { Asked::Stop }
    }
}
