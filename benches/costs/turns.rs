//! Measures an early edit in a session of many turns: its plan, commit, undo and branch diff.
//!
//! Must not know: how sessions are made.
//!
//! Nearly the whole session depends on the edited node. The floor is a list of the nodes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use divan::Bencher;
use overrule::domain::advice::Cards;
use overrule::domain::apply::apply;
use overrule::domain::branch::compare::compare;
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::decide;
use overrule::domain::envelope::{Actor, Envelope};
use overrule::domain::id::{NodeId, NodeKind, Seq};
use overrule::domain::lineage;
use overrule::domain::node::{Content, Node};
use overrule::domain::state::State;

use crate::run::{Run, started};

const SIZES: [usize; 3] = [1_000, 5_000, 20_000];

/// A session, and the same with an edit near its beginning.
struct Session {
    state: State,
    edit: Edit,
    edited: State,
}

impl Session {
    fn of(nodes: usize) -> Self {
        let mut run = Run::begun(started());
        run.grow_to(nodes);
        let mut state = State::default();
        for envelope in &run.events {
            apply(&mut state, envelope);
        }
        let is_thought = |node: &&Node| node.id.kind == NodeKind::Thought;
        let node = state.nodes.values().filter(is_thought).nth(1).unwrap();
        let Content::Text { text, .. } = &node.now().content else {
            unreachable!("a thought has words")
        };
        let edit = Edit::Text {
            node: node.id,
            base: node.rev(),
            text: format!("{text} And then some.").into(),
        };
        let edited = commit(state.clone(), &command(&edit));
        Self { state, edit, edited }
    }
}

fn command(edit: &Edit) -> EditCommand {
    EditCommand::Commit {
        edits: vec![edit.clone()],
        effects_seen: None,
        reason: None,
        keep_later: false,
    }
}

fn commit(mut state: State, command: &EditCommand) -> State {
    let command = Command::Edit(command.clone());
    let events = decide::command(&state, &Cards(&state), &command).unwrap();
    for event in events {
        let envelope = Envelope {
            seq: state.seq.next(),
            at: 0,
            mono: 0,
            actor: Actor::Engine,
            cause: Seq(0),
            more: false,
            event,
        };
        apply(&mut state, &envelope);
    }
    state
}

/// Made once for each size.
fn session(nodes: usize) -> Arc<Session> {
    static MADE: Mutex<BTreeMap<usize, Arc<Session>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(nodes)
        .or_insert_with(|| Arc::new(Session::of(nodes)))
        .clone()
}

/// Floor: the nodes that count, in a list.
#[divan::bench(args = SIZES)]
fn floor_list(bencher: Bencher<'_, '_>, nodes: usize) {
    let session = session(nodes);
    bencher.bench_local(|| {
        let nodes = black_box(&session.state).nodes.values();
        nodes
            .filter(|node| node.active)
            .map(|node| node.id)
            .collect::<Vec<NodeId>>()
    });
}

/// The plan that an operator is shown.
#[divan::bench(args = SIZES, max_time = 5)]
fn plan(bencher: Bencher<'_, '_>, nodes: usize) {
    let session = session(nodes);
    let edit = [session.edit.clone()];
    bencher.bench_local(|| lineage::plan(&session.state, black_box(&edit)).unwrap());
}

/// The edit, decided and folded.
#[divan::bench(args = SIZES, max_time = 5)]
fn commit_of(bencher: Bencher<'_, '_>, nodes: usize) {
    let session = session(nodes);
    let edit = command(&session.edit);
    bencher
        .with_inputs(|| session.state.clone())
        .bench_local_values(|state| commit(state, &edit));
}

/// The plan of the undo.
#[divan::bench(args = SIZES, max_time = 5)]
fn plan_of_undo(bencher: Bencher<'_, '_>, nodes: usize) {
    let session = session(nodes);
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    bencher.bench_local(|| lineage::plan_of(&session.edited, black_box(&undo)).unwrap());
}

/// The undo, decided and folded.
#[divan::bench(args = SIZES, max_time = 5)]
fn undo(bencher: Bencher<'_, '_>, nodes: usize) {
    let session = session(nodes);
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    bencher
        .with_inputs(|| session.edited.clone())
        .bench_local_values(|state| commit(state, &undo));
}

/// How the two branches differ.
#[divan::bench(args = SIZES, max_time = 5)]
fn compared(bencher: Bencher<'_, '_>, nodes: usize) {
    let session = session(nodes);
    let (one, other) = (session.state.epoch, session.edited.epoch);
    bencher.bench_local(|| compare(&session.edited, black_box(one), other));
}
