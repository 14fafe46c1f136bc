//! Refuses to go to a place that does not exist, or to show what there is not.
//!
//! Must not know: how the console goes somewhere.

use overrule_base::text::visible;
use overrule_domain::id::{NodeId, TurnId};

/// Why the console cannot go there, or cannot show more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// The graph does not show the node.
    #[error("{0} has no row")]
    NoRow(NodeId),
    /// The graph does not show the turn.
    #[error("{0} has no row")]
    NoTurnRow(TurnId),
    /// No edge ends in the node.
    #[error("{0} has no parent")]
    NoParent(NodeId),
    /// No edge begins at the node.
    #[error("Nothing depends on {0}")]
    NoChild(NodeId),
    /// Only the selected node depends on it.
    #[error("Nothing else depends on {0}")]
    NoSibling(NodeId),
    /// No node failed.
    #[error("Nothing failed")]
    NoFailure,
    /// No node failed up to the shown event, but later ones did.
    #[error("Nothing failed up to this event. {key} goes to the next failure")]
    NoFailureYet {
        /// The key that goes to the next failure of the recording.
        key: String,
    },
    /// No node was edited.
    #[error("Nothing edited")]
    NoEdit,
    /// The graph does not have the text.
    #[error("Not found in the graph: `{0}`")]
    NoMatch(String),
    /// The run needs the operator, but for no call.
    #[error("No call to go to. {key} shows what helps")]
    NoCause {
        /// The key of the page that says why.
        key: String,
    },
    /// No text was searched.
    #[error("Nothing searched yet. {key} searches")]
    NoSearch {
        /// The key that searches.
        key: String,
    },
    /// The recording has no such event on this side.
    #[error("No {} {mark} in this recording", if *back { "earlier" } else { "later" })]
    NoMark {
        /// The kind of event.
        mark: &'static str,
        /// True before the shown event.
        back: bool,
    },
    /// The tab is shown whole.
    #[error("Older ones exist only in the tabs `revisions`, `context` and `wire`")]
    NoPages,
    /// The first or last entries are shown.
    #[error("No {} ones", if *back { "older" } else { "newer" })]
    NoMore {
        /// True for older ones.
        back: bool,
    },
    /// The readable form hides too much.
    #[error("The exact bytes are shown: the readable form would not tell everything")]
    ExactOnly,
    /// The shown text has one form.
    #[error("No colours in what the inspector shows")]
    NoColours,
    /// The server published what was accepted.
    #[error("Its definitions did not change")]
    SameDefinitions,
    /// The difference is shown by the command line alone.
    #[error(
        "The difference is too long for a page. `overrule tools accept {}` shows it",
        visible(server)
    )]
    LongDifference {
        /// The server.
        server: String,
    },
    /// The text is too long for the clipboard.
    #[error("Cannot copy {bytes} bytes: the limit is {limit}{}", if *saves { ". `save` in the palette writes it to a file" } else { "" })]
    Clipboard {
        /// The bytes of the text.
        bytes: usize,
        /// The most bytes.
        limit: usize,
        /// True if the text can be saved.
        saves: bool,
    },
}
