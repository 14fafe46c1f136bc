//! What the screen looks like, and that nothing untrusted reaches it raw.

mod agent_wait;
mod bodies;
mod costs;
mod deadline;
mod decisions;
mod first_decision;
mod frame;
mod graphs;
mod halted;
mod maps;
mod marks;
mod output;
mod panes;
mod pictures;
mod plain;
mod questions;
mod room;
mod row_preview;
mod rows;
mod rules;
mod screen_edges;
mod times;
mod transcripts;
mod typing;
mod wide;
