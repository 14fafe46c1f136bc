//! Lists the commands to choose from, and carries out the chosen entry.
//!
//! Must not know: what a command does.

use super::availability::{is_possible, offered};
use super::{Care, Verb, is_move, is_text, verbs};
use crate::console::context::Context;
use crate::console::hints::context;
use crate::console::model::Model;
use crate::console::model::overlay::{Choice, Gives, ListPurpose};
use crate::console::update::lists;

/// The verb `palette`.
pub const PALETTE: Verb = Verb {
    name: "palette",
    keys: &[":", "ctrl-p"],
    contexts: &[
        Context::Panes,
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
        Context::Consent,
        Context::UnknownOutcome,
        Context::Classify,
        Context::Broken,
    ],
    doc: "choose any command by typing part of its name",
    hint: "palette",
    available: |model| offered(model.overlays.is_empty()),
    run: |model, _| {
        palette(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `choose`.
pub const CHOOSE: Verb = Verb {
    name: "choose",
    keys: &["enter"],
    contexts: &[Context::List],
    doc: "choose the selected entry",
    hint: "choose",
    care: Care::Careful,
    run: |model, press| {
        lists::choose(model, press.at, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// Opens the palette: what works here, then what works elsewhere, with its place.
fn palette(model: &mut Model) {
    let here = context(model);
    let works = |verb: &Verb| {
        verb.contexts.iter().any(|context| here.reaches(*context))
            && (model.settings.is_replay() || verb.contexts != [Context::Replay])
    };
    // A move is pressed, not chosen. A text takes what edits it.
    let is_listed =
        |verb: &&Verb| !is_move(verb) && is_possible(model, verb) && (works(verb) || !is_text(verb));
    let choice = |verb: &'static Verb| {
        let (right, gives) = match verb.contexts.first() {
            Some(place) if !works(verb) => (
                format!("in: {}", place.heading()),
                Gives::Elsewhere(place.heading()),
            ),
            _ => (model.settings.keymap.first(verb.name), Gives::Verb(verb)),
        };
        Choice {
            name: verb.name.to_owned(),
            detail: verb.doc.to_owned(),
            right,
            gives,
        }
    };
    let (here, elsewhere): (Vec<&Verb>, Vec<&Verb>) = verbs().filter(is_listed).partition(|verb| works(verb));
    let choices = here.into_iter().chain(elsewhere).map(choice).collect();
    lists::list(model, ListPurpose::Palette, "command", choices);
}
