//! Repairs the result of an answer, by the request that it answers.
//!
//! Must not know: how the answer was received.

use overrule_base::canon::Tree;
use rmcp::model::{CallToolResult, ClientRequest, DiscoverResult, InitializeResult, ListToolsResult};
use serde::de::DeserializeOwned;

use super::content::{blocks, text, words};
use super::members::{
    as_object, bound_numbers, left_out, take, take_count, take_object, take_renamed, take_text,
};
use super::repairs::{Repairs, shown};
use super::tool;

/// Kinds of requests, by what their results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Asked {
    /// `initialize`
    Initialize,
    /// `server/discover`
    Discover,
    /// `tools/list`
    ListTools,
    /// `tools/call`
    CallTool,
    /// A request that stays open to report changes.
    Listen,
    /// Every other one.
    Other,
}

impl Asked {
    /// Returns the kind of a request.
    pub(in super::super) const fn of(request: &ClientRequest) -> Self {
        match request {
            ClientRequest::InitializeRequest(_) => Self::Initialize,
            ClientRequest::DiscoverRequest(_) => Self::Discover,
            ClientRequest::ListToolsRequest(_) => Self::ListTools,
            ClientRequest::CallToolRequest(_) => Self::CallTool,
            ClientRequest::SubscriptionsListenRequest(_) => Self::Listen,
            _ => Self::Other,
        }
    }
}

/// The version that a server speaks which does not say it.
const VERSION: &str = "2025-11-25";
/// The newest version that this program speaks.
const NEWEST: &str = "2026-07-28";
/// Type of a result that is complete.
const COMPLETE: &str = "complete";

/// Returns the result as the library reads it. The error says why it cannot be read.
pub(super) fn result(asked: Asked, result: Option<Tree>, repairs: &mut Repairs) -> Result<Tree, String> {
    let mut read = match asked {
        Asked::CallTool => called(result, repairs),
        Asked::ListTools => listed(result, repairs),
        Asked::Initialize => initialized(object(result, "the answer to `initialize`", repairs)?, repairs),
        Asked::Discover => discovered(
            object(result, "the answer to `server/discover`", repairs)?,
            repairs,
        )?,
        Asked::Listen | Asked::Other => object(result, "an answer", repairs)?,
    };
    bound_numbers(&mut read, repairs);
    let text = read.to_string();
    match asked {
        Asked::Initialize => check::<InitializeResult>(&text)?,
        Asked::Discover => check::<DiscoverResult>(&text)?,
        Asked::ListTools => check::<ListToolsResult>(&text)?,
        Asked::CallTool if has_type(&read, COMPLETE) => check::<CallToolResult>(&text)?,
        Asked::CallTool | Asked::Listen | Asked::Other => {}
    }
    Ok(read)
}

fn check<T: DeserializeOwned>(text: &str) -> Result<(), String> {
    let read = serde_json::from_str::<T>(text);
    read.map(drop).map_err(|error| error.to_string())
}

/// Returns the result as an object; no result is an empty one.
fn object(result: Option<Tree>, what: &str, repairs: &mut Repairs) -> Result<Tree, String> {
    let result = result.unwrap_or_else(|| Tree::Object(Vec::new()));
    as_object(result, what, "result", repairs).map_err(|other| format!("{what} is {}", other.kind()))
}

/// True for a result of this type, also if it does not say its type.
fn has_type(result: &Tree, name: &str) -> bool {
    let kind = result.get("resultType").and_then(Tree::as_text);
    kind.unwrap_or(COMPLETE) == name
}

fn initialized(mut result: Tree, repairs: &mut Repairs) -> Tree {
    let what = "the answer to `initialize`";
    let version = take_text(&mut result, "protocolVersion", what, repairs).unwrap_or_else(|| {
        repairs.left(format!(
            "{what} has no version of the protocol: taken as {VERSION}"
        ));
        Tree::text(VERSION)
    });
    let mut read = Tree::object([
        ("protocolVersion", version),
        ("capabilities", capabilities(&mut result, what, repairs)),
        ("serverInfo", server_info(&mut result, what, repairs)),
    ]);
    if let Some(instructions) = take_text(&mut result, "instructions", what, repairs) {
        read.set("instructions", instructions);
    }
    read
}

fn discovered(mut result: Tree, repairs: &mut Repairs) -> Result<Tree, String> {
    let what = "the answer to `server/discover`";
    let versions = match take(&mut result, "supportedVersions") {
        Some(Tree::List(items)) => items,
        Some(one @ Tree::Text(_)) => vec![one],
        _ => return Err(format!("{what} names no versions of the protocol")),
    };
    let versions = versions.into_iter().filter(|version| version.as_text().is_some());
    let ttl = take_count(&mut result, "ttlMs", what, repairs).unwrap_or_else(|| Tree::Number("0".to_owned()));
    let mut read = Tree::object([
        ("resultType", Tree::text(COMPLETE)),
        ("supportedVersions", Tree::List(versions.collect())),
        ("capabilities", capabilities(&mut result, what, repairs)),
        ("ttlMs", ttl),
        ("cacheScope", Tree::text("private")),
    ]);
    if let Some(instructions) = take_text(&mut result, "instructions", what, repairs) {
        read.set("instructions", instructions);
    }
    if let Some(meta) = take_object(&mut result, "_meta", what, repairs) {
        read.set("_meta", meta);
    }
    Ok(read)
}

/// Converts an answer to `server/discover` that came while `initialize` was asked already to the answer to that: the server
/// speaks the newer protocol only. `None` for every other result.
pub(super) fn late(id: i64, result: Tree) -> Option<(i64, String)> {
    let mut result = discovered(result, &mut Repairs::default()).ok()?;
    let Some(Tree::List(versions)) = result.get("supportedVersions") else {
        return None;
    };
    let newest = versions
        .iter()
        .find(|version| version.as_text() == Some(NEWEST))?
        .clone();
    let read = Tree::object([
        ("protocolVersion", newest),
        ("capabilities", take(&mut result, "capabilities")?),
        (
            "serverInfo",
            server_info(&mut result, "", &mut Repairs::default()),
        ),
    ]);
    let answer = Tree::object([
        ("jsonrpc", Tree::text("2.0")),
        ("id", Tree::Number(id.to_string())),
        ("result", read),
    ]);
    Some((id, answer.to_string()))
}

/// Returns what the server can do, as far as this program uses it.
fn capabilities(result: &mut Tree, what: &str, repairs: &mut Repairs) -> Tree {
    let written = take_object(result, "capabilities", what, repairs);
    let mut read = Tree::Object(Vec::new());
    let Some(mut written) = written else { return read };
    let what = "the capabilities of the server";
    match take(&mut written, "tools") {
        None | Some(Tree::Bool(false)) => {}
        Some(mut tools) => {
            let mut kept = Tree::Object(Vec::new());
            match take(&mut tools, "listChanged") {
                None => {}
                Some(Tree::Bool(changed)) => kept.set("listChanged", Tree::Bool(changed)),
                Some(other) => left_out(&other, "listChanged", what, repairs),
            }
            read.set("tools", kept);
        }
    }
    read
}

fn server_info(result: &mut Tree, what: &str, repairs: &mut Repairs) -> Tree {
    let mut written = take_object(result, "serverInfo", what, repairs).unwrap_or_default();
    let mut member = |name: &str, other: &str| match take(&mut written, name) {
        Some(Tree::Text(text)) => Tree::Text(text),
        Some(number @ Tree::Number(_)) => Tree::Text(words(number)),
        _ => Tree::text(other),
    };
    Tree::object([
        ("name", member("name", "no name")),
        ("version", member("version", "0")),
    ])
}

fn listed(result: Option<Tree>, repairs: &mut Repairs) -> Tree {
    let what = "the list of tools";
    let mut result = match result {
        Some(list @ Tree::List(_)) => {
            repairs.read(format!("{what} is the result itself"));
            Tree::object([("tools", list)])
        }
        Some(object @ Tree::Object(_)) => object,
        Some(other) => {
            repairs.left(format!("{what} is {}: no tools", other.kind()));
            Tree::Object(Vec::new())
        }
        None => Tree::Object(Vec::new()),
    };
    let tools = take(&mut result, "tools").unwrap_or_else(|| {
        repairs.left(format!("{what} is missing: no tools"));
        Tree::List(Vec::new())
    });
    let mut read = Tree::object([("tools", tool::tools(tools, repairs))]);
    let cursor = take_renamed(&mut result, "nextCursor", &["next_cursor"], (what, repairs));
    match cursor {
        None | Some(Tree::Bool(false)) => {}
        Some(cursor @ Tree::Text(_)) => read.set("nextCursor", cursor),
        Some(number @ Tree::Number(_)) => {
            repairs.read(format!("{what}: `nextCursor` is a number: read as a text"));
            read.set("nextCursor", Tree::Text(words(number)));
        }
        Some(other) => left_out(&other, "nextCursor", what, repairs),
    }
    if let Some(ttl) = take_count(&mut result, "ttlMs", what, repairs) {
        read.set("ttlMs", ttl);
    }
    read
}

/// The result of a call. What belongs to another kind of result is left out: the library would take it for that.
fn called(result: Option<Tree>, repairs: &mut Repairs) -> Tree {
    let what = "the result of a call";
    let mut result = match result {
        Some(object @ Tree::Object(_)) => object,
        Some(list @ Tree::List(_)) => listed_content(list, repairs),
        Some(other) => {
            repairs.read(format!("{what} is {}: read as text", other.kind()));
            Tree::object([("content", Tree::List(vec![text(words(other))]))])
        }
        None => {
            repairs.left("an answer to a call has no result");
            let note = text("[the server answered without a result]");
            Tree::object([("content", Tree::List(vec![note]))])
        }
    };
    match result.get("resultType") {
        Some(Tree::Text(kind)) if matches!(kind.as_str(), "input_required" | "task") => return result,
        Some(Tree::Text(kind)) if kind == COMPLETE => {}
        None | Some(Tree::Null) => {}
        Some(other) => {
            let kind = other.as_text().map_or_else(|| other.kind().to_owned(), shown);
            repairs.left(format!(
                "{what} has the type `{kind}`, which is not known: read as complete"
            ));
        }
    }
    let content = take(&mut result, "content");
    let named = ["structured_content", "toolResult"];
    let structured = take_renamed(&mut result, "structuredContent", &named, (what, repairs));
    let failed = take_renamed(&mut result, "isError", &["is_error"], (what, repairs));
    let mut read = Tree::object([("resultType", Tree::text(COMPLETE))]);
    let is_bare = content.is_none() && structured.is_none();
    let mut content = content
        .map(|content| blocks(content, repairs))
        .unwrap_or_default();
    let mut structured = structured;
    if is_bare {
        let rest = bare(&mut result);
        if let Tree::Object(members) = &rest
            && !members.is_empty()
        {
            repairs.read(format!("{what} has no content: read as structured content"));
            structured = Some(rest);
        }
    }
    if let Some(failed) = failed {
        read.set("isError", Tree::Bool(is_failure(failed, repairs)));
    }
    // It goes through the library as a text, so that its numbers keep their digits.
    if let Some(structured) = structured {
        read.set("structuredContent", Tree::Text(structured.to_string()));
    }
    for block in &mut content {
        bound_numbers(block, repairs);
    }
    read.set("content", Tree::List(content));
    read
}

/// Returns the members of a result that the protocol does not know.
fn bare(result: &mut Tree) -> Tree {
    for known in ["resultType", "_meta"] {
        result.remove(known);
    }
    std::mem::take(result)
}

/// A result that is a list: of blocks, or of something else.
fn listed_content(list: Tree, repairs: &mut Repairs) -> Tree {
    let Tree::List(items) = &list else { return list };
    if items.is_empty() {
        repairs.read("the result of a call is an empty list: read as an empty object");
        return Tree::object([("content", list)]);
    }
    let are_blocks = items
        .iter()
        .all(|item| item.get("type").and_then(Tree::as_text).is_some());
    if are_blocks {
        repairs.read("the result of a call is its content");
        return Tree::object([("content", list)]);
    }
    repairs.read("the result of a call is a list: read as structured content");
    Tree::object([("structuredContent", list)])
}

/// Whether a result says that it is a failure. What cannot be read is one.
fn is_failure(value: Tree, repairs: &mut Repairs) -> bool {
    if let Tree::Bool(failed) = value {
        return failed;
    }
    let failed = match &value {
        Tree::Text(text) => !matches!(
            text.trim().to_ascii_lowercase().as_str(),
            "" | "false" | "0" | "no"
        ),
        Tree::Number(number) => number.parse::<f64>() != Ok(0.0),
        _ => true,
    };
    repairs.read(format!("`isError` is {}: read as {failed}", value.kind()));
    failed
}
