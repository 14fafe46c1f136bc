//! What can be decided, exactly as it is shown.
//!
//! Must not know: how it is shown, what a decision does.

use std::sync::Arc;

use overrule_domain::call::Digest;
use overrule_domain::id::{NodeId, Rev, Seq, TurnId};

/// Something to decide, exactly as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// A call in the decision frame.
    Call {
        /// The call.
        call: NodeId,
        /// The revision.
        rev: Rev,
        /// Hash of what is shown.
        digest: Option<Digest>,
        /// Label of its status. A call with another kind of question needs a new decision.
        status: &'static str,
    },
    /// A call shown without the frame. It can be cancelled or run again.
    Seen {
        /// The call.
        call: NodeId,
        /// The revision.
        rev: Rev,
        /// Label of its status.
        status: &'static str,
    },
    /// A broken stream.
    Turn {
        /// The turn.
        turn: TurnId,
        /// The request that broke.
        request: u32,
    },
    /// The preview of an edit or of a restore, or a restore that was interrupted.
    Review {
        /// A number that changes with what it says.
        stamp: u64,
    },
    /// The list before approving several calls.
    Bulk {
        /// A number that changes with the list.
        stamp: u64,
    },
    /// An execution under the cursor of the effects list, whose outcome the operator reports.
    Effect {
        /// The event that began it.
        seq: Seq,
    },
    /// Changed definitions of a server of tools.
    Definitions {
        /// The server.
        server: Arc<str>,
        /// Hash of the definitions.
        hash: Arc<str>,
        /// The whole difference to the accepted ones.
        difference: Arc<str>,
    },
    /// The emergency stop.
    Stop,
    /// Question on quitting while calls run.
    Leave,
}
