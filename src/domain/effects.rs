//! Returns the requests that follow from a recorded event.
//!
//! Must not know: how a request is carried out.
//!
//! A replay applies the same events and ignores these requests.

use std::collections::BTreeSet;

use super::approver;
use super::breaker::Phase;
use super::call::{Call, Decision, EffectClass, Status};
use super::effect::Effect;
use super::envelope::Envelope;
use super::escape::LoopStep;
use super::event::{
    CallEvent, EditEvent, EscapeEvent, Event, FilesEvent, ResilienceEvent, RunEvent, SandboxEvent, TurnEvent,
};
use super::files::is_restoring;
use super::fork;
use super::id::{Attempt, NodeId, Rev};
use super::ladder::{Stage, Timer};
use super::reduction::summary;
use super::repair::Reply;
use super::repeat;
use super::sandbox::KeptChange;
use super::server_question;
use super::state::{LedgerOutcome, Mode, State};
use super::thread;
use super::turn::Stream;

/// The requests that follow from an event; the state is the one after it.
pub fn effects(state: &State, envelope: &Envelope) -> Vec<Effect> {
    let mut effects = of_event(state, envelope);
    effects.extend(server_question::reply(state, envelope));
    effects
}

fn of_event(state: &State, envelope: &Envelope) -> Vec<Effect> {
    match &envelope.event {
        Event::Run(event) => of_run(state, envelope, event),
        Event::Turn(event) => of_turn(state, envelope, event),
        Event::Call(event) => of_call(state, envelope, event),
        Event::Edit(event) => of_edit(envelope, event),
        Event::Resilience(event) => of_resilience(state, envelope, event),
        Event::Escape(event) => of_escape(state, event),
        Event::Sandbox(event) => of_sandbox(event),
        Event::Files(event) => of_files(state, event),
        Event::Weight(_) => Vec::new(),
    }
}

fn of_sandbox(event: &SandboxEvent) -> Vec<Effect> {
    match event {
        SandboxEvent::Kept { call, path, from } => vec![Effect::KeepUndone {
            change: KeptChange {
                call: *call,
                path: path.clone(),
                from: from.clone(),
            },
            again: false,
        }],
        SandboxEvent::NotKept { call, path, why, .. } => {
            vec![notify(format!(
                "the change of {path} by {call} could not be kept: {why}"
            ))]
        }
        SandboxEvent::Confined { .. } | SandboxEvent::Widened { .. } => Vec::new(),
    }
}

fn of_files(state: &State, event: &FilesEvent) -> Vec<Effect> {
    match event {
        FilesEvent::RestoreStarted(started) => vec![Effect::Restore {
            restore: started.restore,
            steps: started.steps.clone(),
        }],
        FilesEvent::RestoreContinued { restore } => {
            let record = state.operator.files.restores.get(restore);
            let steps = record.map(|record| record.started.steps.clone());
            steps
                .map(|steps| Effect::Restore {
                    restore: *restore,
                    steps,
                })
                .into_iter()
                .collect()
        }
        FilesEvent::Restored { restore, .. } => {
            let record = state.operator.files.restores.get(restore);
            let left = record.filter(|record| record.interrupted);
            let clear = left.map(|record| Effect::ClearRestore {
                steps: record.started.steps.clone(),
            });
            clear.into_iter().chain(held_requests(state, *restore)).collect()
        }
        FilesEvent::Changed { .. } | FilesEvent::ChangedOutside { .. } | FilesEvent::Seen { .. } => {
            Vec::new()
        }
    }
}

/// Requests that were recorded while a restore was open. They are made once it has ended.
fn held_requests(state: &State, restore: NodeId) -> Vec<Effect> {
    let Some(record) = state.operator.files.restores.get(&restore) else {
        return Vec::new();
    };
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.filter(|turn| turn.stream == Stream::Open && turn.asked_at > record.seq)
        .map(|turn| Effect::Ask {
            turn: turn.id,
            thread: turn.thread,
            request: turn.asked,
        })
        .collect()
}

fn of_run(state: &State, envelope: &Envelope, event: &RunEvent) -> Vec<Effect> {
    match event {
        RunEvent::Reopened { interrupted, .. } => {
            let mut effects = reopened(state, envelope, interrupted);
            effects.extend(state.operator.files.open.map(|open| {
                notify(format!(
                    "the restore {open} was interrupted: continue it, leave it or undo it"
                ))
            }));
            effects
        }
        RunEvent::Resumed {} => [deadlines(state), approvers(state), waits(state), questions(state)].concat(),
        RunEvent::LimitReached { message, .. } => vec![notify(message.clone())],
        RunEvent::Finished { .. } => vec![notify("the run is finished".into())],
        _ => Vec::new(),
    }
}

fn of_turn(state: &State, envelope: &Envelope, event: &TurnEvent) -> Vec<Effect> {
    match event {
        // It is made once the restore has ended.
        TurnEvent::Requested { .. } if is_restoring(state) => Vec::new(),
        TurnEvent::Requested {
            turn,
            thread,
            request,
            ..
        } => vec![Effect::Ask {
            turn: *turn,
            thread: *thread,
            request: *request,
        }],
        TurnEvent::RetryScheduled { turn, wait_ms, .. } => vec![Effect::Timer {
            timer: Timer::Request { turn: *turn },
            set: envelope.seq,
            ms: *wait_ms,
        }],
        TurnEvent::Aborted { .. } => ends(&envelope.event).into_iter().collect(),
        TurnEvent::Broken { turn, fault, .. } => vec![notify(format!("{turn}: {}", fault.kind.label()))],
        TurnEvent::Restored { .. } => [deadlines(state), approvers(state)].concat(),
        _ => Vec::new(),
    }
}

fn of_call(state: &State, envelope: &Envelope, event: &CallEvent) -> Vec<Effect> {
    match event {
        CallEvent::CancelAsked { .. } => ends(&envelope.event).into_iter().collect(),
        CallEvent::Started {
            call,
            rev,
            attempt,
            key,
            thread: None,
            ..
        } => vec![Effect::Launch {
            call: *call,
            rev: *rev,
            attempt: *attempt,
            key: key.clone(),
        }],
        CallEvent::Asked {
            call,
            deadline_ms,
            approver,
            ..
        } => {
            let next = match (approver, deadline_ms) {
                (Some(_), _) => Some(Effect::AskApprover {
                    call: *call,
                    set: envelope.seq,
                }),
                (None, Some(ms)) => Some(Effect::Timer {
                    timer: Timer::Deadline { call: *call },
                    set: envelope.seq,
                    ms: *ms,
                }),
                (None, None) => None,
            };
            let waits = notify(format!("{call} waits for approval"));
            [waits].into_iter().chain(next).collect()
        }
        CallEvent::Decided { call, decision, .. } => decided(state, envelope, *call, decision),
        CallEvent::ConsentAsked { call, .. } => vec![notify(format!("{call} waits for consent"))],
        CallEvent::Graced { call, .. } => wait(state, *call).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn of_edit(envelope: &Envelope, event: &EditEvent) -> Vec<Effect> {
    match event {
        EditEvent::SummaryAsked { .. } => vec![Effect::AskSummary {
            set: envelope.seq,
            wait_ms: 0,
        }],
        EditEvent::SummaryBroke { set, wait_ms, .. } => vec![Effect::AskSummary {
            set: *set,
            wait_ms: *wait_ms,
        }],
        EditEvent::SummaryAnswered {
            reply: Reply::Failed { why },
            ..
        } => vec![notify(format!("there is no summary: {why}"))],
        _ => Vec::new(),
    }
}

fn of_resilience(state: &State, envelope: &Envelope, event: &ResilienceEvent) -> Vec<Effect> {
    let ask = |call: NodeId, rev: Rev, round: u32, wait_ms: u64| {
        vec![Effect::AskRepair {
            call,
            rev,
            round,
            wait_ms,
        }]
    };
    match event {
        ResilienceEvent::RetryScheduled { call, .. } => wait(state, *call).into_iter().collect(),
        ResilienceEvent::RepairAsked { call, rev, round, .. } => ask(*call, *rev, *round, 0),
        ResilienceEvent::RepairBroke {
            call,
            rev,
            round,
            wait_ms,
            ..
        } => ask(*call, *rev, *round, *wait_ms),
        ResilienceEvent::RepairOffered { call, .. } => vec![notify(format!("{call}: choose a repair"))],
        ResilienceEvent::BreakerChanged {
            scope,
            generation,
            to: Phase::Open,
            wait_ms,
            why,
            instead: _,
        } => vec![
            notify(format!("the breaker of {scope} opened: {why}")),
            Effect::Timer {
                timer: Timer::Breaker {
                    scope: scope.clone(),
                    generation: *generation,
                },
                set: envelope.seq,
                ms: *wait_ms,
            },
        ],
        _ => Vec::new(),
    }
}

fn of_escape(state: &State, event: &EscapeEvent) -> Vec<Effect> {
    match event {
        EscapeEvent::Proposed {
            incident,
            step: LoopStep::Human | LoopStep::Restrict | LoopStep::Stop,
            ..
        } => {
            let found = state.learned.escape.incident(*incident);
            let words = found.map_or_else(String::new, |found| found.finding.describe());
            vec![notify(format!("loop {incident}: {words}"))]
        }
        _ => Vec::new(),
    }
}

fn notify(why: String) -> Effect {
    Effect::Notify { why }
}

/// Returns the request to end what an event ends, if it was running; the event alone decides.
pub fn ends(event: &Event) -> Option<Effect> {
    match event {
        Event::Turn(TurnEvent::Aborted { turn, .. }) => Some(Effect::Abort { turn: *turn }),
        Event::Call(CallEvent::CancelAsked { call, attempt, .. }) => Some(Effect::Cancel {
            call: *call,
            attempt: *attempt,
        }),
        _ => None,
    }
}

/// Returns probes for executions with an unknown outcome, and restarted deadlines.
fn reopened(state: &State, envelope: &Envelope, interrupted: &[(NodeId, Attempt)]) -> Vec<Effect> {
    // Includes executions that an earlier process found and did not probe.
    let unknown = state.queue().filter_map(|call| match call.status {
        Status::OutcomeUnknown(attempt) => Some((call.id, attempt)),
        _ => None,
    });
    // No call waits for these, because an edit superseded it. The model still sees them.
    let left = state.ledger.values().filter(|entry| {
        entry.more.orphaned
            && entry.outcome == LedgerOutcome::Unknown
            && !repeat::begun_since(state, entry.seq)
    });
    let left = left.map(|entry| (entry.call, entry.attempt));
    let all: BTreeSet<(NodeId, Attempt)> = interrupted.iter().copied().chain(unknown).chain(left).collect();
    let mut effects: Vec<Effect> = all
        .into_iter()
        .filter(|(call, attempt)| leaves_traces(state, *call, *attempt))
        .map(|(call, attempt)| Effect::Probe { call, attempt })
        .collect();
    effects.extend(deadlines(state));
    effects.extend(approvers(state));
    effects.extend(waits(state));
    effects.extend(questions(state));
    effects.extend(requests(state, envelope.at));
    let kept = state.operator.kept.iter().cloned();
    effects.extend(kept.map(|change| Effect::KeepUndone { change, again: true }));
    let open = state
        .learned
        .breakers
        .iter()
        .filter(|(_, one)| one.phase == Phase::Open);
    effects.extend(open.map(|(scope, breaker)| Effect::Timer {
        timer: Timer::Breaker {
            scope: scope.clone(),
            generation: breaker.generation,
        },
        set: envelope.seq,
        ms: u64::try_from(breaker.until.saturating_sub(envelope.at)).unwrap_or(0),
    }));
    effects
}

/// Returns timers for the remaining waits before model requests are retried.
fn requests(state: &State, now: i64) -> Vec<Effect> {
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.filter_map(|turn| {
        let held = turn.more.held.as_ref().filter(|held| held.left_ms > 0)?;
        Some(Effect::Timer {
            timer: Timer::Request { turn: turn.id },
            set: held.set,
            ms: held.left(now),
        })
    })
    .collect()
}

/// Returns the open questions to the model: about repairs, and for a summary. The engine does not repeat one that it
/// still asks.
fn questions(state: &State) -> Vec<Effect> {
    if state.mode != Mode::Running {
        return Vec::new();
    }
    let summary = summary::open(state).map(|asked| Effect::AskSummary {
        set: asked.set,
        wait_ms: 0,
    });
    let repairing = state.agenda.repairing.iter().filter_map(|id| state.calls.get(id));
    let repairs = repairing
        .filter(|call| call.status == Status::Repairing(Stage::Asking))
        .filter_map(|call| {
            let round = call.failure.repairs.last()?;
            Some(Effect::AskRepair {
                call: call.id,
                rev: round.rev,
                round: round.no,
                wait_ms: 0,
            })
        });
    repairs.chain(summary).collect()
}

/// Returns timers for the remaining waits before retries.
fn waits(state: &State) -> Vec<Effect> {
    let delayed = state.agenda.delayed.iter();
    delayed.filter_map(|call| wait(state, *call)).collect()
}

/// Returns the timer for the wait of a call; `None` unless the run is running.
fn wait(state: &State, call: NodeId) -> Option<Effect> {
    let life = state.calls.get(&call)?;
    let delay = life.failure.delay.as_ref()?;
    let rev = state.nodes.get(&call)?.rev();
    let timer = match delay.tries {
        Some(_) => Timer::Retry {
            call,
            rev,
            attempt: life.last_attempt()?.no,
        },
        None => Timer::Grace { call, rev },
    };
    (state.mode == Mode::Running).then_some(Effect::Timer {
        timer,
        set: delay.set,
        ms: delay.left_ms,
    })
}

/// Returns true for an execution that can be probed and was not yet.
fn leaves_traces(state: &State, call: NodeId, attempt: Attempt) -> bool {
    let Some(life) = state.calls.get(&call) else {
        return false;
    };
    let entry = life
        .attempts
        .iter()
        .find(|one| one.no == attempt)
        .and_then(|one| state.ledger.get(&one.intent));
    entry.is_some_and(|entry| {
        entry.effect >= EffectClass::Write && !entry.more.probed && !fork::is_theirs(state, entry)
    })
}

/// Returns timers for the deadlines of calls awaiting approval.
fn deadlines(state: &State) -> Vec<Effect> {
    let open = open_deadlines(state).map(|(call, ms)| Effect::Timer {
        timer: Timer::Deadline { call: call.id },
        set: call.approval.due_set,
        ms,
    });
    open.collect()
}

/// What a decision ends and begins.
fn decided(state: &State, envelope: &Envelope, call: NodeId, decision: &Decision) -> Vec<Effect> {
    let asking = state.calls.get(&call).map(|life| &life.approval);
    if let Decision::LeftToOperator { .. } = decision {
        let due = asking.and_then(|asking| asking.due);
        let timer = due.map(|due| Effect::Timer {
            timer: Timer::Deadline { call },
            set: envelope.seq,
            ms: u64::try_from(due.saturating_sub(envelope.at)).unwrap_or(0),
        });
        return timer.into_iter().collect();
    }
    let is_asked = asking.is_some_and(|asking| asking.approver.is_some());
    let end = is_asked.then_some(Effect::EndApprover { call });
    end.into_iter().collect()
}

/// Returns the open questions to the approval program. The engine does not repeat one that it still
/// asks.
fn approvers(state: &State) -> Vec<Effect> {
    let open = state.queue().filter(|call| approver::is_asked(state, call));
    open.map(|call| Effect::AskApprover {
        call: call.id,
        set: call.approval.due_set,
    })
    .collect()
}

/// Returns the calls awaiting approval with a deadline, and the milliseconds until then.
pub(super) fn open_deadlines(state: &State) -> impl Iterator<Item = (&Call, u64)> {
    state.queue().filter_map(|call| {
        let counts = state
            .turn_of(call.id)
            .is_some_and(|turn| thread::acts(state, turn));
        let ms = call.verdict.as_ref().and_then(|verdict| verdict.deadline_ms)?;
        let asks = call.status == Status::AwaitingApproval && call.approval.approver.is_none();
        (counts && asks).then_some((call, ms))
    })
}
