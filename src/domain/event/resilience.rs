//! Events about failed calls: retries, breakers and repairs.
//!
//! Must not know: how a step is found.
//!
//! An event contains the advice that led to it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::breaker::{Phase, Scope};
use crate::call::ErrorClass;
use crate::id::{Attempt, NodeId, Rev};
use crate::ladder::Fix;
use crate::repair::{Change, Diagnosis, Question, Reply};
use crate::setting_change::SettingChange;
use crate::turn::Usage;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Events about failed calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum ResilienceEvent {
    /// The failure is final: nothing more is done, and the model sees it.
    GaveUp {
        /// The call.
        call: NodeId,
        /// The revision that failed.
        #[serde(default)]
        rev: Rev,
        /// Why nothing else is done.
        why: Arc<str>,
    },
    /// The same bytes are to run again after a wait.
    RetryScheduled {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// The execution that failed.
        #[serde(default)]
        attempt: Attempt,
        /// Counts the retries of this failure, from 1.
        #[serde(default)]
        no: u32,
        /// How many there may be.
        #[serde(default)]
        of: u32,
        /// Milliseconds to wait first.
        #[serde(default)]
        wait_ms: u64,
        /// What makes another execution reasonable, and harmless.
        why: Arc<str>,
    },
    /// The wait is over, by itself or because the operator skipped the rest of it.
    RetryDue {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// The execution that failed.
        #[serde(default)]
        attempt: Attempt,
        /// True where the operator did not want to wait.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        skipped: bool,
    },
    /// A breaker changed.
    BreakerChanged {
        /// Of what.
        scope: Scope,
        /// Counts its changes.
        #[serde(default)]
        generation: u32,
        /// What it does from now on.
        to: Phase,
        /// Milliseconds until an open one lets something through to see.
        #[serde(default, skip_serializing_if = "is_zero")]
        wait_ms: u64,
        /// Why.
        why: Arc<str>,
        /// The tools that can serve instead of the tool with the opened breaker, best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        instead: Vec<Arc<str>>,
    },
    /// The settings for failures, from now on.
    PolicySet {
        /// Counts the settings of this run.
        #[serde(default)]
        version: u32,
        /// The whole tree, as JSON text.
        policy: Arc<str>,
        /// True where the operator changed it in the run; else it is that of their files.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        live: bool,
        /// The values that changed. Older records do not have them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<SettingChange>,
    },
    /// A round of repair begins.
    RepairStarted {
        /// The call.
        call: NodeId,
        /// The revision that is repaired.
        #[serde(default)]
        rev: Rev,
        /// Counts the rounds of the call, from 1.
        #[serde(default)]
        round: u32,
        /// How many there may be.
        #[serde(default)]
        of: u32,
        /// The kind of failure.
        class: ErrorClass,
    },
    /// The call was diagnosed.
    RepairDiagnosed {
        /// The call.
        call: NodeId,
        /// The round.
        #[serde(default)]
        round: u32,
        /// One by one.
        #[serde(default)]
        diagnoses: Vec<Diagnosis>,
    },
    /// The model is asked for values.
    RepairAsked {
        /// The call.
        call: NodeId,
        /// The revision that is repaired.
        #[serde(default)]
        rev: Rev,
        /// The round.
        #[serde(default)]
        round: u32,
        /// What is asked.
        question: Question,
    },
    /// The request broke before an answer; it is retried after a wait.
    RepairBroke {
        /// The call.
        call: NodeId,
        /// The revision that is repaired.
        #[serde(default)]
        rev: Rev,
        /// The round.
        #[serde(default)]
        round: u32,
        /// Counts the further requests of this question, from 1.
        #[serde(default)]
        no: u32,
        /// How many there may be.
        #[serde(default)]
        of: u32,
        /// Milliseconds to wait first.
        #[serde(default)]
        wait_ms: u64,
        /// How it broke.
        why: Arc<str>,
        /// Tokens that it used.
        #[serde(default)]
        usage: Usage,
    },
    /// The model replied.
    RepairAnswered {
        /// The call.
        call: NodeId,
        /// The revision that is repaired.
        #[serde(default)]
        rev: Rev,
        /// The round.
        #[serde(default)]
        round: u32,
        /// Its text, or why there is none.
        reply: Reply,
        /// What it cost.
        #[serde(default)]
        usage: Usage,
    },
    /// The operator is asked to choose.
    RepairOffered {
        /// The call.
        call: NodeId,
        /// The revision that is repaired.
        #[serde(default)]
        rev: Rev,
        /// The round.
        #[serde(default)]
        round: u32,
        /// Why only the operator can choose.
        why: Arc<str>,
        /// The possible repairs, best first.
        #[serde(default)]
        options: Vec<Fix>,
    },
    /// A repair was made, or chosen by the operator: the new revision of the call follows.
    RepairApplied {
        /// The call.
        call: NodeId,
        /// The round.
        #[serde(default)]
        round: u32,
        /// What it changed.
        #[serde(default)]
        changes: Vec<Change>,
    },
}

impl ResilienceEvent {
    /// The call that it is about, where it is about one.
    pub const fn call(&self) -> Option<NodeId> {
        match self {
            Self::GaveUp { call, .. }
            | Self::RetryScheduled { call, .. }
            | Self::RetryDue { call, .. }
            | Self::RepairStarted { call, .. }
            | Self::RepairDiagnosed { call, .. }
            | Self::RepairAsked { call, .. }
            | Self::RepairBroke { call, .. }
            | Self::RepairAnswered { call, .. }
            | Self::RepairOffered { call, .. }
            | Self::RepairApplied { call, .. } => Some(*call),
            Self::BreakerChanged { .. } | Self::PolicySet { .. } => None,
        }
    }
}
