//! Builds the views of the tools and of the servers that offer them.
//!
//! Must not know: how a server is reached, how a tool works.

use serde::Serialize;
use serde_json::Value;

use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;

/// A line of `overrule tools list`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolLineView<'a> {
    /// A server.
    Server(ToolServerView<'a>),
    /// A tool of a run.
    Tool(ToolView<'a>),
}

/// A server of tools.
#[derive(Debug, Serialize)]
pub struct ToolServerView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its command line or address as written.
    pub command: &'a str,
    /// The file that names it.
    pub file: &'a str,
    /// How it is.
    pub state: &'a str,
    /// Why it is not ready.
    pub why: Option<&'a str>,
    /// The version of the protocol that it speaks.
    pub protocol: Option<&'a str>,
    /// Its process.
    pub pid: Option<u32>,
    /// Milliseconds from its start to its readiness.
    pub start_ms: Option<u64>,
    /// How often it was restarted.
    pub restarts: u32,
    /// What was left out of the messages that it sent.
    pub skipped: &'a [String],
    /// How its definitions differ from the accepted ones.
    pub drift: &'a [String],
    /// Its tools.
    pub tools: Vec<ServerToolView<'a>>,
    /// The file of its log, in visible form.
    pub log: Option<String>,
    /// How its program is confined; none for a server over HTTP.
    pub confined: Option<&'a str>,
}

/// A tool as its server describes it.
#[derive(Debug, Serialize)]
pub struct ServerToolView<'a> {
    /// Its name at the server.
    pub name: &'a str,
    /// The name under which it is offered.
    pub offered: Option<&'a str>,
    /// What the server claims about it.
    pub claims: &'a [String],
    /// The class that the server's word suggests.
    pub proposed: Option<EffectClass>,
    /// Hash of its definition.
    pub pin: &'a str,
    /// Tokens of its definition in each request, about.
    pub tokens: usize,
}

/// A tool that a run offers to the model.
#[derive(Debug, Serialize)]
pub struct ToolView<'a> {
    /// The name that the model uses.
    pub name: &'a str,
    /// Where it comes from.
    pub source: &'a str,
    /// Its server.
    pub server: Option<&'a str>,
    /// What a call of it can do.
    pub effect: EffectClass,
    /// Its tags.
    pub tags: Vec<&'a str>,
    /// Hash of its definition.
    pub pin: Option<&'a str>,
    /// Tokens of its definition in each request, about.
    pub tokens: Option<usize>,
    /// The class that its server suggests.
    pub proposed: Option<EffectClass>,
}

/// A tool with its whole definition.
#[derive(Debug, Serialize)]
pub struct ToolDetailView<'a> {
    /// The tool.
    #[serde(flatten)]
    pub tool: ToolView<'a>,
    /// What the model reads about it.
    pub description: &'a str,
    /// The JSON Schema of its arguments.
    pub schema: Value,
    /// Its definition as the server sent it.
    pub definition: Option<&'a Value>,
}

impl<'a> ToolView<'a> {
    /// The view of a tool of a run; `server` is the description of its server.
    pub fn new(card: &'a ToolCard, server: Option<&ServerToolView<'_>>) -> Self {
        let origin = card.origin.as_deref();
        Self {
            name: &card.name,
            source: origin.map_or("builtin", |origin| &origin.source),
            server: card.server(),
            effect: card.effect,
            tags: card.tags.iter().map(AsRef::as_ref).collect(),
            pin: origin.map(|origin| &*origin.pin),
            tokens: server.map(|tool| tool.tokens),
            proposed: server.and_then(|tool| tool.proposed),
        }
    }
}
