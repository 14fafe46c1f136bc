//! What a run does, in one word of the header and the title. Must not know: how the word is drawn.

/// Where a call stands that ran when its run was halted: its end is not recorded and not heard of, so nobody knows
/// whether it still runs.
pub const AT_THE_HALT: &str = "running at the halt";

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPhase {
    /// Nothing more begins: the journal cannot be written, or the program made a mistake.
    Halted,
    /// A live run of which nothing came yet.
    Starting,
    /// A recorded run that plays.
    Replaying,
    /// A recorded run.
    Replay,
    /// Stopped by the operator.
    Stopped,
    /// Ended with an answer.
    Answered,
    /// Paused by the operator, a limit or a repetition.
    Paused,
    /// Something runs, or is about to.
    Working,
    /// Nothing goes on but a request that broke and is made again by itself.
    Retrying,
    /// The operator's word is waited for.
    Waiting,
    /// Nothing more will come.
    Ended,
    /// All that is left to do waits for an edit that is not committed.
    HeldByEdit,
}

impl RunPhase {
    /// In a word or few.
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
            Self::Waiting => "waiting for you",
            Self::Ended => "ended",
            Self::HeldByEdit => "held by an edit",
        }
    }
}
