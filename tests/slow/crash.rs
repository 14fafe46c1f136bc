//! Tests of sudden ends: no acknowledged record is lost, no effect happens twice.
//!
//! Must not know: how a run is recorded.
//!
//! The run reaches the same graph at whatever moment it ends.

use crate::support::{live, pick, world};

mod course;
mod cuts;
mod kills;
mod playbooks;
mod prefixes;
mod restores;
mod runs;
mod weights;
