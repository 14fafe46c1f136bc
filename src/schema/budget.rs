//! Bounds a check before it is made: counts what it would visit, with a limit.
//!
//! Must not know: what a schema means, where it comes from, time.
//!
//! A schema of some kilobytes whose references double keeps a validator busy for years. The count is a recurrence over
//! pairs of a schema and a value, and every pair is counted once, so counting is cheap where checking is not. A count
//! may be too high, never too low. It depends on nothing but schema and value: the same check has the same answer.

use std::collections::HashMap;

use serde_json::{Map, Value};

use overrule_base::canon::MAX_DEPTH;

pub(super) use light::{is_light, visits_of_a_value};

/// Visits that every check may take.
const BASE: u64 = 20_000;
/// Further visits for each byte of the text: what grows with the text alone is never too much.
const PER_BYTE: u64 = 8;
/// Visits that no check may exceed: counting and making so many takes up to 50 ms.
const MOST: u64 = 100_000;
/// Maximum number of schemas within each other that a check enters, so that no stack overflows.
const DEEPEST: usize = 400;
/// Steps after which the engine gives up a pattern that has to try every way.
pub(super) const PATTERN_STEPS: usize = 5_000;
/// Maximum size of a compiled pattern, in bytes.
pub(super) const PATTERN_SIZE: usize = 2 << 20;
/// Maximum number of patterns in a schema.
const PATTERNS: u64 = 200;
/// Maximum number of states of all patterns in a schema.
const PATTERN_STATES: u64 = 200_000;
/// Maximum number of references in a schema: compiling a chain of them takes the square of its length.
const REFERENCES: u64 = 3_000;
/// Maximum number of values in a schema.
const VALUES: u64 = 200_000;
/// Schemas by which a pair of keywords may be compiled again.
const COMPILED: u64 = 20_000;
/// Values that are compared, or names that are looked up, in the time of a visit.
const COMPARED: u64 = 16;
/// Values of a list of unique items that are compared with others in the time of a visit.
const TOLD_APART: u64 = 2;
/// Bytes of a text that a format reads in the time of a visit.
const FORMATTED: u64 = 16;
/// Bytes of a text that are compared in the time in which a value is.
const SAME_BYTES: u64 = 64;
/// Visits of the violation of a name that is missing.
const MISSING: u64 = 2;
/// Visits of a division of large numbers.
const DIVIDED: u64 = 8;

/// Keywords whose value is a list of schemas for the same value.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords whose value is a schema for the same value.
const SAME: [&str; 4] = ["not", "if", "then", "else"];
/// Keywords whose members are schemas for the same value.
const DEPENDENT: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords that name another schema for the same value.
const REFS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords whose value is a schema, or a list of schemas, for items.
const ITEMS: [&str; 5] = [
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "unevaluatedItems",
];
/// Keywords that apply schemas to the members of a value.
const MEMBERS: [&str; 4] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
];
/// Keywords that look at all keywords beside them.
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// Why a check is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotCheckable {
    /// It would visit too much.
    #[error("the check would take more than {0} steps")]
    Steps(u64),
    /// Schemas lie too deep within each other.
    #[error("the check would go deeper than {DEEPEST} schemas")]
    Deep,
    /// A schema applies to a value because it applies to that value.
    #[error("the schema refers to itself without an end")]
    Circle,
    /// The schema is too large to be compiled.
    #[error("the schema has more than {0} {1}")]
    Large(u64, &'static str),
    /// A reference leads where this count cannot follow.
    #[error("a reference of the schema cannot be followed")]
    Reference,
    /// The schema is not valid.
    #[error("the schema is not valid")]
    Broken,
    /// A pattern was given up.
    #[error("a pattern of the schema takes too long")]
    Pattern,
}

/// Checks whether a schema can be compiled within the limits. Returns the number of its values.
pub(super) fn compilable(root: &Value) -> Result<u64, NotCheckable> {
    let (mut values, mut references, mut patterns, mut states) = (0, 0, 0, 0_u64);
    let mut unevaluated = Vec::new();
    let mut todo = vec![(root, 0)];
    while let Some((value, depth)) = todo.pop() {
        values += 1;
        if values > VALUES {
            return Err(NotCheckable::Large(VALUES, "values"));
        }
        if depth > MAX_DEPTH {
            return Err(NotCheckable::Deep);
        }
        let inner = depth + 1;
        match value {
            Value::Object(members) => {
                // A schema with an identity of its own changes what the references in it mean.
                if !std::ptr::eq(value, root) && members.get("$id").is_some_and(Value::is_string) {
                    return Err(NotCheckable::Reference);
                }
                references += count(&REFS, |word| members.get(word).is_some_and(Value::is_string));
                let own = members.get("pattern").and_then(Value::as_str);
                let named = members.get("patternProperties").and_then(Value::as_object);
                for pattern in own
                    .into_iter()
                    .chain(named.into_iter().flat_map(Map::keys).map(String::as_str))
                {
                    patterns += 1;
                    states = states.saturating_add(pattern::states(pattern, u64::MAX));
                }
                if count(&UNEVALUATED, |word| members.contains_key(word)) > 0 {
                    unevaluated.push(value);
                }
                todo.extend(members.values().map(|member| (member, inner)));
            }
            Value::Array(items) => todo.extend(items.iter().map(|item| (item, inner))),
            _ => {}
        }
    }
    if references > REFERENCES {
        return Err(NotCheckable::Large(REFERENCES, "references"));
    }
    if patterns > PATTERNS {
        return Err(NotCheckable::Large(PATTERNS, "patterns"));
    }
    if states > PATTERN_STATES {
        return Err(NotCheckable::Large(PATTERN_STATES, "states of patterns"));
    }
    let nothing = Value::Null;
    let mut walk = Walk::new(root, COMPILED);
    let (limit, mut compiled) = (walk.limit, 0);
    for schema in unevaluated {
        compiled = limit.sum(walk.beside(schema, &nothing, 0)?, compiled)?;
    }
    Ok(values)
}

/// Checks whether the check of a value, of `bytes` bytes of text, stays within the limits. Returns its visits.
pub(super) fn affordable(root: &Value, value: &Value, bytes: usize) -> Result<u64, NotCheckable> {
    Walk::new(root, most(bytes)).visits(root, value, 0)
}

/// Visits that the check of a text may take.
fn most(bytes: usize) -> u64 {
    let further = PER_BYTE.saturating_mul(bytes as u64);
    BASE.saturating_add(further).min(MOST)
}

/// True if a schema applies other schemas, to the same value or to what is in it.
fn applies_others(words: &Map<String, Value>) -> bool {
    let kinds: [&[&str]; 7] = [&LISTS, &SAME, &DEPENDENT, &REFS, &ITEMS, &MEMBERS, &UNEVALUATED];
    words
        .keys()
        .any(|word| kinds.iter().any(|kind| kind.contains(&word.as_str())))
}

/// Visits of the keywords that hold no schema.
fn own(words: &Map<String, Value>, value: &Value) -> u64 {
    let one = |(word, of): (&String, &Value)| match (word.as_str(), of, value) {
        ("enum" | "const", of, _) => size(of) / COMPARED,
        ("required", Value::Array(names), Value::Object(members)) => missing(names, members),
        ("dependentRequired" | "dependencies", Value::Object(of), Value::Object(members)) => {
            let lists = of.values().filter_map(Value::as_array);
            lists
                .map(|names| missing(names, members))
                .fold(0, u64::saturating_add)
        }
        ("properties", Value::Object(named), Value::Object(_)) => named.len() as u64 / COMPARED,
        ("uniqueItems", Value::Bool(true), Value::Array(_)) => size(value) / TOLD_APART,
        ("multipleOf", _, Value::Number(_)) => DIVIDED,
        ("format" | "contentEncoding" | "contentMediaType", _, Value::String(text)) => {
            text.len() as u64 / FORMATTED
        }
        ("pattern", Value::String(pattern), Value::String(text)) => pattern::matching(pattern, text),
        _ => 0,
    };
    words.iter().map(one).fold(0, u64::saturating_add)
}

/// Visits of looking up names. Each that is missing is a violation of its own.
fn missing(names: &[Value], members: &Map<String, Value>) -> u64 {
    let is_missing = |name: &&Value| !name.as_str().is_some_and(|name| members.contains_key(name));
    let missing = names.iter().filter(is_missing).count() as u64;
    names.len() as u64 / COMPARED + missing * MISSING
}

/// The number of values in a value, with long texts counted as several.
fn size(value: &Value) -> u64 {
    1 + match value {
        Value::String(text) => text.len() as u64 / SAME_BYTES,
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    }
}

fn count(words: &[&str], holds: impl Fn(&str) -> bool) -> u64 {
    words.iter().filter(|word| holds(word)).count() as u64
}

/// The address of a value. It serves as its identity while the value is borrowed.
fn place(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

/// How a keyword beside others looks at a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// All keywords of a schema are checked.
    Check,
    /// The keywords of a schema are asked which members they have looked at.
    Beside,
}

/// The visits that a check may take.
#[derive(Debug, Clone, Copy)]
struct Limit(u64);

impl Limit {
    /// Adds visits to others; too many are an error.
    fn sum(self, more: u64, so_far: u64) -> Result<u64, NotCheckable> {
        let all = so_far.saturating_add(more);
        if all > self.0 {
            Err(self.exceeded())
        } else {
            Ok(all)
        }
    }

    fn exceeded(self) -> NotCheckable {
        NotCheckable::Steps(self.0)
    }
}

struct Walk<'s> {
    root: &'s Value,
    limit: Limit,
    /// Visits of each pair that was counted; none while it is being counted.
    counted: HashMap<(usize, usize, Kind), Option<u64>>,
    /// Where each reference leads.
    targets: HashMap<&'s str, Option<&'s Value>>,
}

impl<'s> Walk<'s> {
    fn new(root: &'s Value, most: u64) -> Self {
        Self {
            root,
            limit: Limit(most),
            counted: HashMap::new(),
            targets: HashMap::new(),
        }
    }

    /// Counts the visits of a pair once.
    fn once(
        &mut self,
        key: (usize, usize, Kind),
        depth: usize,
        of: impl FnOnce(&mut Self) -> Result<u64, NotCheckable>,
    ) -> Result<u64, NotCheckable> {
        if depth > DEEPEST {
            return Err(NotCheckable::Deep);
        }
        match self.counted.get(&key) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(NotCheckable::Circle),
            None => {}
        }
        if self.counted.len() as u64 > self.limit.0 {
            return Err(self.limit.exceeded());
        }
        self.counted.insert(key, None);
        let visits = of(self)?;
        self.counted.insert(key, Some(visits));
        Ok(visits)
    }

    /// Counts the visits of a check of a value against a schema.
    fn visits(&mut self, schema: &'s Value, value: &Value, depth: usize) -> Result<u64, NotCheckable> {
        let Value::Object(words) = schema else {
            return Ok(1);
        };
        if !applies_others(words) {
            return self.limit.sum(own(words, value), 1);
        }
        self.once((place(schema), place(value), Kind::Check), depth, |walk| {
            let limit = walk.limit;
            let mut all = limit.sum(own(words, value), 1)?;
            for part in walk.same(words)? {
                all = limit.sum(walk.visits(part, value, depth + 1)?, all)?;
            }
            if UNEVALUATED.iter().any(|word| words.contains_key(*word)) {
                all = limit.sum(walk.beside(schema, value, depth + 1)?, all)?;
            }
            match value {
                Value::Object(members) => walk.members(words, members, depth, all),
                Value::Array(items) => walk.items(words, items, depth, all),
                _ => Ok(all),
            }
        })
    }

    /// Counts the visits of asking all keywords of a schema which members of a value they have looked at.
    fn beside(&mut self, schema: &'s Value, value: &Value, depth: usize) -> Result<u64, NotCheckable> {
        let Value::Object(words) = schema else {
            return Ok(1);
        };
        self.once((place(schema), place(value), Kind::Beside), depth, |walk| {
            let (limit, mut all) = (walk.limit, 1);
            for part in walk.same(words)? {
                // They count only if the value fits, so it is checked again.
                all = limit.sum(walk.visits(part, value, depth + 1)?, all)?;
                all = limit.sum(walk.beside(part, value, depth + 1)?, all)?;
            }
            Ok(all)
        })
    }

    /// The schemas in a schema that apply to the same value.
    fn same(&mut self, words: &'s Map<String, Value>) -> Result<Vec<&'s Value>, NotCheckable> {
        let mut parts = Vec::new();
        for word in LISTS {
            parts.extend(words.get(word).and_then(Value::as_array).into_iter().flatten());
        }
        parts.extend(SAME.iter().filter_map(|word| words.get(*word)));
        for word in DEPENDENT {
            let members = words.get(word).and_then(Value::as_object);
            parts.extend(members.into_iter().flat_map(Map::values));
        }
        for word in REFS {
            let target = words.get(word).and_then(Value::as_str);
            if let Some(target) = target {
                parts.push(self.target(target).ok_or(NotCheckable::Reference)?);
            }
        }
        Ok(parts)
    }

    fn members(
        &mut self,
        words: &'s Map<String, Value>,
        members: &Map<String, Value>,
        depth: usize,
        mut all: u64,
    ) -> Result<u64, NotCheckable> {
        let limit = self.limit;
        let named = words.get("properties").and_then(Value::as_object);
        let patterns = words.get("patternProperties").and_then(Value::as_object);
        // Any other name.
        let others: Vec<&'s Value> = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .filter_map(|word| words.get(*word))
            .collect();
        let names = words.get("propertyNames");
        for (name, member) in members {
            let own = named.and_then(|named| named.get(name));
            if let Some(schema) = own {
                all = limit.sum(self.visits(schema, member, depth + 1)?, all)?;
            }
            for (pattern, schema) in patterns.into_iter().flatten() {
                all = limit.sum(pattern::matching(pattern, name), all)?;
                all = limit.sum(self.visits(schema, member, depth + 1)?, all)?;
            }
            if own.is_none() {
                for schema in &others {
                    all = limit.sum(self.visits(schema, member, depth + 1)?, all)?;
                }
            }
            if let Some(schema) = names {
                // A name is no value of the text: it is counted apart, with what is left.
                let text = Value::String(name.clone());
                let left = limit.0.saturating_sub(all);
                let visits = Walk::new(self.root, left).visits(schema, &text, depth + 1);
                all = limit.sum(visits.map_err(|why| self.in_all(why))?, all)?;
            }
        }
        Ok(all)
    }

    /// States the limit of the whole count in place of that of a part.
    fn in_all(&self, why: NotCheckable) -> NotCheckable {
        match why {
            NotCheckable::Steps(_) => self.limit.exceeded(),
            other => other,
        }
    }

    fn items(
        &mut self,
        words: &'s Map<String, Value>,
        items: &[Value],
        depth: usize,
        mut all: u64,
    ) -> Result<u64, NotCheckable> {
        let limit = self.limit;
        for word in ITEMS {
            match words.get(word) {
                Some(Value::Array(each)) => {
                    for (schema, item) in each.iter().zip(items) {
                        all = limit.sum(self.visits(schema, item, depth + 1)?, all)?;
                    }
                }
                Some(schema) => {
                    for item in items {
                        all = limit.sum(self.visits(schema, item, depth + 1)?, all)?;
                    }
                }
                None => {}
            }
        }
        Ok(all)
    }

    /// The schema that a reference names; none if it lies elsewhere.
    fn target(&mut self, target: &'s str) -> Option<&'s Value> {
        if let Some(known) = self.targets.get(target) {
            return *known;
        }
        let (base, at) = target.split_once('#').unwrap_or((target, ""));
        let is_own = base.is_empty() || self.root.get("$id").and_then(Value::as_str) == Some(base);
        let found = is_own.then(|| named(self.root, at)).flatten();
        self.targets.insert(target, found);
        found
    }
}

/// The place of a schema that the part of a reference after `#` names.
fn named<'s>(root: &'s Value, at: &str) -> Option<&'s Value> {
    let at = unescaped(at);
    if at.is_empty() || at.starts_with('/') {
        return root.pointer(&at);
    }
    let mut todo = vec![root];
    while let Some(value) = todo.pop() {
        match value {
            Value::Object(members) => {
                let is = |word: &&str| members.get(*word).and_then(Value::as_str) == Some(&*at);
                if ["$anchor", "$dynamicAnchor"].iter().any(is) {
                    return Some(value);
                }
                todo.extend(members.values());
            }
            Value::Array(items) => todo.extend(items),
            _ => {}
        }
    }
    None
}

/// Reads `%25` and the like.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = code.map_or(after, |_| after.get(2..).unwrap_or_default());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

mod light;
mod pattern;
#[cfg(test)]
mod tests;
