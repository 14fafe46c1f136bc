//! Repairs one message: its id, its result or error, its members.
//!
//! Must not know: how messages are carried, which tools there are.

use overrule_base::canon::Tree;

use super::answer;
use super::members::{bound_numbers, take, whole};
use super::open::Open;
use super::repairs::{Repairs, shown};
use super::{TOO_LONG, UNREADABLE};

/// A message after its repair.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Repaired {
    /// A request or a notification of the server, as JSON text.
    Said(String),
    /// An answer, as JSON text.
    Answer(i64, String),
    /// An answer that cannot be read: its request, and why.
    Unreadable(i64, String),
    /// An answer to a request that is not open, with its result.
    NotOpen(i64, Option<Tree>),
    /// An answer that names no request.
    Stray,
    /// No message, and why.
    Nothing(String),
}

/// Members of an answer, and of a result. A server that leaves out `jsonrpc` sends no others.
const KNOWN: [&str; 9] = [
    "id",
    "result",
    "error",
    "content",
    "structuredContent",
    "isError",
    "tools",
    "nextCursor",
    "_meta",
];

/// Repairs a message.
pub(super) fn message(mut tree: Tree, open: &Open, repairs: &mut Repairs) -> Repaired {
    if !matches!(tree, Tree::Object(_)) {
        return Repaired::Nothing(format!("it is {}", tree.kind()));
    }
    let is_marked = version(&mut tree, repairs);
    let method = take(&mut tree, "method");
    let has_end = |tree: &Tree, name: &str| tree.get(name).is_some_and(|value| !value.is_null());
    let is_answer = has_end(&tree, "result") || has_end(&tree, "error");
    match method {
        Some(Tree::Text(method)) if !is_answer => said(method, tree, repairs),
        // A line of a log in JSON is no answer.
        _ if !is_marked && !has_only_known(&tree) => {
            Repaired::Nothing("it is no message of the protocol".to_owned())
        }
        Some(Tree::Text(_)) => {
            repairs.read("an answer names a method: skipped");
            answered(tree, open, repairs)
        }
        Some(other) => {
            repairs.left(format!("a `method` is {}: left out", other.kind()));
            answered(tree, open, repairs)
        }
        None => answered(tree, open, repairs),
    }
}

/// Takes the mark of the protocol. Returns false if there is none.
fn version(tree: &mut Tree, repairs: &mut Repairs) -> bool {
    let version = tree.remove("jsonrpc");
    if version.as_ref().and_then(Tree::as_text) != Some("2.0") {
        repairs.read("`jsonrpc` is not \"2.0\": read as if it were");
    }
    version.is_some()
}

fn has_only_known(tree: &Tree) -> bool {
    let Tree::Object(members) = tree else { return false };
    !members.is_empty() && members.iter().all(|(name, _)| KNOWN.contains(&name.as_str()))
}

fn envelope() -> Tree {
    Tree::object([("jsonrpc", Tree::text("2.0"))])
}

/// A request or a notification of the server.
fn said(method: String, mut tree: Tree, repairs: &mut Repairs) -> Repaired {
    let mut read = envelope();
    match take(&mut tree, "id") {
        None => {}
        Some(id @ Tree::Text(_)) => read.set("id", id),
        Some(other) => match whole(&other) {
            Some(id) => read.set("id", Tree::Number(id.to_string())),
            None => return Repaired::Nothing(format!("the id of a request is {}", other.kind())),
        },
    }
    read.set("method", Tree::Text(method));
    match take(&mut tree, "params") {
        None => {}
        Some(Tree::List(items)) if items.is_empty() => {
            repairs.read("`params` is an empty list: read as absent");
        }
        Some(mut params) => {
            bound_numbers(&mut params, repairs);
            // Tokens of this program are numbers.
            if let Some(token) = params.get_mut("progressToken")
                && let Some(number) = whole(token)
            {
                *token = Tree::Number(number.to_string());
            }
            read.set("params", params);
        }
    }
    Repaired::Said(read.to_string())
}

fn answered(mut tree: Tree, open: &Open, repairs: &mut Repairs) -> Repaired {
    let written = take(&mut tree, "id");
    let id = written.as_ref().and_then(whole);
    if let (Some(Tree::Text(_)), Some(_)) = (&written, id) {
        repairs.read("an id is a text: read as a number");
    }
    let known = ["result", "error", "content", "structuredContent", "tools"];
    let says = known.iter().any(|name| tree.get(name).is_some());
    let id = match id {
        Some(id) => id,
        None if !says => return Repaired::Nothing("it has no method, id or result".to_owned()),
        None => match open.only() {
            Some(id) => {
                repairs
                    .read("an answer has no id that can be read: taken as the one to the only open request");
                id
            }
            None => return Repaired::Stray,
        },
    };
    let has_result = tree.get("result").is_some_and(|result| !result.is_null());
    let mut error = tree.remove("error");
    if error
        .as_ref()
        .is_some_and(|error| says_nothing(error, has_result))
    {
        if error.take().is_some_and(|error| !error.is_null()) {
            repairs.read("an empty `error` is absent");
        } else {
            repairs.read("`error` null is absent");
        }
    }
    let Some(asked) = open.get(id) else {
        return Repaired::NotOpen(id, take(&mut tree, "result"));
    };
    if let Some(error) = error {
        if has_result {
            repairs.read("an answer has a result and an error: the error counts");
        }
        return Repaired::Answer(id, failure(id, error, repairs));
    }
    let result = match tree.remove("result") {
        Some(result) => Some(result).filter(|result| !result.is_null()),
        // Without the envelope of the protocol.
        None if matches!(&tree, Tree::Object(members) if !members.is_empty()) => {
            repairs.read("an answer is its result itself");
            Some(tree)
        }
        None => None,
    };
    match answer::result(asked, result, repairs) {
        Ok(result) => {
            let mut read = envelope();
            read.set("id", Tree::Number(id.to_string()));
            read.set("result", result);
            Repaired::Answer(id, read.to_string())
        }
        Err(why) => Repaired::Unreadable(id, why),
    }
}

/// True for an error that stands for none.
fn says_nothing(error: &Tree, has_result: bool) -> bool {
    match error {
        Tree::Null | Tree::Bool(false) => true,
        Tree::Text(text) => has_result && text.is_empty(),
        Tree::Number(number) => has_result && number == "0",
        Tree::List(items) => has_result && items.is_empty(),
        Tree::Object(members) => has_result && members.is_empty(),
        Tree::Bool(true) => false,
    }
}

/// The code of an error that has none.
pub(in super::super) const NO_CODE: i32 = -32_000;

/// Writes an answer that is an error.
fn failure(id: i64, mut error: Tree, repairs: &mut Repairs) -> String {
    let code = take(&mut error, "code").and_then(|code| {
        let read = whole(&code).and_then(|code| i32::try_from(code).ok());
        if read.is_none() {
            repairs.left(format!("the code of an error is {}: left out", code.kind()));
        }
        read.filter(|code| {
            let is_own = matches!(*code, UNREADABLE | TOO_LONG);
            if is_own {
                repairs.left(format!(
                    "the code of an error is {code}, a code of this program: left out"
                ));
            }
            !is_own
        })
    });
    let data = take(&mut error, "data");
    let message = match take(&mut error, "message") {
        Some(Tree::Text(message)) => message,
        Some(other) => other.to_string(),
        None => {
            repairs.read(format!("an error is {} without a message", error.kind()));
            match (&error, &data) {
                (Tree::Text(words), _) => words.clone(),
                (Tree::Object(_), Some(data)) => shown(&data.to_string()),
                (Tree::Object(members), None) if members.is_empty() => "it gave no reason".to_owned(),
                (other, _) => shown(&other.to_string()),
            }
        }
    };
    let mut written = Tree::object([
        ("code", Tree::Number(code.unwrap_or(NO_CODE).to_string())),
        ("message", Tree::Text(message)),
    ]);
    if let Some(mut data) = data {
        bound_numbers(&mut data, repairs);
        written.set("data", data);
    }
    let mut read = envelope();
    read.set("id", Tree::Number(id.to_string()));
    read.set("error", written);
    read.to_string()
}
