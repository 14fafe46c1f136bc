//! Converts what a server answered to the outcome of a call.
//!
//! Must not know: how the answer was received.

use rmcp::ServiceError;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, ServerResult};
use rmcp::service::ClientInitializeError;
use serde_json::{Value, json};

use super::http;
use super::redaction::Redaction;
use super::whole::WholeResults;
use crate::domain::call::{ErrorClass, Outcome, ToolError};
use crate::domain::id::NodeId;
use crate::tools::errors::{from_json_rpc, refused, shown};
use crate::tools::output::{Bounded, BoundedText, HEAD, TAIL, json_text};

/// Evidence of a failure that a server reports in a result.
const REPORTED: &str = "isError of the server's result";
/// Characters kept of a failure's words; all of them are in the partial result.
const WORDS: usize = 300;

/// What is known of a call besides its answer.
pub(super) struct Made<'s> {
    pub(super) call: NodeId,
    /// The time that it took.
    pub(super) ms: u64,
    pub(super) redaction: &'s Redaction,
    pub(super) whole: &'s WholeResults,
}

/// Converts a result.
pub(super) fn outcome(result: ServerResult, made: &Made<'_>) -> Outcome {
    match result {
        ServerResult::CallToolResult(result) => finished(result, made),
        ServerResult::EmptyResult(_) => finished(CallToolResult::default(), made),
        ServerResult::CreateTaskResult(_) => Outcome::err(ToolError {
            executed: true,
            ..refused(
                ErrorClass::Structural,
                "the server started a task in the background, which is not supported yet",
                "result type `task`",
                "use another tool, or ask the operator",
            )
        }),
        _ => Outcome::err(ToolError {
            executed: true,
            ..refused(
                ErrorClass::Unknown,
                "the server answered with something else than the result of a tool",
                "type of the result",
                "",
            )
        }),
    }
}

fn finished(result: CallToolResult, made: &Made<'_>) -> Outcome {
    let (mut text, mut blocks) = (String::new(), Vec::new());
    for block in &result.content {
        if !text.is_empty() {
            text.push('\n');
        }
        let (kind, words) = describe(block);
        text.push_str(&made.redaction.apply(&words));
        blocks.push(kind);
    }
    if result.is_error == Some(true) {
        return Outcome::err(reported(&cut(&text)));
    }
    let mut meta = json!({ "ms": made.ms, "bytes": text.len(), "content": blocks });
    let structured = result.structured_content.map(|value| value.to_string());
    let structured = structured.map(|value| made.redaction.apply(&value).into_owned());
    let long = structured.as_deref().unwrap_or(&text);
    if long.len() > HEAD + TAIL {
        match made.whole.store(made.call, long) {
            Some(Ok(place)) => meta["whole"] = place.into(),
            Some(Err(why)) => meta["not_stored"] = shown(&why).into(),
            None => {}
        }
        let cut = cut(long);
        return value(json_text(&cut.text), cut.discarded, &meta);
    }
    let output = cut(&text);
    let Some(structured) = structured else {
        return value(json_text(&output.text), output.discarded, &meta);
    };
    // Most servers repeat the structure as text.
    let repeated = serde_json::from_str::<Value>(&output.text).is_ok();
    if !repeated && output.total > 0 {
        meta["text"] = output.text.into();
    }
    value(structured, 0, &meta)
}

/// Keeps the head and the tail of a text.
fn cut(text: &str) -> BoundedText {
    let mut output = Bounded::new(HEAD, TAIL);
    output.push(text.as_bytes());
    output.finish()
}

fn value(value: String, discarded: u64, meta: &Value) -> Outcome {
    Outcome::Ok {
        value: value.into(),
        meta: Some(meta.to_string().into()),
        discarded,
        exit: None,
    }
}

/// Returns the kind of a block, and its text. Bytes are described, never shown.
fn describe(block: &ContentBlock) -> (&'static str, String) {
    let sized = |kind: &str, mime: &str, base64: &str| {
        format!(
            "[{kind}, {}, {} bytes, not shown]",
            shown(mime),
            base64.len() / 4 * 3
        )
    };
    match block {
        ContentBlock::Text(text) => ("text", text.text.clone()),
        ContentBlock::Image(image) => ("image", sized("image", &image.mime_type, &image.data)),
        ContentBlock::Audio(audio) => ("audio", sized("audio", &audio.mime_type, &audio.data)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                ("resource", format!("[resource {}]\n{text}", shown(uri)))
            }
            ResourceContents::BlobResourceContents {
                uri, mime_type, blob, ..
            } => {
                let kind = format!("resource {}", shown(uri));
                let mime = mime_type.as_deref().unwrap_or("no type");
                ("resource", sized(&kind, mime, blob))
            }
            _ => ("resource", "[resource of an unknown kind]".to_owned()),
        },
        ContentBlock::ResourceLink(link) => {
            let mime = link.mime_type.as_deref().unwrap_or("no type");
            let size = link
                .size
                .map(|size| format!(", {size} bytes"))
                .unwrap_or_default();
            let text = format!("[link to {}, {}{size}]", shown(&link.uri), shown(mime));
            ("resource_link", text)
        }
        _ => ("unknown", "[content of an unknown kind]".to_owned()),
    }
}

/// Converts a failure that the server reports as a result. Its class follows from its words.
fn reported(output: &BoundedText) -> ToolError {
    let words = if output.text.trim().is_empty() {
        "the tool failed without a reason"
    } else {
        output.text.trim()
    };
    let is_long = words.chars().count() > WORDS;
    ToolError {
        class: ErrorClass::Unknown,
        message: shown(words),
        evidence: REPORTED.to_owned(),
        hint: None,
        partial: is_long.then(|| json_text(words).into()),
        executed: true,
        retry_after_ms: None,
    }
}

/// Converts the failure of a request.
pub(super) fn failed(error: &ServiceError, redaction: &Redaction) -> ToolError {
    match error {
        ServiceError::McpError(error) => {
            from_json_rpc(i64::from(error.code.0), &redaction.apply(&error.message))
        }
        error if error.is_authorization_required() => ToolError {
            class: ErrorClass::Auth,
            ..lost(http::LOG_IN)
        },
        error => lost(&words(error, redaction)),
    }
}

/// Says why a request failed.
pub(super) fn words(error: &ServiceError, redaction: &Redaction) -> String {
    match error {
        ServiceError::TransportSend(error) => shown(&http::words(error)),
        // Its tasks are cancelled when the connection ends.
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => "the connection ended".to_owned(),
        error => shown(&redaction.apply(&error.to_string())),
    }
}

/// Says why a connection could not be established.
pub(super) fn of_handshake(error: &ClientInitializeError, redaction: &Redaction) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => shown(&http::words(error)),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_handshake(fallback, redaction),
        ClientInitializeError::ConnectionClosed(_) => "the connection ended".to_owned(),
        error => shown(&redaction.apply(&error.to_string())),
    }
}

/// Builds the failure of a call whose end was not seen.
pub(super) fn lost(why: &str) -> ToolError {
    ToolError {
        executed: true,
        ..refused(
            ErrorClass::Transient,
            format!("the call has no answer: {why}"),
            "connection to the MCP server",
            "it may have happened; check before you repeat it",
        )
    }
}
