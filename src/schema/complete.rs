//! Completes a JSON text while the user types: names of properties, values of an enumeration.
//!
//! Must not know: where schemas come from, keys, screens.
//!
//! It works on unfinished text.

mod offers;
mod place;

use serde_json::Value;

use offers::{deeper, names, values};
use place::{Place, end_of_word, keys_around};

/// What may be inserted at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Start of the replaced part of the text.
    pub from: usize,
    /// End of the replaced part.
    pub to: usize,
    /// The possible replacements, in the order of the schema. Contains untrusted text.
    pub choices: Vec<Choice>,
}

/// One possible replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The JSON text to insert.
    pub insert: String,
    /// Its name in the list of choices.
    pub name: String,
    /// A description.
    pub detail: String,
}

/// Returns what may be inserted at byte `at` of a JSON text according to a schema, or `None` if the
/// schema does not determine it.
pub(super) fn complete(schema: &Value, text: &str, at: usize) -> Option<Completion> {
    let before = text.get(..at)?;
    let place = Place::find(before)?;
    let (from, word) = (place.word, before.get(place.word..)?);
    let to = end_of_word(text, from, at);
    let requested = word.trim_start_matches('"').to_lowercase();
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
        .filter(|choice| choice.name.to_lowercase().starts_with(&requested))
        .collect();
    (!choices.is_empty()).then_some(Completion { from, to, choices })
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

    /// Returns the choices at the place of `|`, and the text with the first of them inserted.
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
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn any_text_at_any_place(text in r#"[\[\]{},:"\\a1 pt\n日]{0,40}"#, at in 0usize..60) {
            if let Some(found) = complete(&schema(), &text, at) {
                prop_assert!(found.from <= at && at <= found.to && found.to <= text.len());
                prop_assert!(text.is_char_boundary(found.from) && text.is_char_boundary(found.to));
            }
        }
    }
}
