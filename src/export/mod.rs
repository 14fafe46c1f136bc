//! A run in other formats: its graph as lanes, JSON, Graphviz, Mermaid; its decisions as a list.
//!
//! Pure: from a state to text. May depend on domain, text and the console's lanes and symbols. Must not know:
//! where a state comes from, where the text goes, what a terminal can do.

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
