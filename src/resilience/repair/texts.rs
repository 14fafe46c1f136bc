//! Reads texts that contain more than a value: a number with a unit, a comma-separated list.
//!
//! Must not know: where such a text occurs.

use serde_json::Value;

use super::convert::number;
use super::names::{NameMatch, meant, split_words};
use overrule_schema::Checker;

/// Units as people write them after a number, and the word that names each.
const UNITS: [(&str, &str); 34] = [
    ("ms", "millisecond"),
    ("millisecond", "millisecond"),
    ("s", "second"),
    ("sec", "second"),
    ("second", "second"),
    ("m", "minute"),
    ("min", "minute"),
    ("minute", "minute"),
    ("h", "hour"),
    ("hr", "hour"),
    ("hour", "hour"),
    ("d", "day"),
    ("day", "day"),
    ("week", "week"),
    ("month", "month"),
    ("year", "year"),
    ("px", "pixel"),
    ("pixel", "pixel"),
    ("°", "degree"),
    ("degree", "degree"),
    ("°c", "celsius"),
    ("celsius", "celsius"),
    ("°f", "fahrenheit"),
    ("fahrenheit", "fahrenheit"),
    ("%", "percent"),
    ("percent", "percent"),
    ("mm", "millimeter"),
    ("cm", "centimeter"),
    ("m", "meter"),
    ("km", "kilometer"),
    ("mi", "mile"),
    ("mile", "mile"),
    ("kg", "kilogram"),
    ("g", "gram"),
];
/// Maximum length of a text that is taken apart.
const MOST: usize = 4096;

/// Returns the number of a text that names its unit as well, if the parameter's name says that it is in that unit:
/// `90 min` for `minutes`.
pub(super) fn without_unit(text: &str, name: &str, place: &Value) -> Option<Value> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)))?;
    let (count, unit) = text.split_at(end);
    let unit = singular(&unit.trim().to_lowercase());
    let named: Vec<String> = split_words(name).iter().map(|word| singular(word)).collect();
    let represents = |(short, word): &&(&str, &str)| *short == unit && named.iter().any(|one| one == word);
    UNITS.iter().find(represents)?;
    let read = number(count)?;
    let whole = place.get("type").and_then(Value::as_str) == Some("integer");
    (!whole || read.is_i64() || read.is_u64()).then_some(read)
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if one.len() > 1 && one != "celsiu" && one != "m" => one.to_owned(),
        _ => word.to_owned(),
    }
}

/// Returns the values between the commas of a text, if each of them is an item of the list and the text as a whole
/// is none. A comma may also stand in a number.
pub(super) fn parts(text: &str, items: &Value) -> Option<Vec<Value>> {
    if text.len() > MOST || !text.contains(',') {
        return None;
    }
    let parts: Vec<&str> = text.split(',').collect();
    let requested = items.get("type").and_then(Value::as_str);
    let separate = parts
        .iter()
        .skip(1)
        .all(|part| part.starts_with(char::is_whitespace));
    let groups = parts.iter().skip(1).all(|part| part.len() == 3) || parts.len() < 3;
    match requested {
        Some("integer") if !separate && groups => return None,
        Some("number") if !separate => return None,
        _ => {}
    }
    let checker = Checker::new(&items.to_string()).ok()?;
    let fits = |value: &Value| checker.check(&value.to_string()).is_empty();
    let read = |text: &str| {
        let text = text.trim();
        let value = match requested {
            Some("integer" | "number") => number(text)?,
            _ => allowed(text, items).cloned().unwrap_or_else(|| Value::from(text)),
        };
        (!text.is_empty() && fits(&value)).then_some(value)
    };
    if read(text).is_some() {
        return None;
    }
    parts.into_iter().map(read).collect()
}

/// Returns the allowed value that a text spells otherwise.
pub(super) fn allowed<'i>(text: &str, items: &'i Value) -> Option<&'i Value> {
    let all = items.get("enum")?.as_array()?;
    let texts: Vec<&Value> = all.iter().filter(|one| one.is_string()).collect();
    match meant(text, texts.iter().filter_map(|one| one.as_str())) {
        NameMatch::Same(one) => texts.get(one).copied(),
        _ => None,
    }
}
