//! What the screen looks like, and that nothing untrusted reaches it raw.

mod bodies;
mod foreseen;
mod frame;
mod graphs;
mod halted;
mod marks;
mod output;
mod panes;
mod pictures;
mod plain;
mod questions;
mod room;
mod rows;
mod rules;
mod times;
mod told;
mod typing;
mod wide;
