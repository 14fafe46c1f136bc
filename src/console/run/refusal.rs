//! Why the console does not carry out a verb, and what to do instead.
//!
//! Must not know: verbs, keys, the model.

use overrule_domain::id::{NodeId, TurnId};

/// A command is on its way.
pub const SENT: &str = "Already sent, waiting for a reply";

/// A text is being laid out.
pub const LOADING: &str = "Loading text…";

/// A question is about something else.
pub const NOT_ABOUT_CALL: &str = "This is not about a call";

/// No frame has shown the arguments of a call.
pub const ARGUMENTS_UNSEEN: &str = "Its arguments are not on screen";

/// No frame has shown the new preview.
pub const PREVIEW_UNSEEN: &str = "The preview just changed. Read it first";

/// Message for a queue that nothing can decide.
pub const UNDECIDABLE: &str = "halted: nothing can be decided";

/// What a caller decides by. The operator reads the text alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The verb has no target now, or its target does not allow it.
    State,
    /// What the verb decides was not on screen: not at all, not whole, or for too short a time.
    Unseen,
    /// A second press carries the verb out.
    Confirmation,
    /// The domain, the policy, the resilience or a typed text gave the reason.
    Outside,
}

/// Why a verb is not carried out. Its text is a state, then the next step with its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    kind: RefusalKind,
    text: String,
}

impl Refusal {
    fn of(kind: RefusalKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { kind, text }
    }

    /// A refusal because of what is selected, open or recorded.
    pub fn new(text: impl Into<String>) -> Self {
        Self::of(RefusalKind::State, text)
    }

    /// A refusal because something was not read.
    pub fn unseen(text: impl Into<String>) -> Self {
        Self::of(RefusalKind::Unseen, text)
    }

    /// A request for a second press.
    pub fn confirmation(text: impl Into<String>) -> Self {
        Self::of(RefusalKind::Confirmation, text)
    }

    /// A reason from outside of the console.
    pub fn outside(text: impl Into<String>) -> Self {
        Self::of(RefusalKind::Outside, text)
    }

    /// What a caller decides by.
    pub const fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// The cursor is on no such row: `node`, `call`, `branch`.
    pub fn not_selected(row: &str) -> Self {
        Self::new(format!("No {row} selected"))
    }

    /// The cursor of a lower pane is on no such row.
    pub fn not_under_cursor(row: &str) -> Self {
        Self::new(format!("Put the cursor on a {row} first"))
    }

    /// The subject of a row is gone.
    pub fn removed(row: &str) -> Self {
        Self::new(format!("The {row} no longer exists"))
    }

    /// The verb acts on a surface that is not on top: `The question`.
    pub fn not_open(surface: &str) -> Self {
        Self::new(format!("{surface} is not open"))
    }

    /// The run has no such node.
    pub fn not_found(node: NodeId) -> Self {
        Self::new(format!("{node} does not exist"))
    }

    /// The node is of another kind.
    pub fn not_call(node: NodeId) -> Self {
        Self::new(format!("{node} is not a call"))
    }

    /// The call has no digest yet.
    pub fn not_ready(call: NodeId) -> Self {
        Self::new(format!("{call} is not ready yet"))
    }

    /// Another branch is active, or an edit of the turn is open.
    pub fn inactive(turn: TurnId) -> Self {
        Self::new(format!(
            "{turn} is superseded or suspended. Choose an active turn"
        ))
    }

    /// The stream of the turn broke. `keys` open the choices.
    pub fn broken(turn: TurnId, keys: &str) -> Self {
        Self::new(format!("The stream of {turn} broke. {keys} shows the choices"))
    }

    /// What is typed or previewed changes no node, so it does not allow `what`: `stage`.
    pub fn no_edit(what: &str) -> Self {
        Self::new(format!("Cannot {what}: this is not an edit of the graph"))
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.text
    }
}
