//! Tests of the counts of repairs, and of the order of strategies that follows from them.
//!
//! Must not know: how a strategy works.

use super::*;
use overrule_domain::id::NodeId;
use overrule_domain::repair_stats::StrategyCount;
use overrule_resilience::repair::Rules as Repairs;

const CLEANUP: Strategy = Strategy::TextCleanup;
const MODEL: Strategy = Strategy::LlmBasedFormatCorrection;

fn learning(learn: bool) -> World {
    let repairs = Repairs { learn, ..repairs() };
    World::limited(rules_with("read", false, true, repairs), Limits::default())
}

fn count(w: &World, strategy: Strategy) -> StrategyCount {
    w.state.learned.repair_stats.count("read", strategy)
}

/// Asks for a class that the service refuses, with and without its quotes.
fn begin(w: &mut World, no: usize) -> NodeId {
    let label = format!("a{no}");
    w.reply(&[call(
        "read",
        &format!(r#"{{"_as":"{label}","origin":"X{no}","class":"'1.2'"}}"#),
    )]);
    let a = w.id(&label);
    w.finish_with(
        a,
        refused("Parameter 'class' does not match the pattern of classes"),
    );
    a
}

/// The model says the class, and the call succeeds.
fn end(w: &mut World, a: NodeId) {
    assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
    answer_question(w, r#"{"class":"economy"}"#);
    w.finish(a);
    w.drain();
    assert_eq!(w.status(a), Status::Succeeded);
}

/// A rule first, which does not help, then the model.
fn by_rule_then_model(w: &mut World, no: usize) -> NodeId {
    let a = begin(w, no);
    assert_eq!((w.questions.len(), w.starts(a)), (0, 2), "the rule comes first");
    assert_eq!(args(w, a)["class"], "1.2");
    w.finish_with(a, refused("Parameter 'class' does not match the pattern"));
    end(w, a);
    assert_eq!(w.starts(a), 3);
    a
}

#[test]
fn a_strategy_that_helps_more_often_is_tried_first_and_the_other_one_is_not_tried() {
    let mut w = learning(true);
    for no in 0..3 {
        by_rule_then_model(&mut w, no);
    }
    let counted = count(&w, MODEL);
    assert_eq!((counted.tried, counted.succeeded, counted.failed), (3, 3, 0));
    assert_eq!((counted.requests, counted.tokens()), (3, Some(315)));
    let counted = count(&w, CLEANUP);
    assert_eq!((counted.tried, counted.succeeded, counted.failed), (3, 0, 3));
    assert_eq!(counted.requests, 0, "a rule costs nothing");

    let a = begin(&mut w, 3);
    assert_eq!(
        (w.questions.len(), w.starts(a)),
        (1, 1),
        "the model is asked first"
    );
    let found = &w.state.calls[&a].failure.repairs[0].diagnoses[0];
    assert_eq!(found.strategies, [MODEL, CLEANUP]);
    assert_eq!(
        found.learnt.as_deref(),
        Some("llm_based_format_correction tried first: succeeded 3 of 3 times for read, text_cleanup 0 of 3")
    );
    end(&mut w, a);
    assert_eq!(w.starts(a), 2);
    assert_eq!((count(&w, CLEANUP).tried, count(&w, MODEL).succeeded), (3, 4));
    assert_eq!(w.state.calls[&a].failure.repairs[0].helped, Some(true));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn without_learning_the_rule_stays_first_whatever_is_counted() {
    let mut w = learning(false);
    for no in 0..5 {
        let a = by_rule_then_model(&mut w, no);
        let rounds = &w.state.calls[&a].failure.repairs;
        assert!(
            rounds
                .iter()
                .flat_map(|one| &one.diagnoses)
                .all(|one| one.learnt.is_none())
        );
    }
    assert_eq!((count(&w, CLEANUP).failed, count(&w, MODEL).succeeded), (5, 5));
}

#[test]
fn a_question_that_leads_to_nothing_has_failed_with_its_cost() {
    let mut w = learning(true);
    let a = begin(&mut w, 0);
    w.finish_with(a, refused("Parameter 'class' does not match the pattern"));
    broke(
        &mut w,
        Some(Passing {
            retry_after_ms: None,
            is_cut: false,
        }),
    );
    answer_question(&mut w, "{}");
    let counted = count(&w, MODEL);
    // No decision yet: no repair is left, and the call waits for the operator.
    assert_eq!((counted.tried, counted.ended(), counted.requests), (1, 0, 2));
    let_it_fail(&mut w, a);
    let counted = count(&w, MODEL);
    assert_eq!((counted.tried, counted.succeeded, counted.failed), (1, 0, 1));
    assert_eq!((counted.requests, counted.tokens()), (2, Some(115)));
}

#[test]
fn an_end_that_is_not_about_the_arguments_counts_for_nothing() {
    let mut w = learning(true);
    let a = begin(&mut w, 0);
    w.finish_with(a, error(ErrorClass::Transient, "HTTP 503", "busy"));
    let counted = count(&w, CLEANUP);
    assert_eq!((counted.tried, counted.ended()), (1, 0));
}
