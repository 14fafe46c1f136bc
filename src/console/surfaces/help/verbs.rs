//! Shows every key.
//!
//! Must not know: how a page is drawn.

use crate::kernel::context::{HELPED, PANES, TYPED};
use crate::kernel::hints::surface;
use crate::kernel::model::Model;
use crate::kernel::verb::{Rank, Verb};
use crate::surfaces::help::HelpPage;

/// The verb `help`.
pub const HELP: Verb = Verb {
    name: "help",
    keys: &["?", "f1"],
    contexts: PANES,
    doc: "explain the terms of the marked row, and show every key, those that work here first",
    hint: "help",
    // In a question, its answers come first.
    rank: |model| {
        let here = surface(model);
        Rank::stays_if(here.is_pane || here.stays.contains(&"help"))
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
    contexts: HELPED,
    doc: "show every key, those that work here first; keeps the view below open",
    hint: "help",
    ..HELP
};

/// The verb `help-typing`.
pub const HELP_TYPING: Verb = Verb {
    name: "help-typing",
    keys: &["f1"],
    contexts: TYPED,
    doc: "show every key, those that work here first; keeps the typed text",
    hint: "help",
    rank: |_| Rank::Stays,
    ..HELP
};

/// Opens the page of keys over what is open, or closes it.
fn help(model: &mut Model) {
    if model.stack.pop_if(|_: &HelpPage| true).is_some() {
        return;
    }
    let here = surface(model);
    let page = HelpPage::new(model, here);
    model.stack.push(page);
}
