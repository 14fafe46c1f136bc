//! Recognises the conversation of a request, and what is new in it.
//!
//! Must not know: how a conversation is kept, who decides.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyper::header::HeaderMap;
use serde_json::Value;

use super::body_tools::BodyTools;
pub use super::by_agent::is_by_agent;
use super::by_agent::is_interruption;
use super::catalogue;
use super::events::RawEvent;
use super::history::History;
use overrule_base::{canon, known_tool};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{AgentMessage, AgentRequest, AgentSide, Part, PartKind, Role};

/// The name of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    hash: String,
    is_named: bool,
}

impl Key {
    /// The key of a request whose reply is decided in a conversation of its own. Nothing else has it.
    pub fn of_its_own(request: &AgentRequest) -> Self {
        Self {
            hash: canon::hash("overrule request beside v1", &[request.body.bytes()]),
            is_named: true,
        }
    }

    /// The conversation that the agent holds next to this one, by its number; 0 is this one.
    pub fn fork(&self, number: usize) -> Self {
        let mut fork = self.clone();
        if number > 0 {
            fork.hash = format!("{}#{number}", self.hash);
        }
        fork
    }

    /// True if the agent itself names the conversation.
    pub const fn is_named(&self) -> bool {
        self.is_named
    }
}

/// What a request is to the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Part of a conversation with tools.
    Conversation {
        /// Which.
        key: Key,
        /// True for a sub-agent of another conversation.
        is_sub_agent: bool,
    },
    /// A request without tools, such as one for a title: its reply can contain no call.
    SideRequest,
}

/// Headers with which agents name a conversation, and those that a sub-agent adds.
const NAMED_BY: [(&str, &[&str]); 3] = [
    (CLAUDE, &["x-claude-code-agent-id"]),
    ("thread-id", &["x-codex-parent-thread-id", "x-openai-subagent"]),
    ("x-session-id", &["x-parent-session-id"]),
];

/// The header of Claude Code. The id of a sub-agent is its own there; the session may change while it works.
const CLAUDE: &str = "x-claude-code-session-id";

/// Returns true for a request whose tools, or some of them, are not in it.
pub fn has_stored_tools(request: &AgentRequest) -> bool {
    let mut stored = request.wire.agent_side().stored_tools().iter();
    stored.any(|name| request.setting(name).is_some())
}

/// Returns the only tool of a request, if the model must call it and has not called it before: its arguments are the reply.
pub fn forced_tool(request: &AgentRequest) -> Option<&str> {
    let [tool] = request.tools.as_slice() else {
        return None;
    };
    let is_forced = [
        request.setting("tool_choice"),
        request.setting("toolConfig"),
        request.setting("tool_config"),
    ]
    .into_iter()
    .flatten()
    .any(|choice| forces(choice, &tool.name));
    let is_own = !tool.is_providers && catalogue::is_own(tool) && !has_stored_tools(request);
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    let mut was_called =
        || parts.any(|part| matches!(&part.kind, PartKind::Call { name, .. } if *name == tool.name));
    // One that acts is never a form for a reply.
    let acts = || known_tool::kind(&tool.name).is_some() || catalogue::is_known(&tool.name);
    (is_forced && is_own && !acts() && !was_called()).then_some(tool.name.as_str())
}

/// Returns true for a choice, as JSON text, with which the model must call this tool, the only one.
fn forces(choice: &str, tool: &str) -> bool {
    let Ok(choice) = serde_json::from_str::<Value>(choice) else {
        return false;
    };
    let mode = choice.pointer("/functionCallingConfig/mode");
    let mode = mode.or_else(|| choice.pointer("/function_calling_config/mode"));
    let word = mode.or_else(|| choice.get("type")).unwrap_or(&choice).as_str();
    let name = choice.get("name").or_else(|| choice.pointer("/function/name"));
    match word {
        Some("tool" | "function") => name.and_then(Value::as_str) == Some(tool),
        Some("any" | "ANY" | "required") => true,
        _ => false,
    }
}

/// Returns what a request is.
pub fn kind(headers: &HeaderMap, request: &AgentRequest) -> Kind {
    // Tools in a place that is not known yet count too: their calls must be seen.
    let names_tools = || BodyTools::of(request.body.bytes()) != BodyTools::None;
    if request.tools.is_empty() && !has_stored_tools(request) && !names_tools() {
        return Kind::SideRequest;
    }
    if let Some((key, is_sub_agent)) = named(headers) {
        return Kind::Conversation { key, is_sub_agent };
    }
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let first = request.messages.iter().find(|one| one.role == Role::User);
    let first: Vec<&str> = first.map(|one| one.texts().collect()).unwrap_or_default();
    let parts = [request.system_text(), tools.join("\n"), first.join("\n")];
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    Kind::Conversation {
        key: Key {
            hash: canon::hash("overrule conversation v1", &parts),
            is_named: false,
        },
        is_sub_agent: false,
    }
}

/// Returns the name that an agent gives a conversation, and true for that of a sub-agent; none if it gives no name.
pub fn named(headers: &HeaderMap) -> Option<(Key, bool)> {
    let value = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.filter(|value| !value.is_empty())
    };
    let (name, id, mark) = NAMED_BY.iter().find_map(|(name, marks)| {
        let mark = marks.iter().find_map(|mark| value(mark));
        Some((*name, value(name)?, mark))
    })?;
    let id = if name == CLAUDE && mark.is_some() { "" } else { id };
    let parts = [name, id, mark.unwrap_or_default()].map(str::as_bytes);
    let key = Key {
        hash: canon::hash("overrule conversation name v1", &parts),
        is_named: true,
    };
    Some((key, mark.is_some()))
}

/// Returns the format of a request for a reply by its path; none for every other request.
pub fn wire_of(path: &str) -> Option<Wire> {
    by_path(path, |side| side.reply_paths())
}

/// Returns the format of a request that has a history and asks for no reply, such as one that counts tokens or shortens
/// the history; none for every other request.
pub fn history_of(path: &str) -> Option<Wire> {
    by_path(path, |side| side.history_paths())
}

/// Returns true for a request whose reply is a history. The calls in it were decided before.
pub fn lists_history(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let is_part = |name: &str| path.split('/').any(|part| part == name);
    path.ends_with("/compact") && history_of(path).is_some()
        || path.ends_with("/input_items") && is_part("responses")
        || path.ends_with("/items") && is_part("conversations")
}

fn by_path(path: &str, ends: fn(&dyn AgentSide) -> &'static [&'static str]) -> Option<Wire> {
    let path = path.split('?').next().unwrap_or_default();
    let mut all = Wire::all();
    all.find(|wire| ends(wire.agent_side()).iter().any(|end| path.ends_with(end)))
}

/// Returns true where a streamed reply is asked for.
pub fn is_streamed(wire: Wire, path: &str, request: &AgentRequest) -> bool {
    wire.agent_side().is_streamed(path, request)
}

/// A result that an agent sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentResult {
    /// The id of its call, if the format has one.
    pub id: Option<String>,
    /// Place of its call among the calls of the newest reply, for calls without an id of the model; none for a result
    /// of an earlier reply.
    pub place: Option<usize>,
    /// The text.
    pub text: String,
    /// True for an error.
    pub is_error: bool,
}

/// Returns the name of a reply of which the model's server keeps the history, if an event tells it.
pub fn reply_name(wire: Wire, event: &RawEvent) -> Option<String> {
    let data = event.object().filter(|_| wire.agent_side().keeps_history())?;
    let id = match data.object("response") {
        Some(response) => response.filled("id").map(String::from),
        None => data.filled("id").map(String::from),
    };
    id.filter(|_| data.get("response").is_some() || data.get("output").is_some())
}

/// Returns the name of the reply that a request continues, where the model's server keeps the history.
pub fn continued_reply(request: &AgentRequest) -> Option<String> {
    serde_json::from_str(request.setting("previous_response_id")?).ok()
}

/// Returns true for a request that repeats an earlier one with these messages, or continues after a reply to it.
pub fn continues(asked: &History, history: &History, request: &AgentRequest) -> bool {
    let added = request.messages.get(asked.messages()..).unwrap_or_default();
    let has_reply = added.iter().any(|message| message.role == Role::Assistant);
    history.continues(asked) && (added.is_empty() || has_reply)
}

/// Returns true for a request with a call or result of one of these ids.
pub fn has_any(request: &AgentRequest, ids: &[&str]) -> bool {
    // The newest are near the end.
    let mut parts = request.messages.iter().rev().flat_map(|message| &message.parts);
    parts.any(|part| match &part.kind {
        PartKind::Call { id: Some(id), .. } | PartKind::Result { id: Some(id), .. } => {
            ids.contains(&id.as_str())
        }
        _ => false,
    })
}

/// What a request adds to the newest reply in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// Results of calls. Of those before the newest message of the model only the ones for which a call waits.
    pub results: Vec<SentResult>,
    /// True if it has results, also others.
    pub has_results: bool,
    /// What the user of the agent wrote.
    pub words: String,
    /// True if the agent says that its user interrupted it.
    pub is_interrupted: bool,
}

/// What stands for a request that adds nothing.
pub const AGAIN: &str = "(the agent asks again)";

/// Texts that agents write in place of a reply that they did not get.
const NO_REPLY: [&str; 2] = ["No response requested.", "API Error: "];

/// Returns true for a text that an agent wrote in place of a reply that it did not get.
pub fn is_no_reply(text: &str) -> bool {
    NO_REPLY.iter().any(|begin| text.trim_start().starts_with(begin))
}

/// Returns what a request adds after the newest reply in it. Some agents write each result directly after its call,
/// between the calls of one reply: results there are taken as well, back to the words of the user, if they have an id.
/// The first `known` messages were in a request before: their words are not new. The calls with the ids `waiting` wait for a
/// result.
pub fn tail(request: &AgentRequest, known: usize, waiting: &BTreeSet<&str>) -> Tail {
    let newest = request
        .messages
        .iter()
        .rposition(|one| one.role == Role::Assistant);
    let begin = newest.map_or(0, |at| at + 1);
    let calls = calls_before(request, begin);
    let mut tail = Tail::default();
    between(request, begin, waiting, &mut tail);
    let between = tail.results.len();
    let mut words: Vec<&str> = Vec::new();
    let added = request.messages.iter().enumerate().skip(begin);
    for (at, message) in added {
        for part in &message.parts {
            match &part.kind {
                PartKind::Result {
                    id, text, is_error, ..
                } => {
                    tail.is_interrupted |= at >= known && is_interruption(text);
                    tail.has_results = true;
                    let place = place(&calls, part, tail.results.len() - between);
                    tail.results.push(SentResult {
                        id: id.clone(),
                        place: Some(place),
                        text: text.clone(),
                        is_error: *is_error,
                    });
                }
                PartKind::Text { text } if at >= known && is_interruption(text) => tail.is_interrupted = true,
                PartKind::Text { text }
                    if at >= known && message.role == Role::User && !is_by_agent(text) =>
                {
                    words.push(text);
                }
                _ => {}
            }
        }
    }
    tail.words = words.join("\n\n");
    tail
}

/// Returns the results of these calls in a history that keeps calls as text: what its user says after a message of the model
/// that has the id of a call in quotation marks.
pub fn results_as_text(request: &AgentRequest, ids: &[&str]) -> Vec<SentResult> {
    let messages = &request.messages;
    let found = ids.iter().filter_map(|id| {
        let is_in = |message: &Arc<AgentMessage>| message.role == Role::Assistant && mentions(message, id);
        let at = messages.iter().rposition(is_in)?;
        let after = messages.iter().skip(at + 1);
        let after = after.skip_while(|one| one.role == Role::Assistant);
        let texts = after.take_while(|one| one.role != Role::Assistant);
        let texts: Vec<&str> = texts.flat_map(|message| message.texts()).collect();
        Some(SentResult {
            id: Some((*id).to_owned()),
            place: None,
            text: texts.join("\n\n"),
            is_error: false,
        })
    });
    found.filter(|result| !result.text.is_empty()).collect()
}

/// True for a message whose text has an id in quotation marks.
pub fn mentions(message: &AgentMessage, id: &str) -> bool {
    // A short id may be any word.
    id.len() > 3
        && message.texts().any(|text| {
            let mut marks = ["'", "\""].iter();
            marks.any(|mark| text.contains(&format!("{mark}{id}{mark}")))
        })
}

/// Takes the results with an id before a message, back to the words of the user. A result whose id is used again after it
/// belongs to an earlier call. Before the calls that wait there is none for them: a long history is not read to its beginning.
fn between(request: &AgentRequest, end: usize, waiting: &BTreeSet<&str>, tail: &mut Tail) {
    let before = request.messages.get(..end).unwrap_or_default();
    let has_words =
        |message: &AgentMessage| message.role == Role::User && message.texts().any(|text| !is_by_agent(text));
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut left = waiting.clone();
    for message in before.iter().rev().take_while(|message| !has_words(message)) {
        for part in message.parts.iter().rev() {
            match &part.kind {
                PartKind::Call { id: Some(id), .. } => {
                    used.insert(id);
                    left.remove(id.as_str());
                }
                PartKind::Result {
                    id: Some(id),
                    text,
                    is_error,
                    ..
                } if !used.contains(id.as_str()) => {
                    tail.has_results = true;
                    let is_due = waiting.contains(id.as_str());
                    tail.results.extend(is_due.then(|| SentResult {
                        id: Some(id.clone()),
                        place: None,
                        text: text.clone(),
                        is_error: *is_error,
                    }));
                }
                _ => {}
            }
        }
        if tail.has_results && left.is_empty() {
            break;
        }
    }
    tail.results.reverse();
}

/// The calls of the newest messages of the model in a row before a message.
fn calls_before(request: &AgentRequest, end: usize) -> Vec<&Part> {
    let before = request.messages.get(..end).unwrap_or_default();
    let is_model = |message: &&Arc<AgentMessage>| message.role == Role::Assistant;
    let mut newest: Vec<&Arc<AgentMessage>> = before.iter().rev().take_while(is_model).collect();
    newest.reverse();
    let parts = newest.into_iter().flat_map(|message| &message.parts);
    parts
        .filter(|part| matches!(part.kind, PartKind::Call { .. }))
        .collect()
}

/// The place of the call of a result: by its id, else by its order.
fn place(calls: &[&Part], result: &Part, order: usize) -> usize {
    let PartKind::Result { id: Some(of), .. } = &result.kind else {
        return order;
    };
    let is_own = |part: &&&Part| matches!(&part.kind, PartKind::Call { id: Some(id), .. } if id == of);
    calls.iter().position(|part| is_own(&part)).unwrap_or(order)
}
