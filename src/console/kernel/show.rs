//! Goes to a pane.
//!
//! Must not know: which panes there are.

use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::pane::{Pane, Place};
use crate::kernel::verb::Verb;
use crate::kernel::views;
use crate::run::refusal::Refusal;

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
