//! The real engine around a workload: a model that streams one turn whose calls are all the nodes,
//! tools that take their time and give the node's value, a log in memory or a journal on disk.
//!
//! Must not know: what a run is compared with, how figures are printed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use overrule::cli::build::JournalLog;
use overrule::domain::advice::ToolFacts;
use overrule::domain::call::{EffectClass, Outcome};
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::envelope::Actor;
use overrule::domain::event::run::{Limits, Started, ToolCard};
use overrule::domain::event::{Event, RunEvent, TurnEvent};
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::domain::transcript::Message;
use overrule::domain::turn::{Stop, StreamFault};
use overrule::engine::advise::Adviser;
use overrule::engine::clock::Clock;
use overrule::engine::log::{Log, Memory};
use overrule::engine::{Driver, Handle, Parts, Publication, ids};
use overrule::journal::Store;
use overrule::model::{Chunk, Model, Request};
use overrule::policy::{Policy, Preset};
use overrule::tools::registry::Registry;
use overrule::tools::{Job, Spec, Tool};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::workload::{EDITED, Kind, Workload};

/// Whatever went wrong, with where.
pub type Fail = Box<dyn std::error::Error + Send + Sync>;

/// How a workload is run.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The node whose output is given instead of computed.
    pub given: Option<usize>,
    /// Where the journal is written; a log in memory where there is none.
    pub journal: Option<PathBuf>,
}

/// What the tools of one run share.
#[derive(Debug)]
struct Bench {
    workload: Arc<Workload>,
    given: Option<usize>,
    /// Bits of the factor that durations are multiplied with.
    pace: AtomicU64,
    /// Nodes in the order in which they began to run.
    ran: Mutex<Vec<usize>>,
}

impl Bench {
    fn note(&self, id: usize) {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).push(id);
    }
}

/// A node of one kind: waits as long as the node takes and gives its value.
struct Timed {
    spec: Spec,
    bench: Arc<Bench>,
}

impl Timed {
    fn new(kind: Kind, bench: Arc<Bench>) -> Self {
        // A tool reads the world, the others compute.
        let effect = if kind == Kind::Call {
            EffectClass::Read
        } else {
            EffectClass::Pure
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "node": {"type": "integer"},
                "reads": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["node", "reads"],
            "additionalProperties": false,
        });
        let card = ToolCard {
            name: Arc::from(kind.word()),
            description: Arc::from("Computes the value of a node from the values that it reads."),
            schema: Arc::from(schema.to_string()),
            effect,
            tags: Vec::new(),
            takes_truncated: false,
        };
        let facts = ToolFacts {
            effect,
            takes_truncated: false,
            show_difference: false,
            is_answer: false,
            asks_operator: false,
            delegates: false,
        };
        Self {
            spec: Spec { card, facts },
            bench,
        }
    }
}

impl Tool for Timed {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let bench = self.bench.clone();
        Box::pin(async move {
            let id = job.args.get("node").and_then(Value::as_u64).unwrap_or_default() as usize;
            let reads: Vec<String> = job
                .args
                .get("reads")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect();
            bench.note(id);
            let pace = f64::from_bits(bench.pace.load(Ordering::Relaxed));
            let ms = bench.workload.nodes.get(id).map_or(0.0, |node| node.ms) * pace;
            if ms > 0.0 {
                tokio::time::sleep(Duration::from_secs_f64(ms / 1000.0)).await;
            }
            let value = if bench.given == Some(id) {
                EDITED.to_owned()
            } else {
                bench.workload.output(id, &reads)
            };
            Outcome::ok(Value::String(value).to_string())
        })
    }
}

/// Streams all nodes as the calls of one turn; once they have results, answers with the last one.
struct OneTurn {
    workload: Arc<Workload>,
}

impl OneTurn {
    async fn propose(&self, chunks: &mpsc::Sender<Chunk>) -> Result<(), mpsc::error::SendError<Chunk>> {
        let delta = "Everything at once.".to_owned();
        chunks.send(Chunk::Text { part: 0, delta }).await?;
        for (part, node) in (1..).zip(&self.workload.nodes) {
            let reads: Vec<String> = node
                .deps
                .iter()
                .map(|dep| format!("†call.{}", label(*dep)))
                .collect();
            let args = json!({"_as": label(node.id), "node": node.id, "reads": reads});
            let name = node.kind.word().to_owned();
            chunks.send(Chunk::Call { part, id: None, name }).await?;
            chunks
                .send(Chunk::Args {
                    part,
                    delta: args.to_string(),
                })
                .await?;
            chunks.send(Chunk::Sealed { part, opaque: None }).await?;
        }
        chunks.send(Chunk::Finish(Stop::Calls)).await
    }
}

impl Model for OneTurn {
    fn name(&self) -> String {
        format!("one turn: {}", self.workload.name)
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        _cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            let last = request.messages.iter().rev().find_map(|message| match message {
                Message::Result { text, .. } => Some(text.clone()),
                _ => None,
            });
            // Where nobody takes the chunks any more, the request was taken back.
            match last {
                None => self.propose(&chunks).await.unwrap_or_default(),
                Some(text) => {
                    let value = text.lines().last().unwrap_or_default();
                    let delta = format!("It comes to {value}.");
                    chunks
                        .send(Chunk::Text { part: 0, delta })
                        .await
                        .unwrap_or_default();
                    chunks.send(Chunk::Finish(Stop::End)).await.unwrap_or_default();
                }
            }
            Ok(())
        })
    }
}

/// The name of a node's call.
pub fn label(id: usize) -> String {
    format!("n{id}")
}

/// A run of a workload in the engine.
pub struct Run {
    bench: Arc<Bench>,
    handle: Handle,
    facts: mpsc::UnboundedReceiver<Publication>,
    task: JoinHandle<()>,
    began: Instant,
}

impl Run {
    /// Begins; durations are multiplied with the pace.
    pub async fn begin(workload: &Arc<Workload>, setting: &Setting, pace: f64) -> Result<Self, Fail> {
        let bench = Arc::new(Bench {
            workload: workload.clone(),
            given: setting.given,
            pace: AtomicU64::new(pace.to_bits()),
            ran: Mutex::default(),
        });
        let session = ids::session();
        let log: Box<dyn Log> = match &setting.journal {
            Some(dir) => Box::new(JournalLog(Store::open(dir).create(session)?)),
            None => Box::new(Memory::default()),
        };
        let model = OneTurn {
            workload: workload.clone(),
        };
        let adviser = adviser(&bench, &session.to_string())?;
        let first = vec![Event::Run(RunEvent::Started(Box::new(started(&adviser, &model))))];
        let (driver, handle) = Driver::new(Parts {
            state: State::default(),
            log,
            adviser,
            model: Arc::new(model),
            clock: Clock::start(),
            notices: Vec::new(),
        });
        let facts = handle.subscribe().facts;
        let began = now();
        let task = tokio::spawn(driver.run(first));
        let run = Self {
            bench,
            handle,
            facts,
            task,
            began,
        };
        run.commit(Edit::InsertPrompt {
            after: None,
            text: Arc::from("Run the workload."),
        })
        .await?;
        Ok(run)
    }

    async fn commit(&self, edit: Edit) -> Result<(), Fail> {
        let command = Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            reason: None,
            keep_later: false,
        });
        let sent = self.handle.command(command, Actor::Operator("operator".into()));
        match sent.await {
            Ok(_) => Ok(()),
            Err(refusal) => Err(refusal.message.into()),
        }
    }

    /// Waits for the answer; gives the time since the beginning or the last edit.
    pub async fn finish(&mut self) -> Result<Duration, Fail> {
        while let Some(fact) = self.facts.recv().await {
            match fact {
                Publication::Event(envelope) => match &envelope.event {
                    Event::Run(RunEvent::Finished { .. }) => return Ok(self.began.elapsed()),
                    Event::Turn(TurnEvent::Broken { fault, .. }) => return Err(fault.message.clone().into()),
                    Event::Run(RunEvent::LimitReached { message, .. }) => return Err(message.clone().into()),
                    _ => {}
                },
                Publication::Halted(reason) => return Err(reason.into()),
                Publication::Ended => break,
                Publication::Snapshot(_) | Publication::Notice(_) => {}
            }
        }
        Err("the run ended without an answer".into())
    }

    /// Everything that is true of the run now.
    pub async fn state(&self) -> Result<State, Fail> {
        match self.handle.subscribe().facts.recv().await {
            Some(Publication::Snapshot(state)) => Ok(*state),
            _ => Err("the run gave no snapshot".into()),
        }
    }

    /// Gives a node's output another value, as an operator who corrects an observation does, and
    /// lets the run go on from there at the pace. What ran before is forgotten.
    pub async fn edit(&mut self, id: usize, pace: f64) -> Result<(), Fail> {
        let state = self.state().await?;
        let node = call_of(&state, id)?.observation();
        let base = state.node(node).map(overrule::domain::node::Node::rev);
        let base = base.ok_or_else(|| format!("{node} is not there"))?;
        self.bench.pace.store(pace.to_bits(), Ordering::Relaxed);
        self.ran();
        // What was said before the edit is not waited for.
        while self.facts.try_recv().is_ok() {}
        self.began = now();
        self.commit(Edit::Observation {
            node,
            base,
            value: Arc::from(Value::from(EDITED).to_string()),
        })
        .await
    }

    /// Nodes that ran since this was last asked, in the order in which they began.
    pub fn ran(&self) -> Vec<usize> {
        std::mem::take(&mut *self.bench.ran.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The value of every node and the answer, as the engine has them.
    pub async fn values(&self) -> Result<(Vec<String>, String), Fail> {
        let state = self.state().await?;
        let mut values = Vec::new();
        for node in &self.bench.workload.nodes {
            let call = call_of(&state, node.id)?;
            let observed = state
                .observation(call)
                .and_then(overrule::domain::node::Node::outcome);
            match observed {
                Some(Outcome::Ok { value, .. }) => values.push(serde_json::from_str(value)?),
                _ => return Err(format!("{call} (node {}) has no value", node.id).into()),
            }
        }
        let answer = match state.mode {
            overrule::domain::state::Mode::Finished(answer) => state.node(answer),
            _ => None,
        };
        let answer = answer.map(|node| node.text().to_owned());
        Ok((values, answer.ok_or("the run has no answer")?))
    }

    /// Ends the engine.
    pub async fn close(self) -> Result<(), Fail> {
        self.handle.shutdown().await;
        Ok(self.task.await?)
    }
}

/// The call that stands for a node.
fn call_of(state: &State, id: usize) -> Result<NodeId, Fail> {
    let label = label(id);
    let found = state.agenda.labels.get(label.as_str());
    let found = found.and_then(|calls| calls.last()).copied();
    found.ok_or_else(|| format!("no call is named {label}").into())
}

fn adviser(bench: &Arc<Bench>, session: &str) -> Result<Adviser, Fail> {
    let tools = Kind::ALL.map(|kind| Arc::new(Timed::new(kind, bench.clone())) as Arc<dyn Tool>);
    Ok(Adviser {
        registry: Arc::new(Registry::new(tools)?),
        policy: Arc::new(Policy::new(Preset::Guarded)),
        session: Arc::from(session),
        workspace: Arc::new(Path::new("/").to_owned()),
        environment: Arc::from(""),
        sandbox: Arc::from("no children"),
        headless: false,
        now: None,
    })
}

fn started(adviser: &Adviser, model: &dyn Model) -> Started {
    Started {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        workspace: adviser.workspace.display().to_string(),
        model: model.name(),
        wire: "in process".to_owned(),
        system: Arc::from("Run the workload."),
        tools: adviser.cards(),
        policy: adviser.policy.preset().to_string(),
        sandbox: adviser.sandbox.to_string(),
        limits: Limits {
            parallel: u32::MAX,
            turns: None,
            tokens: None,
            wall_ms: None,
            price: None,
        },
        user: Arc::from("operator"),
        input: Arc::from("null"),
        setup: Arc::from(session_setup(&adviser.session)),
        reuse: overrule::domain::event::run::Reuse::default(),
        price: None,
    }
}

fn session_setup(session: &str) -> String {
    json!({"session": session}).to_string()
}

/// A figure needs a finer clock than the engine's.
#[expect(
    clippy::disallowed_methods,
    reason = "a measurement, not a part of the engine"
)]
fn now() -> Instant {
    Instant::now()
}
