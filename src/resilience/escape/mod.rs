//! Escape from endless loops: is a thread going round without progress, and what is the next step?
//!
//! What ended in a turn is one [`action::Batch`]: an order-free set of calls, so that one fan-out
//! is one action. [`detect::Detectors`] take batches in, one at a time, at a cost that depends on
//! the window and not on the history. [`watch::Watch`] reads them off a state. [`ladder`] chooses
//! the step that an incident has come to. Must not know: who asks, how a step is carried out.

pub mod action;
pub mod advise;
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
pub use config::{Config, Others};
pub use watch::Watch;
