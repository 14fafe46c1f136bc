//! Tests that the preview of an edit keeps its word about corrections.
//!
//! Must not know: how the preview is computed.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::op_sequence::OpSequence;
use crate::wishes;

/// Tools of every class, by number.
const TOOLS: [&str; 5] = ["pure", "read", "idem", "write", "unknown"];

/// A call: its tool, and the numbers of the calls that it reads.
type Drawn = (usize, Vec<usize>);

fn turn() -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec((0_usize..5, prop::collection::vec(0_usize..6, 0..3)), 1..4)
}

/// The blocks of a reply. A call reads only calls before it, in this reply or the one before.
fn blocks(turn: &[Drawn], first: usize, shift: usize) -> Vec<Block> {
    let block = |(at, (tool, reads)): (usize, &Drawn)| {
        let own = first + at;
        let mut args = format!(r#""_as":"l{own}","n":{}"#, own + shift);
        for (no, read) in reads.iter().filter(|read| **read < own).enumerate() {
            args.extend([",\"x", &no.to_string(), "\":\"†call.l", &read.to_string(), ".v\""]);
        }
        call(TOOLS[*tool], &format!("{{{args}}}"))
    };
    turn.iter().enumerate().map(block).collect()
}

/// Finishes calls and answers the model's requests with a reply each: the same reply as before, another one, or an answer.
fn go_on(w: &mut World, turns: [&[Drawn]; 2], tape: &mut OpSequence<'_>) {
    for _ in 0..12 {
        loop {
            let waiting = w.state.queue().next().map(|call| call.id);
            let Some(waiting) = waiting else { break };
            if w.approve(waiting).is_err() && w.reject(waiting).is_err() {
                break;
            }
        }
        w.drain();
        if w.open.is_empty() {
            return;
        }
        let (first, second) = (blocks(turns[0], 0, 0), blocks(turns[1], turns[0].len(), 0));
        let reply = match tape.draw(5) {
            0 => first,
            1 | 2 => second,
            3 => blocks(turns[1], turns[0].len(), 1),
            _ => vec![answer("done")],
        };
        w.reply(&reply);
    }
}

/// The calls that have a correction now, with the result.
fn corrections(w: &World) -> BTreeSet<(NodeId, String)> {
    let calls = w.state.calls.keys().copied();
    let corrected = calls.filter(|id| pinned(w, *id) && w.state.nodes[id].active);
    corrected.map(|id| (id.observation(), w.value(id))).collect()
}

proptest! {
    #![proptest_config(overrule_testing::cases(60))]

    #[test]
    fn of_the_corrections_called_kept_none_is_lost(
        first in turn(),
        second in turn(),
        corrected in prop::collection::vec(any::<bool>(), 6),
        numbers in prop::collection::vec(any::<u16>(), 12..60),
    ) {
        let mut tape = OpSequence::new(&numbers);
        let mut w = World::new();
        w.reply(&blocks(&first, 0, 0));
        w.drain();
        w.reply(&blocks(&second, first.len(), 0));
        w.drain();
        for (at, correct) in corrected.iter().enumerate().take(first.len() + second.len()) {
            let label = format!("l{at}");
            let known = w.state.calls.values().any(|call| *call.label == *label);
            if !*correct || !known {
                continue;
            }
            let call = w.id(&label);
            if w.status(call) == Status::Succeeded && w.state.nodes[&call].active {
                _ = w.correct(call, &format!(r#"{{"v":{}}}"#, 70 + at));
            }
        }
        go_on(&mut w, [&first, &second], &mut tape);
        let before = corrections(&w);
        let Some(edit) = wishes::an_edit(&w, &mut tape) else { return Ok(()) };
        let Ok(found) = plan(&w.state, std::slice::from_ref(&edit)) else { return Ok(()) };
        let kept: BTreeSet<NodeId> = found.corrections.iter().copied().collect();
        let told: BTreeSet<NodeId> =
            found.corrections_may_be_lost.iter().chain(&found.corrections_lost).copied().collect();
        prop_assert!(kept.is_disjoint(&told));
        let reports = lost(&w).len();
        // Arguments are checked against their schema when the edit is committed, not before.
        if w.edit(edit.clone()).is_err() {
            return Ok(());
        }
        go_on(&mut w, [&first, &second], &mut tape);
        let after = corrections(&w);
        for one in before.iter().filter(|(id, _)| kept.contains(id)) {
            prop_assert!(after.contains(one), "{one:?} was called kept: {edit:?}");
        }
        for id in lost(&w)[reports..].iter().flatten() {
            prop_assert!(!kept.contains(id), "{id} was called kept: {edit:?}");
            prop_assert!(told.contains(id), "{id} was lost without a word: {edit:?}");
        }
    }
}
