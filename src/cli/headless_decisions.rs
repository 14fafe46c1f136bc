//! Makes the decisions of a headless run, and describes why it cannot continue.
//!
//! Must not know: how a command is decided, where anything is printed.

use tokio::sync::watch;

use super::address::Address;
use super::exit::Code;
use super::print;
use super::why_ended::{End, WhyEnded};
use overrule_base::text::visible;
use overrule_domain::approver;
use overrule_domain::breaker::{Phase, of_run};
use overrule_domain::call::{Call, ConsentCause, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, RunCommand};
use overrule_domain::envelope::Actor;
use overrule_domain::fork;
use overrule_domain::id::Seq;
use overrule_domain::ladder::Stage;
use overrule_domain::node::Node;
use overrule_domain::pending_retry::{self, Until};
use overrule_domain::reduction::summary;
use overrule_domain::repeat;
use overrule_domain::retry_wait::{blocks, retry_after};
use overrule_domain::state::{Mode, State, TURN_STOPPED};
use overrule_domain::thread;
use overrule_domain::turn::{Stream, StreamFault, StreamFaultKind, Turn};
use overrule_engine::Handle;
use overrule_policy::Preset;

/// Maximum number of requests of a broken turn without an operator.
const REQUESTS: u32 = 4;

/// Watches a headless run.
pub struct Watch {
    /// The state after the events received so far.
    pub state: State,
    handle: Handle,
    published: watch::Receiver<Seq>,
    session: Address,
    /// True if an operator can decide from another process.
    pub attended: bool,
    /// True for the run of another program's agent: that decides when it ends.
    pub guest: bool,
    /// The question that was printed last.
    asked: String,
}

impl Watch {
    /// Creates a watch on the run of a handle.
    pub fn new(handle: Handle, reported: watch::Receiver<Seq>, session: Address) -> Self {
        Self {
            state: State::default(),
            handle,
            published: reported,
            session,
            attended: false,
            guest: false,
            asked: String::new(),
        }
    }

    /// Checks the run after all events up to `reported` were received. Makes the decisions that need no
    /// operator, and returns the end if the run cannot continue. Waits for running calls first: to interrupt
    /// them would leave unknown outcomes.
    pub async fn look(&mut self, reported: Seq) -> Option<End> {
        // More events were published meanwhile, and may be incomplete: the next call handles them. Before the
        // first prompt there is nothing to decide.
        if self.state.seq != reported || self.state.turns.is_empty() {
            return None;
        }
        if self.guest {
            let is_over = match &self.state.mode {
                // The words of the agent's user stop a turn, and the run continues with them.
                Mode::Paused(reason) => reason != TURN_STOPPED,
                Mode::Stopped(_) => true,
                Mode::Running | Mode::Finished(_) => false,
            };
            return (is_over && !self.attended && !under_way(&self.state)).then(|| self.end().why_not());
        }
        if let Some(end) = self.end().interrupted_restore() {
            return Some(end);
        }
        if let Mode::Finished(_) = self.state.mode {
            return Some(End::new(Code::Ok, ""));
        }
        if self.state.mode == Mode::Running
            && let Some(command) = self.decision()
        {
            return self.send(command).await;
        }
        if under_way(&self.state) {
            return None;
        }
        if self.attended
            && let Some(words) = self.question()
        {
            if self.asked != words {
                print::err(&words);
                self.asked = words;
            }
            return None;
        }
        Some(self.end().why_not())
    }

    /// Why the run cannot continue.
    const fn end(&self) -> WhyEnded<'_> {
        WhyEnded {
            state: &self.state,
            session: &self.session,
        }
    }

    /// The question to an operator in another process, if they can answer one.
    fn question(&self) -> Option<String> {
        let session = &self.session;
        match &self.state.mode {
            Mode::Paused(reason) if self.state.tally.limit_reached.is_none() => Some(format!(
                "paused: {}; waits for `overrule unpause {session}`",
                visible(reason)
            )),
            Mode::Running if self.end().unfit().is_some() => self.end().unfit().map(|turn| {
                format!(
                    "{}: the answer does not fit the output schema; {}",
                    turn.id,
                    self.end().about_answer(turn)
                )
            }),
            Mode::Running => {
                let waiting: Vec<String> = self.state.queue().map(|call| call.id.to_string()).collect();
                (!waiting.is_empty()).then(|| {
                    format!(
                        "waits for a decision on {}: `overrule queue {session}`",
                        waiting.join(", ")
                    )
                })
            }
            Mode::Paused(_) | Mode::Stopped(_) | Mode::Finished(_) => None,
        }
    }

    /// The next decision that needs no operator.
    fn decision(&self) -> Option<Command> {
        let consent = self.state.queue().find_map(|call| match call.status {
            Status::Consent(cause) => self.reuse(call, cause),
            _ => None,
        });
        consent.or_else(|| {
            self.end()
                .broken()
                .find_map(|(turn, fault)| repair_turn(&self.state, turn, fault))
        })
    }

    /// Reuses the recorded result of a repeated call, if it is known. Does not decide a call that the operator
    /// asked to run again.
    fn reuse(&self, call: &Call, cause: ConsentCause) -> Option<Command> {
        if cause == ConsentCause::SameCall {
            return None;
        }
        let (entry, _) = repeat::reusable_result(&self.state, call)?;
        Some(Command::Call(CallCommand::Consent {
            call: call.id,
            rev: self.state.nodes.get(&call.id).map(Node::rev)?,
            digest: call.digest.clone()?,
            choice: ConsentChoice::Reuse { entry },
            shown: None,
            word: None,
        }))
    }

    /// Sends a command. A refusal ends the run, unless the state changed meanwhile.
    async fn send(&self, command: Command) -> Option<End> {
        let refusal = self.handle.command(command, Actor::Engine).await.err()?;
        let same = *self.published.borrow() <= self.state.seq;
        same.then(|| End::new(Code::Halted, refusal.message))
    }
}

/// The command that repairs a broken turn if no retry is scheduled: keeps the received part if it
/// has a call, and otherwise asks again, up to [`REQUESTS`] times.
fn repair_turn(state: &State, turn: &Turn, fault: &StreamFault) -> Option<Command> {
    let cut = matches!(
        fault.kind,
        StreamFaultKind::Network
            | StreamFaultKind::Timeout
            | StreamFaultKind::Truncated
            | StreamFaultKind::Server
            | StreamFaultKind::Overload
    );
    if !cut || retry_after(state, turn, fault).is_some() {
        return None;
    }
    // It was waited for as long as the settings say.
    if fault.kind.is_transient() && blocks(state, turn).next().is_none() {
        return None;
    }
    let has_call = turn
        .nodes
        .iter()
        .any(|id| state.calls.contains_key(id) && state.nodes.get(id).is_some_and(|node| node.active));
    if has_call {
        return Some(Command::Run(RunCommand::KeepArrived {
            turn: turn.id,
            request: Some(turn.asked),
        }));
    }
    (turn.asked <= REQUESTS).then_some(Command::Run(RunCommand::AskAgain {
        turn: turn.id,
        request: Some(turn.asked),
    }))
}

/// True if a probe can still find the outcome of an execution.
fn probing(state: &State, call: &Call) -> bool {
    call.last_attempt()
        .and_then(|last| state.ledger.get(&last.intent))
        .is_some_and(|entry| !entry.more.probed && !fork::is_theirs(state, entry))
}

/// True while an event will arrive without an operator: from an execution, a stream, a probe, a deadline.
fn under_way(state: &State) -> bool {
    let reports = |call: &Call| match call.status {
        // In a paused run, no deadline and no approver runs.
        Status::AwaitingApproval if matches!(state.mode, Mode::Running) => {
            let limited = call
                .verdict
                .as_ref()
                .is_some_and(|verdict| verdict.deadline_ms.is_some());
            // An overdue question has no deadline.
            limited && !call.approval.overdue || approver::is_asked(state, call)
        }
        // A stopped run starts no probe, and an execution that ended is probed before a resumed run continues.
        Status::OutcomeUnknown(attempt) => {
            !matches!(state.mode, Mode::Stopped(_)) && !call.has_ended(attempt) && probing(state, call)
        }
        _ => false,
    };
    // A breaker of the model is waited for only by a thread that asks again by itself.
    let is_left = |thread| pending_retry::left(state).any(|(turn, _)| turn.thread == thread);
    let asks_by_itself = || thread::at_work(state).any(|thread| !is_left(thread));
    let endpoint = of_run::endpoint(state);
    let shut = || {
        let mut breakers = state.learned.breakers.iter();
        breakers.any(|(scope, breaker)| {
            breaker.phase == Phase::Open && (endpoint.as_ref() != Some(scope) || asks_by_itself())
        })
    };
    let mut repairing = state.agenda.repairing.iter().filter_map(|id| state.calls.get(id));
    let asks = repairing.any(|call| call.status == Status::Repairing(Stage::Asking));
    let retried = || pending_retry::all(state).any(|one| matches!(one.until, Until::Time(_)));
    let waits_by_itself =
        state.mode == Mode::Running && (!state.agenda.delayed.is_empty() || asks || shut() || retried());
    let sums_up = || summary::open(state).is_some();
    // What can be looked at and was not waits for the first scan of the files.
    let mut woken = state.agenda.woken.iter();
    let mut awaits_files = || {
        state.settings.policy == Preset::Reversible.label() && woken.any(|id| thread::call_acts(state, *id))
    };
    !state.agenda.running.is_empty()
        || state.operator.files.open.is_some()
        || waits_by_itself
        || state.mode == Mode::Running && (sums_up() || awaits_files())
        || !state.agenda.ending.is_empty()
        || state.turns.values().any(|turn| turn.stream == Stream::Open)
        || state.queue().any(reports)
}
