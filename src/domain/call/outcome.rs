//! Defines the outcome of an execution: a value, a structured failure, or a cancellation.
//!
//! Must not know: how a tool runs, what is done about a failure.
//!
//! Data only.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It succeeded.
    Ok {
        /// JSON text of the value, exactly as stored; a text-like tool gives a JSON string.
        value: Arc<str>,
        /// JSON text of other data that the tool reported (exit code, counts), reachable under
        /// `.meta`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meta: Option<Arc<str>>,
        /// Bytes of output that were not stored.
        #[serde(default, skip_serializing_if = "is_zero")]
        discarded: u64,
        /// Exit code of a command that is not one of its success codes. The call succeeded and its
        /// output is a result, but references cannot read it as a value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<i32>,
    },
    /// It failed. Boxed, because the error is large and rare.
    Err(Box<ToolError>),
    /// It was cancelled; `executed` says whether it may have done something.
    Cancelled {
        /// False only if it is proven that nothing happened.
        #[serde(default)]
        executed: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Outcome {
    /// A value without other data.
    pub fn ok(value: impl Into<Arc<str>>) -> Self {
        Self::Ok {
            value: value.into(),
            meta: None,
            discarded: 0,
            exit: None,
        }
    }

    /// A failure.
    pub fn err(error: ToolError) -> Self {
        Self::Err(Box::new(error))
    }

    /// True for `Ok`: the call ran to its end, with any exit code.
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok { .. })
    }

    /// True if references, probes, compensations and reuse may take the result as a value: not for
    /// a command whose exit code is not one of its success codes.
    pub fn has_value(&self) -> bool {
        matches!(self, Self::Ok { exit: None, .. })
    }

    /// True for an execution whose end proves nothing about what it did.
    pub fn is_unseen(&self) -> bool {
        match self {
            Self::Ok { .. } => false,
            Self::Err(error) => error.executed && error.class == ErrorClass::Lost,
            Self::Cancelled { executed } => *executed,
        }
    }

    /// Exit code of a command that is not one of its success codes.
    pub const fn exit(&self) -> Option<i32> {
        match self {
            Self::Ok { exit, .. } => *exit,
            Self::Err(_) | Self::Cancelled { .. } => None,
        }
    }
}

/// A failed execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// Kind of failure, by the best evidence.
    pub class: ErrorClass,
    /// What failed, on what, and why; for the operator and the model.
    pub message: String,
    /// What the class rests on (`errno ENOENT`, `HTTP 429`, `declared by the tool`).
    pub evidence: String,
    /// What to do about it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// JSON text of partial results (a failed command's output), if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Arc<str>>,
    /// False only if it is proven that the tool had no effect.
    #[serde(default)]
    pub executed: bool,
    /// Milliseconds that the other side requests before a retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Unknown tool, broken schema, broken reference.
    Structural,
    /// An argument is wrong.
    Param,
    /// May pass by itself: network, time-out, rate limit, server error.
    Transient,
    /// Not permitted.
    Auth,
    /// The object does not exist.
    NotFound,
    /// Something else changed it meanwhile.
    Conflict,
    /// The tool worked and rejected the request.
    Business,
    /// A defect of the tool.
    Internal,
    /// Stopped by the operator or the engine.
    Cancelled,
    /// Its end was not seen: a server ended while the call ran. A call that can change something has an unknown outcome.
    Lost,
    /// Not known.
    Unknown,
}

impl ErrorClass {
    /// The class as one or two lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Param => "parameter",
            Self::Transient => "transient",
            Self::Auth => "not permitted",
            Self::NotFound => "not found",
            Self::Conflict => "conflict",
            Self::Business => "refused by the tool",
            Self::Internal => "internal",
            Self::Cancelled => "cancelled",
            Self::Lost => "no answer",
            Self::Unknown => "unknown",
        }
    }

    /// How a call with such an error ended, before the error's message.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Business => "failed",
            Self::Transient => "failed, can be retried",
            other => other.label(),
        }
    }
}
