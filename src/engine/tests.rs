//! The loop with a model and tools that do exactly what a test says, when the test says so.

mod asks;
mod ending;
mod ends_of_rules;
mod failing;
mod kit;
mod launching;
mod sent;
mod streaming;
