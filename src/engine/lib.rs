//! Runs sessions: one loop that decides, records, applies and acts, in this order.
//!
//! Must not know: keys, themes, the terminal, flags.
//!
//! It owns time, ids, tasks and ordering.

pub mod advise;
pub mod approved;
pub mod approver;
pub mod clock;
pub mod driver;
pub mod executor;
pub mod halt;
pub mod handle;
mod held_workspace;
pub mod ids;
pub mod log;
mod model_request;
mod open_streams;
mod panic_guard;
pub mod prompt;
pub mod questions;
pub mod reader;
pub mod resume;
pub mod setup;
mod side_request;
pub mod stream;
pub mod tails;
mod tracked;

#[cfg(test)]
mod tests;

pub use driver::{Driver, Launch, Parts};
pub use handle::{Facts, Handle, Publication};
