//! Writes the graph as JSON: everything with ids, or the active nodes without varying data.
//!
//! Must not know: how JSON is printed.
//!
//! The second form has nothing in which two equal runs may differ. Texts are exact JSON strings.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json as value};

use super::names::Names;
use super::words;
use crate::domain::badge;
use crate::domain::call::{Call, Outcome};
use crate::domain::graph::Edges;
use crate::domain::id::{NodeId, NodeKind, Seq};
use crate::domain::ladder::Round;
use crate::domain::node::{Channel, Content, Node, Origin};
use crate::domain::repair::{Phase, Reply};
use crate::domain::repair_trace::{self, ExitReason};
use crate::domain::state::{Mode, State};
use crate::domain::turn::Activity;
use crate::domain::why;
use crate::domain::{thread, unresolved};
use crate::resilience::policy::Policy;

/// Maximum number of columns of a description.
const DESCRIPTION: usize = 160;
/// Version of the format.
const FORMAT: u32 = 1;

/// When each event was recorded, in milliseconds since 1970.
pub type Times = BTreeMap<Seq, i64>;

/// Returns the graph as JSON. With `active_only` it contains the active nodes, by kind and ordinal
/// instead of ids, without times, attempts and traces of an interruption: equal for two runs with
/// the same graph.
pub fn json(state: &State, active_only: bool, times: &Times) -> Value {
    if active_only {
        active(state)
    } else {
        full(state, times)
    }
}

fn active(state: &State) -> Value {
    let names = Names::of(state);
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut into = Edges::new(state);
    for id in &names.nodes {
        let (Some(node), Some(name)) = (state.nodes.get(id), names.get(*id)) else {
            continue;
        };
        let mut out = Map::new();
        out.insert("name".to_owned(), value!(name));
        out.insert("kind".to_owned(), value!(id.kind.label()));
        content(&mut out, node, |args| names.in_args(args));
        if let Some(call) = state.calls.get(id) {
            if let Some(label) = words::own_label(*id, call) {
                out.insert("label".to_owned(), value!(label));
            }
            out.insert("status".to_owned(), value!(call.status.label()));
        }
        nodes.push(Value::Object(out));
        for edge in into.ending_in(*id) {
            if let Some(from) = names.get(edge.from) {
                edges.push(value!({ "from": from, "to": name, "kind": edge.kind }));
            }
        }
    }
    value!({ "format": FORMAT, "active": true, "nodes": nodes, "edges": edges })
}

fn full(state: &State, times: &Times) -> Value {
    let session = session(state);
    let nodes: Vec<Value> = state
        .nodes
        .values()
        .map(|node| whole(state, node, &session, times))
        .collect();
    let mut into = Edges::new(state);
    let edges: Vec<Value> = state
        .nodes
        .keys()
        .flat_map(|id| into.ending_in(*id))
        .map(|edge| value!({ "from": edge.from, "to": edge.to, "kind": edge.kind }))
        .collect();
    let turns: Vec<Value> = state
        .turns
        .values()
        .map(|turn| {
            let (activity, by) = match turn.activity {
                Activity::Active => ("active", None),
                Activity::Suspended(seq) => ("suspended", Some(seq)),
                Activity::Superseded(seq) => ("superseded", Some(seq)),
            };
            value!({
                "id": turn.id, "thread": turn.thread, "producer": turn.producer,
                "activity": activity, "by": by, "nodes": turn.nodes,
            })
        })
        .collect();
    let edits: Vec<Value> = state
        .edits
        .iter()
        .map(|edit| {
            value!({
                "seq": edit.seq, "epoch": edit.epoch, "node": edit.intervention,
                "target": edit.target, "what": &*edit.what,
            })
        })
        .collect();
    let (mode, answer): (&str, Option<NodeId>) = match &state.mode {
        Mode::Running => ("running", None),
        Mode::Paused(_) => ("paused", None),
        Mode::Stopped(_) => ("stopped", None),
        Mode::Finished(answer) => ("finished", Some(*answer)),
    };
    value!({
        "format": FORMAT, "active": false, "session": session, "seq": state.seq, "mode": mode, "restricted": state.restricted, "answer": answer,
        "failed_calls": unresolved::failed_calls(state, thread::ROOT),
        "nodes": nodes, "edges": edges, "turns": turns, "edits": edits,
    })
}

/// Returns the id of the session; empty if the run has none.
fn session(state: &State) -> String {
    let setup = state.started.as_deref().map(|started| &*started.setup);
    let setup: Option<Value> = setup.and_then(|setup| serde_json::from_str(setup).ok());
    let id = setup.as_ref().and_then(|setup| setup.get("session")?.as_str());
    id.unwrap_or_default().to_owned()
}

fn whole(state: &State, node: &Node, session: &str, times: &Times) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), value!(node.id));
    out.insert("uid".to_owned(), value!(format!("{session}/{}", node.id)));
    out.insert(
        "description".to_owned(),
        value!(words::line(state, node, DESCRIPTION)),
    );
    out.insert("created_at".to_owned(), value!(times.get(&node.born())));
    out.insert("changed_at".to_owned(), value!(times.get(&node.now().event)));
    out.insert("kind".to_owned(), value!(node.id.kind.label()));
    out.insert("turn".to_owned(), value!(node.turn));
    out.insert("active".to_owned(), value!(node.active));
    out.insert("revision".to_owned(), value!(node.rev()));
    out.insert("by".to_owned(), value!(author(&node.now().origin)));
    out.insert("seq".to_owned(), value!(node.born()));
    content(&mut out, node, str::to_owned);
    let badges = badge::of(state, node.id);
    if node.active && !badges.is_empty() {
        let words: Vec<&str> = badges.iter().map(|one| one.label()).collect();
        out.insert("badges".to_owned(), value!(words));
    }
    if let Some(call) = state.calls.get(&node.id) {
        out.insert("label".to_owned(), value!(&*call.label));
        out.insert("status".to_owned(), value!(call.status.label()));
        out.insert("effect".to_owned(), value!(call.effect));
        out.insert("stale".to_owned(), value!(call.suspect));
        out.insert("attempts".to_owned(), value!(call.attempts.len()));
        let ran: Vec<Value> = call
            .attempts
            .iter()
            .map(|one| {
                let (started, rev) = (times.get(&one.intent), one.rev);
                value!({ "attempt": one.no, "revision": rev, "started_at": started, "ms": one.ms })
            })
            .collect();
        out.insert("executions".to_owned(), value!(ran));
        out.insert("journey".to_owned(), way(state, node));
        if !call.failure.repairs.is_empty() {
            out.insert("repairs".to_owned(), value!(rounds(call)));
        }
        if let Some(why) = why::of(node) {
            out.insert("why".to_owned(), value!(why));
        }
        if let Some(resolved) = &call.resolved {
            out.insert("resolved".to_owned(), value!(&**resolved));
        }
        if let Some(because) = &call.validation.because {
            out.insert("because".to_owned(), value!(&**because));
        }
    }
    Value::Object(out)
}

/// Returns the steps of a call, and the number of its attempt.
fn way(state: &State, node: &Node) -> Value {
    let way = repair_trace::of(state, node.id);
    let steps: Vec<Value> = way
        .steps
        .iter()
        .map(|step| {
            let mut out = value!({ "state": step.phase.name(), "revision": step.rev });
            if let (Phase::ExecuteTool, Some(out)) = (step.phase, out.as_object_mut()) {
                out.insert("executions".to_owned(), value!(step.executions));
            }
            out
        })
        .collect();
    let tool = node.as_call().map_or("", |(tool, _)| &**tool);
    value!({
        "state": way.now().name(), "attempt": way.attempt, "of": Policy::executions_in(state, tool),
        "left": way.left.map(ExitReason::label), "steps": steps,
    })
}

/// Returns the rounds of repair of a call, oldest first.
fn rounds(call: &Call) -> Vec<Value> {
    let round = |one: &Round| {
        let answer = match &one.reply {
            Some(Reply::Answered { text }) => Some(text),
            Some(Reply::Failed { .. }) | None => None,
        };
        value!({
            "round": one.no, "revision": one.rev, "class": one.class, "found": one.diagnoses,
            "asked": one.asked.as_ref().map(|question| &question.prompt), "answer": answer,
            "offered": one.options, "changes": one.changes, "helped": one.helped, "gave_up": one.gave_up,
        })
    };
    call.failure.repairs.iter().map(round).collect()
}

fn author(origin: &Origin) -> &'static str {
    match origin {
        Origin::Model => "model",
        Origin::Execution => "execution",
        Origin::Operator { .. } => "operator",
        Origin::Repair { .. } => "repair",
        Origin::Engine { .. } => "engine",
        Origin::Reused { .. } => "reused",
        Origin::Import => "import",
    }
}

fn content(out: &mut Map<String, Value>, node: &Node, args_of: impl Fn(&str) -> String) {
    match &node.now().content {
        Content::Text { text, channel, .. } => {
            out.insert("text".to_owned(), value!(&**text));
            if node.id.kind == NodeKind::Thought && *channel == Channel::Reasoning {
                out.insert("reasoning".to_owned(), value!(true));
            }
        }
        Content::Call { tool, args } => {
            out.insert("tool".to_owned(), value!(&**tool));
            out.insert("arguments".to_owned(), value!(args_of(args)));
        }
        Content::Observation { outcome, .. } => match outcome {
            Outcome::Ok { value, exit, .. } => {
                out.insert("result".to_owned(), value!(&**value));
                if let Some(code) = exit {
                    out.insert("exit".to_owned(), value!(code));
                }
            }
            Outcome::Err(error) => {
                out.insert(
                    "error".to_owned(),
                    value!({ "class": error.class, "message": error.message }),
                );
            }
            Outcome::Cancelled { executed } => {
                out.insert("cancelled".to_owned(), value!({ "executed": executed }));
            }
        },
        Content::Deleted => {
            out.insert("deleted".to_owned(), value!(true));
        }
    }
}
