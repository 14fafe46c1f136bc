//! Fills a template with what an execution recorded.
//!
//! Must not know: where a template was written, how a call is offered.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Error, Filled, NOT_SAVED, NotOffered, Piece, Place, Purpose, Root, Template, pieces};
use crate::call::{AttemptRecord, Outcome};
use crate::event::run::ToolCard;
use crate::id::{NodeId, Seq};
use crate::reference::DAGGER;
use crate::state::{LedgerEntry, LedgerOutcome, State};

/// The call that finds out whether the newest execution of a call happened.
pub fn probe_of(state: &State, call: NodeId) -> Result<Filled, NotOffered> {
    let life = state
        .calls
        .get(&call)
        .ok_or_else(|| NotOffered::Unknown(call.to_string()))?;
    let attempt = life.last_attempt().ok_or(NotOffered::NeverRan(call))?;
    probe_entry(state, attempt.intent)
}

/// The same for any execution.
pub fn probe_entry(state: &State, entry: Seq) -> Result<Filled, NotOffered> {
    filled(state, entry, Purpose::Probe)
}

/// Returns the call that reverts an execution.
pub fn compensate_of(state: &State, entry: Seq) -> Result<Filled, NotOffered> {
    filled(state, entry, Purpose::Compensate)
}

fn filled(state: &State, seq: Seq, purpose: Purpose) -> Result<Filled, NotOffered> {
    let unknown = || NotOffered::Unknown(seq.to_string());
    let entry = state.ledger.get(&seq).ok_or_else(unknown)?;
    match (&entry.outcome, purpose) {
        // An execution cut off by a crash is recorded as running until the run is resumed: a probe
        // is allowed.
        (LedgerOutcome::Running, Purpose::Compensate) => return Err(NotOffered::Running),
        (LedgerOutcome::DidNot, Purpose::Compensate) => return Err(NotOffered::DidNot),
        _ => {}
    }
    let call = state.calls.get(&entry.call).ok_or_else(unknown)?;
    let attempt = call
        .attempts
        .iter()
        .find(|one| one.intent == seq)
        .ok_or_else(unknown)?;
    let started = state.started.as_deref().ok_or_else(unknown)?;
    let template = started
        .tools
        .iter()
        .find(|card| card.name == entry.tool)
        .and_then(|card| template_of(purpose, card))
        .ok_or_else(|| NotOffered::NoTemplate(entry.tool.to_string(), purpose.label()))?;
    fill(template, &Sources::of(entry, attempt))
}

/// The template of a tool.
fn template_of(purpose: Purpose, card: &ToolCard) -> Option<&Template> {
    match purpose {
        Purpose::Probe => card.probe.as_ref(),
        Purpose::Compensate => card.compensate.as_ref(),
    }
}

/// What placeholders point into.
#[derive(Debug, Clone, Default)]
struct Sources {
    args: Value,
    result: Option<Value>,
    /// What a result that is a text says where that text is JSON itself.
    inside: Option<Value>,
    meta: Option<Value>,
    before: Option<Value>,
}

impl Sources {
    fn of(entry: &LedgerEntry, attempt: &AttemptRecord) -> Self {
        let read = |text: &str| serde_json::from_str::<Value>(text).ok();
        let (result, meta) = match &entry.outcome {
            LedgerOutcome::Known(Outcome::Ok { value, meta, .. }) => {
                (read(value), meta.as_deref().and_then(read))
            }
            _ => (None, None),
        };
        let text = result.as_ref().and_then(Value::as_str);
        Self {
            args: read(&attempt.args).unwrap_or_else(|| Value::Object(Map::new())),
            inside: text.and_then(read),
            result,
            meta,
            before: entry.more.before.as_deref().and_then(read),
        }
    }

    fn get(&self, place: &Place<'_>) -> Result<&Value, NotOffered> {
        let root = match place.root {
            Root::Args => Some(&self.args),
            Root::Result => self.result.as_ref(),
            Root::Meta => self.meta.as_ref(),
            Root::Before => self.before.as_ref(),
        };
        let inside = self
            .inside
            .as_ref()
            .filter(|_| place.root == Root::Result && !place.pointer.is_empty());
        let found = root
            .and_then(|root| root.pointer(place.pointer))
            .or_else(|| inside?.pointer(place.pointer));
        found.filter(|value| !value.is_null()).ok_or_else(|| {
            // A tool that saved nothing says why.
            let why = self.before.as_ref().filter(|_| place.root == Root::Before);
            let why = why.and_then(|before| before.get(NOT_SAVED)?.as_str());
            let why = why.map_or_else(String::new, |why| {
                format!(" ({})", overrule_base::text::visible(why))
            });
            NotOffered::Missing(format!("{{{}}}", overrule_base::text::visible(place.text)), why)
        })
    }
}

fn fill(template: &Template, sources: &Sources) -> Result<Filled, NotOffered> {
    let args: Value = serde_json::from_str(&template.args).unwrap_or(Value::Null);
    let filled = value(&args, sources)?;
    if !filled.is_object() {
        return Err(Error::NoTable.into());
    }
    Ok(Filled {
        tool: template.tool.clone(),
        args: Arc::from(filled.to_string()),
    })
}

fn value(template: &Value, sources: &Sources) -> Result<Value, NotOffered> {
    Ok(match template {
        Value::String(text) => string(text, sources)?,
        Value::Array(list) => Value::Array(
            list.iter()
                .map(|one| value(one, sources))
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, one)| Ok((key.clone(), value(one, sources)?)))
                .collect::<Result<_, NotOffered>>()?,
        ),
        other => other.clone(),
    })
}

fn string(text: &str, sources: &Sources) -> Result<Value, NotOffered> {
    let pieces = pieces(text)?;
    if let [Piece::Place(place)] = pieces.as_slice()
        && !place.shell
    {
        return Ok(inert(sources.get(place)?.clone()));
    }
    let mut out = String::with_capacity(text.len());
    let mut foreign = false;
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Place(place) => {
                foreign = true;
                let value = sources.get(&place)?;
                let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                out.push_str(&if place.shell { quoted(&word) } else { word });
            }
        }
    }
    let out = Value::String(out);
    Ok(if foreign { inert(out) } else { out })
}

/// One word of a shell command, whatever is in it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What was recorded is data: a string in it that looks like a reference is none.
fn inert(value: Value) -> Value {
    match value {
        Value::String(text) if text.starts_with(DAGGER) => Value::String(format!("{DAGGER}{text}")),
        Value::Array(list) => Value::Array(list.into_iter().map(inert).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, one)| (key, inert(one))).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
