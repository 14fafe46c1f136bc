//! Builds runs of a few events for the tests of the formats.
//!
//! Must not know: the formats.

use overrule_domain::apply::fold;
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{CallEvent, EditEvent, Event, TurnEvent};
use overrule_domain::id::{Attempt, Epoch, NodeId, Rev, Seq, ThreadId, TurnId};
use overrule_domain::node::{Channel, Origin};
use overrule_domain::reference::{Expr, Reference, Root, Target};
use overrule_domain::state::State;
use overrule_domain::turn::{Producer, Stop, Usage};

pub(super) fn id(text: &str) -> NodeId {
    text.parse().unwrap()
}

/// A run that is being built.
#[derive(Default)]
pub(super) struct RunBuilder {
    pub(super) events: Vec<Event>,
    pub(super) last: Option<TurnId>,
}

impl RunBuilder {
    pub(super) fn push(&mut self, event: impl Recordable) -> &mut Self {
        self.events.push(event.event());
        self
    }

    pub(super) fn turn(&mut self, no: u32) -> TurnId {
        let turn = TurnId(no);
        let after = self.last.replace(turn);
        self.push(TurnEvent::Requested {
            turn,
            thread: ThreadId(0),
            after,
            request: 1,
            context: "".into(),
            hash: "".into(),
            last: false,
            new: Vec::new(),
            notices: Vec::new(),
        });
        turn
    }

    pub(super) fn prompt(&mut self, no: u32, node: &str, text: &str) {
        let turn = TurnId(no);
        let after = self.last.replace(turn);
        let thread = ThreadId(0);
        let producer = Producer::Operator;
        self.push(TurnEvent::Opened {
            turn,
            thread,
            after,
            producer,
        });
        self.push(TurnEvent::Prompted {
            turn,
            node: id(node),
            text: text.into(),
        });
    }

    pub(super) fn thought(&mut self, turn: TurnId, node: &str, text: &str) {
        self.push(TurnEvent::Thought {
            turn,
            node: id(node),
            text: text.into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
    }

    pub(super) fn call(
        &mut self,
        turn: TurnId,
        node: &str,
        label: &str,
        tool: &str,
        args: &str,
        reads: &[&str],
    ) {
        let call = id(node);
        let origin = Origin::Model;
        let (tool, args) = (tool.into(), args.into());
        self.push(TurnEvent::Proposed {
            turn,
            node: call,
            provider_id: None,
            opaque: None,
            tool,
            args,
            origin,
        });
        let references = reads
            .iter()
            .map(|head| Reference {
                at: "/path".to_owned(),
                expr: Expr::Read(Target {
                    root: Root::Call,
                    head: (*head).to_owned(),
                    path: Vec::new(),
                }),
            })
            .collect();
        self.push(CallEvent::Checked {
            call,
            rev: Rev(1),
            faults: Vec::new(),
            references,
            label: label.into(),
            out: None,
            delegates: false,
            effect: EffectClass::Read,
        });
    }

    pub(super) fn result(&mut self, node: &str, attempt: u32, outcome: Outcome) {
        let (call, rev, attempt) = (id(node), Rev(1), Attempt(attempt));
        self.push(CallEvent::Started {
            call,
            rev,
            attempt,
            key: "k".into(),
            same: "s".into(),
            effect: EffectClass::Read,
            task: None,
            before: None,
            thread: None,
            guards: Vec::new(),
        });
        self.push(CallEvent::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms: 7,
            digest: None,
        });
    }

    pub(super) fn close(&mut self, turn: TurnId) {
        let usage = Usage::default();
        self.push(TurnEvent::Closed {
            turn,
            stop: Stop::Calls,
            usage,
        });
        self.push(TurnEvent::Settled {
            turn,
            errors: Vec::new(),
        });
    }

    pub(super) fn edit(&mut self, node: &str, target: &str, what: &str) {
        self.push(EditEvent::Committed {
            epoch: Epoch(1),
            intervention: id(node),
            target: Some(id(target)),
            after: None,
            what: what.into(),
            reason: None,
            by: None,
        });
    }

    pub(super) fn state(&self) -> State {
        let envelopes: Vec<Envelope> = self
            .events
            .iter()
            .zip(1_u64..)
            .map(|(event, seq)| Envelope {
                seq: Seq(seq),
                at: 1000 + seq as i64,
                mono: seq,
                actor: Actor::Engine,
                cause: Seq(0),
                more: false,
                event: event.clone(),
            })
            .collect();
        fold(&envelopes)
    }
}

/// One of the events that a run here consists of.
pub(super) trait Recordable {
    fn event(self) -> Event;
}

impl Recordable for TurnEvent {
    fn event(self) -> Event {
        Event::Turn(self)
    }
}

impl Recordable for CallEvent {
    fn event(self) -> Event {
        Event::Call(self)
    }
}

impl Recordable for EditEvent {
    fn event(self) -> Event {
        Event::Edit(self)
    }
}
