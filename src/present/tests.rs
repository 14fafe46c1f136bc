//! Compares docs/json.md with the keys and values of the views.
//!
//! Must not know: how a view is built.

mod calls;
mod runs;
mod stored;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Serialize;
use serde_json::Value;

/// Examples of a view, by its name on the page: at least one with every field, and one with as little as possible.
type Examples = Vec<(&'static str, Vec<Value>)>;

/// Values of a view, one with everything and one with as little as possible.
fn both<T: Serialize>(view: impl Fn(bool) -> T) -> Vec<Value> {
    [true, false].map(|full| value(&view(full))).to_vec()
}

fn value(view: &impl Serialize) -> Value {
    serde_json::to_value(view).unwrap()
}

/// A value as the journal has it.
fn recorded<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

/// A value that lives as long as the test.
fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn examples() -> Examples {
    let mut all = calls::examples();
    all.extend(runs::examples());
    all.extend(stored::examples());
    all.extend(tools::examples());
    all
}

/// A row of a table of the page.
#[derive(Debug)]
struct Field {
    name: String,
    kind: String,
    meaning: String,
}

impl Field {
    /// The views that its type names.
    fn named(&self) -> Vec<&str> {
        let mut rest = &*self.kind;
        let mut names = Vec::new();
        while let Some((_, after)) = rest.split_once('[') {
            let Some((name, tail)) = after.split_once(']') else {
                break;
            };
            names.push(name);
            rest = tail;
        }
        names
    }

    /// True if a value is of its type.
    fn fits(&self, value: &Value) -> bool {
        let first = self.kind.split(' ').next().unwrap();
        match value {
            Value::Null => self.kind.ends_with(" or null"),
            Value::Bool(_) => first == "boolean",
            Value::Number(_) => first == "number",
            Value::String(_) => first == "text",
            Value::Array(_) => first == "list",
            Value::Object(_) => first == "object" || first.starts_with('['),
        }
    }
}

fn project() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The tables of the page by the name of the view.
fn tables() -> BTreeMap<String, Vec<Field>> {
    let page = fs::read_to_string(project().join("docs/json.md")).unwrap();
    let row = Regex::new(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$").unwrap();
    let mut tables: BTreeMap<String, Vec<Field>> = BTreeMap::new();
    let mut view = String::new();
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            view = name.to_owned();
            let before = tables.insert(view.clone(), Vec::new());
            assert!(before.is_none(), "{view} is described twice");
        } else if let Some(found) = row.captures(line) {
            let [name, kind, meaning] = [1, 2, 3].map(|at| found[at].to_owned());
            let field = Field { name, kind, meaning };
            tables.entry(view.clone()).or_default().push(field);
        }
    }
    tables
}

/// The keys of examples: all of them, those of every example, and those that are null in one.
fn keys(values: &[Value]) -> [BTreeSet<&str>; 3] {
    let maps = || values.iter().map(|value| value.as_object().unwrap());
    let all: BTreeSet<&str> = maps().flat_map(|map| map.keys().map(String::as_str)).collect();
    let always = |key: &&str| maps().all(|map| map.contains_key(*key));
    let null = |key: &&str| maps().any(|map| map.get(*key).is_some_and(Value::is_null));
    let (always, null) = (
        all.iter().copied().filter(always).collect(),
        all.iter().copied().filter(null).collect(),
    );
    [all, always, null]
}

#[test]
fn the_page_has_every_field_of_every_view_and_no_other() {
    let (tables, examples) = (tables(), examples());
    let described: BTreeSet<&str> = tables.keys().map(String::as_str).collect();
    let known: BTreeSet<&str> = examples.iter().map(|(name, _)| *name).collect();
    assert_eq!(described, known, "views on the page and in the tests");
    for (name, values) in examples {
        let table = &tables[name];
        let [all, always, null] = keys(&values);
        let names: BTreeSet<&str> = table.iter().map(|field| &*field.name).collect();
        assert_eq!(names, all, "{name}: fields on the page, and of the type");
        assert_eq!(names.len(), table.len(), "{name} has a field twice");
        for field in table {
            let key = &*field.name;
            assert_eq!(
                field.kind.ends_with(" or null"),
                null.contains(key),
                "{name}.{key}: whether it can be null"
            );
            assert_eq!(
                field.meaning.contains("Absent"),
                !always.contains(key),
                "{name}.{key}: whether it can be absent"
            );
            for value in values.iter().filter_map(|value| value.get(key)) {
                assert!(field.fits(value), "{name}.{key} is {}: {value}", field.kind);
                assert_nested(&tables, (name, field), value);
            }
        }
    }
}

/// An object in an object has the fields of the view that the page names.
fn assert_nested(tables: &BTreeMap<String, Vec<Field>>, (name, field): (&str, &Field), value: &Value) {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    for view in field.named() {
        let table = tables.get(view);
        let table = table.unwrap_or_else(|| panic!("{name}.{}: {view} is not on the page", field.name));
        let known: BTreeSet<&str> = table.iter().map(|field| &*field.name).collect();
        for object in values.iter().filter_map(Value::as_object) {
            for key in object.keys() {
                assert!(
                    known.contains(&**key),
                    "{name}.{}: {view} has no {key}",
                    field.name
                );
            }
        }
    }
}

/// The text of all files of this module.
fn sources(directory: &Path, text: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_view_is_on_the_page_or_a_part_of_one() {
    let mut text = String::new();
    sources(&project().join("src/present"), &mut text);
    let tables = tables();
    let view = Regex::new(r"(?m)^pub (?:struct|enum) (\w+View)\b").unwrap();
    for found in view.captures_iter(&text) {
        let name = &found[1];
        // It lends its fields to the view that it is a part of, is one form of another view, or is in no output.
        let part = format!(
            r"(?m)#\[serde\((?:flatten|skip)\)\]\s*pub \w+: (?:Option<|Vec<)?{name}\b|^    \w+\({name}\b"
        );
        let is_part = Regex::new(&part).unwrap().is_match(&text);
        assert!(
            tables.contains_key(name) || is_part,
            "{name} is not in docs/json.md"
        );
    }
}
