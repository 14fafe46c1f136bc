//! Puts calls that an agent did not learn of back into its history, each as the agent would have a masked one.
//!
//! Must not know: how a run decides, what the model sees of a masked call.
//!
//! - A reply with other calls gets its hidden ones back next to those.
//! - A reply without another call was continued by the next reply of the model, and the agent has both as one. They are
//!   separated again: the earlier one is written from the record before what followed it.
//!
//! What an agent forgot stays forgotten: a reply comes back only where its neighbour is, or at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::applied::{History, KnownCalls, found};
use super::{Overlay, Overlays, is_refused, mask};
use crate::conversation::{self, AGAIN};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::{Channel, Content, Node};
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_domain::transcript::{CalledAs, Message, ModelText};
use overrule_domain::turn::Turn;
use overrule_model::frame;
use overrule_model::wire::Target;
use overrule_model::wire::agent::json::{Element, with_elements, with_member};
use overrule_model::wire::agent::{
    AgentMessage, AgentRequest, Part, PartEdit, PartKind, Rewrite, Role, decode_request,
};
use overrule_model::{Quirk, Quirks, Request, Tap};

/// What stands for the result of a call. The model sees another one.
const NO_RESULT: &str = "rejected";
/// Members of messages with the parts of a reply or of results.
const LISTS: [&str; 3] = ["content", "parts", "tool_calls"];

/// What was said in one turn of a conversation.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    /// The numbers of the calls that the agent may have, with their ids.
    given: Vec<(u32, Option<Arc<str>>)>,
    /// The calls that the agent may lack, under the names of their masks.
    hidden: Vec<CalledAs>,
    /// What the model said, as it came.
    texts: Vec<ModelText>,
    /// What the agent's user said.
    words: Option<String>,
}

impl Told {
    fn of(state: &State, turn: &Turn) -> Self {
        let mut told = Self::default();
        for node in turn.nodes.iter().filter_map(|id| state.nodes.get(id)) {
            told.take(state, turn, node);
        }
        // Nothing of it is anywhere.
        if !turn.is_active() && told.first_text().is_none() {
            told.hidden.clear();
        }
        told
    }

    fn take(&mut self, state: &State, turn: &Turn, node: &Node) {
        let first = node.revisions.first().map(|revision| &revision.content);
        if let Some(call) = state.calls.get(&node.id) {
            if !is_refused(state, call) {
                return self.given.push((node.id.no, call.provider_id.clone()));
            }
            let own = turn.more.opaque.iter().find(|(id, _)| *id == node.id);
            let wire_id = call.provider_id.clone().filter(|id| !id.is_empty());
            return self.hidden.push(CalledAs {
                node: node.id,
                wire_id: wire_id.unwrap_or_else(|| format!("call_{}", node.id).into()),
                tool: mask(state, node.id).into(),
                args: "{}".into(),
                opaque: own.map(|(_, opaque)| opaque.clone()),
            });
        }
        let Some(Content::Text {
            text,
            channel,
            opaque,
        }) = first
        else {
            return;
        };
        match node.id.kind {
            NodeKind::Thought | NodeKind::Answer => self.texts.push(ModelText {
                node: node.id,
                text: text.clone(),
                reasoning: *channel == Channel::Reasoning,
                opaque: opaque.clone(),
                by_operator: false,
            }),
            NodeKind::Prompt if node.is_from_agent() && !text.is_empty() && **text != *AGAIN => {
                self.words = Some(text.to_string());
            }
            _ => {}
        }
    }

    /// True if the agent has no call of it.
    fn is_continued(&self) -> bool {
        !self.hidden.is_empty() && self.given.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.given.is_empty() && self.hidden.is_empty() && self.texts.is_empty() && self.words.is_none()
    }

    /// What identifies the provider's own blocks in it.
    fn marks(&self) -> impl Iterator<Item = String> {
        self.texts.iter().flat_map(|text| marks(text.opaque.as_deref()))
    }

    fn first_text(&self) -> Option<&str> {
        let mut texts = self.texts.iter().filter(|text| !text.reasoning);
        texts.find_map(|text| Some(text.text.trim()).filter(|text| !text.is_empty()))
    }

    fn last_text(&self) -> Option<&str> {
        let mut texts = self.texts.iter().rev().filter(|text| !text.reasoning);
        texts.find_map(|text| Some(text.text.trim()).filter(|text| !text.is_empty()))
    }
}

/// What was said in a conversation, turn by turn; none if no call of it was refused.
pub(super) fn told(state: &State) -> Vec<Told> {
    if !state.calls.values().any(|call| is_refused(state, call)) {
        return Vec::new();
    }
    let turns = state.turns_of(ROOT).map(|turn| Told::of(state, turn));
    turns.filter(|told| !told.is_empty()).collect()
}

/// Returns the request with the calls of these runs that the agent did not learn of; none if it lacks none.
pub fn put_back(overlays: &Overlays, request: &AgentRequest) -> Option<AgentRequest> {
    let mut whole: Option<AgentRequest> = None;
    for overlay in overlays.all().filter(|overlay| !overlay.told.is_empty()) {
        let is_own = overlays
            .own
            .as_ref()
            .is_some_and(|own| std::ptr::eq(own, overlay));
        for beside in [true, false] {
            let now = whole.as_ref().unwrap_or(request);
            let history = History::of(now);
            let found = found(overlays, &history);
            let seen = Seen::all(overlay, now, (&history, &found));
            let body = if beside {
                with_calls(overlay, now, &seen)
            } else {
                with_turns(overlay, now, &seen, is_own)
            };
            let read = body.and_then(|body| decode_request(request.wire, body.as_bytes()).ok());
            whole = read.or(whole);
        }
    }
    whole
}

/// What a message of a request has.
struct Seen<'r> {
    message: &'r AgentMessage,
    role: Role,
    /// The numbers of calls of the run.
    calls: Vec<u32>,
    /// Texts without reasoning.
    texts: Vec<&'r str>,
    words: String,
    has_results: bool,
}

impl<'r> Seen<'r> {
    fn all(
        overlay: &Overlay,
        request: &'r AgentRequest,
        (history, found): (&History<'_>, &KnownCalls<'_>),
    ) -> Vec<Self> {
        let messages = request.messages.iter();
        let mut all: Vec<Self> = messages
            .map(|message| Self {
                message,
                role: message.role,
                calls: Vec::new(),
                texts: message.texts().collect(),
                words: message.texts().collect::<Vec<_>>().join("\n\n"),
                has_results: message
                    .parts
                    .iter()
                    .any(|part| matches!(part.kind, PartKind::Result { .. })),
            })
            .collect();
        for (place, known) in found {
            let is_own = overlay.calls.iter().any(|own| std::ptr::eq(own, *known));
            let call = history.calls.get(*place).filter(|_| is_own);
            if let Some(seen) = call.and_then(|call| all.get_mut(call.at.0)) {
                seen.calls.push(known.number);
            }
        }
        all
    }

    fn is_models(&self) -> bool {
        self.role == Role::Assistant
    }

    fn has_hidden(&self, told: &Told) -> bool {
        told.hidden.iter().any(|call| self.calls.contains(&call.node.no))
    }

    fn has_given(&self, told: &Told) -> bool {
        told.given.iter().any(|(number, _)| self.calls.contains(number))
    }

    /// True if it begins with what the model said in a turn.
    fn begins_with(&self, told: &Told) -> bool {
        let begin = told.first_text();
        let begins = |begin: &str| self.texts.iter().any(|text| text.trim_start().starts_with(begin));
        self.is_models() && begin.is_some_and(begins)
    }

    /// True if it is of a turn. `before` is the one that this one continues: an agent may have the texts of both as one.
    fn is_of(&self, told: &Told, before: Option<&Told>) -> bool {
        let joined = |text: &str| {
            let (begin, end) = (before.and_then(Told::first_text), told.last_text());
            begin.is_none_or(|begin| text.starts_with(begin)) && end.is_some_and(|end| text.ends_with(end))
        };
        let own = |text: &str| {
            let mut own = told.texts.iter().filter(|one| !one.reasoning);
            !text.is_empty() && own.any(|one| one.text.trim() == text)
        };
        // Some agents keep calls as text.
        let mut ids = told.given.iter().filter_map(|(_, id)| id.as_deref());
        let is_said = |text: &&str| {
            let text = text.trim();
            own(text) || before.is_some() && joined(text)
        };
        match self.role {
            Role::Assistant => {
                self.has_given(told)
                    || self.texts.iter().any(is_said)
                    || ids.any(|id| conversation::mentions(self.message, id))
            }
            Role::User => {
                let is_in = |words: &String| {
                    self.words.contains(words) || !self.words.is_empty() && words.contains(&self.words)
                };
                told.words.as_ref().is_some_and(is_in)
            }
            Role::System | Role::Tool => false,
        }
    }
}

/// The first message of a reply that has this one.
fn begin_of(seen: &[Seen<'_>], at: usize) -> usize {
    let before = seen.get(..at).unwrap_or_default().iter().rev();
    at - before.take_while(|one| one.is_models()).count()
}

/// The body with the replies that were continued; none if there is none to put back.
fn with_turns(overlay: &Overlay, request: &AgentRequest, seen: &[Seen<'_>], is_own: bool) -> Option<String> {
    let mut places: BTreeMap<usize, Vec<&Told>> = BTreeMap::new();
    // From the end, as an agent forgets the beginning first.
    let (mut end, mut is_end) = (seen.len(), true);
    let mut next = is_own.then_some(end);
    for (at, told) in overlay.told.iter().enumerate().rev() {
        let rest = seen.get(..end).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| overlay.told.get(before));
        let before = before.filter(|before| before.is_continued());
        let found = if told.is_continued() {
            rest.iter().rposition(|one| one.has_hidden(told))
        } else {
            rest.iter().rposition(|one| one.is_of(told, before))
        };
        if let Some(found) = found {
            let begin = begin_of(seen, found);
            (end, next, is_end) = (begin, Some(begin), false);
        } else if told.is_continued() {
            // An agent that was cut off has the text already.
            let said = rest.iter().rposition(|one| one.begins_with(told));
            if let Some(said) = said.filter(|_| is_end) {
                next = next.and(Some(begin_of(seen, said)));
            }
            if let Some(next) = next {
                places.entry(next).or_default().insert(0, told);
            }
        } else if !is_end {
            next = None;
        }
    }
    if places.is_empty() {
        return None;
    }
    let mut rewrite = Rewrite::new(request);
    for (place, turns) in places {
        without_texts(request, place, &turns, &mut rewrite);
        let new = turns
            .iter()
            .flat_map(|told| encoded(request, &told.texts, &told.hidden));
        rewrite.messages(place..place, new.map(|(_, raw)| raw).collect());
    }
    Some(rewrite.body())
}

/// Removes what the model said in these turns from the reply that begins at this message.
fn without_texts(request: &AgentRequest, begin: usize, turns: &[&Told], rewrite: &mut Rewrite<'_>) {
    let mut left: BTreeMap<(usize, usize), &str> = BTreeMap::new();
    let reply = request.messages.iter().enumerate().skip(begin);
    let parts: Vec<((usize, usize), &Part)> = reply
        .take_while(|(_, message)| message.role == Role::Assistant)
        .flat_map(|(at, message)| {
            (0..)
                .zip(&message.parts)
                .map(move |(number, part)| ((at, number), part))
        })
        .collect();
    let own: Vec<String> = turns.iter().flat_map(|told| told.marks()).collect();
    for (at, part) in &parts {
        let is_block = matches!(part.kind, PartKind::Reasoning { .. } | PartKind::Other { .. });
        if is_block
            && marks(part.opaque.as_deref())
                .iter()
                .any(|mark| own.contains(mark))
        {
            left.insert(*at, "");
        }
    }
    for text in turns.iter().flat_map(|told| &told.texts) {
        let words = text.text.trim();
        for (at, part) in &parts {
            let (PartKind::Text { text: now } | PartKind::Reasoning { text: now }) = &part.kind else {
                continue;
            };
            let is_reasoning = matches!(part.kind, PartKind::Reasoning { .. });
            let now = left.get(at).copied().unwrap_or(now).trim_start();
            if is_reasoning != text.reasoning || left.get(at) == Some(&"") {
                continue;
            }
            let is_same = words == now.trim_end() && !words.is_empty();
            let rest = now
                .strip_prefix(words)
                .filter(|_| !words.is_empty() && !is_reasoning);
            if let Some(rest) = Some("").filter(|_| is_same).or(rest) {
                left.insert(*at, rest);
                break;
            }
        }
    }
    for (at, rest) in left {
        let edit = if rest.trim().is_empty() {
            PartEdit::Remove
        } else {
            PartEdit::Text(rest.to_owned())
        };
        rewrite.part(at.0, at.1, edit);
    }
}

/// What identifies the provider's own blocks in this list: ids and signatures.
fn marks(opaque: Option<&str>) -> Vec<String> {
    const MARKS: [&str; 4] = ["id", "signature", "encrypted_content", "data"];
    let blocks = opaque.map(frame::array).unwrap_or_default().into_iter();
    let inner = blocks.filter_map(|block| Some(frame::Object::read(block)?.entries().next()?.1));
    let marks = inner.flat_map(|raw| MARKS.iter().filter_map(move |key| frame::member(raw, key)));
    let marks = marks.filter(|mark| mark.len() > 2 && *mark != "null");
    marks.map(str::to_owned).collect()
}

/// The body in which replies have their hidden calls next to the others; none if there is none to put back.
fn with_calls(overlay: &Overlay, request: &AgentRequest, seen: &[Seen<'_>]) -> Option<String> {
    let mut changed: BTreeMap<usize, String> = BTreeMap::new();
    let mut inserted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let in_part = overlay
        .told
        .iter()
        .filter(|told| !told.hidden.is_empty() && !told.given.is_empty());
    for told in in_part {
        if seen.iter().any(|one| one.has_hidden(told)) {
            continue;
        }
        let Some(last) = seen.iter().rposition(|one| one.has_given(told)) else {
            // An agent that keeps calls as text.
            if let Some(at) = seen.iter().rposition(|one| one.is_of(told, None)) {
                let new = encoded(request, &[], &told.hidden);
                let new = new.into_iter().map(|(_, raw)| raw);
                inserted.entry(begin_of(seen, at)).or_default().extend(new);
            }
            continue;
        };
        let first = (begin_of(seen, last)..=last)
            .find(|at| seen.get(*at).is_some_and(|one| one.has_given(told)))
            .unwrap_or(last);
        let is_first = |call: &&CalledAs| told.given.iter().all(|(number, _)| call.node.no < *number);
        let (before, after): (Vec<&CalledAs>, Vec<&CalledAs>) = told.hidden.iter().partition(is_first);
        for (calls, is_before) in [(before, true), (after, false)] {
            let calls: Vec<CalledAs> = calls.into_iter().cloned().collect();
            let (own, results) = split(request, &calls);
            let place = if is_before { first } else { last };
            let at = if is_before { place } else { place + 1 };
            place_all(
                request,
                own,
                (place, at),
                is_before,
                (&mut changed, &mut inserted),
            );
            let after = last + 1;
            let count = seen.iter().skip(after).take_while(|one| one.has_results).count();
            let (place, at) = if is_before || count == 0 {
                (after, after)
            } else {
                (after + count - 1, after + count)
            };
            let has_results = count > 0;
            if has_results {
                place_all(
                    request,
                    results,
                    (place, at),
                    is_before,
                    (&mut changed, &mut inserted),
                );
            } else {
                inserted.entry(at).or_default().extend(results);
            }
        }
    }
    if changed.is_empty() && inserted.is_empty() {
        return None;
    }
    let mut rewrite = Rewrite::new(request);
    let mut all: BTreeMap<usize, (usize, Vec<String>)> = BTreeMap::new();
    for (at, new) in inserted {
        all.entry(at).or_default().1.extend(new);
    }
    for (at, new) in changed {
        let entry = all.entry(at).or_default();
        entry.0 = 1;
        entry.1.push(new);
    }
    for (at, (count, new)) in all {
        rewrite.messages(at..at + count, new);
    }
    Some(rewrite.body())
}

/// Adds the parts of new messages to the message at a place, or the messages before another place, if the format has a
/// message for each part.
fn place_all(
    request: &AgentRequest,
    new: Vec<String>,
    (place, at): (usize, usize),
    is_before: bool,
    (changed, inserted): (&mut BTreeMap<usize, String>, &mut BTreeMap<usize, Vec<String>>),
) {
    for raw in new {
        let old = request.messages.get(place).map(|message| request.raw(message));
        let now = changed.get(&place).map(String::as_str).or(old);
        match now.and_then(|now| merged(now, &raw, is_before)) {
            Some(both) => _ = changed.insert(place, both),
            None => inserted.entry(at).or_default().push(raw),
        }
    }
}

/// A message with the parts of another one before its own, or after them. Words of the user stay last.
fn merged(old: &str, new: &str, is_before: bool) -> Option<String> {
    let list = |raw: &str, key| {
        frame::member(raw, key)
            .filter(|raw| raw.starts_with('['))
            .map(str::to_owned)
    };
    let key = LISTS
        .iter()
        .find(|key| list(old, key).is_some() && list(new, key).is_some())?;
    let (own, more) = (list(old, key)?, list(new, key)?);
    let own_parts = frame::array(&own);
    let is_text = |raw: &&&str| frame::member(raw, "text").is_some();
    let texts = own_parts.iter().rev().take_while(is_text).count();
    let begin = own_parts
        .iter()
        .position(|raw| {
            [
                "tool_use",
                "tool_result",
                "functionCall",
                "functionResponse",
                "function",
            ]
            .iter()
            .any(|word| raw.contains(word))
        })
        .unwrap_or(own_parts.len());
    let at = if is_before { begin } else { own_parts.len() - texts };
    let mut elements: Vec<Element> = (0..own_parts.len()).map(Element::Old).collect();
    let more = frame::array(&more)
        .into_iter()
        .map(|raw| Element::New(raw.to_owned()));
    elements.splice(at..at, more);
    Some(with_member(old, key, &with_elements(&own, &elements)))
}

/// The messages of the model with these calls, and those with their results.
fn split(like: &AgentRequest, calls: &[CalledAs]) -> (Vec<String>, Vec<String>) {
    let (mut own, mut results) = (Vec::new(), Vec::new());
    for (role, raw) in encoded(like, &[], calls) {
        let to = if role == Role::Assistant {
            &mut own
        } else {
            &mut results
        };
        to.push(raw);
    }
    (own, results)
}

/// The forms in which the server of this request takes messages: without marks of the console's own, and with reasoning
/// where the agent sends it.
fn quirks(like: &AgentRequest) -> Quirks {
    let mut quirks = Quirks::from([Quirk::LeaveOut("cache_control".to_owned())]);
    for (member, quirk) in [
        ("\"reasoning_content\"", Quirk::ReasoningBack),
        ("\"reasoning_details\"", Quirk::SignaturesBack),
    ] {
        quirks.extend(like.body.contains(member).then_some(quirk));
    }
    quirks
}

/// What the model said and called in one turn, and the results of the calls, as messages of a request like this one.
fn encoded(like: &AgentRequest, texts: &[ModelText], calls: &[CalledAs]) -> Vec<(Role, String)> {
    if calls.is_empty() {
        return Vec::new();
    }
    let first = Message::User {
        node: NodeId::new(NodeKind::Prompt, 0),
        text: "-".into(),
    };
    let said = Message::Assistant {
        texts: texts.to_vec(),
        calls: calls.to_vec(),
    };
    let results = calls.iter().map(|call| Message::Result {
        call: call.node,
        wire_id: call.wire_id.clone(),
        tool: call.tool.clone(),
        text: NO_RESULT.into(),
        is_error: true,
    });
    let request = Request {
        system: "".into(),
        messages: [first, said].into_iter().chain(results).collect(),
        tools: Vec::new(),
        quirks: Quirks::new(),
        turn: 1,
        output_schema: None,
        tap: Tap::default(),
    };
    let body = like.wire.body(Target::plain("-"), &request, &quirks(like));
    let Ok(read) = decode_request(like.wire, body.as_bytes()) else {
        return Vec::new();
    };
    let messages = read.messages.iter();
    let messages = messages.skip_while(|message| message.role != Role::Assistant);
    messages
        .map(|message| (message.role, read.raw(message).to_owned()))
        .collect()
}
