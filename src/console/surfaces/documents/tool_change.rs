//! The changes of a tool's definition, for a call that is asked about again because of them.
//!
//! Must not know: when a call is asked for again.

use std::sync::Arc;

use super::revisions::difference;
use crate::ground::diff;
use crate::ground::json;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_base::text::visible;
use overrule_domain::id::NodeId;
use overrule_present::call::{ChangeView, ToolChangeView};

/// Longest schema that is formatted for a diff.
const LONG: usize = 256 * 1024;

/// Adds to the head of a decision that the tool changed, and which parts.
pub(crate) fn notice(maker: &mut Maker<'_>, call: NodeId) {
    let Some(view) = ToolChangeView::of(&maker.run.state, call) else {
        return;
    };
    let mut changes: Vec<String> = view.raised.iter().map(|change| visible(change)).collect();
    let below: Vec<&str> = view.texts().map(|(name, _)| name).collect();
    if !below.is_empty() {
        changes.push(format!(
            "another {}: see below the arguments",
            below.join(" and ")
        ));
    }
    maker.fact(
        "redefined",
        Role::Warning,
        format!("since {}: {}", view.since, changes.join("; ")),
    );
}

/// Adds the diff of the parts of the definition that the model and the operator see.
pub(crate) fn differences(maker: &mut Maker<'_>, call: NodeId) {
    let Some(view) = ToolChangeView::of(&maker.run.state, call) else {
        return;
    };
    let Some(rev) = maker.run.state.node(call).map(overrule_domain::node::Node::rev) else {
        return;
    };
    for (name, ChangeView { old, new }) in view.texts() {
        let (before, after) = (Arc::clone(old), Arc::clone(new));
        let lines = maker
            .cache
            .difference((call, [rev, rev]), [Some(old), Some(new)], move || {
                definitions(&before, &after)
            });
        maker.own(
            Role::Title,
            format!("the tool's {name}, before {} and now", view.since),
        );
        if let Some(lines) = maker.found(lines, old.len() + new.len()) {
            difference(maker, &lines);
        }
    }
}

/// Adds the diff of two descriptions or schemas of a tool.
pub fn definitions(old: &str, new: &str) -> Vec<diff::Line> {
    diff::lines(&laid_out(old), &laid_out(new))
}

/// A schema line by line; other text unchanged.
fn laid_out(text: &str) -> String {
    if text.len() > LONG || !text.starts_with('{') {
        return text.to_owned();
    }
    json::pretty(text)
}
