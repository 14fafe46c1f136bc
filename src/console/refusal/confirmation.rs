//! Asks for a second press before something that cannot be undone, or that was not on screen.
//!
//! Must not know: how presses are counted.

use overrule_base::text::visible;
use overrule_domain::id::{NodeId, Seq};

/// What a second press does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Confirmation {
    /// The question is on screen only now.
    #[error("Now on {call}. Press {key} again{}", describe_next(next.as_ref()))]
    NowShown {
        /// The call.
        call: NodeId,
        /// The key.
        key: String,
        /// What it does then.
        next: Option<&'static str>,
    },
    /// There was no list to approve.
    #[error("Nothing approved: there was no list. {key} again approves {call} alone")]
    NoList {
        /// The key.
        key: String,
        /// The selected call.
        call: NodeId,
    },
    /// Removes a rule.
    #[error("{key} again removes rule {no}")]
    DropRule {
        /// The key.
        key: String,
        /// The number of the rule.
        no: u32,
    },
    /// Drops the staged edits.
    #[error("{key} again drops {}{then}. {} committed", describe_edits(*edits), if *edits == 1 { "It was not" } else { "None was" })]
    DropEdits {
        /// The key.
        key: String,
        /// How many.
        edits: usize,
        /// The calls that run then, as a clause.
        then: String,
    },
    /// Ends a server.
    #[error(
        "{key} again ends {} until the run is resumed; its tools are no longer offered",
        visible(server)
    )]
    RefuseServer {
        /// The key.
        key: String,
        /// The server.
        server: String,
    },
    /// Records that an execution did not happen.
    #[error("{key} again confirms: {seq} of {call} did not happen")]
    DidNotHappen {
        /// The key.
        key: String,
        /// The execution.
        seq: Seq,
        /// Its call.
        call: NodeId,
    },
}

fn describe_next(next: Option<&&'static str>) -> String {
    next.map(|next| format!(" to {next}")).unwrap_or_default()
}

fn describe_edits(edits: usize) -> String {
    match edits {
        1 => "the edit".to_owned(),
        count => format!("all {count} edits"),
    }
}
