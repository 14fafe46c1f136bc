//! Tests of sudden ends: no acknowledged record is lost, no effect happens twice.
//!
//! Must not know: how a run is recorded.
//!
//! The run reaches the same graph at whatever moment it ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails, with the place where it could not"
)]

#[path = "../support/live.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod live;
#[path = "../support/pick.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod pick;
#[path = "../support/world.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod world;

mod course;
mod cuts;
mod kills;
mod playbooks;
mod prefixes;
mod runs;
mod weights;
