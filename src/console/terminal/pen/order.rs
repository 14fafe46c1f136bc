//! The order in which cells are written where what looks alike is written together.
//!
//! Must not know: how a cell is written.

use ratatui::buffer::{Cell, CellDiffOption};

use super::{Looks, Placed};

/// Most looks that are told apart; a frame with more is hardly shorter in another order.
const MOST: usize = 128;

/// The places of the cells in that order; none where there is nothing to put together. First comes all that is not
/// plain ASCII, as it stood: no terminal agrees with every other on how wide that is, and what stands beside it must
/// be written after it.
pub(super) fn alike(cells: &[Placed<'_>]) -> Option<Vec<u32>> {
    let mut groups: Vec<Looks> = Vec::new();
    let mut of: Vec<Option<usize>> = Vec::with_capacity(cells.len());
    let mut last: Option<(u16, u16, usize)> = None;
    for (x, y, cell) in cells {
        if !is_plain(cell) {
            of.push(None);
            last = None;
            continue;
        }
        let before = last
            .filter(|(right, row, _)| (right, row) == (x, y))
            .and_then(|(.., group)| Some((group, *groups.get(group)?)));
        let wanted = match before {
            // A blank goes with what stands before it.
            Some((_, looks)) => looks.for_cell(cell),
            None => Looks::of(cell),
        };
        let group = match before {
            Some((group, looks)) if looks == wanted => group,
            _ => groups.iter().position(|one| *one == wanted).unwrap_or_else(|| {
                groups.push(wanted);
                groups.len() - 1
            }),
        };
        if groups.len() > MOST {
            return None;
        }
        of.push(Some(group));
        last = Some((x.saturating_add(1), *y, group));
    }
    (groups.len() > 1).then(|| sorted(groups.len(), &of))
}

fn is_plain(cell: &Cell) -> bool {
    cell.symbol().is_ascii() && !matches!(cell.diff_option, CellDiffOption::ForcedWidth(_))
}

/// Those of no group first, then group by group; each as it stood.
fn sorted(groups: usize, of: &[Option<usize>]) -> Vec<u32> {
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); groups + 1];
    for (at, group) in (0_u32..).zip(of) {
        if let Some(bucket) = buckets.get_mut(group.map_or(0, |group| group + 1)) {
            bucket.push(at);
        }
    }
    buckets.concat()
}

/// The cells in an order.
pub(super) fn put<'s, 'c>(order: &'s [u32], cells: &'s [Placed<'c>]) -> impl Iterator<Item = Placed<'c>> {
    order.iter().filter_map(|at| cells.get(*at as usize)).copied()
}
