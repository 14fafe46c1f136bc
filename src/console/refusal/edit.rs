//! Refuses an edit, or a verb on branches.
//!
//! Must not know: how an edit is made.

use overrule_domain::id::{Epoch, NodeId};

/// Why nothing is edited, staged, copied or switched to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditRefusal {
    /// The program wrote the node.
    #[error("Cannot edit {node}: it is a {kind}")]
    Kind {
        /// The node.
        node: NodeId,
        /// Its kind.
        kind: &'static str,
    },
    /// What is typed or previewed changes no node.
    #[error("Cannot {0}: this is not an edit of the graph")]
    NoEdit(&'static str),
    /// The preview has all staged edits.
    #[error("Already staged. {key} commits them")]
    AlreadyStaged {
        /// The key that commits.
        key: String,
    },
    /// The run changed where the edit was made.
    #[error("{why}. {key} removes the edit")]
    Moved {
        /// What changed.
        why: String,
        /// The key that removes the staged edit.
        key: String,
    },
    /// The staged edits would be lost.
    #[error("Commit or remove your staged edits first. {key} shows them")]
    Unfinished {
        /// The key that lists them.
        key: String,
    },
    /// The branch is active.
    #[error("Branch {} is already the current branch", .0.0)]
    CurrentBranch(Epoch),
    /// The first branch has no name of its own.
    #[error("Cannot name the first branch: it is the run. `title` names the session")]
    FirstBranch,
    /// The call did not end on the branch.
    #[error("Cannot copy {node}: no result on branch {}. Choose another branch", branch.0)]
    NoResultOnBranch {
        /// The call.
        node: NodeId,
        /// The branch.
        branch: Epoch,
    },
    /// Another edit replaced the node on the branch.
    #[error("Cannot copy {node}: not active on branch {}. Choose another branch", branch.0)]
    NotActiveOnBranch {
        /// The node.
        node: NodeId,
        /// The branch.
        branch: Epoch,
    },
    /// A comparison needs two branches.
    #[error("Cannot compare a branch with itself. Choose another or mark one with {key}")]
    SameBranch {
        /// The key that marks one.
        key: String,
    },
}
