//! Defines all events, by family.
//!
//! Must not know: how events are stored, who listens.
//!
//! A journal is a list of events; everything else is a fold of it. Each family is an enum; on disk
//! an event is `{"type": "family.name", "body": {...}}`.

pub mod call;
pub mod edit;
pub mod escape;
pub mod files;
pub mod resilience;
pub mod run;
pub mod sandbox;
pub mod turn;
pub mod weight;

use serde::{Deserialize, Serialize};

pub use call::CallEvent;
pub use edit::EditEvent;
pub use escape::EscapeEvent;
pub use files::FilesEvent;
pub use resilience::ResilienceEvent;
pub use run::RunEvent;
pub use sandbox::SandboxEvent;
pub use turn::TurnEvent;
pub use weight::WeightEvent;

/// An event of a run.
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
    /// Of loops and the steps against them.
    Escape(EscapeEvent),
    /// Of failed calls: retries, breakers and repairs.
    Resilience(ResilienceEvent),
    /// Of the weights of tools.
    Weight(WeightEvent),
    /// Of the sandbox.
    Sandbox(SandboxEvent),
    /// Of the files of the workspace.
    Files(FilesEvent),
}
