//! The definition of a tool as its server sent it: its hash, its card, its effect class.
//!
//! Must not know: how it was received, who uses the tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::redaction::Redaction;
use super::setup::{ServerConfig, Via};
use crate::tool::Spec;
use overrule_base::canon;
use overrule_base::text::visible_head;
use overrule_domain::advice::ToolFacts;
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::{ToolCard, ToolOrigin};
use overrule_schema::Usable;

/// Name of the source.
pub(super) const SOURCE: &str = "mcp";
/// Characters of a description beyond which it is cut: it goes to the model with every request.
const DESCRIPTION: usize = 16 * 1024;
/// Characters kept of a title.
const TITLE: usize = 200;

/// What a server says about one of its tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// `{name, title, description, inputSchema, outputSchema, annotations}` as sent.
    pub content: Value,
}

impl Definition {
    /// Takes a definition out of an answer to `tools/list`.
    pub(super) fn of(tool: &rmcp::model::Tool) -> Self {
        let mut content = json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": *tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": tool.annotations,
        });
        if let Some(members) = content.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        Self {
            name: tool.name.to_string(),
            content,
        }
    }

    /// Returns it without the keys of its server; `None` if its name contains one, as it could not be called.
    pub(super) fn cleaned(self, redaction: &Redaction) -> Option<Self> {
        (redaction.apply(&self.name) == self.name).then(|| Self {
            content: redaction.json(self.content),
            ..self
        })
    }

    /// Returns the hash of the definition and of where it comes from.
    pub fn pin(&self, identity: &str) -> String {
        let canonical = canon::canonical(&self.content);
        canon::hash(
            "overrule mcp tool v1",
            &[canonical.as_bytes(), identity.as_bytes()],
        )
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.content.get(key)?.as_str()
    }

    fn hint(&self, key: &str) -> Option<bool> {
        self.content.get("annotations")?.get(key)?.as_bool()
    }

    /// Returns what the server claims about the effects of the tool, as tags.
    pub fn claims(&self) -> Vec<String> {
        [
            ("readOnlyHint", "read_only"),
            ("destructiveHint", "destructive"),
            ("idempotentHint", "idempotent"),
            ("openWorldHint", "open_world"),
        ]
        .into_iter()
        .filter_map(|(key, word)| {
            let not = if self.hint(key)? { "" } else { "not_" };
            Some(format!("claims:{not}{word}"))
        })
        .collect()
    }

    /// Returns the class that the server's word suggests. The operator may set it; nothing else follows from it.
    pub fn proposed(&self) -> Option<EffectClass> {
        match (self.hint("readOnlyHint"), self.hint("idempotentHint")) {
            (Some(true), _) => Some(EffectClass::Read),
            (_, Some(true)) => Some(EffectClass::Idempotent),
            (Some(false), _) | (_, Some(false)) => Some(EffectClass::Write),
            (None, None) => None,
        }
    }

    /// Returns the title, or the name.
    pub fn title(&self) -> String {
        let annotated = || self.content.get("annotations")?.get("title")?.as_str();
        let title = self.text("title").or_else(annotated).unwrap_or(&self.name);
        visible_head(title, TITLE)
    }

    /// Returns the JSON text of the output schema.
    pub fn output_schema(&self) -> Option<String> {
        Some(self.content.get("outputSchema")?.to_string())
    }

    /// Returns the schema of its arguments as far as they can be checked. Arguments are always an object. The error says
    /// why it cannot be offered.
    pub(super) fn usable(&self) -> Result<Usable, String> {
        let schema = self.content.get("inputSchema").cloned();
        let schema = schema.unwrap_or_else(|| json!({"type": "object"}));
        let mut usable = overrule_schema::usable(schema).map_err(|error| error.to_string())?;
        let Value::Object(members) = &mut usable.schema else {
            return Ok(usable);
        };
        let kind = members.get("type");
        let is_object = match kind {
            Some(Value::Array(kinds)) => kinds.contains(&"object".into()),
            Some(kind) => kind == "object",
            None => false,
        };
        if !is_object {
            if let Some(kind) = kind {
                let why = format!("arguments are an object, and never {kind}");
                usable.dropped.push(("/type".to_owned(), why));
            }
            members.insert("type".to_owned(), "object".into());
        }
        Ok(usable)
    }

    /// Describes the tool under its offered name, with the [schema](Self::usable) of its arguments. Its effect is unknown, whatever the server says: hints may only raise
    /// a class, and there is none above.
    pub(super) fn spec(
        &self,
        (offered, schema): (&str, &Value),
        server: &ServerConfig,
        drift: Option<Arc<str>>,
    ) -> Spec {
        let mut description: String = self
            .text("description")
            .unwrap_or_default()
            .chars()
            .take(DESCRIPTION)
            .collect();
        if description.is_empty() {
            description = format!("{} of the server {}.", self.title(), server.name);
        }
        let reaches_out = matches!(server.via, Via::Http { .. }) || self.hint("openWorldHint") == Some(true);
        let external = reaches_out.then(|| "external".to_owned());
        let tags = external.into_iter().chain(self.claims()).collect();
        let card = ToolCard {
            name: offered.into(),
            description: description.into(),
            schema: schema.to_string().into(),
            effect: EffectClass::Unknown,
            effect_by: None,
            tags,
            pause_ms: 0,
            takes_truncated: false,
            confined: false,
            probe: None,
            compensate: None,
            origin: Some(Box::new(ToolOrigin {
                source: SOURCE.into(),
                server: Some(Arc::from(server.name.as_str())),
                tool: self.name.as_str().into(),
                title: self.text("title").map(|_| self.title().into()),
                pin: self.pin(&server.identity()).into(),
                drift,
            })),
        };
        let facts = ToolFacts::of(&card);
        Spec { card, facts }
    }
}
