//! Tests that repeat, kill, or look at a terminal, one module for each subject.
//!
//! Must not know: how the parts work.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and tells by printing"
)]

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "each of the two test programs uses a part of it")]
mod support;

mod crash;
mod dataflow;
mod pty_terminal;
mod scenarios;
