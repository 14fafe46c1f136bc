//! Hashes of what a turn is asked with: the context alone, and the whole request.
//!
//! A context hash covers roles, kinds, contents and results, with call ids replaced by their order;
//! no ids, times or notices, so that an equal context has an equal hash whenever it comes about.
//! Must not know: wire formats.

use std::sync::Arc;

use super::Said;
use super::build::{Piece, Standing, outline};
use super::result::result_body;
use crate::domain::call::Call;
use crate::domain::id::{ThreadId, TurnId};
use crate::domain::node::Node;
use crate::domain::state::State;
use crate::domain::table::Table;

/// Hash of the context that a turn sees; of the whole thread where no turn is named.
pub fn context_hash(state: &State, thread: ThreadId, before: Option<TurnId>) -> Arc<str> {
    context_hash_of(state, thread, before, Standing::Active)
}

/// The same with a choice of the turns that count.
pub fn context_hash_of(
    state: &State,
    thread: ThreadId,
    before: Option<TurnId>,
    standing: Standing,
) -> Arc<str> {
    let mut hasher = blake3::Hasher::new_derive_key("overrule context v1");
    let mut ordinals: Table<u64> = Table::default();
    for piece in outline(state, thread, before, standing) {
        match piece {
            Piece::User(node) => put(&mut hasher, "user", &[node.text()]),
            Piece::Note(about, text) => put(&mut hasher, "note", &[&format!("{about:?}"), text]),
            Piece::Assistant(said, calls) => {
                for Said {
                    text,
                    reasoning,
                    opaque,
                    by_operator,
                    ..
                } in &said
                {
                    let flags = format!("{reasoning} {by_operator}");
                    put(
                        &mut hasher,
                        "said",
                        &[text, &flags, opaque.as_deref().unwrap_or_default()],
                    );
                }
                for call in calls {
                    let ordinal = ordinals.len() as u64;
                    ordinals.insert(call.id, ordinal);
                    let (tool, args) = called(state, call);
                    put(&mut hasher, "call", &[&ordinal.to_string(), tool, args]);
                }
            }
            Piece::Result(call) => {
                let ordinal = ordinals.get(&call.id).copied().unwrap_or(u64::MAX);
                let (tool, _) = called(state, call);
                let (body, is_error) = result_body(state, call);
                put(
                    &mut hasher,
                    "result",
                    &[&ordinal.to_string(), tool, &body, &is_error.to_string()],
                );
            }
        }
    }
    Arc::from(hasher.finalize().to_hex().as_str())
}

/// The tool and the argument text of a call.
fn called<'s>(state: &'s State, call: &Call) -> (&'s str, &'s str) {
    let said = state.nodes.get(&call.id).and_then(Node::as_call);
    said.map_or(("", ""), |(tool, args)| (tool, args))
}

/// True where the next request is the last that the limits allow: no tools are offered in it.
pub fn is_last(state: &State) -> bool {
    let next = state.requests.saturating_add(1);
    state.limits.turns.is_some_and(|most| next >= most)
}

/// Hash of the whole next request: context, model, system text and the tools that it offers.
pub fn request_hash(state: &State, context: &str) -> Arc<str> {
    let mut hasher = blake3::Hasher::new_derive_key("overrule request v1");
    put(&mut hasher, "context", &[context]);
    if let Some(started) = &state.started {
        put(
            &mut hasher,
            "model",
            &[&started.model, &started.wire, &started.system],
        );
        let offered = if is_last(state) { &[] } else { &*started.tools };
        for tool in offered {
            put(
                &mut hasher,
                "tool",
                &[&tool.name, &tool.description, &tool.schema],
            );
        }
    }
    Arc::from(hasher.finalize().to_hex().as_str())
}

/// Length-prefixed, so that no two lists of parts give the same bytes.
fn put(hasher: &mut blake3::Hasher, kind: &str, parts: &[&str]) {
    hasher.update(&(parts.len() as u64).to_le_bytes());
    for part in std::iter::once(&kind).chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
}
