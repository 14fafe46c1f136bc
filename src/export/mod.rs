//! A run's graph in other formats: lanes in plain text, JSON, Graphviz, Mermaid.
//!
//! Pure: from a state to text. May depend on domain, text and the console's lanes and symbols. Must not know:
//! where a state comes from, where the text goes, what a terminal can do.

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
pub use json::json;
pub use mermaid::mermaid;
