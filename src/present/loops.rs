//! Builds the views of loops: what repeats, the steps against it, and what helped before.
//!
//! Must not know: how a repetition is found.

use serde::Serialize;

use overrule_domain::escape::pause::waits_for_operator;
use overrule_domain::escape::{Finding, Incident, Lesson, LoopStep, Proposal, Signature, Step, StepOutcome};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// A loop.
#[derive(Debug, Clone, Serialize)]
pub struct LoopView<'s> {
    /// Its number, from 1.
    pub incident: u32,
    /// True once no further step is taken.
    pub over: bool,
    /// True if it waits for the operator.
    pub waits: bool,
    /// What repeats, as recorded.
    pub finding: &'s Finding,
    /// The same, as a sentence.
    pub what: String,
    /// The steps taken, oldest first.
    pub steps: Vec<StepView<'s>>,
    /// What became of every kind of step, from mild to strong.
    pub proposals: Vec<ProposalView<'s>>,
    /// The calls that repeat, oldest first.
    #[serde(skip)]
    pub calls: Vec<LoopCallView<'s>>,
}

/// A call of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopCallView<'s> {
    /// The call.
    pub call: NodeId,
    /// The tool.
    pub tool: &'s str,
    /// The arguments as written.
    pub args: &'s str,
    /// Its status, in a few words.
    pub status: String,
}

/// A step against a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepView<'s> {
    /// Its node in the graph.
    pub node: NodeId,
    /// Its kind.
    pub step: LoopStep,
    /// Why it was chosen.
    pub why: &'s str,
    /// How it ended; none while that is not known.
    pub outcome: Option<StepOutcome>,
    /// Calls that are refused in the next turn.
    pub forbidden: &'s [Signature],
    /// The notice to the model.
    pub notice: Option<&'s str>,
}

impl<'s> StepView<'s> {
    /// Builds the view of a step.
    pub fn of(step: &'s Step) -> Self {
        Self {
            node: step.node,
            step: step.kind,
            why: &step.why,
            outcome: step.outcome,
            forbidden: &step.forbidden,
            notice: step.notice.as_deref(),
        }
    }
}

/// What became of one kind of step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProposalView<'s> {
    /// The kind.
    pub step: LoopStep,
    /// What became of it.
    #[serde(flatten)]
    pub state: ProposalState<'s>,
}

/// What became of a kind of step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ProposalState<'s> {
    /// It was taken.
    Taken {
        /// Its node in the graph.
        node: NodeId,
        /// How it ended; none while that is not known.
        outcome: Option<StepOutcome>,
    },
    /// It was skipped.
    Skipped {
        /// The reason; empty if none was recorded.
        why: &'s str,
    },
    /// It comes later.
    Later,
}

impl<'s> ProposalView<'s> {
    /// Lists what became of every kind of step, from mild to strong.
    pub fn all(incident: &'s Incident) -> Vec<Self> {
        let view = |(step, proposal): (LoopStep, Proposal<'s>)| Self {
            step,
            state: match proposal {
                Proposal::Taken(taken) => ProposalState::Taken {
                    node: taken.node,
                    outcome: taken.outcome,
                },
                Proposal::Skipped(why) => ProposalState::Skipped { why },
                Proposal::Later => ProposalState::Later,
            },
        };
        incident.proposals().map(view).collect()
    }
}

impl<'s> LoopView<'s> {
    /// Builds the view of a loop.
    pub fn of(state: &'s State, incident: &'s Incident) -> Self {
        let calls = incident.finding.nodes.iter().filter_map(|id| {
            let (tool, args) = state.nodes.get(id).and_then(Node::as_call)?;
            let status = state.calls.get(id).map(|call| call.status.label().into_owned());
            Some(LoopCallView {
                call: *id,
                tool,
                args,
                status: status.unwrap_or_default(),
            })
        });
        Self {
            incident: incident.no,
            over: incident.over,
            waits: waits_for_operator(state, incident),
            finding: &incident.finding,
            what: incident.finding.describe(),
            steps: incident.steps.iter().map(StepView::of).collect(),
            proposals: ProposalView::all(incident),
            calls: calls.collect(),
        }
    }

    /// Lists the loops of a run, oldest first.
    pub fn all(state: &'s State) -> impl DoubleEndedIterator<Item = Self> {
        let incidents = state.learned.escape.incidents.iter();
        incidents.map(|incident| Self::of(state, incident))
    }
}

/// What helped against loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LessonsView {
    /// In this session.
    pub lessons: Vec<LessonView>,
    /// In earlier sessions.
    pub earlier_sessions: Vec<LessonView>,
}

impl LessonsView {
    /// Builds the view; `None` without data.
    pub fn of(state: &State) -> Option<Self> {
        let list = |all: Vec<Lesson>| all.into_iter().map(LessonView::of).collect::<Vec<_>>();
        let (lessons, earlier_sessions) = (
            list(state.learned.escape.lessons()),
            list(state.learned.escape.earlier_lessons()),
        );
        (!lessons.is_empty() || !earlier_sessions.is_empty()).then_some(Self {
            lessons,
            earlier_sessions,
        })
    }

    /// Describes what helped, in one line.
    pub fn describe(&self) -> String {
        let of = |one: &LessonView| format!("{} {} of {}", one.step.short(), one.helped, one.tried);
        let list = |all: &[LessonView]| all.iter().map(of).collect::<Vec<_>>().join(", ");
        let (now, earlier) = (list(&self.lessons), list(&self.earlier_sessions));
        if earlier.is_empty() {
            format!("what helped so far: {now}")
        } else if now.is_empty() {
            format!("what helped in earlier sessions: {earlier}")
        } else {
            format!("what helped so far: {now}; in earlier sessions: {earlier}")
        }
    }
}

/// How one kind of step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LessonView {
    /// The kind.
    pub step: LoopStep,
    /// Steps of this kind with a known outcome.
    pub tried: u32,
    /// Steps after which the run made progress.
    pub helped: u32,
}

impl LessonView {
    const fn of(one: Lesson) -> Self {
        Self {
            step: one.kind,
            tried: one.tried,
            helped: one.helped,
        }
    }
}
