//! What is said of a call before it runs: what is wrong with it, what the policy says, what was shown, who decided.
//!
//! Data only. Must not know: how a policy is written, how a call is checked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::id::{NodeId, Rev, Seq};

/// One thing wrong with the arguments of a call, found before it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// JSON pointer into the arguments; empty for the whole.
    pub path: String,
    /// What was violated: a JSON Schema keyword, or `json`, `tool`, `reference`, `label`, `cycle`.
    pub keyword: String,
    /// A sentence for the operator and the model.
    pub message: String,
}

/// What a policy says of a call.
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
    /// What it does with a call, in a word or two.
    pub const fn does(self) -> &'static str {
        match self {
            Self::Allow => "lets it run",
            Self::Ask => "asks",
            Self::Deny => "denies it",
        }
    }

    /// What it would do with a part of a call if that were the only one.
    pub const fn alone(self) -> &'static str {
        match self {
            Self::Allow => "would let it run",
            Self::Ask | Self::Deny => self.does(),
        }
    }
}

/// What happens to a call that nobody decided before its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consequence {
    /// The call does not run; the run goes on.
    Deny,
    /// The run halts.
    Halt,
    /// The call goes on waiting, louder.
    Escalate,
}

impl Consequence {
    /// What becomes of the call, in a word or two.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Deny => "denied",
            Self::Halt => "the run stops",
            Self::Escalate => "called louder",
        }
    }
}

/// The policy's word on one call, with the rule that decided, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub gate: Gate,
    /// The deciding rule, as written by its author (`preset guarded: reads go`).
    pub rule: String,
    /// Why, in one sentence.
    pub reason: String,
    /// Milliseconds until an unanswered ask expires; none waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// What expiry does.
    pub on_expiry: Consequence,
    /// Where a file of the workspace decided: what it says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<Quoted>,
    /// What the policy says of each command of a shell line, were it the only one; empty where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// True where only a shell can tell what it runs: it is approved by itself, never in a list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

impl Verdict {
    /// The deciding rule; where a file of the workspace decided, its place alone.
    pub fn place(&self) -> String {
        match &self.quoted {
            Some(quoted) => format!("workspace {}", quoted.place),
            None => self.rule.clone(),
        }
    }
}

/// What the policy says of a part of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Allow, ask or deny.
    pub gate: Gate,
    /// The rule, or where it stands.
    pub rule: String,
}

/// The rule of a workspace's file. Its words are those of whoever wrote the file, and no word of this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quoted {
    /// File and line, in the visible form.
    pub place: String,
    /// The beginning of the reason that the rule gives, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// Hash of exactly what was shown and would run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub Arc<str>);

impl Digest {
    /// The first characters, enough to compare by eye.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

/// A decision on one revision of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decision {
    /// A person let it run.
    Approve {
        /// Bytes of its text that had not been on screen.
        #[serde(default)]
        unread: u64,
    },
    /// The policy let it run.
    Auto {
        /// The rule that decided.
        rule: String,
    },
    /// A program of the operator's let it run.
    Allowed {
        /// The program, by the name that the settings give it.
        by: Arc<str>,
        /// Why, in its words; may be empty.
        reason: String,
    },
    /// A program of the operator's left it to the operator, or did not answer.
    LeftToOperator {
        /// The program, by the name that the settings give it.
        by: Arc<str>,
        /// Why, in its words; may be empty.
        reason: String,
    },
    /// A person's edit was also the approval of what they wrote.
    Edited,
    /// A person refused it.
    Reject {
        /// What the model is told.
        reason: String,
    },
    /// The policy refused it.
    Deny {
        /// The rule that decided.
        rule: String,
        /// What the model is told.
        reason: String,
    },
    /// Nobody answered in time.
    Expire {
        /// What that means by the policy.
        consequence: Consequence,
    },
    /// A person typed the result; nothing runs.
    Answer,
    /// The recorded result of an equal execution stands in.
    Reuse {
        /// The execution whose result is used.
        #[serde(default)]
        from: Seq,
    },
    /// An operator's result of an equal call is used: the model was asked again for that call's turn.
    Carry {
        /// The call that the operator wrote it for.
        from: NodeId,
        /// The revision of its observation.
        #[serde(default)]
        rev: Rev,
    },
    /// A person let an effect run although it may have happened before.
    RunAgain,
    /// A person left it open what came of an execution whose outcome is not known: the call does not run again.
    #[serde(alias = "leave")]
    Abandon {
        /// What the model is told beside that; may be empty.
        reason: String,
    },
    /// A person said that a cancelled execution did not finish: the call ends as cancelled. Part of it may have happened.
    DidNotFinish,
    /// What had let it run was taken back before it began, by a person or because it does not hold any more: it is judged
    /// and asked for again.
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
            Self::Approve { .. } | Self::Auto { .. } | Self::Allowed { .. } | Self::Edited | Self::RunAgain
        )
    }
}

/// What a program of the operator's says of a call.
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
