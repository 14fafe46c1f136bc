//! The inspector: everything about what is under the cursor, in tabs.
//!
//! Must not know: how a tab is put together.

use crate::console::doc::{Cache, Doc};
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
}

impl Tab {
    /// Every tab, in order.
    pub const ALL: [Self; 6] = [
        Self::Content,
        Self::Arguments,
        Self::Revisions,
        Self::Context,
        Self::Depends,
        Self::Attempts,
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

/// What the inspector shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A row of the graph.
    Pick(Pick),
    /// A broken stream.
    Broken(TurnId),
}

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
    /// What it shows.
    pub subject: Option<Subject>,
    /// The document.
    pub doc: Doc,
    /// Rows made before.
    pub cache: Cache,
    /// What the document was made of: run, width, bytes streamed.
    pub made: Option<(Option<Subject>, Tab, Seq, u16, u64)>,
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

    /// The tab to show for a subject.
    pub fn tab_for(&self, subject: Option<Subject>, lead: Pane) -> Tab {
        let chosen = match lead {
            Pane::Queue => self.queue_tab,
            _ => self.graph_tab,
        };
        let is_call =
            matches!(subject, Some(Subject::Pick(Pick::Node(id))) if id.call().kind == NodeKind::Call);
        match chosen {
            Tab::Arguments | Tab::Attempts if !is_call => Tab::Content,
            chosen => chosen,
        }
    }

    /// Rows that the view can be scrolled down to.
    pub fn scroll(&mut self, height: usize) {
        self.top = self.top.min(self.doc.rows().saturating_sub(height));
    }
}
