//! Serves the hosts that are allowed to a child without a network.
//!
//! Must not know: which call the child belongs to.
//!
//! The child reaches one listening socket, in its own network namespace. This process accepts its connections, acts as
//! an HTTP proxy on them, and makes the connections to the hosts itself. Hosts that are not allowed are refused and
//! remembered.

mod address;
mod body;
mod connect;
mod dial;
mod proxy;
mod request;
mod response;
mod serving;
mod variables;

pub use connect::{ConnectError, connect};
pub use overrule_domain::sandbox::{HostError, Hosts};
pub use serving::{RefusedHosts, Serving, serve};
pub use variables::variables;

#[cfg(test)]
mod tests;
