//! Tests the formula of weights and what follows from it.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::execution::Execution;
use overrule_domain::call::ErrorClass;
use overrule_domain::id::{Attempt, NodeId, NodeKind, Rev, Seq};

fn run(seq: u64, kind: &str, tool: &str, error: Option<ErrorClass>) -> Fact {
    Fact::Ran(Execution {
        seq: Seq(seq),
        call: NodeId::new(NodeKind::Call, seq as u32),
        rev: Rev(1),
        attempt: Attempt(1),
        tool: Arc::from(tool),
        kind: Arc::from(kind),
        at: seq as i64,
        ms: 10,
        error,
        complexity: 0.0,
    })
}

fn runs(kind: &str, tool: &str, results: &[Option<ErrorClass>]) -> Vec<Fact> {
    let numbered = results.iter().zip(1..);
    numbered
        .map(|(error, seq)| run(seq, kind, tool, *error))
        .collect()
}

fn fold(facts: &[Fact]) -> Weights {
    Weights::fold(Settings::default(), Priors::default(), facts)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.000_5
}

const FIVE_AUTH: [Option<ErrorClass>; 5] = [Some(ErrorClass::Auth); 5];

#[test]
fn five_failures_give_the_figures_of_the_table() {
    for (class, expected) in [
        (ErrorClass::Auth, 0.295),
        (ErrorClass::NotFound, 0.295),
        (ErrorClass::Business, 0.295),
        (ErrorClass::Internal, 0.295),
        (ErrorClass::Transient, 0.429),
    ] {
        let weights = fold(&runs("look", "search", &[Some(class); 5]));
        let found = weights.weight("look", "search");
        assert!(near(found, expected), "{class:?}: {found}");
        assert_eq!(weights.samples("look", "search"), 5);
    }
}

#[test]
fn the_callers_faults_do_not_touch_the_weight_of_the_tool() {
    let faults = [ErrorClass::Param, ErrorClass::Structural, ErrorClass::Cancelled].map(Some);
    let weights = fold(&runs("look", "search", &faults));
    assert!(near(weights.weight("look", "search"), 0.5));
    assert_eq!(weights.explain("look", "search").count(), 0);
    assert_eq!(weights.executions(), 3);
}

#[test]
fn success_counts_more_where_more_was_asked_and_where_it_was_quick() {
    let with = |complexity: f64, ms: u64| {
        let mut facts = runs("look", "search", &[None; 2]);
        for (fact, (complexity, ms)) in facts.iter_mut().zip([(0.0, 100), (complexity, ms)]) {
            if let Fact::Ran(run) = fact {
                (run.complexity, run.ms) = (complexity, ms);
            }
        }
        let weights = fold(&facts);
        let gains: Vec<f64> = weights
            .explain("look", "search")
            .filter_map(|change| match change.why {
                Why::Succeeded { gain, .. } => Some(gain),
                _ => None,
            })
            .collect();
        gains[1]
    };
    assert!(near(with(0.0, 100), 0.5), "slow and simple");
    assert!(near(with(1.0, 100), 0.75), "slow and complex");
    assert!(near(with(0.0, 50), 0.625), "half the time of the slowest");
    assert!(near(with(1.0, 0), 1.0), "complex and immediate");
}

#[test]
fn kinds_of_task_have_weights_of_their_own_and_a_new_kind_begins_with_what_the_tool_did_elsewhere() {
    let weights = fold(&runs("look", "shell", &FIVE_AUTH));
    assert!(near(weights.raw("run", "shell"), 0.5));
    assert!(
        near(weights.weight("run", "shell"), 0.295),
        "nothing known of this kind"
    );
    assert!(
        near(weights.weight("run", "search"), 0.5),
        "nothing known of this tool"
    );
    // With five samples of its own, a kind counts as much as the mean of the tool.
    let mut facts = runs("look", "shell", &FIVE_AUTH);
    facts.extend(runs("run", "shell", &[None; 5]));
    let weights = fold(&facts);
    let (look, run) = (weights.raw("look", "shell"), weights.raw("run", "shell"));
    let mean = f64::midpoint(look, run);
    assert!(near(weights.weight("run", "shell"), f64::midpoint(run, mean)));
    assert!(near(weights.weight("look", "shell"), f64::midpoint(look, mean)));
}

#[test]
fn a_weight_contradicted_by_five_attempts_is_reset_to_them() {
    let good = vec![None; 40];
    let mut facts = runs("look", "search", &good);
    assert!(fold(&facts).raw("look", "search") > 0.85);
    for seq in 41..=44 {
        facts.push(run(seq, "look", "search", Some(ErrorClass::Auth)));
    }
    assert!(fold(&facts).raw("look", "search") > 0.5, "four do not");
    facts.push(run(45, "look", "search", Some(ErrorClass::Auth)));
    let weights = fold(&facts);
    assert!(near(weights.raw("look", "search"), 0.295));
    assert_eq!(weights.samples("look", "search"), 5);
    let last = weights.explain("look", "search").next_back().unwrap();
    assert_eq!((last.why.clone(), last.seq), (Why::Contradicted, Seq(45)));
    // And in the other direction.
    let mut facts = runs("look", "search", &[Some(ErrorClass::Auth); 30]);
    facts.extend((31..=35).map(|seq| run(seq, "look", "search", None)));
    assert!(fold(&facts).raw("look", "search") > 0.6);
}

#[test]
fn a_sudden_change_raises_one_alert_and_a_slow_one_none() {
    let weights = fold(&runs("look", "search", &FIVE_AUTH));
    let [alert] = weights.alerts() else {
        panic!("{:?}", weights.alerts())
    };
    assert_eq!(
        (alert.seq, &*alert.tool, &*alert.kind),
        (Seq(5), "search", "look")
    );
    assert!(near(alert.by, -0.205) && near(alert.now, 0.295));
    assert_eq!(fold(&runs("look", "search", &FIVE_AUTH[..4])).alerts(), []);
    let slow = fold(&runs("look", "search", &[Some(ErrorClass::Transient); 5]));
    assert_eq!(slow.alerts(), []);
}

#[test]
fn a_rise_raises_an_alert_only_for_a_known_tool_that_failed_before() {
    let warm = fold(&runs("look", "search", &[None; 60]));
    assert!(warm.raw("look", "search") > 0.9);
    assert_eq!(warm.alerts(), [], "a healthy tool that warms up");
    let mut early = vec![Some(ErrorClass::Transient)];
    early.extend([None; 8]);
    let early = fold(&runs("look", "search", &early));
    assert!(early.raw("look", "search") > 0.6);
    assert_eq!(early.alerts(), [], "fewer than ten executions");
    let mut back = vec![Some(ErrorClass::Transient); 10];
    back.extend([None; 10]);
    let back = fold(&runs("look", "search", &back));
    let rises = back.alerts().iter().filter(|one| one.by > 0.0).count();
    assert_eq!(rises, 1, "{:?}", back.alerts());
}

#[test]
fn every_change_names_the_execution_that_caused_it() {
    let weights = fold(&runs(
        "look",
        "search",
        &[None, Some(ErrorClass::Auth), Some(ErrorClass::Param)],
    ));
    let changes: Vec<Change> = weights.explain("look", "search").collect();
    let causes: Vec<_> = changes
        .iter()
        .map(|change| (change.seq, change.execution))
        .collect();
    let execution = |no| Some((NodeId::new(NodeKind::Call, no), Attempt(1)));
    assert_eq!(causes, [(Seq(1), execution(1)), (Seq(2), execution(2))]);
    assert!(near(changes[0].before, 0.5));
    assert!(changes.windows(2).all(|pair| near(pair[0].after, pair[1].before)));
    assert!(changes[1].why.describe().contains("not permitted; counts 1.00"));
}

#[test]
fn an_operator_weight_counts_as_set_and_a_reset_starts_over() {
    let mut facts = runs("look", "search", &FIVE_AUTH);
    facts.extend(runs("run", "search", &[None; 9]));
    facts.push(Fact::Set {
        seq: Seq(20),
        kind: Arc::from("look"),
        tool: Arc::from("search"),
        weight: 0.9,
    });
    let weights = fold(&facts);
    assert!(near(weights.weight("look", "search"), 0.9));
    // No earlier failure counts against it.
    facts.push(run(21, "look", "search", Some(ErrorClass::Auth)));
    let weights = fold(&facts);
    assert!(near(weights.weight("look", "search"), 0.81));
    facts.push(Fact::Reset {
        seq: Seq(22),
        tool: Some(Arc::from("search")),
    });
    let weights = fold(&facts);
    assert!(near(weights.weight("look", "search"), 0.5));
    assert!(near(weights.weight("run", "search"), 0.5));
    let last = weights.explain("look", "search").next_back().unwrap();
    assert_eq!((last.why.clone(), last.execution), (Why::Reset, None));
}

#[test]
fn failing_tools_are_offered_last_with_a_note_and_nothing_else_moves() {
    let tools = ["search", "shell", "read_file"];
    let names = |weights: &Weights| -> Vec<String> {
        let offers = weights.offer("look", tools);
        offers
            .iter()
            .map(|offer| format!("{}{}", offer.tool, if offer.note.is_some() { " !" } else { "" }))
            .collect()
    };
    assert_eq!(names(&Weights::default()), tools);
    // What works well does not change the request.
    assert_eq!(names(&fold(&runs("look", "read_file", &[None; 60]))), tools);
    let mut facts = runs("look", "search", &FIVE_AUTH);
    assert_eq!(names(&fold(&facts)), ["shell", "read_file", "search !"]);
    facts.extend((6..=8).map(|seq| run(seq, "look", "shell", Some(ErrorClass::Business))));
    facts.extend((9..=20).map(|seq| run(seq, "look", "search", Some(ErrorClass::Auth))));
    assert_eq!(
        names(&fold(&facts)),
        ["read_file", "shell !", "search !"],
        "worst last"
    );
    let plain = Settings {
        order: false,
        ..Settings::default()
    };
    assert_eq!(names(&Weights::fold(plain, Priors::default(), &facts)), tools);
}

#[test]
fn a_tool_below_the_bound_needs_approval_and_is_hidden_only_if_enabled() {
    let facts = runs("look", "search", &[Some(ErrorClass::Auth); 7]);
    let asking = |facts| {
        let settings = Settings {
            ask_below: 0.25,
            ..Settings::default()
        };
        Weights::fold(settings, Priors::default(), facts)
    };
    let six = asking(&facts[..6]);
    assert_eq!(
        six.asks("look", "search"),
        None,
        "{}",
        six.weight("look", "search")
    );
    let weights = asking(&facts);
    let why = weights.asks("look", "search").unwrap();
    assert!(why.contains("its weight is 0.24, below 0.25"), "{why}");
    assert_eq!(weights.asks("look", "shell"), None);
    assert!(!weights.is_hidden("look", "search"));
    let hiding = Settings {
        hide_below: 0.25,
        ..Settings::default()
    };
    let weights = Weights::fold(hiding, Priors::default(), &facts);
    let offers = weights.offer("look", ["search", "shell"]);
    assert_eq!(
        offers.iter().map(|offer| offer.tool).collect::<Vec<_>>(),
        ["shell"]
    );
    // The operator is asked only if the settings say so.
    assert_eq!(fold(&facts).asks("look", "search"), None);
}

#[test]
fn task_kinds_are_classified_by_keywords() {
    let none = Kinds::default();
    let kind = |text: &str| classify(text, &none);
    assert_eq!(kind("Book a flight to Oslo").as_deref(), Some("plan"));
    assert_eq!(kind("Fix the failing test").as_deref(), Some("change"));
    assert_eq!(kind("RUN the tests!").as_deref(), Some("run"));
    assert_eq!(
        kind("Where is the parser, and what calls it?").as_deref(),
        Some("look")
    );
    assert_eq!(kind("bookings of nothing"), None);
    assert_eq!(kind(""), None);
    let own = Kinds::from([("music".to_owned(), vec!["Sing".to_owned(), "find".to_owned()])]);
    assert_eq!(classify("find a song", &own).as_deref(), Some("music"));
}

#[test]
fn the_cached_kind_of_a_prompt_is_valid_until_the_keywords_change() {
    let mut message = KindCache::default();
    let none = Kinds::default();
    let own = Kinds::from([("music".to_owned(), vec!["song".to_owned(), "task".to_owned()])]);
    for words in [&none, &own, &none] {
        for round in 0..2 {
            for no in 0..40 {
                let prompt = ["find a song", "fix it", "a task", ""][no % 4].repeat(no / 4 + 1);
                assert_eq!(
                    message.of(&prompt, words),
                    classify(&prompt, words),
                    "{round}: {prompt}"
                );
            }
        }
    }
}

#[test]
fn settings_out_of_their_bounds_are_refused_by_name() {
    assert_eq!(Settings::default().check(), Ok(()));
    let bad = Settings {
        decay: 0.5,
        ..Settings::default()
    };
    let words = bad.check().unwrap_err().to_string();
    assert_eq!(words, "routing.decay is 0.5, and it must be 0.85 to 0.95");
    let none = Settings {
        ask_below: f64::NAN,
        ..Settings::default()
    };
    assert_eq!(none.check().unwrap_err().key, "ask_below");
}

#[test]
fn a_snapshot_gives_another_run_its_beginning() {
    let snapshot = fold(&runs("look", "search", &[Some(ErrorClass::Auth); 20])).snapshot();
    assert_eq!(
        Snapshot::parse(&serde_json::to_string(&snapshot).unwrap()).unwrap(),
        snapshot
    );
    let noted: Vec<_> = snapshot.weights.iter().map(Row::noted).collect();
    let priors = Priors::of_noted(&noted);
    let next = Weights::new(Settings::default(), priors);
    let start = next.weight("look", "search");
    // Twenty samples count for four fifths. Weights are recorded in thousandths.
    let learnt = (0.5 * 0.9_f64.powi(20) * 1_000.0).round() / 1_000.0;
    assert!(near(start, 0.5 + 0.8 * (learnt - 0.5)), "{start}");
    assert!(near(next.weight("look", "shell"), 0.5));
    let odd = r#"{"version":1,"executions":1,"weights":[{"kind":"look","tool":"a","weight":1.5}]}"#;
    assert!(Snapshot::parse(odd).unwrap_err().contains("must be 0 to 1"));
    assert!(
        Snapshot::parse(r#"{"version":2,"executions":1,"weights":[]}"#)
            .unwrap_err()
            .contains("version 2")
    );
    assert!(Snapshot::parse("{").is_err());
    assert_eq!(
        [due(0, 99), due(0, 100), due(100, 199), due(100, 200)],
        [false, true, false, true]
    );
}

fn class() -> impl Strategy<Value = Option<ErrorClass>> {
    use ErrorClass::{Auth, Business, Conflict, Internal, NotFound, Param, Structural, Transient, Unknown};
    let all = vec![
        Auth, Business, Conflict, Internal, NotFound, Param, Structural, Transient, Unknown,
    ];
    prop_oneof![2 => Just(None), 3 => prop::sample::select(all).prop_map(Some)]
}

fn fact() -> impl Strategy<Value = Fact> {
    let kind = prop::sample::select(vec!["look", "run", "change"]);
    let tool = prop::sample::select(vec!["search", "shell"]);
    let ran = (kind.clone(), tool.clone(), class(), any::<u16>(), -1.0..2.0_f64).prop_map(
        |(kind, tool, error, ms, complexity)| {
            let Fact::Ran(mut one) = run(1, kind, tool, error) else {
                unreachable!()
            };
            (one.ms, one.complexity) = (u64::from(ms), complexity);
            Fact::Ran(one)
        },
    );
    let set =
        (kind, tool.clone(), prop_oneof![-1.0..2.0_f64, Just(f64::NAN)]).prop_map(|(kind, tool, weight)| {
            Fact::Set {
                seq: Seq(1),
                kind: Arc::from(kind),
                tool: Arc::from(tool),
                weight,
            }
        });
    let reset = prop::option::of(tool).prop_map(|tool| Fact::Reset {
        seq: Seq(1),
        tool: tool.map(Arc::from),
    });
    prop_oneof![20 => ran, 1 => set, 1 => reset]
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn weights_stay_within_their_bounds_and_every_change_begins_where_the_one_before_ended(
        facts in prop::collection::vec(fact(), 0..120),
    ) {
        let weights = fold(&facts);
        for row in weights.rows() {
            prop_assert!((0.0..=1.0).contains(&row.weight), "{row:?}");
            let mut at = 0.5;
            for change in weights.explain(&row.kind, &row.tool) {
                prop_assert!((0.0..=1.0).contains(&change.after));
                prop_assert!((change.before - at).abs() < f64::EPSILON, "{:?}", change);
                at = change.after;
            }
            prop_assert!((weights.raw(&row.kind, &row.tool) - at).abs() < f64::EPSILON);
        }
        prop_assert!(Snapshot::parse(&serde_json::to_string(&weights.snapshot()).unwrap()).is_ok());
    }

    #[test]
    fn folding_in_two_parts_equals_folding_the_whole(
        facts in prop::collection::vec(fact(), 0..60), cut in 0usize..60,
    ) {
        let cut = cut.min(facts.len());
        let mut on = fold(&facts[..cut]);
        for fact in &facts[cut..] {
            on.take(fact);
        }
        prop_assert_eq!(on, fold(&facts));
    }

    #[test]
    fn a_tool_affects_no_other_and_each_tool_is_offered_exactly_once(
        facts in prop::collection::vec(fact(), 0..80),
    ) {
        let here = |fact: &&Fact| !matches!(fact, Fact::Ran(run) if &*run.tool == "shell");
        let without: Vec<Fact> = facts.iter().filter(here).cloned().collect();
        let (all, some) = (fold(&facts), fold(&without));
        prop_assert!((all.weight("look", "search") - some.weight("look", "search")).abs() < f64::EPSILON);
        let mut offered: Vec<&str> = all.offer("run", ["shell", "search", "other"]).iter().map(|offer| offer.tool).collect();
        offered.sort_unstable();
        prop_assert_eq!(offered, ["other", "search", "shell"]);
    }
}
