//! The envelope around every event: order, time, author, cause and the hash of the one before.
//!
//! Must not know: files, hashing.
//!
//! All that is not a function of earlier events enters a run here, stamped by the engine. The bytes
//! on disk are the journal's business; this file gives the shape.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::{Event, RunEvent};
use super::id::Seq;

/// Newest version of the journal format that this program reads and writes. In version 1 some names were other ones;
/// version 3 has more events and members.
pub const FORMAT: u32 = 3;
/// Version of a record that needs nothing of a newer one. Older programs read it.
const COMMON: u32 = 2;

/// Who caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person.
    Operator(Operator),
    /// The engine by its own rules.
    Engine,
    /// The model.
    Model,
    /// A tool.
    Tool,
}

/// A person, by name, and where they spoke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Repr", into = "Repr")]
pub struct Operator {
    /// Their name.
    pub name: Arc<str>,
    /// Where they spoke; none where an earlier version recorded it.
    pub via: Option<Via>,
}

/// Where a person spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// On the screen of the process that had the session open.
    Console,
    /// In another process, which handed it over through the control socket.
    Control,
    /// In a shell: a verb on a session that no process had open, or how a process was begun.
    Shell,
}

impl Via {
    /// Where, in a word or two.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Control => "control socket",
            Self::Shell => "shell",
        }
    }
}

/// Serialized form: a name alone, or a name and a place.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Repr {
    Name(Arc<str>),
    Spoke { name: Arc<str>, via: Place },
}

/// A place as it is written. One that only a newer program knows is read as none.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Place {
    Known(Via),
    Unknown(Arc<str>),
}

impl From<Repr> for Operator {
    fn from(written: Repr) -> Self {
        match written {
            Repr::Name(name) => Self { name, via: None },
            Repr::Spoke { name, via } => Self {
                name,
                via: match via {
                    Place::Known(via) => Some(via),
                    Place::Unknown(_) => None,
                },
            },
        }
    }
}

impl From<Operator> for Repr {
    fn from(Operator { name, via }: Operator) -> Self {
        match via {
            None => Self::Name(name),
            Some(via) => Self::Spoke {
                name,
                via: Place::Known(via),
            },
        }
    }
}

impl Actor {
    /// A person who spoke there.
    pub const fn operator(name: Arc<str>, via: Via) -> Self {
        Self::Operator(Operator { name, via: Some(via) })
    }

    /// Where a person spoke; none for anybody else, and where that is not recorded.
    pub const fn via(&self) -> Option<Via> {
        match self {
            Self::Operator(operator) => operator.via,
            Self::Engine | Self::Model | Self::Tool => None,
        }
    }
}

impl From<&str> for Operator {
    /// An operator whose name alone is recorded.
    fn from(name: &str) -> Self {
        Self {
            name: name.into(),
            via: None,
        }
    }
}

/// An event with its place in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
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
    /// True if the next event belongs to the same decision. If that event is missing, this one is
    /// ignored: half a decision is none.
    pub more: bool,
    /// What.
    pub event: Event,
}

/// When an event was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// UTC time in milliseconds since 1970.
    pub at: i64,
    /// Milliseconds of the monotonic clock.
    pub mono: u64,
}

/// Stamps the events of one decision, each with its author. They follow the event `after`; `cause` led to them.
/// Every new event gets its envelope here.
pub fn stamp(
    after: Seq,
    when: Moment,
    cause: Seq,
    events: impl IntoIterator<Item = (Actor, Event)>,
) -> Vec<Envelope> {
    let mut seq = after;
    let stamped = events.into_iter().map(|(actor, event)| {
        seq = seq.next();
        Envelope {
            seq,
            at: when.at,
            mono: when.mono,
            actor,
            cause,
            more: true,
            event,
        }
    });
    let mut envelopes: Vec<Envelope> = stamped.collect();
    if let Some(last) = envelopes.last_mut() {
        last.more = false;
    }
    envelopes
}

impl Envelope {
    /// Returns the version of the journal format that its record has: the oldest one with everything that is in it.
    pub fn format(&self) -> u32 {
        let needs_newest = match &self.event {
            Event::Sandbox(_) | Event::Files(_) => true,
            Event::Run(RunEvent::Started(started) | RunEvent::Refitted { started }) => {
                started.sandbox.profile.is_some() || started.tools.iter().any(|card| card.confined)
            }
            _ => false,
        };
        if needs_newest { FORMAT } else { COMMON }
    }

    /// Returns when it was recorded.
    pub const fn moment(&self) -> Moment {
        Moment {
            at: self.at,
            mono: self.mono,
        }
    }
}

impl Envelope {
    /// An event of the engine at time 0, with no cause.
    pub fn bare(seq: u64, event: Event) -> Self {
        Self {
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
