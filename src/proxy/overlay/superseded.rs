//! Removes what an edit superseded from an agent's history: calls with their results, and what belongs to them.
//!
//! Must not know: formats, how a run decides.

use std::ops::{Range, RangeInclusive};

use super::applied::{History, KnownCalls};
use super::{Known, Overlays, TextFate};
use crate::conversation;
use overrule_model::wire::agent::{AgentMessage, AgentRequest, PartEdit, PartKind, Rewrite, Role};

/// The words for the model where its reply would be the last message, or two replies would be one.
pub(super) const WENT_BACK: &str =
    "The operator went back to this point and removed everything after it. Continue from here.";

/// The result of a superseded call that the model's server keeps.
const WITHDRAWN: &str = "The operator went back to before this call. Its result does not count.";

/// Parts that are no part of a reply: what the server made of a whole history, and lists of tools.
const NO_REPLY: [&str; 4] = [
    "compaction",
    "compaction_summary",
    "context_compaction",
    "mcp_list_tools",
];

/// The calls and results of a request, the known calls, and one of the reply of each message.
type InRequest<'a> = (&'a History<'a>, &'a KnownCalls<'a>, &'a [Option<&'a Known>]);

/// What becomes of a part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    /// An edit superseded it.
    Goes,
    /// A text that goes, whatever becomes of the parts around it.
    GoesAlone,
    /// Nothing is known of it by itself.
    Unknown,
}

/// Removes what was superseded.
pub(super) fn remove(
    overlays: &Overlays,
    request: &AgentRequest,
    (history, found, replies): InRequest<'_>,
    rewrite: &mut Rewrite<'_>,
) {
    let mut begin = 0;
    while begin < request.messages.len() {
        let run = run_from(request, begin);
        begin = run.end.max(begin + 1);
        reply(overlays, request, run, (history, found, replies), rewrite);
    }
    for result in &history.results {
        let call = result.call.and_then(|call| found.get(&call));
        let at_server = || overlays.named(result.id?, None);
        if call.is_some_and(|known| known.is_superseded) {
            rewrite.part(result.at.0, result.at.1, PartEdit::Remove);
        } else if call.is_none() && at_server().is_some_and(|known| known.is_superseded) {
            // The call is in the history that the model's server keeps, and needs a result.
            let (text, is_error, tool) = (WITHDRAWN.to_owned(), false, None);
            rewrite.part(
                result.at.0,
                result.at.1,
                PartEdit::Result { text, is_error, tool },
            );
        }
    }
}

/// The messages of one reply of the model.
fn run_from(request: &AgentRequest, begin: usize) -> Range<usize> {
    let rest = request.messages.get(begin..).unwrap_or_default();
    let is_models = |role: Role| role == Role::Assistant;
    let length = rest.iter().take_while(|message| is_models(message.role)).count();
    begin..begin + length
}

/// Removes the superseded parts of one reply. What only the provider can read belongs to what follows it.
fn reply(
    overlays: &Overlays,
    request: &AgentRequest,
    run: Range<usize>,
    (history, found, replies): InRequest<'_>,
    rewrite: &mut Rewrite<'_>,
) {
    let mut places = Vec::new();
    let mut fates = Vec::new();
    for at in run {
        let parts = request.messages.get(at).map_or(&[][..], |message| &message.parts);
        for (number, part) in parts.iter().enumerate() {
            places.push((at, number));
            fates.push(match &part.kind {
                PartKind::Call { .. } => of_call(history, found, (at, number)),
                PartKind::Text { text } => of_text(overlays, text, replies.get(at).copied().flatten()),
                PartKind::Reasoning { text } => {
                    of_reasoning(overlays, text, replies.get(at).copied().flatten())
                }
                PartKind::Other { name } if NO_REPLY.contains(&name.as_str()) => Fate::Stays,
                PartKind::Result { .. } | PartKind::Other { .. } => Fate::Unknown,
            });
        }
    }
    for (number, place) in places.into_iter().enumerate() {
        if resolved(&fates, number) == Fate::Goes {
            rewrite.part(place.0, place.1, PartEdit::Remove);
        }
    }
}

fn of_call(history: &History<'_>, found: &KnownCalls<'_>, at: (usize, usize)) -> Fate {
    // They are in the order of the request.
    let place = history.calls.binary_search_by_key(&at, |call| call.at);
    match place.ok().and_then(|place| found.get(&place)) {
        Some(known) if known.is_superseded => Fate::Goes,
        _ => Fate::Stays,
    }
}

fn of_text(overlays: &Overlays, text: &str, reply: Option<&Known>) -> Fate {
    let is_of_reply = reply.is_some_and(|call| call.has_text(text));
    match overlays.fate_of(text, reply) {
        Some(TextFate::Rewritten(_)) => Fate::Stays,
        Some(TextFate::Removed) => Fate::GoesAlone,
        Some(TextFate::Unchanged) if is_of_reply => Fate::Stays,
        Some(TextFate::Unchanged) | None => Fate::Unknown,
    }
}

/// Like a text, but reasoning that was not rewritten may be signed: it belongs to what follows it.
fn of_reasoning(overlays: &Overlays, text: &str, reply: Option<&Known>) -> Fate {
    match overlays.fate_of(text, reply) {
        Some(TextFate::Unchanged) => Fate::Unknown,
        _ => of_text(overlays, text, reply),
    }
}

/// What becomes of a part, by its neighbours if nothing is known of it.
fn resolved(fates: &[Fate], number: usize) -> Fate {
    let own = fates.get(number).copied().unwrap_or(Fate::Stays);
    if own != Fate::Unknown {
        return own;
    }
    let (before, after) = fates.split_at(number);
    let is_certain = |fate: &&Fate| matches!(fate, Fate::Stays | Fate::Goes);
    if let Some(next) = after.iter().find(is_certain) {
        return *next;
    }
    if after.contains(&Fate::GoesAlone) {
        return Fate::Goes;
    }
    match before.iter().rev().find(|fate| **fate != Fate::Unknown) {
        Some(Fate::Goes | Fate::GoesAlone) => Fate::Goes,
        _ => Fate::Stays,
    }
}

/// The gaps that leave a reply next to another one, or at the end: from what was removed to the message after it. Words of
/// the user go there.
pub(super) fn gaps(request: &AgentRequest, rewrite: &Rewrite<'_>) -> Vec<RangeInclusive<usize>> {
    let mut gaps = Vec::new();
    let (mut last, mut begin) = (Role::User, None);
    for (at, message) in request.messages.iter().enumerate() {
        if rewrite.removes(at) {
            if message.role != Role::Assistant {
                begin = begin.or(Some(at));
            }
            continue;
        }
        if begin.is_some() && is_of_agent(message, at, rewrite) {
            continue;
        }
        if let Some(begin) = begin
            .take()
            .filter(|_| last == Role::Assistant && message.role == Role::Assistant)
        {
            gaps.push(begin..=at);
        }
        last = message.role;
    }
    gaps.extend(
        begin
            .filter(|_| last == Role::Assistant)
            .map(|begin| begin..=request.messages.len()),
    );
    gaps
}

/// True for a message that has only words left that the agent adds by itself.
fn is_of_agent(message: &AgentMessage, at: usize, rewrite: &Rewrite<'_>) -> bool {
    let mut parts = (0..)
        .zip(&message.parts)
        .filter(|(number, _)| !rewrite.removes_part(at, *number));
    message.role == Role::User
        && parts
            .all(|(_, part)| matches!(&part.kind, PartKind::Text { text } if conversation::is_by_agent(text)))
}
