//! Recomputes the active graph from scratch, from the operator's decisions and the world's answers.
//!
//! Must not know: how the run keeps its graph.
//!
//! It has no index, no status and no memory of an earlier answer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::script::{Line, NodeContent, Script, label_of};
use overrule_domain::call::{Gate, Outcome};
use overrule_domain::id::{Attempt, NodeId, TurnId};

/// What befell a call, oldest first.
#[derive(Debug, Clone)]
pub enum Fate {
    /// An execution with these arguments is under way.
    Started(Attempt, Value),
    /// An execution with these arguments gave this, or the record of an equal one did.
    Ran(Value, Outcome),
    /// A person rejected it: with these arguments, or before any were known.
    Refused(Option<Value>),
    /// A person wrote the result; by an edit or not.
    Given { value: Value, by_edit: bool },
}

#[derive(Debug, Clone)]
pub struct Node {
    pub id: Option<NodeId>,
    pub content: NodeContent,
    pub gone: bool,
    /// An answer that a person rejected: the model still sees it.
    pub rejected: bool,
    pub fates: Vec<Fate>,
    /// The arguments with which it was last ready.
    pub ready: Option<Value>,
    /// The arguments it would run with now, where a person's result stays although they changed.
    pub pinned_args: Option<Value>,
    /// What the model said first.
    pub first: NodeContent,
    /// Where the model put it; none for what no reply brought.
    pub place: Option<Place>,
    /// A person wrote its result on this branch, whatever became of that since.
    pub worded: bool,
}

#[derive(Debug, Clone)]
pub struct Turn {
    pub id: TurnId,
    pub by_model: bool,
    /// Which reply of the model it is, from 1; 0 where it is none.
    pub reply: usize,
    pub nodes: Vec<Node>,
    /// A thought in it was rewritten.
    pub split: bool,
    /// The context that the model was asked with.
    pub asked: Vec<Line>,
    /// Suspended by an edit before it.
    pub held: bool,
    /// Kept by the operator although its context changed.
    pub drifted: bool,
    /// The number of nodes that arrived before the stream was ended.
    pub arrived: usize,
}

impl Node {
    pub fn new(claims: NodeContent) -> Self {
        Self {
            id: None,
            first: claims.clone(),
            content: claims,
            gone: false,
            rejected: false,
            fates: Vec::new(),
            ready: None,
            pinned_args: None,
            place: None,
            worded: false,
        }
    }

    /// How the model wrote a call, without names.
    fn written(&self) -> String {
        let NodeContent::Call(_, args) = &self.first else {
            return String::new();
        };
        let mut args: Value = serde_json::from_str(args).expect("JSON");
        for name in ["_as", "_out", "_after"] {
            args.as_object_mut().expect("an object").remove(name);
        }
        key(&self.first, Some(&args))
    }

    /// The name by which its result is read.
    fn label(&self) -> String {
        match (&self.content, self.id) {
            (NodeContent::Call(_, args), id) => match (label_of(args), id) {
                (Some(label), _) => label.to_owned(),
                (None, Some(id)) => id.to_string(),
                (None, None) => String::new(),
            },
            _ => String::new(),
        }
    }
}

impl Turn {
    pub fn new(id: TurnId, by_model: bool, claims: impl IntoIterator<Item = NodeContent>) -> Self {
        Self {
            id,
            by_model,
            reply: 0,
            nodes: claims.into_iter().map(Node::new).collect(),
            split: false,
            asked: Vec::new(),
            held: false,
            drifted: false,
            arrived: usize::MAX,
        }
    }

    /// The active nodes, with their places.
    pub fn counting(&self) -> impl DoubleEndedIterator<Item = (usize, &Node)> {
        self.shown().filter(|(_, node)| !node.gone)
    }

    /// The nodes that the model sees, with their places.
    fn shown(&self) -> impl DoubleEndedIterator<Item = (usize, &Node)> {
        let there = self.nodes.iter().enumerate().take(self.arrived);
        there
            .collect::<Vec<_>>()
            .into_iter()
            .filter(|(_, node)| !node.gone || node.rejected)
    }
}

/// How a call ends.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    Value(Value),
    Error(Value),
    Nothing,
}

/// The computed arguments and end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The arguments that it runs with; none where it cannot run, or a person wrote its result.
    pub args: Option<Value>,
    pub end: End,
    /// True where no recorded result gives its end: only the world can.
    pub guessed: bool,
}

const NOTHING: Cell = Cell {
    args: None,
    end: End::Nothing,
    guessed: false,
};

type At = (usize, usize);

/// The place of a call: its reply, its text as the model wrote it, and its number among equal ones.
pub type Place = (usize, String, usize);

/// The last result that a person wrote for the calls of a place with a tool and arguments, and the call
/// it was for; none where they withdrew it.
pub type Words = BTreeMap<(Place, String), Option<(Value, NodeId)>>;

/// Gives the calls of a new reply their places, after the active calls of the same reply.
pub fn give_places(before: &[Turn], turn: &mut Turn) {
    let mut written: Vec<String> = before
        .iter()
        .filter(|one| one.reply == turn.reply)
        .flat_map(Turn::counting)
        .map(|(_, node)| node.written())
        .collect();
    for node in &mut turn.nodes {
        let own = node.written();
        let similar = written.iter().filter(|one| **one == own).count();
        node.place = Some((turn.reply, own.clone(), similar));
        written.push(own);
    }
}

/// A tool with its final arguments, or with what is written where there are none.
pub fn key(claims: &NodeContent, args: Option<&Value>) -> String {
    let NodeContent::Call(tool, text) = claims else {
        return String::new();
    };
    let mut args = args
        .cloned()
        .unwrap_or_else(|| serde_json::from_str(text).expect("JSON"));
    args.sort_all_objects();
    format!("{tool} {args}")
}

/// A graph that is being computed.
pub struct Naive<'g> {
    turns: &'g [Turn],
    script: &'g Script,
    /// The order in which calls of a turn first ended: the world's.
    slots: &'g BTreeMap<NodeId, u32>,
    /// The last results that a person wrote for superseded calls.
    words: &'g Words,
    cells: BTreeMap<At, Option<Cell>>,
}

impl<'g> Naive<'g> {
    pub fn new(
        turns: &'g [Turn],
        script: &'g Script,
        slots: &'g BTreeMap<NodeId, u32>,
        words: &'g Words,
    ) -> Self {
        Self {
            words,
            turns,
            script,
            slots,
            cells: BTreeMap::new(),
        }
    }

    pub fn cell(&mut self, at: At) -> Cell {
        match self.cells.get(&at) {
            Some(Some(cell)) => return cell.clone(),
            // It waits for itself.
            Some(None) => return NOTHING,
            None => {}
        }
        self.cells.insert(at, None);
        let cell = self.work_out(at);
        self.cells.insert(at, Some(cell.clone()));
        cell
    }

    fn node(&self, (turn, place): At) -> &'g Node {
        &self.turns[turn].nodes[place]
    }

    fn work_out(&mut self, at: At) -> Cell {
        let node = self.node(at);
        let NodeContent::Call(tool, text) = &node.content else {
            return NOTHING;
        };
        let given = node.fates.iter().rev().find_map(|fate| match fate {
            Fate::Given { value, .. } => Some(value.clone()),
            _ => None,
        });
        if let Some(value) = given {
            return Cell {
                end: End::Value(value),
                ..NOTHING
            };
        }
        let found = self.arguments(at, text);
        if let Some(value) = self.typed_result(at, found.as_ref()) {
            return Cell {
                end: End::Value(value),
                ..NOTHING
            };
        }
        let Some(args) = found else {
            return NOTHING;
        };
        let unfit = args.get("n").is_some_and(|n| !n.is_number());
        if unfit {
            return NOTHING;
        }
        let mut guessed = false;
        let known = node.fates.iter().rev().find_map(|fate| match fate {
            Fate::Refused(None) => Some(End::Nothing),
            Fate::Refused(Some(with)) if *with == args => Some(End::Nothing),
            Fate::Ran(with, outcome) if *with == args => Some(end_of(outcome)),
            _ => None,
        });
        // What a person wrote stays where it is not pinned any more, whatever the policy says of running it.
        if known.is_none() && self.script.gate(tool) == Gate::Deny {
            return NOTHING;
        }
        let end = known.unwrap_or_else(|| {
            guessed = true;
            end_of(&self.script.result(tool, &args))
        });
        Cell {
            args: Some(args),
            end,
            guessed,
        }
    }

    /// What a person said of the same call when it counted last; `args` are those with which it would run.
    fn typed_result(&self, at: At, args: Option<&Value>) -> Option<Value> {
        let node = self.node(at);
        if node.worded || node.first != node.content {
            return None;
        }
        let place = node.place.clone()?;
        let word = self.words.get(&(place, key(&node.content, args)))?.as_ref();
        word.map(|(value, _)| value.clone())
    }

    /// The arguments with every reference replaced; none where one has no value.
    fn arguments(&mut self, at: At, text: &str) -> Option<Value> {
        let Ok(Value::Object(map)) = serde_json::from_str(text) else {
            return None;
        };
        // In their order.
        let mut map: serde_json::Map<String, Value> = map
            .into_iter()
            .filter(|(key, _)| key != "_as" && key != "_out")
            .collect();
        for value in map.values_mut() {
            if let Value::String(text) = value
                && text.starts_with('†')
            {
                *value = self.expression(at, text)?;
            }
        }
        // What it waits for only has to be there.
        map.shift_remove("_after");
        Some(Value::Object(map))
    }

    fn expression(&mut self, at: At, text: &str) -> Option<Value> {
        let mut last = None;
        for gate in text.split("&&") {
            let mut choices = gate.split("||");
            last = Some(choices.find_map(|one| self.target(at, one.trim()))?);
        }
        last
    }

    fn target(&mut self, at: At, text: &str) -> Option<Value> {
        let mut parts = text.trim_start_matches('†').split('.');
        let root = parts.next()?;
        let path: Vec<&str> = parts.collect();
        match root {
            "call" => {
                let source = self.holder(at, path.first()?)?;
                match self.cell(source).end {
                    End::Value(value) => descend(&value, &path[1..]),
                    End::Error(_) | End::Nothing => None,
                }
            }
            "state" => self.state(at, &path),
            "input" => descend(&serde_json::json!({"k": 7}), &path),
            _ => None,
        }
    }

    /// Who has a name: in the same turn, or the newest before.
    fn holder(&self, (turn, place): At, label: &str) -> Option<At> {
        (0..=turn).rev().find_map(|one| {
            let named = |(at, node): &(usize, &Node)| (one, *at) != (turn, place) && node.label() == label;
            self.turns[one].counting().find(named).map(|(at, _)| (one, at))
        })
    }

    /// The value at a path of the state, as a reader sees it.
    fn state(&mut self, (turn, place): At, path: &[&str]) -> Option<Value> {
        let mut before: Vec<(usize, u32, At)> = Vec::new();
        let mut after = before.clone();
        for one in 0..=turn {
            for (at, node) in self.turns[one].counting() {
                if (one, at) == (turn, place) || self.writes((one, at), path).is_empty() {
                    continue;
                }
                let slot = node.id.and_then(|id| self.slots.get(&id)).copied();
                let list = if (one, at) > (turn, place) {
                    &mut after
                } else {
                    &mut before
                };
                list.push((one, slot.unwrap_or(u32::MAX), (one, at)));
            }
        }
        for list in [&mut before, &mut after] {
            list.sort_unstable();
            let mut whole = Value::Null;
            let mut written = false;
            for (_, _, at) in list {
                let cell = self.cell(*at);
                for (place, on_error) in self.writes(*at, path) {
                    let ((End::Value(value), None | Some(false)) | (End::Error(value), Some(true))) =
                        (&cell.end, on_error)
                    else {
                        continue;
                    };
                    written = true;
                    put(&mut whole, &place, value.clone());
                }
            }
            if written {
                return descend(&whole, path);
            }
        }
        None
    }

    /// The paths that a call writes and that overlap with one, each with whether that is on failure.
    fn writes(&self, at: At, path: &[&str]) -> Vec<(Vec<String>, Option<bool>)> {
        let NodeContent::Call(_, text) = &self.node(at).content else {
            return Vec::new();
        };
        let args: Value = serde_json::from_str(text).unwrap_or_default();
        let Some(out) = args["_out"].as_str() else {
            return Vec::new();
        };
        let places: Vec<(&str, Option<bool>)> = match out.split_once("||") {
            Some((well, ill)) => vec![(well, Some(false)), (ill, Some(true))],
            None => out.split("&&").map(|one| (one, None)).collect(),
        };
        let cut = |one: &str| -> Vec<String> {
            let one = one.trim().trim_start_matches('†');
            one.split('.').skip(1).map(str::to_owned).collect()
        };
        let places = places.into_iter().map(|(place, when)| (cut(place), when));
        places
            .filter(|(place, _)| place.iter().zip(path).all(|(a, b)| a == b))
            .collect()
    }

    /// What the model sees of the turns before a place.
    pub fn lines(&mut self, until: usize) -> Vec<Line> {
        let turns = self.turns;
        let mut lines = Vec::new();
        for (at, turn) in turns.iter().enumerate().take(until) {
            self.lines_of(at, turn, &mut lines);
        }
        lines
    }

    fn lines_of(&mut self, at: usize, turn: &Turn, lines: &mut Vec<Line>) {
        let output = |node: &Node| match &node.content {
            NodeContent::Thought(text) | NodeContent::Answer(text) if !text.is_empty() => {
                Some(Line::Text(text.clone()))
            }
            NodeContent::Prompt(text) => Some(Line::User(text.clone())),
            _ => None,
        };
        let mut words: Vec<(usize, Line)> = turn
            .shown()
            .filter_map(|(at, node)| Some((at, output(node)?)))
            .collect();
        let calls: Vec<usize> = turn
            .counting()
            .filter(|(_, node)| matches!(node.content, NodeContent::Call(..)))
            .map(|(place, _)| place)
            .collect();
        // A rewritten thought after calls follows their results.
        let tail = match (turn.by_model && turn.split, calls.last(), words.last()) {
            (true, Some(call), Some((last, _))) if last > call => words.pop(),
            _ => None,
        };
        lines.extend(words.into_iter().map(|(_, line)| line));
        for place in &calls {
            if let NodeContent::Call(tool, args) = &turn.nodes[*place].content {
                lines.push(Line::Call(tool.clone(), args.clone()));
            }
        }
        for place in &calls {
            let got = match self.cell((at, *place)).end {
                End::Value(value) => value["v"].as_i64(),
                End::Error(_) | End::Nothing => None,
            };
            lines.push(Line::Got(got));
        }
        lines.extend(tail.map(|(_, line)| line));
    }
}

pub fn end_of(outcome: &Outcome) -> End {
    match outcome {
        Outcome::Ok { value, .. } => End::Value(serde_json::from_str(value).expect("JSON")),
        Outcome::Err(error) => End::Error(serde_json::json!({"class": error.class, "message": error.text()})),
        Outcome::Cancelled { .. } => {
            End::Error(serde_json::json!({"class": "cancelled", "message": "cancelled"}))
        }
    }
}

fn descend(value: &Value, path: &[&str]) -> Option<Value> {
    path.iter().try_fold(value, |here, key| here.get(*key)).cloned()
}

fn put(whole: &mut Value, path: &[String], value: Value) {
    let mut here = whole;
    for key in path {
        if !here.is_object() {
            *here = serde_json::json!({});
        }
        here = &mut here[key.as_str()];
    }
    *here = value;
}
