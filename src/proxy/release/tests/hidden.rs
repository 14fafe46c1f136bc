//! Tests of replies with calls that the agent does not learn of.
//!
//! Must not know: sockets.

use serde_json::json;

use super::unclear::{KEPT, names, wire};
use crate::events::Form;
use crate::held::HeldReply;
use crate::reading::read_all;
use crate::release::{CALLS, Release, with_content};
use overrule_domain::turn::{Stop, Usage};
use overrule_model::Chunk;
use overrule_model::decode::summary;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{ReplyHead, encode_stream, encode_whole};

/// A reply of the model with a text and calls of these tools.
fn reply(wire: Wire, form: Form, text: &str, tools: &[&str]) -> String {
    let delta = text.to_owned();
    let mut chunks = vec![Chunk::Text { part: 0, delta }];
    let sealed = |part| Chunk::Sealed { part, opaque: None };
    chunks.push(sealed(0));
    for (part, tool) in (1..).zip(tools) {
        let (id, name) = (Some(format!("id_{tool}")), (*tool).to_owned());
        let delta = json!({ "path": tool }).to_string();
        chunks.extend([
            Chunk::Call { part, id, name },
            Chunk::Args { part, delta },
            sealed(part),
        ]);
    }
    let usage = Usage {
        input: Some(3),
        output: Some(7),
        ..Usage::default()
    };
    chunks.push(Chunk::Usage(usage));
    chunks.push(Chunk::Finish(if tools.is_empty() {
        Stop::End
    } else {
        Stop::Calls
    }));
    let head = ReplyHead {
        id: "own".into(),
        model: "m".into(),
        created: 1,
    };
    match form {
        Form::Whole => encode_whole(wire, &head, &chunks),
        Form::Stream | Form::Lines => encode_stream(wire, head, &chunks),
    }
}

/// Every format, streamed and in one piece.
fn ways() -> impl Iterator<Item = (Wire, Form)> {
    CALLS.iter().flat_map(|(name, _)| {
        let wire = wire(name);
        let streamed = if wire.is_lines() {
            Form::Lines
        } else {
            Form::Stream
        };
        [(wire, streamed), (wire, Form::Whole)]
    })
}

/// Takes a whole reply of the model; returns what the agent gets before a decision.
fn take(held: &mut HeldReply, (wire, form): (Wire, Form), body: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for event in read_all(wire, form, body.as_bytes()).0 {
        held.push(event);
        out.extend(held.take());
    }
    held.end();
    out.extend(held.take());
    out
}

#[test]
fn a_reply_without_another_call_is_continued_by_the_next_one() {
    for (wire, form) in ways() {
        let about = format!("{} {form:?}", wire.name());
        let mut held = HeldReply::new(wire, form);
        let mut all = take(&mut held, (wire, form), &reply(wire, form, "One.", &["a", "b"]));
        held.decide(0, Release::Hidden);
        assert!(
            !held.is_continued(),
            "{about}: the second call may still be released"
        );
        held.decide(1, Release::Hidden);
        all.extend(held.take());
        assert!(
            held.is_continued() && held.is_waiting() && !held.is_done(),
            "{about}"
        );
        assert!(!String::from_utf8_lossy(&all).contains("id_a"), "{about}");
        all.extend(held.heartbeat());
        held.go_on();
        all.extend(take(
            &mut held,
            (wire, form),
            &reply(wire, form, "Two.", &["c", "d"]),
        ));
        held.decide(0, Release::Hidden);
        held.decide(1, KEPT);
        all.extend(held.take());
        assert!(held.is_done(), "{about}");
        let got = summary(wire, &all);
        let text = String::from_utf8_lossy(&all);
        assert_eq!(got.error, None, "{about}: {text}");
        assert_eq!(got.text, "One.Two.", "{about}: {text}");
        assert_eq!(names(&got), ["d"], "{about}: {text}");
        assert!(
            !text.contains("id_a") && !text.contains("id_b") && !text.contains("id_c"),
            "{about}: {text}"
        );
        assert!(text.contains('7'), "{about}: what it cost is told: {text}");
        if form == Form::Whole && wire.name() != "gemini" && wire.name() != "ollama" {
            assert!(text.contains("\"own\""), "{about}: {text}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_ends_a_reply_that_waits_to_be_continued() {
    for (wire, form) in ways() {
        let mut held = HeldReply::new(wire, form);
        let mut all = take(&mut held, (wire, form), &reply(wire, form, "One.", &["a"]));
        held.decide(0, Release::Hidden);
        all.extend(held.take());
        assert!(held.is_continued());
        all.extend(held.close(&reply(wire, Form::Whole, "Stopped.", &[])));
        let got = summary(wire, &all);
        assert!(got.error.is_none() && got.text.contains("Stopped."), "{got:?}");
        assert!(held.is_done() && got.calls.is_empty());
    }
}

#[test]
fn a_reply_in_one_piece_keeps_what_is_no_content() {
    let own = r#"{"id":"x","choices":[1],"usage":{"a":1},"more":2}"#;
    let other = r#"{"id":"y","choices":[3],"usage":{"a":9}}"#;
    assert_eq!(
        with_content(own, other),
        r#"{"id":"x","choices":[3],"usage":{"a":1},"more":2}"#
    );
    assert_eq!(with_content("[]", other), other);
}
