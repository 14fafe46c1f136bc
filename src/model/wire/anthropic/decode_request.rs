//! Reads the body of an agent's Messages request, and writes edited parts of it.
//!
//! Must not know: sockets, what a supervisor decides.

use super::NAME;
use super::decode::is_opaque;
use crate::frame::Object;
use crate::wire::agent::json::{self, Fields, Json, quoted};
use crate::wire::agent::{
    AgentMessage, AgentRequest, AgentTool, CallForm, Part, PartEdit, PartKind, Place, RequestError, Role,
};
use crate::wire::common::arguments;
use crate::wire::opaque::{Members, mark};
use crate::wire::openai_chat::decode_request::result_text;

/// The members that are read, and no settings.
const REQUEST: &[&str] = &["messages", "tools", "model", "stream", "system"];
/// Beginnings of the types of tools whose schema the provider knows, and that the agent executes.
const CLIENT: &[&str] = &["bash_", "computer_", "memory_", "text_editor_"];
/// Members of a call that the program reads, and the mark for the provider's cache.
const CALL: &[&str] = &["type", "id", "name", "input", "cache_control"];

/// Reads a request.
pub fn read(body: Json<'_>) -> Result<AgentRequest, RequestError> {
    let fields = body.fields()?;
    let list = fields.need("messages")?;
    let messages = AgentMessage::all(&list.list()?, message)?;
    Ok(AgentRequest {
        model: fields.text("model")?,
        stream: fields.get("stream").map(|stream| stream.raw() == "true"),
        system: system(&fields)?,
        tools: fields.list("tools")?.iter().map(tool).collect::<Result<_, _>>()?,
        list: Some(list.span()),
        messages,
        settings: fields.others(REQUEST),
        ..AgentRequest::default()
    })
}

fn system(fields: &Fields<'_>) -> Result<Vec<String>, RequestError> {
    let Some(system) = fields.get("system") else {
        return Ok(Vec::new());
    };
    if !system.is_list() {
        return Ok(vec![system.text()?]);
    }
    let blocks = system.list()?;
    blocks
        .iter()
        .map(|block| block.fields()?.need("text")?.text())
        .collect()
}

fn tool(value: &Json<'_>) -> Result<AgentTool, RequestError> {
    let fields = value.fields()?;
    let schema = fields.get("input_schema");
    let own = fields.text("type")?.filter(|kind| kind != "custom");
    let is_client = |kind: &String| CLIENT.iter().any(|begin| kind.starts_with(begin));
    let is_for_agent = own.as_ref().is_some_and(is_client);
    let any = || is_for_agent.then(|| "{}".to_owned());
    Ok(AgentTool {
        name: if own.is_some() {
            // A set of tools has another name for itself.
            fields.text("name")?.or(own.clone()).unwrap_or_default()
        } else {
            fields.need("name")?.text()?
        },
        description: fields.word("description"),
        is_providers: schema.is_none() && own.is_some() && !is_for_agent,
        namespace: None,
        schema: schema.map(|schema| schema.raw().to_owned()).or_else(any),
    })
}

fn message(value: &Json<'_>) -> Result<AgentMessage, RequestError> {
    let fields = value.fields()?;
    let (span, role) = (value.span(), fields.need("role")?);
    let role = match &*role.text()? {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return Err(role.wrong("this is no role of the format")),
    };
    let content = fields.need("content")?;
    let parts = if content.is_list() {
        let blocks = content.list()?;
        let parts = blocks.iter().enumerate().map(|(at, block)| part(at, block));
        parts.collect::<Result<_, _>>()?
    } else {
        let text = content.text()?;
        vec![Part::new(
            &content,
            Place::Member("content"),
            PartKind::Text { text },
        )]
    };
    Ok(AgentMessage::new(role, span, parts))
}

fn part(at: usize, block: &Json<'_>) -> Result<Part, RequestError> {
    let fields = block.fields()?;
    let name = fields.need("type")?.text()?;
    let mut opaque = None;
    let own = || Some(format!("[{}]", mark(NAME, block.raw())));
    let kind = match &*name {
        "text" => {
            // Text with citations goes back as a block.
            opaque = fields
                .get("citations")
                .filter(|raw| raw.raw() != "[]")
                .and_then(|_| own());
            let text = fields.need("text")?.text()?;
            PartKind::Text { text }
        }
        "thinking" => {
            opaque = fields
                .get("signature")
                .filter(|raw| raw.raw() != "\"\"")
                .and_then(|_| own());
            let text = fields.word("thinking");
            PartKind::Reasoning { text }
        }
        "redacted_thinking" => {
            opaque = own();
            let text = String::new();
            PartKind::Reasoning { text }
        }
        "tool_use" => {
            opaque = added(block.raw());
            PartKind::Call {
                id: Some(fields.need("id")?.text()?),
                name: fields.need("name")?.text()?,
                args: input(&fields)?,
                form: CallForm::Json,
            }
        }
        "tool_result" => PartKind::Result {
            id: Some(fields.need("tool_use_id")?.text()?),
            name: None,
            text: result_text(fields.get("content").as_ref())?,
            is_error: fields.get("is_error").is_some_and(|error| error.raw() == "true"),
        },
        _ => {
            opaque = is_opaque(&name).then(own).flatten();
            PartKind::Other { name }
        }
    };
    Ok(Part::new(block, Place::Element("content", at), kind).with_opaque(opaque))
}

fn input(fields: &Fields<'_>) -> Result<String, RequestError> {
    let input = fields.get("input");
    input.map_or(Ok("{}".to_owned()), |input| input.object().map(str::to_owned))
}

/// The members that the provider added to a call.
fn added(raw: &str) -> Option<String> {
    let members = Members::read(&Object::read(raw)?).without(CALL);
    (!members.is_empty()).then(|| mark(NAME, &members.text()))
}

/// Returns a part after an edit.
pub fn edit_part(part: &Part, raw: &str, edit: &PartEdit) -> String {
    match edit {
        PartEdit::Text(words) => match (&part.kind, part.place) {
            (_, Place::Member(_)) => quoted(words),
            // Reasoning without its signature is refused.
            (PartKind::Text { .. }, _) => {
                json::without_member(&json::with_member(raw, "text", &quoted(words)), "citations")
            }
            _ => format!("{{\"type\":\"text\",\"text\":{}}}", quoted(words)),
        },
        PartEdit::Call {
            name,
            args,
            keeps_opaque,
        } => {
            let mut raw = raw.to_owned();
            if !keeps_opaque {
                let own = Object::read(&raw).map(|block| Members::read(&block).without(CALL));
                for key in own.iter().flat_map(Members::names) {
                    raw = json::without_member(&raw, key);
                }
            }
            if let Some(name) = name {
                raw = json::with_member(&raw, "name", &quoted(name));
            }
            if let Some(args) = args {
                raw = json::with_member(&raw, "input", &arguments(args));
            }
            raw
        }
        PartEdit::Result { text, is_error, .. } => {
            let raw = json::with_member(raw, "content", &quoted(text));
            if *is_error {
                json::with_member(&raw, "is_error", "true")
            } else {
                json::without_member(&raw, "is_error")
            }
        }
        PartEdit::Remove => raw.to_owned(),
    }
}
