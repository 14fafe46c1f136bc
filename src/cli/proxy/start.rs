//! Starts the agent of a proxy, or tells how to start agents.
//!
//! Must not know: how an agent is supervised, how a request is read.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use super::Plan;
use super::confined::Confined;
use super::terminal::Terminal;
use crate::agent_process::{self as process, Launch, Started};
use crate::args::Window;
use crate::build::AppContext;
use crate::exit::Failure;
use crate::print;
use overrule_proxy::agents::{AGENTS, Agent};
use overrule_proxy::alarms::Alarms;
use overrule_proxy::server::Server;

/// An agent that was started, whether it asks its own user about calls, and what serves it in its sandbox.
pub(super) type Agents = (Started, Option<String>, Option<Serving>);

/// What serves a confined agent, as long as it is kept.
pub(super) type Serving = Box<dyn Send>;

/// Starts the agent, or tells how to start any.
pub(super) async fn start_agent(
    plan: &Plan<'_>,
    (server, alarms): (&Arc<Server>, &Alarms),
    confined: Option<&Confined>,
) -> Result<Agents, Failure> {
    let base = &server.base();
    let (Some(agent), Some((program, own))) = (plan.agent, plan.args.agent.split_first()) else {
        tell_all(plan, base);
        return Ok((Started::Elsewhere, None, None));
    };
    let launch = match confined {
        Some(_) => Launch::confined(agent, program, own, base, keeps_prompts(plan)),
        None => Launch::new(agent, program, own, base, keeps_prompts(plan)),
    };
    let asks = format!("{}: {}", agent.program, launch.asks());
    print::err(&asks);
    if plan.headless {
        let workspace = &plan.context.workspace;
        let Some(confined) = confined else {
            let child = launch.spawn(workspace)?;
            return Ok((Started::Child(child), Some(asks), None));
        };
        print::err(&format!("{}: {}", agent.program, confined.describe()));
        let (child, inside) = launch.spawn_confined(workspace, &confined.planned).await?;
        note(&plan.context, child.id());
        let served = confined.serves().serve(inside, server)?;
        let serving: Serving = Box::new(served);
        return Ok((Started::Child(child), Some(asks), Some(serving)));
    }
    let terminal = confined.map(|confined| {
        print::err(&format!("{}: {}", agent.program, confined.describe()));
        Terminal::open(&plan.context, confined, &launch, (server, alarms))
    });
    let terminal = terminal.transpose()?;
    let own = terminal
        .as_ref()
        .map_or_else(|| launch.line(), |one| one.line().to_owned());
    let started = match plan.args.window {
        Window::Tmux => Started::Pane(launch.in_tmux(&plan.context, &own).await?),
        Window::None => {
            print::err("start the agent in another terminal:");
            print::err(&format!("  {}", Launch::line_in(&own, &plan.context.workspace)));
            print::err("this screen opens with its first request (ctrl-c ends)");
            Started::Elsewhere
        }
    };
    if !agent.note.is_empty() {
        print::err(&format!("  note: {}", agent.note));
    }
    let others = lines(plan, base, Some(agent));
    if !others.is_empty() {
        print::err("another agent joins this screen, in sessions of its own (alt-w), by its line:");
        print_all(&others);
    }
    let serving = terminal.map(|one| -> Serving { Box::new(one) });
    Ok((started, Some(asks), serving))
}

/// Notes the process of a confined agent, which does not decide on its own calls.
pub(super) fn note(context: &AppContext, pid: Option<u32>) {
    let noted = pid.map_or_else(
        || Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        |pid| context.agents.started(pid),
    );
    if let Err(error) = noted {
        tracing::warn!(%error, "the agent is not noted for other processes");
    }
}

/// Tells the address, where requests go, and the lines of the agents that are installed.
fn tell_all(plan: &Plan<'_>, base: &str) {
    print::err(&format!("the proxy serves {base}"));
    match plan.upstreams.shown().as_slice() {
        [one] => print::err(&format!("  the model: {}", print::safe_text(one))),
        all => {
            print::err("  the models:");
            for one in all {
                print::err(&format!("    {}", print::safe_text(one)));
            }
        }
    }
    let lines = lines(plan, base, None);
    if !lines.is_empty() {
        print::err("start agents in other terminals, each by its line:");
        print_all(&lines);
        print::err(if keeps_prompts(plan) {
            "  they may ask their own users again about calls that you approved"
        } else {
            "  they do not ask their own users about calls (--keep-prompts leaves that)"
        });
    }
    print::err("  start any other agent with ANTHROPIC_BASE_URL or OPENAI_BASE_URL set to that address");
    if !plan.headless {
        print::err("this screen opens with the first request; alt-w goes to the other agents (ctrl-c ends)");
    }
}

fn print_all(lines: &[String]) {
    for line in lines {
        print::err(line);
    }
}

/// What passes without a decision is asked about by the agent itself.
fn keeps_prompts(plan: &Plan<'_>) -> bool {
    plan.args.keep_prompts || plan.args.pass_unknown
}

/// A line for the shell for each known agent that is installed, other than this one.
fn lines(plan: &Plan<'_>, base: &str, except: Option<&Agent>) -> Vec<String> {
    let path = process::variable(&plan.context, "PATH").unwrap_or_default();
    let others = AGENTS
        .iter()
        .filter(|agent| except.is_none_or(|except| except.program != agent.program));
    let installed = others.filter(|agent| is_in_path(agent.program, path.as_ref()));
    installed
        .map(|agent| {
            let launch = Launch::new(agent, agent.program, &[], base, keeps_prompts(plan));
            format!("  {}", Launch::line_in(&launch.line(), &plan.context.workspace))
        })
        .collect()
}

/// True for a program in one of these directories.
fn is_in_path(program: &str, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|directory| is_program(&directory.join(program)))
}

fn is_program(file: &Path) -> bool {
    let about = file.metadata();
    about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}
