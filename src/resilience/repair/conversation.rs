//! Shows the end of a thread's conversation as data for a question to the model.
//!
//! Must not know: the question.
//!
//! It contains the newest messages that fit, shortened in the middle, without secrets. It is a
//! function of the state alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use overrule_base::text::redact;
use overrule_domain::call::Call;
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_domain::transcript::Message;
use overrule_domain::transcript::build::{self, Piece};
use overrule_domain::transcript::result::ends_of;

/// Maximum bytes of all texts together.
const MOST: usize = 4096;
/// Bytes below which the rest of a message is not worth quoting.
const LEAST: usize = 256;

/// Returns the newest messages before a call, oldest first, and the text of the call's own turn.
pub(super) fn before(state: &State, call: &Call) -> Vec<Value> {
    let Some(own) = state.turn_of(call.id) else {
        return Vec::new();
    };
    let whole = BTreeSet::new();
    // The other calls of the turn may not have ended yet.
    let beside = build::pieces_in(state, own).into_iter();
    let with = beside.filter_map(|piece| match piece {
        Piece::Assistant(texts, _) => build::message(state, Piece::Assistant(texts, Vec::new()), &whole),
        _ => None,
    });
    let earlier = state
        .turns_of(thread::of(state, call.id))
        .rev()
        .filter(|turn| turn.pos < own.pos && turn.is_active())
        .flat_map(|turn| build::pieces_in(state, turn).into_iter().rev())
        .filter_map(|piece| build::message(state, piece, &whole));
    let newest = with
        .rev()
        .chain(earlier)
        .flat_map(|one| spoken(one).into_iter().rev());
    let (mut stored, mut left) = (Vec::new(), MOST);
    for (mut words, text) in newest {
        let text = redact(&text);
        if text.len() > left && left < LEAST {
            stored.push(json!({"note": "older messages are left out"}));
            break;
        }
        let shown = ends_of(&text, left, |bytes| format!("… {bytes} bytes left out …"));
        // A shortened message is the last one that fits.
        left = if shown.len() < text.len() {
            0
        } else {
            left - text.len()
        };
        words["text"] = Value::from(shown);
        stored.push(words);
    }
    stored.reverse();
    stored
}

/// Returns the parts of a message, oldest first, each with its text. Messages of the console are
/// left out.
fn spoken(message: Message) -> Vec<(Value, Arc<str>)> {
    match message {
        Message::User { text, .. } => vec![(json!({"role": "user"}), text)],
        Message::Assistant { texts: output, calls } => {
            let output = output
                .into_iter()
                .filter(|output| !output.reasoning && !output.text.is_empty());
            let output = output.map(|output| (json!({"role": "assistant"}), output.text));
            let calls = calls.into_iter();
            let calls = calls.map(|call| (json!({"role": "assistant", "calls": &*call.tool}), call.args));
            output.chain(calls).collect()
        }
        Message::Result { tool, text, .. } => vec![(json!({"role": "tool", "tool": &*tool}), text)],
        Message::Note { .. } => Vec::new(),
    }
}
