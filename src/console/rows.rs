//! The rows of the panes at the bottom, made from the run's state.
//!
//! Must not know: keys, how rows are drawn.

mod branches;
mod budget;
mod guards;
mod health;
mod state;

pub use budget::used_share;
pub use health::Explained;

use super::model::lower::Row;
use super::model::run::RunPart;
use super::model::screen::Pane;
use super::symbols::Charset;
use crate::domain::branch::Branch;
use crate::domain::id::Epoch;

/// Choices of the operator that the rows show.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    /// The weight whose changes are listed.
    pub explained: &'a Explained,
    /// The branch that others are compared with.
    pub marked: Option<Epoch>,
    /// The branches with their outcomes.
    pub branches: &'a [Branch],
}

/// The rows of a pane, and the text after its name. Open periods last until `now`.
pub fn make(
    (run, now): (&RunPart, Option<i64>),
    pane: Pane,
    chosen: Chosen<'_>,
    width: u16,
    charset: Charset,
) -> (String, Vec<Row>) {
    match pane {
        Pane::State => state::make(run, width, charset),
        Pane::Branches => branches::make(run, chosen, (width, charset)),
        Pane::Budget => budget::make((run, now), width, charset),
        Pane::Health => health::make(run, chosen, width, charset),
        Pane::Graph | Pane::Queue | Pane::Inspector | Pane::Log => (String::new(), Vec::new()),
    }
}
