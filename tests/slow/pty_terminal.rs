//! Tests of what the program does to a terminal: its output, its input and the restored state.
//!
//! Must not know: rules of runs.
//!
//! The terminal is restored whatever ends the program.

use crate::support::{harness, server};

mod agents;
mod asked;
mod bytes;
mod collected;
mod conversations;
mod day;
mod demos;
mod first_steps;
mod lists;
mod live;
mod program;
mod reading;
mod restore;
mod sessions;
mod tasks;
mod wanted;
