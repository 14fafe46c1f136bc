//! Measures the cost of the engine for each call that does nothing.
//!
//! Must not know: how the engine works inside.
//!
//! The run is a fan-out of many calls from the prompt to the answer, with a log in memory or a
//! journal on disk. The floors are the same number of bare tasks, and a loop that writes and syncs
//! the bytes of that journal as often.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use divan::Bencher;
use divan::counter::ItemsCount;
use overrule::domain::envelope::Envelope;
use overrule::engine::log::{Log, Unwritten};
use overrule::policy::Preset;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::graph;
use crate::model::OneTurn;
use crate::stage::{self, Setup, Stage};

const CALLS: usize = 1000;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn stage(runtime: &Runtime, reads: &[Vec<usize>], log: Box<dyn Log>) -> Stage {
    let _inside = runtime.enter();
    let setup = Setup {
        model: Arc::new(OneTurn {
            name: "fan-out".to_owned(),
            calls: graph::calls(reads),
        }),
        tools: graph::tools(),
        preset: Preset::Guarded,
        log,
    };
    Stage::begin(setup).unwrap()
}

/// Calls side by side.
fn fan_out() -> Vec<Vec<usize>> {
    vec![Vec::new(); CALLS]
}

/// Where journals are written: on the disk that the project is built on, not in memory.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Floor: as many tasks that do nothing, each of them awaited.
#[divan::bench]
fn floor_tasks(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        runtime.block_on(async {
            let mut tasks = JoinSet::new();
            for no in 0..CALLS {
                tasks.spawn(async move { no });
            }
            while tasks.join_next().await.is_some() {}
        });
    });
}

/// Prompt to answer with a log in memory.
#[divan::bench(max_time = 5)]
fn calls_in_memory(bencher: Bencher<'_, '_>) {
    first(bencher, None);
}

/// Prompt to answer with a journal on disk, its syncs included.
#[divan::bench(max_time = 5)]
fn calls_journaled(bencher: Bencher<'_, '_>) {
    first(bencher, Some(scratch().path()));
}

/// Edit to answer, where all calls read the edited one, with a log in memory.
#[divan::bench(max_time = 5)]
fn calls_again_in_memory(bencher: Bencher<'_, '_>) {
    again(bencher, None);
}

/// Edit to answer, where all calls read the edited one, with a journal on disk, its syncs included.
#[divan::bench(max_time = 5)]
fn calls_again_journaled(bencher: Bencher<'_, '_>) {
    again(bencher, Some(scratch().path()));
}

fn first(bencher: Bencher<'_, '_>, journal: Option<&Path>) {
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(CALLS))
        .with_inputs(|| stage(&runtime, &fan_out(), stage::log(journal).unwrap()))
        .bench_local_values(|mut stage| {
            runtime.block_on(async {
                stage.prompt().await.unwrap();
                stage.finish().await.unwrap();
            });
            Ended(Some(stage), &runtime)
        });
}

fn again(bencher: Bencher<'_, '_>, journal: Option<&Path>) {
    let runtime = runtime();
    let mut reads = vec![vec![0]; CALLS];
    reads.insert(0, Vec::new());
    bencher
        .counter(ItemsCount::new(CALLS))
        .with_inputs(|| {
            let mut stage = stage(&runtime, &reads, stage::log(journal).unwrap());
            let edit = runtime.block_on(async {
                stage.prompt().await.unwrap();
                stage.finish().await.unwrap();
                graph::correction(&stage.state().await.unwrap(), 0)
            });
            (stage, edit)
        })
        .bench_local_values(|(mut stage, edit)| {
            runtime.block_on(async {
                stage.commit(edit).await.unwrap();
                stage.finish().await.unwrap();
            });
            Ended(Some(stage), &runtime)
        });
}

/// Floor of the journal: the same bytes in the same portions, synced as often.
#[divan::bench(max_time = 5)]
fn floor_journal(bencher: Bencher<'_, '_>) {
    let dir = scratch();
    let writes = written(dir.path());
    let bytes = vec![b'x'; writes.iter().map(|(bytes, _)| *bytes).max().unwrap_or(0)];
    let mut file = File::create(dir.path().join("floor")).unwrap();
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for (length, sync) in &writes {
            file.write_all(&bytes[..*length]).unwrap();
            if *sync {
                file.sync_data().unwrap();
            }
        }
    });
}

/// The portions in which a journaled run gives its bytes to the system, and which are synced.
fn written(dir: &Path) -> Vec<(usize, bool)> {
    let runtime = runtime();
    let portions = Arc::new(Mutex::new(Vec::new()));
    let log = Portions {
        inner: stage::log(Some(dir)).unwrap(),
        dir: dir.to_owned(),
        seen: 0,
        noted: portions.clone(),
    };
    let mut stage = stage(&runtime, &fan_out(), Box::new(log));
    runtime.block_on(async {
        stage.prompt().await.unwrap();
        stage.finish().await.unwrap();
        stage.close().await.unwrap();
    });
    let portions = portions.lock().unwrap_or_else(PoisonError::into_inner);
    portions.clone()
}

/// A log that notes what its journal does.
struct Portions {
    inner: Box<dyn Log>,
    dir: std::path::PathBuf,
    seen: usize,
    noted: Arc<Mutex<Vec<(usize, bool)>>>,
}

impl Portions {
    fn note(&mut self, sync: bool) {
        let sessions = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let journals = sessions.filter_map(|session| session.path().join("journal.jsonl").metadata().ok());
        let length: usize = journals.map(|journal| journal.len() as usize).sum();
        let mut portions = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        portions.push((length - self.seen, sync));
        self.seen = length;
    }
}

impl Log for Portions {
    fn append(&mut self, envelope: &Envelope) -> Result<(), Unwritten> {
        self.inner.append(envelope)
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        self.inner.flush()?;
        self.note(false);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        self.inner.sync()?;
        self.note(true);
        Ok(())
    }
}

/// A finished run; it is dropped after the measurement.
struct Ended<'r>(Option<Stage>, &'r Runtime);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if let Some(stage) = self.0.take() {
            self.1.block_on(stage.close()).unwrap();
        }
    }
}
