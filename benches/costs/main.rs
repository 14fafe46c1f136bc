//! What edits, calls and journals cost, each beside the least that the same work can cost.
//!
//! `cargo bench --bench costs`, or with a word to measure only what has it in its name. Must not
//! know: what is measured.

#![allow(
    clippy::unwrap_used,
    reason = "a measurement that went wrong is no measurement"
)]

mod digest;
mod edit;
mod engine;
mod escape;
mod graph;
mod journal;
#[path = "../../examples/dataflow/model.rs"]
mod model;
#[path = "../../examples/session/run.rs"]
mod run;
#[path = "../../examples/dataflow/stage.rs"]
mod stage;
mod turns;

fn main() {
    divan::main();
}
