//! Sends requests over HTTP, once for all wire formats.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

pub mod body;
pub mod client;
pub(super) mod connect;

pub use client::{Client, Patience};
pub use connect::{Error, pass_through};
