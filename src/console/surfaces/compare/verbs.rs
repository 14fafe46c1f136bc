//! Compares two branches.
//!
//! Must not know: how branches are compared.

use crate::kernel::availability::live;
use crate::kernel::context::on;
use crate::kernel::model::Model;
use crate::kernel::verb::Verb;
use crate::run::refusal::Refusal;
use crate::surfaces;
use crate::surfaces::branches::verbs::{in_pane, in_pane_leads, listing, on_branch, selected};
use crate::surfaces::compare::Comparison;
use overrule_domain::branch;
use overrule_domain::id::Epoch;

/// The verb `branch-compare`.
pub const BRANCH_COMPARE: Verb = Verb {
    name: "branch-compare",
    keys: &["c"],
    contexts: &[on(surfaces::branches::ID)],
    doc: "compare the branch with its parent, or with the marked one",
    hint: "compare",
    rank: in_pane_leads,
    available: |model| live(model, on_branch(model, |epoch| pair(model, epoch).is_some())),
    run: |model, _| compare(model),
    ..Verb::BASE
};

/// The verb `pane-compare`.
pub const PANE_COMPARE: Verb = Verb {
    name: "pane-compare",
    keys: &["alt-c"],
    contexts: &[on(surfaces::branch_pane::PANE.id())],
    doc: "compare the branch under the cursor with its parent, or with the marked one",
    hint: "compare",
    ..BRANCH_COMPARE
};

/// The verb `compare-all`.
pub const COMPARE_ALL: Verb = Verb {
    name: "compare-all",
    keys: &["s", "space"],
    contexts: &[on(super::ID)],
    doc: "list all nodes, or only those that differ",
    hint: "all nodes",
    label: |model| lists_all(model).then_some("only what differs"),
    available: |model| live(model, true),
    run: |model, _| {
        compare_all(model);
        Ok(())
    },
    ..Verb::BASE
};

/// True if a comparison lists equal nodes too.
fn lists_all(model: &Model) -> bool {
    model.stack.top::<Comparison>().is_some_and(|open| open.all)
}

/// The branches to compare: the marked one, else the parent, else for the first branch the current one; and a branch.
/// None if they are the same.
fn pair(model: &Model, b: Epoch) -> Option<(Epoch, Epoch)> {
    let state = &model.run.state;
    let marked = listing(model).map_or(model.lower.marked, |open| open.marked);
    let parent = || branch::record(state, b).map(|record| branch::of(state, record.base));
    let a = marked.or_else(parent).unwrap_or_else(|| branch::current(state));
    (a != b).then_some((a, b))
}

/// Compares the branch under the cursor with the marked one, or with its parent.
fn compare(model: &mut Model) -> Result<(), Refusal> {
    let b = selected(model)?;
    let Some((a, b)) = pair(model, b) else {
        let mark = if in_pane(model) {
            "pane-mark"
        } else {
            "branch-mark"
        };
        let key = model.settings.keymap.first(mark);
        return Err(Refusal::new(format!(
            "Cannot compare a branch with itself. Choose another or mark one with {key}"
        )));
    };
    model.stack.push(Comparison::new(a, b));
    Ok(())
}

/// Shows or hides nodes that are equal on both branches.
fn compare_all(model: &mut Model) {
    if let Some(open) = model.stack.top_mut::<Comparison>() {
        open.all = !open.all;
        open.list.made = None;
    }
}
