//! Measures the search for loops after one more turn, for histories of different lengths.
//!
//! Must not know: how a loop is detected.
//!
//! The floor is the least work of any detector: to make a symbol of the call.

use std::sync::Arc;

use divan::Bencher;
use overrule::domain::escape::args_hash;
use overrule::domain::id::{NodeId, NodeKind, Seq, TurnId};
use overrule::resilience::loops::Config;
use overrule::resilience::loops::action::{Action, Batch, End};
use overrule::resilience::loops::detect::Detectors;
use overrule::resilience::loops::period::{Limits, Periods};

/// Lengths of the history.
const HISTORY: [u32; 3] = [100, 1_000, 100_000];
/// Turns that are taken in per measurement.
const MORE: u32 = 1_000;

/// A turn with one call of about 300 bytes; every seventh is one that was made before, every fifth fails.
fn turn(no: u32) -> Batch {
    let what = if no.is_multiple_of(7) { no % 200 } else { no };
    let args = format!(
        r#"{{"path":"src/module_{what}.rs","about":"{}"}}"#,
        "x".repeat(250)
    );
    let (end, error) = if no.is_multiple_of(5) {
        (
            End::Failure,
            Some(Arc::from(format!("not found: module {}", what % 9))),
        )
    } else {
        (End::Value, None)
    };
    let node = NodeId::new(NodeKind::Call, no);
    let called = (Arc::from("read_file"), args_hash(&args));
    let text = what.to_le_bytes();
    Batch::new(
        TurnId(no),
        Seq(u64::from(no)),
        vec![Action::new(node, called, (end, false), error, &text)],
    )
}

/// A symbol list of the three kinds that are hardest on a detector of copies.
fn symbols(kind: &str) -> Vec<u64> {
    let length = 100_000;
    match kind {
        "period 7" => (0..length).map(|n| n % 7 + 1).collect(),
        "200 symbols" => {
            let mut seed = 88_172_645_463_325_252_u64;
            let mut next = || {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                seed % 200 + 1
            };
            (0..length).map(|_| next()).collect()
        }
        _ => {
            let mut word = (vec![1_u64], vec![1, 2]);
            while (word.1.len() as u64) < length {
                let next = [word.1.clone(), word.0].concat();
                word = (word.1, next);
            }
            word.1
        }
    }
}

/// Floor: the symbol of one call.
#[divan::bench]
fn floor_symbol(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| divan::black_box(turn(divan::black_box(11))).symbol);
}

/// All four detectors, one thousand turns more.
#[divan::bench(args = HISTORY, max_time = 4)]
fn one_turn_more(bencher: Bencher<'_, '_>, history: u32) {
    let mut detectors = Detectors::new(&Config::default());
    for no in 0..history {
        detectors.push(turn(no));
    }
    let more: Vec<Batch> = (history..history + MORE).map(turn).collect();
    bencher
        .counter(divan::counter::ItemsCount::new(MORE))
        .with_inputs(|| (detectors.clone(), more.clone()))
        .bench_local_values(|(mut detectors, more)| {
            more.into_iter()
                .map(|batch| detectors.push(batch).len())
                .sum::<usize>()
        });
}

/// The detector of copies alone in the widest window.
#[divan::bench(args = ["200 symbols", "Fibonacci word", "period 7"], max_time = 4)]
fn copies_in_the_widest_window(bencher: Bencher<'_, '_>, kind: &str) {
    let list = symbols(kind);
    let limits = Limits {
        window: 960,
        same: 3,
        failing: 3,
        succeeding: 3,
    };
    bencher
        .counter(divan::counter::ItemsCount::new(list.len()))
        .bench_local(|| {
            let mut periods = Periods::new(limits);
            list.iter()
                .filter(|symbol| {
                    periods.push(**symbol, false) != overrule::resilience::loops::period::Tail::Open
                })
                .count()
        });
}
