//! The command line: parses, builds, wires, and maps errors to exit codes.
//!
//! Must not know: rules of the domain; it only sends commands and prints results. Nothing depends on it.

mod address;
mod agent_process;
mod alarms;
pub mod args;
mod audit;
pub mod branches;
pub mod build;
mod by_hand;
pub mod classify;
mod completions;
mod control;
mod conversations;
mod cut_off;
mod damaged;
pub mod decode;
pub mod definitions;
pub mod demos;
mod detach;
mod dispatch;
pub mod doctor;
pub mod edits;
pub mod effects;
pub mod escalate;
pub mod exit;
mod files;
mod fit;
mod folding;
mod follow;
pub mod fork;
mod goodbye;
pub mod graph;
pub mod guard;
pub mod headless;
pub mod headless_decisions;
mod learned_store;
mod leave;
pub mod live;
pub mod live_reload;
pub mod logging;
pub mod loops;
pub mod lost_edits;
mod metrics;
mod model_list;
pub mod models;
pub mod node_change;
mod opening;
mod operator;
mod orphan_watcher;
mod output;
mod picker;
pub mod plan;
pub mod print;
pub mod progress;
mod proxy;
pub mod queue;
pub mod record;
mod recorded;
mod recording;
mod replaced_file;
pub mod replay;
mod repository_watcher;
pub mod request_text;
mod restoring;
mod resume;
mod rules;
pub mod run;
mod sandbox;
pub mod screen;
mod seen;
pub mod sessions;
mod settings;
pub mod signals;
mod terms;
pub mod tmux;
mod toolbox;
pub mod tools;
pub mod trust;
pub mod verbs;
mod wait;
pub mod weights;
pub mod why_ended;
mod written_here;

use std::process::ExitCode;

pub use exit::{Code, Failure};

/// Runs the program.
pub fn main() -> ExitCode {
    guard::guard();
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let parsed = match args::Args::read(&words) {
        Ok(parsed) => parsed,
        Err(error) => return not_parsed(&error, &words),
    };
    if let Err(failure) = logging::start(&overrule_config::Env::read()) {
        return print::failure(&failure);
    }
    match dispatch::dispatch(parsed) {
        Ok(Code::Ok) => print::lost().map_or(Code::Ok.into(), |failure| print::failure(&failure)),
        Ok(code) => code.into(),
        Err(failure) => print::failure(&failure),
    }
}

/// Reports a command line that is none, unless it asks for a term.
fn not_parsed(error: &clap::Error, words: &[std::ffi::OsString]) -> ExitCode {
    let is_word = error.kind() == clap::error::ErrorKind::InvalidSubcommand;
    match terms::asked(words).filter(|_| is_word) {
        None => print::usage(error),
        Some(word) => match terms::explain(&word) {
            Ok(code) => code.into(),
            Err(failure) => print::failure(&failure),
        },
    }
}
