//! Holds the variables of templates: what a request contains, and the named values of the playbook.
//!
//! Must not know: rules.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, Serde, Value, ValueKind};
use regex::{Captures, Regex};
use serde_json::Value as Json;

use super::pattern::Pattern;
use super::playbook::Playbook;
use super::template::{Fault, STEPS, Template};
use super::view::{Call, View};

/// The variables that every template has.
pub const NAMES: &[&str] = &[
    "args",
    "call",
    "done",
    "error",
    "exit",
    "failed",
    "groups",
    "item",
    "json",
    "n",
    "notice",
    "observation",
    "operator",
    "prompt",
    "result",
    "thought",
    "turn",
    "wishes",
];

/// The variables of templates.
#[derive(Clone)]
pub struct Scope {
    /// The contents of the request.
    pub view: Arc<View>,
    names: BTreeMap<String, Value>,
    groups: BTreeMap<&'static str, Value>,
    /// Steps that the templates of this request took.
    steps: Rc<Cell<u64>>,
}

/// Something of each call, by its label.
#[derive(Debug)]
struct ByLabel {
    view: Arc<View>,
    of: fn(&Call) -> Option<Value>,
    /// What was looked up: a template may do so in a loop.
    known: Mutex<BTreeMap<String, Option<Value>>>,
}

impl Object for ByLabel {
    fn get_value(self: &Arc<Self>, label: &Value) -> Option<Value> {
        let label = label.as_str()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known.get(label) {
            return value.clone();
        }
        let value = self.view.call(label).and_then(self.of);
        known.insert(label.to_owned(), value.clone());
        value
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

impl Scope {
    /// Reads a request and computes the named values.
    pub fn new(playbook: &Playbook, view: &Arc<View>) -> Result<Self, Fault> {
        let by_label = |of: fn(&Call) -> Option<Value>| {
            Value::from_object(ByLabel {
                view: Arc::clone(view),
                of,
                known: Mutex::default(),
            })
        };
        let text = |text: Option<&str>| Value::from(text.unwrap_or_default());
        let names = [
            ("args", by_label(|call| Some(Value::from(Serde(&call.args))))),
            ("call", by_label(|call| Some(Value::from(call.node.as_str())))),
            ("done", labels(view, true)),
            (
                "error",
                by_label(|call| {
                    let outcome = call.result.as_ref().filter(|outcome| outcome.is_error)?;
                    Some(Value::from(outcome.text.as_str()))
                }),
            ),
            ("exit", by_label(|call| call.exit().map(Value::from))),
            ("failed", labels(view, false)),
            (
                "json",
                by_label(|call| {
                    let json: Json = serde_json::from_str(result(call)?).ok()?;
                    Some(Value::from(Serde(json)))
                }),
            ),
            ("notice", text(view.notice.as_deref())),
            ("observation", Value::from(view.observation())),
            ("operator", text(view.operator.as_deref())),
            ("prompt", text(Some(&view.prompt))),
            ("result", by_label(|call| result(call).map(Value::from))),
            ("thought", text(Some(&view.thought))),
            ("turn", Value::from(view.turn)),
            ("wishes", view.wishes.iter().map(String::as_str).collect()),
        ];
        let mut scope = Self {
            view: Arc::clone(view),
            names: names
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            groups: BTreeMap::new(),
            steps: Rc::default(),
        };
        for (name, candidates) in &playbook.values {
            if let Some(value) = scope.first(candidates)? {
                scope.names.insert(name.clone(), value);
            }
        }
        Ok(scope)
    }

    /// Returns the first value that is not empty, otherwise the last.
    fn first(&self, candidates: &[Template]) -> Result<Option<Value>, Fault> {
        let mut found = None;
        for template in candidates {
            let Some(value) = self.value_if_any(template)? else {
                continue;
            };
            let useful = is_something(&value);
            found = Some(value);
            if useful {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the scope for one item of a repetition.
    pub fn with_item(&self, item: Value, no: usize) -> Self {
        let mut scope = self.clone();
        scope.names.insert("item".to_owned(), item);
        scope.names.insert("n".to_owned(), Value::from(no));
        scope
    }

    /// Matches an expression against a text and stores the captures.
    pub fn matches(&mut self, name: &'static str, pattern: Option<&Pattern>, text: Option<&str>) -> bool {
        let Some(pattern) = pattern else {
            return true;
        };
        let Some(found) = text.and_then(|text| pattern.captures(text)) else {
            return false;
        };
        self.groups.insert(name, groups(pattern.regex(), &found));
        let groups = self.groups.iter().map(|(name, groups)| (*name, groups.clone()));
        self.names.insert("groups".to_owned(), Value::from_pairs(groups));
        true
    }

    /// Renders a template as text, trimmed.
    pub fn text(&self, template: &Template) -> Result<String, Fault> {
        self.raw(template).map(|text| text.trim().to_owned())
    }

    /// Renders a template as text, untrimmed.
    pub fn raw(&self, template: &Template) -> Result<String, Fault> {
        self.render(template).map(|(text, _)| text)
    }

    /// Renders a template that must give a list.
    pub fn items(&self, template: &Template) -> Result<Vec<Value>, Fault> {
        let (_, value) = self.render(template)?;
        match value.kind() {
            ValueKind::Seq | ValueKind::Iterable => value
                .try_iter()
                .map(Iterator::collect)
                .map_err(|error| template.fault(1, error.to_string())),
            kind => Err(template.fault(
                1,
                format!("it must give a list, not a {kind}; hint: write `{{{{ … | lines }}}}` or `{{{{ [1, 2] }}}}`"),
            )),
        }
    }

    /// Returns true if a template gives something: not an empty text or list, 0 or false.
    pub fn gives(&self, template: &Template) -> Result<bool, Fault> {
        let value = self.value_if_any(template)?;
        Ok(value.is_some_and(|value| is_something(&value)))
    }

    /// Renders a template; `None` if the context lacks what it needs.
    fn value_if_any(&self, template: &Template) -> Result<Option<Value>, Fault> {
        match self.render(template) {
            Ok((_, value)) => Ok(Some(value)),
            Err(fault) if fault.is_undefined => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn render(&self, template: &Template) -> Result<(String, Value), Fault> {
        let variables = self
            .names
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        let rendered = template.render(&Value::from_pairs(variables))?;
        let steps = self.steps.get().saturating_add(rendered.steps + 1);
        self.steps.set(steps);
        if steps > STEPS {
            return Err(template.too_long(1));
        }
        Ok((rendered.text, rendered.value))
    }
}

/// The result of a call that has a value.
fn result(call: &Call) -> Option<&str> {
    let outcome = call.result.as_ref().filter(|outcome| !outcome.is_error)?;
    Some(&outcome.text)
}

/// Returns false for what is empty or false.
fn is_something(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => !text.trim().is_empty(),
        None => value.is_true(),
    }
}

/// Returns the labels of the calls since the newest prompt that have (or lack) a value.
fn labels(view: &View, ok: bool) -> Value {
    let ended = |call: &&Call| call.recent && call.result.is_some() && call.is_ok() == ok;
    let calls = view.calls.iter().filter(ended);
    calls.map(|call| call.label.as_str()).collect()
}

/// Returns the groups of a match by number and by name.
fn groups(regex: Option<&Regex>, found: &Captures<'_>) -> Value {
    let by_number = found
        .iter()
        .enumerate()
        .map(|(no, group)| (Value::from(no), group));
    let by_name = regex
        .into_iter()
        .flat_map(Regex::capture_names)
        .flatten()
        .map(|name| (Value::from(name), found.name(name)));
    let found = by_number
        .chain(by_name)
        .filter_map(|(key, group)| Some((key, group?.as_str())));
    Value::from_pairs(found)
}
