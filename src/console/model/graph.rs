//! The graph pane: rows, cursor, folds, search, what is looked for.
//!
//! Must not know: colours, characters.

pub mod bars;
pub mod body;
mod coming;
mod cursor;
mod entries;
mod list;
mod lit;
pub mod map;
pub mod marks;
mod outline;
pub mod query;
pub mod rows;
mod search;
#[cfg(test)]
mod tests;

use super::run::RunPart;
use crate::console::layout::fold::{Folded, Stands};
use crate::console::layout::gutter::Shape;
use crate::console::work::Work;
use crate::domain::id::{NodeId, TurnId};
use crate::domain::state::State;
use crate::domain::turn::Turn;
use coming::Coming;
pub use coming::Made;
pub use entries::Mark;
use lit::Lit;
use map::MapPane;
pub use outline::Outline;
use query::Query;
pub use search::Search;

/// Calls of a turn that keep rows of their own.
const WIDE: usize = 8;
/// Nodes that are looked at before those are packed again: a long run is never unpacked as a whole.
const PIECE: usize = if cfg!(test) { 3 } else { 1024 };
/// Pieces that are made before keys are looked at again, which takes a few milliseconds.
const PART: usize = 4;
/// Nodes whose entries are made while a frame waits, which takes ten milliseconds at most: a session that is read comes
/// in such parts, and what is copied for the worker would be given back by no allocator.
const MADE: usize = if cfg!(test) { 40 } else { 8192 };
/// Entries from which rows are planned meanwhile: two or three milliseconds.
const PLANNED: usize = if cfg!(test) { 60 } else { 16_384 };
/// Turns at the end that keep all their rows.
const RECENT: usize = 30;

/// A row under the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// A node, or the row that holds it.
    Node(NodeId),
    /// A part of an open stream, counted from 0; of a broken one there is one, for all that it had begun.
    Live(TurnId, usize),
}

/// How the pane shows the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Rows with lanes beside them.
    #[default]
    Lanes,
    /// Boxes around the selected node.
    Map,
    /// Rows with bars over time.
    Time,
}

impl Form {
    /// Lines above the rows.
    pub const fn head(self) -> usize {
        match self {
            Self::Time => 1,
            Self::Lanes | Self::Map => 0,
        }
    }
}

/// How much the pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Every node of the last turns; of earlier ones what needs an eye.
    #[default]
    Recent,
    /// A row for each turn, and for each node that needs an eye.
    Turns,
    /// Every node.
    Nodes,
    /// Every node with its text.
    Text,
}

impl Level {
    /// The level after it.
    pub const fn next(self) -> Self {
        match self {
            Self::Recent => Self::Turns,
            Self::Turns => Self::Nodes,
            Self::Nodes => Self::Text,
            Self::Text => Self::Recent,
        }
    }

    /// What it shows, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Recent => "every node of the newest turns, older turns in one row each",
            Self::Turns => "one row for each turn",
            Self::Nodes => "every node",
            Self::Text => "every node with its text",
        }
    }
}

/// The pane.
#[derive(Debug, Clone, Default)]
pub struct GraphPane {
    /// The rows, and what they are made by.
    pub outline: Outline,
    /// Rows of open and of broken streams, below the others.
    pub live: Vec<(TurnId, usize)>,
    /// Turns whose stream broke, where they have a row among those.
    pub broken: Vec<TurnId>,
    /// The row under the cursor.
    pub selected: Option<Pick>,
    /// First row on screen.
    pub top: usize,
    /// False once the operator moved away from the last row.
    pub pinned: bool,
    /// The last node, and the number of streaming parts, when it was pinned.
    seen: (Option<NodeId>, usize),
    /// The newest search.
    pub search: Search,
    /// How the graph is shown.
    pub form: Form,
    /// What is lit.
    pub lit: Lit,
    /// The boxes around the selected node.
    pub map: MapPane,
    /// Rows that are made elsewhere, until they come.
    coming: Coming,
    /// True while the first rows of a long run are made in parts.
    begins: bool,
}

impl GraphPane {
    /// Makes the next entries, a piece of them; true while there are more. What is left is for [`Self::sync`]: between two
    /// pieces the run can be packed.
    pub fn grow(&mut self, state: &State) -> bool {
        let waits = !self.begins && !self.coming.is_any() && !self.outline.is_made(state);
        waits && !self.outline.is_far_behind(state) && self.outline.grow(state)
    }

    /// A run has come; where it is a long one, its first rows are made in parts by [`Self::go_on`]: a copy for somebody else
    /// to make them of would be given back by no allocator.
    pub fn begin(&mut self, state: &State) {
        self.begins = self.outline.lacks_pieces(state, PART);
    }

    /// True for a run whose first rows would be made in parts.
    pub fn waits_for(&self, state: &State) -> bool {
        self.outline.lacks_pieces(state, PART)
    }

    /// True while the first rows of a long run are made in parts.
    pub const fn begins(&self) -> bool {
        self.begins
    }

    /// True where the next part of them is not the last one.
    pub fn lacks_parts(&self, state: &State) -> bool {
        self.begins && self.outline.lacks_pieces(state, PART)
    }

    /// Makes the next of the first rows: a part, after which keys are looked at.
    pub fn go_on(&mut self, state: &State) {
        for _ in 0..PART {
            if self.begins {
                self.begins = self.outline.lacks_pieces(state, 1) && self.outline.grow(state);
            }
        }
    }

    /// Brings the rows up to date with the run; where that takes long they stay as they are until others come.
    pub fn sync(&mut self, run: &RunPart) {
        let state = &run.state;
        let before = self.cursor();
        self.begins &= self.outline.rows.is_empty();
        if !self.begins && !self.coming.is_any() && !self.outline.is_made(state) {
            let stood = before.is_some_and(|row| self.stands_alone(row));
            match self.outline.keep_up(state) {
                Some(true) => self.keep_in_sight(stood),
                Some(false) => {}
                None => {
                    self.outline.cut(state);
                    self.coming.order(&mut self.outline, state);
                }
            }
        }
        self.live = run
            .live
            .values()
            .flat_map(|live| (0..live.parts.len()).map(|part| (live.turn, part)))
            .collect();
        let filter = self.outline.filter.as_ref();
        let fits = |turn: &Turn| filter.is_none_or(|filter| filter.fits_broken(turn));
        self.broken = run
            .broken()
            .filter(|turn| fits(turn))
            .map(|turn| turn.id)
            .collect();
        self.live.extend(self.broken.iter().map(|turn| (*turn, 0)));
        self.live.sort_unstable();
        self.hold(state, before);
        let lit = match self.selected {
            Some(Pick::Node(node)) if self.pinned => Some(node),
            _ => None,
        };
        self.lit.light(state, lit);
        if self.form == Form::Map {
            self.map.sync(state, self.selected, &self.broken);
        }
    }

    /// The run is another one than before: nothing of its rows may stay that it does not have.
    pub fn renew(&mut self) {
        self.change().spoil_all();
    }

    /// What is to be worked out since this was asked last.
    pub fn take_work(&mut self) -> Option<Work> {
        self.coming.take_work()
    }

    /// Says how many fit once that is known, unless something else was said meanwhile.
    pub fn count_later(&mut self, said: &str) {
        self.coming.said = Some(said.to_owned());
    }

    /// What was said of rows that have come since.
    pub fn was_said(&mut self) -> Option<String> {
        self.coming.was_said()
    }

    /// True while the rows are those of before.
    pub const fn is_coming(&self) -> bool {
        self.begins || self.coming.is_any()
    }

    /// Shows rows that were made elsewhere, if they are still wanted.
    pub fn take(&mut self, made: Made) {
        let before = self.cursor();
        let stood = before.is_some_and(|row| self.stands_alone(row));
        if !self.coming.take(made, &mut self.outline) {
            return;
        }
        let folds = std::mem::take(&mut self.coming.folds);
        self.keep_in_sight(stood && !folds);
        if let Some(node) = self.coming.reveal.take() {
            self.unfold_around(node);
        }
        self.stay(before);
    }

    /// Keeps the row of the cursor on its line.
    fn stay(&mut self, before: Option<usize>) {
        if let (Some(before), Some(now)) = (before, self.cursor()) {
            self.top = (self.top + now).saturating_sub(before);
        }
    }

    /// Other rows are wanted than those that may be coming.
    fn change(&mut self) -> &mut Outline {
        self.coming.recall(&mut self.outline);
        &mut self.outline
    }

    fn stands_alone(&self, row: usize) -> bool {
        self.outline
            .rows
            .get(row)
            .is_some_and(|row| self.pinned && row.count == 1 && self.selected == Some(Pick::Node(row.key)))
    }

    /// What the operator looks at is not folded away because its turn became old or was repeated.
    fn keep_in_sight(&mut self, stood: bool) {
        let Some(Pick::Node(id)) = self.selected.filter(|_| stood) else {
            return;
        };
        if let Some(row) = self.outline.rows.of(id)
            && row.count > 1
            && matches!(row.stands, Stands::Turn | Stands::Loop(_))
            && let Some(name) = row.folded()
        {
            self.outline.unfold(name);
        }
    }

    /// Unfolds what hides a node; gives its row. Where other rows have to be made for that, the rest is done when they
    /// are there.
    fn unfold_around(&mut self, node: NodeId) -> Option<usize> {
        // A fold can hold a fold.
        for _ in 0..3 {
            let row = self.outline.rows.find(node)?;
            let hides = |here: &rows::Row| match here.stands {
                Stands::Node => false,
                // The row of a turn says what its first node does.
                Stands::Turn => here.key != node,
                _ => true,
            };
            let here = self.outline.rows.get(row).filter(hides);
            let Some(name) = here.and_then(|here| here.folded()) else {
                return Some(row);
            };
            // What does not fit gets a row of its own.
            if name.1 == Folded::Elided || self.outline.unfolded.contains(&name) {
                break;
            }
            self.change().unfold(name);
        }
        self.coming.reveal = Some(node);
        self.outline.rows.find(node)
    }

    /// Unfolds or folds the row of the cursor.
    pub fn toggle(&mut self, unfold: Option<bool>) {
        let Some(row) = self.cursor().and_then(|row| self.outline.rows.get(row)) else {
            return;
        };
        let key = row.key;
        self.pinned = true;
        let is_apart = self.outline.open.contains(&key.call());
        let is_unfolded = || self.outline.unfolded.iter().any(|(name, _)| *name == key);
        match (unfold, row.folded()) {
            (Some(false) | None, _) if is_apart => {
                self.selected = Some(Pick::Node(key.call()));
                self.change().set_apart(key.call(), false);
            }
            (Some(true) | None, Some(name)) => {
                self.change().unfold(name);
            }
            (Some(false), _) => self.fold_around(key),
            (None, _) if row.shape == Shape::Side || is_unfolded() => self.fold_around(key),
            (Some(true) | None, _) => self.change().set_apart(key, true),
        }
    }

    /// Folds what was unfolded around a row, if anything was.
    fn fold_around(&mut self, key: NodeId) {
        if let Some(name) = self.outline.unfolded_around(key) {
            self.change().fold(name);
            self.coming.folds = !self.outline.is_planned();
            self.selected = Some(Pick::Node(name.0));
        }
    }

    /// Shows more or less of the graph.
    pub fn set_level(&mut self, level: Level) {
        let before = self.cursor();
        self.change().set_level(level);
        self.coming.folds = !self.outline.is_planned();
        self.stay(before);
    }

    /// Shows only what fits, or everything again.
    pub fn set_filter(&mut self, filter: Option<Query>) {
        self.change().set_filter(filter);
    }

    /// How many nodes and broken streams fit what is looked for.
    pub fn found(&self) -> usize {
        self.outline.rows.entries.hits() + self.broken.len()
    }
}
