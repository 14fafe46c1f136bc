//! Tests of questions of servers: who is asked, what the model sees, what ends a question.
//!
//! Must not know: protocols.

use super::world::*;
use crate::domain::apply;
use crate::domain::call::{Outcome, Status};
use crate::domain::id::{Attempt, NodeId};
use crate::domain::input::Input;
use crate::domain::server_question::{self, QuestionId};
use crate::domain::thread::ROOT;
use crate::domain::transcript::build::messages;
use crate::domain::turn::Producer;

/// A running call whose server asks something. Returns the call and the question.
fn asking(w: &mut World) -> (NodeId, QuestionId) {
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    let id = w.id("a");
    let question = QuestionId {
        call: id,
        attempt: Attempt(1),
        no: 1,
    };
    w.input(Input::ServerAsked {
        question,
        server: "docs".into(),
        args: r#"{"question":"Which?"}"#.into(),
    });
    (id, question)
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
