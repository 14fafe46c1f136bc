//! The queue pane: entries that wait for the operator, in order of arrival.
//!
//! Must not know: what a decision does.
//!
//! Rows never move under the cursor: a gone entry stays as a dim row until the operator moves.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::call_group::CallGroup;
use overrule_domain::id::{NodeId, Rev, TurnId};

/// A queue entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueEntry {
    /// A call, in one revision, since one event. A call that asks again is a new entry.
    Call {
        /// The call.
        call: NodeId,
        /// The revision.
        rev: Rev,
        /// Event with which it became ready.
        ready: u64,
    },
    /// A stream that broke.
    Turn {
        /// The turn.
        turn: TurnId,
        /// The request that broke.
        request: u32,
    },
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The entry.
    pub entry: QueueEntry,
    /// True once it no longer waits.
    pub gone: bool,
}

/// The pane.
#[derive(Debug, Clone, Default)]
pub struct QueuePane {
    /// Rows, in the order of arrival.
    pub items: Vec<Item>,
    /// The selected entry.
    pub selected: Option<QueueEntry>,
    /// Calls with the same tool and argument names as an earlier call.
    pub call_groups: BTreeMap<NodeId, CallGroup>,
    /// The entries that were compared for it.
    pub compared: Vec<QueueEntry>,
    /// First row on screen.
    pub top: usize,
    /// Rows on screen.
    height: usize,
    /// The entry that the operator has just decided. Once it is gone, the cursor moves to the next
    /// one.
    pub leaving: Option<QueueEntry>,
}

impl QueuePane {
    /// Updates the entries. New ones go to the end; gone ones are marked, not removed. Returns the entry that the operator
    /// decided, once it is gone.
    pub fn sync(&mut self, waiting: &[QueueEntry]) -> Option<QueueEntry> {
        let shown = self
            .items
            .iter()
            .filter(|item| !item.gone)
            .map(|item| &item.entry);
        if !shown.eq(waiting) {
            self.update(waiting);
        }
        let is_left = self.leaving.is_some() && self.leaving == self.selected && self.current().is_none();
        let left = self.leaving.take_if(|_| is_left);
        if is_left {
            self.settle();
        }
        // Removing rows below the cursor does not move it.
        let at = self.position().unwrap_or(0);
        let mut index = 0;
        self.items.retain(|item| {
            index += 1;
            index - 1 <= at || !item.gone
        });
        if self.selected.is_none() || self.items.iter().all(|item| item.gone) && self.position().is_none() {
            self.items.retain(|item| !item.gone);
            self.selected = self.items.first().map(|item| item.entry);
        }
        left
    }

    /// Marks gone entries, and adds new ones.
    fn update(&mut self, waiting: &[QueueEntry]) {
        // Uses a set: thousands of entries can wait.
        let mut fresh: BTreeSet<QueueEntry> = waiting.iter().copied().collect();
        for item in &mut self.items {
            item.gone = !fresh.remove(&item.entry);
        }
        if !fresh.is_empty() {
            let fresh = waiting.iter().filter(|requested| fresh.remove(*requested));
            self.items.extend(fresh.map(|requested| Item {
                entry: *requested,
                gone: false,
            }));
        }
    }

    /// The entry of a waiting call.
    pub fn entry_of(&self, id: NodeId) -> Option<QueueEntry> {
        let is_its =
            |item: &&Item| !item.gone && matches!(item.entry, QueueEntry::Call { call, .. } if call == id);
        self.items.iter().find(is_its).map(|item| item.entry)
    }

    /// Removes gone entries. The cursor stays on its entry, or moves to the next one.
    pub fn settle(&mut self) {
        let at = self.position().unwrap_or(0);
        let next = self
            .items
            .iter()
            .skip(at)
            .chain(self.items.iter().take(at).rev())
            .find(|item| !item.gone)
            .map(|item| item.entry);
        let before = self.items.iter().take(at).filter(|item| item.gone).count();
        self.items.retain(|item| !item.gone);
        self.selected = next;
        self.top = self.top.saturating_sub(before);
        self.fill();
    }

    /// Row of the cursor.
    pub fn position(&self) -> Option<usize> {
        let selected = self.selected?;
        self.items.iter().position(|item| item.entry == selected)
    }

    /// Moves the cursor by rows. From a gone entry it moves to a neighbour, which counts as one
    /// row.
    pub fn step(&mut self, by: isize) {
        let gone = self.current().is_none() && self.position().is_some();
        let after = self.position().map_or(0, |at| at + 1);
        let is_last = self.items.iter().skip(after).all(|item| item.gone);
        self.settle();
        let by = match by {
            by if gone && by > 0 => by - 1,
            by if gone && by < 0 && is_last => by + 1,
            by => by,
        };
        let Some(at) = self.position() else { return };
        let to = at
            .saturating_add_signed(by)
            .min(self.items.len().saturating_sub(1));
        self.selected = self.items.get(to).map(|item| item.entry);
    }

    /// Entries that still wait.
    pub fn waiting(&self) -> usize {
        self.items.iter().filter(|item| !item.gone).count()
    }

    /// The selected entry if it still waits.
    pub fn current(&self) -> Option<QueueEntry> {
        let at = self.position()?;
        self.items
            .get(at)
            .filter(|item| !item.gone)
            .map(|item| item.entry)
    }

    /// Fills the screen: no row stays above it while there is room.
    fn fill(&mut self) {
        self.top = self.top.min(self.items.len().saturating_sub(self.height));
    }

    /// Number of entries above the screen, and below it.
    pub fn beyond(&self) -> (usize, usize) {
        let top = self.top.min(self.items.len());
        (top, self.items.len().saturating_sub(top + self.height))
    }

    /// Keeps the cursor on screen. Rows move only if the operator moves or the room grows.
    pub fn scroll(&mut self, height: usize) {
        if self.height != height {
            self.height = height;
            self.fill();
        }
        let at = self.position().unwrap_or(0);
        self.top = self.top.min(at);
        if height > 0 && at >= self.top + height {
            self.top = at + 1 - height;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::id::NodeKind;

    fn call(no: u32) -> QueueEntry {
        QueueEntry::Call {
            call: NodeId::new(NodeKind::Call, no),
            rev: Rev(1),
            ready: u64::from(no),
        }
    }

    #[test]
    fn arrivals_do_not_move_the_cursor() {
        let mut queue = QueuePane::default();
        queue.sync(&[call(5)]);
        assert_eq!(queue.current(), Some(call(5)));
        queue.sync(&[call(5), call(7), call(9)]);
        assert_eq!(queue.position(), Some(0));
        assert_eq!(queue.waiting(), 3);
    }

    #[test]
    fn each_that_waits_has_one_row_in_the_order_of_its_arrival() {
        let mut queue = QueuePane::default();
        queue.sync(&[call(9), call(2)]);
        queue.step(1);
        queue.sync(&[call(7), call(2), call(3), call(7)]);
        let rows: Vec<(QueueEntry, bool)> = queue.items.iter().map(|item| (item.entry, item.gone)).collect();
        assert_eq!(
            rows,
            [
                (call(9), true),
                (call(2), false),
                (call(7), false),
                (call(3), false)
            ]
        );
        queue.sync(&[call(2), call(9)]);
        assert_eq!(queue.waiting(), 2, "an entry that waits again gets its row back");
        assert_eq!(queue.items.len(), 2);
    }

    #[test]
    fn rows_above_the_cursor_stay_until_it_moves() {
        let mut queue = QueuePane::default();
        queue.sync(&[call(1), call(2), call(3)]);
        queue.step(1);
        queue.sync(&[call(2), call(3)]);
        assert_eq!(
            queue.position(),
            Some(1),
            "the row above is gone but keeps its place"
        );
        queue.step(1);
        assert_eq!(queue.current(), Some(call(3)));
        assert_eq!(queue.items.len(), 2);
    }

    #[test]
    fn the_selected_entry_is_not_replaced_by_another_when_it_goes() {
        let mut queue = QueuePane::default();
        queue.sync(&[call(1), call(2)]);
        queue.sync(&[call(2)]);
        assert_eq!(queue.selected, Some(call(1)));
        assert_eq!(queue.current(), None, "a gone entry cannot be decided");
        queue.settle();
        assert_eq!(queue.current(), Some(call(2)));
    }

    #[test]
    fn a_step_from_what_is_gone_leaves_nothing_out() {
        let from_gone = |waiting: &[u32], gone: u32, by: isize| {
            let mut queue = QueuePane::default();
            let all: Vec<QueueEntry> = waiting.iter().map(|no| call(*no)).collect();
            let mut before = all.clone();
            before.push(call(gone));
            before.sort_by_key(|requested| match requested {
                QueueEntry::Call { ready, .. } => *ready,
                QueueEntry::Turn { .. } => 0,
            });
            queue.sync(&before);
            queue.selected = Some(call(gone));
            queue.sync(&all);
            queue.step(by);
            queue.current()
        };
        assert_eq!(from_gone(&[6, 7], 3, 1), Some(call(6)));
        assert_eq!(from_gone(&[6, 7, 8], 3, 2), Some(call(7)));
        assert_eq!(from_gone(&[1, 2, 6], 3, -1), Some(call(2)));
        assert_eq!(from_gone(&[1, 2], 3, -1), Some(call(2)));
        assert_eq!(from_gone(&[1, 2], 3, 1), Some(call(2)));
        assert_eq!(from_gone(&[1, 2], 3, isize::MIN), Some(call(1)));
    }

    #[test]
    fn more_room_shows_more_rows_and_what_is_beyond_is_counted() {
        let mut queue = QueuePane::default();
        queue.sync(&[call(1), call(2), call(3)]);
        queue.step(2);
        queue.scroll(1);
        assert_eq!((queue.top, queue.beyond()), (2, (2, 0)));
        queue.step(-1);
        queue.scroll(1);
        assert_eq!(queue.beyond(), (1, 1));
        queue.step(1);
        queue.scroll(1);
        queue.scroll(5);
        assert_eq!((queue.top, queue.beyond()), (0, (0, 0)));
    }

    #[test]
    fn an_empty_queue_selects_the_first_arrival() {
        let mut queue = QueuePane::default();
        queue.sync(&[]);
        assert_eq!(queue.selected, None);
        queue.sync(&[call(4)]);
        queue.sync(&[]);
        queue.settle();
        assert_eq!(queue.selected, None);
    }
}
