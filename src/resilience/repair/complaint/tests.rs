//! Tests which arguments a text complains about, and which texts complain about none.
//!
//! Must not know: what is done about a complaint.

use serde_json::{Value, json};

use super::{Wrong, argument_at_fault, complaints};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "departure_date": {"type": "string"},
            "passengers": {"type": "integer"},
            "class": {"type": "string"},
            "title": {"type": "string"},
            "path": {"type": "string"},
            "note": {"type": "string"},
            "type": {"type": "string"},
            "token": {"type": "string"},
            "status": {"type": "string"},
            "legs": {"type": "array", "items": {"type": "object", "properties": {
                "date": {"type": "string"}, "seat": {"type": "string"}
            }}}
        }
    })
}

fn args() -> Value {
    json!({
        "departure_date": "Oct 26, 2024", "passengers": 0, "class": "business class", "title": "Leak", "path": "a.txt",
        "note": "hello there", "type": "bug", "status": "open", "legs": [{"date": "soon", "seat": "12A"}]
    })
}

/// Returns what a text complains about, as path and kind.
fn read(text: &str) -> Vec<(String, Wrong)> {
    let all = complaints(text, &schema(), &args());
    all.into_iter().map(|one| (one.path, one.wrong)).collect()
}

fn one(path: &str, wrong: Wrong) -> Vec<(String, Wrong)> {
    vec![(path.to_owned(), wrong)]
}

#[test]
fn dates_and_missing_arguments_are_named_by_lines_of_text() {
    for (text, path, wrong) in [
        (
            "Parameter 'departure_date' has invalid date format. Expected YYYY-MM-DD.",
            "/departure_date",
            Wrong::Date(true),
        ),
        (
            "Parameter 'departure_date' has invalid date format, expected DD/MM/YYYY",
            "/departure_date",
            Wrong::Date(false),
        ),
        (
            "`departure_date` is not a valid ISO 8601 date",
            "/departure_date",
            Wrong::Date(true),
        ),
        (
            "“departure_date” must be a date",
            "/departure_date",
            Wrong::Date(true),
        ),
        (
            "Error: time data 'Oct 26, 2024' does not match format '%Y-%m-%d'",
            "/departure_date",
            Wrong::Date(true),
        ),
        (
            "ValueError: Invalid isoformat string: 'Oct 26, 2024'",
            "/departure_date",
            Wrong::Date(true),
        ),
        ("Departure date can't be blank", "/departure_date", Wrong::Missing),
        ("departureDate is required", "/departure_date", Wrong::Missing),
        ("DEPARTURE-DATE: missing", "/departure_date", Wrong::Missing),
        (
            "missing required parameter: passengers",
            "/passengers",
            Wrong::Missing,
        ),
        (
            "t() missing 1 required positional argument: 'passengers'",
            "/passengers",
            Wrong::Missing,
        ),
        (
            "The request is missing a value for passengers.",
            "/passengers",
            Wrong::Missing,
        ),
        ("Missing passengers", "/passengers", Wrong::Missing),
        (
            "error: the following arguments are required: --passengers",
            "/passengers",
            Wrong::Missing,
        ),
        ("legs[0].date: invalid date", "/legs/0/date", Wrong::Date(true)),
    ] {
        assert_eq!(read(text), one(path, wrong), "{text}");
    }
}

#[test]
fn types_bounds_and_allowed_values_are_named_by_lines_of_text() {
    let least = |least: &str| Wrong::Range {
        least: Some(least.to_owned()),
        most: None,
    };
    for (text, path, wrong) in [
        (
            "passengers must be an integer",
            "/passengers",
            Wrong::Type(Some("integer")),
        ),
        (
            "invalid literal for int() with base 10: 'Leak'",
            "/title",
            Wrong::Type(Some("integer")),
        ),
        (
            "Passengers must be between 1 and 9",
            "/passengers",
            Wrong::Range {
                least: Some("1".into()),
                most: Some("9".into()),
            },
        ),
        (
            "passengers: must be greater than or equal to 1",
            "/passengers",
            least("1"),
        ),
        ("passengers should be > 0", "/passengers", least("1")),
        ("0 is less than the minimum of 1", "/passengers", least("1")),
        (
            "Invalid value for 'class': must be one of [economy, business]",
            "/class",
            Wrong::Enum,
        ),
        ("Class is not included in the list", "/class", Wrong::Enum),
        (
            "'business class' is not one of ['economy', 'title']",
            "/class",
            Wrong::Enum,
        ),
        (
            "Value 'business class' at 'class' failed to satisfy constraint: Member must satisfy enum value set: [economy, first]",
            "/class",
            Wrong::Enum,
        ),
        (
            "Variable \"$class\" got invalid value \"business class\"; Value \"business class\" does not exist in \"Class\" enum.",
            "/class",
            Wrong::Enum,
        ),
        (
            "unknown variant `business class`, expected one of `economy`, `first`",
            "/class",
            Wrong::Enum,
        ),
        (
            "class=business class not found in [economy, first]",
            "/class",
            Wrong::Enum,
        ),
        ("invalid class", "/class", Wrong::Invalid),
        (
            "body.legs.0.seat: String should match pattern '^\\d+$'",
            "/legs/0/seat",
            Wrong::Format(None),
        ),
        ("Unknown parameter 'note'", "/note", Wrong::Unexpected),
        (
            "t() got an unexpected keyword argument 'note'",
            "/note",
            Wrong::Unexpected,
        ),
    ] {
        assert_eq!(read(text), one(path, wrong), "{text}");
    }
}

#[test]
fn bodies_of_validators_name_the_argument_and_what_is_wrong() {
    for (text, path, wrong) in [
        (
            "{\"errors\":{\"class\":[\"is not included in the list\"]}}",
            "/class",
            Wrong::Enum,
        ),
        (
            "{\"errors\":{\"status\":[\"nobody knows it\"]}}",
            "/status",
            Wrong::Invalid,
        ),
        (
            "{\"class\":[\"\\\"business class\\\" is not a valid choice.\"]}",
            "/class",
            Wrong::Enum,
        ),
        (
            "{\"errors\":[{\"source\":{\"pointer\":\"/data/attributes/title\"},\"detail\":\"is too long (maximum is 3 characters)\"}]}",
            "/title",
            Wrong::Length,
        ),
        (
            "{\"message\":[\"passengers must be an integer number\"],\"error\":\"Bad Request\",\"statusCode\":400}",
            "/passengers",
            Wrong::Type(Some("integer")),
        ),
        (
            "{\"error\":{\"message\":\"Invalid type for 'passengers': expected an integer, but got a string instead.\",\"param\":\"passengers\"}}",
            "/passengers",
            Wrong::Type(Some("integer")),
        ),
        (
            "<html><body><pre>departure_date is not a valid date</pre></body></html>",
            "/departure_date",
            Wrong::Date(true),
        ),
    ] {
        assert_eq!(read(text), one(path, wrong), "{text}");
    }
}

#[test]
fn a_text_with_several_complaints_names_each_once() {
    let names = |text: &str| -> Vec<String> { read(text).into_iter().map(|(path, _)| path).collect() };
    for (text, paths) in [
        (
            "data/departure_date must match format \"date\", data/passengers must be >= 1",
            &["/departure_date", "/passengers"][..],
        ),
        (
            "Missing required parameters: passengers, title and class",
            &["/passengers", "/title", "/class"],
        ),
        (
            "Invalid date format for 'departure_date'; 'passengers' must be an integer",
            &["/departure_date", "/passengers"],
        ),
        (
            "2 validation errors for call[t]\ndeparture_date\n  Input should be a valid date [type=date_parsing, input_value='class', input_type=str]\nclass\n  Field required [type=missing]",
            &["/departure_date", "/class"],
        ),
        (
            "✖ Invalid option: expected one of \"title\"|\"date\"\n  → at class\n✖ Invalid input: expected number, received string\n  → at passengers",
            &["/class", "/passengers"],
        ),
        (
            "{\"detail\":[{\"loc\":[\"body\",\"class\"],\"msg\":\"Field required\",\"input\":{\"title\":\"is invalid\"}},{\"loc\":[\"body\",\"passengers\"],\"msg\":\"too low\"}]}",
            &["/class", "/passengers"],
        ),
    ] {
        assert_eq!(names(text), paths, "{text}");
    }
}

#[test]
fn a_name_that_is_only_mentioned_is_no_complaint() {
    for text in [
        "",
        "deleted file class",
        "cannot load class com.example.Title",
        "class: economy is sold out",
        "the class is not available on that day",
        "No flights found for departure_date Oct 26, 2024",
        "User does not exist",
        "File not found: class",
        "path not found",
        "permission denied for path 'a.txt'",
        "Permission denied: missing scope for 'title'",
        "401 Unauthorized: invalid token",
        "Rate limit exceeded for class 'free'; required wait 3 s",
        "Internal server error while reading 'passengers', invalid state",
        "connection to the status page timed out, invalid response",
        "the title was booked twice: it already exists",
        "error in class loader",
        "unexpected error in type checker",
        "{\"timestamp\":\"2026-11-29\",\"status\":400,\"error\":\"Bad Request\",\"path\":\"/class/title\"}",
        "{\"error\":\"Bad Request\",\"request\":{\"class\":\"business class\",\"title\":\"invalid\"}}",
        "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"The request is invalid\"}",
        "`http://127.0.0.1:80/class/title?type=bug` answered 400 Bad Request",
        "Traceback (most recent call last):\n  File \"/app/class.py\", line 3, in title\nValueError",
        "java.lang.IllegalStateException\n\tat com.example.Title.type(Title.java:7)",
        "<div class=\"invalid\" title='wrong'>Bad Request</div>",
        "the note 'hello there' was saved",
        "date: Sat, 29 Nov 2026\nstatus: 400\ntype: text/html",
    ] {
        assert_eq!(read(text), [], "{text}");
    }
}

#[test]
fn the_argument_at_fault_is_named_as_people_write_it() {
    let at_fault = |text: &str| argument_at_fault(text, &schema(), &args().to_string());
    assert_eq!(
        at_fault("legs[0].date: invalid date").as_deref(),
        Some("legs.0.date")
    );
    assert_eq!(at_fault("Bad Request"), None);
    assert_eq!(argument_at_fault("invalid class", &schema(), "not json"), None);
}

#[test]
fn every_expression_compiles() {
    assert!(super::line::all_compiled() && super::wrong::all_compiled());
}

#[test]
fn odd_numbers_many_names_and_long_values_are_read_within_bounds() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    for text in [
        "n must be greater than 9223372036854775807",
        "n must be less than -9223372036854775808",
        "n must be greater than 99999999999999999999999",
    ] {
        let found = complaints(text, &schema, &json!({"n": 1}));
        assert_eq!(found.len(), 1, "{text}");
    }
    let names: serde_json::Map<String, Value> =
        (0..50_000).map(|no| (format!("name{no}"), json!({}))).collect();
    let schema = json!({"type": "object", "properties": names, "anyOf": [{"properties": names}]});
    let args = json!({"name1": "x".repeat(1_000_000), "name2": vec!["y"; 100_000]});
    assert_eq!(complaints(&"a: b: ".repeat(600), &schema, &args), []);
}
