//! Lists what a request says, as lines and as one JSON object.
//!
//! Must not know: formats, where it is printed.

use serde_json::Value;

use super::json::quoted;
use super::{AgentRequest, Part, PartKind, Role};
use crate::wire::opaque::Members;
use overrule_base::text::visible_lines;

impl AgentRequest {
    /// Returns the request as one JSON object.
    pub fn to_json(&self) -> String {
        let text = |value: Option<&str>| value.map_or("null".to_owned(), quoted);
        let tools = serde_json::to_string(&self.tools).unwrap_or_default();
        let system: Vec<String> = self.system.iter().map(|text| quoted(text)).collect();
        let mut settings = Members::default();
        for (key, raw) in &self.settings {
            settings.set(key, raw.clone());
        }
        let messages = self.messages.iter().map(|message| {
            let parts: Vec<String> = message.parts.iter().map(part).collect();
            let role = serde_json::to_string(&message.role).unwrap_or_default();
            format!("{{\"role\":{role},\"parts\":[{}]}}", parts.join(","))
        });
        let messages: Vec<String> = messages.collect();
        let mut all = Members::default();
        all.set("wire", quoted(self.wire.name()));
        all.set("model", text(self.model.as_deref()));
        all.set(
            "stream",
            self.stream.map_or("null".to_owned(), |stream| stream.to_string()),
        );
        all.set("system", format!("[{}]", system.join(",")));
        all.set("tools", tools);
        all.set("messages", format!("[{}]", messages.join(",")));
        all.set("settings", settings.text());
        all.text()
    }

    /// Returns the request as lines that are safe to show.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("wire: {}", self.wire)];
        let model = self.model.iter().map(|model| ("model", model.clone()));
        let stream = self.stream.map(|stream| ("stream", stream.to_string()));
        for (name, value) in model.chain(stream) {
            say(&mut lines, "", name, &value);
        }
        for (name, raw) in &self.settings {
            say(&mut lines, "", name, raw);
        }
        for tool in &self.tools {
            let name = if tool.is_providers {
                "tool of the provider"
            } else {
                "tool"
            };
            say(&mut lines, "", name, &tool.name);
        }
        for text in &self.system {
            say(&mut lines, "", "system", text);
        }
        for (number, message) in self.messages.iter().enumerate() {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            };
            lines.push(format!("message {}: {role}", number + 1));
            for part in &message.parts {
                let (name, text) = described(part);
                say(&mut lines, "  ", &name, &text);
            }
        }
        lines
    }
}

/// Adds a text under a name; further lines of it are indented.
fn say(lines: &mut Vec<String>, indent: &str, name: &str, text: &str) {
    let name = visible_lines(name).join(" ");
    for (number, line) in visible_lines(text).into_iter().enumerate() {
        lines.push(match (number, line.is_empty()) {
            (0, true) => format!("{indent}{name}:"),
            (0, false) => format!("{indent}{name}: {line}"),
            (_, true) => String::new(),
            (_, false) => format!("{indent}  {line}"),
        });
    }
}

fn described(part: &Part) -> (String, String) {
    let id = |id: &Option<String>| id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    match &part.kind {
        PartKind::Text { text } => ("text".to_owned(), text.clone()),
        PartKind::Reasoning { text } if text.is_empty() => (
            "reasoning".to_owned(),
            "(only the provider can read it)".to_owned(),
        ),
        PartKind::Reasoning { text } => ("reasoning".to_owned(), text.clone()),
        PartKind::Call {
            id: of, name, args, ..
        } => (format!("call{}", id(of)), format!("{name} {args}")),
        PartKind::Result {
            id: of,
            text,
            is_error,
            ..
        } => {
            let name = if *is_error { "error" } else { "result" };
            (format!("{name}{}", id(of)), text.clone())
        }
        PartKind::Other { name } => ("other".to_owned(), name.clone()),
    }
}

fn part(part: &Part) -> String {
    let mut value = serde_json::to_value(&part.kind).unwrap_or(Value::Null);
    if let Some(opaque) = &part.opaque {
        value["opaque"] = Value::from(opaque.as_str());
    }
    value.to_string()
}
