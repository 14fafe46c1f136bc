//! Tests of questions of servers: who is asked, what the model sees, what ends a question.
//!
//! Must not know: protocols.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::op_sequence::{self, OpSequence};
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::event::run::Limits;
use overrule_domain::id::{Attempt, NodeId, NodeKind, ThreadId};
use overrule_domain::input::Input;
use overrule_domain::ladder::Next;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::server_question::{self, QuestionId};
use overrule_domain::state::Mode;
use overrule_domain::thread::ROOT;
use overrule_domain::transcript::build::messages;
use overrule_domain::turn::Producer;
use overrule_domain::unresolved::failed_calls;
use overrule_resilience::loops::Config;

/// A running call whose server asks something. Returns the call and the question.
fn asking(w: &mut World) -> (NodeId, QuestionId) {
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    let id = w.id("a");
    (id, ask(w, id))
}

/// The server of a running call asks something.
fn ask(w: &mut World, call: NodeId) -> QuestionId {
    ask_with(w, call, r#"{"question":"Which?"}"#)
}

fn ask_with(w: &mut World, call: NodeId, args: &str) -> QuestionId {
    let Status::Running(attempt) = w.status(call) else {
        panic!("{call} does not run");
    };
    let question = QuestionId { call, attempt, no: 1 };
    w.input(Input::ServerAsked {
        question,
        server: "docs".into(),
        args: args.into(),
    });
    question
}

/// A call whose server asks something, beside one that has ended. Returns the call, its question, and the other call.
fn asking_beside(w: &mut World) -> (NodeId, QuestionId, NodeId) {
    w.reply(&[
        call("read", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":1}"#),
    ]);
    let (id, other) = (w.id("a"), w.id("b"));
    w.finish(other);
    (id, ask(w, id), other)
}

/// Answers the open question, and ends its call: the server gets the answer, and the run continues.
fn goes_on(w: &mut World, id: NodeId, question: QuestionId) {
    let asked = put(w);
    assert!(w.replies.is_empty(), "nobody has answered");
    assert_eq!(w.state.queue().map(|call| call.id).collect::<Vec<_>>(), [asked]);
    assert!(w.open.is_empty(), "the model waits");
    w.answer_for(asked, "\"main\"").unwrap();
    assert_eq!(w.replies, [(question, Some("\"main\"".into()))]);
    w.finish_with(id, Outcome::ok("1"));
    w.drain();
    assert_eq!(w.open.len(), 1, "the model is asked");
    assert_eq!(w.replies.len(), 1);
    assert_eq!(apply::fold(&w.log), w.state);
}

/// The call that stands for the question.
fn put(w: &World) -> NodeId {
    let mut calls = w.state.calls.values();
    let found = calls.find(|call| server_question::of(&w.state, call).is_some());
    found.expect("a question").id
}

#[test]
fn a_name_of_a_question_is_read_again() {
    let question = QuestionId {
        call: "c5".parse().unwrap(),
        attempt: Attempt(2),
        no: 3,
    };
    assert_eq!(question.to_string(), "c5/2/3");
    assert_eq!("c5/2/3".parse(), Ok(question));
    for odd in ["", "c5", "c5/x/1", "x/1/1"] {
        assert!(odd.parse::<QuestionId>().is_err(), "{odd}");
    }
}

#[test]
fn a_question_waits_in_the_queue_and_its_answer_goes_to_the_server_alone() {
    let mut w = World::new();
    let (id, question) = asking(&mut w);
    let asked = put(&w);
    assert_eq!(w.state.queue().map(|call| call.id).collect::<Vec<_>>(), [asked]);
    assert_eq!(w.state.turn_of(asked).unwrap().producer, Producer::Server);
    assert!(
        matches!(w.state.calls[&id].status, Status::Running(_)),
        "the call goes on"
    );
    assert_eq!(w.replies, []);
    w.answer_for(asked, r#""main""#).unwrap();
    assert_eq!(w.replies, [(question, Some(r#""main""#.into()))]);
    let requests = w.asked.len();
    w.finish_with(id, Outcome::ok(r#""read""#));
    assert_eq!(
        w.asked.len(),
        requests + 1,
        "the model is asked once all is settled"
    );
    let seen = w.last_request();
    assert!(
        seen.contains("read") && !seen.contains("Which?") && !seen.contains("main"),
        "{seen}"
    );
    assert!(!format!("{:?}", messages(&w.state, ROOT, None)).contains("ask_operator"));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn a_rejected_question_is_declined_and_one_whose_call_ended_is_withdrawn() {
    let mut w = World::new();
    let (id, question) = asking(&mut w);
    w.reject(put(&w)).unwrap();
    assert_eq!(w.replies, [(question, None)]);
    w.finish_with(id, Outcome::ok("1"));
    assert_eq!(w.open.len(), 1);

    let mut w = World::new();
    let (id, question) = asking(&mut w);
    w.finish_with(id, Outcome::ok("1"));
    assert_eq!(
        w.state.queue().count(),
        0,
        "nobody is asked for a call that ended"
    );
    assert_eq!(w.replies.first(), Some(&(question, None)));
    assert_eq!(w.open.len(), 1, "the run continues");
}

#[test]
fn a_question_of_a_call_that_does_not_run_is_not_put() {
    let mut w = World::new();
    let (id, question) = asking(&mut w);
    w.answer_for(put(&w), "1").unwrap();
    w.finish_with(id, Outcome::ok("1"));
    let before = w.log.len();
    w.input(Input::ServerAsked {
        question: QuestionId { no: 2, ..question },
        server: "docs".into(),
        args: r#"{"question":"Late?"}"#.into(),
    });
    assert_eq!(w.log.len(), before);
    assert!(!server_question::is_asked(
        &w.state,
        QuestionId { no: 2, ..question }
    ));
}

#[test]
fn a_correction_beside_the_asking_call_leaves_its_question_open() {
    let mut w = World::new();
    let (id, question, other) = asking_beside(&mut w);
    w.correct(other, "7").unwrap();
    goes_on(&mut w, id, question);
}

#[test]
fn a_repetition_beside_the_asking_call_leaves_its_question_open() {
    let mut w = World::new();
    let (id, question, other) = asking_beside(&mut w);
    w.retry(other).unwrap();
    assert!(w.state.turn_of(put(&w)).unwrap().is_active());
    goes_on(&mut w, id, question);

    let mut w = World::new();
    let (id, question, other) = asking_beside(&mut w);
    w.correct(other, "7").unwrap();
    w.unpin(other.observation()).unwrap();
    goes_on(&mut w, id, question);
}

#[test]
fn an_undo_leaves_the_question_of_a_call_that_goes_on_open() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":1}"#),
    ]);
    let (id, other) = (w.id("a"), w.id("b"));
    w.finish(other);
    w.correct(other, "7").unwrap();
    let question = ask(&mut w, id);
    w.undo().unwrap();
    goes_on(&mut w, id, question);
    w.redo().unwrap();
    assert_eq!(w.replies.len(), 1, "an answer is given once");
}

#[test]
fn an_answer_for_a_server_is_not_edited_and_supersedes_nothing() {
    let mut w = World::new();
    let (id, _) = asking(&mut w);
    let asked = put(&w);
    assert_eq!(
        kind(w.args(asked, r#"{"question":"Other?"}"#)),
        RefusalKind::Status
    );
    w.answer_for(asked, "1").unwrap();
    w.finish_with(id, Outcome::ok("1"));
    w.reply(&[answer("done")]);
    let before = w.log.len();
    assert_eq!(kind(w.correct(asked, "2")), RefusalKind::Status);
    assert_eq!(kind(w.retry(asked)), RefusalKind::Status);
    assert_eq!(kind(w.delete(asked)), RefusalKind::Status);
    assert_eq!(kind(w.unpin(asked.observation())), RefusalKind::Status);
    assert_eq!(w.log.len(), before);
    assert!(matches!(w.state.mode, Mode::Finished(_)), "the answer stands");
}

#[test]
fn a_question_falls_with_the_call_that_asks() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"z","n":3}"#)]);
    w.drain();
    let (id, _) = asking(&mut w);
    w.correct(w.id("z"), "7").unwrap();
    assert_eq!(w.state.queue().count(), 0);
    assert!(!w.state.turn_of(put(&w)).unwrap().is_active());
    assert!(!w.state.nodes[&id].active);
    assert!(w.replies.iter().all(|(_, answer)| answer.is_none()), "no answer");
    assert_eq!(w.open.len(), 1, "the model is asked about the corrected value");
    // The same with an undo: the turn in which the call is began after the edit.
    w.reply(&[call("read", r#"{"_as":"c"}"#)]);
    let id = w.id("c");
    ask(&mut w, id);
    assert_eq!(w.state.queue().count(), 1);
    w.undo().unwrap();
    assert!(!w.state.nodes[&id].active);
    assert_eq!(w.state.queue().count(), 0, "nobody is asked for a call that fell");
    assert!(w.replies.iter().all(|(_, answer)| answer.is_none()), "no answer");
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn a_question_of_a_run_that_is_opened_again_ends() {
    let mut w = World::new();
    let (id, question) = asking(&mut w);
    w.crash();
    assert_eq!(w.status(put(&w)), Status::Rejected);
    assert!(
        w.state
            .queue()
            .all(|call| server_question::of(&w.state, call).is_none())
    );
    assert!(
        w.replies.iter().all(|reply| *reply == (question, None)),
        "no answer"
    );
    assert_ne!(
        w.status(id),
        Status::Running(question.attempt),
        "that execution is over"
    );
}

#[test]
fn a_withdrawn_question_leaves_the_queue_and_its_call_goes_on() {
    let mut w = World::new();
    let (id, question) = asking(&mut w);
    w.input(Input::ServerWithdrew {
        question: QuestionId { no: 2, ..question },
    });
    assert_eq!(w.state.queue().count(), 1, "another question was withdrawn");
    w.input(Input::ServerWithdrew { question });
    assert_eq!(w.state.queue().count(), 0);
    assert_eq!(w.status(put(&w)), Status::Rejected);
    assert!(w.answer_for(put(&w), "1").is_err(), "no answer is taken");
    assert!(w.replies.iter().all(|(_, answer)| answer.is_none()));
    assert!(matches!(w.status(id), Status::Running(_)));
    let before = w.log.len();
    w.input(Input::ServerWithdrew { question });
    assert_eq!(w.log.len(), before);
    w.finish_with(id, Outcome::ok("1"));
    assert_eq!(w.open.len(), 1);
}

#[test]
fn a_question_that_is_not_valid_ends_without_a_repair() {
    let seen: Arc<Mutex<Vec<NodeId>>> = Arc::default();
    let looked = Arc::clone(&seen);
    let mut w = World::with(Rules {
        steps: Arc::new(move |_, call| {
            looked.lock().unwrap().push(call.id);
            Next::Leave { why: "test".into() }
        }),
        ..Rules::default()
    });
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    let id = w.id("a");
    let question = ask_with(&mut w, id, r#"{"question":"Which?","bad":1}"#);
    assert_eq!(w.status(put(&w)), Status::Invalid);
    assert_eq!(w.replies, [(question, None)], "the server does not wait");
    assert_eq!(*seen.lock().unwrap(), [], "no repair is looked for");
    assert_eq!(w.questions, [], "no model is asked about it");
    w.finish_with(id, Outcome::ok("1"));
    assert_eq!(w.open.len(), 1, "the run continues");
}

#[test]
fn words_of_a_server_are_no_references() {
    for args in [
        r#"{"question":"Which?","choices":["†call.a","b"]}"#,
        r#"{"question":"Which?","_as":"a"}"#,
        r#"{"question":"Which?","_out":"state.x"}"#,
    ] {
        let mut w = World::new();
        w.reply(&[call("read", r#"{"_as":"a"}"#)]);
        let (id, before) = (w.id("a"), w.log.len());
        let question = ask_with(&mut w, id, args);
        assert_eq!(w.log.len(), before, "{args}");
        assert!(!server_question::is_asked(&w.state, question));
    }
}

#[test]
fn a_model_that_repeats_an_asking_call_is_in_a_loop() {
    let failed = || {
        Outcome::err(overrule_domain::call::ToolError {
            class: overrule_domain::call::ErrorClass::Business,
            message: "declined".into(),
            evidence: "test".into(),
            hint: None,
            partial: None,
            executed: false,
            retry_after_ms: None,
        })
    };
    let mut w = World::with(Rules {
        loops: Some((Config::default(), Arc::new(Mutex::default()))),
        ..Rules::default()
    });
    for round in 1..=3 {
        assert!(w.state.learned.escape.incidents.is_empty(), "{round}");
        w.reply(&[call("read", r#"{"n":1}"#)]);
        let id = w.running[0].call;
        ask(&mut w, id);
        let asked = w.state.queue().next().unwrap().id;
        w.reject(asked).unwrap();
        w.finish_with(id, failed());
    }
    assert_eq!(w.state.learned.escape.incidents.len(), 1);
}

#[test]
fn an_answer_of_the_turn_that_asked_ends_the_run() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a"}"#),
        call("final_answer", r#"{"answer":"42"}"#),
    ]);
    let id = w.id("a");
    ask(&mut w, id);
    w.reject(put(&w)).unwrap();
    w.finish_with(id, Outcome::ok("1"));
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.asked.len(), 1, "the model is not asked after the answer");
    assert_eq!(w.state.nodes[&w.all(NodeKind::Answer)[0]].text(), "42");
    assert_eq!(
        failed_calls(&w.state, ROOT),
        [],
        "a declined question is no failed call"
    );
}

#[test]
fn questions_stand_behind_the_turn_that_asked_in_their_order() {
    let mut w = World::new();
    let (id, question) = asking(&mut w);
    w.reject(put(&w)).unwrap();
    w.input(Input::ServerAsked {
        question: QuestionId { no: 2, ..question },
        server: "docs".into(),
        args: r#"{"question":"And?"}"#.into(),
    });
    let second = w.state.queue().next().unwrap().id;
    w.reject(second).unwrap();
    w.finish_with(id, Outcome::ok("1"));
    let (next, _) = w.tip();
    let order = [w.turn_of(id), w.turn_of(put(&w)), w.turn_of(second), next];
    assert!(w.state.threads.turns[&ThreadId(0)].ends_with(&order), "{order:?}");
    let is_in_place =
        |(pos, id): (usize, &overrule_domain::id::TurnId)| w.state.turns[id].pos as usize == pos;
    assert!(
        w.state.threads.turns[&ThreadId(0)]
            .iter()
            .enumerate()
            .all(is_in_place)
    );
}

/// A server asks, or takes a question back, in a random session.
fn random_question(w: &mut World, tape: &mut OpSequence<'_>, no: u32) {
    let Some(call) = tape.one(&w.running.clone()).map(|one| one.call) else {
        return;
    };
    let Status::Running(attempt) = w.status(call) else {
        return;
    };
    let question = QuestionId { call, attempt, no };
    w.input(Input::ServerAsked {
        question,
        server: "docs".into(),
        args: r#"{"question":"Which?"}"#.into(),
    });
    if tape.draw(4) == 0 {
        w.input(Input::ServerWithdrew { question });
    }
}

/// Checks that no open question of a running execution is lost, and that no answer follows a reply.
fn no_question_is_lost(w: &World) {
    // The world has not heard yet what it is asked for, or the run is over.
    if w.late > 0 || matches!(w.state.mode, Mode::Stopped(_) | Mode::Finished(_)) {
        return;
    }
    let mut waiting: Vec<NodeId> = w.state.queue().map(|call| call.id).collect();
    waiting.extend(&w.state.agenda.unchecked);
    waiting.extend(&w.state.agenda.ungated);
    for call in w.state.calls.values() {
        let Some(question) = server_question::of(&w.state, call) else {
            continue;
        };
        let asker = &w.state.nodes[&question.call];
        let runs = asker.active && w.status(question.call) == Status::Running(question.attempt);
        let replies = w.replies.iter().filter(|(one, _)| *one == question);
        let has_reply = replies.clone().count();
        assert!(
            replies.skip(1).all(|(_, answer)| answer.is_none()),
            "{question} has an answer after its reply"
        );
        if runs && has_reply == 0 {
            assert!(
                waiting.contains(&call.id),
                "{question} is lost: {:?}",
                call.status
            );
            assert!(
                w.state.turn_of(call.id).unwrap().is_active(),
                "{question} cannot be answered"
            );
        }
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(15))]

    #[test]
    fn no_open_question_is_lost_in_any_session(numbers in prop::collection::vec(any::<u16>(), 0..300)) {
        let mut tape = OpSequence::new(&numbers);
        let rules = op_sequence::rules(&mut tape);
        let mut w = World::limited(rules, Limits { parallel: 3, turns: Some(30), ..Limits::default() });
        let mut no = 0;
        while !tape.is_empty() {
            if tape.draw(5) == 0 {
                no += 1;
                random_question(&mut w, &mut tape, no);
            } else {
                op_sequence::step(&mut w, &mut tape);
            }
            no_question_is_lost(&w);
        }
        prop_assert_eq!(apply::fold(&w.log), w.state.clone());
        op_sequence::bring_home(&mut w);
        let open = |call: &overrule_domain::call::Call| server_question::of(&w.state, call).is_some();
        prop_assert!(!w.state.queue().any(open));
    }
}
