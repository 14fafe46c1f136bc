//! Goes to another pane, or shows the focused one alone.
//!
//! Must not know: what a pane shows.

use super::availability::offered;
use super::selection::is_hidden;
use super::{Care, Rank, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::screen::Pane;
use crate::console::refusal::Refusal;
use crate::console::update::views;

/// The verb `next-pane`.
pub const NEXT_PANE: Verb = Verb {
    name: "next-pane",
    keys: &["tab"],
    contexts: &[Context::Panes],
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
    contexts: &[Context::Panes],
    doc: "go to the previous pane",
    care: Care::Free,
    run: |model, _| {
        views::focus(model, model.screen.neighbour(true));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `graph`.
pub const GRAPH: Verb = Verb {
    name: "graph",
    keys: &["1"],
    contexts: &[Context::Panes],
    doc: "go to the graph",
    run: |model, _| go(model, Pane::Graph),
    ..Verb::BASE
};

/// The verb `queue`.
pub const QUEUE: Verb = Verb {
    name: "queue",
    keys: &["2"],
    contexts: &[Context::Panes],
    doc: "go to the queue",
    run: |model, _| go(model, Pane::Queue),
    ..Verb::BASE
};

/// The verb `inspector`.
pub const INSPECTOR: Verb = Verb {
    name: "inspector",
    keys: &["3"],
    contexts: &[Context::Panes],
    doc: "go to the inspector",
    hint: "look at it",
    rank: |_| Rank::Leads,
    available: |model| offered(is_hidden(model) && model.queue.current().is_some()),
    run: |model, _| go(model, Pane::Inspector),
    ..Verb::BASE
};

/// The verb `log`.
pub const LOG: Verb = Verb {
    name: "log",
    keys: &["L", "4"],
    contexts: &[Context::Panes],
    doc: "show or hide the log",
    run: |model, _| go(model, Pane::Log),
    ..Verb::BASE
};

/// The verb `state`.
pub const STATE: Verb = Verb {
    name: "state",
    keys: &["5"],
    contexts: &[Context::Panes],
    doc: "show or hide the state: paths, values, writers and readers",
    run: |model, _| go(model, Pane::State),
    ..Verb::BASE
};

/// The verb `branch-pane`.
pub const BRANCH_PANE: Verb = Verb {
    name: "branch-pane",
    keys: &["6"],
    contexts: &[Context::Panes],
    doc: "show or hide the branches next to the other panes",
    run: |model, _| go(model, Pane::Branches),
    ..Verb::BASE
};

/// The verb `budget`.
pub const BUDGET: Verb = Verb {
    name: "budget",
    keys: &["7"],
    contexts: &[Context::Panes],
    doc: "show or hide the budget: limits, tokens, price, every request",
    run: |model, _| go(model, Pane::Budget),
    ..Verb::BASE
};

/// The verb `health`.
pub const HEALTH: Verb = Verb {
    name: "health",
    keys: &["8"],
    contexts: &[Context::Panes],
    doc: "show or hide the health of the tools: success over time, failures, latency, weights",
    run: |model, _| go(model, Pane::Health),
    ..Verb::BASE
};

/// The verb `zoom`.
pub const ZOOM: Verb = Verb {
    name: "zoom",
    keys: &["z"],
    contexts: &[Context::Panes],
    doc: "show the focused pane alone, or all of them again",
    run: |model, _| {
        model.screen.zoom = !model.screen.zoom;
        Ok(())
    },
    ..Verb::BASE
};

/// Goes to a pane; hides a lower pane that has the focus already.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn go(model: &mut Model, pane: Pane) -> Result<(), Refusal> {
    if pane.is_lower() && model.screen.focus == pane {
        model.screen.lower = None;
        views::focus(model, model.screen.lead);
    } else {
        views::focus(model, pane);
    }
    Ok(())
}
