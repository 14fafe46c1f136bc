//! The run as the console knows it: its own fold, and what is still streaming.
//!
//! Must not know: panes.
//!
//! The state changes only by folding received envelopes, as [`fold`](super::fold) does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::batch::Batch;
use super::danger::KnownMarks;
use super::file_look::KnownFiles;
use super::fold::{WorkTime, open_streams};
use super::idle_time::LastActivity;
use super::orphan_status::OrphanStatus;
use super::pace::StreamPace;
use super::run_phase::RunPhase;
use crate::run::link::{
    Alarm, At, Conversation, Frames, LoadRequest, OrphanCandidate, Replaced, Repository, SentBody,
    ServerState,
};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::run::replay::Mark;
use crate::run::target::NameHash;
use overrule_base::text::visible;
use overrule_domain::breaker::Phase;
use overrule_domain::call::Call;
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{NodeId, Rev, TurnId};
use overrule_domain::live::{AgentStatus, Live, LiveOutput};
use overrule_domain::node::Node;
use overrule_domain::pending_retry::{self, PendingRetry, Until};
use overrule_domain::state::{Mode, State};
use overrule_domain::transcript;
use overrule_domain::turn::{Stream, Turn};
use overrule_policy::Danger;
use overrule_resilience::attention::{Attention, AttentionReason, standstill};
use overrule_resilience::routing::Row as Weight;
use overrule_resilience::watch::Watch;

/// Minimum length of an automatic delay that is shown, in milliseconds. A shorter one would only
/// flicker.
pub const NOTICED_MS: u64 = 1_000;

/// The run.
#[derive(Debug, Clone, Default)]
pub struct RunPart {
    /// The state.
    pub state: State,
    /// Health and weights of the tools.
    pub watch: Watch,
    /// Open streams.
    pub live: BTreeMap<TurnId, Live>,
    /// The newest output of running calls.
    pub outputs: BTreeMap<NodeId, LiveOutput>,
    /// How fast the open streams arrive.
    pub pace: StreamPace,
    /// True once the first snapshot or event arrived.
    pub arrived: bool,
    /// True once no further update follows.
    pub ended: bool,
    /// Why the run is halted.
    pub halted: Option<String>,
    /// What was cancelled after the run halted. No event reports it.
    pub cut: Cut,
    /// The last command with what was on screen for it, shown if it is refused.
    pub sent: Option<SentCommand>,
    /// Commands that were sent, each with the one that follows once it was carried out. A refused one is followed by none.
    pub then: Vec<(Command, Command)>,
    /// Approvals that were sent together and are not all answered yet.
    pub batches: Vec<Batch>,
    /// True from sending an edit until the run answers.
    pub committing: bool,
    /// True if another client committed meanwhile, which released the suspended nodes.
    pub overtaken: bool,
    /// True while a recorded run plays.
    pub playing: bool,
    /// Position in a recorded run.
    pub at: Option<At>,
    /// The event to which a jump in a recorded run goes, until it is shown.
    pub jump: Option<usize>,
    /// Marks of a recorded run.
    pub marks: Arc<[Mark]>,
    /// Wire data of the last inspected request.
    pub wire: Option<WireSeen>,
    /// Content of the last inspected request.
    pub sent_then: Option<SentThen>,
    /// The inspected call with what it would replace; none until the answer arrives.
    pub looked: Option<(LoadRequest, Option<LookResult>)>,
    /// What was looked up of files of the workspace.
    pub files: KnownFiles,
    /// Processes that may be orphans, each with its status.
    pub orphans: Vec<(OrphanCandidate, OrphanStatus)>,
    /// The servers of tools; empty if they are not known.
    pub servers: Arc<[ServerState]>,
    /// The git repository of the workspace; none if it is in none, or that is not known.
    pub repository: Option<Repository>,
    /// What an agent of another program does; none in other runs.
    pub agent: Option<AgentStatus>,
    /// The other conversations of the agent, the next one first.
    pub others: Arc<[Conversation]>,
    /// The alarms, oldest first.
    pub alarms: Arc<[Alarm]>,
    /// Last event received out of order, if any: `(expected, got)`.
    pub gap: Option<(u64, u64)>,
    /// Working time of the latest process.
    pub(crate) worked: WorkTime,
    /// Time of the last data for each open request.
    pub last_activity: LastActivity,
    /// What marks a call as dangerous.
    pub danger: Arc<Danger>,
    /// The marks of the calls on screen.
    pub(crate) known_marks: KnownMarks,
}

/// Parts of a halted run that were cancelled, or turned out to have ended.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    calls: BTreeSet<NodeId>,
    /// True for the open streams.
    streams: bool,
    /// True for everything.
    all: bool,
}

/// What a call would replace, and the file that this was made from.
#[derive(Debug, Clone)]
pub struct LookResult {
    /// What it would replace.
    pub replaced: Replaced,
    /// Hash of the file; empty if there is none.
    pub base: Option<Arc<str>>,
}

/// What went over the wire for a request.
#[derive(Debug, Clone)]
pub struct WireSeen {
    /// The turn.
    pub turn: TurnId,
    /// The request.
    pub request: u32,
    /// True if the stream was open when the wire data was requested.
    pub open: bool,
    /// The result; none until it arrives.
    pub frames: Option<Result<Option<Frames>, String>>,
}

/// Content of a request.
#[derive(Debug, Clone)]
pub struct SentThen {
    /// The turn.
    pub turn: TurnId,
    /// Which of its requests, counted from 1.
    pub request: u32,
    /// The result; none until it arrives.
    pub found: Option<Result<Arc<transcript::sent::SentRequest>, String>>,
    /// Its body, with the result.
    pub body: Option<SentBody>,
}

/// A command that was sent.
#[derive(Debug, Clone)]
pub struct SentCommand {
    /// The command.
    pub command: Command,
    /// The call, its revision and the text that was shown.
    pub shown: Option<(NodeId, Rev, Arc<str>)>,
}

impl RunPart {
    /// The alarms that the operator has not seen.
    pub fn unseen_alarms(&self) -> impl Iterator<Item = &Alarm> {
        self.alarms.iter().filter(|alarm| !alarm.is_seen)
    }

    /// The next conversation that waits for the operator.
    pub fn waiting_conversation(&self) -> Option<&Conversation> {
        self.others.iter().find(|one| one.waiting > 0)
    }

    /// The newest sub-agent of a call that is a conversation of this process.
    pub fn sub_agent(&self, call: NodeId) -> Option<&Conversation> {
        let links = self.state.origin.agent.sub_agents_of(call);
        let found = links.filter_map(|link| self.others.iter().find(|one| *one.session == *link.session));
        found.last()
    }

    /// The current weight for a row.
    pub fn weight(&self, named: NameHash) -> Option<Weight> {
        let mut rows = self.watch.weights.rows();
        rows.find(|row| NameHash::weight(row) == named)
    }

    /// Checks that a call needs a decision now. The error says why not.
    pub fn waits(&self, call: &Call) -> Result<(), Refusal> {
        let id = call.id;
        match EffectiveStatus::of_call(&self.state, call) {
            EffectiveStatus::Superseded(_) => Err(self.superseded(id)),
            EffectiveStatus::Suspended(status) | EffectiveStatus::Active(status)
                if !status.needs_operator() =>
            {
                let status = status.base_label();
                Err(Refusal::new(format!(
                    "cannot decide {id}: its status is {status}"
                )))
            }
            EffectiveStatus::Suspended(_) => Err(Refusal::new(format!(
                "cannot decide {id}: suspended by an open edit before it"
            ))),
            EffectiveStatus::Active(_) => Ok(()),
        }
    }

    /// Why a node that is not active allows nothing: what replaced it.
    pub fn superseded(&self, node: NodeId) -> Refusal {
        let by = effective_status::replaced_words(&self.state, node);
        Refusal::new(format!("{node} is superseded: {by}"))
    }

    /// Checks that a question is still open. The error says what changed.
    pub fn still_asks(&self, question: &Question) -> Result<(), Refusal> {
        match question {
            Question::Call {
                call: id,
                rev,
                digest,
                status,
            } => {
                let call = self.state.call(*id).ok_or_else(|| Refusal::not_found(*id))?;
                self.waits(call)?;
                let now = (
                    self.state.node(*id).map(Node::rev),
                    &call.digest,
                    call.status.base_label(),
                );
                if now == (Some(*rev), digest, *status) {
                    Ok(())
                } else {
                    Err(Refusal::new(format!(
                        "{id} asks a new question: close this and open it again"
                    )))
                }
            }
            Question::Turn { turn, request } => {
                let mut broken = self.broken();
                let same = broken.any(|one| one.id == *turn && one.asked == *request);
                same.then_some(())
                    .ok_or_else(|| Refusal::new(format!("the stream of {turn} is no longer broken")))
            }
            Question::Definitions {
                server,
                hash,
                difference,
            } => {
                let now = self.servers.iter().find(|one| *one.name == **server);
                let same = now.is_some_and(|now| {
                    now.hash.as_deref() == Some(&**hash) && now.difference.as_ref() == Some(difference)
                });
                same.then_some(()).ok_or_else(|| {
                    Refusal::new(format!(
                        "{} has other definitions now: close this and open it again",
                        visible(server)
                    ))
                })
            }
            _ => Ok(()),
        }
    }

    /// A run without events, with the health of its tools.
    pub fn new(watch: Watch) -> Self {
        Self {
            watch,
            ..Self::default()
        }
    }

    /// Replaces the whole state.
    pub fn replace(&mut self, state: State) {
        self.watch = self.watch.on(&state);
        self.worked = WorkTime::default();
        self.last_activity = LastActivity::default();
        self.state = state;
        self.arrived = true;
        self.gap = None;
        self.prune();
    }

    /// Applies new stream content.
    pub fn stream(&mut self, live: Live) {
        self.live.insert(live.turn, live);
        self.prune();
    }

    pub(crate) fn prune(&mut self) {
        let turns = &self.state.turns;
        self.live.retain(|id, live| {
            !live.parts.is_empty() && turns.get(id).is_none_or(|turn| turn.stream == Stream::Open)
        });
        self.last_activity.prune(&self.state);
        self.pace.prune(&self.live);
    }

    /// The arguments that run or would run for a call, with known references filled in.
    pub fn shown_args(&self, call: NodeId) -> Option<Arc<str>> {
        let life = self.state.call(call)?;
        life.resolved.clone().or_else(|| {
            self.state
                .node(life.id)?
                .as_call()
                .map(|(_, args)| Arc::clone(args))
        })
    }

    /// The offered tools.
    pub fn tools(&self) -> &[ToolCard] {
        self.state.started.as_ref().map_or(&[], |started| &started.tools)
    }

    /// A tool by name.
    pub fn tool(&self, name: &str) -> Option<&ToolCard> {
        self.tools().iter().find(|card| &*card.name == name)
    }

    /// The active turns whose stream broke, in order.
    pub fn broken(&self) -> impl Iterator<Item = &Turn> {
        pending_retry::broken(&self.state).map(|(turn, _)| turn)
    }

    /// Broken streams that are not retried automatically.
    pub fn left_broken(&self) -> impl Iterator<Item = &Turn> {
        pending_retry::left(&self.state).map(|(turn, _)| turn)
    }

    /// Number of calls and streams that need the operator.
    pub fn asking(&self) -> usize {
        self.state.agenda.waiting.len() + self.left_broken().count()
    }

    /// What the operator must do if the run stopped although no call needs a decision.
    pub fn stuck(&self) -> Option<Attention> {
        let shut = || {
            self.state
                .learned
                .breakers
                .values()
                .any(|breaker| breaker.phase == Phase::Open)
        };
        // A running run is not searched on every frame.
        let restores = self.state.operator.files.open.is_some();
        let is_quiet = || self.state.operator.editing.is_empty() && !restores && !shut();
        if matches!(self.state.mode, Mode::Running) && is_quiet() {
            return None;
        }
        let still = |need: &Attention| {
            matches!(
                need.cause,
                AttentionReason::Restore(_)
                    | AttentionReason::Loop(_)
                    | AttentionReason::Stopped
                    | AttentionReason::Breaker
                    | AttentionReason::Edit
            )
        };
        standstill(&self.state).filter(still)
    }

    /// True if all remaining work waits for an open edit.
    pub fn waits_for_edit(&self) -> bool {
        self.stuck()
            .is_some_and(|need| need.cause == AttentionReason::Edit)
    }

    /// Working time of the latest process in milliseconds, until `now` or the newest event. None if
    /// the console did not see the process start.
    pub fn worked_ms(&self, now: Option<i64>) -> Option<u64> {
        self.worked.seen.map(|_| self.worked.ms + self.worked.since(now))
    }

    /// Working time of all processes in milliseconds; none if there is only one.
    pub fn worked_in_all_ms(&self, now: Option<i64>) -> Option<u64> {
        let more = self.worked.later || self.worked.seen.is_none();
        let all = u64::try_from(self.state.tally.active.ms()).unwrap_or(0) + self.worked.since(now);
        more.then_some(all).filter(|all| *all > 0)
    }

    /// True while a response of the model is incomplete.
    pub fn streams(&self) -> bool {
        !self.cuts_streams() && open_streams(&self.state).next().is_some()
    }

    /// True if the open streams were cancelled without an event.
    pub(crate) const fn cuts_streams(&self) -> bool {
        self.halted.is_some() && (self.cut.all || self.cut.streams)
    }

    /// The running calls, as far as known.
    pub fn running(&self) -> impl Iterator<Item = NodeId> {
        let cut = |id: &NodeId| self.halted.is_some() && (self.cut.all || self.cut.calls.contains(id));
        self.state
            .agenda
            .running
            .iter()
            .copied()
            .filter(move |id| !cut(id))
    }

    /// A cancelling command was answered without an event: its target no longer runs.
    pub fn was_cut(&mut self, command: &Command) {
        match command {
            Command::Call(CallCommand::Cancel { call, .. }) => _ = self.cut.calls.insert(*call),
            Command::Run(RunCommand::StopTurn {}) => self.cut.streams = true,
            Command::Run(RunCommand::Stop { .. }) => self.cut.all = true,
            _ => {}
        }
    }

    /// True if nothing runs except automatic retries with a noticeable delay.
    fn retries(&self) -> bool {
        let idle = self.state.agenda.running.is_empty();
        let is_idle =
            |turn: &Turn| pending_retry::of(&self.state, turn).is_some_and(|one| one.is_long(NOTICED_MS));
        let mut open = open_streams(&self.state);
        // Calls that wait for an edit need the operator to continue.
        let by_itself = |one: &PendingRetry<'_>| one.until != Until::Edit && one.is_long(NOTICED_MS);
        idle && open.all(is_idle)
            && pending_retry::all(&self.state).any(|one| by_itself(&one))
            && self.live.is_empty()
    }

    /// True while a stream is open or a call runs.
    pub fn is_busy(&self) -> bool {
        let streams = self.streams() && !matches!(self.state.mode, Mode::Stopped(_));
        self.running().next().is_some() || streams
    }

    /// Current phase of the run.
    pub fn phase(&self, recorded: bool) -> RunPhase {
        if self.halted.is_some() {
            return RunPhase::Halted;
        }
        if !self.arrived {
            return RunPhase::Starting;
        }
        if recorded {
            return if self.playing {
                RunPhase::Replaying
            } else {
                RunPhase::Replay
            };
        }
        match &self.state.mode {
            Mode::Stopped(_) => RunPhase::Stopped,
            Mode::Finished(_) => RunPhase::Answered,
            Mode::Paused(_) => RunPhase::Paused,
            Mode::Running if self.is_busy() && !self.retries() => RunPhase::Working,
            Mode::Running if self.left_broken().next().is_some() || self.state.queue().next().is_some() => {
                RunPhase::Waiting
            }
            Mode::Running if self.retries() => RunPhase::Retrying,
            Mode::Running if self.ended => RunPhase::Ended,
            Mode::Running if self.waits_for_edit() => RunPhase::HeldByEdit,
            Mode::Running => RunPhase::Working,
        }
    }
}
