//! Events in words, for the log. Hold untrusted text: pass them through `crate::text` before they
//! are shown. Must not know: looks.

use super::tabs::decision_word;
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::{CallEvent, EditEvent, Event, RunEvent, TurnEvent};
use crate::domain::id::NodeId;

/// An event in one line.
pub fn of(envelope: &Envelope) -> String {
    let who = match &envelope.actor {
        Actor::Operator(user) => format!("operator {user}"),
        Actor::Engine => "engine".to_owned(),
        Actor::Model => "model".to_owned(),
        Actor::Tool => "tool".to_owned(),
    };
    let what = match &envelope.event {
        Event::Run(event) => run(event),
        Event::Turn(event) => turn(event),
        Event::Call(event) => call(event),
        Event::Edit(event) => edit(event),
    };
    format!("{} {who}: {what}", envelope.seq)
}

fn list(ids: &[NodeId]) -> String {
    const MOST: usize = 12;
    let mut words: Vec<String> = ids.iter().take(MOST).map(NodeId::to_string).collect();
    if ids.len() > MOST {
        words.push(format!("and {} more", ids.len() - MOST));
    }
    words.join(" ")
}

fn run(event: &RunEvent) -> String {
    match event {
        RunEvent::Started(started) => format!("run begun with {} in {}", started.model, started.workspace),
        RunEvent::Reopened { interrupted, .. } => {
            format!("reopened; {} executions were interrupted", interrupted.len())
        }
        RunEvent::Paused { reason } => format!("paused: {reason}"),
        RunEvent::Resumed {} => "resumed".to_owned(),
        RunEvent::Stepped {} => "one step".to_owned(),
        RunEvent::Stopped { reason } => format!("stopped: {reason}"),
        RunEvent::Finished { answer, .. } => format!("answered: {answer}"),
        RunEvent::PolicyChanged { policy } => format!("policy is {policy} now"),
        RunEvent::Refitted { .. } => "tools, limits or model differ from before".to_owned(),
        RunEvent::LimitReached { which, message } => format!("limit of {which} reached: {message}"),
        RunEvent::LimitsRaised { .. } => "limits changed".to_owned(),
        RunEvent::Refused { command, reason } => format!("{command} refused: {reason}"),
        RunEvent::Titled { title } => format!("named {title}"),
    }
}

fn turn(event: &TurnEvent) -> String {
    match event {
        TurnEvent::Opened { turn, .. } => format!("{turn} opened"),
        TurnEvent::Requested { turn, request, .. } => format!("{turn}: model asked (request {request})"),
        TurnEvent::Prompted { node, .. } => format!("{node} prompt"),
        TurnEvent::Thought { node, .. } => format!("{node} thought"),
        TurnEvent::Proposed { node, tool, .. } => format!("{node} call of {tool}"),
        TurnEvent::Answered { node, .. } => format!("{node} answer"),
        TurnEvent::Matched { turn, blocks } => format!("{turn}: {blocks} blocks came again as before"),
        TurnEvent::Partial { turn, text } => format!("{turn}: {} bytes of an open block", text.len()),
        TurnEvent::Closed { turn, stop, .. } => format!("{turn}: stream ended ({})", stop.word()),
        TurnEvent::Broken { turn, fault, .. } => {
            format!("{turn}: stream broke ({}): {}", fault.kind.word(), fault.message)
        }
        TurnEvent::Aborted { turn, reason } => format!("{turn}: stream aborted: {reason}"),
        TurnEvent::Settled { turn, errors } => format!("{turn} settled, {} errors", errors.len()),
        TurnEvent::Suspended { turns } => format!("{} turns held by an edit", turns.len()),
        TurnEvent::Restored { turns } => format!("{} turns stand after all", turns.len()),
        TurnEvent::Superseded { turns } => format!("{} turns are history", turns.len()),
        TurnEvent::Drifted { turns } => {
            format!("{} turns kept although what they saw changed", turns.len())
        }
        TurnEvent::Revived { turn, .. } => format!("{turn} stands again: the request is the same"),
        TurnEvent::Split { turn } => format!("{turn} split by a rewritten thought"),
    }
}

fn call(event: &CallEvent) -> String {
    match event {
        CallEvent::Checked { call, faults, .. } if faults.is_empty() => format!("{call} checked"),
        CallEvent::Checked { call, faults, .. } => format!("{call} checked, {} faults", faults.len()),
        CallEvent::Ready {
            call, rev, verdict, ..
        } => format!("{call} {rev} ready; {:?} by {}", verdict.gate, verdict.rule).to_lowercase(),
        CallEvent::Unfit { call, faults, .. } => {
            format!("{call}: {} faults once references were filled in", faults.len())
        }
        CallEvent::Asked { call, .. } => format!("{call} waits for the operator"),
        CallEvent::ConsentAsked { call, .. } => format!("{call}: an equal effect may have happened already"),
        CallEvent::Decided {
            call, rev, decision, ..
        } => format!("{call} {rev} {}", decision_word(decision)),
        CallEvent::Started {
            call, rev, attempt, ..
        } => format!("{call} {rev} started ({attempt})"),
        CallEvent::Spawned { call, pid, .. } => format!("{call} is process {pid}"),
        CallEvent::Finished {
            call, outcome, ms, ..
        } => {
            let how = if outcome.is_ok() {
                "succeeded"
            } else {
                "did not succeed"
            };
            format!("{call} {how} after {ms} ms")
        }
        CallEvent::CancelAsked { call, reason, .. } => format!("{call} to be cancelled: {reason}"),
        CallEvent::Given { call, .. } => format!("{call} has a result without an execution"),
        CallEvent::Skipped { call, because } => format!("{call} skipped: {because}"),
        CallEvent::Unsatisfiable { call, because } => format!("{call} can never run: {because}"),
        CallEvent::Kept { call, .. } => format!("{call} keeps its result: its inputs are the same"),
        CallEvent::Woken { call } => format!("{call} takes its way again"),
        CallEvent::Undetermined { call, .. } => format!("{call}: nobody can tell whether it happened"),
        CallEvent::Resolved {
            call,
            happened,
            evidence,
            ..
        } => {
            format!(
                "{call} {}: {evidence}",
                if *happened { "happened" } else { "did not happen" }
            )
        }
    }
}

fn edit(event: &EditEvent) -> String {
    match event {
        EditEvent::Committed {
            epoch, target, what, ..
        } => match target {
            Some(target) => format!("{epoch}: {what} ({target})"),
            None => format!("{epoch}: {what}"),
        },
        EditEvent::Revised { node, rev, .. } => format!("{node} is at {rev} now"),
        EditEvent::Pinned { node } => format!("{node} pinned"),
        EditEvent::Unpinned { node } => format!("{node} no longer pinned"),
        EditEvent::Suspected { calls } => format!("inputs may have changed: {}", list(calls)),
        EditEvent::Superseded { nodes } => format!("history now: {}", list(nodes)),
        EditEvent::Orphaned { entries } => {
            format!("{} effects happened under what was replaced", entries.len())
        }
        EditEvent::Held { calls, .. } => format!("held while an editor is open: {}", list(calls)),
        EditEvent::Released { node: None } => "editors closed".to_owned(),
        EditEvent::Released { node: Some(node) } => format!("editor of {node} closed"),
        EditEvent::Recalled { of, .. } => format!("goes on from the end of branch {}", of.0),
        EditEvent::Named { epoch, name } => format!("branch {} is called {name}", epoch.0),
    }
}
