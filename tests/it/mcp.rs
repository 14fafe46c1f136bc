//! Tests of MCP servers with the real program: a server that misbehaves, and servers as others publish them.
//!
//! Must not know: how the program works inside.

use crate::support::{harness, server, world};

mod calls;
mod confined;
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
mod tolerance;
mod trust;

/// The server of these tests, when this program is started as one; else nothing.
#[test]
fn faulty_server() {
    faulty::serve();
}
