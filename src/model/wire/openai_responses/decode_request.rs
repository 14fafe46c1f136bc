//! Reads the body of an agent's Responses request, and writes edited parts of it.
//!
//! Must not know: sockets, what a supervisor decides.

use super::decode::{asks_client, is_in_container, is_named, is_opaque, typed_args};
use super::{NAME, typed};
use crate::frame::{self, Object};
use crate::wire::agent::json::{self, Fields, Json, quoted};
use crate::wire::agent::{
    AgentMessage, AgentRequest, AgentTool, CallForm, Part, PartEdit, PartKind, Place, RequestError, Role,
};
use crate::wire::opaque::{Members, mark};
use crate::wire::openai_chat::decode_request::result_text;

/// The members that are read, and no settings.
const REQUEST: &[&str] = &["input", "tools", "model", "stream", "instructions"];
/// Types of tools that the agent executes, with the types of their calls and of the results.
const TYPED: &[(&str, &str, &str)] = &[
    ("apply_patch", "apply_patch_call", "apply_patch_call_output"),
    ("computer", "computer_call", "computer_call_output"),
    ("computer_use_preview", "computer_call", "computer_call_output"),
    ("local_shell", "local_shell_call", "local_shell_call_output"),
    ("mcp", "mcp_approval_request", "mcp_approval_response"),
    ("shell", "shell_call", "shell_call_output"),
    ("tool_search", "tool_search_call", "tool_search_output"),
];
/// Members of a result of a call of one of these types that are no part of it.
const RESULT: &[&str] = &["type", "id", "call_id", "approval_request_id", "status"];
/// An item with tools that the request offers, too.
const MORE_TOOLS: &str = "additional_tools";
/// Members of a call that the program reads.
const CALL: &[&str] = &["type", "id", "call_id", "name", "arguments", "status"];

/// Reads a request.
pub fn read(body: Json<'_>) -> Result<AgentRequest, RequestError> {
    let fields = body.fields()?;
    let input = fields.need("input")?;
    let (list, messages) = if input.is_list() {
        (Some(input.span()), AgentMessage::all(&input.list()?, item)?)
    } else {
        let kind = PartKind::Text { text: input.text()? };
        let parts = vec![Part::new(&input, Place::Whole, kind)];
        let only = AgentMessage::new(Role::User, input.span(), parts);
        (None, vec![only.into()])
    };
    Ok(AgentRequest {
        model: fields.text("model")?,
        stream: fields.get("stream").map(|stream| stream.raw() == "true"),
        system: fields.text("instructions")?.into_iter().collect(),
        tools: offered(&fields)?,
        list,
        messages,
        settings: fields.others(REQUEST),
        ..AgentRequest::default()
    })
}

/// The tools of a request, an item or a namespace. A namespace has tools of its own.
fn offered(fields: &Fields<'_>) -> Result<Vec<AgentTool>, RequestError> {
    let mut tools = Vec::new();
    for one in fields.list("tools")? {
        let inner = one.fields()?;
        if inner.text("type")?.as_deref() == Some("namespace") {
            let name = inner.word("name");
            let all = offered(&inner)?.into_iter();
            tools.extend(all.map(|tool| AgentTool {
                namespace: Some(name.clone()),
                ..tool
            }));
        } else {
            tools.push(tool(&inner)?);
        }
    }
    Ok(tools)
}

fn tool(fields: &Fields<'_>) -> Result<AgentTool, RequestError> {
    let kind = fields.need("type")?.text()?;
    let typed = TYPED.iter().find(|(of, ..)| *of == kind);
    if let Some((_, call, _)) = typed.filter(|_| !is_in_container(&object(fields.value()))) {
        return Ok(AgentTool {
            name: (*call).to_owned(),
            description: fields.word("description"),
            schema: Some("{}".to_owned()),
            is_providers: false,
            namespace: None,
        });
    }
    let is_own = matches!(&*kind, "function" | "custom");
    let schema = fields.get("parameters").map_or("{}", |schema| schema.raw());
    Ok(AgentTool {
        name: if is_own {
            fields.need("name")?.text()?
        } else {
            kind.clone()
        },
        description: fields.word("description"),
        schema: (kind == "function").then(|| schema.to_owned()),
        is_providers: !is_own,
        namespace: None,
    })
}

fn item(value: &Json<'_>) -> Result<AgentMessage, RequestError> {
    let fields = value.fields()?;
    let span = value.span();
    let name = fields.text("type")?.unwrap_or_else(|| "message".to_owned());
    let whole = |role: Role, kind: PartKind, opaque: Option<String>| {
        let part = Part::new(value, Place::Whole, kind).with_opaque(opaque);
        AgentMessage::new(role, span.clone(), vec![part])
    };
    Ok(match &*name {
        "message" => return message(&fields),
        MORE_TOOLS => AgentMessage {
            tools: offered(&fields)?,
            ..whole(Role::System, PartKind::Other { name }, None)
        },
        "function_call" | "custom_tool_call" => {
            let is_text = name == "custom_tool_call";
            let key = if is_text { "input" } else { "arguments" };
            let kind = PartKind::Call {
                id: Some(fields.need("call_id")?.text()?),
                name: fields.need("name")?.text()?,
                args: fields.text(key)?.unwrap_or_default(),
                form: if is_text { CallForm::Text } else { CallForm::Json },
            };
            let opaque = if is_text { None } else { added(value.raw()) };
            whole(Role::Assistant, kind, opaque)
        }
        typed if asks_client(typed, &object(value)) => {
            let id = fields.text("call_id")?.filter(|id| !id.is_empty());
            let kind = PartKind::Call {
                id: if id.is_some() { id } else { fields.text("id")? },
                name: name.clone(),
                args: typed_args(&object(value)),
                form: CallForm::Json,
            };
            whole(Role::Assistant, kind, None)
        }
        typed if is_typed_output(typed, &object(value)) => whole(Role::Tool, typed_result(&fields)?, None),
        "function_call_output" | "custom_tool_call_output" => {
            let kind = PartKind::Result {
                id: Some(fields.need("call_id")?.text()?),
                name: None,
                text: result_text(fields.get("output").as_ref())?,
                is_error: false,
            };
            whole(Role::Tool, kind, None)
        }
        "reasoning" => {
            let text = [fields.list("summary")?, fields.list("content")?].concat();
            let text = text.iter().map(|one| Ok(one.fields()?.word("text")));
            let text = text.collect::<Result<Vec<_>, RequestError>>()?.join("\n\n");
            let is_encrypted = fields
                .text("encrypted_content")?
                .is_some_and(|text| !text.is_empty());
            let opaque = is_encrypted.then(|| own(value.raw()));
            whole(Role::Assistant, PartKind::Reasoning { text }, opaque)
        }
        _ => {
            let opaque = is_opaque(&name).then(|| own(value.raw()));
            let role = if opaque.is_none() && name.ends_with("_output") {
                Role::Tool
            } else {
                Role::Assistant
            };
            whole(role, PartKind::Other { name }, opaque)
        }
    })
}

fn object<'b>(value: &Json<'b>) -> Object<'b> {
    // An item was read as an object before.
    Object::read(value.raw()).unwrap_or_default()
}

/// Returns true for a result of a call of one of the provider's types that the agent executed.
fn is_typed_output(kind: &str, item: &Object<'_>) -> bool {
    TYPED.iter().any(|(.., of)| *of == kind) && item.string("execution").as_deref() != Some("server")
}

/// The result of a call of one of the provider's types.
fn typed_result(fields: &Fields<'_>) -> Result<PartKind, RequestError> {
    let mut id = None;
    for key in ["call_id", "approval_request_id", "id"] {
        id = id.or(fields.text(key)?.filter(|id| !id.is_empty()));
    }
    let output = fields.get("output").or_else(|| fields.get("tools"));
    let others = || Members::read(&object(fields.value())).without(RESULT).text();
    Ok(PartKind::Result {
        id,
        name: None,
        text: output.map_or_else(others, |output| {
            output.text().unwrap_or_else(|_| output.raw().to_owned())
        }),
        is_error: false,
    })
}

/// An item of the provider's own, in the form of the decoder of replies.
fn own(raw: &str) -> String {
    let is_reasoning = frame::member(raw, "type") == Some("\"reasoning\"");
    let item = Object::read(raw).filter(|_| is_reasoning);
    let item = item.map(|item| Members::read(&item).without(&["status"]).text());
    format!("[{}]", mark(NAME, item.as_deref().unwrap_or(raw)))
}

fn added(raw: &str) -> Option<String> {
    let members = Members::read(&Object::read(raw)?).without(CALL);
    (!members.is_empty()).then(|| mark(NAME, &members.text()))
}

fn message(fields: &Fields<'_>) -> Result<AgentMessage, RequestError> {
    let value = fields.value();
    let (span, role) = (value.span(), fields.need("role")?);
    let role = match &*role.text()? {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return Err(role.wrong("this is no role of the format")),
    };
    let content = fields.need("content")?;
    let mut parts = Vec::new();
    if content.is_list() {
        for (at, block) in content.list()?.iter().enumerate() {
            let inner = block.fields()?;
            let kind = match (&*inner.word("type"), inner.text("text")?) {
                (_, Some(text)) => PartKind::Text { text },
                (name, None) => PartKind::Other {
                    name: name.to_owned(),
                },
            };
            parts.push(Part::new(block, Place::Element("content", at), kind));
        }
    } else {
        let text = content.text()?;
        parts.push(Part::new(
            &content,
            Place::Member("content"),
            PartKind::Text { text },
        ));
    }
    // What the message is to the model: a comment or the answer.
    let phase = fields.get("phase").filter(|_| role == Role::Assistant);
    if let (Some(phase), Some(part)) = (phase, parts.first_mut()) {
        let phase = format!("{{\"phase\":{}}}", phase.raw());
        part.opaque = Some(format!("[{}]", mark(NAME, &phase)));
    }
    Ok(AgentMessage::new(role, span, parts))
}

/// Returns a part after an edit.
pub fn edit_part(part: &Part, raw: &str, edit: &PartEdit) -> String {
    match edit {
        PartEdit::Text(words) => match (&part.kind, part.place) {
            (PartKind::Reasoning { .. } | PartKind::Other { .. }, Place::Whole) => {
                format!("{{\"role\":\"assistant\",\"content\":{}}}", quoted(words))
            }
            (_, Place::Element(..)) => {
                let raw = json::with_member(raw, "text", &quoted(words));
                match frame::member(&raw, "annotations") {
                    Some(_) => json::with_member(&raw, "annotations", "[]"),
                    None => raw,
                }
            }
            _ => quoted(words),
        },
        PartEdit::Call {
            name,
            args,
            keeps_opaque,
        } => {
            let mut raw = raw.to_owned();
            let typed = frame::member(&raw, "type").and_then(frame::string);
            if typed.is_some_and(|kind| kind != "function_call" && !is_named(&kind)) {
                return with_args(raw, args.as_deref());
            }
            if let Some(name) = name.as_deref().filter(|name| typed::has_text_result(name)) {
                return with_args(typed::call(&raw, name), args.as_deref());
            }
            let own = Object::read(&raw).map(|item| Members::read(&item).without(CALL));
            for key in own.iter().flat_map(Members::names).filter(|key| *key != "input") {
                if !keeps_opaque {
                    raw = json::without_member(&raw, key);
                }
            }
            if let Some(name) = name {
                raw = json::with_member(&raw, "name", &quoted(name));
            }
            if let Some(args) = args {
                raw = json::with_member(&raw, args_key(part), &quoted(args));
            }
            raw
        }
        PartEdit::Result { text, is_error, tool } => typed::result(raw, tool.as_deref(), text, *is_error)
            .unwrap_or_else(|| json::with_member(raw, "output", &quoted(text))),
        PartEdit::Remove => raw.to_owned(),
    }
}

/// A call of one of the provider's types with other arguments, which are members of it.
fn with_args(raw: String, args: Option<&str>) -> String {
    let args = args.and_then(Object::read);
    let members = args.iter().flat_map(Object::entries);
    members.fold(raw, |raw, (key, value)| json::with_member(&raw, key, value))
}

fn args_key(part: &Part) -> &'static str {
    match part.kind {
        PartKind::Call {
            form: CallForm::Text, ..
        } => "input",
        _ => "arguments",
    }
}
