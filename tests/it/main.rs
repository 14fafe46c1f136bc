//! Tests of the program and of its parts together, one module for each subject.
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

mod cli;
mod files;
mod fuzzed;
mod mcp;
mod old_journals;
mod proxy;
mod readme;
mod samples;
#[cfg(target_os = "linux")]
mod sandbox;
mod wire;
