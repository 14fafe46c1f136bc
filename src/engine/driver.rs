//! Runs the main loop: receive, decide, record, apply, advance, sync, publish, act.
//!
//! Must not know: models, tools, screens.
//!
//! The order is always this one.

mod input;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use super::advise::{Adviser, FileTracking};
use super::approver::Approver;
use super::clock::{ActiveTime, Clock};
use super::executor::Executor;
use super::halt::Halt;
use super::handle::{Handle, LiveTurns, Message, Publication, Toolbox};
use super::log::Log;
use super::resume;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::effect::Effect;
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::run::Started;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{Seq, TurnId};
use overrule_domain::input::Input;
use overrule_domain::live::Live;
use overrule_domain::refusal::Refusal;
use overrule_domain::state::State;
use overrule_domain::turn::{Stream, Turn};
use overrule_domain::{advance, decide};
use overrule_files::Tracker;
use overrule_model::{Model, Tap};
use overrule_resilience::watch::Watch;

/// Maximum number of messages taken before their results are written and published.
const BATCH: usize = 256;
/// Limit on consecutive decisions that the run makes by itself. Reaching it means a defect; stopping is
/// better than spinning.
const MOST_STEPS: usize = 100_000;
/// How often the tracking of files is looked at while calls wait for its first scan.
const FILES_LOOK: Duration = Duration::from_millis(50);
/// Maximum number of waiting messages. A sender of one more waits, or its command is refused as busy.
const INBOX: usize = 1024;

/// Whether a driver acts on the world.
pub enum Launch {
    /// It asks this model, runs tools and watches deadlines.
    World(Arc<dyn Model>),
    /// It only records. What an event requests is left to the process that resumes the run.
    RecordOnly,
}

/// The parts from which a driver is built.
pub struct Parts {
    /// The fold so far; empty for a new run.
    pub state: State,
    /// Where events are written.
    pub log: Box<dyn Log>,
    /// Tools and policy.
    pub adviser: Adviser,
    /// Whether it acts on the world, and with which model.
    pub launch: Launch,
    /// The source of time.
    pub clock: Clock,
    /// The first notices for the listeners.
    pub notices: Vec<String>,
}

/// The owner of a run's state.
pub struct Driver {
    state: State,
    log: Box<dyn Log>,
    adviser: Adviser,
    /// Carries out effects; none where they are only recorded.
    executor: Option<Box<Executor>>,
    clock: Clock,
    worked: ActiveTime,
    inbox: mpsc::Receiver<Message>,
    listeners: Vec<mpsc::UnboundedSender<Vec<Publication>>>,
    live: watch::Sender<LiveTurns>,
    published: watch::Sender<Seq>,
    notices: Vec<String>,
    halted: Option<Halt>,
    batch: Batch,
    /// Observes the requests, if there is an observer.
    taps: Option<Taps>,
    /// Stores what the run learned, if there is a store.
    keeper: Option<Keeper>,
}

/// Stores what a run learned for later runs. An error is shown to the operator.
pub type Keeper = Arc<dyn Fn(&State, &Watch) -> Result<(), String> + Send + Sync>;

/// Makes an observer for each request of a turn.
pub type Taps = Arc<dyn Fn(TurnId, u32) -> Tap + Send + Sync>;

/// The channel for the answer to a command.
type Reply = oneshot::Sender<Result<Seq, Refusal>>;

/// Changes since the last publication to the listeners.
#[derive(Default)]
struct Batch {
    envelopes: Vec<Arc<Envelope>>,
    effects: Vec<Effect>,
    replies: Vec<(Reply, Result<Seq, Refusal>)>,
    words: Vec<Publication>,
    sync: bool,
}

impl Driver {
    /// Returns what tracks the files of the workspace; none where nothing does.
    pub const fn tracker(&self) -> Option<&Tracker> {
        self.adviser.files.tracker()
    }

    /// Creates a driver and the handle to it. Nothing happens until it is [run](Self::run), or
    /// [records a command](Self::record_one).
    pub fn new(mut parts: Parts) -> (Self, Handle) {
        parts.adviser.watch = parts.adviser.watch.on(&parts.state);
        parts.adviser.keep_widenings(&parts.state.settings.widenings);
        let (to_inbox, inbox) = mpsc::channel(INBOX);
        let (live, watched) = watch::channel(LiveTurns::default());
        let (reported, newest) = watch::channel(Seq(0));
        let handle = Handle::new(to_inbox, watched, newest);
        let executor = match parts.launch {
            Launch::World(model) => {
                let mut executor = Executor::new(
                    model,
                    parts.adviser.registry.clone(),
                    (parts.adviser.workspace.clone(), parts.adviser.reader.clone()),
                    handle.clone(),
                    parts.clock,
                );
                executor.set_tracker(parts.adviser.files.tracker().cloned());
                Some(Box::new(executor))
            }
            Launch::RecordOnly => None,
        };
        let driver = Self {
            state: parts.state,
            log: parts.log,
            adviser: parts.adviser,
            executor,
            clock: parts.clock,
            worked: ActiveTime::default(),
            inbox,
            listeners: Vec::new(),
            live,
            published: reported,
            notices: parts.notices,
            halted: None,
            batch: Batch::default(),
            taps: None,
            keeper: None,
        };
        (driver, handle)
    }

    /// Lets an observer see the bytes that are sent and received.
    pub fn listened_to(mut self, taps: Taps) -> Self {
        self.taps = Some(taps);
        self
    }

    /// Tracks the files that executions change; the notice says why it cannot.
    pub fn tracked_by(mut self, tracker: Option<Tracker>, notice: Option<String>) -> Self {
        self.adviser.files = FileTracking::of(tracker.clone());
        if let Some(executor) = &mut self.executor {
            executor.set_tracker(tracker);
        }
        self.notices.extend(notice);
        self
    }

    /// Lets a program of the operator's be asked about calls that wait for approval.
    pub fn approved_by(mut self, approver: Option<Approver>) -> Self {
        self.adviser.approver = approver.as_ref().map(|one| one.name.clone());
        if let (Some(approver), Some(executor)) = (approver, &mut self.executor) {
            executor.set_approver(approver);
        }
        self
    }

    /// Notifies the operator when the model sends nothing for this time; the default is a minute.
    pub fn with_idle_notice(mut self, after: Duration) -> Self {
        if let Some(executor) = &mut self.executor {
            executor.set_idle_notice(after);
        }
        self
    }

    /// Saves what the run learned whenever its weights are recorded, and when the run is left.
    pub fn with_keeper(mut self, keeper: Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Stores what the run learned.
    fn keep_learned(&mut self) {
        let stored = self
            .keeper
            .as_ref()
            .map(|keep| keep(&self.state, &self.adviser.watch));
        if let Some(Err(why)) = stored {
            self.batch.words.push(Publication::Notice(why));
        }
    }

    /// Records the first events of this process, then serves until it is shut down. Listeners that
    /// subscribed before this call receive those events too.
    pub async fn run(mut self, first: Vec<Event>) {
        self.adviser.begin_decision(self.clock.utc_ms());
        let mut early = Vec::new();
        while let Ok(message) = self.inbox.try_recv() {
            match message {
                Message::Subscribe(out) => self.welcome(out),
                other => early.push(other),
            }
        }
        if !first.is_empty() {
            self.record(first, &Actor::Engine, Seq(0));
            self.look_first();
            self.follow();
            self.conclude();
        }
        for message in early {
            if let Some(done) = self.take(message) {
                self.shut_down(done).await;
                return;
            }
        }
        self.conclude();
        let mut clock = tokio::time::interval(std::time::Duration::from_secs(1));
        clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            let awaits = self.awaits_files();
            if self.adviser.files.note_waiting(awaits, self.clock.mono_ms()) {
                self.follow();
                self.conclude();
            }
            let timed = self.executor.is_some() && self.state.settings.limits.wall_ms.is_some();
            let message = if let Some(report) = self.own_report() {
                Some(report)
            } else {
                tokio::select! {
                    message = self.inbox.recv() => message,
                    () = tokio::time::sleep(FILES_LOOK), if awaits => Some(Message::Files),
                    _ = clock.tick(), if timed => {
                        self.note_work();
                        Some(Message::Input(Input::Worked { ms: self.worked.ms() }))
                    }
                }
            };
            let Some(message) = message else { break };
            if let Some(done) = self.take(message) {
                self.shut_down(done).await;
                return;
            }
            for _ in 1..BATCH {
                let waiting = self.own_report().or_else(|| self.inbox.try_recv().ok());
                let Some(message) = waiting else { break };
                if let Some(done) = self.take(message) {
                    self.shut_down(done).await;
                    return;
                }
            }
            self.conclude();
        }
    }

    /// Returns the next report of the executor that no task sent.
    fn own_report(&mut self) -> Option<Message> {
        self.executor.as_mut()?.own_report().map(Message::Input)
    }

    /// Iterates over the unsettled turns, without visiting the settled ones.
    fn open_turns(&self) -> impl Iterator<Item = &Turn> {
        let open = self.state.agenda.open.iter();
        open.filter_map(|id| self.state.turns.get(id))
    }

    /// Notes whether the run is at work. While nothing is asked and nothing runs, the time that passes is the
    /// operator's.
    fn note_work(&mut self) {
        let asking = |turn: &Turn| turn.stream == Stream::Open;
        let busy = !self.state.agenda.running.is_empty() || self.open_turns().any(asking);
        self.worked.note(self.clock.mono_ms(), busy);
    }

    fn take(&mut self, message: Message) -> Option<oneshot::Sender<()>> {
        self.adviser.begin_decision(self.clock.utc_ms());
        match message {
            Message::Command {
                command,
                actor,
                reply,
            } => self.command(&command, &actor, reply),
            Message::Refused { command, reason } => self.note_refused(command, reason),
            Message::Input(input) => self.input(&input),
            Message::Live(live) => self.show_live(live),
            Message::Notice(text) => self.batch.words.push(Publication::Notice(text)),
            Message::Files => self.adviser.files.look(self.clock.mono_ms()),
            Message::Tools(toolbox) => self.refit(toolbox),
            Message::Subscribe(out) => self.subscribe(out),
            Message::Shutdown(done) => return Some(done),
        }
        None
    }

    /// Replaces the tools. Calls that wait are decided again where their tool or its verdict differs.
    fn refit(&mut self, toolbox: Toolbox) {
        self.adviser.registry = Arc::clone(&toolbox.registry);
        if let Some(executor) = &mut self.executor {
            executor.set_registry(toolbox.registry);
        }
        let Some(started) = self.state.started.as_deref() else {
            return;
        };
        let fitted = Started {
            tools: toolbox.cards,
            policy: self.state.settings.policy.clone(),
            ..started.clone()
        };
        let events = resume::refitted(&self.state, &self.adviser, fitted);
        if !events.is_empty() {
            self.record(events, &Actor::Engine, Seq(0));
            self.follow();
        }
    }

    /// True while calls wait for the first scan of the files.
    fn awaits_files(&self) -> bool {
        let has_waiting = self.executor.is_some() && !self.state.agenda.woken.is_empty();
        has_waiting && self.adviser.awaits_files()
    }

    fn subscribe(&mut self, out: mpsc::UnboundedSender<Vec<Publication>>) {
        // What the snapshot shows must be on disk, like everything that is shown.
        self.conclude();
        self.welcome(out);
    }

    fn welcome(&mut self, out: mpsc::UnboundedSender<Vec<Publication>>) {
        let mut first = vec![Publication::Snapshot(Box::new(self.state.clone()))];
        first.extend(self.notices.iter().cloned().map(Publication::Notice));
        first.extend(self.halted.iter().cloned().map(Publication::Halted));
        if out.send(first).is_ok() {
            self.listeners.push(out);
        }
    }

    fn show_live(&self, live: Live) {
        let turn = self.state.turns.get(&live.turn);
        // Text that was still on its way when its stream ended is not shown.
        let open = turn.is_some_and(|turn| turn.stream == Stream::Open);
        self.live.send_modify(|turns| {
            if live.parts.is_empty() || !open {
                turns.remove(&live.turn);
            } else {
                turns.insert(live.turn, live);
            }
        });
    }

    fn command(&mut self, command: &Command, actor: &Actor, reply: Option<Reply>) {
        let result = self.carry_out(command, actor);
        if result.is_ok() {
            // A decision is on disk before any listener receives it.
            self.batch.sync = true;
        }
        if let Some(reply) = reply {
            self.batch.replies.push((reply, result));
        }
    }

    fn carry_out(&mut self, command: &Command, actor: &Actor) -> Result<Seq, Refusal> {
        let halt = if self.halted.is_some() {
            self.halted.clone()
        } else {
            let events = self.decide(command)?;
            self.record(events, actor, Seq(0))
        };
        if let Some(halt) = halt {
            return Err(self.end_unrecorded(command, &halt));
        }
        let decided = self.state.seq;
        self.follow();
        Ok(decided)
    }

    /// Records a command from a sender that is not allowed to command. Nothing else follows from
    /// it.
    fn note_refused(&mut self, command: String, reason: String) {
        let refused = RunEvent::Refused { command, reason };
        self.record(vec![Event::Run(refused)], &Actor::Engine, Seq(0));
        self.batch.sync = true;
    }

    fn decide(&mut self, command: &Command) -> Result<Vec<Event>, Refusal> {
        let events = decide::command(&self.state, &self.adviser, command)?;
        if let Command::Run(RunCommand::SetPolicy { policy }) = command {
            self.adviser.keep_preset(policy);
        }
        Ok(match self.executor {
            Some(_) => events,
            None => record_only::unsent(events),
        })
    }

    /// Derives and records what follows by itself, until nothing more does.
    fn follow(&mut self) {
        for _ in 0..MOST_STEPS {
            if self.halted.is_some() {
                return;
            }
            let acts = self.executor.is_some();
            let (mut events, cause) = if acts {
                (advance::advance(&self.state, &self.adviser), self.state.seq)
            } else {
                (advance::quiet(&self.state, &self.adviser), Seq(0))
            };
            let mut weights = None;
            if acts && events.is_empty() {
                weights = self.adviser.watch.due(&self.state).map(Event::Weight);
            }
            let is_due = weights.is_some();
            events.extend(weights);
            if events.is_empty() {
                return;
            }
            self.record(events, &Actor::Engine, cause);
            if is_due {
                self.keep_learned();
            }
        }
        self.halt(Halt::Defect("the run kept deciding by itself without end".into()));
    }

    /// Records and publishes the last decision, and starts nothing for it: it would be cut off
    /// immediately. On resume, it is found as running, like executions that the shutdown ends.
    fn conclude_for_good(&mut self) {
        self.batch.effects.retain(Effect::only_ends);
        self.conclude();
    }

    /// Ends all tasks, and returns their reports. They are received meanwhile, because a task may wait for room.
    async fn end_tasks(&mut self) -> Vec<Input> {
        let mut reports = Vec::new();
        let Some(executor) = &mut self.executor else {
            return reports;
        };
        while let Some(input) = executor.own_report() {
            reports.push(input);
        }
        let mut ended = std::pin::pin!(executor.shut_down());
        loop {
            tokio::select! {
                biased;
                () = &mut ended => break,
                Some(message) = self.inbox.recv() => reports.extend(message.report()),
            }
        }
        while let Ok(message) = self.inbox.try_recv() {
            reports.extend(message.report());
        }
        reports
    }

    async fn shut_down(mut self, done: oneshot::Sender<()>) {
        self.conclude_for_good();
        let reports = self.end_tasks().await;
        // Record what began as a process or ended by itself meanwhile, and the end of what no longer counted. What
        // this shutdown ended stays in flight, and the process that resumes finds it.
        for input in reports {
            if self.is_fact(&input) {
                let known = self.known(&input);
                let events = decide::input(&self.state, known.as_ref().unwrap_or(&input));
                self.record(events, &Actor::Tool, Seq(0));
            }
        }
        self.batch.sync = true;
        self.batch.effects.clear();
        self.keep_learned();
        self.conclude();
        self.publish(&[Publication::Ended]);
        done.send(()).unwrap_or_default();
    }
}

mod act;
mod record;
pub mod record_only;
#[cfg(test)]
mod tests;
