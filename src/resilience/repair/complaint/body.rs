//! Reads complaints from JSON in a text.
//!
//! Must not know: what is done about a complaint.

use serde_json::{Map, Value};

use super::Complaint;
use super::known::Known;
use super::line;
use super::wrong::Wrong;

/// Maximum number of places in a text where JSON is looked for.
const MOST_STARTS: usize = 8;
/// Maximum depth of a body.
const DEEPEST: usize = 10;
/// Members that say which argument an object is about.
const PLACES: [&str; 18] = [
    "loc",
    "path",
    "field",
    "param",
    "parameter",
    "pointer",
    "instancePath",
    "dataPath",
    "property",
    "propertyName",
    "fieldName",
    "source",
    "key",
    "argument",
    "attribute",
    "location",
    "name",
    "target",
];
/// Members that say what is wrong.
const WORDS: [&str; 14] = [
    "msg",
    "message",
    "reason",
    "detail",
    "description",
    "defaultMessage",
    "errorMessage",
    "title",
    "error",
    "code",
    "type",
    "keyword",
    "rule",
    "tag",
];
/// Members that hold what was sent, or what is no message.
const OTHERS: [&str; 12] = [
    "input",
    "value",
    "rejectedValue",
    "received",
    "url",
    "ctx",
    "instance",
    "request",
    "docs",
    "documentation_url",
    "options",
    "allowedValues",
];
/// Members under which complaints are listed.
const COLLECTIONS: [&str; 14] = [
    "errors",
    "error",
    "fields",
    "fieldErrors",
    "field_errors",
    "details",
    "detail",
    "invalid-params",
    "invalidParams",
    "violations",
    "fieldViolations",
    "validation",
    "issues",
    "messages",
];

/// Reads the JSON in a text, and returns its complaints with the text without it.
pub(super) fn read(text: &str, known: &Known<'_>) -> (Vec<Complaint>, String) {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut from = 0;
    let mut starts = 0;
    while let Some(tail) = text.get(from..) {
        let Some(at) = tail.find(['{', '[']) else { break };
        starts += 1;
        if starts > MOST_STARTS {
            break;
        }
        let json = tail.get(at..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        match stream.next() {
            // A short list such as `[0]` is part of a sentence, and what is in quotes is a value.
            Some(Ok(value))
                if is_body(&value)
                    && !tail
                        .get(..at)
                        .is_some_and(|before| before.ends_with(['\'', '"', '`'])) =>
            {
                rest.push_str(tail.get(..at).unwrap_or_default());
                rest.push('\n');
                visit(&value, &Context::default(), known, &mut found);
                from += at + stream.byte_offset();
            }
            _ => {
                rest.push_str(tail.get(..=at).unwrap_or_default());
                from += at + 1;
            }
        }
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    (found, without_tags(&rest))
}

/// Returns true for an object, or a list of objects or sentences.
fn is_body(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => items.iter().any(|item| {
            item.is_object()
                || item
                    .as_str()
                    .is_some_and(|text| text.contains(' ') && !text.trim().is_empty())
        }),
        _ => false,
    }
}

/// Returns a page without its tags.
fn without_tags(text: &str) -> String {
    let start = text.trim_start().get(..1).unwrap_or_default();
    let is_page = start == "<" || text.contains("<html") || text.contains("<!DOCTYPE");
    if !is_page {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                out.push('\n');
            }
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// Where in a body a value is.
#[derive(Debug, Clone, Copy, Default)]
struct Context<'c> {
    /// Pointer to the argument that the names around it lead to.
    base: &'c str,
    /// True below a member that collects complaints.
    is_collected: bool,
    depth: usize,
}

fn visit(value: &Value, context: &Context<'_>, known: &Known<'_>, found: &mut Vec<Complaint>) {
    if context.depth > DEEPEST {
        return;
    }
    let inner = Context {
        depth: context.depth + 1,
        ..*context
    };
    match value {
        Value::Object(members) => object(members, &inner, known, found),
        Value::Array(items) => {
            for item in items {
                visit(item, &inner, known, found);
            }
        }
        Value::String(text) => line::read(text, context.base, known, found),
        _ => {}
    }
}

fn object(
    members: &Map<String, Value>,
    context: &Context<'_>,
    known: &Known<'_>,
    found: &mut Vec<Complaint>,
) {
    let words = words_of(members);
    let place = PLACES
        .iter()
        .filter_map(|key| Some((*key, place_text(members.get(*key)?)?)))
        // `name`, `path` and the like are about an argument only next to a message.
        .filter(|_| !words.is_empty())
        .find_map(|(key, text)| Some((key, known.resolve(&text, context.base)?)));
    let before = found.len();
    if let Some((_, path)) = place {
        let mut inner = Vec::new();
        // A missing or surplus member is named in the message.
        for text in messages(members) {
            line::read(text, path, known, &mut inner);
        }
        inner.retain(|one| one.path != path && crate::repair::arg_path::within(&one.path, path));
        if inner.is_empty() {
            found.push(Complaint {
                path: path.to_owned(),
                wrong: Wrong::read(&words).unwrap_or(Wrong::Invalid),
                words,
            });
        }
        found.extend(inner);
        return;
    }
    for key in ["missingProperty", "additionalProperty"] {
        let named = members
            .get("params")
            .and_then(|params| params.get(key))
            .and_then(Value::as_str);
        let at = members.get("instancePath").and_then(place_text);
        let base = at.as_deref().unwrap_or_default();
        if let Some(path) = named.and_then(|name| known.resolve(name, base)) {
            let wrong = if key == "missingProperty" {
                Wrong::Missing
            } else {
                Wrong::Unexpected
            };
            found.push(Complaint {
                path: path.to_owned(),
                wrong,
                words: words.clone(),
            });
        }
    }
    if found.len() > before {
        return;
    }
    for (key, value) in members {
        let is_collection = COLLECTIONS.contains(&key.as_str());
        let is_other = OTHERS.contains(&key.as_str());
        // An argument may have the name of a usual member; then its messages are a list.
        let is_usual = is_other || WORDS.contains(&key.as_str());
        let is_open = !is_usual || value.is_array();
        let path = known.resolve(key, context.base).filter(|_| is_open);
        if is_other && path.is_none() {
            continue;
        }
        let inner = Context {
            base: path.unwrap_or(context.base),
            is_collected: (context.is_collected || is_collection) && !is_other,
            ..*context
        };
        match path {
            Some(path) if is_message(value) && member(path, value, &inner, found) => {}
            _ => visit(value, &inner, known, found),
        }
    }
}

/// Adds the complaint of a member that has the name of an argument: `{"class": ["is not included in the list"]}`. Returns
/// false if there is none.
fn member(path: &str, value: &Value, context: &Context<'_>, found: &mut Vec<Complaint>) -> bool {
    let texts: Vec<&str> = match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let words = texts.join("\n");
    let wrong = texts.iter().find_map(|text| Wrong::read(text));
    // A body may repeat what was sent.
    let wrong = wrong.or_else(|| (context.is_collected && words.contains(' ')).then_some(Wrong::Invalid));
    let Some(wrong) = wrong else { return false };
    found.push(Complaint {
        path: path.to_owned(),
        wrong,
        words,
    });
    true
}

/// Returns true for a text or a list of texts.
fn is_message(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_string),
        _ => false,
    }
}

/// Returns a place as text: `body.legs.0.date`.
fn place_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let part = |part: &Value| match part {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            };
            parts
                .iter()
                .map(part)
                .collect::<Option<Vec<_>>>()
                .map(|parts| parts.join("."))
        }
        Value::Object(members) => ["pointer", "parameter", "header"]
            .iter()
            .find_map(|key| Some(members.get(*key)?.as_str()?.to_owned())),
        _ => None,
    }
}

fn messages(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    WORDS.iter().filter_map(|key| members.get(*key)?.as_str())
}

/// Returns what an object says, with its codes as words.
fn words_of(members: &Map<String, Value>) -> String {
    let mut words: Vec<String> = Vec::new();
    for text in messages(members) {
        let is_code = !text.contains(' ');
        words.push(if is_code {
            text.replace('_', " ")
        } else {
            text.to_owned()
        });
    }
    words.join(". ")
}
