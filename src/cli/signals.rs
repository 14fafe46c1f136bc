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
    hang_up: Signal,
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
        hang_up: on(SignalKind::hangup())?,
        seen: false,
    })
}

impl Signals {
    /// The next one.
    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
        let again = std::mem::replace(&mut self.seen, true);
        if again { Asked::StopNow } else { Asked::Stop }
    }
}
