//! Finds arguments whose name is a misspelt one of the schema, where the schema allows any name.
//!
//! Must not know: tools, where schemas come from.

use serde_json::{Map, Value};

use super::checker::{MAX_FAULTS, RESERVED};
use super::nearest::{MOST_NAMES, near};
use overrule_base::canon::pointer;
use overrule_domain::call::Fault;

/// Returns a fault for each argument that the schema does not name, and that is close to a name that is not used.
pub(super) fn misspelt(schema: &Value, args: &Map<String, Value>) -> Vec<Fault> {
    let Some(known) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    // The schema itself refuses other names, or describes them.
    if schema.get("additionalProperties") == Some(&Value::Bool(false))
        || schema.get("patternProperties").is_some()
    {
        return Vec::new();
    }
    let unused = || {
        known
            .keys()
            .map(String::as_str)
            .filter(|name| !args.contains_key(*name))
            .take(MOST_NAMES)
    };
    let unknown = args
        .keys()
        .filter(|name| !known.contains_key(*name) && !RESERVED.contains(&name.as_str()));
    unknown
        .take(MAX_FAULTS)
        .filter_map(|name| {
            let meant = near(name, unused()).into_iter().next()?;
            Some(Fault {
                path: format!("/{}", pointer::escaped(name)),
                keyword: "additionalProperties".to_owned(),
                message: format!(
                    "`{}` is not an argument of this tool; did you mean `{}`?",
                    super::sentence::shown_text(name),
                    super::sentence::shown_text(&meant)
                ),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(schema: Value, args: Value) -> Vec<String> {
        let faults = misspelt(&schema, args.as_object().unwrap());
        faults.into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn only_names_close_to_an_unused_one_are_faults() {
        let open = json!({ "properties": { "path": {}, "recursive": {} } });
        assert_eq!(
            found(open.clone(), json!({ "path": "a", "recusive": true })),
            ["/recusive"]
        );
        assert_eq!(
            found(open.clone(), json!({ "path": "a", "other_thing": 1 })),
            [""; 0]
        );
        assert_eq!(found(open.clone(), json!({ "path": "a", "_as": "x" })), [""; 0]);
        // Both are given: the second is another argument.
        assert_eq!(found(open, json!({ "path": "a", "paths": ["a"] })), [""; 0]);
        let closed = json!({ "properties": { "path": {} }, "additionalProperties": false });
        assert_eq!(found(closed, json!({ "paht": "a" })), [""; 0]);
        assert_eq!(found(json!({}), json!({ "paht": "a" })), [""; 0]);
    }
}
