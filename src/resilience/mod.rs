//! What to do when tools fail: pure answers to the domain's questions. Nothing here runs a tool, waits or
//! decides: a proposal enters the run through [`Advice`](crate::domain::advice::Advice), and the recorded
//! event says what was adopted of it.
//!
//! Must not know: who asks, clocks, files, how anything is shown, where settings come from.

pub mod attention;
pub mod breaker;
pub mod classify;
pub mod correction;
pub mod execution;
pub mod health;
pub mod instead;
pub mod ladder;
pub mod learned;
pub mod loops;
pub mod notify;
pub mod policy;
pub mod repair;
pub mod retry;
pub mod routing;
pub mod wait;
pub mod watch;
