//! Builds graphs of any size with the real rules, and bare graphs of the same shape.
//!
//! Must not know: what is measured.
//!
//! It needs no loop, clock or task. The bare graph is the floor for a walk over the graph.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use overrule::domain::call::{EffectClass, Outcome};
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::envelope::{Actor, Envelope};
use overrule::domain::event::{CallEvent, Event, RunEvent};
use overrule::domain::id::{Attempt, NodeId, Rev, Seq, TurnId};
use overrule::domain::input::{Block, Input};
use overrule::domain::node::Node;
use overrule::domain::state::State;
use overrule::domain::turn::{Stop, Usage};
use overrule::domain::{advance, apply, decide};
use overrule::engine::advise::Adviser;
use overrule::policy::Preset;
use overrule::tools::{Job, Spec, Tool};
use serde_json::json;

use crate::model::OneTurn;
use crate::stage;

/// What each call of the graph reads, calls counted from 0: a plan, some calls that read it, a join
/// that reads these, and so on. Few calls read one that is farther back.
pub fn agent_like(calls: usize) -> Vec<Vec<usize>> {
    let mut draw = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        draw ^= draw << 13;
        draw ^= draw >> 7;
        draw ^= draw << 17;
        (draw % below as u64) as usize
    };
    let mut reads: Vec<Vec<usize>> = vec![Vec::new()];
    let mut last = 0;
    while reads.len() < calls {
        let plan = reads.len();
        reads.push(vec![last]);
        let width = [1, 1, 1, 2, 2, 3, 4, 6, 8][random(9)];
        let mut side = Vec::new();
        for _ in 0..width {
            let far = (random(100) < 3 && plan > 20).then(|| plan - 1 - random(20));
            side.push(reads.len());
            reads.push([plan].into_iter().chain(far).collect());
        }
        last = reads.len();
        reads.push(side);
    }
    reads.truncate(calls);
    reads
}

/// A tool that gives what it was given, mixed.
struct Mix {
    spec: Spec,
}

impl Tool for Mix {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let outcome = mixed(&job.text);
        Box::pin(std::future::ready(outcome))
    }
}

/// Tools that do nothing worth measuring.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    let schema = json!({
        "type": "object",
        "properties": {
            "no": {"type": "integer"},
            "reads": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["no", "reads"],
    });
    vec![Arc::new(Mix {
        spec: stage::spec("mix", EffectClass::Pure, &schema),
    })]
}

/// A value that another text gives another one of; FNV-1a.
fn mixed(text: &str) -> Outcome {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    Outcome::ok(format!("\"{hash:016x}\""))
}

/// The arguments of each call.
pub fn calls(reads: &[Vec<usize>]) -> Vec<(&'static str, serde_json::Value)> {
    let args = |(no, reads): (usize, &Vec<usize>)| {
        let reads: Vec<String> = reads.iter().map(|one| format!("†call.n{one}")).collect();
        ("mix", json!({"_as": format!("n{no}"), "no": no, "reads": reads}))
    };
    reads.iter().enumerate().map(args).collect()
}

/// A run without a loop: the rules and their fold, and nothing else.
pub struct World {
    /// The fold.
    pub state: State,
    adviser: Arc<Adviser>,
    /// Executions that were begun and have not ended.
    begun: VecDeque<(NodeId, Rev, Attempt)>,
    /// Executions so far.
    pub ran: usize,
    /// Everything recorded, where that is wanted.
    pub record: Option<Vec<Envelope>>,
}

impl Clone for World {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            adviser: self.adviser.clone(),
            begun: self.begun.clone(),
            ran: 0,
            record: None,
        }
    }
}

impl World {
    /// All calls of the graph done in one turn, and answered; half of its nodes are calls, half are
    /// observations.
    pub fn done(nodes: usize, recorded: bool) -> Self {
        let model = OneTurn {
            name: "none".to_owned(),
            calls: calls(&agent_like(nodes / 2)),
        };
        let adviser = stage::adviser(tools(), Preset::Guarded).unwrap();
        let started = stage::started(&adviser, &model);
        let mut world = Self {
            state: State::default(),
            adviser: Arc::new(adviser),
            begun: VecDeque::new(),
            ran: 0,
            record: recorded.then(Vec::new),
        };
        world.record(vec![Event::Run(RunEvent::Started(Box::new(started)))]);
        let prompted = world.commit(Edit::InsertPrompt {
            after: None,
            text: Arc::from("Go."),
        });
        world.record(prompted);
        world.follow();
        let turn = world.asked();
        for (tool, args) in model.calls {
            world.input(&Input::Block {
                turn,
                request: 1,
                block: Block::Call {
                    id: None,
                    tool: Arc::from(tool),
                    args: Arc::from(args.to_string()),
                    opaque: None,
                },
            });
        }
        world.end(turn, Stop::Calls);
        world.run();
        world.answer();
        world.ran = 0;
        world
    }

    fn asked(&self) -> TurnId {
        *self.state.turns.keys().next_back().unwrap()
    }

    /// The model answers.
    pub fn answer(&mut self) {
        let turn = self.asked();
        let text = Arc::from("Done.");
        self.input(&Input::Block {
            turn,
            request: 1,
            block: Block::Answer { text, opaque: None },
        });
        self.end(turn, Stop::End);
    }

    fn end(&mut self, turn: TurnId, stop: Stop) {
        self.input(&Input::Ended {
            turn,
            request: 1,
            stop,
            usage: Usage::default(),
        });
        self.follow();
    }

    fn input(&mut self, input: &Input) {
        let events = decide::input(&self.state, input);
        self.record(events);
    }

    /// Carries out everything that was begun and what follows from it, one after the other.
    pub fn run(&mut self) {
        while let Some((call, rev, attempt)) = self.begun.pop_front() {
            let outcome = mixed(self.state.calls[&call].resolved.as_deref().unwrap_or_default());
            self.ran += 1;
            self.input(&Input::Finished {
                call,
                rev,
                attempt,
                outcome,
                ms: 0,
                files: None,
            });
            self.follow();
        }
    }

    /// What follows by itself.
    pub fn follow(&mut self) {
        loop {
            let events = advance::advance(&self.state, &*self.adviser);
            if events.is_empty() {
                return;
            }
            self.record(events);
        }
    }

    /// Folds events.
    pub fn record(&mut self, events: Vec<Event>) {
        let last = events.len().saturating_sub(1);
        for (at, event) in events.into_iter().enumerate() {
            if let Event::Call(CallEvent::Started {
                call, rev, attempt, ..
            }) = &event
            {
                self.begun.push_back((*call, *rev, *attempt));
            }
            let envelope = Envelope {
                seq: self.state.seq.next(),
                at: 0,
                mono: 0,
                actor: Actor::Engine,
                cause: Seq(0),
                more: at < last,
                event,
            };
            apply::apply(&mut self.state, &envelope);
            self.record.iter_mut().for_each(|all| all.push(envelope.clone()));
        }
    }

    /// The facts that an edit makes.
    pub fn commit(&self, edit: Edit) -> Vec<Event> {
        let command = Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            reason: None,
            keep_later: false,
        });
        decide::command(&self.state, &*self.adviser, &command).unwrap()
    }

    /// A copy to measure an edit on, in which another edit was committed before: a fresh copy has no
    /// spare capacity, unlike a live run.
    pub fn copy(&self) -> Self {
        let mut copy = self.clone();
        let answer = copy.state.nodes.values().next_back().unwrap();
        let edit = Edit::Text {
            node: answer.id,
            base: answer.rev(),
            text: Arc::from("Done, and said better."),
        };
        let events = copy.commit(edit);
        copy.record(events);
        copy
    }

    /// A correction of what a call gave.
    pub fn correction(&self, call: usize) -> Edit {
        correction(&self.state, call)
    }
}

/// A correction of what a call gave.
pub fn correction(state: &State, call: usize) -> Edit {
    let node = stage::call_of(state, &format!("n{call}")).unwrap().observation();
    Edit::Observation {
        node,
        base: state.node(node).map(Node::rev).unwrap(),
        value: Arc::from("\"edited\""),
    }
}

/// The same graph with nothing on it but numbers: calls at even places, observations after them.
#[derive(Clone)]
pub struct Bare {
    reads: Vec<Vec<u32>>,
    readers: Vec<Vec<u32>>,
    values: Vec<u64>,
}

fn mix(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

impl Bare {
    /// As many nodes as [`World::done`] makes.
    pub fn new(nodes: usize) -> Self {
        let mut reads: Vec<Vec<u32>> = Vec::new();
        for (call, deps) in agent_like(nodes / 2).iter().enumerate() {
            reads.push(deps.iter().map(|dep| *dep as u32 * 2 + 1).collect());
            reads.push(vec![call as u32 * 2]);
        }
        let mut readers = vec![Vec::new(); reads.len()];
        for (node, deps) in reads.iter().enumerate() {
            for dep in deps {
                readers[*dep as usize].push(node as u32);
            }
        }
        let mut bare = Self {
            values: vec![0; reads.len()],
            reads,
            readers,
        };
        for node in 0..bare.reads.len() {
            bare.values[node] = bare.value(node);
        }
        bare
    }

    fn value(&self, node: usize) -> u64 {
        let deps = self.reads[node].iter();
        deps.fold(node as u64, |value, dep| mix(value, self.values[*dep as usize]))
    }

    /// Everything that may change with the observation of a call, in order.
    pub fn walk(&self, call: usize) -> Vec<u32> {
        let mut seen = vec![false; self.reads.len()];
        let mut open = vec![call as u32 * 2 + 1];
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            for reader in &self.readers[node as usize] {
                if !std::mem::replace(&mut seen[*reader as usize], true) {
                    found.push(*reader);
                    open.push(*reader);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Gives the observation of a call another value and computes its descendants again; returns
    /// the number of changed nodes.
    pub fn edit(&mut self, call: usize, value: u64) -> usize {
        let node = call * 2 + 1;
        self.values[node] = value;
        let mut dirty: BTreeSet<u32> = self.readers[node].iter().copied().collect();
        let mut count = 0;
        while let Some(node) = dirty.pop_first() {
            count += 1;
            let value = self.value(node as usize);
            if std::mem::replace(&mut self.values[node as usize], value) != value {
                dirty.extend(self.readers[node as usize].iter().copied());
            }
        }
        count
    }
}
