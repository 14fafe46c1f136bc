//! Rules that an operator writes during a session: facts of the run, known by their number.
//!
//! They count for the whole session, on every branch; a rule that was dropped judges no more and stays
//! as history. Must not know: the language of rules, how a rule is judged.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::Digest;
use super::id::{NodeId, Rev, Seq};

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Written {
    /// Calls with exactly these bytes of this tool, in the same surroundings, run.
    Exact {
        /// The call that it was made from.
        call: NodeId,
        /// The revision.
        rev: Rev,
        /// Its tool.
        tool: Arc<str>,
        /// Hash of tool, definition, argument bytes and surroundings.
        key: Arc<str>,
        /// Bytes of the arguments.
        bytes: u64,
    },
    /// A rule in the language of policies, as it was typed.
    Text {
        /// The words.
        text: Arc<str>,
    },
}

/// A rule that an operator wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Wanted {
    /// Always exactly this call.
    Exact {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
    },
    /// A rule in the language of policies.
    Text {
        /// The words.
        text: Arc<str>,
    },
}

/// A rule of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRule {
    /// Its number, from 1; never used again.
    pub no: u32,
    /// The event with which it began to count.
    pub seq: Seq,
    /// What it says.
    pub written: Written,
    /// True once it judges no more.
    pub dropped: bool,
}

/// How a rule is named wherever it is cited.
pub fn name(no: u32) -> String {
    format!("session rule {no}")
}

/// True for the citation of a rule of this number.
pub fn is_of(cited: &str, no: u32) -> bool {
    cited
        .strip_prefix(&name(no))
        .is_some_and(|rest| rest.starts_with(':'))
}
