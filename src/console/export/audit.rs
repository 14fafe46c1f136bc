//! Writes decisions as text for people and as rows of CSV.
//!
//! Must not know: which events are decisions, where they are stored.

mod csv;
mod print;
#[cfg(test)]
mod tests;

pub use csv::{HEADER, row};
pub use print::text;
