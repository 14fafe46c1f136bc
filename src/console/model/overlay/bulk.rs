//! The list of calls to approve together.
//!
//! Must not know: how it is drawn, who approves.

use std::collections::BTreeMap;

use crate::doc::{Doc, Styled};
use crate::model::seek::Seek;
use overrule_domain::bulk::Alone;
use overrule_domain::call::Digest;
use overrule_domain::id::{NodeId, Rev};

/// A call in a list of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkItem {
    /// The call.
    pub call: NodeId,
    /// The revision that is listed.
    pub rev: Rev,
    /// Hash of the arguments that would run.
    pub digest: Digest,
    /// Bytes of its arguments that are not listed.
    pub unread: u64,
    /// Why it is no longer approved. It stays in its row.
    pub left: Option<DropReason>,
    /// Its rows as shown; empty until then.
    pub rows: Vec<Styled>,
}

/// Why a call of a list is not approved with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// It no longer waits, or must not be approved together with others.
    Gone,
    /// It differs from what was listed.
    Changed,
}

impl DropReason {
    /// A word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Changed => "changed",
        }
    }
}

/// Calls to approve together: those that waited when the list was opened.
#[derive(Debug, Clone, Default)]
pub struct Bulk {
    /// The calls.
    pub items: Vec<BulkItem>,
    /// Number of newer calls that could be approved too and are not listed.
    pub more: usize,
    /// Calls that waited too when the list was opened, but are in no list.
    pub excluded: BTreeMap<Alone, Vec<NodeId>>,
    /// The list as rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Search in it.
    pub seek: Option<Seek>,
    /// Changes with the list.
    pub stamp: u64,
    /// Event and width that the rows were made for.
    pub made: Option<(overrule_domain::id::Seq, u16)>,
}

impl Bulk {
    /// The calls to approve: they wait as listed.
    pub fn approvable(&self) -> impl Iterator<Item = &BulkItem> {
        self.items.iter().filter(|item| item.left.is_none())
    }

    /// True if the list would differ if it were opened now.
    pub fn is_dated(&self) -> bool {
        self.more > 0 || self.items.iter().any(|item| item.left.is_some())
    }
}
