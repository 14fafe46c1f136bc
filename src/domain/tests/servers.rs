//! Tests of what a run keeps of its server: request forms, fields it added to calls, ends of replies.
//!
//! Must not know: wire formats.

use super::world::*;
use overrule_domain::apply;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{NodeKind, ThreadId};
use overrule_domain::input::{Block, Input};
use overrule_domain::node::Channel;
use overrule_domain::state::Mode;
use overrule_domain::transcript::Message;
use overrule_domain::transcript::build::messages;
use overrule_domain::transcript::hash::{context_hash, request_hash};
use overrule_domain::turn::{Stop, Stream, StreamFaultKind};

fn learn(w: &mut World, server: &str, quirk: &str) {
    w.input(Input::QuirkLearned {
        server: server.into(),
        quirk: quirk.into(),
        words: "not known here".into(),
    });
}

#[test]
fn a_form_is_recorded_once_for_each_server_and_changes_no_hash() {
    let mut w = World::new();
    let context = context_hash(&w.state, ThreadId(0), None);
    let request = request_hash(&w.state, ThreadId(0), &context, false);
    for (server, quirk) in [("a", "x"), ("a", "y"), ("a", "x"), ("b", "x")] {
        learn(&mut w, server, quirk);
    }
    let recorded = w
        .events()
        .filter(|event| matches!(event, Event::Run(RunEvent::QuirkLearned { .. })))
        .count();
    assert_eq!(recorded, 3);
    let known = |server: &str| -> Vec<&str> {
        w.state.learned.quirks[server]
            .iter()
            .map(|name| &**name)
            .collect()
    };
    assert_eq!((known("a"), known("b")), (vec!["x", "y"], vec!["x"]));
    assert_eq!(context_hash(&w.state, ThreadId(0), None), context);
    assert_eq!(request_hash(&w.state, ThreadId(0), &context, false), request);
    assert_eq!(apply::fold(&w.log).learned.quirks, w.state.learned.quirks);
}

/// A call with members that the provider added.
fn signed(args: &str, opaque: &str) -> Block {
    let Block::Call { id, tool, args, .. } = call("read", args) else {
        panic!("no call")
    };
    Block::Call {
        id,
        tool,
        args,
        opaque: Some(opaque.into()),
    }
}

/// What the provider added to the calls of the next request.
fn sent(w: &World) -> Vec<Option<String>> {
    let all = messages(&w.state, ThreadId(0), None);
    let calls = all.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls
        .flatten()
        .map(|call| call.opaque.as_deref().map(str::to_owned))
        .collect()
}

#[test]
fn members_that_the_provider_added_go_back_while_nobody_edits_the_call() {
    let mut w = World::new();
    w.reply(&[
        signed(r#"{"_as":"a","n":1}"#, r#"{"s":1.50}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    w.drain();
    let stored = [Some(r#"{"s":1.50}"#.to_owned()), None];
    assert_eq!(sent(&w), stored);
    let before = context_hash(&w.state, ThreadId(0), None);
    w.args(w.id("a"), r#"{"_as":"a","n":3}"#).unwrap();
    w.drain();
    assert_eq!(sent(&w), [None, None], "it belonged to the old arguments");
    w.undo().unwrap();
    w.drain();
    assert_eq!(sent(&w), stored, "and comes back with them");
    assert_eq!(context_hash(&w.state, ThreadId(0), None), before);

    // It is a part of what the model is asked with.
    let mut other = World::new();
    other.reply(&[
        signed(r#"{"_as":"a","n":1}"#, r#"{"s":2}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    other.drain();
    assert_ne!(context_hash(&other.state, ThreadId(0), None), before);
}

/// A block that only the provider understands.
fn searching() -> Block {
    Block::Thought {
        text: "".into(),
        channel: Channel::Spoken,
        opaque: Some(r#"[{"p":1}]"#.into()),
    }
}

#[test]
fn a_pause_of_the_provider_in_its_own_work_is_continued_by_sending_it_back() {
    let mut w = World::new();
    let asked = w.asked.len();
    w.stream(think("I search."));
    w.stream(searching());
    w.end(Stop::OwnWork);
    assert_eq!(w.asked.len(), asked + 1, "the provider continues");
    let sent = w.asked.last().unwrap().messages.clone();
    let Some(Message::Assistant { texts, calls }) = sent.last() else {
        panic!("{sent:?}")
    };
    assert!(calls.is_empty());
    assert_eq!(texts.last().unwrap().opaque.as_deref(), Some(r#"[{"p":1}]"#));
    w.reply(&[answer("found")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn a_provider_that_only_pauses_is_left_to_a_person() {
    let mut w = World::new();
    for round in 0.. {
        assert!(round < 20, "it is continued without an end");
        w.stream(searching());
        w.end(Stop::OwnWork);
        if w.open.is_empty() {
            break;
        }
    }
    let turn = w.state.turns.values().last().unwrap();
    assert!(matches!(&turn.stream, Stream::Broken(fault) if fault.kind == StreamFaultKind::Pause));
    assert_eq!(w.state.mode, Mode::Running);
}

#[test]
fn a_pause_after_a_signed_thought_is_left_to_a_person() {
    let mut w = World::new();
    let asked = w.asked.len();
    w.stream(searching());
    w.end(Stop::Pause);
    let turn = w.state.turns.values().last().unwrap();
    assert!(matches!(&turn.stream, Stream::Broken(fault) if fault.kind == StreamFaultKind::Pause));
    assert_eq!(w.asked.len(), asked, "nothing is asked by itself");
}

#[test]
fn a_pause_and_an_unusable_call_are_left_to_a_person() {
    for (stop, kind) in [
        (Stop::Pause, StreamFaultKind::Pause),
        (
            Stop::BadCall("the model wrote a call as text".into()),
            StreamFaultKind::BadCall,
        ),
    ] {
        let mut w = World::new();
        let asked = w.asked.len();
        w.stream(think("I look."));
        w.end(stop);
        let turn = w.state.turns.values().last().unwrap().clone();
        let Stream::Broken(fault) = &turn.stream else {
            panic!("{:?}", turn.stream)
        };
        assert_eq!(fault.kind, kind);
        assert!(fault.message.contains("Ask again"), "{}", fault.message);
        assert_eq!(w.asked.len(), asked, "nothing is asked by itself");
        assert!(w.all(NodeKind::Answer).is_empty());
        assert_eq!(w.state.mode, Mode::Running);
    }
}
