//! Compares two branches node by node.
//!
//! Must not know: how it is shown.

use super::{Sum, counted, end, line, of, sum};
use crate::call::Status;
use crate::history::{Line, Then};
use crate::id::{Epoch, NodeId, NodeKind, Rev};
use crate::node::{Content, Node};
use crate::state::State;

/// Two branches, compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The first branch.
    pub a: Epoch,
    /// The second branch.
    pub b: Epoch,
    /// Results and costs of the first branch.
    pub sum_a: Sum,
    /// Results and costs of the second branch.
    pub sum_b: Sum,
    /// Every node that is active on one of them, in journal order.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Nodes with the same content on both.
    pub fn same(&self) -> usize {
        self.rows.iter().filter(|row| row.same).count()
    }

    /// True if the branches do not differ, whatever they cost.
    pub fn is_equal(&self) -> bool {
        self.same() == self.rows.len()
    }
}

/// A node on two branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The node.
    pub node: NodeId,
    /// The active revision on the first branch; none if it is not active there.
    pub a: Option<Rev>,
    /// The same on the second branch.
    pub b: Option<Rev>,
    /// Whether content and result are the same on both.
    pub same: bool,
    /// Why a call has no result on the first branch, as a word; none if it has one, and for other
    /// nodes.
    pub left_a: Option<&'static str>,
    /// The same on the second branch.
    pub left_b: Option<&'static str>,
}

/// Compares the branches of two epochs at their ends.
pub fn compare(state: &State, a: Epoch, b: Epoch) -> Comparison {
    let (line_a, line_b) = (line(state, end(state, a)), line(state, end(state, b)));
    let rows = state
        .nodes
        .values()
        .filter(|node| node.id.kind != NodeKind::Intervention)
        .filter_map(|node| {
            let on_a = counted(state, node.id, &line_a);
            let on_b = counted(state, node.id, &line_b);
            let left_a = on_a.and_then(|_| left(state, node.id, &line_a));
            let left_b = on_b.and_then(|_| left(state, node.id, &line_b));
            let text = |one| on_b.is_some_and(|other| same_content(node, one, other));
            (on_a.is_some() || on_b.is_some()).then(|| Row {
                node: node.id,
                a: on_a,
                b: on_b,
                same: on_a.is_some_and(text) && left_a == left_b,
                left_a,
                left_b,
            })
        })
        .collect();
    Comparison {
        a: of(state, a),
        b: of(state, b),
        sum_a: sum(state, &line_a),
        sum_b: sum(state, &line_b),
        rows,
    }
}

/// The end of a call without a result at the end of a line.
fn left(state: &State, id: NodeId, line: &Line) -> Option<&'static str> {
    let call = state.calls.get(&id)?;
    let status = match call.history.at(line) {
        Then::Absent => return None,
        Then::Now => &call.status,
        Then::Was(way) => &way.status,
    };
    let gave = matches!(status, Status::Succeeded | Status::Exited(_) | Status::Failed(_));
    (status.is_settled() && !gave).then(|| status.base_label())
}

fn same_content(node: &Node, one: Rev, other: Rev) -> bool {
    if one == other {
        return true;
    }
    match (node.revision(one), node.revision(other)) {
        (Some(one), Some(other)) => match (&one.content, &other.content) {
            // The execution that gave a value does not matter.
            (Content::Observation { outcome: one, .. }, Content::Observation { outcome: other, .. }) => {
                one == other
            }
            (one, other) => one == other,
        },
        _ => false,
    }
}
