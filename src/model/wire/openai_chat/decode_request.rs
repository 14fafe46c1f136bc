//! Reads the body of an agent's Chat Completions request, and writes edited parts of it.
//!
//! Must not know: sockets, what a supervisor decides.

use crate::frame::{self, Object};
use crate::wire::agent::image;
use crate::wire::agent::json::{self, Fields, Json, quoted};
use crate::wire::agent::{
    AgentMessage, AgentRequest, AgentTool, CallForm, Part, PartEdit, PartKind, Place, RequestError, Role,
};
use crate::wire::parts::added_members;

/// The members that are read, and no settings.
const REQUEST: &[&str] = &["messages", "tools", "model", "stream"];

/// Reads a request.
pub fn read(body: Json<'_>) -> Result<AgentRequest, RequestError> {
    let fields = body.fields()?;
    let list = fields.need("messages")?;
    let messages = AgentMessage::all(&list.list()?, message)?;
    Ok(AgentRequest {
        model: fields.text("model")?,
        stream: fields.get("stream").map(|stream| stream.raw() == "true"),
        tools: fields.list("tools")?.iter().map(tool).collect::<Result<_, _>>()?,
        list: Some(list.span()),
        messages,
        settings: fields.others(REQUEST),
        ..AgentRequest::default()
    })
}

/// Reads a tool in the form that this format and Ollama have.
pub fn tool(value: &Json<'_>) -> Result<AgentTool, RequestError> {
    let fields = value.fields()?;
    let kind = fields.word("type");
    let inner = fields.get("function").or_else(|| fields.get("custom"));
    let Some(inner) = inner else {
        return Ok(AgentTool {
            name: kind,
            description: String::new(),
            schema: None,
            is_providers: true,
            namespace: None,
        });
    };
    let inner = inner.fields()?;
    let is_text = fields.get("custom").is_some();
    let schema = inner.get("parameters").map_or("{}", |schema| schema.raw());
    Ok(AgentTool {
        name: inner.need("name")?.text()?,
        description: inner.word("description"),
        schema: (!is_text).then(|| schema.to_owned()),
        is_providers: false,
        namespace: None,
    })
}

fn message(value: &Json<'_>) -> Result<AgentMessage, RequestError> {
    let fields = value.fields()?;
    let (span, role) = (value.span(), fields.need("role")?);
    let (role, parts) = match &*role.text()? {
        "system" | "developer" => (Role::System, content(&fields)?),
        "user" => (Role::User, content(&fields)?),
        "assistant" => (Role::Assistant, assistant(&fields)?),
        "tool" | "function" => (Role::Tool, vec![result(&fields)?]),
        _ => return Err(role.wrong("this is no role of the format")),
    };
    Ok(AgentMessage::new(role, span, parts))
}

/// Reads the content of a message: a text or a list of blocks.
fn content(fields: &Fields<'_>) -> Result<Vec<Part>, RequestError> {
    let Some(content) = fields.get("content") else {
        return Ok(Vec::new());
    };
    if !content.is_list() {
        let kind = PartKind::Text {
            text: content.text()?,
        };
        return Ok(vec![Part::new(&content, Place::Member("content"), kind)]);
    }
    let mut parts = Vec::new();
    for (at, block) in content.list()?.iter().enumerate() {
        let inner = block.fields()?;
        let kind = match (&*inner.word("type"), inner.text("text")?) {
            ("text" | "input_text" | "output_text", Some(text)) => PartKind::Text { text },
            (name, _) => PartKind::Other {
                name: name.to_owned(),
            },
        };
        parts.push(Part::new(block, Place::Element("content", at), kind));
    }
    Ok(parts)
}

fn assistant(fields: &Fields<'_>) -> Result<Vec<Part>, RequestError> {
    let mut parts = Vec::new();
    for key in ["reasoning_content", "reasoning"] {
        let words = fields.get(key).filter(Json::is_text);
        if let Some(words) = words.filter(|_| parts.is_empty()) {
            let kind = PartKind::Reasoning { text: words.text()? };
            parts.push(Part::new(&words, Place::Member(key), kind));
        }
    }
    let has_words = !parts.is_empty();
    for (at, detail) in fields.list("reasoning_details")?.iter().enumerate() {
        let inner = detail.fields()?;
        let text = if has_words {
            String::new()
        } else {
            inner.text("text")?.unwrap_or_else(|| inner.word("summary"))
        };
        let part = Part::new(
            detail,
            Place::Element("reasoning_details", at),
            PartKind::Reasoning { text },
        );
        let is_opaque = inner.get("data").is_some() || inner.get("signature").is_some();
        parts.push(part.with_opaque(is_opaque.then(|| format!("[{}]", detail.raw()))));
    }
    parts.extend(content(fields)?);
    if let Some(words) = fields.get("refusal") {
        let name = "refusal".to_owned();
        parts.push(Part::new(
            &words,
            Place::Member("refusal"),
            PartKind::Other { name },
        ));
    }
    for (at, value) in fields.list("tool_calls")?.iter().enumerate() {
        parts.push(call(value, Place::Element("tool_calls", at))?);
    }
    if let Some(function) = fields.get("function_call") {
        let kind = called(&function.fields()?, None, CallForm::Json)?;
        parts.push(Part::new(&function, Place::Member("function_call"), kind));
    }
    Ok(parts)
}

fn call(value: &Json<'_>, place: Place) -> Result<Part, RequestError> {
    let fields = value.fields()?;
    let id = fields.text("id")?.filter(|id| !id.is_empty());
    if let Some(custom) = fields.get("custom") {
        return Ok(Part::new(
            value,
            place,
            called(&custom.fields()?, id, CallForm::Text)?,
        ));
    }
    let kind = called(&fields.need("function")?.fields()?, id, CallForm::Json)?;
    let opaque = Object::read(value.raw()).and_then(|call| added_members(&call));
    Ok(Part::new(value, place, kind).with_opaque(opaque))
}

fn called(function: &Fields<'_>, id: Option<String>, form: CallForm) -> Result<PartKind, RequestError> {
    let key = if form == CallForm::Text {
        "input"
    } else {
        "arguments"
    };
    let args = function
        .get(key)
        .map_or(Ok(String::new()), |args| match frame::string(args.raw()) {
            Some(text) => Ok(text.into_owned()),
            None => args.object().map(str::to_owned),
        })?;
    let name = function.need("name")?.text()?;
    Ok(PartKind::Call { id, name, args, form })
}

fn result(fields: &Fields<'_>) -> Result<Part, RequestError> {
    let kind = PartKind::Result {
        id: fields.text("tool_call_id")?,
        name: fields.text("name")?,
        text: result_text(fields.get("content").as_ref())?,
        is_error: false,
    };
    Ok(Part::new(fields.value(), Place::Whole, kind))
}

/// Returns the text of a result: a text, or a list of blocks with a line in brackets for each that is no text.
pub fn result_text(content: Option<&Json<'_>>) -> Result<String, RequestError> {
    let Some(content) = content else {
        return Ok(String::new());
    };
    if !content.is_list() {
        return content.text();
    }
    let mut lines = Vec::new();
    for block in content.list()? {
        let inner = block.fields()?;
        lines.push(match inner.text("text")? {
            Some(text) => text,
            None => match image::describe(block.raw()) {
                Some(words) => format!("[{words}]"),
                None => format!("[{}]", inner.word("type")),
            },
        });
    }
    Ok(lines.join("\n"))
}

/// Returns a part after an edit.
pub fn edit_part(part: &Part, raw: &str, edit: &PartEdit) -> String {
    match edit {
        PartEdit::Text(words) => words_of(part, raw, words),
        PartEdit::Call {
            name,
            args,
            keeps_opaque,
        } => {
            let raw = if *keeps_opaque {
                raw.to_owned()
            } else {
                bare(part, raw)
            };
            edited_call(part, &raw, name.as_deref(), args.as_deref())
        }
        PartEdit::Result { text, .. } => json::with_member(raw, "content", &quoted(text)),
        PartEdit::Remove => raw.to_owned(),
    }
}

/// A message of the model needs content or a call: reasoning that is left alone becomes its content.
pub fn completed(message: String) -> String {
    let filled = |key: &str| {
        let value = frame::member(&message, key);
        value.filter(|raw| !matches!(*raw, "null" | "\"\"" | "[]"))
    };
    let is_models = filled("role") == Some("\"assistant\"");
    if !is_models
        || ["content", "tool_calls", "function_call"]
            .iter()
            .any(|key| filled(key).is_some())
    {
        return message;
    }
    let mut reasoning = ["reasoning_content", "reasoning"].into_iter();
    let Some((key, words)) = reasoning.find_map(|key| Some((key, filled(key)?))) else {
        return message;
    };
    json::without_member(&json::with_member(&message, "content", words), key)
}

fn words_of(part: &Part, raw: &str, words: &str) -> String {
    match (part.place, &part.kind) {
        (Place::Element("reasoning_details", _), _) => {
            format!("{{\"type\":\"reasoning.text\",\"text\":{}}}", quoted(words))
        }
        (Place::Element(..), _) => json::with_member(raw, "text", &quoted(words)),
        _ => quoted(words),
    }
}

/// A call without what the provider added to it.
fn bare(part: &Part, raw: &str) -> String {
    let mut raw = raw.to_owned();
    let added = part.opaque.as_deref().and_then(Object::read);
    for (key, value) in added.iter().flat_map(Object::entries) {
        if key == "function" {
            let inner = Object::read(value);
            let mut function = frame::member(&raw, key).unwrap_or("{}").to_owned();
            for (key, _) in inner.iter().flat_map(Object::entries) {
                function = json::without_member(&function, key);
            }
            raw = json::with_member(&raw, key, &function);
        } else {
            raw = json::without_member(&raw, key);
        }
    }
    raw
}

fn edited_call(part: &Part, raw: &str, name: Option<&str>, args: Option<&str>) -> String {
    let (outer, key) = match (&part.kind, part.place) {
        (_, Place::Member(_)) => (None, "arguments"),
        (
            PartKind::Call {
                form: CallForm::Text, ..
            },
            _,
        ) => (Some("custom"), "input"),
        _ => (Some("function"), "arguments"),
    };
    let mut function = outer
        .map_or(Some(raw), |outer| frame::member(raw, outer))
        .unwrap_or("{}")
        .to_owned();
    if let Some(name) = name {
        function = json::with_member(&function, "name", &quoted(name));
    }
    if let Some(args) = args {
        function = json::with_member(&function, key, &quoted(args));
    }
    match outer {
        Some(outer) => json::with_member(raw, outer, &function),
        None => function,
    }
}
