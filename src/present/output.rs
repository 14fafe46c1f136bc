//! Builds the small views that verbs print about themselves: what was recorded, saved, reset or answered.
//!
//! Must not know: which verb prints them.

use serde::Serialize;
use serde_json::Value;

use super::conflict::ConflictView;
use overrule_domain::call::Gate;
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::Event;
use overrule_domain::id::{NodeId, Seq};
use overrule_resilience::correction::Correction;

/// Writes a view as one line of JSON. A view that cannot be written gives the reason as a JSON string.
pub fn json(view: &impl Serialize) -> String {
    serde_json::to_string(view).unwrap_or_else(|error| Value::String(error.to_string()).to_string())
}

/// A recorded command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "recorded")]
pub struct RecordedView {
    /// The last event that it caused.
    pub seq: Seq,
    /// True if the process that runs the session recorded it.
    pub elsewhere: bool,
}

/// The end of a run without a screen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename = "result")]
pub struct ResultView<'a> {
    /// The answer; none if the run ended without one.
    pub answer: Option<&'a str>,
    /// The exit code of the program.
    pub exit: u8,
    /// The session.
    pub session: &'a str,
    /// Calls of the root thread that failed and were not made again with success; none without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_calls: Option<Vec<NodeId>>,
    /// Calls of one turn that wrote one path of the state, at the end of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_conflicts: Vec<ConflictView<'a>>,
    /// The answer as a value; none if it does not fit an output schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// A correction that was written to a settings file.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename = "stored")]
pub struct StoredView<'a> {
    /// The file, in its visible form.
    pub file: &'a str,
    /// The correction.
    pub correction: &'a Correction,
}

/// An event of a recorded session.
#[derive(Debug, Clone, Serialize)]
pub struct EventView<'e> {
    /// Its number.
    pub seq: Seq,
    /// UTC time in milliseconds since 1970.
    pub at: i64,
    /// Who caused it.
    pub actor: &'e Actor,
    /// The event.
    pub event: &'e Event,
}

impl<'e> EventView<'e> {
    /// Builds the view of a recorded event.
    pub const fn of(envelope: &'e Envelope) -> Self {
        Self {
            seq: envelope.seq,
            at: envelope.at,
            actor: &envelope.actor,
            event: &envelope.event,
        }
    }
}

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingView<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its value, without secrets.
    pub value: &'a str,
    /// Where it comes from.
    pub from: &'a str,
}

/// A policy rule in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyRuleView {
    /// Its text and origin.
    pub rule: String,
    /// What it decides.
    pub gate: Gate,
}

/// A built-in run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DemoView {
    /// Its name.
    pub name: &'static str,
    /// The system that it belongs to.
    pub system: &'static str,
    /// What it shows.
    pub what: &'static str,
}

/// The result of a reset of what earlier sessions learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResetView {
    /// The workspace.
    pub workspace: String,
    /// True if there was something to remove.
    pub removed: bool,
}
