//! Steps after a failed call, before the operator is asked, and their progress.
//!
//! Must not know: why a step is advised, clocks, how a call is shown.
//!
//! A step is advised once and written into its event whole: a fold needs no advice.

mod span;
mod waits;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::breaker::Scope;
use super::call::ErrorClass;
use super::id::{Attempt, NodeId, Rev, Seq, TurnId};
use super::repair::{Change, Diagnosis, Question, Reply, Strategy};

pub use span::{parse_span, span, tries};
pub use waits::{counts_down, shut};

/// The step that follows a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The failure is final, and the model sees it.
    Leave {
        /// Why nothing else is done.
        why: Arc<str>,
    },
    /// The same bytes run again, after a wait.
    Retry(Retry),
    /// Other arguments instead, which pass the check and the gate like any.
    Repair(Box<Repair>),
    /// The model is asked for values first.
    Ask(Box<Ask>),
    /// Several repairs are possible and the operator chooses.
    Offer(Box<Offer>),
}

/// Another execution of the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Counts the retries of this failure, from 1.
    pub no: u32,
    /// How many there may be.
    pub of: u32,
    /// Milliseconds to wait first.
    pub wait_ms: u64,
    /// What makes another execution reasonable, and harmless.
    pub why: Arc<str>,
}

/// What was found wrong, and in which round of repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// Counts the rounds of this call, from 1.
    pub round: u32,
    /// How many there may be.
    pub of: u32,
    /// The kind of failure.
    pub class: ErrorClass,
    /// What was found, one by one.
    pub diagnoses: Vec<Diagnosis>,
}

/// A repair without a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// What was found.
    pub found: Findings,
    /// What the call is to say.
    pub fix: Fix,
}

/// A repair that needs the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What was found.
    pub found: Findings,
    /// What it is asked.
    pub question: Question,
}

/// Repairs from which the operator chooses one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What was found.
    pub found: Findings,
    /// Why only the operator can choose.
    pub why: Arc<str>,
    /// The possible repairs, best first.
    pub options: Vec<Fix>,
}

/// What a call would say after a repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// It in a few words.
    pub label: String,
    /// The changes of the arguments, for the eye.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The tool.
    pub tool: Arc<str>,
    /// The whole argument text.
    pub args: Arc<str>,
}

/// One round of repair, as it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The event with which it began.
    pub seq: Seq,
    /// The revision that it repairs.
    pub rev: Rev,
    /// Counts the rounds of the call, from 1.
    pub no: u32,
    /// How many there may be.
    pub of: u32,
    /// The kind of failure.
    pub class: ErrorClass,
    /// What was found.
    pub diagnoses: Vec<Diagnosis>,
    /// What the model was asked; none where rules were enough.
    pub asked: Option<Question>,
    /// How its requests broke that were made again, oldest first.
    pub broke: Vec<Arc<str>>,
    /// The reply of the model; `None` while the request is open.
    pub reply: Option<Reply>,
    /// What the operator may choose from; none where nothing was offered.
    pub options: Vec<Fix>,
    /// What was changed; empty before that, and if no repair was made.
    pub changes: Vec<Change>,
    /// Whether the repaired call succeeded; none while that is not known.
    pub helped: Option<bool>,
    /// Why no repair was made.
    pub gave_up: Option<Arc<str>>,
}

impl Round {
    /// The strategies that changed something, each once.
    pub fn strategies(&self) -> Vec<Strategy> {
        let mut all: Vec<Strategy> = self.changes.iter().map(|change| change.strategy).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Stage of a round of repair. Before and after a round the status of the call says where it is:
/// proposed, running or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The failure is being understood.
    Diagnosing,
    /// A strategy is being chosen.
    Selecting,
    /// The model is asked for a value.
    Asking,
    /// The operator chooses.
    Choosing,
    /// The changes are made.
    Applying,
}

impl Stage {
    /// In a few lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Diagnosing => "repair: diagnosing",
            Self::Selecting => "repair: selecting a strategy",
            Self::Asking => "repair: asking the model",
            Self::Choosing => "repair: you choose",
            Self::Applying => "repair: applying",
        }
    }
}

/// Wait of a call or of a model request before its next try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delay {
    /// Number of the retry of its failure, from 1, and the maximum. `None` if nothing failed: the
    /// call was approved and is in its grace period.
    pub tries: Option<(u32, u32)>,
    /// Milliseconds that were left when the wait began, or was last interrupted.
    pub left_ms: u64,
    /// UTC milliseconds since which they pass; `None` while the run is paused.
    pub since: Option<i64>,
    /// Event that started or restarted the wait.
    pub set: Seq,
    /// Why another execution is reasonable, or how the request broke.
    pub why: Arc<str>,
}

impl Delay {
    /// Returns the milliseconds left at a time. A clock that was set back does not change them.
    pub fn left(&self, now: i64) -> u64 {
        let passed = self.since.map_or(0, |since| now.saturating_sub(since).max(0));
        self.left_ms
            .saturating_sub(u64::try_from(passed).unwrap_or_default())
    }

    /// Describes the wait: `queued, again in 3 s (2 of 4)`.
    pub fn describe(&self, now: i64) -> String {
        let left = self.left(now);
        let Some((no, of)) = self.tries else {
            return match (self.since, left) {
                (_, 0) => "runs now".to_owned(),
                (Some(_), ms) => format!("runs in {}, until then it can be cancelled", span(ms)),
                (None, ms) => format!(
                    "runs {} after the pause, until then it can be cancelled",
                    span(ms)
                ),
            };
        };
        let when = match (self.since, left) {
            (_, 0) => "again now".to_owned(),
            (Some(_), ms) => format!("again in {}", span(ms)),
            (None, ms) => format!("again {} after the pause", span(ms)),
        };
        format!("queued, {when} ({no} of {of})")
    }
}

/// A report that is due after a delay. A restarted timer replaces the earlier one. The event that
/// started it distinguishes the two, because a report of the earlier one may be on its way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Timer {
    /// A call may be tried again.
    Retry {
        /// The call.
        call: NodeId,
        /// The revision that failed.
        rev: Rev,
        /// The execution that failed.
        attempt: Attempt,
    },
    /// The grace period is over in which an approval could be withdrawn.
    Grace {
        /// The call.
        call: NodeId,
        /// The revision that was approved.
        rev: Rev,
    },
    /// No decision on a call came in time.
    Deadline {
        /// The call.
        call: NodeId,
    },
    /// A request that broke may be made again.
    Request {
        /// The turn.
        turn: TurnId,
    },
    /// An open breaker may let a call through as a trial.
    Breaker {
        /// Of what.
        scope: Scope,
        /// The generation in which it opened.
        generation: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay(left_ms: u64, since: Option<i64>) -> Delay {
        Delay {
            tries: Some((2, 4)),
            left_ms,
            since,
            set: Seq(7),
            why: "HTTP 503".into(),
        }
    }

    #[test]
    fn a_delay_is_described_by_its_remaining_time() {
        let running = delay(3_000, Some(1_000));
        assert_eq!(running.describe(1_000), "queued, again in 3 s (2 of 4)");
        assert_eq!(running.describe(1_001), "queued, again in 3 s (2 of 4)");
        assert_eq!(running.describe(3_800), "queued, again in 0.2 s (2 of 4)");
        assert_eq!(running.describe(4_000), "queued, again now (2 of 4)");
        assert_eq!(running.left(900), 3_000, "a clock that was set back");
    }

    #[test]
    fn a_delay_stops_counting_with_the_run() {
        let frozen = delay(2_500, None);
        assert_eq!(frozen.left(99_999), 2_500);
        assert_eq!(
            frozen.describe(99_999),
            "queued, again 3 s after the pause (2 of 4)"
        );
    }
}
