//! Tests that a text leads to the same repair or question, whatever carries it.
//!
//! Must not know: how a text is read, how a tool builds its error.

use serde_json::{Value, json};

use super::error_texts::{Seen, Wrong, texts};
use super::kit::{Bench, applied, asked, failed, given_up, loose_flight};
use crate::classify::{EXITED, REPORTED};
use crate::ladder::Ladder;
use crate::repair::progress::fingerprint;
use crate::repair::{Next, Plan, Repaired};
use overrule_base::text::visible;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};

/// Names of what carries a text.
const CARRIERS: [&str; 5] = [
    "http",
    "command",
    "mcp result",
    "mcp error -32602",
    "mcp error -32603",
];

/// Returns the failure with which a tool reports a text, as it is recorded.
fn carried(carrier: &str, text: &str, bench: &Bench, args: &str) -> ToolError {
    let whole = |error: ToolError| ToolError {
        partial: Some(json!(text).to_string().into()),
        ..error
    };
    let error = match carrier {
        "http" => whole(failed(
            ErrorClass::Param,
            "HTTP 422",
            "`http://127.0.0.1:8080/book?class=first` answered 422 Unprocessable Entity",
        )),
        "command" => whole(failed(
            ErrorClass::Business,
            &format!("{EXITED}1, not one of the success codes"),
            "ended with exit code 1",
        )),
        "mcp result" => whole(failed(ErrorClass::Unknown, REPORTED, &visible(text))),
        "mcp error -32602" => whole(failed(ErrorClass::Param, "JSON-RPC -32602", &visible(text))),
        _ => whole(failed(ErrorClass::Unknown, "JSON-RPC -32603", &visible(text))),
    };
    let mut outcome = Outcome::err(error);
    let schema = bench.checker.schema();
    Ladder::default().classify((bench.tool, args), Some(schema), &mut outcome);
    match outcome {
        Outcome::Err(error) => *error,
        _ => unreachable!("an error stays one"),
    }
}

/// Returns what a plan does: the arguments, or the parameters in question to the model or the operator.
fn step(plan: &Plan) -> (Option<Value>, Vec<String>) {
    let asked = asked(plan).map(|question| question.params().map(str::to_owned).collect());
    let chosen = || {
        plan.choices
            .iter()
            .map(|choice| choice.path.to_string())
            .collect()
    };
    (applied(plan), asked.unwrap_or_else(chosen))
}

#[test]
fn the_same_text_leads_to_the_same_repair_over_every_carrier() {
    let bench = loose_flight();
    let seats = json!({"origin": "JFK", "departure_date": "Oct 26, 2024", "class": "business class"});
    let cases = [
        ("/departure_date", Wrong::Format("date")),
        ("/passengers", Wrong::Missing),
        ("/class", Wrong::OneOf(vec!["economy", "business"])),
        ("/origin", Wrong::Pattern("^[a-z]{3}$")),
    ];
    for (path, wrong) in cases {
        let seen = Seen {
            path,
            value: seats.pointer(path).cloned().unwrap_or(Value::Null),
            args: &seats,
            wrong: &wrong,
        };
        let args = seats.to_string();
        for (style, text) in texts(&seen) {
            let plans = CARRIERS.map(|carrier| {
                let error = carried(carrier, &text, &bench, &args);
                assert_eq!(error.class, ErrorClass::Param, "{style} over {carrier}: {text}");
                bench.after(&args, &error)
            });
            let steps = plans.each_ref().map(step);
            let (repaired, asked) = &steps[0];
            let is_about = asked == &[path.to_owned()]
                || repaired
                    .as_ref()
                    .is_some_and(|made| made.pointer(path) != seats.pointer(path));
            assert!(is_about, "{style}: {text:?}: {steps:?}");
            assert!(
                steps.iter().all(|one| *one == steps[0]),
                "{style}: {text:?}: {steps:?}"
            );
            for plan in &plans {
                assert!(
                    plan.errors[0].contains(text.trim()) || text.len() > 4000,
                    "{:?}",
                    plan.errors
                );
            }
        }
    }
}

#[test]
fn one_error_after_another_is_a_new_error_and_the_same_one_ends_the_repair() {
    for carrier in CARRIERS {
        let mut bench = loose_flight();
        let first = r#"{"origin":"JFK"}"#;
        let error = carried(carrier, "missing required parameter: passengers", &bench, first);
        let plan = bench.after(first, &error);
        assert_eq!(step(&plan).1, ["/passengers"], "{carrier}");
        let second = r#"{"origin":"JFK","passengers":1}"#;
        for tried in [first, second] {
            bench.past.tried(tried);
        }
        bench.past.rounds = 1;
        bench.past.repaired.insert(Repaired {
            error: fingerprint(&error.text()),
            path: "/passengers".into(),
        });
        let next = carried(carrier, "missing required parameter: class", &bench, second);
        assert_eq!(step(&bench.after(second, &next)).1, ["/class"], "{carrier}");
        let same = carried(carrier, "missing required parameter: passengers", &bench, second);
        let plan = bench.after(second, &same);
        assert!(
            given_up(&plan).unwrap().0.contains("came back"),
            "{carrier}: {plan:?}"
        );
    }
}

/// `http_request`, reduced to what matters.
fn request() -> Bench {
    let mut bench = Bench::new(
        "http_request",
        &json!({
            "type": "object",
            "properties": {
                "method": {"enum": ["GET", "POST"]}, "url": {"type": "string"}, "body": {"type": "string"}
            },
            "required": ["method", "url"], "additionalProperties": false
        }),
    );
    bench.effect = overrule_domain::call::EffectClass::Unknown;
    bench
}

#[test]
fn the_body_of_a_request_is_repaired_by_what_the_answer_says_of_its_members() {
    let bench = request();
    let sent = |body: &Value| {
        json!({"method": "POST", "url": "http://127.0.0.1/book", "body": body.to_string()}).to_string()
    };
    let seats = json!({"origin": "JFK", "departure_date": "Oct 26, 2024", "legs": [{"n": "2"}]});
    let args = sent(&seats);
    let date = "Parameter 'departure_date' has invalid date format. Expected YYYY-MM-DD.";
    for (text, path, to) in [
        (date, "/departure_date", json!("2024-10-26")),
        (
            r#"{"detail":[{"loc":["body","legs",0,"n"],"msg":"Input should be a valid integer"}]}"#,
            "/legs/0/n",
            json!(2),
        ),
    ] {
        let plan = bench.after(&args, &carried("http", text, &bench, &args));
        let made = applied(&plan).unwrap();
        let mut expected = seats.clone();
        *expected.pointer_mut(path).unwrap() = to;
        let body: Value = serde_json::from_str(made["body"].as_str().unwrap()).unwrap();
        assert_eq!(body, expected, "{text}");
        assert_eq!(
            (&made["method"], &made["url"]),
            (&json!("POST"), &json!("http://127.0.0.1/book"))
        );
        let changed: Vec<&str> = plan.changes.iter().map(|change| &*change.path).collect();
        assert_eq!(changed, ["/body"]);
    }
    // What only the model knows is asked with the answer of the server; what is ambiguous is a choice.
    let missing = carried("http", "missing required parameter: passengers", &bench, &args);
    let plan = bench.after(&args, &missing);
    assert_eq!(step(&plan).1, [""]);
    assert!(
        asked(&plan)
            .unwrap()
            .prompt
            .contains("missing required parameter: passengers")
    );
    let two = sent(&json!({"departure_date": "10/11/2024"}));
    let plan = bench.after(&two, &carried("http", date, &bench, &two));
    assert_eq!(
        (&plan.next, plan.choices[0].options.len()),
        (&Next::AskOperator, 2)
    );
    // The same error after a repair of the body ends the repair.
    let mut again = request();
    let fixed = sent(&json!({"origin": "JFK", "departure_date": "2024-10-26"}));
    again.past.tried(&args);
    again.past.repaired.insert(Repaired {
        error: fingerprint(&carried("http", date, &bench, &args).text()),
        path: "/body".into(),
    });
    let plan = again.after(&fixed, &carried("http", date, &bench, &fixed));
    assert!(given_up(&plan).unwrap().0.contains("came back"), "{plan:?}");
    // Nothing is changed in a body that no text complains about.
    let plan = bench.after(&args, &carried("http", "Bad Request", &bench, &args));
    assert_eq!(step(&plan), (None, vec![String::new()]));
}

#[test]
fn failures_of_another_kind_become_no_repair() {
    let bench = loose_flight();
    let args = r#"{"origin":"JFK","class":"first"}"#;
    for text in [
        "permission denied: 'class' may only be set by an admin, invalid role",
        "rate limit exceeded, invalid burst for class",
        "service unavailable: 'origin' is required to be online",
        "deleted file class",
        "class first is sold out",
        "something went wrong",
        "Flight not found",
    ] {
        for carrier in ["command", "mcp result", "mcp error -32603"] {
            let error = carried(carrier, text, &bench, args);
            assert_ne!(error.class, ErrorClass::Param, "{carrier}: {text}");
            let plan = bench.after(args, &error);
            assert!(
                matches!(plan.next, Next::Stop { .. } | Next::Retry) && plan.changes.is_empty(),
                "{carrier}: {text}: {plan:?}"
            );
        }
    }
    // A status that means something else wins over the words of the body.
    let body = "missing required parameter: passengers";
    for (class, evidence) in [
        (ErrorClass::Auth, "HTTP 403"),
        (ErrorClass::Transient, "HTTP 429"),
        (ErrorClass::Transient, "HTTP 503"),
        (ErrorClass::Internal, "HTTP 405"),
        (ErrorClass::Lost, "connection to the MCP server"),
    ] {
        let error = ToolError {
            partial: Some(json!(body).to_string().into()),
            ..failed(class, evidence, "answered")
        };
        let plan = bench.after(args, &error);
        assert!(
            matches!(plan.next, Next::Stop { .. } | Next::Retry),
            "{evidence}: {plan:?}"
        );
    }
}

#[test]
fn a_command_whose_end_was_not_seen_keeps_its_class_whatever_it_printed() {
    let bench = loose_flight();
    let args = r#"{"origin":"JFK"}"#;
    let lost = ToolError {
        partial: Some(json!("missing required parameter: passengers").to_string().into()),
        ..failed(
            ErrorClass::Unknown,
            "Broken pipe",
            "the command was started but its end was not seen",
        )
    };
    let mut outcome = Outcome::err(lost.clone());
    Ladder::default().classify((bench.tool, args), Some(bench.checker.schema()), &mut outcome);
    assert_eq!(outcome, Outcome::err(lost));
}

#[test]
fn an_error_of_the_arguments_without_a_name_and_a_code_is_put_to_the_model() {
    let bench = loose_flight();
    let plan = bench.after(
        r#"{"origin":"JFK"}"#,
        &failed(ErrorClass::Param, "declared by the tool", "no"),
    );
    assert_eq!(step(&plan).1, [""]);
    assert_eq!(&*plan.diagnoses[0].evidence, "an error of the arguments");
}
