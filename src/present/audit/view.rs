//! The view of a decision: who decided what, what was shown, what ran.
//!
//! Must not know: how decisions are found, how they are printed.

use std::sync::Arc;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::time;
use overrule_domain::call::{Digest, ShownForm};
use overrule_domain::envelope::Via;
use overrule_domain::id::{Attempt, NodeId, Rev, Seq};

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// A person, and where they spoke, if that is recorded.
    Operator(Arc<str>, Option<Via>),
    /// A program of the operator's, by its name.
    Approver(Arc<str>),
    /// The policy: a rule, a preset or a deadline.
    Policy,
    /// Another rule of the program.
    Engine,
}

impl Who {
    /// The kind of author, for programs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Operator(..) => "operator",
            Self::Approver(_) => "approver",
            Self::Policy => "policy",
            Self::Engine => "engine",
        }
    }

    /// The name of a person or program, or the kind.
    pub fn name(&self) -> &str {
        match self {
            Self::Operator(name, _) | Self::Approver(name) => name,
            Self::Policy | Self::Engine => self.kind(),
        }
    }

    /// Where a person spoke, if that is recorded.
    pub const fn via(&self) -> Option<Via> {
        match self {
            Self::Operator(_, via) => *via,
            Self::Approver(_) | Self::Policy | Self::Engine => None,
        }
    }
}

impl Serialize for Who {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(3))?;
        map.serialize_entry("by", self.kind())?;
        map.serialize_entry("who", self.name())?;
        map.serialize_entry("via", &self.via())?;
        map.end()
    }
}

/// What was shown for a decision on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownView {
    /// The exact argument bytes; with their number.
    #[serde(flatten, serialize_with = "arguments")]
    pub args: Arc<str>,
    /// Bytes that had not been on screen; `None` if no one had to read them.
    pub unread: Option<u64>,
    /// The form in which it was shown first, if that is recorded.
    pub form: Option<ShownForm>,
    /// Hash of all that was decided on.
    pub digest: Option<Digest>,
    /// Files that the call may run.
    pub files: Vec<Arc<str>>,
}

fn arguments<S: Serializer>(args: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(2))?;
    map.serialize_entry("arguments", args)?;
    map.serialize_entry("bytes", &args.len())?;
    map.end()
}

/// An execution that a decision allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExecutedView {
    /// Its number among those of the call.
    pub attempt: Attempt,
    /// The event that recorded its start.
    #[serde(rename = "entry")]
    pub seq: Seq,
    /// The exact argument bytes.
    #[serde(rename = "arguments")]
    pub args: Arc<str>,
    /// Its outcome, in a word or two.
    pub outcome: String,
    /// Milliseconds that it ran; `None` while its end is not recorded.
    pub ms: Option<u64>,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditView {
    /// The event that recorded it.
    pub seq: Seq,
    /// UTC time in milliseconds since 1970; with the time as text.
    #[serde(flatten, serialize_with = "times")]
    pub at: i64,
    /// Who decided.
    #[serde(flatten)]
    pub who: Who,
    /// What was decided: a verb in snake case.
    pub action: &'static str,
    /// The node that it is about.
    pub node: Option<NodeId>,
    /// The revision of the node.
    #[serde(rename = "revision")]
    pub rev: Option<Rev>,
    /// The tool of a call.
    pub tool: Option<Arc<str>>,
    /// Milliseconds since it was asked for; `None` if it was not asked for.
    #[serde(rename = "waited_ms")]
    pub waited: Option<u64>,
    /// What was shown; `None` for what is no decision on a call.
    pub shown: Option<ShownView>,
    /// The rule that decided, or that asked.
    pub rule: Option<String>,
    /// The reason that was given.
    pub reason: Option<String>,
    /// The exact decision, if the action does not show it.
    pub detail: Option<String>,
    /// Why the model made a call, in its own words.
    pub why: Option<String>,
    /// The first text of the node: for a call the arguments of the model.
    pub original: Option<Arc<str>>,
    /// The text after an edit, or the result that was typed.
    pub changed: Option<Arc<str>>,
    /// Executions that followed from it.
    pub executed: Vec<ExecutedView>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn times<S: Serializer>(at: &i64, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(2))?;
    map.serialize_entry("time", &time::exact(*at))?;
    map.serialize_entry("at", at)?;
    map.end()
}
