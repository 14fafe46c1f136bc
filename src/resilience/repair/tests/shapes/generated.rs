//! Tests of values in the wrong shape with generated values.
//!
//! Must not know: other strategies.

use super::*;

/// Writes a value as Python does.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let members: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", python(&Value::from(key.as_str())), python(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

fn valid() -> impl proptest::strategy::Strategy<Value = Value> {
    let text = "[a-zA-Z0-9 ,;'\"\\\\\\[\\]{}()é:/†_-]{1,8}";
    (
        text,
        prop::option::of(prop::collection::vec(text, 0..3)),
        prop::option::of(any::<bool>()),
        prop::option::of(-50_i64..50),
        prop::option::of(("[A-Z]{1,4}", prop::option::of(0_i64..9))),
    )
        .prop_map(|(title, labels, watch, points, project)| {
            let mut args = json!({ "title": title });
            for (name, value) in [
                ("labels", labels.map(Value::from)),
                ("watch", watch.map(Value::from)),
                ("points", points.map(Value::from)),
                (
                    "project",
                    project.map(|(key, points)| match points {
                        Some(points) => json!({"key": key, "points": points}),
                        None => json!({ "key": key }),
                    }),
                ),
            ] {
                if let Some(value) = value {
                    args[name] = value;
                }
            }
            args
        })
}

proptest! {
    #![proptest_config(overrule_testing::cases(2))]

    /// A valid call stays, byte for byte. In a wrong shape it becomes what it was, or is left.
    #[test]
    fn what_was_right_comes_out_or_nothing_does(args in valid()) {
        let text = args.to_string();
        let plan = tool().plan(&text);
        prop_assert_eq!((plan.next, plan.args), (Next::Nothing, text.clone()));
        let quoted = python(&args);
        let mut loose = args.clone();
        for (_, value) in loose.as_object_mut().unwrap() {
            *value = if value.is_string() { json!([value]) } else { json!(python(value)) };
        }
        // A text that begins so would come from another call.
        let elsewhere = text.contains("\"†");
        for shape in [
            json!({"arguments": args}).to_string(),
            json!({"name": "open_ticket", "arguments": text}).to_string(),
            json!([args]).to_string(),
            json!(text).to_string(),
            json!(quoted).to_string(),
            quoted,
            loose.to_string(),
        ] {
            let made = whole(&shape);
            let right = made.as_ref() == Some(&args);
            prop_assert!(right || (elsewhere && made.is_none()), "{} -> {:?}", shape, made);
        }
    }
}
