//! Reads the arguments of a delegated call: task, shown values, tools and turns.
//!
//! Must not know: when a sub-agent starts or ends.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::advice::Advice;
use super::call::Fault;
use super::id::ThreadId;
use super::node::{Node, Origin};
use super::reference::parse::is_reference;
use super::state::State;
use super::thread;
use super::transcript::result;

/// Turns of a sub-agent if the call sets none.
pub const TURNS: u32 = 20;

/// The arguments of a delegated call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    task: String,
    tools: Option<Vec<String>>,
    /// The values that the sub-agent sees, with the names under which the call reads them.
    shown: Vec<(String, Value)>,
    max_turns: Option<u32>,
}

impl Work {
    /// Reads an argument text, as written and with its references replaced.
    pub fn of(written: &str, resolved: &str) -> Self {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let (written, resolved) = (parse(written), parse(resolved));
        let texts = |value: &Value| -> Vec<String> {
            let items = value.as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let name = |at: usize| match &written["scopes"] {
            Value::Array(names) => names.get(at).and_then(Value::as_str).map(str::to_owned),
            Value::String(whole) => Some(format!("{whole}.{at}")),
            _ => None,
        };
        let values = resolved["scopes"].as_array().cloned().unwrap_or_default();
        Self {
            task: match &resolved["task"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            },
            tools: resolved.get("tools").filter(|list| list.is_array()).map(texts),
            shown: values
                .into_iter()
                .enumerate()
                .map(|(at, value)| (name(at).unwrap_or_else(|| format!("scope {}", at + 1)), value))
                .collect(),
            max_turns: resolved["max_turns"]
                .as_u64()
                .and_then(|most| u32::try_from(most).ok()),
        }
    }

    /// Maximum turns of the sub-agent's model.
    pub fn max_turns(&self) -> u32 {
        self.max_turns.unwrap_or(TURNS).max(1)
    }

    /// The prompt of the sub-agent: the task, then each shown value under its name.
    pub fn prompt(&self) -> String {
        let mut prompt = self.task.clone();
        for (name, value) in &self.shown {
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let text = result::ends_of(&text, result::SENT_BYTES, |left_out| {
                format!("… {left_out} bytes left out …")
            });
            let _ = write!(prompt, "\n\n{name}:\n{text}");
        }
        prompt
    }
}

/// Names of the tools offered to a sub-agent: the requested ones, of those that the parent thread
/// has. It answers in text, and the deepest ones do not delegate.
pub fn tools(state: &State, advice: &dyn Advice, parent: ThreadId, work: &Work) -> Vec<Arc<str>> {
    let deepest = thread::depth(state, parent) + 1 >= thread::DEEPEST;
    thread::tools(state, parent)
        .into_iter()
        .map(|card| card.name)
        .filter(|name| {
            let asked = work.tools.as_ref();
            asked.is_none_or(|asked| asked.iter().any(|one| **one == **name))
        })
        .filter(|name| {
            let facts = advice.tool(name);
            facts.is_none_or(|facts| !(facts.is_answer() || deepest && facts.delegates()))
        })
        .collect()
}

/// Faults of a call because of its thread: tools that a sub-agent was not given, and delegation
/// below the deepest level. The operator may call any tool.
pub fn faults_here(state: &State, advice: &dyn Advice, node: &Node) -> Vec<Fault> {
    let Some((tool, args)) = node.as_call() else {
        return Vec::new();
    };
    let own = thread::of(state, node.id);
    let Some(facts) = advice.tool(tool) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    if facts.delegates() {
        faults.extend(faults_of(advice, args));
        if thread::depth(state, own) >= thread::DEEPEST {
            let most = thread::DEEPEST;
            faults.push(fault(
                "",
                "tool",
                format!("sub-agents go {most} levels deep at most: do this task yourself"),
            ));
        }
    }
    let by_operator = matches!(node.now().origin, Origin::Operator { .. });
    if let Some(child) = state.threads.children.get(&own)
        && !by_operator
        && !facts.delegates()
        && !child.tools.contains(tool)
    {
        let given: Vec<&str> = child.tools.iter().map(|name| &**name).collect();
        let given = if given.is_empty() {
            "none".to_owned()
        } else {
            given.join(", ")
        };
        faults.push(fault(
            "",
            "tool",
            format!("this sub-agent was not given `{tool}`: its tools are {given}"),
        ));
    }
    faults
}

/// Faults that no schema can find: scopes must be references, and tools must exist.
pub fn faults_of(advice: &dyn Advice, args: &str) -> Vec<Fault> {
    let args: Value = serde_json::from_str(args).unwrap_or_default();
    let items = |key: &str| -> Vec<(String, String)> {
        let list = args[key].as_array().into_iter().flatten().enumerate();
        list.filter_map(|(at, item)| Some((format!("/{key}/{at}"), item.as_str()?.to_owned())))
            .collect()
    };
    let mut faults = Vec::new();
    for (at, name) in items("scopes") {
        if !is_reference(&name) {
            faults.push(fault(&at, "reference", format!(
                "`{name}` is no reference: write \u{2020}call.NAME or \u{2020}state.KEY to show its value to the sub-agent"
            )));
        }
    }
    for (at, name) in items("tools") {
        if is_reference(&name) {
            continue;
        }
        match advice.tool(&name) {
            None => {
                let near = advice.near(&name);
                let hint = if near.is_empty() {
                    String::new()
                } else {
                    format!(": did you mean {}?", near.join(", "))
                };
                faults.push(fault(&at, "tool", format!("there is no tool `{name}`{hint}")));
            }
            Some(facts) if facts.is_answer() => {
                faults.push(fault(
                    &at,
                    "tool",
                    format!("`{name}` ends the whole run: a sub-agent answers in plain text"),
                ));
            }
            Some(_) => {}
        }
    }
    faults
}

fn fault(path: &str, keyword: &str, message: String) -> Fault {
    Fault {
        path: path.to_owned(),
        keyword: keyword.to_owned(),
        message,
    }
}
