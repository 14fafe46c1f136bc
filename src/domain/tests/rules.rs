//! The tools and the policy of the test world: programmable, and known exactly. Must not know: when
//! anything runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::advice::{Advice, ToolFacts, Used};
use crate::domain::call::{Consequence, Digest, EffectClass, Fault, Gate, Outcome, Verdict};
use crate::domain::id::{NodeId, Rev};

/// How a tool answers.
pub type Results = Arc<dyn Fn(&str, &str) -> Outcome>;

/// Tools and policy of the world. The name of a tool says what it can do.
#[derive(Clone)]
pub struct Rules {
    /// Gate by tool; allow where none is named.
    pub gates: BTreeMap<String, Gate>,
    /// How many calls of a tool run without being asked for; any number where none is named.
    pub uses: BTreeMap<String, u32>,
    /// What an unanswered call meets, and when.
    pub deadline: Option<(u64, Consequence)>,
    /// What executions give.
    pub results: Results,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            gates: BTreeMap::new(),
            uses: BTreeMap::new(),
            deadline: None,
            results: Arc::new(|_, args| Outcome::ok(format!("{{\"v\":{}}}", sum(args) + 1))),
        }
    }
}

/// Every tool of the world.
pub const TOOLS: [&str; 9] = [
    "pure",
    "read",
    "idem",
    "write",
    "shell",
    "unknown",
    "final_answer",
    "ask_operator",
    "delegate",
];

/// The sum of all numbers in an argument text.
pub fn sum(args: &str) -> i64 {
    fn of(value: &Value) -> i64 {
        match value {
            Value::Number(n) => n.as_i64().unwrap_or(0),
            Value::Array(list) => list.iter().map(of).sum(),
            Value::Object(map) => map.values().map(of).sum(),
            _ => 0,
        }
    }
    of(&serde_json::from_str(args).unwrap_or(Value::Null))
}

impl Rules {
    pub fn effect(name: &str) -> Option<EffectClass> {
        Some(match name {
            "pure" | "final_answer" | "ask_operator" => EffectClass::Pure,
            "read" | "delegate" => EffectClass::Read,
            "idem" => EffectClass::Idempotent,
            "write" | "shell" => EffectClass::Write,
            "unknown" => EffectClass::Unknown,
            _ => return None,
        })
    }
}

impl Advice for Rules {
    fn tool(&self, name: &str) -> Option<ToolFacts> {
        Some(ToolFacts {
            effect: Self::effect(name)?,
            takes_truncated: false,
            show_difference: name == "shell",
            is_answer: name == "final_answer",
            asks_operator: name == "ask_operator",
            delegates: name == "delegate",
        })
    }

    fn near(&self, name: &str) -> Vec<String> {
        if name == "raed" {
            vec!["read".into()]
        } else {
            Vec::new()
        }
    }

    /// `n` must be a number once references are filled in; `bad` is never allowed.
    fn check(&self, _tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        let fault = |path: &str, message: &str| Fault {
            path: path.into(),
            keyword: "type".into(),
            message: message.into(),
        };
        let Ok(Value::Object(map)) = serde_json::from_str(args) else {
            return vec![fault("", "not an object")];
        };
        let mut faults = Vec::new();
        if map.contains_key("bad") {
            faults.push(fault("/bad", "not allowed"));
        }
        match map.get("n") {
            Some(Value::Number(_)) | None => {}
            Some(Value::String(text)) if !resolved && text.starts_with('†') => {}
            Some(_) => faults.push(fault("/n", "not a number")),
        }
        faults
    }

    fn verdict(&self, tool: &str, _args: &str, used: &Used<'_>) -> Verdict {
        let mut gate = self.gates.get(tool).copied().unwrap_or(Gate::Allow);
        let spent = |uses: &u32| used.times(&format!("test: {tool} {gate:?}")) >= *uses;
        if self.uses.get(tool).is_some_and(spent) {
            gate = Gate::Ask;
        }
        Verdict {
            gate,
            rule: format!("test: {tool} {gate:?}"),
            reason: "the test says so".into(),
            deadline_ms: self.deadline.map(|(ms, _)| ms),
            on_expiry: self.deadline.map_or(Consequence::Deny, |(_, on)| on),
        }
    }

    fn digest(&self, call: NodeId, rev: Rev, tool: &str, args: &str) -> Digest {
        Digest(format!("{call} {rev} {tool} {args}").into())
    }

    fn resource(&self, _tool: &str, args: &str) -> Option<String> {
        let args: Value = serde_json::from_str(args).ok()?;
        Some(args.get("path")?.as_str()?.to_owned())
    }

    fn before(&self, _tool: &str, _args: &str) -> Option<String> {
        None
    }
}
