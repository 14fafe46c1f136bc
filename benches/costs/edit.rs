//! Measures an edit of a large graph: its plan, its commit, and everything that runs again.
//!
//! Must not know: how graphs are made.
//!
//! The floor is a walk over the bare graph.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use divan::Bencher;
use overrule::domain::lineage;

use crate::graph::{Bare, World};

const SIZES: [usize; 3] = [1_000, 5_000, 20_000];

/// The place of the edited call in the graph.
#[derive(Debug, Clone, Copy)]
enum Place {
    Middle,
    NearTheEnd,
}

const EACH: [(usize, Place); 6] = [
    (SIZES[0], Place::Middle),
    (SIZES[1], Place::Middle),
    (SIZES[2], Place::Middle),
    (SIZES[0], Place::NearTheEnd),
    (SIZES[1], Place::NearTheEnd),
    (SIZES[2], Place::NearTheEnd),
];

impl Place {
    fn call(self, nodes: usize) -> usize {
        match self {
            Self::Middle => nodes / 4,
            Self::NearTheEnd => nodes / 2 - 20,
        }
    }
}

/// Made once for each size.
fn world(nodes: usize) -> Arc<World> {
    static MADE: Mutex<BTreeMap<usize, Arc<World>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(nodes)
        .or_insert_with(|| Arc::new(World::done(nodes, false)))
        .clone()
}

/// Floor of the plan: the descendants of the call, as a walk over numbers.
#[divan::bench(args = EACH)]
fn floor_walk(bencher: Bencher<'_, '_>, (nodes, place): (usize, Place)) {
    let bare = Bare::new(nodes);
    bencher.bench_local(|| bare.walk(black_box(place.call(nodes))));
}

/// The plan that an operator is shown.
#[divan::bench(args = EACH)]
fn plan(bencher: Bencher<'_, '_>, (nodes, place): (usize, Place)) {
    let world = world(nodes);
    let edit = [world.correction(place.call(nodes))];
    bencher.bench_local(|| lineage::plan(&world.state, black_box(&edit)).unwrap());
}

/// Floor of the commit: a value changes, and all its descendants are computed again.
#[divan::bench(args = EACH)]
fn floor_edit(bencher: Bencher<'_, '_>, (nodes, place): (usize, Place)) {
    let mut bare = Bare::new(nodes);
    let mut value = 0;
    bencher.bench_local(|| {
        value += 1;
        bare.edit(black_box(place.call(nodes)), value)
    });
}

/// From the edit to the first call that is started again: decided, folded, and what follows.
#[divan::bench(args = EACH, max_time = 5)]
fn commit(bencher: Bencher<'_, '_>, (nodes, place): (usize, Place)) {
    let world = world(nodes);
    let edit = world.correction(place.call(nodes));
    bencher
        .with_inputs(|| (world.copy(), edit.clone()))
        .bench_local_values(|(mut world, edit)| {
            let events = world.commit(edit);
            world.record(events);
            world.follow();
            world
        });
}

/// From the edit to the next request to the model; every call in between ends immediately.
#[divan::bench(args = EACH, max_time = 5)]
fn resume(bencher: Bencher<'_, '_>, (nodes, place): (usize, Place)) {
    let world = world(nodes);
    let edit = world.correction(place.call(nodes));
    bencher
        .with_inputs(|| (world.copy(), edit.clone()))
        .bench_local_values(|(mut world, edit)| {
            let events = world.commit(edit);
            world.record(events);
            world.follow();
            world.run();
            assert!(world.ran > 0);
            world
        });
}
