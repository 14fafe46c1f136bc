//! Measures edits during a run, which a workload file cannot describe.
//!
//! Must not know: how figures are printed.
//!
//! One edits a call that waits for a person while its sibling runs; one edits the arguments of one
//! of several calls that ran side by side.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use overrule::domain::call::{EffectClass, Outcome};
use overrule::domain::command::Edit;
use overrule::domain::event::{CallEvent, Event};
use overrule::domain::node::Node;
use overrule::domain::state::State;
use overrule::policy::Preset;
use overrule::tools::{Job, Spec, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::model::OneTurn;
use super::stage::{self, Fail, Setup, Stage};

/// How long the sibling of a call runs.
#[derive(Debug, Clone, Copy)]
pub enum Sibling {
    /// So long, whatever else happens.
    Takes(Duration),
    /// Until the call that reads the edited one has begun: without clock, for tests.
    UntilTheReaderBegins,
}

impl Sibling {
    /// Two seconds, times a factor; without clock where that would be no time at all.
    pub fn paced(scale: f64) -> Self {
        if scale > 0.0 {
            Self::Takes(Duration::from_secs(2).mul_f64(scale))
        } else {
            Self::UntilTheReaderBegins
        }
    }
}

/// What became of an edit of a call that waited while its sibling ran.
#[derive(Debug)]
pub struct PendingEdit {
    /// Calls that began after the edit, in order.
    pub executed: Vec<String>,
    /// From the edit until the edited call began.
    pub edited_began: Duration,
    /// From the edit until the call that reads it began.
    pub reader_began: Duration,
    /// Whether the sibling still ran then.
    pub sibling_ran: bool,
    /// What the reader read.
    pub read: String,
}

/// What became of an edit of the arguments of one of several calls.
#[derive(Debug)]
pub struct ArgumentsEdit {
    /// Calls that began after the edit, in order.
    pub executed: Vec<String>,
    /// Requests to the model after the edit.
    pub requests: u32,
    /// Whether every value is that of a run with the edited arguments from the beginning.
    pub equal_to_scratch: bool,
}

/// What the tools of one run share.
#[derive(Debug)]
struct Notes {
    sibling: Sibling,
    began: Mutex<Vec<(String, Instant)>>,
    ended: Mutex<Vec<(String, Instant)>>,
    reader: Notify,
}

impl Notes {
    fn new(sibling: Sibling) -> Arc<Self> {
        Arc::new(Self {
            sibling,
            began: Mutex::default(),
            ended: Mutex::default(),
            reader: Notify::new(),
        })
    }

    fn begun(&self) -> Vec<(String, Instant)> {
        let began = self.began.lock().unwrap_or_else(PoisonError::into_inner);
        began.clone()
    }

    fn began(&self, name: &str) -> Result<Instant, Fail> {
        let found = self.begun().into_iter().rev().find(|(one, _)| one == name);
        Ok(found.ok_or_else(|| format!("{name} did not run"))?.1)
    }

    fn ended(&self, name: &str) -> Option<Instant> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let found = ended.iter().rev().find(|(one, _)| one == name);
        found.map(|(_, at)| *at)
    }
}

fn note(list: &Mutex<Vec<(String, Instant)>>, name: &str) {
    let at = stage::now();
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    list.push((name.to_owned(), at));
}

/// Gives back what it was given; the one named `sibling` takes its time.
struct Echo {
    spec: Spec,
    notes: Arc<Notes>,
}

impl Echo {
    fn tool(name: &str, effect: EffectClass, notes: &Arc<Notes>) -> Arc<dyn Tool> {
        let schema = json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
            "required": ["name", "value"],
            "additionalProperties": false,
        });
        Arc::new(Self {
            spec: stage::spec(name, effect, &schema),
            notes: notes.clone(),
        })
    }
}

impl Tool for Echo {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let notes = self.notes.clone();
        Box::pin(async move {
            let word = |key: &str| job.args.get(key).and_then(Value::as_str).map(str::to_owned);
            let name = word("name").unwrap_or_default();
            note(&notes.began, &name);
            match (name.as_str(), notes.sibling) {
                ("sibling", Sibling::Takes(time)) => tokio::time::sleep(time).await,
                ("sibling", Sibling::UntilTheReaderBegins) => notes.reader.notified().await,
                ("reader", _) => notes.reader.notify_one(),
                _ => {}
            }
            note(&notes.ended, &name);
            Outcome::ok(Value::from(word("value").unwrap_or_default()).to_string())
        })
    }
}

fn args(name: &str, value: &str) -> Value {
    json!({"_as": name, "name": name, "value": value})
}

fn edit_of(state: &State, name: &str, tool: &str, value: &str) -> Result<Edit, Fail> {
    let node = stage::call_of(state, name)?;
    let base = state.node(node).map(Node::rev);
    Ok(Edit::Call {
        node,
        base: base.ok_or_else(|| format!("{node} is not there"))?,
        tool: Arc::from(tool),
        args: Arc::from(args(name, value).to_string()),
        shown: true,
    })
}

fn value(state: &State, name: &str) -> Result<String, Fail> {
    let call = stage::call_of(state, name)?;
    match state.observation(call).and_then(Node::outcome) {
        Some(Outcome::Ok { value, .. }) => Ok(serde_json::from_str(value)?),
        _ => Err(format!("{name} has no value").into()),
    }
}

/// Three calls of one turn: one that only looks and takes long, one that writes and therefore waits
/// for a person, and one that reads what the second gives. The waiting one is edited.
pub async fn pending_edit(sibling: Sibling) -> Result<PendingEdit, Fail> {
    let notes = Notes::new(sibling);
    let mut stage = Stage::begin(Setup {
        model: Arc::new(OneTurn {
            name: "a pending call".to_owned(),
            calls: vec![
                ("look", args("sibling", "slow")),
                ("act", args("edited", "as proposed")),
                ("look", args("reader", "†call.edited")),
            ],
        }),
        tools: vec![
            Echo::tool("look", EffectClass::Read, &notes),
            Echo::tool("act", EffectClass::Write, &notes),
        ],
        preset: Preset::Guarded,
        log: stage::log(None)?,
    })?;
    stage.prompt().await?;
    // Both, in either order: the sibling runs, and the call waits.
    let (mut runs, mut waits) = (false, false);
    stage
        .until(|envelope| {
            runs |= matches!(envelope.event, Event::Call(CallEvent::Started { .. }));
            waits |= matches!(envelope.event, Event::Call(CallEvent::Asked { .. }));
            runs && waits
        })
        .await?;
    let before = stage.state().await?;
    let first = notes.begun().len();
    let edit = edit_of(&before, "edited", "act", "as edited")?;
    let sent = stage::now();
    stage.commit(edit).await?;
    stage.finish().await?;
    let read = value(&stage.state().await?, "reader")?;
    stage.close().await?;
    let reader = notes.began("reader")?;
    let executed = notes.begun().into_iter().skip(first);
    Ok(PendingEdit {
        executed: executed
            .map(|(name, _)| name)
            .filter(|name| name != "sibling")
            .collect(),
        edited_began: notes.began("edited")?.saturating_duration_since(sent),
        reader_began: reader.saturating_duration_since(sent),
        sibling_ran: notes.ended("sibling").is_none_or(|ended| ended > reader),
        read,
    })
}

/// Calls side by side, all done and answered; then one of them gets other arguments.
pub async fn arguments_edit(calls: usize, effect: EffectClass) -> Result<ArgumentsEdit, Fail> {
    let (names, edited) = (names(calls), format!("call{}", calls / 2));
    let notes = Notes::new(Sibling::Takes(Duration::ZERO));
    let mut stage = side_by_side(&names, None, effect, &notes)?;
    stage.prompt().await?;
    stage.finish().await?;
    let before = stage.state().await?;
    let first = notes.begun().len();
    stage.commit(edit_of(&before, &edited, "act", "edited")?).await?;
    stage.finish().await?;
    let after = stage.state().await?;
    stage.close().await?;
    let mut scratch = side_by_side(
        &names,
        Some(&edited),
        effect,
        &Notes::new(Sibling::Takes(Duration::ZERO)),
    )?;
    scratch.prompt().await?;
    scratch.finish().await?;
    let requested = scratch.state().await?;
    scratch.close().await?;
    let mut equal = true;
    for name in &names {
        equal &= value(&after, name)? == value(&requested, name)?;
    }
    Ok(ArgumentsEdit {
        executed: notes
            .begun()
            .into_iter()
            .skip(first)
            .map(|(name, _)| name)
            .collect(),
        requests: after.tally.requests - before.tally.requests,
        equal_to_scratch: equal,
    })
}

fn names(calls: usize) -> Vec<String> {
    (0..calls).map(|no| format!("call{no}")).collect()
}

fn side_by_side(
    names: &[String],
    edited: Option<&str>,
    effect: EffectClass,
    notes: &Arc<Notes>,
) -> Result<Stage, Fail> {
    let text = |name: &String| {
        if edited == Some(name) {
            "edited"
        } else {
            "proposed"
        }
    };
    let calls = names.iter().map(|name| ("act", args(name, text(name)))).collect();
    Stage::begin(Setup {
        model: Arc::new(OneTurn {
            name: "side by side".to_owned(),
            calls,
        }),
        tools: vec![Echo::tool("act", effect, notes)],
        preset: Preset::Auto,
        log: stage::log(None)?,
    })
}
