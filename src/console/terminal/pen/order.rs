//! The order in which cells are written where what looks alike is written together.
//!
//! No terminal agrees with every other on how wide a letter is that is not plain ASCII, and one that is drawn wider
//! than its room covers what stands to the right of it. So all such letters come before all plain ones, and where they
//! stand side by side the left one comes before the right one: what was covered is then written after it.
//!
//! Must not know: how a cell is written.

use ratatui::buffer::{Cell, CellDiffOption};

use super::{Looks, Placed};

/// Most looks that are told apart; a frame with more is hardly shorter in another order.
const MOST: usize = 128;

/// The number of a look, less than [`MOST`]. Small, as that of a bucket: a frame has one for each of its cells.
type Group = u8;

/// What is written together.
type Bucket = u16;

/// What a cell holds, with the number of its looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Plain ASCII.
    Plain(Group),
    /// One letter that is not; no terminal draws it wider than two columns.
    Glyph(Group),
    /// Anything else: how far it reaches is not known.
    Wild,
}

/// The places of the cells in that order; none where there is nothing to put together.
pub(super) fn alike(cells: &[Placed<'_>]) -> Option<Vec<u32>> {
    let (kinds, groups) = kinds(cells)?;
    let glyphs = by_number(&kinds, groups);
    // The first bucket is for what has no group, then those of the glyphs follow, then those of plain ASCII.
    let mut of = Vec::with_capacity(cells.len());
    let mut row = Row::default();
    for ((x, y, _), kind) in cells.iter().zip(&kinds) {
        of.push(match kind {
            Kind::Plain(group) => 1 + groups + Bucket::from(*group),
            Kind::Glyph(group) => {
                row.glyph(*x, *y, 1 + glyphs.get(usize::from(*group)).copied().unwrap_or(0))
            }
            Kind::Wild => row.wild(*x, *y),
        });
    }
    let first = of.first()?;
    of.iter()
        .any(|bucket| bucket != first)
        .then(|| sorted(1 + 2 * groups, &of))
}

/// What each cell holds, and how many looks there are.
fn kinds(cells: &[Placed<'_>]) -> Option<(Vec<Kind>, Bucket)> {
    let mut groups: Vec<Looks> = Vec::new();
    let mut kinds = Vec::with_capacity(cells.len());
    let mut last: Option<(u16, u16, Group)> = None;
    for (x, y, cell) in cells {
        if is_wild(cell) {
            kinds.push(Kind::Wild);
            last = None;
            continue;
        }
        let is_plain = cell.symbol().is_ascii();
        let before = last
            .filter(|(right, row, _)| is_plain && (right, row) == (x, y))
            .and_then(|(.., group)| Some((group, *groups.get(usize::from(group))?)));
        let wanted = match before {
            // A blank goes with what stands before it.
            Some((_, looks)) => looks.for_cell(cell),
            None => Looks::of(cell),
        };
        let group = match before {
            Some((group, looks)) if looks == wanted => group,
            // A blank needs no more than its ground.
            _ => {
                let known = groups.iter().position(|one| one.for_cell(cell) == *one);
                if known.is_none() {
                    groups.push(wanted);
                }
                Group::try_from(known.unwrap_or(groups.len() - 1)).ok()?
            }
        };
        if groups.len() > MOST {
            return None;
        }
        last = is_plain.then(|| (x.saturating_add(1), *y, group));
        kinds.push(if is_plain {
            Kind::Plain(group)
        } else {
            Kind::Glyph(group)
        });
    }
    Some((kinds, Bucket::try_from(groups.len()).ok()?))
}

/// True for what more than one letter makes, and for a letter that has more room than one column.
fn is_wild(cell: &Cell) -> bool {
    let mut letters = cell.symbol().chars();
    let single = letters.next().is_some() && letters.next().is_none();
    !single
        || matches!(cell.diff_option, CellDiffOption::ForcedWidth(_))
        || unicode_width::UnicodeWidthStr::width(cell.symbol()) != 1
}

/// The place of each group among those of the glyphs: the most frequent comes last. It is that of the lines, which
/// stand to the right of what they come from.
fn by_number(kinds: &[Kind], groups: Bucket) -> Vec<Bucket> {
    let mut counts = vec![0_usize; usize::from(groups)];
    for kind in kinds {
        if let Kind::Glyph(group) = kind
            && let Some(count) = counts.get_mut(usize::from(*group))
        {
            *count += 1;
        }
    }
    let mut order: Vec<Bucket> = (0..groups).collect();
    order.sort_by_key(|group| counts.get(usize::from(*group)).copied());
    let mut places = vec![0; usize::from(groups)];
    for (place, group) in (0..).zip(order) {
        if let Some(slot) = places.get_mut(usize::from(group)) {
            *slot = place;
        }
    }
    places
}

/// What was met of a row so far that may cover what comes next in it.
#[derive(Debug, Default)]
struct Row {
    y: u16,
    /// The column behind the last letter that is not plain, and its bucket.
    behind: Option<(u16, Bucket)>,
    /// The bucket of the last whose reach is not known.
    wild: Bucket,
}

impl Row {
    /// The bucket of a letter that would stand in this one if nothing could cover it.
    fn glyph(&mut self, x: u16, y: u16, own: Bucket) -> Bucket {
        if self.y != y {
            *self = Self { y, ..Self::default() };
        }
        let beside = self.behind.filter(|(behind, _)| *behind == x);
        let bucket = own.max(self.wild).max(beside.map_or(0, |(_, bucket)| bucket));
        self.behind = Some((x.saturating_add(1), bucket));
        bucket
    }

    fn wild(&mut self, x: u16, y: u16) -> Bucket {
        self.wild = self.glyph(x, y, 0);
        self.wild
    }
}

/// Bucket by bucket; in each as they stood.
fn sorted(buckets: Bucket, of: &[Bucket]) -> Vec<u32> {
    // Where the next of each bucket goes: behind all those of the buckets before it.
    let mut next = vec![0_u32; usize::from(buckets) + 1];
    for bucket in of {
        if let Some(count) = next.get_mut(usize::from(*bucket) + 1) {
            *count += 1;
        }
    }
    let mut before = 0;
    for place in &mut next {
        before += *place;
        *place = before;
    }
    let mut places = vec![0; of.len()];
    for (at, bucket) in (0_u32..).zip(of) {
        if let Some(next) = next.get_mut(usize::from(*bucket))
            && let Some(place) = places.get_mut(*next as usize)
        {
            *place = at;
            *next += 1;
        }
    }
    places
}

/// The cells in an order.
pub(super) fn put<'s, 'c>(order: &'s [u32], cells: &'s [Placed<'c>]) -> impl Iterator<Item = Placed<'c>> {
    order.iter().filter_map(|at| cells.get(*at as usize)).copied()
}
