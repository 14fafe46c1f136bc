//! Runs one call with validated arguments, bounded output and cancellation.
//!
//! Must not know: scheduling, approvals, the model.

pub mod alert;
pub mod child;
mod confined;
pub mod errors;
pub mod known;
pub mod names;
pub mod operator_program;
pub mod output;
pub mod registry;
mod replace;
pub mod repository;
pub mod run;
pub mod sample;
pub mod sources;
mod tool;
pub mod workspace;

pub use registry::Registry;
pub use run::run;
pub use sources::builtin;
pub use tool::{
    AskOperator, Children, Job, OnOutput, OnRefused, ReadOperands, Replacement, Spec, Tool, Withheld, Writes,
    ask_nobody, nothing_withheld,
};
