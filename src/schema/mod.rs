//! JSON Schema checks, offline: all that is wrong with an argument text, in sentences.
//!
//! [`Checker`] is compiled once per schema and asked per text; [`near`] finds the names that a
//! misspelt one may have meant. Must not know: tools, calls (only the shape of a fault), files,
//! the network.

mod checker;
mod excuse;
mod nearest;
mod reading;
mod sentence;

#[cfg(test)]
mod tests;

pub use checker::{Checker, Error, MAX_FAULTS, RESERVED};
pub use nearest::near;
pub use reading::MAX_DEPTH;
