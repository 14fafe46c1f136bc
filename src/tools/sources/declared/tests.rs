//! Tests of placeholders and of declared tools.

use serde_json::{Map, Value, json};

use super::fill::{self, percent};
use super::*;

fn args(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn placeholders_are_read_or_refused_with_the_reason() {
    let pattern = Pattern::parse("a{x}b{{{y}}}").unwrap();
    assert_eq!(pattern.names().collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(pattern.head(), "a");
    let filled = pattern.fill(&args(json!({"x": "1", "y": [1, "z"]})), |value| value);
    assert_eq!(filled.unwrap(), "a1b{[1,\"z\"]}");
    assert_eq!(pattern.fill(&args(json!({"x": "1"})), |value| value), None);
    for (bad, why) in [
        ("{", "without a `}`"),
        ("}", "without a `{`"),
        ("{}", "empty"),
        ("{a b}", "` ` in a placeholder"),
    ] {
        let error = Pattern::parse(bad).unwrap_err();
        assert!(error.contains(why), "{bad}: {error}");
    }
}

#[test]
fn a_value_stays_one_part_of_an_address() {
    for (value, encoded) in [
        ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("é", "%C3%A9"),
        ("a.b-c_d~", "a.b-c_d~"),
    ] {
        assert_eq!(percent(value.to_owned()), encoded);
    }
}

#[test]
fn a_value_leads_to_no_other_path() {
    let url = |pattern: &str, id: &str| {
        let pattern = Pattern::parse(pattern).unwrap();
        pattern.fill(&args(json!({ "id": id })), percent).unwrap()
    };
    for (pattern, id, climbs) in [
        ("https://a.example/items/{id}/delete", "7", false),
        ("https://a.example/items/{id}/delete", "..", true),
        ("https://a.example/items/{id}/delete", ".", true),
        ("https://a.example/items/.{id}", ".", true),
        ("https://a.example/items/.%2e{id}", "", true),
        ("https://a.example/items/.{id}", "", true),
        ("https://a.example/items\\{id}", "..", true),
        ("https://a.example/items/{id}?x", "..", true),
        ("https://a.example/items/{id}", "%2e%2e", false),
        ("https://a.example/items/{id}", "../..", false),
        ("https://a.example/items/{id}", "...", false),
        ("https://a.example/items?of={id}", "..", false),
        ("https://a.example/items?of=/{id}", "..", false),
    ] {
        let url = url(pattern, id);
        assert_eq!(has_dot_segment(&url), climbs, "{url}");
        // What is let through is read as it is written.
        let parsed = reqwest::Url::parse(&url).unwrap();
        assert!(climbs || parsed.as_str() == url, "{url} is read as {parsed}");
    }
}

#[test]
fn json_bodies_take_values_and_leave_absent_members_out() {
    let body = json!({"name": "{name}", "count": "{count}", "note": "for {name}", "list": ["{name}", "{none}"], "none": "{none}", "fixed": 1});
    let filled = fill::json(&body, &args(json!({"name": "a\"b", "count": 3}))).unwrap();
    assert_eq!(
        filled,
        json!({"name": "a\"b", "count": 3, "note": "for a\"b", "list": ["a\"b"], "fixed": 1})
    );
}
