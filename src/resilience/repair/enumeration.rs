//! Strategy: the allowed value that was meant. Only the schema says what is allowed, never a message.
//! Must not know: other strategies.

use serde_json::Value;

use super::convert::converted;
use super::idea::{Idea, Spot};
use super::names::{Meant, folded, meant, signs};
use crate::domain::repair::Certainty;

/// Words that negate, widen or combine the words beside them.
const NEGATIONS: [&str; 26] = [
    "not", "no", "non", "never", "without", "except", "but", "neither", "nor", "un", "or", "and", "to",
    "above", "below", "over", "under", "than", "least", "most", "before", "after", "any", "all", "both",
    "either",
];

/// Maximum number of words of a text.
const MOST_WORDS: usize = 12;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let allowed = allowed(spot);
    let Some(value) = spot.value() else {
        return Vec::new();
    };
    let same_as_type: Vec<&Value> = allowed
        .iter()
        .filter(|one| {
            type_of(one).is_some_and(|wanted| converted(value, wanted, &Value::Null).as_ref() == Some(*one))
        })
        .copied()
        .collect();
    if let [one] = same_as_type[..] {
        let why = format!("the allowed value {one}, written as another type");
        return vec![Idea::of(spot, one.clone(), Certainty::Exact, why)];
    }
    let Some(said) = value.as_str() else {
        return Vec::new();
    };
    let texts: Vec<&str> = allowed.iter().filter_map(|one| one.as_str()).collect();
    let idea = |index: usize, certainty, why: &str| {
        let to = texts.get(index)?;
        Some(Idea::of(spot, Value::from(*to), certainty, why))
    };
    let found: Vec<Option<Idea>> = match meant(said, texts.iter().copied()) {
        Meant::Same(one) => vec![idea(one, Certainty::Exact, "the allowed value, spelt otherwise")],
        Meant::Clearly(one) if !negates(said) => {
            vec![idea(
                one,
                Certainty::Guess,
                "the allowed value that it looks like, by far",
            )]
        }
        others => match named_in(said, &texts) {
            Some(one) => vec![idea(
                one,
                Certainty::Guess,
                "the only allowed value that it names",
            )],
            None => near(others)
                .into_iter()
                .map(|one| idea(one, Certainty::Changed, "an allowed value that looks like it"))
                .collect(),
        },
    };
    found.into_iter().flatten().collect()
}

/// Returns the values that the schema allows there.
pub(super) fn allowed<'a>(spot: &Spot<'a>) -> Vec<&'a Value> {
    if let Some(all) = spot.place.get("enum").and_then(Value::as_array) {
        return all.iter().collect();
    }
    spot.place.get("const").into_iter().collect()
}

fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(_) => Some("string"),
        _ => None,
    }
}

fn near(meant: Meant) -> Vec<usize> {
    match meant {
        Meant::Maybe(several) => several,
        Meant::Clearly(one) | Meant::Same(one) => vec![one],
        Meant::None => Vec::new(),
    }
}

/// Splits a text into words; a hyphenated compound is one word.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-')
        .map(folded)
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect()
}

/// Returns true if the text may say the opposite of what it names.
fn negates(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(folded)
        .any(|word| NEGATIONS.contains(&word.as_str()) || word.ends_with("nt"))
}

/// Returns the only value whose words occur in the text (`business class` names `business`).
fn named_in(said: &str, texts: &[&str]) -> Option<usize> {
    if negates(said) || !signs(said).is_empty() {
        return None;
    }
    let said = words(said);
    let named = |text: &str| {
        let wanted = words(text);
        !wanted.is_empty()
            && signs(text).is_empty()
            && said.windows(wanted.len()).any(|window| window == wanted)
    };
    let mut all = texts.iter().enumerate().filter(|(_, text)| named(text));
    match (all.next(), all.next()) {
        (Some((one, _)), None) => Some(one),
        _ => None,
    }
}
