//! Loads what earlier runs learned, and stores what this run learned for later ones.
//!
//! Must not know: what is learned.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::Common;
use super::build::AppContext;
use super::demos;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::visible;
use overrule_config as config;
use overrule_domain::event::{Event, WeightEvent};
use overrule_domain::weight::{Learned, ToolRecord};
use overrule_engine::driver::Driver;
use overrule_engine::setup::Setup;
use overrule_journal::LearnedFiles;
use overrule_present::json;
use overrule_present::output::ResetView;
use overrule_regular_file as regular_file;
use overrule_resilience::learned;
use overrule_resilience::routing::{Row, Snapshot};
use overrule_tools::sources::mcp::ServerView;

/// Longest file of weights in bytes.
const WEIGHTS: u64 = 16 << 20;

/// What a run starts with.
#[derive(Debug, Default)]
pub struct Start {
    /// The event that records it. A resumed run reads this event, not the file, which may have changed.
    pub event: Option<Event>,
    /// Why the file could not be read.
    pub notice: Option<String>,
}

/// Returns what a new run starts with: the weights of a file that the settings name, else what earlier sessions of the
/// workspace learned.
pub fn start(context: &AppContext, setup: &Setup) -> Result<Start, Failure> {
    if let Some(file) = &context.settings.routing.priors.value {
        return Ok(Start {
            event: Some(priors(file)?),
            notice: None,
        });
    }
    let Some(files) = files(context).filter(|_| keeps(context, setup)) else {
        return Ok(Start::default());
    };
    match files.read(&context.workspace) {
        Ok(stored) => Ok(Start {
            event: stored.filter(|stored| !stored.learned.is_empty()).map(|stored| {
                let from = format!(
                    "earlier sessions of this workspace, the last one {}",
                    stored.session
                );
                imported(from, stored.learned)
            }),
            notice: None,
        }),
        // The run can start without it.
        Err(error) => Ok(Start {
            event: None,
            notice: Some(format!(
                "this run starts without what earlier sessions learned: {error}. `overrule reset-learned` removes it"
            )),
        }),
    }
}

/// Returns the health of the tools in earlier sessions of the workspace; empty if there is none or it cannot be read.
pub fn tools(context: &AppContext) -> Vec<ToolRecord> {
    let stored = files(context).and_then(|files| files.read(&context.workspace).ok()?);
    stored.map_or_else(Vec::new, |stored| stored.learned.health)
}

/// Describes how the calls of an MCP server did in earlier sessions; `None` if there were none.
pub fn of_server(records: &[ToolRecord], server: &ServerView) -> Option<String> {
    let prefix = format!("{}__", server.name);
    let is_own = |record: &&ToolRecord| {
        let mut offered = server.tools.iter().filter_map(|tool| tool.offered.as_deref());
        record.tool.starts_with(&prefix) || offered.any(|name| *name == *record.tool)
    };
    let own = records.iter().filter(is_own);
    let all = learned::together(&server.name, own.cloned())?;
    Some(format!("earlier sessions: {}", learned::health_words(&all)))
}

/// Keeps what a run learns for later sessions of its workspace.
pub fn keep(driver: Driver, context: &AppContext, setup: &Setup) -> Driver {
    let Some(files) = files(context).filter(|_| keeps(context, setup)) else {
        return driver;
    };
    let workspace = context.workspace.clone();
    let session = setup.session.clone();
    let failed = AtomicBool::new(false);
    driver.with_keeper(Arc::new(move |state, watch| {
        // A reset during the run must not be undone by this write.
        let was_reset = match files.read(&workspace) {
            Ok(None) => true,
            Ok(Some(stored)) => stored.alone && stored.session == session,
            Err(_) => false,
        };
        let alone = was_reset && state.learned.weights.imported.is_some();
        let learned = learned::of(state, watch, alone);
        if learned.is_empty() {
            return Ok(());
        }
        match files.replace(&workspace, (&session, alone), learned) {
            Err(error) if !failed.swap(true, Ordering::Relaxed) => Err(error.to_string()),
            _ => Ok(()),
        }
    }))
}

/// Removes what earlier sessions of a workspace learned.
pub fn reset(common: &Common) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = visible(&context.workspace.display().to_string());
    let removed = match files(&context) {
        Some(files) => files.remove(&context.workspace)?,
        None => false,
    };
    if common.json {
        print::out(&json(&ResetView {
            workspace: context.workspace.display().to_string(),
            removed,
        }));
    } else if removed {
        print::out(&format!(
            "reset: the next run in {place} starts without what earlier sessions learned"
        ));
    } else {
        print::out(&format!(
            "nothing to reset: no session in {place} has learned anything"
        ));
    }
    Ok(Code::Ok)
}

/// The directory of learned data; `None` without a user directory. No tool can write there.
fn files(context: &AppContext) -> Option<LearnedFiles> {
    let dir = context.env.state_dir.as_ref()?;
    Some(LearnedFiles::open(dir.join(config::OWN).join("learned")))
}

/// True for a run that starts with what others learned, and leaves what it learns. The built-in runs do not: they are
/// the same whatever ran before.
fn keeps(context: &AppContext, setup: &Setup) -> bool {
    context.settings.routing.keep.value && !demos::is_built_in(setup)
}

fn imported(from: String, learned: Learned) -> Event {
    Event::Weight(WeightEvent::Imported {
        from: Arc::from(from),
        learned,
    })
}

/// Reads the weights of another run.
fn priors(file: &Path) -> Result<Event, Failure> {
    let fails = |why: String| {
        Failure::new(
            Code::Config,
            format!(
                "cannot read the weights in {} (routing.priors): {why}; hint: write them with `overrule weights ID --json`",
                file.display()
            ),
        )
    };
    let text = regular_file::read_text(file, WEIGHTS).map_err(|error| fails(error.to_string()))?;
    let snapshot = Snapshot::parse(&text).map_err(fails)?;
    let learned = Learned {
        weights: snapshot.weights.iter().map(Row::noted).collect(),
        ..Learned::default()
    };
    Ok(imported(file.display().to_string(), learned))
}
