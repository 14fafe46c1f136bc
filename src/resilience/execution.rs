//! Lists executions for the read models, in the order in which they ended.
//!
//! Must not know: what is concluded from them.
//!
//! They are read from the ledger, which holds every execution whatever happened to its call, so a screen that
//! joins late sees what the engine saw. Cancelled executions and the work of sub-agents are left out, because
//! neither says anything about a tool.

use std::fmt;
use std::sync::Arc;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use overrule_domain::call::{AttemptRecord, Call, ErrorClass, Outcome};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{Attempt, NodeId, Rev, Seq};
use overrule_domain::state::{LedgerEntry, State};

/// The kind of a task without any known words.
pub const GENERAL: &str = "general";

/// An execution that ended by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// The event that reported its end.
    pub seq: Seq,
    /// The call.
    pub call: NodeId,
    /// The revision that ran.
    pub rev: Rev,
    /// Its number among the executions of the call.
    pub attempt: Attempt,
    /// The tool.
    pub tool: Arc<str>,
    /// The kind of task that it served.
    pub kind: Arc<str>,
    /// When it ended, in UTC milliseconds since 1970.
    pub at: i64,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The class of its error; `None` if it gave a value.
    pub error: Option<ErrorClass>,
    /// How much was asked of the tool in one call, 0 to 1.
    pub complexity: f64,
}

/// Number of values in the arguments from which a call is as complex as possible.
const MOST_VALUES: usize = 8;

/// Returns every execution that has ended, in the order of their ends, each read only when it is asked for.
pub fn all(state: &State) -> impl Iterator<Item = Execution> {
    let ended = |entry: &LedgerEntry| Some((entry.ended?, entry.seq));
    let mut all: Vec<(Seq, Seq)> = state.ledger.values().filter_map(ended).collect();
    all.sort_by_key(|(end, _)| *end);
    all.into_iter().filter_map(move |(_, seq)| {
        let entry = state.ledger.get(&seq)?;
        read(state.calls.get(&entry.call)?, entry)
    })
}

/// Returns the execution that an event ended, given the state after that event.
pub fn ended(state: &State, envelope: &Envelope) -> Option<Execution> {
    let Event::Call(CallEvent::Finished { call, attempt, .. }) = &envelope.event else {
        return None;
    };
    let call = state.calls.get(call)?;
    let record = call.attempts.iter().find(|one| one.no == *attempt)?;
    let execution = read(call, state.ledger.get(&record.intent)?)?;
    (execution.seq == envelope.seq).then_some(execution)
}

fn read(call: &Call, entry: &LedgerEntry) -> Option<Execution> {
    if entry.thread.is_some() {
        return None;
    }
    let record = call.attempts.iter().find(|one| one.intent == entry.seq)?;
    let error = match record.outcome.as_ref()? {
        Outcome::Ok { exit: None, .. } => None,
        Outcome::Err(error) if error.class == ErrorClass::Cancelled => return None,
        Outcome::Err(error) => Some(error.class),
        // Output with an exit code is about the command's own work, not about the tool that ran it.
        Outcome::Ok { exit: Some(_), .. } | Outcome::Cancelled { .. } => return None,
    };
    let ms = record.ms.unwrap_or(0);
    Some(Execution {
        seq: entry.ended?,
        call: entry.call,
        rev: entry.rev,
        attempt: entry.attempt,
        tool: entry.tool.clone(),
        kind: entry.task.clone().unwrap_or_else(|| Arc::from(GENERAL)),
        at: entry.at.saturating_add_unsigned(ms),
        ms,
        error,
        complexity: complexity(record),
    })
}

/// Rates complexity by the number of values in the arguments.
fn complexity(record: &AttemptRecord) -> f64 {
    let values = serde_json::from_str(&record.args).map_or(0, |Leaves(count)| count);
    values.min(MOST_VALUES) as f64 / MOST_VALUES as f64
}

/// The number of values in a text, not counting lists and objects. They are counted while parsing, without
/// keeping anything.
struct Leaves(usize);

impl<'de> Deserialize<'de> for Leaves {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        text.deserialize_any(Count).map(Self)
    }
}

struct Count;

impl<'de> Visitor<'de> for Count {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<usize, E> {
        Ok(1)
    }

    fn visit_i64<E>(self, _: i64) -> Result<usize, E> {
        Ok(1)
    }

    fn visit_u64<E>(self, _: u64) -> Result<usize, E> {
        Ok(1)
    }

    fn visit_f64<E>(self, _: f64) -> Result<usize, E> {
        Ok(1)
    }

    fn visit_str<E>(self, _: &str) -> Result<usize, E> {
        Ok(1)
    }

    fn visit_unit<E>(self) -> Result<usize, E> {
        Ok(1)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(Leaves(more)) = list.next_element()? {
            count += more;
        }
        Ok(count)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<usize, A::Error> {
        let mut count = 0;
        // No name occurs twice: the check refuses such arguments.
        while let Some((IgnoredAny, Leaves(more))) = map.next_entry()? {
            count += more;
        }
        Ok(count)
    }
}
