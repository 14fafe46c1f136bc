//! Prints the loops of a session and the steps taken against them (`overrule loops`).
//!
//! Must not know: how a repetition is found.

use super::address::Address;
use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use overrule_console::run::{event_text, loops};
use overrule_domain::escape::Incident;
use overrule_domain::escape::pause::waits_for_operator;
use overrule_domain::state::State;
use overrule_journal as journal;
use overrule_present::json;
use overrule_present::loops::{LessonsView, LoopView};
use overrule_resilience::attention::calls_of;

/// Number of events printed if the operator has to decide.
const EVENTS: usize = 10;

/// Prints every incident, newest first.
pub fn loops(common: &Common, args: &args::Queue) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let found = record::as_found(&place)?;
    let state = &found.state;
    if common.json {
        for view in LoopView::all(state) {
            if !print::out(&json(&view)) {
                break;
            }
        }
        if let Some(lessons) = LessonsView::of(state) {
            print::out(&json(&lessons));
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
        .learned
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
