//! Measures an edit: runs a workload in the real engine, edits outputs and prints what ran again.
//!
//! Must not know: how the engine works inside.
//!
//! Also prints what a restart or a cut in time would have run.
//!
//! `cargo run --release --example dataflow -- FILE.json [--scale F] [--journal DIR]`
//! `cargo run --release --example dataflow -- --shapes [--scale F] [--journal DIR]`
//! `cargo run --release --example dataflow -- --live [--scale F]`
//!
//! The second form runs workloads of known shape, one line for each. The third edits a call that waits
//! while its sibling runs two seconds, and the arguments of one of six calls that ran side by side.
//!
//! All nodes of the workload are calls of one turn that read each other by reference; an edit
//! corrects the observation of one of them. Prints one JSON object per workload on standard output, one
//! line each. Durations are those of the file, times F.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its job is to print figures"
)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use overrule::domain::call::EffectClass;
use serde_json::{Value, json};

#[path = "dataflow/floor.rs"]
mod floor;
#[path = "dataflow/live.rs"]
mod live;
#[path = "dataflow/model.rs"]
mod model;
#[path = "dataflow/shapes.rs"]
mod shapes;
#[path = "dataflow/stage.rs"]
mod stage;
#[path = "dataflow/twister.rs"]
mod twister;
#[path = "dataflow/workload.rs"]
mod workload;
#[path = "dataflow/world.rs"]
mod world;

use live::Sibling;
use stage::Fail;
use workload::{Share, Workload};
use world::{Run, Setting};

const USAGE: &str = "usage: dataflow FILE.json|--shapes|--live [--scale F] [--journal DIR]";

/// What is run.
enum What {
    File(PathBuf),
    Shapes,
    Live,
}

/// What was asked for.
struct Options {
    what: What,
    scale: f64,
    journal: Option<PathBuf>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Fail> {
        let mut what = None;
        let mut scale = 1.0;
        let mut journal = None;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--scale" => scale = words.next().ok_or(USAGE)?.parse()?,
                "--journal" => journal = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
                _ if what.is_some() => return Err(USAGE.into()),
                "--shapes" => what = Some(What::Shapes),
                "--live" => what = Some(What::Live),
                _ if word.starts_with("--") => return Err(USAGE.into()),
                _ => what = Some(What::File(PathBuf::from(word))),
            }
        }
        let what = what.ok_or(USAGE)?;
        Ok(Self { what, scale, journal })
    }
}

fn main() -> ExitCode {
    let done = Options::read(std::env::args().skip(1)).and_then(|options| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(print(&options))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn print(options: &Options) -> Result<(), Fail> {
    match &options.what {
        What::File(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            println!("{}", figures(Workload::parse(&text)?, options).await?);
        }
        What::Shapes => {
            for workload in shapes::all() {
                println!("{}", figures(workload, options).await?);
            }
        }
        What::Live => println!("{}", edits_of_calls(options.scale).await?),
    }
    Ok(())
}

async fn figures(workload: Workload, options: &Options) -> Result<Value, Fail> {
    let workload = Arc::new(workload);
    let setting = Setting {
        given: None,
        journal: options.journal.clone(),
    };
    let mut first = Run::begin(&workload, &setting, options.scale).await?;
    let first_run = first.finish().await?;
    first.close().await?;
    let floor = floor::run(&workload, &workload.restart(), options.scale).await;
    let mut edits = Vec::new();
    for edit in &workload.edits {
        edits.push(edited(&workload, &setting, *edit, options.scale).await?);
    }
    Ok(json!({
        "name": workload.name,
        "first_run_ms": ms(first_run),
        "edits": edits,
        "first_run_floor_ms": ms(floor),
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
    let floor = floor::run(workload, &minimum, scale).await;
    Ok(json!({
        "edit": edit,
        "executed": share.nodes,
        "requests": share.requests,
        "tokens": share.tokens,
        "wall_ms": ms(wall),
        "equal_to_scratch": values == scratch,
        "minimum": shown(workload.share(minimum)),
        "floor_ms": ms(floor),
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

/// The edits that need no file.
async fn edits_of_calls(scale: f64) -> Result<Value, Fail> {
    let pending = live::pending_edit(Sibling::paced(scale)).await?;
    let mut sides = Vec::new();
    for effect in [EffectClass::Read, EffectClass::Write] {
        let side = live::arguments_edit(6, effect).await?;
        sides.push(json!({
            "effect": effect.label(),
            "calls": 6,
            "executed": side.executed,
            "requests": side.requests,
            "equal_to_scratch": side.equal_to_scratch,
        }));
    }
    Ok(json!({
        "name": "live",
        "pending_edit": {
            "executed": pending.executed,
            "edited_began_ms": ms(pending.edited_began),
            "reader_began_ms": ms(pending.reader_began),
            "sibling_ran": pending.sibling_ran,
            "read": pending.read,
        },
        "arguments_edit": sides,
    }))
}

/// Milliseconds with three places.
fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
