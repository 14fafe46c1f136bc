//! Puts calls that an agent did not learn of back into its history, each as the agent would have a masked one.
//!
//! Must not know: how a run decides, what the model sees of a masked call.
//!
//! - A reply with other calls gets its hidden ones back next to those.
//! - A reply without another call was continued by the next reply of the model, and the agent has both as one. They are
//!   separated again: the earlier one is written from the record before what followed it.
//!
//! What an agent forgot stays forgotten: a reply comes back only where its neighbour is, or at the end.

mod beside;
mod seen;
#[cfg(test)]
mod tests;
mod told;

use std::collections::BTreeMap;

use self::beside::with_calls;
use self::seen::Seen;
pub(super) use self::told::Told;
use self::told::marks;
use super::applied::{History, found};
use super::{Overlay, Overlays, is_refused};
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_domain::transcript::{CalledAs, Message, ModelText};
use overrule_model::wire::Target;
use overrule_model::wire::agent::{
    AgentRequest, Body, Part, PartEdit, PartKind, Rewrite, Role, decode_bytes, decode_request,
};
use overrule_model::{Quirk, Quirks, Request, Tap};

/// What stands for the result of a call. The model sees another one.
const NO_RESULT: &str = "rejected";
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
            let read = body.and_then(|body| decode_bytes(request.wire, body.bytes().clone()).ok());
            whole = read.or(whole);
        }
    }
    whole
}

/// The first message of the reply that this one is of; of no reply, this one.
fn begin_of(seen: &[Seen<'_>], at: usize) -> usize {
    if !seen.get(at).is_some_and(Seen::is_models) {
        return at;
    }
    let before = seen.get(..at).unwrap_or_default().iter().rev();
    at - before.take_while(|one| one.is_models()).count()
}

/// The body with the replies that were continued; none if there is none to put back.
fn with_turns(overlay: &Overlay, request: &AgentRequest, seen: &[Seen<'_>], is_own: bool) -> Option<Body> {
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
        } else if told.is_asked_again {
            // What followed is no part of what the agent had before.
            (next, is_end) = (None, false);
        } else if !is_end {
            next = None;
        } else if told.words.is_some() {
            // The agent forgot the words, and so what the model said to them.
            places.remove(&end);
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
        id: TurnId::default(),
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
