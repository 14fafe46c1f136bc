//! A summary that the model was asked for.
//!
//! Must not know: how a model is asked, what the answer does.

use std::sync::Arc;

use crate::id::{Epoch, Seq, ThreadId, TurnId};

/// A summary that the model was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryQuestion {
    /// The event that asked; the answer names it.
    pub set: Seq,
    /// The epoch in which it was asked. After an edit that is no reduction of another thread the answer has no effect.
    pub epoch: Epoch,
    /// The thread.
    pub thread: ThreadId,
    /// The turns that it would replace.
    pub turns: Vec<TurnId>,
    /// The turn after which it would count.
    pub after: Option<TurnId>,
    /// Description of the edit.
    pub what: Arc<str>,
    /// The rule of the engine that asked; none for the operator.
    pub by: Option<Arc<str>>,
    /// How often its request broke and was made again.
    pub broke: u32,
    /// Why there is no summary, if the question failed.
    pub failed: Option<Arc<str>>,
}
