//! Tests which errors a correction is about, and which corrections are refused.
//!
//! Must not know: files.

use super::*;
use crate::classify::{Classifier, Settings};
use overrule_domain::id::NodeKind;

fn error(class: ErrorClass, message: &str) -> ToolError {
    ToolError {
        class,
        message: message.into(),
        evidence: "HTTP 503".into(),
        hint: None,
        partial: None,
        executed: false,
        retry_after_ms: None,
    }
}

fn failed(message: &str) -> Corrigible {
    Corrigible {
        call: NodeId::new(NodeKind::Call, 5),
        tool: "deploy".into(),
        error: error(ErrorClass::Transient, message),
    }
}

fn corrected(message: &str, verdict: Verdict) -> Correction {
    let failed = failed(message);
    failed
        .corrected(verdict, &failed.pattern(), ("s1", "2026-11-26", "ann"))
        .unwrap()
}

fn class(corrections: &[Correction], tool: &str, before: ErrorClass, message: &str) -> (ErrorClass, String) {
    let settings = Settings {
        corrections: corrections.to_vec(),
        ..Settings::default()
    };
    let mut outcome = Outcome::err(error(before, message));
    Classifier::new(&settings).refine(tool, &mut outcome, |_| None);
    match outcome {
        Outcome::Err(error) => (error.class, error.evidence),
        _ => unreachable!("an error stays one"),
    }
}

#[test]
fn a_correction_goes_before_all_other_evidence_and_for_its_tool_only() {
    let words = "HTTP 503: quota of project 42 is used up";
    let permanent = corrected(words, Verdict::Permanent);
    let other = "HTTP 503: quota of project 7 is used up";
    let (found, evidence) = class(
        std::slice::from_ref(&permanent),
        "deploy",
        ErrorClass::Transient,
        other,
    );
    assert_eq!(found, ErrorClass::Business);
    assert_eq!(
        evidence,
        "your correction (permanent): `HTTP 503: quota of project 7 is used up`; HTTP 503"
    );
    let elsewhere = class(
        std::slice::from_ref(&permanent),
        "other",
        ErrorClass::Transient,
        other,
    );
    assert_eq!(elsewhere, (ErrorClass::Transient, "HTTP 503".into()));
    let different = class(
        std::slice::from_ref(&permanent),
        "deploy",
        ErrorClass::Transient,
        "HTTP 503: busy",
    );
    assert_eq!(different.0, ErrorClass::Transient);
    // A class that is not retried anyway says more.
    let auth = class(
        std::slice::from_ref(&permanent),
        "deploy",
        ErrorClass::Auth,
        other,
    );
    assert_eq!(auth.0, ErrorClass::Auth);
    let cancelled = class(
        std::slice::from_ref(&permanent),
        "deploy",
        ErrorClass::Cancelled,
        other,
    );
    assert_eq!(cancelled.0, ErrorClass::Cancelled);
    // The last correction wins.
    let temporary = corrected(words, Verdict::Temporary);
    let both = [permanent, temporary];
    assert_eq!(
        class(&both, "deploy", ErrorClass::Auth, other).0,
        ErrorClass::Transient
    );
}

#[test]
fn the_suggested_pattern_fits_its_error_whatever_is_in_it() {
    for message in [
        "plain",
        "two  blanks\tand a tab 7",
        "  (unbalanced [ and * signs.\nsecond line",
        "a\u{202e}b 12-34 x7y",
        "päth/zoë: no",
        &"word ".repeat(200),
        "$^.?+{}|\\",
    ] {
        let failed = failed(message);
        let pattern = failed.pattern();
        let made = failed.corrected(Verdict::Permanent, &pattern, ("s", "d", "b"));
        assert!(made.is_ok(), "{message:?}: `{pattern}`: {made:?}");
        assert!(pattern.len() < 700, "{pattern}");
    }
    assert_eq!(
        failed("HTTP 503: quota (42) is up").pattern(),
        r"HTTP \d+: quota \(\d+\) is up"
    );
    assert_eq!(failed("").pattern(), "");
    assert_eq!(
        failed(&"x".repeat(400)).pattern(),
        "",
        "what is cut would fit nothing"
    );
}

#[test]
fn of_an_answer_over_http_the_status_and_the_words_of_the_body_are_suggested_not_the_address() {
    let answered = |status: &str, body: &str| {
        let mut failed = failed(&format!("`http://127.0.0.1:8080/v1/book?id=7` answered {status}"));
        failed.error.partial = Some(serde_json::json!(body).to_string().into());
        failed
    };
    for (status, body, pattern) in [
        (
            "400 Bad Request",
            "quota of project 42 is used up\nmore",
            r"answered 400 Bad Request[\s\S]*?quota of project \d+ is used up",
        ),
        (
            "409 Conflict",
            r#"{"code":"E7","message":"the room 12 is taken","request_id":"a1b2"}"#,
            r"answered 409 Conflict[\s\S]*?the room \d+ is taken",
        ),
        ("503 Service Unavailable", "", "answered 503 Service Unavailable"),
        (
            "400 Bad Request",
            r#"{"message":"a \"quoted\" name"}"#,
            r"answered 400 Bad Request[\s\S]*?a \\",
        ),
    ] {
        let failed = answered(status, body);
        let suggested = failed.pattern();
        assert_eq!(suggested, pattern, "{body}");
        assert!(
            !suggested.contains("127") && !suggested.contains("book"),
            "{suggested}"
        );
        let made = failed
            .corrected(Verdict::Permanent, &suggested, ("s", "d", "b"))
            .unwrap();
        // It is about this status and these words only.
        let class_of = |failed: &Corrigible| {
            let settings = Settings {
                corrections: vec![made.clone()],
                ..Settings::default()
            };
            let mut outcome = Outcome::err(failed.error.clone());
            Classifier::new(&settings).refine("deploy", &mut outcome, |_| None);
            match outcome {
                Outcome::Err(error) => error.class,
                _ => unreachable!("an error stays one"),
            }
        };
        assert_eq!(class_of(&failed), ErrorClass::Business, "{suggested}");
        assert_eq!(
            class_of(&answered("500 Internal Server Error", body)),
            ErrorClass::Transient
        );
        if !body.is_empty() {
            assert_eq!(
                class_of(&answered(status, "something else")),
                ErrorClass::Transient
            );
        }
    }
}

#[test]
fn a_wrong_pattern_is_refused_with_the_reason() {
    for (pattern, why) in [
        ("(", "unclosed group"),
        ("", "matches everything"),
        (".*", "matches everything"),
        ("something else", "does not match the error of c5"),
        (&*"x".repeat(2000), "at most 1024 bytes"),
    ] {
        let refused = failed("the pool is empty").corrected(Verdict::Temporary, pattern, ("s", "d", "b"));
        let refused = refused.unwrap_err();
        assert!(
            refused.starts_with("cannot use the pattern") && refused.contains(why),
            "{refused}"
        );
    }
    let settings = Settings {
        corrections: vec![Correction {
            tool: String::new(),
            ..corrected("a b", Verdict::Permanent)
        }],
        ..Settings::default()
    };
    assert!(
        settings
            .check()
            .unwrap_err()
            .to_string()
            .contains("errors.corrections[1]")
    );
    let settings = Settings {
        corrections: vec![corrected("a b", Verdict::Permanent); 65],
        ..Settings::default()
    };
    assert!(settings.check().is_err());
}
