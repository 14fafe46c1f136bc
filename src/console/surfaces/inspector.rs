//! The inspector pane: all about the selected node, on tabs.
//!
//! Must not know: what is on a tab.

pub(crate) mod update;
pub(crate) mod view;

use ratatui::layout::Rect;

use crate::ground::motion::Move;
use crate::ground::paint::Canvas;
use crate::kernel::availability::offered;
use crate::kernel::kind::Kind;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::kernel::selection::is_hidden;
use crate::kernel::sheet;
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::{Rank, Verb};
use crate::kernel::views;

/// The verb `inspector`.
pub const SHOW: Verb = Verb {
    name: "inspector",
    keys: &["3"],
    doc: "go to the inspector",
    hint: "look at it",
    rank: |_| Rank::Leads,
    available: |model| offered(is_hidden(model) && model.queue.current().is_some()),
    run: |model, _| show(model, Pane::INSPECTOR),
    ..SHOWS
};

/// How it behaves.
pub struct Inspector;

impl Kind for Inspector {
    fn pane(&self) -> Pane {
        Pane::INSPECTOR
    }

    fn measure(&self, model: &mut Model) -> Option<usize> {
        update::measure(model)
    }

    fn prepare(&self, model: &mut Model, area: Rect) {
        let room = usize::from(inside(area).height);
        let width = if area.is_empty() {
            model.screen.width
        } else {
            area.width
        };
        update::inspect(model, width, room);
        model.inspector.scroll(room);
    }

    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(model, canvas, area);
    }

    fn step(&self, model: &mut Model, to: Move, _page: usize) {
        match to {
            Move::Left => views::tab(model, model.inspector.next_tab(true)),
            Move::Right => views::tab(model, model.inspector.next_tab(false)),
            other => {
                // The wheel moves it wherever the focus is.
                views::hold(model);
                scroll(model, other);
            }
        }
    }

    fn point(&self, _model: &mut Model, _column: u16, _row: u16) {}
}

/// Scrolls its text.
pub(crate) fn scroll(model: &mut Model, to: Move) {
    let area = model.screen.places.inspector.map(inside).unwrap_or_default();
    let page = model.inspector.room(usize::from(area.height).max(1)).max(1);
    sheet::scroll(&mut model.inspector.top, &model.inspector.doc, to, page);
}
