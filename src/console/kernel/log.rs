//! The log pane: every event as text, and notes of the console itself.
//!
//! Must not know: how events become text.
//!
//! A line keeps its number while it is stored, so that the cursor stays on it whatever arrives.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::ground::motion::Move;
use overrule_domain::breaker::Phase;
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{CallEvent, Event, ResilienceEvent, RunEvent, TurnEvent};
use overrule_domain::id::Seq;

/// Maximum number of stored lines.
pub const MAX_LINES: usize = 5000;

/// A line.
#[derive(Debug, Clone)]
pub enum Line {
    /// An event of the run.
    Event(Arc<Envelope>),
    /// A note of the console.
    Note(String),
    /// An error.
    Problem(String),
}

impl Line {
    /// True for a decision of the operator or a rule, and for a problem.
    fn is_decision(&self) -> bool {
        match self {
            Self::Note(_) => false,
            Self::Problem(_) => true,
            Self::Event(envelope) => match &envelope.event {
                Event::Edit(_)
                | Event::Escape(_)
                | Event::Call(CallEvent::Decided { .. } | CallEvent::Resolved { .. }) => true,
                Event::Run(event) => !matches!(event, RunEvent::Started(_)),
                event => is_problem(event) || matches!(envelope.actor, Actor::Operator(_)),
            },
        }
    }
}

/// True for a problem: a failed call, arguments that are invalid, a broken stream, an open breaker.
fn is_problem(event: &Event) -> bool {
    match event {
        Event::Call(event) => match event {
            CallEvent::Finished { outcome, .. } | CallEvent::Given { outcome, .. } => !outcome.is_ok(),
            CallEvent::Checked { faults, .. } => !faults.is_empty(),
            CallEvent::Invalid { .. }
            | CallEvent::Skipped { .. }
            | CallEvent::Unsatisfiable { .. }
            | CallEvent::Undetermined { .. } => true,
            _ => false,
        },
        Event::Resilience(event) => match event {
            ResilienceEvent::GaveUp { .. } | ResilienceEvent::RepairBroke { .. } => true,
            ResilienceEvent::BreakerChanged { to, .. } => *to == Phase::Open,
            _ => false,
        },
        Event::Turn(event) => matches!(event, TurnEvent::Broken { .. } | TurnEvent::Aborted { .. }),
        _ => false,
    }
}

/// The pane.
#[derive(Debug, Clone, Default)]
pub struct LogPane {
    /// Lines, oldest first.
    lines: VecDeque<Line>,
    /// Number of the oldest line.
    oldest: u64,
    /// The line under the cursor; none to follow the newest.
    at: Option<u64>,
    /// First line on screen.
    top: u64,
    /// True to show only decisions and problems.
    pub decisions: bool,
}

impl LogPane {
    /// Adds a line. A cursor that does not follow stays on its line.
    pub fn add(&mut self, line: Line) {
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
            self.oldest += 1;
        }
        self.lines.push_back(line);
    }

    /// Replaces the stored events by recorded ones, before all notes. A cursor that does not follow
    /// stays on its event, at the same row of the screen.
    pub fn replace(&mut self, events: impl IntoIterator<Item = Arc<Envelope>>) {
        let place = self.at.and(self.place());
        let own = std::mem::take(&mut self.lines);
        self.oldest = 0;
        self.at = None;
        for event in events {
            self.add(Line::Event(event));
        }
        for line in own {
            if !matches!(line, Line::Event(_)) {
                self.add(line);
            }
        }
        if let Some((seq, above)) = place {
            self.go_to(seq, above);
        }
    }

    /// The event under the cursor, and the number of lines above it on screen.
    fn place(&self) -> Option<(Seq, usize)> {
        let Some(Line::Event(envelope)) = self.selected() else {
            return None;
        };
        let cursor = self.cursor()?;
        let above = |no: &u64| (self.top..cursor).contains(no);
        let above = self.shown().filter(|(no, _)| above(no)).count();
        Some((envelope.seq, above))
    }

    /// Moves the cursor to an event, if it is stored.
    fn go_to(&mut self, seq: Seq, above: usize) {
        let is_it = |line: &Line| matches!(line, Line::Event(envelope) if envelope.seq == seq);
        let found = self.shown().find(|(_, line)| is_it(line)).map(|(no, _)| no);
        let Some(no) = found else { return };
        let top = self.shown().rev().map(|(no, _)| no).skip_while(|at| *at > no);
        self.top = top.take(above + 1).last().unwrap_or(no);
        self.at = Some(no);
    }

    /// The shown lines with their numbers.
    pub fn shown(&self) -> impl DoubleEndedIterator<Item = (u64, &Line)> {
        let all = !self.decisions;
        self.lines
            .iter()
            .enumerate()
            .map(|(at, line)| (self.oldest + at as u64, line))
            .filter(move |(_, line)| all || line.is_decision())
    }

    /// The newest events, the newest last, including hidden ones.
    pub fn newest(&self, count: usize) -> Vec<Arc<Envelope>> {
        let events = self.lines.iter().rev().filter_map(|line| match line {
            Line::Event(envelope) => Some(Arc::clone(envelope)),
            Line::Note(_) | Line::Problem(_) => None,
        });
        let mut newest: Vec<_> = events.take(count).collect();
        newest.reverse();
        newest
    }

    /// The number of the line under the cursor.
    pub fn cursor(&self) -> Option<u64> {
        let newest = || self.shown().next_back().map(|(no, _)| no);
        match self.at {
            Some(at) => self
                .shown()
                .map(|(no, _)| no)
                .find(|no| *no >= at)
                .or_else(newest),
            None => newest(),
        }
    }

    /// The line under the cursor.
    pub fn selected(&self) -> Option<&Line> {
        let cursor = self.cursor()?;
        self.lines
            .get(usize::try_from(cursor.checked_sub(self.oldest)?).ok()?)
    }

    /// True while the cursor follows the newest line.
    pub const fn follows(&self) -> bool {
        self.at.is_none()
    }

    /// Number of shown lines below the cursor.
    pub fn below(&self) -> usize {
        match (self.at, self.cursor()) {
            (Some(_), Some(cursor)) => self.shown().rev().take_while(|(no, _)| *no > cursor).count(),
            _ => 0,
        }
    }

    /// Number of the first line on screen.
    pub const fn top(&self) -> u64 {
        self.top
    }

    /// Moves the cursor.
    pub fn step(&mut self, to: Move, page: usize) {
        let numbers: Vec<u64> = self.shown().map(|(no, _)| no).collect();
        let last = numbers.len().saturating_sub(1);
        let cursor = self.cursor().unwrap_or(0);
        let place = numbers.partition_point(|no| *no < cursor);
        let page = page.max(2);
        let place = match to {
            Move::Up => place.saturating_sub(1),
            Move::Down => place + 1,
            Move::HalfUp => place.saturating_sub(page / 2),
            Move::HalfDown => place + page / 2,
            Move::PageUp => place.saturating_sub(page - 1),
            Move::PageDown => place + page - 1,
            Move::Top => 0,
            Move::Bottom => last,
            Move::Left | Move::Right => return,
        };
        self.at = (place < last).then(|| numbers.get(place).copied()).flatten();
    }

    /// Moves the cursor to a shown line, counted from the oldest.
    pub fn go(&mut self, row: usize) {
        let after: Vec<u64> = self.shown().map(|(no, _)| no).skip(row).take(2).collect();
        // The cursor follows the newest line.
        self.at = after.first().copied().filter(|_| after.len() == 2);
    }

    /// Moves the cursor to the line in a row of the screen.
    pub fn point(&mut self, row: usize) {
        let top = self.top;
        let found = self.shown().map(|(no, _)| no).filter(|no| *no >= top).nth(row);
        let newest = self.shown().next_back().map(|(no, _)| no);
        if found.is_some() {
            self.at = found.filter(|no| Some(*no) != newest);
        }
    }

    /// Keeps the cursor on the screen.
    pub fn scroll(&mut self, height: usize) {
        let Some(cursor) = self.cursor() else {
            self.top = self.oldest;
            return;
        };
        let before = |from: u64, most: usize| -> u64 {
            self.shown()
                .rev()
                .map(|(no, _)| no)
                .skip_while(|no| *no > from)
                .take(most.max(1))
                .last()
                .unwrap_or(from)
        };
        let newest = self.shown().next_back().map_or(cursor, |(no, _)| no);
        // The last screen is full if there are enough lines, and contains the cursor.
        let lowest = before(cursor, height);
        let highest = cursor.min(before(newest, height));
        self.top = if self.at.is_none() {
            lowest
        } else {
            self.top.max(lowest).min(highest)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: usize) -> LogPane {
        let mut log = LogPane::default();
        for no in 0..lines {
            log.add(if no % 10 == 0 {
                Line::Problem(no.to_string())
            } else {
                Line::Note(no.to_string())
            });
        }
        log
    }

    fn selected_text(log: &LogPane) -> &str {
        match log.selected() {
            Some(Line::Note(word) | Line::Problem(word)) => word,
            _ => "",
        }
    }

    fn first(log: &LogPane) -> u64 {
        log.shown().map(|(no, _)| no).find(|no| *no >= log.top()).unwrap()
    }

    #[test]
    fn the_newest_line_is_followed_until_the_cursor_moves() {
        let mut log = log(30);
        log.scroll(10);
        assert_eq!((selected_text(&log), first(&log)), ("29", 20));
        log.add(Line::Note("30".into()));
        log.scroll(10);
        assert_eq!((selected_text(&log), first(&log)), ("30", 21));
        log.step(Move::Up, 10);
        log.add(Line::Note("31".into()));
        log.scroll(10);
        assert_eq!(
            (selected_text(&log), log.below(), log.follows()),
            ("29", 2, false)
        );
        assert_eq!(first(&log), 21, "what was on screen stays there");
        log.step(Move::Bottom, 10);
        log.scroll(10);
        assert_eq!(
            (selected_text(&log), log.follows(), first(&log)),
            ("31", true, 22)
        );
    }

    #[test]
    fn what_is_dropped_does_not_move_the_cursor() {
        let mut log = log(MAX_LINES);
        log.step(Move::Up, 10);
        let before = selected_text(&log).to_owned();
        for _ in 0..100 {
            log.add(Line::Note("new".into()));
        }
        assert_eq!(selected_text(&log), before);
        log.step(Move::Top, 10);
        log.scroll(10);
        assert_eq!((selected_text(&log), first(&log)), ("100", 100));
        for _ in 0..MAX_LINES {
            log.add(Line::Note("newer".into()));
        }
        log.scroll(10);
        assert_eq!(
            selected_text(&log),
            "newer",
            "a line that is gone cannot be pointed at"
        );
    }

    #[test]
    fn only_decisions_are_shown_on_demand() {
        let mut log = log(50);
        log.decisions = true;
        assert_eq!(log.shown().count(), 5);
        log.scroll(3);
        log.step(Move::Up, 10);
        log.scroll(3);
        assert_eq!((selected_text(&log), log.below()), ("30", 1));
        log.point(0);
        assert_eq!(selected_text(&log), "20");
    }
}
