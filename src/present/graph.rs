//! Builds the view of the graph: everything with ids, or the active nodes without varying data.
//!
//! Must not know: lanes, formats.
//!
//! The second form has nothing in which two equal runs may differ. Texts are exact.

mod names;
mod node;

use std::collections::BTreeMap;

use serde::Serialize;

use self::names::Names;
pub use self::node::{
    CallNodeView, CancelledView, ContentView, ErrorView, JourneyView, NodeTimesView, NodeView, PhaseView,
    RanView, RoundView,
};
use super::node_line;
use overrule_domain::badge::MarkedCalls;
use overrule_domain::graph::{Edge, EdgeKind, Edges};
use overrule_domain::id::{Epoch, NodeId, Seq, ThreadId, TurnId};
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::{Activity, Producer, Turn};
use overrule_domain::{thread, unresolved};

/// Version of the format.
const FORMAT: u32 = 1;

/// When each event was recorded, in milliseconds since 1970.
pub type Times = BTreeMap<Seq, i64>;

/// The whole graph of a session.
#[derive(Debug, Clone, Serialize)]
pub struct GraphView<'s> {
    /// Version of the format: 1.
    pub format: u32,
    /// Always false.
    pub active: bool,
    /// The session; empty if the run has none.
    pub session: String,
    /// The newest event.
    pub seq: Seq,
    /// The state of the run, in a word.
    pub mode: &'static str,
    /// Why only reading calls start; none if all do.
    pub restricted: Option<&'s str>,
    /// The answer of a finished run.
    pub answer: Option<NodeId>,
    /// Calls of the root thread that failed and were not made again with success.
    pub failed_calls: Vec<NodeId>,
    /// Every node, in journal order.
    pub nodes: Vec<NodeView<'s>>,
    /// Every edge.
    pub edges: Vec<Edge>,
    /// Every turn.
    pub turns: Vec<TurnView<'s>>,
    /// Every edit, oldest first.
    pub edits: Vec<EditView<'s>>,
}

/// A turn.
#[derive(Debug, Clone, Serialize)]
pub struct TurnView<'s> {
    /// Its number.
    pub id: TurnId,
    /// The thread that it belongs to.
    pub thread: ThreadId,
    /// Who made it.
    pub producer: Producer,
    /// Whether it is active, in a word.
    pub activity: &'static str,
    /// The event that suspended or superseded it.
    pub by: Option<Seq>,
    /// Its nodes.
    pub nodes: &'s [NodeId],
}

/// An edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditView<'s> {
    /// The event.
    pub seq: Seq,
    /// The epoch that it began.
    pub epoch: Epoch,
    /// The node that stands for it.
    pub node: NodeId,
    /// The node that was edited.
    pub target: Option<NodeId>,
    /// Description of the edit.
    pub what: &'s str,
}

impl<'s> GraphView<'s> {
    /// Builds the view of a run; `times` are those of its events.
    pub fn of(state: &'s State, times: &Times) -> Self {
        let session = session(state);
        let marked = MarkedCalls::of(state);
        let nodes = state.nodes.values();
        let nodes = nodes
            .map(|node| NodeView::of(state, &marked, node, (&session, times)))
            .collect();
        let mut into = Edges::new(state);
        let edges = state.nodes.keys().flat_map(|id| into.ending_in(*id)).collect();
        let edits = state.operator.edits.iter().map(|edit| EditView {
            seq: edit.seq,
            epoch: edit.epoch,
            node: edit.intervention,
            target: edit.target,
            what: &edit.what,
        });
        let (mode, answer) = match &state.mode {
            Mode::Running => ("running", None),
            Mode::Paused(_) => ("paused", None),
            Mode::Stopped(_) => ("stopped", None),
            Mode::Finished(answer) => ("finished", Some(*answer)),
        };
        Self {
            format: FORMAT,
            active: false,
            session,
            seq: state.seq,
            mode,
            restricted: state.settings.restricted.as_deref(),
            answer,
            failed_calls: unresolved::failed_calls(state, thread::ROOT),
            nodes,
            edges,
            turns: state.turns.values().map(TurnView::of).collect(),
            edits: edits.collect(),
        }
    }
}

impl<'s> TurnView<'s> {
    fn of(turn: &'s Turn) -> Self {
        let (activity, by) = match turn.activity {
            Activity::Active => ("active", None),
            Activity::Suspended(seq) => ("suspended", Some(seq)),
            Activity::Superseded(seq) => ("superseded", Some(seq)),
        };
        Self {
            id: turn.id,
            thread: turn.thread,
            producer: turn.producer,
            activity,
            by,
            nodes: &turn.nodes,
        }
    }
}

/// Returns the id of the session; empty if the run has none.
fn session(state: &State) -> String {
    #[derive(serde::Deserialize)]
    struct Setup {
        session: Option<String>,
    }
    let setup = state.started.as_deref().map(|started| &*started.setup);
    let setup: Option<Setup> = setup.and_then(|setup| serde_json::from_str(setup).ok());
    setup.and_then(|setup| setup.session).unwrap_or_default()
}

/// The active nodes by kind and ordinal, without times, attempts and traces of an interruption: equal for two runs with
/// the same graph.
#[derive(Debug, Clone, Serialize)]
pub struct ActiveGraphView<'s> {
    /// Version of the format: 1.
    pub format: u32,
    /// Always true.
    pub active: bool,
    /// The active nodes.
    pub nodes: Vec<ActiveNodeView<'s>>,
    /// The edges between them.
    pub edges: Vec<ActiveEdgeView>,
}

/// An active node.
#[derive(Debug, Clone, Serialize)]
pub struct ActiveNodeView<'s> {
    /// Its kind and ordinal.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// What it holds.
    #[serde(flatten)]
    pub content: ContentView<'s>,
    /// The label that the model gave a call; absent for other nodes and without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<&'s str>,
    /// The status of a call; absent for other nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// An edge between active nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActiveEdgeView {
    /// The parent.
    pub from: String,
    /// The child.
    pub to: String,
    /// What it means.
    pub kind: EdgeKind,
}

impl<'s> ActiveGraphView<'s> {
    /// Builds the view of a run.
    pub fn of(state: &'s State) -> Self {
        let names = Names::of(state);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut into = Edges::new(state);
        for id in &names.nodes {
            let (Some(node), Some(name)) = (state.nodes.get(id), names.get(*id)) else {
                continue;
            };
            let call = state.calls.get(id);
            nodes.push(ActiveNodeView {
                name: name.to_owned(),
                kind: id.kind.label(),
                content: ContentView::of(node, |args| names.in_args(args).into()),
                label: call.and_then(|call| node_line::own_label(*id, call)),
                status: call.map(|call| call.status.label().into_owned()),
            });
            for edge in into.ending_in(*id) {
                if let Some(from) = names.get(edge.from) {
                    edges.push(ActiveEdgeView {
                        from: from.to_owned(),
                        to: name.to_owned(),
                        kind: edge.kind,
                    });
                }
            }
        }
        Self {
            format: FORMAT,
            active: true,
            nodes,
            edges,
        }
    }
}
