//! Gives a call other content without an operator: a repair, or a substitute for its tool.
//!
//! Must not know: why, how the content is found.
//!
//! A new revision goes through the gate like any other.

use std::sync::Arc;

use super::draft::Draft;
use super::event::{EditEvent, ResilienceEvent};
use super::id::NodeId;
use super::invalidation;
use super::ladder::Fix;
use super::node::{Content, Node, Origin};

/// Applies a repair: its change and the new revision.
pub(crate) fn repaired(draft: &mut Draft<'_>, id: NodeId, round: u32, fix: &Fix) {
    let Some(rev) = draft.state.nodes.get(&id).map(Node::next_rev) else {
        return;
    };
    draft.resilience(ResilienceEvent::RepairApplied {
        call: id,
        round,
        changes: fix.changes.clone(),
    });
    // The effects of the earlier arguments stay recorded; the ledger shows that the arguments
    // differ.
    invalidation::orphan(draft, &[id]);
    draft.edit(EditEvent::Revised {
        node: id,
        rev,
        content: Content::Call {
            tool: fix.tool.clone(),
            args: fix.args.clone(),
        },
        origin: Origin::Repair { attempt: round },
        approves: None,
    });
}

/// Gives a call another tool, by a rule of the engine.
pub(crate) fn substituted(draft: &mut Draft<'_>, call: NodeId, tool: &Arc<str>, rule: &str) {
    let Some((rev, args)) = draft
        .state
        .nodes
        .get(&call)
        .and_then(|node| Some((node.next_rev(), node.as_call()?.1.clone())))
    else {
        return;
    };
    draft.edit(EditEvent::Revised {
        node: call,
        rev,
        content: Content::Call {
            tool: tool.clone(),
            args,
        },
        origin: Origin::Engine {
            rule: Arc::from(rule),
        },
        approves: None,
    });
    invalidation::suspect_readers(draft, call);
}
