//! Settings: how much repetition is too much, and how far the steps against it may go.
//!
//! Must not know: where settings are written.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use overrule_domain::escape::{Detector, LoopStep};

/// The widest window; beyond it a check costs more than it yields.
pub const WIDEST: u32 = 960;

/// The longest time window, in seconds.
const LONGEST_S: u32 = 3_600;

/// An invalid setting, with what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct Error {
    /// The key of the setting.
    pub key: &'static str,
    /// What is wrong with it, and what is allowed.
    pub message: String,
}

/// The settings of loop detection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// If false, nothing is detected and nothing done.
    pub enabled: bool,
    /// Number of turns with calls that are examined.
    pub window: u32,
    /// Seconds whose turns are examined even if the window is smaller; 0 for none.
    pub time_window_s: u32,
    /// Shortest block of turns that counts as a loop.
    pub min_loop_length: u32,
    /// Copies in a row that a loop needs at least, whatever `same`, `failing` and `succeeding` say.
    pub min_repetitions: u32,
    /// Consecutive copies of one turn.
    pub same: u32,
    /// Consecutive copies of several turns that failed throughout.
    pub failing: u32,
    /// Consecutive copies of several turns with the same results.
    pub succeeding: u32,
    /// Number of turns in which copies may differ; 0 requires them to be equal.
    pub mismatches: u32,
    /// Consecutive turns in which one tool ends with one error.
    pub errors: u32,
    /// Consecutive turns that bring nothing new.
    pub still: u32,
    /// A setting of older programs, ignored where it was recorded.
    #[serde(skip_serializing)]
    pub echoes: Removed,
    /// Turns of the window in which one call gives one result, or that use a tool before its failures count.
    pub visits: u32,
    /// Percentage of them that failed.
    pub failures: u32,
    /// Turns without a repetition that end an incident.
    pub calm: u32,
    /// Muted detectors.
    pub muted: Vec<Detector>,
    /// How often each step may be taken in one incident; 0 skips it.
    pub ladder: Ladder,
    /// The substitutes of each tool, by its name.
    pub substitutes: BTreeMap<Arc<str>, Others>,
}

/// A removed setting: any value is read and ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed;

impl Removed {
    /// Returns why a key is no longer a setting and what to do, if it was one.
    pub fn removed_key_hint(key: &str) -> Option<&'static str> {
        (key == "loops.echoes").then_some(
            "removed: equal results of different calls are no loop; delete the key, and use `visits` for equal \
             results of one call",
        )
    }
}

impl<'de> Deserialize<'de> for Removed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(from).map(|_| Self)
    }
}

/// The substitutes of a tool, written as a name or as a list of names.
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
        enum OneOrMany {
            One(Arc<str>),
            Many(Vec<Arc<str>>),
        }
        Ok(match OneOrMany::deserialize(from)? {
            OneOrMany::One(one) => Self(vec![one]),
            OneOrMany::Many(many) => Self(many),
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            window: 30,
            time_window_s: 60,
            min_loop_length: 1,
            min_repetitions: 2,
            same: 3,
            failing: 3,
            succeeding: 3,
            mismatches: 0,
            errors: 3,
            still: 3,
            echoes: Removed,
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
    /// Send guidance to the model.
    pub guidance: u32,
    /// Refuse the repeated calls for a turn.
    pub refuse: u32,
    /// Use a different tool.
    pub substitute: u32,
    /// Go back to where the loop began.
    pub roll_back: u32,
    /// Wait for the operator.
    pub human: u32,
    /// Restrict the run to reading calls.
    pub restrict: u32,
    /// Stop the run.
    pub stop: u32,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            guidance: 2,
            refuse: 2,
            substitute: 2,
            roll_back: 2,
            human: 2,
            restrict: 1,
            stop: 1,
        }
    }
}

impl Ladder {
    /// Every repetition is refused, as often as it comes: for a headless agent, whose run must not end.
    pub const REFUSE: Self = Self {
        guidance: 0,
        refuse: u32::MAX,
        substitute: 0,
        roll_back: 0,
        human: 0,
        restrict: 0,
        stop: 0,
    };

    /// Returns the first invalid setting as an error.
    fn check(&self) -> Result<(), Error> {
        for (key, value) in [
            ("ladder.guidance", self.guidance),
            ("ladder.refuse", self.refuse),
            ("ladder.substitute", self.substitute),
            ("ladder.roll_back", self.roll_back),
            ("ladder.human", self.human),
            ("ladder.restrict", self.restrict),
            ("ladder.stop", self.stop),
        ] {
            range(key, value, 0, 2)?;
        }
        if self.human == 0 && self.stop == 0 {
            return Err(Error {
                key: "ladder",
                message: "one of human and stop must be allowed: otherwise nothing ends an incident".into(),
            });
        }
        Ok(())
    }

    /// Returns how often a step may be taken.
    pub const fn most(&self, level: LoopStep) -> u32 {
        match level {
            LoopStep::Guidance => self.guidance,
            LoopStep::Refuse => self.refuse,
            LoopStep::Substitute => self.substitute,
            LoopStep::RollBack => self.roll_back,
            LoopStep::Human => self.human,
            LoopStep::Restrict => self.restrict,
            LoopStep::Stop => self.stop,
        }
    }
}

/// Refuses a number outside of its range.
fn range(key: &'static str, value: u32, least: u32, most: u32) -> Result<(), Error> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let message = format!("{value} is not between {least} and {most}");
    Err(Error { key, message })
}

impl Config {
    /// Returns the first invalid setting as an error.
    pub fn check(&self) -> Result<(), Error> {
        range("window", self.window, 6, WIDEST)?;
        range("time_window_s", self.time_window_s, 0, LONGEST_S)?;
        range("min_loop_length", self.min_loop_length, 1, self.window / 2)?;
        range("min_repetitions", self.min_repetitions, 2, self.window / 2)?;
        range("same", self.same, 2, self.window)?;
        range("failing", self.failing, 2, self.window / 2)?;
        range("succeeding", self.succeeding, 2, self.window / 2)?;
        range("mismatches", self.mismatches, 0, 2)?;
        range("errors", self.errors, 2, self.window)?;
        range("still", self.still, 2, self.window)?;
        range("visits", self.visits, 2, self.window)?;
        range("failures", self.failures, 1, 100)?;
        range("calm", self.calm, 1, self.window)?;
        if self.ladder != Ladder::REFUSE {
            self.ladder.check()?;
        }
        for (tool, others) in &self.substitutes {
            let why = if others.0.contains(tool) {
                format!("{tool} cannot replace itself")
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

    /// Returns the number of copies in a row that a loop needs if a detector of its own asks for `own`.
    pub fn copies(&self, own: u32) -> usize {
        own.max(self.min_repetitions) as usize
    }

    /// Returns the settings with the smallest window that holds `turns` turns: their own window,
    /// doubled as often as needed.
    pub fn holding(&self, turns: usize) -> Self {
        let mut window = self.window;
        while (window as usize) < turns && window < WIDEST {
            window = (window * 2).min(WIDEST);
        }
        Self {
            window,
            ..self.clone()
        }
    }

    /// Returns the substitutes of a tool, in the order in which they are written.
    pub fn substitutes(&self, tool: &str) -> &[Arc<str>] {
        self.substitutes.get(tool).map_or(&[], |others| &others.0)
    }

    /// Returns true if a detector is enabled and not muted.
    pub fn listens(&self, detector: Detector) -> bool {
        self.enabled && !self.muted.contains(&detector)
    }
}
