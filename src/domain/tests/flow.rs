//! Tests of the way from prompt to answer: starts, references, limits, gates.
//!
//! Must not know: edits.

use super::world::*;
use overrule_domain::call::{Gate, Outcome, Status};
use overrule_domain::event::run::Limits;
use overrule_domain::id::NodeKind;
use overrule_domain::state::Mode;
use overrule_domain::turn::Stop;

fn failed() -> Outcome {
    Outcome::err(not_found())
}

#[test]
fn a_sealed_call_starts_while_the_stream_is_open() {
    let mut w = World::new();
    w.stream(think("look"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    assert_eq!(w.runs(w.id("a")), [r#"{"n":1}"#]);
    assert_eq!(w.open.len(), 1, "the stream is still open");
    w.end(Stop::Calls);
    assert_eq!(w.asked.len(), 1, "the model waits for the result");
    w.drain();
    w.reply(&[answer("done")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn a_turn_without_reasoning_has_a_place_to_write_some() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    let thoughts = w.all(NodeKind::Thought);
    assert_eq!(thoughts.len(), 1);
    assert_eq!(w.state.nodes[&thoughts[0]].text(), "");
}

#[test]
fn a_reference_waits_for_what_it_names_and_nothing_else() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"c","n":5}"#),
        call("read", r#"{"_as":"a","n":1}"#),
    ]);
    assert_eq!(
        w.status(w.id("b")),
        Status::Blocked,
        "the name appeared later in the stream"
    );
    assert!(w.runs(w.id("b")).is_empty());
    assert_eq!(w.runs(w.id("c")).len(), 1, "a sibling does not wait");
    w.finish(w.id("a"));
    assert_eq!(w.runs(w.id("b")), [r#"{"n":2}"#]);
}

#[test]
fn a_label_means_the_own_turn_first_then_the_newest_before() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[call("read", r#"{"_as":"r1","n":"†call.a.v"}"#)]);
    assert_eq!(w.runs(w.id("r1")), [r#"{"n":2}"#]);
    w.drain();
    w.reply(&[
        call("read", r#"{"_as":"a","n":10}"#),
        call("read", r#"{"_as":"r2","n":"†call.a.v"}"#),
    ]);
    w.drain();
    assert_eq!(w.runs(w.id("r2")), [r#"{"n":11}"#]);
}

#[test]
fn a_name_that_was_given_goes_before_an_equal_id() {
    let mut w = World::new();
    // The second call of the turn gets the id c4, which the first takes as its name.
    w.reply(&[
        call("read", r#"{"_as":"c4","n":1}"#),
        call("read", r#"{"n":50}"#),
        call("read", r#"{"_as":"r","n":"†call.c4.v"}"#),
    ]);
    w.drain();
    assert_eq!(w.runs(w.id("r")), [r#"{"n":2}"#]);
    assert_eq!(
        w.executed.len(),
        3,
        "no call is at fault for an id that it did not choose"
    );
}

#[test]
fn two_calls_of_one_name_are_a_fault_of_the_second() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"a","n":9}"#),
        call("read", r#"{"_as":"r","n":"†call.a.v"}"#),
    ]);
    w.drain();
    assert_eq!(w.executed.len(), 2);
    assert_eq!(w.runs(w.id("r")), [r#"{"n":2}"#]);
    assert!(w.last_request().contains("choose another name"));
}

#[test]
fn the_parallel_limit_holds_and_places_are_filled_again() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            parallel: 2,
            ..Limits::default()
        },
    );
    let calls: Vec<_> = (0..5)
        .map(|n| call("read", &format!(r#"{{"_as":"a{n}"}}"#)))
        .collect();
    w.reply(&calls);
    assert_eq!(w.running.len(), 2);
    w.finish(w.id("a1"));
    assert_eq!(w.running.len(), 2);
    w.drain();
    assert_eq!(w.executed.len(), 5);
}

#[test]
fn two_writers_of_one_path_never_overlap_and_readers_do_not_wait() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","path":"f","n":1}"#),
        call("write", r#"{"_as":"b","path":"f","n":2}"#),
        call("write", r#"{"_as":"c","path":"g"}"#),
        call("read", r#"{"_as":"d","path":"f"}"#),
    ]);
    assert_eq!(w.status(w.id("b")), Status::Queued);
    assert_eq!(w.running.len(), 3);
    w.finish(w.id("a"));
    assert!(matches!(w.status(w.id("b")), Status::Running(_)));
}

#[test]
fn dependents_of_a_rejected_call_are_skipped_and_the_model_gets_the_reason() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"c","n":"†call.b.v"}"#),
        call("read", r#"{"_as":"d","n":3}"#),
    ]);
    w.drain();
    assert_eq!(w.asked.len(), 1);
    w.reject(w.id("a")).unwrap();
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    assert_eq!(w.status(w.id("c")), Status::Skipped);
    assert!(w.runs(w.id("a")).is_empty() && w.runs(w.id("b")).is_empty() && w.runs(w.id("c")).is_empty());
    assert_eq!(w.runs(w.id("d")).len(), 1);
    assert!(w.last_request().contains("rejected by the operator: no"));
    assert!(w.last_request().contains("skipped"));
}

#[test]
fn a_fallback_takes_the_leftmost_that_comes() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":20}"#),
        call("read", r#"{"_as":"c","n":"†call.a.v || †call.b.v"}"#),
        call("read", r#"{"_as":"d","n":"†call.missing.v || †call.b.v"}"#),
        call("read", r#"{"_as":"e","n":"†call.a.v && †call.b.v"}"#),
    ]);
    w.finish(w.id("b"));
    assert!(w.runs(w.id("c")).is_empty(), "the left one may still come");
    w.finish_with(w.id("a"), failed());
    assert_eq!(w.runs(w.id("c")), [r#"{"n":21}"#]);
    assert_eq!(w.status(w.id("e")), Status::Skipped, "a gate needs all");
    w.drain();
    assert_eq!(
        w.runs(w.id("d")),
        [r#"{"n":21}"#],
        "a name that no call writes is skipped at the end"
    );
    w.drain();
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn the_state_is_read_in_the_order_of_its_writes() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1,"_out":"state.x"}"#),
        call("read", r#"{"_as":"b","n":10,"_out":"state.x"}"#),
        call("read", r#"{"_as":"r","n":"†state.x.v"}"#),
    ]);
    w.finish(w.id("b"));
    assert!(w.runs(w.id("r")).is_empty(), "both precede it");
    w.finish(w.id("a"));
    assert_eq!(
        w.runs(w.id("r")),
        [r#"{"n":2}"#],
        "the one that ended last is read"
    );
    assert_eq!(
        overrule_domain::ready::write_conflicts(&w.state, w.id("a")),
        [w.id("b")]
    );
    w.drain();
    w.reply(&[call("read", r#"{"_as":"s","n":"†state.x.v"}"#)]);
    assert_eq!(w.runs(w.id("s")), [r#"{"n":2}"#]);
}

#[test]
fn parts_of_the_state_are_put_together_and_branches_carry_errors() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1,"_out":"state.x.a"}"#),
        call("read", r#"{"_as":"b","n":10,"_out":"state.x.b"}"#),
        call("read", r#"{"_as":"f","_out":"state.good || state.bad"}"#),
        call("read", r#"{"_as":"r","all":"†state.x"}"#),
        call("read", r#"{"_as":"e","why":"†state.bad.message"}"#),
        call("read", r#"{"_as":"g","why":"†state.good"}"#),
    ]);
    w.finish(w.id("a"));
    w.finish(w.id("b"));
    w.finish_with(w.id("f"), failed());
    assert_eq!(w.runs(w.id("r")), [r#"{"all":{"a":{"v":2},"b":{"v":11}}}"#]);
    assert_eq!(w.runs(w.id("e")), [r#"{"why":"no such file"}"#]);
    w.drain();
    assert_eq!(w.status(w.id("g")), Status::Unsatisfiable);
    assert!(w.runs(w.id("g")).is_empty());
}

#[test]
fn the_input_is_read_and_a_missing_part_of_it_is_not() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":"†input.k"}"#),
        call("read", r#"{"_as":"b","n":"†input.z"}"#),
    ]);
    assert_eq!(w.runs(w.id("a")), [r#"{"n":7}"#]);
    assert_eq!(w.status(w.id("b")), Status::Skipped);
}

#[test]
fn every_fault_is_listed_and_nothing_invalid_runs() {
    let mut w = World::new();
    w.reply(&[
        call("raed", "{}"),
        call("read", r#"{"_as":"bad","bad":1,"n":"x"}"#),
        call("read", "{"),
        call("read", r#"{"_as":"dep","n":"†call.bad.v"}"#),
    ]);
    assert!(w.executed.is_empty());
    assert_eq!(w.state.calls[&w.id("bad")].validation.faults.len(), 2);
    assert_eq!(w.status(w.id("dep")), Status::Skipped);
    assert!(w.last_request().contains("did you mean read?"));
}

#[test]
fn arguments_are_checked_again_once_they_are_filled_in() {
    let rules = Rules {
        results: std::sync::Arc::new(|_, _| Outcome::ok("\"text\"")),
        ..Rules::default()
    };
    let mut w = World::with(rules);
    w.reply(&[
        call("read", r#"{"_as":"a"}"#),
        call("write", r#"{"_as":"b","n":"†call.a"}"#),
    ]);
    w.drain();
    assert_eq!(w.status(w.id("b")), Status::Invalid);
    assert!(w.runs(w.id("b")).is_empty());
    // The operator fixes the value that it reads: the call is checked again.
    w.correct(w.id("a"), "4").unwrap();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":4}"#]);
    assert_eq!(w.runs(w.id("a")).len(), 1, "the corrected call does not run");
}

#[test]
fn what_the_policy_denies_never_runs() {
    let mut rules = Rules::default();
    rules.gates.insert("write".into(), Gate::Deny);
    let mut w = World::with(rules);
    w.reply(&[
        call("write", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    assert_eq!(w.status(w.id("a")), Status::Rejected);
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    assert!(w.executed.is_empty());
    assert!(
        w.last_request()
            .contains("not allowed by the policy (test: write Deny)")
    );
}

#[test]
fn a_truncated_result_is_not_passed_on() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","x":"†call.a"}"#),
    ]);
    w.finish_with(
        w.id("a"),
        Outcome::Ok {
            value: "\"head\"".into(),
            meta: None,
            discarded: 9,
            exit: None,
        },
    );
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    assert!(w.runs(w.id("b")).is_empty());
}
