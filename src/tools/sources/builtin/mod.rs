//! The built-in tools.
//!
//! Must not know: scheduling, approvals, the model.

mod ask_operator;
pub(crate) mod common;
mod delegate;
mod edit_file;
mod final_answer;
pub(crate) mod http_request;
mod ignored;
mod list_dir;
mod read_file;
mod search;
mod set;
pub(crate) mod shell;
mod walk;
mod write_file;

#[cfg(test)]
mod tests;

pub use set::{Setup, all, edit_file, names, source, write_file};
