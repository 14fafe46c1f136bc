//! What an edit costs: runs a workload in the real engine, edits outputs, lets the run go on, and
//! prints what ran again, beside what a restart or a cut in time would have run.
//!
//! `cargo run --release --example dataflow -- FILE.json [--scale F] [--journal DIR]`
//!
//! All nodes of the workload are calls of one turn that read each other by reference; an edit
//! corrects the observation of one of them. Prints one JSON object on standard output. Durations
//! are those of the file, times F. Must not know: how the engine works inside.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its job is to print figures"
)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

#[path = "dataflow/workload.rs"]
mod workload;
#[path = "dataflow/world.rs"]
mod world;

use workload::{Share, Workload};
use world::{Fail, Run, Setting};

const USAGE: &str = "usage: dataflow FILE.json [--scale F] [--journal DIR]";

/// What was asked for.
struct Options {
    file: PathBuf,
    scale: f64,
    journal: Option<PathBuf>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Fail> {
        let mut file = None;
        let mut scale = 1.0;
        let mut journal = None;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--scale" => scale = words.next().ok_or(USAGE)?.parse()?,
                "--journal" => journal = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
                _ if word.starts_with("--") || file.is_some() => return Err(USAGE.into()),
                _ => file = Some(PathBuf::from(word)),
            }
        }
        Ok(Self {
            file: file.ok_or(USAGE)?,
            scale,
            journal,
        })
    }
}

fn main() -> ExitCode {
    let done = Options::read(std::env::args().skip(1)).and_then(|options| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(figures(&options))
    });
    match done {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn figures(options: &Options) -> Result<Value, Fail> {
    let text = std::fs::read_to_string(&options.file)
        .map_err(|error| format!("cannot read {}: {error}", options.file.display()))?;
    let workload = Arc::new(Workload::parse(&text)?);
    let setting = Setting {
        given: None,
        journal: options.journal.clone(),
    };
    let mut first = Run::begin(&workload, &setting, options.scale).await?;
    let first_run = first.finish().await?;
    first.close().await?;
    let mut edits = Vec::new();
    for edit in &workload.edits {
        edits.push(edited(&workload, &setting, *edit, options.scale).await?);
    }
    Ok(json!({
        "name": workload.name,
        "first_run_ms": ms(first_run),
        "edits": edits,
        "scale": options.scale,
        "nodes": workload.nodes.len(),
        "journal": options.journal.is_some(),
    }))
}

/// One edit: a run of its own up to its end, the edit, the rest. Only the rest takes its time.
async fn edited(workload: &Arc<Workload>, setting: &Setting, edit: usize, scale: f64) -> Result<Value, Fail> {
    let mut run = Run::begin(workload, setting, 0.0).await?;
    run.finish().await?;
    run.edit(edit, scale).await?;
    let wall = run.finish().await?;
    let mut executed = run.ran();
    executed.sort_unstable();
    let values = run.values().await?;
    run.close().await?;
    let scratch = from_scratch(workload, edit).await?;
    let shown = |share: Share| {
        json!({
            "calls": share.nodes.len(),
            "requests": share.requests,
            "tokens": share.tokens,
        })
    };
    let share = workload.share(executed);
    let minimum = workload.minimum(edit);
    let longest = workload.longest_path(&minimum) * scale;
    Ok(json!({
        "edit": edit,
        "executed": share.nodes,
        "requests": share.requests,
        "tokens": share.tokens,
        "wall_ms": ms(wall),
        "equal_to_scratch": values == scratch,
        "minimum": shown(workload.share(minimum)),
        "longest_path_ms": longest,
        "restart": shown(workload.share(workload.restart())),
        "cut_in_time": shown(workload.share(workload.cut_in_time(edit))),
    }))
}

/// The values and the answer of a run that has the edited output from the beginning.
async fn from_scratch(workload: &Arc<Workload>, edit: usize) -> Result<(Vec<String>, String), Fail> {
    let setting = Setting {
        given: Some(edit),
        journal: None,
    };
    let mut run = Run::begin(workload, &setting, 0.0).await?;
    run.finish().await?;
    let values = run.values().await?;
    run.close().await?;
    Ok(values)
}

/// Milliseconds with three places.
fn ms(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
