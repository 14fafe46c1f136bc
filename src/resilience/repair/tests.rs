//! Tests the repair of arguments: tables per strategy, failing tools, random arguments.
//!
//! Must not know: an engine.

mod kit;

mod dates;
mod expressions;
mod faults;
mod questions;
mod random;
mod shapes;
mod slips;
mod values;
mod words;
