//! Tools that the settings declare: a command or an HTTP request for each.
//!
//! Must not know: settings files, scheduling, approvals, the model.

mod command;
mod fill;
mod request;
mod setup;
mod tool;

#[cfg(test)]
mod tests;

pub use fill::{Pattern, has_dot_segment};
pub use setup::{Action, Body, Declaration, KeyPlace, Output, Request};
pub use tool::{source, tools};
