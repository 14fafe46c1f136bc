//! Messages from the terminal.
//!
//! Must not know: what it means.

use super::key::Key;

/// From the terminal.
#[derive(Debug, Clone)]
pub enum TermMsg {
    /// A key.
    Key {
        /// Which.
        key: Key,
        /// Time at which it was read.
        at: u64,
    },
    /// Keys without modifiers that were read together, each with its time.
    Keys(Vec<(Key, u64)>),
    /// A bracketed paste. It goes into a text or is ignored.
    Paste {
        /// Its text.
        text: String,
        /// Time at which it was read.
        at: u64,
    },
    /// A new size.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The mouse.
    Mouse {
        /// Kind of action.
        mouse: Mouse,
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// True if the terminal's window got the focus, false if it lost it.
    Focus(bool),
    /// Red, green and blue of the terminal's background.
    Background([u8; 3]),
}

/// Mouse actions. Only the first button has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The button went down.
    Press,
    /// The mouse moved with the button down.
    Drag,
    /// The button went up.
    Release,
    /// One step of the wheel upwards.
    WheelUp,
    /// One step of the wheel downwards.
    WheelDown,
}
