//! An exercise for those who decide: a recorded run is replayed with bad calls mixed in, and the score tells
//! how many were caught. Pure: nothing here runs anything.
//!
//! - [`script`]: what the recorded run said and called, turn by turn.
//! - [`bad`]: bad calls, made from good ones and a seed; their kinds.
//! - [`score`]: what happened to them, by the record, in words.
//!
//! Must not know: tools, models, the screen.

pub mod bad;
mod kinds;
pub mod score;
pub mod script;
mod seed;
mod words;

pub use bad::Kind;
pub use score::{Scorer, foreseen};
pub use script::{Error, Planned, Script};

#[cfg(test)]
mod tests;
