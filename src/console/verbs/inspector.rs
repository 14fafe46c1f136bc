//! Chooses what the inspector and a row of the graph show.
//!
//! Must not know: how it is drawn.

use crate::ground::doc::Doc;
use crate::kernel::availability::offered;
use crate::kernel::context::{Context, PANES, on};
use crate::kernel::dialog::Dialog;
use crate::kernel::model::Model;
use crate::kernel::pane::{Pane, Place};
use crate::kernel::verb::{Care, Rank, Verb};
use crate::kernel::views;
use crate::run::refusal::Refusal;
use crate::surfaces;
use crate::verbs::lazy_load;
use crate::verbs::lazy_load::decisions_changed;

/// The verb `next-tab`.
pub const NEXT_TAB: Verb = Verb {
    name: "next-tab",
    keys: &[">"],
    contexts: PANES,
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
    contexts: PANES,
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
    contexts: PANES,
    doc: "show older revisions of the node, or the previous request of the turn",
    run: |model, _| lazy_load::older(model, true),
    ..Verb::BASE
};

/// The verb `newer`.
pub const NEWER: Verb = Verb {
    name: "newer",
    keys: &[")"],
    contexts: PANES,
    doc: "show newer revisions of the node, or the next request of the turn",
    run: |model, _| lazy_load::older(model, false),
    ..Verb::BASE
};

/// The verb `output-colours`.
pub const OUTPUT_COLOURS: Verb = Verb {
    name: "output-colours",
    keys: &["#"],
    contexts: &[
        Context::Panes,
        on(surfaces::consent::ID),
        on(surfaces::outcome::ID),
    ],
    doc: "show a decision or the output of a tool as exact bytes, or readable again",
    hint: "exact bytes",
    label: |model| match decided_doc(model).shown_form() {
        Some(shown) => shown.exact.then_some("readable"),
        None => model.inspector.bytes.then_some("colours"),
    },
    rank: |model| {
        if model.stack.is_top::<Dialog>() {
            Rank::Last
        } else {
            Rank::Usual
        }
    },
    available: |model| has_forms(model).into(),
    run: |model, _| {
        let is_decision = decided_doc(model).shown_form().is_some();
        let inspector = &mut model.inspector;
        if is_decision {
            inspector.exact = !inspector.exact;
        } else {
            inspector.bytes = !inspector.bytes;
        }
        decisions_changed(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `expand`.
pub const EXPAND: Verb = Verb {
    name: "expand",
    keys: &["space"],
    contexts: &[on(Pane::GRAPH.id())],
    doc: "show or hide the contents of a row: an observation, superseded nodes, a wide fan; in the transcript an output",
    hint: "unfold",
    label: |model| model.graph.unfolded_text().unwrap_or(false).then_some("fold"),
    rank: |_| Rank::Leads,
    available: |model| offered(model.graph.unfolded_text().is_some()),
    run: |model, _| {
        model.graph.toggle(None, &model.run.state);
        Ok(())
    },
    ..Verb::BASE
};

/// The document with the decision on top: of the open dialog, or of the inspector.
fn decided_doc(model: &Model) -> &Doc {
    let dialog = model.stack.top::<Dialog>();
    dialog.map_or(&model.inspector.doc, |dialog| &dialog.sheet.doc)
}

fn has_forms(model: &Model) -> Result<(), Refusal> {
    let doc = decided_doc(model);
    match doc.shown_form() {
        Some(shown) if shown.forced => Err(Refusal::new(
            "The exact bytes are shown: the readable form would not tell everything",
        )),
        None if !doc.has_colours() => Err(Refusal::new("No colours in what the inspector shows")),
        _ => Ok(()),
    }
}
