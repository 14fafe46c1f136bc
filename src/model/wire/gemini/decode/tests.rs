//! Tests streams of the Gemini API as servers send them.
//!
//! Must not know: sockets.

use super::*;
use crate::decode::SummaryCall;
use crate::wire::tests::{decode, events, opaque, summed};
use overrule_domain::turn::{StreamFaultKind, Usage};

fn parts(parts: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"index":0}}],"modelVersion":"g"}}"#
    )
}

fn end(parts: &str, reason: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"parts":[{parts}]}},"finishReason":"{reason}"}}],"usageMetadata":{{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":5,"totalTokenCount":16}}}}"#
    )
}

fn body(frames: &[String]) -> String {
    events(&frames.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn thoughts_text_and_several_calls_of_one_frame_come_in_order() {
    let body = body(&[
        parts(r#"{"text":"Let me ","thought":true},{"text":"see.","thought":true}"#),
        parts(r#"{"text":"I "},{"text":"look.","thoughtSignature":"sig-text"}"#),
        end(
            r#"{"functionCall":{"name":"f","args":{"a": 1.50, "b": "x  y"}},"thoughtSignature":"sig-call"},{"functionCall":{"id":"g1","name":"f"}}"#,
            "STOP",
        ),
    ]);
    let (chunks, result) = decode("gemini", &body);
    assert_eq!(result, Ok(()));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
    assert_eq!(
        opaque(&chunks),
        [
            r#"[{"gemini":{"thoughtSignature":"sig-text"}}]"#,
            r#"{"gemini":{"thoughtSignature":"sig-call"}}"#
        ]
    );
    let summary = summed("gemini", &body);
    assert_eq!((&*summary.reasoning, &*summary.text), ("Let me see.", "I look."));
    let call = |id: Option<&str>, args: &str| SummaryCall {
        id: id.map(str::to_owned),
        name: "f".into(),
        args: args.into(),
        whole: true,
    };
    assert_eq!(
        summary.calls,
        [call(None, r#"{"a":1.50,"b":"x  y"}"#), call(Some("g1"), "")]
    );
    let usage = Usage {
        input: Some(9),
        cached: Some(4),
        output: Some(7),
        reasoning: Some(5),
        ..Usage::default()
    };
    assert_eq!(summary.usage, Some(usage));
}

#[test]
fn more_may_come_after_a_reason_to_stop() {
    let text = body(&[end(r#"{"text":"a"}"#, "STOP"), end(r#"{"text":"b"}"#, "STOP")]);
    let (chunks, result) = decode("gemini", &text);
    assert_eq!(result, Ok(()));
    let sealed = chunks
        .iter()
        .filter(|chunk| matches!(chunk, Chunk::Sealed { .. }));
    assert_eq!(sealed.count(), 1, "it is one text");
    assert_eq!(summed("gemini", &text).text, "ab");
}

#[test]
fn arguments_in_pieces_make_no_call() {
    let body = body(&[
        parts(r#"{"functionCall":{"name":"f","willContinue":true}}"#),
        parts(r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}],"willContinue":true}}"#),
        end(r#"{"functionCall":{}}"#, "STOP"),
    ]);
    let (chunks, result) = decode("gemini", &body);
    assert_eq!(result, Ok(()));
    assert!(matches!(chunks.last(), Some(Chunk::Finish(Stop::BadCall(why))) if why.contains("`f`")));
    assert!(!summed("gemini", &body).calls[0].whole);
}

#[test]
fn what_only_the_provider_understands_is_stored_whole() {
    let code = r#"{"executableCode":{"language":"PYTHON","code":"print(1)"}}"#;
    let newer = r#"{"ofTomorrow":{"x": 1.0}}"#;
    let body = body(&[parts(code), parts(newer), end(r#"{"text":"1"}"#, "STOP")]);
    let (chunks, _) = decode("gemini", &body);
    assert_eq!(
        opaque(&chunks),
        [
            format!(r#"[{{"gemini":{code}}}]"#),
            format!(r#"[{{"gemini":{newer}}}]"#)
        ]
    );
    let unknown = chunks
        .iter()
        .filter(|chunk| matches!(chunk, Chunk::Unknown { .. }));
    assert_eq!(unknown.count(), 1);
    assert_eq!(summed("gemini", &body).text, "1");
}

#[test]
fn each_reason_to_stop_has_its_meaning() {
    for (reason, finish) in [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("SPII", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "unusable_call"),
        ("UNEXPECTED_TOOL_CALL", "unusable_call"),
        ("OTHER", "OTHER"),
    ] {
        let summary = summed("gemini", &body(&[end(r#"{"text":"x"}"#, reason)]));
        assert_eq!(summary.finish.as_deref(), Some(finish), "{reason}");
    }
    let blocked = events(&[r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#]);
    assert_eq!(
        summed("gemini", &blocked).finish.as_deref(),
        Some("content_filter")
    );
}

#[test]
fn errors_and_cuts_are_faults() {
    let (_, result) = decode("gemini", &body(&[parts(r#"{"text":"x"}"#)]));
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::Truncated);
    let error =
        events(&[r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#]);
    let (_, result) = decode("gemini", &error);
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::Overload);
}

/// The first candidate with content is the reply. A call in another one is not made, and leaves no answer.
#[test]
fn text_and_calls_of_another_candidate_are_no_answer() {
    let candidate = |index: u64, parts: &str, reason: &str| {
        let end = if reason.is_empty() {
            String::new()
        } else {
            format!(r#","finishReason":"{reason}""#)
        };
        format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}},"index":{index}{end}}}]}}"#)
    };
    let text = candidate(0, r#"{"text":"Yes."}"#, "");
    let made = candidate(1, r#"{"functionCall":{"name":"f","args":{}}}"#, "STOP");
    let end = candidate(0, "", "STOP");
    for frames in [
        vec![text.clone(), made.clone(), end.clone()],
        vec![text.clone(), end.clone(), made.clone()],
        vec![end.clone(), made.clone()],
    ] {
        let (chunks, result) = decode("gemini", &body(&frames));
        assert_eq!(result, Ok(()), "{frames:?}");
        let Some(Chunk::Finish(Stop::BadCall(why))) = chunks.last() else {
            panic!("{frames:?}: {chunks:?}")
        };
        assert!(why.contains("`f` in another choice"), "{why}");
        assert!(
            !chunks.iter().any(|chunk| matches!(chunk, Chunk::Call { .. })),
            "{chunks:?}"
        );
    }
    // A candidate without content is not the reply.
    let spoken = candidate(1, r#"{"text":"Yes."}"#, "STOP");
    let both = body(&[end, spoken]);
    assert_eq!(summed("gemini", &both).text, "Yes.");
    assert_eq!(decode("gemini", &both).0.last(), Some(&Chunk::Finish(Stop::End)));
    // A server that counts from one has no other candidate.
    assert_eq!(
        decode("gemini", &body(&[made])).0.last(),
        Some(&Chunk::Finish(Stop::Calls))
    );
}

#[test]
fn of_two_candidates_the_first_by_index_is_followed() {
    let candidate = |index: &str, words: &str| {
        format!(r#"{{{index}"content":{{"parts":[{{"text":"{words}"}}]}},"finishReason":"STOP"}}"#)
    };
    let frame = |all: &[String]| format!(r#"{{"candidates":[{}]}}"#, all.join(","));
    let (yes, no) = (
        candidate(r#""index":0,"#, "Yes"),
        candidate(r#""index":1,"#, "No"),
    );
    for frames in [
        vec![frame(&[no.clone(), yes.clone()])],
        vec![
            frame(std::slice::from_ref(&no)),
            frame(std::slice::from_ref(&yes)),
        ],
        // The number zero is left out in this format.
        vec![frame(&[candidate("", "Yes"), no.clone()])],
        vec![frame(std::slice::from_ref(&no)), frame(&[candidate("", "Yes")])],
    ] {
        let body = body(&frames);
        assert_eq!(summed("gemini", &body).text, "Yes", "{body}");
        assert_eq!(decode("gemini", &body).0.last(), Some(&Chunk::Finish(Stop::End)));
    }
}
