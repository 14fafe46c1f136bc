//! Measures reading a long journal and folding it into a state.
//!
//! Must not know: what events mean.
//!
//! One floor only finds the lines of the file, the other parses each line as JSON.

use std::sync::OnceLock;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use overrule::domain::apply;
use overrule::engine::ids;
use overrule::journal;
use overrule::journal::{Place, Store};

use crate::graph::World;

/// A graph whose making is a journal of about a hundred thousand events.
const NODES: usize = 32_000;

struct Made {
    place: Place,
    events: usize,
    bytes: u64,
    // Gone with the process, not before.
    _dir: tempfile::TempDir,
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let events = World::done(NODES, true).record.unwrap_or_default();
        let store = Store::open(dir.path());
        let written = store.create_whole(ids::session(), |writer| {
            events.iter().try_for_each(|event| writer.append(event))
        });
        let place = written.unwrap();
        Made {
            events: events.len(),
            bytes: place.journal().metadata().unwrap().len(),
            place,
            _dir: dir,
        }
    })
}

/// Floor: the file and where its lines end.
#[divan::bench(max_time = 4)]
fn floor_lines(bencher: Bencher<'_, '_>) {
    let made = made();
    let bencher = bencher.counter(ItemsCount::new(made.events));
    bencher.counter(BytesCount::new(made.bytes)).bench_local(|| {
        let bytes = std::fs::read(made.place.journal()).unwrap();
        bytes.split(|byte| *byte == b'\n').count()
    });
}

/// Yardstick: every line as a tree of JSON.
#[divan::bench(max_time = 4)]
fn json_trees(bencher: Bencher<'_, '_>) {
    let made = made();
    let bencher = bencher.counter(ItemsCount::new(made.events));
    bencher.counter(BytesCount::new(made.bytes)).bench_local(|| {
        let bytes = std::fs::read(made.place.journal()).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
            .count()
    });
}

/// Every record read and checked.
#[divan::bench(max_time = 4)]
fn read(bencher: Bencher<'_, '_>) {
    let made = made();
    let bencher = bencher.counter(ItemsCount::new(made.events));
    bencher
        .counter(BytesCount::new(made.bytes))
        .bench_local(|| journal::read(&made.place).unwrap());
}

/// The fold of them.
#[divan::bench(max_time = 4)]
fn fold(bencher: Bencher<'_, '_>) {
    let made = made();
    let envelopes = journal::read(&made.place).unwrap().envelopes;
    bencher
        .counter(ItemsCount::new(made.events))
        .bench_local(|| apply::fold(&envelopes));
}
