//! A model without key and network: it answers from a playbook of rules.
//!
//! Must not know: the graph, the journal, approvals.
//!
//! Like a real model, it sees only the context that it receives.

pub mod builtin;
mod choose;
mod filters;
mod model;
mod pattern;
pub mod playbook;
mod scope;
mod template;
mod view;
mod written;

#[cfg(test)]
mod audit_tests;
#[cfg(test)]
mod tests;

pub use model::Scripted;
pub use playbook::{Error, Playbook};
