//! The contexts of keys, and which contexts apply in each place.
//!
//! Must not know: what a key does.

/// The place that receives keys: a pane, or the topmost overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// Everywhere.
    Always,
    /// Every pane.
    Panes,
    /// Every pane of a recorded run.
    Replay,
    /// The graph.
    Graph,
    /// The queue.
    Queue,
    /// The inspector.
    Inspector,
    /// The log.
    Log,
    /// The state.
    State,
    /// The branch pane.
    BranchPane,
    /// The budget.
    Budget,
    /// The health of the tools.
    Health,
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
    /// The confirmation of an emergency stop.
    Confirm,
    /// The question before quitting while something runs.
    Leave,
}

impl Context {
    /// Every context, for checks.
    pub const ALL: [Self; 31] = [
        Self::Always,
        Self::Panes,
        Self::Replay,
        Self::Graph,
        Self::Queue,
        Self::Inspector,
        Self::Log,
        Self::State,
        Self::BranchPane,
        Self::Budget,
        Self::Health,
        Self::Editor,
        Self::Line,
        Self::List,
        Self::Page,
        Self::Attention,
        Self::Review,
        Self::StagedEdits,
        Self::Branches,
        Self::Compare,
        Self::Effects,
        Self::Bulk,
        Self::Rule,
        Self::Rules,
        Self::Fork,
        Self::Consent,
        Self::UnknownOutcome,
        Self::Classify,
        Self::Broken,
        Self::Confirm,
        Self::Leave,
    ];

    /// The contexts whose keys work here, the nearest first.
    pub const fn reach(self) -> &'static [Self] {
        match self {
            Self::Graph => &[Self::Graph, Self::Panes, Self::Replay, Self::Always],
            Self::Queue => &[Self::Queue, Self::Panes, Self::Replay, Self::Always],
            Self::Inspector => &[Self::Inspector, Self::Panes, Self::Replay, Self::Always],
            Self::Log => &[Self::Log, Self::Panes, Self::Replay, Self::Always],
            Self::State => &[Self::State, Self::Panes, Self::Replay, Self::Always],
            Self::BranchPane => &[Self::BranchPane, Self::Panes, Self::Replay, Self::Always],
            Self::Budget => &[Self::Budget, Self::Panes, Self::Replay, Self::Always],
            Self::Health => &[Self::Health, Self::Panes, Self::Replay, Self::Always],
            Self::Editor => &[Self::Editor, Self::Always],
            Self::Line => &[Self::Line, Self::Always],
            Self::List => &[Self::List, Self::Always],
            Self::Page => &[Self::Page, Self::Always],
            Self::Attention => &[Self::Attention, Self::Always],
            Self::Review => &[Self::Review, Self::Always],
            Self::StagedEdits => &[Self::StagedEdits, Self::Always],
            Self::Branches => &[Self::Branches, Self::Always],
            Self::Compare => &[Self::Compare, Self::Always],
            Self::Effects => &[Self::Effects, Self::Always],
            Self::Bulk => &[Self::Bulk, Self::Always],
            Self::Rule => &[Self::Rule, Self::Always],
            Self::Rules => &[Self::Rules, Self::Always],
            Self::Fork => &[Self::Fork, Self::Always],
            Self::Consent => &[Self::Consent, Self::Always],
            Self::UnknownOutcome => &[Self::UnknownOutcome, Self::Always],
            Self::Classify => &[Self::Classify, Self::Always],
            Self::Broken => &[Self::Broken, Self::Always],
            Self::Confirm => &[Self::Confirm, Self::Always],
            Self::Leave => &[Self::Leave, Self::Always],
            Self::Always | Self::Panes | Self::Replay => &[],
        }
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
            Self::Consent | Self::UnknownOutcome | Self::Classify | Self::Broken => {
                format!("in the question about: {}", self.heading())
            }
            Self::Fork => "in the question before a fork".to_owned(),
            Self::Leave => "in the question before quitting".to_owned(),
            _ => format!("in the {}", self.heading()),
        }
    }

    /// The heading of its section in help.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Always => "everywhere",
            Self::Panes => "any pane",
            Self::Replay => "replay",
            Self::Graph => "graph",
            Self::Queue => "queue",
            Self::Inspector => "inspector",
            Self::Log => "log",
            Self::State => "state",
            Self::BranchPane => "branch pane",
            Self::Budget => "budget",
            Self::Health => "health",
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
            Self::Confirm => "emergency stop",
            Self::Leave => "quit",
        }
    }
}
