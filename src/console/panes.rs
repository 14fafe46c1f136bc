//! The panes of the screen: a folder for each, one trait, and the one list of them.
//!
//! Must not know: what a pane shows.

mod kind;
pub mod rows;

pub use super::pane::{Pane, Place};
pub use kind::Kind;

use super::model::Model;
use super::refusal::Refusal;
use super::update::views;
use super::verbs::Verb;
use crate::context::PANES;

pub mod branches;
pub mod budget;
pub mod graph;
pub mod health;
pub mod inspector;
pub mod log;
pub mod queue;
pub mod state;
pub mod tools;

/// What the verbs that show a pane have in common.
pub(crate) const SHOWS: Verb = Verb {
    contexts: PANES,
    ..Verb::BASE
};

/// Goes to a pane; hides a lower pane that has the focus already.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
pub(crate) fn show(model: &mut Model, pane: Pane) -> Result<(), Refusal> {
    if pane.place() == Place::Lower && model.screen.focus == pane {
        model.screen.lower = None;
        views::focus(model, model.screen.lead);
    } else {
        views::focus(model, pane);
    }
    Ok(())
}
