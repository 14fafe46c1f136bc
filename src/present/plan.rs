//! Builds the view of the plan of an edit: which nodes are superseded, which calls run, what it costs.
//!
//! Must not know: how a plan is made, how a change is committed.

use serde::Serialize;

use super::effect::InsertView;
use overrule_base::text::visible;
use overrule_domain::call::EffectClass;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::id::{NodeId, Seq, TurnId};
use overrule_domain::lineage::{LostInput, ModelRequest, Plan};
use overrule_domain::state::State;

/// What an edit, an undo or a switch would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "plan")]
pub struct PlanView<'p> {
    /// The newest event that the plan takes into account.
    pub seen: Seq,
    /// What becomes of nodes.
    #[serde(flatten)]
    pub nodes: PlanNodesView<'p>,
    /// What becomes of calls.
    #[serde(flatten)]
    pub calls: PlanCallsView<'p>,
    /// Calls that read a name which no call gives a value any more.
    pub lost_inputs: Vec<LostInputView<'p>>,
    /// Effects that happened already and stay.
    pub effects: Vec<PlanEffectView<'p>>,
    /// The next request to the model.
    #[serde(flatten)]
    pub request: PlanRequestView,
    /// Later turns that are kept although the model saw something else.
    pub drifted: &'p [TurnId],
    /// Later turns that are suspended until the results that they depend on are known.
    pub suspended: &'p [TurnId],
    /// The calls that it inserts.
    pub insert: Vec<InsertView>,
}

/// What becomes of the nodes of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanNodesView<'p> {
    /// Nodes that are superseded.
    pub superseded: &'p [NodeId],
    /// Nodes that are superseded if a result comes out different.
    pub perhaps: &'p [NodeId],
    /// Nodes of an earlier branch that are active again.
    pub recalled: &'p [NodeId],
    /// Finished calls that keep their results.
    pub unchanged: &'p [NodeId],
    /// Corrections that are kept.
    pub corrections: &'p [NodeId],
    /// Corrections that may be lost: they are kept only where the model makes the same call again.
    pub corrections_may_be_lost: &'p [NodeId],
    /// Corrections that are lost.
    pub corrections_lost: &'p [NodeId],
}

/// What becomes of the calls of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanCallsView<'p> {
    /// Calls that run, or run again, if the policy lets them.
    pub certain: &'p [NodeId],
    /// Calls that run if a result comes out different.
    pub may: Vec<NodeId>,
    /// Of both: calls that never ran with what they would run with.
    pub first_runs: &'p [NodeId],
    /// Running calls that are cancelled.
    pub cancelled: &'p [NodeId],
    /// Calls that finish before the model is asked again.
    pub drained: &'p [NodeId],
    /// Calls that the commit approves.
    pub approves: &'p [NodeId],
    /// Calls that wait for consent, because an equal effect is recorded.
    pub consents: &'p [NodeId],
    /// The same calls by what happens to them.
    #[serde(skip)]
    pub by_fate: PlanFates,
}

/// The calls of a plan that run or may run, each in one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFates {
    /// They run for the first time.
    pub run: Vec<NodeId>,
    /// They run for the first time if the policy lets them, or ask.
    pub run_or_ask: Vec<NodeId>,
    /// They run again.
    pub run_again: Vec<NodeId>,
    /// They may run for the first time.
    pub may_run: Vec<NodeId>,
    /// They may run again.
    pub may_run_again: Vec<NodeId>,
}

/// A reference of a call that no call gives a value after an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostInputView<'p> {
    /// The call that reads it.
    pub reader: NodeId,
    /// The reference, as `†state.notes`.
    pub reference: &'p str,
    /// The call that gave the value before.
    pub writer: NodeId,
}

impl<'p> LostInputView<'p> {
    fn of(lost: &'p LostInput) -> Self {
        Self {
            reader: lost.reader,
            reference: &lost.reference,
            writer: lost.writer,
        }
    }
}

/// An effect that happened already under what a plan replaces or runs again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanEffectView<'p> {
    /// The call.
    pub call: NodeId,
    /// The tool.
    pub tool: &'p str,
    /// What it can do to the world.
    pub effect: EffectClass,
}

/// The request to the model that follows a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanRequestView {
    /// True if the model is asked again for certain.
    pub asks: bool,
    /// True if it is asked again only if a result comes out different.
    pub asks_if_different: bool,
    /// Estimated tokens of that request.
    pub tokens: u64,
    /// What sending them costs, with the currency; none without a price.
    pub cost: Option<String>,
}

impl PlanRequestView {
    /// True if the model is or may be asked again.
    pub const fn perhaps(&self) -> bool {
        self.asks || self.asks_if_different
    }
}

impl<'p> PlanView<'p> {
    /// Builds the view of a plan, and of the calls that its command inserts.
    pub fn of(state: &'p State, plan: &'p Plan, command: Option<&Command>) -> Self {
        let (run, run_or_ask) = plan.first();
        let (may_run, may_run_again) = plan.perhaps();
        let may = plan.possible.iter().filter(|id| !plan.is_certain(**id));
        let entries = plan.effects.iter().filter_map(|seq| state.ledger.get(seq));
        Self {
            seen: plan.seen,
            nodes: PlanNodesView {
                superseded: &plan.superseded,
                perhaps: &plan.perhaps,
                recalled: &plan.recalled,
                unchanged: &plan.unchanged,
                corrections: &plan.corrections,
                corrections_may_be_lost: &plan.corrections_may_be_lost,
                corrections_lost: &plan.corrections_lost,
            },
            calls: PlanCallsView {
                certain: &plan.certain,
                may: may.copied().collect(),
                first_runs: &plan.first_runs,
                cancelled: &plan.cancelled,
                drained: &plan.drained,
                approves: &plan.approves,
                consents: &plan.consents,
                by_fate: PlanFates {
                    run,
                    run_or_ask,
                    run_again: plan.again(),
                    may_run,
                    may_run_again,
                },
            },
            lost_inputs: plan.lost_inputs.iter().map(LostInputView::of).collect(),
            effects: entries
                .map(|entry| PlanEffectView {
                    call: entry.call,
                    tool: &entry.tool,
                    effect: entry.effect,
                })
                .collect(),
            request: PlanRequestView {
                asks: plan.asks == ModelRequest::Yes,
                asks_if_different: plan.asks == ModelRequest::IfDifferent,
                tokens: plan.tokens,
                cost: plan.cost.as_ref().map(ToString::to_string),
            },
            drifted: &plan.drifted,
            suspended: &plan.held,
            insert: command.map(inserts).unwrap_or_default(),
        }
    }
}

impl PlanView<'_> {
    /// The lost inputs in words, one for each reader. Visible form.
    pub fn lost_inputs(&self) -> Vec<String> {
        let same_reader = |one: &LostInputView<'_>, other: &LostInputView<'_>| one.reader == other.reader;
        let by_reader = self.lost_inputs.chunk_by(same_reader).filter_map(|lost| {
            let names = lost
                .iter()
                .map(|one| format!("{}, which {} gave", visible(one.reference), one.writer));
            let names: Vec<String> = names.collect();
            Some(format!("{} reads {}", lost.first()?.reader, names.join(", and ")))
        });
        by_reader.collect()
    }
}

/// The calls that a command inserts.
fn inserts(command: &Command) -> Vec<InsertView> {
    let Command::Edit(EditCommand::Commit { edits, .. }) = command else {
        return Vec::new();
    };
    let inserted = edits.iter().filter_map(|edit| match edit {
        Edit::InsertCall { tool, args, .. } => Some(InsertView {
            tool: tool.clone(),
            args: args.clone(),
        }),
        _ => None,
    });
    inserted.collect()
}
