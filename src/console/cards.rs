//! The cards of what opens on top of the panes.
//!
//! Must not know: what a key does.

use super::surface::Can::{Back, Close, Help, Move, Palette, Search, Type, Write};
use super::surface::{Card, SurfaceId};

/// An editor of several lines.
pub const EDITOR: SurfaceId = SurfaceId::new(&Card {
    heading: "editor",
    can: &[Type, Write],
    changes: true,
    ..Card::BASE
});

/// One line of text.
pub const LINE: SurfaceId = SurfaceId::new(&Card {
    heading: "one-line input",
    can: &[Type, Write],
    ..Card::BASE
});

/// A list that is filtered by typing.
pub const LIST: SurfaceId = SurfaceId::new(&Card {
    heading: "list",
    can: &[Type, Back],
    ..Card::BASE
});

/// Text to read: help, a refusal.
pub const PAGE: SurfaceId = SurfaceId::new(&Card {
    heading: "page",
    can: &[Move, Search, Palette, Help, Close],
    reads: true,
    ..Card::BASE
});

/// The page on why the run needs the operator.
pub const ATTENTION: SurfaceId = SurfaceId::new(&Card {
    heading: "why the run waits",
    place: "on the page on why the run waits",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["help", "close"],
    reads: true,
    ..Card::BASE
});

/// The preview of an edit.
pub const REVIEW: SurfaceId = SurfaceId::new(&Card {
    heading: "impact preview",
    can: &[Move, Search, Palette, Help, Back],
    stays: &["close"],
    changes: true,
    ..Card::BASE
});

/// The staged edits.
pub const STAGED_EDITS: SurfaceId = SurfaceId::new(&Card {
    heading: "staged edits",
    place: "in the list of staged edits",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["close"],
    changes: true,
    ..Card::BASE
});

/// The branches.
pub const BRANCHES: SurfaceId = SurfaceId::new(&Card {
    heading: "branches",
    place: "in the list of branches",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["close"],
    ..Card::BASE
});

/// Two branches side by side.
pub const COMPARE: SurfaceId = SurfaceId::new(&Card {
    heading: "comparison",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["close"],
    ..Card::BASE
});

/// The list of effects.
pub const EFFECTS: SurfaceId = SurfaceId::new(&Card {
    heading: "orphaned effects",
    place: "in the list of orphaned effects",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["close"],
    ..Card::BASE
});

/// The list of calls to approve together.
pub const BULK: SurfaceId = SurfaceId::new(&Card {
    heading: "approve all",
    place: "in the list of calls to approve",
    can: &[Move, Search, Palette, Help, Close],
    changes: true,
    ..Card::BASE
});

/// The preview of a rule of the session.
pub const RULE: SurfaceId = SurfaceId::new(&Card {
    heading: "rule preview",
    can: &[Move, Search, Palette, Help, Back],
    changes: true,
    ..Card::BASE
});

/// The rules of the session.
pub const RULES: SurfaceId = SurfaceId::new(&Card {
    heading: "rules of the session",
    place: "in the list of rules of the session",
    can: &[Move, Search, Palette, Help, Close],
    ..Card::BASE
});

/// The preview of a fork.
pub const FORK: SurfaceId = SurfaceId::new(&Card {
    heading: "fork",
    place: "in the question before a fork",
    can: &[Move, Search, Help, Back],
    ..Card::BASE
});

/// A repeated effect.
pub const CONSENT: SurfaceId = SurfaceId::new(&Card {
    heading: "repeated effect",
    place: "in the question about: repeated effect",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// An execution with an unknown outcome.
pub const UNKNOWN_OUTCOME: SurfaceId = SurfaceId::new(&Card {
    heading: "outcome unknown",
    place: "in the question about: outcome unknown",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// The class of an error.
pub const CLASSIFY: SurfaceId = SurfaceId::new(&Card {
    heading: "class of an error",
    place: "in the question about: class of an error",
    can: &[Move, Search, Palette, Help, Close],
    reads: true,
    ..Card::BASE
});

/// A stream that broke.
pub const BROKEN: SurfaceId = SurfaceId::new(&Card {
    heading: "broken stream",
    place: "in the question about: broken stream",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// Changed definitions of a server of tools.
pub const DEFINITIONS: SurfaceId = SurfaceId::new(&Card {
    heading: "changed definitions",
    place: "in the question about: changed definitions",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// The confirmation of an emergency stop.
pub const CONFIRM: SurfaceId = SurfaceId::new(&Card {
    heading: "emergency stop",
    can: &[Help, Back],
    changes: true,
    ..Card::BASE
});

/// The question before quitting while something runs.
pub const LEAVE: SurfaceId = SurfaceId::new(&Card {
    heading: "quit",
    place: "in the question before quitting",
    can: &[Help, Back],
    ..Card::BASE
});
