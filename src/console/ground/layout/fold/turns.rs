//! The nodes of one turn as rows, and repeated turns.
//!
//! Must not know: what a turn is, beyond a number that its nodes share.

use super::{Detail, Entry, Fold, FoldKind, Keep, Row, RowKind, Rules, merged, single};
use crate::ground::layout::gutter::Shape;

/// Maximum length of a sequence of turns whose repetition is detected.
const PERIODS: usize = 4;
/// Minimum number of repetitions.
const REPEATED: usize = 3;

/// Neighbours that belong together: of one turn, or superseded in one epoch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// The first entry.
    from: usize,
    /// The one after the last.
    to: usize,
    /// Its actions, in any order; 0 for none, and for actions that must be visible.
    sign: u64,
}

impl Piece {
    /// Its entries.
    pub fn of<K>(self, entries: &[Entry<K>]) -> &[Entry<K>] {
        entries.get(self.from..self.to).unwrap_or_default()
    }
}

/// Cuts the entries into pieces.
pub(crate) fn pieces<K>(entries: &[Entry<K>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
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

/// The period and the number of repetitions from the first piece on; the shortest period with
/// enough repetitions.
pub(crate) fn repeated(pieces: &[Piece]) -> Option<(usize, usize)> {
    (1..=PERIODS).find_map(|period| {
        let first = pieces.get(..period)?;
        if first.iter().any(|piece| piece.sign == 0) {
            return None;
        }
        let times = pieces
            .chunks_exact(period)
            .take_while(|next| next.iter().zip(first).all(|(one, other)| one.sign == other.sign))
            .count();
        (times >= REPEATED).then_some((period, times))
    })
}

/// The repetitions after the first time: one row, or all rows if unfolded.
pub(crate) fn again<K: Copy + Ord>(
    entries: &[Entry<K>],
    pieces: &[Piece],
    times: usize,
    rules: Rules,
    open: &impl Fn(Fold<K>) -> bool,
    rows: &mut Vec<Row<K>>,
) {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
        return;
    };
    let group = entries.get(first.from..last.to).unwrap_or_default();
    let Some(name) = group.first().map(|entry| (entry.key, FoldKind::Loop)) else {
        return;
    };
    if !open(name) {
        let times = u32::try_from(times - 1).unwrap_or(u32::MAX);
        rows.extend(merged(group.iter(), Shape::Fan, RowKind::Loop(times)));
        return;
    }
    let from = rows.len();
    for piece in pieces {
        turn(piece.of(entries), rules, open, rows);
    }
    for row in rows.iter_mut().skip(from) {
        row.within = row.within.or(Some(name));
    }
}

/// The rows of one turn.
pub(crate) fn turn<K: Copy + Ord>(
    group: &[Entry<K>],
    rules: Rules,
    open: &impl Fn(Fold<K>) -> bool,
    rows: &mut Vec<Row<K>>,
) {
    let mut quiet = group.iter().filter(|entry| entry.keep == Keep::No);
    let may = match rules.detail {
        Detail::Nodes => false,
        Detail::Since(turn) => {
            let is_old = group.first().is_some_and(|first| first.turn < turn);
            is_old && group.iter().all(|entry| entry.keep == Keep::No)
        }
        Detail::Turns => true,
    };
    let is_turn = group.first().is_some_and(|first| first.turn != 0);
    let first = quiet.next().filter(|_| may && is_turn && quiet.next().is_some());
    let Some(name) = first.map(|first| (first.key, FoldKind::Turn)) else {
        return fans(group, rules.wide, open, rows);
    };
    if !open(name) {
        return fold_quiet(group, name.0, RowKind::Turn, rows);
    }
    let from = rows.len();
    fans(group, rules.wide, open, rows);
    set_within(group, name, rows.get_mut(from..).unwrap_or_default());
}

/// One row for the quiet nodes of a group, at the position of the first; the others keep theirs.
fn fold_quiet<K: Copy + Ord>(group: &[Entry<K>], first: K, kind: RowKind, rows: &mut Vec<Row<K>>) {
    let quiet = group.iter().filter(|entry| entry.keep == Keep::No);
    for entry in group {
        if entry.keep != Keep::No {
            rows.push(single(entry, Shape::Node));
        } else if entry.key == first {
            rows.extend(merged(quiet.clone(), Shape::Fan, kind));
        }
    }
}

/// Records in the rows of an unfolded group which fold would hide them.
fn set_within<K: Copy + Ord>(group: &[Entry<K>], name: Fold<K>, rows: &mut [Row<K>]) {
    let mut entries = group.iter();
    for row in rows {
        let is_quiet = entries
            .find(|entry| entry.key == row.key)
            .is_some_and(|entry| entry.keep == Keep::No);
        if is_quiet {
            row.within = row.within.or(Some(name));
        }
    }
}

/// The rows of one turn, wide fans folded.
fn fans<K: Copy + Ord>(
    group: &[Entry<K>],
    wide: usize,
    open: &impl Fn(Fold<K>) -> bool,
    rows: &mut Vec<Row<K>>,
) {
    for part in group.chunk_by(|one, other| one.fan && other.fan) {
        fan(part, wide, open, rows);
    }
}

fn fan<K: Copy + Ord>(
    group: &[Entry<K>],
    wide: usize,
    open: &impl Fn(Fold<K>) -> bool,
    rows: &mut Vec<Row<K>>,
) {
    let mut quiet = group.iter().filter(|entry| entry.keep == Keep::No);
    let is_wide = group.len() > wide.max(1);
    let first = quiet.next().filter(|_| is_wide && quiet.next().is_some());
    let name = first.map(|first| (first.key, FoldKind::Fan));
    match name {
        Some(name) if !open(name) => fold_quiet(group, name.0, RowKind::Fan, rows),
        name => rows.extend(group.iter().map(|entry| Row {
            within: name.filter(|_| entry.keep == Keep::No),
            ..single(entry, Shape::Node)
        })),
    }
}
