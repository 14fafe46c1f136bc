//! What happens to the console, and what it asks for in return.
//!
//! Time is part of the message (milliseconds of a monotonic clock), so that an update is a function
//! of its arguments. Must not know: where messages come from, how a request is carried out.

use super::key::Key;
use super::link::{ReplayControl, Update};
use crate::domain::command::Command;

/// Something happened.
#[derive(Debug, Clone)]
pub enum Msg {
    /// From the keyboard.
    Term(TermMsg),
    /// From the run.
    Run(Update),
    /// A frame is on the screen.
    Drawn {
        /// When it was flushed, all input before it read.
        at: u64,
    },
    /// Time has passed; sent at the latest at [`super::model::Model::wake_at`].
    Tick {
        /// Now.
        at: u64,
    },
    /// `$EDITOR` ended.
    Edited(Result<String, String>),
    /// The process was told to end (SIGTERM, SIGHUP, terminal gone).
    Killed(String),
}

/// From the terminal.
#[derive(Debug, Clone)]
pub enum TermMsg {
    /// A key.
    Key {
        /// Which.
        key: Key,
        /// When it was read.
        at: u64,
    },
    /// A bracketed paste: goes into a text or nowhere.
    Paste(String),
    /// A new size.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The mouse wheel: rows, negative is up.
    Wheel(i16),
}

/// Something to do outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Out {
    /// Send to the run.
    Command(Command),
    /// Drive a recorded run.
    Replay(ReplayControl),
    /// Put into the terminal's clipboard.
    Copy(String),
    /// Open in `$EDITOR`; [`Msg::Edited`] follows.
    Edit(String),
    /// Clear the screen and draw everything.
    Redraw,
    /// Stop the program in the shell.
    Suspend,
    /// Tell the operator outside of the screen that he is needed.
    Alert(String),
    /// Leave.
    Quit(Leave),
}

/// How the console was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave {
    /// Nothing was running, or the operator left it as it is.
    Quit,
    /// Ctrl-C twice.
    Interrupted,
    /// The process was told to end.
    Killed(String),
}
