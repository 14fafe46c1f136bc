//! Tests streams of Ollama as servers send them.
//!
//! Must not know: sockets.

use super::*;
use crate::decode::SummaryCall;
use crate::wire::tests::{decode, opaque, summed};
use overrule_domain::turn::{StreamFaultKind, Usage};

fn line(message: &str) -> String {
    format!(r#"{{"model":"m","created_at":"t","message":{{"role":"assistant",{message}}},"done":false}}"#)
        + "\n"
}

fn end(reason: &str) -> String {
    format!(
        r#"{{"model":"m","message":{{"role":"assistant","content":""}},"done":true,"done_reason":"{reason}","total_duration":1,"prompt_eval_count":9,"eval_count":4}}"#
    ) + "\n"
}

#[test]
fn thinking_text_and_whole_calls_come_in_order() {
    let body = [
        line(r#""content":"","thinking":"Let me see.""#),
        line(r#""content":"I ""#),
        line(r#""content":"look.""#),
        line(
            r#""content":"","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"a": 1.50}}},{"id":"i","function":{"name":"f","arguments":{}},"extra":{"x": 1.0}}]"#,
        ),
        end("stop"),
    ]
    .concat();
    let (chunks, result) = decode("ollama", &body);
    assert_eq!(result, Ok(()));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
    assert_eq!(opaque(&chunks), [r#"{"ollama":{"extra":{"x": 1.0}}}"#]);
    let summary = summed("ollama", &body);
    assert_eq!((&*summary.reasoning, &*summary.text), ("Let me see.", "I look."));
    let call = |id: Option<&str>, args: &str| SummaryCall {
        id: id.map(str::to_owned),
        name: "f".into(),
        args: args.into(),
        whole: true,
    };
    assert_eq!(
        summary.calls,
        [call(None, r#"{"a":1.50}"#), call(Some("i"), "{}")]
    );
    let usage = Usage {
        input: Some(9),
        output: Some(4),
        ..Usage::default()
    };
    assert_eq!(summary.usage, Some(usage));
}

#[test]
fn reasoning_between_marks_is_reasoning() {
    let body = [
        line(r#""content":"<thi""#),
        line(r#""content":"nk>hm</think>\nSo.""#),
        end("stop"),
    ]
    .concat();
    let summary = summed("ollama", &body);
    assert_eq!((&*summary.reasoning, &*summary.text), ("hm", "So."));
}

#[test]
fn ends_cuts_and_errors() {
    for (reason, finish) in [("stop", "stop"), ("length", "length"), ("load", "load")] {
        let body = [line(r#""content":"x""#), end(reason)].concat();
        assert_eq!(summed("ollama", &body).finish.as_deref(), Some(finish));
        // The last line break may be missing.
        assert_eq!(summed("ollama", body.trim_end()).finish.as_deref(), Some(finish));
    }
    let (_, result) = decode("ollama", &line(r#""content":"x""#));
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::Truncated);
    let failing =
        line(r#""content":"x""#) + r#"{"error":"an error was encountered while running the model"}"# + "\n";
    let (_, result) = decode("ollama", &failing);
    assert!(result.unwrap_err().message.contains("while running the model"));
    // One JSON text, where nothing was streamed.
    assert_eq!(
        summed(
            "ollama",
            &end("stop").replace("\"content\":\"\"", "\"content\":\"hi\"")
        )
        .text,
        "hi"
    );
}
