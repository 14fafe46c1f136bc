//! Chooses what the inspector and a row of the graph show.
//!
//! Must not know: how it is drawn.

use super::availability::offered;
use super::{Care, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::panes::Pane;
use crate::console::panes::Place;
use crate::console::refusal::Refusal;
use crate::console::update::{lazy_load, views};

/// The verb `next-tab`.
pub const NEXT_TAB: Verb = Verb {
    name: "next-tab",
    keys: &[">"],
    contexts: &[Context::Panes],
    doc: "go to the next tab of the inspector",
    hint: "tab",
    care: Care::Free,
    available: |model| offered(model.screen.focus.place() != Place::Lower),
    run: |model, _| {
        views::tab(model, model.inspector.next_tab(false));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `previous-tab`.
pub const PREVIOUS_TAB: Verb = Verb {
    name: "previous-tab",
    keys: &["<"],
    contexts: &[Context::Panes],
    doc: "go to the previous tab of the inspector",
    care: Care::Free,
    run: |model, _| {
        views::tab(model, model.inspector.next_tab(true));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `older`.
pub const OLDER: Verb = Verb {
    name: "older",
    keys: &["("],
    contexts: &[Context::Panes],
    doc: "show older revisions of the node, or the previous request of the turn",
    run: |model, _| Ok(lazy_load::older(model, true)?),
    ..Verb::BASE
};

/// The verb `newer`.
pub const NEWER: Verb = Verb {
    name: "newer",
    keys: &[")"],
    contexts: &[Context::Panes],
    doc: "show newer revisions of the node, or the next request of the turn",
    run: |model, _| Ok(lazy_load::older(model, false)?),
    ..Verb::BASE
};

/// The verb `output-colours`.
pub const OUTPUT_COLOURS: Verb = Verb {
    name: "output-colours",
    keys: &["#"],
    contexts: &[Context::Panes],
    doc: "show a decision or the output of a tool as exact bytes, or readable again",
    hint: "exact bytes",
    label: |model| match model.inspector.doc.shown_form() {
        Some(shown) => shown.exact.then_some("readable"),
        None => model.inspector.bytes.then_some("colours"),
    },
    available: |model| has_forms(model).into(),
    run: |model, _| {
        let inspector = &mut model.inspector;
        match inspector.doc.shown_form() {
            Some(_) => inspector.exact = !inspector.exact,
            None => inspector.bytes = !inspector.bytes,
        }
        inspector.made = None;
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `expand`.
pub const EXPAND: Verb = Verb {
    name: "expand",
    keys: &["space"],
    contexts: &[Context::Pane(Pane::GRAPH)],
    doc: "show or hide the contents of a row: an observation, superseded nodes, a wide fan",
    run: |model, _| {
        model.graph.toggle(None, &model.run.state);
        Ok(())
    },
    ..Verb::BASE
};

fn has_forms(model: &Model) -> Result<(), Refusal> {
    match model.inspector.doc.shown_form() {
        Some(shown) if shown.forced => {
            Err("The exact bytes are shown: the readable form would not tell everything".into())
        }
        None if !model.inspector.doc.has_colours() => Err("No colours in what the inspector shows".into()),
        _ => Ok(()),
    }
}
