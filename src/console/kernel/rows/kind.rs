//! How a pane of rows behaves.
//!
//! Must not know: what is in the rows.

use ratatui::layout::Rect;

use super::{Explained, Row, RowsPane, view};
use crate::ground::columns::Columns as _;
use crate::ground::motion::Move;
use crate::ground::paint::Canvas;
use crate::ground::symbols::Charset;
use crate::kernel::kind::Kind;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::run::cached::Caches;
use crate::run::part::RunPart;
use crate::run::target::Target;
use overrule_domain::id::Epoch;

/// What rows are made from.
#[derive(Debug)]
pub struct Making<'a> {
    /// The run.
    pub run: &'a RunPart,
    /// Values computed from the whole run.
    pub cached: &'a mut Caches,
    /// The time until which open periods last.
    pub now: Option<i64>,
    /// The weight whose changes are listed.
    pub explained: &'a Explained,
    /// The branch that others are compared with.
    pub marked: Option<Epoch>,
    /// Columns of the pane.
    pub width: u16,
    /// The signs.
    pub charset: Charset,
}

/// A kind of pane of rows.
#[derive(Debug)]
pub struct RowsKind {
    /// The pane.
    pub pane: Pane,
    /// Makes the text after its name, and the rows.
    pub make: fn(Making<'_>) -> (String, Vec<Row>),
}

impl RowsKind {
    /// Makes the rows for this number of columns, if something changed.
    fn renew(&self, model: &mut Model, width: u16) {
        let now = model.now_of_run().filter(|_| self.pane.ticks());
        let lasts = now.filter(|_| model.run.is_busy()).map(|now| now / 1000);
        let key = Some((model.run.state.seq, width, lasts));
        let lower = &mut model.lower;
        if lower.of(self.pane).is_some_and(|rows| rows.made == key) {
            return;
        }
        let (title, made) = (self.make)(Making {
            run: &model.run,
            cached: &mut model.cached,
            now,
            explained: &lower.explained,
            marked: lower.marked,
            width,
            charset: model.settings.charset,
        });
        let rows = lower.of_mut(self.pane);
        rows.made = key;
        rows.take(title, made);
    }
}

impl Kind for RowsKind {
    fn pane(&self) -> Pane {
        self.pane
    }

    fn columns(&self, model: &mut Model, room: u16) -> u16 {
        self.renew(model, room);
        let Some(rows) = model.lower.of(self.pane) else {
            return room;
        };
        let widest = rows.rows.iter().map(|row| row.words.columns()).max();
        let title = self.pane.name().columns() + 1 + rows.title.columns();
        // A row has a blank at each side, a title two.
        let columns = (widest.unwrap_or(0) + 2).max(title + 4);
        u16::try_from(columns).unwrap_or(room).min(room)
    }

    fn prepare(&self, model: &mut Model, area: Rect) {
        let room = model.screen.room_beside().unwrap_or(area.width);
        self.renew(model, room);
        model
            .lower
            .of_mut(self.pane)
            .scroll(usize::from(inside(area).height));
    }

    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(model, canvas, area, self.pane);
    }

    fn step(&self, model: &mut Model, to: Move, page: usize) {
        model
            .lower
            .panes
            .entry(self.pane.name())
            .or_default()
            .step(to, page);
    }

    fn point(&self, model: &mut Model, _column: u16, row: u16) {
        let rows = model.lower.of_mut(self.pane);
        let at = rows.top + usize::from(row);
        if at < rows.rows.len() {
            rows.at = at;
        }
    }

    fn texts(&self, model: &Model) -> (usize, Vec<String>) {
        let rows = model.lower.of(self.pane);
        rows.map_or((0, Vec::new()), |pane| {
            let texts = pane.rows.iter().map(|row| row.words.plain());
            (pane.at, texts.collect())
        })
    }

    fn go(&self, model: &mut Model, row: usize) {
        model.lower.of_mut(self.pane).at = row;
    }

    fn target(&self, model: &Model) -> Target {
        let rows = model.lower.of(self.pane);
        rows.map(RowsPane::selected).unwrap_or_default()
    }
}
