//! The inspector: everything about what is under the cursor, in tabs.
//!
//! Must not know: how a tab is put together.

use std::collections::VecDeque;
use std::ops::Range;

use crate::console::doc::{Cache, Doc};
use crate::console::model::graph::Pick;
use crate::console::model::screen::Pane;
use crate::console::model::seek::Seek;
use crate::console::work::Work;
use crate::domain::id::{NodeKind, Rev, Seq, TurnId};

/// A tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// What it says, for reading.
    #[default]
    Content,
    /// The exact arguments; for a call that waits, the decision frame.
    Arguments,
    /// Revisions and their differences.
    Revisions,
    /// What the model saw.
    Context,
    /// What it hangs on, what hangs on it.
    Depends,
    /// Executions, decisions, ledger.
    Attempts,
    /// The bytes of the request that it came from.
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

/// The tabs in the title line of the inspector: in one order, each in one place, whichever is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TabBar {
    /// Those on the line, each with its first column and its words.
    pub tabs: Vec<(Tab, u16, String)>,
    /// Where not all of them fit: which of how many is shown, and its first column.
    pub mark: Option<(u16, String)>,
    /// What else is to be said, and its first column.
    pub note: Option<(u16, &'static str)>,
}

/// Columns at the end of the title line that tell which rows are on screen.
const POSITION: u16 = 14;
/// What was read of texts other than the one that is shown: how many places are kept.
const PLACES: usize = 32;

/// What the inspector shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A row of the graph.
    Pick(Pick),
    /// A broken stream.
    Broken(TurnId),
}

/// A text that is read: what it is about, the tab, the revision of its node.
pub type Read = (Subject, Tab, Option<Rev>);

/// What a document was made of: what it is about, the tab, the run, the width, bytes streamed.
pub type DocumentKey = (Option<Subject>, Tab, Seq, u16, u64);

/// The inspector.
#[derive(Debug, Clone, Default)]
pub struct Inspector {
    /// The tab chosen for rows of the graph.
    pub graph_tab: Tab,
    /// The tab chosen for the entry of the queue; a new entry begins with its arguments.
    pub queue_tab: Tab,
    /// The tab that is shown: the chosen one, where what is shown has it.
    pub tab: Tab,
    /// First row on screen.
    pub top: usize,
    /// Whether it goes on with the end of what streams; none where nothing does.
    pub follows: Option<bool>,
    /// Of what it shows a few at a time: the number of the newest that is shown; none for the newest that there is.
    pub upto: Option<usize>,
    /// What is looked for in it.
    pub seek: Option<Seek>,
    /// True where the output of tools is shown with its bytes as marks instead of in colours.
    pub bytes: bool,
    /// What it shows.
    pub subject: Option<Subject>,
    /// The text that is read, where one can come back to it.
    pub read: Option<Read>,
    /// The first rows of the texts that were read before, the newest last.
    places: VecDeque<(Read, usize)>,
    /// The document.
    pub doc: Doc,
    /// Rows made before.
    pub cache: Cache,
    /// What the document was made of: run, width, bytes streamed.
    pub made: Option<DocumentKey>,
}

impl Inspector {
    /// What is to be worked out since this was asked last.
    pub fn take_work(&mut self) -> Vec<Work> {
        self.cache.take_work()
    }

    /// Chooses a tab for the pane that the inspector follows.
    pub fn choose(&mut self, tab: Tab, lead: Pane) {
        match lead {
            Pane::Queue => self.queue_tab = tab,
            _ => self.graph_tab = tab,
        }
    }

    /// Goes over to another text, at the place at which it was left; keeps that of the one before.
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

    /// The next tab that the subject has, or the one before.
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

    /// The tabs in a title line of so many columns. Where there is not room for all of them it shows the part with
    /// the shown one.
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
                // The shown one is further on.
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
    pub fn tab_for(&self, subject: Option<Subject>, lead: Pane) -> Tab {
        let chosen = match lead {
            Pane::Queue => self.queue_tab,
            _ => self.graph_tab,
        };
        if has(subject, chosen) {
            chosen
        } else {
            Tab::Content
        }
    }

    /// Whether it follows what streams.
    const fn note(&self) -> &'static str {
        match self.follows {
            None => "",
            Some(true) => " following ",
            // At its end it follows again, as a pager does.
            Some(false) => " not following ",
        }
    }

    /// True where the last row is on a screen of so many.
    pub fn is_at_end(&self, height: usize) -> bool {
        self.shown(height).end >= self.doc.rows()
    }

    /// Rows of a screen of so many that scroll.
    pub fn room(&self, height: usize) -> usize {
        height.saturating_sub(self.doc.head_rows(self.first_row(), height))
    }

    /// Rows that scroll in any case, however far down.
    pub fn least_room(&self, height: usize) -> usize {
        height.saturating_sub(self.doc.head_rows(usize::MAX, height))
    }

    /// The rows of the document that are on a screen of so many.
    pub fn shown(&self, height: usize) -> Range<usize> {
        self.doc.shown(self.first_row(), height)
    }

    /// The first row that is drawn.
    pub const fn first_row(&self) -> usize {
        if self.doc.is_waiting() { 0 } else { self.top }
    }

    /// Rows that the view can be scrolled down to.
    pub fn scroll(&mut self, height: usize) {
        // Who reads a long text at another width goes on where they were once it is laid out.
        if self.doc.is_waiting() {
            return;
        }
        self.top = self.top.min(self.doc.last_top(height));
    }
}

/// Whether there is anything about a subject in a tab.
fn has(subject: Option<Subject>, tab: Tab) -> bool {
    match subject {
        Some(Subject::Pick(Pick::Node(id))) => {
            let of_calls = matches!(tab, Tab::Arguments | Tab::Attempts);
            !of_calls || id.call().kind == NodeKind::Call
        }
        // A stream says one thing.
        _ => tab == Tab::Content,
    }
}
