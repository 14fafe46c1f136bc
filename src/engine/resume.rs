//! Builds the first events of a process that continues a recorded run.
//!
//! Must not know: the journal's format.

use overrule_domain::advice::{Advice, RuleUses, decide};
use overrule_domain::apply::apply;
use overrule_domain::auto_approved;
use overrule_domain::call::{Call, Status, Verdict};
use overrule_domain::draft::Draft;
use overrule_domain::envelope::{Actor, Moment, stamp};
use overrule_domain::event::run::Started;
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::{Attempt, NodeId, Seq};
use overrule_domain::ready;
use overrule_domain::state::{LedgerOutcome, State};
use overrule_domain::thread;
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
    (streams || unended || !state.agenda.running.is_empty()).then(|| {
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

/// Returns the decided or waiting calls that differ from what was shown. Their tool, a file that
/// they may run, the directory or the environment differs in this process, or the policy would not
/// ask about them, or not for as long.
fn changed(state: &State, advice: &dyn Advice) -> Vec<NodeId> {
    let agenda = &state.agenda;
    let draft = Draft::new(state);
    let used = RuleUses::by(&draft);
    let changed = |id: &NodeId| {
        let call = state.calls.get(id)?;
        let node = state.nodes.get(id)?;
        let (tool, _) = node.as_call()?;
        let shown = matches!(
            call.status,
            Status::Ready
                | Status::AwaitingApproval
                | Status::Consent(_)
                | Status::Queued
                | Status::Scheduled
        );
        let bytes = ready::resolved_args(state, call)?;
        let operands = advice.operands(tool, &bytes);
        let now = advice.digest(*id, node.rev(), (tool, &bytes), &operands);
        let asked = call.status == Status::AwaitingApproval;
        let decided_differently = || {
            let task = thread::task(state, advice, node);
            let now = decide(advice, node, &bytes, task.as_deref(), &used);
            let shown = call.verdict.as_ref().zip(now);
            asked && shown.is_some_and(|(shown, now)| !same_question(shown, &now))
        };
        (shown && (call.digest.as_ref() != Some(&now) || decided_differently())).then_some(*id)
    };
    let waiting = agenda.ungated.iter().chain(agenda.waiting.values());
    let queued = agenda.queued.iter().chain(&agenda.delayed);
    waiting.chain(queued).filter_map(changed).collect()
}

/// Returns true if the question is unchanged. Without an operator, a question that would wait for
/// one expires immediately; with one, a question that would have expired waits.
fn same_question(shown: &Verdict, now: &Verdict) -> bool {
    let of = |verdict: &Verdict| (verdict.gate, verdict.deadline_ms, verdict.on_expiry);
    of(shown) == of(now)
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
    auto_approved::recheck(&mut draft, advice, "the policy of this process does not allow it");
    let taken_back: Vec<NodeId> = draft
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Call(CallEvent::Woken { call }) => Some(*call),
            _ => None,
        })
        .collect();
    let woken = changed(state, advice).into_iter();
    let woken = woken.filter(|call| !taken_back.contains(call));
    events.append(&mut draft.events);
    events.extend(woken.map(|call| Event::Call(CallEvent::Woken { call })));
    events
}
