//! Tests the detector of copies against one that compares every block with every other.
//!
//! Must not know: how either is written.

use proptest::prelude::*;

use crate::loops::near::Near;
use crate::loops::period::{Limits, Periods, Repeat, Tail};

const LIMITS: Limits = Limits {
    window: 30,
    same: 3,
    failing: 2,
    succeeding: 3,
};

/// Whether a symbol stands for a failure: the odd ones do.
fn fails(symbol: u64) -> bool {
    symbol % 2 == 1
}

/// Counts the copies of the block of this length at the end of a list.
fn copies(list: &[u64], period: usize) -> usize {
    let block = &list[list.len() - period..];
    let mut copies = 0;
    let mut end = list.len();
    while end >= period && list[end - period..end] == *block {
        copies += 1;
        end -= period;
    }
    copies
}

/// Answers the same question by examining everything.
fn naive(all: &[u64], limits: Limits) -> Tail {
    let list = &all[all.len().saturating_sub(limits.window)..];
    let mut near = Tail::Open;
    for period in 1..=list.len() {
        let repetitions = copies(list, period);
        let fails = list[list.len() - period..].iter().all(|one| fails(*one));
        let most = match (period, fails) {
            (1, _) => limits.same,
            (_, true) => limits.failing,
            (_, false) => limits.succeeding,
        };
        let repeat = Repeat {
            period,
            repetitions,
            fails,
        };
        if repetitions >= most {
            return Tail::Round(repeat);
        }
        let fits = most * period <= limits.window;
        if near == Tail::Open && fits && repetitions >= 2 && repetitions + 1 >= most {
            near = Tail::Near(repeat);
        }
    }
    near
}

fn agree(symbols: &[u64], limits: Limits) {
    let mut periods = Periods::new(limits);
    for end in 1..=symbols.len() {
        let symbol = symbols[end - 1];
        let seen = periods.push(symbol, fails(symbol));
        assert_eq!(
            seen,
            naive(&symbols[..end], limits),
            "after {:?}",
            &symbols[..end]
        );
    }
}

#[test]
fn every_short_tail_matches_the_naive_search() {
    // All lists of three symbols up to a length of nine.
    for length in 1..=9_u32 {
        for mut number in 0..3_u64.pow(length) {
            let list: Vec<u64> = (0..length)
                .map(|_| {
                    let digit = number % 3;
                    number /= 3;
                    digit
                })
                .collect();
            let mut periods = Periods::new(LIMITS);
            let last = list.iter().map(|one| periods.push(*one, fails(*one))).last();
            assert_eq!(last, Some(naive(&list, LIMITS)), "{list:?}");
        }
    }
}

#[test]
fn every_block_length_is_found_at_the_first_symbol_that_completes_it() {
    let limits = Limits {
        window: 960,
        ..LIMITS
    };
    for period in (1..=320_usize).step_by(7).chain([2, 3, 319, 320]) {
        let mut periods = Periods::new(limits);
        let expected = limits.succeeding * period;
        for n in 0..expected {
            // No symbol occurs twice in a block, and none fails.
            let symbol = 2 * (n % period) as u64 + 2;
            let round = matches!(periods.push(symbol, false), Tail::Round(_));
            assert_eq!(round, n + 1 == expected, "length {period}, symbol {}", n + 1);
        }
    }
}

#[test]
fn the_widest_window_agrees_too() {
    let limits = Limits {
        window: 960,
        ..LIMITS
    };
    // A list without cubes, then copies of a long block, then something else.
    let mut fibonacci = (vec![2_u64], vec![2, 4]);
    while fibonacci.1.len() < 600 {
        let next = [fibonacci.1.clone(), fibonacci.0].concat();
        fibonacci = (fibonacci.1, next);
    }
    let block: Vec<u64> = (0..250).map(|n| n * 2 + 100).collect();
    let mut list = fibonacci.1;
    list.truncate(600);
    for _ in 0..3 {
        list.extend(&block);
    }
    list.push(1);
    let mut periods = Periods::new(limits);
    for (index, symbol) in list.iter().enumerate() {
        let seen = periods.push(*symbol, fails(*symbol));
        if index % 37 == 0 || index + 3 > list.len() {
            assert_eq!(seen, naive(&list[..=index], limits), "after {}", index + 1);
        }
    }
}

#[test]
fn near_copies_are_found_if_enabled() {
    let block: Vec<u64> = (10..20).collect();
    let mut list = [block.clone(), block.clone(), block.clone()].concat();
    list[14] = 99;
    let exact = list.iter().fold(None, {
        let mut near = Near::new(60, 3, 0);
        move |_, symbol| near.push(*symbol)
    });
    let near = list.iter().fold(None, {
        let mut near = Near::new(60, 3, 2);
        move |_, symbol| near.push(*symbol)
    });
    assert_eq!(exact, None);
    assert_eq!(near.map(|one| (one.period, one.repetitions)), Some((10, 3)));
}

proptest! {
    #![proptest_config(overrule_testing::cases(100))]

    #[test]
    fn a_tail_matches_the_naive_search(symbols in prop::collection::vec(1_u64..5, 1..90)) {
        agree(&symbols, LIMITS);
    }

    #[test]
    fn copies_in_noise_match_the_naive_search(
        noise in prop::collection::vec(1_u64..40, 0..30),
        block in prop::collection::vec(1_u64..40, 1..9),
        times in 1_usize..5,
        tail in prop::collection::vec(1_u64..40, 0..4),
        same in 2_usize..5,
        failing in 2_usize..4,
        succeeding in 2_usize..5,
        window in 8_usize..40,
    ) {
        let mut symbols = noise;
        for _ in 0..times {
            symbols.extend(&block);
        }
        symbols.extend(tail);
        agree(&symbols, Limits { window, same, failing, succeeding });
    }

    #[test]
    fn what_was_forgotten_does_not_matter(
        before in prop::collection::vec(1_u64..4, 0..60),
        after in prop::collection::vec(1_u64..4, 1..40),
    ) {
        let mut one = Periods::new(LIMITS);
        for symbol in before {
            one.push(symbol, fails(symbol));
        }
        one.clear();
        let mut other = Periods::new(LIMITS);
        for symbol in after {
            prop_assert_eq!(one.push(symbol, fails(symbol)), other.push(symbol, fails(symbol)));
        }
    }

    #[test]
    fn exact_copies_are_near_copies(symbols in prop::collection::vec(1_u64..4, 1..60)) {
        let mut near = Near::new(30, 3, 0);
        for end in 1..=symbols.len() {
            let list = &symbols[..end];
            let seen = near.push(symbols[end - 1]);
            let expected = (1..=10).find(|p| list.len() >= 3 * p && copies(list, *p) >= 3);
            prop_assert_eq!(seen.map(|one| one.period), expected);
        }
    }
}
