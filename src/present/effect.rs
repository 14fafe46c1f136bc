//! Builds the view of an execution with an effect: what ran, how it ended, what would revert it.
//!
//! Must not know: where effects are listed, how many are shown.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{outcome, ser};
use overrule_base::text::visible;
use overrule_domain::call::{Decision, EffectClass, Outcome};
use overrule_domain::envelope::Via;
use overrule_domain::fork::{Elsewhere, Happened};
use overrule_domain::id::{Attempt, Epoch, NodeId, Rev, Seq};
use overrule_domain::ledger::{self, Row};
use overrule_domain::repeat::{self, Earlier};
use overrule_domain::state::{LedgerEntry, LedgerOutcome, State};
use overrule_domain::template::{self, Filled, NotOffered};
use overrule_domain::thread;

/// How an execution ended, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// It runs.
    Running,
    /// Its end is not known.
    Unknown,
    /// It did not happen.
    DidNot,
    /// It gave a value.
    Ok,
    /// It ended with an exit code that is not one of its success codes.
    Exit,
    /// It failed.
    Error,
    /// It was cancelled.
    Cancelled,
}

impl OutcomeKind {
    /// The kind of a ledger entry.
    pub const fn of(outcome: &LedgerOutcome) -> Self {
        match outcome {
            LedgerOutcome::Running => Self::Running,
            LedgerOutcome::Unknown => Self::Unknown,
            LedgerOutcome::DidNot => Self::DidNot,
            LedgerOutcome::Known(outcome) => Self::of_known(outcome),
        }
    }

    const fn of_known(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Ok { exit: Some(_), .. } => Self::Exit,
            Outcome::Ok { .. } => Self::Ok,
            Outcome::Err(_) => Self::Error,
            Outcome::Cancelled { .. } => Self::Cancelled,
        }
    }
}

/// An execution: a tool with its exact arguments, at a time, with an outcome.
#[derive(Debug, Clone, Serialize)]
pub struct ExecutionView<'s> {
    /// Its number: the event of its intent.
    pub entry: Seq,
    /// UTC milliseconds of its intent since 1970.
    pub at: i64,
    /// The call.
    pub call: NodeId,
    /// The revision of the call.
    pub rev: Rev,
    /// Its number among the executions of the call.
    pub attempt: Attempt,
    /// The tool.
    pub tool: &'s str,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// The exact argument bytes that ran.
    pub args: &'s str,
    /// How it ended.
    #[serde(serialize_with = "kind")]
    pub outcome: &'s LedgerOutcome,
    /// The epoch that it ran in.
    pub epoch: Epoch,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn kind<S: Serializer>(outcome: &&LedgerOutcome, to: S) -> Result<S::Ok, S::Error> {
    OutcomeKind::of(outcome).serialize(to)
}

impl<'s> ExecutionView<'s> {
    /// Builds the view of a ledger entry.
    pub fn of(state: &'s State, entry: &'s LedgerEntry) -> Self {
        Self {
            entry: entry.seq,
            at: entry.at,
            call: entry.call,
            rev: entry.rev,
            attempt: entry.attempt,
            tool: &entry.tool,
            effect: entry.effect,
            args: ledger::args(state, entry),
            outcome: &entry.outcome,
            epoch: entry.epoch,
        }
    }
}

/// An execution with what was decided on it, what became of it, and what could be done about it.
#[derive(Debug, Clone, Serialize)]
pub struct EffectView<'s> {
    /// The execution.
    #[serde(flatten)]
    pub execution: ExecutionView<'s>,
    /// The decision that approved it.
    pub consent: Option<&'s Decision>,
    /// Where that decision was made; none if no person made it, or it is not recorded.
    pub via: Option<Via>,
    /// True if an edit superseded its call and no active call has its result.
    pub orphaned: bool,
    /// The call that reverted it.
    pub reverted: Option<NodeId>,
    /// The call that would probe it.
    pub probe: OfferView,
    /// The call that would revert it.
    pub compensate: OfferView,
}

impl<'s> EffectView<'s> {
    /// Builds the view of a row of the ledger.
    pub fn of(state: &'s State, row: &Row<'s>) -> Self {
        let entry = row.entry;
        Self {
            execution: ExecutionView::of(state, entry),
            consent: row.consent,
            via: row.via,
            orphaned: ledger::is_orphaned(state, entry),
            reverted: ledger::taken_back(state, entry),
            probe: template::probe_entry(state, entry.seq).into(),
            compensate: template::compensate_of(state, entry.seq).into(),
        }
    }

    /// Builds the view of an execution by its number; `None` for one of another session.
    pub fn find(state: &'s State, seq: Seq) -> Option<Self> {
        let entry = state.ledger.get(&seq)?;
        Some(Self::of(state, &ledger::row(state, entry)))
    }
}

/// A call that a template gives, or why it gives none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OfferView {
    /// The call.
    Call(InsertView),
    /// Why there is none.
    Not {
        /// The reason.
        #[serde(rename = "not", serialize_with = "ser::display")]
        why: NotOffered,
    },
}

impl From<Result<Filled, NotOffered>> for OfferView {
    fn from(filled: Result<Filled, NotOffered>) -> Self {
        match filled {
            Ok(Filled { tool, args }) => Self::Call(InsertView { tool, args }),
            Err(why) => Self::Not { why },
        }
    }
}

/// A call that is not in the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InsertView {
    /// The tool.
    pub tool: Arc<str>,
    /// The exact argument bytes.
    pub args: Arc<str>,
}

/// An effect of another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ElsewhereView<'s> {
    /// The session that it happened in.
    pub session: &'s str,
    /// The event of its intent there.
    pub entry: Seq,
    /// The call there.
    pub call: NodeId,
    /// The tool.
    pub tool: &'s str,
    /// The exact argument bytes that ran; empty where they are not known.
    pub args: &'s str,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// UTC milliseconds of its intent since 1970.
    pub at: i64,
    /// How it ended.
    pub outcome: OutcomeKind,
}

impl<'s> ElsewhereView<'s> {
    /// Builds the view of an effect of another session.
    pub fn of(one: &'s Elsewhere) -> Self {
        Self {
            session: &one.session,
            entry: one.entry,
            call: one.call,
            tool: &one.tool,
            args: &one.args,
            effect: one.effect,
            at: one.at,
            outcome: one
                .outcome
                .as_ref()
                .map_or(OutcomeKind::Unknown, OutcomeKind::of_known),
        }
    }
}

/// An effect of the session that this one was forked from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForeignView<'s> {
    /// The event of this session that recorded it.
    pub recorded: Seq,
    /// The effect.
    pub elsewhere: ElsewhereView<'s>,
}

impl<'s> ForeignView<'s> {
    /// Lists the later effects of the session that this one was forked from.
    pub fn all(state: &'s State) -> impl Iterator<Item = Self> {
        let foreign = |(seq, one): (&Seq, &'s Happened)| Self::of(*seq, &one.what);
        state.origin.elsewhere.iter().map(foreign)
    }

    pub(super) fn of(recorded: Seq, one: &'s Elsewhere) -> Self {
        let elsewhere = ElsewhereView::of(one);
        Self { recorded, elsewhere }
    }
}

/// An effect that began after the damage of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AfterDamageView<'s> {
    /// The effect.
    pub after_damage: ElsewhereView<'s>,
}

/// An execution that a waiting call would repeat.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum RepeatView<'s> {
    /// One of this session.
    Here(RepeatedView<'s>),
    /// One of the session that this one was forked from.
    Elsewhere(ForeignView<'s>),
}

/// An execution of this session that a waiting call would repeat.
#[derive(Debug, Clone, Serialize)]
pub struct RepeatedView<'s> {
    /// Its number.
    pub entry: Seq,
    /// The call.
    pub call: NodeId,
    /// The calls whose sub-agents it is made for, from the outside in.
    pub path: Vec<NodeId>,
    /// The revision of the call.
    pub rev: Rev,
    /// How it ended.
    #[serde(serialize_with = "kind")]
    pub outcome: &'s LedgerOutcome,
    /// True if nothing replaced it.
    pub active: bool,
    /// What replaced it, as a sentence.
    pub since: String,
    /// The call that reverted it.
    pub reverted: Option<NodeId>,
}

impl<'s> RepeatView<'s> {
    /// Builds the view of an execution that a call would repeat.
    pub fn of(state: &'s State, one: Earlier<'s>) -> Self {
        match one {
            Earlier::Here(entry) => {
                let since = repeat::since(state, entry);
                Self::Here(RepeatedView {
                    entry: entry.seq,
                    call: entry.call,
                    path: thread::path(state, entry.call),
                    rev: entry.rev,
                    outcome: &entry.outcome,
                    active: since.counts(),
                    since: since.describe(),
                    reverted: ledger::taken_back(state, entry),
                })
            }
            Earlier::Elsewhere(seq, one) => Self::Elsewhere(ForeignView::of(seq, one)),
        }
    }

    /// Describes it in one sentence that is safe to show.
    pub fn describe(&self, state: &State) -> String {
        match self {
            Self::Here(one) => {
                let words = format!(
                    "it repeats {} {}, {}; {}",
                    thread::named(state, one.call),
                    one.entry,
                    outcome(one.outcome),
                    one.since
                );
                match one.reverted {
                    Some(by) => format!("{words}; reverted by {by}"),
                    None => words,
                }
            }
            Self::Elsewhere(one) => happened(&one.elsewhere),
        }
    }
}

/// Describes an effect of another session in one sentence that is safe to show.
pub fn happened(one: &ElsewhereView<'_>) -> String {
    let how = match one.outcome {
        OutcomeKind::Ok | OutcomeKind::Exit => "happened after the fork point and is not undone",
        OutcomeKind::Unknown | OutcomeKind::Running => {
            "started after the fork point; its outcome was unknown when the fork was made"
        }
        OutcomeKind::Error | OutcomeKind::Cancelled | OutcomeKind::DidNot => {
            "failed after the fork point and may have had an effect"
        }
    };
    format!("{} of session {} {how}", one.call, visible(one.session))
}
