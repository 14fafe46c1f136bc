//! The inspector: everything about what is under the cursor, in tabs.
//!
//! Must not know: how a tab is put together.

use std::ops::Range;

use regex::Regex;

use crate::console::doc::{Cache, Doc, Styled};
use crate::console::model::graph::Pick;
use crate::console::model::screen::Pane;
use crate::domain::id::{NodeKind, Seq, TurnId};

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
    pub const fn word(self) -> &'static str {
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

/// The tabs in the title line of the inspector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TabBar {
    /// Those beside the shown one, each with its first column and its words.
    pub others: Vec<(Tab, u16, String)>,
    /// Where not all of them fit: which of how many is shown, and its first column.
    pub mark: Option<(u16, String)>,
}

/// Columns at the end of the title line that tell which rows are on screen.
const POSITION: u16 = 14;

/// Rows of a screen below which the head of a decision takes one of them at most, and below which it takes none.
const LOW: [usize; 2] = [16, 4];
/// Rows that it takes elsewhere.
const HEAD: usize = 3;

/// Rows that the head of a decision takes at most of a screen of so many.
const fn most_head(height: usize) -> usize {
    let [low, lowest] = LOW;
    if height >= low {
        HEAD
    } else if height >= lowest {
        1
    } else {
        0
    }
}

/// What the inspector shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A row of the graph.
    Pick(Pick),
    /// A broken stream.
    Broken(TurnId),
}

/// Words that are looked for in what is read.
#[derive(Debug, Clone)]
pub struct Find {
    /// As they were typed.
    pub words: String,
    /// Finds them: small and capital letters alike where only small ones were typed.
    pub regex: Regex,
}

impl Find {
    /// Looks for these words; nothing where there are none.
    pub fn new(words: &str) -> Option<Self> {
        if words.is_empty() {
            return None;
        }
        let mut pattern = regex::escape(words);
        if !words.chars().any(char::is_uppercase) {
            pattern.insert_str(0, "(?i)");
        }
        let regex = Regex::new(&pattern).ok()?;
        Some(Self {
            words: words.to_owned(),
            regex,
        })
    }
}

/// What a document was made of: what it is about, the tab, the run, the width, bytes streamed.
pub type Made = (Option<Subject>, Tab, Seq, u16, u64);

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
    pub find: Option<Find>,
    /// The row in which it was found last.
    pub found: Option<usize>,
    /// True where the output of tools is shown with its bytes as marks instead of in colours.
    pub bytes: bool,
    /// What it shows.
    pub subject: Option<Subject>,
    /// The document.
    pub doc: Doc,
    /// Rows made before.
    pub cache: Cache,
    /// What the document was made of: run, width, bytes streamed.
    pub made: Option<Made>,
}

impl Inspector {
    /// Chooses a tab for the pane that the inspector follows.
    pub fn choose(&mut self, tab: Tab, lead: Pane) {
        match lead {
            Pane::Queue => self.queue_tab = tab,
            _ => self.graph_tab = tab,
        }
        self.top = 0;
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

    /// The tabs beside the shown one in a title line of so many columns, whose first `used` are taken.
    pub fn bar(&self, used: u16, width: u16, (left, right): (char, char)) -> TabBar {
        let others: Vec<(Tab, String)> = Tab::ALL
            .into_iter()
            .filter(|tab| *tab != self.tab)
            .map(|tab| (tab, format!(" {} ", tab.word())))
            .collect();
        let end = width.saturating_sub(POSITION);
        let all: usize = others.iter().map(|(_, words)| words.len()).sum();
        let fits = usize::from(used) + 1 + all <= usize::from(end);
        let at = Tab::ALL.iter().position(|tab| *tab == self.tab).unwrap_or(0) + 1;
        let mark = format!(" {left} {at}/{} {right} ", Tab::ALL.len());
        let room = if fits { 0 } else { mark.chars().count() as u16 };
        let mut bar = TabBar::default();
        let mut x = used + 1;
        for (tab, words) in others {
            let wide = words.len() as u16;
            if x + wide + room > end {
                break;
            }
            bar.others.push((tab, x, words));
            x += wide;
        }
        if !fits && x + room <= width {
            bar.mark = Some((x, mark));
        }
        bar
    }

    /// Whether there is anything in a tab about what is shown.
    pub fn has_tab(&self, tab: Tab) -> bool {
        has(self.subject, tab)
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

    /// The first words of its title line.
    pub fn title(&self) -> String {
        match self.follows {
            None => self.tab.word().to_owned(),
            Some(true) => format!("{}, following", self.tab.word()),
            // At its end it follows again, as a pager does.
            Some(false) => format!("{}, not following", self.tab.word()),
        }
    }

    /// True where the last row is on a screen of so many.
    pub fn is_at_end(&self, height: usize) -> bool {
        self.shown(height).end >= self.doc.rows()
    }

    /// The head of a decision that is scrolled out, as it stays at the top of a screen of so many rows.
    pub fn head(&self, height: usize) -> Vec<Styled> {
        self.doc.head(self.top, most_head(height))
    }

    /// Rows of a screen of so many that scroll.
    pub fn room(&self, height: usize) -> usize {
        height.saturating_sub(self.head_rows(self.top, height))
    }

    /// Rows that scroll in any case, however far down.
    pub fn least_room(&self, height: usize) -> usize {
        height.saturating_sub(self.head_rows(usize::MAX, height))
    }

    /// The rows of the document that are on a screen of so many.
    pub fn shown(&self, height: usize) -> Range<usize> {
        let end = (self.top + self.room(height)).min(self.doc.rows());
        self.top.min(end)..end
    }

    fn head_rows(&self, top: usize, height: usize) -> usize {
        self.doc.kept(top).count().min(most_head(height))
    }

    /// Rows that the view can be scrolled down to.
    pub fn scroll(&mut self, height: usize) {
        let last = |taken: usize| self.doc.rows().saturating_sub(height.saturating_sub(taken));
        let mut most = last(0);
        // With each row that the head takes the last rows are reached one later.
        for taken in 1..=most_head(height) {
            if self.head_rows(most, height) >= taken {
                most = last(taken);
            }
        }
        self.top = self.top.min(most);
    }
}

/// Whether there is anything about a subject in a tab.
fn has(subject: Option<Subject>, tab: Tab) -> bool {
    let is_call =
        || matches!(subject, Some(Subject::Pick(Pick::Node(id))) if id.call().kind == NodeKind::Call);
    !matches!(tab, Tab::Arguments | Tab::Attempts) || is_call()
}
