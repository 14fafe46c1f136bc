//! Finds the argument that the words of a failed call are about.
//!
//! Must not know: what follows from it.
//!
//! A server names an argument, or repeats its value. Where two arguments fit, none is named.

use serde_json::Value;

/// Characters examined of a failure's words.
const WORDS: usize = 4096;
/// Lengths of a value that is looked for, in characters.
const VALUE: std::ops::RangeInclusive<usize> = 3..=200;
/// Words before the name of an argument that is at fault.
const BEFORE: [&str; 12] = [
    "invalid",
    "missing",
    "unknown",
    "unexpected",
    "unsupported",
    "bad",
    "wrong",
    "parameter",
    "argument",
    "field",
    "property",
    "at",
];
/// Words after it.
const AFTER: [&str; 10] = [
    "must",
    "should",
    "cannot",
    "is",
    "has",
    "parameter",
    "parameters",
    "argument",
    "arguments",
    "field",
];

/// Returns the argument that the words are about, as `observations.0.entityName`.
pub(super) fn argument(args: &Value, words: &str) -> Option<String> {
    let words: String = words.chars().take(WORDS).collect();
    let mut all = Vec::new();
    collect("", args, &mut all);
    let mut named = all.iter().filter(|(path, _)| {
        let name = path.rsplit('.').next().unwrap_or_default();
        is_named(&words, name)
    });
    if let Some((path, _)) = named.next() {
        return named.next().is_none().then(|| path.clone());
    }
    let repeated = all.iter().filter(|(_, value)| {
        VALUE.contains(&value.chars().count()) && occurrences(&words, value).next().is_some()
    });
    let longest = repeated.clone().map(|(_, value)| value.len()).max()?;
    let mut longest = repeated.filter(|(_, value)| value.len() == longest);
    let (path, _) = longest.next()?;
    longest.next().is_none().then(|| path.clone())
}

/// Collects the values that are no list and no object, as text, each with its place.
fn collect(path: &str, value: &Value, all: &mut Vec<(String, String)>) {
    let below = |name: &str| match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    };
    match value {
        Value::Object(members) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            for (name, value) in members.iter().filter(|(name, _)| name.chars().all(plain)) {
                collect(&below(name), value, all);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                collect(&below(&at.to_string()), value, all);
            }
        }
        Value::String(text) => all.push((path.to_owned(), text.trim().to_owned())),
        other => all.push((path.to_owned(), other.to_string())),
    }
}

/// The places where a text is a whole word, each with what is before and after it.
fn occurrences<'w>(words: &'w str, text: &'w str) -> impl Iterator<Item = (&'w str, &'w str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    words.match_indices(text).filter_map(move |(at, _)| {
        let before = words.get(..at)?;
        let after = words.get(at + text.len()..)?;
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        (is_whole && !text.is_empty()).then_some((before, after))
    })
}

fn is_named(words: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    occurrences(words, name).any(|(before, after)| {
        let previous = before.trim_end_matches(|c| !is_letter(c));
        let near = before.len() - previous.len() <= 3;
        let previous = previous.rsplit(|c| !is_letter(c)).next().unwrap_or_default();
        let next = after.trim_start_matches(['\'', '"', '`', ' ']);
        let next = next.split(|c| !is_letter(c)).next().unwrap_or_default();
        let quote = before.chars().next_back().filter(|c| "'\"`".contains(*c));
        let is_quoted = quote.is_some_and(|quote| after.starts_with(quote));
        let known = |list: &[&str], word: &str| list.iter().any(|one| one.eq_ignore_ascii_case(word));
        is_quoted || (near && known(&BEFORE, previous)) || known(&AFTER, next)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals_as_servers_word_them_name_their_argument() {
        let zone = json!({ "source_timezone": "Europe/Berlni", "time": "10:00", "target_timezone": "UTC" });
        for (args, words, about) in [
            (
                zone.clone(),
                "Error executing tool convert_time: Invalid timezone: 'No time zone found with key Europe/Berlni'",
                Some("source_timezone"),
            ),
            (
                zone,
                "Error executing tool convert_time: Invalid time format. Expected HH:MM [24-hour format]",
                Some("time"),
            ),
            (
                json!({ "repo_path": ".", "revision": "nope" }),
                "Error executing tool git_show: Ref 'nope' did not resolve to an object",
                Some("revision"),
            ),
            (
                json!({ "resourceType": "Text", "resourceId": -1 }),
                "Invalid resourceId: -1. Must be a finite positive integer.",
                Some("resourceId"),
            ),
            (
                json!({ "path": "a.txt", "edits": [{ "oldText": "zzz", "newText": "y" }] }),
                "Could not find exact match for edit:\nzzz",
                Some("edits.0.oldText"),
            ),
            (
                json!({ "observations": [{ "entityName": "Bob", "contents": ["x"] }] }),
                "Entity with name Bob not found",
                Some("observations.0.entityName"),
            ),
            (
                json!({ "a": 1, "limit": 7 }),
                "1 validation error for listArguments\nlimit\n  Field required: 'limit'",
                Some("limit"),
            ),
            // Two fit, or none.
            (
                json!({ "from": "same", "to": "same" }),
                "cannot use same here",
                None,
            ),
            (json!({ "text": "hello" }), "it did not work", None),
            (json!({ "id": "ab" }), "the table ab is gone", None),
            (json!({ "name": "Bob" }), "Bobby is unknown", None),
        ] {
            assert_eq!(argument(&args, words).as_deref(), about, "{words}");
        }
    }
}
