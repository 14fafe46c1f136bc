//! Escapes from loops: detects repetition without progress and chooses the next step.
//!
//! Must not know: who asks, how a step is carried out.
//!
//! The calls that ended in a turn are one [`action::Batch`]: a set without order, so a fan-out is
//! one action. [`detect::Detectors`] take in one batch at a time, at a cost that depends on the
//! window and not on the history. [`watch::Watch`] reads the batches from a state. [`ladder`]
//! chooses the next step of an incident.

pub mod action;
pub mod advise;
mod awaited;
pub mod config;
pub mod detect;
pub mod fingerprint;
pub mod ladder;
pub mod near;
pub mod period;
pub mod read;
pub mod watch;
pub mod words;

#[cfg(test)]
mod tests;

pub use advise::{Tools, advise};
pub use config::{Config, Ladder, Others, Removed};
pub use watch::Watch;
