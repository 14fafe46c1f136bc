//! Tests that no schema and no text keeps a check busy, and that ordinary ones are checked.
//!
//! Must not know: how long anything takes.

use proptest::prelude::*;
use serde_json::json;

use super::light::COSTLY;
use super::*;
use crate::{BUDGET, Checker, usable};

/// A schema of `levels` definitions, each of which names the next one twice in a list.
fn doubling(levels: usize, word: &str) -> Value {
    let mut all = Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/a{}", level + 1)});
        all.insert(format!("a{level}"), json!({word: [next.clone(), next]}));
    }
    all.insert(format!("a{levels}"), json!({"type": "string"}));
    json!({"$defs": all, "$ref": "#/$defs/a0"})
}

/// A schema of a chain of definitions.
fn chain(length: usize) -> Value {
    let mut all = Map::new();
    for link in 0..length {
        let next = json!({"$ref": format!("#/$defs/a{}", link + 1)});
        all.insert(format!("a{link}"), next);
    }
    all.insert(format!("a{length}"), json!({"type": "string"}));
    json!({"$defs": all, "properties": {"x": {"$ref": "#/$defs/a0"}}})
}

fn with(mut schema: Value, word: &str, value: Value) -> Value {
    schema[word] = value;
    schema
}

/// A schema within itself.
fn within(levels: usize, around: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({"type": "object"}), |inner, _| around(inner))
}

/// Definitions each of which applies all others to the same value.
fn clique() -> Value {
    let all = |list: Vec<Value>| json!({"allOf": list});
    let others = || {
        (0..12)
            .map(|no| json!({"$ref": format!("#/$defs/a{no}")}))
            .collect()
    };
    let defs: Map<String, Value> = (0..12).map(|no| (format!("a{no}"), all(others()))).collect();
    json!({"$defs": defs, "$ref": "#/$defs/a0"})
}

fn why(schema: &Value, args: &Value) -> Option<NotCheckable> {
    Checker::new(&schema.to_string())
        .unwrap()
        .not_checkable(&args.to_string())
}

#[test]
fn what_would_take_too_long_is_not_checked() {
    let text = json!({"text": "x"});
    let trying = "^(?:a|a|b(?=c))*$";
    let names: Map<String, Value> = (0..PATTERNS)
        .map(|no| (format!("^(a|a)*{no}(?=b)"), json!({})))
        .collect();
    let steps = |bytes: u64| NotCheckable::Steps((BASE + PER_BYTE * bytes).min(MOST));
    let length = |value: &Value| value.to_string().len() as u64;
    let many: Value = (0..1000).map(|no| format!("{}{no}", "a".repeat(40))).collect();
    let many = json!({"x": many});
    let long_name = json!({"a".repeat(60): 1});
    let table: Vec<(Value, Value, NotCheckable)> = vec![
        (doubling(40, "anyOf"), text.clone(), steps(length(&text))),
        (doubling(40, "allOf"), text.clone(), steps(length(&text))),
        (doubling(40, "oneOf"), text.clone(), steps(length(&text))),
        (doubling(14, "anyOf"), text.clone(), steps(length(&text))),
        (
            json!({"items": doubling(40, "anyOf")["$defs"]["a0"], "$defs": doubling(40, "anyOf")["$defs"]}),
            json!([1]),
            steps(3),
        ),
        // Compiling these takes as long as checking.
        (
            with(doubling(40, "allOf"), "unevaluatedProperties", json!(false)),
            text.clone(),
            NotCheckable::Steps(COMPILED),
        ),
        (
            within(30, |inner| json!({"allOf": [inner], "unevaluatedProperties": {}})),
            text.clone(),
            NotCheckable::Steps(COMPILED),
        ),
        (chain(900), json!({"x": 1}), NotCheckable::Deep),
        (
            chain(4000),
            json!({"x": 1}),
            NotCheckable::Large(REFERENCES, "references"),
        ),
        (json!({"$ref": "#"}), text.clone(), NotCheckable::Circle),
        (
            json!({"allOf": [{"not": {"$ref": "#"}}]}),
            text.clone(),
            NotCheckable::Circle,
        ),
        (clique(), text.clone(), NotCheckable::Circle),
        (
            json!({"$dynamicAnchor": "a", "anyOf": [{"$dynamicRef": "#a"}]}),
            text.clone(),
            NotCheckable::Circle,
        ),
        (
            json!({"properties": {"x": {"pattern": trying}}}),
            json!({"x": format!("{}d", "a".repeat(60))}),
            NotCheckable::Pattern,
        ),
        (
            json!({"properties": {"x": {"not": {"pattern": trying}}}}),
            json!({"x": format!("{}d", "a".repeat(60))}),
            NotCheckable::Pattern,
        ),
        (
            json!({"properties": {"x": {"items": {"pattern": trying}}}}),
            many.clone(),
            steps(length(&many)),
        ),
        (
            json!({"patternProperties": names}),
            long_name.clone(),
            steps(length(&long_name)),
        ),
        (
            json!({"propertyNames": doubling(40, "anyOf")["$defs"]["a0"], "$defs": doubling(40, "anyOf")["$defs"]}),
            text.clone(),
            steps(length(&text)),
        ),
        (
            json!({"properties": {"x": {"$id": "other", "type": "string"}}}),
            text.clone(),
            NotCheckable::Reference,
        ),
    ];
    for (schema, args, reason) in table {
        let head: String = schema.to_string().chars().take(120).collect();
        let checker = Checker::new(&schema.to_string()).unwrap_or_else(|error| panic!("{head}: {error}"));
        let args = args.to_string();
        assert_eq!(checker.not_checkable(&args), Some(reason), "{head}");
        // The check says so, as its only fault, and no repair sees a violation.
        for faults in [
            checker.check(&args),
            checker.check_open(&args),
            checker.check_value(&args),
        ] {
            assert_eq!(faults.len(), 1, "{head}");
            assert_eq!(faults[0].keyword, BUDGET);
            assert!(faults[0].message.contains(&reason.to_string()), "{faults:?}");
        }
        assert_eq!(checker.violations(&args).unwrap_err().len(), 1, "{head}");
        assert!(usable(schema).is_ok(), "{head}");
    }
}

/// Checks whose cost does not lie in the number of schemas and values alone.
fn costly() -> Vec<(Value, Value)> {
    let names: Vec<String> = (0..300).map(|no| format!("n{no}")).collect();
    let many: Map<String, Value> = (0..20_000).map(|no| (format!("n{no}"), json!({}))).collect();
    let list = |length: usize, item: Value| -> Value { (0..length).map(|_| item.clone()).collect() };
    let row = |last: u64| -> Vec<u64> { (0..100).chain([last]).collect() };
    let rows: Vec<Value> = (1_000..1_400).map(|last| json!(row(last))).collect();
    let same: Vec<Value> = (0..200).map(|_| json!({"$ref": "#/$defs/c"})).collect();
    let long: Vec<u64> = (0..30_000).collect();
    let patterns: Map<String, Value> = (0..20)
        .map(|no| (format!("^a{no}[a-z]{{20000}}"), json!({})))
        .collect();
    let text: String = (0_u64..10_000)
        .map(|no| if no.wrapping_mul(no) % 7 < 3 { 'a' } else { 'b' })
        .collect();
    vec![
        // Each missing name would be a violation of its own.
        (json!({"items": {"required": names}}), list(300, json!({}))),
        (
            json!({"items": {"dependentRequired": {"a": names}}}),
            list(300, json!({"a": 1})),
        ),
        (
            json!({"items": {"dependencies": {"a": names}}, "$schema": "http://json-schema.org/draft-07/schema#"}),
            list(300, json!({"a": 1})),
        ),
        (json!({"items": {"properties": many}}), list(300, json!({}))),
        // Rows that differ in their last value only.
        (json!({"items": {"enum": rows}}), list(200, json!(row(7)))),
        (
            json!({"$defs": {"c": {"const": row(7)}}, "items": {"allOf": same}}),
            list(200, json!(row(7))),
        ),
        (
            json!({"uniqueItems": true}),
            (0..15).map(|last| json!([long, last])).collect(),
        ),
        (
            json!({"items": {"multipleOf": 1e-300}}),
            list(25_000, json!(1e300)),
        ),
        (
            json!({"items": {"format": "uri"}}),
            list(40, json!(format!("http://{}", "a".repeat(90_000)))),
        ),
        // An engine keeps hundreds of ways open at every character.
        (
            json!({"properties": {"x": {"pattern": "[ab]*a[ab]{500}c"}}}),
            json!({"x": text}),
        ),
        (
            json!({"properties": {"x": {"pattern": "(?=b)[ab]{300}c"}}}),
            json!({"x": text}),
        ),
        (json!({"patternProperties": patterns}), json!({"a": 1})),
    ]
}

#[test]
fn what_a_keyword_costs_by_itself_counts() {
    for (schema, args) in costly() {
        let head: String = schema.to_string().chars().take(120).collect();
        assert!(
            matches!(
                why(&schema, &args),
                Some(NotCheckable::Steps(_) | NotCheckable::Large(..))
            ),
            "{head}"
        );
    }
}

#[test]
fn the_steps_are_counted_once_for_each_pair() {
    let schema = doubling(40, "anyOf");
    let value = json!({"text": "x"});
    let mut walk = Walk::new(&schema, u64::MAX);
    let visits = walk.visits(&schema, &value, 0).unwrap();
    assert!(visits > 1 << 40, "{visits}");
    assert!(walk.counted.len() < 200, "{}", walk.counted.len());
}

#[test]
fn ordinary_schemas_are_checked() {
    let tree = json!({"$defs": {"n": {
        "type": "object", "properties": {"l": {"$ref": "#/$defs/n"}, "r": {"$ref": "#/$defs/n"}}, "additionalProperties": false
    }}, "$ref": "#/$defs/n"});
    let bush = (0..9).fold(json!({}), |inner, _| json!({"l": inner, "r": inner}));
    let deep = (0..100).fold(json!({}), |inner, _| json!({"l": inner}));
    let numbers: Value = (0..20_000).collect();
    let forms: Vec<Value> = (0..20)
        .map(|no| json!({"type": "object", "properties": {"kind": {"const": no}, "text": {"type": "string"}}, "required": ["kind"]}))
        .collect();
    let list: Value = (0..1_000)
        .map(|no| json!({"kind": no % 20, "text": "some words"}))
        .collect();
    let password = "^(?=.*[A-Z])(?=.*[0-9]).{8,}$";
    let table = [
        (tree.clone(), bush),
        (tree, deep),
        (
            json!({"properties": {"x": {"items": {"type": "integer", "minimum": 0}}}}),
            json!({"x": numbers}),
        ),
        (
            json!({"properties": {"x": {"items": {"anyOf": forms}}}}),
            json!({"x": list}),
        ),
        (
            json!({"properties": {"x": {"pattern": password}}}),
            json!({"x": "A".repeat(100)}),
        ),
        (
            json!({"properties": {"x": {"pattern": "^(a|a)*b$"}}}),
            json!({"x": "a".repeat(50_000)}),
        ),
        (
            json!({"$id": "https://a.example/s", "properties": {"x": {"$ref": "https://a.example/s#/$defs/a%20b"}}, "$defs": {"a b": {}}}),
            json!({"x": 1}),
        ),
        (
            json!({"properties": {"x": {"$ref": "#name"}}, "$defs": {"y": {"$anchor": "name"}}}),
            json!({"x": 1}),
        ),
        (chain(100), json!({"x": "a"})),
        (
            json!({"properties": {"x": {"pattern": r"^(?!\s*$).+", "minLength": 1}}}),
            json!({"x": "some words ".repeat(1_000)}),
        ),
        (
            json!({"properties": {"x": {"items": {"pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"}}}}),
            json!({"x": vec!["some-name-of-a-host"; 500]}),
        ),
        (
            json!({"properties": {"x": {"uniqueItems": true, "items": {"enum": ["a", "b", "c"]}}}}),
            json!({"x": ["a", "b", "c"]}),
        ),
        (
            json!({"required": ["x"], "properties": {"x": {"format": "uri"}}}),
            json!({"x": format!("http://a.example/{}", "a".repeat(100_000))}),
        ),
        (
            json!({"properties": {"a": {"type": "string"}}, "unevaluatedProperties": false, "allOf": [{"properties": {"b": {}}}]}),
            json!({"a": "x", "b": 1}),
        ),
    ];
    for (schema, args) in table {
        let head: String = schema.to_string().chars().take(120).collect();
        assert_eq!(why(&schema, &args), None, "{head}");
    }
}

#[test]
fn a_list_that_no_check_can_read_whole_is_not_checked() {
    let numbers: Value = (0..50_000).collect();
    let parts: Vec<Value> = (0..10).map(|_| json!({"type": "integer"})).collect();
    let schema = json!({"items": {"allOf": parts}});
    assert_eq!(why(&schema, &numbers), Some(NotCheckable::Steps(MOST)));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..100_i32).prop_map(Value::from),
        "[a-d]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Any schema without the costly keywords.
fn any_light_schema() -> impl Strategy<Value = Value> {
    let texts = || prop::collection::vec("[a-d]{1,80}", 0..4);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        Just(json!({"type": ["object", "string"]})),
        (1..9).prop_map(|by| json!({"multipleOf": by})),
        texts().prop_map(|names| json!({"required": names})),
        texts().prop_map(|texts| json!({"enum": texts})),
        texts().prop_map(|names| json!({"dependentRequired": {"a": names}})),
    ];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let named = prop::collection::btree_map("[a-d]", inner.clone(), 0..4);
        let word = prop_oneof![
            Just("allOf"),
            Just("anyOf"),
            Just("oneOf"),
            Just("prefixItems"),
            Just("items"),
        ];
        let single = prop_oneof![
            Just("not"),
            Just("if"),
            Just("then"),
            Just("contains"),
            Just("items"),
            Just("additionalProperties"),
        ];
        prop_oneof![
            (named.clone(), texts())
                .prop_map(|(named, names)| json!({"properties": named, "required": names})),
            named.prop_map(|named| json!({"dependentSchemas": named, "multipleOf": 3})),
            (word, prop::collection::vec(inner.clone(), 1..4)).prop_map(|(word, list)| json!({word: list})),
            (single, inner).prop_map(|(word, schema)| json!({word: schema, "if": {"required": ["a"]}})),
        ]
    })
}

proptest! {
    #![proptest_config(overrule_testing::cases(512))]

    #[test]
    fn a_light_check_costs_at_most_its_bound(schema in any_light_schema(), value in any_value()) {
        let text = value.to_string();
        let of_a_value = visits_of_a_value(&schema).unwrap();
        let visits = Walk::new(&schema, u64::MAX).visits(&schema, &value, 0).unwrap();
        prop_assert!(visits <= of_a_value * (text.len() as u64 / 2 + 1), "{visits} of {of_a_value} for {text}");
        if is_light(of_a_value, text.len()) {
            prop_assert!(affordable(&schema, &value, text.len()).is_ok());
        }
    }
}

#[test]
fn what_costs_more_than_its_number_of_values_is_not_light() {
    for word in COSTLY {
        assert_eq!(
            visits_of_a_value(&json!({"properties": {"a": {word: "x"}}})),
            None,
            "{word}"
        );
    }
    let schema = json!({"properties": {"path": {"type": "string"}, "content": {"type": "string"}}, "required": ["path"]});
    let of_a_value = visits_of_a_value(&schema).unwrap();
    assert!(is_light(of_a_value, 60) && is_light(of_a_value, 10_000));
    assert!(!is_light(of_a_value, 100_000_000), "it is counted then");
}
