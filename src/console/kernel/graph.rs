//! The graph pane: rows, cursor, folds, filter and search.
//!
//! Must not know: colours, characters.

pub mod bars;
pub mod body;
pub(crate) mod cursor;
pub(crate) mod entries;
pub mod free;
pub(crate) mod highlight;
pub mod map;
pub mod query;
pub mod row_texts;
pub mod rows;
pub(crate) mod search;
#[cfg(test)]
pub(crate) mod tests;
pub mod transcript;

use crate::ground::layout::fold::{FoldKind, RowKind};
use crate::ground::layout::gutter::Shape;
use crate::run::part::RunPart;
pub use entries::Mark;
use free::FreeRows;
use highlight::Highlight;
use map::MapPane;
use overrule_domain::id::{NodeId, NodeKind, Seq, TurnId};
use overrule_domain::state::State;
use overrule_domain::turn::Turn;
use query::Query;
use row_texts::RowTexts;
use rows::{RowSettings, Rows};
pub use search::Search;
use transcript::Transcript;

/// Maximum number of calls of a turn that keep their own rows.
const WIDE: usize = 8;
/// Number of turns at the end that keep all their rows.
const RECENT: usize = 30;

/// A row under the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// A node, or the row that holds it.
    Node(NodeId),
    /// A part of an open stream, counted from 0. A broken stream has one part in total.
    Live(TurnId, usize),
}

/// How the pane shows the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Rows with lanes next to them.
    #[default]
    Lanes,
    /// Boxes around the selected node.
    Map,
    /// Rows with bars over time.
    Time,
    /// The texts of the rows, in reading order.
    Transcript,
}

/// Amount of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Every node of the last turns; of earlier ones only nodes that need attention.
    #[default]
    Recent,
    /// A row for each turn, and for each node that needs attention.
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

    /// Describes what it shows.
    pub const fn describe(self) -> &'static str {
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
    /// The rows of nodes.
    pub rows: Rows,
    /// View settings of the operator.
    pub settings: RowSettings,
    /// The state and the settings that the rows were built from.
    built: Option<(Seq, RowSettings)>,
    /// Rows of open and of broken streams, below the others.
    pub live: Vec<(TurnId, usize)>,
    /// Turns with a broken stream, if they have a row among those.
    pub broken: Vec<TurnId>,
    /// The row under the cursor.
    pub selected: Option<Pick>,
    /// First row on screen.
    pub top: usize,
    /// Blank lines above the first row: the rows and their texts end where the pane does.
    pub blank: usize,
    /// False once the operator moved away from the last row.
    pub pinned: bool,
    /// The row on which it was put by the operator, or by a call that waits.
    rests: Option<Pick>,
    /// The last node, and the number of streaming parts, when it was pinned.
    seen: (Option<NodeId>, usize),
    /// The last search.
    pub search: Search,
    /// How the graph is shown.
    pub form: Form,
    /// The highlighted relatives of the selected node.
    pub highlight: Highlight,
    /// The boxes around the selected node.
    pub map: MapPane,
    /// Counts the builds of the rows.
    pub build: u64,
    /// Texts of the rows on screen.
    pub texts: RowTexts,
    /// The call that a jump went to: the end of its output is shown while it is selected.
    pub landed: Option<NodeId>,
    /// True if there is no room for an output besides the rows.
    crowded: bool,
    /// Texts in the rows that the nodes leave free.
    pub free: FreeRows,
    /// What is on the screen of the transcript.
    pub transcript: Transcript,
}

impl GraphPane {
    /// Rebuilds the rows if the state or the settings have changed. Returns whether they have.
    fn rebuild(&mut self, state: &State) -> bool {
        let built = self.built.as_ref();
        if built.is_some_and(|(seq, settings)| *seq == state.seq && *settings == self.settings) {
            return false;
        }
        self.rows = rows::rows(state, &self.settings);
        self.build += 1;
        self.built = Some((state.seq, self.settings.clone()));
        true
    }

    /// Forces a rebuild after the state was replaced.
    pub fn invalidate(&mut self) {
        self.built = None;
    }

    /// Updates the rows from the run.
    pub fn sync(&mut self, run: &RunPart) {
        let state = &run.state;
        let before = self.cursor();
        let was_single = before.is_some_and(|row| self.is_single(row));
        if self.rebuild(state) && was_single {
            self.keep_visible(state);
        }
        self.live = run
            .live
            .values()
            .flat_map(|live| (0..live.parts.len()).map(|part| (live.turn, part)))
            .collect();
        let filter = self.settings.filter.as_ref();
        let fits = |turn: &Turn| filter.is_none_or(|filter| filter.fits_broken(turn));
        self.broken = run
            .broken()
            .filter(|turn| fits(turn))
            .map(|turn| turn.id)
            .collect();
        self.live.extend(self.broken.iter().map(|turn| (*turn, 0)));
        self.live.sort_unstable();
        self.hold(state, before);
        let highlighted = match self.selected {
            Some(Pick::Node(node)) if self.pinned => Some(node),
            _ => None,
        };
        self.highlight.light(state, highlighted);
        if self.form == Form::Map {
            self.map.sync(state, self.selected, &self.broken);
        }
    }

    /// Keeps the row of the cursor on its screen line.
    fn stay(&mut self, before: Option<usize>) {
        if let (Some(before), Some(now)) = (before, self.cursor()) {
            self.top = (self.top + now).saturating_sub(before);
        }
    }

    /// Rebuilds the rows after a change of the settings, with the row of the cursor on its screen
    /// line.
    fn rebuild_in_place(&mut self, state: &State, change: impl FnOnce(&mut RowSettings)) {
        let before = self.cursor();
        change(&mut self.settings);
        self.rebuild(state);
        self.stay(before);
    }

    /// True if the operator selected a row of one node.
    fn is_single(&self, row: usize) -> bool {
        self.rows
            .get(row)
            .is_some_and(|row| self.pinned && row.count == 1 && self.selected == Some(Pick::Node(row.key)))
    }

    /// Unfolds the selected node if it was folded because its turn became old or was repeated.
    fn keep_visible(&mut self, state: &State) {
        if let Some(Pick::Node(id)) = self.selected
            && let Some(row) = self.rows.of(id)
            && row.count > 1
            && matches!(row.kind, RowKind::Turn | RowKind::Loop(_))
        {
            self.settings.unfolded.extend(row.fold());
            self.rebuild(state);
        }
    }

    /// Unfolds the folds that hide a node.
    fn unfold_around(&mut self, node: NodeId, state: &State) {
        // A fold can be inside another.
        for _ in 0..3 {
            let Some(row) = self.rows.of(node) else { return };
            // The row of a turn shows its first node.
            let is_shown = row.kind == RowKind::Turn && row.key == node;
            let fold = row.fold().filter(|(_, kind)| *kind != FoldKind::Elided);
            let is_new = fold.is_some_and(|fold| !is_shown && self.settings.unfolded.insert(fold));
            if !is_new {
                return;
            }
            self.rebuild(state);
        }
    }

    /// Unfolds or folds the selected row.
    pub fn toggle(&mut self, unfold: Option<bool>, state: &State) {
        if self.unfold_text(unfold) {
            return;
        }
        let Some(row) = self.cursor().and_then(|row| self.rows.get(row)) else {
            return;
        };
        let (key, call) = (row.key, row.key.call());
        let (fold, within) = (row.fold(), row.within);
        let is_unfolded = row.shape == Shape::Side || within.is_some_and(|(first, _)| first == key);
        let is_split = self.settings.split.contains(&call);
        self.pinned = true;
        match (unfold, fold) {
            (Some(false) | None, _) if is_split => {
                self.selected = Some(Pick::Node(call));
                self.rebuild_in_place(state, |settings| _ = settings.split.remove(&call));
            }
            (Some(true) | None, Some(fold)) => {
                self.rebuild_in_place(state, |settings| _ = settings.unfolded.insert(fold));
            }
            (Some(false), _) => self.fold(within, state),
            (None, None) if is_unfolded => self.fold(within, state),
            (Some(true) | None, None) if key.kind == NodeKind::Call => {
                self.rebuild_in_place(state, |settings| _ = settings.split.insert(key));
            }
            (Some(true) | None, None) => {}
        }
    }

    /// Folds an unfolded fold, if any, and selects it.
    fn fold(&mut self, fold: Option<rows::Fold>, state: &State) {
        if let Some(fold) = fold {
            self.selected = Some(Pick::Node(fold.0));
            self.rebuild_in_place(state, |settings| _ = settings.unfolded.remove(&fold));
        }
    }

    /// True if the end of the output of a call is below its row, whatever room there is.
    pub fn shows_end(&self, call: NodeId) -> bool {
        let is_there = self.landed == Some(call) && self.selected == Some(Pick::Node(call));
        is_there && self.crowded && self.settings.level != Level::Text
    }

    /// Shows more or less of the graph.
    pub fn set_level(&mut self, level: Level, state: &State) {
        self.rebuild_in_place(state, |settings| {
            settings.level = level;
            settings.unfolded.clear();
        });
    }

    /// Shows only what matches, or everything again.
    pub fn set_filter(&mut self, filter: Option<Query>) {
        self.settings.filter = filter;
        self.settings.revealed = None;
        self.settings.unfolded.clear();
    }

    /// Number of nodes and broken streams that match the filter.
    pub fn found(&self) -> usize {
        self.rows.matches + self.broken.len()
    }
}
