//! Tests of what the program does to a terminal: its output, its input and the restored state.
//!
//! Must not know: rules of runs.
//!
//! The terminal is restored whatever ends the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and tells by printing"
)]

mod asked;
mod bytes;
mod collected;
mod conversations;
mod demos;
mod first_steps;
mod harness;
mod lists;
mod live;
mod program;
mod reading;
mod restore;
#[path = "../support/server.rs"]
#[allow(dead_code, reason = "not every helper is used in every test program")]
mod server;
mod sessions;
mod wanted;
