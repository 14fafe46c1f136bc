//! Tests right values in the wrong shape: as in Python, in a list of one, in a wrapper.
//!
//! Must not know: the implementation of the strategies.

mod generated;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use serde_json::{Value, json};

use super::kit::{Bench, applied, given_up};
use crate::repair::Next;
use overrule_domain::repair::{Certainty, Strategy};

/// A tool with effects: its calls are repaired only if the repair is exact.
fn tool() -> Bench {
    let mut bench = Bench::new(
        "open_ticket",
        &json!({
            "type": "object",
            "properties": {
                "title": {"type": "string", "minLength": 1},
                "labels": {"type": "array", "items": {"type": "string"}},
                "counts": {"type": "array", "items": {"type": "integer"}},
                "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                "watch": {"type": "boolean"},
                "points": {"type": "integer"},
                "share": {"type": "number"},
                "severity": {"enum": ["low", "high"]},
                "project": {
                    "type": "object",
                    "properties": {"key": {"type": "string"}, "points": {"type": "integer"}},
                    "required": ["key"], "additionalProperties": false
                },
                "steps": {"type": "array", "items": {
                    "type": "object", "properties": {"do": {"type": "string"}, "n": {"type": "integer"}},
                    "required": ["do"], "additionalProperties": false
                }},
                "maybe": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
                "either": {"anyOf": [{"enum": ["asc", "desc"]}, {"type": "null"}]},
                "kind": {"oneOf": [{"const": "bug"}, {"const": "wish"}, {"const": 3}]}
            },
            "required": ["title"],
            "additionalProperties": false
        }),
    );
    bench.rules.model = false;
    bench
}

fn whole(args: &str) -> Option<Value> {
    applied(&tool().plan(args))
}

/// Returns the repaired value of one parameter.
fn one(name: &str, value: &Value) -> Option<Value> {
    let made = whole(&json!({"title": "Leak", name: value}).to_string())?;
    Some(made[name].clone())
}

#[test]
fn a_value_written_as_in_python_is_read() {
    for (name, output, to) in [
        ("labels", "['a', 'b']", json!(["a", "b"])),
        ("labels", "[\"a\", 'b',]", json!(["a", "b"])),
        ("labels", "('a', 'b')", json!(["a", "b"])),
        ("labels", "('a',)", json!(["a"])),
        ("labels", "{'a', 'b'}", json!(["a", "b"])),
        (
            "labels",
            "['it\\'s', \"it's\", u'x', '\\x41\\u00e9']",
            json!(["it's", "it's", "x", "Aé"]),
        ),
        ("labels", " [ 'a' ,\n 'b' ] ", json!(["a", "b"])),
        ("labels", "```json\n[\"a\"]\n```", json!(["a"])),
        ("labels", "[]", json!([])),
        ("labels", "()", json!([])),
        ("labels", "'a'", json!(["a"])),
        ("counts", "[1, +2, 3_000, 4,]", json!([1, 2, 3000, 4])),
        ("counts", "['1', \"2\"]", json!([1, 2])),
        ("counts", "1, 2", json!([1, 2])),
        ("counts", "1,2,3", json!([1, 2, 3])),
        ("counts", "(1)", json!([1])),
        ("rows", "[(1, 2), (3, 4)]", json!([[1, 2], [3, 4]])),
        ("watch", "True", json!(true)),
        ("watch", "'False'", json!(false)),
        ("watch", "off", json!(false)),
        ("points", "'5'", json!(5)),
        ("points", "\"5\"", json!(5)),
        ("points", "1e2", json!(100)),
        ("share", ".5", json!(0.5)),
        ("project", "{'key': 'OPS', 'points': None}", json!({"key": "OPS"})),
        (
            "project",
            "{\"key\": \"OPS\", \"points\": \"3\"}",
            json!({"key": "OPS", "points": 3}),
        ),
        (
            "steps",
            "[{'do': 'x', 'n': 1}, {'do': 'y'}]",
            json!([{"do": "x", "n": 1}, {"do": "y"}]),
        ),
        ("steps", "{'do': 'x'}", json!([{"do": "x"}])),
        ("maybe", "['a']", json!(["a"])),
        ("maybe", "None", json!(null)),
        ("either", "ASC", json!("asc")),
        ("severity", "'high'", json!("high")),
        ("kind", "Bug", json!("bug")),
        ("kind", "3", json!(3)),
        ("kind", "['wish']", json!("wish")),
    ] {
        assert_eq!(one(name, &json!(output)), Some(to), "{name}: {output}");
    }
    // An optional parameter that is nothing is not given.
    assert_eq!(
        whole(r#"{"title":"Leak","points":"None"}"#),
        Some(json!({"title": "Leak"}))
    );
    // All arguments together.
    let expected = json!({"title": "Leak", "watch": true, "labels": ["a"]});
    for text in [
        "{'title': 'Leak', 'watch': True, 'labels': ['a']}",
        r#"{"title": "Leak", "watch": true, "labels": ["a",],}"#,
        r#""{\"title\": \"Leak\", \"watch\": true, \"labels\": [\"a\"]}""#,
        r#""{'title': 'Leak', 'watch': True, 'labels': ('a',)}""#,
        r#"[{"title": "Leak", "watch": true, "labels": ["a"]}]"#,
    ] {
        assert_eq!(whole(text), Some(expected.clone()), "{text}");
    }
}

#[test]
fn what_is_no_value_of_python_or_has_two_readings_is_left() {
    for (name, output) in [
        ("labels", "['a'"),
        ("labels", "['a' 'b']"),
        ("labels", "[a, b]"),
        ("labels", "['it's']"),
        ("labels", "list('ab')"),
        ("labels", "a, b"),
        ("labels", "a b"),
        ("labels", "['†call.c1']"),
        ("counts", "1,000"),
        ("counts", "1,234,567"),
        ("counts", "[1.5]"),
        ("counts", "range(3)"),
        ("counts", "[01]"),
        ("watch", "Nonesuch"),
        ("points", "1/2"),
        ("points", "0x10"),
        ("points", "five"),
        ("points", "1.000"),
        ("share", "1,5"),
        ("project", "{'key': 'OPS', 'key': 'WEB'}"),
        ("project", "{1: 'OPS'}"),
        ("project", "OPS"),
    ] {
        let made = one(name, &json!(output));
        assert_eq!(made, None, "{name}: {output}");
    }
    // Two values for a list of lists: one of both, or each alone.
    assert_eq!(one("rows", &json!([1, 2])), None);
    assert_eq!(one("rows", &json!([1])), Some(json!([[1]])));
}

#[test]
fn a_list_of_one_is_its_value_and_a_value_is_a_list_of_one() {
    for (name, output, to) in [
        ("points", json!([5]), json!(5)),
        ("points", json!(["5"]), json!(5)),
        ("points", json!([[5]]), json!(5)),
        ("watch", json!(["True"]), json!(true)),
        ("severity", json!(["High"]), json!("high")),
        ("project", json!([{"key": "OPS"}]), json!({"key": "OPS"})),
        ("labels", json!([["a", "b"]]), json!(["a", "b"])),
        ("labels", json!([["a"], ["b"]]), json!(["a", "b"])),
        ("labels", json!("a"), json!(["a"])),
        ("labels", json!(7), json!(["7"])),
        ("steps", json!({"do": "x"}), json!([{"do": "x"}])),
        ("either", json!(["desc"]), json!("desc")),
    ] {
        assert_eq!(one(name, &output), Some(to), "{name}: {output}");
    }
    assert_eq!(whole(r#"{"title":["Leak"]}"#), Some(json!({"title": "Leak"})));
    for (name, output) in [
        ("points", json!([])),
        ("points", json!([1, 2])),
        ("severity", json!(["low", "high"])),
        ("project", json!([{"key": "A"}, {"key": "B"}])),
    ] {
        assert_eq!(one(name, &output), None, "{name}: {output}");
    }
    // A list is repaired as a whole, however long.
    let many: Vec<String> = (0..200).map(|no| no.to_string()).collect();
    assert_eq!(one("counts", &json!(many)), Some((0..200).collect()));
}

#[test]
fn arguments_come_out_of_what_was_put_around_them() {
    let expected = json!({"title": "Leak", "points": 3});
    for args in [
        json!({"arguments": {"title": "Leak", "points": 3}}),
        json!({"args": {"title": "Leak", "points": "3"}}),
        json!({"input": {"title": ["Leak"], "points": 3}}),
        json!({"parameters": {"title": "Leak", "points": 3}}),
        json!({"params": {"Title": "Leak", "points": 3}}),
        json!({"kwargs": {"title": "Leak", "points": 3}}),
        json!({"tool_input": {"title": "Leak", "points": 3}}),
        json!({"open_ticket": {"title": "Leak", "points": 3}}),
        json!({"openTicket": {"title": "Leak", "points": 3}}),
        json!({"recipient_name": "functions.open_ticket", "parameters": {"title": "Leak", "points": 3}}),
        json!({"arguments": "{\"title\": \"Leak\", \"points\": 3}"}),
        json!({"arguments": "{'title': 'Leak', 'points': 3}"}),
        json!({"arguments": [{"title": "Leak", "points": 3}]}),
        json!({"arguments": {"arguments": {"title": "Leak", "points": 3}}}),
        json!({"input": {"parameters": "{\"title\": \"Leak\", \"points\": 3}"}}),
        json!({"name": "open_ticket", "arguments": {"title": "Leak", "points": 3}}),
        json!({"tool": "open_ticket", "args": {"title": "Leak", "points": 3}}),
        json!({"type": "function", "function": {"name": "open_ticket", "arguments": {"title": "Leak", "points": 3}}}),
        json!({"id": "x1", "type": "tool_use", "name": "open_ticket", "input": {"title": "Leak", "points": 3}}),
        json!({"type": "object", "properties": {"title": "Leak", "points": 3}}),
        json!({"arguments": {"title": "Leak"}, "points": 3}),
        json!({"title": {"title": "Leak"}, "points": {"type": "integer", "value": 3}}),
        json!({"title": {"value": "Leak"}, "points": 3}),
    ] {
        let plan = tool().plan(&args.to_string());
        assert_eq!(applied(&plan), Some(expected.clone()), "{args}");
        assert!(
            plan.changes.iter().all(|one| one.certainty == Certainty::Exact),
            "{args}"
        );
    }
    let plan = tool().plan(r#"{"_as":"a","arguments":{"title":"†call.c1.title"}}"#);
    assert_eq!(
        applied(&plan),
        Some(json!({"_as": "a", "title": "†call.c1.title"}))
    );
    assert!(
        plan.changes
            .iter()
            .all(|one| one.strategy == Strategy::WrapperRemoval)
    );
    assert_eq!(
        one("project", &json!({"project": {"key": "OPS"}})),
        Some(json!({"key": "OPS"}))
    );
    assert_eq!(
        one("labels", &json!({"item": ["a", "b"]})),
        Some(json!(["a", "b"]))
    );
    assert_eq!(one("labels", &json!({"labels": "a"})), Some(json!(["a"])));
}

#[test]
fn a_wrapper_of_no_arguments_is_none() {
    let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
    for schema in [none, json!({"type": "object", "additionalProperties": false})] {
        let mut bench = Bench::new("files__list_all", &schema);
        bench.rules.model = false;
        for args in [
            r#"{"arguments":{}}"#,
            r#"{"input":""}"#,
            r#"{"name":"list_all","arguments":"{}"}"#,
        ] {
            assert_eq!(applied(&bench.plan(args)), Some(json!({})), "{args}");
        }
        assert_eq!(applied(&bench.plan(r#"{"arguments":{"path":"."}}"#)), None);
    }
}

#[test]
fn an_ambiguous_object_is_not_unwrapped() {
    for args in [
        // Another tool, another value, or an additional member.
        json!({"name": "close_ticket", "arguments": {"title": "Leak"}}),
        json!({"user": {"title": "Leak"}}),
        json!({"arguments": {"title": "Leak", "owner": "zoe"}}),
        json!({"arguments": {"title": "Leak"}, "owner": "zoe"}),
        json!({"arguments": {"title": "Leak"}, "title": "Flood"}),
        json!({"arguments": {"title": "Leak"}, "input": {"title": "Flood"}}),
        json!({"arguments": [{"title": "Leak"}, {"title": "Flood"}]}),
        json!({"arguments": "Leak"}),
        json!({"title": {"value": "Leak", "lang": "en"}}),
        json!({"title": {"type": "string", "description": "Leak"}}),
        json!({"title": {"type": "integer", "value": "Leak"}}),
    ] {
        let plan = tool().plan(&args.to_string());
        assert_eq!(applied(&plan), None, "{args}: {plan:?}");
    }
    // Where the tool has a parameter of that name, or takes any, nothing is wrong.
    let loose = Bench::new(
        "t",
        &json!({"type": "object", "properties": {"input": {"type": "object"}, "x": {"type": "string"}}}),
    );
    for args in [
        r#"{"input":{"x":"a"}}"#,
        r#"{"arguments":{"x":"a"}}"#,
        r#"{"X":"a","x":"['b']"}"#,
    ] {
        let plan = loose.plan(args);
        assert_eq!((plan.next, plan.args.as_str()), (Next::Nothing, args));
    }
}

#[test]
fn members_go_into_the_object_that_is_missing() {
    let outer = |more: Value| {
        let mut properties = json!({"request": {"$ref": "#/$defs/request"}});
        for (name, place) in more.as_object().into_iter().flatten() {
            properties[name] = place.clone();
        }
        let mut bench = Bench::new(
            "t",
            &json!({
                "type": "object", "properties": properties, "required": ["request"], "additionalProperties": false,
                "$defs": {"request": {
                    "type": "object",
                    "properties": {"title": {"type": "string"}, "points": {"type": "integer"}},
                    "required": ["title"]
                }}
            }),
        );
        bench.rules.model = false;
        bench
    };
    let args = r#"{"title":"Leak","points":"3"}"#;
    assert_eq!(
        applied(&outer(json!({})).plan(args)),
        Some(json!({"request": {"title": "Leak", "points": 3}}))
    );
    let two = outer(json!({"other": {"$ref": "#/$defs/request"}}));
    assert_eq!(applied(&two.plan(args)), None, "they may belong to either");
    assert_eq!(
        applied(&outer(json!({})).plan(r#"{"title":"Leak","owner":"zoe"}"#)),
        None
    );
    assert_eq!(
        whole(r#"{"title":"Leak","project.key":"OPS","project.points":"2"}"#),
        Some(json!({"title": "Leak", "project": {"key": "OPS", "points": 2}}))
    );
}

#[test]
fn only_empty_values_are_dropped() {
    for (more, to) in [
        (json!(null), true),
        (json!(""), true),
        (json!([]), true),
        (json!({}), true),
        (json!(false), false),
        (json!(0), false),
        (json!("x"), false),
    ] {
        let made = whole(&json!({"title": "Leak", "owner": more}).to_string());
        assert_eq!(made, to.then(|| json!({"title": "Leak"})), "{more}");
    }
    assert_eq!(
        whole(r#"{"title":"Leak","Title":"Leak"}"#),
        Some(json!({"title": "Leak"}))
    );
    assert_eq!(whole(r#"{"title":"Leak","Title":"Flood"}"#), None);
}

#[test]
fn no_other_word_and_no_other_name_is_taken_for_the_one_that_is_known() {
    let among = |name: &str, allowed: Value, output: &str| {
        let bench = Bench::new(
            "t",
            &json!({"type": "object", "properties": {name: {"enum": allowed}}}),
        )
        .reading();
        applied(&bench.plan(&json!({name: output}).to_string())).map(|args| args[name].clone())
    };
    for (name, allowed, output) in [
        ("period", json!(["day", "week", "year"]), "last year"),
        ("period", json!(["day", "week", "year"]), "this week"),
        ("period", json!(["day", "week", "year"]), "year to date"),
        ("unit", json!(["celsius", "kelvin"]), "degrees celsius"),
        ("span", json!(["1d", "5d"]), "10d"),
        ("version", json!(["v1", "beta"]), "v2"),
        ("currency", json!(["BTC", "USDT"]), "USD"),
        ("unit", json!(["h", "min"]), "mi"),
    ] {
        assert_eq!(among(name, allowed, output), None, "{output}");
    }
    assert_eq!(
        among("cabin_class", json!(["first", "business"]), "Business Class"),
        Some(json!("business"))
    );
    assert_eq!(among("size", json!(["m", "M", "L"]), " M "), Some(json!("M")));
    for (known, output, value) in [
        ("page_size", "page", json!(2)),
        ("country", "count", json!("5")),
        ("user_id", "user", json!("zoe")),
        ("x2", "x1", json!(1)),
    ] {
        let bench = Bench::new(
            "t",
            &json!({"type": "object", "properties": {known: {}}, "additionalProperties": false}),
        );
        let args = json!({output: value}).to_string();
        assert_eq!(applied(&bench.reading().plan(&args)), None, "{output}");
    }
}

#[test]
fn a_unit_is_dropped_if_the_parameter_name_contains_it() {
    for (name, output, to) in [
        ("minutes", "90 min", Some(json!(90))),
        ("duration_minutes", "5 minutes", Some(json!(5))),
        ("celsius", "21°C", Some(json!(21))),
        ("days", "3 days", Some(json!(3))),
        ("discountPercent", "15%", Some(json!(15))),
        ("minutes", "2h", None),
        ("minutes", "2.5 min", None),
        ("celsius", "70F", None),
        ("amount", "$12", None),
        ("limit", "3 days", None),
        ("share", "50%", None),
    ] {
        let mut bench = Bench::new(
            "t",
            &json!({"type": "object", "properties": {name: {"type": "integer"}}}),
        );
        bench.rules.model = false;
        let made = applied(&bench.plan(&json!({name: output}).to_string())).map(|args| args[name].clone());
        assert_eq!(made, to, "{name}: {output}");
    }
}

#[test]
fn a_number_becomes_the_text_that_was_written() {
    let bench = Bench::of(&json!({"type": "string"}));
    for (args, to) in [
        (r#"{"x":1.10}"#, Some("1.10")),
        (r#"{"x":10}"#, Some("10")),
        (r#"{"x":1e2}"#, None),
        (r#"{"x":[2]}"#, Some("2")),
    ] {
        let made = applied(&bench.plan(args)).map(|args| args["x"].clone());
        assert_eq!(made, to.map(Value::from), "{args}");
    }
}

#[test]
fn a_default_takes_no_place_of_a_misspelt_value() {
    let mut bench = Bench::new(
        "t",
        &json!({
            "type": "object", "properties": {"pattern": {"type": "string", "default": "*"}},
            "required": ["pattern"], "additionalProperties": false
        }),
    );
    bench.rules.model = false;
    assert_eq!(applied(&bench.plan(r#"{"patern":"TODO"}"#)), None);
    assert_eq!(
        applied(&bench.plan(r#"{"pattern":null}"#)),
        Some(json!({"pattern": "*"}))
    );
    assert!(given_up(&bench.plan(r#"{"pattern":[]}"#)).is_some());
}
