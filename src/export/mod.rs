//! Exports a run: its graph as lanes, JSON, Graphviz or Mermaid; its decisions as a list.
//!
//! Must not know: where a state comes from, where the text goes, what a terminal can do.
//!
//! Pure: from a state to text. May depend on domain, text and the console's lanes and symbols.

pub mod audit;
mod dot;
mod gutter;
mod json;
mod mermaid;
mod names;
#[cfg(test)]
mod tests;
mod words;

pub use dot::dot;
pub use gutter::gutter;
pub use json::{Times, json};
pub use mermaid::mermaid;
