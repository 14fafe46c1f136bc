//! Keeps the nodes of a run that count for the next request: calls that have not ended, and what the agent has otherwise.
//!
//! Must not know: why something changed.
//!
//! A request costs what is open, not what there is.

use std::collections::BTreeSet;

use crate::overlay;
use overrule_domain::call::Call;
use overrule_domain::event::{EditEvent, Event, RunEvent, TurnEvent};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;

/// The nodes that may be open.
#[derive(Debug, Default)]
pub(super) struct OpenNodes {
    nodes: BTreeSet<NodeId>,
    /// True after what may concern any node.
    are_all: bool,
}

impl OpenNodes {
    /// Every node may be open.
    pub(super) const fn all() -> Self {
        Self {
            nodes: BTreeSet::new(),
            are_all: true,
        }
    }

    /// Takes what an event may concern.
    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::Call(event) => self.nodes.extend([event.call(), event.call().observation()]),
            Event::Turn(
                TurnEvent::Prompted { node, .. }
                | TurnEvent::Thought { node, .. }
                | TurnEvent::Proposed { node, .. }
                | TurnEvent::Answered { node, .. }
                | TurnEvent::AnswerInvalid { node, .. },
            ) => self.nodes.extend([*node]),
            Event::Edit(EditEvent::Committed { intervention, .. }) => self.nodes.extend([*intervention]),
            Event::Turn(
                TurnEvent::Opened { .. }
                | TurnEvent::Requested { .. }
                | TurnEvent::RetryScheduled { .. }
                | TurnEvent::RetryDue { .. }
                | TurnEvent::Matched { .. }
                | TurnEvent::Partial { .. }
                | TurnEvent::Closed { .. }
                | TurnEvent::Broken { .. }
                | TurnEvent::Aborted { .. }
                | TurnEvent::Settled { .. },
            )
            | Event::Run(
                RunEvent::Started(_)
                | RunEvent::Paused { .. }
                | RunEvent::Resumed {}
                | RunEvent::Finished { .. }
                | RunEvent::AgentAsked { .. }
                | RunEvent::HistoryRewritten(_)
                | RunEvent::SideRequest(_)
                | RunEvent::Linked(_),
            )
            | Event::Weight(_)
            | Event::Sandbox(_) => {}
            Event::Files(event) => self.nodes.extend(event.node()),
            _ => self.are_all = true,
        }
    }

    /// Forgets those that are not open.
    pub(super) fn prune(&mut self, state: &State) {
        let open = self.of(state).collect();
        *self = Self {
            nodes: open,
            are_all: false,
        };
    }

    /// The open nodes, in order.
    fn of<'s>(&'s self, state: &'s State) -> impl Iterator<Item = NodeId> + use<'s> {
        let all = self.are_all.then(|| state.nodes.keys());
        let some = (!self.are_all).then_some(&self.nodes);
        let nodes = all.into_iter().flatten().chain(some.into_iter().flatten());
        nodes.copied().filter(|id| is_open(state, *id))
    }

    /// The calls that have not ended, in order.
    pub(super) fn calls<'s>(&'s self, state: &'s State) -> impl Iterator<Item = &'s Call> {
        let calls = self.of(state).filter_map(|id| state.calls.get(&id));
        calls.filter(|call| !call.status.is_settled())
    }

    /// True if the model sees what the agent has: the agent got every call, and nothing was edited.
    pub(super) fn changes_nothing(&self, state: &State) -> bool {
        self.of(state).all(|id| overlay::is_unchanged(state, id))
    }
}

fn is_open(state: &State, id: NodeId) -> bool {
    let call = state.calls.get(&id);
    call.is_some_and(|call| !call.status.is_settled()) || !overlay::is_unchanged(state, id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::apply;
    use overrule_domain::call::{Decision, EffectClass, Outcome};
    use overrule_domain::envelope::{Actor, Moment, stamp};
    use overrule_domain::event::CallEvent;
    use overrule_domain::id::{Attempt, Epoch, NodeKind, Rev, Seq, ThreadId, TurnId};
    use overrule_domain::node::{Channel, Content, Origin};
    use overrule_domain::state::EpochOrigin;
    use overrule_domain::turn::Producer;

    const fn call(number: u32) -> NodeId {
        NodeId::new(NodeKind::Call, number)
    }

    /// A turn with a thought and a call.
    fn turn(number: u32) -> Vec<Event> {
        let turn = TurnId(number);
        let (thread, producer) = (ThreadId(0), Producer::Model);
        let after = number.checked_sub(1).map(TurnId);
        vec![
            Event::Turn(TurnEvent::Opened {
                turn,
                thread,
                after,
                producer,
            }),
            Event::Turn(TurnEvent::Thought {
                turn,
                node: NodeId::new(NodeKind::Thought, 2 * number),
                text: "I look.".into(),
                channel: Channel::Spoken,
                opaque: None,
                origin: Origin::Model,
            }),
            Event::Turn(TurnEvent::Proposed {
                turn,
                node: call(2 * number + 1),
                provider_id: None,
                tool: "Read".into(),
                args: "{}".into(),
                opaque: None,
                origin: Origin::Model,
            }),
        ]
    }

    fn started(call: NodeId) -> Event {
        Event::Call(CallEvent::Started {
            call,
            rev: Rev(1),
            attempt: Attempt(1),
            key: "".into(),
            same: "".into(),
            effect: EffectClass::Read,
            task: None,
            before: None,
            thread: None,
            guards: Vec::new(),
        })
    }

    fn finished(call: NodeId) -> Event {
        Event::Call(CallEvent::Finished {
            call,
            rev: Rev(1),
            attempt: Attempt(1),
            outcome: Outcome::ok("\"text\""),
            ms: 1,
            digest: None,
        })
    }

    fn revised(node: NodeId, rev: Rev) -> Event {
        Event::Edit(EditEvent::Revised {
            node,
            rev,
            content: Content::Text {
                text: "Other words.".into(),
                channel: Channel::Spoken,
                opaque: None,
            },
            origin: Origin::Operator { user: "me".into() },
            approves: None,
        })
    }

    /// A run, and what is kept of it.
    #[derive(Default)]
    struct Kept {
        state: State,
        open: OpenNodes,
    }

    impl Kept {
        /// Applies events. After each, what is kept says the same as a look at every node.
        fn take(&mut self, events: Vec<Event>) {
            for event in events {
                let moment = Moment { at: 1, mono: 1 };
                let events = [(Actor::Engine, event)];
                for envelope in stamp(self.state.seq, moment, Seq(0), events) {
                    apply::apply(&mut self.state, &envelope);
                    self.open.take(&envelope.event);
                    self.compare();
                    self.open.prune(&self.state);
                    self.compare();
                }
            }
        }

        fn compare(&self) {
            let ids =
                |open: &OpenNodes| -> Vec<NodeId> { open.calls(&self.state).map(|call| call.id).collect() };
            let all = OpenNodes::all();
            assert_eq!(ids(&self.open), ids(&all));
            let changes = |open: &OpenNodes| open.changes_nothing(&self.state);
            assert_eq!(changes(&self.open), changes(&all));
        }
    }

    #[test]
    fn what_the_agent_has_and_what_has_ended_is_not_kept() {
        let mut run = Kept::default();
        for number in 0..20 {
            run.take(turn(number));
            assert!(!run.open.changes_nothing(&run.state), "the agent lacks the call");
            run.take(vec![started(call(2 * number + 1))]);
            assert!(run.open.changes_nothing(&run.state));
            assert_eq!(run.open.nodes.len(), 1, "the call that runs");
            run.take(vec![finished(call(2 * number + 1))]);
            assert!(run.open.nodes.is_empty() && run.open.changes_nothing(&run.state));
        }
    }

    #[test]
    fn an_edit_of_anything_earlier_counts() {
        let mut run = Kept::default();
        for number in 0..3 {
            run.take(turn(number));
            run.take(vec![
                started(call(2 * number + 1)),
                finished(call(2 * number + 1)),
            ]);
        }
        let committed = |epoch: u32, number: u32| {
            Event::Edit(EditEvent::Committed {
                epoch: Epoch(epoch),
                intervention: NodeId::new(NodeKind::Intervention, number),
                target: None,
                after: None,
                what: "an edit".into(),
                reason: None,
                by: None,
            })
        };
        run.take(vec![committed(1, 7)]);
        assert!(run.open.changes_nothing(&run.state), "nothing is other yet");
        run.take(vec![revised(NodeId::new(NodeKind::Thought, 2), Rev(2))]);
        assert!(!run.open.changes_nothing(&run.state));
        let nodes = vec![call(3)];
        run.take(vec![
            committed(2, 8),
            Event::Edit(EditEvent::Superseded { nodes }),
        ]);
        assert!(!run.open.changes_nothing(&run.state));
        run.take(turn(4));
        let reason = "no".to_owned();
        let decision = Decision::Reject { reason };
        run.take(vec![Event::Call(CallEvent::Decided {
            call: call(9),
            rev: Rev(1),
            digest: None,
            decision,
        })]);
        assert!(!run.open.changes_nothing(&run.state));
        assert_eq!(run.open.calls(&run.state).count(), 0, "a rejected call has ended");
        // An undo may concern any node.
        let (of, by) = (Epoch(1), EpochOrigin::Undo);
        run.take(vec![
            committed(3, 10),
            Event::Edit(EditEvent::Recalled { of, by }),
        ]);
        assert!(run.state.nodes[&call(3)].active, "it is back");
        assert!(
            !run.open.changes_nothing(&run.state),
            "the thought is still another one"
        );
    }
}
