//! Tests of MCP servers with the real program: a server that misbehaves, and servers as others publish them.
//!
//! Must not know: how the program works inside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, with the place where it could not"
)]

#[path = "../pty_terminal/harness.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod harness;
#[path = "../support/server.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod server;
#[path = "../support/world.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod world;

mod calls;
mod declared;
mod drift;
mod faults;
mod faulty;
mod health;
mod http;
mod in_a_run;
mod listing;
mod published;
mod questions;
mod refusals;
mod servers;
mod trust;

/// The server of these tests, when this program is started as one; else nothing.
#[test]
fn faulty_server() {
    faulty::serve();
}
