//! Templates: calls made from a recorded execution, to probe it or to revert it.
//!
//! Must not know: where a template was written, how a call is offered.
//!
//! Such a call is offered and never runs by itself: it is inserted like any other call.
//!
//! A string of a template may hold placeholders, which are JSON pointers into recorded data:
//! `{/path}` into the arguments that ran, `{result/…}` and `{meta/…}` into the outcome,
//! `{before/…}` into the state of the world before. Pointers go into a text result if it is JSON. A
//! string that is one placeholder becomes the value itself; within other text a value is text, and
//! with `|sh` one word of a shell command. `{{/` is a literal `{/`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::call::{AttemptRecord, Outcome};
use super::event::run::ToolCard;
use super::id::{NodeId, Seq};
use super::reference::DAGGER;
use super::state::{LedgerEntry, LedgerOutcome, State};

/// A call with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The tool.
    pub tool: Arc<str>,
    /// JSON text of its arguments, with placeholders in strings.
    pub args: Arc<str>,
}

/// A template with everything filled in: a call to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The tool.
    pub tool: Arc<str>,
    /// JSON text of its arguments; what looks like a reference in them is escaped.
    pub args: Arc<str>,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Arguments are an object.
    #[error("the arguments are no table")]
    NoTable,
    /// A placeholder without an end.
    #[error("`{0}` is not closed; end the placeholder with `}}`, or write `{{{{` for a brace")]
    Open(String),
    /// What stands in it is no pointer.
    #[error("`{{{0}}}` holds no JSON pointer; write it such as {{/path}} or {{result/id}}")]
    Pointer(String),
    /// A probe has no result.
    #[error("`{{{0}}}` needs a result, and a probe has none")]
    NoResult(String),
    /// A value that is not one word of the command line.
    #[error("`{{{0}}}` stands in a command line and could be read as more than one word; write {{{0}|sh}}")]
    Unquoted(String),
}

/// Why no call is offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOffered {
    /// No such execution.
    #[error("there is no execution {0}: `overrule effects` lists them")]
    Unknown(String),
    /// A call that never ran.
    #[error("{0} never ran")]
    NeverRan(NodeId),
    /// The tool has none.
    #[error("the tool `{0}` has no {1} template; add [tool.{0}] {1} to your configuration file")]
    NoTemplate(String, &'static str),
    /// Nothing to revert.
    #[error("nothing to revert: it did not happen")]
    DidNot,
    /// Not yet.
    #[error("it is still running: wait for it, or cancel it")]
    Running,
    /// A placeholder without a value.
    #[error("{0}: nothing was recorded there{1}")]
    Missing(String, String),
    /// A template that cannot be read; only a foreign journal has one.
    #[error("its template is broken: {0}")]
    Broken(#[from] Error),
}

/// What a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To find out whether it happened.
    Probe,
    /// To revert it.
    Compensate,
}

impl Purpose {
    /// The purpose as it is written in settings.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Compensate => "compensate",
        }
    }

    fn of(self, card: &ToolCard) -> Option<&Template> {
        match self {
            Self::Probe => card.probe.as_ref(),
            Self::Compensate => card.compensate.as_ref(),
        }
    }
}

impl Template {
    /// A template with arguments that were checked.
    pub fn new(purpose: Purpose, tool: &str, args: &Value) -> Result<Self, Error> {
        if !args.is_object() {
            return Err(Error::NoTable);
        }
        check(purpose, tool, args, false)?;
        Ok(Self {
            tool: Arc::from(tool),
            args: Arc::from(args.to_string()),
        })
    }
}

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
        .and_then(|card| purpose.of(card))
        .ok_or_else(|| NotOffered::NoTemplate(entry.tool.to_string(), purpose.label()))?;
    fill(template, &Sources::of(entry, attempt))
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

/// Key in `before` under which a tool says why it saved nothing.
pub const NOT_SAVED: &str = "not_kept";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Args,
    Result,
    Meta,
    Before,
}

/// A placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place<'t> {
    /// As it was written, without its braces.
    text: &'t str,
    root: Root,
    pointer: &'t str,
    /// To be one word of a shell command.
    shell: bool,
}

/// A piece of a template's string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Place(Place<'t>),
}

const ROOTS: [(&str, Root); 4] = [
    ("result", Root::Result),
    ("meta", Root::Meta),
    ("before", Root::Before),
    ("", Root::Args),
];

/// Returns true if the text after a brace begins a placeholder.
fn begins(text: &str) -> bool {
    ROOTS.iter().any(|(name, root)| {
        text.strip_prefix(name).is_some_and(|rest| {
            let whole = *root != Root::Args && (rest.starts_with('}') || rest.starts_with('|'));
            rest.starts_with('/') || whole
        })
    })
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Error> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut plain = 0;
    while let Some(at) = rest.get(plain..).and_then(|tail| tail.find('{')) {
        let at = plain + at;
        let after = rest.get(at + 1..).unwrap_or_default();
        if let Some(escaped) = after.strip_prefix('{')
            && begins(escaped)
        {
            found.push(Piece::Text(rest.get(..=at).unwrap_or_default()));
            rest = escaped;
            plain = 0;
        } else if begins(after) {
            found.push(Piece::Text(rest.get(..at).unwrap_or_default()));
            let Some(end) = after.find('}') else {
                return Err(Error::Open(format!("{{{after}")));
            };
            found.push(Piece::Place(place(after.get(..end).unwrap_or_default())?));
            rest = after.get(end + 1..).unwrap_or_default();
            plain = 0;
        } else {
            plain = at + 1;
        }
    }
    found.push(Piece::Text(rest));
    found.retain(|piece| *piece != Piece::Text(""));
    Ok(found)
}

fn place(text: &str) -> Result<Place<'_>, Error> {
    let (path, shell) = match text.strip_suffix("|sh") {
        Some(path) => (path, true),
        None => (text, false),
    };
    let wrong = || Error::Pointer(text.to_owned());
    let (pointer, root) = ROOTS
        .iter()
        .find_map(|(name, root)| Some((path.strip_prefix(name)?, *root)))
        .ok_or_else(wrong)?;
    let mut signs = pointer.chars().peekable();
    let mut is_pointer = pointer.is_empty() || pointer.starts_with('/');
    while let Some(sign) = signs.next() {
        is_pointer &= sign != '~' || matches!(signs.peek(), Some('0' | '1'));
    }
    if !is_pointer || pointer.contains('|') {
        return Err(wrong());
    }
    Ok(Place {
        text,
        root,
        pointer,
        shell,
    })
}

/// Checks every string of a template.
fn check(purpose: Purpose, tool: &str, value: &Value, command: bool) -> Result<(), Error> {
    match value {
        Value::String(text) => {
            for piece in pieces(text)? {
                let Piece::Place(place) = piece else { continue };
                let needs_result = matches!(place.root, Root::Result | Root::Meta);
                if needs_result && purpose == Purpose::Probe {
                    return Err(Error::NoResult(place.text.to_owned()));
                }
                if command && !place.shell && place.text.len() + 2 != text.len() {
                    return Err(Error::Unquoted(place.text.to_owned()));
                }
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(|one| check(purpose, tool, one, command)),
        Value::Object(map) => map
            .iter()
            .try_for_each(|(key, one)| check(purpose, tool, one, tool == "shell" && key == "command")),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
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
