//! The nodes of one turn as rows, and turns that do the same again and again.
//!
//! Must not know: what a turn is, beyond a number that its nodes share.

use super::{Detail, Entry, Folded, Keep, Planned, Rules, Stands, merged, single};
use crate::console::layout::gutter::Shape;

/// Longest sequence of turns whose repetition is seen.
pub(super) const PERIODS: usize = 4;
/// So often it has to be there to be called one.
pub(super) const REPEATED: usize = 3;

/// Neighbours that belong together: of one turn, or replaced in one epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// The first entry.
    pub from: usize,
    /// The one after the last.
    to: usize,
    /// What is done in it, whatever the order; 0 for nothing, and for what must be seen.
    sign: u64,
}

impl Piece {
    /// Its entries.
    pub fn of<K>(self, entries: &[Entry<K>]) -> &[Entry<K>] {
        entries.get(self.from..self.to).unwrap_or_default()
    }
}

/// Cuts the entries from one on into pieces.
pub(super) fn pieces<K>(entries: &[Entry<K>], from: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = from;
    while let Some(first) = entries.get(at) {
        let together = |entry: &Entry<K>| {
            entry.replaced == first.replaced
                && (first.replaced.is_some() || (first.turn != 0 && entry.turn == first.turn))
        };
        let rest = entries.get(at + 1..).unwrap_or_default();
        let to = at + 1 + rest.iter().take_while(|entry| together(entry)).count();
        let group = entries.get(at..to).unwrap_or_default();
        let hidden = first.replaced.is_some() || group.iter().any(|entry| entry.keep == Keep::Always);
        let sign = if hidden {
            0
        } else {
            group
                .iter()
                .fold(0_u64, |sum, entry| sum.wrapping_add(entry.sign))
        };
        pieces.push(Piece { from: at, to, sign });
        at = to;
    }
    pieces
}

/// How many pieces from the first on are repeated, and how often they are there; the shortest period
/// that is there often enough.
pub(super) fn repeated<K>(entries: &[Entry<K>], pieces: &[Piece]) -> Option<(usize, usize)> {
    (1..=PERIODS).find_map(|period| {
        let first = pieces.get(..period)?;
        if first.iter().any(|piece| piece.sign == 0) {
            return None;
        }
        let times = pieces
            .chunks_exact(period)
            .take_while(|next| next.iter().zip(first).all(|(one, other)| one.sign == other.sign))
            .count();
        debug_assert!(pieces.iter().all(|piece| piece.to <= entries.len()));
        (times >= REPEATED).then_some((period, times))
    })
}

/// What is repeated, after its first time: one row, or all of them where it is unfolded.
pub(super) fn again<K: Copy + Ord>(
    entries: &[Entry<K>],
    pieces: &[Piece],
    times: usize,
    rules: Rules,
    open: &impl Fn(Folded, K) -> bool,
    rows: &mut Vec<Planned<K>>,
) {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
        return;
    };
    let group = entries.get(first.from..last.to).unwrap_or_default();
    let is_open = group.first().is_some_and(|entry| open(Folded::Loop, entry.key));
    if is_open {
        for piece in pieces {
            turn(piece.of(entries), rules, open, rows);
        }
        return;
    }
    let times = u32::try_from(times - 1).unwrap_or(u32::MAX);
    rows.extend(merged(group.iter(), Shape::Fan, Stands::Loop(times)));
}

/// The rows of one turn.
pub(super) fn turn<K: Copy + Ord>(
    group: &[Entry<K>],
    rules: Rules,
    open: &impl Fn(Folded, K) -> bool,
    rows: &mut Vec<Planned<K>>,
) {
    let quiet = || group.iter().filter(|entry| entry.keep == Keep::No);
    let all_quiet = || group.iter().all(|entry| entry.keep == Keep::No);
    let may = match rules.detail {
        Detail::Nodes => false,
        Detail::Since(turn) => group.first().is_some_and(|first| first.turn < turn) && all_quiet(),
        Detail::Turns => true,
    };
    let name = quiet().next().map(|entry| entry.key);
    let folds = may
        && group.first().is_some_and(|first| first.turn != 0)
        && quiet().nth(1).is_some()
        && !name.is_some_and(|name| open(Folded::Turn, name));
    if !folds {
        return fans(group, rules.wide, open, rows);
    }
    for entry in group {
        if entry.keep != Keep::No {
            rows.push(single(entry, Shape::Node));
        } else if Some(entry.key) == name {
            rows.extend(merged(quiet(), Shape::Fan, Stands::Turn));
        }
    }
}

/// The rows of one turn, wide fans folded.
fn fans<K: Copy + Ord>(
    group: &[Entry<K>],
    wide: usize,
    open: &impl Fn(Folded, K) -> bool,
    rows: &mut Vec<Planned<K>>,
) {
    let mut rest = group;
    while let Some(first) = rest.first() {
        let len = rest
            .iter()
            .take_while(|entry| first.fan && entry.fan)
            .count()
            .max(1);
        let (part, after) = rest.split_at(len.min(rest.len()));
        rest = after;
        fan(part, wide, open, rows);
    }
}

fn fan<K: Copy + Ord>(
    group: &[Entry<K>],
    wide: usize,
    open: &impl Fn(Folded, K) -> bool,
    rows: &mut Vec<Planned<K>>,
) {
    let quiet = || group.iter().filter(|entry| entry.keep == Keep::No);
    let name = quiet().next().map(|entry| entry.key);
    let folds = group.len() > wide.max(1)
        && quiet().nth(1).is_some()
        && !name.is_some_and(|name| open(Folded::Fan, name));
    if !folds {
        rows.extend(group.iter().map(|entry| single(entry, Shape::Node)));
        return;
    }
    for entry in group {
        if entry.keep != Keep::No {
            rows.push(single(entry, Shape::Node));
        } else if Some(entry.key) == name {
            rows.extend(merged(quiet(), Shape::Fan, Stands::Fan));
        }
    }
}
