//! Key hints: the command table filtered by the selection and the state of the run.
//!
//! Must not know: how a hint is drawn.

use super::context::REPLAY;
use super::decide;
use super::model::Model;
use super::pane::Place;
use super::status_line::wide;
use super::surface::SurfaceId;
use crate::kernel::availability;
use crate::kernel::verb::{Availability, HELP_HERE, Rank, Verb};
use crate::run::question::Question;

/// Screens with fewer columns get the short labels of a dialog.
const NARROW: u16 = 60;

/// Screens with fewer columns get fewer hints.
const WIDE: u16 = 140;
/// The most hints on such a screen, and on a wider one.
const MOST: [usize; 2] = [9, 15];

/// The hint of the keys that show help.
const HELP: &str = "help";

/// The keys at a decision in their order, each with its word and whether only a wide screen has room for it.
const AT_A_DECISION: [(&str, &str, bool); 14] = [
    ("approve", "approve", false),
    ("reject", "reject", false),
    ("approve-all", "all", false),
    ("edit", "edit", false),
    ("write-rule", "rule", false),
    ("answer", "answer", false),
    ("replace", "replace", true),
    ("guide", "guide", false),
    ("pause", "pause", false),
    ("undo", "undo", true),
    ("branches", "branches", true),
    ("output-colours", "exact", true),
    ("search", "search", true),
    ("palette", "palette", true),
];

/// A key and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The key.
    pub key: String,
    /// What it does.
    pub word: &'static str,
    /// What else it does now; empty for nothing.
    pub more: String,
    /// True for a decision whose key is lit.
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

/// A number of rows.
pub fn rows(count: usize) -> String {
    match count {
        1 => "1 row".to_owned(),
        _ => format!("{count} rows"),
    }
}

/// Describes the key that shows unread rows; `above` if they are all above the visible ones.
pub fn reads_on(model: &Model, above: bool) -> String {
    let key = |name| model.settings.keymap.first(name);
    if above {
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
            .map(|hint| wide(&hint))
            .sum();
        brief |= needed >= usize::from(model.screen.width);
    }
    let rank = |verb: &Verb| (verb.rank)(model);
    let (last, first): (Vec<_>, Vec<_>) = offered
        .into_iter()
        .partition(|(verb, _)| rank(verb) == Rank::Last);
    let all = first.into_iter().chain(last);
    let mut all: Vec<(&Verb, bool)> = all.collect();
    let approves = all.iter().any(|(verb, _)| verb.name == AT_A_DECISION[0].0);
    if approves && is_at_decision(model) {
        all = at_a_decision(model, all);
    }
    // Help is always the last one.
    all.sort_by_key(|(verb, _)| verb.hint == HELP);
    let mut hints: Vec<Hint> = all
        .into_iter()
        .map(|(verb, refused)| hint(model, verb, refused, brief))
        .collect();
    shorten(model, &mut hints);
    hints
}

/// True where the frame of a decision gets the keys.
fn is_at_decision(model: &Model) -> bool {
    let asks = matches!(decide::question(model), Some(Question::Call { .. }));
    model.stack.is_empty()
        && asks
        && model.screen.places.edge.is_some()
        && model.screen.focus.place() != Place::Lower
}

/// The keys at a decision, the most important first. Those for wide screens fill what is left on others.
fn at_a_decision<'v>(model: &Model, all: Vec<(&'v Verb, bool)>) -> Vec<(&'v Verb, bool)> {
    let most = most(model);
    let find = |name: &str| all.iter().find(|(verb, _)| verb.name == name).copied();
    let found = AT_A_DECISION
        .iter()
        .filter_map(|(name, _, wide)| Some((find(name)?, *wide)));
    let found: Vec<((&Verb, bool), bool)> = found.collect();
    let others = all
        .iter()
        .filter(|(verb, _)| (verb.rank)(model) == Rank::Stays)
        .copied();
    let others: Vec<(&Verb, bool)> = others.collect();
    let mut left = most.saturating_sub(found.iter().filter(|(_, wide)| !wide).count() + others.len());
    let is_kept = |(verb, wide): ((&'v Verb, bool), bool)| -> Option<(&'v Verb, bool)> {
        if wide && left == 0 {
            return None;
        }
        left -= usize::from(wide);
        Some(verb)
    };
    let kept: Vec<(&Verb, bool)> = found.into_iter().filter_map(is_kept).collect();
    kept.into_iter().chain(others).collect()
}

/// The most hints on the screen.
fn most(model: &Model) -> usize {
    let [narrow, wide] = MOST;
    if model.screen.width < WIDE { narrow } else { wide }
}

/// Leaves out the last hints of panes where there are too many; those of every width stay.
fn shorten(model: &Model, hints: &mut Vec<Hint>) {
    if !model.stack.is_empty() {
        return;
    }
    let mut left = most(model).saturating_sub(hints.iter().filter(|hint| hint.stays).count());
    // The way to a decision comes first.
    hints.sort_by_key(|hint| !hint.leads);
    hints.retain(|hint| {
        let is_kept = hint.stays || left > 0;
        left = left.saturating_sub(usize::from(!hint.stays));
        is_kept
    });
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
    let at_decision = is_at_decision(model).then(|| {
        let mut known = AT_A_DECISION.iter();
        known
            .find(|(name, ..)| *name == verb.name)
            .map(|(_, word, _)| *word)
    });
    let short = at_decision
        .flatten()
        .or((brief && !verb.short.is_empty()).then_some(verb.short));
    let is_lit = match at_decision {
        Some(_) => ["approve", "reject"].contains(&verb.name),
        None => verb.decides,
    };
    let rank = (verb.rank)(model);
    Hint {
        key: model.settings.keymap.first(verb.name),
        word: (verb.label)(model).or(short).unwrap_or(verb.hint),
        more: (verb.adds)(model),
        decides: is_lit,
        refused,
        stays: rank == Rank::Stays,
        leads: rank == Rank::Leads,
    }
}
