//! The envelope around every event: order, time, author, cause and the hash of the one before.
//!
//! All that is not a function of earlier events enters a run here, stamped by the engine. The bytes
//! on disk are the journal's business; this file gives the shape. Must not know: files, hashing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::Event;
use super::id::Seq;

/// Version of the journal format that this program writes.
pub const FORMAT: u32 = 1;

/// Who caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person, by name.
    Operator(Arc<str>),
    /// The engine by its own rules.
    Engine,
    /// The model.
    Model,
    /// A tool.
    Tool,
}

/// An event with its place in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Format version.
    pub v: u32,
    /// Position, from 1.
    pub seq: Seq,
    /// UTC time in milliseconds since 1970; for people, never for order.
    pub at: i64,
    /// Milliseconds of a monotonic clock since the run (or its resumption) began.
    pub mono: u64,
    /// Who.
    pub actor: Actor,
    /// The event that led to this one; 0 for none.
    pub cause: Seq,
    /// True where the next event belongs to the same decision: if that is missing, this does not
    /// count either, because half a decision is none.
    pub more: bool,
    /// What.
    pub event: Event,
}

#[cfg(test)]
impl Envelope {
    /// An event of the engine's, recorded at the beginning of time.
    pub fn bare(seq: u64, event: Event) -> Self {
        Self {
            v: FORMAT,
            seq: Seq(seq),
            at: 0,
            mono: 0,
            actor: Actor::Engine,
            cause: Seq(0),
            more: false,
            event,
        }
    }
}
