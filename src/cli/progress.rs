//! Formats a line for each event that an operator needs to see in a headless run.
//!
//! Must not know: where it is printed.

use super::print;
use overrule_base::text::{visible, visible_head};
use overrule_console::run::event_text;
use overrule_domain::call::{Decision, Outcome};
use overrule_domain::event::{
    CallEvent, EditEvent, EscapeEvent, Event, ResilienceEvent, RunEvent, TurnEvent,
};
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::ladder::{span, tries};
use overrule_domain::ready::write_conflicts;
use overrule_domain::repair::Diagnosis;
use overrule_domain::rule;
use overrule_domain::state::{State, WITH_AGENT};
use overrule_present as present;
use overrule_present::conflict::ConflictView;

/// Maximum characters of the arguments of a call.
const ARGUMENTS: usize = 100;

/// Describes for how much longer a turn is retried, at least for its next wait. Empty if time is not the limit (`of` > 0).
fn time_left(state: &State, turn: TurnId, of: u32, wait_ms: u64) -> String {
    if of > 0 {
        return String::new();
    }
    let outage = state.turns.get(&turn).and_then(|turn| turn.more.outage);
    let lasted = outage.map(|outage| outage.lasted(outage.until));
    let left = lasted.map(|lasted| span(state.model_wait_ms().saturating_sub(lasted).max(wait_ms)));
    left.map(|left| format!(", {left} left")).unwrap_or_default()
}

/// Formats an event; `state` is the state before it.
pub fn line(state: &State, event: &Event) -> Option<String> {
    let name = |id: &NodeId| {
        let node = state.nodes.get(id)?;
        let (tool, args) = node.as_call()?;
        Some(format!(
            "{id} {} {}",
            visible(tool),
            visible_head(args, ARGUMENTS)
        ))
    };
    match event {
        Event::Turn(TurnEvent::Requested { turn, request, .. }) => Some(match request {
            1 => format!("{turn}: asking the model"),
            _ => format!("{turn}: asking the model again"),
        }),
        Event::Turn(TurnEvent::RetryScheduled {
            turn,
            no,
            of,
            wait_ms,
            ..
        }) => Some(format!(
            "{turn}: the model is asked again in {} ({}{})",
            span(*wait_ms),
            tries(*no, *of),
            time_left(state, *turn, *of, *wait_ms)
        )),
        Event::Turn(TurnEvent::Broken { turn, fault, .. }) => Some(format!(
            "{turn}: {}: {}",
            fault.kind.label(),
            print::safe_text(&fault.message)
        )),
        Event::Call(CallEvent::Checked { call, faults, .. } | CallEvent::Invalid { call, faults, .. })
            if !faults.is_empty() =>
        {
            let wrong: Vec<String> = faults
                .iter()
                .map(|fault| print::safe_line(&fault.message))
                .collect();
            name(call).map(|name| format!("{name}: cannot run: {}", wrong.join("; ")))
        }
        Event::Call(CallEvent::Started { call, .. }) => {
            let words = if state.is_of_agent() {
                WITH_AGENT
            } else {
                "running"
            };
            name(call).map(|name| format!("{name}: {words}"))
        }
        Event::Call(CallEvent::Finished {
            call, outcome, ms, ..
        }) => {
            // Only the calls of the sub-agent ran, each with its own time.
            let delegates = state.calls.get(call).is_some_and(|call| call.delegates);
            let took = if delegates {
                String::new()
            } else {
                format!(" ({ms} ms)")
            };
            Some(format!("{call}: {}{took}", ended(outcome)))
        }
        Event::Call(CallEvent::Decided { call, decision, .. }) => match decision {
            Decision::Deny { rule, reason } => Some(format!(
                "{call}: denied by {}",
                print::safe_line(&rule::describe_with_reason(rule, reason))
            )),
            Decision::Expire { .. } => Some(format!("{call}: not approved: no operator")),
            Decision::Carry { from, .. } => {
                Some(format!("{call}: not run: uses the operator's result of {from}"))
            }
            Decision::Allowed { .. } | Decision::LeftToOperator { .. } => Some(format!(
                "{call}: {}",
                print::safe_line(&present::decision(decision))
            )),
            _ => None,
        },
        Event::Call(CallEvent::Asked {
            call,
            approver: Some(approver),
            ..
        }) => name(call).map(|name| format!("{name}: asking approver {}", print::safe_line(approver))),
        Event::Call(CallEvent::Asked {
            call,
            deadline_ms: Some(ms @ 1..),
            ..
        }) => name(call).map(|name| format!("{name}: waits for approval, at most {ms} ms")),
        Event::Resilience(event) => resilience(event),
        Event::Run(RunEvent::Refused { command, reason }) => Some(format!(
            "refused: {}: {}",
            print::safe_line(command),
            print::safe_line(reason)
        )),
        Event::Escape(event) => escape(event),
        Event::Edit(EditEvent::CorrectionsLost { nodes }) => Some(event_text::lost(nodes)),
        Event::Run(RunEvent::HistoryRewritten(rewriting)) => Some(event_text::rewritten(rewriting)),
        Event::Run(RunEvent::LimitReached { message, .. }) => {
            Some(format!("limit reached: {}", print::safe_line(message)))
        }
        _ => None,
    }
}

/// Formats the write conflicts that a call took part in when it ended; `state` is the state after it.
pub fn conflicts(state: &State, event: &Event) -> Vec<String> {
    let Event::Call(CallEvent::Finished { call, .. } | CallEvent::Given { call, .. }) = event else {
        return Vec::new();
    };
    if write_conflicts(state, *call).is_empty() {
        return Vec::new();
    }
    let of_call = ConflictView::of_call(state, *call).into_iter();
    // Before a second value is there, nothing is lost.
    let both =
        of_call.filter(|one| one.shown.is_some() && one.others.iter().any(|other| other.value.is_some()));
    both.map(|one| one.describe()).collect()
}

fn resilience(event: &ResilienceEvent) -> Option<String> {
    match event {
        ResilienceEvent::RetryScheduled {
            call,
            no,
            of,
            wait_ms,
            why,
            ..
        } => Some(format!(
            "{call}: again in {} ({no} of {of}): {}",
            span(*wait_ms),
            print::safe_line(why)
        )),
        ResilienceEvent::RepairBroke {
            call,
            no,
            of,
            wait_ms,
            why,
            ..
        } => Some(format!(
            "{call}: the request to repair its arguments failed, again in {} ({no} of {of}): {}",
            span(*wait_ms),
            print::safe_line(why)
        )),
        ResilienceEvent::BreakerChanged { scope, to, why, .. } => Some(format!(
            "breaker of {} is {}: {}",
            print::safe_line(&scope.to_string()),
            to.label(),
            print::safe_line(why)
        )),
        ResilienceEvent::RepairDiagnosed { call, diagnoses, .. } => {
            let claims = |found: &&Diagnosis| found.description.is_some() || found.learnt.is_some();
            let described = diagnoses.iter().filter(claims);
            let found: Vec<String> = described
                .map(|found| print::safe_line(&found.grounds()))
                .collect();
            (!found.is_empty()).then(|| format!("{call}: found {}", found.join("; ")))
        }
        ResilienceEvent::RepairApplied { call, changes, .. } => {
            let made: Vec<String> = changes.iter().map(|one| print::safe_line(&one.why)).collect();
            Some(format!("{call}: repaired: {}", made.join("; ")))
        }
        _ => None,
    }
}

fn escape(event: &EscapeEvent) -> Option<String> {
    match event {
        EscapeEvent::Found { incident, finding } => Some(format!(
            "loop {incident}: {}",
            print::safe_line(&finding.describe())
        )),
        EscapeEvent::Proposed {
            incident,
            node,
            step: level,
            why,
            ..
        } => {
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(" ({})", print::safe_line(why))
            };
            Some(format!(
                "{node} against loop {incident}: {}{why}",
                level.describe()
            ))
        }
        EscapeEvent::StepEnded {
            node,
            outcome: step_outcome,
            ..
        } => Some(format!("{node}: {}", step_outcome.label())),
        EscapeEvent::Ended { incident, why } => {
            Some(format!("loop {incident} is over: {}", print::safe_line(why)))
        }
        EscapeEvent::Warned { .. }
        | EscapeEvent::Applied { .. }
        | EscapeEvent::Allowed { .. }
        | EscapeEvent::Muted { .. } => None,
    }
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ok { exit: Some(code), .. } => format!("exit {code}"),
        Outcome::Ok { .. } => "ok".to_owned(),
        Outcome::Err(error) => format!("{}: {}", error.class.ending(), print::safe_line(&error.message)),
        Outcome::Cancelled { .. } => "cancelled".to_owned(),
    }
}
