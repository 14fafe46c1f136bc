//! The arguments that a text may name: those of the schema and those that were given.
//!
//! Must not know: what a text says of them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::repair::arg_path;
use crate::repair::names::folded;
use overrule_schema::{RESERVED, followed};

/// Maximum number of arguments that are looked for.
const MOST: usize = 400;
/// Maximum depth of an argument.
const DEEPEST: usize = 6;
/// Maximum number of items of a list that are looked at.
const MOST_ITEMS: usize = 16;
/// Maximum number of words of a name that is written as words: `Departure date`.
pub(super) const MOST_WORDS: usize = 4;
/// Names of what contains the arguments, which texts put before them: `body.departure_date`.
const AROUND: [&str; 29] = [
    "args",
    "argument",
    "arguments",
    "attributes",
    "body",
    "call",
    "data",
    "event",
    "form",
    "input",
    "inputs",
    "instance",
    "items",
    "json",
    "kwargs",
    "object",
    "param",
    "parameters",
    "params",
    "path",
    "payload",
    "properties",
    "query",
    "req",
    "request",
    "root",
    "schema",
    "value",
    "values",
];

/// An argument.
#[derive(Debug)]
struct Argument {
    path: String,
    /// Its names from the outside to the inside, without case and separators.
    names: Vec<String>,
}

/// All arguments of a call.
pub(super) struct Known<'a> {
    schema: &'a Value,
    args: &'a Value,
    all: Vec<Argument>,
    /// Arguments by their last name.
    by_name: BTreeMap<String, Vec<usize>>,
}

impl<'a> Known<'a> {
    pub(super) fn new(schema: &'a Value, args: &'a Value) -> Self {
        let mut known = Self {
            schema,
            args,
            all: Vec::new(),
            by_name: BTreeMap::new(),
        };
        known.collect("", &[], Some(schema), Some(args), 0);
        known
    }

    fn collect(
        &mut self,
        path: &str,
        names: &[String],
        place: Option<&Value>,
        value: Option<&Value>,
        depth: usize,
    ) {
        let place = place.and_then(|place| followed(self.schema, place));
        if depth > DEEPEST || self.all.len() >= MOST {
            return;
        }
        let forms: Vec<&Value> = place.map_or_else(Vec::new, |place| {
            let others = ["anyOf", "oneOf", "allOf"]
                .iter()
                .filter_map(|key| place.get(*key)?.as_array());
            let others = others.flatten().filter_map(|form| followed(self.schema, form));
            std::iter::once(place).chain(others).collect()
        });
        let mut members: Vec<(String, Option<&Value>, Option<&Value>)> = Vec::new();
        for form in &forms {
            let properties = form.get("properties").and_then(Value::as_object);
            for (name, inner) in properties.into_iter().flatten().take(MOST) {
                if members.len() >= MOST {
                    break;
                }
                if !members.iter().any(|(other, ..)| other == name) {
                    members.push((name.clone(), Some(inner), value.and_then(|value| value.get(name))));
                }
            }
        }
        match value {
            Some(Value::Object(given)) => {
                for (name, inner) in given.iter().take(MOST) {
                    let is_reserved = depth == 0 && RESERVED.contains(&name.as_str());
                    if !is_reserved && !members.iter().any(|(other, ..)| other == name) {
                        members.push((name.clone(), None, Some(inner)));
                    }
                }
            }
            Some(Value::Array(items)) => {
                let inner = forms.iter().find_map(|form| form.get("items"));
                for (at, item) in items.iter().enumerate().take(MOST_ITEMS) {
                    members.push((at.to_string(), inner, Some(item)));
                }
            }
            _ => {}
        }
        for (name, inner, value) in members {
            let below = arg_path::below(path, &name);
            let mut names = names.to_vec();
            names.push(folded(&name));
            if let Some(last) = names.last().filter(|last| !last.is_empty()) {
                self.by_name.entry(last.clone()).or_default().push(self.all.len());
            }
            self.all.push(Argument {
                path: below.clone(),
                names: names.clone(),
            });
            self.collect(&below, &names, inner, value, depth + 1);
        }
    }

    /// Returns the given values with their places.
    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &'a Value)> {
        let given = self.all.iter();
        given.filter_map(|one| Some((one.path.as_str(), self.args.pointer(&one.path)?)))
    }

    /// Returns true if an argument has this last name, without case and separators.
    pub(super) fn has_name(&self, folded: &str) -> bool {
        self.by_name.contains_key(folded)
    }

    /// Returns the argument that a name means: `date`, `legs[0].date`, `/legs/0/date`, `body.date`, `Request.Date`,
    /// `Departure date`. A name below `base` is looked for there first. Returns none if several fit.
    pub(super) fn resolve(&self, name: &str, base: &str) -> Option<&str> {
        if let Some(found) = self.exactly(name) {
            return Some(found);
        }
        let parts: Vec<&str> = name
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | ' ')))
            .map(|part| part.trim_matches(['-', ' ']))
            .filter(|part| !part.is_empty())
            .collect();
        let names: Vec<String> = parts.iter().map(|part| folded(part)).collect();
        for from in 0..names.len() {
            let (before, rest) = (parts.get(..from)?, names.get(from..)?);
            let is_around = |part: &&str| {
                AROUND.contains(&part.to_ascii_lowercase().as_str())
                    || part.bytes().all(|byte| byte.is_ascii_digit())
                    || part.starts_with(|first: char| first.is_uppercase())
            };
            // `com.example.Request["date"]`
            let is_type = before
                .last()
                .is_some_and(|part| part.starts_with(|first: char| first.is_uppercase()));
            if !is_type && !before.iter().all(is_around) {
                continue;
            }
            if let Some(found) = self.ending(rest, parts.last().copied().unwrap_or_default(), base) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the only argument with this very name, whatever signs are in it.
    pub(super) fn exactly(&self, name: &str) -> Option<&str> {
        let mut fitting = self.all.iter().filter(|one| arg_path::last(&one.path) == name);
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first.path.as_str())
    }

    /// Returns the only argument whose path ends with these names; the one at the top if there is one.
    fn ending(&self, names: &[String], written: &str, base: &str) -> Option<&str> {
        let last = names.last()?;
        let without_index = |one: &Argument| -> Vec<String> {
            let named = |name: &&String| name.parse::<usize>().is_err();
            one.names.iter().filter(named).cloned().collect()
        };
        let ends = |one: &&Argument| one.names.ends_with(names) || without_index(one).ends_with(names);
        let fitting: Vec<&Argument> = self
            .by_name
            .get(last)
            .into_iter()
            .flatten()
            .filter_map(|at| self.all.get(*at))
            .filter(ends)
            .collect();
        let below = |one: &&&Argument| arg_path::parent(&one.path) == base;
        let whole = |one: &&&Argument| one.names.len() == names.len();
        let only = |mut some: Vec<&&Argument>| -> Option<String> {
            // Of names that differ in case and separators, the one that is written so counts, then the one that was given.
            if some.iter().any(|one| arg_path::last(&one.path) == written) {
                some.retain(|one| arg_path::last(&one.path) == written);
            }
            if some.len() > 1 {
                some.retain(|one| self.args.pointer(&one.path).is_some());
            }
            match some.as_slice() {
                [one] => Some(one.path.clone()),
                _ => None,
            }
        };
        let path = only(fitting.iter().filter(below).collect())
            .or_else(|| only(fitting.iter().filter(whole).collect()))
            .or_else(|| only(fitting.iter().collect()))?;
        fitting
            .into_iter()
            .map(|one| one.path.as_str())
            .find(|one| *one == path)
    }
}
