//! What the screen looks like, and that nothing untrusted reaches it raw.

mod frame;
mod graphs;
mod panes;
mod pictures;
mod questions;
mod rules;
mod told;
mod wide;
