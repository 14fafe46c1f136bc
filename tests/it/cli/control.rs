//! Tests of a second process that commands a running session, and of the limits of such commands.
//!
//! Must not know: how a message is spelled, except for invalid messages.
//!
//! Nothing that arrives on the socket may disturb the run.

mod garbage;
pub mod holder;
mod kin;
mod operators;
mod places;
mod rest;
mod screen;
mod verbs;
