//! Checks the end of random sessions, and of plans; the world checks every event and every rest.
//!
//! Must not know: how a step is drawn.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::op_sequence::{self, OpSequence};
use super::wishes;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::event::run::Limits;
use overrule_domain::id::NodeId;
use overrule_domain::lineage;
use overrule_domain::turn::Stop;

pub fn session(numbers: &[u16]) -> World {
    session_on(OpSequence::new(numbers))
}

pub fn session_on(mut tape: OpSequence<'_>) -> World {
    let rules = op_sequence::rules(&mut tape);
    let parallel = 1 + tape.draw(4) as u32;
    let mut w = World::limited(
        rules,
        Limits {
            parallel,
            turns: Some(30),
            ..Limits::default()
        },
    );
    while !tape.is_empty() {
        op_sequence::step(&mut w, &mut tape);
    }
    w
}

proptest! {
    #![proptest_config(overrule_testing::cases(7))]

    #[test]
    fn any_session_keeps_the_rules_and_comes_to_an_end(numbers in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut w = session(&numbers);
        prop_assert_eq!(apply::fold(&w.log), w.state.clone());
        op_sequence::bring_home(&mut w);
        w.crash();
    }

    #[test]
    fn so_does_any_session_with_sub_agents(numbers in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut w = session_on(OpSequence::with_threads(&numbers));
        prop_assert_eq!(apply::fold(&w.log), w.state.clone());
        op_sequence::bring_home(&mut w);
        w.crash();
        w.remembers();
    }

    #[test]
    fn any_selection_of_events_can_be_folded(
        numbers in prop::collection::vec(any::<u16>(), 0..120),
        keep in prop::collection::vec(any::<bool>(), 1..40),
    ) {
        let threads = keep.len().is_multiple_of(2);
        let w = session_on(if threads { OpSequence::with_threads(&numbers) } else { OpSequence::new(&numbers) });
        let some = w.log.iter().enumerate().filter(|(at, _)| keep[at % keep.len()]).map(|(_, one)| one);
        apply::fold(some);
    }

    #[test]
    fn an_edit_runs_what_its_preview_lists(
        calls in prop::collection::vec((0_usize..5, prop::collection::vec(0_usize..12, 0..3)), 1..12),
        target in 0_usize..12,
        n in 0_usize..6,
        observation in any::<bool>(),
        order in prop::collection::vec(any::<u16>(), 0..30),
    ) {
        let (w, before, plan) = planned(&calls, target, n, observation, &order);
        let Some(plan) = plan else { return Ok(()) };
        let ran: BTreeSet<NodeId> = w.executed[before..].iter().map(|one| one.call).collect();
        let certain: BTreeSet<NodeId> = plan.certain.iter().copied().collect();
        let possible: BTreeSet<NodeId> = plan.possible.iter().copied().collect();
        prop_assert!(certain.is_subset(&ran), "{:?} did not run: {:?}", certain, ran);
        prop_assert!(ran.is_subset(&possible), "{:?} ran, possible were {:?}", ran, possible);
        for entry in w.state.ledger.values().filter(|entry| entry.more.orphaned && entry.effect.has_effect()) {
            prop_assert!(plan.effects.contains(&entry.seq), "{} was orphaned without being named", entry.seq);
        }
        for id in &plan.unchanged {
            prop_assert!(!ran.contains(id));
        }
    }
}

/// A turn of calls, drained; an edit of one of them; its plan; the outcome.
fn planned(
    calls: &[(usize, Vec<usize>)],
    target: usize,
    n: usize,
    observation: bool,
    order: &[u16],
) -> (World, usize, Option<lineage::Plan>) {
    let mut tape = OpSequence::new(order);
    let mut w = World::with(Rules {
        results: std::sync::Arc::new(|_, args| Outcome::ok(format!("{{\"v\":{}}}", (sum(args) + 1) % 3))),
        ..Rules::default()
    });
    for (at, (tool, reads)) in calls.iter().enumerate() {
        let tool = ["read", "pure", "write", "idem", "unknown"][*tool];
        let mut args = format!("\"_as\":\"l{at}\"");
        for (no, read) in reads.iter().filter(|read| **read < at).enumerate() {
            args.extend([",\"x", &no.to_string(), "\":\"†call.l", &read.to_string(), ".v\""]);
        }
        w.stream(call(tool, &format!("{{{args},\"y\":{at}}}")));
    }
    w.end(Stop::Calls);
    settle(&mut w, &mut tape);
    let label = format!("l{}", target % calls.len());
    let node = w.id(&label);
    let edit = if observation {
        overrule_domain::command::Edit::Observation {
            node: node.observation(),
            base: w.rev(node.observation()),
            value: format!("{{\"v\":{n}}}").into(),
        }
    } else {
        wishes::plain_edit(&w, node, n)
    };
    let plan = lineage::plan(&w.state, std::slice::from_ref(&edit)).ok();
    let before = w.executed.len();
    if plan.is_some() {
        w.edit(edit).unwrap();
        settle(&mut w, &mut tape);
    }
    (w, before, plan)
}

/// Lets everything that waits continue, in a random order, until the model is asked.
fn settle(w: &mut World, tape: &mut OpSequence<'_>) {
    loop {
        let waiting: Vec<NodeId> = w
            .state
            .queue()
            .map(|call| call.id)
            .filter(|id| !w.state.calls[id].suspect)
            .collect();
        if !w.running.is_empty() {
            let at = tape.draw(w.running.len());
            let one = w.running[at].clone();
            let outcome = if one.cancelled {
                Outcome::Cancelled { executed: true }
            } else {
                (w.rules.results)(&one.tool, &one.args)
            };
            w.finish_at(at, outcome);
        } else if let Some(id) = waiting.first() {
            op_sequence::help(w, *id);
        } else {
            return;
        }
    }
}

use overrule_domain::call::Outcome;
