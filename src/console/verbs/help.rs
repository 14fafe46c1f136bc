//! Shows every key.
//!
//! Must not know: how a page is drawn.

use super::{Rank, Verb};
use crate::context::Context;
use crate::hints::context;
use crate::model::Model;
use crate::model::overlay::{Overlay, Page, PageContent};
use crate::update::open;

/// The verb `help`.
pub const HELP: Verb = Verb {
    name: "help",
    keys: &["?", "f1"],
    contexts: &[Context::Panes],
    doc: "show every key, those that work here first",
    hint: "help",
    // In a question, its answers come first.
    rank: |model| {
        let here = context(model);
        Rank::stays_if(here == Context::Attention || here.reaches(Context::Panes))
    },
    run: |model, _| {
        help(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `help-here`.
pub const HELP_HERE: Verb = Verb {
    name: "help-here",
    keys: &["?", "f1"],
    contexts: &[
        Context::Page,
        Context::Attention,
        Context::Review,
        Context::StagedEdits,
        Context::Branches,
        Context::Compare,
        Context::Effects,
        Context::Bulk,
        Context::Rule,
        Context::Rules,
        Context::Fork,
        Context::Consent,
        Context::UnknownOutcome,
        Context::Classify,
        Context::Broken,
        Context::Definitions,
        Context::Confirm,
        Context::Leave,
    ],
    doc: "show every key, those that work here first; keeps the view below open",
    hint: "help",
    ..HELP
};

/// The verb `help-typing`.
pub const HELP_TYPING: Verb = Verb {
    name: "help-typing",
    keys: &["f1"],
    contexts: &[Context::Editor, Context::Line, Context::List],
    doc: "show every key, those that work here first; keeps the typed text",
    hint: "help",
    ..HELP
};

/// Opens the page of keys over what is open, or closes it.
fn help(model: &mut Model) {
    let is_help = |overlay: &Overlay| matches!(overlay, Overlay::Page(page) if page.is_help());
    if model.overlays.last().is_some_and(is_help) {
        model.overlays.pop();
        return;
    }
    let here = context(model);
    open(model, Overlay::Page(Page::new("keys", PageContent::Help(here))));
}
