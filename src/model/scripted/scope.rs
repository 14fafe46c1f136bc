//! Looks up the names of templates in a request and renders templates.
//!
//! Must not know: rules.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::{Captures, Regex};
use serde_json::Value as Json;

use super::filters;
use super::playbook::Playbook;
use super::template::{Expr, Piece, Template};
use super::value::Value;
use super::view::{Call, View};

/// Where the names of templates are looked up.
pub struct Scope<'a> {
    playbook: &'a Playbook,
    /// The contents of the request.
    pub view: &'a View,
    captures: Vec<(&'static str, Vec<(String, String)>)>,
    item: Option<(String, usize)>,
    /// Named values that are already computed; `None` during the computation, so that a value
    /// cannot depend on itself.
    named: Rc<RefCell<HashMap<String, Option<Value>>>>,
}

/// A value, or the name of the missing source.
pub type Rendered<T> = Result<T, String>;

impl<'a> Scope<'a> {
    /// Creates a scope without captures and items.
    pub fn new(playbook: &'a Playbook, view: &'a View) -> Self {
        Self {
            playbook,
            view,
            captures: Vec::new(),
            item: None,
            named: Rc::default(),
        }
    }

    /// Returns the scope for one item of a repetition.
    pub fn with_item(&self, item: String, no: usize) -> Self {
        Self {
            playbook: self.playbook,
            view: self.view,
            captures: self.captures.clone(),
            item: Some((item, no)),
            named: Rc::clone(&self.named),
        }
    }

    /// Matches an expression against a text and stores the captures.
    pub fn matches(&mut self, name: &'static str, regex: Option<&Regex>, text: Option<&str>) -> bool {
        let Some(regex) = regex else {
            return true;
        };
        let Some(found) = text.and_then(|text| regex.captures(text)) else {
            return false;
        };
        self.captures.push((name, groups(regex, &found)));
        self.named.borrow_mut().clear();
        true
    }

    /// Renders a template as text, trimmed.
    pub fn text(&self, template: &Template) -> Rendered<String> {
        self.raw(template).map(|text| text.trim().to_owned())
    }

    /// Renders a template; a single expression keeps its value, which may be a list, and others become text.
    pub fn value(&self, template: &Template) -> Rendered<Value> {
        match template.sole() {
            Some(expr) => self.eval(expr).ok_or_else(|| expr.source.join(".")),
            None => self.raw(template).map(Value::Text),
        }
    }

    /// Renders a template as text, untrimmed.
    pub fn raw(&self, template: &Template) -> Rendered<String> {
        let mut text = String::new();
        for piece in &template.0 {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::Show(expr) => {
                    let value = self.eval(expr).ok_or_else(|| expr.source.join("."))?;
                    text.push_str(&value.into_text());
                }
                Piece::If(expr, yes, no) => {
                    let holds = self.eval(expr).is_some_and(|value| !value.is_empty());
                    text.push_str(&self.raw(if holds { yes } else { no })?);
                }
                Piece::Each(expr, body) => {
                    let items = self.eval(expr).map(Value::into_items).unwrap_or_default();
                    for (at, item) in items.into_iter().enumerate() {
                        text.push_str(&self.with_item(item, at + 1).raw(body)?);
                    }
                }
            }
        }
        Ok(text)
    }

    fn eval(&self, expr: &Expr) -> Option<Value> {
        let mut value = self.look_up(&expr.source);
        for filter in &expr.filters {
            value = filters::apply(filter, value, &|source| self.look_up(source));
        }
        value
    }

    fn look_up(&self, path: &[String]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        let view = self.view;
        let first = rest.first().map(|name| self.name(name));
        let deeper = rest.get(1..).unwrap_or_default();
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        match (name.as_str(), first) {
            ("item", None) => self.item.as_ref().and_then(|(item, _)| text(item)),
            ("n", None) => self.item.as_ref().and_then(|(_, no)| text(&no.to_string())),
            ("turn", None) => text(&view.turn.to_string()),
            ("prompt", None) => text(&view.prompt),
            ("thought", None) => text(&view.thought),
            ("operator", None) => text(view.operator.as_deref()?),
            ("notice", None) => text(view.notice.as_deref()?),
            ("wishes", None) => Some(Value::List(view.wishes.clone())),
            ("observation", None) => text(&view.observation()),
            ("done", None) => Some(self.labels(true)),
            ("failed", None) => Some(self.labels(false)),
            ("prompt" | "thought" | "operator" | "notice" | "observation", Some(group)) => {
                self.capture(name, &group)
            }
            ("result", Some(label)) => {
                let call = view.call(&label).filter(|call| call.is_ok())?;
                let outcome = call.result.as_ref()?;
                if deeper.is_empty() {
                    return text(&outcome.text);
                }
                descend(&serde_json::from_str(&outcome.text).ok()?, deeper)
            }
            ("error", Some(label)) => {
                let outcome = view.call(&label)?.result.as_ref()?;
                if outcome.is_error {
                    text(&outcome.text)
                } else {
                    None
                }
            }
            ("exit", Some(label)) => text(&view.call(&label)?.exit()?.to_string()),
            ("has", Some(label)) => text("yes").filter(|_| view.call(&label).is_some_and(Call::is_ok)),
            ("args", Some(label)) => descend(&view.call(&label)?.args, deeper),
            ("call", Some(label)) => text(&view.call(&label)?.node),
            (_, None) => self.named(name),
            _ => None,
        }
    }

    /// Replaces `@` in a path by the item.
    fn name(&self, name: &str) -> String {
        match &self.item {
            Some((item, _)) if name == "@" => item.clone(),
            _ => name.to_owned(),
        }
    }

    /// Returns the labels of the calls since the newest prompt that have (or lack) a value.
    fn labels(&self, ok: bool) -> Value {
        let ended = |call: &&Call| call.recent && call.result.is_some() && call.is_ok() == ok;
        Value::List(
            self.view
                .calls
                .iter()
                .filter(ended)
                .map(|call| call.label.clone())
                .collect(),
        )
    }

    fn capture(&self, name: &str, group: &str) -> Option<Value> {
        let (_, groups) = self.captures.iter().find(|(of, _)| *of == name)?;
        let (_, text) = groups.iter().find(|(key, _)| key == group)?;
        Some(Value::Text(text.clone()))
    }

    /// Returns a named value: the first candidate that yields something, otherwise the last that yields
    /// nothing. It does not see the item, so it is the same wherever it is named.
    fn named(&self, name: &str) -> Option<Value> {
        if let Some(known) = self.named.borrow().get(name) {
            return known.clone();
        }
        let (_, candidates) = self.playbook.values.iter().find(|(known, _)| known == name)?;
        self.named.borrow_mut().insert(name.to_owned(), None);
        let scope = Self {
            item: None,
            captures: self.captures.clone(),
            named: Rc::clone(&self.named),
            ..*self
        };
        let mut found = None;
        for template in candidates {
            let Ok(value) = scope.value(template) else {
                continue;
            };
            let useful = !value.is_empty();
            found = Some(value);
            if useful {
                break;
            }
        }
        self.named.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}

/// Returns the groups of a match by number and by name.
fn groups(regex: &Regex, found: &Captures<'_>) -> Vec<(String, String)> {
    let by_number = found
        .iter()
        .enumerate()
        .map(|(no, group)| (no.to_string(), group));
    let by_name = regex
        .capture_names()
        .flatten()
        .map(|name| (name.to_owned(), found.name(name)));
    by_number
        .chain(by_name)
        .filter_map(|(key, group)| Some((key, group?.as_str().to_owned())))
        .collect()
}

fn descend(json: &Json, path: &[String]) -> Option<Value> {
    let mut here = json;
    for key in path {
        here = match here {
            Json::Object(map) => map.get(key)?,
            Json::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    match here {
        Json::Null => None,
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Array(items) => Some(Value::List(
            items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect(),
        )),
        other => Some(Value::Text(other.to_string())),
    }
}
