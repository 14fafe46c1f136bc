//! Proposes repairs for the arguments of a failed call, and never runs anything.
//!
//! Must not know: who asks the model, where rules are written, how a choice is shown.
//!
//! The way leads from an error to a diagnosis, to a strategy, to arguments that satisfy the tool's
//! schema, or to a question. [`plan`] is the entry point: given what failed and what was repaired
//! so far, it returns the next step. Rules come first, then the model; what remains ambiguous is a
//! choice for the operator.

mod advise;
mod arg_path;
mod cleanup;
mod code;
mod complaint;
mod conversation;
mod convert;
mod date;
mod diagnose;
mod entry;
mod enumeration;
mod fill;
mod json;
mod limit;
mod model;
mod names;
mod nearby_day;
mod plan;
mod progress;
mod propose;
mod rename;
mod rules;
mod settings;
mod strategy;
mod texts;
mod wrapper;

#[cfg(test)]
mod tests;

pub use advise::{RepairContext, after};
pub use code::{Code, CodePattern};
pub use complaint::argument_at_fault;
pub use diagnose::codes_of;
pub use entry::{Entry, Error, Priority, RawRule};
pub use model::{Background, Question, Rejected};
pub use plan::{Case, Next, Plan, plan};
pub use progress::{Past, Repaired, fingerprint};
pub use propose::Others;
pub use rules::{Exhausted, Guesses, Rules, ToolRules};
pub use settings::{Settings, ToolSettings};
