//! Tests of edits of calls, observations and prompts: which calls run again and which do not.
//!
//! Must not know: thoughts.

mod insertions;
mod results;

use super::world::*;
use overrule_domain::badge::{self, Badge};
use overrule_domain::call::{Gate, Outcome, Status};
use overrule_domain::command::Edit;
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{NodeKind, Rev, TurnId};
use overrule_domain::node::Origin;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;
use overrule_domain::turn::Activity;

/// `b` reads `a`, `c` reads `b`, `s` is independent; all ended, the next turn is asked.
fn chain() -> World {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"c","n":"†call.b.v"}"#),
        call("read", r#"{"_as":"s","n":50}"#),
    ]);
    w.drain();
    w
}

#[test]
fn an_edit_of_a_call_that_waits_replaces_it_before_it_runs() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"s"}"#),
    ]);
    w.drain();
    w.args(w.id("a"), r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("a")), [r#"{"n":2}"#]);
    assert_eq!(w.runs(w.id("s")).len(), 1);
    assert!(w.last_request().contains("operator changed arguments"));
}

#[test]
fn without_edit_notices_the_model_sees_edits_as_its_own_output() {
    let mut first = started(Limits::default());
    first.hide_edits = true;
    let gates = std::iter::once(("read".to_owned(), Gate::Ask)).collect();
    let rules = Rules {
        gates,
        ..Rules::default()
    };
    let mut w = World::bare(rules, Limits::default());
    w.record(vec![Event::Run(RunEvent::Started(Box::new(first)))]);
    w.guide("go").unwrap();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"s","n":3}"#),
    ]);
    w.drain();
    w.args(w.id("a"), r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    w.correct(w.id("s"), r#"{"v":44}"#).unwrap();
    w.drain();
    let request = w.last_request();
    // What ran and what counts is there, in every word; what was there before is not.
    assert!(
        request.contains(r#"\"n\":2"#) && request.contains("44"),
        "{request}"
    );
    assert!(
        !request.contains(r#"\"n\":1"#) && !request.contains("operator"),
        "{request}"
    );
    // That another tool ran is said: its effects are others.
    let s = w.id("s");
    w.edit(Edit::Call {
        node: s,
        base: w.state.nodes[&s].rev(),
        tool: "idem".into(),
        args: r#"{"_as":"s","n":3}"#.into(),
        shown: true,
    })
    .unwrap();
    w.drain();
    assert!(w.last_request().contains("operator replaced pure by idem"));
}

#[test]
fn a_running_call_that_is_edited_is_cancelled_and_its_late_result_counts_for_nothing() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    let a = w.id("a");
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    assert!(w.running[0].cancelled);
    assert_eq!(
        w.runs(a).len(),
        1,
        "the new revision waits for the end of the old execution"
    );
    w.finish_with(a, Outcome::ok(r#"{"v":99}"#));
    assert_eq!(w.runs(a), [r#"{"n":1}"#, r#"{"n":2}"#]);
    assert!(w.runs(w.id("b")).is_empty(), "the late result unblocks no call");
    assert!(w.state.calls[&a].attempts[0].fenced);
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":3}"#]);
    assert!(!w.last_request().contains("99"));
}

#[test]
fn a_call_that_ran_runs_again_and_only_what_reads_it_differently() {
    let mut w = chain();
    let later = w.open.len();
    assert_eq!(later, 1);
    w.args(w.id("a"), r#"{"_as":"a","n":4}"#).unwrap();
    assert!(w.open.is_empty(), "the later turn was superseded with its stream");
    w.drain();
    assert_eq!(w.runs(w.id("a")), [r#"{"n":1}"#, r#"{"n":4}"#]);
    assert_eq!(w.runs(w.id("b")), [r#"{"n":2}"#, r#"{"n":5}"#]);
    assert_eq!(w.runs(w.id("c")), [r#"{"n":3}"#, r#"{"n":6}"#]);
    assert_eq!(w.runs(w.id("s")).len(), 1, "a sibling does not run again");
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn a_commit_approves_what_can_change_the_world_only_where_its_difference_was_seen() {
    for (tool, seen, runs) in [
        ("read", false, true),
        ("idem", false, false),
        ("idem", true, true),
        ("write", false, false),
        ("write", true, true),
    ] {
        let gates = std::iter::once((tool.to_owned(), Gate::Ask)).collect();
        let rules = Rules {
            gates,
            ..Rules::default()
        };
        let mut w = World::with(rules);
        w.reply(&[call(tool, r#"{"_as":"a","n":1}"#)]);
        let a = w.id("a");
        w.edit(Edit::Call {
            node: a,
            base: w.state.nodes[&a].rev(),
            tool: tool.into(),
            args: r#"{"_as":"a","n":2}"#.into(),
            shown: seen,
        })
        .unwrap();
        let status = &w.state.calls[&a].status;
        assert_eq!(w.runs(a).len(), usize::from(runs), "{tool} {seen}: {status:?}");
        assert_eq!(
            *status == Status::AwaitingApproval,
            !runs,
            "{tool} {seen}: {status:?}"
        );
    }
}

#[test]
fn an_equal_output_cuts_off_what_reads_it() {
    let mut w = chain();
    // Two numbers with the sum of the old one.
    w.args(w.id("a"), r#"{"_as":"a","n":0,"m":1}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("a")).len(), 2);
    assert_eq!(w.runs(w.id("b")).len(), 1);
    assert_eq!(w.runs(w.id("c")).len(), 1);
    assert_eq!(
        w.asked.len(),
        3,
        "the model sees other arguments and is asked again"
    );
}

#[test]
fn a_failed_new_revision_takes_its_readers_along() {
    let mut w = chain();
    w.args(w.id("a"), r#"{"_as":"a","n":4}"#).unwrap();
    w.finish_with(w.id("a"), Outcome::Cancelled { executed: true });
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    assert_eq!(w.status(w.id("c")), Status::Skipped);
    assert!(
        w.state.observation(w.id("b")).is_none(),
        "the old result does not count any more"
    );
    assert_eq!(w.runs(w.id("b")).len(), 1);
}

#[test]
fn a_reader_that_runs_is_ended_only_if_it_reads_something_else() {
    for (args, runs) in [(r#"{"_as":"a","n":0,"m":1}"#, 1), (r#"{"_as":"a","n":4}"#, 2)] {
        let mut w = World::new();
        w.reply(&[
            call("read", r#"{"_as":"a","n":1}"#),
            call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        ]);
        w.finish(w.id("a"));
        w.args(w.id("a"), args).unwrap();
        assert!(w.running.iter().all(|one| !one.cancelled));
        w.finish(w.id("a"));
        w.drain();
        assert_eq!(w.runs(w.id("b")).len(), runs);
        assert_eq!(
            w.value(w.id("b")),
            if runs == 1 { r#"{"v":3}"# } else { r#"{"v":6}"# }
        );
        // And one that ended meanwhile stays in question until it is known.
        let mut w = World::new();
        w.reply(&[
            call("read", r#"{"_as":"a","n":1}"#),
            call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        ]);
        w.finish(w.id("a"));
        w.args(w.id("a"), args).unwrap();
        w.finish(w.id("b"));
        assert!(w.state.calls[&w.id("b")].suspect);
        assert_eq!(w.asked.len(), 1);
        w.drain();
        assert_eq!(w.runs(w.id("b")).len(), runs);
        assert_eq!(w.asked.len(), 2);
    }
}

#[test]
fn a_call_can_be_replaced_by_another_tool() {
    let mut w = chain();
    let a = w.id("a");
    let edit = Edit::Call {
        node: a,
        base: Rev(1),
        tool: "pure".into(),
        args: r#"{"_as":"a","n":4}"#.into(),
        shown: true,
    };
    w.edit(edit).unwrap();
    w.drain();
    assert_eq!(
        w.executed
            .iter()
            .filter(|one| one.call == a)
            .map(|one| one.tool.as_str())
            .collect::<Vec<_>>(),
        ["read", "pure"]
    );
    assert!(w.last_request().contains("operator replaced read by pure"));
}

#[test]
fn an_edited_prompt_asks_again_and_reruns_nothing() {
    let mut w = chain();
    let before = w.executed.len();
    w.text(w.all(NodeKind::Prompt)[0], "other").unwrap();
    assert_eq!(w.executed.len(), before);
    assert_eq!(w.turns().len(), 2);
    assert!(w.last_request().contains("other") && !w.last_request().contains("\"go\""));
    assert!(w.all(NodeKind::Call).is_empty());
}

#[test]
fn an_edited_answer_is_the_answer() {
    let mut w = World::new();
    w.reply(&[answer("one")]);
    let id = w.all(NodeKind::Answer)[0];
    w.text(id, "two").unwrap();
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.state.nodes[&id].text(), "two");
    assert_eq!(w.asked.len(), 1);
    w.guide("more").unwrap();
    assert!(w.last_request().contains("two"));
}

#[test]
fn what_the_provider_added_to_an_answer_goes_back_until_the_answer_is_edited() {
    let mut w = World::new();
    w.reply(&[overrule_domain::input::Block::Answer {
        text: "one".into(),
        opaque: Some("\"cited\"".into()),
    }]);
    w.guide("more").unwrap();
    assert!(w.last_request().contains("cited"));

    let mut w = World::new();
    w.reply(&[overrule_domain::input::Block::Answer {
        text: "one".into(),
        opaque: Some("\"cited\"".into()),
    }]);
    let id = w.all(NodeKind::Answer)[0];
    w.text(id, "two").unwrap();
    w.guide("more").unwrap();
    let request = w.last_request();
    assert!(request.contains("two") && !request.contains("cited"), "{request}");
}

#[test]
fn a_deleted_call_takes_its_result_along() {
    let mut w = chain();
    let a = w.id("a");
    w.delete(a).unwrap();
    w.drain();
    assert!(!w.state.nodes[&a].active && w.state.observation(a).is_none());
    assert_eq!(w.status(w.id("b")), Status::Unsatisfiable);
    assert_eq!(w.status(w.id("c")), Status::Skipped);
    assert!(!w.last_request().contains(&format!("call_{a}\"")));
    assert_eq!(w.runs(w.id("s")).len(), 1);
    assert_eq!(kind(w.delete(a)), RefusalKind::Superseded);
}

#[test]
fn an_earlier_holder_of_the_name_takes_over() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[
        call("read", r#"{"_as":"a","n":10}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    w.drain();
    let (a2, b) = (w.id("a"), w.id("b"));
    assert_eq!(w.runs(b), [r#"{"n":11}"#]);
    w.delete(a2).unwrap();
    w.drain();
    assert_eq!(w.runs(b), [r#"{"n":11}"#, r#"{"n":2}"#]);
}

#[test]
fn a_name_that_moves_moves_its_readers() {
    let mut w = chain();
    w.args(w.id("s"), r#"{"_as":"s","n":50,"_out":"state.x"}"#)
        .unwrap();
    w.drain();
    // A rename ends the link of `b` to `a`: `b` waits, then no call writes the name that it reads.
    w.args(w.id("a"), r#"{"_as":"z","n":1}"#).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("b")), Status::Unsatisfiable);
    // Another call takes the name: its readers come back.
    w.args(w.id("s"), r#"{"_as":"a","n":50}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("b")).last().map(String::as_str), Some(r#"{"n":51}"#));
    assert_eq!(w.status(w.id("c")), Status::Succeeded);
}

#[test]
fn edits_of_a_turn_that_is_still_streaming_leave_the_stream_alone() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.finish(w.id("a"));
    w.args(w.id("a"), r#"{"_as":"a","n":2}"#).unwrap();
    assert_eq!(w.open.len(), 1);
    w.stream(call("read", r#"{"_as":"b","n":"†call.a.v"}"#));
    w.end(overrule_domain::turn::Stop::Calls);
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":3}"#]);
}

#[test]
fn an_invalid_call_reported_to_the_model_can_still_be_fixed() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":"x"}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    assert_eq!(w.asked.len(), 2, "the model is told");
    let a = w.id("a");
    assert_eq!(
        kind(w.reject(a)),
        RefusalKind::Status,
        "the model was told otherwise"
    );
    w.args(a, r#"{"_as":"a","n":3}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":4}"#]);
    assert_eq!(w.asked.len(), 3);
    assert_eq!(w.turns().len(), 3);
}

#[test]
fn several_edits_are_one_and_refused_as_one() {
    let mut w = chain();
    let (a, s) = (w.id("a"), w.id("s"));
    let one = Edit::Call {
        node: a,
        base: Rev(1),
        tool: "read".into(),
        args: r#"{"_as":"a","n":4}"#.into(),
        shown: true,
    };
    let other = Edit::Observation {
        node: s.observation(),
        base: Rev(1),
        value: "5".into(),
    };
    let bad = Edit::Observation {
        node: s.observation(),
        base: Rev(1),
        value: "{".into(),
    };
    let before = w.state.clone();
    assert_eq!(kind(w.edits(vec![one.clone(), bad])), RefusalKind::Invalid);
    assert_eq!(w.state, before);
    w.edits(vec![one, other]).unwrap();
    w.drain();
    assert_eq!(w.runs(a).len(), 2);
    assert_eq!(w.runs(s).len(), 1);
    assert_eq!(w.value(s), "5");
    assert_eq!(w.asked.len(), 3, "the model is asked once for both");
    assert_eq!(w.all(NodeKind::Intervention).len(), 2);
}

#[test]
fn edits_that_change_nothing_or_name_what_is_not_there_are_refused() {
    let mut w = chain();
    let (a, prompt) = (w.id("a"), w.all(NodeKind::Prompt)[0]);
    let before = w.state.clone();
    assert_eq!(kind(w.args(a, r#"{"_as":"a","n":1}"#)), RefusalKind::NoChange);
    assert_eq!(kind(w.text(prompt, "go")), RefusalKind::NoChange);
    assert_eq!(kind(w.text(prompt, "  ")), RefusalKind::Invalid);
    assert_eq!(kind(w.correct(a, r#"{"v":2}"#)), RefusalKind::NoChange);
    assert_eq!(kind(w.edits(vec![])), RefusalKind::NoChange);
    assert_eq!(kind(w.delete(prompt)), RefusalKind::Status);
    assert_eq!(kind(w.delete(a.observation())), RefusalKind::Status);
    assert_eq!(kind(w.args(a, r#"{"_as":"a","n":"x"}"#)), RefusalKind::Invalid);
    assert_eq!(
        kind(w.args(a, r#"{"_as":"a","n":"†call."}"#)),
        RefusalKind::Invalid
    );
    let stale = Edit::Call {
        node: a,
        base: Rev(7),
        tool: "read".into(),
        args: "{}".into(),
        shown: true,
    };
    assert_eq!(kind(w.edit(stale)), RefusalKind::Changed);
    let tool = Edit::Call {
        node: a,
        base: Rev(1),
        tool: "raed".into(),
        args: "{}".into(),
        shown: true,
    };
    assert_eq!(kind(w.edit(tool)), RefusalKind::Invalid);
    let after = Edit::InsertPrompt {
        after: Some(TurnId(99)),
        text: "x".into(),
    };
    assert_eq!(kind(w.edit(after)), RefusalKind::Unknown);
    assert_eq!(w.state, before);
}
