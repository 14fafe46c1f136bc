//! Builds the first events of a process that continues a recorded run.
//!
//! Must not know: the journal's format.

use overrule_domain::advice::Advice;
use overrule_domain::apply::apply;
use overrule_domain::call::Call;
use overrule_domain::draft::Draft;
use overrule_domain::envelope::{Actor, Moment, stamp};
use overrule_domain::event::run::Started;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{Attempt, NodeId, Seq};
use overrule_domain::recheck;
use overrule_domain::state::{LedgerOutcome, State};
use overrule_domain::turn::Stream;

/// Returns the executions that were running when the process that had started them ended.
pub fn interrupted(state: &State) -> Vec<(NodeId, Attempt)> {
    state
        .agenda
        .running
        .iter()
        .filter_map(|id| state.calls.get(id)?.last_attempt().map(|last| (*id, last.no)))
        .collect()
}

/// Returns the event with which another process takes a session over, if something in it was interrupted.
pub fn take_over(state: &State) -> Option<Event> {
    let streams = state.turns.values().any(|turn| turn.stream == Stream::Open);
    // Also if the run ended or was edited before an execution ended.
    let unended = state
        .ledger
        .values()
        .any(|entry| entry.outcome == LedgerOutcome::Running && entry.thread.is_none());
    let restore = state.operator.files.open().is_some_and(|one| !one.interrupted);
    (streams || unended || restore || !state.agenda.running.is_empty()).then(|| {
        Event::Run(RunEvent::Reopened {
            interrupted: interrupted(state),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    })
}

/// Returns the state of a session that no process has open: what was running is interrupted.
pub fn taken_over(mut state: State, now: Moment) -> State {
    let event = take_over(&state).map(|event| (Actor::Engine, event));
    for envelope in stamp(state.seq, now, Seq(0), event) {
        apply(&mut state, &envelope);
    }
    state
}

/// Returns the processes of executions with an unknown outcome, as (call, pid, start time in clock ticks
/// since boot): those interrupted now and those found so by an earlier process, even if an edit has since
/// changed or removed the call.
pub fn processes(state: &State) -> Vec<(NodeId, u32, u64)> {
    let unseen = |intent: &Seq| {
        let entry = state.ledger.get(intent);
        entry.is_some_and(|entry| matches!(entry.outcome, LedgerOutcome::Running | LedgerOutcome::Unknown))
    };
    let of_call = |call: &Call| {
        let attempts = call.attempts.iter().filter(|one| unseen(&one.intent));
        let processes = attempts.filter_map(|one| one.launch.process);
        let found = processes.map(|(pid, ticks)| (call.id, pid, ticks));
        found.collect::<Vec<_>>()
    };
    state.calls.values().flat_map(of_call).collect()
}

/// Returns the events with which this process continues the run. `fitted` is what the run is built
/// with now. Whatever differs from what was shown is checked and asked for again. Calls that only
/// the policy had approved are decided again.
pub fn first_events(state: &State, advice: &dyn Advice, fitted: Started) -> Vec<Event> {
    let mut events = vec![Event::Run(RunEvent::Reopened {
        interrupted: interrupted(state),
        version: fitted.version.clone(),
    })];
    events.append(&mut refitted(state, advice, fitted));
    events
}

/// Returns the events with which a process replaces its tools. None if nothing differs.
pub fn refitted(state: &State, advice: &dyn Advice, fitted: Started) -> Vec<Event> {
    let mut events = Vec::new();
    if state.started.as_deref().is_some_and(|started| *started != fitted) {
        events.push(Event::Run(RunEvent::Refitted {
            started: Box::new(fitted),
        }));
    }
    let mut draft = Draft::new(state);
    recheck::all(&mut draft, advice, "the policy of this process does not allow it");
    events.append(&mut draft.events);
    events
}
