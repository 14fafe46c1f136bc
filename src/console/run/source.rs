//! Source of the shown run.
//!
//! Must not know: what is shown.

/// Source of the shown run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// A live run, which accepts decisions.
    #[default]
    Live,
    /// A recorded session that can be played and stepped.
    Replay,
}
