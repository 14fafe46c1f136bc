//! Compares random sessions with a graph that is recomputed from scratch after every decision.
//!
//! Must not know: how either one works.
//!
//! Each session is compared at every request and at its end.

mod decisions;
mod drive;
mod facts;
mod mirror;
mod naive;
mod plans;
mod script;
mod wishes;

use proptest::prelude::*;

use self::drive::Session;
use self::plans::Sort;
use super::op_sequence::OpSequence;

/// A session drawn from numbers: `most` calls in its first turn, `wishes` edits and the like in 100 steps.
fn session(numbers: &[u16], most: usize, wishes: usize) -> Session {
    let mut tape = OpSequence::new(numbers);
    let script = drive::script(&mut tape, most);
    let parallel = 1 + tape.draw(4) as u32;
    let mut session = Session::new(script, parallel);
    if most > 30 {
        session.w.every = 61;
        // Edits come when much is there already.
        for _ in 0..tape.draw(2 * most) {
            if !session.w.open.is_empty() {
                session.stream();
            }
        }
    }
    while !tape.is_empty() {
        session.step(&mut tape, wishes);
    }
    session.bring_home(&mut tape);
    session.compare();
    session
}

/// The configuration of a random test with `one` sessions in each round.
fn sessions(one: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        max_shrink_time: 30_000,
        ..overrule_testing::cases(one)
    }
}

proptest! {
    #![proptest_config(sessions(6))]

    #[test]
    fn a_small_session_is_what_it_would_be_from_scratch(numbers in prop::collection::vec(any::<u16>(), 20..120)) {
        session(&numbers, 6, 25);
    }
}

proptest! {
    #![proptest_config(sessions(3))]

    #[test]
    fn a_longer_session_is_what_it_would_be_from_scratch(numbers in prop::collection::vec(any::<u16>(), 100..400)) {
        session(&numbers, 16, 15);
    }

    #[test]
    fn a_large_session_is_what_it_would_be_from_scratch(numbers in prop::collection::vec(any::<u16>(), 100..400)) {
        session(&numbers, 200, 4);
    }

    #[test]
    fn a_preview_matches_the_effect_of_any_edit(numbers in prop::collection::vec(any::<u16>(), 20..200)) {
        plans::plan_holds(&numbers, 9, Sort::AtRest);
    }

    #[test]
    fn a_plan_is_exact_where_every_value_differs(numbers in prop::collection::vec(any::<u16>(), 20..160)) {
        plans::plan_holds(&numbers, 24, Sort::Plain);
    }

    #[test]
    fn a_plan_holds_in_the_middle_of_a_run(numbers in prop::collection::vec(any::<u16>(), 20..200)) {
        plans::plan_holds(&numbers, 9, Sort::Moving);
    }
}
