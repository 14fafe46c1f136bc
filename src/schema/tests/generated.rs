//! Tests of the checks with generated values, and of texts that a tool gets as they are.
//!
//! Must not know: tools.

use super::*;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite())
            .prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(".{0,6}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    /// The output of a JSON writer has no faults of its own, compact or indented.
    #[test]
    fn written_json_reads_clean(value in any_json()) {
        let checker = Checker::new("true").unwrap();
        prop_assert!(checker.check(&value.to_string()).is_empty());
        prop_assert!(checker.check(&serde_json::to_string_pretty(&value).unwrap()).is_empty());
    }

    /// No text makes a check panic, and a text is faultless only if a JSON reader accepts it.
    #[test]
    fn any_text_is_survived(text in r#"[\[\]{}",:0-9eE.+\\u†a-c \n-]{0,40}"#) {
        let checker = read_file();
        let faults = checker.check(&text);
        let _ = checker.check_open(&text);
        if faults.is_empty() {
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
    }

    /// Replacing any value by a reference never adds a fault to the first check.
    #[test]
    fn a_reference_never_makes_it_worse(value in any_json(), which in 0_usize..4) {
        let checker = read_file();
        let mut map = serde_json::Map::new();
        for key in ["path", "lines", "unit", "tags"] {
            map.insert(key.to_owned(), value.clone());
        }
        let before = checker.check(&Value::Object(map.clone()).to_string()).len();
        let key = ["path", "lines", "unit", "tags"][which];
        map.insert(key.to_owned(), Value::from("†call.c1"));
        let after = checker.check_open(&Value::Object(map).to_string()).len();
        prop_assert!(after <= before);
    }
}

#[test]
fn a_tool_that_gets_the_text_itself_may_have_numbers_of_any_length() {
    let schema = r#"{"properties": {"n": {"type": "integer"}}}"#;
    let text = r#"{"n": 12345678901234567890123}"#;
    let checker = Checker::new(schema).unwrap();
    assert_eq!(checker.check(text).len(), 1);
    let checker = checker.keeping_digits();
    assert_eq!(checker.check(text), []);
    assert_eq!(
        checker.check(r#"{"n": 0.12345678901234567890123}"#).len(),
        1,
        "no integer"
    );
    assert_eq!(
        checker.check(r#"{"n": 1, "n": 2}"#).len(),
        1,
        "a name twice is still a fault"
    );
}
