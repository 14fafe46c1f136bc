//! Tests of digests of outputs.
//!
//! Must not know: loops.

use proptest::prelude::*;

use super::stable::stable;
use super::{OutputDigest, recorded_exit};
use crate::call::{ErrorClass, Outcome, ToolError};

fn rest(text: &str) -> String {
    String::from_utf8(stable(text).into_owned()).unwrap()
}

#[test]
fn what_differs_each_time_is_left_out() {
    for (text, left) in [
        ("Chunk ID: 45bc42 failed", "Chunk ID:  failed"),
        ("Chunk ID: 482913 failed", "Chunk ID:  failed"),
        ("request defaced failed", "request  failed"),
        (r#"{"id": "45bc42", "n": 3}"#, r#"{"id": "", "n": 3}"#),
        (r#""{\"requestId\": \"123456\"}""#, r#""{\"requestId\": \"\"}""#),
        ("at 0x7ffe12ab34 in f", "at  in f"),
        ("req 3f2504e0-4f89-11d3-9a0c-0305e82c3301 gone", "req  gone"),
        ("abcdefab-abcd-abcd-abcd-abcdefabcdef gone", " gone"),
        ("HEAD is at 9fceb02 Fix", "HEAD is at  Fix"),
        ("wrote /tmp/tmp.Xa83bd", "wrote "),
        ("see /tmp/case81/w3/src/a.py:12: bad", "see /a.py:12: bad"),
        (r#""log\n/var/folders/ab/xyz/T/q1 is full""#, r#""log\n is full""#),
        ("pid 4711 ended; port: 5003 is busy", "pid  ended; port:  is busy"),
        ("process 12 at localhost:39423", "process  at localhost:"),
        (
            r#""Output: x\nProcess Group PGID: 30509\n""#,
            r#""Output: x\nProcess Group PGID: \n""#,
        ),
        (
            "thread 'main' (18273) panicked at src/a.rs:3",
            "thread 'main' () panicked at src/a.rs:3",
        ),
        ("2026-11-26T00:33:35.123Z ready", " ready"),
        ("2026-11-26 00:33:35,123 +0100 ready", " ready"),
        ("Thu Nov 26 00:33:35 UTC 2026 up", " up"),
        ("Thu, 26 Nov 2026 00:33:35 GMT up", " up"),
        ("a.txt Nov 26 00:33 12", "a.txt  12"),
        ("at 00:33:35 and 9:05 AM", "at  and "),
        ("since 1764117215 up", "since  up"),
        (
            "finished in 0.53s, then 12 ms, 1m23s and 2 hours",
            "finished in , then ,  and ",
        ),
    ] {
        assert_eq!(rest(text), left, "{text}");
    }
}

#[test]
fn informative_text_is_preserved() {
    for text in [
        "3 of 5 tests failed",
        "error at src/a.rs:12:30: expected `;`",
        "  12:30  error  Unexpected var",
        "1048576 bytes in 123456 rows",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "item id 3 of version 1.2.3 at 10.0.0.1",
        "the facade of a decade",
        "0x1F is 31",
        "45 % of 12 kB",
        "may 5 people",
        "src/tmp/a.txt and ./tmp/b",
    ] {
        assert_eq!(rest(text), text);
    }
}

#[test]
fn an_output_of_nothing_else_stays_whole() {
    for text in [
        "45bc42",
        r#""45bc42\n""#,
        "[0.53s]",
        "2026-11-26",
        "Thu Nov 26 00:33:35 UTC 2026\n",
    ] {
        assert_eq!(rest(text), text);
    }
    assert_eq!(rest(r#""""#), r#""""#);
}

fn failed(class: ErrorClass, message: &str, evidence: &str, partial: Option<&str>) -> Outcome {
    Outcome::err(ToolError {
        class,
        message: message.into(),
        evidence: evidence.into(),
        hint: None,
        partial: partial.map(Into::into),
        executed: true,
        retry_after_ms: None,
    })
}

#[test]
fn the_kind_of_an_end_is_part_of_it() {
    let exited = |code| Outcome::Ok {
        value: r#""no""#.into(),
        meta: Some(r#"{"ms":7}"#.into()),
        discarded: 0,
        exit: Some(code),
    };
    let all = [
        Outcome::ok(r#""no""#),
        exited(1),
        exited(2),
        failed(ErrorClass::Business, "no", "declared", None),
        failed(ErrorClass::NotFound, "no", "declared", None),
        failed(ErrorClass::Business, "no", "declared", Some(r#""said""#)),
    ];
    for (at, one) in all.iter().enumerate() {
        for (other_at, other) in all.iter().enumerate() {
            assert_eq!(
                OutputDigest::of(one) == OutputDigest::of(other),
                at == other_at,
                "{one:?}, {other:?}"
            );
        }
    }
    assert_eq!(OutputDigest::of(&Outcome::Cancelled { executed: true }), None);
}

#[test]
fn what_was_recorded_as_a_failure_with_an_exit_code_is_a_result() {
    let old = failed(ErrorClass::Business, "exit 1", "exit status 1", Some(r#""no""#));
    let new = Outcome::Ok {
        value: r#""no""#.into(),
        meta: None,
        discarded: 0,
        exit: Some(1),
    };
    assert_eq!(OutputDigest::of(&old), OutputDigest::of(&new));
    let Outcome::Err(error) = &old else { panic!() };
    assert_eq!(recorded_exit(error), Some(1));
    let Outcome::Err(killed) = failed(
        ErrorClass::Business,
        "ended by signal 9 (SIGKILL)",
        "signal 9",
        None,
    ) else {
        panic!()
    };
    assert_eq!(recorded_exit(&killed), None);
}

#[test]
fn it_is_written_with_its_version_and_read_back() {
    let digest = OutputDigest::of(&Outcome::ok("1")).unwrap();
    let text = serde_json::to_string(&digest).unwrap();
    assert!(text.starts_with("\"1:") && text.len() == 20, "{text}");
    assert_eq!(serde_json::from_str::<OutputDigest>(&text).unwrap(), digest);
    let newer: OutputDigest = serde_json::from_str("\"2:00000000000000ff\"").unwrap();
    assert_eq!((newer.current(), digest.current().is_some()), (None, true));
    for bad in ["\"\"", "\"1\"", "\"x:1\"", "\"1:xyz\"", "1"] {
        assert!(serde_json::from_str::<OutputDigest>(bad).is_err(), "{bad}");
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn what_is_left_out_leaves_the_rest_in_its_order(text in "[ a-f0-9:/.\\-T\\\\n\"µ]{0,120}|\\PC{0,120}") {
        let whole = text.as_bytes();
        let left = stable(&text);
        let mut at = 0;
        for byte in left.iter() {
            let found = whole.get(at..).unwrap_or_default().iter().position(|one| one == byte);
            prop_assert!(found.is_some(), "{left:?} of {text}");
            at += found.unwrap_or_default() + 1;
        }
    }

    #[test]
    fn a_short_id_makes_no_difference(one in "[0-9]{1,3}[a-f][0-9a-f]{4,30}", other in "[0-9]{1,3}[a-f][0-9a-f]{4,30}") {
        let output = |id: &str| Outcome::ok(serde_json::to_string(&format!("Chunk ID: {id}\nno such target")).unwrap());
        prop_assert_eq!(OutputDigest::of(&output(&one)), OutputDigest::of(&output(&other)));
    }
}
