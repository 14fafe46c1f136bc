//! Tests streams of Responses as servers send them.
//!
//! Must not know: sockets.

use super::*;
use crate::decode::SummaryCall;
use crate::wire::tests::{decode, events, opaque, summed};
use overrule_domain::turn::Usage;

const WIRE: &str = "openai-responses";
const CREATED: &str =
    r#"{"type":"response.created","response":{"status":"in_progress","error":null,"output":[]}}"#;

fn completed(output: &str) -> String {
    format!(
        r#"{{"type":"response.completed","response":{{"status":"completed","error":null,"output":[{output}],"usage":{{"input_tokens":9,"input_tokens_details":{{"cached_tokens":4}},"output_tokens":7,"output_tokens_details":{{"reasoning_tokens":5}}}}}}}}"#
    )
}

fn added(place: &str, item: &str) -> String {
    format!(r#"{{"type":"response.output_item.added"{place},"item":{item}}}"#)
}

fn done(place: &str, item: &str) -> String {
    format!(r#"{{"type":"response.output_item.done"{place},"item":{item}}}"#)
}

fn piece(name: &str, place: &str, text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(r#"{{"type":"response.{name}.delta"{place},"delta":{text}}}"#)
}

fn whole(name: &str, place: &str, member: &str, text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(r#"{{"type":"response.{name}.done"{place},"{member}":{text}}}"#)
}

fn body(frames: &[String]) -> String {
    let mut all = vec![CREATED];
    all.extend(frames.iter().map(String::as_str));
    events(&all)
}

fn call(args: &str) -> SummaryCall {
    SummaryCall {
        id: Some("call_1".into()),
        name: "f".into(),
        args: args.into(),
        whole: true,
    }
}

const CALL: &str = r#"{"type":"function_call","id":"fc","call_id":"call_1","name":"f","arguments":""}"#;
const CALLED: &str = r#"{"type":"function_call","id":"fc2","call_id":"call_1","name":"f","arguments":"{\"a\": 1.50}","status":"completed"}"#;

#[test]
fn the_events_of_the_items_hold_the_answer() {
    let at = r#","output_index":0,"item_id":"rs""#;
    let text = r#","output_index":1,"item_id":"m","content_index":0"#;
    let frames = [
        added(
            r#","output_index":0"#,
            r#"{"type":"reasoning","id":"rs","summary":[]}"#,
        ),
        piece(
            "reasoning_summary_text",
            &format!(r#"{at},"summary_index":0"#),
            "First.",
        ),
        whole(
            "reasoning_summary_text",
            &format!(r#"{at},"summary_index":0"#),
            "text",
            "First.",
        ),
        piece(
            "reasoning_summary_text",
            &format!(r#"{at},"summary_index":1"#),
            "Then.",
        ),
        done(
            r#","output_index":0"#,
            r#"{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"First."}],"encrypted_content":"enc"}"#,
        ),
        added(
            r#","output_index":1"#,
            r#"{"type":"message","id":"m","role":"assistant","content":[]}"#,
        ),
        piece("output_text", text, "I "),
        piece("output_text", text, "look."),
        whole("output_text", text, "text", "I look."),
        done(
            r#","output_index":1"#,
            r#"{"type":"message","id":"m","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}"#,
        ),
        added(r#","output_index":2"#, CALL),
        piece("function_call_arguments", r#","output_index":2"#, "{\"a\": "),
        piece("function_call_arguments", r#","output_index":2"#, "1.50}"),
        whole(
            "function_call_arguments",
            r#","output_index":2"#,
            "arguments",
            "{\"a\": 1.50}",
        ),
        done(r#","output_index":2"#, CALLED),
        completed(""),
    ];
    let body = body(&frames);
    let (chunks, result) = decode(WIRE, &body);
    assert_eq!(result, Ok(()));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
    assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })));
    assert_eq!(
        opaque(&chunks),
        [
            r#"[{"openai-responses":{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"First."}],"encrypted_content":"enc"}}]"#,
            r#"[{"openai-responses":{"phase":"commentary"}}]"#
        ]
    );
    let summary = summed(WIRE, &body);
    assert_eq!(
        (&*summary.reasoning, &*summary.text),
        ("First.\n\nThen.", "I look.")
    );
    assert_eq!(summary.calls, [call("{\"a\": 1.50}")]);
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
fn what_was_not_streamed_is_taken_from_wherever_it_comes_first() {
    let message = r#"{"type":"message","id":"m","content":[{"type":"output_text","text":"Hi"}]}"#;
    let empty = r#"{"type":"message","id":"m","content":[]}"#;
    let output = format!("{message},{CALLED}");
    for frames in [
        // No index and no number anywhere, and ids that change.
        vec![
            added("", empty),
            piece("output_text", r#","item_id":"other""#, "Hi"),
            done("", message),
            added("", CALL),
            piece("function_call_arguments", r#","item_id":"fc9""#, "{\"a\": 1.50}"),
            done("", CALLED),
        ],
        // Only whole texts.
        vec![
            added("", empty),
            whole("output_text", r#","item_id":"m""#, "text", "Hi"),
            done("", message),
            added("", CALL),
            whole(
                "function_call_arguments",
                r#","item_id":"fc""#,
                "arguments",
                "{\"a\": 1.50}",
            ),
            done("", CALLED),
        ],
        // Only ended items.
        vec![
            done(r#","output_index":0"#, message),
            done(r#","output_index":1"#, CALLED),
        ],
        // Only the list at the end.
        vec![],
    ] {
        let mut frames = frames;
        frames.push(completed(&output));
        let summary = summed(WIRE, &body(&frames));
        assert_eq!(
            (&*summary.text, summary.calls),
            ("Hi", vec![call("{\"a\": 1.50}")]),
            "{frames:?}"
        );
    }
    let whole = format!(
        r#"{{"id":"r","object":"response","status":"completed","error":null,"output":[{output}],"usage":{{"input_tokens":1}}}}"#
    );
    let summary = summed(WIRE, &whole);
    assert_eq!(
        (&*summary.text, summary.calls),
        ("Hi", vec![call("{\"a\": 1.50}")])
    );
}

#[test]
fn calls_side_by_side_keep_their_arguments() {
    let other = CALL.replace("call_1", "call_2").replace("\"fc\"", "\"fd\"");
    let frames = [
        added(r#","output_index":0"#, CALL),
        added(r#","output_index":1"#, &other),
        piece("function_call_arguments", r#","output_index":0"#, "{\"x\":"),
        piece("function_call_arguments", r#","output_index":1"#, "{}"),
        piece("function_call_arguments", r#","output_index":0"#, "1}"),
        completed(""),
    ];
    let calls = summed(WIRE, &body(&frames)).calls;
    let args: Vec<&str> = calls.iter().map(|call| &*call.args).collect();
    assert_eq!(args, ["{\"x\":1}", "{}"]);
}

#[test]
fn a_second_response_in_one_body_must_end_as_well() {
    let first = [added("", CALL), done("", CALLED), completed("")];
    let second = [
        added("", &CALL.replace("call_1", "call_2")),
        piece("function_call_arguments", "", "{\"b\":"),
    ];
    let cut = body(&first) + &body(&second);
    let summary = summed(WIRE, &cut);
    assert!(summary.error.is_some());
    assert_eq!(
        summary.calls.iter().map(|call| call.whole).collect::<Vec<_>>(),
        [true, false]
    );
    let ended = cut + &events(&[completed("").as_str()]);
    assert!(summed(WIRE, &ended).error.is_none());
}

#[test]
fn encrypted_reasoning_after_the_answer_leaves_it_the_answer() {
    let frames = [
        added(
            r#","output_index":0"#,
            r#"{"type":"message","id":"m","content":[]}"#,
        ),
        piece("output_text", r#","output_index":0"#, "Yes"),
        done(
            r#","output_index":1"#,
            r#"{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"enc"}"#,
        ),
        piece("output_text", r#","output_index":0"#, "."),
        completed(""),
    ];
    let (chunks, result) = decode(WIRE, &body(&frames));
    assert_eq!(result, Ok(()));
    let sealed: Vec<_> = chunks
        .iter()
        .filter(|chunk| matches!(chunk, Chunk::Sealed { .. }))
        .collect();
    assert_eq!(sealed.len(), 1);
    assert!(opaque(&chunks)[0].contains("enc"));
    assert_eq!(summed(WIRE, &body(&frames)).text, "Yes.");
}

#[test]
fn items_of_the_provider_are_stored_and_foreign_calls_are_not_made() {
    let search = r#"{"type":"web_search_call","id":"ws","status":"completed","action":{"n": 1.0}}"#;
    let message = r#"{"type":"message","content":[{"type":"output_text","text":"Found."}]}"#;
    let found = [done("", search), done("", message), completed("")];
    let (chunks, _) = decode(WIRE, &body(&found));
    assert_eq!(opaque(&chunks), [format!(r#"[{{"openai-responses":{search}}}]"#)]);
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::End)));
    let shell = r#"{"type":"local_shell_call","id":"l","call_id":"c","action":{"command":["ls"]}}"#;
    let (chunks, _) = decode(WIRE, &body(&[done("", shell), completed("")]));
    assert!(
        matches!(chunks.last(), Some(Chunk::Finish(Stop::BadCall(why))) if why.contains("local_shell_call"))
    );
    assert!(chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })));
}

#[test]
fn ends_refusals_and_errors() {
    let text = piece("output_text", "", "x");
    for (details, finish) in [
        (r#"{"reason":"max_output_tokens"}"#, "length"),
        (r#"{"reason":"content_filter"}"#, "content_filter"),
        ("null", "incomplete"),
    ] {
        let end = format!(
            r#"{{"type":"response.incomplete","response":{{"status":"incomplete","incomplete_details":{details},"output":[]}}}}"#
        );
        let frames = [
            added("", CALL),
            piece("function_call_arguments", "", "{\"a\":"),
            end,
        ];
        let summary = summed(WIRE, &body(&frames));
        assert_eq!(summary.finish.as_deref(), Some(finish));
        assert!(!summary.calls[0].whole, "a cut call is not made");
    }
    let refused = [
        added("", r#"{"type":"message","content":[]}"#),
        piece("refusal", "", "I will "),
        piece("refusal", "", "not."),
        whole("refusal", "", "refusal", "I will not."),
        completed(""),
    ];
    let (chunks, _) = decode(WIRE, &body(&refused));
    let words = "I will not.".to_owned();
    assert!(chunks.contains(&Chunk::Refused { words }));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Refusal)));
    for error in [
        r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}}"#,
        r#"{"type":"error","code":"insufficient_quota","message":"You exceeded your current quota"}"#,
    ] {
        let (_, result) = decode(WIRE, &body(&[text.clone(), error.to_owned()]));
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, StreamFaultKind::Quota, "{error}");
        assert!(fault.message.contains("current quota"), "{}", fault.message);
    }
    let (_, result) = decode(WIRE, &body(&[text]));
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::Truncated);
}

/// A call with any text, which a run does not offer. What follows it shows whether the provider executed it.
#[test]
fn a_custom_tool_call_is_listed_with_its_text_unless_the_server_ran_it() {
    let call = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"custom_tool_call","id":"x","call_id":"c1","name":"x_search","input":"rust \"1.95\"","status":"completed"}}"#;
    let message = r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Found."}]}}"#;
    let output = r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"custom_tool_call_output","call_id":"c1","output":"y"}}"#;
    let end = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    let alone = summed("openai-responses", &events(&[call, end]));
    assert_eq!(alone.finish.as_deref(), Some("tool_calls"));
    let listed: Vec<_> = alone
        .calls
        .iter()
        .map(|call| (call.name.as_str(), call.args.as_str()))
        .collect();
    assert_eq!(listed, [("x_search", "rust \"1.95\"")]);
    for frames in [vec![call, message, end], vec![call, output, message, end]] {
        let body = events(&frames);
        let summary = summed("openai-responses", &body);
        assert_eq!((summary.text.as_str(), summary.calls.len()), ("Found.", 0));
        assert_eq!(summary.finish.as_deref(), Some("stop"));
        // It goes back to the provider as it came.
        let kept = opaque(&decode("openai-responses", &body).0).concat();
        assert!(kept.contains(r#""call_id":"c1","name":"x_search""#), "{kept}");
    }
    // The result alone shows it as well, and nothing is left to make.
    let ran = summed("openai-responses", &events(&[call, output, end]));
    assert_eq!((ran.calls.len(), ran.finish.as_deref()), (0, Some("stop")));
}
