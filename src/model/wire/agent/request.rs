//! An agent's request: its messages with their parts, each with its place in the body.
//!
//! Must not know: formats, what a supervisor changes.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::json::{self, Json};
use super::{Body, RequestError};
use crate::frame;
use crate::wire::Wire;
use overrule_base::canon::canonical_text;

/// A request of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentRequest {
    /// The format.
    pub wire: Wire,
    /// The body, byte for byte.
    pub body: Body,
    /// The model; none where the format names it in the path.
    pub model: Option<String>,
    /// True where a streamed reply was asked for; none where the format says so in the path.
    pub stream: Option<bool>,
    /// System text that is no message.
    pub system: Vec<String>,
    /// The tools on offer, those of messages last.
    pub tools: Vec<AgentTool>,
    /// The list of messages in the body; none where one text stands for it.
    pub list: Option<Range<usize>>,
    /// The messages, in order.
    pub messages: Vec<Arc<AgentMessage>>,
    /// Every other member of the body, as JSON text.
    pub settings: Vec<(String, String)>,
}

/// A tool that an agent offers to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentTool {
    /// Its name; the type of a tool that the provider executes.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, as JSON text; none where a call has another form.
    pub schema: Option<String>,
    /// True where the provider executes it, and not the agent.
    pub is_providers: bool,
    /// The namespace that offers it, where the format has such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The agent's instructions.
    System,
    /// The user of the agent, or results where the format has them there.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// An element of the list of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentMessage {
    /// Who speaks.
    pub role: Role,
    /// Its place in the body.
    pub span: Range<usize>,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// Tools that it adds to those of the request.
    pub tools: Vec<AgentTool>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its place in the body.
    pub span: Range<usize>,
    /// Its place in the message.
    pub place: Place,
    /// What it is.
    pub kind: PartKind,
    /// What only the provider understands, in the form of [`Chunk::Sealed`](crate::Chunk::Sealed).
    pub opaque: Option<String>,
}

/// Where a part is in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The part is the message.
    Whole,
    /// The value of this member.
    Member(&'static str),
    /// An element of the list under this member.
    Element(&'static str, usize),
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PartKind {
    /// Text.
    Text {
        /// The words.
        text: String,
    },
    /// Reasoning of the model.
    Reasoning {
        /// The words; empty where the provider alone can read them.
        text: String,
    },
    /// A call.
    Call {
        /// The id, if the format has one.
        id: Option<String>,
        /// Name of the tool.
        name: String,
        /// The exact argument text.
        args: String,
        /// The form of the arguments.
        form: CallForm,
    },
    /// The result of a call.
    Result {
        /// The id of the call, if the format has one.
        id: Option<String>,
        /// Name of the tool, if the format says it.
        name: Option<String>,
        /// The text. A line in brackets stands for anything else, such as an image.
        text: String,
        /// True for an error, where the format says so.
        is_error: bool,
    },
    /// Anything else.
    Other {
        /// Its type in the format.
        name: String,
    },
}

/// The form of the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallForm {
    /// A JSON object.
    Json,
    /// Any text.
    Text,
}

impl AgentRequest {
    /// Returns the JSON text of a message.
    pub fn raw(&self, message: &AgentMessage) -> &str {
        self.body.get(message.span.clone()).unwrap_or_default()
    }

    /// Returns the JSON text of a part.
    pub fn raw_part(&self, part: &Part) -> &str {
        self.body.get(part.span.clone()).unwrap_or_default()
    }

    /// Returns a member of the body that is none of the others, as JSON text.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(key, _)| key == name);
        found.map(|(_, raw)| raw.as_str()).filter(|raw| *raw != "null")
    }

    /// Returns all system text: that of the request, and that of the messages before the first of another role.
    pub fn system_text(&self) -> String {
        let leading = self.messages.iter().take_while(|one| one.role == Role::System);
        let texts = leading.flat_map(|message| message.texts());
        let all: Vec<&str> = self.system.iter().map(String::as_str).chain(texts).collect();
        all.join("\n\n")
    }

    /// Returns a message in one spelling for equal ones: names sorted, without marks for the provider's cache, one block of
    /// text as a plain text.
    pub fn canonical(&self, message: &AgentMessage) -> String {
        canonical(self.raw(message))
    }
}

impl AgentMessage {
    /// A message without tools.
    pub fn new(role: Role, span: Range<usize>, parts: Vec<Part>) -> Self {
        let tools = Vec::new();
        Self {
            role,
            span,
            parts,
            tools,
        }
    }

    /// Reads the elements of a list.
    pub(crate) fn all(
        list: &[Json<'_>],
        read: impl Fn(&Json<'_>) -> Result<Self, RequestError>,
    ) -> Result<Vec<Arc<Self>>, RequestError> {
        list.iter().map(|value| read(value).map(Arc::new)).collect()
    }

    /// Moves all places towards the end.
    pub(super) fn shift(&mut self, by: usize) {
        let parts = self.parts.iter_mut().map(|part| &mut part.span);
        for span in parts.chain([&mut self.span]) {
            *span = span.start + by..span.end + by;
        }
    }

    /// Returns the texts of the message, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match &part.kind {
            PartKind::Text { text } => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Part {
    /// A part without data of the provider's own.
    pub fn new(value: &Json<'_>, place: Place, kind: PartKind) -> Self {
        let (span, opaque) = (value.span(), None);
        Self {
            span,
            place,
            kind,
            opaque,
        }
    }

    /// The part with data of the provider's own.
    pub fn with_opaque(mut self, opaque: Option<String>) -> Self {
        self.opaque = opaque;
        self
    }
}

/// The member with a mark for the provider's cache.
const CACHE: &str = "cache_control";
/// The member with the blocks of a message.
const CONTENT: &str = "content";

fn canonical(raw: &str) -> String {
    let plain = without_marks(raw, 2);
    canonical_text(&plain).unwrap_or(plain)
}

/// Returns a message or block without marks, and with one block of text as a text; so in its blocks, if it has any.
fn without_marks(raw: &str, levels: u32) -> String {
    let mut plain = json::without_member(raw, CACHE);
    let Some(blocks) = frame::member(&plain, CONTENT).filter(|raw| raw.starts_with('[') && levels > 0) else {
        return plain;
    };
    let blocks: Vec<String> = frame::array(blocks)
        .into_iter()
        .map(|block| without_marks(block, levels - 1))
        .collect();
    let only = match blocks.as_slice() {
        [one] => frame::member(one, "text").filter(|_| is_bare_text(one)),
        _ => None,
    };
    let content = only.map_or_else(|| format!("[{}]", blocks.join(",")), str::to_owned);
    plain = json::with_member(&plain, CONTENT, &content);
    plain
}

/// Returns true for a block with nothing but its type and its text.
fn is_bare_text(raw: &str) -> bool {
    let kind = frame::member(raw, "type").unwrap_or_default();
    let names = frame::Object::read(raw).map(|object| object.entries().count());
    matches!(kind, "\"text\"" | "\"input_text\"" | "\"output_text\"") && names == Some(2)
}
