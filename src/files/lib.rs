//! Finds which files of a workspace changed, saves their contents, and carries out a restore of them.
//!
//! Must not know: calls and why they ran, which changes are selected for a restore, screens, settings files.
//!
//! A [`Tracker`] belongs to one run and one workspace. Each of its functions blocks: async callers use a blocking thread.

mod apply;
mod blobs;
mod collect;
mod deadline;
mod entry;
mod error;
mod git_index;
mod guard;
mod index;
mod repository;
mod root;
mod rules;
mod scan;
mod settings;
mod store;
mod temporary;
mod tracker;
mod watch;
mod windows;

pub use apply::Restored;
pub use collect::{Collected, Session, collect};
pub use error::Error;
pub use settings::Settings;
pub use tracker::{Begun, Readiness, Tracker};

#[cfg(test)]
mod tests;
