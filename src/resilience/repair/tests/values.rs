//! Tests each strategy: types, allowed values, bounds, defaults, names, text.
//!
//! Must not know: the words of tools.

use serde_json::{Value, json};

use super::kit::{Bench, applied, asked, flight, given_up, guessing, offered};
use crate::repair::{Next, ToolRules};
use overrule_domain::repair::{Certainty, Strategy};

#[test]
fn types_are_converted_only_without_loss() {
    let table = [
        ("integer", json!("10"), Some(json!(10))),
        ("integer", json!(" +7 "), Some(json!(7))),
        ("integer", json!("-3.0"), Some(json!(-3))),
        ("integer", json!("18446744073709551615"), Some(json!(u64::MAX))),
        ("integer", json!("10.7"), None),
        ("integer", json!(10.7), None),
        ("integer", json!("1,000"), None),
        ("integer", json!("ten"), None),
        ("integer", json!(""), None),
        ("integer", json!("-"), None),
        ("integer", json!(true), None),
        ("number", json!("2.5"), Some(json!(2.5))),
        ("number", json!("-4"), Some(json!(-4))),
        ("number", json!("1e3"), Some(json!(1000.0))),
        ("number", json!("0.12345678901234567"), None),
        ("number", json!("1e-400"), None),
        ("number", json!("NaN"), None),
        ("boolean", json!("True"), Some(json!(true))),
        ("boolean", json!("yes"), Some(json!(true))),
        ("boolean", json!("0"), Some(json!(false))),
        ("boolean", json!(1), Some(json!(true))),
        ("boolean", json!(2), None),
        ("boolean", json!("maybe"), None),
        ("string", json!(5), Some(json!("5"))),
        ("string", json!(false), Some(json!("false"))),
        ("string", json!({"a": 1}), None),
        ("string", json!([1]), Some(json!("1"))),
        ("string", json!([1, 2]), None),
        ("array", json!("x"), Some(json!(["x"]))),
        ("array", json!("[1,2]"), Some(json!([1, 2]))),
        ("array", json!({"a": 1}), Some(json!([{"a": 1}]))),
        ("object", json!("{\"a\":1}"), Some(json!({"a": 1}))),
        ("object", json!("{\"a\":1,\"a\":2}"), None),
        ("object", json!("[1]"), None),
    ];
    for (expected, value, to) in table {
        let mut bench = Bench::of(&json!({"type": expected}));
        bench.rules.model = false;
        assert_eq!(bench.repaired(&value), to, "{value} as {expected}");
    }
    // Null stands for "not given" if the parameter is optional.
    let optional = Bench::of(&json!({"type": "integer"}));
    assert_eq!(
        applied(&optional.plan(r#"{"x":null,"y":1}"#)),
        Some(json!({"y": 1}))
    );
    let items = Bench::of(&json!({"type": "array", "items": {"type": "integer"}}));
    assert_eq!(items.repaired(&json!("5")), Some(json!([5])));
    let one_of = Bench::of(&json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}));
    assert_eq!(one_of.repaired(&json!("5")), Some(json!(5)));
}

#[test]
fn an_inconvertible_value_is_asked_of_the_model_or_reported() {
    let mut bench = Bench::of(&json!({"type": "integer"}));
    let plan = bench.plan(r#"{"x":"ten"}"#);
    assert_eq!(asked(&plan).unwrap().params().collect::<Vec<_>>(), ["/x"]);
    bench.rules.model = false;
    let plan = bench.plan(r#"{"x":"ten"}"#);
    let (why, critical) = given_up(&plan).unwrap();
    assert!(why.contains("must be a whole number") && !critical, "{why}");
    assert_eq!(plan.args, r#"{"x":"ten"}"#);
}

#[test]
fn an_allowed_value_is_found_by_spelling_and_guessed_only_where_that_is_harmless() {
    let units = json!({"enum": ["celsius", "fahrenheit", "kelvin"]});
    let reads = Bench::of(&units).reading();
    let writes = Bench::of(&units);
    // The same apart from case and separators is no guess.
    assert_eq!(writes.repaired(&json!(" Celsius")), Some(json!("celsius")));
    for (output, meant) in [
        ("Celcius", "celsius"),
        ("farenheit", "fahrenheit"),
        ("kelvins", "kelvin"),
    ] {
        assert_eq!(reads.repaired(&json!(output)), Some(json!(meant)), "{output}");
        assert_eq!(writes.repaired(&json!(output)), None, "{output}");
        assert_eq!(writes.offered(&json!(output)), [json!(meant)], "{output}");
    }
    // Not certain enough, or the opposite: never without a question.
    for output in [
        "F",
        "centigrade",
        "degrees celsius",
        "not celsius",
        "celsius or kelvin",
        "non-kelvin",
        "isn't celsius",
        "",
    ] {
        assert_eq!(reads.repaired(&json!(output)), None, "{output}");
    }
    let sizes = Bench::of(&json!({"enum": ["small", "smaller", 1]})).reading();
    assert_eq!(sizes.repaired(&json!("1")), Some(json!(1)));
    assert_eq!(sizes.repaired(&json!("smal")), None);
    assert_eq!(sizes.offered(&json!("smal")).len(), 2);
    let only = Bench::of(&json!({"const": "v1"}));
    assert_eq!(only.repaired(&json!("V-1")), Some(json!("v1")));
}

#[test]
fn without_an_operator_the_model_may_choose_among_the_allowed_values() {
    let mut bench = Bench::of(&json!({"enum": ["celsius", "fahrenheit"]}));
    bench.attended = false;
    let plan = bench.plan(r#"{"x":"Celcius"}"#);
    let question = asked(&plan).unwrap();
    assert!(question.schema.contains("fahrenheit"), "{}", question.schema);
    bench.rules.model = false;
    assert!(
        given_up(&bench.plan(r#"{"x":"Celcius"}"#))
            .unwrap()
            .0
            .contains("only the operator")
    );
}

#[test]
fn a_value_is_moved_into_its_bounds_only_where_the_tool_allows_it() {
    let table = [
        (
            json!({"type": "integer", "minimum": 0, "maximum": 100}),
            json!(-100),
            json!(0),
        ),
        (
            json!({"type": "integer", "minimum": 0, "maximum": 100}),
            json!(101),
            json!(100),
        ),
        (json!({"type": "number", "minimum": 0.5}), json!(0.25), json!(0.5)),
        (json!({"type": "integer", "minimum": 0.5}), json!(0), json!(1)),
        (json!({"type": "integer", "minimum": -5}), json!(-6), json!(-5)),
        (
            json!({"type": "integer", "exclusiveMinimum": 0}),
            json!(0),
            json!(1),
        ),
        (
            json!({"type": "integer", "exclusiveMaximum": 10}),
            json!(12),
            json!(9),
        ),
        (
            json!({"type": "integer", "minimum": 5, "multipleOf": 4}),
            json!(1),
            json!(8),
        ),
        (
            json!({"type": "number", "maximum": 1.0, "multipleOf": 0.3}),
            json!(1.2),
            json!(0.9),
        ),
        (
            json!({"type": "integer", "maximum": 9, "exclusiveMaximum": 9}),
            json!(30),
            json!(8),
        ),
    ];
    for (property, value, to) in table {
        let mut bench = Bench::of(&property);
        assert_eq!(bench.repaired(&value), None, "{property} {value}");
        assert_eq!(
            bench.offered(&value),
            std::slice::from_ref(&to),
            "{property} {value}"
        );
        let allowed = ToolRules {
            clamp: vec!["x".to_owned()],
            ..ToolRules::default()
        };
        bench.rules.tools.insert("t".to_owned(), allowed);
        assert_eq!(bench.repaired(&value), Some(to), "{property} {value}");
        let plan = bench.plan(&json!({"x": value}).to_string());
        assert_eq!(plan.changes[0].certainty, Certainty::Changed);
    }
    // Without a nearest value there is nothing to offer.
    let open = Bench::of(&json!({"type": "number", "exclusiveMinimum": 0}));
    assert!(given_up(&open.plan(r#"{"x":0}"#)).is_some());
    let steps = Bench::of(&json!({"type": "integer", "multipleOf": 5}));
    assert_eq!(steps.offered(&json!(7)), [json!(5), json!(10)]);
}

#[test]
fn a_missing_value_gets_the_default_or_the_value_of_a_misspelled_name() {
    let bench = Bench::new(
        "t",
        &json!({
            "type": "object",
            "properties": {
                "unit": {"type": "string", "default": "km"},
                "kind": {"const": "a"},
                "departure_date": {"type": "string", "format": "date"}
            },
            "required": ["unit", "kind", "departure_date"],
            "additionalProperties": false
        }),
    );
    let plan = bench.plan(r#"{"departureDate":"2024-10-26"}"#);
    assert_eq!(
        applied(&plan),
        Some(json!({"departure_date": "2024-10-26", "unit": "km", "kind": "a"}))
    );
    let by: Vec<Strategy> = plan.changes.iter().map(|change| change.strategy).collect();
    assert!(by.contains(&Strategy::NearestName) && by.contains(&Strategy::DefaultValueAssignment));
    // A name that is merely similar is a guess, which a call with effects does not accept.
    let near = r#"{"departure_dat":"2024-10-26","unit":"m","kind":"a"}"#;
    assert_eq!(applied(&bench.plan(near)), None);
    assert_eq!(
        applied(&guessing(bench).plan(near)),
        Some(json!({"unit": "m", "kind": "a", "departure_date": "2024-10-26"}))
    );
}

#[test]
fn what_a_tool_does_not_know_is_left_out_only_by_the_operator() {
    let bench = flight();
    let args = r#"{"origin":"JFK","destination":"LAX","departure_date":"2024-10-26","seat":"12A"}"#;
    let plan = bench.plan(args);
    assert_eq!(plan.next, Next::AskOperator);
    assert_eq!(plan.choices[0].options[0].changes[0].to, None);
    assert_eq!(plan.args, args, "nothing was changed by itself");
}

#[test]
fn blanks_and_marks_around_a_text_are_taken_off() {
    let code = json!({"type": "string", "pattern": "^[A-Z]{3}$"});
    assert_eq!(Bench::of(&code).repaired(&json!(" JFK\n")), Some(json!("JFK")));
    assert_eq!(Bench::of(&code).repaired(&json!("jfk")), None);
    assert_eq!(Bench::of(&code).offered(&json!("jfk")), [json!("JFK")]);
    assert_eq!(
        Bench::of(&code).reading().repaired(&json!("\"jfk\"")),
        Some(json!("JFK"))
    );
    let uuid = Bench::of(&json!({"type": "string", "format": "uuid"}));
    assert_eq!(
        uuid.repaired(&json!("{67E5504410B1426F9247BB680E5FE0C8}")),
        Some(json!("67e55044-10b1-426f-9247-bb680e5fe0c8"))
    );
    let mail = Bench::of(&json!({"type": "string", "format": "email"})).reading();
    assert_eq!(
        mail.repaired(&json!("<mailto:a@b.example>")),
        Some(json!("a@b.example"))
    );
    // An unanchored pattern may match anywhere.
    let digits = Bench::of(&json!({"type": "string", "pattern": "\\d"}));
    assert_eq!(digits.plan(r#"{"x":"room 7"}"#).next, Next::Nothing);
}

#[test]
fn almost_json_is_made_json() {
    let any = Bench::of(&json!({}));
    let reads = Bench::of(&json!({})).reading();
    let table = [
        ("{'x': 'it\\'s', y: None,}", json!({"x": "it's", "y": null})),
        (
            "{\"x\": \"a\tb\n\", // note\n\"y\": [1, 2,]}",
            json!({"x": "a\tb\n", "y": [1, 2]}),
        ),
        ("{x: -1.5e3, y: True}", json!({"x": -1500.0, "y": true})),
    ];
    for (text, to) in table {
        assert_eq!(applied(&reads.plan(text)), Some(to.clone()), "{text}");
        // If the call may have an effect, a person says whether this was meant.
        let plan = any.plan(text);
        assert_eq!(plan.next, Next::AskOperator, "{text}");
        assert_eq!(offered(&plan), [to], "{text}");
    }
    assert_eq!(
        applied(&any.plan("```json\n{\"x\": 1}\n```")),
        Some(json!({"x": 1})),
        "nothing is guessed in a code fence"
    );
    // Cut off: more may be missing than a bracket.
    assert_eq!(offered(&reads.plan(r#"{"x": ["a""#)), [json!({"x": ["a"]})]);
    for hopeless in [
        r#"{"x": "cut of"#,
        r#"{"x": tru}"#,
        r#"{"x": C:\dir}"#,
        r#"{"x": 1} {"x": 2}"#,
        r#"{"x": 1, "x": 2}"#,
        r#"{"x": 123456789012345678901234567890}"#,
        "]",
        "†",
    ] {
        let plan = reads.plan(hopeless);
        assert!(given_up(&plan).is_some(), "{hopeless}: {plan:?}");
        assert_eq!(plan.args, hopeless);
    }
}

#[test]
fn a_value_from_another_call_is_not_repaired_here() {
    let bench = Bench::new(
        "t",
        &json!({
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}
        }),
    );
    let plan = bench.plan(r#"{"x":"†call.c1.n","y":"5"}"#);
    assert_eq!(applied(&plan), Some(json!({"x": "†call.c1.n", "y": 5})));
    assert_eq!(plan.changes.len(), 1);
    let text: Value = json!({"x": ["†call.c1"], "y": 5});
    let plan = bench.plan(&text.to_string());
    assert!(given_up(&plan).unwrap().0.contains("another call"), "{plan:?}");
}

#[test]
fn labels_and_bytes_that_nobody_changed_stay() {
    let bench = Bench::of(&json!({"type": "integer"}));
    let args = r#"{ "_as": "one", "x" : 1.0, "y": 1e2 }"#;
    let plan = bench.plan(args);
    assert_eq!((plan.next, plan.args.as_str()), (Next::Nothing, args));
    let plan = bench.plan(r#"{"_as":"one","x":"1"}"#);
    assert_eq!(applied(&plan), Some(json!({"_as": "one", "x": 1})));
}
