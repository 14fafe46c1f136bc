//! Keeps the naive graph in step with a session, and compares the two.
//!
//! Must not know: how the run finds the nodes that an edit affects.
//!
//! It applies the operator's decisions to the graph and keeps a whole copy of it for every epoch.
//! It compares the copy with the run at every request and at the end. From the run it takes only
//! names (of nodes and turns), the answers of the world and their order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::super::world::World;
use super::naive::{Cell, End, Fate, Naive, Node, Turn, Words, end_of, key};
use super::script::{NodeContent, Script, lines};
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::Command;
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{EditEvent, Event};
use overrule_domain::id::{Attempt, NodeId, Seq, ThreadId, TurnId};
use overrule_domain::node::Content;
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, Stream};

/// The graph at the end of an epoch.
pub(super) struct Snapshot {
    pub(super) turns: Vec<Turn>,
    pub(super) words: Words,
    /// Calls that had not ended.
    pub(super) unsettled: BTreeSet<NodeId>,
}

/// The naive graph of a session.
pub struct Mirror {
    pub script: Script,
    pub(super) turns: Vec<Turn>,
    /// What a person decided about superseded calls.
    pub(super) words: Words,
    /// Calls with a result that the run carried over, because a person wrote it before.
    pub(super) carried: BTreeSet<NodeId>,
    pub(super) snapshots: Vec<Snapshot>,
    pub(super) seen: usize,
    pub(super) asked: usize,
    pub(super) unsettled: BTreeSet<NodeId>,
    /// Calls whose edit has consequences for later turns.
    pub(super) effective_edits: BTreeSet<NodeId>,
    /// Inserted turns that have no name yet.
    pub(super) unnamed: VecDeque<TurnId>,
    pub(super) inserted: u32,
    /// What each execution gave.
    pub(super) gave: BTreeMap<Seq, Outcome>,
    pub(super) intents: BTreeMap<(NodeId, Attempt), Seq>,
    /// The execution of unknown outcome that the operator has just marked as happened.
    pub(super) resolved: Option<(NodeId, Seq)>,
    /// Contexts that were compared.
    pub compared: usize,
}

pub(super) fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

impl Mirror {
    pub fn new(script: Script) -> Self {
        Self {
            script,
            turns: Vec::new(),
            words: Words::new(),
            carried: BTreeSet::new(),
            snapshots: Vec::new(),
            seen: 0,
            asked: 0,
            unsettled: BTreeSet::new(),
            effective_edits: BTreeSet::new(),
            unnamed: VecDeque::new(),
            inserted: 0,
            gave: BTreeMap::new(),
            intents: BTreeMap::new(),
            resolved: None,
            compared: 0,
        }
    }

    /// Looks at the run before a command: how far things had come.
    pub fn before(&mut self, w: &World) {
        self.unsettled.clear();
        self.effective_edits.clear();
        for call in w.state.calls.values() {
            if !call.status.is_settled() && call.status != Status::Invalid {
                self.unsettled.insert(call.id);
            }
            let closed = w.state.turn_of(call.id).is_some_and(|turn| turn.settled);
            if call.status.is_settled() || closed || !call.attempts.is_empty() {
                self.effective_edits.insert(call.id);
            }
        }
    }

    /// Takes in what happened since, with the command that it came from.
    pub fn did(&mut self, w: &World, command: Option<&Command>) {
        let new: Vec<Envelope> = w.log[self.seen..].to_vec();
        self.seen = w.log.len();
        // What a branch brings back gets its names where that branch is restored.
        let comes_back = |one: &Envelope| matches!(one.event, Event::Edit(EditEvent::Recalled { .. }));
        if !new.iter().any(comes_back) {
            self.sync(&w.state);
        }
        let mut command = command;
        let edits = new
            .iter()
            .any(|one| matches!(one.event, Event::Edit(EditEvent::Committed { .. })));
        for envelope in &new {
            match &envelope.event {
                Event::Edit(EditEvent::Committed { epoch, .. })
                    if epoch.0 as usize > self.snapshots.len() =>
                {
                    self.snapshots.push(Snapshot {
                        turns: self.turns.clone(),
                        words: self.words.clone(),
                        unsettled: self.unsettled.clone(),
                    });
                    if let Some(command) = command.take() {
                        self.apply(&w.state, command);
                    }
                }
                Event::Edit(EditEvent::Recalled { of, .. }) => self.restore(&w.state, *of),
                Event::Turn(event) => self.turn(w, event),
                Event::Call(event) => self.call(&w.state, envelope.seq, event, edits),
                Event::Run(_)
                | Event::Edit(_)
                | Event::Resilience(_)
                | Event::Escape(_)
                | Event::Weight(_)
                | Event::Sandbox(_)
                | Event::Files(_) => {}
            }
        }
        let asked = &w.asked[self.asked..];
        self.asked = w.asked.len();
        for one in asked {
            let Some(turn) = self.turns.iter().find(|turn| turn.id == one.turn) else {
                continue;
            };
            assert_eq!(
                lines(&one.messages),
                turn.asked,
                "{} was asked with something else",
                one.turn
            );
            self.compared += 1;
        }
    }

    // ---- names

    /// Nodes get the names that the run gave them, in the order in which they arrived.
    pub(super) fn sync(&mut self, state: &State) {
        for turn in &mut self.turns {
            let Some(own) = state.turns.get(&turn.id) else {
                continue;
            };
            let named: BTreeSet<NodeId> = turn.nodes.iter().filter_map(|node| node.id).collect();
            // Nodes that arrived on an unrelated branch are not active here.
            let new = own
                .nodes
                .iter()
                .filter(|id| !named.contains(id) && state.nodes[id].active);
            let mut unnamed = turn.nodes.iter_mut().filter(|node| node.id.is_none());
            for id in new {
                let node = unnamed.next();
                let node = node.unwrap_or_else(|| panic!("{id} was never said in {}", turn.id));
                node.id = Some(*id);
            }
            turn.arrived = match own.stream {
                Stream::Aborted(_) => turn.nodes.iter().filter(|node| node.id.is_some()).count(),
                _ => usize::MAX,
            };
        }
    }

    pub(super) fn find(&mut self, id: NodeId) -> Option<&mut Node> {
        let mut all = self.turns.iter_mut().flat_map(|turn| &mut turn.nodes);
        all.find(|node| node.id == Some(id.call()) && !node.gone)
    }

    pub(super) fn place(&self, id: NodeId) -> (usize, usize) {
        let has = |turn: &Turn| turn.nodes.iter().position(|node| node.id == Some(id.call()));
        let at = self.turns.iter().position(|turn| has(turn).is_some());
        let at = at.unwrap_or_else(|| panic!("{id} was edited and is not active"));
        (at, has(&self.turns[at]).unwrap())
    }

    pub(super) fn index(&self, id: TurnId) -> Option<usize> {
        self.turns.iter().position(|turn| turn.id == id)
    }

    // ---- what a person said

    /// Drops the turns from an index on.
    pub(super) fn fall(&mut self, from: usize) {
        let fallen: Vec<Turn> = self.turns.drain(from..).collect();
        for turn in &fallen {
            for at in 0..turn.nodes.len() {
                self.fallen(turn, at);
            }
        }
    }

    /// Keeps what a person decided about a call that is superseded.
    pub(super) fn fallen(&mut self, turn: &Turn, at: usize) {
        let node = &turn.nodes[at];
        let Some(place) = node.place.clone().filter(|_| node.worded && !node.gone) else {
            return;
        };
        let args = node.pinned_args.as_ref().or(node.ready.as_ref());
        let value = node.fates.iter().rev().find_map(|fate| match fate {
            Fate::Given { value, .. } => Some((value.clone(), node.id?)),
            _ => None,
        });
        self.words.insert((place, key(&node.content, args)), value);
    }

    // ---- the comparison

    /// Compares a run at its end with the naive graph.
    pub fn compare(&mut self, state: &State) {
        self.sync(state);
        let condition: Vec<TurnId> = state.turns_of(ThreadId(0)).map(|turn| turn.id).collect();
        let own: Vec<TurnId> = self.turns.iter().map(|turn| turn.id).collect();
        assert_eq!(condition, own, "the active turns");
        let held = state
            .turns_of(ThreadId(0))
            .find(|turn| turn.activity != Activity::Active);
        assert!(held.is_none(), "{held:?} stays suspended");
        self.compare_lost(state);
        let slots = slots(state);
        let turns = self.turns.clone();
        let mut naive = Naive::new(&turns, &self.script, &slots, &self.words);
        for (at, turn) in turns.iter().enumerate() {
            let counting: Vec<NodeId> = turn.counting().filter_map(|(_, node)| node.id).collect();
            let nodes = state.turns[&turn.id].nodes.iter();
            let active: Vec<NodeId> = nodes.filter(|id| state.nodes[id].active).copied().collect();
            assert_eq!(active, counting, "the active nodes of {}", turn.id);
            if turn.by_model && !turn.drifted {
                assert_eq!(naive.lines(at), turn.asked, "{} has another context", turn.id);
            }
            for (place, node) in turn.counting() {
                compare_node(state, node, &naive.cell((at, place)), &self.script);
            }
        }
    }
}

impl Mirror {
    /// Checks that results a person wrote for calls that were not made again are reported as lost.
    fn compare_lost(&self, state: &State) {
        let calls = self.turns.iter().flat_map(|turn| {
            let counting = turn.counting().filter(|(_, node)| node.worded);
            counting.filter_map(|(_, node)| {
                let args = node.pinned_args.as_ref().or(node.ready.as_ref());
                Some((node.place.clone()?, key(&node.content, args)))
            })
        });
        let made: BTreeSet<_> = calls.collect();
        for (at, word) in &self.words {
            if let Some((_, call)) = word.as_ref().filter(|_| !made.contains(at)) {
                assert!(
                    state.agenda.lost.contains(call),
                    "{call} lost its result in silence"
                );
            }
        }
    }
}

pub(super) fn slots(state: &State) -> BTreeMap<NodeId, u32> {
    let ended = state
        .calls
        .values()
        .filter_map(|call| Some((call.id, call.slot?)));
    ended.collect()
}

fn compare_node(state: &State, node: &Node, cell: &Cell, script: &Script) {
    let id = node.id.expect("it has arrived");
    match (&state.nodes[&id].now().content, &node.content) {
        (
            Content::Text { text, .. },
            NodeContent::Prompt(own) | NodeContent::Thought(own) | NodeContent::Answer(own),
        ) => {
            assert_eq!(**text, **own, "{id}");
            return;
        }
        (Content::Call { tool, args }, NodeContent::Call(own, own_args)) => {
            assert_eq!((&**tool, &**args), (&**own, &**own_args), "{id}");
        }
        (content, claims) => panic!("{id} says {content:?}, not {claims:?}"),
    }
    let call = &state.calls[&id];
    let observed = state
        .observation(id)
        .and_then(overrule_domain::node::Node::outcome);
    let end = match call.status {
        Status::Succeeded | Status::Failed(_) => end_of(observed.expect("a result")),
        _ => End::Nothing,
    };
    assert_eq!(
        end,
        cell.end,
        "what {id} came to ({}); {:?} {:?}",
        call.status.base_label(),
        cell,
        node.fates
    );
    let pinned = state.observation(id).is_some_and(|node| node.pinned);
    if let (Some(args), Status::Succeeded | Status::Failed(_), false) = (&cell.args, &call.status, pinned) {
        let ran = overrule_domain::ready::resolved_args(state, call).map(|args| parse(&args));
        assert_eq!(ran.as_ref(), Some(args), "what {id} ran with");
    }
    if cell.guessed {
        let origin = state.observation(id).map(|node| &node.now().origin);
        let NodeContent::Call(tool, _) = &node.content else {
            return;
        };
        panic!(
            "no execution of {id} ({origin:?}): {:?} {:?}",
            script.gate(tool),
            node.fates
        );
    }
}
