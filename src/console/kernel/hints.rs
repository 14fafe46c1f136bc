//! Key hints: the command table filtered by the selection and the state of the run.
//!
//! Must not know: how a hint is drawn.

use super::context::REPLAY;
use super::model::Model;
use super::model::arming::VisibleQuestion;
use super::surface::SurfaceId;
use crate::ground::columns::Columns as _;
use crate::kernel::availability;
use crate::kernel::verb::{Availability, HELP_HERE, Rank, Verb};

/// Screens with fewer columns get the short labels of a dialog.
const NARROW: u16 = 60;

/// A key and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The key.
    pub key: String,
    /// What it does.
    pub word: &'static str,
    /// True for a decision.
    pub decides: bool,
    /// True if the key would be refused now: its question was too short on screen, or is partly
    /// unread.
    pub refused: bool,
    /// True for hints that every width keeps: help, and the way out of a text.
    pub stays: bool,
    /// True for the main key of the focused pane at the bottom, and for the way to a decision or
    /// answer. It comes first.
    pub leads: bool,
}

/// The surface that the next key goes to.
pub fn surface(model: &Model) -> SurfaceId {
    match model.stack.last() {
        Some(surface) => surface.id(),
        None => model.screen.focus.id(),
    }
}

/// Describes the key that shows unread rows.
pub fn reads_on(model: &Model, shown: &VisibleQuestion) -> String {
    let key = |name| model.settings.keymap.first(name);
    if shown.is_left_above() {
        format!("{} goes back", key("page-up"))
    } else {
        format!("{} shows more", key("page-down"))
    }
}

/// Hints for the keys that work now, the most important first.
pub fn hints(model: &Model) -> Vec<Hint> {
    let here = surface(model);
    let offered = offered(model, here);
    let mut brief = model.screen.width < NARROW;
    // A narrow dialog shows all of its answers, with short labels if needed.
    if here.asks {
        let answers = offered.iter().filter(|(verb, _)| verb.is_of(here));
        let answers = answers.filter(|(verb, _)| verb.name != HELP_HERE);
        let needed: usize = answers
            .map(|(verb, _)| hint(model, verb, false, brief))
            .map(|hint| hint.key.columns() + hint.word.columns() + 3)
            .sum();
        brief |= needed >= usize::from(model.screen.width);
    }
    let rank = |verb: &Verb| (verb.rank)(model);
    let (last, first): (Vec<_>, Vec<_>) = offered
        .into_iter()
        .partition(|(verb, _)| rank(verb) == Rank::Last);
    let all = first.into_iter().chain(last);
    all.map(|(verb, refused)| hint(model, verb, refused, brief))
        .collect()
}

/// The verbs with a label and a key that are offered here, each with whether its key would be refused.
fn offered(model: &Model, here: SurfaceId) -> Vec<(&'static Verb, bool)> {
    let keymap = &model.settings.keymap;
    keymap
        .registry()
        .verbs()
        .filter(|verb| !verb.hint.is_empty() && !keymap.keys_of(verb.name).is_empty())
        .filter(|verb| verb.works_on(here) && (model.settings.is_replay() || verb.contexts != REPLAY))
        .filter_map(|verb| match availability::of(model, verb) {
            Availability::Offered => Some((verb, false)),
            Availability::NotYet(_) => Some((verb, true)),
            Availability::NotOffered | Availability::Refused(_) => None,
        })
        .collect()
}

/// The hint of a verb; with a short label if `brief`.
fn hint(model: &Model, verb: &Verb, refused: bool, brief: bool) -> Hint {
    let short = (brief && !verb.short.is_empty()).then_some(verb.short);
    let rank = (verb.rank)(model);
    Hint {
        key: model.settings.keymap.first(verb.name),
        word: (verb.label)(model).or(short).unwrap_or(verb.hint),
        decides: verb.decides,
        refused,
        stays: rank == Rank::Stays,
        leads: rank == Rank::Leads,
    }
}
