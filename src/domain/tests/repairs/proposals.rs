//! Tests of another call that replaces one that no arguments repair.
//!
//! Must not know: which tools exist.

use super::*;
use overrule_domain::id::NodeId;
use overrule_domain::node::Origin;
use overrule_domain::repair_trace;
use overrule_resilience::repair::Rules as Repairs;

/// A refusal that no rule knows.
fn no() -> overrule_domain::call::Outcome {
    error(ErrorClass::Param, "", "no")
}

/// Repairs that ask no model.
fn by_rules() -> Repairs {
    Repairs {
        model: false,
        ..repairs()
    }
}

/// A call of `read` that fails once.
fn fails(w: &mut World) -> NodeId {
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, no());
    a
}

fn tool(w: &World, id: NodeId) -> String {
    w.state.nodes[&id].as_call().unwrap().0.to_string()
}

/// Executions of each tool, in order.
fn ran(w: &World) -> Vec<&str> {
    w.executed.iter().map(|one| &*one.tool).collect()
}

/// Why the newest round offers nothing.
fn left(w: &World, id: NodeId) -> String {
    assert_eq!(w.status(id), Status::Repairing(Stage::Choosing));
    w.state.calls[&id]
        .validation
        .because
        .as_deref()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_registered_substitute_that_accepts_the_arguments_makes_the_call_with_a_notice_to_the_model() {
    let mut w = proposing(&["unknown", "pure"], true, by_rules());
    let a = fails(&mut w);
    assert_eq!(tool(&w, a), "pure", "the first one is denied");
    assert!(matches!(
        w.state.nodes[&a].now().origin,
        Origin::Repair { attempt: 1 }
    ));
    let change = w.state.calls[&a].proposed().unwrap();
    assert_eq!(change.strategy, Strategy::SubstituteTool);
    assert_eq!(
        change.from.as_deref(),
        Some(r#"{"tool":"read","arguments":{"_as":"a","origin":"JFK"}}"#)
    );
    assert!(
        change.why.starts_with("pure in place of read: "),
        "{}",
        change.why
    );
    w.drain();
    assert_eq!((w.status(a), ran(&w)), (Status::Succeeded, vec!["read", "pure"]));
    assert!(w.questions.is_empty(), "no model is asked");
    let message = w.last_request();
    assert!(
        message.contains("[console replaced read by pure: no arguments of read helped]"),
        "{message}"
    );
    let counted = w
        .state
        .learned
        .repair_stats
        .count("read", Strategy::SubstituteTool);
    assert_eq!((counted.tried, counted.succeeded), (1, 1));
    assert!(follows(&phases(&w, a)));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn a_proposal_of_a_higher_class_always_asks_and_shows_the_original() {
    let mut w = proposing(&["write"], true, by_rules());
    let a = fails(&mut w);
    assert_eq!(
        (tool(&w, a).as_str(), w.status(a)),
        ("write", Status::AwaitingApproval)
    );
    assert_eq!(
        ran(&w),
        ["read"],
        "what the policy allows for a write does not count for it"
    );
    let verdict = w.state.calls[&a].verdict.clone().unwrap();
    assert_eq!(verdict.rule, "repair.propose");
    assert!(
        verdict.reason.contains("write (write) in place of read (read)"),
        "{}",
        verdict.reason
    );
    let (before, args) = repair_trace::replaced(&w.state.nodes[&a]).unwrap();
    assert_eq!((&**before, &**args), ("read", r#"{"_as":"a","origin":"JFK"}"#));
    w.approve(a).unwrap();
    w.drain();
    assert_eq!(ran(&w), ["read", "write"]);
}

#[test]
fn no_approval_of_the_original_lets_the_proposal_run() {
    let mut w = proposing(&["pure"], true, by_rules());
    w.rules.gates.insert("read".into(), Gate::Ask);
    w.rules.gates.insert("pure".into(), Gate::Ask);
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.approve(a).unwrap();
    w.finish_with(a, no());
    assert_eq!(
        (tool(&w, a).as_str(), w.status(a)),
        ("pure", Status::AwaitingApproval)
    );
    assert_eq!(ran(&w), ["read"]);
}

#[test]
fn the_models_call_is_made_in_its_place_and_keeps_its_name() {
    for attended in [true, false] {
        let mut w = proposing(&[], attended, repairs());
        let a = fails(&mut w);
        assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
        let asked = w.state.calls[&a].failure.repairs[0].asked.clone().unwrap();
        assert!(asked.prompt.contains("If no values help"), "{}", asked.prompt);
        assert!(asked.prompt.contains(r#""tool":"pure""#), "{}", asked.prompt);
        answer_question(&mut w, r#"{"tool":"pure","arguments":{"_as":"other","n":3}}"#);
        assert_eq!(args(&w, a), json!({"_as": "a", "n": 3}));
        w.drain();
        assert_eq!((w.status(a), ran(&w)), (Status::Succeeded, vec!["read", "pure"]));
        let proposed = w
            .state
            .learned
            .repair_stats
            .count("read", Strategy::LlmProposeCall);
        let asked = w
            .state
            .learned
            .repair_stats
            .count("read", Strategy::LlmInferMissingParam);
        assert_eq!(
            (proposed.succeeded, asked.requests, asked.tokens()),
            (1, 1, Some(105))
        );
    }
}

#[test]
fn a_question_about_arguments_may_be_answered_with_another_call() {
    let mut w = proposing(&[], true, repairs());
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    let asked = w.state.calls[&a].failure.repairs[0].asked.clone().unwrap();
    assert_eq!(asked.strategies, [Strategy::LlmInferMissingParam]);
    assert!(
        asked.prompt.contains("one other call has to be made"),
        "{}",
        asked.prompt
    );
    answer_question(&mut w, r#"{"tool":"pure","arguments":{"n":3}}"#);
    w.drain();
    assert_eq!((w.status(a), ran(&w)), (Status::Succeeded, vec!["read", "pure"]));
}

#[test]
fn a_proposal_that_cannot_be_made_is_rejected_with_its_reason_and_nothing_runs() {
    for (answer, why) in [
        (
            r#"{"tool":"missing","arguments":{}}"#,
            "there is no such tool on offer",
        ),
        (
            r#"{"tool":"pure","arguments":{"bad":1}}"#,
            "the arguments do not fit",
        ),
        (r#"{"tool":"unknown","arguments":{}}"#, "the policy denies it"),
        (
            r#"{"tool":"read","arguments":{"origin":"JFK"}}"#,
            "it is the call that failed",
        ),
        (
            r#"{"tool":"pure","arguments":{"n":"†call.a"}}"#,
            "a reference to another result",
        ),
        (
            r#"{"tool":"pure","arguments":{},"also":1}"#,
            "`tool` is not accepted here",
        ),
        ("{}", "the model does not know"),
        ("none", "it is no object of parameters"),
    ] {
        let mut w = proposing(&[], true, repairs());
        let a = fails(&mut w);
        answer_question(&mut w, answer);
        let because = left(&w, a);
        assert!(because.contains(why), "{answer}: {because}");
        assert_eq!(
            (ran(&w), w.questions.len(), w.rev(a)),
            (vec!["read"], 0, Rev(1)),
            "{answer}"
        );
        let_it_fail(&mut w, a);
        assert_eq!(w.asked.len(), 2, "the model is told: {answer}");
        assert!(w.last_request().contains(why), "{answer}: {}", w.last_request());
        let counted = w
            .state
            .learned
            .repair_stats
            .count("read", Strategy::LlmInferMissingParam);
        assert_eq!((counted.tried, counted.failed), (1, 1));
    }
}

#[test]
fn a_call_is_proposed_once_whatever_comes_of_it() {
    // A substitute that fails as well.
    let mut w = proposing(&["pure", "idem"], true, by_rules());
    let a = fails(&mut w);
    w.finish_with(a, error(ErrorClass::Param, "", "neither"));
    assert_eq!((ran(&w), w.questions.len()), (vec!["read", "pure"], 0));
    assert!(left(&w, a).starts_with("no repair is left"), "{}", left(&w, a));
    // A call of the model's that fails as well.
    let mut w = proposing(&[], false, repairs());
    let a = fails(&mut w);
    answer_question(&mut w, r#"{"tool":"pure","arguments":{"origin":"LAX"}}"#);
    w.finish_with(a, error(ErrorClass::Param, "", "neither"));
    // Its own arguments are asked about; no third call is made.
    answer_question(&mut w, r#"{"tool":"read","arguments":{"origin":"LAX"}}"#);
    w.drain();
    assert_eq!((ran(&w), w.questions.len()), (vec!["read", "pure"], 0));
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
}

#[test]
fn nothing_is_proposed_where_that_is_off_or_the_failure_is_no_matter_of_arguments() {
    let off = Repairs {
        propose: false,
        ..by_rules()
    };
    let mut w = proposing(&["pure"], true, off);
    let a = fails(&mut w);
    assert_eq!((tool(&w, a).as_str(), w.questions.len()), ("read", 0));
    assert!(left(&w, a).starts_with("no repair is left"));
    let mut w = proposing(&["pure"], true, repairs());
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, error(ErrorClass::NotFound, "", "no such flight"));
    assert_eq!((tool(&w, a).as_str(), w.questions.len()), ("read", 0));
    assert_eq!(ran(&w), ["read"]);
}

#[test]
fn the_model_is_asked_for_a_call_only_if_the_settings_allow_it() {
    let quiet = Repairs {
        ask_for_call: false,
        ..repairs()
    };
    let mut w = proposing(&[], true, quiet);
    let a = fails(&mut w);
    // The question about the arguments is the only one.
    answer_question(&mut w, "{}");
    assert_eq!((ran(&w), w.questions.len()), (vec!["read"], 0));
    assert!(left(&w, a).starts_with("no repair is left"));
}
