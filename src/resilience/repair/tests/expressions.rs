//! Tests that expressions in rules mean what they appear to mean.
//!
//! Must not know: what a strategy does with what was found.

use serde_json::json;

use super::kit::{Bench, applied, asked, failed, loose_flight, refused};
use crate::repair::codes_of;
use overrule_domain::call::ErrorClass;
use overrule_schema::{Checker, Error};

/// Arguments whose names are hard to find in a message.
fn odd() -> Bench {
    Bench::new(
        "t",
        &json!({"type": "object", "properties": {
            "fly-on": {"type": "string"},
            "n.o": {"type": "integer"},
            "legs": {"type": "array", "items": {"type": "integer"}},
            "w": {"type": "integer"}, "w+": {"type": "string"}, "d": {"type": "integer"}
        }}),
    )
}

const ODD: &str = r#"{"fly-on":"2024/10/26","n.o":7,"legs":[3],"w":1,"w+":"x","d":1}"#;

#[test]
fn a_name_in_a_message_is_found_whatever_signs_are_in_it() {
    for (message, path) in [
        ("Invalid date format for 'fly-on'", "/fly-on"),
        ("Missing required parameter 'fly-on'", "/fly-on"),
        ("Missing required parameter: fly-on", "/fly-on"),
        ("'n.o' is required", "/n.o"),
        ("Value for 'legs[0]' must be >= 1", "/legs/0"),
        ("Value for 'legs[0]' must be at most 9", "/legs/0"),
        ("Value for 'fly-on' must be one of [a, b]", "/fly-on"),
        ("Parameter legs[0] has invalid type string", "/legs/0"),
        ("'n.o' must be an integer", "/n.o"),
        ("Parameter 'fly-on' does not match pattern ^x$", "/fly-on"),
        // The text of a character class is a name like any other, not the class.
        ("Missing required parameter 'w+'", "/w+"),
    ] {
        let plan = odd().after(ODD, &refused(message));
        let params: Vec<&str> = plan.diagnoses[0].params.iter().map(|one| &**one).collect();
        assert_eq!(params, [path], "{message}");
    }
}

#[test]
fn a_digit_is_a_digit_and_not_the_letter_d() {
    let code = |evidence: &str| codes_of(&failed(ErrorClass::Param, evidence, ""));
    assert_eq!(code("HTTP 422").len(), 1);
    assert_eq!(code("HTTP 4dd"), []);
    // A bound that is read from the message is a number.
    let bench = loose_flight();
    let low = bench.after(
        r#"{"passengers":0}"#,
        &refused("Value for 'passengers' must be >= 1"),
    );
    assert!(!low.choices.is_empty(), "{low:?}");
    let none = bench.after(
        r#"{"passengers":0}"#,
        &refused("Value for 'passengers' must be >= d"),
    );
    assert!(none.choices.is_empty() && applied(&none).is_none(), "{none:?}");
    // A day consists of digits, wherever it comes from.
    let day = Bench::of(&json!({"type": "string", "format": "date"}));
    assert!(!day.checker.check(r#"{"x":"dddd-dd-dd"}"#).is_empty());
    assert_eq!(day.checker.check(r#"{"x":"2024-10-26"}"#), []);
    let plan = day.plan(r#"{"x":"dddd-dd-dd"}"#);
    let question = asked(&plan).unwrap();
    assert!(question.answered(&plan.args, r#"{"x":"dddd-dd-dd"}"#).is_err());
    assert!(question.answered(&plan.args, r#"{"x":"2024-10-26"}"#).is_ok());
}

#[test]
fn optional_parameters_are_determined_by_the_required_list() {
    let bench = Bench::new(
        "t",
        &json!({"type": "object", "properties": {
            "must": {"type": ["integer", "null"]}, "may": {"type": "integer"}
        }, "required": ["must"]}),
    );
    assert_eq!(bench.checker.check(r#"{"must":1}"#), []);
    let plan = bench.plan(r#"{"may":1}"#);
    let params: Vec<&str> = plan
        .diagnoses
        .iter()
        .flat_map(|one| &one.params)
        .map(|one| &**one)
        .collect();
    assert_eq!(params, ["/must"], "demanded although it may be null");
    // A `required` flag next to a property, as some write it, is refused with its place and never
    // ignored.
    for mark in [json!(false), json!(true)] {
        let schema = json!({"type": "object", "properties": {"may": {"type": "integer", "required": mark}}});
        match Checker::new(&schema.to_string()).unwrap_err() {
            Error::NotSchema { at, why } => {
                assert_eq!(at, "/properties/may/required");
                assert!(why.contains("array"), "{why}");
            }
            Error::NotJson(why) => panic!("{why}"),
        }
    }
}
