//! Converts what a server answered to the outcome of a call.
//!
//! Must not know: how the answer was received.

use std::sync::Arc;

use overrule_base::canon::Tree;
use reqwest::StatusCode;
use rmcp::ServiceError;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, ServerResult};
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use serde_json::{Value, json};

use super::http::Fault;
use super::reader::{TOO_LONG, UNREADABLE};
use super::redaction::Redaction;
use super::whole::WholeResults;
use super::{about, http};
use crate::errors::{from_json_rpc, refused, shown};
use crate::output::{Bounded, BoundedText, HEAD, TAIL, json_text};
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::id::NodeId;
use overrule_resilience::classify::{ABOUT, REPORTED};

/// What is known of a call besides its answer.
pub(super) struct Made<'s> {
    pub(super) call: NodeId,
    /// The arguments that were sent.
    pub(super) args: &'s Value,
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
        // A server may say only in the structure what is wrong.
        if text.trim().is_empty()
            && let Some(structured) = result.structured_content
        {
            text = made.redaction.json_text(&exact(structured));
        }
        let output = cut(&text);
        let mut error = reported(&output);
        if let Some(name) = about::argument(made.args, &text) {
            error.evidence = format!("{REPORTED}, {ABOUT}{name}`");
        }
        if let Some(stored) = store(made, &text) {
            error.evidence = match stored {
                Ok(place) => format!("{}, whole at {place} of the session", error.evidence),
                Err(why) => format!("{}, not stored whole: {why}", error.evidence),
            };
        }
        return Outcome::err(error);
    }
    let output = cut(&text);
    let mut meta = json!({ "ms": made.ms, "bytes": text.len(), "content": blocks });
    let structured = result
        .structured_content
        .map(|structured| made.redaction.json_text(&exact(structured)));
    let repeats = structured
        .as_deref()
        .map_or(Repeats::Text, |structured| repeats(structured, &text));
    let Some(structured) = structured.filter(|_| repeats != Repeats::Text) else {
        note(&mut meta, ["whole", "not_stored"], store(made, &text));
        return value(json_text(&output.text), output.discarded, &meta);
    };
    if repeats == Repeats::Nothing && output.total > 0 {
        meta["text"] = output.text.into();
        note(&mut meta, ["whole_text", "text_not_stored"], store(made, &text));
    }
    if structured.len() <= HEAD + TAIL {
        return value(structured, 0, &meta);
    }
    note(&mut meta, ["whole", "not_stored"], store(made, &structured));
    let cut = cut(&structured);
    value(json_text(&cut.text), cut.discarded, &meta)
}

/// Returns the JSON text of structured content: the reader of messages passes it on as a text, which keeps its digits.
fn exact(structured: Value) -> String {
    match structured {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// What the text and the structure of a result repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeats {
    /// Each says something else.
    Nothing,
    /// The text is the structure as JSON, or its texts one below the other.
    Structure,
    /// The structure is only the text, in one member.
    Text,
}

fn repeats(structured: &str, text: &str) -> Repeats {
    if text.is_empty() {
        return Repeats::Structure;
    }
    let Ok(reading) = Tree::read(structured) else {
        return Repeats::Nothing;
    };
    let only = match &reading.tree {
        Tree::Object(members) if members.len() == 1 => members.first().map(|(_, value)| value),
        Tree::Text(_) => Some(&reading.tree),
        _ => None,
    };
    if only.and_then(Tree::as_text) == Some(text) {
        return Repeats::Text;
    }
    if let Some(Tree::List(items)) = only {
        let texts: Option<Vec<&str>> = items.iter().map(Tree::as_text).collect();
        if texts.is_some_and(|texts| texts.join("\n") == text) {
            return Repeats::Structure;
        }
    }
    // Most servers repeat the structure as JSON.
    match Tree::read(text) {
        Ok(read) if read.tree.is_same(&reading.tree) || only.is_some_and(|only| read.tree.is_same(only)) => {
            Repeats::Structure
        }
        _ => Repeats::Nothing,
    }
}

/// Stores a text that is cut. Returns its place within the session, or why it is not stored; `None` for a text that is
/// not cut, or without a session.
fn store(made: &Made<'_>, text: &str) -> Option<Result<String, String>> {
    let stored = (text.len() > HEAD + TAIL).then(|| made.whole.store(made.call, text));
    stored.flatten().map(|stored| stored.map_err(|why| shown(&why)))
}

/// Adds the place of a stored text, or why it is not stored.
fn note(meta: &mut Value, [place, failed]: [&str; 2], stored: Option<Result<String, String>>) {
    match stored {
        Some(Ok(at)) => meta[place] = at.into(),
        Some(Err(why)) => meta[failed] = why.into(),
        None => {}
    }
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
    let message = shown(words);
    ToolError {
        class: ErrorClass::Unknown,
        partial: whole(&message, words),
        message,
        evidence: REPORTED.to_owned(),
        hint: None,
        executed: true,
        retry_after_ms: None,
    }
}

/// Returns the words of a failure as a partial result, if the message does not show them all as they are.
fn whole(message: &str, words: &str) -> Option<Arc<str>> {
    (message != words).then(|| json_text(words).into())
}

/// Converts the failure of a request.
pub(super) fn failed(error: &ServiceError, redaction: &Redaction) -> ToolError {
    match error {
        ServiceError::McpError(error) if error.code.0 == UNREADABLE => lost(&redaction.apply(&error.message)),
        ServiceError::McpError(error) if error.code.0 == TOO_LONG => too_long(&error.message),
        ServiceError::McpError(error) => {
            let message = redaction.apply(&error.message);
            let mut words = message.to_string();
            // Many servers say in the data what they did not accept.
            if let Some(data) = error.data.as_ref().filter(|data| !data.is_null()) {
                words = format!("{words}\n{}", redaction.json_text(&exact(data.clone())));
            }
            let failed = from_json_rpc(i64::from(error.code.0), &message);
            ToolError {
                partial: whole(&failed.message, cut(&words).text.trim()),
                ..failed
            }
        }
        error if error.is_authorization_required() => ToolError {
            class: ErrorClass::Auth,
            ..lost(http::LOG_IN)
        },
        ServiceError::TransportSend(error) => unsent(error, redaction),
        error => lost(&words(error, redaction)),
    }
}

/// Converts what the transport says about a call.
fn unsent(error: &DynamicTransportError, redaction: &Redaction) -> ToolError {
    let words = shown(&redaction.apply(&http::words(error)));
    match http::fault(error) {
        Some(Fault::TooLong) => too_long(&words),
        Some(Fault::Status {
            status,
            retry_after_ms,
        }) => by_status(*status, *retry_after_ms, &words),
        Some(Fault::Redirect { .. }) => refused(
            ErrorClass::Business,
            format!("the call was not carried out: {words}"),
            "redirect of the MCP server",
            "ask the operator to correct the address",
        ),
        Some(Fault::Request(error)) if error.is_connect() || error.is_builder() => refused(
            ErrorClass::Transient,
            format!("the call was not sent: {words}"),
            "connection to the MCP server",
            "try again later, or use another tool",
        ),
        _ => lost(&words),
    }
}

/// The server refused the request with a status.
fn by_status(status: StatusCode, retry_after_ms: Option<u64>, words: &str) -> ToolError {
    let code = status.as_u16();
    // A gateway that gives up may have passed the call on.
    let executed = status.is_server_error() || matches!(code, 408..=410);
    if executed {
        return lost(words);
    }
    let class = match code {
        425 | 429 => ErrorClass::Transient,
        401 | 403 | 407 => ErrorClass::Auth,
        // Its words may repeat a key, so nobody knows what it did not accept.
        400 | 422 => ErrorClass::Unknown,
        _ => ErrorClass::Business,
    };
    ToolError {
        retry_after_ms,
        ..refused(
            class,
            format!("the server refused the call: {words}"),
            &format!("HTTP {code}"),
            "",
        )
    }
}

/// The answer is longer than allowed: it would be at the next attempt, too.
fn too_long(words: &str) -> ToolError {
    ToolError {
        executed: true,
        ..refused(
            ErrorClass::Structural,
            format!("the call ran, but its result cannot be read: {words}"),
            "length of the answer",
            "ask for less in one call",
        )
    }
}

/// Says why a request failed.
pub(super) fn words(error: &ServiceError, redaction: &Redaction) -> String {
    match error {
        ServiceError::TransportSend(error) => shown(&redaction.apply(&http::words(error))),
        // Its tasks are cancelled when the connection ends.
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => "the connection ended".to_owned(),
        error => shown(&redaction.apply(&error.to_string())),
    }
}

/// Says why a connection could not be established.
pub(super) fn of_handshake(error: &ClientInitializeError, redaction: &Redaction) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => shown(&redaction.apply(&http::words(error))),
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

#[cfg(test)]
mod tests;
