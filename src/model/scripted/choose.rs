//! Finds the rule for a request and works out what it says and calls. A function of the request and
//! the playbook alone. Must not know: streams, pacing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::{Captures, Regex};
use serde_json::{Map, Value as Json};

use super::filters;
use super::playbook::{Arg, CallRule, Failure, Playbook, Rule, When};
use super::template::{Expr, Piece, Template};
use super::value::Value;
use super::view::View;

/// What the model is going to stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub blocks: Vec<Block>,
    pub calls: bool,
    pub fail: Option<Failure>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Reasoning(String),
    Text(String),
    Call { tool: String, args: String },
}

/// Why there is nothing to stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoScript {
    /// No rule holds.
    NoRule,
    /// The rule on this line asks for a value that the context does not hold.
    NoValue { line: usize, source: String },
}

/// Finds the first rule that holds and renders it.
pub fn script(playbook: &Playbook, view: &View) -> Result<Script, NoScript> {
    for rule in &playbook.rules {
        let mut scope = Scope::new(playbook, view);
        if !scope.holds(&rule.when) {
            continue;
        }
        let script = scope.render(rule);
        if rule.once
            && script
                .as_ref()
                .is_ok_and(|script| already(rule, script, view, &scope))
        {
            continue;
        }
        return script;
    }
    Err(NoScript::NoRule)
}

/// True where the context shows that the rule was followed before: by the labels of its calls, or by
/// its words where it makes no labelled call.
fn already(rule: &Rule, script: &Script, view: &View, scope: &Scope<'_>) -> bool {
    let labels: Vec<String> = rule
        .calls
        .iter()
        .filter_map(|call| scope.text(call.label.as_ref()?).ok())
        .collect();
    if !labels.is_empty() {
        return view.calls.iter().any(|call| labels.contains(&call.label));
    }
    script.blocks.iter().any(|block| match block {
        Block::Text(text) | Block::Reasoning(text) => view.said.contains(text),
        Block::Call { .. } => false,
    })
}

/// Where the names of templates are looked up.
struct Scope<'a> {
    playbook: &'a Playbook,
    view: &'a View,
    captures: Vec<(&'static str, Vec<(String, String)>)>,
    item: Option<(String, usize)>,
    /// Named values that were worked out; none while that happens, so that none waits for itself.
    named: Rc<RefCell<HashMap<String, Option<Value>>>>,
}

type Rendered<T> = Result<T, String>;

impl<'a> Scope<'a> {
    fn new(playbook: &'a Playbook, view: &'a View) -> Self {
        Self {
            playbook,
            view,
            captures: Vec::new(),
            item: None,
            named: Rc::default(),
        }
    }

    fn with_item(&self, item: String, no: usize) -> Self {
        Self {
            playbook: self.playbook,
            view: self.view,
            captures: self.captures.clone(),
            item: Some((item, no)),
            named: Rc::clone(&self.named),
        }
    }

    fn holds(&mut self, when: &When) -> bool {
        let view = self.view;
        let newest: Vec<_> = view.newest().collect();
        let any = |names: &[Regex], wanted: &dyn Fn(&super::view::Call) -> bool| {
            names.iter().all(|name| {
                let named =
                    |call: &&super::view::Call| name.is_match(&call.label) || name.is_match(&call.tool);
                view.calls.iter().filter(named).any(wanted)
            })
        };
        let plain = (when.turn.is_empty() || when.turn.contains(&view.turn))
            && when.tools.is_none_or(|tools| tools == view.tools)
            && (when.last_tool.is_empty()
                || newest
                    .iter()
                    .any(|call| when.last_tool.iter().any(|name| name.is_match(&call.tool))))
            && when
                .last_ok
                .is_none_or(|ok| !newest.is_empty() && ok == newest.iter().all(|call| call.is_ok()))
            && any(&when.seen_call, &|_| true)
            && any(&when.done, &|call| call.recent && call.is_ok())
            && any(&when.failed, &|call| {
                call.recent && call.result.as_ref().is_some_and(|outcome| outcome.is_error)
            });
        plain
            && self.matches("prompt", when.prompt.as_ref(), Some(&view.prompt))
            && self.matches("thought", when.thought.as_ref(), Some(&view.thought))
            && self.matches("operator", when.operator.as_ref(), view.operator.as_deref())
            && self.matches(
                "observation",
                when.observation.as_ref(),
                Some(&view.observation()),
            )
            && when.given.as_ref().is_none_or(|given| self.gives(given))
            && when.missing.as_ref().is_none_or(|missing| !self.gives(missing))
    }

    fn gives(&self, template: &Template) -> bool {
        self.value(template).is_ok_and(|value| !value.is_empty())
    }

    /// Tries an expression on a text and keeps what its groups caught.
    fn matches(&mut self, name: &'static str, regex: Option<&Regex>, text: Option<&str>) -> bool {
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

    fn render(&self, rule: &Rule) -> Result<Script, NoScript> {
        self.blocks(rule)
            .map(|blocks| Script {
                calls: blocks.iter().any(|block| matches!(block, Block::Call { .. })),
                blocks,
                fail: rule.fail,
            })
            .map_err(|source| NoScript::NoValue {
                line: rule.line,
                source,
            })
    }

    fn blocks(&self, rule: &Rule) -> Rendered<Vec<Block>> {
        let mut blocks = Vec::new();
        for words in &rule.reasoning {
            blocks.push(Block::Reasoning(self.text(words)?));
        }
        for words in &rule.think {
            blocks.push(Block::Text(self.text(words)?));
        }
        for call in &rule.calls {
            let Some(each) = &call.each else {
                self.call(call, &mut blocks)?;
                continue;
            };
            let items = self.value(each)?.into_items();
            for (at, item) in items.into_iter().enumerate() {
                self.with_item(item, at + 1).call(call, &mut blocks)?;
            }
        }
        for words in rule.say.iter().chain(&rule.answer) {
            blocks.push(Block::Text(self.text(words)?));
        }
        blocks.retain(|block| match block {
            Block::Text(text) | Block::Reasoning(text) => !text.trim().is_empty(),
            Block::Call { .. } => true,
        });
        Ok(blocks)
    }

    fn call(&self, call: &CallRule, blocks: &mut Vec<Block>) -> Rendered<()> {
        if let Some(think) = &call.think {
            blocks.push(Block::Text(self.text(think)?));
        }
        let mut args = Map::new();
        for (key, template) in [("_as", &call.label), ("_out", &call.out)] {
            if let Some(template) = template {
                args.insert(key.to_owned(), Json::String(self.text(template)?));
            }
        }
        for (key, arg) in &call.args {
            args.insert(key.clone(), self.arg(arg)?);
        }
        blocks.push(Block::Call {
            tool: self.text(&call.tool)?,
            args: Json::Object(args).to_string(),
        });
        Ok(())
    }

    fn arg(&self, arg: &Arg) -> Rendered<Json> {
        Ok(match arg {
            Arg::Text(template) => Json::String(self.raw(template)?),
            Arg::Plain(value) => value.clone(),
            Arg::List(items) => {
                Json::Array(items.iter().map(|item| self.arg(item)).collect::<Rendered<_>>()?)
            }
            Arg::Table(pairs) => {
                let pair = |(key, arg): &(String, Arg)| Ok((key.clone(), self.arg(arg)?));
                Json::Object(pairs.iter().map(pair).collect::<Rendered<_>>()?)
            }
        })
    }

    /// A template as text, without blank space around it.
    fn text(&self, template: &Template) -> Rendered<String> {
        self.raw(template).map(|text| text.trim().to_owned())
    }

    /// A template that is one expression gives that value, a list too; others give text.
    fn value(&self, template: &Template) -> Rendered<Value> {
        match template.sole() {
            Some(expr) => self.eval(expr).ok_or_else(|| expr.source.join(".")),
            None => self.raw(template).map(Value::Text),
        }
    }

    fn raw(&self, template: &Template) -> Rendered<String> {
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
            ("wishes", None) => Some(Value::List(view.wishes.clone())),
            ("observation", None) => text(&view.observation()),
            ("done", None) => Some(self.labels(true)),
            ("failed", None) => Some(self.labels(false)),
            ("prompt" | "thought" | "operator" | "observation", Some(group)) => self.capture(name, &group),
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
            ("has", Some(label)) => {
                text("yes").filter(|_| view.call(&label).is_some_and(super::view::Call::is_ok))
            }
            ("args", Some(label)) => descend(&view.call(&label)?.args, deeper),
            ("call", Some(label)) => text(&view.call(&label)?.node),
            (_, None) => self.named(name),
            _ => None,
        }
    }

    /// `@` in a path stands for the item.
    fn name(&self, name: &str) -> String {
        match &self.item {
            Some((item, _)) if name == "@" => item.clone(),
            _ => name.to_owned(),
        }
    }

    /// Labels of the calls since the newest prompt that have a value (or have none).
    fn labels(&self, ok: bool) -> Value {
        let ended = |call: &&super::view::Call| call.recent && call.result.is_some() && call.is_ok() == ok;
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

    /// A named value: the first candidate that gives something, or else the last that gives nothing.
    /// The item is not seen by it, so that it is the same wherever it is named.
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

/// Groups of a match by number and by name.
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
