//! Tests that a reply that is written in a format reads as the chunks that it was written from.
//!
//! Must not know: the frames of a format.

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

/// A reply with a thought, words and two calls.
fn sample(format: &Carries) -> Vec<Chunk> {
    let made = [
        Made::Words(true, vec!["Think ".into(), "é😀.".into()], true),
        Made::Words(false, vec!["I ".into(), "look.".into()], false),
        Made::Call(Some("a".into()), r#"{"path":  "é\n", "n": 1.0}"#.into(), true),
        Made::Call(None, r#"{"b": [1e3]}"#.into(), false),
    ];
    written(format, &made, Ending::Meant, Some((20, 10, true)))
}

#[test]
fn a_stream_reads_the_same_however_it_is_split() {
    for format in FORMATS {
        let wire = Wire::named(format.name).unwrap();
        let given = sample(format);
        let stream = encode_stream(wire, head(), &given);
        let want = said(format, &given);
        for cut in overrule_testing::sample(0..stream.len(), 7) {
            let mut reader = Body::new(wire);
            let mut out = Vec::new();
            reader.feed(&stream.as_bytes()[..cut], &mut out).unwrap();
            reader.feed(&stream.as_bytes()[cut..], &mut out).unwrap();
            reader.end(&mut out).unwrap();
            assert_eq!(said(format, &out), want, "{wire} at {cut}");
        }
    }
}

#[test]
fn a_call_is_written_when_it_is_complete_and_nothing_passes_it() {
    for format in FORMATS {
        let wire = Wire::named(format.name).unwrap();
        let mut encoder = StreamEncoder::new(wire, head());
        let call = |part: u32, name: &str| Chunk::Call {
            part,
            id: Some(name.into()),
            name: name.into(),
        };
        let args = |part: u32| Chunk::Args {
            part,
            delta: "{\"secret\":1}".into(),
        };
        let sealed = |part: u32| Chunk::Sealed { part, opaque: None };
        let text = |part: u32, delta: &str| Chunk::Text {
            part,
            delta: delta.into(),
        };
        let mut send = |chunk: &Chunk| encoder.chunk(chunk);
        assert!(send(&text(0, "aloud")).contains("aloud"), "{wire}");
        let mut held = send(&sealed(0)) + &send(&call(1, "first")) + &send(&args(1));
        held += &(send(&call(2, "second")) + &send(&args(2)) + &send(&sealed(2)) + &send(&text(3, "later")));
        for word in ["first", "second", "secret", "later"] {
            assert!(!held.contains(word), "{wire}: {held}");
        }
        let passed = send(&sealed(1));
        for word in ["first", "second", "secret", "later"] {
            assert!(passed.contains(word), "{wire}: {passed}");
        }
        let end = send(&Chunk::Finish(Stop::Calls));
        assert!(!end.is_empty());
        assert_eq!(send(&text(4, "after the end")), "", "{wire}");
    }
}

#[test]
fn a_heartbeat_is_an_event_that_changes_nothing() {
    for format in FORMATS {
        let wire = Wire::named(format.name).unwrap();
        let given = sample(format);
        let mut encoder = StreamEncoder::new(wire, head());
        let mut stream = encoder.heartbeat();
        for chunk in &given {
            stream += &encoder.chunk(chunk);
            if !matches!(chunk, Chunk::Finish(_)) {
                let beat = encoder.heartbeat();
                assert!(
                    beat.trim().len() > 10 && !beat.trim_start().starts_with(':'),
                    "{wire}: {beat}"
                );
                stream += &beat;
            }
        }
        let (read, result) = chunks(wire, stream.as_bytes());
        assert_eq!(result, Ok(()), "{stream}");
        assert_eq!(said(format, &read), said(format, &given), "{stream}");
        assert!(
            !read.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })),
            "{stream}"
        );
    }
}

#[test]
fn a_reply_without_its_end_is_cut_and_unknown_data_is_not_written() {
    for format in FORMATS {
        let wire = Wire::named(format.name).unwrap();
        let mut given = sample(format);
        given.pop();
        let stream = encode_stream(wire, head(), &given);
        let (read, result) = chunks(wire, stream.as_bytes());
        assert!(result.is_err(), "{wire}");
        assert_eq!(ReplyParts::of(&read).calls().count(), 2, "{wire}");
        let unknown = Chunk::Unknown {
            raw: "{\"error\":1}".into(),
        };
        assert_eq!(encode_stream(wire, head(), &[unknown]), "", "{wire}");
    }
}

#[test]
fn reasoning_that_began_as_text_is_reasoning_again() {
    let given = [
        Chunk::Text {
            part: 0,
            delta: "the plan".into(),
        },
        Chunk::WasReasoning { part: 0 },
        Chunk::Sealed {
            part: 0,
            opaque: None,
        },
        Chunk::Text {
            part: 1,
            delta: "I look.".into(),
        },
        Chunk::Sealed {
            part: 1,
            opaque: None,
        },
        Chunk::Finish(Stop::End),
    ];
    for format in FORMATS {
        let wire = Wire::named(format.name).unwrap();
        let stream = encode_stream(wire, head(), &given);
        let whole = encode_whole(wire, &head(), &given);
        // A closing mark alone is text where the server has a member for reasoning.
        let bodies = if format.name == "ollama" {
            vec![whole]
        } else {
            vec![stream, whole]
        };
        for body in bodies {
            let (read, result) = chunks(wire, body.as_bytes());
            assert_eq!(result, Ok(()));
            assert_eq!(said(format, &read), said(format, &given), "{body}");
        }
    }
}

#[test]
fn a_cut_call_is_never_a_whole_one() {
    for format in FORMATS {
        let wire = Wire::named(format.name).unwrap();
        let made = [Made::Call(
            Some("a".into()),
            r#"{"path":"notes.txt"}"#.into(),
            false,
        )];
        let mut given = written(format, &made, Ending::Cut, None);
        given.retain(|chunk| !matches!(chunk, Chunk::Sealed { .. }));
        for body in [
            encode_stream(wire, head(), &given),
            encode_whole(wire, &head(), &given),
        ] {
            let (read, result) = chunks(wire, body.as_bytes());
            assert_eq!(result, Ok(()));
            let reply = ReplyParts::of(&read);
            assert_eq!(reply.stop, Some(Stop::Length), "{body}");
            assert!(!reply.calls().any(|call: &CallPart| call.is_sealed), "{body}");
        }
    }
}

#[test]
fn a_call_with_any_text_is_one_for_an_agent_that_offers_such_a_tool() {
    let wire = Wire::named("openai-responses").unwrap();
    let item = |more: &str| {
        format!(r#"{{"type":"custom_tool_call","id":"x","call_id":"c1","name":"apply_patch",{more}"n":1.0}}"#)
    };
    let events = [
        r#"{"type":"response.created","response":{"status":"in_progress","output":[]}}"#.to_owned(),
        format!(
            r#"{{"type":"response.output_item.added","output_index":0,"item":{}}}"#,
            item("\"input\":\"\",")
        ),
        r#"{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"*** Begin"}"#.to_owned(),
        r#"{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":" Patch"}"#.to_owned(),
        r#"{"type":"response.custom_tool_call_input.done","output_index":0,"input":"*** Begin Patch"}"#
            .to_owned(),
        format!(
            r#"{{"type":"response.output_item.done","output_index":0,"item":{}}}"#,
            item("\"input\":\"*** Begin Patch\",")
        ),
        r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#.to_owned(),
    ];
    let stream = events
        .iter()
        .fold(String::new(), |all, event| all + "data: " + event + "\n\n");
    let of_agent = |stream: &str| {
        let (mut reader, mut out) = (Body::of_agent(wire), Vec::new());
        reader.feed(stream.as_bytes(), &mut out).unwrap();
        reader.end(&mut out).unwrap();
        out
    };
    let read = of_agent(&stream);
    let want = CallPart {
        id: Some("c1".into()),
        name: "apply_patch".into(),
        args: "*** Begin Patch".into(),
        opaque: Some(r#"{"openai-responses":{"n":1.0,"type":"custom_tool_call"}}"#.into()),
        is_sealed: true,
    };
    let reply = ReplyParts::of(&read);
    assert_eq!(reply.parts, [ReplyPart::Call(want)]);
    assert_eq!(reply.stop, Some(Stop::Calls));
    for body in [
        encode_stream(wire, head(), &read),
        encode_whole(wire, &head(), &read),
    ] {
        let again = ReplyParts::of(&of_agent(&body));
        assert_eq!((&again.parts, &again.stop), (&reply.parts, &reply.stop), "{body}");
        assert_eq!(
            again.usage.and_then(|usage| usage.output),
            Some(0),
            "agents need counts"
        );
        assert!(!body.contains("function_call"), "{body}");
    }
    // A run, which offers no such tool, sees the call with its text.
    let (read, _) = chunks(wire, stream.as_bytes());
    let of_run = ReplyParts::of(&read);
    let listed: Vec<_> = of_run
        .calls()
        .map(|call| (call.name.as_str(), call.args.as_str()))
        .collect();
    assert_eq!(listed, [("apply_patch", "*** Begin Patch")]);
    assert_eq!(of_run.stop, Some(Stop::Calls));
}
