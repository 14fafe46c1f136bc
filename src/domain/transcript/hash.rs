//! Hashes of what a turn is asked with: the context alone, and the whole request.
//!
//! Must not know: wire formats.
//!
//! A context hash covers roles, kinds, contents and results, with call ids replaced by their order;
//! no ids, times or notices, so that an equal context has an equal hash whenever it comes about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ModelText;
use super::build::{Piece, TurnScope, opaque, outline_in};
use super::result::result_body;
use crate::call::Call;
use crate::context_prefix::ContextPrefix;
use crate::id::{NodeId, ThreadId, TurnId};
use crate::node::Node;
use crate::reduction;
use crate::state::State;
use crate::thread;
use crate::turn::Turn;

/// The known prefix of the context of a thread up to a place; none where that may say something else now.
pub(crate) fn known_prefix(state: &State, thread: ThreadId, end: u32) -> Option<&ContextPrefix> {
    let known = state.threads.context_prefixes.get(&thread)?;
    (known.end <= end && !reduction::is_any(state)).then_some(known)
}

/// The hash of what a turn is asked with, to be continued; none where the next request may say the same otherwise.
pub(crate) fn prefix(state: &State, turn: &Turn) -> Option<ContextPrefix> {
    let known = known_prefix(state, turn.thread, turn.pos);
    let scope = (turn.thread, Some(turn.id), TurnScope::Active);
    (!reduction::is_any(state)).then(|| ContextPrefix {
        begun: known.map_or(state.seq, ContextPrefix::begun),
        replies: thread::replies_before(state, turn.thread, turn.pos as usize),
        has_suspended: thread::suspended(state, turn.thread)
            .iter()
            .any(|one| one.pos < turn.pos),
        ..hashed(state, scope, known)
    })
}

/// Hash of the context that a turn sees, made without its known prefix.
pub fn whole_context_hash(state: &State, thread: ThreadId, before: Option<TurnId>) -> Arc<str> {
    hashed(state, (thread, before, TurnScope::Active), None).hex()
}

/// Hash of the context that a turn sees; of the whole thread where no turn is named.
pub fn context_hash(state: &State, thread: ThreadId, before: Option<TurnId>) -> Arc<str> {
    context_hash_of(state, thread, before, TurnScope::Active)
}

/// The same with a choice of the turns that count.
pub fn context_hash_of(
    state: &State,
    thread: ThreadId,
    before: Option<TurnId>,
    status: TurnScope,
) -> Arc<str> {
    let end = place(state, before);
    let known = known_prefix(state, thread, end).filter(|_| status == TurnScope::Active);
    hashed(state, (thread, before, status), known).hex()
}

/// The place of a turn; that after all turns where none is named.
fn place(state: &State, turn: Option<TurnId>) -> u32 {
    let turn = turn.and_then(|turn| state.turns.get(&turn));
    turn.map_or(u32::MAX, |turn| turn.pos)
}

/// The hash of a context, continued from its known prefix.
fn hashed(
    state: &State,
    (thread, before, status): (ThreadId, Option<TurnId>, TurnScope),
    known: Option<&ContextPrefix>,
) -> ContextPrefix {
    let end = place(state, before);
    let mut prefix = known.map_or_else(ContextPrefix::new, Clone::clone);
    let shortened = reduction::shortened(state, thread, before);
    let pieces = outline_in(state, thread, (before, prefix.end..end), status);
    put_pieces(state, pieces, &shortened, &mut prefix);
    prefix.end = end;
    prefix
}

fn put_pieces(
    state: &State,
    pieces: Vec<Piece<'_>>,
    shortened: &BTreeSet<NodeId>,
    prefix: &mut ContextPrefix,
) {
    let hasher = &mut *prefix.hasher;
    // Results follow the calls of their own turn.
    let mut ordinals: BTreeMap<NodeId, u64> = BTreeMap::new();
    for piece in pieces {
        match piece {
            Piece::User(node) => put(hasher, "user", &[node.text()]),
            Piece::Note(about, text) => put(hasher, "note", &[&format!("{about:?}"), &text]),
            Piece::Assistant(call_content, calls) => {
                for ModelText {
                    text,
                    reasoning,
                    opaque,
                    by_operator,
                    ..
                } in &call_content
                {
                    let flags = format!("{reasoning} {by_operator}");
                    put(
                        hasher,
                        "said",
                        &[text, &flags, opaque.as_deref().unwrap_or_default()],
                    );
                }
                for call in calls {
                    let ordinal = prefix.calls;
                    prefix.calls += 1;
                    ordinals.insert(call.id, ordinal);
                    let (tool, args) = called(state, call);
                    let ordinal = ordinal.to_string();
                    // Calls without such members keep the hash that they always had.
                    match opaque(state, call) {
                        Some(opaque) => put(hasher, "call", &[&ordinal, tool, args, opaque]),
                        None => put(hasher, "call", &[&ordinal, tool, args]),
                    }
                }
            }
            Piece::Result(call) => {
                let ordinal = ordinals.get(&call.id).copied().unwrap_or(u64::MAX);
                let (tool, _) = called(state, call);
                let (body, is_error) = result_body(state, call);
                // The hash is over what is sent: an unshortened result keeps the hash that it always had.
                let body = if shortened.contains(&call.id) {
                    reduction::short_form(&body, call.id)
                } else {
                    body
                };
                put(
                    hasher,
                    "result",
                    &[&ordinal.to_string(), tool, &body, &is_error.to_string()],
                );
            }
        }
    }
}

/// The tool and the argument text of a call.
fn called<'s>(state: &'s State, call: &Call) -> (&'s str, &'s str) {
    let call_content = state.nodes.get(&call.id).and_then(Node::as_call);
    call_content.map_or(("", ""), |(tool, args)| (tool, args))
}

/// Hash of a whole request of a thread: context, model, system text and tools; none are offered with the
/// last request that is allowed.
pub fn request_hash(state: &State, thread: ThreadId, context: &str, last: bool) -> Arc<str> {
    let mut hasher = blake3::Hasher::new_derive_key("overrule request v1");
    put(&mut hasher, "context", &[context]);
    if let Some(started) = &state.started {
        put(
            &mut hasher,
            "model",
            &[&started.model, &started.wire, &thread::system(state, thread)],
        );
        let tools = if last {
            Vec::new()
        } else {
            thread::tools(state, thread)
        };
        for tool in &tools {
            put(
                &mut hasher,
                "tool",
                &[&tool.name, &tool.description, &tool.schema],
            );
        }
    }
    Arc::from(hasher.finalize().to_hex().as_str())
}

/// Bytes that are put together before they are hashed.
const SHORT: usize = 512;

/// Length-prefixed, so that no two lists of parts give the same bytes.
fn put(hasher: &mut blake3::Hasher, kind: &str, parts: &[&str]) {
    // Put together first: one pass over few bytes costs less than many.
    let mut short = [0_u8; SHORT];
    let mut filled = 0;
    let mut put = |bytes: &[u8]| {
        if filled + bytes.len() > SHORT {
            hasher.update(short.get(..filled).unwrap_or_default());
            filled = 0;
        }
        match short.get_mut(filled..filled + bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                filled += bytes.len();
            }
            None => _ = hasher.update(bytes),
        }
    };
    put(&(parts.len() as u64).to_le_bytes());
    for part in std::iter::once(&kind).chain(parts) {
        put(&(part.len() as u64).to_le_bytes());
        put(part.as_bytes());
    }
    hasher.update(short.get(..filled).unwrap_or_default());
}
