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
    match dispatch(parsed) {
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

fn dispatch(parsed: args::Args) -> Result<Code, Failure> {
    use args::What;
    let args::Args { common, what } = parsed;
    match what {
        None => run::without_command(&common),
        Some(What::Demo(demo)) => run::demo(&common, &demo),
        Some(What::Proxy(proxy)) => proxy::proxy(&common, &proxy),
        Some(What::Run(task)) => run::task(&common, &task),
        Some(What::Resume(resume)) => resume::resume(&common, &resume),
        Some(What::Wait(wait)) => wait::wait(&common, &wait),
        Some(What::Sessions(sessions)) => sessions::sessions(&common, sessions),
        Some(What::Replay(replay)) => replay::replay(&common, &replay),
        Some(What::Fork(fork)) => fork::fork(&common, &fork),
        Some(What::Graph(graph)) => graph::graph(&common, &graph),
        Some(What::Queue(queue)) => queue::queue(&common, &queue),
        Some(What::Loops(queue)) => loops::loops(&common, &queue),
        Some(What::Effects(queue)) => effects::effects(&common, &queue),
        Some(What::Audit(audit)) => audit::audit(&common, &audit),
        Some(What::Metrics(args)) => metrics::metrics(&common, &args),
        Some(What::Weights(weights)) => weights::print(&common, &weights),
        Some(What::ResetLearned) => learned_store::reset(&common),
        Some(What::Branches(branches)) => branches::branches(&common, &branches),
        Some(What::Compare(compare)) => branches::compare(&common, &compare),
        Some(What::Tools(tools)) => tools::tools(&common, &tools),
        Some(What::Trust(trust)) => trust::trust(&common, &trust),
        Some(What::Doctor) => doctor::doctor(&common),
        Some(What::Config) => settings::print(&common),
        Some(What::Models) => model_list::print(&common),
        Some(What::Decode(decode)) => decode::decode(&decode),
        Some(What::Completions { shell }) => Ok(completions::completions(shell)),
        Some(What::ConfinedAgent { socket }) => proxy::become_agent(&socket),
        Some(What::Verb(verb)) => verbs::verb(&common, &verb),
    }
}
