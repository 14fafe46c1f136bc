//! Chooses the visible part of a map: a box with its parents, children and siblings.
//!
//! Must not know: how it is drawn.

use std::ops::Range;

use super::{Flow, NodeBox, Sheet};

/// Columns and rows that must be visible.
#[derive(Debug, Clone)]
struct VisibleArea {
    x: Range<usize>,
    y: Range<usize>,
}

impl VisibleArea {
    const fn of<K>(one: &NodeBox<K>) -> Self {
        Self {
            x: one.x..one.x + one.width,
            y: one.y..one.y + 1,
        }
    }

    fn with(&self, other: &Self) -> Self {
        let both = |a: &Range<usize>, b: &Range<usize>| a.start.min(b.start)..a.end.max(b.end);
        Self {
            x: both(&self.x, &other.x),
            y: both(&self.y, &other.y),
        }
    }
}

impl<K: Copy + Ord> Sheet<K> {
    /// The first visible column and row, for an area of `room` cells. The first lane is visible if the box of `own`
    /// is visible with it. Otherwise that box is in the middle, unless that hides a relative that could be visible
    /// with it.
    pub fn window(&self, own: Option<K>, room: (usize, usize)) -> (usize, usize) {
        let Some(own) = own.and_then(|key| self.find(key)) else {
            return (0, 0);
        };
        let mut seen = VisibleArea::of(own);
        for one in self.relatives(own) {
            let more = seen.with(&VisibleArea::of(one));
            if more.x.len() <= room.0 && more.y.len() <= room.1 {
                seen = more;
            }
        }
        let top = middle(own.y, &seen.y, room.1, self.height);
        if self.flow == Flow::Down && own.x + own.width <= room.0 {
            return (0, top);
        }
        let left = middle(own.x + own.width / 2, &seen.x, room.0, self.width);
        (self.left_edge(left, &seen.x, room.0), top)
    }

    /// Its parents, children and siblings, each nearest first.
    fn relatives(&self, own: &NodeBox<K>) -> Vec<&NodeBox<K>> {
        let kin = |one: &&NodeBox<K>| {
            let beside = one.layer == own.layer && one.parents.iter().any(|key| own.parents.contains(key));
            match () {
                () if one.key == own.key => None,
                () if own.parents.contains(&one.key) => Some(0),
                () if one.parents.contains(&own.key) => Some(1),
                () if beside => Some(2),
                () => None,
            }
        };
        let far = |one: &NodeBox<K>| one.x.abs_diff(own.x) + one.y.abs_diff(own.y);
        let mut all: Vec<(u8, usize, &NodeBox<K>)> = self
            .boxes
            .iter()
            .filter_map(|one| Some((kin(&one)?, far(one), one)))
            .collect();
        all.sort_by_key(|(kin, far, _)| (*kin, *far));
        all.into_iter().map(|(_, _, one)| one).collect()
    }

    /// The first visible column: the start of the nearest box before `left`, so that no box is cut
    /// off. All of `seen` must fit.
    fn left_edge(&self, left: usize, seen: &Range<usize>, room: usize) -> usize {
        let starts = || self.boxes.iter().map(|one| one.x);
        let least = seen.end.saturating_sub(room);
        let before = starts().filter(|x| *x <= left).max().unwrap_or(left);
        if before >= least {
            return before.min(seen.start);
        }
        let after = starts().filter(|x| (least..=seen.start).contains(x)).min();
        after.unwrap_or(seen.start)
    }
}

/// The start of the window with `at` in the middle and all of `seen` visible, as far as there is
/// content around it.
fn middle(at: usize, seen: &Range<usize>, room: usize, all: usize) -> usize {
    let requested = at.saturating_sub(room / 2).min(all.saturating_sub(room));
    requested.max(seen.end.saturating_sub(room)).min(seen.start)
}
