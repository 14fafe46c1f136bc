//! Serves the hosts that are allowed to a child without a network.
//!
//! Must not know: which call the child belongs to.
