//! Tests that the inputs of a turn stay the same after the turn is superseded.
//!
//! Must not know: how edges are drawn.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::op_sequence::OpSequence;
use super::random::session_on;
use super::world::*;
use overrule_domain::apply::apply;
use overrule_domain::command::RunCommand;
use overrule_domain::graph::{self, EdgeKind};
use overrule_domain::id::{Epoch, NodeId, NodeKind, TurnId};
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, Turn};

/// The last nodes before a turn.
fn context(state: &State, turn: &Turn) -> Vec<NodeId> {
    let first = turn.nodes.iter().find(|id| id.kind != NodeKind::Intervention);
    let edges = first.map(|id| graph::edges_into(state, *id)).unwrap_or_default();
    let context = edges.iter().filter(|edge| edge.kind == EdgeKind::Context);
    context.map(|edge| edge.from).collect()
}

#[test]
fn a_reply_that_was_asked_for_again_has_seen_what_it_had_seen() {
    let mut w = World::new();
    w.reply(&[think("one"), call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[think("two"), call("read", r#"{"_as":"b","n":2}"#)]);
    w.drain();
    w.reply(&[answer("first")]);
    let two = w.all(NodeKind::Thought)[1];
    w.text(two, "another way").unwrap();
    w.reply(&[think("three"), call("read", r#"{"_as":"c","n":3}"#)]);
    w.drain();
    w.reply(&[answer("second")]);
    let three = *w.all(NodeKind::Thought).last().unwrap();
    let turn = w.state.turn_of(three).unwrap().id;
    let before = (
        context(&w.state, &w.state.turns[&turn]),
        graph::ancestors(&w.state, three),
        graph::descendants(&w.state, three),
    );
    assert_eq!(before.0, [two]);
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    w.reply(&[think("four"), call("read", r#"{"_as":"d","n":4}"#)]);
    w.drain();
    w.reply(&[answer("third")]);
    assert!(matches!(w.state.turns[&turn].activity, Activity::Superseded(_)));
    let after = (
        context(&w.state, &w.state.turns[&turn]),
        graph::ancestors(&w.state, three),
        graph::descendants(&w.state, three),
    );
    assert_eq!(before, after);
    // The reply that replaced it has not seen it either.
    let four = *w.all(NodeKind::Thought).last().unwrap();
    assert!(!graph::ancestors(&w.state, four).contains(&three));
    assert!(!graph::descendants(&w.state, four).contains(&three));
}

proptest! {
    #![proptest_config(overrule_testing::cases(13))]

    #[test]
    fn what_a_turn_comes_from_outlives_it(
        numbers in prop::collection::vec(any::<u16>(), 0..300),
        threads: bool,
    ) {
        let tape = if threads { OpSequence::with_threads(&numbers) } else { OpSequence::new(&numbers) };
        let w = session_on(tape);
        let mut state = State::default();
        let mut when_active: BTreeMap<TurnId, BTreeMap<Epoch, Vec<NodeId>>> = BTreeMap::new();
        for envelope in &w.log {
            apply(&mut state, envelope);
            if envelope.more {
                continue;
            }
            for turn in state.turns.values().filter(|turn| !turn.nodes.is_empty()) {
                let now = context(&state, turn);
                match turn.activity {
                    Activity::Active => drop(when_active.entry(turn.id).or_default().insert(state.epoch, now)),
                    // More may arrive before a suspended turn.
                    Activity::Suspended(_) => {
                        if let Some(seen) = when_active.get_mut(&turn.id) {
                            seen.insert(state.epoch, now);
                        }
                    }
                    // A turn suspended from its first node on has no context of its own. An edit that is not
                    // complete yet shows neither the old nor the new context.
                    Activity::Superseded(_) => {
                        let seen = when_active.entry(turn.id).or_default();
                        seen.remove(&turn.history.since());
                        if let Some((_, then)) = seen.last_key_value() {
                            prop_assert_eq!(&now, then, "{} at {}", turn.id, state.seq);
                        }
                    }
                }
            }
        }
    }
}
