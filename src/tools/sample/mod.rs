//! Sample tools: small in-process services to show repairs, failing tools and loops.
//!
//! Must not know: who calls them, which playbook.
//!
//! They need no network and change nothing.

mod archive;
mod flights;
mod mirrors;
mod office;
mod ring;
pub mod server;
mod service;
mod weekend;

use std::sync::Arc;

use super::tool::Tool;

/// Returns the additional tools of a built-in run, in the order in which they are offered to a model; empty
/// for a run without tools of its own.
pub fn of(run: &str) -> Vec<Arc<dyn Tool>> {
    match run {
        "flights" | "detour" => flights::tools(),
        "weekend" => weekend::tools(),
        "office" => office::tools(),
        "ring" => ring::tools(),
        "limits" => server::tools(),
        "sealed" | "stubborn" => archive::tools(),
        "mirrors" | "spare" => mirrors::tools(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
