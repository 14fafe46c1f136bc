//! Goes to another pane, or shows the focused one alone.
//!
//! Must not know: what a pane shows.

use crate::kernel::context::PANES;
use crate::kernel::verb::{Care, Verb};
use crate::kernel::views;

/// The verb `next-pane`.
pub const NEXT_PANE: Verb = Verb {
    name: "next-pane",
    keys: &["tab"],
    contexts: PANES,
    doc: "go to the next pane",
    hint: "pane",
    care: Care::Free,
    run: |model, _| {
        views::focus(model, model.screen.neighbour(false));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `previous-pane`.
pub const PREVIOUS_PANE: Verb = Verb {
    name: "previous-pane",
    keys: &["shift-tab"],
    contexts: PANES,
    doc: "go to the previous pane",
    care: Care::Free,
    run: |model, _| {
        views::focus(model, model.screen.neighbour(true));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `zoom`.
pub const ZOOM: Verb = Verb {
    name: "zoom",
    keys: &["z"],
    contexts: PANES,
    doc: "show the focused pane alone, or all of them again",
    run: |model, _| {
        model.screen.zoom = !model.screen.zoom;
        Ok(())
    },
    ..Verb::BASE
};
