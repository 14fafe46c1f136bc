//! The built-in tools.
//!
//! Must not know: scheduling, approvals, the model.

mod ask_operator;
pub(in crate::tools) mod common;
mod delegate;
mod edit_file;
mod final_answer;
pub(in crate::tools) mod http_request;
mod ignored;
mod list_dir;
mod read_file;
mod search;
mod set;
pub(in crate::tools) mod shell;
mod walk;
mod write_file;

#[cfg(test)]
mod tests;

pub use set::{Setup, all, edit_file, names, source, write_file};
