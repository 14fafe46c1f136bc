//! Changes of a text, and moves in it, that are no plain moves of the cursor.
//!
//! Must not know: keys, how a change is made.

/// Editing of a text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextVerb {
    /// Undo the last change.
    Undo,
    /// Redo the last undone change.
    Redo,
    /// A word to the left.
    WordLeft,
    /// A word to the right.
    WordRight,
    /// Start of the line.
    LineStart,
    /// End of the line.
    LineEnd,
    /// First line.
    First,
    /// Last line.
    Last,
    /// Erase the word before the cursor.
    EraseWord,
    /// Erase to the start of the line.
    EraseStart,
    /// Erase to the end of the line.
    EraseEnd,
    /// Extend the selection.
    Select(Reach),
    /// Cut the selection.
    Cut,
    /// To the next match.
    FindNext,
    /// To the previous match.
    FindBack,
}

/// How far a selection extends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// A character to the left.
    Left,
    /// A character to the right.
    Right,
    /// A line up.
    Up,
    /// A line down.
    Down,
    /// To the start of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// Everything.
    All,
}
