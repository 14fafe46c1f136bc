//! The results that a request of the agent brings: which call each is of, and what becomes of calls without one.
//!
//! Must not know: formats, how a decision is made.

use std::collections::BTreeSet;

use super::incoming::New;
use super::reply::calls_of;
use super::request::newest;
use super::state::RunState;
use crate::conversation::SentResult;
use crate::overlay::was_released;
use crate::rejection::Rejection;
use overrule_domain::call::{Call, ErrorClass, Outcome, Status, ToolError};
use overrule_domain::id::NodeId;

/// Maximum bytes of a result that are recorded: half of its beginning, half of its end.
const LONGEST: usize = 512 * 1024;

impl RunState {
    /// The ids of the calls whose result may come.
    pub(super) fn awaited_ids(&self) -> BTreeSet<&str> {
        let open = self.open.calls(&self.state);
        let with_agent = self.with_agent.keys().filter_map(|id| self.state.calls.get(id));
        let all = open.chain(with_agent);
        all.filter_map(|call| call.provider_id.as_deref()).collect()
    }

    /// True if a call of the run waits for this result.
    pub(super) fn is_awaited(&self, result: &SentResult) -> bool {
        let mut calls = self
            .open
            .calls(&self.state)
            .filter(|call| can_be_of(result, call));
        calls.any(|call| matches!(call.status, Status::Running(_) | Status::OutcomeUnknown(_)))
    }

    /// The outcomes that a request brings, and those of calls that it has none for.
    pub(super) fn results(&self, new: &New) -> Vec<(NodeId, Outcome)> {
        let unknown = self.open.calls(&self.state);
        let unknown = unknown.filter(|call| matches!(call.status, Status::OutcomeUnknown(_)));
        let waits = self.with_agent.keys().filter_map(|id| self.state.calls.get(id));
        let waiting: Vec<&Call> = waits.chain(unknown).collect();
        let mut newest = newest(&self.state).map_or_else(Vec::new, |turn| calls_of(&self.state, turn));
        // The agent counts the calls that it has.
        newest.retain(|call| new.rejection == Rejection::Mask || was_released(call));
        let mut found: Vec<(NodeId, Outcome)> = Vec::new();
        // The results of a request that was taken in before are known.
        let sent = if new.is_repeated {
            &[][..]
        } else {
            &new.tail.results
        };
        for result in sent {
            let by_id =
                |call: &&&Call| result.id.is_some() && call.provider_id.as_deref() == result.id.as_deref();
            let by_place = result.place.and_then(|place| newest.get(place));
            let by_place = by_place
                .filter(|call| can_be_of(result, call) && waiting.iter().any(|one| one.id == call.id));
            if let Some(call) = waiting.iter().rev().find(by_id).or(by_place) {
                found.push((call.id, outcome(result)));
            }
        }
        let is_found = |id: &NodeId| found.iter().any(|(call, _)| call == id);
        let left = self.with_agent.keys().filter(|id| !is_found(id));
        let left: Vec<(NodeId, Outcome)> = left
            .map(|id| {
                // A call that the agent never got did not run there.
                let executed = self.delivered.contains(id);
                (*id, Outcome::Cancelled { executed })
            })
            .collect();
        found.extend(left);
        found
    }
}

/// True for a result that may be of a call. An agent may give calls ids of its own where the model gave none.
fn can_be_of(result: &SentResult, call: &Call) -> bool {
    match (&call.provider_id, &result.id) {
        (Some(given), Some(sent)) => **given == **sent,
        (None, _) | (_, None) => result.place.is_some(),
    }
}

/// The outcome of a call that the agent executed.
fn outcome(result: &SentResult) -> Outcome {
    if result.is_error {
        return Outcome::err(ToolError {
            class: ErrorClass::Business,
            message: ends(&result.text).0,
            evidence: "the agent reports an error".to_owned(),
            hint: None,
            partial: None,
            executed: true,
            retry_after_ms: None,
        });
    }
    let (text, discarded) = ends(&result.text);
    Outcome::Ok {
        value: serde_json::Value::from(text).to_string().into(),
        meta: None,
        discarded,
        exit: None,
    }
}

/// Both ends of a long text, and the bytes that were left out.
pub(crate) fn ends(text: &str) -> (String, u64) {
    if text.len() <= LONGEST {
        return (text.to_owned(), 0);
    }
    let mut head = LONGEST / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - LONGEST / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let left_out = (tail - head) as u64;
    let (head, tail) = (
        text.get(..head).unwrap_or_default(),
        text.get(tail..).unwrap_or_default(),
    );
    (format!("{head}\n… {left_out} bytes left out …\n{tail}"), left_out)
}
