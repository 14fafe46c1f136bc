//! How much repetition is too much, and how far the ladder goes. Must not know: where settings are
//! written.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::domain::escape::{Detector, Rung};

/// The widest window: beyond it a check costs more than it can tell.
pub const WIDEST: u32 = 960;

/// A setting that makes no sense, with what would.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct Error {
    /// The setting.
    pub key: &'static str,
    /// What is wrong with it and what would do.
    pub message: String,
}

/// How much repetition is too much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// False looks for nothing and does nothing.
    pub enabled: bool,
    /// Turns with calls that are looked at.
    pub window: u32,
    /// Copies of one turn in a row.
    pub same: u32,
    /// Copies of several turns in a row that failed throughout.
    pub failing: u32,
    /// Copies of several turns in a row with the same results.
    pub succeeding: u32,
    /// Turns by which copies may differ; 0 wants them equal.
    pub mismatches: u32,
    /// Turns in a row in which one tool ends with one error.
    pub errors: u32,
    /// Turns in a row that bring nothing that was not known.
    pub still: u32,
    /// Turns in a row with the same observations, whatever was asked for.
    pub echoes: u32,
    /// Turns of the window with one tool before its failures are counted.
    pub visits: u32,
    /// Percent of them that fail.
    pub failures: u32,
    /// Turns without a repetition after which an incident is over.
    pub calm: u32,
    /// Detectors that are not listened to.
    pub muted: Vec<Detector>,
    /// How often each step may be taken in one incident; 0 leaves it out.
    pub ladder: Ladder,
    /// Tools that can stand in for another, by the name of that.
    pub substitutes: BTreeMap<Arc<str>, Others>,
}

/// The tools that can stand in for one; written as a name, or as a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Others(pub Vec<Arc<str>>);

impl From<&str> for Others {
    fn from(name: &str) -> Self {
        Self(vec![Arc::from(name)])
    }
}

impl Serialize for Others {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(to),
            many => many.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Others {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a name of a tool, or a list of names")]
        enum Written {
            One(Arc<str>),
            Many(Vec<Arc<str>>),
        }
        Ok(match Written::deserialize(from)? {
            Written::One(one) => Self(vec![one]),
            Written::Many(many) => Self(many),
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            window: 30,
            same: 3,
            failing: 2,
            succeeding: 3,
            mismatches: 0,
            errors: 3,
            still: 3,
            echoes: 5,
            visits: 5,
            failures: 80,
            calm: 2,
            muted: Vec::new(),
            ladder: Ladder::default(),
            substitutes: BTreeMap::new(),
        }
    }
}

/// How often each step may be taken in one incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ladder {
    /// Telling the model.
    pub guidance: u32,
    /// Another tool.
    pub substitute: u32,
    /// Back to where it began.
    pub roll_back: u32,
    /// The operator.
    pub human: u32,
    /// The end.
    pub stop: u32,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            guidance: 2,
            substitute: 2,
            roll_back: 2,
            human: 2,
            stop: 1,
        }
    }
}

impl Ladder {
    /// How often a step may be taken.
    pub const fn most(&self, rung: Rung) -> u32 {
        match rung {
            Rung::Guidance => self.guidance,
            Rung::Substitute => self.substitute,
            Rung::RollBack => self.roll_back,
            Rung::Human => self.human,
            Rung::Stop => self.stop,
        }
    }
}

impl Config {
    /// The first setting that makes no sense.
    pub fn check(&self) -> Result<(), Error> {
        let range = |key, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            let message = format!("{value} is not between {least} and {most}");
            Err(Error { key, message })
        };
        range("window", self.window, 6, WIDEST)?;
        range("same", self.same, 2, self.window)?;
        range("failing", self.failing, 2, self.window / 2)?;
        range("succeeding", self.succeeding, 2, self.window / 2)?;
        range("mismatches", self.mismatches, 0, 2)?;
        range("errors", self.errors, 2, self.window)?;
        range("still", self.still, 2, self.window)?;
        range("echoes", self.echoes, 2, self.window)?;
        range("visits", self.visits, 2, self.window)?;
        range("failures", self.failures, 1, 100)?;
        range("calm", self.calm, 1, self.window)?;
        let ladder = &self.ladder;
        for (key, value) in [
            ("ladder.guidance", ladder.guidance),
            ("ladder.substitute", ladder.substitute),
            ("ladder.roll_back", ladder.roll_back),
            ("ladder.human", ladder.human),
            ("ladder.stop", ladder.stop),
        ] {
            range(key, value, 0, 2)?;
        }
        if ladder.human == 0 && ladder.stop == 0 {
            return Err(Error {
                key: "ladder",
                message: "one of human and stop must be allowed: otherwise nothing ends an incident".into(),
            });
        }
        for (tool, others) in &self.substitutes {
            let why = if others.0.contains(tool) {
                format!("{tool} cannot stand in for itself")
            } else if others.0.is_empty() {
                format!("{tool} names no other tool: name one, or leave it out")
            } else {
                continue;
            };
            return Err(Error {
                key: "substitutes",
                message: why,
            });
        }
        Ok(())
    }

    /// The tools that can stand in for another, as they are written.
    pub fn substitutes(&self, tool: &str) -> &[Arc<str>] {
        self.substitutes.get(tool).map_or(&[], |others| &others.0)
    }

    /// True where a detector is listened to.
    pub fn listens(&self, detector: Detector) -> bool {
        self.enabled && !self.muted.contains(&detector)
    }
}
