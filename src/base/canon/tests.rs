//! Tests of canonical JSON, hashes and the scan.

mod lex;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

#[test]
fn members_are_sorted_and_blanks_are_gone() {
    let text = "{ \"b\" : [1, 2.50, {\"z\":null,\"a\":true}], \"a\":\"\\u0041\\n\", \"é\":0, \"\":-1 }";
    assert_eq!(
        canonical_text(text).as_deref(),
        Ok(r#"{"":-1,"a":"A\n","b":[1,2.50,{"a":true,"z":null}],"é":0}"#)
    );
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(
        canonical(&value),
        r#"{"":-1,"a":"A\n","b":[1,2.5,{"a":true,"z":null}],"é":0}"#
    );
    for (text, same) in [
        ("[]", "[]"),
        ("{}", "{}"),
        (" \"x\" ", "\"x\""),
        ("[[],{}]", "[[],{}]"),
        ("-0", "-0"),
    ] {
        assert_eq!(canonical_text(text).as_deref(), Ok(same));
    }
}

#[test]
fn different_numbers_stay_different() {
    let a = canonical_text("12345678901234567890123").unwrap();
    let b = canonical_text("12345678901234567890124").unwrap();
    assert_ne!(a, b);
}

#[test]
fn texts_without_one_meaning_have_no_canonical_form() {
    for bad in [
        "",
        "{",
        r#"{"a":1,"a":2}"#,
        r#"[{"b":1,"a":{"y":0,"x":1,"\u0078":2}}]"#,
        r#""\ud800""#,
        "[1,]",
        "01",
        "nul",
        "1 2",
    ] {
        assert!(canonical_text(bad).is_err(), "{bad}");
    }
    assert!(canonical_text(&"[".repeat(100_000)).is_err());
}

#[test]
fn objects_are_sorted_inside_of_each_other() {
    let text = r#"{"b":[{"z":{"d":1,"c":{}},"y":"}"}],"a":{"\u0062":[],"a,":{"2":0,"1":0}}}"#;
    let same = r#"{"a":{"a,":{"1":0,"2":0},"b":[]},"b":[{"y":"}","z":{"c":{},"d":1}}]}"#;
    assert_eq!(canonical_text(text).as_deref(), Ok(same));
}

#[test]
fn a_long_list_is_hashed_as_a_short_one_is() {
    for length in [0, 10, 4_064, 4_065, 4_096, 50_000] {
        let long = vec![7_u8; length];
        let mut whole = blake3::Hasher::new();
        for part in [&b"tag"[..], &long[..], &b"end"[..]] {
            whole.update(&(part.len() as u64).to_le_bytes());
            whole.update(part);
        }
        assert_eq!(
            hash("tag", &[&long, b"end"]),
            whole.finalize().to_hex().to_string()
        );
    }
}

#[test]
fn deep_values_need_no_stack() {
    let mut value = json!(1);
    for _ in 0..2_000 {
        value = Value::Array(vec![value]);
    }
    assert_eq!(canonical(&value).len(), 4_001);
}

#[test]
fn hashes_of_different_lists_differ() {
    let of = |parts: &[&[u8]]| hash("t", parts);
    assert_eq!(of(&[b"ab"]).len(), 64);
    assert_ne!(of(&[b"ab"]), of(&[b"a", b"b"]));
    assert_ne!(of(&[b"a", b"b"]), of(&[b"ab", b""]));
    assert_ne!(of(&[]), of(&[b""]));
    assert_ne!(hash("t", &[b"x"]), hash("u", &[b"x"]));
    assert_ne!(hash("tx", &[]), hash("t", &[b"x"]));
    assert_eq!(of(&[b"ab"]), of(&[b"ab"]));
    // A length that looks like content, and content that looks like a length.
    assert_ne!(of(&[&1u64.to_le_bytes()]), of(&[b"", b""]));
}

fn kinds(text: &str) -> Vec<OddityKind> {
    scan(text).into_iter().map(|odd| odd.kind).collect()
}

fn becomes(text: &str) -> Option<String> {
    match scan(text).into_iter().next()?.kind {
        OddityKind::Number { becomes, .. } => Some(becomes),
        _ => None,
    }
}

#[test]
fn plain_json_is_not_odd() {
    for text in [
        "0",
        "-0",
        "1.10",
        "1e2",
        "-1.5E-3",
        "0.1",
        "18446744073709551615",
        "-9223372036854775808",
        "0e999999",
        r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#,
        r#""\ud83d\ude00 \u0000 \/""#,
        " [ true , null ] ",
    ] {
        assert_eq!(scan(text), [], "{text}");
    }
}

#[test]
fn duplicate_keys_are_found_in_any_spelling() {
    let found = scan(r#"{"x":[0,{"a":1,"b":2,"\u0061":3}]}"#);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, "/x/1/a");
    assert_eq!(found[0].kind, OddityKind::DuplicateKey("a".to_owned()));
    assert_eq!(found[0].at, 21);
    assert!(found[0].to_string().contains("twice"));
}

#[test]
fn numbers_that_would_change_are_found() {
    assert_eq!(
        becomes("12345678901234567890123").as_deref(),
        Some("1.2345678901234568e+22")
    );
    assert_eq!(
        becomes("18446744073709551617").as_deref(),
        Some("1.8446744073709552e+19")
    );
    assert_eq!(
        becomes("3.141592653589793238462643").as_deref(),
        Some("3.141592653589793")
    );
    assert_eq!(becomes("1e400").as_deref(), Some("a number out of range"));
    assert!(becomes("1e-400").is_some());
    assert!(becomes("1e99999999999999999999999").is_some());
    assert_eq!(scan("[1,[0.1,1e400]]")[0].path, "/1/1");
}

#[test]
fn half_a_pair_is_found() {
    for text in [
        r#""\ud800""#,
        r#""\udc00x""#,
        r#""\ud800\ud800""#,
        r#"{"\udfff":1}"#,
    ] {
        assert!(kinds(text).contains(&OddityKind::LoneSurrogate), "{text}");
    }
}

#[test]
fn invalid_json_is_reported_as_such() {
    for text in [
        "",
        " ",
        "{",
        "[",
        "[1",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1,}",
        "[,1]",
        "[1 2]",
        "{1:2}",
        "'a'",
        "\"a",
        "\"\n\"",
        "\"\\x\"",
        "\"\\u12\"",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "tru",
        "[1}",
        "{\"a\":1]",
        "1 1",
        "\u{FEFF}1",
        "NaN",
        "\"\\",
    ] {
        let kinds = kinds(text);
        assert!(
            matches!(kinds.as_slice(), [OddityKind::Syntax(_)]),
            "{text:?}: {kinds:?}"
        );
    }
}

#[test]
fn depth_is_bounded_and_hostile_text_is_linear() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(scan(&nested(MAX_DEPTH)), []);
    assert!(serde_json::from_str::<Value>(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(kinds(&nested(MAX_DEPTH + 1)), [OddityKind::TooDeep]);
    assert!(serde_json::from_str::<Value>(&nested(MAX_DEPTH + 1)).is_err());
    assert_eq!(kinds(&"{\"a\":".repeat(1_000_000)), [OddityKind::TooDeep]);

    let many = format!("[{}1]", "1e999,".repeat(100_000));
    assert_eq!(scan(&many).len(), 100);
    let cut = format!("[{}", "1e999,".repeat(100_000));
    assert!(matches!(scan(&cut).last().unwrap().kind, OddityKind::Syntax(_)));
    let digits = "9".repeat(1_000_000);
    assert_eq!(scan(&digits).len(), 1);
    assert!(scan(&digits)[0].to_string().len() < 1000);
    let keys: Vec<String> = (0..20_000).map(|n| format!("\"k{n}\":0")).collect();
    assert_eq!(scan(&format!("{{{}}}", keys.join(","))), []);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((".{0,4}", inner), 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn both_ways_to_the_canonical_form_agree(value in value()) {
        let compact = value.to_string();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let canonical = canonical(&value);
        prop_assert_eq!(canonical_text(&compact), Ok(canonical.clone()));
        prop_assert_eq!(canonical_text(&pretty), Ok(canonical.clone()));
        prop_assert_eq!(canonical_text(&canonical), Ok(canonical.clone()));
        prop_assert_eq!(serde_json::from_str::<Value>(&canonical).unwrap(), value);
        prop_assert_eq!(scan(&pretty), []);
    }

    #[test]
    fn text_without_oddities_is_json_and_other_text_never_panics(
        text in "[\\[\\]{}:,\"\\\\ \n0-9eE.+\\-ud8ctrueflsnab]{0,24}"
    ) {
        let found = scan(&text);
        let read = serde_json::from_str::<Value>(&text);
        let syntax = found.iter().any(|odd| matches!(odd.kind, OddityKind::Syntax(_)));
        if found.is_empty() {
            prop_assert!(read.is_ok(), "{text:?}");
        }
        if syntax {
            prop_assert!(read.is_err(), "{text:?}");
        }
        for odd in &found {
            prop_assert!(odd.at <= text.len());
        }
        let _ = canonical_text(&text);
    }

    #[test]
    fn any_float_as_written_by_rust_survives_or_is_reported(n in any::<f64>()) {
        prop_assume!(n.is_finite());
        let text = serde_json::to_string(&n).unwrap();
        let back: f64 = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(scan(&text).is_empty(), back.to_bits() == n.to_bits());
    }
}

#[test]
fn a_short_hash_is_the_beginning_of_the_whole_one() {
    let parts: &[&[u8]] = &[b"one", b"two"];
    let digits = format!("{:032x}", u128::from_be_bytes(short_hash("tag", parts)));
    assert_eq!(hash("tag", parts).get(..32), Some(&*digits));
}
