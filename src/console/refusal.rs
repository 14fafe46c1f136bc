//! Why the console does not carry out a verb, and what to do instead.
//!
//! Must not know: verbs, the model.

mod confirmation;
mod edit;
mod empty;
mod no_place;
mod no_target;
mod node_state;
mod unseen;

pub use confirmation::Confirmation;
pub use edit::EditRefusal;
pub use empty::{Empty, HALTED};
pub use no_place::NoPlace;
pub use no_target::{NoTarget, Part, Row};
pub use node_state::{NodeState, OtherKeys, TurnState};
pub use unseen::{NotShown, Unseen};

/// Why a verb is not carried out. Its text is a state, then the next step with its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The run is only read.
    #[error("Cannot change this run: it is recorded")]
    Recorded,
    /// The run is only read.
    #[error("Cannot decide: this run is recorded")]
    RecordedDecision,
    /// The run records nothing any more.
    #[error("halted, nothing recorded{}", key.as_ref().map(|key| format!(": {key} shows why")).unwrap_or_default())]
    Halted {
        /// The key of the page that says why; none where it does not work.
        key: Option<String>,
    },
    /// The run records nothing any more, and a text was typed.
    #[error("{}", halted_text(copy, editor.as_ref()))]
    HaltedText {
        /// The key that copies it.
        copy: String,
        /// For the text of an editor: the key that opens it in `$EDITOR`, and the one that stages it.
        editor: Option<(String, Option<String>)>,
    },
    /// The row under the cursor stands for several nodes.
    #[error("This row groups {several}. {key} unfolds it first")]
    Folded {
        /// The nodes, such as `3 calls`.
        several: String,
        /// The key that unfolds it.
        key: String,
    },
    /// The screen shows too little to decide.
    #[error("Cannot decide: the screen is smaller than 40 columns and 10 rows")]
    SmallScreen,
    /// It may be part of a paste.
    #[error("right after a paste")]
    AfterPaste,
    /// The command is on its way.
    #[error("Already sent, waiting for a reply")]
    Sent,
    /// The text is being laid out.
    #[error("Loading text…")]
    Loading,
    /// The question was not on screen, or not whole, or for too short a time.
    #[error(transparent)]
    Unseen(#[from] Unseen),
    /// The screen has nothing that the verb acts on.
    #[error(transparent)]
    NoTarget(#[from] NoTarget),
    /// The run has nothing that the verb acts on.
    #[error(transparent)]
    Empty(#[from] Empty),
    /// The node or its question does not allow it.
    #[error(transparent)]
    NodeState(#[from] NodeState),
    /// The turn does not allow it.
    #[error(transparent)]
    TurnState(#[from] TurnState),
    /// Nothing to edit, to stage or to switch to.
    #[error(transparent)]
    Edit(#[from] EditRefusal),
    /// There is no such place to go to, or nothing to show.
    #[error(transparent)]
    NoPlace(#[from] NoPlace),
    /// A second press is needed.
    #[error(transparent)]
    Confirmation(#[from] Confirmation),
    /// A reason that the domain, the policy, the resilience or a typed text gave.
    #[error("{0}")]
    Outside(String),
}

fn halted_text(copy: &str, editor: Option<&(String, Option<String>)>) -> String {
    let Some((external, stage)) = editor else {
        return format!("halted: this stays, but cannot be sent; {copy} copies it");
    };
    let stage = stage
        .as_ref()
        .map(|key| format!(", {key} stages it"))
        .unwrap_or_default();
    format!(
        "halted: the text stays, but cannot be sent; {copy} copies it, {external} opens it in $EDITOR, where it can be \
         saved{stage}"
    )
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.to_string()
    }
}
