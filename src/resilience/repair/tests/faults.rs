//! Tests whole calls: all faults of one are repaired in one round, with one diff.
//!
//! Must not know: how a strategy works.

use serde_json::json;

use super::kit::{Bench, applied, asked, flight, given_up, guessing, refused};
use crate::repair::{Guesses, Next};
use overrule_domain::repair::{Certainty, ErrorKind, Strategy};
use overrule_domain::repair_stats::{RepairStats, StrategyCount};

#[test]
fn all_errors_are_repaired_in_one_round_with_one_diff() {
    let bench = guessing(flight());
    let args = r#"{"origin":"JFK","destination":" LAX ","departureDate":"Oct 26, 2024","passengers":"2","class":"business class"}"#;
    let plan = bench.plan(args);
    assert_eq!(
        applied(&plan),
        Some(json!({
            "origin": "JFK", "destination": "LAX", "departure_date": "2024-10-26",
            "passengers": 2, "class": "business"
        }))
    );
    let changed: Vec<&str> = plan.changes.iter().map(|change| &*change.path).collect();
    assert_eq!(plan.changes.len(), 5, "{changed:?}");
    for path in [
        "/destination",
        "/departureDate",
        "/departure_date",
        "/passengers",
        "/class",
    ] {
        assert_eq!(changed.iter().filter(|one| **one == path).count(), 1, "{path}");
    }
    let class = plan
        .changes
        .iter()
        .find(|change| &*change.path == "/class")
        .unwrap();
    assert_eq!(
        (class.certainty, class.from.as_deref()),
        (Certainty::Guess, Some("\"business class\""))
    );
    let exact = plan
        .changes
        .iter()
        .filter(|change| change.certainty == Certainty::Exact);
    assert_eq!(exact.count(), 4);
    // The result is valid, so nothing is left to do.
    assert_eq!(bench.plan(&plan.args).next, Next::Nothing);
}

#[test]
fn nothing_is_changed_where_nothing_is_wrong() {
    let args = r#"{"origin":"JFK","destination":"LAX","departure_date":"2024-10-26"}"#;
    let plan = flight().plan(args);
    assert_eq!(
        (plan.next, plan.changes.len(), plan.args.as_str()),
        (Next::Nothing, 0, args)
    );
    assert!(plan.diagnoses.is_empty());
}

#[test]
fn six_kinds_of_errors_are_distinguished() {
    let event = Bench::new(
        "create_event",
        &json!({
            "type": "object",
            "properties": {
                "date": {"type": "string", "format": "date"},
                "temp": {"type": "integer", "minimum": 0, "maximum": 100},
                "phone": {"type": "string", "pattern": "^\\+1 \\(\\d{3}\\) \\d{3}-\\d{4}$"},
                "seats": {"type": "integer"},
                "room": {"enum": ["a", "b"]},
                "who": {"type": "string"}
            },
            "required": ["who"]
        }),
    );
    let plan =
        event.plan(r#"{"date":"2023/10/26","temp":-100,"phone":"123-456-7890","seats":[1,2],"room":"c"}"#);
    let kind = |path: &str| {
        let found = plan
            .diagnoses
            .iter()
            .find(|one| one.params.iter().any(|param| &**param == path));
        found.map(|one| one.kind)
    };
    assert_eq!(kind("/date"), Some(ErrorKind::FormatError));
    assert_eq!(kind("/temp"), Some(ErrorKind::OutOfRange));
    assert_eq!(kind("/phone"), Some(ErrorKind::FormatError));
    assert_eq!(kind("/seats"), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind("/room"), Some(ErrorKind::SchemaValidation));
    assert_eq!(kind("/who"), Some(ErrorKind::MissingRequired));
    // Rules do what they can, the model is asked for the rest immediately, and the bound waits for
    // a person.
    let changed: Vec<&str> = plan.changes.iter().map(|change| &*change.path).collect();
    assert_eq!(changed, ["/date"]);
    let mut expected: Vec<&str> = asked(&plan).unwrap().params().collect();
    expected.sort_unstable();
    assert_eq!(expected, ["/phone", "/room", "/seats", "/who"]);
    assert_eq!(plan.choices.len(), 1);
    assert_eq!(&*plan.choices[0].path, "/temp");
}

#[test]
fn what_is_still_wrong_after_the_model_answered_is_looked_at_without_an_execution() {
    let mut bench = flight();
    let args = r#"{"origin":"JFK","destination":"Los Angeles","departure_date":"10/11/2024"}"#;
    let plan = bench.plan(args);
    let question = asked(&plan).unwrap();
    assert_eq!(question.params().collect::<Vec<_>>(), ["/destination"]);
    let (answered, changes) = question.answered(&plan.args, r#"{"destination":"LAX"}"#).unwrap();
    assert_eq!(
        (changes.len(), changes[0].strategy),
        (1, Strategy::LlmBasedFormatCorrection)
    );
    bench.asked = true;
    let plan = bench.look(args, &answered, None);
    assert_eq!(plan.next, Next::AskOperator);
    assert_eq!(&*plan.choices[0].path, "/departure_date");
    let chosen = answered.replace("10/11/2024", "2024-11-10");
    let plan = bench.look(args, &chosen, None);
    assert_eq!((plan.next, plan.args), (Next::Apply, chosen));
}

#[test]
fn the_model_is_asked_once_for_one_repair() {
    let mut bench = flight();
    bench.asked = true;
    let plan = bench.plan(r#"{"origin":"JFK","destination":"LAX"}"#);
    assert!(given_up(&plan).unwrap().0.contains("departure_date"), "{plan:?}");
}

#[test]
fn the_budget_is_asked_before_anything_is_done() {
    let mut bench = flight();
    let wrong = r#"{"origin":"JFK","destination":"LAX"}"#;
    for tried in [r#"{"a":1}"#, r#"{ "a": 1 }"#, r#"{"a":2}"#] {
        bench.past.tried(tried);
    }
    assert_eq!(bench.past.executions(), 2, "however they are written");
    assert!(asked(&bench.plan(wrong)).is_some());
    bench.past.tried(r#"{"a":3}"#);
    let plan = bench.plan(wrong);
    let (why, critical) = given_up(&plan).unwrap();
    assert!(why.contains("3 are allowed") && !critical, "{why}");
    assert!(
        plan.changes.is_empty() && plan.diagnoses.is_empty(),
        "nothing was computed"
    );
    let mut rounds = flight();
    rounds.past.rounds = 3;
    assert!(
        given_up(&rounds.plan(wrong))
            .unwrap()
            .0
            .contains("repaired 3 times")
    );
}

#[test]
fn arguments_that_were_tried_are_not_tried_again() {
    let mut bench = flight();
    bench
        .past
        .tried(r#"{"destination":"LAX","departure_date":"2024-10-26","origin":"JFK"}"#);
    let plan = bench.plan(r#"{"origin":"JFK","destination":"LAX","departure_date":"Oct 26, 2024"}"#);
    assert!(given_up(&plan).unwrap().0.contains("tried before"), "{plan:?}");
}

#[test]
fn repair_can_be_disabled() {
    let mut bench = flight();
    bench.rules.on = false;
    let args = r#"{"origin":" JFK","destination":"LAX","departure_date":"2024-10-26"}"#;
    assert!(given_up(&bench.plan(args)).is_some());
    bench.rules.on = true;
    assert!(applied(&bench.plan(args)).is_some());
}

#[test]
fn a_call_of_which_nearly_everything_is_wrong_is_given_up_at_once() {
    let bench = flight();
    let more = |count: usize| {
        let names: Vec<String> = (0..count).map(|no| format!(r#""origin{no}":"JFK""#)).collect();
        format!(r#"{{"origin":"JFK","destination":"LAX",{}}}"#, names.join(","))
    };
    // Violations that may be mere slips are examined one by one.
    assert_ne!(bench.plan(&more(3)).diagnoses, []);
    for count in [40, 5_000] {
        let plan = bench.plan(&more(count));
        let (why, _) = given_up(&plan).expect("nothing is tried");
        assert!(why.contains("more than 32 things"), "{why}");
        assert_eq!((plan.changes.len(), plan.choices.len()), (0, 0));
    }
}

#[test]
fn arguments_that_are_too_long_to_be_tried_are_given_up() {
    let bench = Bench::of(&json!({"type": "integer"}));
    let with = |bytes: usize| format!(r#"{{"x":"7","more":"{}"}}"#, "m".repeat(bytes));
    let short = bench.plan(&with(1_000_000));
    assert_eq!(applied(&short).unwrap()["x"], 7);
    let long = bench.plan(&with(40_000_000));
    assert_eq!((long.changes.len(), long.choices.len()), (0, 0));
    assert_ne!(long.next, Next::Apply);
}

#[test]
fn a_model_that_helped_more_often_is_asked_before_a_guess_and_never_before_an_exact_repair() {
    let mut bench = Bench::of(&json!({"type": "string"}));
    let counts = |strategies: [(Strategy, u32); 3]| {
        let mut stats = RepairStats::default();
        let tool = stats.tools.entry("t".into()).or_default();
        for (strategy, succeeded) in strategies {
            let (tried, failed) = (3, 3 - succeeded);
            let count = StrategyCount {
                tried,
                succeeded,
                failed,
                ..StrategyCount::default()
            };
            tool.insert(strategy, count);
        }
        Some(stats)
    };
    bench.rules.guesses = Guesses::Always;
    bench.stats = counts([
        (Strategy::DateFormatCorrection, 0),
        (Strategy::TextCleanup, 0),
        (Strategy::LlmBasedFormatCorrection, 3),
    ]);
    let day = bench.after(r#"{"x":"Oct 26, 2024"}"#, &refused("Invalid date format for 'x'"));
    assert_eq!(applied(&day), Some(json!({"x": "2024-10-26"})));
    assert_eq!(day.diagnoses[0].learnt, None);
    let wrong = refused("Parameter 'x' does not match pattern");
    let blanks = bench.after(r#"{"x":" 1.2"}"#, &wrong);
    assert_eq!(applied(&blanks), Some(json!({"x": "1.2"})));
    let quotes = bench.after(r#"{"x":"'1.2'"}"#, &wrong);
    assert!(asked(&quotes).is_some(), "{quotes:?}");
    // Without what was learned, or without a clear difference, the guess comes first.
    for stats in [
        None,
        counts([
            (Strategy::DateFormatCorrection, 0),
            (Strategy::TextCleanup, 2),
            (Strategy::LlmBasedFormatCorrection, 3),
        ]),
    ] {
        bench.stats = stats;
        let quotes = bench.after(r#"{"x":"'1.2'"}"#, &wrong);
        assert_eq!(applied(&quotes), Some(json!({"x": "1.2"})));
    }
}

#[test]
fn a_round_ends_when_its_checks_have_cost_enough() {
    let parts = vec![json!({"$ref": "#/$defs/c"}); 20];
    let schema = json!({
        "properties": {"x": {"type": "integer"}, "list": {"items": {"allOf": parts}}}, "$defs": {"c": {"type": "integer"}}
    });
    let bench = Bench::new("t", &schema);
    let plan = |length: usize| {
        let list: Vec<usize> = (1000..1000 + length).collect();
        bench.plan(&json!({"x": "5", "list": list}).to_string())
    };
    assert_eq!(plan(100).changes.len(), 1);
    // Each check costs a little less than it may: there is no room for all that a repair takes.
    assert!(
        bench
            .checker
            .cost(&json!({"list": vec![1000; 2_000]}).to_string())
            .unwrap()
            > 80_000
    );
    assert!(plan(2_000).changes.is_empty());
}
