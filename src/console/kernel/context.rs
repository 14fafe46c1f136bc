//! Where a verb works: everywhere, in every pane, on a surface, or on each surface that can do something.
//!
//! Must not know: what a key does, which surfaces there are.

use super::surface::{Can, SurfaceId};

/// Where a verb works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// Everywhere.
    Always,
    /// In every pane.
    Panes,
    /// In every pane of a recorded run.
    Replay,
    /// On one surface.
    On(SurfaceId),
    /// On each surface that can do this.
    Each(Can),
}

/// Everywhere.
pub const ALWAYS: &[Context] = &[Context::Always];
/// In every pane.
pub const PANES: &[Context] = &[Context::Panes];
/// In every pane of a recorded run.
pub const REPLAY: &[Context] = &[Context::Replay];
/// Where something is moved.
pub const MOVED: &[Context] = &[Context::Panes, Context::Each(Can::Move)];
/// Where something is searched.
pub const SEARCHED: &[Context] = &[Context::Panes, Context::Each(Can::Search)];
/// Where the palette opens.
pub const PALETTE: &[Context] = &[Context::Panes, Context::Each(Can::Palette)];
/// Where help opens over something else.
pub const HELPED: &[Context] = &[Context::Each(Can::Help)];
/// What `close` closes.
pub const CLOSED: &[Context] = &[Context::Each(Can::Close)];
/// What `back` closes.
pub const BACK: &[Context] = &[Context::Each(Can::Back)];
/// Where text is typed.
pub const TYPED: &[Context] = &[Context::Each(Can::Type)];
/// Where a typed text is finished or dropped as a whole.
pub const WRITTEN: &[Context] = &[Context::Each(Can::Write)];
/// Where files are restored of what is selected.
pub const RESTORED: &[Context] = &[Context::Panes, Context::Each(Can::Restore)];
/// Where paths of a restore are chosen.
pub const CHOSEN: &[Context] = &[Context::Each(Can::Choose)];

/// On one surface.
pub const fn on(surface: SurfaceId) -> Context {
    Context::On(surface)
}

impl Context {
    /// True if a surface belongs to it.
    pub fn covers(self, surface: SurfaceId) -> bool {
        match self {
            Self::Always => true,
            Self::Panes | Self::Replay => surface.is_pane,
            Self::On(one) => one == surface,
            Self::Each(what) => surface.can(what),
        }
    }

    /// The surfaces that it names one by one, those without typed text first; none for a wide context.
    pub fn named(self, all: &[SurfaceId]) -> Vec<SurfaceId> {
        let mut named: Vec<SurfaceId> = match self {
            Self::Always | Self::Panes | Self::Replay => Vec::new(),
            Self::On(one) => vec![one],
            Self::Each(what) => all.iter().copied().filter(|one| one.can(what)).collect(),
        };
        named.sort_by_key(|one| one.is_text());
        named
    }

    /// Where its keys work, as part of a sentence.
    pub fn place(self) -> String {
        match self {
            Self::Always => "everywhere".to_owned(),
            Self::Panes => "in every pane".to_owned(),
            Self::Replay => "in a recorded run".to_owned(),
            Self::On(surface) => surface.place(),
            Self::Each(what) => format!("where you can {what:?}").to_lowercase(),
        }
    }

    /// The heading of its section in help.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Always => "everywhere",
            Self::Panes => "any pane",
            Self::Replay => "replay",
            Self::On(surface) => surface.heading,
            Self::Each(_) => "",
        }
    }
}
