//! Tests ends, errors, reasoning, counts and unknown data.
//!
//! Must not know: sockets.

use super::*;

#[test]
fn a_finish_reason_and_the_end_of_the_body_are_enough() {
    let body = stream(&[r#"{"content":"hi"}"#], Some("stop")).replace("data: [DONE]\n\n", "");
    let (chunks, result) = decode(&body);
    assert_eq!(result, Ok(()));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::End)));
    let unended = body.trim_end();
    assert_eq!(
        decode(unended),
        (chunks, Ok(())),
        "the last empty line is forgotten often"
    );
}

#[test]
fn a_stream_cut_anywhere_before_its_end_is_truncated_and_seals_nothing_unfinished() {
    let body = stream(
        &[
            r#"{"content":"hi"}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}"#,
        ],
        Some("tool_calls"),
    );
    let safe = body.find("\"finish_reason\"").unwrap();
    for cut in 0..safe {
        let (chunks, result) = chunks(Wire::default(), &body.as_bytes()[..cut]);
        assert_eq!(
            result.unwrap_err().kind,
            StreamFaultKind::Truncated,
            "cut at {cut}"
        );
        assert!(!sealed(&chunks).contains(&1), "cut at {cut}");
        assert!(
            !chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish(_))),
            "cut at {cut}"
        );
    }
}

#[test]
fn an_error_object_in_the_stream_breaks_it_with_the_servers_words() {
    let start = stream(&[r#"{"content":"so far"}"#], None);
    for (frame, kind) in [
        (
            r#"data: {"error":{"message":"too busy","code":429}}"#,
            StreamFaultKind::RateLimit,
        ),
        (
            r#"data: {"error":{"message":"too busy","type":"server_error"}}"#,
            StreamFaultKind::Server,
        ),
        (r#"data: {"error":"too busy"}"#, StreamFaultKind::Server),
        (
            "event: error\ndata: {\"message\":\"too busy\",\"type\":\"invalid_request_error\"}",
            StreamFaultKind::Request,
        ),
        (
            r#"data: {"object":"error","message":"too busy","code":400}"#,
            StreamFaultKind::Request,
        ),
        (
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"message":"too busy","code":502}}]}"#,
            StreamFaultKind::Server,
        ),
    ] {
        let (chunks, result) = decode(&format!("{start}{frame}\n\ndata: [DONE]\n\n"));
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, kind, "{frame}");
        assert!(fault.message.contains("too busy"), "{}", fault.message);
        assert_eq!(
            chunks,
            [Chunk::Text {
                part: 0,
                delta: "so far".into()
            }]
        );
    }
}

#[test]
fn reasoning_is_read_from_each_known_field_without_duplicates() {
    let body = stream(
        &[
            r#"{"reasoning":"I think","reasoning_content":"I think","reasoning_details":[{"type":"reasoning.text","text":"I think","index":0}]}"#,
            r#"{"reasoning_details":[{"type":"reasoning.text","text":" so."}]}"#,
            r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"abc="}]}"#,
            r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":" Really."}]},{"type":"text","text":"Yes"}]}"#,
            r#"{"content":"."}"#,
        ],
        Some("stop"),
    );
    let (chunks, _) = decode(&body);
    let opaque = chunks.iter().find_map(|chunk| match chunk {
        Chunk::Sealed { part: 0, opaque } => opaque.clone(),
        _ => None,
    });
    assert_eq!(
        opaque.as_deref(),
        Some(r#"[{"type":"reasoning.encrypted","data":"abc="}]"#)
    );
    let summary = summary(Wire::default(), body.as_bytes());
    assert_eq!(
        (summary.reasoning.as_str(), summary.text.as_str()),
        ("I think so. Really.", "Yes.")
    );
    assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })));
}

#[test]
fn usage_is_read_beside_choices_and_without_them() {
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":1}}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":15,\
        \"prompt_tokens_details\":{\"cached_tokens\":8},\"completion_tokens_details\":{\"reasoning_tokens\":2}}}\n\n\
        data: [DONE]\n\n";
    let (chunks, _) = decode(body);
    let usage: Vec<&Usage> = chunks
        .iter()
        .filter_map(|chunk| {
            if let Chunk::Usage(usage) = chunk {
                Some(usage)
            } else {
                None
            }
        })
        .collect();
    let last = Usage {
        input: Some(10),
        cached: Some(8),
        output: Some(5),
        reasoning: Some(2),
        ..Usage::default()
    };
    assert_eq!(
        usage,
        [
            &Usage {
                input: Some(1),
                ..Usage::default()
            },
            &last
        ]
    );
    assert!(
        at(&chunks, |chunk| *chunk == Chunk::Usage(last))
            < at(&chunks, |chunk| matches!(chunk, Chunk::Finish(_)))
    );
}

#[test]
fn what_is_not_known_is_passed_on_and_other_choices_do_not_mix_in() {
    let body = "data: {\"type\":\"ping\"}\n\ndata: \"hello\"\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"audio\":{\"id\":1}}}],\"graph_data\":[\"u\"]}\n\n\
        data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"},\"finish_reason\":\"length\"}],\"graph_data\":[\"u\"]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let (chunks, result) = decode(body);
    assert_eq!(result, Ok(()));
    let unknown: Vec<&str> = chunks
        .iter()
        .filter_map(|chunk| {
            if let Chunk::Unknown { raw } = chunk {
                Some(raw.as_str())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        unknown,
        [
            "{\"type\":\"ping\"}",
            "\"hello\"",
            "{\"graph_data\":[\"u\"]}",
            "{\"audio\":{\"id\":1}}",
            "{\"index\":1,\"delta\":{\"content\":\"other\"},\"finish_reason\":\"length\"}",
        ]
    );
    let summary = summary(Wire::default(), body.as_bytes());
    assert_eq!(
        (summary.text.as_str(), summary.finish.as_deref()),
        ("ab", Some("stop"))
    );
}

#[test]
fn a_refusal_is_a_reason_to_stop_and_no_text() {
    let body = stream(
        &[r#"{"refusal":"I'm ","content":""}"#, r#"{"refusal":"sorry"}"#],
        Some("stop"),
    );
    let (chunks, result) = decode(&body);
    assert_eq!(result, Ok(()));
    assert_eq!(
        chunks,
        [
            Chunk::Refused {
                words: "I'm sorry".into()
            },
            Chunk::Finish(Stop::Refusal)
        ]
    );
}

#[test]
fn invalid_json_frames_stop_the_stream_and_preserve_received_parts() {
    let start = stream(
        &[r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}"#],
        None,
    );
    let (chunks, result) = decode(&format!(
        "{start}data: {{\"choices\":[{{\u{1b}\n\ndata: [DONE]\n\n"
    ));
    let fault = result.unwrap_err();
    assert_eq!(fault.kind, StreamFaultKind::Garbage);
    assert!(
        !fault.message.contains('\u{1b}'),
        "control characters are not passed on: {}",
        fault.message
    );
    assert_eq!(sealed(&chunks), [] as [u32; 0]);
    assert!(chunks.iter().any(|chunk| matches!(chunk, Chunk::Args { .. })));
}

#[test]
fn line_ends_marks_comments_and_torn_characters_change_nothing() {
    let plain = stream(&[r#"{"content":"za"}"#, r#"{"content":"żółć 🦀"}"#], Some("stop"));
    let expected = decode(&plain);
    let dressed = format!(
        "\u{FEFF}: hello\n\n{}",
        plain.replace("data:", ": ping\nid: 7\ndata:")
    )
    .replace('\n', "\r\n");
    assert_eq!(decode(&dressed), expected);
    assert_eq!(decode(&plain.replace('\n', "\r")), expected);
}

#[test]
fn half_a_surrogate_pair_does_not_lose_the_text() {
    let body = stream(&[r#"{"content":"a\ud83d"}"#, r#"{"content":"b"}"#], Some("stop"));
    let text = summary(Wire::default(), body.as_bytes()).text;
    assert!(text.starts_with('a') && text.ends_with('b'), "{text}");
}

#[test]
fn an_answer_that_was_not_streamed_is_read_too() {
    let body = r#"{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi",
        "tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let _ = decode(body);
    assert_eq!(
        summary(Wire::default(), body.as_bytes()),
        Summary {
            text: "Hi".into(),
            calls: vec![SummaryCall {
                id: Some("a".into()),
                name: "f".into(),
                args: "{}".into(),
                whole: true,
            }],
            finish: Some("tool_calls".into()),
            usage: Some(Usage {
                input: Some(3),
                output: Some(4),
                ..Usage::default()
            }),
            ..Summary::default()
        }
    );
    let error = decode(r#"{"error":{"message":"no such model","code":"model_not_found"}}"#)
        .1
        .unwrap_err();
    assert_eq!(error.kind, StreamFaultKind::Request);
}

#[test]
fn html_plain_text_and_empty_replies_are_described_as_faults() {
    for (body, kind, claims) in [
        (
            "<!doctype html><html>Sign in",
            StreamFaultKind::Garbage,
            "Sign in",
        ),
        ("Service down", StreamFaultKind::Garbage, "Service down"),
        ("upstream is down", StreamFaultKind::Garbage, "upstream is down"),
        ("", StreamFaultKind::Truncated, "without saying anything"),
        (
            ": ping\n\n: ping\n\n",
            StreamFaultKind::Truncated,
            "without saying anything",
        ),
        ("{\"a\":", StreamFaultKind::Garbage, "not JSON"),
    ] {
        let (chunks, result) = decode(body);
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, kind, "{body}");
        assert!(fault.message.contains(claims), "{}", fault.message);
        assert_eq!(chunks, []);
    }
}

proptest::proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn no_input_panics(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = chunks(Wire::default(), &bytes);
        let mut framed = b"data: ".to_vec();
        framed.extend_from_slice(&bytes);
        let _ = chunks(Wire::default(), &framed);
    }
}

#[test]
fn what_is_never_passed_on_has_an_end_too() {
    let long = "x".repeat(1 << 20);
    let opaque = |data: &str| format!(r#"{{"reasoning_details":[{{"type":"a","data":"{data}"}}]}}"#);
    let (begun, blocks) = (r#"{"reasoning":"hm"}"#.to_owned(), vec![opaque(&long); 16]);
    let all = [
        vec![format!(r#"{{"refusal":"{long}"}}"#); 17],
        vec![format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{long}"}}}}]}}"#); 17],
        [vec![begun], blocks].concat(),
    ];
    for deltas in all {
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        let most = &deltas[..deltas.len() - 1];
        let (_, result) = chunks(Wire::default(), stream(most, Some("stop")).as_bytes());
        assert_eq!(result, Ok(()));
        let (_, result) = chunks(Wire::default(), stream(&deltas, Some("stop")).as_bytes());
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, StreamFaultKind::Garbage);
        assert!(fault.message.contains("more than 16 MiB"), "{}", fault.message);
    }
}

fn finished(chunks: &[Chunk]) -> bool {
    chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish(_)))
}

const WHOLE: &str =
    r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}"#;
const BLANK: &str = r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"list_dir","arguments":""}}]}"#;
const WORDS: &str = r#"{"content":"half of"}"#;

#[test]
fn an_end_mark_without_a_reason_ends_a_reply_in_which_no_call_is_cut() {
    const HALF: &str =
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}"#;
    for deltas in [&[BLANK][..], &[HALF], &[WHOLE, BLANK], &[WORDS, HALF]] {
        let (chunks, result) = decode(&(stream(deltas, None) + "data: [DONE]\n\n"));
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, StreamFaultKind::Truncated, "{deltas:?}");
        assert!(
            fault.message.contains("in the middle of a call"),
            "{}",
            fault.message
        );
        assert!(!finished(&chunks), "{deltas:?}");
        let last = deltas.len() as u32 - 1;
        assert!(!sealed(&chunks).contains(&last), "{deltas:?}");
    }
    for (deltas, stop) in [
        (&[WORDS][..], Stop::End),
        (&[r#"{"reasoning":"hm"}"#], Stop::End),
        (&[], Stop::End),
        (&[WORDS, WHOLE], Stop::Calls),
        (&[WHOLE, WORDS], Stop::Calls),
    ] {
        let (chunks, result) = decode(&(stream(deltas, None) + "data: [DONE]\n\n"));
        assert_eq!(result, Ok(()), "{deltas:?}");
        let all: Vec<u32> = (0..deltas.len() as u32).collect();
        assert_eq!(sealed(&chunks), all, "{deltas:?}");
        assert_eq!(chunks.last(), Some(&Chunk::Finish(stop)), "{deltas:?}");
    }
}

#[test]
fn no_call_of_a_filtered_message_is_sealed_at_its_end() {
    for reason in ["content_filter", "SAFETY", "sensitive", "refusal"] {
        for delta in [WHOLE, BLANK] {
            let (chunks, result) = decode(&stream(&[WORDS, delta], Some(reason)));
            assert_eq!(result, Ok(()));
            assert_eq!(sealed(&chunks), [0], "{reason}: {delta}");
            let stop = if reason == "refusal" {
                Stop::Refusal
            } else {
                Stop::Filter
            };
            assert_eq!(chunks.last(), Some(&Chunk::Finish(stop)));
        }
    }
}

#[test]
fn a_server_that_stopped_halfway_has_not_finished() {
    for reason in ["abort", "insufficient_system_resource", "NETWORK_ERROR"] {
        for delta in [WORDS, WHOLE] {
            let (chunks, result) = decode(&stream(&[delta], Some(reason)));
            let fault = result.unwrap_err();
            assert_eq!(fault.kind, StreamFaultKind::Truncated, "{reason}");
            assert!(fault.message.contains(reason), "{}", fault.message);
            assert_eq!(sealed(&chunks), [] as [u32; 0], "{reason}");
            assert!(!finished(&chunks));
        }
    }
    let (chunks, result) = decode(&stream(&[WORDS, WHOLE], Some("because\\u001b")));
    assert_eq!(result, Ok(()));
    assert_eq!(sealed(&chunks), [0], "it is unknown whether the call is meant");
    assert_eq!(
        chunks.last(),
        Some(&Chunk::Finish(Stop::Other("because⟨U+001B⟩".into())))
    );
}

#[test]
fn reasons_are_read_in_the_ways_in_which_servers_write_them() {
    for (reason, stop) in [
        ("STOP", Stop::End),
        ("stop_sequence", Stop::End),
        ("eos_token", Stop::End),
        ("tool_call", Stop::Calls),
        ("tool_use", Stop::Calls),
        ("MAX_TOKENS", Stop::Length),
    ] {
        let delta = if stop == Stop::Calls { WHOLE } else { WORDS };
        let (chunks, result) = decode(&stream(&[delta], Some(reason)));
        assert_eq!(result, Ok(()));
        assert_eq!(chunks.last(), Some(&Chunk::Finish(stop)), "{reason}");
    }
}

#[test]
fn an_error_that_is_sent_as_a_field_of_the_stream_is_an_error() {
    let start = stream(&[WORDS], None);
    for (field, kind) in [
        (
            r#"error: {"code":400,"message":"too long for the context","type":"invalid_request_error"}"#,
            StreamFaultKind::Request,
        ),
        (
            r#"error: {"error":{"message":"too long for the context","code":500}}"#,
            StreamFaultKind::Server,
        ),
        ("error: too long for the context", StreamFaultKind::Server),
    ] {
        let cramped = start.trim_end().to_owned() + "\n";
        for before in [start.as_str(), cramped.as_str(), ""] {
            let (chunks, result) = decode(&format!("{before}{field}\n\ndata: [DONE]\n\n"));
            let fault = result.unwrap_err();
            assert_eq!(fault.kind, kind, "{field}");
            assert!(
                fault.message.contains("too long for the context"),
                "{}",
                fault.message
            );
            assert_eq!(chunks.len(), usize::from(!before.is_empty()), "{chunks:?}");
            assert!(!finished(&chunks));
        }
    }
}

#[test]
fn a_message_has_so_many_blocks_and_no_more() {
    let calls = |count: usize| {
        let call = r#"{"function":{"name":"f","arguments":"{}"}}"#;
        format!(r#"{{"tool_calls":[{}]}}"#, vec![call; count].join(","))
    };
    let began = |chunks: &[Chunk]| {
        chunks
            .iter()
            .filter(|chunk| matches!(chunk, Chunk::Call { .. }))
            .count()
    };
    let most = stream(&[&calls(MAX_PARTS)], Some("tool_calls"));
    let (chunks, result) = chunks(Wire::default(), most.as_bytes());
    assert_eq!(result, Ok(()));
    assert_eq!((began(&chunks), sealed(&chunks).len()), (MAX_PARTS, MAX_PARTS));
    let over = stream(&[&calls(MAX_PARTS + 1)], Some("tool_calls"));
    let (chunks, result) = crate::decode::chunks(Wire::default(), over.as_bytes());
    let fault = result.unwrap_err();
    assert_eq!(fault.kind, StreamFaultKind::Truncated);
    assert!(fault.message.contains("16384 blocks"), "{}", fault.message);
    assert_eq!(began(&chunks), MAX_PARTS);
    assert!(!finished(&chunks));
}
