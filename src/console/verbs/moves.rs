//! Moves the cursor, or scrolls.
//!
//! Must not know: what it moves in.

use crate::ground::motion::Move;
use crate::kernel::context::{Context, MOVED, PANES, TYPED, on};
use crate::kernel::model::Model;
use crate::kernel::verb::{Care, Press, Verb, verbs};
use crate::kernel::views;
use crate::run::refusal::Refusal;
use crate::surfaces;

/// In a list to choose from.
const LIST: &[Context] = &[on(surfaces::list::ID)];
/// In the editor.
const EDITOR: &[Context] = &[on(surfaces::editor::ID)];

/// A move works in a burst of keys too.
const MOVE: Verb = Verb {
    care: Care::Free,
    ..Verb::BASE
};

verbs! {
    run: go, ..MOVE;
    UP               "up"               ["k", "up"]        MOVED  "move one row up"                                           Move::Up;
    DOWN             "down"             ["j", "down"]      MOVED  "move one row down"                                         Move::Down;
    LEFT             "left"             ["h", "left"]      PANES  "fold, or go to the previous tab"                           Move::Left;
    RIGHT            "right"            ["l", "right"]     PANES  "unfold, or go to the next tab"                             Move::Right;
    PAGE_UP          "page-up"          ["pgup", "ctrl-b"] MOVED  "move one screen up"                                        Move::PageUp;
    PAGE_DOWN        "page-down"        ["pgdn", "ctrl-f"] MOVED  "move one screen down"                                      Move::PageDown;
    HALF_UP          "half-up"          ["ctrl-u"]         MOVED  "move half a screen up"                                     Move::HalfUp;
    HALF_DOWN        "half-down"        ["ctrl-d"]         MOVED  "move half a screen down"                                   Move::HalfDown;
    TOP              "top"              ["g", "home"]      MOVED  "go to the first row"                                       Move::Top;
    BOTTOM           "bottom"           ["G", "end"]       MOVED  "go to the last row; the graph follows new rows from there" Move::Bottom;

    LIST_UP          "list-up"          ["up", "ctrl-p"]   LIST   "move one entry up"                                         Move::Up;
    LIST_DOWN        "list-down"        ["down", "ctrl-n"] LIST   "move one entry down"                                       Move::Down;
    LIST_PAGE_UP     "list-page-up"     ["pgup"]           LIST   "move one screen of the list up"                            Move::PageUp;
    LIST_PAGE_DOWN   "list-page-down"   ["pgdn"]           LIST   "move one screen of the list down"                          Move::PageDown;
    LIST_TOP         "list-top"         ["home"]           LIST   "go to the first entry"                                     Move::Top;
    LIST_BOTTOM      "list-bottom"      ["end"]            LIST   "go to the last entry"                                      Move::Bottom;

    CURSOR_UP        "cursor-up"        ["up"]             EDITOR "move the cursor up"                                        Move::Up;
    CURSOR_DOWN      "cursor-down"      ["down"]           EDITOR "move the cursor down"                                      Move::Down;
    CURSOR_LEFT      "cursor-left"      ["left"]           TYPED  "move the cursor left"                                      Move::Left;
    CURSOR_RIGHT     "cursor-right"     ["right"]          TYPED  "move the cursor right"                                     Move::Right;
    EDITOR_PAGE_UP   "editor-page-up"   ["pgup"]           EDITOR "move one screen up"                                        Move::PageUp;
    EDITOR_PAGE_DOWN "editor-page-down" ["pgdn"]           EDITOR "move one screen down"                                      Move::PageDown;
}

/// Moves, in a text the cursor, in a list the selection, elsewhere the rows.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn go(model: &mut Model, _: &mut Press<'_>, to: Move) -> Result<(), Refusal> {
    views::step(model, to);
    Ok(())
}
