//! Moves the cursor, or scrolls.
//!
//! Must not know: what it moves in.

use crate::ground::motion::Move;
use crate::kernel::context::{MOVED, PANES, TYPED, on};
use crate::kernel::model::Model;
use crate::kernel::verb::{Care, Verb};
use crate::kernel::views;
use crate::run::refusal::Refusal;
use crate::surfaces;

/// The verb `up`.
pub const UP: Verb = Verb {
    name: "up",
    keys: &["k", "up"],
    contexts: MOVED,
    doc: "move one row up",
    hint: "",
    run: |model, _| go(model, Move::Up),
    ..MOVE
};

/// The verb `down`.
pub const DOWN: Verb = Verb {
    name: "down",
    keys: &["j", "down"],
    contexts: MOVED,
    doc: "move one row down",
    hint: "",
    run: |model, _| go(model, Move::Down),
    ..MOVE
};

/// The verb `left`.
pub const LEFT: Verb = Verb {
    name: "left",
    keys: &["h", "left"],
    contexts: PANES,
    doc: "fold, or go to the previous tab",
    hint: "",
    run: |model, _| go(model, Move::Left),
    ..MOVE
};

/// The verb `right`.
pub const RIGHT: Verb = Verb {
    name: "right",
    keys: &["l", "right"],
    contexts: PANES,
    doc: "unfold, or go to the next tab",
    hint: "",
    run: |model, _| go(model, Move::Right),
    ..MOVE
};

/// The verb `page-up`.
pub const PAGE_UP: Verb = Verb {
    name: "page-up",
    keys: &["pgup", "ctrl-b"],
    contexts: MOVED,
    doc: "move one screen up",
    hint: "",
    run: |model, _| go(model, Move::PageUp),
    ..MOVE
};

/// The verb `page-down`.
pub const PAGE_DOWN: Verb = Verb {
    name: "page-down",
    keys: &["pgdn", "ctrl-f"],
    contexts: MOVED,
    doc: "move one screen down",
    hint: "",
    run: |model, _| go(model, Move::PageDown),
    ..MOVE
};

/// The verb `half-up`.
pub const HALF_UP: Verb = Verb {
    name: "half-up",
    keys: &["ctrl-u"],
    contexts: MOVED,
    doc: "move half a screen up",
    hint: "",
    run: |model, _| go(model, Move::HalfUp),
    ..MOVE
};

/// The verb `half-down`.
pub const HALF_DOWN: Verb = Verb {
    name: "half-down",
    keys: &["ctrl-d"],
    contexts: MOVED,
    doc: "move half a screen down",
    hint: "",
    run: |model, _| go(model, Move::HalfDown),
    ..MOVE
};

/// The verb `top`.
pub const TOP: Verb = Verb {
    name: "top",
    keys: &["g", "home"],
    contexts: MOVED,
    doc: "go to the first row",
    hint: "",
    run: |model, _| go(model, Move::Top),
    ..MOVE
};

/// The verb `bottom`.
pub const BOTTOM: Verb = Verb {
    name: "bottom",
    keys: &["G", "end"],
    contexts: MOVED,
    doc: "go to the last row; the graph follows new rows from there",
    hint: "",
    run: |model, _| go(model, Move::Bottom),
    ..MOVE
};

/// The verb `list-up`.
pub const LIST_UP: Verb = Verb {
    name: "list-up",
    keys: &["up", "ctrl-p"],
    contexts: &[on(surfaces::list::ID)],
    doc: "move one entry up",
    hint: "",
    ..UP
};

/// The verb `list-down`.
pub const LIST_DOWN: Verb = Verb {
    name: "list-down",
    keys: &["down", "ctrl-n"],
    contexts: &[on(surfaces::list::ID)],
    doc: "move one entry down",
    hint: "",
    ..DOWN
};

/// The verb `list-page-up`.
pub const LIST_PAGE_UP: Verb = Verb {
    name: "list-page-up",
    keys: &["pgup"],
    contexts: &[on(surfaces::list::ID)],
    doc: "move one screen of the list up",
    hint: "",
    ..PAGE_UP
};

/// The verb `list-page-down`.
pub const LIST_PAGE_DOWN: Verb = Verb {
    name: "list-page-down",
    keys: &["pgdn"],
    contexts: &[on(surfaces::list::ID)],
    doc: "move one screen of the list down",
    hint: "",
    ..PAGE_DOWN
};

/// The verb `list-top`.
pub const LIST_TOP: Verb = Verb {
    name: "list-top",
    keys: &["home"],
    contexts: &[on(surfaces::list::ID)],
    doc: "go to the first entry",
    hint: "",
    ..TOP
};

/// The verb `list-bottom`.
pub const LIST_BOTTOM: Verb = Verb {
    name: "list-bottom",
    keys: &["end"],
    contexts: &[on(surfaces::list::ID)],
    doc: "go to the last entry",
    hint: "",
    ..BOTTOM
};

/// The verb `cursor-up`.
pub const CURSOR_UP: Verb = Verb {
    name: "cursor-up",
    keys: &["up"],
    contexts: &[on(surfaces::editor::ID)],
    doc: "move the cursor up",
    hint: "",
    ..UP
};

/// The verb `cursor-down`.
pub const CURSOR_DOWN: Verb = Verb {
    name: "cursor-down",
    keys: &["down"],
    contexts: &[on(surfaces::editor::ID)],
    doc: "move the cursor down",
    hint: "",
    ..DOWN
};

/// The verb `cursor-left`.
pub const CURSOR_LEFT: Verb = Verb {
    name: "cursor-left",
    keys: &["left"],
    contexts: TYPED,
    doc: "move the cursor left",
    hint: "",
    ..LEFT
};

/// The verb `cursor-right`.
pub const CURSOR_RIGHT: Verb = Verb {
    name: "cursor-right",
    keys: &["right"],
    contexts: TYPED,
    doc: "move the cursor right",
    hint: "",
    ..RIGHT
};

/// The verb `editor-page-up`.
pub const EDITOR_PAGE_UP: Verb = Verb {
    name: "editor-page-up",
    keys: &["pgup"],
    contexts: &[on(surfaces::editor::ID)],
    doc: "move one screen up",
    hint: "",
    ..PAGE_UP
};

/// The verb `editor-page-down`.
pub const EDITOR_PAGE_DOWN: Verb = Verb {
    name: "editor-page-down",
    keys: &["pgdn"],
    contexts: &[on(surfaces::editor::ID)],
    doc: "move one screen down",
    hint: "",
    ..PAGE_DOWN
};

/// A move works in a burst of keys too.
const MOVE: Verb = Verb {
    care: Care::Free,
    ..Verb::BASE
};

/// Moves, in a text the cursor, in a list the selection, elsewhere the rows.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn go(model: &mut Model, to: Move) -> Result<(), Refusal> {
    views::step(model, to);
    Ok(())
}
