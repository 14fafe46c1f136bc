//! Connects the console to a run: commands out, updates in.
//!
//! Must not know: what implements the connection.
//!
//! The command line adapts the engine, a recorded session or a test script to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::file_look::{FileLook, FilesFound};
use super::replay::Mark;
use crate::ground::diff;
use overrule_domain::call::Digest;
use overrule_domain::command::Command;
use overrule_domain::envelope::Envelope;
use overrule_domain::fork::ForkPreview;
use overrule_domain::id::{NodeId, Rev, Seq, TurnId};
use overrule_domain::live::{AgentStatus, Live, LiveOutput};
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::refusal::Refusal;
use overrule_domain::state::State;
use overrule_domain::transcript::sent::SentRequest;

/// A session that was written completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: String,
    /// The command that resumes it.
    pub resume: String,
}

/// The body of a request as the server gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentBody {
    /// The wire format.
    pub wire: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// True if these are the bytes that were sent; false if they were written again from the record.
    pub is_kept: bool,
}

/// A server of tools, as the process of the run sees it. Its text is untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerState {
    /// Its name.
    pub name: String,
    /// `starting`, `ready`, `restarting` or `down`.
    pub state: &'static str,
    /// Why it is not ready.
    pub why: Option<String>,
    /// How it is confined; none where it is no program of this machine.
    pub confined: Option<&'static str>,
    /// The version of the protocol, and its process.
    pub about: String,
    /// Hash of its definitions; none before they were read.
    pub hash: Option<String>,
    /// How they differ from the accepted ones, line by line. Long values are cut.
    pub drift: Vec<String>,
    /// The whole difference, safe to show; none if there is none or it is too long for a page.
    pub difference: Option<Arc<str>>,
    /// Its tools.
    pub tools: Vec<ServerTool>,
    /// The newest lines of its log.
    pub log: Vec<String>,
    /// The file of its log.
    pub log_file: Option<String>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerTool {
    /// Its name at the server.
    pub name: String,
    /// The name under which it is offered; none if it is not.
    pub offered: Option<Arc<str>>,
    /// Hash of its definition.
    pub pin: String,
    /// Tokens of its definition, about.
    pub tokens: usize,
}

/// An order about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerOrder {
    /// Accept its definitions.
    Accept {
        /// Its name.
        server: String,
        /// Hash of the definitions that were shown.
        hash: String,
    },
    /// Refuse them: end the server.
    Refuse {
        /// Its name.
        server: String,
    },
}

/// Another conversation of the agent, with a session of its own. Its text is untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversation {
    /// Its session.
    pub session: String,
    /// The beginning of its first prompt; empty before there is one.
    pub name: String,
    /// Number of calls and broken replies that wait for a decision.
    pub waiting: usize,
    /// True while a call or a request of it runs, or waits for a decision.
    pub is_open: bool,
    /// What its agent does.
    pub agent: AgentStatus,
}

/// What the operator must see, although it is no event of the run. Its text is untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// What happened, and what to do.
    pub words: String,
    /// True once the operator saw it.
    pub is_seen: bool,
}

/// A message from a run.
#[derive(Debug, Clone)]
pub enum Update {
    /// All alarms, oldest first. One that turned out false is missing.
    Alarms(Arc<[Alarm]>),
    /// What an agent of another program does, and its other conversations, the next one first.
    Conversations {
        /// What the agent of this one does.
        agent: AgentStatus,
        /// The others.
        others: Arc<[Conversation]>,
    },
    /// The whole state: the first update, and again after a recorded run went back.
    Snapshot(Box<State>),
    /// Events that a snapshot already includes, oldest first, for the log. At most the newest ones.
    Past(Vec<Arc<Envelope>>),
    /// A new event.
    Event(Arc<Envelope>),
    /// Stream content that is not an event yet. Replaces earlier content of the turn.
    Live(Live),
    /// The newest output of the running calls that have any. Replaces what was known before.
    Outputs(BTreeMap<NodeId, LiveOutput>),
    /// A command sent through this link was carried out. Its events are recorded.
    Taken(Box<Command>),
    /// A command sent through this link was refused.
    Refused {
        /// The command.
        command: Box<Command>,
        /// Why.
        refusal: Refusal,
    },
    /// The content of a request, as asked for through this link.
    Sent {
        /// The turn.
        turn: TurnId,
        /// Which of its requests, counted from 1.
        request: u32,
        /// The result.
        found: Result<Arc<SentRequest>, String>,
        /// Its body; none where a script answered.
        body: Option<SentBody>,
    },
    /// What the inspected call would replace now.
    Replaces {
        /// The call.
        look: LoadRequest,
        /// The result.
        found: Replaced,
        /// BLAKE3 hash of the file that it was made from; empty if there is no file, none if it is not known.
        base: Option<Arc<str>>,
    },
    /// An answer about files of the workspace.
    Files(FilesFound),
    /// State of a process watched through this link: sent after the first check and on each change.
    OrphanFound {
        /// The process.
        process: OrphanCandidate,
        /// The orphan process; none once all of it has ended.
        left: Option<OrphanProcess>,
    },
    /// The git repository of the workspace, whenever something about it changed; none outside of one.
    Repository(Option<Repository>),
    /// The servers of the run, whenever something about them changed.
    Servers(Arc<[ServerState]>),
    /// A notice for the operator that is no event of the run, such as a torn line that was set
    /// aside.
    Notice(String),
    /// Position of a recorded run, and whether it plays.
    At(At),
    /// The marks of a recorded run, in order.
    Marks(Arc<[Mark]>),
    /// Preview of a fork of a recorded run, as asked for through this link; or why there is none.
    ForkPreview(Result<Arc<ForkPreview>, String>),
    /// A fork was written and can be resumed, or the reason why it was not written.
    Forked {
        /// The new session.
        session: Result<NewSession, String>,
        /// True to resume it immediately.
        resume: bool,
    },
    /// The run starts nothing new, and why.
    Halted(String),
    /// No further update follows.
    Ended,
}

/// The git repository of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The branch, or the beginning of the commit. Untrusted text.
    pub branch: String,
    /// The number of changed files; none if it is not known.
    pub changed: Option<usize>,
}

/// A call whose decision the operator inspects, exactly as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadRequest {
    /// The call.
    pub call: NodeId,
    /// The revision.
    pub rev: Rev,
    /// Hash of what is shown.
    pub digest: Option<Digest>,
}

/// The process of an execution that may still run after a crash of the program that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrphanCandidate {
    /// The call.
    pub call: NodeId,
    /// Its process id.
    pub pid: u32,
    /// Its start time in clock ticks since boot.
    pub ticks: u64,
}

/// An inspected call with its tool and arguments.
pub type LoadTarget = (LoadRequest, Arc<str>, Arc<str>);

/// What a call would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    /// Nothing: there is no such file.
    Nothing,
    /// A text, with the lines that would change.
    Text(Arc<[diff::Line]>),
    /// Content that is not shown, and why. Holds untrusted text.
    Unreadable(String),
}

/// Position in a recorded run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At {
    /// Number of events shown.
    pub event: usize,
    /// All events.
    pub of: usize,
    /// Speed of the playback; none while paused.
    pub speed: Option<f64>,
}

impl At {
    /// The position as text, and how it plays.
    pub fn describe(&self) -> String {
        let Self { event, of, .. } = self;
        format!("#{event} of {of}, {}", self.pace())
    }

    /// How it plays.
    pub fn pace(&self) -> String {
        match self.speed {
            Some(speed) => format!("{speed}x"),
            None => "paused".to_owned(),
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
    /// True if the bodies are longer than what is stored here.
    pub more: bool,
}

/// Connection to a run.
pub trait Link: Send {
    /// Sends a command. An update reports that it was carried out or refused.
    fn send(&mut self, command: Command);

    /// The next update. Never resolves again after [`Update::Ended`]. Dropping the future and
    /// calling again loses no update.
    fn next(&mut self) -> BoxFuture<'_, Update>;

    /// What went over the wire for a request; none if nothing was stored.
    fn wire(&mut self, _turn: TurnId, _request: u32) -> Result<Option<Frames>, String> {
        Ok(None)
    }

    /// Searches the journal for the content of a request of a turn. The result comes as an update.
    fn sent(&mut self, _turn: TurnId, _request: u32) {}

    /// Asks what a call with this tool and these arguments would replace. Updates report it now and
    /// on each change, until the next call. A recorded run reports nothing.
    fn look(&mut self, _at: Option<LoadTarget>) {}

    /// Asks about files of the workspace. An update answers, in any order. An error says why no file can be looked at here.
    fn look_at_files(&mut self, _look: &FileLook) -> Result<(), String> {
        Err("the files of this run cannot be looked at here".to_owned())
    }

    /// Watches exactly these processes: updates report whether each still runs. A recorded run
    /// reports nothing.
    fn watch(&mut self, _processes: Vec<OrphanCandidate>) {}

    /// Carries out an order about a server. A notice reports a failure; a recorded run does nothing.
    fn order(&mut self, _order: ServerOrder) {}

    /// The operator saw all alarms. A recorded run has none.
    fn alarms_seen(&mut self) {}

    /// Drives a recorded run; does nothing on a live one.
    fn replay(&mut self, _control: ReplayControl) {}

    /// Works on a fork from the current position of a recorded run. The result comes as an update.
    /// Does nothing on a live run.
    fn fork(&mut self, _step: Forking) {}
}

/// What to do about a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forking {
    /// Preview it.
    Foresee,
    /// Write it after these events of the journal.
    Write {
        /// The last of these events.
        at: Seq,
        /// True to resume it immediately.
        resume: bool,
    },
}

/// How a recorded run is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayControl {
    /// Emit events at their recorded pace.
    Play,
    /// Stop the playback.
    Pause,
    /// Emit the next event.
    Step,
    /// Go back before the newest event. A snapshot follows.
    Back,
    /// Play faster.
    Faster,
    /// Play slower.
    Slower,
    /// Go to the position after this event. A snapshot follows if it is earlier.
    Seek(Seq),
    /// Go to the end.
    End,
}
