//! Tests of what is new in a request, and of what the model sees of it.
//!
//! Must not know: sockets.

use std::collections::BTreeSet;

use hyper::header::{HeaderMap, HeaderName};
use serde_json::json;

use super::conversation::{Kind, SentResult, history_of, is_streamed, kind, tail, wire_of};
use super::overlay::{self, Overlay, Overlays};
use overrule_domain::state::State;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{Role, decode_request};

fn wire(name: &str) -> Wire {
    Wire::named(name).unwrap()
}

fn messages(messages: &serde_json::Value) -> overrule_model::wire::agent::AgentRequest {
    let body = json!({
        "model": "m", "stream": true, "messages": messages,
        "tools": [{"name": "Bash", "description": "d", "input_schema": {"type": "object"}}],
    });
    decode_request(wire("anthropic"), body.to_string().as_bytes()).unwrap()
}

fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in of {
        headers.append(HeaderName::from_static(name), value.parse().unwrap());
    }
    headers
}

#[test]
fn sub_agents_are_conversations_of_their_own_and_what_has_no_tools_is_none() {
    let request = messages(&json!([{"role": "user", "content": "hi"}]));
    let of = |all: &[(&'static str, &str)]| kind(&headers(all), &request);
    let main = of(&[("x-claude-code-session-id", "s")]);
    let sub = of(&[("x-claude-code-session-id", "s"), ("x-claude-code-agent-id", "a")]);
    assert_ne!(main, sub);
    assert!(matches!(
        sub,
        Kind::Conversation {
            is_sub_agent: true,
            ..
        }
    ));
    assert!(matches!(
        main,
        Kind::Conversation {
            is_sub_agent: false,
            ..
        }
    ));
    // The value names it. A sub-agent of Claude Code has an id of its own, whatever its session is called.
    assert_ne!(main, of(&[("x-claude-code-session-id", "t")]));
    let renamed = of(&[("x-claude-code-session-id", "t"), ("x-claude-code-agent-id", "a")]);
    assert_eq!(sub, renamed);
    let of_one = |id| of(&[("thread-id", id), ("x-codex-parent-thread-id", "p")]);
    assert_ne!(of_one("a"), of_one("b"), "two sub-agents of one conversation");
    assert_ne!(of_one("p"), of(&[("thread-id", "p")]));
    // Without a header, or with an empty one, system text, tools and the first words name it.
    assert_eq!(of(&[("thread-id", "")]), of(&[]));
    let other = messages(
        &json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x"},
        {"role": "user", "content": "more"}]),
    );
    assert_eq!(kind(&headers(&[]), &request), kind(&headers(&[]), &other));
    let another = messages(&json!([{"role": "user", "content": "ho"}]));
    assert_ne!(kind(&headers(&[]), &request), kind(&headers(&[]), &another));
    let body = br#"{"model":"m","messages":[{"role":"user","content":"a title"}]}"#;
    let side_request = decode_request(wire("anthropic"), body).unwrap();
    assert_eq!(
        kind(&headers(&[("x-claude-code-session-id", "s")]), &side_request),
        Kind::SideRequest
    );
}

#[test]
fn tools_count_wherever_a_request_offers_them() {
    let tool = json!({"type": "custom", "name": "exec", "description": "runs"});
    let in_namespace = json!({"type": "namespace", "name": "functions", "tools": [tool]});
    let words = json!({"type": "message", "role": "user", "content": "\"tools\":[1]"});
    let item = json!({"type": "additional_tools", "role": "developer", "tools": [in_namespace]});
    let later = json!({"type": "tools_of_next_year", "tools": [tool]});
    let read = |body: serde_json::Value| {
        let body = body.to_string();
        decode_request(wire("openai-responses"), body.as_bytes()).unwrap()
    };
    let names = |request: &overrule_model::wire::agent::AgentRequest| {
        let names = request.tools.iter().map(|tool| tool.name.clone());
        names.collect::<Vec<_>>()
    };
    for (body, known) in [
        (json!({"input": [item, words]}), vec!["exec"]),
        (json!({"input": [words], "tools": [in_namespace]}), vec!["exec"]),
        (
            json!({"input": [item, words], "tools": [tool]}),
            vec!["exec", "exec"],
        ),
        (json!({"input": [later, words]}), vec![]),
        (json!({"input": [words], "functions": [tool]}), vec![]),
        (
            json!({"input": [words], "config": {"functionDeclarations": [tool]}}),
            vec![],
        ),
    ] {
        let request = read(body);
        assert_eq!(names(&request), known, "{}", request.body);
        let is_held = matches!(kind(&headers(&[]), &request), Kind::Conversation { .. });
        assert!(is_held, "{}", request.body);
    }
    for body in [json!({"input": [words]}), json!({"input": [words], "tools": []})] {
        let request = read(body);
        assert_eq!(
            kind(&headers(&[]), &request),
            Kind::SideRequest,
            "{}",
            request.body
        );
    }
    // The item is not the newest reply of the model.
    let request = read(json!({"input": [item, words]}));
    assert_eq!(tail(&request, 0, &BTreeSet::new()).words, "\"tools\":[1]");
}

#[test]
fn tools_that_the_server_has_count_too() {
    let is_held = |name: &str, body: serde_json::Value| {
        let request = decode_request(wire(name), body.to_string().as_bytes()).unwrap();
        matches!(kind(&headers(&[]), &request), Kind::Conversation { .. })
    };
    assert!(is_held(
        "gemini",
        json!({"contents": [], "cachedContent": "cachedContents/1"})
    ));
    assert!(is_held(
        "openai-responses",
        json!({"input": "hi", "prompt": {"id": "p"}})
    ));
    assert!(!is_held("gemini", json!({"contents": [], "cachedContent": null})));
    assert!(!is_held(
        "openai-responses",
        json!({"input": "hi", "prompt": null})
    ));
    assert!(!is_held("openai-chat", json!({"messages": [], "prompt": "x"})));
}

#[test]
fn tools_of_the_providers_types_are_offered_if_the_agent_executes_them() {
    let offered = |name: &str, list: &str, tools: serde_json::Value| {
        let body = json!({list: [], "tools": tools});
        let request = decode_request(wire(name), body.to_string().as_bytes()).unwrap();
        let own = request
            .tools
            .iter()
            .filter(|tool| !tool.is_providers && tool.schema.is_some());
        own.map(|tool| tool.name.clone()).collect::<Vec<_>>()
    };
    let tools = json!([
        {"type": "bash_20250124", "name": "bash"}, {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        {"type": "web_search_20250305", "name": "web_search"}, {"type": "mcp_toolset", "mcp_server_name": "x"},
    ]);
    let own = offered("anthropic", "messages", tools);
    assert_eq!(own, ["bash", "str_replace_based_edit_tool"]);
    let tools = json!([
        {"type": "local_shell"}, {"type": "apply_patch"}, {"type": "web_search"}, {"type": "computer_use_preview"},
    ]);
    let own = offered("openai-responses", "input", tools);
    assert_eq!(own, ["local_shell_call", "apply_patch_call", "computer_call"]);
    // What such a call is in a later request.
    let body = json!({"input": [
        {"type": "local_shell_call", "id": "i", "call_id": "c", "action": {"command": ["ls"]}, "status": "completed"},
        {"type": "local_shell_call_output", "id": "c", "output": "a.txt"},
        {"type": "tool_search_call", "id": "t", "execution": "server"},
    ]});
    let request = decode_request(wire("openai-responses"), body.to_string().as_bytes()).unwrap();
    let result = tail(&request, 0, &BTreeSet::from(["c"])).results.pop().unwrap();
    assert_eq!((result.id.as_deref(), result.text.as_str()), (Some("c"), "a.txt"));
    let parts: Vec<String> = request
        .messages
        .iter()
        .map(|one| format!("{:?}", one.parts[0].kind))
        .collect();
    assert!(
        parts[0].starts_with("Call") && parts[0].contains("local_shell_call") && parts[0].contains("ls"),
        "{parts:?}"
    );
    assert!(
        parts[1].starts_with("Result") && parts[1].contains("a.txt"),
        "{parts:?}"
    );
    assert!(parts[2].starts_with("Other"), "{parts:?}");
}

#[test]
fn a_path_says_the_format_and_whether_it_streams() {
    for (path, name) in [
        ("/v1/messages?beta=true", "anthropic"),
        ("/messages", "anthropic"),
        ("/gateway/anthropic/v1/messages", "anthropic"),
        ("/chat/completions", "openai-chat"),
        ("/responses", "openai-responses"),
        ("/v1beta/models/g:streamGenerateContent?alt=sse", "gemini"),
        ("/v1beta/models/g:generateContent", "gemini"),
        ("/api/chat", "ollama"),
    ] {
        assert_eq!(wire_of(path), Some(wire(name)), "{path}");
    }
    for path in ["/v1/messages/count_tokens", "/models", "/responses/compact", ""] {
        assert_eq!(wire_of(path), None, "{path}");
    }
    for (path, name) in [
        ("/v1/messages/count_tokens?beta=true", Some("anthropic")),
        ("/messages/count_tokens", Some("anthropic")),
        ("/responses/compact", Some("openai-responses")),
        ("/v1beta/models/g:countTokens", Some("gemini")),
        ("/models", None),
    ] {
        assert_eq!(history_of(path), name.map(wire), "{path}");
    }
    let request = messages(&json!([]));
    assert!(is_streamed(
        wire("gemini"),
        "/x:streamGenerateContent?alt=sse",
        &request
    ));
    assert!(!is_streamed(wire("gemini"), "/x:generateContent", &request));
    assert!(!is_streamed(wire("gemini"), "/x:streamGenerateContent", &request));
    assert!(is_streamed(wire("anthropic"), "/v1/messages", &request));
}

#[test]
fn results_and_words_behind_the_newest_reply_are_new_and_what_the_agent_adds_is_not_the_users() {
    let request = messages(&json!([
        {"role": "user", "content": "old"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}},
            {"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": true},
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "yes"}]},
            {"type": "text", "text": "<system-reminder>be good</system-reminder>"},
            {"type": "text", "text": "and stop"}]},
    ]));
    let tail = tail(&request, 0, &BTreeSet::new());
    assert_eq!(tail.words, "and stop");
    let result = |id: &str, place, text: &str, is_error| SentResult {
        id: Some(id.into()),
        place: Some(place),
        text: text.into(),
        is_error,
    };
    assert_eq!(
        tail.results,
        [result("t2", 1, "no", true), result("t1", 0, "yes", false)]
    );
}

#[test]
fn results_between_the_calls_of_a_reply_are_new_too_and_those_of_a_reused_id_are_not() {
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "b", "arguments": "{}"});
    let result =
        |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
    let user = |text: &str| json!({"type": "message", "role": "user", "content": text});
    let body = json!({"model": "m", "input": [
        user("go"), call("old"), result("old", "0"),
        user("on"), call("again"), result("again", "1"),
        call("again"), call("a"), result("a", "2"), call("b"), result("b", "3"),
    ]});
    let request = decode_request(wire("openai-responses"), body.to_string().as_bytes()).unwrap();
    for (waiting, expected) in [
        (&["old", "again", "a", "b"][..], &[("a", "2"), ("b", "3")][..]),
        (&["a", "elsewhere"], &[("a", "2"), ("b", "3")]),
        (&["b"], &[("b", "3")]),
        (&[], &[("b", "3")]),
    ] {
        let tail = tail(&request, 0, &waiting.iter().copied().collect());
        let results = tail.results.iter();
        let found: Vec<(&str, &str)> = results
            .map(|one| (one.id.as_deref().unwrap(), one.text.as_str()))
            .collect();
        assert_eq!(found, expected, "{waiting:?}");
        assert_eq!((tail.words.as_str(), tail.has_results), ("", true));
    }
}

#[test]
fn a_request_of_which_nothing_was_changed_keeps_every_byte() {
    let bodies = [
        (
            "anthropic",
            r#"{ "model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"Bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"ok"}]}] }"#,
        ),
        (
            "openai-chat",
            r#"{"messages": [{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"b","arguments":"{ }"}}]},{"role":"tool","tool_call_id":"x","content":"ok"}]}"#,
        ),
        (
            "openai-responses",
            r#"{"input":[{"type":"function_call","call_id":"x","name":"b","arguments":"{}"},{"type":"function_call_output","call_id":"x","output":"ok"}]}"#,
        ),
        (
            "gemini",
            r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"b","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"b","response":{}}}]}]}"#,
        ),
        (
            "ollama",
            r#"{"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"b","arguments":{}}}]},{"role":"tool","content":"ok"}]}"#,
        ),
    ];
    for (name, body) in bodies {
        let request = decode_request(wire(name), body.as_bytes()).unwrap();
        let overlay = || Overlays {
            own: Some(Overlay::of(&State::default())),
            ..Overlays::default()
        };
        assert_eq!(
            &*overlay::applied(&overlay(), &request, &[]).unwrap(),
            body,
            "{name}"
        );
        // Words of the console are a part of the user's last message, or one more message.
        let last = request.messages.last().map(|message| message.role);
        let joins = last == Some(Role::User) && wire(name).agent_side().text_part("").is_some();
        let noted = overlay::applied(&overlay(), &request, &["a note".into()]).unwrap();
        let again = decode_request(wire(name), noted.as_bytes()).unwrap();
        let added = again.messages.len() - request.messages.len();
        assert_eq!(added, usize::from(!joins), "{name}");
        assert_eq!(
            super::conversation::tail(&again, 0, &BTreeSet::new()).words,
            "a note",
            "{name}"
        );
    }
}
