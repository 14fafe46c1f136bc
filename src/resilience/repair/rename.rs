//! Strategy: correct the misspelt name of a property.
//!
//! Must not know: other strategies.

use serde_json::{Map, Value};

use super::arg_path;
use super::names::{NameMatch, folded, meant_name};
use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;
use overrule_schema::{RESERVED, followed};

/// Pointers and their new values.
type Edits = Vec<(String, Option<Value>)>;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let around = arg_path::parent(spot.path);
    let Some(object) = spot.args.pointer(around).and_then(Value::as_object) else {
        return Vec::new();
    };
    let known: Vec<&str> = spot
        .around
        .get("properties")
        .and_then(Value::as_object)
        .map(|all| all.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let name = arg_path::last(spot.path);
    if spot.value().is_none() {
        let strangers: Vec<&str> = object
            .keys()
            .map(String::as_str)
            .filter(|key| !known.contains(key))
            .filter(|key| !(around.is_empty() && RESERVED.contains(key)))
            .collect();
        return moves(&name, &strangers, |stranger| {
            moved(spot, &arg_path::below(around, stranger), spot.path)
        });
    }
    if known.contains(&name.as_str()) {
        return Vec::new();
    }
    if let Some(idea) = drop_redundant(spot, &name, object, &known).or_else(|| flat(spot, &name)) {
        return vec![idea];
    }
    let absent: Vec<&str> = known
        .iter()
        .copied()
        .filter(|key| !object.contains_key(*key))
        .collect();
    let mut ideas = moves(&name, &absent, |requested| {
        moved(spot, spot.path, &arg_path::below(around, requested))
    });
    if !ideas.iter().any(|idea| idea.certainty == Certainty::Exact) {
        ideas.push(Idea {
            edits: vec![(spot.path.to_owned(), None)],
            certainty: Certainty::Changed,
            why: "without what the tool does not know".to_owned(),
        });
    }
    ideas
}

/// Leaves out a member that the tool does not know, if it is empty or repeats the value under its
/// right name.
fn drop_redundant(spot: &Spot<'_>, name: &str, object: &Map<String, Value>, known: &[&str]) -> Option<Idea> {
    let empty = match spot.value()? {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    let absent = known
        .iter()
        .any(|key| folded(key) == folded(name) && !object.contains_key(*key));
    let mut same = known.iter().filter(|key| folded(key) == folded(name));
    let again = same.any(|key| object.get(*key) == spot.value());
    let why = if again {
        "it repeats the value under the right name"
    } else {
        "it is empty, and the tool does not know it"
    };
    let out = vec![(spot.path.to_owned(), None)];
    ((empty && !absent) || again).then(|| Idea::exact(out, why))
}

/// Moves a member into the object that its name names: `project.key` into `project`.
fn flat(spot: &Spot<'_>, name: &str) -> Option<Idea> {
    let bare = name.replace('[', ".").replace(']', "");
    let (outer, inner) = bare.split_once('.')?;
    let place = spot.around.get("properties")?.get(outer)?;
    followed(spot.schema, place)?.get("properties")?.get(inner)?;
    let to = arg_path::below(arg_path::parent(spot.path), outer);
    let mut object = match spot.args.pointer(&to) {
        None => Map::new(),
        Some(found) => found.as_object()?.clone(),
    };
    if object.contains_key(inner) {
        return None;
    }
    object.insert(inner.to_owned(), spot.value()?.clone());
    let edits = vec![(spot.path.to_owned(), None), (to, Some(Value::Object(object)))];
    Some(Idea::exact(edits, "the member of the object that its name names"))
}

fn moves(name: &str, others: &[&str], idea: impl Fn(&str) -> Option<(Edits, String)>) -> Vec<Idea> {
    let (certainty, found) = match meant_name(name, others.iter().copied()) {
        NameMatch::Same(one) => (Certainty::Exact, vec![one]),
        NameMatch::Clearly(one) => (Certainty::Guess, vec![one]),
        NameMatch::Maybe(several) => (Certainty::Changed, several),
        NameMatch::None => return Vec::new(),
    };
    found
        .into_iter()
        .filter_map(|index| idea(others.get(index)?))
        .map(|(edits, why)| Idea {
            edits,
            certainty,
            why,
        })
        .collect()
}

fn moved(spot: &Spot<'_>, from: &str, to: &str) -> Option<(Edits, String)> {
    let value = spot.args.pointer(from)?.clone();
    let why = format!(
        "`{}` stands for `{}`",
        overrule_base::text::visible(&arg_path::last(from)),
        overrule_base::text::visible(&arg_path::last(to))
    );
    Some((vec![(from.to_owned(), None), (to.to_owned(), Some(value))], why))
}
