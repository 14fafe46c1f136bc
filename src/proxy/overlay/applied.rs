//! Applies what runs change to a request of an agent.
//!
//! Must not know: how a run decides.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{Known, MASK, Overlay, TextFate, inserted, likeness, read_mask, spelled, superseded, text_key};
use overrule_model::frame;
use overrule_model::wire::agent::{AgentRequest, Body, CallForm, PartEdit, PartKind, Rewrite, Role};

/// A request has a call that was rejected, and nothing of that call is known here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot send the request: its history has a call that another session rejected (`{name}`); hint: continue that \
     session with `overrule proxy --resume`, or begin a new conversation in the agent"
)]
pub struct Unrestored {
    /// The name that stands for the call.
    pub name: String,
}

/// A call in a request.
pub(super) struct RequestCall<'r> {
    pub(super) at: (usize, usize),
    id: Option<&'r str>,
    name: &'r str,
    args: &'r str,
    form: CallForm,
    result: Option<&'r str>,
}

impl<'r> RequestCall<'r> {
    /// The name of the mask that it is. Some agents put the name of a tool that they lack into the arguments of another.
    fn mask(&self) -> Option<Cow<'r, str>> {
        mask_in(self.name, self.args)
    }
}

/// The name of the mask that a call with this name and these arguments is.
fn mask_in<'r>(name: &'r str, args: &'r str) -> Option<Cow<'r, str>> {
    let is_mask = |name: &Cow<'_, str>| read_mask(name).is_some();
    let own = Some(Cow::Borrowed(name)).filter(is_mask);
    let in_args = || {
        let args = Some(args).filter(|args| args.contains(MASK));
        let args = frame::Object::read(args?)?;
        NAMES.iter().filter_map(|name| args.string(name)).find(is_mask)
    };
    own.or_else(in_args)
}

/// Returns true for a call that is a mask.
pub(in super::super) fn is_mask(kind: &PartKind) -> bool {
    matches!(kind, PartKind::Call { name, args, .. } if mask_in(name, args).is_some())
}

/// Returns true for a text with what may be the name of a mask.
pub(in super::super) fn may_have_mask(text: &str) -> bool {
    text.contains(MASK)
}

/// Members of a call, a result or arguments that name a tool. Elsewhere the name of a mask is a text like any other.
const NAMES: [&str; 3] = ["name", "tool", "tool_name"];

/// A result in a request, with the place of its call in the list of calls.
pub(super) struct RequestResult<'r> {
    pub(super) at: (usize, usize),
    pub(super) id: Option<&'r str>,
    pub(super) call: Option<usize>,
}

/// The calls and results of a request.
#[derive(Default)]
pub(super) struct History<'r> {
    pub(super) calls: Vec<RequestCall<'r>>,
    pub(super) results: Vec<RequestResult<'r>>,
}

/// The known calls by the place of each in the list of calls of a request.
pub(super) type KnownCalls<'o> = BTreeMap<usize, &'o Known>;

impl<'r> History<'r> {
    pub(super) fn of(request: &'r AgentRequest) -> Self {
        let mut history = Self::default();
        // The results of a message belong to the calls before them, for formats without ids in their order.
        let (mut begin, mut order, mut was_model) = (0, 0, false);
        for (at, message) in request.messages.iter().enumerate() {
            let is_model = message.role == Role::Assistant;
            if is_model && !was_model {
                (begin, order) = (history.calls.len(), 0);
            }
            was_model = is_model;
            for (number, part) in message.parts.iter().enumerate() {
                let at = (at, number);
                match &part.kind {
                    PartKind::Call { id, name, args, form } => history.calls.push(RequestCall {
                        at,
                        id: id.as_deref(),
                        name,
                        args,
                        form: *form,
                        result: None,
                    }),
                    PartKind::Result { id, text, .. } => {
                        let id = id.as_deref();
                        let by_id = || {
                            history
                                .calls
                                .iter()
                                .rposition(|call| id.is_some() && call.id == id)
                        };
                        let by_order = Some(begin + order).filter(|call| *call < history.calls.len());
                        let call = by_id().or(by_order);
                        order += 1;
                        if let Some(call) = call.and_then(|call| history.calls.get_mut(call)) {
                            call.result = Some(text);
                        }
                        history.results.push(RequestResult { at, id, call });
                    }
                    _ => {}
                }
            }
        }
        history
    }
}

/// What the runs change. What the request's own run knows, it decides.
#[derive(Default)]
pub struct Overlays {
    /// The run of the request; none for a request that is no part of a conversation.
    pub own: Option<Overlay>,
    /// The other ones.
    pub others: Vec<Overlay>,
    /// True where no run changes anything, and the request has no name of a mask: nothing else is looked at then.
    pub are_empty: bool,
}

impl Overlays {
    pub(super) fn all(&self) -> impl Iterator<Item = &Overlay> {
        self.own.iter().chain(&self.others)
    }

    /// What became of a text of the model: as the turn of its reply says, else as the request's own run does, else
    /// another one.
    pub(super) fn fate_of<'o>(&'o self, text: &str, reply: Option<&'o Known>) -> Option<&'o TextFate> {
        let key = text_key(text);
        if let Some(fate) = reply.and_then(|call| call.texts.get(&key)) {
            return Some(fate);
        }
        let own = self.own.as_ref().and_then(|own| own.texts.get(&key));
        let mut others = self.others.iter().filter_map(|other| other.texts.get(&key));
        own.or_else(|| others.find(|fate| **fate != TextFate::Unchanged))
    }

    /// The call that an id names. Some servers use an id in every conversation: one of another run must be the same call.
    pub(super) fn named(&self, id: &str, call: Option<&RequestCall<'_>>) -> Option<&Known> {
        let mut having = self.all().filter(|overlay| overlay.has_id(id));
        let first = having.next()?;
        if self.own.as_ref().is_some_and(|own| own.has_id(id)) {
            return first.named(id);
        }
        if self.own.is_none() && having.next().is_none() {
            return first.named(id);
        }
        let call = call?;
        let is_same = |known: &&Known| {
            known.was_released && known.tool == call.name && spelled(&known.args) == spelled(call.args)
        };
        self.all().filter_map(|overlay| overlay.named(id)).find(is_same)
    }
}

/// Finds the calls of the runs in a request.
pub(super) fn found<'o>(overlays: &'o Overlays, history: &History<'_>) -> KnownCalls<'o> {
    let mut left: Vec<(&Overlay, BTreeMap<&str, &[usize]>)> = Vec::new();
    for overlay in overlays.all() {
        let alike = overlay.alike.iter();
        left.push((
            overlay,
            alike
                .map(|(key, calls)| (key.as_str(), calls.as_slice()))
                .collect(),
        ));
    }
    let has_alike = left.iter().any(|(_, alike)| !alike.is_empty());
    let mut found = BTreeMap::new();
    // From the end: an agent forgets the beginning of its history first.
    for (place, call) in history.calls.iter().enumerate().rev() {
        let masked = |name: &str| overlays.all().find_map(|overlay| overlay.masked(name));
        let by_id = || overlays.named(call.id?, Some(call));
        let by_args = || masked(&call.mask()?);
        if let Some(known) = masked(call.name).or_else(by_id).or_else(by_args) {
            found.insert(place, known);
            continue;
        }
        let Some(result) = call.result.filter(|_| has_alike) else {
            continue;
        };
        let mut take = |key: &str| {
            left.iter_mut().find_map(|(overlay, alike)| {
                let calls = alike.get_mut(key)?;
                let (last, rest) = calls.split_last()?;
                *calls = rest;
                overlay.calls.get(*last)
            })
        };
        let known = take(&likeness(call.name, call.args, Some(result)))
            .or_else(|| take(&likeness(call.name, call.args, None)));
        found.extend(known.map(|known| (place, known)));
    }
    found
}

/// Returns the body of an agent's request as the model gets it. `notes` are words of the console for this request alone.
pub fn applied(overlays: &Overlays, request: &AgentRequest, notes: &[Arc<str>]) -> Result<Body, Unrestored> {
    let mut rewrite = Rewrite::new(request);
    let end = request.messages.len();
    if overlays.are_empty {
        if !notes.is_empty() {
            rewrite.add_user_text(end, &notes.join("\n\n"));
        }
        return Ok(rewrite.body());
    }
    let history = History::of(request);
    let found = found(overlays, &history);
    let mut others = (0..)
        .zip(&history.calls)
        .filter(|(place, _)| !found.contains_key(place));
    if let Some(name) = others.find_map(|(_, call)| call.mask()) {
        return Err(Unrestored {
            name: name.into_owned(),
        });
    }
    let mut named_by: Vec<(Cow<'_, str>, &Known)> = Vec::new();
    for (place, known) in &found {
        let Some(call) = history.calls.get(*place) else {
            continue;
        };
        let mask = call.mask();
        let is_masked = mask.is_some();
        named_by.extend(mask.map(|mask| (mask, *known)));
        if is_masked || !known.was_released {
            rewrite.part(call.at.0, call.at.1, restored(known, call.form));
        }
    }
    for result in &history.results {
        let by_place = result.call.and_then(|call| found.get(&call)).copied();
        let by_id = || overlays.named(result.id?, None);
        let known = by_place.or_else(by_id);
        if let Some((text, is_error)) = known.and_then(|known| known.result.clone()) {
            let is_masked = |call: usize| history.calls.get(call).is_some_and(|call| call.mask().is_some());
            let tool = known.filter(|_| result.call.is_some_and(is_masked));
            let tool = tool.map(|known| known.tool.clone());
            rewrite.part(
                result.at.0,
                result.at.1,
                PartEdit::Result { text, is_error, tool },
            );
        }
    }
    let replies = replies(request, &history, &found);
    reworded(overlays, request, &replies, &mut rewrite);
    if overlays.all().any(Overlay::removes) {
        superseded::remove(overlays, request, (&history, &found, &replies), &mut rewrite);
    }
    let calls: Vec<(usize, &Known)> = found
        .iter()
        .filter_map(|(place, known)| Some((history.calls.get(*place)?.at.0, *known)))
        .collect();
    let own = overlays.own.as_ref();
    let mut inserted = own.map_or_else(BTreeMap::new, |own| inserted::places(own, request, &calls));
    if !notes.is_empty() {
        inserted.entry(end).or_default().push(notes.join("\n\n"));
    }
    for gap in superseded::gaps(request, &rewrite) {
        let at = *gap.end();
        let places: Vec<usize> = inserted.range(gap).map(|(at, _)| *at).collect();
        let words: Vec<String> = places
            .iter()
            .filter_map(|at| inserted.remove(at))
            .flatten()
            .collect();
        let words = if words.is_empty() {
            superseded::WENT_BACK.to_owned()
        } else {
            words.join("\n\n")
        };
        inserted.insert(at, vec![words]);
    }
    for (at, texts) in inserted {
        for text in texts {
            rewrite.add_user_text(at, &text);
        }
    }
    named(rewrite.body(), &named_by)
}

/// Returns the error for a body with the name of a mask anywhere: for one that cannot be read.
pub fn unrestored(body: &str) -> Option<Unrestored> {
    let mut strings = body.split('"').skip(1);
    let name = strings.find(|text| read_mask(text).is_some())?.to_owned();
    Some(Unrestored { name })
}

/// Some formats name the tool in a result: the true name is used there as well. The name of another mask would reach the
/// model as that of a tool.
fn named(body: Body, masks: &[(Cow<'_, str>, &Known)]) -> Result<Body, Unrestored> {
    let text: &str = &body;
    if !text.contains(MASK) {
        return Ok(body);
    }
    // A quotation mark inside of a string has a backslash before it: none of the pieces is a part of a text.
    let mut pieces: Vec<Cow<'_, str>> = text.split('"').map(Cow::Borrowed).collect();
    for at in 3..pieces.len() {
        let [key, between, name] = [at - 2, at - 1, at].map(|at| pieces.get(at).map_or("", |piece| piece));
        if read_mask(name).is_none() || between.trim() != ":" || !NAMES.contains(&key) {
            continue;
        }
        let Some((_, known)) = masks.iter().find(|(mask, _)| mask == name) else {
            return Err(Unrestored {
                name: name.to_owned(),
            });
        };
        let quoted = Value::from(known.tool.as_str()).to_string();
        let tool = quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned();
        if let Some(piece) = pieces.get_mut(at) {
            *piece = Cow::Owned(tool);
        }
    }
    Ok(pieces.join("\"").into())
}

/// The true name and arguments of a call.
fn restored(known: &Known, form: CallForm) -> PartEdit {
    let text = || frame::member(&known.args, "input").and_then(frame::string);
    let args = match form {
        // A run knows the text as a member.
        CallForm::Text => text().unwrap_or(Cow::Borrowed(&known.args)),
        CallForm::Json => Cow::Borrowed(&*known.args),
    };
    PartEdit::Call {
        name: Some(known.tool.clone()),
        args: Some(args.into_owned()),
        keeps_opaque: known.keeps_opaque,
    }
}

/// A known call of the reply that each message belongs to: one in the message, else the next one of the reply, else the one
/// before. It distinguishes equal words of several replies.
fn replies<'o>(
    request: &AgentRequest,
    history: &History<'_>,
    found: &KnownCalls<'o>,
) -> Vec<Option<&'o Known>> {
    let mut own: Vec<Option<&Known>> = vec![None; request.messages.len()];
    for (place, known) in found {
        let call = history.calls.get(*place);
        if let Some(slot) = call.and_then(|call| own.get_mut(call.at.0)) {
            slot.get_or_insert(*known);
        }
    }
    let is_models = |at: usize| {
        request
            .messages
            .get(at)
            .is_some_and(|one| one.role == Role::Assistant)
    };
    for at in (1..own.len())
        .rev()
        .filter(|at| is_models(*at) && is_models(at - 1))
    {
        let next = own.get(at).copied().flatten();
        if let Some(slot) = own.get_mut(at - 1) {
            *slot = slot.or(next);
        }
    }
    for at in (1..own.len()).filter(|at| is_models(*at) && is_models(at - 1)) {
        let before = own.get(at - 1).copied().flatten();
        if let Some(slot) = own.get_mut(at) {
            *slot = slot.or(before);
        }
    }
    own
}

/// Replaces thoughts and answers that were rewritten or deleted.
fn reworded(
    overlays: &Overlays,
    request: &AgentRequest,
    replies: &[Option<&Known>],
    rewrite: &mut Rewrite<'_>,
) {
    for (at, message) in request.messages.iter().enumerate() {
        for (number, part) in message.parts.iter().enumerate() {
            let (PartKind::Text { text } | PartKind::Reasoning { text }) = &part.kind else {
                continue;
            };
            if message.role != Role::Assistant || text.is_empty() {
                continue;
            }
            let reply = replies.get(at).copied().flatten();
            if let Some(edit) = overlays.fate_of(text, reply).and_then(TextFate::edit) {
                rewrite.part(at, number, edit);
            }
        }
    }
}
