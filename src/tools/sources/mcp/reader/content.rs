//! Repairs the content of a result: a block that cannot be read is named in its place, the rest counts.
//!
//! Must not know: how a result is shown.

use overrule_base::canon::Tree;
use rmcp::model::ContentBlock;

use super::members::{bound_numbers, take, take_count, take_renamed, take_text};
use super::repairs::{Repairs, shown};

/// Name of the value for messages.
const WHAT: &str = "a content block";

/// Returns the blocks of a content.
pub(super) fn blocks(content: Tree, repairs: &mut Repairs) -> Vec<Tree> {
    let items = match content {
        Tree::List(items) => items,
        one => {
            repairs.read(format!("the content is {}: read as one block", one.kind()));
            vec![one]
        }
    };
    let blocks = items.into_iter().map(|item| block(item, repairs));
    blocks.filter(|block| !block.is_null()).collect()
}

/// Returns a block of text.
pub(super) fn text(text: impl Into<String>) -> Tree {
    Tree::object([("type", Tree::text("text")), ("text", Tree::text(text))])
}

/// Returns a block; null for one that says nothing.
fn block(item: Tree, repairs: &mut Repairs) -> Tree {
    let mut object = match item {
        Tree::Object(_) => item,
        Tree::Null => {
            repairs.left(format!("{WHAT} is null: left out"));
            return Tree::Null;
        }
        other => {
            repairs.read(format!("{WHAT} is {}: read as text", other.kind()));
            return text(words(other));
        }
    };
    let kind = kind(&mut object, repairs);
    let mut block = match kind.as_str() {
        "text" => text_block(&mut object, repairs),
        "image" | "audio" => media(&kind, &mut object, repairs),
        "resource" => resource(&mut object, repairs),
        "resource_link" => link(&mut object, repairs),
        _ => unknown(&kind, object, repairs),
    };
    bound_numbers(&mut block, repairs);
    if block.is_null() {
        return block;
    }
    match serde_json::from_str::<ContentBlock>(&block.to_string()) {
        Ok(_) => block,
        Err(error) => {
            repairs.left(format!(
                "{WHAT} of the type `{}` cannot be read: {error}",
                shown(&kind)
            ));
            note(&kind, "which cannot be read")
        }
    }
}

/// Returns the text in which a value says itself.
pub(super) fn words(value: Tree) -> String {
    match value {
        Tree::Text(text) => text,
        other => other.to_string(),
    }
}

/// A block instead of one that is left out.
fn note(kind: &str, why: &str) -> Tree {
    text(format!(
        "[content of the type `{}`, {why}: left out]",
        shown(kind)
    ))
}

/// Returns the type of a block: as written, or by its members.
fn kind(object: &mut Tree, repairs: &mut Repairs) -> String {
    if let Some(Tree::Text(kind)) = take(object, "type") {
        return kind;
    }
    let by_member = [
        ("text", "text"),
        ("resource", "resource"),
        ("data", "image"),
        ("blob", "image"),
        ("uri", "resource_link"),
    ];
    let mut by_member = by_member.iter();
    let found = by_member.find(|(member, _)| object.get(member).is_some_and(|value| !value.is_null()));
    let kind = found.map_or("", |(_, kind)| kind);
    if !kind.is_empty() {
        repairs.read(format!("{WHAT} has no type: read as `{kind}`"));
    }
    kind.to_owned()
}

fn text_block(object: &mut Tree, repairs: &mut Repairs) -> Tree {
    match take_renamed(object, "text", &["content", "value"], (WHAT, repairs)) {
        Some(Tree::Text(written)) => text(written),
        Some(other) => {
            repairs.read(format!("the text of {WHAT} is {}: read as text", other.kind()));
            text(other.to_string())
        }
        None => {
            repairs.left(format!("{WHAT} has no text: left out"));
            Tree::Null
        }
    }
}

fn media(kind: &str, object: &mut Tree, repairs: &mut Repairs) -> Tree {
    let mime = take_renamed(object, "mimeType", &["mime_type", "mimetype"], (WHAT, repairs));
    let mime = match mime {
        Some(Tree::Text(mime)) => mime,
        _ => "no type".to_owned(),
    };
    let Some(Tree::Text(data)) = take_renamed(object, "data", &["blob"], (WHAT, repairs)) else {
        repairs.left(format!("{WHAT} of the type `{kind}` has no data: left out"));
        return note(kind, "which has no data");
    };
    Tree::object([
        ("type", Tree::text(kind)),
        ("data", Tree::Text(data)),
        ("mimeType", Tree::Text(mime)),
    ])
}

fn resource(object: &mut Tree, repairs: &mut Repairs) -> Tree {
    let mut inner = match take(object, "resource") {
        Some(inner @ Tree::Object(_)) => inner,
        // Some servers put its members directly into the block.
        _ if object.get("uri").is_some() => {
            repairs.read("the resource of a content block is the block itself");
            std::mem::take(object)
        }
        Some(Tree::Text(words)) => {
            repairs.read("the resource of a content block is a text");
            return text(words);
        }
        _ => {
            repairs.left(format!("{WHAT} of the type `resource` has no resource: left out"));
            return note("resource", "which is empty");
        }
    };
    let uri = if let Some(Tree::Text(uri)) = take(&mut inner, "uri") {
        uri
    } else {
        repairs.left("the resource of a content block has no address");
        "no address".to_owned()
    };
    let mut read = Tree::object([("uri", Tree::Text(uri))]);
    if let Some(mime) = take_text(&mut inner, "mimeType", "a resource", repairs) {
        read.set("mimeType", mime);
    }
    match (take(&mut inner, "text"), take(&mut inner, "blob")) {
        (Some(written), _) => {
            if !matches!(written, Tree::Text(_)) {
                repairs.read(format!(
                    "the text of a resource is {}: read as text",
                    written.kind()
                ));
            }
            read.set("text", Tree::Text(words(written)));
        }
        (None, Some(Tree::Text(blob))) => read.set("blob", Tree::Text(blob)),
        (None, _) => {
            repairs.left("the resource of a content block has neither text nor data");
            read.set("text", Tree::text(""));
        }
    }
    Tree::object([("type", Tree::text("resource")), ("resource", read)])
}

fn link(object: &mut Tree, repairs: &mut Repairs) -> Tree {
    let what = "a link";
    let Some(uri) = take_text(object, "uri", what, repairs) else {
        repairs.left("a content block of the type `resource_link` has no address: left out");
        return note("resource_link", "which has no address");
    };
    let name = take_text(object, "name", what, repairs).unwrap_or_else(|| uri.clone());
    let mut read = Tree::object([
        ("type", Tree::text("resource_link")),
        ("uri", uri),
        ("name", name),
    ]);
    for field in ["title", "description", "mimeType"] {
        if let Some(value) = take_text(object, field, what, repairs) {
            read.set(field, value);
        }
    }
    if let Some(size) = take_count(object, "size", what, repairs) {
        read.set("size", size);
    }
    read
}

/// A block of a type that is not known. Its text is kept.
fn unknown(kind: &str, mut object: Tree, repairs: &mut Repairs) -> Tree {
    if kind.is_empty() {
        repairs.read(format!("{WHAT} has no type that is known: read as text"));
        return text(object.to_string());
    }
    repairs.left(format!(
        "{WHAT} has the type `{}`, which is not known",
        shown(kind)
    ));
    match take(&mut object, "text") {
        Some(Tree::Text(written)) => text(written),
        _ => note(kind, "which is not known"),
    }
}
