//! What can stand where somebody types in a JSON text: names of properties, values of an enumeration.
//!
//! Works on a text that is not finished. Must not know: where schemas come from, keys, screens.

use std::collections::BTreeSet;

use serde_json::Value;

/// Deepest chain of references and alternatives that is followed.
const DEPTH: usize = 16;
/// Deepest nesting of the text that is looked into.
const NESTED: usize = 128;
/// Characters of a description that are repeated.
const DESCRIBED: usize = 120;

/// What can stand at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Where the part of the text begins that is replaced.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What it can be replaced with, in the order of the schema. Holds untrusted text.
    pub choices: Vec<Choice>,
}

/// One thing that can stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The JSON text to put in.
    pub insert: String,
    /// What it is, for choosing.
    pub name: String,
    /// More about it.
    pub detail: String,
}

/// What can stand at byte `at` of a JSON text by a schema; none where it says nothing.
pub(super) fn complete(schema: &Value, text: &str, at: usize) -> Option<Completion> {
    let before = text.get(..at)?;
    let place = Place::find(before)?;
    let (from, word) = (place.word, before.get(place.word..)?);
    let to = end_of_word(text, from, at);
    let wanted = word.trim_start_matches('"').to_lowercase();
    let here = place
        .path
        .iter()
        .try_fold(vec![schema], |level, step| deeper(schema, &level, step))?;
    let choices = if place.wants_key {
        let follows = text
            .get(to..)
            .is_some_and(|rest| rest.trim_start().starts_with(':'));
        let taken = keys_around(text, place.object, from);
        names(schema, &here, &taken, follows)
    } else {
        values(schema, &here)
    };
    let choices: Vec<Choice> = choices
        .into_iter()
        .filter(|choice| choice.name.to_lowercase().starts_with(&wanted))
        .collect();
    (!choices.is_empty()).then_some(Completion { from, to, choices })
}

/// A step down into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// What is expected next inside of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Key,
    Colon,
    Value,
    Comma,
}

#[derive(Debug)]
struct Frame {
    /// Where the container begins.
    start: usize,
    /// None for an object.
    index: Option<usize>,
    key: Option<String>,
    expect: Expect,
}

impl Frame {
    fn value_came(&mut self) {
        self.expect = Expect::Comma;
    }
}

/// Where a text that was cut off at the cursor stands.
struct Place {
    path: Vec<Step>,
    wants_key: bool,
    /// Where the innermost object begins.
    object: usize,
    /// Where the word before the cursor begins.
    word: usize,
}

impl Place {
    fn find(before: &str) -> Option<Self> {
        let mut stack: Vec<Frame> = Vec::new();
        let mut at = 0;
        let mut word = None;
        while let Some(&byte) = before.as_bytes().get(at) {
            word = None;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                b'{' | b'[' => {
                    if stack.len() >= NESTED {
                        return None;
                    }
                    stack.push(Frame {
                        start: at,
                        index: (byte == b'[').then_some(0),
                        key: None,
                        expect: if byte == b'{' { Expect::Key } else { Expect::Value },
                    });
                    at += 1;
                }
                b'}' | b']' => {
                    stack.pop();
                    if let Some(frame) = stack.last_mut() {
                        frame.value_came();
                    }
                    at += 1;
                }
                b',' => {
                    if let Some(frame) = stack.last_mut() {
                        frame.expect = match &mut frame.index {
                            Some(index) => {
                                *index += 1;
                                Expect::Value
                            }
                            None => Expect::Key,
                        };
                    }
                    at += 1;
                }
                b':' => {
                    if let Some(frame) = stack.last_mut() {
                        frame.expect = Expect::Value;
                    }
                    at += 1;
                }
                b'"' => {
                    let Some(end) = string_end(before, at) else {
                        word = Some(at);
                        break;
                    };
                    if let Some(frame) = stack.last_mut() {
                        if frame.expect == Expect::Key {
                            frame.key = before
                                .get(at..end)
                                .and_then(|text| serde_json::from_str(text).ok());
                            frame.expect = Expect::Colon;
                        } else {
                            frame.value_came();
                        }
                    }
                    at = end;
                }
                _ => {
                    let end = before
                        .get(at..)
                        .and_then(|rest| rest.find(is_delimiter))
                        .map_or(before.len(), |len| at + len);
                    if end == before.len() {
                        word = Some(at);
                        break;
                    }
                    if let Some(frame) = stack.last_mut() {
                        frame.value_came();
                    }
                    at = end;
                }
            }
        }
        Self::within(stack, word.unwrap_or(before.len()))
    }

    /// The place in these containers, the innermost last.
    fn within(stack: Vec<Frame>, word: usize) -> Option<Self> {
        let last = stack.last()?;
        let wants_key = match last.expect {
            Expect::Key => true,
            Expect::Value => false,
            Expect::Colon | Expect::Comma => return None,
        };
        let object = last.start;
        let mut path: Vec<Step> = Vec::with_capacity(stack.len());
        let depth = stack.len();
        for (level, frame) in stack.into_iter().enumerate() {
            // The key of the innermost object is what is being typed.
            if wants_key && level + 1 == depth {
                break;
            }
            path.push(match frame.index {
                Some(index) => Step::Index(index),
                None => Step::Key(frame.key?),
            });
        }
        Some(Self {
            path,
            wants_key,
            object,
            word,
        })
    }
}

fn is_delimiter(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ':' | ',' | '"')
}

/// Behind the closing quote of the string that begins at `at`.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in text.as_bytes().get(at..)?.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + offset + 1),
            _ => {}
        }
    }
    None
}

/// The end of the word that begins at `from` and goes on behind the cursor; a string that is not
/// closed on its line ends at the cursor.
fn end_of_word(text: &str, from: usize, at: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    if rest.starts_with('"') {
        return string_end(text, from)
            .filter(|end| {
                text.get(from..*end)
                    .is_some_and(|word| !word.contains('\n') && *end >= at)
            })
            .unwrap_or(at);
    }
    rest.find(is_delimiter)
        .map_or(text.len(), |len| from + len)
        .max(at)
}

/// The keys of the object that begins at `object`, but for the one that is being typed at `except`.
fn keys_around(text: &str, object: usize, except: usize) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let (mut depth, mut at, mut expects) = (0_usize, object, false);
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                expects = depth == 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
                at += 1;
            }
            b',' => {
                expects = depth == 1;
                at += 1;
            }
            b'"' => {
                let Some(end) = string_end(text, at) else { break };
                let key = text.get(at..end).and_then(|key| serde_json::from_str(key).ok());
                if let (true, Some(key)) = (expects && at != except, key) {
                    keys.insert(key);
                }
                expects = false;
                at = end;
            }
            _ => at += 1,
        }
    }
    keys
}

/// The schema and everything that holds beside it: references within the document, alternatives.
fn all<'s>(root: &'s Value, schema: &'s Value, depth: usize, out: &mut Vec<&'s Value>) {
    if depth > DEPTH || out.len() > 200 {
        return;
    }
    out.push(schema);
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str)
        && let Some(target) = pointer.strip_prefix('#').and_then(|at| root.pointer(at))
    {
        all(root, target, depth + 1, out);
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
            all(root, part, depth + 1, out);
        }
    }
    for word in ["then", "else"] {
        if let Some(part) = schema.get(word) {
            all(root, part, depth + 1, out);
        }
    }
}

fn together<'s>(root: &'s Value, level: &[&'s Value]) -> Vec<&'s Value> {
    let mut out = Vec::new();
    for schema in level {
        all(root, schema, 0, &mut out);
    }
    out
}

/// The schemas of what a step leads to; none where no schema says anything of it.
fn deeper<'s>(root: &'s Value, level: &[&'s Value], step: &Step) -> Option<Vec<&'s Value>> {
    let mut out = Vec::new();
    for schema in together(root, level) {
        let next = match step {
            Step::Key(key) => schema
                .get("properties")
                .and_then(|properties| properties.get(key))
                .or_else(|| {
                    schema
                        .get("additionalProperties")
                        .filter(|other| other.is_object())
                }),
            Step::Index(index) => schema
                .get("prefixItems")
                .and_then(|items| items.get(index))
                .or_else(|| schema.get("items")),
        };
        out.extend(next);
    }
    (!out.is_empty()).then_some(out)
}

fn names(root: &Value, level: &[&Value], taken: &BTreeSet<String>, follows: bool) -> Vec<Choice> {
    let parts = together(root, level);
    let required: BTreeSet<&str> = parts
        .iter()
        .filter_map(|schema| schema.get("required")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut out: Vec<Choice> = Vec::new();
    for (name, property) in parts
        .iter()
        .filter_map(|schema| schema.get("properties")?.as_object())
        .flatten()
    {
        if taken.contains(name) || out.iter().any(|choice| choice.name == *name) {
            continue;
        }
        let needed = if required.contains(name.as_str()) {
            "required "
        } else {
            ""
        };
        let colon = if follows { "" } else { ": " };
        out.push(Choice {
            insert: format!("{}{colon}", Value::from(name.as_str())),
            name: name.clone(),
            detail: format!("{needed}{}", described(property)),
        });
    }
    out
}

fn described(schema: &Value) -> String {
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" or ")
        }
        _ if schema.get("enum").is_some() => "one of several".to_owned(),
        _ => "any value".to_owned(),
    };
    match schema.get("description").and_then(Value::as_str) {
        Some(words) => {
            let head: String = words.chars().take(DESCRIBED).collect();
            format!("{kind}: {head}")
        }
        None => kind,
    }
}

fn values(root: &Value, level: &[&Value]) -> Vec<Choice> {
    let mut out: Vec<Choice> = Vec::new();
    let mut add = |value: &Value, detail: &str| {
        let insert = value.to_string();
        if out.iter().any(|choice| choice.insert == insert) {
            return;
        }
        out.push(Choice {
            name: value.as_str().map_or_else(|| insert.clone(), str::to_owned),
            insert,
            detail: detail.to_owned(),
        });
    };
    for schema in together(root, level) {
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            add(value, "");
        }
        if let Some(value) = schema.get("const") {
            add(value, "nothing else fits");
        }
        let is = |kind: &str| match schema.get("type") {
            Some(Value::String(one)) => one == kind,
            Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
            _ => false,
        };
        if is("boolean") {
            add(&Value::Bool(true), "");
            add(&Value::Bool(false), "");
        }
        if is("null") {
            add(&Value::Null, "");
        }
        if let Some(value) = schema.get("default") {
            add(value, "default");
        }
        for value in schema
            .get("examples")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            add(value, "example");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "where"},
                "mode": {"enum": ["read", "write", 7]},
                "deep": {"$ref": "#/$defs/deep"},
                "list": {"type": "array", "items": {"type": "boolean"}},
                "limit": {"type": ["integer", "null"], "default": 10}
            },
            "required": ["path"],
            "$defs": {"deep": {"type": "object", "properties": {"x": {"const": "only"}, "path": {}}}}
        })
    }

    /// The choices where `|` stands, and the text with the first of them put in.
    fn at(text: &str) -> (Vec<String>, String) {
        let at = text.find('|').unwrap();
        let text = text.replace('|', "");
        let Some(found) = complete(&schema(), &text, at) else {
            return (Vec::new(), text);
        };
        let first = format!(
            "{}{}{}",
            &text[..found.from],
            found.choices[0].insert,
            &text[found.to..]
        );
        (
            found.choices.into_iter().map(|choice| choice.name).collect(),
            first,
        )
    }

    #[test]
    fn names_that_are_not_there_yet_can_be_put_in() {
        let (names, text) = at(r#"{"mode": 7, |"#);
        assert_eq!(names, ["path", "deep", "list", "limit"]);
        assert_eq!(text, r#"{"mode": 7, "path": "#);
        let (names, text) = at(r#"{"li|": 1, "path": "a"}"#);
        assert_eq!(names, ["list", "limit"]);
        assert_eq!(text, r#"{"list": 1, "path": "a"}"#);
        let (names, _) = at(r#"{| "path": "a"}"#);
        assert!(!names.contains(&"path".to_owned()), "{names:?}");
    }

    #[test]
    fn values_are_those_that_the_schema_names() {
        assert_eq!(at(r#"{"mode": |}"#).0, ["read", "write", "7"]);
        assert_eq!(at(r#"{"mode": "wr|"}"#).1, r#"{"mode": "write"}"#);
        assert_eq!(at(r#"{"mode": wr|}"#).1, r#"{"mode": "write"}"#);
        assert_eq!(at(r#"{"list": [true, f|]}"#).1, r#"{"list": [true, false]}"#);
        assert_eq!(at(r#"{"limit": |"#).0, ["null", "10"]);
    }

    #[test]
    fn references_within_the_schema_are_followed() {
        assert_eq!(at(r#"{"deep": {"|"#).0, ["x", "path"]);
        assert_eq!(at(r#"{"deep": {"x": |"#).1, r#"{"deep": {"x": "only""#);
    }

    #[test]
    fn where_nothing_is_known_nothing_is_offered() {
        for text in [
            "|",
            r#"{"path": "a" |}"#,
            r#"{"other": {"|"#,
            r#"{"path": "zz|"}"#,
            r#"{"path"| : 1}"#,
        ] {
            assert!(at(text).0.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_schema_that_runs_in_circles_ends() {
        let round = json!({"$ref": "#", "anyOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {}}});
        assert!(complete(&round, "{", 1).is_some());
    }

    proptest! {
        #[test]
        fn any_text_at_any_place(text in r#"[\[\]{},:"\\a1 pt\n日]{0,40}"#, at in 0usize..60) {
            if let Some(found) = complete(&schema(), &text, at) {
                prop_assert!(found.from <= at && at <= found.to && found.to <= text.len());
                prop_assert!(text.is_char_boundary(found.from) && text.is_char_boundary(found.to));
            }
        }
    }
}
