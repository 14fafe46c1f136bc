//! Ends without a word: whatever the moment, nothing that was acknowledged is lost, no effect
//! happens twice, and the run comes to the same graph. Must not know: how a run is recorded.

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
