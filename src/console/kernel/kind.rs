//! What every pane does.
//!
//! Must not know: which panes there are.

use ratatui::layout::Rect;

use crate::ground::motion::Move;
use crate::ground::paint::Canvas;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::run::target::Target;

/// How a pane behaves. Its content is in the model.
pub trait Kind: Sync {
    /// Which it is.
    fn pane(&self) -> Pane;

    /// Brings its content up to date before the screen is laid out. Returns the rows of the frame of a decision; none where
    /// nothing is decided in it.
    fn measure(&self, _model: &mut Model) -> Option<usize> {
        None
    }

    /// Columns of its content, of at most these. The whole room for a pane whose content has no width of its own.
    fn columns(&self, _model: &mut Model, room: u16) -> u16 {
        room
    }

    /// Brings it up to date before it is drawn in this area.
    fn prepare(&self, model: &mut Model, area: Rect);

    /// Draws it.
    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect);

    /// Carries out a move in it. `page` is its height.
    fn step(&self, model: &mut Model, to: Move, page: usize);

    /// Moves its cursor to a column and row below its title line.
    fn point(&self, model: &mut Model, column: u16, row: u16);

    /// The target of the row under its cursor.
    fn target(&self, _model: &Model) -> Target {
        Target::Nothing
    }

    /// The row under its cursor, and the text of each row, for a search in it; empty for a pane that is searched in
    /// another way.
    fn texts(&self, _model: &Model) -> (usize, Vec<String>) {
        (0, Vec::new())
    }

    /// Moves its cursor to a row.
    fn go(&self, _model: &mut Model, _row: usize) {}
}
