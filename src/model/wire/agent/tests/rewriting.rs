//! Tests of edits: what is asked for changes, and no other byte.
//!
//! Must not know: who asks for them.

use super::super::{PartEdit, PartKind, Rewrite};
use super::{all, parts, read};
use crate::wire::Wire;

/// A conversation with two calls and their results, in each format; `{}` stands for nothing.
const BODIES: &[(&str, &str)] = &[
    (
        "openai-chat",
        r#"{"a":1.0, "messages": [ {"role":"user","content":"go"} , {"role":"assistant","content":"Words.","tool_calls":[ {"id":"c1","type":"function","function":{"name":"read","arguments":"{\"p\": 1}"},"x":{"sig":1}},{"id":"c2","type":"function","function":{"name":"rejected_1","arguments":"{}"}} ]},
{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":"no such tool"}], "z":1e3}"#,
    ),
    (
        "anthropic",
        r#"{"a":1.0, "messages": [ {"role":"user","content":"go"} , {"role":"assistant","content":[{"type":"text","text":"Words."},{"type":"tool_use","id":"c1","name":"read","input":{"p": 1},"x":{"sig":1}} , {"type":"tool_use","id":"c2","name":"rejected_1","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"no such tool"}],"is_error":false}]}], "z":1e3}"#,
    ),
    (
        "openai-responses",
        r#"{"a":1.0, "input": [ {"role":"user","content":"go"} , {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Words.","annotations":[]}]}, {"type":"function_call","call_id":"c1","name":"read","arguments":"{\"p\": 1}","x":{"sig":1}},{"type":"function_call","call_id":"c2","name":"rejected_1","arguments":"{}"},
{"type":"function_call_output","call_id":"c1","output":"one"},{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"no such tool"}]}], "z":1e3}"#,
    ),
    (
        "gemini",
        r#"{"a":1.0, "contents": [ {"role":"user","parts":[{"text":"go"}]} , {"role":"model","parts":[{"text":"Words."},{"functionCall":{"id":"c1","name":"read","args":{"p": 1}},"thoughtSignature":"sig"} , {"functionCall":{"id":"c2","name":"rejected_1","args":{}}}]},
{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"read","response":{"output":"one"}}},{"functionResponse":{"id":"c2","name":"rejected_1","response":{"error":"no such tool"}}}]}], "z":1e3}"#,
    ),
    (
        "ollama",
        r#"{"a":1.0, "messages": [ {"role":"user","content":"go"} , {"role":"assistant","content":"Words.","tool_calls":[ {"id":"c1","function":{"name":"read","arguments":{"p": 1}},"x":{"sig":1}},{"id":"c2","function":{"name":"rejected_1","arguments":{}}} ]},
{"role":"tool","tool_call_id":"c1","tool_name":"read","content":"one"},{"role":"tool","tool_call_id":"c2","tool_name":"rejected_1","content":"no such tool"}], "z":1e3}"#,
    ),
];

#[test]
fn every_format_is_here() {
    for wire in Wire::all() {
        assert!(BODIES.iter().any(|(name, _)| *name == wire.name()), "{wire}");
    }
}

/// The place of the call or result of an id, or of the text.
fn place(body: &(&str, &str), want: impl Fn(&PartKind) -> bool) -> (usize, usize) {
    let request = read(body.0, body.1);
    let all = parts(&request);
    all.iter().find(|(_, kind)| want(kind)).unwrap().0
}

fn is_call(kind: &PartKind, id: &str) -> bool {
    matches!(kind, PartKind::Call { id: of, .. } if of.as_deref() == Some(id))
}

fn is_result(kind: &PartKind, id: &str) -> bool {
    matches!(kind, PartKind::Result { id: of, .. } if of.as_deref() == Some(id))
}

/// Counts the bytes at both ends that two texts have in common.
fn common(a: &str, b: &str) -> usize {
    let front = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let back = a[front..].bytes().rev().zip(b[front..].bytes().rev());
    front + back.take_while(|(a, b)| a == b).count()
}

#[test]
fn a_masked_call_gets_its_name_arguments_and_reason_back() {
    for body in BODIES {
        let request = read(body.0, body.1);
        let (call, result) = (
            place(body, |kind| is_call(kind, "c2")),
            place(body, |kind| is_result(kind, "c2")),
        );
        let mut rewrite = Rewrite::new(&request);
        let edit = PartEdit::Call {
            name: Some("shell".into()),
            args: Some(r#"{"command":  "rm \"x\"", "n": 1.0}"#.into()),
            keeps_opaque: true,
        };
        rewrite.part(call.0, call.1, edit);
        let (text, is_error) = ("The operator says no.".to_owned(), true);
        rewrite.part(
            result.0,
            result.1,
            PartEdit::Result {
                text,
                is_error,
                tool: None,
            },
        );
        let again = read(body.0, &rewrite.body());
        let kinds = parts(&again);
        assert_eq!(kinds.len(), parts(&request).len(), "{}", body.0);
        for ((place, new), (_, old)) in kinds.iter().zip(parts(&request)) {
            match new {
                PartKind::Call { name, args, .. } if *place == call => {
                    assert_eq!(
                        (name.as_str(), args.as_str()),
                        ("shell", r#"{"command":  "rm \"x\"", "n": 1.0}"#)
                    );
                }
                PartKind::Result { text, is_error, .. } if *place == result => {
                    assert_eq!(text, "The operator says no.");
                    assert_eq!(*is_error, matches!(body.0, "anthropic" | "gemini"), "{}", body.0);
                }
                new => assert_eq!(*new, old, "{}", body.0),
            }
        }
        assert_eq!(again.setting("z"), Some("1e3"));
        // What the edits do not name is the same bytes: the whole body up to the call, and its end.
        let at = request.messages[call.0].parts[call.1].span.start;
        assert_eq!(rewrite.body()[..at], request.body[..at], "{}", body.0);
        assert!(rewrite.body().ends_with(r#"], "z":1e3}"#), "{}", body.0);
    }
}

#[test]
fn what_a_provider_added_to_a_call_goes_with_an_edit_or_stays() {
    for body in BODIES {
        let request = read(body.0, body.1);
        let call = place(body, |kind| is_call(kind, "c1"));
        for keeps_opaque in [true, false] {
            let mut rewrite = Rewrite::new(&request);
            let edit = PartEdit::Call {
                name: None,
                args: Some("{\"q\":2}".into()),
                keeps_opaque,
            };
            rewrite.part(call.0, call.1, edit);
            assert_eq!(rewrite.body().contains("sig"), keeps_opaque, "{}", rewrite.body());
            let again = read(body.0, &rewrite.body());
            let call = &again.messages[call.0].parts[call.1];
            assert_eq!(call.opaque.is_some(), keeps_opaque, "{}", body.0);
        }
    }
}

#[test]
fn a_text_is_replaced_and_nothing_else() {
    for body in BODIES {
        let request = read(body.0, body.1);
        let text = place(
            body,
            |kind| matches!(kind, PartKind::Text { text } if text == "Words."),
        );
        let mut rewrite = Rewrite::new(&request);
        rewrite.part(text.0, text.1, PartEdit::Text("Say \"x\".".into()));
        let new = rewrite.body();
        let want = request.body.replace("\"Words.\"", "\"Say \\\"x\\\".\"");
        assert_eq!(*new, want);
        let kept = common(&request.body, &new);
        assert!(kept >= request.body.len() - "Words.".len(), "{kept}");
    }
}

#[test]
fn a_removed_part_takes_its_message_along_if_it_was_the_last() {
    for body in BODIES {
        let request = read(body.0, body.1);
        let mut rewrite = Rewrite::new(&request);
        for id in ["c1", "c2"] {
            for at in [
                place(body, |kind| is_call(kind, id)),
                place(body, |kind| is_result(kind, id)),
            ] {
                rewrite.part(at.0, at.1, PartEdit::Remove);
            }
        }
        let again = read(body.0, &rewrite.body());
        let kinds: Vec<PartKind> = parts(&again).into_iter().map(|(_, kind)| kind).collect();
        let text = |text: &str| PartKind::Text { text: text.into() };
        assert_eq!(kinds, [text("go"), text("Words.")], "{}", rewrite.body());
        assert_eq!(again.messages.len(), 2, "{}", body.0);
        assert!(!rewrite.body().contains("tool_calls"), "{}", rewrite.body());
        // One of two.
        let mut rewrite = Rewrite::new(&request);
        let call = place(body, |kind| is_call(kind, "c1"));
        rewrite.part(call.0, call.1, PartEdit::Remove);
        let again = read(body.0, &rewrite.body());
        assert_eq!(
            parts(&again).len(),
            parts(&request).len() - 1,
            "{}",
            rewrite.body()
        );
        assert!(parts(&again).iter().any(|(_, kind)| is_call(kind, "c2")));
    }
}

#[test]
fn messages_are_replaced_and_inserted_whole() {
    for body in BODIES {
        let request = read(body.0, body.1);
        let user = if body.0 == "gemini" {
            r#"{"role":"user","parts":[{"text":"new"}]}"#
        } else {
            r#"{"role":"user","content":"new"}"#
        };
        let count = request.messages.len();
        let mut rewrite = Rewrite::new(&request);
        rewrite.messages(0..1, vec![user.to_owned(), user.to_owned()]);
        rewrite.messages(count..count, vec![user.to_owned()]);
        let again = read(body.0, &rewrite.body());
        assert_eq!(again.messages.len(), count + 2, "{}", rewrite.body());
        for (number, message) in again.messages.iter().enumerate() {
            let want = match number {
                0 | 1 => user,
                number if number == count + 1 => user,
                number => request.raw(&request.messages[number - 1]),
            };
            assert_eq!(again.raw(message), want, "{}", body.0);
        }
        let mut rewrite = Rewrite::new(&request);
        rewrite.messages(0..count, Vec::new());
        assert_eq!(read(body.0, &rewrite.body()).messages, []);
    }
}

#[test]
fn reasoning_in_other_words_has_no_signature() {
    for request in all() {
        for ((message, part), kind) in parts(&request) {
            if !matches!(kind, PartKind::Reasoning { .. }) {
                continue;
            }
            let old = &request.messages[message].parts[part];
            let mut rewrite = Rewrite::new(&request);
            rewrite.part(message, part, PartEdit::Text("Other words.".into()));
            let again = read(request.wire.name(), &rewrite.body());
            let new = &again.messages[message].parts[part];
            assert_eq!(new.opaque, None, "{}", rewrite.body());
            let (PartKind::Text { text } | PartKind::Reasoning { text }) = &new.kind else {
                panic!("{new:?}");
            };
            assert_eq!(text, "Other words.");
            // Every other message is the same.
            for (number, other) in request.messages.iter().enumerate() {
                let same = again.raw(&again.messages[number]) == request.raw(other);
                assert_eq!(same, number != message, "{}", request.raw_part(old));
            }
        }
    }
}

#[test]
fn one_text_that_stands_for_the_list_is_edited_and_becomes_a_list() {
    let request = read("openai-responses", r#"{"input":"Say hi.","x":1.0}"#);
    let mut rewrite = Rewrite::new(&request);
    rewrite.part(0, 0, PartEdit::Text("Say ho.".into()));
    assert_eq!(&*rewrite.body(), r#"{"input":"Say ho.","x":1.0}"#);
    let mut rewrite = Rewrite::new(&request);
    rewrite.messages(1..1, vec![r#"{"role":"user","content":"more"}"#.to_owned()]);
    assert_eq!(
        &*rewrite.body(),
        r#"{"input":[{"role":"user","content":"Say hi."},{"role":"user","content":"more"}],"x":1.0}"#
    );
}
