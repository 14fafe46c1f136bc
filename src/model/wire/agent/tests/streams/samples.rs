//! Tests of streams of one reply: how they are split, cut and continued.
//!
//! Must not know: providers.

use super::*;

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
