//! What a row of a pane or a list is about.
//!
//! Must not know: which rows there are.

use std::hash::{DefaultHasher, Hash, Hasher};

use overrule_domain::breaker::Scope;
use overrule_domain::escape::Detector;
use overrule_domain::files::FilePath;
use overrule_domain::id::{Epoch, NodeId, Seq};
use overrule_resilience::routing::Row as Weight;

/// Target of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// No target.
    #[default]
    Nothing,
    /// A node.
    Node(NodeId),
    /// A branch.
    Branch(Epoch),
    /// The limits of the run.
    Limits,
    /// The weight of a tool for a kind of task.
    Weight(NameHash),
    /// A breaker.
    Breaker(NameHash),
    /// A detector of repetition.
    Detector(Detector),
    /// A server of tools.
    Server(NameHash),
    /// A staged edit, by its number.
    Edit(u64),
    /// An execution, by the event that began it.
    Effect(Seq),
    /// A rule of the session, by its number.
    Rule(u32),
    /// A change of files, by the event that recorded it.
    Changed(Seq),
}

/// Identifies something by a hash of its name. Its index is no identity, as rows can be inserted
/// between a frame and a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameHash(u64);

impl NameHash {
    fn of(name: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// A weight.
    pub fn weight(row: &Weight) -> Self {
        Self::of((&row.tool, &row.kind))
    }

    /// A server of tools.
    pub fn server(name: &str) -> Self {
        Self::of(("server", name))
    }

    /// A path of the workspace.
    pub fn path(path: &FilePath) -> Self {
        Self::of(("path", path.bytes()))
    }

    /// A breaker.
    pub fn breaker(scope: &Scope) -> Self {
        Self::of(scope.to_string())
    }
}
