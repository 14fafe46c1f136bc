//! Tests streams of Messages as servers send them.
//!
//! Must not know: sockets.

use super::*;
use crate::decode::SummaryCall;
use crate::wire::tests::{decode, events, opaque, summed};
use overrule_domain::turn::{Stop, StreamFaultKind, Usage};

const START: &str = r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"c","stop_reason":null,"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}"#;
const END: &str = r#"{"type":"message_stop"}"#;

fn begin(index: u32, block: &str) -> String {
    format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
}

fn delta(index: u32, delta: &str) -> String {
    format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
}

fn end(index: u32) -> String {
    format!(r#"{{"type":"content_block_stop","index":{index}}}"#)
}

fn text_block(index: u32, text: &str) -> Vec<String> {
    vec![
        begin(index, r#"{"type":"text","text":""}"#),
        delta(index, &format!(r#"{{"type":"text_delta","text":"{text}"}}"#)),
        end(index),
    ]
}

fn tool(index: u32, pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![begin(
        index,
        &format!(r#"{{"type":"tool_use","id":"t{index}","name":"f","input":{{}}}}"#),
    )];
    let piece = |piece: &&str| {
        let text = serde_json::Value::from(*piece);
        delta(
            index,
            &format!(r#"{{"type":"input_json_delta","partial_json":{text}}}"#),
        )
    };
    frames.extend(pieces.iter().map(piece));
    frames.push(end(index));
    frames
}

fn message(blocks: &[Vec<String>], reason: &str) -> String {
    let stop = format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}","stop_sequence":null}},"usage":{{"output_tokens":7}}}}"#
    );
    let mut frames = vec![START, r#"{"type":"ping"}"#];
    let blocks = blocks.concat();
    frames.extend(blocks.iter().map(String::as_str));
    frames.extend([stop.as_str(), END]);
    events(&frames)
}

fn call(index: u32, args: &str, whole: bool) -> SummaryCall {
    SummaryCall {
        id: Some(format!("t{index}")),
        name: "f".into(),
        args: args.into(),
        whole,
    }
}

#[test]
fn text_and_calls_come_with_exact_arguments() {
    let body = message(
        &[
            text_block(0, "I "),
            text_block(1, "look."),
            tool(2, &["{\"a\": ", "1.50}"]),
            tool(3, &[]),
        ],
        "tool_use",
    );
    let (chunks, result) = decode("anthropic", &body);
    assert_eq!(result, Ok(()));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
    let summary = summed("anthropic", &body);
    assert_eq!(summary.text, "I look.");
    assert_eq!(summary.calls, [call(2, "{\"a\": 1.50}", true), call(3, "", true)]);
    let usage = Usage {
        input: Some(17),
        cached: Some(5),
        cache_write: Some(2),
        output: Some(7),
        ..Usage::default()
    };
    assert_eq!(summary.usage, Some(usage));
    assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })));
}

#[test]
fn a_call_that_the_token_limit_cut_is_not_made() {
    for pieces in [&["{\"a\": "][..], &[], &[""]] {
        let body = message(&[text_block(0, "x"), tool(1, pieces)], "max_tokens");
        let summary = summed("anthropic", &body);
        assert_eq!(summary.finish.as_deref(), Some("length"));
        assert_eq!(summary.calls, [call(1, &pieces.concat(), false)]);
    }
    // A call that ended before the limit is whole.
    let body = message(&[tool(0, &["{}"]), text_block(1, "and")], "max_tokens");
    assert_eq!(summed("anthropic", &body).calls, [call(0, "{}", true)]);
}

#[test]
fn signed_reasoning_is_stored_with_its_signature() {
    let thinking = vec![
        begin(0, r#"{"type":"thinking","thinking":"","signature":""}"#),
        delta(0, r#"{"type":"thinking_delta","thinking":"hm"}"#),
        delta(0, r#"{"type":"signature_delta","signature":"ab"}"#),
        delta(0, r#"{"type":"signature_delta","signature":"cd"}"#),
        end(0),
    ];
    let hidden = vec![begin(1, r#"{"type":"redacted_thinking","data":"xyz"}"#), end(1)];
    let unseen = vec![
        begin(2, r#"{"type":"thinking","thinking":""}"#),
        delta(2, r#"{"type":"signature_delta","signature":"ef"}"#),
    ];
    let body = message(&[thinking, hidden, unseen, text_block(3, "So.")], "end_turn");
    let (chunks, result) = decode("anthropic", &body);
    assert_eq!(result, Ok(()));
    assert_eq!(
        opaque(&chunks),
        [
            r#"[{"anthropic":{"type":"thinking","thinking":"","signature":"abcd"}}]"#,
            r#"[{"anthropic":{"type":"redacted_thinking","data":"xyz"}}]"#,
            r#"[{"anthropic":{"type":"thinking","thinking":"","signature":"ef"}}]"#,
        ]
    );
    let summary = summed("anthropic", &body);
    assert_eq!((&*summary.reasoning, &*summary.text), ("hm", "So."));
}

#[test]
fn what_only_the_provider_understands_is_stored_whole() {
    let server = vec![
        begin(
            0,
            r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#,
        ),
        delta(0, r#"{"type":"input_json_delta","partial_json":"{\"q\": "}"#),
        delta(0, r#"{"type":"input_json_delta","partial_json":"1.0}"}"#),
        end(0),
        begin(
            1,
            r#"{"type":"web_search_tool_result","tool_use_id":"s","content":[{"n":1.10}]}"#,
        ),
        end(1),
    ];
    let cited = vec![
        begin(2, r#"{"type":"text","text":"","citations":null}"#),
        delta(2, r#"{"type":"text_delta","text":"It is."}"#),
        delta(2, r#"{"type":"citations_delta","citation":{"url":"u"}}"#),
        end(2),
    ];
    let newer = vec![begin(4, r#"{"type":"of_tomorrow","x":1}"#), end(4)];
    let body = message(&[server, cited, text_block(3, " Yes."), newer], "end_turn");
    let (chunks, result) = decode("anthropic", &body);
    assert_eq!(result, Ok(()));
    assert_eq!(
        opaque(&chunks),
        [
            r#"[{"anthropic":{"type":"server_tool_use","id":"s","name":"web_search","input":{"q": 1.0}}}]"#,
            r#"[{"anthropic":{"type":"web_search_tool_result","tool_use_id":"s","content":[{"n":1.10}]}}]"#,
            r#"[{"anthropic":{"type":"text","text":"It is.","citations":[{"url":"u"}]}},{"anthropic":{"type":"text","text":" Yes."}}]"#,
            r#"[{"anthropic":{"type":"of_tomorrow","x":1}}]"#,
        ]
    );
    let summary = summed("anthropic", &body);
    assert_eq!(summary.text, "It is. Yes.");
    assert!(
        summary.calls.is_empty(),
        "the provider's own calls are not made here"
    );
    let unknown = chunks
        .iter()
        .filter(|chunk| matches!(chunk, Chunk::Unknown { .. }));
    assert_eq!(unknown.count(), 1, "the new kind of block is shown");
}

#[test]
fn odd_streams_lose_nothing() {
    // A second beginning, blocks that overlap, a block without a beginning, no end of a block.
    let frames = [
        START.to_owned(),
        START.to_owned(),
        begin(0, r#"{"type":"text","text":"A"}"#),
        begin(1, r#"{"type":"tool_use","id":"t1","name":"f"}"#),
        delta(1, r#"{"type":"input_json_delta","partial_json":"{}"}"#),
        end(0),
        delta(7, r#"{"type":"text_delta","text":"B"}"#),
        end(1),
        begin(2, r#"{"type":"tool_use","id":"t2","name":"f","input":{"x":1}}"#),
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}"#
            .to_owned(),
        END.to_owned(),
    ];
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let summary = summed("anthropic", &events(&frames));
    assert_eq!(summary.text, "AB");
    assert_eq!(summary.calls, [call(1, "{}", true), call(2, "{\"x\":1}", true)]);
    assert_eq!(summary.error, None);
}

#[test]
fn a_whole_message_is_read_like_a_stream() {
    let body = r#"{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"t2","name":"f","input":{"a": 1.0},"caller":{"type":"direct"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}"#;
    let (chunks, result) = decode("anthropic", body);
    assert_eq!(result, Ok(()));
    assert_eq!(
        opaque(&chunks),
        [
            r#"[{"anthropic":{"type":"thinking","thinking":"","signature":"s"}}]"#,
            r#"{"anthropic":{"caller":{"type":"direct"}}}"#
        ]
    );
    let summary = summed("anthropic", body);
    assert_eq!((&*summary.reasoning, &*summary.text), ("hm", "Hi"));
    assert_eq!(summary.calls, [call(2, "{\"a\": 1.0}", true)]);
}

#[test]
fn each_reason_to_stop_has_its_meaning() {
    for (reason, stop) in [
        ("end_turn", Stop::End),
        ("stop_sequence", Stop::End),
        ("max_tokens", Stop::Length),
        ("model_context_window_exceeded", Stop::Length),
        ("refusal", Stop::Refusal),
        ("pause_turn", Stop::Pause),
        ("of_tomorrow", Stop::Other("of_tomorrow".into())),
    ] {
        let (chunks, result) = decode("anthropic", &message(&[text_block(0, "x")], reason));
        assert_eq!(result, Ok(()));
        assert_eq!(chunks.last(), Some(&Chunk::Finish(stop)), "{reason}");
    }
}

#[test]
fn only_a_pause_right_after_work_of_the_provider_continues_by_itself() {
    let block = |index, kind: &str| vec![begin(index, kind), end(index)];
    let search = |index| {
        block(
            index,
            r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#,
        )
    };
    let found = block(
        1,
        r#"{"type":"web_search_tool_result","tool_use_id":"s","content":[]}"#,
    );
    let thought = block(0, r#"{"type":"thinking","thinking":"hm","signature":"x"}"#);
    for (blocks, stop) in [
        (vec![text_block(0, "I search."), search(1)], Stop::OwnWork),
        (vec![search(0), found], Stop::Pause),
        (vec![search(0), text_block(1, "So.")], Stop::Pause),
        (vec![thought], Stop::Pause),
    ] {
        let (chunks, result) = decode("anthropic", &message(&blocks, "pause_turn"));
        assert_eq!(result, Ok(()));
        assert_eq!(chunks.last(), Some(&Chunk::Finish(stop)), "{blocks:?}");
    }
}

#[test]
fn errors_and_cuts_are_faults() {
    let overload = events(&[
        START,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    ]);
    let (_, result) = decode("anthropic", &overload);
    let fault = result.unwrap_err();
    assert_eq!(fault.kind, StreamFaultKind::Overload);
    assert!(fault.message.contains("Overloaded"), "{}", fault.message);
    let whole = message(&[text_block(0, "x"), tool(1, &["{}"])], "tool_use");
    let safe = whole.find("stop_reason\":\"tool").unwrap();
    for end in (0..safe).step_by(7) {
        let (_, result) =
            crate::decode::chunks(crate::wire::tests::wire("anthropic"), &whole.as_bytes()[..end]);
        assert_eq!(result.unwrap_err().kind, StreamFaultKind::Truncated, "{end}");
    }
}
