//! Builds the views of rules: what a new one would have decided, and those of a session.
//!
//! Must not know: how a rule is evaluated, keys, flags.

use serde::Serialize;

use overrule_base::text::visible;
use overrule_domain::bulk;
use overrule_domain::call::{Digest, Gate};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::rule::{self, SessionRule};
use overrule_domain::state::State;
use overrule_policy::backtest::Would;
use overrule_policy::session;

/// What a rule would mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleView<'w> {
    /// The rule, as it is read; in its visible form.
    pub rule: String,
    /// What it decides.
    pub gate: Gate,
    /// Its matches among the recorded calls.
    #[serde(flatten)]
    pub history: RuleHistoryView,
    /// The waiting calls that it decides immediately.
    pub waiting: Vec<WaitingView<'w>>,
    /// Hash of these; confirms the rule.
    pub digest: String,
}

/// The matches of a rule among the recorded calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleHistoryView {
    /// Number of calls that it matches.
    pub matched: usize,
    /// Number of calls that were examined.
    pub of: usize,
    /// How many of the matches ran.
    pub ran: usize,
    /// How many of the matches the operator rejected.
    pub rejected: usize,
}

impl RuleHistoryView {
    /// Builds the view of a count.
    pub const fn of(would: &Would) -> Self {
        Self {
            matched: would.matched.len(),
            of: would.of,
            ran: would.ran,
            rejected: would.rejected,
        }
    }

    /// Describes what a rule with this gate would have decided.
    pub fn describe(self, gate: Gate) -> String {
        let verb = match gate {
            Gate::Allow => "allowed",
            Gate::Ask => "asked about",
            Gate::Deny => "denied",
        };
        let Self {
            matched,
            of,
            ran,
            rejected,
        } = self;
        format!(
            "would have {verb} {matched} of the {of} calls recorded here; {ran} of them ran, {rejected} you rejected"
        )
    }
}

/// A call that a rule decides immediately, or that can be approved with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WaitingView<'w> {
    /// The call.
    pub call: NodeId,
    /// Its revision.
    pub rev: Rev,
    /// Hash of what would run.
    pub digest: &'w Digest,
}

impl<'w> RuleView<'w> {
    /// Builds the view of a rule with this text and gate.
    pub fn of(text: String, gate: Gate, would: &'w Would) -> Self {
        let waiting = would.waiting.iter().map(|item| WaitingView {
            call: item.call,
            rev: item.rev,
            digest: &item.digest,
        });
        Self {
            rule: text,
            gate,
            history: RuleHistoryView::of(would),
            waiting: waiting.collect(),
            digest: bulk::digest(&would.waiting),
        }
    }
}

/// The rules of a session, a line each, in their visible form.
pub fn lines(state: &State) -> Vec<String> {
    let line = |one: &SessionRule| {
        let words = session::rule(one.no, &one.written)
            .map_or_else(|why| format!("unreadable: {why}"), |rule| rule.text);
        let dropped = if one.dropped { " (dropped)" } else { "" };
        format!("{}{dropped}: {}", rule::name(one.no), visible(&words))
    };
    state.settings.rules.iter().map(line).collect()
}
