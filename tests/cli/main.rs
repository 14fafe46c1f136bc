//! Tests of the real program, as a person or a script uses it.
//!
//! Must not know: how it works inside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails, with the place where it could not"
)]

#[path = "../support/server.rs"]
#[allow(
    dead_code,
    reason = "shared with other test programs, each of which needs a part"
)]
mod server;
#[path = "../support/world.rs"]
mod world;

mod approver;
mod audit;
mod bad_input;
mod branches;
mod changes;
mod classify;
mod control;
mod damaged;
mod decisions;
mod decoding;
mod demos;
mod doubt;
mod edits;
mod effects;
mod forks;
mod headless;
mod learned;
mod left;
mod lock;
mod loops;
mod methods;
mod no_files;
mod notify;
mod old_spellings;
mod output;
mod playbooks;
mod policy;
mod prices;
mod routing;
mod sessions;
mod settings;
mod several;
mod stored;
mod surroundings;
mod swapped;
mod told;
mod unattended;
mod why;
