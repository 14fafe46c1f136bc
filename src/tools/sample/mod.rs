//! Sample tools: small services that live in this program alone, so that anybody can see what becomes of
//! wrong arguments, failing tools and circles. They need no network and change nothing. Must not know:
//! who calls them, which playbook.

mod archive;
mod flights;
mod mirrors;
mod office;
mod ring;
pub mod server;
mod service;

use std::sync::Arc;

use super::tool::Tool;

/// The tools of a built-in run beyond the ordinary ones, in the order in which a model is offered them; none
/// for a run that has none of its own.
pub fn of(run: &str) -> Vec<Arc<dyn Tool>> {
    match run {
        "flights" | "detour" => flights::tools(),
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
