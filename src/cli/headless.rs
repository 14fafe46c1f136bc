//! A run without a screen: the policy decides, the answer goes to standard output. Must not know:
//! how a run decides.

use super::args::Common;
use super::exit::{Code, Failure};
use super::print;
use super::run::Ready;
use super::signals::{self, Asked};
use crate::domain::apply;
use crate::domain::call::{EffectClass, Status};
use crate::domain::command::{CallCommand, Command, ConsentChoice, RunCommand};
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use crate::domain::id::NodeId;
use crate::domain::state::{LedgerOutcome, Mode, State};
use crate::domain::turn::{Stream, StreamFaultKind, Turn};
use crate::engine::{Handle, Publication};
use crate::journal::{Link, encode_line};
use crate::text::visible;

/// Who decides where nobody watches.
fn actor() -> Actor {
    Actor::Engine
}

/// Serves a run until it ends, waits for somebody, or is interrupted.
pub async fn serve(common: &Common, ready: Ready) -> Result<Code, Failure> {
    let Ready {
        driver,
        handle,
        first,
        task,
        session,
        head,
        run,
    } = ready;
    let mut stop = signals::listen()?;
    let mut facts = handle.subscribe().facts;
    let running = tokio::spawn(driver.run(first));
    if let Some(task) = task {
        let command = handle.clone();
        tokio::spawn(async move { command.command(task, Actor::Operator("operator".into())).await });
    }
    let mut watch = Watch {
        state: State::default(),
        json: common.json,
        link: head,
        run,
        handle: handle.clone(),
    };
    let mut halted = None;
    let end = loop {
        tokio::select! {
            asked = stop.next() => {
                match asked {
                    Asked::Stop => {
                        print::err("interrupted: ending what runs (again to end at once)");
                        break End { code: Code::Interrupted, why: String::new() };
                    }
                    Asked::StopNow => return Ok(Code::Interrupted),
                }
            }
            fact = facts.recv() => {
                match fact {
                    Some(Publication::Snapshot(state)) => {
                        watch.state = *state;
                        // A snapshot of a run that has begun is what was recorded before.
                        if let Some(end) = watch.look().await { break end; }
                    }
                    Some(Publication::Event(envelope)) => {
                        watch.print(&envelope);
                        apply::apply(&mut watch.state, &envelope);
                        if let Some(end) = watch.look().await { break end; }
                    }
                    Some(Publication::Notice(text)) => print::err(&print::safe(&text)),
                    Some(Publication::Halted(reason)) => {
                        halted = Some(reason);
                        break End { code: Code::Session, why: String::new() };
                    }
                    Some(Publication::Ended) | None => break End { code: Code::Other, why: "the run ended".into() },
                }
            }
        }
    };
    // A second signal while things end is obeyed at once.
    tokio::select! {
        () = handle.shutdown() => {}
        asked = stop.next() => if asked == Asked::StopNow { return Ok(Code::Interrupted); }
    }
    while let Ok(fact) = facts.try_recv() {
        if let Publication::Event(envelope) = fact {
            watch.print(&envelope);
        }
    }
    if running.await.is_err() {
        return Err(Failure::new(
            Code::Other,
            "the run's loop broke; what was decided is recorded",
        ));
    }
    if let Some(reason) = halted {
        return Err(Failure::new(
            Code::Session,
            format!("the session cannot be written: {reason}. Nothing more was started. Session {session}"),
        ));
    }
    conclude(common, &watch.state, &session, end)
}

/// How a headless run ended.
struct End {
    code: Code,
    why: String,
}

fn conclude(common: &Common, state: &State, session: &str, end: End) -> Result<Code, Failure> {
    if let Mode::Finished(answer) = state.mode {
        let text = state
            .nodes
            .get(&answer)
            .map(|node| node.text().to_owned())
            .unwrap_or_default();
        print::err(&format!("session {session}"));
        return Ok(print_answer(common, &text, Code::Ok));
    }
    if common.json {
        let line = serde_json::json!({"type": "result", "answer": null, "exit": end.code.number()});
        print::out(&line.to_string());
    }
    print::err(&format!("to go on: overrule resume {session}"));
    if end.why.is_empty() {
        Ok(end.code)
    } else {
        Err(Failure::new(end.code, end.why))
    }
}

/// The answer, as asked for.
pub fn print_answer(common: &Common, text: &str, code: Code) -> Code {
    let printed = if common.json {
        let line = serde_json::json!({"type": "result", "answer": text, "exit": code.number()});
        print::out(&line.to_string())
    } else {
        print::out(&print::safe(text))
    };
    if printed { code } else { Code::Other }
}

/// What a headless run keeps an eye on.
struct Watch {
    state: State,
    json: bool,
    link: Link,
    run: uuid::Uuid,
    handle: Handle,
}

impl Watch {
    fn print(&mut self, envelope: &Envelope) {
        if self.json {
            match encode_line(self.run, envelope, self.link) {
                Ok(line) => {
                    let line = line.trim_end_matches('\n');
                    self.link = Link::of(line.as_bytes());
                    print::out(line);
                }
                Err(error) => print::err(&format!("cannot print event {}: {error}", envelope.seq)),
            }
        }
        if let Some(line) = progress(&self.state, &envelope.event) {
            print::err(&line);
        }
    }

    /// Decides what nobody is there to decide; says when the run cannot go on.
    async fn look(&self) -> Option<End> {
        match &self.state.mode {
            Mode::Finished(_) => {
                return Some(End {
                    code: Code::Ok,
                    why: String::new(),
                });
            }
            Mode::Stopped(reason) => {
                return Some(End {
                    code: Code::Halted,
                    why: format!("the run was stopped: {}", visible(reason)),
                });
            }
            Mode::Paused(reason) => {
                let code = if self.state.limit_reached.is_some() {
                    Code::Budget
                } else {
                    Code::Halted
                };
                return Some(End {
                    code,
                    why: format!("the run is paused: {}", visible(reason)),
                });
            }
            Mode::Running => {}
        }
        for call in self.state.queue() {
            match call.status {
                Status::Consent(_) => {
                    if let Some(end) = self.consent(call.id).await {
                        return Some(end);
                    }
                }
                Status::InDoubt(_) if call.effect >= EffectClass::Write && !self.probing(call.id) => {
                    return Some(End {
                        code: Code::Halted,
                        why: in_doubt(call.id),
                    });
                }
                _ => {}
            }
        }
        for id in &self.state.agenda.open {
            let Some(turn) = self.state.turns.get(id).filter(|turn| turn.is_active()) else {
                continue;
            };
            if let Stream::Broken(fault) = &turn.stream
                && crate::domain::advance::ask::retry_after(&self.state, turn, fault).is_none()
                && let Some(end) = self.broken(turn).await
            {
                return Some(end);
            }
        }
        None
    }

    /// A probe may still find out what came of an execution.
    fn probing(&self, call: NodeId) -> bool {
        let newest = self.state.calls.get(&call).and_then(|call| call.last_attempt());
        newest
            .and_then(|last| self.state.ledger.get(&last.intent))
            .is_some_and(|entry| !entry.probed)
    }

    async fn consent(&self, id: NodeId) -> Option<End> {
        let call = self.state.calls.get(&id)?;
        let entry = crate::domain::advance::gate::equal_entries(&self.state, call)
            .into_iter()
            .rev()
            .find(|seq| {
                self.state.ledger.get(seq).is_some_and(
                    |entry| matches!(&entry.outcome, LedgerOutcome::Known(outcome) if outcome.is_ok()),
                )
            });
        let stuck = || End {
            code: Code::Halted,
            why: format!(
                "{id} would repeat an effect that may already have happened, and nobody is here to decide. Use \
                 `overrule consent SESSION {id} --digest D reuse|run-again|reject`"
            ),
        };
        let Some(entry) = entry else { return Some(stuck()) };
        let rev = self.state.nodes.get(&id).map(crate::domain::node::Node::rev)?;
        let digest = call.digest.clone()?;
        let choice = ConsentChoice::Reuse { entry };
        let command = Command::Call(CallCommand::Consent {
            call: id,
            rev,
            digest,
            choice,
        });
        self.send(command).await;
        None
    }

    /// Sends a command; a refusal means that it is decided already, and is told.
    async fn send(&self, command: Command) {
        if let Err(refusal) = self.handle.command(command, actor()).await {
            print::err(&print::safe(&refusal.message));
        }
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
            let command = Command::Run(RunCommand::KeepArrived { turn: turn.id });
            self.send(command).await;
            return None;
        }
        if cut && turn.asked <= 4 {
            let command = Command::Run(RunCommand::AskAgain { turn: turn.id });
            self.send(command).await;
            return None;
        }
        let code = if fault.kind == StreamFaultKind::Script {
            Code::Config
        } else {
            Code::Model
        };
        Some(End {
            code,
            why: format!(
                "{}: {}: {}",
                turn.id,
                fault.kind.word(),
                print::safe(&fault.message)
            ),
        })
    }
}

fn in_doubt(id: NodeId) -> String {
    format!(
        "nobody knows whether {id} happened, and nobody is here to say. Use `overrule resolve SESSION {id} \
         --happened JSON`, `overrule resolve SESSION {id} --did-not`, or look at it with `overrule resume SESSION`"
    )
}

/// One line on standard error for what an operator would want to know.
fn progress(state: &State, event: &Event) -> Option<String> {
    let name = |id: &NodeId| {
        let node = state.nodes.get(id)?;
        let (tool, args) = node.as_call()?;
        Some(format!(
            "{id} {} {}",
            visible(tool),
            visible(&args.chars().take(100).collect::<String>())
        ))
    };
    match event {
        Event::Turn(TurnEvent::Requested {
            turn,
            request,
            wait_ms,
            ..
        }) => Some(match (request, wait_ms) {
            (1, _) => format!("{turn}: asking the model"),
            (_, 0) => format!("{turn}: asking the model again"),
            (_, ms) => format!("{turn}: asking the model again in {ms} ms"),
        }),
        Event::Turn(TurnEvent::Broken { turn, fault, .. }) => Some(format!(
            "{turn}: {}: {}",
            fault.kind.word(),
            print::safe(&fault.message)
        )),
        Event::Call(CallEvent::Started { call, .. }) => name(call).map(|name| format!("{name}: running")),
        Event::Call(CallEvent::Finished {
            call, outcome, ms, ..
        }) => {
            let word = match outcome {
                crate::domain::call::Outcome::Ok { .. } => "ok".to_owned(),
                crate::domain::call::Outcome::Err(error) => {
                    format!("{}: {}", error.class.word(), visible(&error.message))
                }
                crate::domain::call::Outcome::Cancelled { .. } => "cancelled".to_owned(),
            };
            Some(format!("{call}: {word} ({ms} ms)"))
        }
        Event::Call(CallEvent::Decided { call, decision, .. }) => match decision {
            crate::domain::call::Decision::Deny { rule, reason } => Some(format!(
                "{call}: denied by {}: {}",
                visible(rule),
                visible(reason)
            )),
            crate::domain::call::Decision::Expire { .. } => {
                Some(format!("{call}: not approved: no operator"))
            }
            _ => None,
        },
        Event::Run(RunEvent::LimitReached { message, .. }) => {
            Some(format!("limit reached: {}", visible(message)))
        }
        _ => None,
    }
}
