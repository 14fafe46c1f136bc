//! The contexts of keys, and which contexts apply in each place.
//!
//! Must not know: what a key does.

use super::panes::{self, Pane};

/// The contexts of overlays.
const OVERLAYS: [Context; 21] = [
    Context::Editor,
    Context::Line,
    Context::List,
    Context::Page,
    Context::Attention,
    Context::Review,
    Context::StagedEdits,
    Context::Branches,
    Context::Compare,
    Context::Effects,
    Context::Bulk,
    Context::Rule,
    Context::Rules,
    Context::Fork,
    Context::Consent,
    Context::UnknownOutcome,
    Context::Classify,
    Context::Broken,
    Context::Definitions,
    Context::Confirm,
    Context::Leave,
];

/// The place that receives keys: a pane, or the topmost overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// Everywhere.
    Always,
    /// Every pane.
    Panes,
    /// Every pane of a recorded run.
    Replay,
    /// One pane.
    Pane(Pane),
    /// An editor of several lines.
    Editor,
    /// One line of text.
    Line,
    /// A list that is filtered by typing.
    List,
    /// Text to read: help, a refusal.
    Page,
    /// The page on why the run needs the operator.
    Attention,
    /// The preview of an edit.
    Review,
    /// The staged edits.
    StagedEdits,
    /// The branches.
    Branches,
    /// Two branches side by side.
    Compare,
    /// The list of effects.
    Effects,
    /// The list of calls to approve together.
    Bulk,
    /// The preview of a rule of the session.
    Rule,
    /// The rules of the session.
    Rules,
    /// The preview of a fork.
    Fork,
    /// A repeated effect.
    Consent,
    /// An execution with an unknown outcome.
    UnknownOutcome,
    /// The class of an error.
    Classify,
    /// A stream that broke.
    Broken,
    /// Changed definitions of a server of tools.
    Definitions,
    /// The confirmation of an emergency stop.
    Confirm,
    /// The question before quitting while something runs.
    Leave,
}

impl Context {
    /// Every context.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let panes = panes::ALL.iter().map(|pane| Self::Pane(*pane));
        [Self::Always, Self::Panes, Self::Replay]
            .into_iter()
            .chain(panes)
            .chain(OVERLAYS)
    }

    /// The contexts whose keys work here, the nearest first.
    pub fn reach(self) -> impl Iterator<Item = Self> + Clone {
        let (own, wider): (_, &[Self]) = match self {
            Self::Always | Self::Panes | Self::Replay => (None, &[]),
            Self::Pane(_) => (Some(self), &[Self::Panes, Self::Replay, Self::Always]),
            _ => (Some(self), &[Self::Always]),
        };
        own.into_iter().chain(wider.iter().copied())
    }

    /// True if keys of the other context work here.
    pub fn reaches(self, other: Self) -> bool {
        self.reach().any(|one| one == other)
    }

    /// True for a text field. No key decides anything there.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Editor | Self::Line | Self::List)
    }

    /// Where its keys work, as part of a sentence.
    pub fn place(self) -> String {
        match self {
            Self::Always => "everywhere".to_owned(),
            Self::Panes => "in every pane".to_owned(),
            Self::Replay => "in a recorded run".to_owned(),
            Self::Attention => "on the page on why the run waits".to_owned(),
            Self::Branches | Self::Effects | Self::Rules | Self::StagedEdits => {
                format!("in the list of {}", self.heading())
            }
            Self::Bulk => "in the list of calls to approve".to_owned(),
            Self::Consent | Self::UnknownOutcome | Self::Classify | Self::Broken | Self::Definitions => {
                format!("in the question about: {}", self.heading())
            }
            Self::Fork => "in the question before a fork".to_owned(),
            Self::Leave => "in the question before quitting".to_owned(),
            _ => format!("in the {}", self.heading()),
        }
    }

    /// The heading of its section in help.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Always => "everywhere",
            Self::Panes => "any pane",
            Self::Replay => "replay",
            Self::Pane(pane) => pane.heading(),
            Self::Editor => "editor",
            Self::Line => "one-line input",
            Self::List => "list",
            Self::Page => "page",
            Self::Attention => "why the run waits",
            Self::Review => "impact preview",
            Self::StagedEdits => "staged edits",
            Self::Branches => "branches",
            Self::Compare => "comparison",
            Self::Effects => "orphaned effects",
            Self::Bulk => "approve all",
            Self::Rule => "rule preview",
            Self::Rules => "rules of the session",
            Self::Fork => "fork",
            Self::Consent => "repeated effect",
            Self::UnknownOutcome => "outcome unknown",
            Self::Classify => "class of an error",
            Self::Broken => "broken stream",
            Self::Definitions => "changed definitions",
            Self::Confirm => "emergency stop",
            Self::Leave => "quit",
        }
    }
}
