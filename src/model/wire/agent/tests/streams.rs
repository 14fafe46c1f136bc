//! Tests that a reply that is written in a format reads as the chunks that it was written from.
//!
//! Must not know: the frames of a format.

mod samples;

use proptest::prelude::*;
use serde_json::Value;

use super::super::{
    CallPart, ReplyHead, ReplyPart, ReplyParts, StreamEncoder, Words, encode_stream, encode_whole,
};
use crate::Chunk;
use crate::decode::chunks;
use crate::http::body::Body;
use crate::wire::Wire;
use overrule_domain::turn::{Stop, Usage};

fn head() -> ReplyHead {
    ReplyHead {
        id: "reply_1".into(),
        model: "m".into(),
        created: 1_700_000_000,
    }
}

/// What a format can carry.
#[derive(Debug, Clone, Copy)]
struct Carries {
    name: &'static str,
    /// Argument text, byte for byte and also in part. Otherwise an object.
    text: bool,
    /// Arguments are a string of JSON. Otherwise JSON of their own, at least in one JSON text.
    quoted: bool,
    /// Ids of calls are required.
    ids: bool,
    /// What the provider adds to reasoning with words, to reasoning without, to text, to a call. `WORDS` stands for the
    /// words.
    opaque: [Option<&'static str>; 4],
    /// A refusal has a text.
    refusal: bool,
    /// Parts stay apart in one JSON text.
    order: bool,
    /// Counts of cached tokens and of reasoning.
    details: bool,
}

const FORMATS: &[Carries] = &[
    Carries {
        name: "openai-chat",
        text: true,
        quoted: true,
        ids: true,
        opaque: [
            Some(
                r#"[{"type":"reasoning.encrypted","data":"x"},{"type":"reasoning.text","text":"","signature":"s"}]"#,
            ),
            Some(r#"[{"type":"reasoning.encrypted","data":"y"}]"#),
            None,
            Some(r#"{"extra_content":{"google":{"thought_signature":"s"}},"function":{"n":1.0}}"#),
        ],
        refusal: true,
        order: false,
        details: true,
    },
    Carries {
        name: "openai-responses",
        text: true,
        quoted: true,
        ids: true,
        opaque: [
            Some(
                r#"[{"openai-responses":{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":WORDS}],"encrypted_content":"e"}}]"#,
            ),
            Some(
                r#"[{"openai-responses":{"type":"reasoning","id":"r2","summary":[],"encrypted_content":"f"}}]"#,
            ),
            Some(r#"[{"openai-responses":{"phase":"commentary"}}]"#),
            Some(r#"{"openai-responses":{"namespace":"core"}}"#),
        ],
        refusal: true,
        order: true,
        details: true,
    },
    Carries {
        name: "anthropic",
        text: true,
        quoted: false,
        ids: true,
        opaque: [
            Some(r#"[{"anthropic":{"type":"thinking","thinking":"","signature":"Eq\/=="}}]"#),
            Some(r#"[{"anthropic":{"type":"redacted_thinking","data":"Em=="}}]"#),
            Some(r#"[{"anthropic":{"type":"text","text":WORDS,"citations":[{"url":"u"},{"url":"v"}]}}]"#),
            Some(r#"{"anthropic":{"caller":{"type":"direct"}}}"#),
        ],
        refusal: true,
        order: true,
        details: true,
    },
    Carries {
        name: "gemini",
        text: false,
        quoted: false,
        ids: false,
        opaque: [
            Some(r#"[{"gemini":{"thoughtSignature":"s\/1"}}]"#),
            Some(r#"[{"gemini":{"executableCode":{"code":"1+1"}}}]"#),
            Some(r#"[{"gemini":{"thoughtSignature":"s2"}}]"#),
            Some(r#"{"gemini":{"thoughtSignature":"s3"}}"#),
        ],
        refusal: false,
        order: true,
        details: true,
    },
    Carries {
        name: "ollama",
        text: false,
        quoted: false,
        ids: false,
        opaque: [None, None, None, Some(r#"{"ollama":{"x":1.0}}"#)],
        refusal: false,
        order: false,
        details: false,
    },
];

#[test]
fn every_format_is_tested() {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    for wire in Wire::all() {
        assert!(names.contains(&wire.name()), "{wire}");
    }
}

/// What a reply says, whatever the pieces in which it came.
#[derive(Debug, PartialEq)]
struct Said {
    parts: Vec<ReplyPart>,
    refusal: Option<String>,
    usage: Option<Usage>,
    stop: Option<Stop>,
}

/// Counts without the details that a format always has.
fn plain(usage: Usage) -> Usage {
    Usage {
        cached: usage.cached.filter(|count| *count > 0),
        reasoning: usage.reasoning.filter(|count| *count > 0),
        ..usage
    }
}

fn said(format: &Carries, chunks: &[Chunk]) -> Said {
    let mut reply = ReplyParts::of(chunks);
    let mut calls = 0;
    for part in &mut reply.parts {
        if let ReplyPart::Call(call) = part {
            if !format.text {
                let args = if call.args.is_empty() { "{}" } else { &call.args };
                call.args = serde_json::from_str::<Value>(args).unwrap().to_string();
            }
            if call.id.is_none() && format.ids {
                call.id = Some(format!("call_{calls}"));
            }
            calls += 1;
        }
    }
    let zero = Usage {
        input: Some(0),
        output: Some(0),
        ..Usage::default()
    };
    Said {
        parts: reply.parts,
        refusal: reply.refusal,
        // Two formats always have counts.
        usage: reply.usage.map(plain).filter(|usage| *usage != zero),
        stop: reply.stop.map(|stop| match stop {
            // The words are made by the reader.
            Stop::BadCall(_) => Stop::BadCall("".into()),
            stop => stop,
        }),
    }
}

/// Where one JSON text carries arguments as an object, it has no place for a call that was cut. The texts on both sides of
/// such a call are then neighbours, which are one text. If either has data of its provider, both keep their blocks.
fn without_cut_calls(parts: Vec<ReplyPart>) -> Vec<ReplyPart> {
    let blocks = |words: &Words| -> Vec<Value> {
        let text = serde_json::json!([{"anthropic": {"type": "text", "text": words.text}}]).to_string();
        serde_json::from_str(words.opaque.as_ref().unwrap_or(&text)).unwrap()
    };
    let mut kept: Vec<ReplyPart> = Vec::new();
    for part in parts {
        match (part, kept.last_mut()) {
            (ReplyPart::Call(call), _) if !call.is_sealed => {}
            (ReplyPart::Words(words), Some(ReplyPart::Words(before)))
                if !words.is_reasoning && !before.is_reasoning =>
            {
                if words.opaque.is_some() || before.opaque.is_some() {
                    let both = [blocks(before), blocks(&words)].concat();
                    before.opaque = Some(Value::from(both).to_string());
                }
                before.text += &words.text;
            }
            (part, _) => kept.push(part),
        }
    }
    kept
}

/// A Messages reply in one JSON text has `{}` for a call without arguments, and for one that was cut before them. Unless the
/// model meant to stop there, such a call is read as cut: it must not run.
fn without_doubtful_calls(format: &Carries, said: &mut Said) {
    let is_doubtful = format.text && !format.quoted && said.stop != Some(Stop::Calls);
    for part in &mut said.parts {
        if let ReplyPart::Call(call) = part
            && is_doubtful
            && matches!(call.args.as_str(), "" | "{}")
        {
            call.is_sealed = false;
            call.opaque = None;
        }
    }
}

/// A reply in one JSON text of some formats has its reasoning first, then its text, then its calls.
fn grouped(format: &Carries, said: Said) -> Said {
    let mut parts: Vec<ReplyPart> = said.parts;
    for part in &mut parts {
        // As an object, no arguments are an object without members: the two look the same.
        if let ReplyPart::Call(call) = part
            && !format.quoted
            && call.args.is_empty()
        {
            call.args.push_str("{}");
        }
    }
    if format.order {
        return Said { parts, ..said };
    }
    let mut words = [(String::new(), Vec::new()), (String::new(), Vec::new())];
    let mut calls = Vec::new();
    for part in parts {
        match part {
            ReplyPart::Words(one) => {
                let (text, opaque) = &mut words[usize::from(!one.is_reasoning)];
                text.push_str(&one.text);
                let list: Vec<Value> = serde_json::from_str(one.opaque.as_deref().unwrap_or("[]")).unwrap();
                opaque.extend(list);
            }
            ReplyPart::Call(call) => calls.push(ReplyPart::Call(call)),
        }
    }
    let [reasoning, text] = words;
    // Data without words of its own has no place between them.
    let opaque: Vec<Value> = reasoning.1.into_iter().chain(text.1).collect();
    let joined = |is_reasoning: bool, text: String, opaque: &[Value]| {
        ReplyPart::Words(Words {
            is_reasoning,
            text,
            opaque: Some(serde_json::to_string(opaque).unwrap()),
            is_sealed: true,
        })
    };
    let parts = [joined(true, reasoning.0, &opaque), joined(false, text.0, &[])];
    Said {
        parts: parts.into_iter().chain(calls).collect(),
        ..said
    }
}

fn words() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 .,\"\\\\é日\n]{1,8}",
        Just("😀".to_owned()),
        Just("\u{2028}†".to_owned())
    ];
    // Blanks alone are no text to some formats.
    let begun = |pieces: Vec<String>| [vec!["w".to_owned()], pieces].concat();
    proptest::collection::vec(piece, 0..4).prop_map(begun)
}

fn number() -> impl Strategy<Value = String> {
    const SPELLED: &[&str] = &["1", "1.0", "1e3", "-0", "12345678901234567890", "0.10"];
    proptest::sample::select(SPELLED).prop_map(str::to_owned)
}

const GAPS: &[&str] = &[" ", "", "\n"];

/// An object in any spelling.
fn object() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        number(),
        Just("null".to_owned()),
        Just("[1, {\"a\":\"}\"}]".to_owned()),
        Just("{ }".to_owned()),
        "[a-z \\n]{0,6}".prop_map(|text| Value::from(text).to_string()),
        Just("\"\\u0041\\/\\\"\"".to_owned()),
    ];
    let member = (proptest::sample::select(GAPS), value);
    proptest::collection::vec(member, 1..4).prop_map(|members| {
        let members = members.iter().enumerate();
        let members: Vec<String> = members
            .map(|(at, (gap, value))| format!("\"k{at}\":{gap}{value}"))
            .collect();
        format!("{{{}}}", members.join(", "))
    })
}

/// A part before it has a number.
#[derive(Debug, Clone)]
enum Made {
    Words(bool, Vec<String>, bool),
    Hidden,
    Call(Option<String>, String, bool),
}

fn made() -> impl Strategy<Value = Made> {
    prop_oneof![
        (any::<bool>(), words(), any::<bool>()).prop_map(|(r, words, o)| Made::Words(r, words, o)),
        Just(Made::Hidden),
        (
            proptest::option::of("[a-zA-Z0-9_-]{1,9}"),
            prop_oneof![4 => object(), 1 => Just(String::new()), 1 => Just("{}".to_owned())],
            any::<bool>()
        )
            .prop_map(|(id, args, o)| Made::Call(id, args, o)),
    ]
}

/// How a reply ends.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Meant,
    Length,
    Cut,
    Refusal,
    Other(&'static str),
}

fn reply() -> impl Strategy<Value = (Vec<Made>, Ending, Option<(u64, u64, bool)>)> {
    let ending = prop_oneof![
        4 => Just(Ending::Meant),
        1 => Just(Ending::Length),
        1 => Just(Ending::Cut),
        1 => Just(Ending::Refusal),
        1 => Just(Ending::Other("some_reason")),
    ];
    let usage = proptest::option::of((10..100_u64, 10..100_u64, any::<bool>()));
    (proptest::collection::vec(made(), 0..6), ending, usage)
}

/// The chunks of a reply as the decoder of the format could give them.
fn written(format: &Carries, made: &[Made], ending: Ending, usage: Option<(u64, u64, bool)>) -> Vec<Chunk> {
    let mut out = Vec::new();
    let mut part = 0;
    let mut last: Option<bool> = None;
    let mut calls = 0;
    let speaks_only = matches!(ending, Ending::Refusal | Ending::Other(_));
    for (number, one) in made.iter().enumerate() {
        let opaque = |which: usize, text: &str| {
            let raw = format.opaque[which]?;
            Some(raw.replace("WORDS", &Value::from(text).to_string()))
        };
        match one {
            // Neighbours of one kind are one part in most formats.
            Made::Words(is_reasoning, words, has_opaque) if last != Some(*is_reasoning) => {
                for delta in words {
                    let delta = delta.clone();
                    out.push(if *is_reasoning {
                        Chunk::Reasoning { part, delta }
                    } else {
                        Chunk::Text { part, delta }
                    });
                }
                let which = if *is_reasoning { 0 } else { 2 };
                let opaque = has_opaque.then(|| opaque(which, &words.concat())).flatten();
                out.push(Chunk::Sealed { part, opaque });
                last = Some(*is_reasoning);
            }
            Made::Hidden if last.is_none() && format.opaque[1].is_some() => {
                let opaque = opaque(1, "");
                out.push(Chunk::Sealed { part, opaque });
                last = Some(true);
            }
            Made::Call(id, args, has_opaque) if !speaks_only => {
                let is_last = number + 1 == made.len();
                let args = match ending {
                    Ending::Cut if is_last && format.text => args.get(..args.len() / 2).unwrap_or_default(),
                    _ => args,
                };
                let name = format!("tool_{number}");
                // Two calls of one id are another matter.
                let id = id.as_ref().map(|id| format!("{id}_{number}"));
                let id = id.or_else(|| format.ids.then(|| format!("call_{calls}")));
                calls += 1;
                out.push(Chunk::Call { part, id, name });
                let halves = args.split_at(args.len() / 2);
                for delta in [halves.0, halves.1].into_iter().filter(|half| !half.is_empty()) {
                    let delta = delta.to_owned();
                    out.push(Chunk::Args { part, delta });
                }
                let is_whole = serde_json::from_str::<Value>(args).is_ok();
                let is_meant = matches!(ending, Ending::Meant);
                if is_whole || is_meant || !format.text {
                    let opaque = has_opaque.then(|| opaque(3, "")).flatten();
                    out.push(Chunk::Sealed { part, opaque });
                }
                last = None;
            }
            _ => continue,
        }
        part += 1;
    }
    if let Some((input, output, has_details)) = usage {
        let details = has_details && format.details;
        out.push(Chunk::Usage(Usage {
            input: Some(input),
            cached: details.then_some(input / 2),
            output: Some(output),
            reasoning: details.then_some(output / 3),
            ..Usage::default()
        }));
    }
    let refuses = matches!(ending, Ending::Refusal) && format.refusal;
    if refuses {
        let words = "I will not.".to_owned();
        out.push(Chunk::Refused { words });
    }
    out.push(Chunk::Finish(match ending {
        Ending::Refusal if refuses => Stop::Refusal,
        Ending::Meant | Ending::Refusal if calls > 0 => Stop::Calls,
        Ending::Meant | Ending::Refusal => Stop::End,
        Ending::Length | Ending::Cut => Stop::Length,
        Ending::Other(word) => Stop::Other(word.into()),
    }));
    out
}

/// Decodes a body in pieces of a size.
fn in_pieces(wire: Wire, body: &[u8], size: usize) -> Vec<Chunk> {
    let mut reader = Body::new(wire);
    let mut out = Vec::new();
    for piece in body.chunks(size) {
        reader.feed(piece, &mut out).unwrap();
    }
    reader.end(&mut out).unwrap();
    out
}

proptest! {
    #![proptest_config(overrule_testing::cases(43))]

    #[test]
    fn a_reply_reads_as_it_was_written((made, ending, usage) in reply(), size in 1..9_usize) {
        for format in FORMATS {
            let wire = Wire::named(format.name).unwrap();
            let given = written(format, &made, ending, usage);
            let stream = encode_stream(wire, head(), &given);
            let (read, result) = chunks(wire, stream.as_bytes());
            prop_assert_eq!(result, Ok(()), "{}", stream);
            prop_assert_eq!(said(format, &read), said(format, &given), "{}", stream);
            prop_assert!(!read.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })), "{}", stream);
            prop_assert_eq!(said(format, &in_pieces(wire, stream.as_bytes(), size)), said(format, &given));

            let whole = encode_whole(wire, &head(), &given);
            let (read, result) = chunks(wire, whole.as_bytes());
            prop_assert_eq!(result, Ok(()), "{}", whole);
            let read = grouped(format, said(format, &read));
            let mut want = said(format, &given);
            if !format.quoted {
                want.parts = without_cut_calls(want.parts);
            }
            without_doubtful_calls(format, &mut want);
            prop_assert_eq!(read, grouped(format, want), "{}", whole);
            let given = ReplyParts::of(&given);
            // A format that carries the exact argument text as an object carries its line breaks as well.
            let sealed = given.calls().filter(|call| call.is_sealed && format.text && !format.quoted);
            let breaks: usize = sealed.map(|call| call.args.matches('\n').count()).sum();
            prop_assert_eq!(whole.trim_end().lines().count(), 1 + breaks, "{}", whole);
        }
    }
}
