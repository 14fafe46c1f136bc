//! Tests that a request of any format says the same in every other.
//!
//! Must not know: the form of a request.

use super::super::{AgentRequest, CallForm, PartKind, Role};
use super::{all, parts, read};
use crate::Quirks;
use crate::wire::{Target, Wire};

/// A call with its result: name, arguments, result.
type Answered = (String, String, Option<String>);

/// The calls of a request in order, each with the result of its id, or of its position where it has none.
#[track_caller]
fn calls(request: &AgentRequest) -> Vec<Answered> {
    let mut calls: Vec<(Option<String>, Answered)> = Vec::new();
    for (_, kind) in parts(request) {
        match kind {
            PartKind::Call { id, name, args, form } => {
                let args = match (form, args.as_str()) {
                    (CallForm::Text, _) => serde_json::json!({ "input": args }).to_string(),
                    (CallForm::Json, "") => "{}".to_owned(),
                    (CallForm::Json, _) => args,
                };
                calls.push((id, (name, args, None)));
            }
            PartKind::Result { id, name, text, .. } => {
                let open = calls.iter_mut().filter(|(_, (.., result))| result.is_none());
                let mut own = open.filter(|(of, (tool, ..))| match (of, &id) {
                    (Some(of), Some(id)) => of == id,
                    _ => name.as_ref().is_none_or(|name| name == tool),
                });
                let (_, (.., result)) = own.next().unwrap();
                *result = Some(text);
            }
            _ => {}
        }
    }
    calls.into_iter().map(|(_, call)| call).collect()
}

/// All text of a request but reasoning.
fn spoken(request: &AgentRequest) -> String {
    let mut all = request.system.join("\n");
    for message in &request.messages {
        for text in message.texts() {
            all += "\n";
            all += text;
        }
    }
    all
}

fn encoded(request: &AgentRequest, wire: Wire) -> AgentRequest {
    let body = wire.body(Target::plain("m"), &request.neutral(), &Quirks::new());
    read(wire.name(), &body)
}

#[test]
fn every_call_result_name_id_and_text_is_in_every_other_format() {
    let mut tried = 0;
    for request in all() {
        for wire in Wire::all() {
            let other = encoded(&request, wire);
            let pair = format!("{} in {wire}", request.wire);
            assert_eq!(calls(&other), calls(&request), "{pair}");
            let all = spoken(&other);
            for message in &request.messages {
                for text in message.texts() {
                    assert!(all.contains(text), "{pair}: no `{text}` in {}", other.body);
                }
            }
            for text in &request.system {
                assert!(all.contains(text), "{pair}: no `{text}`");
            }
            let names = |request: &AgentRequest| -> Vec<String> {
                let own = request.tools.iter().filter(|tool| !tool.is_providers);
                own.map(|tool| tool.name.clone()).collect()
            };
            assert_eq!(names(&other), names(&request), "{pair}");
            coherent(&other, &pair);
            tried += 1;
        }
    }
    assert_eq!(tried, 40);
}

/// Fails unless every result has the id of its call and comes before the model speaks again.
#[track_caller]
fn coherent(request: &AgentRequest, pair: &str) {
    let mut open: Vec<(Option<String>, String)> = Vec::new();
    let mut speaks = false;
    for message in &request.messages {
        for part in &message.parts {
            match &part.kind {
                PartKind::Call { id, name, .. } => open.push((id.clone(), name.clone())),
                PartKind::Result { id, name, .. } => {
                    let at = open.iter().position(|(of, tool)| match (of, id) {
                        (Some(of), Some(id)) => of == id,
                        (None, None) => name.as_ref() == Some(tool),
                        _ => false,
                    });
                    open.remove(at.unwrap_or_else(|| panic!("{pair}: a result of nothing: {id:?}")));
                }
                _ => assert!(
                    open.is_empty() || message.role == Role::Assistant,
                    "{pair}: {open:?} before {part:?}"
                ),
            }
        }
        speaks |= message.role == Role::Assistant;
    }
    assert!(
        open.is_empty() && (speaks || request.messages.len() < 2),
        "{pair}: {open:?}"
    );
}

#[test]
fn what_a_provider_signed_goes_back_to_it_and_to_nobody_else() {
    for request in all() {
        let opaque: Vec<String> = request
            .messages
            .iter()
            .flat_map(|message| &message.parts)
            .filter_map(|part| part.opaque.clone())
            .collect();
        for wire in Wire::all() {
            let other = encoded(&request, wire);
            for secret in ["EqQBCkYIAxgC", "EmwKAhgB", "gAAAAABpJ", "c2lnMg=="] {
                let goes_back = request.body.contains(secret) && wire == request.wire;
                assert_eq!(
                    other.body.contains(secret),
                    goes_back,
                    "{secret} of {} in {wire}",
                    request.wire
                );
            }
        }
        let back = encoded(&request, request.wire);
        let of_calls: Vec<_> = back.messages.iter().flat_map(|message| &message.parts).collect();
        let calls = of_calls
            .iter()
            .filter(|part| matches!(part.kind, PartKind::Call { .. }));
        for call in calls.filter(|call| call.opaque.is_some()) {
            assert!(opaque.contains(call.opaque.as_ref().unwrap()));
        }
    }
}

#[test]
fn calls_without_ids_keep_their_results_by_tool_and_order() {
    let body = r#"{"contents":[{"role":"model","parts":[
        {"functionCall":{"name":"a","args":{"n":1}}},{"functionCall":{"name":"b","args":{}}},{"functionCall":{"name":"a","args":{"n":2}}}]},
        {"role":"user","parts":[
        {"functionResponse":{"name":"b","response":{"output":"of b"}}},
        {"functionResponse":{"name":"a","response":{"output":"of a1"}}},
        {"functionResponse":{"name":"a","response":{"error":"of a2"}}}]}]}"#;
    let request = read("gemini", body);
    for wire in Wire::all() {
        let results: Vec<_> = calls(&encoded(&request, wire))
            .into_iter()
            .map(|(.., text)| text.unwrap())
            .collect();
        assert_eq!(results, ["of a1", "of b", "of a2"], "{wire}");
    }
}
