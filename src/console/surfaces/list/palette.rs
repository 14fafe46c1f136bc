//! Lists the commands to choose from, and carries out the chosen entry.
//!
//! Must not know: what a command does.

use crate::kernel::availability::{allowed, is_offered, is_possible, offered};
use crate::kernel::context;
use crate::kernel::context::on;
use crate::kernel::hints::surface;
use crate::kernel::model::Model;
use crate::kernel::synonyms::synonyms;
use crate::kernel::verb::{Availability, Care, MOVES, TEXTS, Verb};
use crate::surfaces::list::choose::{choose, open};
use crate::surfaces::list::{Choice, Gives, List, ListPurpose};
use crate::verbs::replace;

/// The verb `palette`.
pub const PALETTE: Verb = Verb {
    name: "palette",
    keys: &[":", "ctrl-p"],
    contexts: context::PALETTE,
    doc: "choose any command: type its name, another word for it, or its key",
    hint: "palette",
    available: |model| offered(model.stack.is_empty()),
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
    contexts: &[on(super::ID)],
    doc: "choose the selected entry",
    hint: "choose",
    care: Care::Careful,
    available: |model| match chosen(model) {
        // It makes a call, or replaces one.
        Some(Gives::Tool(_)) => allowed(model, &replace::VERB).into(),
        _ => Availability::Offered,
    },
    run: |model, press| {
        choose(model, press.moment.at, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// What the selected entry of the open list gives.
fn chosen(model: &Model) -> Option<&Gives> {
    let list = model.stack.top::<List>()?;
    list.chosen().map(|choice| &choice.gives)
}

/// Opens the palette: what can be done now, then what works here at other times, then what works elsewhere, with its
/// place.
pub(crate) fn palette(model: &mut Model) {
    let here = surface(model);
    let works =
        |verb: &Verb| verb.works_on(here) && (model.settings.is_replay() || verb.contexts != context::REPLAY);
    let keymap = &model.settings.keymap;
    // A move is pressed, not chosen. A text takes what edits it.
    let is_listed = |verb: &&Verb| {
        !keymap.is_of(MOVES, verb) && is_possible(model, verb) && (works(verb) || !keymap.is_of(TEXTS, verb))
    };
    let choice = |verb: &'static Verb| {
        let places = keymap.registry().places(verb);
        let place = places.first().filter(|_| !works(verb));
        let keys = keymap.keys_of(verb.name).iter();
        let keys: Vec<String> = keys.map(ToString::to_string).collect();
        let (right, gives) = match place {
            Some(place) => (
                format!("in: {}", place.heading()),
                Gives::Elsewhere(place.heading()),
            ),
            None => (keys.first().cloned().unwrap_or_default(), Gives::Verb(verb)),
        };
        Choice {
            name: verb.name.to_owned(),
            also: synonyms(verb.name),
            keys: if place.is_some() { Vec::new() } else { keys },
            detail: verb.doc.to_owned(),
            right,
            now: place.is_none() && is_offered(model, verb),
            gives,
        }
    };
    let mut choices: Vec<Choice> = keymap.registry().verbs().filter(is_listed).map(choice).collect();
    choices.sort_by_key(|choice| (matches!(choice.gives, Gives::Elsewhere(_)), !choice.now));
    open(model, ListPurpose::Palette, "command", choices);
}
