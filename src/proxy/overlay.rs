//! What the model sees of an agent's history: calls that were masked, results and texts that a person changed.
//!
//! Must not know: sockets, how a state came about.
//!
//! A function of the run and the request alone: a restarted proxy makes the same of the same history. Where nothing was
//! changed, no byte is.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::domain::call::Call;
use crate::domain::id::{NodeId, NodeKind, Rev};
use crate::domain::node::{Content, Node, Origin};
use crate::domain::state::State;
use crate::domain::transcript::result::result_text;
use crate::model::wire::agent::{AgentRequest, PartEdit, PartKind, Rewrite, Role};

/// Beginning of the name under which an agent gets a call that must not run.
const MASK: &str = "rejected_by_operator_";

/// Returns the name under which an agent gets a call that must not run: no tool has it.
pub fn mask(call: NodeId) -> String {
    format!("{MASK}{}", call.no)
}

/// Returns the call that a name masks.
fn masked_by(name: &str) -> Option<NodeId> {
    let number = name.strip_prefix(MASK)?.parse().ok()?;
    Some(NodeId::new(NodeKind::Call, number))
}

/// Returns true if an agent got a call under its own name: it was started there at least once.
pub fn was_released(call: &Call) -> bool {
    !call.attempts.is_empty()
}

/// The calls of a run by the ids of the provider. An id that was used twice names none.
fn by_id(state: &State) -> BTreeMap<&str, &Call> {
    let mut found: BTreeMap<&str, Option<&Call>> = BTreeMap::new();
    for call in state.calls.values() {
        let id = call.provider_id.as_deref().unwrap_or_default();
        found
            .entry(id)
            .and_modify(|one| *one = None)
            .or_insert(Some(call));
    }
    found.remove("");
    found
        .into_iter()
        .filter_map(|(id, call)| Some((id, call?)))
        .collect()
}

/// Returns the body of an agent's request as the model gets it. `notes` are words of the console for this request alone.
pub fn applied(state: &State, request: &AgentRequest, notes: &[Arc<str>]) -> String {
    let mut rewrite = Rewrite::new(request);
    let ids = by_id(state);
    // The results of a message belong to the calls before them, for formats without ids in their order.
    let mut open: Vec<Option<&Call>> = Vec::new();
    let mut was_model = false;
    let mut results = 0;
    let mut masks: Vec<&Call> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let is_model = message.role == Role::Assistant;
        if is_model && !was_model {
            open.clear();
            results = 0;
        }
        was_model = is_model;
        for (number, part) in message.parts.iter().enumerate() {
            let edit = match &part.kind {
                PartKind::Call { id, name, .. } => {
                    let call = masked_by(name).and_then(|id| state.calls.get(&id));
                    let call = call.or_else(|| ids.get(id.as_deref()?).copied());
                    open.push(call);
                    masks.extend(call.filter(|_| masked_by(name).is_some()));
                    call.and_then(|call| restored(state, call))
                }
                PartKind::Result { id, .. } => {
                    let call = match id {
                        Some(id) => ids.get(id.as_str()).copied(),
                        None => None,
                    };
                    let call = call.or_else(|| open.get(results).copied().flatten());
                    results += 1;
                    call.and_then(|call| replaced(state, call))
                }
                PartKind::Text { text } | PartKind::Reasoning { text } if is_model => reworded(state, text),
                _ => None,
            };
            if let Some(edit) = edit {
                rewrite.part(at, number, edit);
            }
        }
    }
    if !notes.is_empty() {
        let end = request.messages.len();
        rewrite.messages(end..end, vec![note(request, notes)]);
    }
    named(state, rewrite.body(), &masks)
}

/// Some formats name the tool in a result: the true name is used there as well. As a whole JSON string, the name of a
/// mask stands for nothing else.
fn named(state: &State, body: String, masks: &[&Call]) -> String {
    masks.iter().fold(body, |body, call| {
        let tool = state
            .nodes
            .get(&call.id)
            .and_then(Node::as_call)
            .map(|(tool, _)| &**tool);
        let quoted = |name: &str| serde_json::Value::from(name).to_string();
        match tool {
            Some(tool) => body.replace(&quoted(&mask(call.id)), &quoted(tool)),
            None => body,
        }
    })
}

/// The true name and arguments of a masked call.
fn restored(state: &State, call: &Call) -> Option<PartEdit> {
    if was_released(call) {
        return None;
    }
    let node = state.nodes.get(&call.id)?;
    let (tool, args) = node.as_call()?;
    Some(PartEdit::Call {
        name: Some(tool.to_string()),
        args: Some(args.to_string()),
        keeps_opaque: node.current == Rev(1),
    })
}

/// The result that the model sees in place of the agent's: of a masked call, and of a corrected one.
fn replaced(state: &State, call: &Call) -> Option<PartEdit> {
    let observation = state.observation(call.id);
    let by_operator = |node: &Node| matches!(node.now().origin, Origin::Operator { .. });
    if was_released(call) && !observation.is_some_and(by_operator) {
        return None;
    }
    let (text, is_error) = result_text(state, call);
    Some(PartEdit::Result { text, is_error })
}

/// The words that stand in place of a thought that was rewritten or deleted.
fn reworded(state: &State, text: &str) -> Option<PartEdit> {
    if state.edits.is_empty() || text.is_empty() {
        return None;
    }
    let own = |node: &&Node| {
        let first = node.revisions.first().map(|revision| &revision.content);
        matches!(node.id.kind, NodeKind::Thought | NodeKind::Answer)
            && matches!(first, Some(Content::Text { text: was, .. }) if **was == *text)
    };
    let mut same = state.nodes.values().filter(own).peekable();
    same.peek()?;
    // If several nodes had the same text, one that is active and still has it keeps it.
    let mut changed = None;
    for node in same {
        let now = node.text();
        if node.active && now == text {
            return None;
        }
        changed = Some(if node.active && !now.is_empty() {
            PartEdit::Text(now.to_owned())
        } else {
            PartEdit::Remove
        });
    }
    changed
}

/// A message of the user with words of the console.
fn note(request: &AgentRequest, notes: &[Arc<str>]) -> String {
    let text = notes.join("\n\n");
    let message = match request.wire.name() {
        "gemini" => json!({"role": "user", "parts": [{"text": text}]}),
        "openai-responses" => {
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        }
        _ => json!({"role": "user", "content": text}),
    };
    message.to_string()
}
