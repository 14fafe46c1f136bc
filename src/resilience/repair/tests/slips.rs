//! Tests that ambiguous values are never repaired without a question.
//!
//! Must not know: other strategies.
//!
//! An ambiguous value looks like one value and is, or may be, a different one. It is not repaired
//! even if a guess would be harmless.

use serde_json::{Value, json};

use super::kit::{Bench, applied};

fn among(allowed: &[&str]) -> Bench {
    Bench::of(&json!({"enum": allowed})).reading()
}

#[test]
fn a_symbol_is_part_of_the_value() {
    for (allowed, text) in [
        (&["dev", "prod"][..], "!prod"),
        (&["dev", "prod"], "-prod"),
        (&["dev", "prod"], "prod-"),
        (&["dev", "prod"], "prod?"),
        (&["dev", "prod"], "~prod"),
        (&["dev", "prod"], "dev|prod"),
        (&["warn", "error"], "err|warn"),
        (&["low", "high"], ">low"),
        (&["low", "high"], "low+"),
        (&["a", "b"], "A-"),
        (&["c++", "rust"], "c"),
        (&["c", "rust"], "C++"),
        (&["c", "rust"], "c#"),
        (&["1.0", "2.0"], "10"),
        (&["v1.2", "v2.0"], "v12"),
        (&["usd", "aud"], "us$"),
    ] {
        assert_eq!(
            among(allowed).repaired(&json!(text)),
            None,
            "{text} among {allowed:?}"
        );
    }
    // Separators and marks around a word do not matter.
    for (allowed, text, meant) in [
        (&["png", "gif"][..], ".png", "png"),
        (&["png", "gif"], " \"PNG\" ", "png"),
        (&["png", "gif"], "‘png’.", "png"),
        (&["read_only", "all"], "read-only", "read_only"),
        (&["readOnly", "all"], "read only", "readOnly"),
        (&["c++", "rust"], "C++", "c++"),
        (&["1.0", "2.0"], " 1.0 ", "1.0"),
    ] {
        assert_eq!(
            among(allowed).repaired(&json!(text)),
            Some(json!(meant)),
            "{text}"
        );
    }
}

#[test]
fn another_word_is_no_slip() {
    for (allowed, text) in [
        (&["day", "week", "month"][..], "weekend"),
        (&["north", "south"], "northeast"),
        (&["north", "south"], "north-east"),
        (&["active", "paused"], "inactive"),
        (&["async", "never"], "sync"),
        (&["private", "public"], "semi-private"),
        (&["low", "high"], "mid-high"),
        (&["low", "medium"], "above medium"),
        (&["low", "medium"], "medium or low"),
        (&["low", "medium"], "at least medium"),
        (&["low", "medium"], "any but low"),
        (&["asc", "desc"], "dsc"),
        (&["high", "highest"], "hi"),
    ] {
        assert_eq!(
            among(allowed).repaired(&json!(text)),
            None,
            "{text} among {allowed:?}"
        );
    }
    for (allowed, text, meant) in [
        (&["error", "warn"][..], "err", "error"),
        (&["highest", "low"], "hihgest", "highest"),
        (&["day", "week"], "days", "day"),
        (&["business", "first"], "bussiness", "business"),
    ] {
        assert_eq!(
            among(allowed).repaired(&json!(text)),
            Some(json!(meant)),
            "{text}"
        );
    }
}

#[test]
fn a_name_that_begins_otherwise_is_another_one() {
    let bench = Bench::new(
        "t",
        &json!({"type": "object", "properties": {"follow": {"type": "boolean"}}, "additionalProperties": false}),
    )
    .reading();
    for name in ["no_follow", "noFollow", "unfollow", "!follow", "follow?"] {
        let args = json!({name: true}).to_string();
        assert_eq!(applied(&bench.plan(&args)), None, "{name}");
    }
    assert_eq!(
        applied(&bench.plan(r#"{"folow":true}"#)),
        Some(json!({"follow": true}))
    );
}

#[test]
fn a_number_that_can_be_read_in_two_ways_is_not_read() {
    for (expected, text) in [
        ("integer", "010"),
        ("integer", "-007"),
        ("integer", "1.000"),
        ("integer", "12.000.000"),
        ("number", "1.234"),
        ("number", "-12.500"),
        ("number", "010"),
    ] {
        let bench = Bench::of(&json!({"type": expected}));
        assert_eq!(bench.repaired(&json!(text)), None, "{text} as {expected}");
    }
    for (expected, text, to) in [
        ("integer", "0", json!(0)),
        ("integer", "1.0", json!(1)),
        ("integer", "1000.000", json!(1000)),
        ("number", "0.125", json!(0.125)),
        ("number", "1.25", json!(1.25)),
        ("number", "1234.567", json!(1234.567)),
    ] {
        let bench = Bench::of(&json!({"type": expected}));
        assert_eq!(bench.repaired(&json!(text)), Some(to), "{text} as {expected}");
    }
}

#[test]
fn a_text_that_may_be_several_is_no_list_of_one() {
    let list = Bench::of(&json!({"type": "array", "items": {"type": "string"}}));
    for text in ["a, b", "a b", "a;b", "a|b", "a\nb", "", "[a]", "(a)"] {
        let made = list.repaired(&json!(text));
        assert!(
            made.is_none() || made == Some(json!(["a", "b"])) || made == Some(json!(["a"])),
            "{text}: {made:?}"
        );
        assert_ne!(made, Some(Value::from(vec![text])), "{text}");
    }
    assert_eq!(list.repaired(&json!("src/a.rs")), Some(json!(["src/a.rs"])));
}
