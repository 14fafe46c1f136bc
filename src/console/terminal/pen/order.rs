//! The order in which runs are written where what looks alike is written together.
//!
//! No terminal agrees with every other on how wide a letter is that is not plain ASCII, and one that is drawn wider
//! than its room covers what stands to the right of it. So all such letters come before all plain ones, and where they
//! stand side by side the left one comes before the right one: what was covered is then written after it.
//!
//! Must not know: how a run is written.

use super::Looks;
use super::run::{Kind, Run, Runs};

/// Most looks that are told apart; a frame with more is hardly shorter in another order.
const MOST: usize = 128;

/// The number of a look, less than [`MOST`].
type Group = u8;

/// What is written together.
type Bucket = u16;

/// The places of the runs in that order; none where there is nothing to put together.
pub(super) fn alike(runs: &Runs) -> Option<Vec<u32>> {
    let runs = runs.list();
    let (of_runs, groups) = groups(runs)?;
    let glyphs = by_number(runs, &of_runs, groups);
    // The first bucket is for what has no group, then those of the glyphs follow, then those of plain ASCII.
    let mut of = Vec::with_capacity(runs.len());
    let mut row = Row::default();
    for (run, group) in runs.iter().zip(&of_runs) {
        of.push(match run.kind {
            Kind::Plain | Kind::Blank => 1 + groups + Bucket::from(*group),
            Kind::Glyph => {
                let own = 1 + glyphs.get(usize::from(*group)).copied().unwrap_or(0);
                row.glyph(run.x, run.y, own)
            }
            Kind::Wild => row.wild(run.x, run.y),
        });
    }
    let first = of.first()?;
    of.iter()
        .any(|bucket| bucket != first)
        .then(|| sorted(1 + 2 * groups, &of))
}

/// The look of each run by its number, and how many looks there are.
fn groups(runs: &[Run]) -> Option<(Vec<Group>, Bucket)> {
    let mut known: Vec<Looks> = Vec::new();
    let mut of = Vec::with_capacity(runs.len());
    for run in runs {
        let fits = |looks: &Looks| looks.for_run(run) == *looks;
        let group = match known.iter().position(fits) {
            Some(group) => group,
            None if known.len() == MOST => return None,
            None => {
                known.push(run.looks);
                known.len() - 1
            }
        };
        of.push(Group::try_from(group).ok()?);
    }
    Some((of, Bucket::try_from(known.len()).ok()?))
}

/// The place of each group among those of the glyphs: the most frequent comes last. It is that of the lines, which
/// stand to the right of what they come from.
fn by_number(runs: &[Run], of: &[Group], groups: Bucket) -> Vec<Bucket> {
    let mut counts = vec![0_usize; usize::from(groups)];
    for (run, group) in runs.iter().zip(of) {
        if run.kind == Kind::Glyph
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

/// The runs in an order.
pub(super) fn put<'r>(order: &'r [u32], runs: &'r [Run]) -> impl Iterator<Item = &'r Run> {
    order.iter().filter_map(|at| runs.get(*at as usize))
}
