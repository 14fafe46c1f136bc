//! Takes out of a schema the keywords that cannot be compiled, so that the others can be used.
//!
//! Must not know: where schemas come from, who is told.

use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::budget;
use super::checker::{Error, LIES_OUTSIDE, build, causes};
use super::sentence;
use overrule_base::canon::pointer;

/// Maximum number of keywords that are taken out.
const MOST: u64 = 100;
/// Values that are compiled for it, all times together: each keyword costs a compilation of the whole schema.
const VALUES: u64 = 50_000;
/// Keywords whose members are schemas by name.
const MAPS: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];
/// Keywords that refer to another place of the schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema that compiles, and what had to be taken out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Usable {
    /// The schema.
    pub schema: Value,
    /// JSON pointer and fault of each keyword that was taken out.
    pub dropped: Vec<(String, String)>,
}

/// Takes out what cannot be compiled. Fails if a reference leaves the schema, or if nothing usable is left. A schema that
/// is too large to be compiled stays as it is: nothing is checked against it.
pub fn usable(mut schema: Value) -> Result<Usable, Error> {
    let values = match budget::compilable(&schema) {
        Ok(values) => values,
        Err(why) => {
            let dropped = vec![(
                String::new(),
                format!("not checkable: {why}; each of its calls asks"),
            )];
            return Ok(Usable { schema, dropped });
        }
    };
    let most = MOST.min(VALUES / values.max(1)).max(3);
    let mut dropped = Vec::new();
    for _ in 0..most {
        let Err(error) = build(&schema) else {
            return Ok(Usable { schema, dropped });
        };
        let why = sentence::shown_text(&causes(&error));
        if why.contains(LIES_OUTSIDE) {
            return Err(Error::NotSchema {
                at: error.instance_path().to_string(),
                why,
            });
        }
        let at = error.instance_path().to_string();
        let is_reference = matches!(error.kind(), ValidationErrorKind::Referencing(_));
        drop(error);
        let taken = if is_reference {
            take_references(&mut schema)
        } else {
            take(&mut schema, &at).into_iter().collect()
        };
        if taken.is_empty() {
            return Err(Error::NotSchema { at, why });
        }
        dropped.extend(taken.into_iter().map(|at| (at, why.clone())));
    }
    let at = String::new();
    let why = format!("more than {most} of its keywords cannot be used");
    Err(Error::NotSchema { at, why })
}

/// Takes out the keyword of a place. Returns its place; nothing for the whole schema.
fn take(schema: &mut Value, at: &str) -> Option<String> {
    // The innermost name: an item of a list is part of its keyword.
    let mut place = at;
    loop {
        let (parent, name) = place.rsplit_once('/')?;
        let name = unescaped(name);
        let Value::Object(members) = schema.pointer_mut(parent)? else {
            place = parent;
            continue;
        };
        // The property stays, with any value.
        let any = Value::Object(Map::new());
        let is_member = is_map(parent) && !is_property(parent);
        if is_member && members.get(&name).is_some_and(|value| *value != any) {
            members.insert(name, any);
        } else {
            members.shift_remove(&name)?;
            if is_member {
                allow_any(schema, parent);
            }
        }
        return Some(place.to_owned());
    }
}

/// Allows any further property beside a pattern of names that was taken out.
fn allow_any(schema: &mut Value, patterns: &str) {
    let around = patterns
        .rsplit_once('/')
        .and_then(|(around, _)| schema.pointer_mut(around));
    if let Some(Value::Object(members)) = around {
        members.shift_remove("additionalProperties");
    }
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

/// True for the place of a keyword whose members are schemas.
fn is_map(place: &str) -> bool {
    place
        .rsplit_once('/')
        .is_some_and(|(_, name)| MAPS.contains(&name))
}

/// True for the place of a property that has the name of such a keyword.
fn is_property(place: &str) -> bool {
    let mut names = place.rsplit('/').skip(1);
    names.next().is_some_and(|name| MAPS.contains(&name))
        && names.next().is_none_or(|name| !MAPS.contains(&name))
}

/// Takes out the references whose target does not exist, and the name of an unknown version of JSON Schema.
fn take_references(schema: &mut Value) -> Vec<String> {
    let mut broken = Vec::new();
    let mut todo = vec![(String::new(), &*schema)];
    while let Some((at, value)) = todo.pop() {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let place = format!("{at}/{}", pointer::escaped(name));
                    let target = value.as_str().filter(|_| REFERENCES.contains(&name.as_str()));
                    if target.is_some_and(|target| !exists(schema, target)) {
                        broken.push(place);
                    } else {
                        todo.push((place, value));
                    }
                }
            }
            Value::Array(items) => {
                todo.extend(
                    items
                        .iter()
                        .enumerate()
                        .map(|(no, item)| (format!("{at}/{no}"), item)),
                );
            }
            _ => {}
        }
    }
    if broken.is_empty() && schema.get("$schema").is_some() {
        broken.push("/$schema".to_owned());
    }
    broken.retain(|at| take(schema, at).is_some());
    broken
}

/// True for a reference to a place that exists in the schema, or that can be an anchor.
fn exists(schema: &Value, target: &str) -> bool {
    match target.strip_prefix('#') {
        Some(place) if place.is_empty() || place.starts_with('/') => {
            // `%25` and the like are rare; the compiler knows them.
            place.contains('%') || schema.pointer(place).is_some()
        }
        Some(_) => false,
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_keyword_that_cannot_be_used_costs_itself() {
        let table = [
            (
                json!({"properties": {"a": {"type": "string", "pattern": "^[^]*$"}}}),
                "/properties/a/pattern",
            ),
            (
                json!({"properties": {"a": {"type": "string", "pattern": "^(hi|{.*})$"}}}),
                "/properties/a/pattern",
            ),
            (
                json!({"properties": {"a": {"pattern": "(?<=("}}}),
                "/properties/a/pattern",
            ),
            (json!({"type": "object", "required": null}), "/required"),
            (
                json!({"properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}}),
                "/properties/a/exclusiveMinimum",
            ),
            (
                json!({"properties": {"a": {"type": "string", "required": true}}}),
                "/properties/a/required",
            ),
            (
                json!({"properties": {"a": {"type": "any"}}}),
                "/properties/a/type",
            ),
            (
                json!({"properties": {"a": {"type": ["string", "any"]}}}),
                "/properties/a/type",
            ),
            (json!({"properties": {"a": {"enum": "x"}}}), "/properties/a/enum"),
            (json!({"properties": {"a": "string"}}), "/properties/a"),
            (
                json!({"properties": {"a": {"items": "string"}}}),
                "/properties/a/items",
            ),
            (
                json!({"properties": {"a": {"minLength": -1}}}),
                "/properties/a/minLength",
            ),
            (
                json!({"properties": {"a": {"$ref": "#/$defs/none"}}}),
                "/properties/a/$ref",
            ),
            (
                json!({"properties": {"a": {"$ref": "#none"}}}),
                "/properties/a/$ref",
            ),
            (
                json!({"patternProperties": {"[^]": {}}}),
                "/patternProperties/[^]",
            ),
            (
                json!({"properties": {"required": {"required": "yes"}}}),
                "/properties/required/required",
            ),
            (json!({"properties": ["a"]}), "/properties"),
            (json!({"additionalProperties": "no"}), "/additionalProperties"),
            (
                json!({"$schema": "http://nowhere.example/schema", "type": "object"}),
                "/$schema",
            ),
        ];
        for (mut schema, at) in table {
            schema["description"] = "kept".into();
            let usable = usable(schema.clone()).unwrap_or_else(|error| panic!("{schema}: {error}"));
            let places: Vec<&str> = usable.dropped.iter().map(|(at, _)| at.as_str()).collect();
            assert_eq!(places, [at], "{schema}: {usable:?}");
            assert_eq!(usable.schema["description"], "kept");
            assert!(crate::Checker::new(&usable.schema.to_string()).is_ok());
        }
    }

    #[test]
    fn a_property_without_a_schema_stays_a_property() {
        let schema = json!({"properties": {"a": "string"}, "additionalProperties": false});
        let usable = usable(schema).unwrap();
        assert_eq!(usable.schema["properties"], json!({"a": {}}));
        let schema = json!({"patternProperties": {"[^]": {}}, "additionalProperties": false});
        assert_eq!(
            super::usable(schema).unwrap().schema,
            json!({"patternProperties": {}})
        );
    }

    #[test]
    fn a_schema_that_compiles_stays_and_one_that_leaves_itself_is_refused() {
        let sound = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}});
        let found = usable(sound.clone()).unwrap();
        assert_eq!((found.schema, found.dropped.len()), (sound, 0));
        for outside in ["file:///etc/passwd", "https://schemas.example/a.json"] {
            let error = usable(json!({"properties": {"a": {"$ref": outside}}})).unwrap_err();
            assert!(error.to_string().contains("is not read"), "{error}");
        }
        assert!(usable(json!({"$ref": "other.json"})).is_err());
        assert!(usable(json!("no schema")).is_err());
    }
}
