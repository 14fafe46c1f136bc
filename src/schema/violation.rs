//! A violation in parts: place, keyword, keyword value, and the schema of the place.
//!
//! Must not know: what is done about a violation.
//!
//! [`Checker::check`](super::Checker::check) says the same in sentences; this is for those who act
//! on it.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::checker::MAX_FAULTS;
use super::sentence;

/// Maximum number of references that are followed inside a schema; a longer chain leads nowhere.
const MOST_REFERENCES: usize = 16;

/// One violation.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// JSON pointer to the value in question, or to the missing or surplus one.
    pub path: String,
    /// The violated keyword of the schema.
    pub keyword: String,
    /// The value of the keyword.
    pub expected: Value,
    /// The schema of the value at `path`; null if there is none.
    pub place: Value,
    /// The schema of the object that contains the value, or should; null at the top.
    pub around: Value,
    /// The sentence for people and models.
    pub message: String,
}

/// Returns the violations that a violation consists of: those of the only form of `anyOf` or `oneOf` that is of the
/// value's type, else the violation itself.
pub(super) fn leaves<'e, 'i>(error: &'e ValidationError<'i>) -> Vec<&'e ValidationError<'i>> {
    let (Kind::AnyOf { context } | Kind::OneOfNotValid { context }) = error.kind() else {
        return vec![error];
    };
    let at = error.instance_path();
    let of_its_type = |form: &&Vec<ValidationError<'static>>| {
        let other =
            |one: &ValidationError<'_>| matches!(one.kind(), Kind::Type { .. }) && one.instance_path() == at;
        !form.iter().any(other)
    };
    let mut forms = context.iter().filter(of_its_type);
    match (forms.next(), forms.next()) {
        (Some(form), None) if !form.is_empty() => form.iter().flat_map(leaves).collect(),
        _ => vec![error],
    }
}

/// Converts a violation of a whole value to parts: one, or one for each unexpected property.
pub(super) fn parts(error: &ValidationError<'_>, schema: &Value, whole: &Value) -> Vec<Violation> {
    let at = error.schema_path().as_str();
    let path = error.instance_path().to_string();
    // An object that has no properties at all takes none.
    let no_property = matches!(error.kind(), Kind::FalseSchema) && at.ends_with("/additionalProperties");
    let members = whole
        .pointer(&path)
        .and_then(Value::as_object)
        .filter(|_| no_property);
    let keyword = match members {
        Some(_) => "additionalProperties".to_owned(),
        None => error.kind().keyword().to_owned(),
    };
    let expected = schema.pointer(at).cloned().unwrap_or(Value::Null);
    let parent = at.rsplit_once('/').map_or("", |(parent, _)| parent);
    let place = schema.pointer(parent).cloned().unwrap_or(Value::Null);
    let names: Vec<&str> = match error.kind() {
        Kind::Required { property } => property.as_str().into_iter().collect(),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let reported = unexpected.iter().take(MAX_FAULTS + 1);
            reported.map(String::as_str).collect()
        }
        _ => {
            let names = members.into_iter().flat_map(|members| members.keys());
            names.take(MAX_FAULTS + 1).map(String::as_str).collect()
        }
    };
    let mut messages = sentence::faults(error, schema)
        .into_iter()
        .map(|fault| fault.message);
    if names.is_empty() {
        return vec![Violation {
            around: around(schema, &path),
            path,
            keyword,
            expected,
            place,
            message: messages.next().unwrap_or_default(),
        }];
    }
    names
        .into_iter()
        .map(|name| Violation {
            path: format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")),
            keyword: keyword.clone(),
            expected: expected.clone(),
            place: property(schema, &place, name).cloned().unwrap_or(Value::Null),
            around: place.clone(),
            message: messages
                .next()
                .unwrap_or_else(|| "nothing is accepted here".to_owned()),
        })
        .collect()
}

/// Returns the schema of the object that contains a path.
fn around(schema: &Value, path: &str) -> Value {
    path.rsplit_once('/')
        .and_then(|(parent, _)| schema_at(schema, parent))
        .cloned()
        .unwrap_or(Value::Null)
}

/// Returns the schema of the value at a JSON pointer, if it is in one place: reached through `properties`,
/// `items`, `prefixItems`, `additionalProperties` and references inside the schema.
pub fn schema_at<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    let mut now = followed(schema, schema)?;
    for part in path.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        now = property(schema, now, &name).or_else(|| item(schema, now, &name))?;
    }
    Some(now)
}

fn property<'s>(root: &'s Value, of: &'s Value, name: &str) -> Option<&'s Value> {
    let own = of.get("properties").and_then(|all| all.get(name));
    let own = own.or_else(|| of.get("additionalProperties").filter(|other| other.is_object()));
    own.and_then(|found| followed(root, found))
}

fn item<'s>(root: &'s Value, of: &'s Value, index: &str) -> Option<&'s Value> {
    let index: usize = index.parse().ok()?;
    let first = of.get("prefixItems").and_then(|items| items.get(index));
    let items = first.or_else(|| of.get("items").filter(|items| items.is_object()));
    items.and_then(|found| followed(root, found))
}

/// Returns a schema, or the one that it refers to.
pub fn followed<'s>(root: &'s Value, mut found: &'s Value) -> Option<&'s Value> {
    for _ in 0..MOST_REFERENCES {
        let Some(target) = found.get("$ref").and_then(Value::as_str) else {
            return Some(found);
        };
        found = root.pointer(target.strip_prefix('#')?)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Checker;
    use super::*;

    fn flight() -> Value {
        json!({
            "type": "object",
            "properties": {
                "from": {"$ref": "#/$defs/city"},
                "seats": {"type": "integer", "minimum": 1},
                "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
                "a/b": {"type": "string"}
            },
            "required": ["from", "a/b"],
            "additionalProperties": false,
            "$defs": {"city": {
                "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]
            }}
        })
    }

    #[test]
    fn a_violation_has_place_message_and_schema_excerpt() {
        let schema = flight();
        let checker = Checker::new(&schema.to_string()).unwrap();
        let args = r#"{"from":{},"seats":0,"tags":["a","c"],"seat":1,"_as":"x"}"#;
        let found = checker.violations(args).unwrap();
        let plain: Vec<_> = found
            .iter()
            .map(|one| (one.path.as_str(), one.keyword.as_str()))
            .collect();
        for requested in [
            ("/from/name", "required"),
            ("/seats", "minimum"),
            ("/tags/1", "enum"),
            ("/a~1b", "required"),
            ("/seat", "additionalProperties"),
        ] {
            assert!(plain.contains(&requested), "{requested:?} in {plain:?}");
        }
        assert_eq!(found.len(), 5, "{plain:?}");
        let one = |path: &str| found.iter().find(|one| one.path == path).unwrap();
        assert_eq!(one("/from/name").place, json!({"type": "string"}));
        assert_eq!(one("/from/name").around, schema["$defs"]["city"]);
        assert_eq!(one("/seats").expected, json!(1));
        assert_eq!(one("/seats").place, schema["properties"]["seats"]);
        assert_eq!(one("/tags/1").expected, json!(["a", "b"]));
        assert_eq!(one("/seat").around, schema);
        assert!(one("/a~1b").message.contains("`a/b` is missing"));
        // References count as valid until their values are known; text that is not JSON has no violations.
        let open = checker.violations(r#"{"from":"†call.c1","a/b":"x","seats":"†state.n"}"#);
        assert_eq!(open, Ok(Vec::new()));
        assert_eq!(checker.violations("{").unwrap_err().len(), 1);
    }

    #[test]
    fn the_schema_of_a_place_is_found_through_internal_references() {
        let schema = flight();
        let output = |path| schema_at(&schema, path).cloned();
        assert_eq!(output("/from/name"), Some(json!({"type": "string"})));
        assert_eq!(output("/tags/7"), Some(json!({"enum": ["a", "b"]})));
        assert_eq!(output("/a~1b"), Some(json!({"type": "string"})));
        assert_eq!(output("/tags/x"), None);
        assert_eq!(output("/nothing"), None);
        let circle = json!({"$ref": "#"});
        assert_eq!(schema_at(&circle, ""), None);
    }
}
