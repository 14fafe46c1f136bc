//! Decides commands about the handling of failed calls, and what follows when a wait is over.
//!
//! Must not know: how a step is found, who asks.

use std::sync::Arc;

use super::checks::{find, not_over, same_rev, wrong_status};
use crate::advice::Advice;
use crate::breaker::{Breaker, Phase, Scope};
use crate::budget::no_request_for;
use crate::call::{Call, Status};
use crate::command::ResilienceCommand;
use crate::draft::Draft;
use crate::event::{CallEvent, ResilienceEvent, TurnEvent};
use crate::id::{Attempt, NodeId, Rev, Seq, TurnId};
use crate::ladder::{Fix, Stage, Timer};
use crate::refusal::{Refusal, RefusalKind};
use crate::repair::{Passing, Reply};
use crate::restrict;
use crate::retry_wait::wait_beside;
use crate::revision;
use crate::setting_change;
use crate::state::{Mode, State};
use crate::turn::Usage;

pub(super) fn decide(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    command: &ResilienceCommand,
) -> Result<(), Refusal> {
    match command {
        ResilienceCommand::RunNow { call, rev } => run_now(draft, (*call, *rev)),
        ResilienceCommand::ResetBreaker { scope } => reset(draft, scope),
        ResilienceCommand::Configure { key, value } => configure(draft, advice, key, value),
        ResilienceCommand::ChooseRepair { call, rev, option } => choose(draft, (*call, *rev), *option),
        ResilienceCommand::SkipRepair { call, rev } => skip(draft, (*call, *rev)),
    }
}

/// Decides what follows when time has passed. The thing that waited may be gone.
pub(super) fn elapsed(draft: &mut Draft<'_>, timer: &Timer, set: Seq) {
    match timer {
        Timer::Retry { call, rev, attempt } => due(draft, (*call, *rev, *attempt), set),
        Timer::Grace { call, rev } => grace_over(draft, (*call, *rev), set),
        Timer::Deadline { call } => super::execution::due(draft, *call, set),
        Timer::Request { turn } => request_due(draft, *turn, set),
        // Each opening of a breaker is a generation of its own.
        Timer::Breaker { scope, generation } => half_open(draft, scope, *generation),
    }
}

/// Records the model's answer, or that the request broke. Its cost is recorded even if no call
/// waits for the answer. A broken request is retried like those of turns, as often and within the
/// same limits.
pub(super) fn answered(
    draft: &mut Draft<'_>,
    (call, rev, round): (NodeId, Rev, u32),
    (reply, passing): (&Reply, Option<Passing>),
    usage: Usage,
) {
    let state = draft.state;
    let life = state.calls.get(&call);
    let mut rounds = life.iter().flat_map(|life| &life.failure.repairs);
    let asked =
        rounds.find(|one| one.no == round && one.rev == rev && one.asked.is_some() && one.reply.is_none());
    let waits = life.is_some_and(|life| life.status == Status::Repairing(Stage::Asking));
    if let (Some(one), Some(passing), Reply::Failed { why }) = (asked, passing, reply)
        && waits
        && no_request_for(state).is_none()
        && let no = one.broke.len() as u32 + 1
        && let salt = u64::from(call.no).wrapping_mul(31) + u64::from(round)
        && let Some((of, wait_ms)) = wait_beside(state, no, salt, passing)
    {
        draft.resilience(ResilienceEvent::RepairBroke {
            call,
            rev,
            round,
            no,
            of,
            wait_ms,
            why: why.clone(),
            usage,
        });
    } else if asked.is_some() {
        draft.resilience(ResilienceEvent::RepairAnswered {
            call,
            rev,
            round,
            reply: reply.clone(),
            usage,
        });
    }
}

/// Ends the wait before a retry of a request. It also passes while the run is paused; the request
/// is made later then.
fn request_due(draft: &mut Draft<'_>, id: TurnId, set: Seq) {
    let Some(turn) = draft.state.turns.get(&id) else {
        return;
    };
    let waits = turn.more.held.as_ref();
    if waits.is_some_and(|held| held.set == set && held.left_ms > 0) {
        draft.turn_event(TurnEvent::RetryDue { turn: id });
    }
}

/// Makes an open breaker half-open: it has waited long enough for a probe.
fn half_open(draft: &mut Draft<'_>, scope: &Scope, generation: u32) {
    let breaker = draft.state.learned.breakers.get(scope);
    let same = |one: &&Breaker| one.phase == Phase::Open && one.generation == generation;
    if breaker.as_ref().is_some_and(same) {
        draft.resilience(ResilienceEvent::BreakerChanged {
            scope: scope.clone(),
            generation: generation.saturating_add(1),
            to: Phase::HalfOpen,
            wait_ms: 0,
            why: Arc::from("the wait is over: the next one shows whether it works again"),
            instead: Vec::new(),
        });
    }
}

fn reset(draft: &mut Draft<'_>, scope: &Scope) -> Result<(), Refusal> {
    let Some(breaker) = draft.state.learned.breakers.get(scope) else {
        let known: Vec<String> = draft
            .state
            .learned
            .breakers
            .keys()
            .map(Scope::to_string)
            .collect();
        return Err(Refusal::new(
            RefusalKind::Unknown,
            if known.is_empty() {
                format!("nothing went through a breaker of {scope} yet")
            } else {
                format!("there is no breaker of {scope}: there is {}", known.join(", "))
            },
        ));
    };
    if breaker.phase == Phase::Closed {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            format!("the breaker of {scope} is already closed"),
        ));
    }
    draft.resilience(ResilienceEvent::BreakerChanged {
        scope: scope.clone(),
        generation: breaker.generation.saturating_add(1),
        to: Phase::Closed,
        wait_ms: 0,
        why: Arc::from("reset by the operator"),
        instead: Vec::new(),
    });
    Ok(())
}

fn configure(draft: &mut Draft<'_>, advice: &dyn Advice, key: &str, value: &str) -> Result<(), Refusal> {
    let policy = advice
        .configured(key, value)
        .map_err(|why| Refusal::new(RefusalKind::Invalid, why))?;
    let now = draft.state.settings.resilience.as_ref();
    if now.is_some_and(|now| now.policy == policy) {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            format!("{key} already has that value"),
        ));
    }
    let changed = match now {
        Some(now) => setting_change::between(&now.policy, &policy),
        // The earlier value comes from the start of the program, and is not recorded.
        None => setting_change::set(&policy, key),
    };
    draft.resilience(ResilienceEvent::PolicySet {
        version: now.map_or(1, |now| now.version.saturating_add(1)),
        policy,
        live: true,
        changed,
    });
    Ok(())
}

/// The call of a wait, for a retry or a withdrawal, that started with an event. While the run is
/// paused, so are its waits; they restart with other events.
fn waits(state: &State, (id, rev): (NodeId, Rev), set: Seq) -> Option<&Call> {
    let node = state.nodes.get(&id)?;
    let call = state.calls.get(&id)?;
    let same = node.active && node.rev() == rev && call.status == Status::Scheduled;
    let delay = call.failure.delay.as_ref()?;
    (same && delay.set == set && state.mode == Mode::Running).then_some(call)
}

fn due(draft: &mut Draft<'_>, (call, rev, attempt): (NodeId, Rev, Attempt), set: Seq) {
    let waiting = waits(draft.state, (call, rev), set);
    if waiting.is_some_and(|life| life.last_attempt().is_some_and(|one| one.no == attempt)) {
        draft.resilience(ResilienceEvent::RetryDue {
            call,
            rev,
            attempt,
            skipped: false,
        });
    }
}

/// The time for a withdrawal is over.
fn grace_over(draft: &mut Draft<'_>, (call, rev): (NodeId, Rev), set: Seq) {
    if waits(draft.state, (call, rev), set).is_some_and(is_graced) {
        draft.call(CallEvent::GraceEnded {
            call,
            rev,
            skipped: false,
        });
    }
}

/// Whether the approval of a call can still be withdrawn.
fn is_graced(call: &Call) -> bool {
    call.status == Status::Scheduled
        && call
            .failure
            .delay
            .as_ref()
            .is_some_and(|delay| delay.tries.is_none())
}

fn run_now(draft: &mut Draft<'_>, (id, rev): (NodeId, Rev)) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    restrict::refuse(draft.state, call, "run")?;
    if is_graced(call) {
        draft.call(CallEvent::GraceEnded {
            call: id,
            rev,
            skipped: true,
        });
        return Ok(());
    }
    let last = call.last_attempt().map(|one| one.no);
    let (Status::Scheduled, Some(attempt)) = (&call.status, last) else {
        return Err(wrong_status(
            call,
            "skip the wait of",
            "only a call that waits for a time can run immediately",
        ));
    };
    draft.resilience(ResilienceEvent::RetryDue {
        call: id,
        rev,
        attempt,
        skipped: true,
    });
    Ok(())
}

fn choose(draft: &mut Draft<'_>, (id, rev): (NodeId, Rev), option: usize) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    restrict::refuse(draft.state, call, "repair")?;
    let offered = call
        .offered()
        .ok_or_else(|| wrong_status(call, "choose a repair of", "no repair of it is offered"))?;
    let Some(chosen) = offered.get(option) else {
        if offered.is_empty() {
            let words =
                "no repair is left; hint: edit its arguments, replace or answer it, or skip the repair";
            return Err(wrong_status(call, "choose a repair of", words));
        }
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!(
                "{id} has no repair {}: choose one of 1 to {}",
                option.saturating_add(1),
                offered.len()
            ),
        ));
    };
    let no = call.failure.repairs.last().map_or(0, |round| round.no);
    revision::repaired(draft, id, no, chosen);
    Ok(())
}

fn skip(draft: &mut Draft<'_>, (id, rev): (NodeId, Rev)) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    if !matches!(call.status, Status::Repairing(_)) {
        return Err(wrong_status(call, "stop repairing", "it is not being repaired"));
    }
    let none_is_left = call.offered().is_some_and(<[Fix]>::is_empty);
    let why = call.validation.because.clone().filter(|_| none_is_left);
    draft.resilience(ResilienceEvent::GaveUp {
        call: id,
        rev,
        why: why.unwrap_or_else(|| Arc::from("the operator wants no repair")),
    });
    Ok(())
}
