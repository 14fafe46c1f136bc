//! Speaks OpenAI Chat Completions.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

pub mod body;
pub mod client;
pub(in crate::model) mod connect;
pub mod decode;
pub mod encode;
mod known;
mod parts;
mod refusal;
mod reshape;
mod scan;
mod schema;
mod stray;
