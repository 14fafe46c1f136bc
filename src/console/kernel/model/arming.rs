//! Tracks what was on screen, since when, and how much of it.
//!
//! Must not know: what a decision does.
//!
//! A key decides only about what was on screen for long enough.

pub(crate) mod coverage;

pub use coverage::Coverage;

use crate::run::question::Question;
use std::collections::VecDeque;
use std::ops::Range;

/// Maximum number of earlier questions whose read rows are remembered.
const REMEMBERED: usize = 64;

/// A question that is on screen.
#[derive(Debug, Clone)]
pub struct VisibleQuestion {
    /// The question.
    pub question: Question,
    /// Time since when.
    pub since: u64,
    /// Rows of its text that were on screen.
    pub read: Coverage,
    /// Those of them that are on screen now.
    pub now: Range<usize>,
    /// Rows of its text.
    pub rows: usize,
    /// Width that the rows were made for.
    pub width: u16,
    /// Number of the form in which it is shown. Each form is read by itself.
    pub stamp: u64,
}

impl VisibleQuestion {
    /// True if all unread rows are above the visible ones.
    pub fn is_left_above(&self) -> bool {
        let left = self.read.misses(self.rows);
        left.last().is_some_and(|rows| rows.end <= self.now.start)
    }

    /// True once it was on screen for long enough.
    pub const fn is_armed(&self, now: u64, arming_ms: u64) -> bool {
        now.saturating_sub(self.since) >= arming_ms
    }

    /// True if all of it was on screen.
    pub fn is_read(&self) -> bool {
        self.read.misses(self.rows).is_empty()
    }
}

/// Questions on screen, in the decision frame and on the topmost surface.
#[derive(Debug, Clone, Default)]
pub struct Arming {
    /// In the decision frame.
    pub frame: Option<VisibleQuestion>,
    /// On the topmost surface.
    pub top: Option<VisibleQuestion>,
    /// Read rows of earlier questions, the newest last.
    before: VecDeque<VisibleQuestion>,
    /// Time since when a surface covers the decision frame.
    pub covered: Option<u64>,
    /// Time since when the palette covers the surface below it.
    pub top_covered: Option<u64>,
    /// Time of the newest message.
    pub now: u64,
    /// True if the last frame changed the status of a question, so that the next one looks
    /// different.
    pub changed: bool,
    /// True right after a request for a bulk approval without calls. The key that would have
    /// approved the list then does not approve the current call.
    pub no_list: bool,
}

/// What covers the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Nothing.
    None,
    /// A surface.
    Surface,
    /// The palette above another surface. Its commands act on that surface.
    PaletteOverSurface,
}

/// Visibility of a question in a frame.
#[derive(Debug, Clone)]
pub struct Visibility {
    /// The question.
    pub question: Question,
    /// Rows of the text on screen.
    pub rows: Range<usize>,
    /// Rows of the whole text.
    pub total: usize,
    /// Width of the rows.
    pub width: u16,
    /// Number of the form in which it is shown.
    pub stamp: u64,
}

impl Visibility {
    /// A question in one row of the console's own text.
    pub const fn words(question: Question) -> Self {
        Self {
            question,
            rows: 0..1,
            total: 1,
            width: 0,
            stamp: 0,
        }
    }
}

/// Visibility in the decision frame and on the topmost surface, and what covers the panes.
pub type FrameVisibility = (Option<Visibility>, Option<Visibility>, Cover);

/// Status of a question for the status line and the look of the decision keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct QuestionStatus {
    /// Unread rows.
    rows: usize,
    /// True if some of them are above the visible ones.
    above: bool,
    /// True if it was on screen for long enough.
    armed: bool,
}

impl Arming {
    /// Restarts the minimum time on screen. Read rows stay read.
    pub fn rearm(&mut self) {
        for shown in [&mut self.frame, &mut self.top].into_iter().flatten() {
            shown.since = shown.since.max(self.now);
        }
    }

    /// Records the visibility in a frame, and when it was flushed.
    pub fn drawn(&mut self, (frame, top, cover): FrameVisibility, at: u64, arming_ms: u64) {
        let covered = cover != Cover::None;
        let before = self.question_statuses(arming_ms);
        self.now = self.now.max(at);
        if covered {
            // The covered question stays known: a palette command acts on it.
            self.covered.get_or_insert(at);
        } else {
            let fresh = self.covered.take();
            self.frame = see(&mut self.before, self.frame.take(), frame, at);
            if let (Some(_), Some(shown)) = (fresh, &mut self.frame) {
                shown.since = at;
            }
        }
        if cover == Cover::PaletteOverSurface {
            self.top_covered.get_or_insert(at);
        } else {
            let fresh = self.top_covered.take();
            if let (None, Some(_), Some(frame)) = (&self.top, &top, &self.frame) {
                // Rows read in the frame count as read on the surface too.
                remember(&mut self.before, frame.clone());
            }
            self.top = see(&mut self.before, self.top.take(), top, at);
            if let (Some(_), Some(shown)) = (fresh, &mut self.top) {
                shown.since = at;
            }
        }
        self.changed = before != self.question_statuses(arming_ms);
    }

    /// Status of the questions in the frame and on the topmost surface.
    fn question_statuses(&self, arming_ms: u64) -> [QuestionStatus; 2] {
        [&self.frame, &self.top].map(|slot| {
            let Some(shown) = slot else {
                return QuestionStatus::default();
            };
            let unread = shown.read.misses(shown.rows);
            QuestionStatus {
                rows: unread.iter().map(Range::len).sum(),
                above: shown.is_left_above(),
                armed: shown.is_armed(self.now, arming_ms),
            }
        })
    }

    /// When the last question becomes decidable, if it is not yet.
    pub fn wake_at(&self, arming_ms: u64) -> Option<u64> {
        [&self.frame, &self.top]
            .into_iter()
            .flatten()
            .map(|shown| shown.since + arming_ms)
            .filter(|at| *at > self.now)
            .min()
    }

    /// True if all of a question was on screen, now or before.
    pub fn was_read(&self, question: &Question) -> bool {
        let slots = self.frame.iter().chain(&self.top).chain(&self.before);
        slots
            .filter(|shown| shown.question == *question)
            .any(VisibleQuestion::is_read)
    }

    /// The question if it is on screen: on the topmost surface, or in the decision frame.
    pub fn find(&self, question: &Question, on_top: bool) -> Option<&VisibleQuestion> {
        let slot = if on_top { &self.top } else { &self.frame };
        slot.as_ref().filter(|shown| shown.question == *question)
    }
}

/// Updates a question with its visibility in a frame.
fn see(
    before: &mut VecDeque<VisibleQuestion>,
    slot: Option<VisibleQuestion>,
    view: Option<Visibility>,
    at: u64,
) -> Option<VisibleQuestion> {
    let same = matches!((&slot, &view), (Some(shown), Some(view)) if is_same(shown, view));
    let known = if same {
        slot
    } else {
        if let Some(shown) = slot {
            remember(before, shown);
        }
        None
    };
    let view = view?;
    let mut shown = known
        .or_else(|| {
            // Read rows stay read. The time on screen starts again.
            let place = before.iter().position(|one| is_same(one, &view))?;
            before
                .remove(place)
                .map(|shown| VisibleQuestion { since: at, ..shown })
        })
        .unwrap_or_else(|| VisibleQuestion {
            question: view.question,
            since: at,
            read: Coverage::default(),
            now: 0..0,
            rows: view.total,
            width: view.width,
            stamp: view.stamp,
        });
    if shown.width != view.width || shown.rows != view.total {
        // Different rows: they are unread, unless all of the question was read.
        let whole = shown.is_read();
        shown.read = Coverage::default();
        if whole {
            shown.read.add(0..view.total);
        }
        shown.width = view.width;
        shown.rows = view.total;
    }
    shown.now = view.rows.clone();
    shown.read.add(view.rows);
    Some(shown)
}

/// True if a frame shows the same question in the same form.
fn is_same(shown: &VisibleQuestion, view: &Visibility) -> bool {
    shown.question == view.question && shown.stamp == view.stamp
}

/// Remembers the read rows of a question that leaves the screen.
fn remember(before: &mut VecDeque<VisibleQuestion>, shown: VisibleQuestion) {
    let is_known = |one: &VisibleQuestion| one.question == shown.question && one.stamp == shown.stamp;
    let known = before.iter().position(is_known);
    if let Some(known) = known.and_then(|place| before.remove(place))
        && known.is_read()
        && !shown.is_read()
    {
        // It was read completely, in other rows.
        before.push_back(known);
        return;
    }
    before.push_back(shown);
    if before.len() > REMEMBERED {
        before.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::id::TurnId;

    #[test]
    fn another_question_restarts_arming() {
        let mut arming = Arming::default();
        let view = |rev: u32| Visibility {
            question: Question::Turn {
                turn: TurnId(1),
                request: rev,
            },
            rows: 0..3,
            total: 3,
            width: 10,
            stamp: 0,
        };
        arming.drawn((Some(view(1)), None, Cover::None), 100, 500);
        arming.drawn((Some(view(1)), None, Cover::None), 300, 500);
        assert_eq!(arming.frame.as_ref().unwrap().since, 100);
        arming.drawn((Some(view(2)), None, Cover::None), 400, 500);
        assert_eq!(arming.frame.as_ref().unwrap().since, 400);
        assert_eq!(arming.wake_at(500), Some(900));
    }

    #[test]
    fn arming_restarts_after_a_surface_closed() {
        let mut arming = Arming::default();
        let view = || Visibility {
            question: Question::Stop,
            rows: 0..1,
            total: 1,
            width: 10,
            stamp: 0,
        };
        arming.drawn((Some(view()), None, Cover::None), 0, 500);
        arming.drawn((None, None, Cover::Surface), 100, 500);
        assert!(arming.frame.is_some());
        arming.drawn((Some(view()), None, Cover::None), 1000, 500);
        assert_eq!(arming.frame.as_ref().unwrap().since, 1000);
    }
}
