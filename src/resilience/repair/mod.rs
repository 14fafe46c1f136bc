//! Mends the arguments of a failed call: from an error to a diagnosis, to a strategy, to arguments that
//! pass the tool's schema, or to a question. Pure; proposes and never runs anything.
//!
//! [`plan`] is the whole of it: called with what failed and with what was mended so far, it says what
//! comes next. Rules come before the model, the model before nothing; what is not clear is a choice for
//! the operator. Must not know: who asks the model, where rules are written, how a choice is shown.

mod advise;
mod cleanup;
mod code;
mod convert;
mod date;
mod diagnose;
mod entry;
mod enumeration;
mod fill;
mod idea;
mod json;
mod limit;
mod model;
mod names;
mod place;
mod plan;
mod progress;
mod rename;
mod rules;
mod settings;
mod shift;

#[cfg(test)]
mod tests;

pub use advise::{Known, after};
pub use code::{Code, CodePattern};
pub use diagnose::codes_of;
pub use entry::{Entry, Error, Priority, Written};
pub use model::{Question, Rejected};
pub use plan::{Case, Next, Plan, plan};
pub use progress::{Past, Repaired, fingerprint};
pub use rules::{Guesses, Rules, ToolRules};
pub use settings::{Settings, ToolSettings};
