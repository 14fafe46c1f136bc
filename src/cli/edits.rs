//! Reads several edits from a JSON file, to be committed as one.
//!
//! Must not know: what an edit does.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_domain::command::Edit;
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_regular_file as regular_file;

/// An edit as written in the file.
type RawEdit = BTreeMap<String, Box<RawValue>>;

/// Maximum number of edits in one file.
const MOST: usize = 1000;
/// Maximum bytes of the file.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The kinds of edits, each with its fields besides `type`. A field that ends in `?` is optional.
const KINDS: [(&str, &[&str]); 9] = [
    ("call", &["node", "base?", "tool?", "args", "shown?"]),
    ("text", &["node", "base?", "text"]),
    ("observation", &["node", "base?", "value"]),
    ("insert_prompt", &["after?", "text"]),
    ("insert_thought", &["after?", "text"]),
    ("insert_call", &["after?", "tool", "args"]),
    ("reject_answer", &["node", "reason"]),
    ("copy", &["node", "from"]),
    ("delete", &["node", "base?"]),
];

/// Reads the edits of a file; `-` is standard input.
pub fn read(state: &State, path: &Path) -> Result<Vec<Edit>, Failure> {
    let name = visible(&path.to_string_lossy());
    let bad = |why: String| Failure::new(Code::Usage, format!("cannot use {name} for --edits: {why}"));
    let text = regular_file::read_input(path, MOST_BYTES).and_then(regular_file::text);
    let text = text.map_err(|error| bad(error.to_string()))?;
    let list: Vec<RawEdit> = serde_json::from_str(&text).map_err(|error| {
        bad(format!(
            "it is not a list of edits such as [{{\"type\": \"text\", \"node\": \"t3\", \"text\": \"…\"}}]: {}",
            visible(&error.to_string())
        ))
    })?;
    if list.len() > MOST {
        return Err(bad(format!(
            "it has {} edits, and {MOST} are allowed",
            list.len()
        )));
    }
    let numbered = list.into_iter().enumerate();
    numbered
        .map(|(index, given)| one(state, &given).map_err(|why| bad(format!("edit {}: {why}", index + 1))))
        .collect()
}

fn one(state: &State, given: &RawEdit) -> Result<Edit, String> {
    let kind = given.get("type").and_then(|raw| string(raw)).unwrap_or_default();
    // `take` is the old name of `copy`, and the name in commands.
    let kind = if kind == "take" { "copy".to_owned() } else { kind };
    let Some((_, fields)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        let known: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        return Err(format!("its `type` is none of {}", known.join(", ")));
    };
    let known: Vec<&str> = fields.iter().map(|field| field.trim_end_matches('?')).collect();
    if let Some(odd) = given
        .keys()
        .find(|key| *key != "type" && !known.contains(&key.as_str()))
    {
        return Err(format!(
            "`{kind}` has no `{}`; it has {}",
            visible(odd),
            known.join(", ")
        ));
    }
    let missing = |field: &&&str| !field.ends_with('?') && !given.contains_key(**field);
    if let Some(missing) = fields.iter().find(missing) {
        return Err(format!("`{kind}` needs `{missing}`"));
    }
    let mut whole = Map::new();
    for (key, raw) in given {
        let value = match key.as_str() {
            // Arguments are an object or their exact text; a result is JSON. Both keep their bytes.
            "args" => Value::String(string(raw).unwrap_or_else(|| raw.get().to_owned())),
            "value" => Value::String(raw.get().to_owned()),
            "type" if kind == "copy" => Value::String("take".to_owned()),
            _ => serde_json::from_str(raw.get()).map_err(|error| visible(&error.to_string()))?,
        };
        whole.insert(key.clone(), value);
    }
    fill(state, &mut whole, fields);
    serde_json::from_value(Value::Object(whole)).map_err(|error| visible(&error.to_string()))
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// Fills in omitted fields from the state.
fn fill(state: &State, whole: &mut Map<String, Value>, fields: &[&str]) {
    let id = whole.get("node").and_then(Value::as_str);
    let node = id.and_then(|id| state.nodes.get(&id.parse::<NodeId>().ok()?));
    let rev = node.map(Node::rev).unwrap_or_default();
    let tool = node.and_then(Node::as_call).map_or("", |(tool, _)| tool);
    // The author of the arguments has seen them.
    let rest: [(&str, Value); 4] = [
        ("base", rev.0.into()),
        ("tool", tool.into()),
        ("shown", true.into()),
        ("after", Value::Null),
    ];
    for (name, value) in rest {
        if fields.contains(&format!("{name}?").as_str()) && !whole.contains_key(name) {
            whole.insert(name.into(), value);
        }
    }
}
