//! Helpers for the tests of all formats, and tests that hold for every format.
//!
//! Must not know: the frames of a format.

use serde_json::Value;

use super::{Target, Wire};
use crate::decode::{Summary, chunks, summary};
use crate::http::body::Body;
use crate::{Chunk, Quirk, Quirks, Request, Tap};
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::transcript::{CalledAs, Message, ModelText, NoteKind};
use overrule_domain::turn::StreamFault;

/// Returns the format of this name.
pub(super) fn wire(name: &str) -> Wire {
    Wire::named(name).unwrap()
}

/// Returns an event stream of these frames.
pub(super) fn events(frames: &[&str]) -> String {
    frames
        .iter()
        .fold(String::new(), |body, frame| body + "data: " + frame + "\n\n")
}

/// Decodes a body whole, in pieces, with CRLF and with a byte-order mark, and requires the same result. A body that
/// is cut gives no error but that of a cut, and no other call.
pub(super) fn decode(name: &str, body: &str) -> (Vec<Chunk>, Result<(), StreamFault>) {
    let wire = wire(name);
    let whole = chunks(wire, body.as_bytes());
    for size in [1, 2, 5, 13] {
        let mut reader = Body::new(wire);
        let mut out = Vec::new();
        let mut result = Ok(());
        for piece in body.as_bytes().chunks(size) {
            result = result.and_then(|()| reader.feed(piece, &mut out));
        }
        result = result.and_then(|()| reader.end(&mut out));
        assert_eq!((out, result), whole, "in pieces of {size}");
    }
    let with_returns = body.replace('\n', "\r\n");
    assert_eq!(chunks(wire, with_returns.as_bytes()), whole, "with CRLF");
    let marked = format!("\u{FEFF}{body}");
    assert_eq!(chunks(wire, marked.as_bytes()), whole, "with a mark");
    let calls = |body: &[u8]| summary(wire, body).calls.into_iter().filter(|call| call.whole);
    let known: Vec<_> = calls(body.as_bytes()).collect();
    for end in (0..body.len()).step_by(7) {
        for call in calls(&body.as_bytes()[..end]) {
            assert!(known.contains(&call), "half a call at {end}: {call:?}");
        }
    }
    whole
}

/// Summarises a body after the same checks.
pub(super) fn summed(name: &str, body: &str) -> Summary {
    let _ = decode(name, body);
    summary(wire(name), body.as_bytes())
}

/// Returns the opaque data of the sealed parts, in order.
pub(super) fn opaque(chunks: &[Chunk]) -> Vec<String> {
    let data = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Sealed { opaque, .. } => opaque.clone(),
        _ => None,
    });
    data.collect()
}

pub(super) fn user(text: &str) -> Message {
    let text = text.into();
    Message::User {
        node: NodeId::new(NodeKind::Prompt, 1),
        text,
    }
}

pub(super) fn note(text: &str) -> Message {
    Message::Note {
        about: NoteKind::Notice,
        text: text.into(),
    }
}

pub(super) fn spoken_text(text: &str) -> ModelText {
    ModelText {
        node: NodeId::new(NodeKind::Thought, 0),
        text: text.into(),
        reasoning: false,
        opaque: None,
        by_operator: false,
    }
}

pub(super) fn thought(text: &str, opaque: Option<&str>) -> ModelText {
    ModelText {
        reasoning: true,
        opaque: opaque.map(Into::into),
        ..spoken_text(text)
    }
}

pub(super) fn called(no: u32, args: &str, opaque: Option<&str>) -> CalledAs {
    CalledAs {
        node: NodeId::new(NodeKind::Call, no),
        wire_id: format!("id:{no}_c{no}").into(),
        tool: "read_file".into(),
        args: args.into(),
        opaque: opaque.map(Into::into),
    }
}

pub(super) fn result(no: u32, text: &str, is_error: bool) -> Message {
    Message::Result {
        call: NodeId::new(NodeKind::Call, no),
        wire_id: format!("id:{no}_c{no}").into(),
        tool: "read_file".into(),
        text: text.into(),
        is_error,
    }
}

/// Returns a request with one tool.
pub(super) fn request(messages: Vec<Message>) -> Request {
    let card = ToolCard {
        description: "Reads.".into(),
        schema: r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.into(),
        ..ToolCard::bare("read_file", EffectClass::Read, &[])
    };
    Request {
        system: "Be brief.".into(),
        messages,
        tools: vec![card],
        quirks: Quirks::new(),
        output_schema: None,
        id: TurnId::default(),
        turn: 1,
        tap: Tap::default(),
    }
}

/// Returns the text of a request.
pub(super) fn text(name: &str, messages: Vec<Message>, quirks: &[Quirk]) -> String {
    let target = Target::plain("m");
    let quirks = quirks.iter().cloned().collect();
    wire(name).body(target, &request(messages), &quirks)
}

/// Returns a request as JSON.
pub(super) fn sent(name: &str, messages: Vec<Message>, quirks: &[Quirk]) -> Value {
    serde_json::from_str(&text(name, messages, quirks)).unwrap()
}

/// A conversation with everything that a request can have.
fn conversation() -> Vec<Message> {
    vec![
        user("go"),
        Message::Assistant {
            texts: vec![thought("hidden", None), spoken_text("Aloud.")],
            calls: vec![
                called(1, r#"{"path": "a",  "n":1.0}"#, None),
                called(2, " ", None),
            ],
        },
        result(1, "first result", false),
        result(2, "second result", true),
        note("a note"),
        Message::Assistant {
            texts: vec![spoken_text("  ")],
            calls: vec![called(3, "no json", None)],
        },
        result(3, "", true),
        user("more"),
    ]
}

#[test]
fn every_format_contains_everything_once_and_no_foreign_data() {
    for wire in Wire::all() {
        let name = wire.name();
        let body = text(name, conversation(), &[]);
        for words in [
            "Be brief.",
            "go",
            "Aloud.",
            "first result",
            "second result",
            "[operator console] a note",
            "more",
            "_unreadable",
        ] {
            assert_eq!(body.matches(words).count(), 1, "{name}: {words} in {body}");
        }
        // Only one server takes unsigned reasoning.
        assert_eq!(body.contains("hidden"), name == "ollama", "{name}: {body}");
        // Data of another format stays here.
        let other = if name == "anthropic" {
            "gemini"
        } else {
            "anthropic"
        };
        let data = r#"{"type":"thinking","signature":"sig","thoughtSignature":"sig","caller":"sig"}"#;
        let foreign = format!(r#"[{{"{other}":{data}}}]"#);
        let of_call = format!(r#"{{"{other}":{data}}}"#);
        let mut messages = conversation();
        messages[1] = Message::Assistant {
            texts: vec![thought("hidden", Some(&foreign)), spoken_text("Aloud.")],
            calls: vec![
                called(1, r#"{"path": "a",  "n":1.0}"#, Some(&of_call)),
                called(2, " ", None),
            ],
        };
        assert_eq!(text(name, messages.clone(), &[]), body, "{name}");
        let back = text(name, messages, &[Quirk::SignaturesBack]);
        assert!(!back.contains("sig"), "{name}: {back}");
    }
}

#[test]
fn a_request_that_continues_repeats_the_bytes_of_the_earlier_one() {
    for wire in Wire::all() {
        let name = wire.name();
        let bare = [Quirk::LeaveOut("cache_control".to_owned())];
        let all = text(name, conversation(), &bare);
        for count in 1..conversation().len() {
            let part = text(name, conversation()[..count].to_vec(), &bare);
            let common = part.bytes().zip(all.bytes()).take_while(|(a, b)| a == b).count();
            let missing = part.get(common..).unwrap_or_default();
            let is_last = matches!(conversation()[count - 1], Message::Assistant { .. });
            assert!(missing.len() < 12 || is_last, "{name}: {missing}");
        }
    }
}

#[test]
fn reasoning_stays_before_the_call_that_it_belongs_to() {
    for (name, opaque) in [
        (
            "anthropic",
            r#"[{"anthropic":{"type":"redacted_thinking","data":"SEAL"}}]"#,
        ),
        (
            "openai-responses",
            r#"[{"openai-responses":{"type":"reasoning","summary":[],"encrypted_content":"SEAL"}}]"#,
        ),
        ("gemini", r#"[{"gemini":{"executableCode":{"code":"SEAL"}}}]"#),
    ] {
        let thought = |no: u32| ModelText {
            node: NodeId::new(NodeKind::Thought, no),
            ..thought("", Some(&opaque.replace("SEAL", &format!("seal{no}"))))
        };
        let message = Message::Assistant {
            texts: vec![thought(1), thought(3)],
            calls: vec![
                called(2, r#"{"path":"a2"}"#, None),
                called(4, r#"{"path":"a4"}"#, None),
            ],
        };
        let body = text(
            name,
            vec![
                user("go"),
                message,
                result(2, "r2", false),
                result(4, "r4", false),
            ],
            &[],
        );
        let at = |words: &str| body.find(words).unwrap();
        let order = [at("seal1"), at("a2"), at("seal3"), at("a4"), at("r2"), at("r4")];
        assert!(order.is_sorted(), "{name}: {order:?} in {body}");
    }
}

/// A format with frames around pieces of text, reasoning and arguments. A piece is the inside of a JSON string.
struct Pieces {
    name: &'static str,
    text: fn(&str) -> String,
    reasoning: fn(&str) -> String,
    /// The first or a later piece of the arguments; none where arguments come whole.
    args: Option<fn(bool, &str) -> String>,
    end: &'static str,
}

const PIECES: [Pieces; 5] = [
    Pieces {
        name: "openai-chat",
        text: |piece| format!(r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{piece}"}}}}]}}"#),
        reasoning: |piece| {
            format!(r#"data: {{"choices":[{{"index":0,"delta":{{"reasoning_content":"{piece}"}}}}]}}"#)
        },
        args: Some(|is_first, piece| {
            let head = if is_first {
                r#""id":"c","type":"function","#
            } else {
                ""
            };
            let name = if is_first { r#""name":"f","# } else { "" };
            format!(
                r#"data: {{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,{head}"function":{{{name}"arguments":"{piece}"}}}}]}}}}]}}"#
            )
        }),
        end: "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]",
    },
    Pieces {
        name: "openai-responses",
        text: |piece| {
            format!(
                r#"data: {{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"{piece}"}}"#
            )
        },
        reasoning: |piece| {
            format!(
                r#"data: {{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"{piece}"}}"#
            )
        },
        args: Some(|is_first, piece| {
            let delta = format!(
                r#"data: {{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{piece}"}}"#
            );
            let added = r#"data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}"#;
            if is_first {
                format!("{added}\n\n{delta}")
            } else {
                delta
            }
        }),
        end: "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}",
    },
    Pieces {
        name: "anthropic",
        text: |piece| {
            format!(
                r#"data: {{"type":"content_block_delta","index":1,"delta":{{"type":"text_delta","text":"{piece}"}}}}"#
            )
        },
        reasoning: |piece| {
            format!(
                r#"data: {{"type":"content_block_delta","index":0,"delta":{{"type":"thinking_delta","thinking":"{piece}"}}}}"#
            )
        },
        args: Some(|is_first, piece| {
            let begin = r#"data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}"#;
            let delta = format!(
                r#"data: {{"type":"content_block_delta","index":2,"delta":{{"type":"input_json_delta","partial_json":"{piece}"}}}}"#
            );
            if is_first {
                format!("{begin}\n\n{delta}")
            } else {
                delta
            }
        }),
        end: "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}",
    },
    Pieces {
        name: "gemini",
        text: |piece| format!(r#"data: {{"candidates":[{{"content":{{"parts":[{{"text":"{piece}"}}]}}}}]}}"#),
        reasoning: |piece| {
            format!(
                r#"data: {{"candidates":[{{"content":{{"parts":[{{"text":"{piece}","thought":true}}]}}}}]}}"#
            )
        },
        args: None,
        end: "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}",
    },
    Pieces {
        name: "ollama",
        text: |piece| format!(r#"{{"message":{{"role":"assistant","content":"{piece}"}},"done":false}}"#),
        reasoning: |piece| {
            format!(r#"{{"message":{{"role":"assistant","content":"","thinking":"{piece}"}},"done":false}}"#)
        },
        args: None,
        end: "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}",
    },
];

/// Servers cut a text in the middle of a character: between the halves of a pair, or between its bytes.
#[test]
fn a_character_in_two_frames_is_one_in_every_format() {
    const MARK: &str = "@@";
    let halves: [(&[u8], &[u8]); 4] = [
        (br"\ud83d", br"\ude00"),
        (b"\xF0", b"\x9F\x98\x80"),
        (b"\xF0\x9F", b"\x98\x80"),
        (b"\xF0\x9F\x98", b"\x80"),
    ];
    // The frame with a mark where these bytes belong.
    let with = |frame: String, bytes: &[u8]| {
        let (before, after) = frame.split_once(MARK).unwrap();
        [before.as_bytes(), bytes, after.as_bytes(), b"\n\n"].concat()
    };
    for Pieces {
        name,
        text,
        reasoning,
        args,
        end,
    } in PIECES
    {
        for (first, second) in halves {
            let mut body = Vec::new();
            for frame in [reasoning, text] {
                body.extend(with(frame("a @@"), first));
                body.extend(with(frame("@@ b"), second));
            }
            if let Some(args) = args {
                body.extend(with(args(true, r#"{\"x\":\"a @@"#), first));
                body.extend(with(args(false, r#"@@ b\"}"#), second));
            }
            body.extend(end.as_bytes());
            body.extend(b"\n\n");
            let summary = summary(wire(name), &body);
            let shown = String::from_utf8_lossy(&body).into_owned();
            assert_eq!(summary.error, None, "{shown}");
            assert_eq!(summary.reasoning, "a \u{1F600} b", "{shown}");
            assert_eq!(summary.text, "a \u{1F600} b", "{shown}");
            let calls: Vec<_> = summary
                .calls
                .iter()
                .map(|call| (call.whole, call.args.as_str()))
                .collect();
            let want = args.map(|_| (true, "{\"x\":\"a \u{1F600} b\"}"));
            assert_eq!(calls, want.into_iter().collect::<Vec<_>>(), "{shown}");
        }
        // Half a character without its rest.
        let mut body = with(text("a @@"), br"\ud83d");
        body.extend(with(text("@@ b"), b""));
        body.extend(end.as_bytes());
        body.extend(b"\n\n");
        assert_eq!(summary(wire(name), &body).text, "a \u{FFFD} b", "{name}");
    }
}
