//! Tests errors as tools write them: codes and messages, weighed against each other.
//!
//! Must not know: the schema's own faults.

use serde_json::{Value, json};

use super::kit::{Bench, applied, asked, failed, flight, given_up, loose_flight, offered, refused, rule};
use crate::repair::{
    Code, CodePattern, Entry, Error, Next, Priority, RawRule, Repaired, ToolRules, codes_of, fingerprint,
};
use overrule_domain::call::{ErrorClass, ToolError};
use overrule_domain::repair::{ErrorKind, Strategy};

const FLIGHT: &str = r#"{"origin":"JFK","destination":"LAX","departure_date":"Oct 26, 2024","class":"business class","passengers":2}"#;

#[test]
fn each_kind_of_message_gets_its_strategy_and_its_parameter() {
    let table = [
        (
            "Invalid date format for 'departure_date'",
            Strategy::DateFormatCorrection,
            "/departure_date",
        ),
        (
            "Missing required parameter 'passengers'",
            Strategy::LlmInferMissingParam,
            "/passengers",
        ),
        (
            "Missing required parameter: passengers",
            Strategy::LlmInferMissingParam,
            "/passengers",
        ),
        (
            "Value for 'passengers' must be >= 1",
            Strategy::ClampValueToMin,
            "/passengers",
        ),
        (
            "Value for 'passengers' must be <= 9",
            Strategy::ClampValueToMax,
            "/passengers",
        ),
        (
            "Value for 'class' must be one of [economy, business]",
            Strategy::EnumValueCorrection,
            "/class",
        ),
        (
            "Parameter 'class' must be one of: a, b",
            Strategy::EnumValueCorrection,
            "/class",
        ),
        (
            "VALIDATION_ERROR: Parameter passengers has invalid type string",
            Strategy::SchemaTypeConversion,
            "/passengers",
        ),
        (
            "'passengers' must be an integer",
            Strategy::SchemaTypeConversion,
            "/passengers",
        ),
        (
            "VALIDATION_ERROR: Parameter 'origin' does not match pattern ^[A-Z]{3}$",
            Strategy::TextCleanup,
            "/origin",
        ),
    ];
    for (message, strategy, path) in table {
        let plan = loose_flight().after(FLIGHT, &refused(message));
        let first = &plan.diagnoses[0];
        assert_eq!(first.strategies[0], strategy, "{message}");
        assert_eq!(
            first.params.iter().map(|param| &**param).collect::<Vec<_>>(),
            [path],
            "{message}"
        );
    }
    let text = FLIGHT.replace(":2}", ":\"2\"}");
    let fixed = loose_flight().after(&text, &refused("Parameter passengers has invalid type string"));
    assert_eq!(applied(&fixed).unwrap()["passengers"], json!(2));
}

#[test]
fn rules_read_what_the_tool_printed() {
    let args = r#"{"origin":"JFK","departure_date":"Oct 26, 2024"}"#;
    let printed = |text: &str, evidence: &str, class| ToolError {
        message: "`http://127.0.0.1/book?HTTP 503` answered 400 Bad Request".into(),
        partial: Some(json!(text).to_string().into()),
        ..failed(class, evidence, "")
    };
    let date = "Invalid date format for 'departure_date'";
    for error in [
        printed(date, "HTTP 400", ErrorClass::Param),
        printed(date, "exit code 1", ErrorClass::Business),
    ] {
        let plan = loose_flight().after(args, &error);
        assert_eq!(applied(&plan).unwrap()["departure_date"], "2024-10-26");
        assert!(
            plan.errors[0].contains(date),
            "the model sees it: {:?}",
            plan.errors
        );
    }
    // Rules of a person see it as well, by words and by code.
    let mut bench = loose_flight();
    bench.rules.own = vec![
        rule(&[], "the ([a-z]+) is taken", &["text_cleanup"], &[], "high"),
        rule(&["ROOM_TAKEN"], "", &["text_cleanup"], &["origin"], "high"),
    ];
    for text in ["the origin is taken", "{\"code\":\"ROOM_TAKEN\"}"] {
        let plan = bench.after(
            r#"{"origin":" JFK"}"#,
            &printed(text, "HTTP 409", ErrorClass::Conflict),
        );
        assert_eq!(applied(&plan), Some(json!({"origin": "JFK"})), "{text}");
    }
    // The status is the one of the answer, not one that is mentioned.
    let mentioned = printed("upstream said HTTP 401", "HTTP 400", ErrorClass::Param);
    assert_eq!(codes_of(&mentioned), [Code::Http(400)]);
    assert!(asked(&loose_flight().after(args, &mentioned)).is_some());
}

#[test]
fn the_same_error_is_recognized_by_what_was_printed() {
    let error = |text: &str| ToolError {
        partial: Some(json!(text).to_string().into()),
        ..refused(
            "`http://127.0.0.1:8080/a/long/address/of/a/service/that/books/flights/for/people` answered 400",
        )
    };
    let first = r#"{"origin":"JFK"}"#;
    let mut bench = loose_flight();
    bench.past.tried(first);
    bench.past.rounds = 1;
    let of = |text: &str| fingerprint(&error(text).text());
    bench.past.repaired.insert(Repaired {
        error: of("Missing required parameter: passengers"),
        path: "/passengers".into(),
    });
    let next = r#"{"origin":"JFK","passengers":1}"#;
    let again = bench.after(next, &error("Missing required parameter: passengers"));
    assert!(given_up(&again).unwrap().0.contains("came back"), "{again:?}");
    let other = bench.after(next, &error("Missing required parameter: class"));
    assert_eq!(asked(&other).unwrap().params().collect::<Vec<_>>(), ["/class"]);
    // A value that it names is a part of it: another strategy may help. An id is not.
    let date = |value: &str, request: &str| of(&format!("{value:?} is not a date (request {request})"));
    let (one, other) = (
        "550e8400-e29b-41d4-a716-446655440001",
        "7d0c3c9a-b2c4-41d4-a716-446655440002",
    );
    assert_eq!(date("Oct 26, 2024", one), date("Oct 26, 2024", other));
    assert_ne!(date("Oct 26, 2024", one), date("2024-10-26", one));
    assert_ne!(of("passengers is missing"), of("class is missing"));
}

#[test]
fn a_tool_that_did_nothing_and_names_nothing_has_said_itself_what_to_do() {
    let error = |executed| ToolError {
        message: "the text does not occur in `a.py`".into(),
        evidence: "compared by the tool".into(),
        executed,
        ..refused("")
    };
    let bench = loose_flight();
    let args = r#"{"origin":"JFK"}"#;
    assert!(asked(&bench.after(args, &error(true))).is_some());
    assert!(asked(&bench.after(args, &error(false))).is_none());
}

#[test]
fn names_with_dots_dashes_and_brackets_are_places() {
    let bench = Bench::new(
        "t",
        &json!({"type": "object", "properties": {
            "legs": {"type": "array", "items": {"type": "object", "properties": {"fly-on": {"type": "string"}}}}
        }}),
    );
    let args = r#"{"legs":[{"fly-on":"2024/10/26"}]}"#;
    for name in [
        "legs[0].fly-on",
        "legs.0.fly-on",
        "/legs/0/fly-on",
        "$.legs[0].fly-on",
    ] {
        let plan = bench.after(args, &refused(&format!("Invalid date format for '{name}'")));
        assert_eq!(
            applied(&plan),
            Some(json!({"legs": [{"fly-on": "2024-10-26"}]})),
            "{name}"
        );
    }
}

#[test]
fn codes_are_found_in_the_evidence_and_in_the_message() {
    let table = [
        ("HTTP 422", "", Code::Http(422)),
        ("declared by the tool", "400 Bad Request", Code::Http(400)),
        ("errno ENOENT", "", Code::Errno("ENOENT".into())),
        (
            "",
            "MCP error -32602: Input validation error",
            Code::JsonRpc(-32602),
        ),
        (
            "",
            "VALIDATION_ERROR: no",
            Code::Symbol("VALIDATION_ERROR".into()),
        ),
    ];
    for (evidence, message, code) in table {
        assert_eq!(codes_of(&failed(ErrorClass::Unknown, evidence, message)), [code]);
    }
    assert_eq!(codes_of(&failed(ErrorClass::Unknown, "", "took 500 ms")), []);
    assert!("5xx".parse::<CodePattern>().unwrap().matches(&Code::Http(503)));
    assert!(!"5xx".parse::<CodePattern>().unwrap().matches(&Code::Http(403)));
    for bad in ["6xx", "42", "bad request", "", "xx", "1000"] {
        assert!(bad.parse::<CodePattern>().is_err(), "{bad}");
    }
}

#[test]
fn a_permission_error_fails_immediately_whatever_its_text() {
    let bench = loose_flight();
    for error in [
        failed(
            ErrorClass::Auth,
            "HTTP 401",
            "Missing required parameter 'passengers'",
        ),
        failed(
            ErrorClass::Param,
            "HTTP 401",
            "Missing required parameter 'passengers'",
        ),
        refused("Invalid API Key: missing required parameter 'passengers'"),
    ] {
        let plan = bench.after(FLIGHT, &error);
        let (_, critical) = given_up(&plan).unwrap();
        assert!(critical, "{error:?}");
        assert!(plan.changes.is_empty());
    }
}

#[test]
fn what_may_pass_by_itself_is_no_matter_of_arguments() {
    let bench = loose_flight();
    let passing = failed(
        ErrorClass::Transient,
        "HTTP 503",
        "Value for 'passengers' must be >= 1",
    );
    assert_eq!(bench.after(FLIGHT, &passing).next, Next::Retry);
    let server = failed(ErrorClass::Unknown, "HTTP 500", "Internal Server Error");
    assert_eq!(bench.after(FLIGHT, &server).next, Next::Retry);
    for class in [ErrorClass::Internal, ErrorClass::Cancelled] {
        let plan = bench.after(FLIGHT, &failed(class, "", "Missing required parameter 'class'"));
        assert!(given_up(&plan).is_some(), "{class:?}");
    }
}

#[test]
fn bounds_come_from_the_schema_and_else_from_the_message_with_sign_and_fraction() {
    let table = [
        (json!({"type": "number"}), "-7", "'x' must be >= -5", json!(-5)),
        (json!({"type": "number"}), "0", "'x' must be >= 0.5", json!(0.5)),
        (json!({"type": "integer"}), "0", "'x' must be >= 0.5", json!(1)),
        (
            json!({"type": "integer"}),
            "12",
            "Value for 'x' must be at most 9",
            json!(9),
        ),
        // The schema knows better than the message.
        (
            json!({"type": "integer", "minimum": 0}),
            "0",
            "'x' must be >= 3",
            json!(null),
        ),
    ];
    for (property, value, message, to) in table {
        let plan = Bench::of(&property).after(&format!(r#"{{"x":{value}}}"#), &refused(message));
        let expected = if to.is_null() { vec![] } else { vec![to] };
        assert_eq!(offered(&plan), expected, "{message}: {plan:?}");
    }
}

#[test]
fn allowed_values_come_from_the_schema_never_from_the_message() {
    let plan = loose_flight().after(FLIGHT, &refused("Value for 'class' must be one of [evil, worse]"));
    let question = asked(&plan).unwrap();
    assert_eq!(question.params().collect::<Vec<_>>(), ["/class"]);
    assert!(!question.schema.contains("evil"), "{}", question.schema);
}

#[test]
fn a_tool_that_reports_one_error_at_a_time_is_followed() {
    let mut bench = super::kit::guessing(Bench::new(
        "book_flight",
        &json!({"type": "object", "properties": {
            "departure_date": {"type": "string"}, "class": {"type": "string"}
        }}),
    ));
    bench.rules.model = false;
    let first = r#"{"departure_date":"Oct 26, 2024","class":"x"}"#;
    let error = refused("Invalid date format for 'departure_date'");
    let plan = bench.after(first, &error);
    assert_eq!(plan.next, Next::Apply);
    bench.past.tried(first);
    bench.past.tried(&plan.args);
    bench.past.rounds = 1;
    bench.past.repaired.insert(Repaired {
        error: fingerprint(&error.message),
        path: "/departure_date".into(),
    });
    // The same error again after this very parameter was repaired for it: no further attempt.
    let again = bench.after(&plan.args, &error);
    assert!(given_up(&again).unwrap().0.contains("came back"), "{again:?}");
    // A different error is examined.
    let other = bench.after(&plan.args, &refused("Invalid date format for 'class'"));
    assert!(!given_up(&other).unwrap().0.contains("came back"), "{other:?}");
}

#[test]
fn errors_that_differ_in_numbers_alone_are_one() {
    let one = fingerprint("Row 17 of order 9f8e7d6c5b4a: TOO old");
    assert_eq!(one, fingerprint("row 4 of Order 1a2b3c4d5e6f: too old"));
    assert_eq!(one, "row # of order *: too old");
    assert_ne!(one, fingerprint("row 4 of order 1a2b3c4d5e6f: too new"));
    assert!(fingerprint(&"long ".repeat(1000)).chars().count() <= 100);
}

#[test]
fn rules_of_a_tool_come_first_and_what_is_exact_before_what_is_general() {
    let mut bench = loose_flight();
    bench.rules.model = true;
    let own = ToolRules {
        entries: vec![
            rule(&["404"], "", &["date_adjustment"], &["departure_date"], "low"),
            rule(
                &["404"],
                "flight for given route not found",
                &["alternative_route_suggestion", "date_adjustment"],
                &["origin", "destination", "departure_date"],
                "low",
            ),
        ],
        ..ToolRules::default()
    };
    bench.rules.tools.insert("book_flight".into(), own);
    let args = r#"{"origin":"JFK","destination":"LAX","departure_date":"2024-10-26"}"#;
    let gone = failed(
        ErrorClass::NotFound,
        "HTTP 404",
        "Flight for given route not found",
    );
    let plan = bench.after(args, &gone);
    let first = &plan.diagnoses[0];
    assert_eq!(
        (first.params.len(), first.kind),
        (3, ErrorKind::BusinessLogic),
        "the more exact one"
    );
    // Neither suffices, so the written order counts: a different route is for the model to propose.
    let question = asked(&plan).unwrap();
    assert_eq!(
        question.params().collect::<Vec<_>>(),
        ["/origin", "/destination", "/departure_date"]
    );
    // Without a model, or without an operator to accept a proposal, it is a different day.
    bench.rules.model = false;
    let plan = bench.after(args, &gone);
    assert_eq!(
        offered(&plan),
        [
            json!("2024-10-27"),
            json!("2024-10-25"),
            json!("2024-10-28"),
            json!("2024-10-24")
        ]
    );
    let unknown = failed(ErrorClass::Business, "HTTP 404", "User does not exist");
    assert_eq!(bench.after(args, &unknown).diagnoses[0].params.len(), 1);
    // Elsewhere nothing is known against it.
    assert!(given_up(&flight().after(args, &unknown)).is_some());
}

#[test]
fn a_bad_request_without_words_is_put_to_the_model_with_all_parameters() {
    let plan = loose_flight().after(FLIGHT, &refused("Bad Request"));
    let question = asked(&plan).unwrap();
    let (args, changes) = question
        .answered(FLIGHT, r#"{"class":"business","departure_date":"2024-10-26"}"#)
        .unwrap();
    let args: Value = serde_json::from_str(&args).unwrap();
    assert_eq!(
        (&args["class"], &args["departure_date"], &args["origin"]),
        (&json!("business"), &json!("2024-10-26"), &json!("JFK"))
    );
    assert_eq!(changes.len(), 2);
    assert!(question.answered(FLIGHT, r#"{"seat":"12A"}"#).is_err());
    // Nothing is guessed about a failure without a code of that kind.
    let plan = loose_flight().after(FLIGHT, &failed(ErrorClass::Business, "exit code 1", "no"));
    assert!(given_up(&plan).is_some());
}

/// A change to a valid rule, and the resulting error.
type Row = (fn(&mut RawRule), &'static str);

#[test]
fn a_rule_that_cannot_work_is_refused_with_its_reason() {
    let written = |change: fn(&mut RawRule)| {
        let mut one = RawRule {
            codes: vec!["400".into()],
            message: Some("'([^']+)'".into()),
            strategies: vec!["clamp_value_to_min".into()],
            ..RawRule::default()
        };
        change(&mut one);
        Entry::new(&one)
    };
    assert_eq!(written(|_| {}).unwrap().priority, Priority::High);
    let table: [Row; 7] = [
        (|one| one.message = Some("'([^'".into()), "does not compile"),
        (
            |one| one.message = Some("x{1000}{1000}".into()),
            "does not compile",
        ),
        (|one| one.codes = vec!["4x4".into()], "is no code"),
        (
            |one| one.strategies = vec!["clamp_to_min".into()],
            "clamp_value_to_min",
        ),
        (|one| one.strategies.clear(), "at least one strategy"),
        (
            |one| one.priority = Some("urgent".into()),
            "low, medium, high or critical",
        ),
        (
            |one| {
                one.codes.clear();
                one.message = None;
            },
            "for no error",
        ),
    ];
    for (change, text) in table {
        let error: Error = written(change).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn one_message_with_two_errors_is_repaired_in_one_round() {
    let mut bench = super::kit::guessing(loose_flight());
    bench.rules.model = false;
    let args = r#"{"departure_date":"Oct 26, 2024","passengers":"2"}"#;
    let error = refused("Invalid date format for 'departure_date'; 'passengers' must be an integer");
    let plan = bench.after(args, &error);
    assert_eq!(plan.next, Next::Apply);
    assert_eq!(plan.args, r#"{"departure_date":"2024-10-26","passengers":2}"#);
    assert_eq!(plan.diagnoses.len(), 2, "{plan:?}");
}

#[test]
fn two_parameters_that_one_message_misses_are_asked_for_together() {
    let mut bench = loose_flight();
    bench.rules.model = true;
    let error = refused("Missing required parameter 'origin'. Missing required parameter 'destination'.");
    let plan = bench.after(r#"{"departure_date":"2024-10-26"}"#, &error);
    let Next::AskModel(question) = &plan.next else {
        panic!("{plan:?}");
    };
    let text = &question.prompt;
    assert!(text.contains("origin") && text.contains("destination"), "{text}");
}
