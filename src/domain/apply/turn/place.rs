//! Inserts turns into threads and numbers their replies.
//!
//! Must not know: why a turn was decided.

use crate::apply::at::At;
use crate::history::History;
use crate::id::{Seq, ThreadId, TurnId};
use crate::price::RunCost;
use crate::state::State;
use crate::thread;
use crate::turn::{Activity, Producer, Stop, Stream, Turn, TurnMore, Usage};

/// Inserts a turn after another one of its thread.
pub(super) fn place(
    state: &mut State,
    at: At,
    id: TurnId,
    thread: ThreadId,
    after: Option<TurnId>,
    producer: Producer,
) {
    state.tally.last_turn = state.tally.last_turn.max(id.0);
    if state.turns.contains_key(&id) {
        return;
    }
    let line = state.threads.turns.entry(thread).or_default();
    let index = after
        .and_then(|after| state.turns.get(&after))
        .filter(|after| after.thread == thread)
        .map_or(0, |after| after.pos as usize + 1)
        .min(line.len());
    // The questions of servers stand behind the turn in which they were asked.
    let is_question = |id: &&TurnId| {
        let turn = state.turns.get(id);
        turn.is_some_and(|turn| turn.producer == Producer::Server)
    };
    let index = index + line[index..].iter().take_while(is_question).count();
    line.insert(index, id);
    let reply = match producer {
        Producer::Model => thread::replies_before(state, thread, index).min(u32::MAX - 1) + 1,
        Producer::Operator | Producer::Import | Producer::Delegate | Producer::Server => 0,
    };
    let by_operator = producer != Producer::Model;
    let turn = Turn {
        id,
        thread,
        pos: 0,
        producer,
        reply,
        activity: Activity::Active,
        stream: if by_operator {
            Stream::Closed(Stop::End)
        } else {
            Stream::Open
        },
        context: None,
        request: None,
        asked: 0,
        nodes: Vec::new(),
        bytes: 0,
        received: 0,
        slots: 0,
        settled: by_operator,
        split: false,
        last: false,
        drifted: false,
        usage: Usage::default(),
        spent: RunCost::default(),
        asked_at: at.seq,
        ended_at: if by_operator { at.seq } else { Seq(0) },
        more: TurnMore::default(),
        history: History::begun(state.epoch),
    };
    state.turns.insert(id, turn);
    super::note_child(state, thread);
    let moved: Vec<TurnId> = state
        .threads
        .turns
        .get(&thread)
        .map(|line| line[index..].to_vec())
        .unwrap_or_default();
    for (offset, id) in moved.into_iter().enumerate() {
        super::with(state, id, |turn| turn.pos = (index + offset) as u32);
    }
}
