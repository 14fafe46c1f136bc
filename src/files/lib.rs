//! Finds which files of a workspace changed, saves their contents, and carries out a restore of them.
//!
//! Must not know: calls and why they ran, which changes are selected for a restore, screens, settings files.
//!
//! A [`Tracker`] belongs to one run and one workspace. Each of its functions blocks: async callers use a blocking thread.

mod collect;
mod error;
mod settings;
mod tracker;

pub use collect::{Collected, Session, collect};
pub use error::Error;
pub use settings::Settings;
pub use tracker::{Begun, Execution, Readiness, Restored, Step, Tracker};
