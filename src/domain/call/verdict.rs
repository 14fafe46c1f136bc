//! Defines what is known about a call before it runs: faults, verdict, digest, decisions.
//!
//! Must not know: how a policy is written, how a call is checked.
//!
//! Data only.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{NodeId, Rev, Seq};

/// One thing wrong with the arguments of a call, found before it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// JSON pointer into the arguments; empty for all of them.
    pub path: String,
    /// What was violated: a JSON Schema keyword, or `json`, `tool`, `reference`, `label`, `cycle`.
    pub keyword: String,
    /// A sentence for the operator and the model.
    pub message: String,
}

/// What a policy does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Runs without asking.
    Allow,
    /// Waits for the operator.
    Ask,
    /// Never runs.
    Deny,
}

impl Gate {
    /// What it does with a call, as one or two words.
    pub const fn does(self) -> &'static str {
        match self {
            Self::Allow => "allows it",
            Self::Ask => "asks",
            Self::Deny => "denies it",
        }
    }

    /// What it would do with a part of a call if that were the only one.
    pub const fn alone(self) -> &'static str {
        match self {
            Self::Allow => "would allow it",
            Self::Ask | Self::Deny => self.does(),
        }
    }
}

/// What happens to a call without a decision before its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consequence {
    /// The call does not run; the run continues.
    Deny,
    /// The run stops.
    Halt,
    /// The call continues to wait, with a stronger signal.
    Escalate,
}

impl Consequence {
    /// What happens to the call, as one or two words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Deny => "denied",
            Self::Halt => "the run stops",
            Self::Escalate => "escalated",
        }
    }
}

/// The policy's verdict on one call, with the exact text of the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub gate: Gate,
    /// The deciding rule, as written by its author (`preset guarded: reads go`).
    pub rule: String,
    /// The reason, in one sentence.
    pub reason: String,
    /// Milliseconds until an unanswered question expires; without a number it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// What happens when it expires.
    pub on_expiry: Consequence,
    /// The quoted rule if a file of the workspace decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<Quoted>,
    /// What the policy does with each command of a shell line as the only one; empty for a single
    /// command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// True if only a shell can say what it runs: it is approved alone, never in a list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// True if only the operator may answer, and no program in their place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub operator_only: bool,
}

impl Verdict {
    /// The deciding rule; only its place if a file of the workspace decided.
    pub fn place(&self) -> String {
        match &self.quoted {
            Some(quoted) => format!("workspace {}", quoted.place),
            None => self.rule.clone(),
        }
    }
}

/// What the policy does with a part of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Allow, ask or deny.
    pub gate: Gate,
    /// The rule, or its place.
    pub rule: String,
}

/// A rule in a file of the workspace. Its text is by the author of the file, not by this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quoted {
    /// File and line, in the visible form.
    pub place: String,
    /// The start of the reason that the rule gives, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// Hash of exactly what was shown and would run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub Arc<str>);

impl Digest {
    /// The first characters, enough for a comparison by eye.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

/// The form in which a call was shown first for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownForm {
    /// What the call changes in a file, line by line.
    Difference,
    /// The command that it runs.
    Command,
    /// Its arguments, decoded, one by one.
    Fields,
    /// The exact bytes of its arguments.
    Exact,
}

impl ShownForm {
    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Difference => "difference",
            Self::Command => "command",
            Self::Fields => "fields",
            Self::Exact => "exact",
        }
    }
}

/// What was shown of a call when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shown {
    /// The form that was shown first.
    pub form: ShownForm,
    /// BLAKE3 hash of the text that the call would replace; empty if there was no file, none if that
    /// is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Arc<str>>,
}

/// A decision on one revision of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decision {
    /// The operator approved it.
    Approve {
        /// Bytes of its text that had not been on screen.
        #[serde(default)]
        unread: u64,
        /// What was shown of it; none if it was not shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Shown>,
    },
    /// The policy approved it.
    Auto {
        /// The rule that decided.
        rule: String,
    },
    /// The operator's program approved it.
    Allowed {
        /// The program, by the name that the settings give it.
        by: Arc<str>,
        /// Why, in its words; may be empty.
        reason: String,
    },
    /// The operator's program left it to the operator, or did not answer.
    LeftToOperator {
        /// The program, by the name that the settings give it.
        by: Arc<str>,
        /// Why, in its words; may be empty.
        reason: String,
    },
    /// The operator's edit was also the approval of its content.
    Edited,
    /// The operator rejected it.
    Reject {
        /// The reason that the model sees.
        reason: String,
    },
    /// The policy denied it.
    Deny {
        /// The rule that decided.
        rule: String,
        /// The reason that the model sees.
        reason: String,
    },
    /// The deadline passed without a decision.
    Expire {
        /// The consequence that the policy sets.
        consequence: Consequence,
    },
    /// The operator typed the result; nothing runs.
    Answer,
    /// The recorded result of an equal execution is used.
    Reuse {
        /// The execution whose result is used.
        #[serde(default)]
        from: Seq,
    },
    /// The operator's result of an equal call is used: the model was asked again for that call's
    /// turn.
    Carry {
        /// The call that the operator wrote it for.
        from: NodeId,
        /// The revision of its observation.
        #[serde(default)]
        rev: Rev,
    },
    /// The operator allowed an effect although it may have happened before.
    RunAgain {
        /// What was shown of it; none if it was not shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Shown>,
    },
    /// The operator left the outcome of an execution unknown: the call does not run again.
    #[serde(alias = "leave")]
    Abandon {
        /// What the model sees in addition; may be empty.
        reason: String,
    },
    /// The operator said that a cancelled execution did not finish: the call ends as cancelled.
    /// Part of it may have happened.
    DidNotFinish,
    /// The approval was withdrawn before it started, by the operator or because it is no longer
    /// valid: the gate decides again and asks.
    Withdrawn {
        /// Why, for the log.
        reason: String,
    },
}

impl Decision {
    /// True for one after which the call runs.
    pub const fn allows_run(&self) -> bool {
        matches!(
            self,
            Self::Approve { .. }
                | Self::Auto { .. }
                | Self::Allowed { .. }
                | Self::Edited
                | Self::RunAgain { .. }
        )
    }
}

/// The answer of the operator's program about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It runs.
    Allow,
    /// It does not run.
    Deny,
    /// The operator decides.
    Ask,
}
