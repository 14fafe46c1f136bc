//! Builds the views of branches: what each is, what it cost, how two of them differ.
//!
//! Must not know: which branch is selected, how much of a text is shown.

use serde::Serialize;

use super::branch_diff::{BranchDiff, Pair, Side};
use super::content_text;
use overrule_domain::branch::{self, Branch, Sum};
use overrule_domain::id::{Epoch, NodeId, Rev};
use overrule_domain::state::State;

/// The result and the costs of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SumView<'b> {
    /// The active answer.
    pub answer: Option<NodeId>,
    /// Its text.
    pub text: Option<&'b str>,
    /// Active calls.
    pub calls: usize,
    /// Executions of these calls.
    pub executions: usize,
    /// Requests to the model.
    pub requests: u32,
    /// Tokens sent; none if no request reported them.
    pub tokens_in: Option<u64>,
    /// True if the program estimated tokens that the provider did not report.
    pub tokens_estimated: bool,
    /// Tokens received; none if no request reported them.
    pub tokens_out: Option<u64>,
    /// What these requests cost, with the currency; none without a price.
    pub cost: Option<String>,
}

impl<'b> SumView<'b> {
    /// Builds the view of a sum.
    pub fn of(sum: &'b Sum) -> Self {
        Self {
            answer: sum.answer,
            text: sum.text.as_deref(),
            calls: sum.calls,
            executions: sum.executions,
            requests: sum.requests,
            tokens_in: sum.usage.input,
            tokens_estimated: sum.usage.is_estimated,
            tokens_out: sum.usage.output,
            cost: sum.spent.describe(),
        }
    }
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BranchView<'b> {
    /// Its number: the epoch that began it.
    pub branch: Epoch,
    /// The branch that it began from; its own number for the first one.
    pub base: Epoch,
    /// True for the current branch.
    pub current: bool,
    /// Its name.
    pub name: Option<&'b str>,
    /// The edit that began it; further edits of the same commit are counted.
    pub what: String,
    /// Its result and costs.
    #[serde(flatten)]
    pub sum: SumView<'b>,
}

impl<'b> BranchView<'b> {
    /// Builds the view of a branch.
    pub fn of(state: &State, branch: &'b Branch) -> Self {
        Self {
            branch: branch.epoch,
            base: branch.base,
            current: branch.current,
            name: branch.name.as_deref(),
            what: what(state, branch.epoch),
            sum: SumView::of(&branch.sum),
        }
    }
}

/// The edit that began an epoch; further edits of the same commit are counted. Contains untrusted text.
pub fn what(state: &State, epoch: Epoch) -> String {
    let Some(record) = branch::record(state, epoch) else {
        return "as the run began".to_owned();
    };
    let edits = state.operator.edits.iter().rev();
    let own = edits
        .skip_while(|edit| edit.epoch > epoch)
        .take_while(|edit| edit.epoch == epoch);
    match own.count() {
        0 | 1 => record.what.to_string(),
        several => format!("{} and {} more", record.what, several - 1),
    }
}

/// The number, name and edit of a branch, as text. Contains untrusted text.
pub fn title(state: &State, epoch: Epoch) -> String {
    let record = branch::record(state, epoch);
    let what = what(state, epoch);
    match record.and_then(|record| record.name.as_ref()) {
        Some(name) => format!("branch {} \"{name}\" ({what})", epoch.0),
        None => format!("branch {} ({what})", epoch.0),
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideView<'b> {
    /// The branch.
    pub branch: Epoch,
    /// Its result and costs.
    pub sum: SumView<'b>,
}

/// Two branches, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompareView<'b> {
    /// The first branch.
    pub a: SideView<'b>,
    /// The second branch.
    pub b: SideView<'b>,
    /// Number of nodes that are the same on both.
    pub same: usize,
    /// True if no node differs.
    pub equal: bool,
    /// The nodes that differ, or all of them.
    pub nodes: Vec<ComparedView>,
    /// Number of all nodes.
    #[serde(skip)]
    pub of: usize,
}

impl<'b> CompareView<'b> {
    /// Builds the view of a comparison; with the nodes that are the same if `all`.
    pub fn of(state: &State, found: &'b BranchDiff, all: bool) -> Self {
        let side = |branch, sum| SideView {
            branch,
            sum: SumView::of(sum),
        };
        let comparison = &found.comparison;
        let (same, of) = found.nodes();
        Self {
            a: side(comparison.a, &comparison.sum_a),
            b: side(comparison.b, &comparison.sum_b),
            same,
            equal: found.is_equal(),
            nodes: found
                .pairs(all)
                .map(|pair| ComparedView::of(state, pair))
                .collect(),
            of,
        }
    }
}

/// A node of one branch and its counterpart on the other, a call with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedView {
    /// The node on the first branch; none if it has no counterpart there.
    pub node_a: Option<NodeId>,
    /// The same on the second branch.
    pub node_b: Option<NodeId>,
    /// Its active revision on the first branch.
    pub a: Option<Rev>,
    /// The same on the second branch.
    pub b: Option<Rev>,
    /// True if content and result are the same on both.
    pub same: bool,
    /// The parts that differ; empty if a side is missing.
    pub differs: Vec<&'static str>,
    /// Its text on the first branch.
    pub text_a: Option<String>,
    /// Its text on the second branch.
    pub text_b: Option<String>,
    /// The text of its result on the first branch.
    pub result_a: Option<String>,
    /// The same on the second branch.
    pub result_b: Option<String>,
    /// Who gave its result on the first branch, or why a call has none; none for the result of an execution.
    pub source_a: Option<&'static str>,
    /// The same on the second branch.
    pub source_b: Option<&'static str>,
}

impl ComparedView {
    fn of(state: &State, pair: &Pair) -> Self {
        let text = |side: Option<Side>| side?.content(state).map(content_text);
        let result = |side: Option<Side>| side?.outcome(state).map(content_text);
        let source = |side: Option<Side>| side?.source(state);
        let (a, b) = (pair.a, pair.b);
        Self {
            node_a: a.map(|side| side.node),
            node_b: b.map(|side| side.node),
            a: a.map(|side| side.rev),
            b: b.map(|side| side.rev),
            same: pair.is_same(),
            differs: pair.differs.clone(),
            text_a: text(a),
            text_b: text(b),
            result_a: result(a),
            result_b: result(b),
            source_a: source(a),
            source_b: source(b),
        }
    }
}
