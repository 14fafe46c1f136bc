//! Exports a run: its graph as lanes, Graphviz or Mermaid; decisions and metrics as text, CSV or Prometheus.
//!
//! Must not know: where a state comes from, where the text goes, what a terminal can do.
//!
//! Pure: from a state or a view to text. May depend on domain, views, text and the console's lanes and symbols.

pub mod audit;
mod dot;
mod gutter;
mod mermaid;
pub mod metrics;
#[cfg(test)]
mod tests;

pub use dot::dot;
pub use gutter::gutter;
pub use mermaid::mermaid;
