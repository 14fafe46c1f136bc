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

/// The rows of a pane, with what stands behind its name.
pub fn make(
    run: &RunPart,
    pane: Pane,
    explained: &Explained,
    width: u16,
    charset: Charset,
) -> (String, Vec<Row>) {
    match pane {
        Pane::State => state::make(run, width, charset),
        Pane::Branches => branches::make(run, width),
        Pane::Budget => budget::make(run, width, charset),
        Pane::Health => health::make(run, explained, width, charset),
        Pane::Graph | Pane::Queue | Pane::Inspector | Pane::Log => (String::new(), Vec::new()),
    }
}

/// So many of something.
fn many(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    }
}
