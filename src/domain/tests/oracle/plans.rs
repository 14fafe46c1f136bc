//! Compares the plan of any edit, undo or switch with what then happens.
//!
//! Must not know: how a plan is made.
//!
//! It compares the calls that run, the superseded nodes, and whether the model is asked.

use std::collections::BTreeSet;

use super::super::op_sequence::OpSequence;
use super::super::world::{RunningCall, World};
use super::drive::Session;
use super::script::Script;
use overrule_domain::call::{Gate, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Edit, EditCommand, Resolution};
use overrule_domain::event::{CallEvent, EditEvent, Event, TurnEvent};
use overrule_domain::id::{Attempt, NodeId, NodeKind, Seq, TurnId};
use overrule_domain::lineage::{self, ModelRequest, Plan};
use overrule_domain::state::{LedgerOutcome, Mode};
use overrule_domain::turn::{Activity, Stream, Turn};

/// In which sessions plans are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// At rest.
    AtRest,
    /// At rest; no two calls give the same, and nothing was edited before.
    Plain,
    /// In the middle of it: calls run and wait, replies arrive, what earlier edits put in question is open.
    Moving,
}

/// A session, an edit, its plan, and the outcome.
pub fn plan_holds(numbers: &[u16], most: usize, sort: Sort) {
    let plain = sort == Sort::Plain;
    let mut tape = OpSequence::new(numbers);
    let mut script = super::drive::script(&mut tape, most);
    if sort != Sort::Moving || tape.draw(2) == 0 {
        script.gates = [Gate::Allow; 5];
    }
    // What the policy denies does not run, whatever was planned.
    script.gates = script
        .gates
        .map(|gate| if gate == Gate::Deny { Gate::Ask } else { gate });
    script.plain = plain;
    script.fails &= !plain;
    if plain {
        script.results = Script::ALL_DIFFERENT;
    }
    let mut session = Session::new(script, 4);
    for _ in 0..tape.draw(60) {
        session.step(&mut tape, if plain { 0 } else { 12 });
    }
    session.w.fuse = None;
    session.open_up();
    if sort != Sort::Moving {
        session.settle(&mut tape, |_| false);
    }
    let Some(command) = wish(&session, &mut tape) else {
        return;
    };
    let Ok(plan) = lineage::plan_of(&session.w.state, &command) else {
        return;
    };
    let before = Before::of(&session.w);
    assert!(
        session.cmd(Command::Edit(command.clone())),
        "{command:?} has a plan and is refused"
    );
    before.at_once(&session.w, &plan, &command);
    let known: BTreeSet<NodeId> = session.w.state.calls.values().map(|call| call.id).collect();
    session.settle(&mut tape, |w| asked_since(w, before.events));
    before.against(&session.w, &plan, &known, &command, plain);
}

/// What the model was asked for, or answered from the record.
fn asked_since(w: &World, from: usize) -> bool {
    w.log[from..].iter().any(|one| {
        matches!(
            one.event,
            Event::Turn(TurnEvent::Requested { .. } | TurnEvent::Revived { .. })
        )
    })
}

fn wish(session: &Session, tape: &mut OpSequence<'_>) -> Option<EditCommand> {
    if tape.draw(3) == 0
        && let Some(branch) = session.branch(tape)
    {
        return Some(branch);
    }
    let mut edits = vec![session.an_edit(tape)?];
    for _ in 0..[0, 0, 1, 3][tape.draw(4)] {
        edits.extend(session.an_edit(tape));
    }
    Some(EditCommand::Commit {
        edits,
        effects_seen: None,
        reason: None,
        keep_later: tape.draw(8) == 0,
    })
}

/// The run before an edit.
struct Before {
    /// Calls that had not ended at the edit: they may continue whatever is edited.
    open_calls: BTreeSet<NodeId>,
    /// Those of `open_calls` that earlier edits had made stale.
    suspects: BTreeSet<NodeId>,
    /// Nodes of turns that were suspended, or whose reply was cut, at the edit.
    uncertain: BTreeSet<NodeId>,
    /// Running executions without a request to end.
    running: BTreeSet<(NodeId, Attempt)>,
    /// True where something was on its way.
    moving: bool,
    events: usize,
    executed: usize,
    active: BTreeSet<NodeId>,
    orphaned: BTreeSet<Seq>,
    open: Vec<TurnId>,
}

impl Before {
    fn of(w: &World) -> Self {
        let nodes = w.state.nodes.values().filter(|node| node.active);
        let entries = w.state.ledger.values().filter(|entry| entry.more.orphaned);
        let active = |id: &NodeId| w.state.nodes[id].active;
        let open_calls: BTreeSet<NodeId> = w
            .state
            .calls
            .values()
            .filter(|call| active(&call.id) && (call.suspect || !call.status.is_settled()))
            .map(|call| call.id)
            .collect();
        let unknown = |turn: &&Turn| {
            matches!(turn.activity, Activity::Suspended(_)) || matches!(turn.stream, Stream::Broken(_))
        };
        let uncertain = w
            .state
            .turns
            .values()
            .filter(unknown)
            .flat_map(|turn| &turn.nodes);
        let running = w.running.iter().filter(|one| !one.cancelled);
        Self {
            uncertain: uncertain.copied().collect(),
            running: running.map(|one| (one.call, one.attempt)).collect(),
            moving: !open_calls.is_empty()
                || !w.open.is_empty()
                || w.state.turns.values().any(|turn| unknown(&turn)),
            suspects: w
                .state
                .calls
                .values()
                .filter(|call| call.suspect)
                .map(|call| call.id)
                .collect(),
            open_calls,
            open: w.open.iter().map(|(turn, _)| *turn).collect(),
            events: w.log.len(),
            executed: w.executed.len(),
            active: nodes.map(|node| node.id).collect(),
            orphaned: entries.map(|entry| entry.seq).collect(),
        }
    }

    /// What happens with the commit itself: which executions are asked to end, and which nodes come back.
    fn at_once(&self, w: &World, plan: &Plan, command: &EditCommand) {
        let cancelled: BTreeSet<NodeId> = plan.cancelled.iter().copied().collect();
        // What may run again ends where that is already plain.
        let fresh = |id: &NodeId| plan.possible.contains(id) || self.suspects.contains(id);
        let fell = |id: &NodeId| fresh(id) || self.uncertain.contains(id) || plan.perhaps.contains(id);
        let ran_before = |one: &&RunningCall| self.running.contains(&(one.call, one.attempt));
        for one in w.running.iter().filter(ran_before) {
            let named = cancelled.contains(&one.call);
            assert!(
                one.cancelled == named || (one.cancelled && fell(&one.call)),
                "{} is asked to end: {}, and was named: {named}, after {command:?}",
                one.call,
                one.cancelled
            );
        }
        let revived = |turn: &TurnId| {
            w.log[self.events..].iter().any(
                |one| matches!(&one.event, Event::Turn(TurnEvent::Revived { turn: of, .. }) if of == turn),
            )
        };
        let recalled: BTreeSet<NodeId> = plan.recalled.iter().copied().collect();
        for node in w
            .state
            .nodes
            .values()
            .filter(|node| node.id.kind != NodeKind::Observation)
        {
            let is_new = node.revisions[0].event >= w.log[self.events].seq;
            let is_back = node.active && !is_new && !self.active.contains(&node.id);
            assert!(
                !is_back || recalled.contains(&node.id) || revived(&node.turn),
                "{} came back and was not named after {command:?}",
                node.id
            );
        }
    }

    fn against(&self, w: &World, plan: &Plan, known: &BTreeSet<NodeId>, command: &EditCommand, plain: bool) {
        let set = |ids: &[NodeId]| ids.iter().copied().collect::<BTreeSet<NodeId>>();
        let ran: BTreeSet<NodeId> = w.executed[self.executed..]
            .iter()
            .map(|one| one.call)
            .filter(|id| known.contains(id))
            .collect();
        let (certain, possible) = (set(&plan.certain), set(&plan.possible));
        let drained = set(&plan.drained);
        assert!(certain.is_subset(&possible), "{certain:?} {possible:?}");
        for id in certain.difference(&ran) {
            let status = &w.state.calls[id].status;
            // What it reads has no value: it cannot run.
            let dead = matches!(status, Status::Skipped | Status::Unsatisfiable | Status::Invalid);
            // Or may still be said.
            let open = w.state.turn_of(*id).is_some_and(|turn| !turn.settled);
            let waits = *status == Status::Blocked && open && asked_since(w, self.events);
            assert!(
                dead || waits,
                "{id} was to run and is {} after {command:?}",
                status.base_label()
            );
        }
        for id in ran.difference(&possible) {
            assert!(
                drained.contains(id),
                "{id} ran and was not named after {command:?}; {possible:?}"
            );
        }
        let stored = set(&plan.unchanged);
        assert!(
            ran.is_disjoint(&stored),
            "{ran:?} ran, {stored:?} were to keep their results after {command:?}"
        );
        self.approved(w, plan, command);
        let values = match command {
            EditCommand::Commit {
                edits,
                keep_later: false,
                ..
            } => edits
                .iter()
                .all(|edit| matches!(edit, Edit::Call { .. } | Edit::Observation { .. })),
            _ => false,
        };
        if plain && values {
            let ran: BTreeSet<NodeId> = ran.difference(&drained).copied().collect();
            assert_eq!(ran, possible, "every value came out different after {command:?}");
        }
        self.falls(w, plan, command);
        self.effects(w, plan, &ran, command);
        let asked = asked_since(w, self.events);
        // A reply that was still arriving may be an answer, or not.
        let arriving = |id: &TurnId| w.state.turns[id].is_active();
        if !self.moving && !self.open.iter().any(arriving) && !self.held(w) {
            let call_content = match plan.asks {
                ModelRequest::Yes => asked,
                ModelRequest::No => !asked,
                ModelRequest::IfDifferent => true,
            };
            assert!(
                call_content,
                "the model is asked: {asked}, {:?} was said of {command:?}",
                plan.asks
            );
        }
    }

    /// The operator is not asked about a call that the commit approved, unless its inputs can have
    /// changed since.
    fn approved(&self, w: &World, plan: &Plan, command: &EditCommand) {
        let reads_nothing = |id: &&NodeId| {
            let call_content = w.state.nodes[id].as_call();
            call_content.is_some_and(|(_, args)| !args.contains('†'))
        };
        for id in plan.approves.iter().filter(reads_nothing) {
            let rev = w.rev(*id);
            let asked = w.log[self.events..].iter().find(|one| {
                matches!(&one.event, Event::Call(CallEvent::Asked { call, rev: of, .. })
                    if call == id && *of == rev)
            });
            assert!(
                asked.is_none(),
                "{id} {rev} was approved by {command:?}, and is asked about"
            );
        }
    }

    /// True where restored turns were suspended: they become active again only once their context is
    /// known.
    fn held(&self, w: &World) -> bool {
        let mut recalled = false;
        w.log[self.events..].iter().any(|one| {
            recalled |= matches!(one.event, Event::Edit(EditEvent::Recalled { .. }));
            match one.event {
                Event::Turn(TurnEvent::Restored { .. }) => true,
                Event::Turn(TurnEvent::Superseded { .. }) => recalled,
                _ => false,
            }
        })
    }

    /// Checks that the plan named exactly the nodes that were superseded.
    fn falls(&self, w: &World, plan: &Plan, command: &EditCommand) {
        let in_stream = |id: &&NodeId| id.kind != NodeKind::Observation;
        let gone: BTreeSet<NodeId> = self
            .active
            .iter()
            .filter(|id| !w.state.nodes[id].active)
            .filter(in_stream)
            .copied()
            .collect();
        let named: BTreeSet<NodeId> = plan.superseded.iter().filter(in_stream).copied().collect();
        let perhaps: BTreeSet<NodeId> = plan.perhaps.iter().copied().collect();
        let unnamed: Vec<&NodeId> = gone
            .iter()
            .filter(|id| !named.contains(id) && !perhaps.contains(id) && !self.uncertain.contains(id))
            .collect();
        assert!(
            unnamed.is_empty(),
            "{unnamed:?} superseded by {command:?}, named: {named:?}, perhaps: {perhaps:?}"
        );
        // A superseded turn may have been restored from a recorded reply.
        let returned = |id: &&NodeId| {
            w.log[self.events..].iter().any(|one| match &one.event {
                Event::Turn(TurnEvent::Revived { turn, .. }) => *turn == w.state.nodes[id].turn,
                _ => false,
            })
        };
        let needless = named.difference(&gone).find(|id| !returned(id));
        assert!(
            needless.is_none(),
            "{needless:?} named as superseded, but active after {command:?}"
        );
    }

    /// Checks that the plan named every effect that is orphaned or repeated.
    fn effects(&self, w: &World, plan: &Plan, ran: &BTreeSet<NodeId>, command: &EditCommand) {
        for entry in w.state.ledger.values() {
            let happened = entry.outcome != LedgerOutcome::DidNot && entry.effect.has_effect();
            let left = entry.more.orphaned && !self.orphaned.contains(&entry.seq);
            let first = w.log[self.events].seq;
            if !happened || entry.seq >= first || !(left || ran.contains(&entry.call)) {
                continue;
            }
            // A call that an earlier edit made stale is no work of this edit.
            let touched = plan.possible.contains(&entry.call) || plan.superseded.contains(&entry.call);
            let earlier = self.suspects.contains(&entry.call) && !touched;
            let runs_anyway = earlier || (!left && self.open_calls.contains(&entry.call));
            let named =
                plan.effects.contains(&entry.seq) || self.orphaned.contains(&entry.seq) || runs_anyway;
            assert!(
                named,
                "{} of {} was not named after {command:?}",
                entry.seq, entry.call
            );
        }
    }
}

impl Session {
    /// Closes all open edits and resumes the run.
    fn open_up(&mut self) {
        self.cmd(Command::Edit(EditCommand::Release { node: None }));
        if matches!(self.w.state.mode, Mode::Paused(_) | Mode::Stopped(_)) {
            self.cmd(Command::Run(overrule_domain::command::RunCommand::Resume {}));
        }
    }

    /// Continues in a random order until `enough`, or until only the model has something to do.
    fn settle(&mut self, tape: &mut OpSequence<'_>, enough: impl Fn(&World) -> bool) {
        let begun = self.w.log.len();
        for _ in 0..5_000 {
            let waiting: Vec<NodeId> = self.w.state.queue().map(|call| call.id).collect();
            if waiting.into_iter().any(|id| self.yes(id)) {
                continue;
            }
            if !self.w.running.is_empty() {
                self.finish(tape);
                continue;
            }
            if enough(&self.w) || asked_since(&self.w, begun) || self.w.open.is_empty() {
                return;
            }
            self.stream();
        }
        panic!("it does not settle");
    }

    fn yes(&mut self, id: NodeId) -> bool {
        let (rev, digest) = (self.w.rev(id), self.w.digest(id));
        let command = match self.w.status(id) {
            Status::Consent(_) => CallCommand::Consent {
                call: id,
                rev,
                digest,
                choice: ConsentChoice::RunAgain,
                shown: None,
                word: None,
            },
            Status::OutcomeUnknown(_) => CallCommand::Resolve {
                attempt: None,
                call: id,
                what: Resolution::DidNot,
            },
            _ => CallCommand::Approve {
                call: id,
                rev,
                digest,
                unread: 0,
                shown: None,
                word: None,
            },
        };
        self.cmd(Command::Call(command))
    }
}
