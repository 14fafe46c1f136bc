//! Events that reach the console, and the actions that it requests in return.
//!
//! Must not know: where messages come from, how a request is carried out.
//!
//! Time is part of the message (milliseconds of a monotonic clock), so that an update is a pure
//! function.

use std::path::PathBuf;
use std::sync::Arc;

use super::files::{KeptPrice, KeptRule, Read, RuleScope};
use crate::ground::doc::Finding;
use crate::ground::term_msg::TermMsg;
use crate::run::file_look::FileLook;
use crate::run::link::{Forking, Frames, LoadTarget, OrphanCandidate, ReplayControl, ServerOrder, Update};
use overrule_domain::command::Command;
use overrule_domain::id::TurnId;
use overrule_resilience::correction::Correction;

/// A message to the console.
#[derive(Debug, Clone)]
pub enum Msg {
    /// From the keyboard.
    Term(TermMsg),
    /// The console has the terminal again after another program had it.
    Retaken {
        /// Time, in milliseconds.
        at: u64,
    },
    /// From the run.
    Run(Update),
    /// A frame is on the screen.
    Drawn {
        /// Time at which it was flushed, after all earlier input was read.
        at: u64,
    },
    /// Time has passed. Sent at [`super::model::Model::wake_at`] at the latest.
    Tick {
        /// Time, in milliseconds.
        at: u64,
    },
    /// The files of themes and keys were read.
    Files(Read),
    /// `$EDITOR` ended.
    Edited(Result<EditedFile, String>),
    /// Wire data of the requested request.
    Wire(Result<Option<Frames>, String>),
    /// A computed fact about a long text.
    Found(Finding),
    /// Result of saving a text to a file.
    Saved(Result<String, String>),
    /// Result of storing a correction in the operator's settings.
    CorrectionStored(Result<Box<Correction>, String>),
    /// Result of keeping a rule in a file of the operator: the file.
    RuleKept(Result<String, String>),
    /// Earlier tasks of the workspace, the newest first.
    Tasks(Vec<String>),
    /// Names of the files of the workspace.
    Names(Arc<[String]>),
    /// `$EDITOR`, opened for reading, ended.
    Shown(Result<(), String>),
}

/// The result of `$EDITOR`.
#[derive(Debug, Clone)]
pub struct EditedFile {
    /// The text.
    pub text: String,
    /// Its file, kept until [`Out::Discard`].
    pub file: PathBuf,
}

/// A request to the outside of the console.
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
    /// Store in the operator's settings; [`Msg::CorrectionStored`] follows.
    Keep(Box<Correction>),
    /// Keep in the operator's settings; [`Msg::Saved`] follows.
    KeepPrice(KeptPrice),
    /// Keep in a file of the operator; [`Msg::RuleKept`] follows.
    KeepRule(RuleScope, KeptRule),
    /// Read the earlier tasks of the workspace; [`Msg::Tasks`] follows.
    Tasks,
    /// List the files of the workspace; [`Msg::Names`] follows.
    Names,
    /// Open in `$EDITOR`; [`Msg::Edited`] follows.
    Edit(String),
    /// Delete the file that `$EDITOR` wrote: the console has copied its text.
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
    /// Search for the content of a request; [`crate::run::link::Update::Sent`] follows.
    Sent {
        /// The turn.
        turn: TurnId,
        /// Which of its requests, counted from 1.
        request: u32,
    },
    /// Request what a call with this tool and these arguments would replace; none to end that.
    /// [`crate::run::link::Update::Replaces`] follows.
    Look(Option<LoadTarget>),
    /// Ask about files of the workspace; [`crate::run::link::Update::Files`] follows.
    LookAtFiles(FileLook),
    /// Watch exactly these processes; [`crate::run::link::Update::OrphanFound`] follows.
    Watch(Vec<OrphanCandidate>),
    /// Carry out an order about a server of tools.
    Server(ServerOrder),
    /// The operator saw all alarms.
    AlarmsSeen,
    /// Clear the screen and draw everything.
    Redraw,
    /// Capture the mouse, or leave it to the terminal's own selection.
    Mouse(bool),
    /// Suspend the program in the shell.
    Suspend,
    /// Alert the operator outside of the screen.
    Alert(String),
    /// Quit the console.
    Quit(Leave),
}

/// How the console was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave {
    /// Nothing was running, or the operator chose not to wait.
    Quit,
    /// Ctrl-C twice.
    Interrupted,
    /// Resume the session of this id.
    Resume(String),
    /// Show the conversation with this session instead.
    Show(String),
    /// A signal terminated the process.
    Killed(String),
}
