//! The panes of the screen: a folder for each, one trait, and the one list of them.
//!
//! Must not know: what a pane shows.

mod kind;
pub mod rows;

pub use kind::{Kind, Pane, Place};

use super::context::Context;
use super::model::Model;
use super::refusal::Refusal;
use super::update::views;
use super::verbs::Verb;

/// Declares the panes, in the order of their keys.
macro_rules! panes {
    ($($pane:ident),+ $(,)?) => {
        $(pub mod $pane;)+

        /// Every pane.
        pub const ALL: &[Pane] = &[$($pane::PANE),+];

        /// The verbs that show them.
        pub static SHOW: &[Verb] = &[$($pane::SHOW),+];
    };
}

panes! { graph, queue, inspector, log, state, branches, budget, health, tools }

/// The panes that share the area at the bottom.
pub fn lower() -> impl Iterator<Item = Pane> + Clone {
    ALL.iter().copied().filter(|pane| pane.place() == Place::Lower)
}

/// What the verbs that show a pane have in common.
pub(crate) const SHOWS: Verb = Verb {
    contexts: &[Context::Panes],
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
