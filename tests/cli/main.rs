//! The real program, as a person or a script meets it. Must not know: how it does what it does.

#[path = "../support/world.rs"]
mod world;

mod bad_input;
mod decisions;
mod doubt;
mod edits;
mod headless;
mod lock;
mod playbooks;
mod policy;
mod sessions;
mod surroundings;
