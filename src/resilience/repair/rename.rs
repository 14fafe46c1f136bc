//! Strategy: correct the misspelt name of a property. Must not know: other strategies.

use serde_json::Value;

use super::idea::{Idea, Spot};
use super::names::{Meant, meant};
use super::place;
use crate::domain::repair::Certainty;
use crate::schema::RESERVED;

/// Pointers and their new values.
type Edits = Vec<(String, Option<Value>)>;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let around = place::parent(spot.path);
    let Some(object) = spot.args.pointer(around).and_then(Value::as_object) else {
        return Vec::new();
    };
    let known: Vec<&str> = spot
        .around
        .get("properties")
        .and_then(Value::as_object)
        .map(|all| all.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let name = place::last(spot.path);
    if spot.value().is_none() {
        let strangers: Vec<&str> = object
            .keys()
            .map(String::as_str)
            .filter(|key| !known.contains(key))
            .filter(|key| !(around.is_empty() && RESERVED.contains(key)))
            .collect();
        return moves(&name, &strangers, |stranger| {
            moved(spot, &place::below(around, stranger), spot.path)
        });
    }
    if known.contains(&name.as_str()) {
        return Vec::new();
    }
    let absent: Vec<&str> = known
        .iter()
        .copied()
        .filter(|key| !object.contains_key(*key))
        .collect();
    let mut ideas = moves(&name, &absent, |wanted| {
        moved(spot, spot.path, &place::below(around, wanted))
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

fn moves(name: &str, others: &[&str], idea: impl Fn(&str) -> Option<(Edits, String)>) -> Vec<Idea> {
    let (certainty, found) = match meant(name, others.iter().copied()) {
        Meant::Same(one) => (Certainty::Exact, vec![one]),
        Meant::Clearly(one) => (Certainty::Guess, vec![one]),
        Meant::Maybe(several) => (Certainty::Changed, several),
        Meant::None => return Vec::new(),
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
        crate::text::visible(&place::last(from)),
        crate::text::visible(&place::last(to))
    );
    Some((vec![(from.to_owned(), None), (to.to_owned(), Some(value))], why))
}
