//! Finds tools whose definition changed since a call was written or approved.
//!
//! Must not know: how a difference is shown, why a run was set up again.

mod of_run;

use std::sync::Arc;

use super::event::run::ToolCard;
use super::id::Seq;

pub use of_run::{both, keep, of};

/// A tool as it was before the run was set up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolChange {
    /// The event that replaced it.
    pub until: Seq,
    /// As it was.
    pub card: ToolCard,
}

/// Returns true if anything changed that a decision on a call of the tool depends on.
fn differs(one: &ToolCard, other: &ToolCard) -> bool {
    one.confined != other.confined
        || (&one.description, &one.schema, one.effect, &one.tags, &one.origin)
            != (
                &other.description,
                &other.schema,
                other.effect,
                &other.tags,
                &other.origin,
            )
}

/// Describes changes in what a tool can do and how it is approved; contains untrusted text.
pub fn raised(was: &ToolCard, now: &ToolCard) -> Vec<String> {
    let mut changes = Vec::new();
    if was.effect != now.effect {
        let (was, now) = (was.effect.label(), now.effect.label());
        changes.push(format!("effect {was} became {now}"));
    }
    if was.tags != now.tags {
        changes.push(format!("tags {} became {}", listed(was), listed(now)));
    }
    match (was.confined, now.confined) {
        (true, false) => changes.push("its calls run without the sandbox now".to_owned()),
        (false, true) => changes.push("its calls run in the sandbox now".to_owned()),
        _ => {}
    }
    let pin = |card: &ToolCard| card.origin.as_ref().map(|origin| Arc::clone(&origin.pin));
    if pin(was) != pin(now) {
        changes.push("its source defines it differently".to_owned());
    }
    changes
}

fn listed(card: &ToolCard) -> String {
    if card.tags.is_empty() {
        return "none".to_owned();
    }
    card.tags.join(" ")
}
