//! The console's only door to a run: commands out, updates in.
//!
//! The command line adapts the engine, a recorded session or a test script to it. Must not know:
//! what is behind the door.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::diff;
use crate::domain::call::Digest;
use crate::domain::command::Command;
use crate::domain::envelope::Envelope;
use crate::domain::fork::ForkPreview;
use crate::domain::id::{NodeId, Rev, Seq, TurnId};
use crate::domain::live::Live;
use crate::domain::orphan_process::OrphanProcess;
use crate::domain::refusal::Refusal;
use crate::domain::state::State;
use crate::domain::transcript::sent::SentRequest;

/// A session that was written whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: String,
    /// The command that goes on with it.
    pub resume: String,
}

/// What comes from a run.
#[derive(Debug, Clone)]
pub enum Update {
    /// Everything so far; the first update, and again after a recorded run went back.
    Snapshot(Box<State>),
    /// Facts that are in a snapshot already, oldest first, for the log: at most the newest ones.
    Past(Vec<Arc<Envelope>>),
    /// One more fact.
    Event(Arc<Envelope>),
    /// What a stream has brought of blocks that are not facts yet; replaces what was known of the turn.
    Live(Live),
    /// A command that was sent through this door was carried out; what it made is recorded.
    Taken(Box<Command>),
    /// A command that was sent through this door was not carried out.
    Refused {
        /// The command.
        command: Box<Command>,
        /// Why.
        refusal: Refusal,
    },
    /// What a request said, which was asked for through this door.
    Sent {
        /// The turn.
        turn: TurnId,
        /// Which of its requests, counted from 1.
        request: u32,
        /// What was found.
        found: Result<Arc<SentRequest>, String>,
    },
    /// What the call that is looked at would replace, as that is now.
    Replaces {
        /// The call.
        look: LoadRequest,
        /// What was found.
        found: Replaced,
    },
    /// What still runs of a process that is watched through this door: once it was looked, and when that changes.
    Outlives {
        /// The process.
        process: OrphanCandidate,
        /// What runs of it; none where all of it has ended.
        left: Option<OrphanProcess>,
    },
    /// Something to tell the operator that is no fact of the run (a torn line that was set aside).
    Notice(String),
    /// Where a recorded run stands, and whether it plays.
    At(At),
    /// What a fork of a recorded run would be, which was asked for through this door; or why there can be none.
    ForkPreview(Result<Arc<ForkPreview>, String>),
    /// A fork is written, and may be gone on with; or it is not, and why.
    Forked {
        /// The new session.
        session: Result<NewSession, String>,
        /// True where it is gone on with at once.
        resume: bool,
    },
    /// Nothing more begins, and why.
    Halted(String),
    /// Nothing more will come.
    Ended,
}

/// A call whose decision is looked at, exactly as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadRequest {
    /// The call.
    pub call: NodeId,
    /// The revision.
    pub rev: Rev,
    /// Hash of what is shown.
    pub digest: Option<Digest>,
}

/// The process of an execution that may have outlived the program which had started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrphanCandidate {
    /// The call.
    pub call: NodeId,
    /// Its process id.
    pub pid: u32,
    /// Its start time in clock ticks since boot.
    pub ticks: u64,
}

/// A call that is looked at, its tool and its arguments.
pub type LoadTarget = (LoadRequest, Arc<str>, Arc<str>);

/// What a call would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    /// Nothing: there is no such file.
    Nothing,
    /// A text, which would differ from then on in these lines.
    Text(Arc<[diff::Line]>),
    /// Something that is not shown, and why; holds untrusted text.
    Unreadable(String),
}

/// Where a recorded run stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At {
    /// Events that are shown.
    pub event: usize,
    /// All events.
    pub of: usize,
    /// How fast it plays; none where it stands still.
    pub speed: Option<f64>,
}

impl At {
    /// In words, or in as few characters as that takes.
    pub fn describe(&self, narrow: bool) -> String {
        let Self { event, of, .. } = self;
        let speed = self.speed.map_or_else(String::new, |speed| format!(", {speed}x"));
        if narrow {
            format!("{event}/{of}{speed}")
        } else {
            format!("event {event} of {of}{speed}")
        }
    }
}

/// What went over the wire for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// The body that was sent.
    pub sent: Arc<str>,
    /// The body that came back.
    pub received: Arc<str>,
    /// True where there is more than is held here.
    pub more: bool,
}

/// The door.
pub trait Link: Send {
    /// Sends a command; that it was carried out, or its refusal, comes as an update.
    fn send(&mut self, command: Command);

    /// The next update. Never resolves again after [`Update::Ended`]. The future may be dropped and
    /// asked for again; no update is lost by that.
    fn next(&mut self) -> BoxFuture<'_, Update>;

    /// What went over the wire for a request; none where nothing was kept of it.
    fn wire(&mut self, _turn: TurnId, _request: u32) -> Result<Option<Frames>, String> {
        Ok(None)
    }

    /// Looks in the record for what a request of a turn said; it comes as an update, however long that takes.
    fn sent(&mut self, _turn: TurnId, _request: u32) {}

    /// Tells what a call with this tool and these arguments would replace, as an update, now and whenever that changes,
    /// until something else is looked at. A recorded run tells nothing.
    fn look(&mut self, _at: Option<LoadTarget>) {}

    /// Tells of each of these processes whether it still runs, as updates, and of no other any more. A recorded run
    /// tells nothing.
    fn watch(&mut self, _processes: Vec<OrphanCandidate>) {}

    /// Drives a recorded run; does nothing on a live one.
    fn replay(&mut self, _control: ReplayControl) {}

    /// Works on a fork from the place at which a recorded run stands; what came of it comes as an update. Does nothing
    /// on a live one.
    fn fork(&mut self, _step: Forking) {}
}

/// What is wanted of a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forking {
    /// To be told what it would be.
    Foresee,
    /// To have it, behind these events of the record.
    Write {
        /// The last of them.
        at: Seq,
        /// True where it is gone on with at once.
        resume: bool,
    },
}

/// How a recorded run is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayControl {
    /// Give events by their recorded pace.
    Play,
    /// Give none by itself.
    Pause,
    /// Give the next event.
    Step,
    /// Go back before the newest event: a snapshot follows.
    Back,
    /// Play faster.
    Faster,
    /// Play slower.
    Slower,
    /// Go to the position after this event: a snapshot follows where that is earlier.
    Seek(Seq),
    /// Go to the end.
    End,
}
