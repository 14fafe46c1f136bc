//! The phase of a run, as a label for the header and the title.
//!
//! Must not know: how the label is drawn.

/// Status of a call that ran when its run halted. Its end is not recorded, so it is unknown whether
/// it still runs.
pub const AT_THE_HALT: &str = "running at the halt";

/// Phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPhase {
    /// Starts nothing new: the journal cannot be written, or the program has a bug.
    Halted,
    /// A live run without events yet.
    Starting,
    /// A recorded run that plays.
    Replaying,
    /// A recorded run.
    Replay,
    /// Stopped by the operator.
    Stopped,
    /// Ended with an answer.
    Answered,
    /// Paused by the operator, a limit or a loop.
    Paused,
    /// A call or request runs, or is about to.
    Working,
    /// Only automatic retries of broken requests remain.
    Retrying,
    /// Waits for the operator.
    Waiting,
    /// No further event follows.
    Ended,
    /// All remaining work waits for an open edit.
    HeldByEdit,
}

impl RunPhase {
    /// A short label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Halted => "HALTED",
            Self::Starting => "starting",
            Self::Replaying => "replaying",
            Self::Replay => "replay",
            Self::Stopped => "stopped",
            Self::Answered => "answered",
            Self::Paused => "paused",
            Self::Working => "working",
            Self::Retrying => "retrying",
            Self::Waiting => "needs you",
            Self::Ended => "ended",
            Self::HeldByEdit => "waiting on edit",
        }
    }
}
