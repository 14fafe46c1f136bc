//! Sends requests over HTTP, once for all wire formats.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

mod access;
mod authorities;
pub mod body;
pub mod client;
pub mod compression;
pub(super) mod connect;
pub mod exchange;
mod incoming;

pub use access::{Access, Proxy};
pub use authorities::Authorities;
pub use client::{Client, Patience};
pub use connect::{Error, is_loopback, is_usable_proxy, pass_through, unpacker};
pub use exchange::Recording;
