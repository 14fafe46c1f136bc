//! Measures edits, calls and journals, each against the least cost of the same work.
//!
//! Must not know: what is measured.
//!
//! `cargo bench --bench costs`; an argument selects the measurements with that word in their name.

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
mod mcp;
#[path = "../../examples/dataflow/model.rs"]
mod model;
#[path = "../../examples/session/run.rs"]
mod run;
#[path = "../../examples/dataflow/stage.rs"]
mod stage;
mod turns;

fn main() {
    if !mcp::serves() {
        divan::main();
    }
}
