//! Makes the decisions of a headless run, and describes why it cannot continue.
//!
//! Must not know: how a command is decided, where anything is printed.

use tokio::sync::watch;

use super::address::Address;
use super::exit::Code;
use super::print;
use overrule_base::text::visible;
use overrule_domain::approver;
use overrule_domain::breaker::{Phase, of_run};
use overrule_domain::call::{Call, ConsentCause, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, RunCommand};
use overrule_domain::envelope::Actor;
use overrule_domain::escape::pause::waits_for_operator;
use overrule_domain::fork;
use overrule_domain::id::{NodeId, NodeKind, Seq};
use overrule_domain::ladder::Stage;
use overrule_domain::node::Node;
use overrule_domain::pending_retry::{self, Until};
use overrule_domain::reduction::{self, summary};
use overrule_domain::repeat;
use overrule_domain::retry_wait::{blocks, retry_after};
use overrule_domain::state::{Mode, State, TURN_STOPPED};
use overrule_domain::thread;
use overrule_domain::turn::{Stream, StreamFault, StreamFaultKind, Turn};
use overrule_engine::Handle;
use overrule_policy::Preset;

/// Maximum number of requests of a broken turn without an operator.
const REQUESTS: u32 = 4;

/// How a headless run ended.
#[derive(Debug)]
pub struct End {
    /// The exit code.
    pub code: Code,
    /// The reason and a hint; may be empty.
    pub why: String,
}

impl End {
    /// Creates an end.
    pub fn new(code: Code, why: impl Into<String>) -> Self {
        Self {
            code,
            why: why.into(),
        }
    }
}

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
            return (is_over && !self.attended && !under_way(&self.state)).then(|| self.why_not());
        }
        if let Some(end) = self.interrupted_restore() {
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
        Some(self.why_not())
    }

    /// The question to an operator in another process, if they can answer one.
    fn question(&self) -> Option<String> {
        let session = &self.session;
        match &self.state.mode {
            Mode::Paused(reason) if self.state.tally.limit_reached.is_none() => Some(format!(
                "paused: {}; waits for `overrule unpause {session}`",
                visible(reason)
            )),
            Mode::Running if self.unfit().is_some() => self.unfit().map(|turn| {
                format!(
                    "{}: the answer does not fit the output schema; {}",
                    turn.id,
                    self.about_answer(turn)
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
            self.broken()
                .find_map(|(turn, fault)| repair_turn(&self.state, turn, fault))
        })
    }

    /// Active turns with a broken stream.
    fn broken(&self) -> impl Iterator<Item = (&Turn, &StreamFault)> {
        let open = self.state.agenda.open.iter();
        let turns = open.filter_map(|id| self.state.turns.get(id));
        turns
            .filter(|turn| turn.is_active())
            .filter_map(|turn| match &turn.stream {
                Stream::Broken(fault) => Some((turn, fault)),
                _ => None,
            })
    }

    /// The turn whose answer does not fit the schema and waits for the operator.
    fn unfit(&self) -> Option<&Turn> {
        let mut broken = self.broken();
        broken.find_map(|(turn, fault)| (fault.kind == StreamFaultKind::Invalid).then_some(turn))
    }

    /// Describes why the run cannot continue without an operator.
    fn why_not(&self) -> End {
        match &self.state.mode {
            Mode::Stopped(reason) => return self.stopped(reason),
            Mode::Paused(reason) => return self.paused(reason),
            Mode::Running | Mode::Finished(_) => {}
        }
        if let Some(end) = self.interrupted_restore() {
            return end;
        }
        let mut queue = self.state.queue();
        let unknown = queue.find(|call| matches!(call.status, Status::OutcomeUnknown(_)));
        if let Some(call) = unknown {
            return self.outcome_unknown(call);
        }
        let mut queue = self.state.queue();
        let consent = queue.find(|call| matches!(call.status, Status::Consent(_)));
        if let Some(call) = consent {
            return self.wants_consent(call.id);
        }
        if let Some((turn, fault)) = self.broken().next() {
            return self.model_failed(turn, fault);
        }
        self.stuck()
    }

    /// A restore that was interrupted; nothing continues it without a person.
    fn interrupted_restore(&self) -> Option<End> {
        let open = self.state.operator.files.open().filter(|open| open.interrupted)?;
        let (session, restore) = (&self.session, open.started.restore);
        Some(End::new(
            Code::Halted,
            format!(
                "cannot continue: the restore {restore} was interrupted ({}); hint: `overrule restore {session} --continue \
                 {restore}`, `--leave {restore}` or `--undo {restore} --preview`",
                open.started.describe()
            ),
        ))
    }

    fn stopped(&self, reason: &str) -> End {
        let (session, reason) = (&self.session, visible(reason));
        End::new(
            Code::Halted,
            format!(
                "the run was stopped: {reason}; hint: continue with `overrule unpause {session} --resume`"
            ),
        )
    }

    fn paused(&self, reason: &str) -> End {
        let (session, reason) = (&self.session, visible(reason));
        match &self.state.tally.limit_reached {
            Some((which, _)) => {
                if which == reduction::LIMIT {
                    return End::new(
                        Code::Budget,
                        format!(
                            "the request is too long: {reason}; hint: `overrule shorten {session} --resume`, `summarize` or \
                             `drop-turns`, or set reduce to \"auto\" or \"off\" in [context] of the settings"
                        ),
                    );
                }
                let flag = match which.as_str() {
                    "tokens" => "--max-tokens N",
                    "time" => "--max-time DURATION",
                    "price" => "--max-price AMOUNT",
                    _ => "--max-turns N",
                };
                End::new(
                    Code::Budget,
                    format!(
                        "the limit of {which} is reached: {reason}; hint: raise it with `{}`",
                        session.to_continue_with(flag)
                    ),
                )
            }
            None if self.asks_about_loop() => End::new(
                Code::Halted,
                format!("the run is paused: {reason}; hint: `overrule loops {session}` shows your options"),
            ),
            None => End::new(
                Code::Halted,
                format!(
                    "the run is paused: {reason}; hint: continue with `overrule unpause {session} --resume`"
                ),
            ),
        }
    }

    /// True if the run is paused because of a loop.
    fn asks_about_loop(&self) -> bool {
        let incidents = &self.state.learned.escape.incidents;
        incidents
            .iter()
            .any(|incident| waits_for_operator(&self.state, incident))
    }

    fn stuck(&self) -> End {
        let session = &self.session;
        let waiting: Vec<String> = self.state.queue().map(|call| call.id.to_string()).collect();
        let why = if waiting.is_empty() {
            format!(
                "cannot continue the run: nothing can run, and there is no answer; hint: open it with `{}`",
                session.to_continue()
            )
        } else {
            format!(
                "cannot decide {} without an operator; hint: see `overrule queue {session}`, then approve, \
                 reject, edit or answer",
                waiting.join(", ")
            )
        };
        End::new(Code::Halted, why)
    }

    fn outcome_unknown(&self, call: &Call) -> End {
        let (session, id) = (&self.session, call.id);
        let attempt = match call.status {
            Status::OutcomeUnknown(attempt) => Some(attempt),
            _ => None,
        };
        let why = attempt.and_then(|attempt| call.why_unseen(attempt));
        let why = why
            .map(|why| format!(" ({})", print::safe_text(why)))
            .unwrap_or_default();
        let way = match attempt {
            Some(attempt) if call.was_cancelled(attempt) => {
                format!(" (`--did-not-finish` ends {id}, which was cancelled)")
            }
            Some(attempt) if call.has_ended(attempt) => format!(" (`--did-not-finish` ends {id})"),
            _ => String::new(),
        };
        End::new(
            Code::Halted,
            format!(
                "cannot continue after {id}: its outcome is unknown{why}; hint: use `overrule resolve {session} {id} \
                 --happened JSON`, `overrule resolve {session} {id} --did-not`{way}, or open it with `{}`",
                session.to_continue()
            ),
        )
    }

    fn wants_consent(&self, id: NodeId) -> End {
        let session = &self.session;
        End::new(
            Code::Halted,
            format!(
                "cannot run {id} without consent: it may repeat an effect that already happened; hint: use \
                 `overrule queue {session}`, then `overrule consent {session} {id} --digest D reuse|run-again|reject`"
            ),
        )
    }

    fn model_failed(&self, turn: &Turn, fault: &StreamFault) -> End {
        let (session, id, number) = (&self.session, turn.id, turn.id.0);
        let (kind, message) = (fault.kind.label(), print::safe_text(&fault.message));
        if fault.kind == StreamFaultKind::Script {
            return End::new(Code::Config, format!("{id}: {kind}: {message}"));
        }
        if fault.kind == StreamFaultKind::Invalid {
            return End::new(Code::Halted, format!("{message}\n{}", self.about_answer(turn)));
        }
        if fault.kind == StreamFaultKind::Overflow {
            return End::new(
                Code::Budget,
                format!(
                    "{id}: {kind}: {message}; hint: `overrule shorten {session} --resume`, `summarize` or `drop-turns`"
                ),
            );
        }
        End::new(
            Code::Model,
            format!(
                "{id}: {kind}: {message}; ask again with `overrule ask-again {session} {number} --resume`"
            ),
        )
    }

    /// The operator's options for an answer that does not fit, as commands.
    fn about_answer(&self, turn: &Turn) -> String {
        let (session, number) = (&self.session, turn.id.0);
        let counts = |id: &&NodeId| {
            let node = self.state.nodes.get(id);
            id.kind == NodeKind::Answer && node.is_some_and(|node| node.active)
        };
        let answer = turn.nodes.iter().rev().find(counts);
        let answer = answer.map_or_else(|| "ANSWER".to_owned(), NodeId::to_string);
        format!(
            "edit it with `overrule edit {session} {answer} --text TEXT --resume`, keep it as it is with `overrule keep \
             {session} {number} --resume`, or ask again with `overrule ask-again {session} {number} --resume`"
        )
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
