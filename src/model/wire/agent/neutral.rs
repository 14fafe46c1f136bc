//! Makes the request that any format can encode from an agent's request.
//!
//! Must not know: formats.
//!
//! Ids of calls stay. A call without one is named by its number, as a run names it.

use std::sync::Arc;

use super::{AgentMessage, AgentRequest, AgentTool, CallForm, PartKind, Role};
use crate::{Quirks, Request, Tap};
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::transcript::{CalledAs, Message, ModelText};

/// A call without a result so far.
struct Open {
    id: Option<String>,
    call: NodeId,
    wire_id: Arc<str>,
    tool: Arc<str>,
}

/// Numbers the nodes of the messages.
#[derive(Default)]
struct Nodes {
    last: u32,
    open: Vec<Open>,
}

impl AgentRequest {
    /// Returns the request in the form that every format can encode. Parts that no other format has become a line in
    /// brackets.
    pub fn neutral(&self) -> Request {
        let leading = self
            .messages
            .iter()
            .take_while(|one| one.role == Role::System)
            .count();
        let mut nodes = Nodes::default();
        let mut messages = Vec::new();
        for message in self.messages.iter().skip(leading) {
            match message.role {
                Role::Assistant => nodes.assistant(message, &mut messages),
                Role::System | Role::User | Role::Tool => nodes.user(message, &mut messages),
            }
        }
        Request {
            system: self.system_text().into(),
            messages,
            tools: self.tools.iter().filter_map(card).collect(),
            quirks: Quirks::new(),
            id: TurnId::default(),
            turn: 1,
            output_schema: None,
            tap: Tap::default(),
        }
    }
}

impl Nodes {
    fn next(&mut self, kind: NodeKind) -> NodeId {
        self.last += 1;
        NodeId::new(kind, self.last)
    }

    /// What the model said; neighbouring messages of it are one.
    fn assistant(&mut self, message: &AgentMessage, out: &mut Vec<Message>) {
        if !matches!(out.last(), Some(Message::Assistant { .. })) {
            let (texts, calls) = (Vec::new(), Vec::new());
            out.push(Message::Assistant { texts, calls });
        }
        let Some(Message::Assistant { texts, calls }) = out.last_mut() else {
            return;
        };
        for part in &message.parts {
            let opaque = part.opaque.as_deref().map(Arc::from);
            let mut say = |nodes: &mut Self, text: &str, reasoning: bool| {
                texts.push(ModelText {
                    node: nodes.next(NodeKind::Thought),
                    text: text.into(),
                    reasoning,
                    opaque: opaque.clone(),
                    by_operator: false,
                });
            };
            match &part.kind {
                PartKind::Text { text } => say(self, text, false),
                PartKind::Reasoning { text } => say(self, text, true),
                PartKind::Other { .. } if part.opaque.is_some() => say(self, "", true),
                PartKind::Other { name } => say(self, &stand_in(name), false),
                PartKind::Result { .. } => {}
                PartKind::Call { id, name, args, form } => {
                    let node = self.next(NodeKind::Call);
                    let wire_id: Arc<str> = match id {
                        Some(id) => id.as_str().into(),
                        None => format!("call_{node}").into(),
                    };
                    self.open.push(Open {
                        id: id.clone(),
                        call: node,
                        wire_id: wire_id.clone(),
                        tool: name.as_str().into(),
                    });
                    calls.push(CalledAs {
                        node,
                        wire_id,
                        tool: name.as_str().into(),
                        args: match form {
                            CallForm::Json => args.as_str().into(),
                            CallForm::Text => serde_json::json!({ "input": args }).to_string().into(),
                        },
                        opaque,
                    });
                }
            }
        }
    }

    /// Results first, then all text of the message as one.
    fn user(&mut self, message: &AgentMessage, out: &mut Vec<Message>) {
        let mut words: Vec<String> = Vec::new();
        for part in &message.parts {
            match &part.kind {
                PartKind::Result {
                    id,
                    name,
                    text,
                    is_error,
                } => {
                    let open = self.answered(id.as_deref(), name.as_deref());
                    out.push(Message::Result {
                        call: open.call,
                        wire_id: open.wire_id,
                        tool: open.tool,
                        text: text.as_str().into(),
                        is_error: *is_error,
                    });
                }
                PartKind::Text { text } => words.push(text.clone()),
                PartKind::Other { name } => words.push(stand_in(name)),
                PartKind::Reasoning { .. } | PartKind::Call { .. } => {}
            }
        }
        if !words.is_empty() {
            let node = self.next(NodeKind::Prompt);
            let text = words.join("\n\n").into();
            out.push(Message::User { node, text });
        }
    }

    /// The call that a result belongs to: by its id, else the first of the tool, else the first.
    fn answered(&mut self, id: Option<&str>, name: Option<&str>) -> Open {
        let by_id = self
            .open
            .iter()
            .position(|one| id.is_some() && one.id.as_deref() == id);
        let fits = |one: &Open| (id.is_none() || one.id.is_none()) && Some(&*one.tool) == name;
        let nameless = || self.open.iter().position(fits);
        let first = || self.open.iter().position(|_| id.is_none() && name.is_none());
        if let Some(at) = by_id.or_else(nameless).or_else(first) {
            return self.open.remove(at);
        }
        let call = self.next(NodeKind::Call);
        Open {
            id: None,
            call,
            wire_id: id.map_or_else(|| format!("call_{call}").into(), Arc::from),
            tool: name.unwrap_or_default().into(),
        }
    }
}

/// The line that stands for a part that other formats do not have.
pub(super) fn stand_in(name: &str) -> String {
    format!("[{name}]")
}

fn card(tool: &AgentTool) -> Option<ToolCard> {
    if tool.is_providers {
        return None;
    }
    let text = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
    Some(ToolCard {
        name: tool.name.as_str().into(),
        description: tool.description.as_str().into(),
        schema: tool.schema.as_deref().unwrap_or(text).into(),
        effect: EffectClass::Unknown,
        effect_by: None,
        tags: Vec::new(),
        pause_ms: 0,
        takes_truncated: false,
        confined: false,
        probe: None,
        compensate: None,
        origin: None,
    })
}
