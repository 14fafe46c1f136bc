//! Events about edits and what they invalidated.
//!
//! Must not know: how an edit is typed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::Digest;
use crate::id::{Epoch, NodeId, Rev, Seq, ThreadId, TurnId};
use crate::node::{Content, Origin};
use crate::repair::Reply;
use crate::turn::Usage;

/// Events about edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum EditEvent {
    /// An edit was committed; what follows until the next decision belongs to it.
    Committed {
        /// The new epoch.
        #[serde(default)]
        epoch: Epoch,
        /// The node that stands for it in the graph.
        intervention: NodeId,
        /// The node that was edited; none for an insertion at the tip.
        target: Option<NodeId>,
        /// The turn after which something is inserted; `None` for an edit of an existing node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<TurnId>,
        /// Description of the edit.
        what: Arc<str>,
        /// The operator's reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
        /// The rule of the engine that made it; none for an operator's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Arc<str>>,
    },
    /// A node has a new revision.
    Revised {
        /// The node.
        node: NodeId,
        /// Number of the new revision.
        #[serde(default)]
        rev: Rev,
        /// What.
        content: Content,
        /// Its author.
        origin: Origin,
        /// Hash of exactly what the edit of a call also approves; none where it approves nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approves: Option<Digest>,
    },
    /// An operator's observation: no execution may replace it.
    Pinned {
        /// The observation.
        node: NodeId,
    },
    /// Executions may replace it again.
    Unpinned {
        /// The observation.
        node: NodeId,
    },
    /// Calls that became stale: they keep their results until an input is known to differ.
    #[serde(alias = "suspected")]
    MarkedStale {
        /// The calls.
        #[serde(default)]
        calls: Vec<NodeId>,
    },
    /// Nodes that are superseded from here on.
    Superseded {
        /// The nodes.
        #[serde(default)]
        nodes: Vec<NodeId>,
    },
    /// Effects that happened under what an edit superseded.
    Orphaned {
        /// The executions.
        #[serde(default)]
        entries: Vec<Seq>,
    },
    /// An editor is open. These calls, and later ones that depend on the node, do not start until
    /// it closes.
    #[serde(alias = "held")]
    Suspended {
        /// The node that is edited.
        node: NodeId,
        /// The calls.
        #[serde(default)]
        calls: Vec<NodeId>,
    },
    /// Editors closed.
    Released {
        /// The node whose editor closed; all of them where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
    /// The new epoch continues from the end of an earlier one. What was active then is active
    /// again, and later nodes are superseded.
    Recalled {
        /// The epoch whose end it continues from.
        #[serde(default)]
        of: Epoch,
        /// What caused it.
        by: EpochOrigin,
    },
    /// Results are shortened for the model. Belongs to the commit before it, and counts for the turns after its `after`.
    Shortened {
        /// The calls whose results are shortened.
        #[serde(default)]
        calls: Vec<NodeId>,
    },
    /// Turns are left out for the model. Belongs to the commit before it, and counts for the turns after its `after`.
    LeftOut {
        /// The turns.
        #[serde(default)]
        turns: Vec<TurnId>,
        /// The summary that stands for them; none if nothing does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<Arc<str>>,
    },
    /// The model is asked for a summary of turns, which would then be left out.
    SummaryAsked {
        /// Their thread.
        #[serde(default)]
        thread: ThreadId,
        /// The turns.
        #[serde(default)]
        turns: Vec<TurnId>,
        /// The turn after which the summary would count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<TurnId>,
        /// Description of the edit.
        what: Arc<str>,
        /// The rule of the engine that asks; none for the operator.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Arc<str>>,
    },
    /// The request for a summary broke before an answer; it is made again after a wait.
    SummaryBroke {
        /// The event that asked.
        #[serde(default)]
        set: Seq,
        /// Counts the further requests of this question, from 1.
        #[serde(default)]
        no: u32,
        /// How many there may be.
        #[serde(default)]
        of: u32,
        /// Milliseconds to wait first.
        #[serde(default)]
        wait_ms: u64,
        /// How it broke.
        why: Arc<str>,
        /// What it cost.
        #[serde(default)]
        usage: Usage,
    },
    /// The model answered the question for a summary, or the question failed.
    SummaryAnswered {
        /// The event that asked.
        #[serde(default)]
        set: Seq,
        /// Its words.
        reply: Reply,
        /// What it cost.
        #[serde(default)]
        usage: Usage,
    },
    /// Corrections that no call has any longer.
    CorrectionsLost {
        /// The observations that they were written for.
        #[serde(default)]
        nodes: Vec<NodeId>,
    },
    /// The operator named an epoch.
    Named {
        /// Which.
        #[serde(default)]
        epoch: Epoch,
        /// The name; an empty one removes it.
        name: Arc<str>,
    },
}

/// By what an epoch began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpochOrigin {
    /// Edits.
    Edit,
    /// An edit was undone.
    Undo,
    /// An undone edit was redone.
    Redo,
    /// The operator chose another branch.
    Switch,
}
