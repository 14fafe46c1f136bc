//! Tests an agent in a ring of flaky tools: A to B to C and back to A, with one way out of C.
//!
//! Must not know: runs, models.

use super::{CallResult, turn};
use crate::loops::config::Config;
use crate::loops::detect::Detectors;
use overrule_domain::escape::Detector;

/// A small generator, so that the ring is the same in every test run.
struct Dice(u64);

impl Dice {
    /// Returns true with this probability, in percent.
    fn falls(&mut self, percent: u64) -> bool {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % 100 < percent
    }
}

/// Where the agent is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    A,
    B,
    C,
    D,
    E,
}

/// Takes one step: returns the call, whether it fails, and where the agent is afterwards.
fn step(place: Place, dice: &mut Dice, knows_the_way_out: bool) -> (CallResult<'static>, Place) {
    let (tool, chance, next) = match place {
        Place::A => ("tool_b", 60, Place::B),
        Place::B => ("tool_c", 10, Place::C),
        Place::C if knows_the_way_out => ("process", 20, Place::D),
        Place::C => ("process", 20, Place::A),
        Place::D | Place::E => ("finish", 0, Place::E),
    };
    if dice.falls(chance) {
        ((tool, "{}", Err("the service is not available")), place)
    } else {
        ((tool, "{}", Ok("done")), next)
    }
}

#[test]
fn an_agent_that_goes_round_is_found_and_gets_out() {
    let mut found_in_all = 0;
    for seed in 1..=200 {
        let mut dice = Dice(seed * 7919);
        let mut detectors = Detectors::new(&Config::default());
        let (mut place, mut message, mut steps) = (Place::A, false, 0);
        while place != Place::E && steps < 100 {
            steps += 1;
            let (made, next) = step(place, &mut dice, message);
            place = next;
            let seen = detectors.push(turn(steps, &[made]));
            if !message && seen.iter().any(|one| one.is_loop) {
                message = true;
                found_in_all += 1;
            }
        }
        assert_eq!(place, Place::E, "ring {seed} was not left in {steps} steps");
        assert!(steps < 60, "ring {seed} took {steps} steps");
    }
    assert_eq!(found_in_all, 200, "every agent in the ring gets guidance");
}

#[test]
fn an_agent_that_knows_the_way_is_left_alone() {
    // Failures on the way are retried inside the call, so each is one action.
    let mut detectors = Detectors::new(&Config::default());
    for (no, tool) in (1..).zip(["tool_b", "tool_c", "process", "finish"]) {
        assert_eq!(detectors.push(turn(no, &[(tool, "{}", Ok("done"))])), []);
    }
}

#[test]
fn the_whole_ring_is_named() {
    let mut detectors = Detectors::new(&Config::default());
    let mut last = Vec::new();
    for no in 1..=9 {
        let tool = ["tool_b", "tool_c", "process"][(no as usize - 1) % 3];
        last = detectors.push(turn(no, &[(tool, "{}", Err("down for repairs"))]));
        let whole = last
            .iter()
            .any(|one| one.is_loop && one.detector == Detector::Sequence);
        assert_eq!(whole, no == 9, "after {no}");
    }
    assert_eq!((last[0].period, last[0].repetitions, last[0].turns), (3, 3, 9));
    let tools: Vec<&str> = last[0].signatures.iter().map(|one| &*one.tool).collect();
    assert_eq!(tools, ["process", "tool_b", "tool_c"]);
}
