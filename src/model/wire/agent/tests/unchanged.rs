//! Tests that nothing of a request is lost by reading it.
//!
//! Must not know: how edits are written.

use super::super::{AgentRequest, PartEdit, PartKind, Rewrite, Role};
use super::{all, parts, read};

#[test]
fn a_request_without_a_change_is_the_same_bytes() {
    for request in all() {
        assert_eq!(Rewrite::new(&request).body(), request.body);
        for message in &request.messages {
            assert!(request.body.contains(request.raw(message)));
            for part in &message.parts {
                assert!(request.raw(message).contains(request.raw_part(part)));
            }
        }
    }
}

#[test]
fn an_edit_to_what_is_there_already_changes_no_value() {
    for request in all() {
        for (place, kind) in parts(&request) {
            let edit = match &kind {
                PartKind::Text { text } => PartEdit::Text(text.clone()),
                PartKind::Call { name, args, .. } => PartEdit::Call {
                    name: Some(name.clone()),
                    args: Some(args.clone()),
                    keeps_opaque: true,
                },
                PartKind::Result { text, is_error, .. } => PartEdit::Result {
                    text: text.clone(),
                    is_error: *is_error,
                    tool: None,
                },
                PartKind::Reasoning { .. } | PartKind::Other { .. } => continue,
            };
            let mut rewrite = Rewrite::new(&request);
            rewrite.part(place.0, place.1, edit);
            let again = read(request.wire.name(), &rewrite.body());
            assert_eq!(parts(&again), parts(&request), "{place:?} of {}", request.wire);
            assert_eq!(again.settings, request.settings);
            assert_eq!(again.tools, request.tools);
        }
    }
}

#[test]
fn everything_in_a_request_of_claude_code_is_understood() {
    let request = all().next().unwrap();
    assert_eq!(request.model.as_deref(), Some("claude-sonnet-4-5"));
    assert_eq!(request.stream, Some(true));
    assert_eq!(request.system.len(), 2);
    assert_eq!(request.setting("max_tokens"), Some("32000"));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(
        roles,
        [
            Role::User,
            Role::Assistant,
            Role::User,
            Role::System,
            Role::Assistant,
            Role::User
        ]
    );
    let all = parts(&request);
    let call = |id: &str| {
        let mut calls = all.iter().filter_map(|(_, kind)| match kind {
            PartKind::Call { id: of, args, .. } if of.as_deref() == Some(id) => Some(args.as_str()),
            _ => None,
        });
        calls.next().unwrap().to_owned()
    };
    assert_eq!(
        call("toolu_01A"),
        r#"{"command":"ls \u0074ests","timeout": 1e3,"n":1.0}"#
    );
    assert_eq!(call("toolu_01B"), "{}");
    let results: Vec<(&str, bool)> = all
        .iter()
        .filter_map(|(_, kind)| match kind {
            PartKind::Result { text, is_error, .. } => Some((text.as_str(), *is_error)),
            _ => None,
        })
        .collect();
    assert_eq!(
        results,
        [
            ("sum.rs\nmax.rs", false),
            (
                "<tool_use_error>file_path is missing</tool_use_error>\n[image png 8 B]",
                true
            )
        ]
    );
    let provided: Vec<&str> = request
        .tools
        .iter()
        .filter(|tool| tool.is_providers)
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(provided, ["web_search"]);
}

/// The messages of a request in one spelling.
fn canonical(request: &AgentRequest) -> Vec<String> {
    let messages = request.messages.iter();
    messages.map(|message| request.canonical(message)).collect()
}

#[test]
fn equal_histories_have_one_canonical_form() {
    let a = read(
        "anthropic",
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"text":"x","type":"text"}]}]}]}"#,
    );
    let b = read(
        "anthropic",
        r#"{"messages":[{"content":"go","role":"user"},
            {"role":"user","content":[{"content":"x","tool_use_id":"a","type":"tool_result","cache_control":{}}]}]}"#,
    );
    assert_eq!(canonical(&a), canonical(&b));
    let other = read("anthropic", r#"{"messages":[{"role":"user","content":"go on"}]}"#);
    assert_ne!(canonical(&a)[0], canonical(&other)[0]);
    // Arguments are data: a name in them is no mark, and a number keeps its spelling.
    let args = |args: &str| {
        let block = format!(r#"{{"type":"tool_use","id":"a","name":"t","input":{args}}}"#);
        let body = format!(r#"{{"messages":[{{"role":"assistant","content":[{block}]}}]}}"#);
        canonical(&read("anthropic", &body))
    };
    assert_ne!(args(r#"{"cache_control":1}"#), args("{}"));
    assert_ne!(
        args(r#"{"n":12345678901234567890}"#),
        args(r#"{"n":12345678901234567891}"#)
    );
}
