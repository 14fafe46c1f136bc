//! Defines breakers: what they admit, their samples, and their changes.
//!
//! Must not know: thresholds, clocks, how a breaker is shown.
//!
//! Computed from events; the advice decides when a breaker changes. Every change starts a new
//! generation: what was admitted earlier no longer affects the breaker.

pub mod of_run;

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::{ErrorClass, Outcome};
use super::id::{Attempt, NodeId, TurnId};
use super::ladder::span;

/// Evidence of the error of a call that a breaker denied.
pub const EVIDENCE: &str = "breaker";

/// Samples that a breaker remembers.
const REMEMBERED: usize = 64;

/// What a breaker protects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "of", content = "name", rename_all = "snake_case")]
pub enum Scope {
    /// A tool.
    Tool(Arc<str>),
    /// A server, as `host:port` or by its name.
    Server(Arc<str>),
    /// A model's endpoint.
    Model(Arc<str>),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(name) => write!(f, "tool:{name}"),
            Self::Server(name) => write!(f, "server:{name}"),
            Self::Model(name) => write!(f, "model:{name}"),
        }
    }
}

/// Error for a text that names no breaker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no breaker: write tool:NAME, server:NAME or model:NAME")]
pub struct BadScope(String);

impl FromStr for Scope {
    type Err = BadScope;

    fn from_str(text: &str) -> Result<Self, BadScope> {
        let bad = || BadScope(text.to_owned());
        let (of, name) = text.split_once(':').ok_or_else(bad)?;
        if name.is_empty() {
            return Err(bad());
        }
        match of {
            "tool" => Ok(Self::Tool(Arc::from(name))),
            "server" => Ok(Self::Server(Arc::from(name))),
            "model" => Ok(Self::Model(Arc::from(name))),
            _ => Err(bad()),
        }
    }
}

/// State of a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Admits everything.
    #[default]
    Closed,
    /// Admits nothing.
    Open,
    /// Admits one probe.
    HalfOpen,
}

impl Phase {
    /// One or two lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half open",
        }
    }
}

/// The end of something that a breaker admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Its end, in milliseconds of active time: waiting does not make it older.
    pub at: i64,
    /// Whether it failed in a way that counts against the target of the breaker.
    pub failed: bool,
    /// Where it comes from.
    pub of: Source,
}

/// A breaker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Breaker {
    /// Its state.
    pub phase: Phase,
    /// Number of its changes.
    pub generation: u32,
    /// Outcomes of what it admitted in this generation, oldest first.
    pub recent: VecDeque<Sample>,
    /// The failures that opened it, while it is open.
    pub opened_by: Vec<Source>,
    /// The probe that is running.
    pub probe: Option<Source>,
    /// True once the probe of a half-open breaker ended without saying anything about its target.
    pub inconclusive: bool,
    /// UTC milliseconds at which an open one admits the next call or request.
    pub until: i64,
    /// How often it opened.
    pub trips: u32,
    /// Why it changed last.
    pub why: Arc<str>,
    /// The tools that can replace the target of an open one, best first.
    pub instead: Vec<Arc<str>>,
}

/// The execution or request that an outcome comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// An execution.
    Call(NodeId, Attempt),
    /// A request to a model.
    Request(TurnId, u32),
}

impl Breaker {
    /// Whether something may be admitted now.
    pub fn admits(&self) -> bool {
        match self.phase {
            Phase::Closed => true,
            Phase::Open => false,
            Phase::HalfOpen => self.probe.is_none(),
        }
    }

    /// Describes a call that waits for it: `queued: the breaker of tool:x is open, 12 s left`.
    pub fn describe(&self, scope: &Scope, now: Option<i64>) -> String {
        let left = now.filter(|_| self.phase == Phase::Open).map(|now| {
            let ms = u64::try_from(self.until.saturating_sub(now)).unwrap_or(0);
            format!(", {} left", span(ms))
        });
        let word = self.phase.label();
        format!(
            "queued: the breaker of {scope} is {word}{}",
            left.unwrap_or_default()
        )
    }

    /// Records the end of something that was admitted in a generation.
    pub(super) fn remember(&mut self, generation: u32, ran: Sample) {
        if generation != self.generation {
            return;
        }
        if self.recent.len() >= REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(ran);
    }
}

/// A change of a breaker, as advised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its new state.
    pub to: Phase,
    /// Milliseconds until an open one admits a probe.
    pub wait_ms: u64,
    /// Why.
    pub why: Arc<str>,
}

/// Whether the end of an execution counts for or against the tool and its server; none if it says
/// nothing about them. A tool that answered was available.
pub fn speaks(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Ok { exit: None, .. } => Some(false),
        Outcome::Err(error) => match error.class {
            ErrorClass::Transient | ErrorClass::Auth | ErrorClass::Internal | ErrorClass::Lost => Some(true),
            ErrorClass::Param | ErrorClass::NotFound | ErrorClass::Conflict | ErrorClass::Business => {
                Some(false)
            }
            ErrorClass::Structural | ErrorClass::Cancelled | ErrorClass::Unknown => None,
        },
        // An exit code says nothing about the program that runs commands.
        Outcome::Ok { exit: Some(_), .. } | Outcome::Cancelled { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_as_it_is_written() {
        for text in ["tool:http_request", "server:127.0.0.1:8080", "model:qwen3:8b"] {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
        for bad in ["", "tool", "tool:", "disk:a"] {
            assert!(bad.parse::<Scope>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_result_of_another_generation_is_ignored() {
        let mut breaker = Breaker {
            generation: 3,
            ..Breaker::default()
        };
        let of = Source::Request(TurnId(1), 1);
        let ran = |at, failed| Sample { at, failed, of };
        breaker.remember(2, ran(1, false));
        assert!(breaker.recent.is_empty());
        for at in 0..200 {
            breaker.remember(3, ran(at, true));
        }
        assert_eq!((breaker.recent.len(), breaker.recent[0].at), (64, 136));
    }
}
