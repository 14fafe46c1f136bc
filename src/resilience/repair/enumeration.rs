//! Strategy: the allowed value that was meant.
//!
//! Must not know: other strategies.
//!
//! Only the schema says what is allowed, never a message.

use serde_json::Value;

use super::arg_path;
use super::convert::{converted, layers};
use super::names::{self, NameMatch, folded, meant, signs};
use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;
use overrule_schema::followed;

/// Words that negate, widen or combine the words next to them.
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
    if value.is_null() && !spot.is_required() && spot.among().is_none() {
        let why = "null means that the parameter is not given, and this one is optional";
        return vec![Idea::exact(vec![(spot.path.to_owned(), None)], why)];
    }
    let name = arg_path::last(spot.path);
    let layers = layers(value, &name);
    if let Some(one) = layers.iter().skip(1).find(|layer| allowed.contains(layer)) {
        let why = "the allowed value, without what was put around it";
        return vec![Idea::of(spot, one.clone(), Certainty::Exact, why)];
    }
    let same_as_type: Vec<&Value> = allowed
        .iter()
        .filter(|one| {
            let represents = |requested| {
                let same = |layer| converted(layer, requested, &Value::Null).as_ref() == Some(*one);
                layers.iter().any(same)
            };
            type_of(one).is_some_and(represents)
        })
        .copied()
        .collect();
    if let [one] = same_as_type[..] {
        let why = format!("the allowed value {one}, written as another type");
        return vec![Idea::of(spot, one.clone(), Certainty::Exact, why)];
    }
    let Some(output) = layers.iter().rev().find_map(Value::as_str) else {
        return Vec::new();
    };
    let texts: Vec<&str> = allowed.iter().filter_map(|one| one.as_str()).collect();
    let idea = |index: usize, certainty, why: &str| {
        let to = texts.get(index)?;
        Some(Idea::of(spot, Value::from(*to), certainty, why))
    };
    let found: Vec<Option<Idea>> = match meant(output, texts.iter().copied()) {
        NameMatch::Same(one) => vec![idea(
            one,
            Certainty::Exact,
            "the allowed value, spelled differently",
        )],
        NameMatch::Clearly(one) if !negates(output) => {
            vec![idea(
                one,
                Certainty::Guess,
                "the allowed value that it looks like, by far",
            )]
        }
        others => match named_in(output, &texts, &name) {
            Some(one) => vec![idea(
                one,
                Certainty::Guess,
                "the allowed value next to the parameter's own name",
            )],
            None => near(others)
                .into_iter()
                .map(|one| idea(one, Certainty::Changed, "an allowed value that looks like it"))
                .collect(),
        },
    };
    found.into_iter().flatten().collect()
}

/// Returns the values that the schema allows there, in one form or several.
pub(super) fn allowed<'a>(spot: &Spot<'a>) -> Vec<&'a Value> {
    let of = |form: &'a Value| -> Vec<&'a Value> {
        let all = form.get("enum").and_then(Value::as_array);
        all.map_or_else(
            || form.get("const").into_iter().collect(),
            |all| all.iter().collect(),
        )
    };
    match (spot.keyword, spot.expected.as_array()) {
        ("anyOf" | "oneOf", Some(forms)) => {
            let forms = forms.iter().filter_map(|form| followed(spot.schema, form));
            forms.flat_map(of).collect()
        }
        _ => of(spot.place),
    }
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

fn near(meant: NameMatch) -> Vec<usize> {
    match meant {
        NameMatch::Maybe(several) => several,
        NameMatch::Clearly(one) | NameMatch::Same(one) => vec![one],
        NameMatch::None => Vec::new(),
    }
}

/// Splits a text into words; a hyphenated compound is one word.
fn split_words(text: &str) -> Vec<String> {
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

/// Returns the value that a text names together with the parameter's name, and nothing else.
/// `business class` names `business` where a `class` is wanted. Any other word may change the
/// meaning (`last year`).
fn named_in(output: &str, texts: &[&str], name: &str) -> Option<usize> {
    if negates(output) || !signs(output).is_empty() {
        return None;
    }
    let output = split_words(output);
    let name = names::split_words(name);
    let named = |text: &str| {
        let requested = split_words(text);
        let beside = |from: usize| {
            let rest = [output.get(..from), output.get(from + requested.len()..)];
            rest.into_iter()
                .flatten()
                .flatten()
                .all(|word| name.contains(word))
        };
        let mut windows = output.windows(requested.len().max(1)).enumerate();
        signs(text).is_empty() && windows.any(|(from, window)| window == requested && beside(from))
    };
    let mut all = texts.iter().enumerate().filter(|(_, text)| named(text));
    match (all.next(), all.next()) {
        (Some((one, _)), None) => Some(one),
        _ => None,
    }
}
