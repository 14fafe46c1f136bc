//! Builds the view of a node: its content, and for a call its status, executions and repairs.
//!
//! Must not know: edges, the other nodes.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::Times;
use crate::call::CallStatusView;
use crate::node_line;
use overrule_domain::badge::{self, MarkedCalls};
use overrule_domain::call::{Call, EffectClass, ErrorClass, Outcome};
use overrule_domain::id::{Attempt, Epoch, NodeId, NodeKind, Rev, Seq, TurnId};
use overrule_domain::ladder::{Fix, Round};
use overrule_domain::node::{Channel, Content, Node, Origin};
use overrule_domain::repair::{Change, Diagnosis, Phase, Reply};
use overrule_domain::repair_trace::{self, ExitReason};
use overrule_domain::state::{LedgerOutcome, State};
use overrule_domain::why;
use overrule_resilience::policy::Policy;

/// Maximum number of columns of a description.
const DESCRIPTION: usize = 160;

/// A node.
#[derive(Debug, Clone, Serialize)]
pub struct NodeView<'s> {
    /// Its id.
    pub id: NodeId,
    /// The session and the id, which no other node has.
    pub uid: String,
    /// It in one visible line.
    pub description: String,
    /// When it was created and changed.
    #[serde(flatten)]
    pub times: NodeTimesView,
    /// Its kind.
    pub kind: &'static str,
    /// The turn that it belongs to.
    pub turn: TurnId,
    /// True if it is on the current branch.
    pub active: bool,
    /// Its revision.
    pub revision: Rev,
    /// Who wrote this revision, in a word.
    pub by: &'static str,
    /// The event that created it.
    pub seq: Seq,
    /// What it holds.
    #[serde(flatten)]
    pub content: ContentView<'s>,
    /// What is special about it; absent if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub badges: Vec<&'static str>,
    /// The rest of a call.
    #[serde(flatten)]
    pub call: Option<CallNodeView<'s>>,
}

/// When a node was created and changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NodeTimesView {
    /// UTC milliseconds since 1970; none if that is not recorded.
    pub created_at: Option<i64>,
    /// UTC milliseconds of its revision since 1970; none if that is not recorded.
    pub changed_at: Option<i64>,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ContentView<'s> {
    /// A prompt, a thought, an answer, an edit.
    Text {
        /// The text.
        text: &'s str,
        /// True for reasoning of the model; absent for other text.
        #[serde(skip_serializing_if = "is_false")]
        reasoning: bool,
    },
    /// A call.
    Call {
        /// The tool.
        tool: &'s str,
        /// The exact arguments.
        arguments: Cow<'s, str>,
    },
    /// A result.
    Result {
        /// The value.
        result: &'s str,
        /// The exit code of a command that is not one of its success codes.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit: Option<i32>,
    },
    /// An error.
    Error {
        /// What failed.
        error: ErrorView<'s>,
    },
    /// A cancelled execution.
    Cancelled {
        /// How far it came.
        cancelled: CancelledView,
    },
    /// A deleted node.
    Deleted {
        /// Always true.
        deleted: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// An error of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ErrorView<'s> {
    /// Its class.
    pub class: ErrorClass,
    /// What failed, on what, why.
    pub message: &'s str,
}

/// A cancelled execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CancelledView {
    /// True if it may have had an effect.
    pub executed: bool,
}

impl<'s> ContentView<'s> {
    /// Builds the view of the current revision; `args_of` gives the arguments of a call.
    pub(super) fn of(node: &'s Node, args_of: impl Fn(&'s str) -> Cow<'s, str>) -> Self {
        match &node.now().content {
            Content::Text { text, channel, .. } => Self::Text {
                text,
                reasoning: node.id.kind == NodeKind::Thought && *channel == Channel::Reasoning,
            },
            Content::Call { tool, args } => Self::Call {
                tool,
                arguments: args_of(args),
            },
            Content::Observation { outcome, .. } => match outcome {
                Outcome::Ok { value, exit, .. } => Self::Result {
                    result: value,
                    exit: *exit,
                },
                Outcome::Err(error) => Self::Error {
                    error: ErrorView {
                        class: error.class,
                        message: &error.message,
                    },
                },
                Outcome::Cancelled { executed } => Self::Cancelled {
                    cancelled: CancelledView { executed: *executed },
                },
            },
            Content::Deleted => Self::Deleted { deleted: true },
        }
    }
}

/// What a call has besides its content.
#[derive(Debug, Clone, Serialize)]
pub struct CallNodeView<'s> {
    /// The label that the model gave it, or its id.
    pub label: &'s str,
    /// Its status.
    #[serde(flatten)]
    pub status: CallStatusView<'s>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// Number of its executions.
    pub attempts: usize,
    /// Its executions, oldest first.
    pub executions: Vec<RanView<'s>>,
    /// Its way through the phases of repair.
    pub journey: JourneyView,
    /// Its rounds of repair, oldest first; absent without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<RoundView<'s>>,
    /// Why the model made it, in its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The exact argument bytes that ran or would run; absent before they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<&'s str>,
    /// Why it ended without a run, or what its repair needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'s str>,
    /// The sessions of its sub-agents, where the agent is another program; absent without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sub_agents: Vec<&'s str>,
}

/// An execution of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RanView<'s> {
    /// Its number among those of the call.
    pub attempt: Attempt,
    /// The revision that ran.
    pub revision: Rev,
    /// UTC milliseconds of its start since 1970; none if that is not recorded.
    pub started_at: Option<i64>,
    /// Milliseconds that it ran; none while its end is not recorded.
    pub ms: Option<u64>,
    /// The epoch that it ran in.
    #[serde(skip)]
    pub epoch: Epoch,
    /// How it ended; none while that is not recorded anywhere.
    #[serde(skip)]
    pub outcome: Option<Cow<'s, LedgerOutcome>>,
    /// Its process; none if there was none, or it is not recorded.
    #[serde(skip)]
    pub process: Option<u32>,
    /// True if its result came too late to count.
    #[serde(skip)]
    pub late: bool,
}

impl<'s> RanView<'s> {
    /// Builds the views of the executions of a call, oldest first. `times` has the times that are known.
    pub fn all(state: &'s State, call: &'s Call, times: &Times) -> impl Iterator<Item = Self> {
        call.attempts.iter().map(|one| {
            let entry = state.ledger.get(&one.intent);
            let known = || {
                one.outcome
                    .clone()
                    .map(|known| Cow::Owned(LedgerOutcome::Known(known)))
            };
            Self {
                attempt: one.no,
                revision: one.rev,
                started_at: times.get(&one.intent).copied(),
                ms: one.ms,
                epoch: one.epoch,
                outcome: entry.map(|entry| Cow::Borrowed(&entry.outcome)).or_else(known),
                process: one.launch.process.map(|(pid, _)| pid),
                late: one.fenced,
            }
        })
    }
}

/// The way of a call through the phases of repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JourneyView {
    /// The phase that it is in.
    #[serde(serialize_with = "phase")]
    pub state: Phase,
    /// Executions with different arguments so far.
    pub attempt: u32,
    /// How many there may be.
    pub of: u32,
    /// How it ended outside of these phases; none for calls that ran.
    #[serde(serialize_with = "exit")]
    pub left: Option<ExitReason>,
    /// The phases, in order.
    pub steps: Vec<PhaseView>,
}

/// A phase of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PhaseView {
    /// Which.
    #[serde(serialize_with = "phase")]
    pub state: Phase,
    /// The revision that took it.
    pub revision: Rev,
    /// Executions in it; absent for phases that run nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn phase<S: Serializer>(phase: &Phase, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(phase.name())
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn exit<S: Serializer>(left: &Option<ExitReason>, to: S) -> Result<S::Ok, S::Error> {
    left.map(ExitReason::label).serialize(to)
}

/// A round of repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoundView<'s> {
    /// Its number, from 1.
    pub round: u32,
    /// How many there may be.
    #[serde(skip)]
    pub of: u32,
    /// The revision that it repairs.
    pub revision: Rev,
    /// The class of the error.
    pub class: ErrorClass,
    /// What was found.
    pub found: &'s [Diagnosis],
    /// What the model was asked; none where rules were enough.
    pub asked: Option<&'s str>,
    /// How its requests broke that were made again, oldest first.
    #[serde(skip)]
    pub broke: &'s [Arc<str>],
    /// The answer of the model; none without one.
    pub answer: Option<&'s str>,
    /// Why the model gave no answer; none if it did, or has not yet.
    #[serde(skip)]
    pub no_answer: Option<&'s str>,
    /// What the operator may choose from.
    pub offered: &'s [Fix],
    /// What was changed.
    pub changes: &'s [Change],
    /// True if the repaired call succeeded; none while that is not known.
    pub helped: Option<bool>,
    /// Why no repair was made; none if one was.
    pub gave_up: Option<&'s str>,
}

impl<'s> NodeView<'s> {
    pub(super) fn of(
        state: &'s State,
        marked: &MarkedCalls,
        node: &'s Node,
        (session, times): (&str, &Times),
    ) -> Self {
        let badges = badge::of_marked(state, marked, node.id);
        let badges = badges.iter().map(|one| one.label()).filter(|_| node.active);
        Self {
            id: node.id,
            uid: format!("{session}/{}", node.id),
            description: node_line::line(state, node, DESCRIPTION),
            times: NodeTimesView {
                created_at: times.get(&node.born()).copied(),
                changed_at: times.get(&node.now().event).copied(),
            },
            kind: node.id.kind.label(),
            turn: node.turn,
            active: node.active,
            revision: node.rev(),
            by: author(&node.now().origin),
            seq: node.born(),
            content: ContentView::of(node, Cow::Borrowed),
            badges: badges.collect(),
            call: state
                .calls
                .get(&node.id)
                .map(|call| CallNodeView::of(state, (node, call), times)),
        }
    }
}

impl<'s> CallNodeView<'s> {
    fn of(state: &'s State, (node, call): (&'s Node, &'s Call), times: &Times) -> Self {
        let sub_agents = state.origin.agent.sub_agents_of(call.id);
        Self {
            label: &call.label,
            status: CallStatusView::of(state, call),
            effect: call.effect,
            attempts: call.attempts.len(),
            executions: RanView::all(state, call, times).collect(),
            journey: JourneyView::of(state, node),
            repairs: call.failure.repairs.iter().map(RoundView::of).collect(),
            why: why::of(node),
            resolved: call.resolved.as_deref(),
            because: call.validation.because.as_deref(),
            sub_agents: sub_agents.map(|link| &*link.session).collect(),
        }
    }
}

impl JourneyView {
    /// Builds the view of the way of a call.
    pub fn of(state: &State, node: &Node) -> Self {
        let way = repair_trace::of(state, node.id);
        let steps = way.steps.iter().map(|step| PhaseView {
            state: step.phase,
            revision: step.rev,
            executions: (step.phase == Phase::ExecuteTool).then_some(step.executions),
        });
        let tool = node.as_call().map_or("", |(tool, _)| &**tool);
        Self {
            state: way.now(),
            attempt: way.attempt,
            of: Policy::executions_in(state, tool),
            left: way.left,
            steps: steps.collect(),
        }
    }
}

impl<'s> RoundView<'s> {
    /// Builds the view of a round.
    pub fn of(one: &'s Round) -> Self {
        let (answer, no_answer) = match &one.reply {
            Some(Reply::Answered { text }) => (Some(&**text), None),
            Some(Reply::Failed { why }) => (None, Some(&**why)),
            None => (None, None),
        };
        Self {
            round: one.no,
            of: one.of,
            revision: one.rev,
            class: one.class,
            found: &one.diagnoses,
            asked: one.asked.as_ref().map(|question| &*question.prompt),
            broke: &one.broke,
            answer,
            no_answer,
            offered: &one.options,
            changes: &one.changes,
            helped: one.helped,
            gave_up: one.gave_up.as_deref(),
        }
    }
}

const fn author(origin: &Origin) -> &'static str {
    match origin {
        Origin::Model => "model",
        Origin::Execution => "execution",
        Origin::Operator { .. } => "operator",
        Origin::Repair { .. } => "repair",
        Origin::Engine { .. } => "engine",
        Origin::Reused { .. } => "reused",
        Origin::Import => "import",
    }
}
