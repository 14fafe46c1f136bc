//! Builds the views of a run: calls, plans, branches, effects, sessions and more, as typed values.
//!
//! Must not know: keys, panes, flags, where text goes, how a view is drawn.
//!
//! A view is computed from a state and borrows from it. Screen lines, shell text, JSON and exports are drawings of views.
//! `docs/json.md` describes the fields that programs read; a test compares it with the types.

pub mod alert;
pub mod audit;
pub mod branch;
pub mod branch_diff;
pub mod call;
pub mod conflict;
pub mod danger;
pub mod detached;
pub mod effect;
pub mod fork;
pub mod graph;
pub mod health;
pub mod loops;
pub mod metrics;
mod node_line;
pub mod output;
pub mod picture;
pub mod plan;
pub mod question;
pub mod queue;
pub mod ready_rule;
pub mod restore;
pub mod rule;
pub mod sandbox;
mod ser;
pub mod session;
pub mod setup;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod time;
pub mod tool;
pub mod weight;
mod words;

pub use output::json;
pub use words::{content_text, decision, failed, failing, in_cache, many, mode, outcome, revised, tokens};
