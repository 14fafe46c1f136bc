//! Counts how often a test repeats what it does: kills, races, random cases.
//!
//! Must not know: what is tested.
//!
//! One variable, `OVERRULE_TEST_ROUNDS`, sets the count of all of them. One round has every kind of case and takes a
//! test at most two seconds; `.ci/long` runs 100. A test prints its count.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and tells by printing"
)]

use std::fmt::Display;

pub use proptest::test_runner::Config;

/// The variable.
const ROUNDS: &str = "OVERRULE_TEST_ROUNDS";
/// The rounds of `.ci/long`, in which a test goes through all of what it otherwise samples.
const ALL: u32 = 100;

/// The number of rounds; 1 without the variable.
///
/// # Panics
///
/// Panics if the variable holds no whole number from 1 on.
pub fn rounds() -> u32 {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings")]
    let set = std::env::var(ROUNDS).ok();
    set.map_or(1, |text| read(&text))
}

fn read(text: &str) -> u32 {
    match text.parse() {
        Ok(rounds @ 1..) => rounds,
        _ => panic!("{ROUNDS} is `{text}`: write a whole number from 1 on"),
    }
}

fn print(count: impl Display, what: &str) {
    let thread = std::thread::current();
    println!("{}: {count} {what}", thread.name().unwrap_or("test"));
}

/// The number of repetitions, with `one` in each round. Prints it.
pub fn times(one: u32) -> u32 {
    let times = one.saturating_mul(rounds());
    print(times, "times");
    times
}

/// The configuration of a random test with `one` cases in each round. Prints the number.
pub fn cases(one: u32) -> Config {
    let cases = one.saturating_mul(rounds());
    print(cases, "cases");
    Config {
        cases,
        ..Config::default()
    }
}

/// What a test goes through in these rounds: every `step`-th item in one round, and all in 100. Prints the number.
pub fn sample<T>(all: impl IntoIterator<Item = T>, step: u32) -> Vec<T> {
    let sample = every(all, step, rounds());
    print(sample.len(), "of a list");
    sample
}

fn every<T>(all: impl IntoIterator<Item = T>, step: u32, rounds: u32) -> Vec<T> {
    let step = if rounds >= ALL { 1 } else { (step / rounds).max(1) };
    all.into_iter().step_by(step as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rounds_take_more_and_a_hundred_take_all() {
        assert_eq!(every(0..10, 4, 1), [0, 4, 8]);
        assert_eq!(every(0..10, 4, 2), [0, 2, 4, 6, 8]);
        assert_eq!(every(0..3, 500, 100), [0, 1, 2]);
        assert_eq!(every(0..3, 1, 1), [0, 1, 2]);
    }

    #[test]
    fn a_number_is_read() {
        assert_eq!(read("100"), 100);
        for wrong in ["", "0", "-1", "many", "1.5"] {
            assert!(std::panic::catch_unwind(|| read(wrong)).is_err(), "{wrong}");
        }
    }
}
