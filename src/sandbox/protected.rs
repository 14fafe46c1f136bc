//! Finds the protected paths of a workspace, and undoes their changes.
//!
//! Must not know: how a kernel protects them.
