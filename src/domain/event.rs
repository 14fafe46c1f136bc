//! Facts, by family. A journal is a list of these; everything else is a fold of it.
//!
//! Each family is an enum of its own; on disk an event is `{"type": "family.name", "body": {...}}`.
//! Must not know: how events are stored, who listens.

pub mod call;
pub mod edit;
pub mod run;
pub mod turn;

use serde::{Deserialize, Serialize};

pub use call::CallEvent;
pub use edit::EditEvent;
pub use run::RunEvent;
pub use turn::TurnEvent;

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family", content = "fact", rename_all = "snake_case")]
pub enum Event {
    /// Of the run as a whole.
    Run(RunEvent),
    /// Of a turn and its stream.
    Turn(TurnEvent),
    /// Of a call.
    Call(CallEvent),
    /// Of an edit and what it invalidated.
    Edit(EditEvent),
}
