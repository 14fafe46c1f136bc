//! A second process commands a running session: what it may do, who may not, and that nothing that
//! comes through the socket disturbs the run. Must not know: how a message is spelled, but for those
//! that are wrong.

mod garbage;
pub mod holder;
mod kin;
mod places;
mod rest;
mod screen;
mod verbs;
