//! What records behind a gap tell of the world. They cannot be folded: nobody knows what stood in the gap. But each
//! launch says by itself which effect it had, and a run that goes on from before the gap must not repeat it unasked.
//!
//! Must not know: how records are read, why some of them cannot be.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::envelope::Envelope;
use super::event::{CallEvent, EditEvent, Event, TurnEvent};
use super::fork::Elsewhere;
use super::id::{Attempt, NodeId};
use super::node::Content;
use super::state::State;

/// In the place of a tool of which no record can be read.
const UNREADABLE: &str = "(unreadable)";

/// The effects that were begun behind a gap, oldest first, as those of another run; `before` is the fold of what stands
/// before it.
pub fn effects(before: &State, session: &Arc<str>, behind: &[Envelope]) -> Vec<Arc<Elsewhere>> {
    let mut says: BTreeMap<NodeId, (Arc<str>, Arc<str>)> = BTreeMap::new();
    let mut begun: Vec<((NodeId, Attempt), Elsewhere)> = Vec::new();
    for envelope in behind {
        match &envelope.event {
            Event::Turn(TurnEvent::Proposed { node, tool, args, .. })
            | Event::Edit(EditEvent::Revised {
                node,
                content: Content::Call { tool, args },
                ..
            }) => {
                says.insert(*node, (tool.clone(), args.clone()));
            }
            Event::Call(CallEvent::Started {
                call,
                attempt,
                same,
                effect,
                ..
            }) if effect.has_effect() => {
                let known = before.nodes.get(call).and_then(|node| node.as_call());
                let (tool, args) = says
                    .get(call)
                    .cloned()
                    .or_else(|| known.map(|(tool, args)| (tool.clone(), args.clone())))
                    .unwrap_or_else(|| (UNREADABLE.into(), "".into()));
                let what = Elsewhere {
                    session: session.clone(),
                    entry: envelope.seq,
                    call: *call,
                    tool,
                    args,
                    same: same.clone(),
                    effect: *effect,
                    at: envelope.at,
                    outcome: None,
                };
                begun.push(((*call, *attempt), what));
            }
            Event::Call(CallEvent::Finished {
                call,
                attempt,
                outcome,
                ..
            }) => {
                let of = begun
                    .iter_mut()
                    .rev()
                    .find(|(which, _)| *which == (*call, *attempt));
                if let Some((_, what)) = of {
                    what.outcome = Some(outcome.clone());
                }
            }
            _ => {}
        }
    }
    begun.into_iter().map(|(_, what)| Arc::new(what)).collect()
}
