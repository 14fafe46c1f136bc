//! Refuses a verb for which the run has nothing.
//!
//! Must not know: how a run is read.

/// Message for a queue that nothing can decide.
pub const HALTED: &str = "halted: nothing can be decided";

/// Why the run has nothing that the verb acts on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Empty {
    /// No call or turn waits, and the run needs nothing.
    #[error("Queue empty")]
    Queue,
    /// No call or turn waits, but the run does.
    #[error("Queue empty, but the run needs you. {key} shows why")]
    QueueOfStuckRun {
        /// The key of the page that says why.
        key: String,
    },
    /// The run is halted.
    #[error("{HALTED}")]
    Halted,
    /// The selected entry was decided or replaced.
    #[error("That entry no longer waits. Look at the next one")]
    Entry,
    /// Calls wait, but none is selected.
    #[error("No waiting call selected, {count} wait. {key} goes to the next one")]
    Selection {
        /// The number of entries that wait.
        count: usize,
        /// The key that goes to the next one.
        key: String,
    },
    /// No waiting calls can be listed.
    #[error("No waiting calls can be approved together{}", if left.is_empty() { String::new() } else { format!(": {left}") })]
    List {
        /// What was left out, and why.
        left: String,
    },
    /// The open list has all calls.
    #[error("The list is up to date: no new calls")]
    NewCalls,
    /// All calls of the list changed or were decided.
    #[error("Nothing approved: no listed call still waits unchanged")]
    Unchanged,
    /// Nothing to undo, to redo or to choose.
    #[error("Nothing to {0}")]
    Nothing(&'static str),
    /// The run had no loop.
    #[error("No loops so far")]
    Loops,
    /// Every breaker is closed.
    #[error("No breaker is open")]
    Breakers,
    /// Every request fits.
    #[error("No request is too long for the model")]
    LongRequests,
    /// The run continues by itself.
    #[error("The run does not need you now")]
    Attention,
    /// The fix is for another cause.
    #[error("That does not help here. The page lists what does")]
    Fix,
    /// The session has no rules.
    #[error("No rules in this session. {key} writes one")]
    Rules {
        /// The key that writes one.
        key: String,
    },
    /// No edit is staged.
    #[error("No staged edits. {key} in an editor stages one")]
    StagedEdits {
        /// The key that stages one.
        key: String,
    },
    /// The run has no edits.
    #[error("Only one branch: no edits yet")]
    Branches,
    /// The agent has one conversation.
    #[error("The agent has no other conversation here")]
    Conversations,
}
