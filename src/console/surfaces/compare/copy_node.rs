//! Previews copying a node from another branch.
//!
//! Must not know: how branches are compared.

use crate::kernel::availability::offered;
use crate::kernel::context::on;
use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::kernel::verb::{About, Availability, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::run::target::Target;
use crate::surfaces;
use crate::surfaces::branches::verbs::{already_current, in_pane, in_pane_leads, on_other_branch, selected};
use crate::surfaces::compare::Comparison;
use crate::surfaces::review::{Whose, preview};
use overrule_domain::branch;
use overrule_domain::command::Edit;
use overrule_domain::id::{Epoch, NodeId};

/// The verb `pane-copy`.
pub const PANE_COPY: Verb = Verb {
    name: "pane-copy",
    keys: &["alt-t"],
    contexts: &[on(surfaces::branch_pane::PANE.id())],
    doc: "copy the node selected in the graph from the branch under the cursor; previews it first",
    hint: "copy node",
    rank: in_pane_leads,
    about: About::Node,
    effect: Effect::Records,
    available: |model| offered(on_other_branch(model) && subject(model).is_some()),
    run: |model, _| copy(model),
    ..Verb::BASE
};

/// The verb `branch-copy`.
pub const BRANCH_COPY: Verb = Verb {
    name: "branch-copy",
    keys: &["t"],
    contexts: &[on(super::ID)],
    doc: "copy the node from the other branch; previews it first",
    hint: "copy node",
    available: |_| Availability::Offered,
    ..PANE_COPY
};

/// Previews copying the node under the cursor.
fn copy(model: &mut Model) -> Result<(), Refusal> {
    if in_pane(model) {
        let from = selected(model)?;
        let node = subject(model).ok_or_else(|| Refusal::not_selected("node"))?;
        return take_from(model, node.call(), from);
    }
    let open = model.stack.top::<Comparison>();
    let open = open.ok_or_else(|| Refusal::not_open("The comparison"))?;
    let Some(Target::Node(node)) = open.list.selected else {
        return Err(Refusal::not_selected("node"));
    };
    let (a, b, all, at) = (open.a, open.b, open.all, open.list.at);
    let pair = model.cached.branch_diff(&model.run.state, (a, b)).pair(all, at);
    // Copies from the other side into the current branch.
    let (from, side) = if b == branch::current(&model.run.state) {
        (a, pair.and_then(|pair| pair.a))
    } else {
        (b, pair.and_then(|pair| pair.b))
    };
    take_from(model, side.map_or(node, |side| side.node), from)
}

/// Previews copying a node from a branch.
fn take_from(model: &mut Model, node: NodeId, from: Epoch) -> Result<(), Refusal> {
    if from == branch::current(&model.run.state) {
        return Err(already_current(from));
    }
    let line = branch::line(&model.run.state, branch::end(&model.run.state, from));
    let there = |id: NodeId| branch::counted(&model.run.state, id, &line).is_some();
    if !there(node.observation()) {
        let why = if there(node) { "no result" } else { "not active" };
        return Err(Refusal::new(format!(
            "Cannot copy {node}: {why} on branch {}. Choose another branch",
            from.0
        )));
    }
    let here = model
        .run
        .state
        .node(node.observation())
        .filter(|node| node.active);
    let base = here.map(overrule_domain::node::Node::rev);
    preview::edits(model, vec![Edit::Copy { node, base, from }], Whose::New);
    Ok(())
}
