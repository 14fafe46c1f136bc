//! Tests of the proxy: an agent that executes its own tools, the real engine, and a scripted model over every format.
//!
//! Must not know: how it works inside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails, with the place where it could not"
)]

#[path = "../support/live.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod live;
#[path = "../support/server.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod server;
#[path = "../support/world.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod world;

mod agent;
mod beside;
mod course;
mod forms;
mod given_up;
mod inserted;
mod named;
mod overlay;
mod passing;
mod paused;
mod program;
mod real;
mod restart;
mod rewritten;
mod side_requests;
mod stage;
mod sub_agents;
mod superseded;
