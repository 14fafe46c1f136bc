//! Lets a second process send an operator's commands to a running session through a Unix socket.
//!
//! Must not know: flags, how a command is decided, how a refusal is shown.
//!
//! - [`place`]: where the socket is, and that only this user can access it.
//! - [`peer`]: who is at the other end: the user, and whether it is the agent itself.
//! - [`agents`]: which processes are agents, by their connections.
//! - [`operators`]: which programs of the operator a run waits for.
//! - [`protocol`]: lines of JSON of bounded length.
//! - [`Door`]: the holder's side. [`send`]: the sender's side.

pub mod agents;
pub mod client;
pub mod error;
pub mod operators;
pub mod peer;
pub mod place;
pub mod protocol;
pub mod server;

pub use client::{Answer, Target, send};
pub use error::Error;
pub use place::Places;
pub use server::{Door, ServerAsk, Servers, tidy};
