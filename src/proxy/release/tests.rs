//! Tests of decided calls, over every format.
//!
//! Must not know: sockets.

mod hidden;
mod rest;
mod told;
mod unclear;

use proptest::prelude::*;

use super::Release;
use crate::events::{Cutter, Form};
use crate::held::HeldReply;
use crate::reading::{ReplyReader, read_all};
use overrule_domain::turn::Stop;
use overrule_model::Chunk;
use overrule_model::decode::{SummaryCall, summary};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{ReplyHead, encode_stream, encode_whole};

fn head() -> ReplyHead {
    ReplyHead {
        id: "r1".into(),
        model: "m".into(),
        created: 1,
    }
}

#[test]
fn each_format_has_one_reader_of_calls() {
    let mut readers = super::CALLS.map(|(name, _)| name);
    let mut formats: Vec<&str> = Wire::all().map(|wire| wire.name()).collect();
    readers.sort_unstable();
    formats.sort_unstable();
    assert_eq!(readers.to_vec(), formats);
}

fn call(part: u32, name: &str, args: &str) -> Vec<Chunk> {
    vec![
        Chunk::Call {
            part,
            id: Some(format!("id_{part}")),
            name: name.into(),
        },
        Chunk::Args {
            part,
            delta: args.into(),
        },
        Chunk::Sealed { part, opaque: None },
    ]
}

fn reply() -> Vec<Chunk> {
    let mut chunks = vec![
        Chunk::Text {
            part: 0,
            delta: "I look".into(),
        },
        Chunk::Text {
            part: 0,
            delta: " first.".into(),
        },
        Chunk::Sealed {
            part: 0,
            opaque: None,
        },
    ];
    chunks.extend(call(1, "read", r#"{"path":"a"}"#));
    chunks.extend(call(2, "write", r#"{"path":"b"}"#));
    chunks.push(Chunk::Finish(Stop::Calls));
    chunks
}

fn form(wire: Wire) -> Form {
    if wire.is_lines() {
        Form::Lines
    } else {
        Form::Stream
    }
}

/// The reply with these decisions made after everything has come, and what passed before.
fn decided(wire: Wire, bytes: &[u8], form: Form, decisions: &[(usize, Release)]) -> (Vec<u8>, Vec<u8>) {
    let mut held = HeldReply::new(wire, form);
    let mut before = Vec::new();
    let (events, read) = read_all(wire, form, bytes);
    read.unwrap();
    for event in events {
        held.push(event);
        before.extend(held.take());
    }
    held.end();
    before.extend(held.take());
    let mut all = before.clone();
    for (call, release) in decisions {
        held.decide(*call, release.clone());
        all.extend(held.take());
    }
    assert_eq!(held.is_done(), decisions.len() == 2, "{wire}");
    assert_eq!(held.shown(), all);
    (before, all)
}

fn changed(tool: &str, args: &str) -> Release {
    Release::Changed {
        tool: tool.into(),
        args: args.into(),
    }
}

fn calls(wire: Wire, bytes: &[u8]) -> Vec<SummaryCall> {
    let found = summary(wire, bytes);
    assert_eq!(found.error, None, "{wire}: {}", String::from_utf8_lossy(bytes));
    assert_eq!(found.text, "I look first.", "{wire}");
    assert_eq!(found.finish.as_deref(), Some("tool_calls"), "{wire}");
    found.calls
}

#[test]
fn allowed_calls_keep_every_byte_and_nothing_of_an_undecided_one_is_shown() {
    for wire in Wire::all() {
        let bytes = encode_stream(wire, head(), &reply()).into_bytes();
        let both = [(0, Release::AsItCame), (1, Release::AsItCame)];
        let (before, all) = decided(wire, &bytes, form(wire), &both);
        assert_eq!(
            String::from_utf8_lossy(&all),
            String::from_utf8_lossy(&bytes),
            "{wire}"
        );
        let before = String::from_utf8(before).unwrap();
        assert!(
            before.contains("first.") && !before.contains("read"),
            "{wire}: {before}"
        );
        let one = [(0, Release::AsItCame)];
        let (_, first) = decided(wire, &bytes, form(wire), &one);
        let first = String::from_utf8(first).unwrap();
        assert!(
            first.contains("read") && !first.contains("write"),
            "{wire}: {first}"
        );
        // In the other order, nothing passes before the first is decided.
        let (before, second) = decided(wire, &bytes, form(wire), &[(1, Release::AsItCame)]);
        assert_eq!(before, second, "{wire}");
    }
}

#[test]
fn a_changed_call_keeps_its_id_and_the_other_its_bytes() {
    for wire in Wire::all() {
        let bytes = encode_stream(wire, head(), &reply()).into_bytes();
        let was = calls(wire, &bytes);
        for at in 0..2 {
            let mut decisions = [(0, Release::AsItCame), (1, Release::AsItCame)];
            decisions[at].1 = changed("other", r#"{"x":[1,"é\n"]}"#);
            let (_, all) = decided(wire, &bytes, form(wire), &decisions);
            let now = calls(wire, &all);
            assert_eq!(now.len(), 2, "{wire}");
            assert_eq!(now[1 - at], was[1 - at], "{wire}");
            assert_eq!(now[at].id, was[at].id, "{wire}");
            assert_eq!(now[at].name, "other", "{wire}");
            assert!(now[at].whole, "{wire}");
            let args: serde_json::Value = serde_json::from_str(&now[at].args).unwrap();
            assert_eq!(args, serde_json::json!({"x": [1, "é\n"]}), "{wire}");
        }
    }
}

#[test]
fn a_reply_in_one_piece_is_held_and_changed_as_well() {
    for wire in Wire::all() {
        let bytes = encode_whole(wire, &head(), &reply()).into_bytes();
        let kept = [(0, Release::AsItCame), (1, Release::AsItCame)];
        let (before, all) = decided(wire, &bytes, Form::Whole, &kept);
        assert!(before.is_empty(), "{wire}");
        assert_eq!(all, bytes, "{wire}");
        let masked = [
            (0, Release::AsItCame),
            (1, changed("rejected_by_operator_7", "{}")),
        ];
        let (_, all) = decided(wire, &bytes, Form::Whole, &masked);
        let now = calls(wire, &all);
        assert_eq!(
            (now[0].name.as_str(), now[1].name.as_str()),
            ("read", "rejected_by_operator_7"),
            "{wire}"
        );
        // As an object, no arguments are an object without members: the two look the same.
        let args = now[1].args.as_str();
        assert_eq!(if args.is_empty() { "{}" } else { args }, "{}", "{wire}");
    }
}

#[test]
fn events_of_responses_are_numbered_without_gaps() {
    let wire = Wire::named("openai-responses").unwrap();
    let mut chunks = reply();
    let more = Chunk::Args {
        part: 1,
        delta: " ".into(),
    };
    chunks.insert(5, more);
    let bytes = encode_stream(wire, head(), &chunks).into_bytes();
    let decisions = [(0, changed("read", r#"{"path":"z"}"#)), (1, Release::AsItCame)];
    let (_, all) = decided(wire, &bytes, Form::Stream, &decisions);
    let mut cutter = Cutter::new(Form::Stream);
    let events = cutter.feed(&all).unwrap();
    let numbers: Vec<u64> = events
        .iter()
        .filter_map(|event| event.object()?.number("sequence_number"))
        .collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    let last = events
        .iter()
        .find(|event| event.kind() == "response.completed")
        .unwrap();
    let last: serde_json::Value = serde_json::from_str(&last.data).unwrap();
    let items = last["response"]["output"].as_array().unwrap();
    assert!(
        items.iter().any(|item| item["arguments"] == r#"{"path":"z"}"#),
        "{items:?}"
    );
}

#[test]
fn heartbeats_while_a_call_waits_change_nothing_of_the_reply() {
    for wire in Wire::all() {
        let bytes = encode_stream(wire, head(), &reply()).into_bytes();
        let mut held = HeldReply::new(wire, form(wire));
        let mut all = held.heartbeat();
        if wire.name() == "gemini" || wire.name() == "anthropic" {
            assert!(!all.is_empty(), "{wire}");
        } else {
            all.clear();
            held = HeldReply::new(wire, form(wire));
        }
        for event in read_all(wire, form(wire), &bytes).0 {
            held.push(event);
            all.extend(held.take());
        }
        held.end();
        for _ in 0..3 {
            let beat = held.heartbeat();
            assert!(!beat.is_empty() && !beat.starts_with(b":"), "{wire}");
            all.extend(beat);
        }
        held.decide(0, Release::AsItCame);
        all.extend(held.take());
        all.extend(held.heartbeat());
        held.decide(1, changed("other", "{}"));
        all.extend(held.take());
        assert!(held.is_done(), "{wire}");
        let now = calls(wire, &all);
        assert_eq!(
            (now[0].name.as_str(), now[1].name.as_str()),
            ("read", "other"),
            "{wire}"
        );
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(56))]

    #[test]
    fn decisions_fall_on_the_same_bytes_however_a_reply_is_torn(
        size in 1_usize..40, edited in 0_usize..2, is_whole in any::<bool>(),
    ) {
        for wire in Wire::all() {
            let (expected, bytes) = if is_whole {
                (Form::Whole, encode_whole(wire, &head(), &reply()))
            } else {
                (form(wire), encode_stream(wire, head(), &reply()))
            };
            let mut decisions = [(0, Release::AsItCame), (1, Release::AsItCame)];
            decisions[edited].1 = changed("other", r#"{"x":1}"#);
            let (_, once) = decided(wire, bytes.as_bytes(), expected, &decisions);
            let mut held = HeldReply::new(wire, expected);
            for (call, release) in decisions {
                held.decide(call, release);
            }
            let mut reader = ReplyReader::new(wire, expected);
            let mut all = Vec::new();
            let mut events = Vec::new();
            for piece in bytes.as_bytes().chunks(size) {
                reader.feed(piece, &mut events).unwrap();
                for event in events.drain(..) {
                    held.push(event);
                    all.extend(held.take());
                }
            }
            reader.end(&mut events).unwrap();
            events.drain(..).for_each(|event| held.push(event));
            held.end();
            all.extend(held.take());
            prop_assert_eq!(String::from_utf8(all).unwrap(), String::from_utf8(once).unwrap(), "{}", wire);
        }
    }

    #[test]
    fn allowed_calls_keep_every_byte_for_any_arguments(
        args in "[a-z\\u{e9}\\\\\"\n ]{0,30}", order in any::<bool>(),
    ) {
        let args = serde_json::json!({ "text": args }).to_string();
        for wire in Wire::all() {
            let mut chunks = call(0, "a", &args);
            chunks.extend(call(1, "b", &args));
            chunks.push(Chunk::Finish(Stop::Calls));
            let bytes = encode_stream(wire, head(), &chunks).into_bytes();
            let mut decisions = [(0, Release::AsItCame), (1, Release::AsItCame)];
            if order {
                decisions.reverse();
            }
            let (_, all) = decided(wire, &bytes, form(wire), &decisions);
            prop_assert_eq!(all, bytes);
        }
    }
}
