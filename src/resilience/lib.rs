//! Answers the domain's questions about tool failures, without side effects.
//!
//! Must not know: who asks, clocks, files, how anything is shown, where settings come from.
//!
//! Nothing here runs a tool, waits or decides: a proposal enters the run through
//! [`Advice`](overrule_domain::advice::Advice), and the recorded event says which part of it was
//! adopted.

pub mod attention;
pub mod breaker;
pub mod classify;
pub mod correction;
pub mod execution;
pub mod health;
pub mod ladder;
pub mod learned;
pub mod loops;
pub mod notify;
pub mod policy;
pub mod repair;
pub mod retry;
pub mod routing;
pub mod substitutes;
pub mod wait;
pub mod watch;
