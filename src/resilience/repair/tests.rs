//! Tests of the repair of arguments: tables for each strategy, tools as they fail, random arguments.
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
