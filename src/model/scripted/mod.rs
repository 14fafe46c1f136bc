//! A model that needs no key and no network: it answers from a playbook of rules, judging only by the context
//! that it receives, as a model would. Must not know: the graph, the journal, approvals.

pub mod builtin;
mod choose;
mod filters;
mod model;
pub mod playbook;
mod scope;
mod template;
mod toml_in;
mod value;
mod view;

#[cfg(test)]
mod audit_tests;
#[cfg(test)]
mod tests;

pub use model::Scripted;
pub use playbook::{Error, Playbook};
