//! Measures the delay from the last streamed byte of a call to the start of its tool.
//!
//! Must not know: how the engine works inside.
//!
//! `cargo bench --bench start`. The response still streams when the call is complete. The floor is
//! a bare task spawned on a message of a bare channel. Prints the median (p50) and the 99th
//! percentile (p99), in microseconds.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

#[expect(dead_code, reason = "the examples and tests need more of it")]
#[path = "../../examples/dataflow/stage.rs"]
mod stage;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use overrule::domain::call::{EffectClass, Outcome};
use overrule::domain::turn::{Stop, StreamFault};
use overrule::model::{Chunk, Model, Request};
use overrule::policy::Preset;
use overrule::tools::{Job, Spec, Tool};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use stage::{Setup, Stage, now};

/// Calls of a measurement; one where nothing is measured.
const CALLS: u32 = 600;
/// Between two calls of the stream, so that each of them finds the engine idle, as a model's do.
const PAUSE: Duration = Duration::from_millis(3);

/// When each call was complete, and when its tool began.
#[derive(Debug, Default)]
struct Times {
    sealed: Mutex<Vec<Instant>>,
    began: Mutex<Vec<Instant>>,
}

impl Times {
    fn note(list: &Mutex<Vec<Instant>>) {
        let at = now();
        list.lock().unwrap_or_else(PoisonError::into_inner).push(at);
    }

    /// Microseconds from one to the other, in order of length.
    fn waits(&self) -> Vec<f64> {
        let sealed = self.sealed.lock().unwrap_or_else(PoisonError::into_inner);
        let began = self.began.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = |(sealed, began): (&Instant, &Instant)| began.saturating_duration_since(*sealed);
        let pairs = sealed.iter().zip(began.iter()).map(wait);
        let mut waits: Vec<f64> = pairs.map(|wait| wait.as_secs_f64() * 1e6).collect();
        waits.sort_by(f64::total_cmp);
        assert_eq!(sealed.len(), began.len(), "every call began");
        waits
    }
}

/// Streams calls with pauses and some words after each; answers when they have results.
struct Slow {
    calls: u32,
    times: Arc<Times>,
}

impl Slow {
    async fn stream(&self, chunks: &mpsc::Sender<Chunk>) -> Result<(), mpsc::error::SendError<Chunk>> {
        for no in 0..self.calls {
            let (part, name) = (no * 2, "look".to_owned());
            let delta = json!({"no": no}).to_string();
            chunks.send(Chunk::Call { part, id: None, name }).await?;
            chunks.send(Chunk::Args { part, delta }).await?;
            tokio::time::sleep(PAUSE).await;
            Times::note(&self.times.sealed);
            chunks.send(Chunk::Sealed { part, opaque: None }).await?;
            let (part, delta) = (part + 1, "and".to_owned());
            chunks.send(Chunk::Text { part, delta }).await?;
        }
        tokio::time::sleep(PAUSE).await;
        chunks.send(Chunk::Finish(Stop::Calls)).await
    }
}

impl Model for Slow {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        _cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            if request.turn > 1 {
                let delta = "Done.".to_owned();
                chunks.send(Chunk::Text { part: 0, delta }).await.unwrap();
                chunks.send(Chunk::Finish(Stop::End)).await.unwrap();
            } else {
                self.stream(&chunks).await.unwrap();
            }
            Ok(())
        })
    }
}

/// Notes that it began.
struct Look {
    spec: Spec,
    times: Arc<Times>,
}

impl Tool for Look {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, _job: Job) -> BoxFuture<'static, Outcome> {
        let times = self.times.clone();
        Box::pin(async move {
            Times::note(&times.began);
            Outcome::ok("null")
        })
    }
}

/// Calls in the engine. With effects, the intent of each is on disk before it begins.
async fn engine(calls: u32, effect: EffectClass, journal: Option<&std::path::Path>) -> Vec<f64> {
    let times = Arc::new(Times::default());
    let schema = json!({"type": "object"});
    let mut stage = Stage::begin(Setup {
        model: Arc::new(Slow {
            calls,
            times: times.clone(),
        }),
        tools: vec![Arc::new(Look {
            spec: stage::spec("look", effect, &schema),
            times: times.clone(),
        })],
        preset: Preset::Auto,
        log: stage::log(journal).unwrap(),
    })
    .unwrap();
    stage.prompt().await.unwrap();
    stage.finish().await.unwrap();
    stage.close().await.unwrap();
    times.waits()
}

/// A channel, and a task for each word that comes through it.
async fn floor(calls: u32) -> Vec<f64> {
    let times = Arc::new(Times::default());
    let (out, mut words) = mpsc::channel::<()>(256);
    let sealed = times.clone();
    let sender = tokio::spawn(async move {
        for _ in 0..calls {
            tokio::time::sleep(PAUSE).await;
            Times::note(&sealed.sealed);
            out.send(()).await.unwrap();
        }
    });
    while words.recv().await.is_some() {
        let times = times.clone();
        tokio::spawn(async move { Times::note(&times.began) });
    }
    sender.await.unwrap();
    tokio::time::sleep(PAUSE).await;
    times.waits()
}

/// What is written on disk before a call with effects begins: a line, synced, and then the task.
async fn floor_synced(calls: u32, dir: &std::path::Path) -> Vec<f64> {
    use std::io::Write as _;
    let times = Arc::new(Times::default());
    let mut file = std::fs::File::create(dir.join("floor")).unwrap();
    for _ in 0..calls {
        tokio::time::sleep(PAUSE).await;
        Times::note(&times.sealed);
        file.write_all(&[b'x'; 2000]).unwrap();
        file.sync_data().unwrap();
        let times = times.clone();
        tokio::spawn(async move { Times::note(&times.began) });
    }
    tokio::time::sleep(PAUSE).await;
    times.waits()
}

fn print(name: &str, waits: &[f64]) {
    let at = |part: f64| {
        let place = (waits.len() as f64 * part) as usize;
        waits[place.min(waits.len() - 1)]
    };
    println!("{name:<44} p50 {:>8.0} µs   p99 {:>8.0} µs", at(0.5), at(0.99));
}

fn main() {
    // A run that only checks that it works does not measure.
    let measured = std::env::args().any(|word| word == "--bench");
    let calls = if measured { CALLS } else { 1 };
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        for _ in 0..if measured { 3 } else { 1 } {
            print("floor: a channel and a task", &floor(calls).await);
            print(
                "a call that reads, log in memory",
                &engine(calls, EffectClass::Read, None).await,
            );
            let journal = Some(dir.path());
            print(
                "a call that reads, journal",
                &engine(calls, EffectClass::Read, journal).await,
            );
            print(
                "floor: a synced write and a task",
                &floor_synced(calls, dir.path()).await,
            );
            print(
                "a call that writes, journal",
                &engine(calls, EffectClass::Write, journal).await,
            );
        }
    });
}
