//! The tools that run inside of a call: of a program, or of a tool that calls another one.
//!
//! Must not know: rules, how a program is read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use overrule_base::known_tool::{self, CALLERS, PROGRAM, SCRIPT};
use overrule_base::script::{Script, ScriptCall};

/// The tools that run inside of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct InnerCalls {
    /// The calls that could be read.
    pub calls: Vec<ScriptCall>,
    /// The tools that it names.
    pub names: BTreeSet<String>,
    /// The text in which other calls may be; none if these are all, and each runs a line of a shell.
    pub unread: Option<String>,
}

impl InnerCalls {
    /// Reads a call; none if it runs no other tools.
    pub fn of(tool: &str, args: &Value) -> Option<Self> {
        if tool == SCRIPT {
            return Self::of_program(args);
        }
        let (_, list, name, arguments) = CALLERS.iter().find(|(of, ..)| *of == tool)?;
        let all = match args.get(list) {
            Some(Value::Array(calls)) => calls.iter().collect(),
            Some(_) => Vec::new(),
            None => vec![args],
        };
        let mut found = Self::default();
        let is_whole = all
            .iter()
            .all(|call| found.add(call.get(name), call.get(arguments)));
        Some(found.ended(is_whole && !all.is_empty(), || args.to_string()))
    }

    /// The calls of a program. A tool of the same name may take a line of a shell instead.
    fn of_program(args: &Value) -> Option<Self> {
        let texts: Vec<&str> = PROGRAM
            .iter()
            .filter_map(|name| args.get(name)?.as_str())
            .collect();
        let mut has_line = known_tool::LINE.iter().chain(known_tool::WORDS);
        if texts.is_empty() && has_line.any(|name| args.get(name).is_some()) {
            return None;
        }
        let mut found = Self::default();
        let mut is_whole = texts.len() == 1;
        for text in &texts {
            let script = Script::read(text);
            is_whole &= script.is_whole;
            found.calls.extend(script.calls);
            found.names.extend(script.names);
        }
        Some(found.ended(is_whole, || args.to_string()))
    }

    /// Adds a call of a tool by its name, which may stand after a namespace. Returns false if not all of it can be read.
    fn add(&mut self, name: Option<&Value>, arguments: Option<&Value>) -> bool {
        let Some(name) = name.and_then(Value::as_str) else {
            return false;
        };
        let name = name.strip_prefix("functions.").unwrap_or(name);
        let args = match arguments {
            Some(Value::String(text)) => serde_json::from_str(text).ok(),
            other => other.cloned(),
        };
        let is_whole = args.as_ref().is_some_and(Value::is_object);
        self.names.insert(name.to_owned());
        self.calls.push(ScriptCall {
            tool: name.to_owned(),
            args: args.unwrap_or_else(|| json!({})),
            is_whole,
        });
        is_whole
    }

    fn ended(mut self, is_whole: bool, text: impl FnOnce() -> String) -> Self {
        let is_read =
            |call: &ScriptCall| known_tool::is_shell(&call.tool) && !known_tool::has_inner_tools(&call.tool);
        if !is_whole || !self.calls.iter().all(is_read) {
            self.unread = Some(text());
        }
        self
    }

    /// The patches among the calls.
    pub fn patches(&self) -> impl Iterator<Item = String> {
        let calls = self.calls.iter();
        calls.flat_map(|call| known_tool::patches(&call.tool, &call.args))
    }
}
