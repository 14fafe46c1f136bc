//! Where what is shown comes from. Must not know: what is shown.

/// Where what is shown comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// A run that goes on: it can be decided about.
    #[default]
    Live,
    /// A record that can be played and stepped.
    Replay,
}
