//! The run as the console knows it: its own fold, and what is still streaming.
//!
//! The state changes only by folding received envelopes, as [`fold`](super::fold) does. Must not know: panes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::arming::Question;
use super::batch::Batch;
use super::fold::{WorkTime, open_streams};
use super::idle_time::LastActivity;
use super::lower::NameHash;
use super::orphan_status::OrphanStatus;
use super::overlay::LinePrompt;
use super::run_phase::RunPhase;
use crate::console::link::{At, Frames, LoadRequest, OrphanCandidate, Replaced};
use crate::domain::breaker::Phase;
use crate::domain::call::Call;
use crate::domain::command::{CallCommand, Command, RunCommand};
use crate::domain::effective_status::{self, EffectiveStatus};
use crate::domain::event::run::ToolCard;
use crate::domain::id::{NodeId, Rev, TurnId};
use crate::domain::live::Live;
use crate::domain::node::Node;
use crate::domain::pending_retry::{self, PendingRetry, Until};
use crate::domain::state::{Mode, State};
use crate::domain::transcript;
use crate::domain::turn::{Stream, Turn};
use crate::resilience::attention::{Attention, AttentionReason, standstill};
use crate::resilience::routing::Row as Weight;
use crate::resilience::watch::Watch;

/// Milliseconds from which on a wait is shown that ends by itself: what is shorter would only flicker.
pub const NOTICED_MS: u64 = 1_000;

/// The run.
#[derive(Debug, Clone, Default)]
pub struct RunPart {
    /// The fold.
    pub state: State,
    /// How the tools do.
    pub watch: Watch,
    /// Open streams.
    pub live: BTreeMap<TurnId, Live>,
    /// True once the first snapshot or event came.
    pub arrived: bool,
    /// True once nothing more will come.
    pub ended: bool,
    /// Why nothing more begins.
    pub halted: Option<String>,
    /// What was ended after the run had halted: no event tells of that.
    pub cut: Cut,
    /// What was sent last, with what was on screen for it: shown when it is refused.
    pub sent: Option<SentCommand>,
    /// Approvals that were sent together and are not all answered yet.
    pub batches: Vec<Batch>,
    /// True from the moment at which an edit was sent until the run has answered.
    pub committing: bool,
    /// True where another hand committed meanwhile, which let go what was held for it.
    pub overtaken: bool,
    /// Whether a recorded run plays by itself.
    pub playing: bool,
    /// Where a recorded run stands.
    pub at: Option<At>,
    /// What went over the wire for the request that was looked at last.
    pub wire: Option<WireSeen>,
    /// What the request said that was looked at last.
    pub sent_then: Option<SentThen>,
    /// The call whose decision is looked at, with what it would replace; none until that has come.
    pub looked: Option<(LoadRequest, Option<Replaced>)>,
    /// Processes that may have outlived the program which had started them, with what is known of each.
    pub orphans: Vec<(OrphanCandidate, OrphanStatus)>,
    /// Last event received out of order, if any: `(expected, got)`.
    pub gap: Option<(u64, u64)>,
    /// Time at work in the process that was heard last.
    pub(super) worked: WorkTime,
    /// When something came last of what is asked.
    pub last_activity: LastActivity,
}

/// What of a halted run was under way and was ended then, or turned out to have ended.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    calls: BTreeSet<NodeId>,
    /// True for the open streams.
    streams: bool,
    /// True for everything.
    all: bool,
}

/// What went over the wire for a request.
#[derive(Debug, Clone)]
pub struct WireSeen {
    /// The turn.
    pub turn: TurnId,
    /// The request.
    pub request: u32,
    /// True where its stream was open when it was asked for.
    pub open: bool,
    /// What was found; none until it has come.
    pub frames: Option<Result<Option<Frames>, String>>,
}

/// What a request said.
#[derive(Debug, Clone)]
pub struct SentThen {
    /// The turn.
    pub turn: TurnId,
    /// Which of its requests, counted from 1.
    pub request: u32,
    /// What was found; none until it has come.
    pub found: Option<Result<Arc<transcript::sent::SentRequest>, String>>,
}

/// A command that went out.
#[derive(Debug, Clone)]
pub struct SentCommand {
    /// The command.
    pub command: Command,
    /// The call, its revision and the text that was shown.
    pub shown: Option<(NodeId, Rev, Arc<str>)>,
    /// The line that it was typed in: where it is refused, the words are there again.
    pub line: Option<Box<LinePrompt>>,
}

impl RunPart {
    /// The weight that a row is about, as it is now.
    pub fn weight(&self, named: NameHash) -> Option<Weight> {
        let mut rows = self.watch.weights.rows();
        rows.find(|row| NameHash::weight(row) == named)
    }

    /// Why a call waits for no decision now, where it does not.
    pub fn waits(&self, call: &Call) -> Result<(), String> {
        let id = call.id;
        match EffectiveStatus::of_call(&self.state, call) {
            EffectiveStatus::Superseded(_) => {
                let why = effective_status::replaced_words(&self.state, id);
                Err(format!("{id} is history: {why}"))
            }
            EffectiveStatus::Suspended(status) | EffectiveStatus::Active(status)
                if !status.needs_operator() =>
            {
                Err(format!(
                    "{id} does not wait for you: it is {}",
                    status.base_label()
                ))
            }
            EffectiveStatus::Suspended(_) => Err(format!(
                "{id} is held by an edit before it: nothing can be decided until it stands again"
            )),
            EffectiveStatus::Active(_) => Ok(()),
        }
    }

    /// Why a question that was put is asked no more, where it is not: an edit or another hand came in between.
    pub fn still_asks(&self, question: &Question) -> Result<(), String> {
        match question {
            Question::Call {
                call: id,
                rev,
                digest,
                status,
            } => {
                let call = self.state.call(*id).ok_or_else(|| format!("{id} is not there"))?;
                self.waits(call)?;
                let now = (
                    self.state.node(*id).map(Node::rev),
                    &call.digest,
                    call.status.base_label(),
                );
                if now == (Some(*rev), digest, *status) {
                    Ok(())
                } else {
                    Err(format!(
                        "{id} asks something else now: close this and look at it anew"
                    ))
                }
            }
            Question::Turn { turn, request } => {
                let mut broken = self.broken();
                let same = broken.any(|one| one.id == *turn && one.asked == *request);
                same.then_some(())
                    .ok_or_else(|| format!("the stream of {turn} is no longer broken"))
            }
            _ => Ok(()),
        }
    }

    /// A run of which nothing is known but how its tools are watched.
    pub fn new(watch: Watch) -> Self {
        Self {
            watch,
            ..Self::default()
        }
    }

    /// Takes in a whole state.
    pub fn replace(&mut self, state: State) {
        self.watch = self.watch.on(&state);
        self.worked = WorkTime::default();
        self.last_activity = LastActivity::default();
        self.state = state;
        self.arrived = true;
        self.gap = None;
        self.prune();
    }

    /// Takes in what a stream has brought.
    pub fn stream(&mut self, live: Live) {
        self.live.insert(live.turn, live);
        self.prune();
    }

    pub(super) fn prune(&mut self) {
        let turns = &self.state.turns;
        self.live.retain(|id, live| {
            !live.parts.is_empty() && turns.get(id).is_none_or(|turn| turn.stream == Stream::Open)
        });
        self.last_activity.prune(&self.state);
    }

    /// The text that runs or would run for a call: with its references filled in where they are known.
    pub fn shown_args(&self, call: NodeId) -> Option<Arc<str>> {
        let life = self.state.call(call)?;
        life.resolved.clone().or_else(|| {
            self.state
                .node(life.id)?
                .as_call()
                .map(|(_, args)| Arc::clone(args))
        })
    }

    /// The tools offered.
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

    /// Those of them that are left to the operator: nothing is asked again by itself.
    pub fn left_broken(&self) -> impl Iterator<Item = &Turn> {
        pending_retry::left(&self.state).map(|(turn, _)| turn)
    }

    /// How many calls and streams wait for the operator.
    pub fn asking(&self) -> usize {
        self.state.queue().count() + self.left_broken().count()
    }

    /// What a person has to do about a run that stands still, where no call waits for their word.
    pub fn stuck(&self) -> Option<Attention> {
        let shut = || {
            self.state
                .breakers
                .values()
                .any(|breaker| breaker.phase == Phase::Open)
        };
        // A run that works is not looked through for each frame.
        if matches!(self.state.mode, Mode::Running) && self.state.editing.is_empty() && !shut() {
            return None;
        }
        let still = |need: &Attention| {
            matches!(
                need.cause,
                AttentionReason::Loop(_)
                    | AttentionReason::Stopped
                    | AttentionReason::Breaker
                    | AttentionReason::Edit
            )
        };
        standstill(&self.state).filter(still)
    }

    /// True where all that is left to do waits for an edit that is not committed.
    pub fn waits_for_edit(&self) -> bool {
        self.stuck()
            .is_some_and(|need| need.cause == AttentionReason::Edit)
    }

    /// Milliseconds of working time up to a moment, or else to the newest event, where this console saw the process
    /// begin.
    pub fn worked_ms(&self, now: Option<i64>) -> Option<u64> {
        self.worked.seen.map(|_| self.worked.ms + self.worked.since(now))
    }

    /// Milliseconds of working time of all processes, where the one heard last is not the only one.
    pub fn worked_in_all_ms(&self, now: Option<i64>) -> Option<u64> {
        let more = self.worked.later || self.worked.seen.is_none();
        let all = u64::try_from(self.state.active.ms()).unwrap_or(0) + self.worked.since(now);
        more.then_some(all).filter(|all| *all > 0)
    }

    /// True where the model is asked, and its answer is not whole.
    pub fn streams(&self) -> bool {
        !self.cuts_streams() && open_streams(&self.state).next().is_some()
    }

    /// True where the open streams were ended and no event says so.
    pub(super) const fn cuts_streams(&self) -> bool {
        self.halted.is_some() && (self.cut.all || self.cut.streams)
    }

    /// The calls that run, as far as that is known.
    pub fn running(&self) -> impl Iterator<Item = NodeId> {
        let cut = |id: &NodeId| self.halted.is_some() && (self.cut.all || self.cut.calls.contains(id));
        self.state
            .agenda
            .running
            .iter()
            .copied()
            .filter(move |id| !cut(id))
    }

    /// A command that only ends something was answered without a record: whatever it was about is under way no more.
    pub fn was_cut(&mut self, command: &Command) {
        match command {
            Command::Call(CallCommand::Cancel { call, .. }) => _ = self.cut.calls.insert(*call),
            Command::Run(RunCommand::StopTurn {}) => self.cut.streams = true,
            Command::Run(RunCommand::Stop { .. }) => self.cut.all = true,
            _ => {}
        }
    }

    /// True where nothing goes on but requests that are made again by themselves, after a wait that can be noticed.
    fn retries(&self) -> bool {
        let idle = self.state.agenda.running.is_empty();
        let is_idle =
            |turn: &Turn| pending_retry::of(&self.state, turn).is_some_and(|one| one.is_long(NOTICED_MS));
        let mut open = open_streams(&self.state);
        // What waits for an edit goes on by the operator's hand.
        let by_itself = |one: &PendingRetry<'_>| one.until != Until::Edit && one.is_long(NOTICED_MS);
        idle && open.all(is_idle)
            && pending_retry::all(&self.state).any(|one| by_itself(&one))
            && self.live.is_empty()
    }

    /// True where a stream is open or a call runs.
    pub fn is_busy(&self) -> bool {
        let streams = self.streams() && !matches!(self.state.mode, Mode::Stopped(_));
        self.running().next().is_some() || streams
    }

    /// What the run does.
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
