//! Lists the themes.
//!
//! Must not know: what a colour is.

use crate::ground::theme::Colours;
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::verb::Verb;
use crate::surfaces::list::choose::themes;
use crate::surfaces::list::{Gives, List, ListPurpose};

/// The verb `theme`.
pub const VERB: Verb = Verb {
    name: "theme",
    keys: &[],
    contexts: PANES,
    doc: "choose the colours of this session",
    run: |model, _| {
        list(model);
        Ok(())
    },
    ..Verb::BASE
};

/// Lists the themes.
pub(crate) fn list(model: &mut Model) {
    if model.settings.look.colours() == Colours::None {
        model.complain("This terminal shows no colours, or NO_COLOR is set: every theme looks like `mono`");
        return;
    }
    themes(model);
}

/// Shows the theme under the cursor of the open list. Restores the look once the list closes
/// without a choice.
pub(crate) fn try_on(model: &mut Model) {
    let lists = model.stack.find::<List>();
    let open = lists.filter(|list| list.purpose == ListPurpose::Theme);
    let settings = &mut model.settings;
    let Some(list) = open else {
        if let Some(before) = settings.themes.before.take() {
            settings.look = before;
        }
        return;
    };
    let chosen = list.chosen().and_then(|choice| match &choice.gives {
        Gives::Theme(name) => settings.themes.find(name),
        _ => None,
    });
    let before = settings
        .themes
        .before
        .get_or_insert_with(|| settings.look.clone());
    settings.look = chosen.map_or_else(|| before.clone(), |theme| theme.look(before.palette()));
}

/// Uses a theme until the program ends.
pub(crate) fn choose(model: &mut Model, name: &str) {
    let settings = &mut model.settings;
    let Some(theme) = settings.themes.find(name) else {
        return model.complain("The theme is gone");
    };
    settings.look = theme.look(settings.look.palette());
    settings.themes.before = None;
    name.clone_into(&mut settings.themes.current);
    model.set_status(format!(
        "Theme {name}, until you quit. `theme = \"{name}\"` in the configuration keeps it"
    ));
}
