//! What the model sees of an agent's history: calls that were masked, results and texts that a person changed, without what
//! an edit superseded.
//!
//! Must not know: sockets, how a state came about.
//!
//! A function of the runs and the request alone: a restarted proxy makes the same of the same history. Where nothing was
//! changed, no byte is.

mod applied;
mod inserted;
mod put_back;
mod superseded;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::applied::{Overlays, Unrestored, applied, unrestored};
pub(super) use self::applied::{is_mask, may_have_mask};
pub(super) use self::inserted::is_inserted;
use self::inserted::{Step, steps};
pub use self::put_back::put_back;
use self::put_back::{Told, told};
use super::run::ends;
use overrule_base::canon;
use overrule_domain::call::{Call, Outcome, Status};
use overrule_domain::id::{NodeId, NodeKind, Rev, TurnId};
use overrule_domain::node::{Content, Node, Origin, Revision};
use overrule_domain::state::State;
use overrule_domain::transcript::result::result_text;
use overrule_domain::turn::Activity;
use overrule_model::wire::agent::PartEdit;

/// Beginning of the name under which an agent gets a call that must not run.
const MASK: &str = "rejected_by_operator_";
/// The result of a deleted call. The call stays: signed reasoning belongs to it.
const DELETED: &str = "The operator deleted this call and its result.";
/// Characters of the part of that name that stands for the run.
const TAG: usize = 8;

/// Returns the name under which an agent gets a call that must not run: no tool has it, and no other run uses it.
pub fn mask(state: &State, call: NodeId) -> String {
    format!("{}{}", mask_prefix(state), call.no)
}

/// What stands for a run in the names of its masks.
fn tag(state: &State) -> String {
    let begun = state.origin.begun_at.to_string();
    let mut tag = canon::hash(
        "overrule masks of a run v1",
        &[begun.as_bytes(), state.origin.genesis.as_bytes()],
    );
    tag.truncate(TAG);
    tag
}

/// Returns the beginning of every such name of a run.
pub fn mask_prefix(state: &State) -> String {
    format!("{MASK}{}_", tag(state))
}

/// Returns the id of a reply that begins before the model has sent anything.
pub fn reply_id(state: &State) -> String {
    format!("overrule_{}_{}", tag(state), state.seq.0)
}

/// Returns the run and the number of the call that a name masks.
fn read_mask(name: &str) -> Option<(&str, u32)> {
    let (tag, number) = name.strip_prefix(MASK)?.split_once('_')?;
    let is_tag = tag.len() == TAG && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((tag, number.parse().ok().filter(|_| is_tag && is_number)?))
}

/// Returns true if an agent got a call under its own name: it was started there at least once.
pub fn was_released(call: &Call) -> bool {
    !call.attempts.is_empty()
}

/// Returns true for a call that will not run: the agent gets it under the name of its mask, or not at all.
pub fn is_refused(state: &State, call: &Call) -> bool {
    if was_released(call) {
        return false;
    }
    let is_active = state.nodes.get(&call.id).is_some_and(|node| node.active);
    let is_settled = state.turn_of(call.id).is_some_and(|turn| turn.settled);
    let is_invalid = call.status == Status::Invalid && call.failure.given_up.is_some();
    !is_active || is_settled || is_invalid || call.status.is_settled()
}

/// Returns true if an agent executed a call and sent its result.
pub fn was_executed(state: &State, call: &Call) -> bool {
    was_released(call) && first_result(state, call).is_some()
}

/// Returns the tool and the arguments of a call as an agent has them, in one spelling.
pub fn given(state: &State, call: &Call) -> Option<(String, String)> {
    let (tool, args) = tool_and_args(state, call)?;
    Some((tool.to_owned(), spelled(args)))
}

/// A call of a run.
struct Known {
    number: u32,
    tool: String,
    args: String,
    /// True where what the provider added to the call still belongs to it.
    keeps_opaque: bool,
    was_released: bool,
    /// True if an edit of something before it superseded it. A deleted call is not, unless its turn is.
    is_superseded: bool,
    /// What became of the texts of its turn.
    texts: Arc<Texts>,
    /// The result that the model sees in place of the agent's, and whether it is an error.
    result: Option<(String, bool)>,
}

impl Known {
    /// True if its turn has a text.
    fn has_text(&self, text: &str) -> bool {
        self.texts.contains_key(&text_key(text))
    }
}

/// What became of texts of the model, by their keys.
type Texts = BTreeMap<String, TextFate>;

/// What the model sees of a text of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TextFate {
    /// The text as it came.
    Unchanged,
    /// These words in its place.
    Rewritten(String),
    /// Nothing: the operator deleted it, or an edit of something before it superseded it.
    Removed,
}

impl TextFate {
    /// The change of a request that has the text.
    fn edit(&self) -> Option<PartEdit> {
        match self {
            Self::Unchanged => None,
            Self::Rewritten(words) => Some(PartEdit::Text(words.clone())),
            Self::Removed => Some(PartEdit::Remove),
        }
    }
}

/// What one run changes of an agent's history.
#[derive(Default)]
pub struct Overlay {
    tag: String,
    calls: Vec<Known>,
    /// The calls by the ids of the provider. An id that was used twice names none.
    ids: BTreeMap<String, Option<usize>>,
    /// The other released calls, in order, by what the agent has of them.
    alike: BTreeMap<String, Vec<usize>>,
    /// What became of the texts of the model.
    texts: Texts,
    /// The steps of the conversation, if the operator inserted words.
    steps: Vec<Step>,
    /// What was said in the conversation, if the agent may lack a call of it.
    told: Vec<Told>,
}

/// Returns true if the model sees of a node what the agent has: the agent got the call, and nothing was edited.
pub fn is_unchanged(state: &State, id: NodeId) -> bool {
    let is_plain = |node: &Node| {
        let by_operator = matches!(node.now().origin, Origin::Operator { .. });
        let is_corrected = id.kind == NodeKind::Observation && by_operator;
        node.active && node.revisions.len() == 1 && !is_corrected && !is_inserted(node)
    };
    state.nodes.get(&id).is_none_or(is_plain) && state.calls.get(&id).is_none_or(was_released)
}

impl Overlay {
    /// Returns what a run changes.
    pub fn of(state: &State) -> Self {
        let mut overlay = Self {
            tag: tag(state),
            texts: texts(state.nodes.values()),
            steps: steps(state),
            told: told(state),
            ..Self::default()
        };
        let mut turns: BTreeMap<TurnId, Arc<Texts>> = BTreeMap::new();
        for call in state.calls.values() {
            let at = overlay.calls.len();
            let Some(known) = known(state, call, &mut turns) else {
                continue;
            };
            overlay.calls.push(known);
            if let Some(id) = call.provider_id.as_deref().filter(|id| !id.is_empty()) {
                let id = overlay.ids.entry(id.to_owned());
                id.and_modify(|one| *one = None).or_insert(Some(at));
            }
        }
        overlay.alike = overlay.nameless(state);
        overlay
    }

    /// The released calls that no id names. An agent may have the result of a call that was given up here.
    fn nameless(&self, state: &State) -> BTreeMap<String, Vec<usize>> {
        let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let executed = self.calls.iter().enumerate().filter(|(_, one)| one.was_released);
        for (at, one) in executed {
            let Some(call) = state.calls.get(&NodeId::new(NodeKind::Call, one.number)) else {
                continue;
            };
            let id = call.provider_id.as_deref().unwrap_or_default();
            if self.named(id).is_none() {
                let result = first_result(state, call);
                let key = likeness(&one.tool, &one.args, result.as_deref());
                found.entry(key).or_default().push(at);
            }
        }
        found
    }

    /// The call that a name masks.
    fn masked(&self, name: &str) -> Option<&Known> {
        let (tag, number) = read_mask(name)?;
        self.calls
            .iter()
            .find(|call| self.tag == tag && call.number == number)
    }

    /// True if the model does not see a call or a text of its own any more.
    fn removes(&self) -> bool {
        self.calls.iter().any(|call| call.is_superseded)
            || self.texts.values().any(|fate| *fate == TextFate::Removed)
    }

    /// True if a call has this id of the provider.
    fn has_id(&self, id: &str) -> bool {
        self.ids.contains_key(id)
    }

    /// The call that an id of the provider names.
    fn named(&self, id: &str) -> Option<&Known> {
        self.calls.get((*self.ids.get(id)?)?)
    }
}

/// The tool and the argument text of a call as an agent has them.
fn tool_and_args<'s>(state: &'s State, call: &'s Call) -> Option<(&'s str, &'s str)> {
    let node = state.nodes.get(&call.id)?;
    // A deleted call is in the history all the same.
    let is_call = |revision: &&Revision| matches!(revision.content, Content::Call { .. });
    let newest = || node.revisions.iter().rev().find(is_call);
    let current = Some(node.now()).filter(is_call).or_else(newest);
    let Content::Call { tool, args } = &current?.content else {
        return None;
    };
    let given = call.attempts.last().map(|attempt| &*attempt.args);
    Some((tool, given.unwrap_or(args)))
}

fn known(state: &State, call: &Call, turns: &mut BTreeMap<TurnId, Arc<Texts>>) -> Option<Known> {
    let node = state.nodes.get(&call.id)?;
    let texts = turns.entry(node.turn).or_insert_with(|| {
        let nodes = state.turns.get(&node.turn).map_or(&[][..], |turn| &turn.nodes);
        Arc::new(texts(nodes.iter().filter_map(|id| state.nodes.get(id))))
    });
    let texts = texts.clone();
    let (tool, args) = tool_and_args(state, call)?;
    let was_released = was_released(call);
    Some(Known {
        number: call.id.no,
        tool: tool.to_owned(),
        args: args.to_owned(),
        keeps_opaque: node.current == Rev(1),
        was_released,
        is_superseded: !node.active && (!is_deleted(node) || is_turn_superseded(state, node)),
        texts,
        result: result(state, call, was_released),
    })
}

fn is_turn_superseded(state: &State, node: &Node) -> bool {
    let turn = state.turns.get(&node.turn);
    turn.is_some_and(|turn| matches!(turn.activity, Activity::Superseded(_)))
}

fn is_deleted(node: &Node) -> bool {
    matches!(node.now().content, Content::Deleted)
}

/// The result that the model sees in place of the agent's: of a masked, a deleted and a corrected call.
fn result(state: &State, call: &Call, was_released: bool) -> Option<(String, bool)> {
    let node = state.nodes.get(&call.id)?;
    if is_deleted(node) {
        return Some((DELETED.to_owned(), false));
    }
    let observation = state.observation(call.id);
    let by_operator = |node: &Node| matches!(node.now().origin, Origin::Operator { .. });
    if was_released && !observation.is_some_and(by_operator) {
        return None;
    }
    Some(result_text(state, call))
}

/// The text of the result that the agent sent.
pub(super) fn first_result(state: &State, call: &Call) -> Option<String> {
    // An agent's history has it whatever became of it here.
    let first = state.nodes.get(&call.id.observation())?.revisions.first()?;
    let Content::Observation { outcome, .. } = &first.content else {
        return None;
    };
    match outcome {
        Outcome::Ok { value, .. } => serde_json::from_str(value).ok(),
        Outcome::Err(error) => Some(error.message.clone()),
        Outcome::Cancelled { .. } => None,
    }
}

/// Returns arguments in one spelling.
pub fn spelled(args: &str) -> String {
    let args = if args.trim().is_empty() { "{}" } else { args };
    canon::canonical_text(args).unwrap_or_else(|_| args.to_owned())
}

/// What an agent has of a call that it executed: the same for calls that it cannot distinguish. Without a result, what it has
/// besides.
fn likeness(tool: &str, args: &str, result: Option<&str>) -> String {
    let args = spelled(args);
    let (kind, result) = match result {
        Some(result) => ("overrule alike calls v1", ends(result).0),
        None => ("overrule calls without result v1", String::new()),
    };
    canon::hash(kind, &[tool.as_bytes(), args.as_bytes(), result.as_bytes()])
}

fn text_key(text: &str) -> String {
    canon::hash("overrule texts v1", &[text.as_bytes()])
}

/// What became of the thoughts and answers among these nodes, by their words as they came. If several had the same words,
/// one that is active and still has them keeps them.
fn texts<'s>(nodes: impl Iterator<Item = &'s Node>) -> Texts {
    let mut found = Texts::new();
    let mut unchanged = Vec::new();
    for node in nodes {
        let first = node.revisions.first().map(|revision| &revision.content);
        let Some(Content::Text { text: was, .. }) = first else {
            continue;
        };
        if !matches!(node.id.kind, NodeKind::Thought | NodeKind::Answer) || was.is_empty() {
            continue;
        }
        let (key, now) = (text_key(was), node.text());
        if node.active && now == &**was {
            unchanged.push(key.clone());
        }
        let fate = if node.active && !now.is_empty() {
            TextFate::Rewritten(now.to_owned())
        } else {
            TextFate::Removed
        };
        found.insert(key, fate);
    }
    found.extend(unchanged.into_iter().map(|key| (key, TextFate::Unchanged)));
    found
}
