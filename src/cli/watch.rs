//! Decides what a run without a screen can decide by itself, and says when it cannot go on. Must not
//! know: how a command is decided, where anything is printed.

use tokio::sync::watch;

use super::exit::Code;
use super::print;
use crate::domain::advance::{ask, gate};
use crate::domain::call::{Call, ConsentCause, Decision, EffectClass, Status};
use crate::domain::command::{CallCommand, Command, ConsentChoice, RunCommand};
use crate::domain::envelope::Actor;
use crate::domain::id::{NodeId, Seq};
use crate::domain::node::Node;
use crate::domain::state::{LedgerOutcome, Mode, State};
use crate::domain::turn::{Stream, StreamFaultKind, Turn};
use crate::engine::Handle;
use crate::text::visible;

/// Requests of a cut turn that are made without asking anybody.
const REQUESTS: u32 = 4;

/// How a run without a screen ended.
#[derive(Debug)]
pub struct End {
    /// The exit code.
    pub code: Code,
    /// Why, and what to do; empty where there is nothing to say.
    pub why: String,
}

impl End {
    /// An end.
    pub fn new(code: Code, why: impl Into<String>) -> Self {
        Self {
            code,
            why: why.into(),
        }
    }
}

/// What keeps an eye on a run.
pub struct Watch {
    /// The run as far as it was told.
    pub state: State,
    handle: Handle,
    told: watch::Receiver<Seq>,
    session: String,
}

impl Watch {
    /// An eye on the run behind a handle.
    pub fn new(handle: Handle, told: watch::Receiver<Seq>, session: String) -> Self {
        Self {
            state: State::default(),
            handle,
            told,
            session,
        }
    }

    /// Looks at the run when all that follows by itself was told, up to this event. Decides what
    /// nobody is there to decide; says when the run cannot go on.
    pub async fn look(&self, told: Seq) -> Option<End> {
        // More has come meanwhile: the next look is due already. Before the first prompt there is nothing to see.
        if self.state.seq < told || self.state.turns.is_empty() {
            return None;
        }
        match &self.state.mode {
            Mode::Finished(_) => return Some(End::new(Code::Ok, "")),
            Mode::Stopped(_) | Mode::Paused(_) | Mode::Running => {}
        }
        // What runs may change the world: to leave now would end it half done, and nobody would know.
        let end = self.end().await;
        end.filter(|_| self.state.agenda.running.is_empty())
    }

    /// Why the run cannot go on without somebody.
    async fn end(&self) -> Option<End> {
        match &self.state.mode {
            Mode::Finished(_) | Mode::Running => {}
            Mode::Stopped(reason) => return Some(self.stopped(reason)),
            Mode::Paused(_) if under_way(&self.state) => return None,
            Mode::Paused(reason) => return Some(self.paused(reason)),
        }
        for call in self.state.queue() {
            match &call.status {
                Status::Consent(cause) => return self.consent(call, *cause).await,
                Status::InDoubt(_) if call.effect >= EffectClass::Write && !probing(&self.state, call) => {
                    return Some(self.in_doubt(call.id));
                }
                _ => {}
            }
        }
        for id in &self.state.agenda.open {
            let Some(turn) = self.state.turns.get(id).filter(|turn| turn.is_active()) else {
                continue;
            };
            if let Stream::Broken(fault) = &turn.stream
                && ask::retry_after(&self.state, turn, fault).is_none()
            {
                return self.broken(turn).await;
            }
        }
        (!under_way(&self.state)).then(|| self.stuck())
    }

    fn stopped(&self, reason: &str) -> End {
        let (session, reason) = (&self.session, visible(reason));
        End::new(
            Code::Halted,
            format!("the run was stopped: {reason}; let it go on with `overrule unpause {session} --resume`"),
        )
    }

    fn paused(&self, reason: &str) -> End {
        let (session, reason) = (&self.session, visible(reason));
        match &self.state.limit_reached {
            Some((which, _)) => {
                let flag = match which.as_str() {
                    "tokens" => "--max-tokens N",
                    "time" => "--max-time DURATION",
                    _ => "--max-turns N",
                };
                End::new(
                    Code::Budget,
                    format!(
                        "the limit of {which} is reached: {reason}; raise it with `overrule resume {session} {flag}`"
                    ),
                )
            }
            None => End::new(
                Code::Halted,
                format!(
                    "the run is paused: {reason}; let it go on with `overrule unpause {session} --resume`"
                ),
            ),
        }
    }

    /// Nothing runs, nothing comes, and there is no answer: somebody has to do something.
    fn stuck(&self) -> End {
        let session = &self.session;
        let waiting: Vec<String> = self.state.queue().map(|call| call.id.to_string()).collect();
        let why = if waiting.is_empty() {
            format!(
                "nothing goes on by itself and there is no answer: look at it with `overrule resume {session}`"
            )
        } else {
            format!(
                "{} must be decided on, and nobody is here to do it: see `overrule queue {session}`, then approve, \
                 reject, edit or answer",
                waiting.join(", ")
            )
        };
        End::new(Code::Halted, why)
    }

    fn in_doubt(&self, id: NodeId) -> End {
        let session = &self.session;
        End::new(
            Code::Halted,
            format!(
                "nobody knows whether {id} happened, and nobody is here to say. Use `overrule resolve {session} {id} \
                 --happened JSON`, `overrule resolve {session} {id} --did-not`, or look at it with `overrule resume \
                 {session}`"
            ),
        )
    }

    /// The recorded result is taken rather than an effect repeated; what an operator asked to run
    /// again is his to decide.
    async fn consent(&self, call: &Call, cause: ConsentCause) -> Option<End> {
        let (session, id) = (&self.session, call.id);
        let stuck = || {
            End::new(
                Code::Halted,
                format!(
                    "{id} would repeat an effect that may already have happened, and nobody is here to decide. Use \
                     `overrule queue {session}`, then `overrule consent {session} {id} --digest D \
                     reuse|run-again|reject`"
                ),
            )
        };
        let ended_well = |seq: &Seq| {
            let entry = self.state.ledger.get(seq);
            entry.is_some_and(
                |entry| matches!(&entry.outcome, LedgerOutcome::Known(outcome) if outcome.is_ok()),
            )
        };
        let entry = gate::equal_entries(&self.state, call)
            .into_iter()
            .rev()
            .find(ended_well)
            .filter(|_| cause != ConsentCause::SameCall);
        let rev = self.state.nodes.get(&id).map(Node::rev);
        let (Some(entry), Some(rev), Some(digest)) = (entry, rev, call.digest.clone()) else {
            return Some(stuck());
        };
        self.send(Command::Call(CallCommand::Consent {
            call: id,
            rev,
            digest,
            choice: ConsentChoice::Reuse { entry },
        }))
        .await
    }

    /// Sends a command. A refusal is the end, unless the run went on meanwhile.
    async fn send(&self, command: Command) -> Option<End> {
        let refusal = self.handle.command(command, Actor::Engine).await.err()?;
        let same = *self.told.borrow() <= self.state.seq;
        same.then(|| End::new(Code::Halted, refusal.message))
    }

    async fn broken(&self, turn: &Turn) -> Option<End> {
        let Stream::Broken(fault) = &turn.stream else {
            return None;
        };
        let has_call = turn.nodes.iter().any(|id| {
            self.state.calls.contains_key(id) && self.state.nodes.get(id).is_some_and(|node| node.active)
        });
        let cut = matches!(
            fault.kind,
            StreamFaultKind::Network
                | StreamFaultKind::Timeout
                | StreamFaultKind::Truncated
                | StreamFaultKind::Server
        );
        if cut && has_call {
            return self
                .send(Command::Run(RunCommand::KeepArrived { turn: turn.id }))
                .await;
        }
        if cut && turn.asked <= REQUESTS {
            return self
                .send(Command::Run(RunCommand::AskAgain { turn: turn.id }))
                .await;
        }
        let code = if fault.kind == StreamFaultKind::Script {
            Code::Config
        } else {
            Code::Model
        };
        let (session, number) = (&self.session, turn.id.0);
        let (kind, message) = (fault.kind.word(), print::told(&fault.message));
        let why = if code == Code::Config {
            format!("{}: {kind}: {message}", turn.id)
        } else {
            format!(
                "{}: {kind}: {message}; ask again with `overrule ask-again {session} {number} --resume`",
                turn.id
            )
        };
        Some(End::new(code, why))
    }
}

/// A probe may still find out what came of an execution.
fn probing(state: &State, call: &Call) -> bool {
    call.last_attempt()
        .and_then(|last| state.ledger.get(&last.intent))
        .is_some_and(|entry| !entry.probed)
}

/// True while something will report by itself: an execution, a stream, a probe, a deadline.
fn under_way(state: &State) -> bool {
    let reports = |call: &Call| match call.status {
        Status::Awaiting => {
            let limited = call
                .verdict
                .as_ref()
                .is_some_and(|verdict| verdict.deadline_ms.is_some());
            let over = |(_, _, decision): &(_, _, Decision)| matches!(decision, Decision::Expire { .. });
            limited && !call.decisions.iter().any(over)
        }
        Status::InDoubt(_) => probing(state, call),
        _ => false,
    };
    !state.agenda.running.is_empty()
        || state.turns.values().any(|turn| turn.stream == Stream::Open)
        || state.queue().any(reports)
}
