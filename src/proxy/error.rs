//! What can go wrong between an agent and its model.
//!
//! Must not know: who gets the error.

use std::net::SocketAddr;

/// Why the proxy cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not on this machine.
    #[error("cannot listen on {0}: the proxy serves this machine only; hint: use 127.0.0.1:PORT")]
    NotLoopback(SocketAddr),
    /// The address is in use or not allowed.
    #[error("cannot listen on {address}: {source}; hint: choose another port, or 0 for any free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The address of the model is unusable.
    #[error("cannot use the upstream `{url}`: {why}; it looks like https://api.anthropic.com")]
    Upstream {
        /// As given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The address is for an unknown format.
    #[error(
        "cannot use --upstream {name}=…: unknown wire format `{name}`; hint: write WIRE=URL with {known}, or an address \
         alone for all formats"
    )]
    UpstreamWire {
        /// As given.
        name: String,
        /// The formats that are known.
        known: String,
    },
    /// Two addresses for one format.
    #[error(
        "cannot use two addresses with --upstream for {0}: name one for each format, WIRE=URL, and one for the others"
    )]
    TwoUpstreams(&'static str),
    /// The environment names an address that cannot be used.
    #[error("{0}")]
    Variable(String),
    /// No HTTP client.
    #[error("cannot set up HTTPS to the model: {0}; are the system's CA certificates installed?")]
    Client(String),
}
