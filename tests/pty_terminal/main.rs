//! What the program does to a terminal: whatever ends it, the terminal comes back as it was; and what is
//! sent to it and taken from it on the way.
//!
//! Must not know: rules of runs.

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
mod demos;
mod harness;
mod lists;
mod live;
mod program;
mod reading;
mod restore;
mod wanted;
