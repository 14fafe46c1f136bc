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
