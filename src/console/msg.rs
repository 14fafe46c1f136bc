//! What happens to the console, and what it asks for in return.
//!
//! Time is part of the message (milliseconds of a monotonic clock), so that an update is a function
//! of its arguments. Must not know: where messages come from, how a request is carried out.

use std::path::PathBuf;
use std::sync::Arc;

use super::doc::Finding;
use super::files::Read;
use super::key::Key;
use super::link::{Forking, Frames, LoadTarget, OrphanCandidate, ReplayControl, Update};
use crate::domain::command::Command;
use crate::domain::id::TurnId;
use crate::resilience::correction::Correction;

/// Something happened.
#[derive(Debug, Clone)]
pub enum Msg {
    /// From the keyboard.
    Term(TermMsg),
    /// The console has the terminal again, after somebody else had it.
    Retaken {
        /// When.
        at: u64,
    },
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
    /// The files of themes and keys were read.
    Files(Read),
    /// `$EDITOR` ended.
    Edited(Result<EditedFile, String>),
    /// What went over the wire for the request that was asked for.
    Wire(Result<Option<Frames>, String>),
    /// What was worked out about a long text.
    Found(Finding),
    /// What came of a text that was to be written into a file.
    Saved(Result<String, String>),
    /// What came of a correction that was to be kept in the operator's settings.
    CorrectionStored(Result<Box<Correction>, String>),
    /// `$EDITOR` ended that was opened to read.
    Shown(Result<(), String>),
}

/// What `$EDITOR` left.
#[derive(Debug, Clone)]
pub struct EditedFile {
    /// The text.
    pub text: String,
    /// The file that it is in, until [`Out::Discard`].
    pub file: PathBuf,
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
    /// Keys without modifiers that waited together, with the time at which each came.
    Keys(Vec<(Key, u64)>),
    /// A bracketed paste: goes into a text or nowhere.
    Paste {
        /// Its text.
        text: String,
        /// When it was read.
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
        /// What was done.
        mouse: Mouse,
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// The terminal's window has the focus, or has it no longer.
    Focus(bool),
}

/// What can be done with the mouse. Only its first button does anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The button went down.
    Press,
    /// It was moved with the button down.
    Drag,
    /// The button went up.
    Release,
    /// A notch of the wheel.
    WheelUp,
    /// A notch of the wheel.
    WheelDown,
}

/// Something to do outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Out {
    /// Send to the run.
    Command(Command),
    /// Drive a recorded run.
    Replay(ReplayControl),
    /// Work on a fork of a recorded run; [`Update::ForkPreview`] or [`Update::Forked`] follows.
    Fork(Forking),
    /// Put into the terminal's clipboard.
    Copy(String),
    /// Write into a new file; [`Msg::Saved`] follows.
    Save {
        /// The file.
        path: String,
        /// The text.
        text: Arc<str>,
    },
    /// Keep in the operator's settings; [`Msg::Kept`] follows.
    Keep(Box<Correction>),
    /// Open in `$EDITOR`; [`Msg::Edited`] follows.
    Edit(String),
    /// Take away what `$EDITOR` wrote: all of it was taken over.
    Discard(PathBuf),
    /// Open in `$EDITOR` to read; [`Msg::Shown`] follows.
    Show(String),
    /// Read what went over the wire for a request; [`Msg::Wire`] follows.
    Wire {
        /// The turn.
        turn: TurnId,
        /// The request.
        request: u32,
    },
    /// Look for what a request said; [`super::link::Update::Sent`] follows.
    Sent {
        /// The turn.
        turn: TurnId,
        /// Which of its requests, counted from 1.
        request: u32,
    },
    /// Look at what a call with this tool and these arguments would replace, or at nothing any more;
    /// [`super::link::Update::Replaces`] follows.
    Look(Option<LoadTarget>),
    /// Look whether these processes still run, and whether any other does no more;
    /// [`super::link::Update::Outlives`] follows.
    Watch(Vec<OrphanCandidate>),
    /// Clear the screen and draw everything.
    Redraw,
    /// Take the mouse, or leave it to the terminal's own selection.
    Mouse(bool),
    /// Stop the program in the shell.
    Suspend,
    /// Tell the operator outside of the screen that they are needed.
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
    /// To go on with the session of this id.
    Resume(String),
    /// The process was told to end.
    Killed(String),
}
