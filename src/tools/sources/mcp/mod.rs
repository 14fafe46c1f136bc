//! Tools of MCP servers.
//!
//! Must not know: scheduling, approvals, the model, settings files other than `.mcp.json`.
//!
//! A server is not trusted: what it says is checked, bounded and marked, and a broken server costs its own calls only.

mod about;
mod call;
mod confined;
mod current;
mod definition;
pub mod drift;
mod form;
mod frames;
mod handler;
mod http;
mod listing;
mod live;
mod log;
mod names;
mod pace;
pub mod pins;
mod progress;
mod questions;
mod reader;
mod redaction;
mod result;
mod sending;
mod server;
mod setup;
mod source;
mod spoken;
mod stdio;
mod told;
mod tool;
mod transport;
mod view;
mod whole;

pub use confined::OfRun;
pub use definition::Definition;
pub use setup::{BearerToken, Confinement, ServerConfig, Via};
pub use source::source;
pub use view::{ServerView, ToolView};
