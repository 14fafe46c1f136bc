//! The lines between two neighbouring layers: which nodes share one, and its track.
//!
//! Must not know: how wide boxes are, how lines look.
//!
//! Two nets never touch: each leaves a box at its own exit and has its own part of a track.

use std::collections::{BTreeMap, BTreeSet};

use super::Node;

/// Children with the same parents in the layer above, with these parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Net {
    /// Slots of the parents in the grid, each with the exit of this net.
    pub from: Vec<(usize, usize)>,
    /// Slots of the children.
    pub to: Vec<usize>,
    /// Its track, from 0.
    pub track: usize,
}

impl Net {
    /// The range of slots that it covers.
    fn span(&self) -> (usize, usize) {
        let slots = || {
            self.from
                .iter()
                .map(|(slot, _)| *slot)
                .chain(self.to.iter().copied())
        };
        (slots().min().unwrap_or(0), slots().max().unwrap_or(0))
    }

    /// True if a box above it has its first exit for this net.
    fn leaves_straight(&self, slot: usize) -> bool {
        self.from.contains(&(slot, 0))
    }
}

/// Everything between two layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Channel<K> {
    /// The lines.
    pub nets: Vec<Net>,
    /// Number of tracks.
    pub tracks: usize,
    /// For each node below, the parents without a line.
    pub chips: Vec<Vec<K>>,
}

/// The lines between the nodes of a layer and those of the one above. A box has at most `exits` exits. The boxes of the
/// two layers are in every n-th slot.
pub(crate) fn channel<K: Copy + Ord>(
    above: &[&Node<K>],
    below: &[&Node<K>],
    (exits, [every_above, every_below]): (usize, [usize; 2]),
) -> Channel<K> {
    let slot_of: BTreeMap<K, usize> = above
        .iter()
        .enumerate()
        .map(|(at, node)| (node.key, at * every_above))
        .collect();
    let mut chips = Vec::new();
    let mut grouped: BTreeMap<BTreeSet<usize>, Vec<usize>> = BTreeMap::new();
    for (at, node) in below.iter().enumerate() {
        let near: BTreeSet<usize> = node
            .parents
            .iter()
            .filter_map(|key| slot_of.get(key).copied())
            .collect();
        let mut far: Vec<K> = Vec::new();
        for key in node.parents.iter().filter(|key| !slot_of.contains_key(key)) {
            if !far.contains(key) {
                far.push(*key);
            }
        }
        chips.push(far);
        if !near.is_empty() {
            grouped.entry(near).or_default().push(at * every_below);
        }
    }
    let mut nets: Vec<Net> = grouped
        .into_iter()
        .map(|(from, to)| Net {
            from: from.into_iter().map(|slot| (slot, 0)).collect(),
            to,
            track: 0,
        })
        .collect();
    nets.sort_by_key(|net| net.to.first().copied());
    let mut drop_net = |net: &Net| {
        for child in &net.to {
            let keys = net
                .from
                .iter()
                .filter_map(|(slot, _)| above.get(slot / every_above));
            if let Some(chips) = chips.get_mut(child / every_below) {
                chips.extend(keys.map(|node| node.key));
            }
        }
    };
    let mut nets = give_exits(nets, exits, &mut drop_net);
    let tracks = give_tracks(&mut nets, &mut drop_net);
    Channel { nets, tracks, chips }
}

/// Assigns each net its own exit at each of its parents. The first exit goes to the net that runs
/// straight. Drops nets without a free exit.
fn give_exits(nets: Vec<Net>, exits: usize, dropped: &mut impl FnMut(&Net)) -> Vec<Net> {
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut straight: BTreeSet<usize> = BTreeSet::new();
    for net in &nets {
        straight.extend(
            net.from
                .iter()
                .map(|(slot, _)| *slot)
                .filter(|slot| net.to.contains(slot)),
        );
    }
    let mut stored = Vec::new();
    for mut net in nets {
        let mut next = taken.clone();
        let mut fits = true;
        for (slot, exit) in &mut net.from {
            let own = net.to.contains(slot);
            // The first one is reserved for the net that runs straight.
            let first = usize::from(straight.contains(slot));
            let place = next.entry(*slot).or_insert(first);
            if own {
                *exit = 0;
            } else if *place < exits {
                *exit = *place;
                *place += 1;
            } else {
                fits = false;
            }
        }
        if fits {
            taken = next;
            stored.push(net);
        } else {
            dropped(&net);
        }
    }
    stored
}

/// Assigns each net a part of a track. A net that enters a box is after one that leaves the box
/// before it at the same place. Drops a net that closes a cycle. Returns the number of tracks.
fn give_tracks(nets: &mut Vec<Net>, dropped: &mut impl FnMut(&Net)) -> usize {
    let mut placed: Vec<Net> = Vec::new();
    let mut rest: Vec<Net> = std::mem::take(nets);
    while !rest.is_empty() {
        let is_free = |net: &Net| {
            net.to.iter().all(|slot| {
                rest.iter()
                    .all(|other| other == net || !other.leaves_straight(*slot))
            })
        };
        let Some(at) = rest.iter().position(is_free) else {
            let net = rest.remove(0);
            dropped(&net);
            continue;
        };
        let mut net = rest.remove(at);
        let (low, high) = net.span();
        let after = |other: &&Net| net.to.iter().any(|slot| other.leaves_straight(*slot));
        let first = placed
            .iter()
            .filter(after)
            .map(|other| other.track + 1)
            .max()
            .unwrap_or(0);
        let is_taken = |track: usize| {
            placed.iter().any(|other| {
                let (from, to) = other.span();
                other.track == track && from <= high && low <= to
            })
        };
        // The track after all others is free.
        net.track = (first..=first + placed.len())
            .find(|track| !is_taken(*track))
            .unwrap_or(first + placed.len());
        placed.push(net);
    }
    let tracks = placed.iter().map(|net| net.track + 1).max().unwrap_or(0);
    *nets = placed;
    tracks
}
