//! Knows the places on a machine that matter to a sandbox: hidden ones, and caches.
//!
//! Must not know: how they are hidden or layered.
