//! Prints the loops of a session and the steps taken against them (`overrule loops`).
//!
//! Must not know: how a repetition is found.

use super::address::Address;
use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use crate::console::{event_text, loops};
use crate::domain::decide::escape::waits_for_operator;
use crate::domain::escape::{Incident, Lesson, Step};
use crate::domain::state::State;
use crate::journal;
use crate::resilience::attention::calls_of;

/// Number of events printed if the operator has to decide.
const EVENTS: usize = 10;

/// Prints every incident, newest first.
pub fn loops(common: &Common, args: &args::Queue) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.store.find(&args.id)?;
    let found = record::as_found(&place)?;
    let state = &found.state;
    if common.json {
        for incident in &state.escape.incidents {
            if !print::out(&as_json(state, incident).to_string()) {
                break;
            }
        }
        let lesson =
            |one: Lesson| serde_json::json!({ "step": one.kind, "tried": one.tried, "helped": one.helped });
        let list = |all: Vec<Lesson>| all.into_iter().map(lesson).collect::<Vec<serde_json::Value>>();
        let (lessons, earlier) = (list(state.escape.lessons()), list(state.escape.earlier_lessons()));
        if !lessons.is_empty() || !earlier.is_empty() {
            let message = serde_json::json!({ "lessons": lessons, "earlier_sessions": earlier });
            print::out(&message.to_string());
        }
        return Ok(Code::Ok);
    }
    let all = loops::paragraphs(state);
    if all.is_empty() {
        print::err("no loops");
        return Ok(Code::Ok);
    }
    for words in all {
        print::out(&words.join("\n"));
    }
    if let Some(incident) = state
        .escape
        .incidents
        .iter()
        .find(|one| waits_for_operator(state, one))
    {
        print::out("the newest events:");
        let loaded = journal::read(&place)?;
        let newest = loaded.envelopes.len().saturating_sub(EVENTS);
        for envelope in loaded.envelopes.iter().skip(newest) {
            print::out(&format!("  {}", print::safe_line(&event_text::of(envelope))));
        }
        print::out(&choices(&context.address(&args.id), state, incident));
    }
    if found.held {
        print::err("another process has the session open: this is what it has recorded");
    }
    Ok(Code::Ok)
}

/// The operator's options, as commands to copy.
fn choices(session: &Address, state: &State, incident: &Incident) -> String {
    let newest = calls_of(state, incident).first().copied();
    let call = newest.map_or_else(|| "CALL".to_owned(), |id| id.to_string());
    let result = newest
        .and_then(|id| state.observation(id))
        .filter(|node| node.active);
    // A call with a result is corrected, one without is answered.
    let value = match result {
        Some(node) => format!("edit {session} {}", node.id),
        None => format!("answer {session} {call}"),
    };
    let no = incident.no;
    [
        "options:".to_owned(),
        format!("  other arguments    overrule edit {session} {call} --args JSON --resume"),
        format!("  another tool       overrule replace {session} {call} TOOL --args JSON --resume"),
        format!("  set the result     overrule {value} --value JSON --resume"),
        format!("  guidance           overrule guide {session} TEXT --resume"),
        format!("  allow this loop    overrule allow-loop {session} {no} --resume"),
        format!("  continue unchanged overrule unpause {session} --resume"),
        format!("  end the run        overrule stop {session}"),
    ]
    .join("\n")
}

fn as_json(state: &State, incident: &Incident) -> serde_json::Value {
    let steps: Vec<serde_json::Value> = incident.steps.iter().map(step).collect();
    serde_json::json!({
        "incident": incident.no, "over": incident.over, "waits": waits_for_operator(state, incident),
        "finding": incident.finding, "what": incident.finding.describe(), "steps": steps,
        "proposals": loops::proposals_json(incident),
    })
}

fn step(step: &Step) -> serde_json::Value {
    serde_json::json!({
        "node": step.node, "step": step.kind, "why": step.why, "outcome": step.outcome,
        "forbidden": step.forbidden, "notice": step.notice,
    })
}
