//! Tests of the real program, as a person or a script uses it.
//!
//! Must not know: how it works inside.

use crate::support::{server, world};

mod approver;
mod audit;
mod authorities;
mod bad_input;
mod branches;
mod changes;
mod classify;
mod control;
mod damaged;
pub mod decisions;
mod decoding;
mod demos;
mod detached;
mod doubt;
mod edits;
mod effects;
mod elsewhere;
mod forks;
mod headless;
mod last;
mod learned;
mod leaving;
mod left;
mod lock;
mod loops;
mod methods;
mod metrics;
mod no_files;
mod notify;
mod old_spellings;
mod output;
pub mod playbooks;
mod policy;
mod prices;
mod ready_rules;
mod routing;
mod sandbox;
mod sessions;
mod settings;
mod several;
mod stored;
mod surroundings;
mod swapped;
mod terms;
mod tls;
mod told;
mod unattended;
mod why;
