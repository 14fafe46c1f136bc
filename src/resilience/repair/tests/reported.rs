//! Tests that the text of a server removes no repair, for many schemas, faults and styles of texts.
//!
//! Must not know: how a text is read.

use serde_json::{Value, json};

use super::error_texts::{EMPTY, Seen, Wrong, texts};
use super::kit::{Bench, applied, refused};
use crate::repair::{Guesses, Next, Plan};

/// A fault: the schema, the arguments, the argument at fault and what is wrong with it.
pub struct Row {
    pub schema: Value,
    pub args: Value,
    pub path: String,
    pub wrong: Wrong,
}

impl Row {
    pub fn seen(&self) -> Seen<'_> {
        Seen {
            path: &self.path,
            value: self.args.pointer(&self.path).cloned().unwrap_or(Value::Null),
            args: &self.args,
            wrong: &self.wrong,
        }
    }
}

/// A property: its name, its schema, wrong values, what a server would say of them.
type Property = (&'static str, Value, Vec<Value>, Wrong);

/// Values of one property that are wrong, with what a server would say of them.
fn types() -> Vec<Property> {
    vec![
        (
            "passengers",
            json!({"type": "integer"}),
            vec![
                json!("2"),
                json!("2.0"),
                json!([2]),
                json!("two"),
                json!(2.5),
                json!(null),
                json!(" 3 "),
                json!({"value": 2}),
            ],
            Wrong::Type("integer"),
        ),
        (
            "minutes",
            json!({"type": "integer"}),
            vec![json!("90 min"), json!("90"), json!("1.5 h")],
            Wrong::Type("integer"),
        ),
        (
            "amount",
            json!({"type": "number"}),
            vec![json!("2.5"), json!("1,5"), json!("€ 3"), json!(["7.25"])],
            Wrong::Type("number"),
        ),
        (
            "dry_run",
            json!({"type": "boolean"}),
            vec![json!("true"), json!("yes"), json!(1), json!("maybe")],
            Wrong::Type("boolean"),
        ),
        (
            "id",
            json!({"type": "string"}),
            vec![json!(5), json!(true), json!(["a1"])],
            Wrong::Type("string"),
        ),
        (
            "labels",
            json!({"type": "array", "items": {"type": "string"}}),
            vec![json!("a"), json!("['a', 'b']"), json!("a, b"), json!(7)],
            Wrong::Type("array"),
        ),
        (
            "counts",
            json!({"type": "array", "items": {"type": "integer"}}),
            vec![json!("[1,2]"), json!("1, 2"), json!("5")],
            Wrong::Type("array"),
        ),
        (
            "options",
            json!({"type": "object", "properties": {"deep": {"type": "integer"}}}),
            vec![json!("{\"deep\":1}"), json!("{'deep': 2}"), json!([{"deep": 3}])],
            Wrong::Type("object"),
        ),
    ]
}

/// Texts and numbers of one property that are wrong.
fn texts_and_numbers() -> Vec<Property> {
    let cabin = vec!["economy", "business", "first"];
    let units = vec!["celsius", "fahrenheit", "kelvin"];
    vec![
        (
            "class",
            json!({"enum": cabin}),
            vec![
                json!("Economy"),
                json!("business class"),
                json!(" first"),
                json!("bussiness"),
                json!("coach"),
                json!(["first"]),
            ],
            Wrong::OneOf(cabin.clone()),
        ),
        (
            "unit",
            json!({"type": "string", "enum": units}),
            vec![json!("Celcius"), json!("KELVIN"), json!("F"), json!("farenheit")],
            Wrong::OneOf(units.clone()),
        ),
        (
            "sort_by",
            json!({"enum": ["title", "date"]}),
            vec![json!("Title"), json!("dates"), json!("size")],
            Wrong::OneOf(vec!["title", "date"]),
        ),
        (
            "type",
            json!({"enum": ["bug", "wish"]}),
            vec![json!("Bug"), json!("'wish'")],
            Wrong::OneOf(vec!["bug", "wish"]),
        ),
        (
            "origin",
            json!({"type": "string", "pattern": "^[A-Z]{3}$"}),
            vec![json!(" JFK"), json!("jfk"), json!("\"JFK\""), json!("New York")],
            Wrong::Pattern("^[A-Z]{3}$"),
        ),
        (
            "seats",
            json!({"type": "integer", "minimum": 1}),
            vec![json!(0), json!(-3)],
            Wrong::AtLeast(1),
        ),
        (
            "limit",
            json!({"type": "integer", "maximum": 100}),
            vec![json!(250), json!(101)],
            Wrong::AtMost(100),
        ),
    ]
}

/// Texts of one property that have another format than its schema wants.
fn formats() -> Vec<Property> {
    vec![
        (
            "departure_date",
            json!({"type": "string", "format": "date"}),
            vec![
                json!("Oct 26, 2024"),
                json!("2024/10/26"),
                json!("26.10.2024"),
                json!("10/11/2024"),
                json!("tomorrow"),
                json!("2024-10-26T00:00:00"),
                json!("soon"),
            ],
            Wrong::Format("date"),
        ),
        (
            "date",
            json!({"type": "string", "format": "date"}),
            vec![json!("26 October 2024"), json!("20241026"), json!("10/26/2024")],
            Wrong::Format("date"),
        ),
        (
            "starts_at",
            json!({"type": "string", "format": "date-time"}),
            vec![
                json!("Sat, 26 Oct 2024 10:00:00 +0200"),
                json!("2024-10-26 10:00:00"),
                json!("2024-10-26 10:00:00Z"),
            ],
            Wrong::Format("date-time"),
        ),
        (
            "to",
            json!({"type": "string", "format": "email"}),
            vec![
                json!("<mailto:ada@b.example>"),
                json!(" ada@b.example"),
                json!("ada"),
            ],
            Wrong::Format("email"),
        ),
        (
            "trace",
            json!({"type": "string", "format": "uuid"}),
            vec![json!("{67E5504410B1426F9247BB680E5FE0C8}"), json!("nope")],
            Wrong::Format("uuid"),
        ),
    ]
}

/// Calls that lack or have something: schema, arguments, path.
fn members() -> Vec<(Value, Value, &'static str, Wrong)> {
    let trip = |more: Value| {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "origin": {"type": "string"}, "departure_date": {"type": "string", "format": "date"},
                "passengers": {"type": "integer", "minimum": 1}, "class": {"enum": ["economy", "first"]},
                "note": {"type": "string"}
            },
            "required": ["origin", "departure_date"], "additionalProperties": false
        });
        for (key, value) in more.as_object().unwrap() {
            schema[key] = value.clone();
        }
        schema
    };
    let unit = json!({"required": ["unit"], "properties": {"unit": {"type": "string", "default": "km"}, "origin": {"type": "string"}}});
    vec![
        (
            trip(json!({})),
            json!({"origin": "JFK"}),
            "/departure_date",
            Wrong::Missing,
        ),
        (
            trip(json!({})),
            json!({"origin": "JFK", "departureDate": "2024-10-26"}),
            "/departure_date",
            Wrong::Missing,
        ),
        (
            trip(json!({})),
            json!({"origin": "JFK", "departureDate": "2024-10-26"}),
            "/departureDate",
            Wrong::Extra,
        ),
        (
            trip(json!({})),
            json!({"origin": "JFK", "departure-date": "2024-10-26", "passengers": 2}),
            "/departure-date",
            Wrong::Extra,
        ),
        (
            trip(json!({})),
            json!({"origin": "JFK", "departure_date": "2024-10-26", "seat": "12A"}),
            "/seat",
            Wrong::Extra,
        ),
        (
            trip(json!({})),
            json!({"origin": "JFK", "departure_date": "2024-10-26", "seat": null}),
            "/seat",
            Wrong::Extra,
        ),
        (
            trip(json!({})),
            json!({"arguments": {"origin": "JFK", "departure_date": "2024-10-26"}}),
            "/origin",
            Wrong::Missing,
        ),
        (
            trip(json!({})),
            json!({"arguments": {"origin": "JFK", "departure_date": "2024-10-26"}}),
            "/arguments",
            Wrong::Extra,
        ),
        (
            trip(json!({})),
            json!({"input": "{\"origin\":\"JFK\",\"departure_date\":\"2024-10-26\"}"}),
            "/departure_date",
            Wrong::Missing,
        ),
        (
            trip(json!({})),
            json!({"origin": "JFK", "departure_date": "2024-10-26", "class": null}),
            "/class",
            Wrong::OneOf(vec!["economy", "first"]),
        ),
        (trip(unit), json!({"origin": "JFK"}), "/unit", Wrong::Missing),
        (
            trip(json!({"required": ["class"]})),
            json!({"origin": "JFK"}),
            "/class",
            Wrong::Missing,
        ),
    ]
}

/// Returns all rows: each value at the top, in an object, in a list, and as an item of a list of values.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let object = |name: &str, place: &Value| {
        json!({
            "type": "object",
            "properties": {name: place, "note": {"type": "string"}, "status": {"enum": ["open", "closed"]}},
            "required": [name], "additionalProperties": false
        })
    };
    for (name, place, values, wrong) in types().into_iter().chain(texts_and_numbers()).chain(formats()) {
        for value in values {
            let inner = object(name, &place);
            let args = json!({name: value, "note": "hello there", "status": "open"});
            let outer = |name: &str, place: Value| json!({"type": "object", "properties": {name: place, "title": {"type": "string"}}, "required": [name]});
            let row = |schema: Value, args: Value, path: String| Row {
                schema,
                args,
                path,
                wrong: wrong.clone(),
            };
            rows.push(row(inner.clone(), args.clone(), format!("/{name}")));
            rows.push(row(
                outer("trip", inner.clone()),
                json!({"trip": args, "title": "x1"}),
                format!("/trip/{name}"),
            ));
            rows.push(row(
                outer("legs", json!({"type": "array", "items": inner})),
                json!({"legs": [args], "title": "x1"}),
                format!("/legs/0/{name}"),
            ));
        }
    }
    rows.extend(members().into_iter().map(|(schema, args, path, wrong)| Row {
        schema,
        args,
        path: path.to_owned(),
        wrong,
    }));
    rows
}

fn bench(schema: &Value, attended: bool) -> Bench {
    let mut bench = Bench::new("t", schema).reading();
    bench.rules.guesses = Guesses::Always;
    bench.attended = attended;
    bench
}

/// Returns what a plan does: its next step, the arguments, and what it asks for.
fn step(plan: &Plan) -> (String, Value, Vec<String>) {
    let args = serde_json::from_str(&plan.args).unwrap_or(Value::Null);
    let (kind, mut asked) = match &plan.next {
        Next::AskModel(question) => ("ask", question.params().map(str::to_owned).collect()),
        Next::AskOperator => (
            "offer",
            plan.choices.iter().map(|one| format!("{one:?}")).collect(),
        ),
        Next::Apply => ("apply", Vec::new()),
        Next::Nothing => ("nothing", Vec::new()),
        Next::Retry => ("retry", Vec::new()),
        Next::Stop { .. } => ("stop", Vec::new()),
    };
    asked.sort();
    (kind.to_owned(), args, asked)
}

#[test]
fn a_text_of_the_server_takes_no_repair_away() {
    let mut repairs = 0;
    for row in overrule_testing::sample(rows(), 12) {
        for attended in [true, false] {
            let bench = bench(&row.schema, attended);
            let args = row.args.to_string();
            let without = bench.plan(&args);
            assert_ne!(without.next, Next::Nothing, "{args} {}", row.schema);
            let empty = EMPTY.iter().map(|text| ("empty", (*text).to_owned()));
            for (style, text) in texts(&row.seen()).into_iter().chain(empty) {
                let with = bench.after(&args, &refused(&text));
                let is_stop = matches!(without.next, Next::Stop { .. });
                let is_same = step(&without) == step(&with) || (is_stop && without.args == with.args);
                assert!(
                    is_same,
                    "{style}: {args} {text:?}\n{:?}\n{:?}",
                    step(&without),
                    step(&with)
                );
                repairs += usize::from(applied(&with).is_some());
            }
        }
    }
    assert!(repairs > 100, "{repairs}");
}

#[test]
fn a_text_about_another_argument_leaves_the_repair_by_the_schema() {
    for row in overrule_testing::sample(rows(), 24) {
        let bench = bench(&row.schema, true);
        let args = row.args.to_string();
        let without = bench.plan(&args);
        for text in [
            "'status' must be one of [shut, ajar]",
            "status is required",
            "note: must be an integer",
            "Invalid date format for 'note'",
            "title is invalid",
        ] {
            let with = bench.after(&args, &refused(text));
            if matches!(without.next, Next::Stop { .. }) {
                continue;
            }
            assert_eq!(step(&without), step(&with), "{args} {text}");
        }
    }
}

/// Removes from a schema what says more than the names.
fn loosened(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(key, _)| matches!(key.as_str(), "properties" | "items"));
            let mut loose = serde_json::Map::new();
            for (key, value) in kept {
                let inner = match value {
                    Value::Object(map) if key == "properties" => map
                        .iter()
                        .map(|(name, place)| (name.clone(), loosened(place)))
                        .collect(),
                    other => loosened(other),
                };
                loose.insert(key.clone(), inner);
            }
            Value::Object(loose)
        }
        other => other.clone(),
    }
}

#[test]
fn where_the_schema_is_silent_the_text_names_the_argument() {
    let (mut all, mut named, mut repaired) = (0, 0, 0);
    for row in overrule_testing::sample(rows(), 6) {
        let strict = bench(&row.schema, true);
        let loose = bench(&loosened(&row.schema), true);
        let args = row.args.to_string();
        let expected = applied(&strict.plan(&args));
        for (_, text) in texts(&row.seen()) {
            let plan = loose.after(&args, &refused(&text));
            let mut params = plan.diagnoses.iter().flat_map(|one| &one.params);
            let is_named = params.any(|path| path.starts_with(row.path.as_str()));
            named += usize::from(is_named);
            all += 1;
            repaired += usize::from(expected.is_some() && applied(&plan) == expected);
        }
    }
    // Some texts name neither an argument nor its value.
    assert!(named * 100 >= all * 98, "{named} of {all}");
    // The schema alone says which values are allowed, so the model is asked about many.
    assert!(repaired * 3 > all, "{repaired} of {all}");
}
