//! Compares what is kept of contexts with contexts that are made from all of their turns.
//!
//! Must not know: when something is kept.

use overrule_domain::event::TurnEvent;
use overrule_domain::id::{NodeId, Rev, Seq, ThreadId, TurnId};
use overrule_domain::state::State;
use overrule_domain::thread::{replies_before, suspended};
use overrule_domain::transcript::Message;
use overrule_domain::transcript::build;
use overrule_domain::transcript::hash::{context_hash, whole_context_hash};
use overrule_domain::turn::{Activity, Producer, Turn};

/// The next context of each thread, and those of its newest turns.
pub fn contexts(state: &State) {
    for (thread, line) in &state.threads.turns {
        let newest = line.iter().rev().take(3).copied().map(Some);
        for before in std::iter::once(None).chain(newest) {
            assert_eq!(
                context_hash(state, *thread, before),
                whole_context_hash(state, *thread, before),
                "{thread:?} before {before:?}: what is kept of the context is not the context"
            );
        }
        if let Some(turn) = line.last() {
            notes(state, *thread, *turn);
        }
        counts(state, *thread, line);
    }
}

/// The counts that are kept with a context.
fn counts(state: &State, thread: ThreadId, line: &[TurnId]) {
    let turns = || line.iter().filter_map(|id| state.turns.get(id));
    let is_whole =
        |turn: &&Turn| turn.reply > 0 && !turn.split && !matches!(turn.activity, Activity::Superseded(_));
    for place in line.len().saturating_sub(3)..=line.len() {
        let expected = turns().take(place).filter(is_whole).count();
        assert_eq!(replies_before(state, thread, place) as usize, expected);
    }
    let is_held =
        |turn: &&Turn| matches!(turn.activity, Activity::Suspended(_)) && turn.producer != Producer::Server;
    let expected: Vec<TurnId> = turns().filter(is_held).map(|turn| turn.id).collect();
    let found: Vec<TurnId> = suspended(state, thread).iter().map(|turn| turn.id).collect();
    assert_eq!(found, expected);
}

/// The notes at the end of what a turn was asked with.
fn notes(state: &State, thread: ThreadId, turn: TurnId) {
    let messages = build::messages(state, thread, Some(turn));
    let is_note = |message: &&Message| matches!(message, Message::Note { .. });
    let count = messages.iter().rev().take_while(is_note).count();
    let expected = &messages[messages.len() - count..];
    assert_eq!(build::last_notes(state, thread, turn), expected);
}

/// What a request calls new, by the messages of all turns. The state is that before it.
pub fn new(state: &State, event: &TurnEvent) {
    let TurnEvent::Requested {
        turn, thread, new, ..
    } = event
    else {
        return;
    };
    let before = state.turns.get(turn);
    let end = before.map_or(u32::MAX, |turn| turn.pos);
    let asked = state
        .turns_of(*thread)
        .filter(|turn| turn.pos < end && turn.asked > 0);
    let since = asked.map(|turn| turn.asked_at).max().unwrap_or(Seq(0));
    let messages = build::messages(state, *thread, before.map(|turn| turn.id));
    let nodes = messages.iter().flat_map(nodes);
    let nodes = nodes.filter_map(|id| state.nodes.get(&id));
    let expected: Vec<(NodeId, Rev)> = nodes
        .filter(|node| node.now().event > since)
        .map(|node| (node.id, node.rev()))
        .collect();
    assert_eq!(*new, expected, "what {turn} calls new");
}

fn nodes(message: &Message) -> Vec<NodeId> {
    match message {
        Message::User { node, .. } => vec![*node],
        Message::Assistant { texts, calls } => {
            let texts = texts.iter().map(|text| text.node);
            texts.chain(calls.iter().map(|call| call.node)).collect()
        }
        Message::Result { call, .. } => vec![call.observation()],
        Message::Note { .. } => Vec::new(),
    }
}
