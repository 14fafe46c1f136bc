//! Writes the messages to a server. The arguments of a call are sent as they were decided, digit by digit.
//!
//! Must not know: how messages are carried.

use std::sync::Arc;

use overrule_base::canon::Tree;
use overrule_schema::RESERVED;
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;

/// The exact argument text of a call.
#[derive(Debug, Clone)]
pub(super) struct ArgumentText(pub(super) Arc<str>);

/// Returns a message as JSON text.
pub(super) fn text(message: &TxJsonRpcMessage<RoleClient>) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(message)?;
    let JsonRpcMessage::Request(request) = message else {
        return Ok(text);
    };
    let ClientRequest::CallToolRequest(call) = &request.request else {
        return Ok(text);
    };
    let exact = call.extensions.get::<ArgumentText>().and_then(arguments);
    let Some((mut message, exact)) = Tree::read(&text).ok().map(|reading| reading.tree).zip(exact) else {
        return Ok(text);
    };
    if let Some(params) = message.get_mut("params") {
        params.set("arguments", exact);
    }
    Ok(message.to_string())
}

/// Returns the arguments without the keys that belong to this program; `None` for a text that is no object.
fn arguments(text: &ArgumentText) -> Option<Tree> {
    let mut tree = Tree::read(&text.0).ok()?.tree;
    for key in RESERVED {
        tree.remove(key);
    }
    matches!(tree, Tree::Object(_)).then_some(tree)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolRequest, CallToolRequestParams, RequestId};
    use serde_json::{Value, json};

    use super::*;

    fn sent(args: &Value, exact: &str) -> String {
        let params = CallToolRequestParams::new("pay").with_arguments(args.as_object().unwrap().clone());
        let mut call = CallToolRequest::new(params);
        call.extensions.insert(ArgumentText(exact.into()));
        let request = ClientRequest::CallToolRequest(call);
        text(&JsonRpcMessage::request(request, RequestId::Number(1))).unwrap()
    }

    #[test]
    fn arguments_keep_every_digit_and_lose_the_keys_of_this_program() {
        let text = sent(
            &json!({ "n": 1.234_567_890_123_456_8e22 }),
            r#"{"n":12345678901234567890123,"x":0.10,"_as":"a","_why":"b"}"#,
        );
        assert!(
            text.contains(r#""arguments":{"n":12345678901234567890123,"x":0.10}"#),
            "{text}"
        );
        assert!(!text.contains("_as") && !text.contains("_why"), "{text}");
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }

    #[test]
    fn a_call_without_argument_text_sends_what_it_has() {
        let text = sent(&json!({ "n": 1 }), "");
        assert!(text.contains(r#""arguments":{"n":1}"#), "{text}");
    }
}
