//! Writes the metrics of sessions as text for people and as Prometheus text.
//!
//! Must not know: what is measured, where sessions are stored.

mod prometheus;
#[cfg(test)]
mod tests;
mod text;

pub use prometheus::prometheus;
pub use text::text;
