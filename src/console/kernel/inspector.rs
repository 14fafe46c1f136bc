//! The inspector: details of the selected node, in tabs.
//!
//! Must not know: how a tab is put together.

use std::collections::VecDeque;
use std::ops::Range;

use crate::ground::doc::{Cache, Doc};
use crate::ground::seek::Seek;
use crate::ground::work::Work;
use crate::kernel::graph::Pick;
use crate::kernel::pane::Pane;
use overrule_domain::id::{NodeKind, Rev, Seq, TurnId};
use overrule_domain::state::State;

/// A tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// The content, for reading.
    #[default]
    Content,
    /// The exact arguments; for a waiting call, the decision frame.
    Arguments,
    /// Revisions and their differences.
    Revisions,
    /// What the model saw.
    Context,
    /// Nodes that it depends on, and its descendants.
    Depends,
    /// Executions, decisions, ledger.
    Attempts,
    /// Wire data of the request that it came from.
    Wire,
}

impl Tab {
    /// Every tab, in order.
    pub const ALL: [Self; 7] = [
        Self::Content,
        Self::Arguments,
        Self::Revisions,
        Self::Context,
        Self::Depends,
        Self::Attempts,
        Self::Wire,
    ];

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Arguments => "arguments",
            Self::Revisions => "revisions",
            Self::Context => "context",
            Self::Depends => "depends",
            Self::Attempts => "attempts",
            Self::Wire => "wire",
        }
    }

    /// The tab after it, or before it.
    pub fn neighbour(self, back: bool) -> Self {
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        let step = if back { Self::ALL.len() - 1 } else { 1 };
        Self::ALL
            .get((at + step) % Self::ALL.len())
            .copied()
            .unwrap_or_default()
    }
}

/// The tabs in the title line of the inspector. Their order and positions are fixed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TabBar {
    /// The visible tabs, each with its first column and its text.
    pub tabs: Vec<(Tab, u16, String)>,
    /// If not all tabs fit: the number of the current tab, and its first column.
    pub mark: Option<(u16, String)>,
    /// A note, and its first column.
    pub note: Option<(u16, &'static str)>,
}

/// Columns at the end of the title line for the position in the text.
const POSITION: u16 = 14;
/// Maximum number of reading positions that are kept.
const PLACES: usize = 32;

/// What the inspector shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A row of the graph.
    Pick(Pick),
    /// A broken stream.
    Broken(TurnId),
}

/// An open text: its subject, tab and revision.
pub type Read = (Subject, Tab, Option<Rev>);

/// Inputs of a document: subject, tab, event, width, bytes streamed, whether rows are short.
pub type DocumentKey = (Option<Subject>, Tab, Seq, u16, u64, bool);

/// The inspector.
#[derive(Debug, Clone, Default)]
pub struct Inspector {
    /// The tab chosen for rows of the graph.
    pub graph_tab: Tab,
    /// The tab chosen for what waits or is in the queue; none for the arguments while a call waits, and its content after
    /// that.
    pub queue_tab: Option<Tab>,
    /// The current tab: the chosen one, if the subject has it.
    pub tab: Tab,
    /// First row on screen.
    pub top: usize,
    /// Whether it follows the end of a stream; none without a stream.
    pub follows: Option<bool>,
    /// Number of the newest item shown in a paged list; none for the newest that exists.
    pub upto: Option<usize>,
    /// Search in the text.
    pub seek: Option<Seek>,
    /// True to show the raw bytes of tool output as marks instead of colours.
    pub bytes: bool,
    /// True to show decisions as exact bytes.
    pub exact: bool,
    /// The same when the subject was opened.
    pub exact_first: bool,
    /// Its subject.
    pub subject: Option<Subject>,
    /// The open text, if its position can be restored.
    pub read: Option<Read>,
    /// First rows of the texts read before, the newest last.
    places: VecDeque<(Read, usize)>,
    /// The document.
    pub doc: Doc,
    /// Cached rows.
    pub cache: Cache,
    /// Inputs of the document.
    pub made: Option<DocumentKey>,
    /// True where rows are short: a difference has fewer unchanged lines around each change.
    pub tight: bool,
    /// The last document that was made where rows were not short, and its rows.
    pub roomy: Option<(DocumentKey, usize)>,
}

impl Inspector {
    /// Takes the work requested since the last call.
    pub fn take_work(&mut self) -> Vec<Work> {
        self.cache.take_work()
    }

    /// Chooses a tab for the pane that the inspector follows.
    pub fn choose(&mut self, tab: Tab, lead: Pane) {
        if lead == Pane::QUEUE {
            self.queue_tab = Some(tab);
        } else {
            self.graph_tab = tab;
        }
    }

    /// Shows what an entry of the queue asks.
    pub const fn ask(&mut self) {
        self.queue_tab = None;
    }

    /// Opens another text at its last position, and stores the position of the current one.
    pub fn turn_to(&mut self, read: Option<Read>) {
        if let Some(before) = self.read.take() {
            self.places.retain(|(known, _)| *known != before);
            self.places.push_back((before, self.top));
            if self.places.len() > PLACES {
                self.places.pop_front();
            }
        }
        self.read = read;
        if let Some(seek) = &mut self.seek {
            seek.found = None;
        }
        let known = self.places.iter().find(|(known, _)| Some(*known) == read);
        self.top = known.map_or(0, |(_, top)| *top);
    }

    /// The next or previous tab that the subject has.
    pub fn next_tab(&self, back: bool) -> Tab {
        let mut tab = self.tab;
        for _ in Tab::ALL {
            tab = tab.neighbour(back);
            if has(self.subject, tab) {
                break;
            }
        }
        tab
    }

    /// The tabs in a title line of this width. If not all fit, the part with the current one.
    pub fn bar(&self, width: u16, (left, right): (char, char)) -> TabBar {
        let tabs: Vec<Tab> = Tab::ALL
            .into_iter()
            .filter(|tab| has(self.subject, *tab))
            .collect();
        let wide = |tab: &Tab| tab.label().len() as u16 + 2;
        let note = self.note();
        let end = width.saturating_sub(POSITION + note.len() as u16);
        let at = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let mark = format!(" {left} {}/{} {right} ", at + 1, tabs.len());
        let fits = tabs.iter().map(wide).sum::<u16>() < end;
        let room = if fits { 0 } else { mark.chars().count() as u16 };
        let mut bar = TabBar::default();
        let mut x = 1;
        for (no, tab) in tabs.iter().enumerate() {
            if x > 1 && x + wide(tab) + room > end {
                if no > at {
                    break;
                }
                // The current tab is further right.
                bar.tabs.clear();
                x = 1;
            }
            let words = match tab {
                tab if *tab == self.tab => format!("[{}]", tab.label()),
                tab => format!(" {} ", tab.label()),
            };
            bar.tabs.push((*tab, x, words));
            x += wide(tab);
        }
        if !fits && x + room <= width {
            bar.mark = Some((x, mark));
            x += room;
        }
        bar.note = (!note.is_empty()).then_some((x, note));
        bar
    }

    /// The tab to show for a subject.
    pub fn tab_for(&self, subject: Option<Subject>, lead: Pane, state: &State) -> Tab {
        let waits = waits(subject, state);
        let asked = if waits { Tab::Arguments } else { Tab::Content };
        let chosen = if lead == Pane::QUEUE || waits {
            self.queue_tab.unwrap_or(asked)
        } else {
            self.graph_tab
        };
        if has(subject, chosen) {
            chosen
        } else {
            Tab::Content
        }
    }

    /// A note if it does not follow a stream.
    const fn note(&self) -> &'static str {
        match self.follows {
            None => "",
            Some(true) => " following ",
            // At its end it follows again, as a pager does.
            Some(false) => " not following ",
        }
    }

    /// True if the last row is on a screen of `height` rows.
    pub fn is_at_end(&self, height: usize) -> bool {
        self.shown(height).end >= self.doc.rows()
    }

    /// Rows that scroll on a screen of `height` rows.
    pub fn room(&self, height: usize) -> usize {
        height.saturating_sub(self.doc.head_rows(self.first_row(), height))
    }

    /// Minimum number of rows that scroll, at any position.
    pub fn least_room(&self, height: usize) -> usize {
        height.saturating_sub(self.doc.head_rows(usize::MAX, height))
    }

    /// The rows of the document on a screen of `height` rows.
    pub fn shown(&self, height: usize) -> Range<usize> {
        self.doc.shown(self.first_row(), height)
    }

    /// The first row that is drawn.
    pub const fn first_row(&self) -> usize {
        if self.doc.is_waiting() { 0 } else { self.top }
    }

    /// Keeps the scroll position within the document.
    pub fn scroll(&mut self, height: usize) {
        // A long text keeps its position while it is laid out at another width.
        if self.doc.is_waiting() {
            return;
        }
        self.top = self.top.min(self.doc.last_top(height));
    }
}

/// True for a call that waits for the operator.
pub(crate) fn waits(subject: Option<Subject>, state: &State) -> bool {
    let Some(Subject::Pick(Pick::Node(id))) = subject else {
        return false;
    };
    let is_active = state.node(id.call()).is_some_and(|node| node.active);
    state
        .call(id.call())
        .is_some_and(|call| is_active && call.status.needs_operator())
}

/// Whether a subject has a tab.
fn has(subject: Option<Subject>, tab: Tab) -> bool {
    match subject {
        Some(Subject::Pick(Pick::Node(id))) => {
            let of_calls = matches!(tab, Tab::Arguments | Tab::Attempts);
            !of_calls || id.call().kind == NodeKind::Call
        }
        // A stream has only content.
        _ => tab == Tab::Content,
    }
}
