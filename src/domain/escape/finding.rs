//! What a detector finds: a loop, its calls and nodes.
//!
//! Must not know: how a loop is found, what is done about it.

use std::fmt;
use std::sync::Arc;

use overrule_base::canon;
use serde::{Deserialize, Serialize};

use crate::id::{NodeId, Seq, ThreadId};
use crate::reference::rewrite;

/// Kind of detector that finds a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detector {
    /// The newest turns are equal, in their calls and results.
    Sequence,
    /// One tool ends with the same error repeatedly, whatever its arguments.
    SameError,
    /// Turn after turn brings nothing that was not known.
    NoProgress,
    /// One call gives the same result repeatedly, and nothing was changed in between.
    Visits,
    /// Most calls of one tool failed.
    FailingTool,
    /// A call failed and will not succeed by being repeated: its retries are used up, or its error does not pass.
    Exhausted,
}

impl Detector {
    /// All of them, the most exact first.
    pub const ALL: [Self; 6] = [
        Self::Sequence,
        Self::SameError,
        Self::NoProgress,
        Self::Visits,
        Self::FailingTool,
        Self::Exhausted,
    ];

    /// Its name in settings, commands and facts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::SameError => "same_error",
            Self::NoProgress => "no_progress",
            Self::Visits => "visits",
            Self::FailingTool => "failing_tool",
            Self::Exhausted => "exhausted",
        }
    }

    /// Returns true for a detector that only reports a failing tool. This is no loop, and no step
    /// follows.
    pub const fn is_informational(self) -> bool {
        matches!(self, Self::SameError | Self::FailingTool)
    }

    /// Returns all names as a list, for the operator to choose from.
    pub fn names() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|one| one.name()).collect();
        names.join(", ")
    }

    /// The detector of a name; `-` may stand for `_`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().replace('-', "_");
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What makes two calls the same for this purpose. A part that is not named stands for any.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The tool.
    pub tool: Arc<str>,
    /// Hash of the arguments, spelt canonically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Arc<str>>,
    /// What its error looks like without numbers and ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<str>>,
}

impl Signature {
    /// Returns true if it matches a call that ended. A call that succeeded has no error.
    pub fn covers(&self, tool: &str, args: &str, error: Option<&str>) -> bool {
        self.covers_before(tool, args) && self.error.as_deref().is_none_or(|one| Some(one) == error)
    }

    /// Returns true if it matches the tool and the arguments of a call that has not ended.
    pub fn covers_before(&self, tool: &str, args: &str) -> bool {
        *self.tool == *tool && self.args.as_deref().is_none_or(|one| one == args)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        match (&self.args, &self.error) {
            (Some(args), _) => write!(f, " with arguments {}", args.get(..8).unwrap_or(args)),
            (None, Some(error)) => write!(f, " ending with \"{error}\""),
            (None, None) => f.write_str(" with any arguments"),
        }
    }
}

/// Hash of an argument text: the same for two spellings of one value.
pub fn args_hash(args: &str) -> Arc<str> {
    // A name for the result is no part of what is asked for.
    let args = rewrite::resolve(args, |_| None);
    let text = if args.trim().is_empty() { "{}" } else { &*args };
    let canonical = canon::canonical_text(text);
    let bytes = canonical.as_deref().unwrap_or(text).as_bytes();
    let hash = canon::hash("overrule repeated arguments v1", &[bytes]);
    Arc::from(hash.get(..16).unwrap_or(&hash))
}

/// A loop: what detected it, what repeats, and its nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The detector.
    pub detector: Detector,
    /// The thread in the loop.
    #[serde(default)]
    pub thread: ThreadId,
    /// Turns in one repetition.
    #[serde(default)]
    pub period: u32,
    /// Number of repetitions.
    #[serde(default)]
    pub repetitions: u32,
    /// True if every call in it fails.
    #[serde(default)]
    pub fails: bool,
    /// The event of the first turn that belongs to it.
    #[serde(default)]
    pub first: Seq,
    /// The calls that belong to it, oldest first.
    #[serde(default)]
    pub nodes: Vec<NodeId>,
    /// What repeats.
    #[serde(default)]
    pub signatures: Vec<Signature>,
}

impl Finding {
    /// The tools in it, each once.
    pub fn tools(&self) -> Vec<Arc<str>> {
        let mut tools: Vec<Arc<str>> = self.signatures.iter().map(|one| one.tool.clone()).collect();
        tools.sort();
        tools.dedup();
        tools
    }

    /// Describes it in a few words, for a title or a log.
    pub fn describe(&self) -> String {
        let tools = self.tools();
        let named: Vec<&str> = tools.iter().take(3).map(|tool| &**tool).collect();
        let more = if tools.len() > 3 { ", …" } else { "" };
        let tools = format!("{}{more}", named.join(", "));
        let times = self.repetitions;
        match self.detector {
            Detector::Sequence if self.period == 1 => format!("{tools}: the same {times} times in a row"),
            Detector::Sequence => {
                format!("{tools}: the same {} turns {times} times in a row", self.period)
            }
            Detector::SameError => format!("{tools}: the same error {times} times in a row"),
            Detector::Visits => format!("{tools}: the same result {times} times"),
            Detector::NoProgress => format!("{tools}: nothing new for {times} turns"),
            Detector::FailingTool => format!("{tools}: most of {times} turns with it failed"),
            Detector::Exhausted => format!("{tools}: failed for good"),
        }
    }
}
