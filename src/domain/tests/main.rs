//! Tests of the rules: a simulated world, tables by verb and rule, random sessions with invariants.
//!
//! Must not know: engine, files, screens.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and tells by printing"
)]

mod book;
mod check;
mod epochs;
mod flights;
mod op_sequence;
mod repair_sessions;
mod result_reuse;
mod rules;
mod session_rules;
mod swapped;
mod wishes;
mod world;

mod again;
mod approval;
mod approver;
mod auto_approved;
mod branches;
mod breakers;
mod conflicts;
mod consent;
mod corrections;
mod counts;
mod crash;
mod delegates;
mod earlier;
mod edit_preview;
mod edits;
mod ends;
mod escape;
mod exits;
mod fences;
mod files;
mod flow;
mod forks;
mod found;
mod frontiers;
mod grace;
mod half_open;
mod hashes;
mod journeys;
mod kept_names;
mod ladder;
mod late_answers;
mod ledger;
mod numbers;
mod open_text;
mod operator;
mod oracle;
mod outcome_unknown;
mod plan;
mod prices;
mod random;
mod reduction;
mod repair_facts;
mod repairs;
mod replaced;
mod rest;
mod restrict;
mod result_source;
mod reuse;
mod salvage;
mod sandbox;
mod server_questions;
mod servers;
mod shown;
mod thoughts;
mod unchanged;
mod unresolved;
mod warned;
