//! Reads the body of an agent's Gemini request, and writes edited parts of it.
//!
//! Must not know: sockets, what a supervisor decides.
//!
//! The provider takes one object for a list of one, as JSON readers of protocol buffers do.

use super::NAME;
use super::decode::is_opaque;
use super::encode::SIGNATURE;
use crate::frame::{self, Object};
use crate::wire::agent::image;
use crate::wire::agent::json::{self, Fields, Json, quoted};
use crate::wire::agent::{
    AgentMessage, AgentRequest, AgentTool, CallForm, Part, PartEdit, PartKind, Place, RequestError, Role,
};
use crate::wire::common::arguments;
use crate::wire::opaque::mark;

/// The names of the system text.
const SYSTEM: &[&str] = &["systemInstruction", "system_instruction"];
/// The members that are read, and no settings.
const REQUEST: &[&str] = &["contents", "tools", "systemInstruction", "system_instruction"];
/// The members of a response with a text for the model.
const TEXTS: &[&str] = &["output", "result", "error"];

/// Reads a request.
pub fn read(body: Json<'_>) -> Result<AgentRequest, RequestError> {
    let fields = body.fields()?;
    let list = fields.need("contents")?;
    let messages = AgentMessage::all(&list.list()?, content)?;
    let mut tools = Vec::new();
    for group in fields.one_or_more("tools")? {
        tools.extend(declared(&group)?);
    }
    Ok(AgentRequest {
        system: system(&fields)?,
        tools,
        list: Some(list.span()),
        messages,
        settings: fields.others(REQUEST),
        ..AgentRequest::default()
    })
}

fn system(fields: &Fields<'_>) -> Result<Vec<String>, RequestError> {
    let Some(system) = SYSTEM.iter().find_map(|key| fields.get(key)) else {
        return Ok(Vec::new());
    };
    if system.is_text() {
        return Ok(vec![system.text()?]);
    }
    let parts = system.fields()?.one_or_more("parts")?;
    let texts = parts.iter().map(|part| part.fields()?.text("text"));
    Ok(texts
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// The tools of one group.
fn declared(group: &Json<'_>) -> Result<Vec<AgentTool>, RequestError> {
    let fields = group.fields()?;
    let mut tools = Vec::new();
    let key = ["functionDeclarations", "function_declarations"];
    for value in key
        .iter()
        .map(|key| fields.one_or_more(key))
        .collect::<Result<Vec<_>, _>>()?
        .concat()
    {
        let tool = value.fields()?;
        let schema = tool
            .get("parametersJsonSchema")
            .or_else(|| tool.get("parameters"));
        tools.push(AgentTool {
            name: tool.need("name")?.text()?,
            description: tool.word("description"),
            schema: Some(schema.map_or("{}", |schema| schema.raw()).to_owned()),
            is_providers: false,
            namespace: None,
        });
    }
    let others = fields.others(&key);
    tools.extend(others.into_iter().map(|(name, _)| AgentTool {
        name,
        description: String::new(),
        schema: None,
        is_providers: true,
        namespace: None,
    }));
    Ok(tools)
}

fn content(value: &Json<'_>) -> Result<AgentMessage, RequestError> {
    let fields = value.fields()?;
    let role = match fields.text("role")?.as_deref() {
        Some("model") => Role::Assistant,
        Some("function") => Role::Tool,
        Some("user") | None => Role::User,
        Some(_) => return Err(fields.need("role")?.wrong("this is no role of the format")),
    };
    let parts = fields.list("parts")?;
    let parts = parts.iter().enumerate().map(|(at, one)| part(at, one));
    let parts = parts.collect::<Result<_, _>>()?;
    Ok(AgentMessage::new(role, value.span(), parts))
}

fn part(at: usize, value: &Json<'_>) -> Result<Part, RequestError> {
    let fields = value.fields()?;
    let signature = fields
        .get(SIGNATURE)
        .map(|raw| format!("{{\"{SIGNATURE}\":{}}}", raw.raw()));
    let place = Place::Element("parts", at);
    if let Some(call) = fields.get("functionCall") {
        let call = call.fields()?;
        let kind = PartKind::Call {
            id: call.text("id")?.filter(|id| !id.is_empty()),
            name: call.need("name")?.text()?,
            args: args(&call)?,
            form: CallForm::Json,
        };
        let opaque = signature.map(|own| mark(NAME, &own));
        return Ok(Part::new(value, place, kind).with_opaque(opaque));
    }
    let of_text = signature.map(|own| format!("[{}]", mark(NAME, &own)));
    if let Some(response) = fields.get("functionResponse") {
        let response = response.fields()?;
        let (mut text, is_error) = result(response.get("response").as_ref())?;
        for image in response
            .list("parts")?
            .iter()
            .filter_map(|part| image::describe(part.raw()))
        {
            text = format!("{text}\n[{image}]");
        }
        let kind = PartKind::Result {
            id: response.text("id")?.filter(|id| !id.is_empty()),
            name: response.text("name")?,
            text,
            is_error,
        };
        return Ok(Part::new(value, place, kind));
    }
    if let Some(text) = fields.text("text")? {
        let is_thought = fields.get("thought").is_some_and(|raw| raw.raw() == "true");
        let kind = if is_thought {
            PartKind::Reasoning { text }
        } else {
            PartKind::Text { text }
        };
        return Ok(Part::new(value, place, kind).with_opaque(of_text));
    }
    let own = Object::read(value.raw()).filter(is_opaque);
    let names = fields.others(&[SIGNATURE, "thought", "videoMetadata"]);
    let name = names.into_iter().next().map(|(name, _)| name).unwrap_or_default();
    let opaque = own.map(|_| format!("[{}]", mark(NAME, value.raw())));
    Ok(Part::new(value, place, PartKind::Other { name }).with_opaque(opaque))
}

fn args(call: &Fields<'_>) -> Result<String, RequestError> {
    let args = call.get("args");
    args.map_or(Ok("{}".to_owned()), |args| args.object().map(str::to_owned))
}

/// Returns the text of a response: its only member with a text, else its JSON text.
fn result(response: Option<&Json<'_>>) -> Result<(String, bool), RequestError> {
    let Some(response) = response else {
        return Ok((String::new(), false));
    };
    let fields = response.fields()?;
    let is_error = fields.get("error").is_some();
    let only = text_key(response.raw()).and_then(|key| frame::string(frame::member(response.raw(), key)?));
    let text = only.map_or_else(|| response.raw().to_owned(), String::from);
    Ok((text, is_error))
}

/// The name of the only member, if it is one with a text.
fn text_key(response: &str) -> Option<&'static str> {
    let object = Object::read(response)?;
    let key = TEXTS.iter().find(|key| object.string(key).is_some())?;
    (object.entries().count() == 1).then_some(key)
}

/// Returns a part after an edit.
pub fn edit_part(part: &Part, raw: &str, edit: &PartEdit) -> String {
    match edit {
        PartEdit::Text(words) => match part.kind {
            PartKind::Text { .. } => {
                json::with_member(&json::without_member(raw, SIGNATURE), "text", &quoted(words))
            }
            _ => format!("{{\"text\":{}}}", quoted(words)),
        },
        PartEdit::Call {
            name,
            args,
            keeps_opaque,
        } => {
            let mut raw = if *keeps_opaque {
                raw.to_owned()
            } else {
                json::without_member(raw, SIGNATURE)
            };
            if let Some(name) = name {
                raw = json::with_inner(&raw, "functionCall", "name", &quoted(name));
            }
            if let Some(args) = args {
                raw = json::with_inner(&raw, "functionCall", "args", &arguments(args));
            }
            raw
        }
        PartEdit::Result { text, is_error, .. } => {
            let old = frame::member(raw, "functionResponse").and_then(|one| frame::member(one, "response"));
            let key = match old.and_then(text_key) {
                _ if *is_error => "error",
                Some("result") => "result",
                _ => "output",
            };
            let response = format!("{{\"{key}\":{}}}", quoted(text));
            json::with_inner(raw, "functionResponse", "response", &response)
        }
        PartEdit::Remove => raw.to_owned(),
    }
}
