//! Why a collected edit cannot be committed as it is, and which other one is to blame.
//!
//! Must not know: how it is told on the screen.

use super::{after_of, moved, node_of};
use crate::domain::advice::Cards;
use crate::domain::command::Edit;
use crate::domain::decide;
use crate::domain::state::State;

/// Why an edit cannot be committed as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// It does not go with the run as it is now.
    Now(String),
    /// It does not go with one of the edits before it.
    Edit {
        /// The place of that one.
        at: usize,
        /// Why.
        why: String,
    },
    /// It goes with each of the edits before it, and not with all of them.
    Edits(String),
}

impl Trouble {
    /// True where other collected edits are to blame.
    pub const fn is_clash(&self) -> bool {
        matches!(self, Self::Edit { .. } | Self::Edits(_))
    }

    /// All of it. May hold untrusted text.
    pub fn words(&self) -> String {
        match self {
            Self::Now(why) => why.clone(),
            Self::Edit { at, why } => format!("with edit {} before it: {why}", at + 1),
            Self::Edits(why) => format!("with the edits before it: {why}"),
        }
    }

    /// The same for one of these edits, where nothing else tells which it is: both are named.
    pub fn named(&self, edits: &[Edit], at: usize) -> String {
        let name = |at: usize| match edits.get(at) {
            Some(edit) => format!("edit {} ({})", at + 1, about(edit)),
            None => format!("edit {}", at + 1),
        };
        let own = name(at);
        match self {
            Self::Now(why) => format!("{own} does not go with the run as it is: {why}"),
            Self::Edit { at, why } => format!("{own} clashes with {}: {why}", name(*at)),
            Self::Edits(why) => format!("{own} clashes with those before it: {why}"),
        }
    }
}

/// What an edit is about, in a word.
fn about(edit: &Edit) -> String {
    if let Edit::Take { node, .. } = edit {
        return node.to_string();
    }
    match (node_of(edit), after_of(edit)) {
        (Some(node), _) => node.to_string(),
        (None, Some(after)) => format!("behind {after}"),
        (None, None) => "at the end".to_owned(),
    }
}

/// Why edits cannot be committed, as one and in this order, by their place; none for the ones that can.
pub(super) fn all(state: &State, edits: &[Edit]) -> Vec<Option<Trouble>> {
    let now = |edit| moved(state, edit).map(Trouble::Now);
    let mut out: Vec<Option<Trouble>> = edits.iter().map(now).collect();
    let standing: Vec<(usize, &Edit)> = edits
        .iter()
        .enumerate()
        .filter(|(at, _)| matches!(out.get(*at), Some(None)))
        .collect();
    let together: Vec<Edit> = standing.iter().map(|(_, edit)| (*edit).clone()).collect();
    if refused(state, &together).is_none() {
        return out;
    }
    let mut good: Vec<(usize, &Edit)> = Vec::new();
    for (at, edit) in standing {
        let mut with: Vec<Edit> = good.iter().map(|(_, edit)| (*edit).clone()).collect();
        with.push(edit.clone());
        let Some(why) = refused(state, &with) else {
            good.push((at, edit));
            continue;
        };
        if let Some(place) = out.get_mut(at) {
            *place = Some(blamed(state, &good, edit, why));
        }
    }
    out
}

/// Who is to blame that an edit is refused behind these.
fn blamed(state: &State, before: &[(usize, &Edit)], edit: &Edit, why: String) -> Trouble {
    if let Some(why) = refused(state, std::slice::from_ref(edit)) {
        return Trouble::Now(why);
    }
    let other = before.iter().find_map(|(at, other)| {
        let why = refused(state, &[(*other).clone(), edit.clone()])?;
        Some(Trouble::Edit { at: *at, why })
    });
    other.unwrap_or(Trouble::Edits(why))
}

/// Why these cannot be committed as one; none where they can, or where there are none.
fn refused(state: &State, edits: &[Edit]) -> Option<String> {
    if edits.is_empty() {
        return None;
    }
    let facts = decide::edit::commit(state, &Cards(state), edits, (None, false));
    facts.err().map(|refusal| refusal.message)
}
