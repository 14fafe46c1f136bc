//! Recognises the conversation from which a session was recorded, so that it continues that session.
//!
//! Must not know: formats, how a session is stored.

use super::agents;
use super::client::Client;
use super::conversation;
use super::overlay;
use overrule_domain::call::Call;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::{Content, Node};
use overrule_domain::state::State;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{AgentRequest, PartKind, Role};

/// Says of a request of a program whether it belongs to the session that is resumed.
pub type Belongs = Box<dyn Fn(&Client, &AgentRequest) -> bool + Send + Sync>;

/// Who had the conversation of a session, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The program of its agent; none for an unknown one.
    pub program: Option<String>,
    /// Its format.
    pub wire: Wire,
}

impl Recorded {
    /// True if a program may continue the conversation. Earlier versions recorded the agent that was started, or none.
    pub fn may_be(&self, client: &Client) -> bool {
        let agent = self.program.as_deref().and_then(agents::named);
        self.wire == client.wire() && agent.is_none_or(|agent| client.may_be(agent))
    }
}

/// True for a request with the recorded history, or with one that extends it: the words of the agent's user in order, and
/// every call that the agent executed. It offers a tool of the session. A call that was rejected in the session belongs to no
/// other.
pub fn is_of(state: &State, request: &AgentRequest) -> bool {
    if has_mask(state, request) {
        return true;
    }
    if !shares_tools(state, request) {
        return false;
    }
    if conversation::continued_reply(request).is_some() {
        // The request has the new part of the history alone.
        let ids = state
            .calls
            .values()
            .filter_map(|call| call.provider_id.as_deref());
        let ids: Vec<&str> = ids.filter(|id| !id.is_empty()).collect();
        return conversation::has_any(request, &ids);
    }
    let executed: Vec<&Call> = state
        .calls
        .values()
        .filter(|call| overlay::was_executed(state, call) && is_newest(state, call.id))
        .collect();
    let mut prompts: Vec<&str> = prompts(state)
        .filter(|(node, _)| is_newest(state, *node))
        .map(|(_, text)| text)
        .collect();
    if prompts.is_empty() && executed.is_empty() {
        // The agent rewrote its history with its last request.
        prompts.extend(self::prompts(state).last().map(|(_, text)| text));
    }
    if prompts.is_empty() && executed.is_empty() {
        return false;
    }
    let words = user_texts(request);
    let Some((begin, end)) = found(&prompts, &words) else {
        return false;
    };
    // The same words may be in a history by chance. Without a call they are at its beginning or at its end.
    let is_placed = begin == 0 || end + 1 >= words.len() || !executed.is_empty();
    is_placed && executed.into_iter().all(|call| has_call(state, call, request))
}

/// True if a call of the request has the name under which the agent got a rejected call of this session.
fn has_mask(state: &State, request: &AgentRequest) -> bool {
    let begin = overlay::mask_prefix(state);
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    parts.any(|part| match &part.kind {
        PartKind::Call { name, args, .. } => name.starts_with(&begin) || args.contains(&begin),
        _ => false,
    })
}

/// True if a request offers a tool that the session had, or if one of them has none.
fn shares_tools(state: &State, request: &AgentRequest) -> bool {
    let own = state.started.iter().flat_map(|started| &started.tools);
    let mut own = own.map(|card| &*card.name).peekable();
    let offered = request.tools.iter().map(|tool| tool.name.as_str());
    own.peek().is_none() || request.tools.is_empty() || own.any(|own| offered.clone().any(|name| name == own))
}

/// True for a node that is in the history that the agent sent last: it is newer than the last rewriting.
fn is_newest(state: &State, node: NodeId) -> bool {
    let born = state.nodes.get(&node).map(Node::born);
    state.origin.agent.rewritten.is_none_or(|at| born > Some(at))
}

/// What the user of the agent wrote, in order. What the operator wrote is in no request.
fn prompts(state: &State) -> impl Iterator<Item = (NodeId, &str)> {
    let nodes = state.nodes.values();
    let nodes = nodes.filter(|node| node.id.kind == NodeKind::Prompt && node.is_from_agent());
    let texts = nodes.filter_map(|node| match &node.revisions.first()?.content {
        Content::Text { text, .. } => Some((node.id, &**text)),
        _ => None,
    });
    texts.filter(|(_, text)| *text != conversation::AGAIN && !conversation::is_by_agent(text))
}

/// The texts of the agent's user in a request.
fn user_texts(request: &AgentRequest) -> Vec<&str> {
    let users = request
        .messages
        .iter()
        .filter(|message| message.role == Role::User);
    let texts = users.flat_map(|message| message.texts());
    texts.filter(|text| !conversation::is_by_agent(text)).collect()
}

/// The place of the first prompt among the texts of a request, and the place after the last one. None if a prompt is
/// missing. A prompt may be several texts.
fn found(prompts: &[&str], words: &[&str]) -> Option<(usize, usize)> {
    let (mut first, mut next) = (None, 0);
    for prompt in prompts {
        let (begin, end) =
            (next..words.len()).find_map(|begin| Some((begin, end_of(prompt, words, begin)?)))?;
        first = first.or(Some(begin));
        next = end;
    }
    Some((first.unwrap_or(0), next))
}

/// The place after a prompt that begins here.
fn end_of(prompt: &str, words: &[&str], begin: usize) -> Option<usize> {
    let mut rest = prompt;
    for (at, text) in words.iter().enumerate().skip(begin) {
        rest = rest.strip_prefix(text)?;
        if rest.is_empty() {
            return Some(at + 1);
        }
        rest = rest.strip_prefix("\n\n")?;
    }
    None
}

/// True if a request has a call, by its id or by what it says: not every agent sends ids.
fn has_call(state: &State, call: &Call, request: &AgentRequest) -> bool {
    let own = call.provider_id.as_deref().filter(|id| !id.is_empty());
    let given = overlay::given(state, call);
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    parts.any(|part| match &part.kind {
        PartKind::Call { id, name, args, .. } => {
            let is_equal = |(tool, own): &(String, String)| tool == name && *own == overlay::spelled(args);
            own.is_some() && own == id.as_deref() || given.as_ref().is_some_and(is_equal)
        }
        _ => false,
    })
}
