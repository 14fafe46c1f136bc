//! Strategy: take the arguments out of a wrapper, or put them into the object they belong to.
//!
//! Must not know: other strategies.

use serde_json::{Map, Value};

use super::arg_path;
use super::convert::layers;
use super::names::{NameMatch, folded, meant};
use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;
use overrule_schema::{RESERVED, followed};

/// Names of an object that holds all arguments, without case and separators.
const WRAPPERS: [&str; 35] = [
    "",
    "actioninput",
    "arg",
    "args",
    "arg1",
    "argument",
    "arguments",
    "argumentsjson",
    "body",
    "data",
    "function",
    "functionarguments",
    "functionargs",
    "functioncall",
    "input",
    "inputs",
    "json",
    "kwargs",
    "object",
    "param",
    "parameter",
    "parameters",
    "params",
    "payload",
    "properties",
    "raw",
    "rawarguments",
    "request",
    "root",
    "toolargs",
    "toolarguments",
    "toolcall",
    "toolinput",
    "toolparameters",
    "value",
];
/// Names of a member that names the tool.
const TOOL: [&str; 7] = [
    "name",
    "tool",
    "toolname",
    "function",
    "functionname",
    "action",
    "recipientname",
];
/// Names of a member that states the kind of its object, and their values.
const KIND: [&str; 6] = [
    "function",
    "functioncall",
    "toolcall",
    "tooluse",
    "tool",
    "object",
];
/// Names of a member that numbers the call.
const ID: [&str; 4] = ["id", "callid", "toolcallid", "tooluseid"];
/// How often arguments are taken out of something around them.
const DEEPEST: usize = 4;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let around = arg_path::parent(spot.path);
    let Some(object) = spot.args.pointer(around).and_then(Value::as_object) else {
        return Vec::new();
    };
    let none = Map::new();
    let known = spot
        .around
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let about = About {
        known,
        around: spot.around,
        // In an object inside of the arguments, its own name is a name for a wrapper.
        name: if around.is_empty() {
            spot.tool.to_owned()
        } else {
            arg_path::last(around)
        },
        top: around.is_empty(),
    };
    let taken = about
        .taken_out(object, DEEPEST)
        .map(|inner| (inner, Certainty::Exact));
    let Some((inner, certainty)) = taken.or_else(|| about.only(object)) else {
        return put_in(spot, object, known).into_iter().collect();
    };
    let strange = object.keys().filter(|key| !inner.contains_key(*key));
    let out = strange.map(|key| (arg_path::below(around, key), None));
    let moved = inner
        .iter()
        .filter(|(key, value)| object.get(*key) != Some(value));
    let in_place = moved.map(|(key, value)| (arg_path::below(around, key), Some(value.clone())));
    vec![Idea {
        edits: out.chain(in_place).collect(),
        certainty,
        why: "the arguments, without what was put around them".to_owned(),
    }]
}

/// What an object should hold.
struct About<'a> {
    known: &'a Map<String, Value>,
    around: &'a Value,
    name: String,
    top: bool,
}

impl About<'_> {
    /// Returns what the object would be without a wrapper: all its members are known then.
    fn taken_out(&self, object: &Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
        let (wrapper, rest) = self.wrapper(object, depth)?;
        let inner = layers(wrapper, &self.name)
            .into_iter()
            .find_map(|layer| match layer {
                Value::Object(map) => Some(map),
                _ => None,
            })?;
        let inner = match depth.checked_sub(1) {
            Some(depth) if !self.holds(&inner) => self.taken_out(&inner, depth)?,
            _ => inner,
        };
        if !self.holds(&inner) || rest.keys().any(|key| inner.contains_key(key)) {
            return None;
        }
        let mut all = rest;
        all.extend(inner);
        Some(all)
    }

    /// Returns the wrapper in an object, and its sibling members that stay.
    fn wrapper<'o>(
        &self,
        object: &'o Map<String, Value>,
        depth: usize,
    ) -> Option<(&'o Value, Map<String, Value>)> {
        let strange = |key: &str| !self.known.contains_key(key) && !self.is_reserved(key);
        let wraps = |key: &str| WRAPPERS.contains(&folded(key).as_str()) || self.is_named(key);
        let holds = |value: &Value| value.is_object() || value.is_array() || value.is_string();
        let names_tool = self.top && object.iter().any(|(key, value)| self.names_tool(key, value));
        let mut wrappers = object.iter().filter(|(key, value)| {
            // Next to a wrapper within a wrapper, a known name may be that of the tool.
            let inside = depth < DEEPEST;
            (strange(key) || inside) && wraps(key) && holds(value) && !self.names_tool(key, value)
        });
        let (wrapper, value) = wrappers.next().filter(|_| wrappers.next().is_none())?;
        let mut rest = Map::new();
        for (key, value) in object.iter().filter(|(key, _)| *key != wrapper) {
            let is_blank = self.top
                && (self.names_tool(key, value)
                    || is_kind(key, value)
                    || (names_tool && ID.contains(&folded(key).as_str())));
            if is_blank && (strange(key) || names_tool) {
                continue;
            }
            if strange(key) {
                return None;
            }
            rest.insert(key.clone(), value.clone());
        }
        Some((value, rest))
    }

    fn is_reserved(&self, key: &str) -> bool {
        self.top && RESERVED.contains(&key)
    }

    /// Returns true for the name of the tool or the object, with or without prefixes:
    /// `functions.read_file`, `files__read_file`.
    fn is_named(&self, name: &str) -> bool {
        let (own, bare) = (folded(&self.name), folded(last_part(&self.name)));
        let (name, other) = (folded(name), folded(last_part(name)));
        !name.is_empty() && (own == name || bare == name || own == other)
    }

    /// Returns true for `"name": "read_file"` in a call of `read_file`.
    fn names_tool(&self, key: &str, value: &Value) -> bool {
        let named = value.as_str().is_some_and(|name| self.is_named(name));
        named && TOOL.contains(&folded(key).as_str())
    }

    /// Returns true if the members are those of the object that is wanted.
    fn holds(&self, inner: &Map<String, Value>) -> bool {
        let required = self.around.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        if inner.is_empty() {
            return required.is_empty();
        }
        let names = || self.known.keys().map(String::as_str);
        let is_known = |key: &String| {
            self.known.contains_key(key)
                || self.is_reserved(key)
                || matches!(meant(key, names()), NameMatch::Same(_))
        };
        let open = self.around.get("additionalProperties") != Some(&Value::Bool(false));
        let complete = !required.is_empty() && required.iter().all(|name| inner.contains_key(*name));
        inner.keys().all(is_known) || (open && complete)
    }

    /// Returns the arguments of a tool with a single parameter, if the wrapper's name holds its
    /// value directly.
    fn only(&self, object: &Map<String, Value>) -> Option<(Map<String, Value>, Certainty)> {
        let mut names = self.known.iter();
        let ((name, place), None) = (names.next()?, names.next()) else {
            return None;
        };
        let mut members = object.iter().filter(|(key, _)| !self.is_reserved(key));
        let ((key, value), None) = (members.next()?, members.next()) else {
            return None;
        };
        let scalar = matches!(place.get("type").and_then(Value::as_str), Some("string")) && value.is_string();
        let wraps = self.top && scalar && WRAPPERS.contains(&folded(key).as_str());
        let mut all = object.clone();
        all.shift_remove(key);
        all.insert(name.clone(), value.clone());
        wraps.then_some((all, Certainty::Guess))
    }
}

/// Returns a name without its prefixes.
fn last_part(name: &str) -> &str {
    let name = name.rsplit("__").next().unwrap_or(name);
    name.rsplit(['.', ':', '/']).next().unwrap_or(name)
}

fn is_kind(key: &str, value: &Value) -> bool {
    let text = value.as_str().map(folded).unwrap_or_default();
    folded(key) == "type" && KIND.contains(&text.as_str())
}

/// Puts members into the missing object, if they can only belong to it.
fn put_in(spot: &Spot<'_>, object: &Map<String, Value>, known: &Map<String, Value>) -> Option<Idea> {
    let around = arg_path::parent(spot.path);
    if spot.keyword != "required" || spot.value().is_some() {
        return None;
    }
    let name = arg_path::last(spot.path);
    let members: Vec<&String> = object
        .keys()
        .filter(|key| !known.contains_key(*key))
        .filter(|key| !(around.is_empty() && RESERVED.contains(&key.as_str())))
        .collect();
    let takes = |place: &Value| {
        let properties = followed(spot.schema, place)?.get("properties")?.as_object()?;
        members
            .iter()
            .all(|key| properties.contains_key(*key))
            .then_some(())
    };
    let mut places = known.iter().filter(|(_, place)| takes(place).is_some());
    let (only, _) = places.next().filter(|_| places.next().is_none())?;
    if members.is_empty() || *only != name {
        return None;
    }
    let inner: Map<String, Value> = members
        .iter()
        .filter_map(|key| Some(((*key).clone(), object.get(*key)?.clone())))
        .collect();
    let out = members.iter().map(|key| (arg_path::below(around, key), None));
    let into = (spot.path.to_owned(), Some(Value::Object(inner)));
    let why = "the object that these members belong to";
    Some(Idea::exact(out.chain([into]).collect(), why))
}
