//! Tests the repair of arguments: tables per strategy, failing tools, random arguments.
//!
//! Must not know: an engine.

mod kit;

mod carriers;
mod dates;
mod error_texts;
mod expressions;
mod faults;
mod questions;
mod random;
mod reported;
mod shapes;
mod slips;
mod values;
mod words;
