//! Tests what servers send although the description of the format lacks it.
//!
//! Must not know: sockets.

use super::*;

fn summary_of(body: &str) -> Summary {
    let _ = decode(body);
    summary(Wire::default(), body.as_bytes())
}

fn in_one_frame(calls: &str) -> String {
    stream(&[&format!(r#"{{"tool_calls":[{calls}]}}"#)], Some("tool_calls"))
}

fn names(body: &str) -> Vec<(String, String)> {
    let calls = calls(body).into_iter();
    calls.map(|(_, name, args)| (name, args)).collect()
}

fn named(name: &str, args: &str) -> (String, String) {
    (name.to_owned(), args.to_owned())
}

#[test]
fn two_names_in_one_frame_are_two_calls_whatever_their_ids_and_arguments_are() {
    let one = |id: &str, args: &str| format!(r#"{{{id}"function":{{"name":"f","arguments":{args}}}}}"#);
    for id in [
        "",
        r#""id":"call_0","#,
        r#""index":0,"#,
        r#""index":0,"id":"call_0","#,
    ] {
        for (a, b, made) in [
            (r#""{\"x\":1}""#, r#""{\"x\":2}""#, ["{\"x\":1}", "{\"x\":2}"]),
            (r#""{\"x\":1}""#, r#""{\"x\":1}""#, ["{\"x\":1}", "{\"x\":1}"]),
            (r#""null""#, r#""null""#, ["null", "null"]),
            ("null", r#""""#, ["", ""]),
            ("{}", "{}", ["{}", "{}"]),
        ] {
            let body = in_one_frame(&format!("{},{}", one(id, a), one(id, b)));
            assert_eq!(names(&body), made.map(|args| named("f", args)), "{id} {a} {b}");
        }
    }
}

#[test]
fn calls_with_the_same_id_are_distinguished_and_a_repeated_call_is_ignored() {
    let frame = |index: &str, args: &str| {
        let args = args.replace('"', "\\\"");
        format!(
            r#"{{"tool_calls":[{{{index}"id":"call_0","function":{{"name":"f","arguments":"{args}"}}}}]}}"#
        )
    };
    for index in ["", r#""index":0,"#] {
        let two = [frame(index, "{\"x\":1}"), frame(index, "{\"x\":2}")];
        let body = stream(&[&two[0], &two[1]], Some("tool_calls"));
        assert_eq!(
            names(&body),
            [named("f", "{\"x\":1}"), named("f", "{\"x\":2}")],
            "{index}"
        );
        let body = stream(&[&two[0], &two[0]], Some("tool_calls"));
        assert_eq!(
            names(&body),
            [named("f", "{\"x\":1}")],
            "{index}: sent whole again"
        );
    }
}

#[test]
fn extra_members_of_a_call_are_preserved_byte_for_byte() {
    let body = stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","type":"function","extra_content":{"google": {"thought_signature":"QUJD"}},"function":{"name":"f","arguments":"{}","n":1.50}}]}"#,
        ],
        Some("stop"),
    );
    let (chunks, result) = decode(&body);
    assert_eq!(result, Ok(()));
    let sealed = chunks.iter().find_map(|chunk| match chunk {
        Chunk::Sealed { opaque, .. } => opaque.as_deref(),
        _ => None,
    });
    assert_eq!(
        sealed,
        Some(r#"{"extra_content":{"google": {"thought_signature":"QUJD"}},"function":{"n":1.50}}"#)
    );
    assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })));
}

#[test]
fn a_signature_without_reasoning_is_preserved_in_place() {
    let detail = r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"abc="}]}"#;
    let made = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    for deltas in [
        &[detail, made][..],
        &[r#"{"content":"I look."}"#, detail, made],
        &[r#"{"content":"I look."}"#, detail],
    ] {
        let (chunks, _) = decode(&stream(deltas, Some("stop")));
        let stored = chunks.iter().any(
            |chunk| matches!(chunk, Chunk::Sealed { part: 0, opaque: Some(text) } if text.contains("abc=")),
        );
        assert!(stored, "{deltas:?}: {chunks:?}");
        assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })));
    }
}

#[test]
fn thoughts_between_marks_are_reasoning() {
    for (deltas, reasoning, text) in [
        (
            &["<think>first the pl", "an</thi", "nk>\\n\\nI look."][..],
            "first the plan",
            "I look.",
        ),
        (
            &["first the plan\\n</think>\\n\\nI look."],
            "first the plan\n",
            "I look.",
        ),
        (&["<think>on and on"], "on and on", ""),
        (&["Say `</think>` at last."], "", "Say `</think>` at last."),
        (&["a <"], "", "a <"),
    ] {
        let deltas: Vec<String> = deltas
            .iter()
            .map(|text| format!(r#"{{"content":"{text}"}}"#))
            .collect();
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        let summary = summary_of(&stream(&deltas, Some("stop")));
        assert_eq!(
            (summary.reasoning.as_str(), summary.text.as_str()),
            (reasoning, text)
        );
    }
}

fn choice(index: u32, rest: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":{index},{rest}}}]}}\n\n")
}

#[test]
fn a_call_in_another_choice_is_not_made_and_leaves_no_answer() {
    let text = choice(0, r#""delta":{"content":"I look."}"#);
    let made = choice(
        1,
        r#""delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls""#,
    );
    let role = choice(0, r#""delta":{"role":"assistant","content":""}"#);
    let end = choice(0, r#""delta":{},"finish_reason":"stop""#);
    let mark = "data: [DONE]\n\n";
    for body in [
        format!("{text}{made}{end}{mark}"),
        format!("{text}{end}{made}{mark}"),
        format!("{role}{made}{text}{end}{mark}"),
        format!("{role}{made}{end}{mark}"),
        format!("{text}{made}{mark}"),
    ] {
        let (chunks, result) = decode(&body);
        assert_eq!(result, Ok(()));
        let Some(Chunk::Finish(Stop::BadCall(why))) = chunks.last() else {
            panic!("{body}: {chunks:?}")
        };
        assert!(why.contains("`f` in another choice"), "{why}");
        assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Call { .. })));
    }
    // A server that counts from one has no other choice.
    let alone = made.clone() + mark;
    assert_eq!(decode(&alone).0.last(), Some(&Chunk::Finish(Stop::Calls)));
    // The first choice is the one that says something.
    let spoken = choice(1, r#""delta":{"content":"Yes."},"finish_reason":"stop""#);
    let empty = choice(0, r#""delta":{},"finish_reason":"stop""#);
    assert_eq!(summary_of(&format!("{role}{empty}{spoken}{mark}")).text, "Yes.");
}

#[test]
fn of_several_choices_the_first_by_index_is_followed() {
    let text = |index: u32, words: &str| choice(index, &format!(r#""delta":{{"content":"{words}"}}"#));
    let end = |index: u32| choice(index, r#""delta":{},"finish_reason":"stop""#);
    let mark = "data: [DONE]\n\n";
    let both = "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"No\"}},{\"index\":0,\"delta\":{\"content\":\"Yes\"}}]}\n\n";
    for body in [
        format!("{}{}{}{}{mark}", text(1, "No"), text(0, "Yes"), end(0), end(1)),
        format!(
            "{}{}{}{}{}",
            text(1, "No"),
            end(1),
            text(0, "Ye"),
            text(0, "s"),
            end(0)
        ),
        format!("{both}{}{}{mark}", end(1), end(0)),
    ] {
        assert_eq!(summary_of(&body).text, "Yes", "{body}");
        let (chunks, result) = decode(&body);
        assert_eq!(result, Ok(()));
        assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::End)));
    }
    // Choices without a number are numbered by position.
    let whole = r#"{"object":"chat.completion","choices":[{"message":{"content":"Yes"},"finish_reason":"stop"},{"message":{"content":"No"},"finish_reason":"stop"}]}"#;
    assert_eq!(summary_of(whole).text, "Yes");
    // Without the first one, the next by index.
    let late = format!("{}{}{}{}{mark}", text(2, "No"), text(1, "Yes"), end(2), end(1));
    assert_eq!(summary_of(&late).text, "Yes");
}

#[test]
fn a_call_in_an_odd_member_is_made_or_leaves_no_answer() {
    const CALL: &str = r#"{"id":"x","type":"function","function":{"name":"go","arguments":"{}"}}"#;
    let finish = choice(0, r#""delta":{},"finish_reason":"stop""#);
    let body = |frame: &str| {
        let words = choice(0, r#""delta":{"content":"I look"}"#);
        format!("{words}{frame}{finish}data: [DONE]\n\n")
    };
    // Where it is plain what is meant, the call is read.
    for frame in [
        choice(0, &format!(r#""delta":{{"tool_calls":{CALL}}}"#)),
        choice(
            0,
            &format!(
                r#""delta":{{}},"message":{{"content":"I look","tool_calls":[{CALL}]}},"finish_reason":"stop""#
            ),
        ),
        choice(0, r#""delta":{"function_call":{"name":"go","arguments":"{}"}}"#),
    ] {
        let body = body(&frame);
        assert_eq!(names(&body), [named("go", "{}")], "{frame}");
        assert_eq!(summary_of(&body).text, "I look", "{frame}");
    }
    let only = choice(
        0,
        &format!(r#""delta":{{}},"message":{{"content":"I look","tool_calls":[{CALL}]}}"#),
    );
    assert_eq!(
        names(&format!("{only}{finish}data: [DONE]\n\n")),
        [named("go", "{}")]
    );
    for frame in [
        choice(0, &format!(r#""delta":{{}},"tool_calls":[{CALL}]"#)),
        choice(0, &format!(r#""delta":{{"toolCalls":[{CALL}]}}"#)),
        choice(0, &format!(r#""delta":{{"tool_call":{CALL}}}"#)),
        choice(0, r#""delta":{"functionCall":{"name":"go","args":{}}}"#),
        choice(0, r#""delta":{"content":[{"type":"tool_use","name":"go","input":{}}]}"#),
        choice(0, r#""delta":{"content":{"type":"function_call","name":"go","arguments":"{}"}}"#),
        choice(0, r#""delta":{"content":[{"toolUse":{"name":"go","input":{}}}]}"#),
        format!("data: {{\"tool_calls\":[{CALL}]}}\n\n"),
        format!("data: {{\"message\":{{\"tool_calls\":[{CALL}]}}}}\n\n"),
        "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"name\":\"go\"}}\n\n".into(),
        "data: {\"object\":\"x\",\"output\":[{\"type\":\"function_call\",\"name\":\"go\"}]}\n\n".into(),
    ] {
        let body = body(&frame);
        let (chunks, result) = decode(&body);
        assert_eq!(result, Ok(()), "{frame}");
        assert_eq!(names(&body), [], "{frame}");
        let stop = chunks.iter().find_map(|chunk| match chunk {
            Chunk::Finish(stop) => Some(stop.clone()),
            _ => None,
        });
        let why = "the model called `go` in a member that holds no calls";
        assert_eq!(stop, Some(Stop::BadCall(why.into())), "{frame}");
    }
    // What the server did itself, or repeats of the request, is no call.
    for frame in [
        choice(
            0,
            r#""delta":{"executed_tools":[{"type":"function","name":"go","arguments":"{}"}]}"#,
        ),
        choice(
            0,
            r#""delta":{"content":[{"type":"server_tool_use","name":"web_search"}]}"#,
        ),
        choice(0, r#""delta":{"tool_calls":null,"toolCalls":[]}"#),
        "data: {\"object\":\"x\",\"tools\":[{\"type\":\"function_call\",\"name\":\"go\"}]}\n\n".into(),
    ] {
        let (chunks, result) = decode(&body(&frame));
        assert_eq!(result, Ok(()), "{frame}");
        assert!(chunks.contains(&Chunk::Finish(Stop::End)), "{frame}: {chunks:?}");
    }
}

#[test]
fn a_finish_reason_about_calls_is_checked_against_the_received_calls() {
    for (reason, words) in [
        ("tool_calls", "sent no call"),
        ("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("unexpected_tool_call", "unexpected_tool_call"),
    ] {
        let (chunks, result) = decode(&stream(&[r#"{"content":"I look."}"#], Some(reason)));
        assert_eq!(result, Ok(()));
        let Some(Chunk::Finish(Stop::BadCall(why))) = chunks.last() else {
            panic!("{reason}: {chunks:?}")
        };
        assert!(why.contains(words), "{why}");
    }
    let native = choice(
        0,
        r#""delta":{"content":"x"},"finish_reason":"stop","native_finish_reason":"MALFORMED_FUNCTION_CALL""#,
    );
    assert!(matches!(
        decode(&native).0.last(),
        Some(Chunk::Finish(Stop::BadCall(_)))
    ));
    let (chunks, _) = decode(&stream(&[r#"{"content":"x"}"#], Some("pause_turn")));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Pause)));
}

#[test]
fn a_summary_shows_which_calls_are_complete() {
    let whole = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    let half = r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"x\":"}}]}"#;
    let of = |body: &str| -> Vec<bool> {
        let calls = summary_of(body).calls.into_iter();
        calls.map(|call| call.whole).collect()
    };
    assert_eq!(of(&stream(&[whole, half], None)), [true, false]);
    assert_eq!(of(&stream(&[whole, half], Some("length"))), [true, false]);
    assert_eq!(of(&stream(&[whole], Some("tool_calls"))), [true]);
}

#[test]
fn odd_numbers_and_known_extras_lose_nothing_and_are_no_news() {
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"NaN \\\"Infinity\"},\"logprobs\":{\"x\":NaN}}],\"timings\":{\"a\":-Infinity}}\n\n\
        data: {\"prompt_filter_results\":[{}],\"obfuscation\":\"x\"}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":7,\"cached_tokens\":3}}]}\n\n\
        data: [DONE]\n\n";
    let (chunks, result) = decode(body);
    assert_eq!(result, Ok(()));
    assert!(
        !chunks.iter().any(|chunk| matches!(chunk, Chunk::Unknown { .. })),
        "{chunks:?}"
    );
    let summary = summary_of(body);
    assert_eq!(summary.text, "NaN \"Infinity");
    let usage = summary.usage.unwrap();
    assert_eq!((usage.input, usage.cached), (Some(7), Some(3)));
}
