//! A model and tools that are functions: equal contexts give equal replies, equal calls equal results.
//!
//! Must not know: the run, its rules.
//!
//! So the operator's actions determine the whole session.

use serde_json::Value;

use overrule_domain::call::{ErrorClass, Gate, Outcome, ToolError};
use overrule_domain::transcript::Message;

/// What the model sees of its context: no ids, no notices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    User(String),
    Text(String),
    Call(String, String),
    /// The number in a result; none for anything that is no value.
    Got(Option<i64>),
}

/// What a node says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    Prompt(String),
    Thought(String),
    Answer(String),
    Call(String, String),
}

/// How the calls of a turn read each other.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    Chain,
    Fan,
    Join,
    Diamonds,
    Loose,
}

pub const FORMS: [Form; 5] = [Form::Loose, Form::Chain, Form::Fan, Form::Join, Form::Diamonds];
const CLASSES: [&str; 5] = ["pure", "read", "idem", "write", "unknown"];

/// The model and the tools of one session.
#[derive(Debug, Clone)]
pub struct Script {
    pub seed: u64,
    /// Calls of each turn; after the last comes the answer.
    pub sizes: Vec<usize>,
    pub form: Form,
    /// How many different replies there are to a turn: 1 makes the model deaf.
    pub moods: u64,
    /// How many different results there are.
    pub results: i64,
    /// Whether executions fail now and then.
    pub fails: bool,
    /// Whether calls read nothing but results of others, and always.
    pub plain: bool,
    /// What the policy says of each class.
    pub gates: [Gate; 5],
}

fn mix(mut at: u64) -> u64 {
    at = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
    at = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    at = (at ^ (at >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    at ^ (at >> 31)
}

pub fn hash(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    mix(text.bytes().fold(start, |at, byte| {
        (at ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    }))
}

/// Numbers that follow from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = mix(self.0);
        (self.0 % end.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// The sum of all numbers of a value.
fn sum(value: &Value) -> i64 {
    match value {
        Value::Number(n) => n.as_i64().unwrap_or(0),
        Value::Array(list) => list.iter().map(sum).sum(),
        Value::Object(map) => map.values().map(sum).sum(),
        _ => 0,
    }
}

/// The turn of the model that a label belongs to, counted from 0.
fn depth_of(args: &str) -> Option<usize> {
    let label = &args[args.find("\"_as\":\"d")? + 8..];
    label[..label.find('l')?].parse().ok()
}

impl Script {
    /// As many results as there are calls.
    pub const ALL_DIFFERENT: i64 = 1 << 40;

    /// What the model answers to a context.
    pub fn reply(&self, context: &[Line]) -> Vec<NodeContent> {
        let calls = context.iter().filter_map(|line| match line {
            Line::Call(_, args) => depth_of(args),
            _ => None,
        });
        let depth = calls.max().map_or(0, |depth| depth + 1);
        let received = hash(&format!("{context:?}"));
        let Some(size) = self.sizes.get(depth) else {
            return vec![NodeContent::Answer(format!(
                "answer {}",
                received % self.moods.max(7)
            ))];
        };
        let mood = received % self.moods;
        let mut draw = Draw(mix(self.seed ^ mix(mood) ^ mix(depth as u64 + 1)));
        let mut claims = Vec::new();
        if !draw.one_in(3) {
            claims.push(NodeContent::Thought(format!("plan {}", draw.below(100))));
        }
        claims.extend(self.calls(*size, depth, context, &mut draw));
        // There is always a place to write a thought.
        if !matches!(claims.first(), Some(NodeContent::Thought(_))) {
            claims.insert(0, NodeContent::Thought(String::new()));
        }
        claims
    }

    fn calls(&self, size: usize, depth: usize, context: &[Line], draw: &mut Draw) -> Vec<NodeContent> {
        let mut ranks: Vec<usize> = (0..size).collect();
        for at in 1..size {
            if draw.one_in(6) {
                ranks.swap(at - 1, at);
            }
        }
        let by_rank = |rank: usize| ranks.iter().position(|one| *one == rank).unwrap_or(0);
        let earlier: Vec<&str> = context
            .iter()
            .filter_map(|line| match line {
                Line::Call(_, args) => label_of(args),
                _ => None,
            })
            .collect();
        let mut claims = Vec::new();
        for (at, rank) in ranks.iter().copied().enumerate() {
            let expected: Vec<usize> = match self.form {
                _ if rank == 0 => Vec::new(),
                Form::Chain => vec![rank - 1],
                Form::Fan => vec![0],
                Form::Join if rank + 1 == size => (0..rank.min(8)).collect(),
                Form::Join => Vec::new(),
                Form::Diamonds if rank < 3 => Vec::new(),
                Form::Diamonds => vec![rank / 3 * 3 - 1, rank / 3 * 3 - 2],
                Form::Loose => (0..draw.below(4))
                    .map(|_| rank - 1 - draw.below(rank.min(12)))
                    .collect(),
            };
            let mut reads: Vec<String> = expected
                .iter()
                .map(|rank| format!("d{depth}l{}", by_rank(*rank)))
                .collect();
            if !earlier.is_empty() && draw.one_in(3) {
                reads.push(earlier[draw.below(earlier.len())].to_owned());
            }
            if at > 0 && draw.one_in(8) && size < 30 {
                claims.push(NodeContent::Thought(format!("next {}", draw.below(100))));
            }
            let args = self.args(&format!("d{depth}l{at}"), &reads, draw);
            claims.push(NodeContent::Call(CLASSES[draw.below(5)].into(), args));
        }
        claims
    }

    /// An argument text with a label, a number, references, and now and then an output path.
    fn args(&self, label: &str, reads: &[String], draw: &mut Draw) -> String {
        let mut args = format!("{{\"_as\":\"{label}\"");
        for (at, read) in reads.iter().enumerate() {
            let also = &reads[draw.below(reads.len())];
            let target = match if self.plain { 11 } else { draw.below(12) } {
                0 => format!("†call.{read}.v || †call.{also}.v"),
                1 => format!("†call.{also}.w || †call.{read}.v"),
                2 => format!("†call.{read}.v && †call.{also}.v"),
                3 => format!("†state.s{read}.v"),
                4 => format!("†state.s{read}.v || †call.{read}.v"),
                5 if draw.one_in(4) => format!("†call.{read}.w"),
                6 if draw.one_in(4) => format!("†call.none.v || †call.{read}.v"),
                _ => format!("†call.{read}.v"),
            };
            let key = if at == 0 && draw.one_in(4) {
                "n".into()
            } else if at == 1 && !self.plain && draw.one_in(3) {
                "_after".into()
            } else {
                format!("x{at}")
            };
            args.extend([",\"", &key, "\":\"", &target, "\""]);
        }
        args.extend([",\"y\":", &draw.below(3).to_string()]);
        match if self.plain { 7 } else { draw.below(8) } {
            0 | 1 => args.extend([",\"_out\":\"†state.s", label, "\""]),
            2 => args.extend([",\"_out\":\"†state.s", label, " || †state.e", label, "\""]),
            3 => args.extend([",\"_out\":\"†state.s", label, " && †state.all.", label, "\""]),
            _ => {}
        }
        args + "}"
    }

    /// What an execution gives.
    pub fn result(&self, tool: &str, args: &Value) -> Outcome {
        let seed = hash(&format!("{tool} {args}"));
        if self.fails && seed.is_multiple_of(11) {
            return Outcome::err(ToolError {
                class: ErrorClass::NotFound,
                message: "failed".into(),
                evidence: "test".into(),
                hint: None,
                partial: None,
                executed: true,
                retry_after_ms: None,
            });
        }
        let own = CLASSES.iter().position(|one| *one == tool).unwrap_or(0) as i64;
        let value = match self.results {
            Self::ALL_DIFFERENT => (seed % 1_000_003) as i64,
            of => (sum(args) + own) % of.max(1),
        };
        Outcome::ok(format!("{{\"v\":{value}}}"))
    }

    /// What the policy says of a tool.
    pub fn gate(&self, tool: &str) -> Gate {
        let at = CLASSES.iter().position(|one| *one == tool);
        at.map_or(Gate::Allow, |at| self.gates[at])
    }

    pub fn tool(at: usize) -> &'static str {
        CLASSES[at % CLASSES.len()]
    }
}

/// The label in an argument text.
pub fn label_of(args: &str) -> Option<&str> {
    let rest = &args[args.find("\"_as\":\"")? + 7..];
    Some(&rest[..rest.find('"')?])
}

/// What the model sees of a request.
pub fn lines(messages: &[Message]) -> Vec<Line> {
    let mut lines = Vec::new();
    for message in messages {
        match message {
            Message::User { text, .. } => lines.push(Line::User(text.to_string())),
            Message::Assistant {
                texts: content,
                calls,
            } => {
                lines.extend(content.iter().map(|content| Line::Text(content.text.to_string())));
                lines.extend(
                    calls
                        .iter()
                        .map(|call| Line::Call(call.tool.to_string(), call.args.to_string())),
                );
            }
            Message::Result { text, is_error, .. } => {
                lines.push(Line::Got(if *is_error { None } else { number_in(text) }));
            }
            Message::Note { .. } => {}
        }
    }
    lines
}

fn number_in(text: &str) -> Option<i64> {
    let at = text.rfind("{\"v\":")? + 5;
    text[at..].trim_end_matches('}').parse().ok()
}
