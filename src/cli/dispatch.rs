//! Finds what carries out a command line.
//!
//! Must not know: how it is read.

use super::args::{Args, What};
use super::exit::{Code, Failure};
use super::{
    audit, branches, completions, decode, doctor, effects, fork, graph, learned_store, loops, metrics,
    model_list, proxy, queue, replay, resume, run, sessions, settings, tools, trust, verbs, wait, weights,
};

/// Carries out a command line.
pub fn dispatch(parsed: Args) -> Result<Code, Failure> {
    let Args { common, what } = parsed;
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
