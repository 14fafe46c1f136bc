//! Reads the body of an agent's Ollama request, and writes edited parts of it.
//!
//! Must not know: sockets, what a supervisor decides.

use super::NAME;
use super::decode::CALL;
use crate::frame::{self, Object};
use crate::wire::agent::json::{self, Fields, Json, quoted};
use crate::wire::agent::{
    AgentMessage, AgentRequest, CallForm, Part, PartEdit, PartKind, Place, RequestError, Role,
};
use crate::wire::common::arguments;
use crate::wire::opaque::{Members, mark};
use crate::wire::openai_chat::decode_request::tool;

/// The members that are read, and no settings.
const REQUEST: &[&str] = &["messages", "tools", "model", "stream"];

/// Reads a request.
pub fn read(body: Json<'_>) -> Result<AgentRequest, RequestError> {
    let fields = body.fields()?;
    let list = fields.need("messages")?;
    let messages = AgentMessage::all(&list.list()?, message)?;
    Ok(AgentRequest {
        model: fields.text("model")?,
        // A reply is streamed unless the request says no.
        stream: Some(fields.get("stream").is_none_or(|stream| stream.raw() != "false")),
        tools: fields.list("tools")?.iter().map(tool).collect::<Result<_, _>>()?,
        list: Some(list.span()),
        messages,
        settings: fields.others(REQUEST),
        ..AgentRequest::default()
    })
}

fn message(value: &Json<'_>) -> Result<AgentMessage, RequestError> {
    let fields = value.fields()?;
    let (span, role) = (value.span(), fields.need("role")?);
    let (role, parts) = match &*role.text()? {
        "system" => (Role::System, content(&fields)?),
        "user" => (Role::User, content(&fields)?),
        "assistant" => (Role::Assistant, assistant(&fields)?),
        "tool" => (Role::Tool, vec![result(&fields)?]),
        _ => return Err(role.wrong("this is no role of the format")),
    };
    Ok(AgentMessage::new(role, span, parts))
}

fn content(fields: &Fields<'_>) -> Result<Vec<Part>, RequestError> {
    let mut parts = Vec::new();
    if let Some(content) = fields.get("content").filter(|raw| raw.raw() != "\"\"") {
        let kind = PartKind::Text {
            text: content.text()?,
        };
        parts.push(Part::new(&content, Place::Member("content"), kind));
    }
    for (at, image) in fields.list("images")?.iter().enumerate() {
        let name = "image".to_owned();
        parts.push(Part::new(
            image,
            Place::Element("images", at),
            PartKind::Other { name },
        ));
    }
    Ok(parts)
}

fn assistant(fields: &Fields<'_>) -> Result<Vec<Part>, RequestError> {
    let mut parts = Vec::new();
    if let Some(words) = fields.get("thinking").filter(|raw| raw.raw() != "\"\"") {
        let kind = PartKind::Reasoning { text: words.text()? };
        parts.push(Part::new(&words, Place::Member("thinking"), kind));
    }
    parts.extend(content(fields)?);
    for (at, value) in fields.list("tool_calls")?.iter().enumerate() {
        let call = value.fields()?;
        let function = call.need("function")?.fields()?;
        let args = function.get("arguments");
        let args = args.map_or(Ok("{}".to_owned()), |args| match frame::string(args.raw()) {
            Some(text) => Ok(text.into_owned()),
            None => args.object().map(str::to_owned),
        })?;
        let kind = PartKind::Call {
            id: call.text("id")?.filter(|id| !id.is_empty()),
            name: function.need("name")?.text()?,
            args,
            form: CallForm::Json,
        };
        let added = Object::read(value.raw()).map(|call| Members::read(&call).without(CALL));
        let added = added.filter(|added| !added.is_empty());
        let opaque = added.map(|added| mark(NAME, &added.text()));
        parts.push(Part::new(value, Place::Element("tool_calls", at), kind).with_opaque(opaque));
    }
    Ok(parts)
}

fn result(fields: &Fields<'_>) -> Result<Part, RequestError> {
    let name = fields.text("tool_name")?;
    let kind = PartKind::Result {
        id: fields.text("tool_call_id")?.filter(|id| !id.is_empty()),
        name: if name.is_some() {
            name
        } else {
            fields.text("name")?
        },
        text: fields.text("content")?.unwrap_or_default(),
        is_error: false,
    };
    Ok(Part::new(fields.value(), Place::Whole, kind))
}

/// Returns a part after an edit.
pub fn edit_part(part: &Part, raw: &str, edit: &PartEdit) -> String {
    match edit {
        PartEdit::Text(words) => quoted(words),
        PartEdit::Call {
            name,
            args,
            keeps_opaque,
        } => {
            let mut raw = raw.to_owned();
            let own = part.opaque.as_deref().filter(|_| !keeps_opaque);
            let own = own.and_then(|own| Object::read(own)?.object(NAME));
            for (key, _) in own.iter().flat_map(Object::entries) {
                raw = json::without_member(&raw, key);
            }
            if let Some(name) = name {
                raw = json::with_inner(&raw, "function", "name", &quoted(name));
            }
            if let Some(args) = args {
                raw = json::with_inner(&raw, "function", "arguments", &arguments(args));
            }
            raw
        }
        PartEdit::Result { text, .. } => json::with_member(raw, "content", &quoted(text)),
        PartEdit::Remove => raw.to_owned(),
    }
}
