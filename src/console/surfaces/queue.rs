//! The queue pane: everything that waits for the operator.
//!
//! Must not know: how a decision is made.

pub(crate) mod view;

use ratatui::layout::Rect;

use super::inspector;
use crate::ground::motion::{Move, by};
use crate::ground::paint::Canvas;
use crate::kernel::kind::Kind;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;
use crate::kernel::views::tab;

/// The verb `queue`.
pub const SHOW: Verb = Verb {
    name: "queue",
    keys: &["2"],
    doc: "go to the queue",
    run: |model, _| show(model, Pane::QUEUE),
    ..SHOWS
};

/// How it behaves.
pub struct Queue;

impl Kind for Queue {
    fn pane(&self) -> Pane {
        Pane::QUEUE
    }

    fn prepare(&self, model: &mut Model, area: Rect) {
        let rows = usize::from(inside(area).height);
        let rows = rows - view::conflict_rows(model, rows);
        model.queue.scroll(rows);
        mark(model);
    }

    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(model, canvas, area);
    }

    fn step(&self, model: &mut Model, to: Move, _page: usize) {
        match to {
            Move::Left => return tab(model, model.inspector.next_tab(true)),
            Move::Right => return tab(model, model.inspector.next_tab(false)),
            // The pane is a few rows high: larger steps scroll the arguments in the inspector.
            Move::PageUp | Move::PageDown | Move::HalfUp | Move::HalfDown | Move::Bottom => {
                return inspector::scroll(model, to);
            }
            Move::Top => model.queue.step(isize::MIN),
            other => model.queue.step(by(other, 1)),
        }
        model.inspector.ask();
    }

    fn texts(&self, model: &Model) -> (usize, Vec<String>) {
        view::texts(model)
    }

    fn go(&self, model: &mut Model, row: usize) {
        let entry = model.queue.items.get(row).map(|item| item.entry);
        model.queue.selected = entry.or(model.queue.selected);
        model.inspector.ask();
    }

    fn point(&self, model: &mut Model, _column: u16, row: u16) {
        let item = model.queue.items.get(model.queue.top + usize::from(row));
        if let Some(requested) = item.map(|item| item.entry) {
            model.queue.selected = Some(requested);
        }
    }
}

/// Calls that wait whose marks of danger are found before they are drawn.
const MARKED: usize = 100;

/// Finds the marks of danger of the calls in the rows of the queue and of the graph.
fn mark(model: &mut Model) {
    let items = model.queue.items.iter().skip(model.queue.top);
    let calls = items.filter_map(|item| match item.entry {
        QueueEntry::Call { call, .. } if !item.gone => Some(call),
        _ => None,
    });
    let calls: Vec<_> = calls.take(MARKED).collect();
    model.run.renew_marks(&calls);
}
