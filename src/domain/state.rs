//! The state of a run: the fold of its journal.
//!
//! Must not know: how events are decided.
//!
//! Only `apply` changes it. The sets in [`Agenda`] are indices over statuses: with them a step
//! costs what it touches, not what there is.

mod agenda;
mod edit_record;
mod ledger_entry;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::active::Active;
use super::agent::Agent;
use super::approval_stats::ApprovalStats;
use super::breaker::{Breaker, Scope};
use super::call::{AttemptRecord, Call, Status};
use super::context_prefix::ContextPrefix;
use super::envelope::Via;
use super::escape::Escape;
use super::event::run::{Limits, Started, ToolCard};
use super::files::{Execution, FilesRecord};
use super::fork::{Fork, Happened};
use super::id::{Epoch, NodeId, Seq, ThreadId, TurnId};
use super::ladder::parse_span;
use super::node::Node;
use super::price::RunCost;
use super::reduction::summary::SummaryQuestion;
use super::reference::rewrite::{self, Scanned};
use super::repair_stats::RepairStats;
use super::rule::SessionRule;
use super::sandbox::{KeptChange, Profile, Widening};
use super::thread::Child;
use super::tool_change::ToolChange;
use super::turn::{Turn, Usage};
use super::weight::{Imported, ToolOffer, Word};

pub use super::event::edit::EpochOrigin;
pub use agenda::{Agenda, ByName};
pub use edit_record::{EditRecord, EpochRecord};
pub use ledger_entry::{LedgerEntry, LedgerOutcome, More};

/// The status of a call that the agent of another program has.
pub const WITH_AGENT: &str = "with the agent";

/// Everything that is true of a run now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// What the run was begun with; none before the first event.
    pub started: Option<Arc<Started>>,
    /// What the run does.
    pub mode: Mode,
    /// Counts committed edits.
    pub epoch: Epoch,
    /// The newest event.
    pub seq: Seq,
    /// Every node that ever was.
    pub nodes: BTreeMap<NodeId, Node>,
    /// The life of every call.
    pub calls: BTreeMap<NodeId, Call>,
    /// Every turn that ever was.
    pub turns: BTreeMap<TurnId, Turn>,
    /// Which turns belong together.
    pub threads: Threads,
    /// Every execution, by the event of its intent.
    pub ledger: BTreeMap<Seq, LedgerEntry>,
    /// Indices over the above.
    pub agenda: Agenda,
    /// Where the run comes from.
    pub origin: RunOrigin,
    /// What is in force.
    pub settings: Settings,
    /// What the operator did and does.
    pub operator: OperatorRecord,
    /// What the run taught about tools, servers and itself.
    pub learned: Learned,
    /// Counts, sums and times.
    pub tally: Tally,
}

/// Which turns belong together: the conversation of the run, and those of its sub-agents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Threads {
    /// The turns of each thread in their order, superseded ones included.
    pub turns: BTreeMap<ThreadId, Vec<TurnId>>,
    /// The sub-agents that ever were, by their thread.
    pub children: BTreeMap<ThreadId, Child>,
    /// The hashed prefix of each thread's context: what it was last asked with, only while nothing of that has changed.
    pub context_prefixes: BTreeMap<ThreadId, ContextPrefix>,
}

/// Where a run comes from: its start, the sessions that it is a copy of, the agent that it supervises.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOrigin {
    /// UTC milliseconds of the start; distinguishes runs that start with the same data.
    pub begun_at: i64,
    /// How the run was first set up, whatever it was refitted with later: stands for the run in
    /// idempotency keys.
    pub genesis: Arc<str>,
    /// The sessions that this one began as a copy of, the nearest last.
    pub forks: Vec<Fork>,
    /// Effects of those sessions after the fork points, by the event that records them here.
    pub elsewhere: BTreeMap<Seq, Happened>,
    /// The agent of another program that the run supervises.
    pub agent: Agent,
}

/// What is in force in a run, and may be changed while it works.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Name of the session, where the operator gave one.
    pub title: Option<String>,
    /// Name of the policy in force.
    pub policy: String,
    /// Rules that the operator wrote, by their number; dropped ones included.
    pub rules: Vec<SessionRule>,
    /// Limits in force.
    pub limits: Limits,
    /// Why only reading calls start; none where every call may. It is a fact of the run: no edit or undo changes it.
    pub restricted: Option<Arc<str>>,
    /// One launch or request may pass although the run is paused.
    pub step: bool,
    /// Settings for failures, if recorded.
    pub resilience: Option<Configured>,
    /// Tools as they were before the run was set up again, oldest first.
    pub tool_changes: Vec<ToolChange>,
    /// What the operator allowed the children of the run in addition, oldest first.
    pub widenings: Vec<Widening>,
}

/// What the operator did and does: edits with the epochs that they began, open editors, decisions.
/// Edits by a rule of the engine are kept with them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperatorRecord {
    /// Committed edits, oldest first.
    pub edits: Vec<EditRecord>,
    /// How each epoch began, from epoch 1.
    pub epochs: Vec<EpochRecord>,
    /// The questions to the model for summaries of turns, by the event that asked. One that failed stays until its thread
    /// asks again.
    pub summaries: BTreeMap<Seq, SummaryQuestion>,
    /// The nodes that editors are open on, each with the calls that wait for it.
    pub editing: BTreeMap<NodeId, BTreeSet<NodeId>>,
    /// Calls that wait for an open editor.
    pub held: BTreeSet<NodeId>,
    /// Where the operator decided or edited, by the number of the event; nothing if it is not
    /// recorded.
    pub via: BTreeMap<Seq, Via>,
    /// Results that were reused without a person, by the event of the decision: such a decision
    /// does not name its author.
    pub unasked: BTreeSet<Seq>,
    /// How often the operator was asked, and by what.
    pub asks: ApprovalStats,
    /// What is known of the files of the workspace.
    pub files: FilesRecord,
    /// Undone changes that the operator wants. Whether their content was restored is not recorded.
    pub kept: Vec<KeptChange>,
}

/// What a run taught about tools, servers and itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Learned {
    /// Recorded loops and steps.
    pub escape: Escape,
    /// Breakers that were used so far.
    pub breakers: BTreeMap<Scope, Breaker>,
    /// The forms of requests that each server was found to want, by name, in the order in which they were learned.
    pub quirks: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// Recorded data about weights.
    pub weights: WeightState,
    /// How repairs did, by tool and strategy.
    pub repair_stats: RepairStats,
}

/// Counts, sums and times of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// The highest node number given out.
    pub last_no: u32,
    /// The highest turn given out.
    pub last_turn: u32,
    /// The highest thread given out.
    pub last_thread: u32,
    /// Requests made.
    pub requests: u32,
    /// Tokens of all requests.
    pub usage: Usage,
    /// What they cost, as far as that is known.
    pub spent: RunCost,
    /// The limit that stopped the run, with its figures.
    pub limit_reached: Option<(String, String)>,
    /// When each event was recorded.
    pub times: Vec<(Seq, i64)>,
    /// Time during which something was under way.
    pub active: Active,
}

/// Recorded data about weights; the weights themselves are computed from the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WeightState {
    /// Where weights begin, if another run had learnt any.
    pub imported: Option<Imported>,
    /// The operator's settings, oldest first.
    pub words: Vec<Word>,
    /// The tools that are offered to each thread's model in a different way.
    pub offers: BTreeMap<ThreadId, Vec<ToolOffer>>,
    /// Executions when the weights were last written down.
    pub noted: u64,
}

/// The settings for failures, as recorded last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    /// Counts the settings of the run.
    pub version: u32,
    /// The whole tree, as JSON text.
    pub policy: Arc<str>,
    /// True where the operator changed it in the run.
    pub live: bool,
    /// Milliseconds for which a model that is overloaded, gone or unreachable is waited for.
    pub model_wait_ms: u64,
}

impl Configured {
    /// Milliseconds for which a model is waited for where no setting says it.
    pub const MODEL_WAIT_MS: u64 = 600_000;

    /// Reads settings that were recorded as text.
    pub fn of(version: u32, policy: Arc<str>, live: bool) -> Self {
        let tree = serde_json::from_str::<serde_json::Value>(&policy).ok();
        let wait = tree
            .as_ref()
            .and_then(|tree| tree.pointer("/model/wait")?.as_str());
        Self {
            version,
            model_wait_ms: wait.and_then(parse_span).unwrap_or(Self::MODEL_WAIT_MS),
            policy,
            live,
        }
    }
}

/// What a run does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mode {
    /// Works, or waits for something.
    #[default]
    Running,
    /// Starts nothing new.
    Paused(String),
    /// Nothing continues by itself any more.
    Stopped(String),
    /// Has its answer.
    Finished(NodeId),
}

/// Why a run pauses whose turn was stopped.
pub const TURN_STOPPED: &str = "turn stopped by the operator";

impl State {
    /// Returns the record of an attempt of a call.
    pub fn attempt(&self, of: Execution) -> Option<&AttemptRecord> {
        let attempts = &self.calls.get(&of.call)?.attempts;
        attempts.iter().find(|one| one.no == of.attempt)
    }

    /// Milliseconds for which a model that is overloaded, gone or unreachable is waited for.
    pub fn model_wait_ms(&self) -> u64 {
        let set = self.settings.resilience.as_ref();
        set.map_or(Configured::MODEL_WAIT_MS, |set| set.model_wait_ms)
    }

    /// How the children of the run are confined: as it was started or last set up, with what the operator allowed since.
    pub fn sandbox_profile(&self) -> Profile {
        let recorded = self
            .started
            .as_ref()
            .and_then(|one| one.sandbox.profile.as_deref());
        let recorded = recorded.cloned().unwrap_or_default();
        recorded.widened(&self.settings.widenings)
    }

    /// The node of this id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    /// The call of this id (an observation's id gives its call).
    pub fn call(&self, id: NodeId) -> Option<&Call> {
        self.calls.get(&id.call())
    }

    /// Returns the active and suspended turns of a thread, in order, without the questions of servers: these are no part
    /// of the conversation.
    pub fn turns_of(&self, thread: ThreadId) -> impl DoubleEndedIterator<Item = &Turn> {
        self.threads
            .turns
            .get(&thread)
            .into_iter()
            .flatten()
            .filter_map(|id| self.turns.get(id))
            .filter(|turn| !matches!(turn.activity, super::turn::Activity::Superseded(_)))
            .filter(|turn| turn.producer != super::turn::Producer::Server)
    }

    /// Returns true for the run of an agent of another program. Its tools know nothing of references and labels: the
    /// arguments of its calls are data, whatever is in them.
    pub fn is_of_agent(&self) -> bool {
        let tools = self.started.iter().flat_map(|started| &started.tools);
        tools.take(1).any(ToolCard::is_of_agent)
    }

    /// Returns the status of a call as a few lower-case words. One that another program's agent executes is with the agent:
    /// whether it runs there is not known.
    pub fn status_words(&self, call: &Call) -> Cow<'static, str> {
        match call.status {
            Status::Running(_) if self.is_of_agent() => Cow::Borrowed(WITH_AGENT),
            _ => call.status.label(),
        }
    }

    /// Returns true for a turn with words that the agent of another program sent. It sends them again.
    pub fn has_words_of_agent(&self, turn: &Turn) -> bool {
        let mut nodes = turn.nodes.iter().filter_map(|id| self.nodes.get(id));
        nodes.any(Node::is_from_agent)
    }

    /// Returns what an argument text says besides the arguments themselves.
    pub fn scan(&self, args: &str) -> Scanned {
        if self.is_of_agent() {
            return Scanned::default();
        }
        rewrite::scan(args)
    }

    /// Returns the turn of a node.
    pub fn turn_of(&self, node: NodeId) -> Option<&Turn> {
        self.turns.get(&self.nodes.get(&node)?.turn)
    }

    /// The active observation of a call.
    pub fn observation(&self, call: NodeId) -> Option<&Node> {
        self.nodes.get(&call.observation()).filter(|node| node.active)
    }

    /// Executions of a sameness of tool and arguments, in journal order.
    pub fn same<'s>(&'s self, same: &str) -> impl Iterator<Item = &'s LedgerEntry> + use<'s> {
        let found = self.agenda.same.get(same).into_iter().flatten();
        found.filter_map(|seq| self.ledger.get(seq))
    }

    /// Effects of other runs of a sameness of tool and arguments, in the order in which they are recorded here.
    pub fn same_elsewhere<'s>(&'s self, same: &str) -> impl Iterator<Item = (Seq, &'s Happened)> + use<'s> {
        let found = self.agenda.same.get(same).into_iter().flatten();
        found.filter_map(|seq| Some((*seq, self.origin.elsewhere.get(seq)?)))
    }

    /// When an event was recorded, in UTC milliseconds; none where that is not known.
    pub fn recorded_at(&self, seq: Seq) -> Option<i64> {
        let at = self
            .tally
            .times
            .binary_search_by_key(&seq, |(seq, _)| *seq)
            .ok()?;
        self.tally.times.get(at).map(|(_, at)| *at)
    }

    /// The operator's queue: calls that wait for a person, in the order in which they became ready.
    pub fn queue(&self) -> impl Iterator<Item = &Call> {
        self.agenda.waiting.values().filter_map(|id| self.calls.get(id))
    }
}
