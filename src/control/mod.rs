//! The second process: an operator's commands reach a running session through a Unix socket.
//!
//! - [`place`]: where the socket is, and that nobody else can access it.
//! - [`peer`]: who is at the other end: the user, and whether it is the agent itself.
//! - [`protocol`]: lines of JSON of bounded length.
//! - [`Door`]: the holder's side. [`send`]: the sender's side.
//!
//! Must not know: flags, how a command is decided, how a refusal is shown.

pub mod client;
pub mod error;
pub mod peer;
pub mod place;
pub mod protocol;
pub mod server;

pub use client::{Answer, Target, send};
pub use error::Error;
pub use place::Places;
pub use server::Door;
