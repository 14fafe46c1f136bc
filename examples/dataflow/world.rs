//! Runs a workload in the engine: the model streams one turn with all nodes as calls.
//!
//! Must not know: what a run is compared with, how figures are printed.
//!
//! The tools take the time of their nodes and return the values of the nodes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use overrule::domain::call::{EffectClass, Outcome};
use overrule::domain::command::Edit;
use overrule::domain::node;
use overrule::domain::state::Mode;
use overrule::policy::Preset;
use overrule::tools::{Job, Spec, Tool};
use serde_json::{Value, json};

use super::model::OneTurn;
use super::stage::{self, Fail, Setup, Stage};
use super::workload::{EDITED, Kind, Node, Workload};

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
        Self {
            spec: stage::spec(kind.word(), effect, &schema),
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

/// All nodes as the calls of one turn.
fn one_turn(workload: &Workload) -> OneTurn {
    let call = |node: &Node| {
        let reads: Vec<String> = node
            .deps
            .iter()
            .map(|dep| format!("†call.{}", label(*dep)))
            .collect();
        let args = json!({"_as": label(node.id), "node": node.id, "reads": reads});
        (node.kind.word(), args)
    };
    OneTurn {
        name: format!("one turn: {}", workload.name),
        calls: workload.nodes.iter().map(call).collect(),
    }
}

/// The name of a node's call.
pub fn label(id: usize) -> String {
    format!("n{id}")
}

/// A run of a workload in the engine.
pub struct Run {
    bench: Arc<Bench>,
    /// The engine.
    pub stage: Stage,
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
        let tools = Kind::ALL.map(|kind| Arc::new(Timed::new(kind, bench.clone())) as Arc<dyn Tool>);
        let mut stage = Stage::begin(Setup {
            model: Arc::new(one_turn(workload)),
            tools: tools.into(),
            preset: Preset::Guarded,
            log: stage::log(setting.journal.as_deref())?,
        })?;
        stage.prompt().await?;
        Ok(Self { bench, stage })
    }

    /// Waits for the answer; gives the time since the beginning or the last edit.
    pub async fn finish(&mut self) -> Result<Duration, Fail> {
        self.stage.finish().await
    }

    /// Gives a node's output another value, like a corrected observation, and resumes the run from there
    /// at the pace. Forgets the earlier executions.
    pub async fn edit(&mut self, id: usize, pace: f64) -> Result<(), Fail> {
        let state = self.stage.state().await?;
        let node = stage::call_of(&state, &label(id))?.observation();
        let base = state.node(node).map(node::Node::rev);
        let base = base.ok_or_else(|| format!("{node} is not there"))?;
        self.bench.pace.store(pace.to_bits(), Ordering::Relaxed);
        self.ran();
        self.stage
            .commit(Edit::Observation {
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
        let state = self.stage.state().await?;
        let mut values = Vec::new();
        for node in &self.bench.workload.nodes {
            let call = stage::call_of(&state, &label(node.id))?;
            match state.observation(call).and_then(node::Node::outcome) {
                Some(Outcome::Ok { value, .. }) => values.push(serde_json::from_str(value)?),
                _ => return Err(format!("{call} (node {}) has no value", node.id).into()),
            }
        }
        let answer = match state.mode {
            Mode::Finished(answer) => state.node(answer),
            _ => None,
        };
        let answer = answer.map(|node| node.text().to_owned());
        Ok((values, answer.ok_or("the run has no answer")?))
    }

    /// Ends the engine.
    pub async fn close(self) -> Result<(), Fail> {
        self.stage.close().await
    }
}
