//! What applying an event needs of its envelope.
//!
//! Must not know: what an event changes.

use crate::envelope::Via;
use crate::id::Seq;

/// The parts of an envelope that applying an event needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub(super) seq: Seq,
    pub(super) utc_ms: i64,
    /// True for a decision of the operator.
    pub(super) by_person: bool,
    /// The interface that the operator used.
    pub(super) via: Option<Via>,
}
