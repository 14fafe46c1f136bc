//! Where a call starts: in the sandbox or outside of it.
//!
//! Must not know: who decides about it, how a child is confined.

use super::{Profile, outside};

/// Where a call starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Placement {
    /// Nothing confines it: its tool is not confined, or the run has no sandbox.
    #[default]
    Unconfined,
    /// It would be confined, and asks to run outside of the sandbox.
    Outside,
    /// In a sandbox with a guarantee missing.
    Partial,
    /// In a sandbox with every guarantee that is about files and the network.
    Full,
}

impl Placement {
    /// Returns true for a call that starts in the sandbox.
    pub const fn is_inside(self) -> bool {
        matches!(self, Self::Partial | Self::Full)
    }
}

impl Profile {
    /// Returns where a call with these arguments starts, given whether the children of its tool are confined.
    pub fn placement(&self, is_confined: bool, args: &str) -> Placement {
        if !is_confined || !self.confines() {
            Placement::Unconfined
        } else if outside(args).is_some() {
            Placement::Outside
        } else if self.is_full() {
            Placement::Full
        } else {
            Placement::Partial
        }
    }
}
