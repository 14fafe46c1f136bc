//! The smallest program for the same physical work: one task per node, started when its inputs end.
//!
//! Must not know: the engine.
//!
//! It records, decides and shows nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::JoinSet;

use super::stage::now;
use super::workload::Workload;

/// Runs these nodes of a workload; what they read of others is there. Gives the time that it takes.
pub async fn run(workload: &Workload, nodes: &[usize], pace: f64) -> Duration {
    let all: BTreeSet<usize> = nodes.iter().copied().collect();
    let mut waits = vec![0_usize; workload.nodes.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); workload.nodes.len()];
    for node in workload.nodes.iter().filter(|node| all.contains(&node.id)) {
        for dep in node.deps.iter().filter(|dep| all.contains(dep)) {
            if let Some(readers) = readers.get_mut(*dep) {
                readers.push(node.id);
            }
            if let Some(waits) = waits.get_mut(node.id) {
                *waits += 1;
            }
        }
    }
    let began = now();
    let mut running = JoinSet::new();
    let start = |running: &mut JoinSet<usize>, id: usize| {
        let ms = workload.nodes.get(id).map_or(0.0, |node| node.ms) * pace;
        running.spawn(async move {
            if ms > 0.0 {
                tokio::time::sleep(Duration::from_secs_f64(ms / 1000.0)).await;
            }
            id
        });
    };
    for id in all.iter().filter(|id| waits.get(**id) == Some(&0)) {
        start(&mut running, *id);
    }
    while let Some(Ok(ended)) = running.join_next().await {
        for reader in readers.get(ended).into_iter().flatten() {
            if let Some(waits) = waits.get_mut(*reader) {
                *waits -= 1;
                if *waits == 0 {
                    start(&mut running, *reader);
                }
            }
        }
    }
    began.elapsed()
}
