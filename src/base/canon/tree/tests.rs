//! Tests of reading text that is JSON, almost JSON, and no JSON.

use proptest::prelude::*;
use serde_json::Value;

use super::{SlipKind as S, Tree};

#[test]
fn almost_json_is_read_and_every_slip_is_named() {
    let table: &[(&str, &str, &[S])] = &[
        (r#"{"a":[1,2.50,-0]}"#, r#"{"a":[1,2.50,-0]}"#, &[]),
        ("\u{feff}[]", "[]", &[S::ByteOrderMark]),
        (r#"["\ud83d"]"#, "[\"\u{fffd}\"]", &[S::HalfCharacter]),
        (
            r#"["\ude00\ud83d\ude00"]"#,
            "[\"\u{fffd}\u{1f600}\"]",
            &[S::HalfCharacter],
        ),
        (
            "[NaN,-Infinity,inf,-nan]",
            "[null,null,null,null]",
            &[S::NotFinite; 4],
        ),
        (
            "[12345678901234567890123,1E400]",
            "[12345678901234567890123,1E400]",
            &[],
        ),
        ("[.5,5.,+1,007,-.5e3,00]", "[0.5,5,1,7,-0.5e3,0]", &[S::Number; 6]),
        ("[True,None]", "[true,null]", &[S::Word; 2]),
        ("[1,]", "[1]", &[S::TrailingComma]),
        (r#"{"a":1,}"#, r#"{"a":1}"#, &[S::TrailingComma]),
        ("// a \"word\n[1,// two\n2]", "[1,2]", &[S::Comment; 2]),
        ("[1/* it's */,2]", "[1,2]", &[S::Comment]),
        (r#"{"a":"http://x//y"}"#, r#"{"a":"http://x//y"}"#, &[]),
        ("[\"a\tb\"]", r#"["a\tb"]"#, &[S::ControlCharacter]),
        (r#"["\d \'"]"#, r#"["\\d '"]"#, &[S::Escape; 2]),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, &[S::DuplicateName]),
    ];
    for (text, expected, slips) in table {
        let reading = Tree::read(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        assert_eq!(reading.tree.to_string(), *expected, "{text}");
        let kinds: Vec<S> = reading.slips.iter().map(|slip| slip.kind).collect();
        assert_eq!(kinds, *slips, "{text}");
    }
}

#[test]
fn no_json_is_refused_and_a_cut_text_is_known() {
    for (text, is_cut) in [
        ("", true),
        ("{\"a\":", true),
        ("[\"a", true),
        ("[1,", true),
        ("[tru", true),
        ("[1 /* x", true),
        ("this is no JSON", false),
        ("['a']", false),
        ("[1,,2]", false),
        ("{a:1}", false),
        ("[1}", false),
        ("[0x1f]", false),
        ("[1][2]", false),
    ] {
        let fault = Tree::read(text).unwrap_err();
        assert_eq!(fault.is_cut, is_cut, "{text}: {fault}");
    }
}

#[test]
fn the_first_of_several_values_says_where_it_ends() {
    let text = "{\"a\":1} \n{\"b\":2}";
    let reading = Tree::read_first(text).unwrap();
    assert_eq!(&text[reading.end..], "{\"b\":2}");
}

#[test]
fn depth_is_bounded_and_what_is_below_is_null() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let reading = Tree::read(&deep).unwrap();
    assert_eq!(reading.slips.last().unwrap().kind, S::TooDeep);
    assert!(serde_json::from_str::<Value>(&reading.tree.to_string()).is_ok());
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn well_formed_json_stays_equal(value in json(), pretty in any::<bool>()) {
        let text = if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        let reading = Tree::read(&text).unwrap();
        prop_assert_eq!(&reading.slips, &[]);
        let again: Value = serde_json::from_str(&reading.tree.to_string()).unwrap();
        prop_assert_eq!(again, value);
    }

    #[test]
    fn whatever_is_read_is_written_as_json(text in r#"[\[\]{}:,"\\/*a-fnulrtsN0-9.+\-e \n\u{feff}é]{0,60}"#) {
        if let Ok(reading) = Tree::read(&text) {
            let written = reading.tree.to_string();
            let again = Tree::read(&written).unwrap();
            prop_assert_eq!(&again.tree, &reading.tree);
            prop_assert_eq!(&again.slips, &[], "{}", written);
        }
    }
}
