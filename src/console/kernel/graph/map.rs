//! The map: the turns around the selected node as boxes.
//!
//! Must not know: how a box is drawn, keys.
//!
//! It is made again when the run changes, or when the cursor leaves the turns next to the middle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Pick;
use crate::ground::layout::map::{Flow, Node, Sheet, Size};
use overrule_domain::graph;
use overrule_domain::id::{NodeId, NodeKind, Seq, TurnId};
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, Turn};

/// Fewest turns on each side of the middle.
const AROUND: usize = 3;
/// Fewest rows of a turn with a call downwards: two boxes and the lines below them.
const ROWS: usize = 4;
/// Fewest rows for layers downwards.
const LOW: u16 = 5;
/// Maximum number of boxes.
const MOST: usize = 150;
/// Width of a box in columns, at least, and at most where layers are to the right.
const LEAST_WIDE: u16 = 14;
const MOST_WIDE: u16 = 26;
/// Turns that the cursor may move from the middle before the map is made again.
const FREE: usize = 1;

/// Subject of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// A node.
    Node(NodeId),
    /// The broken stream of a turn.
    Broken(TurnId),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(id) => id.fmt(f),
            Self::Broken(turn) => turn.fmt(f),
        }
    }
}

/// The map.
#[derive(Debug, Clone, Default)]
pub struct MapPane {
    /// The drawing.
    pub sheet: Sheet<Spot>,
    /// Columns and rows available for it.
    pub room: (u16, u16),
    middle: Option<NodeId>,
    made: Option<Key>,
}

/// Inputs of a map: event, middle, room, broken streams.
type Key = (Seq, NodeId, (u16, u16), Vec<TurnId>);

impl MapPane {
    /// Sizes for an area: the boxes of a layer downwards share its columns.
    fn size(room: (u16, u16)) -> Size {
        let width = match Self::flow(room) {
            Flow::Down => LEAST_WIDE,
            Flow::Right => (room.0 / 3).saturating_sub(3).clamp(LEAST_WIDE, MOST_WIDE),
        };
        Size {
            width: usize::from(width),
            room: usize::from(room.0),
            gap: 2,
            pitch: 1,
        }
    }

    /// Direction of the map in an area of this size: to the right only where it is too low for two turns.
    const fn flow(room: (u16, u16)) -> Flow {
        if room.1 < LOW { Flow::Right } else { Flow::Down }
    }

    /// Turns on each side of the middle: as many as fill the area from either end.
    fn reach(room: (u16, u16)) -> usize {
        AROUND.max(usize::from(room.1) / ROWS + 1)
    }

    /// The box under the cursor.
    pub fn spot(&self, selected: Option<Pick>) -> Option<Spot> {
        let broken = |turn: TurnId| Some(Spot::Broken(turn)).filter(|spot| self.sheet.find(*spot).is_some());
        match selected {
            Some(Pick::Node(id)) => Some(Spot::Node(id.call())),
            Some(Pick::Live(turn, _)) => broken(turn).or_else(|| self.last()),
            None => self.last(),
        }
    }

    /// The first visible column and row of the drawing, for an area of this size.
    pub fn window(&self, selected: Option<Pick>, room: (u16, u16)) -> (usize, usize) {
        let room = (usize::from(room.0), usize::from(room.1));
        self.sheet.window(self.spot(selected), room)
    }

    /// The box at a column and a row of the screen.
    pub fn spot_at(&self, selected: Option<Pick>, at: (u16, u16)) -> Option<Spot> {
        let (left, top) = self.window(selected, self.room);
        let (x, y) = (left + usize::from(at.0), top + usize::from(at.1));
        let mut boxes = self.sheet.boxes.iter();
        let here = boxes.find(|one| one.y == y && (one.x..one.x + one.width).contains(&x));
        here.map(|one| one.key)
    }

    fn last(&self) -> Option<Spot> {
        self.sheet.boxes.last().map(|last| last.key)
    }

    /// Updates the map with these broken streams.
    pub(crate) fn sync(&mut self, state: &State, selected: Option<Pick>, broken: &[TurnId]) {
        let node = match selected {
            Some(Pick::Node(id)) => Some(id),
            Some(Pick::Live(turn, _)) => newest_before(state, turn),
            None => None,
        };
        let Some(node) = node.map(NodeId::call).filter(|id| state.turn_of(*id).is_some()) else {
            *self = Self {
                room: self.room,
                ..Self::default()
            };
            return;
        };
        let near =
            |middle: &NodeId| self.sheet.find(Spot::Node(node)).is_some() && is_near(state, *middle, node);
        let middle = self.middle.filter(near).unwrap_or(node);
        let key = (state.seq, middle, self.room, broken.to_vec());
        if self.made.as_ref() == Some(&key) {
            return;
        }
        self.made = Some(key);
        self.middle = Some(middle);
        let nodes = nodes_around(state, middle, broken, Self::reach(self.room));
        self.sheet = Sheet::new(&nodes, Self::flow(self.room), Self::size(self.room));
    }
}

/// The last node before the pending response of a turn.
fn newest_before(state: &State, turn: TurnId) -> Option<NodeId> {
    let turn = state.turns.get(&turn)?;
    let last = |turn: &Turn| turn.nodes.last().copied();
    last(turn).or_else(|| {
        let earlier = state.turns_of(turn.thread).rev();
        earlier.filter(|one| one.pos < turn.pos).find_map(last)
    })
}

fn is_near(state: &State, middle: NodeId, node: NodeId) -> bool {
    let (Some(middle), Some(own)) = (state.turn_of(middle), state.turn_of(node)) else {
        return false;
    };
    if middle.thread != own.thread {
        return false;
    }
    let line = around(state, middle, FREE);
    line.contains(&own.id)
}

/// The turns around one, including it: the active ones, or those that were superseded together with
/// it.
fn around(state: &State, turn: &Turn, reach: usize) -> Vec<TurnId> {
    let Some(line) = state.threads.turns.get(&turn.thread) else {
        return Vec::new();
    };
    let fits = |id: &TurnId| {
        *id == turn.id
            || state.turns.get(id).is_some_and(|other| {
                !matches!(other.activity, Activity::Superseded(_)) || other.activity == turn.activity
            })
    };
    let at = (turn.pos as usize).min(line.len());
    let before = line.get(..at).unwrap_or_default().iter().rev();
    let mut all: Vec<TurnId> = before.copied().filter(|id| fits(id)).take(reach).collect();
    all.reverse();
    let after = line.get(at..).unwrap_or_default().iter();
    all.extend(after.copied().filter(|id| fits(id)).take(reach + 1));
    all
}

/// The nodes of at most `most` turns on each side of a node, and of its own turn, each with its layer.
fn nodes_around(state: &State, middle: NodeId, broken: &[TurnId], most: usize) -> Vec<Node<Spot>> {
    let Some(turn) = state.turn_of(middle) else {
        return Vec::new();
    };
    let shown = |id: TurnId| -> Vec<NodeId> {
        let Some(turn) = state.turns.get(&id) else {
            return Vec::new();
        };
        let whole = matches!(turn.activity, Activity::Superseded(_));
        let nodes = turn.nodes.iter().copied();
        nodes
            .filter(|id| whole || *id == middle || state.node(*id).is_some_and(|node| node.active))
            .collect()
    };
    let mut turns: Vec<(TurnId, Vec<NodeId>)> = Vec::new();
    for reach in (0..=most).rev() {
        turns = around(state, turn, reach)
            .into_iter()
            .map(|id| (id, shown(id)))
            .collect();
        if turns.iter().map(|(_, nodes)| nodes.len()).sum::<usize>() <= MOST {
            break;
        }
    }
    // One turn alone can be too large: only the nodes next to the selected one are shown.
    if let [(_, only)] = turns.as_mut_slice()
        && only.len() > MOST
    {
        let at = only.iter().position(|id| *id == middle).unwrap_or(0);
        let from = at.saturating_sub(MOST / 2).min(only.len() - MOST);
        let part = only.iter().enumerate();
        *only = part
            .filter(|(no, id)| (from..from + MOST - 1).contains(no) || id.kind == NodeKind::Thought)
            .map(|(_, id)| *id)
            .take(MOST)
            .collect();
    }
    let mut out = Vec::new();
    let mut base = 0;
    let mut before = 0;
    for (turn, nodes) in turns {
        let first = out.len();
        base = layers(state, &nodes, base, &mut out);
        if !nodes.is_empty() {
            before = first;
        }
        if broken.contains(&turn) {
            let parents = leaves(out.get(before..).unwrap_or_default());
            let (key, layer) = (Spot::Broken(turn), base);
            out.push(Node { key, layer, parents });
            base += 1;
        }
    }
    out
}

/// The nodes without descendants: those that existed when a stream broke.
fn leaves(nodes: &[Node<Spot>]) -> Vec<Spot> {
    let inner: BTreeSet<Spot> = nodes
        .iter()
        .flat_map(|node| node.parents.iter().copied())
        .collect();
    let keys = nodes.iter().map(|node| node.key);
    keys.filter(|key| !inner.contains(key)).collect()
}

/// Assigns layers from `base` on to the nodes of a turn, each after the nodes that it depends on.
/// Returns the layer after the last.
fn layers(state: &State, nodes: &[NodeId], base: usize, out: &mut Vec<Node<Spot>>) -> usize {
    let mut of: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut end = base;
    // A call may read a later call of its turn. The second pass knows the layer of that call.
    let mut into = graph::Edges::new(state);
    let edges: Vec<Vec<NodeId>> = nodes
        .iter()
        .map(|id| {
            let mut parents: Vec<NodeId> = Vec::new();
            for edge in into.ending_in(*id) {
                let parent = edge.from.call();
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
            parents
        })
        .collect();
    for _ in 0..2 {
        for (id, parents) in nodes.iter().zip(&edges) {
            let following = parents
                .iter()
                .filter_map(|parent| of.get(parent))
                .map(|at| at + 1);
            let layer = following.max().unwrap_or(base).max(base);
            of.insert(*id, layer);
        }
    }
    // A thought after calls of its own turn follows them.
    let mut floor = base;
    for id in nodes {
        if id.kind == NodeKind::Thought
            && let Some(layer) = of.get_mut(id)
        {
            *layer = (*layer).max(floor);
        }
        if let Some(layer) = of.get(id) {
            floor = floor.max(*layer + usize::from(id.kind == NodeKind::Call));
        }
    }
    for (id, parents) in nodes.iter().zip(edges) {
        let layer = of.get(id).copied().unwrap_or(base);
        end = end.max(layer + 1);
        out.push(Node {
            key: Spot::Node(*id),
            layer,
            parents: parents.into_iter().map(Spot::Node).collect(),
        });
    }
    end
}
