//! Tests properties of every repair with random arguments and schemas.
//!
//! Must not know: single cases.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::kit::{Bench, failed, refused};
use crate::repair::{Guesses, Next, Plan};
use overrule_domain::call::{EffectClass, ErrorClass};
use overrule_domain::repair::Certainty;

fn property() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"type": "integer", "minimum": 1, "maximum": 9})),
        Just(json!({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "string", "format": "date"})),
        Just(json!({"type": "string", "format": "date-time"})),
        Just(json!({"type": "string", "pattern": "^[A-Z]{3}$"})),
        Just(json!({"enum": ["economy", "business", "first", 1, null]})),
        Just(json!({"type": "array", "items": {"type": "integer"}, "maxItems": 2})),
        Just(
            json!({"type": "object", "properties": {"deep": {"type": "integer", "default": 4}}, "required": ["deep"], "additionalProperties": false})
        ),
        Just(json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]})),
        Just(json!({"type": ["string", "null"], "minLength": 2})),
        Just(json!({"const": "x"})),
        Just(json!({})),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let names = prop::sample::subsequence(vec!["alpha", "beta_one", "gamma"], 0..=3);
    (property(), property(), property(), names, any::<bool>()).prop_map(|(a, b, c, required, closed)| {
        json!({
            "type": "object",
            "properties": {"alpha": a, "beta_one": b, "gamma": c},
            "required": required,
            "additionalProperties": !closed
        })
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-12_i64..120).prop_map(Value::from),
        (-3.0..30.0_f64).prop_map(Value::from),
        prop::sample::select(vec![
            "7",
            " 7",
            "7.0",
            "7.5",
            "true",
            "no",
            "10/11/2024",
            "Oct 26, 2024",
            "jfk",
            " JFK",
            "Busines",
            "business class",
            "not first",
            "[1]",
            "{\"deep\":1}",
            "†call.c1",
            "††x",
            "",
            "X",
            "tomorrow",
        ])
        .prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("deep|dep|x", inner, 0..2)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn args() -> impl Strategy<Value = Value> {
    prop::collection::vec(
        (
            prop::sample::select(vec![
                "alpha", "Alpha", "beta_one", "betaOne", "beta", "gamma", "gama", "delta", "_as",
            ]),
            value(),
        ),
        0..5,
    )
    .prop_map(|pairs| {
        Value::Object(
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    })
}

fn bench(schema: &Value, guesses: Guesses, effect: EffectClass, attended: bool) -> Bench {
    let mut bench = Bench::new("t", schema);
    bench.rules.guesses = guesses;
    bench.effect = effect;
    bench.attended = attended;
    bench
}

/// Returns true if two values mean the same: texts apart from case, blanks and marks, numbers and their
/// words, days.
fn same_meaning(from: &Value, to: &Value) -> bool {
    let words = |value: &Value| -> String {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let number = |value: &Value| match value {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        Value::Bool(one) => Some(f64::from(u8::from(*one))),
        other => other.as_f64(),
    };
    let truth = |value: &Value| match words(value).as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    };
    let digits = |value: &Value| words(value).chars().filter(char::is_ascii_digit).count();
    let is_day = to
        .as_str()
        .is_some_and(|text| text.len() >= 10 && text.starts_with(['1', '2']));
    words(from) == words(to)
        || (number(from).is_some() && number(from) == number(to))
        || (truth(from).is_some() && truth(from) == truth(to))
        || [(from, to), (to, from)].iter().any(|(list, one)| {
            let items = list.as_array().map(Vec::as_slice);
            matches!(items, Some([item]) if same_meaning(item, one))
        })
        || (is_day && digits(from) >= 6)
}

fn sound(bench: &Bench, args: &str, plan: &Plan) -> Result<(), TestCaseError> {
    match &plan.next {
        Next::Apply => {
            prop_assert_eq!(
                bench.checker.check_open(&plan.args),
                vec![],
                "{} -> {}",
                args,
                &plan.args
            );
            prop_assert!(!plan.changes.is_empty());
            let again = bench.plan(&plan.args);
            prop_assert_eq!(&again.next, &Next::Nothing);
            prop_assert_eq!(&again.args, &plan.args);
        }
        Next::Nothing => prop_assert_eq!(&plan.args, args),
        Next::AskOperator => {
            prop_assert!(bench.attended && !plan.choices.is_empty());
            for choice in &plan.choices {
                prop_assert!(!choice.options.is_empty() && choice.options.len() <= 9);
            }
        }
        Next::AskModel(question) => prop_assert!(question.params().count() > 0),
        Next::Retry => prop_assert!(false, "nothing failed for a while"),
        Next::Stop { why, .. } => prop_assert!(!why.is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(overrule_testing::cases(2))]

    /// Applied arguments satisfy the schema and need nothing more; the same case gives the same plan.
    #[test]
    fn what_is_applied_is_right_and_done(schema in schema(), args in args(), attended in any::<bool>()) {
        let bench = bench(&schema, Guesses::Reads, EffectClass::Read, attended);
        let args = args.to_string();
        let plan = bench.plan(&args);
        sound(&bench, &args, &plan)?;
        prop_assert_eq!(&bench.plan(&args), &plan);
    }

    /// Without permission to guess, no value changes its meaning; what would is a question or is flagged.
    #[test]
    fn no_meaning_changes_without_a_flag(schema in schema(), args in args()) {
        for guesses in [Guesses::Never, Guesses::Reads, Guesses::Always] {
            let bench = bench(&schema, guesses, EffectClass::Write, true);
            let plan = bench.plan(&args.to_string());
            for change in &plan.changes {
                prop_assert!(change.certainty != Certainty::Changed, "{:?}", change);
                prop_assert!(change.certainty == Certainty::Exact || guesses == Guesses::Always, "{:?}", change);
                let (Some(from), Some(to)) = (&change.from, &change.to) else { continue };
                if change.certainty == Certainty::Exact {
                    let from = serde_json::from_str(from).unwrap();
                    let to = serde_json::from_str(to).unwrap();
                    prop_assert!(same_meaning(&from, &to), "{:?}", change);
                }
            }
        }
    }

    /// Values that come from other calls are never replaced.
    #[test]
    fn references_stay(schema in schema(), args in args()) {
        let mut args = args;
        args["alpha"] = json!("†call.c1.x");
        let plan = bench(&schema, Guesses::Always, EffectClass::Read, true).plan(&args.to_string());
        let after: Value = serde_json::from_str(&plan.args).unwrap();
        prop_assert_eq!(&after["alpha"], &args["alpha"]);
    }

    /// Any text and any error give a plan, with the labels of the call unchanged.
    #[test]
    fn every_input_is_survived(text in r#"[\[\]{}",:'0-9eE.+\\u†a-z _/\n-]{0,60}"#, message in ".{0,200}", name in "[a-z.\\[\\]0-9'/~]{0,12}") {
        let schema = json!({"properties": {"a": {"type": "integer"}, "b": {"enum": ["x"]}}, "required": ["b"]});
        let bench = bench(&schema, Guesses::Always, EffectClass::Read, true);
        let plan = bench.plan(&text);
        if plan.next == Next::Apply {
            prop_assert!(bench.checker.check_open(&plan.args).is_empty());
        }
        for error in [
            refused(&message),
            refused(&format!("Invalid date format for '{name}' {message}")),
            failed(ErrorClass::Business, &message, &format!("'{name}' must be >= {message}")),
        ] {
            let args = json!({"a": 1, "b": "x", name.clone(): message.clone()}).to_string();
            let plan = bench.after(&args, &error);
            if plan.next == Next::Apply {
                prop_assert!(bench.checker.check_open(&plan.args).is_empty());
                prop_assert_ne!(&plan.args, &args);
            }
            let _ = bench.after(&text, &error);
        }
    }

    /// An answer of the model is accepted only if it improves the arguments.
    #[test]
    fn answers_fit_or_are_rejected(schema in schema(), args in args(), answer in value()) {
        let bench = bench(&schema, Guesses::Always, EffectClass::Read, true);
        let plan = bench.plan(&args.to_string());
        let Next::AskModel(question) = &plan.next else { return Ok(()) };
        for text in [answer.to_string(), json!({"alpha": &answer, "gamma": &answer}).to_string(), "…".to_owned()] {
            if let Ok((after, changes)) = question.answered(&plan.args, &text) {
                let before = bench.checker.check_open(&plan.args).len();
                prop_assert!(bench.checker.check_open(&after).len() < before, "{} -> {}", &plan.args, after);
                prop_assert!(!changes.is_empty());
            }
        }
    }
}
