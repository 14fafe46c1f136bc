//! Tests of the loop with a model and tools that a test controls step by step.

mod asks;
mod confined;
mod ending;
mod ends_of_rules;
mod failing;
mod kit;
mod launching;
mod recording;
mod sent;
mod streaming;
mod undoable;
