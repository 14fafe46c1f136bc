//! Reasons why a run does nothing more in this process.
//!
//! Must not know: who receives the reason.

use super::log::Unwritten;
use overrule_domain::refusal::{Refusal, RefusalKind};

/// Why a run does nothing more in this process. Another process can resume it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// The session cannot be written, for this reason.
    #[error("{0}")]
    Unwritten(Unwritten),
    /// The program has this defect.
    #[error("{0}; this is a defect of overrule: please report it")]
    Defect(String),
}

impl Halt {
    /// Answers a later command, or a command for which nothing was recorded.
    pub fn not_done(&self) -> Refusal {
        Refusal::new(self.kind(), format!("not done: {self}"))
    }

    /// Answers a command that ended something anyway.
    pub fn ended_unrecorded(&self) -> Refusal {
        Refusal::new(self.kind(), format!("ended, but this is not recorded: {self}"))
    }

    /// Answers a command whose records the system may have lost.
    pub fn not_known(&self) -> Refusal {
        let before =
            "it is unknown whether this was recorded; if it was, it takes effect when the session is resumed";
        Refusal::new(self.kind(), format!("{before}: {self}"))
    }

    const fn kind(&self) -> RefusalKind {
        match self {
            Self::Unwritten(_) => RefusalKind::Journal,
            Self::Defect(_) => RefusalKind::Over,
        }
    }
}
