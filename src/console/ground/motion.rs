//! Moves of a cursor, and of the rows on screen.
//!
//! Must not know: what moves.

/// Moves in a pane or page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// To the left: the previous tab, or fold.
    Left,
    /// To the right: the next tab, or unfold.
    Right,
    /// A screen up.
    PageUp,
    /// A screen down.
    PageDown,
    /// Half a screen up.
    HalfUp,
    /// Half a screen down.
    HalfDown,
    /// To the first row.
    Top,
    /// To the last row, and follow it.
    Bottom,
}

/// The row of a short list that is marked after a move from one of its rows; `last` is the last of them.
pub(crate) fn marked(to: Move, at: usize, last: usize) -> usize {
    match to {
        Move::Up => at.saturating_sub(1),
        Move::Down => (at + 1).min(last),
        Move::Top | Move::PageUp | Move::HalfUp => 0,
        Move::Bottom | Move::PageDown | Move::HalfDown => last,
        Move::Left | Move::Right => at,
    }
}

/// Rows of a move.
pub(crate) fn by(to: Move, page: usize) -> isize {
    let page = isize::try_from(page).unwrap_or(1).max(1);
    match to {
        Move::Up => -1,
        Move::Down => 1,
        Move::HalfUp => -(page / 2).max(1),
        Move::HalfDown => (page / 2).max(1),
        Move::PageUp => -(page - 1).max(1),
        Move::PageDown => (page - 1).max(1),
        Move::Left | Move::Right | Move::Top | Move::Bottom => 0,
    }
}
