//! Supervises an agent that another program runs (`overrule proxy`).
//!
//! Must not know: formats, how a request is read, how a call is decided.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot, watch};

use super::agent_process as process;
use super::args::{self, Common, Window};
use super::build::{self, AppContext};
use super::conversations::Conversations;
use super::escalate::{self, Caller};
use super::exit::{Code, Failure};
use super::headless_decisions::End;
use super::opening::{self, Opened};
use super::run::{self, Ready};
use super::signals::{self, StopRequest};
use super::{control, headless, live, print};
use crate::domain::event::run::{Reuse, Started};
use crate::domain::event::{Event, RunEvent};
use crate::domain::state::State;
use crate::engine::advise::Adviser;
use crate::engine::setup::{ModelSetup, Setup};
use crate::engine::{Launch, ids, resume};
use crate::journal::Link;
use crate::model::wire::Wire;
use crate::proxy::address::Token;
use crate::proxy::agents::{self, AGENTS, Agent};
use crate::proxy::model::AgentModel;
use crate::proxy::run::AgentRun;
use crate::proxy::server::{self, Opening, Server};
use crate::proxy::tool;
use crate::proxy::upstream::Upstream;
use crate::resilience::ladder::Ladder;
use crate::text::visible;

/// How long an agent may take until its first request.
const FIRST: Duration = Duration::from_secs(20);
/// The variable with a token, for an agent that must find the proxy again after a restart.
const TOKEN: &str = "OVERRULE_PROXY_TOKEN";

/// What a proxy needs to know.
struct Plan<'a> {
    common: &'a Common,
    args: &'a args::Proxy,
    context: AppContext,
    agent: Option<&'static Agent>,
    upstream: Arc<Upstream>,
    headless: bool,
}

/// Supervises an agent.
pub fn proxy(common: &Common, args: &args::Proxy) -> Result<Code, Failure> {
    let mut context = AppContext::read(common)?;
    live::check(&context)?;
    let agent = known(args)?;
    context
        .reach
        .supervise(agent.map_or("AGENT", |agent| agent.program));
    let address = upstream(common, args, &context, agent)?;
    let config = |error: crate::proxy::Error| Failure::new(Code::Config, error);
    let mut upstream = Upstream::new(&address).map_err(config)?;
    let other = agent.and_then(|agent| agent.other_log_in);
    if let Some((header, address)) = other.filter(|_| args.upstream.is_none()) {
        upstream = upstream.with_other(header, address).map_err(config)?;
    }
    let plan = Plan {
        common,
        args,
        context,
        agent,
        upstream: Arc::new(upstream),
        headless: run::is_headless(common),
    };
    let runtime = run::runtime()?;
    let result = runtime.block_on(serve(&plan));
    end(runtime);
    result
}

fn end(runtime: Runtime) {
    runtime.shutdown_timeout(Duration::from_millis(200));
}

/// The known agent of a program.
fn known(args: &args::Proxy) -> Result<Option<&'static Agent>, Failure> {
    let Some(program) = args.agent.first() else {
        return Ok(None);
    };
    let agent = agents::named(program);
    if agent.is_none() {
        let names: Vec<&str> = AGENTS.iter().map(|agent| agent.program).collect();
        return Err(Failure::new(
            Code::Usage,
            format!(
                "cannot start `{}`: it is no agent that the proxy knows ({}); hint: start the proxy with `overrule proxy \
                 --listen 127.0.0.1:0 --upstream URL`, and the agent with the address that it prints",
                visible(program),
                names.join(", ")
            ),
        ));
    }
    Ok(agent)
}

/// The address of the model.
fn upstream(
    common: &Common,
    args: &args::Proxy,
    context: &AppContext,
    agent: Option<&Agent>,
) -> Result<String, Failure> {
    if let Some(url) = &args.upstream {
        return Ok(url.clone());
    }
    if let Some(agent) = agent {
        let own = agent
            .upstream_variable
            .and_then(|name| process::variable(context, name));
        return Ok(own.unwrap_or_else(|| agent.upstream.to_owned()));
    }
    match &common.wire {
        Some(_) => Ok(context.settings.wire.value.default_base().to_owned()),
        None => Err(Failure::new(
            Code::Usage,
            "cannot start the proxy: it needs an agent or the address of a model; hint: overrule proxy -- claude, or \
             overrule proxy --upstream https://api.openai.com/v1",
        )),
    }
}

async fn serve(plan: &Plan<'_>) -> Result<Code, Failure> {
    let address = plan
        .args
        .listen
        .unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let config = |error: crate::proxy::Error| Failure::new(Code::Config, error);
    let listener = server::listen(address).await.map_err(config)?;
    let at = listener
        .local_addr()
        .map_err(|error| Failure::new(Code::Config, format!("cannot listen on {address}: {error}")))?;
    let token = match process::variable(&plan.context, TOKEN) {
        Some(text) => Token::given(&text).ok_or_else(|| {
            let words = format!("cannot use {TOKEN}: write at least 16 letters, digits, `-` and `_`");
            Failure::new(Code::Config, words)
        })?,
        None => Token::random(),
    };
    let (openings, mut opened) = mpsc::channel(8);
    let setup = server::Setup {
        token,
        upstream: plan.upstream.clone(),
        openings,
        begin: AgentRun::new,
    };
    let server = Server::new(setup, at);
    let serving = tokio::spawn(server.clone().serve(listener));
    let mut signals = signals::listen()?;
    let mut child = start_agent(plan, &server.base()).await?;
    let first = tokio::select! {
        first = first_request(&mut opened, server.requests()) => first,
        ended = ended(&mut child) => {
            return Err(Failure::new(ended.code, format!("the agent ended without a request to its model; {}", ended.why)));
        }
        StopRequest::Stop(code) | StopRequest::StopNow(code) = signals.next() => return Ok(code),
    };
    let Some(first) = first else {
        return Err(Failure::new(Code::Other, "the proxy failed"));
    };
    drop(signals);
    let (gone, guest) = oneshot::channel();
    tokio::spawn(async move {
        let end = ended(&mut child).await;
        // An error means that the run has ended.
        gone.send(end).unwrap_or_default();
    });
    let (mut ready, handle_of_first) = begin(plan, &first, plan.args.resume.as_deref())?;
    let conversations = Conversations::new();
    conversations.add(&ready);
    let beside = tokio::spawn(serve_beside(
        (plan.common.clone(), plan.context.clone()),
        Beside::of(plan),
        opened,
        (handle_of_first, conversations.clone()),
    ));
    if plan.common.keep_wire || plan.context.settings.keep_replies.value {
        let place = plan.context.store.find(&ready.session)?;
        ready.driver = ready.driver.listened_to(run::taps(&place, plan.common.keep_wire));
    }
    ready.door = control::open(plan.common, &plan.context, &ready, None)?;
    let result = if plan.headless {
        ready.guest = Some(guest);
        Box::pin(headless::serve(plan.common, &plan.context, ready)).await
    } else {
        let handle = ready.handle.clone();
        tokio::spawn(async move {
            if let Ok(end) = guest.await {
                handle.notice(format!(
                    "the agent ended ({}); the session stays open for you",
                    end.code.number()
                ));
            }
        });
        Box::pin(live::serve(&plan.context, ready, None, Some(conversations))).await
    };
    beside.abort();
    serving.abort();
    result
}

/// Waits for the first conversation, and tells if nothing comes.
async fn first_request(
    opened: &mut mpsc::Receiver<Opening>,
    requests: watch::Receiver<u64>,
) -> Option<Opening> {
    let mut opening = std::pin::pin!(opened.recv());
    tokio::select! {
        first = &mut opening => return first,
        () = tokio::time::sleep(FIRST) => {}
    }
    print::err(if *requests.borrow() == 0 {
        "ALARM: no request of the agent arrived within 20 s: it may talk to its model without the proxy"
    } else {
        "ALARM: the agent is connected, but has sent nothing with tools within 20 s"
    });
    opening.await
}

/// Starts the agent, or tells how to.
async fn start_agent(plan: &Plan<'_>, base: &str) -> Result<Option<Child>, Failure> {
    let (Some(agent), Some((program, own))) = (plan.agent, plan.args.agent.split_first()) else {
        print::err(&format!("the proxy serves {base}"));
        print::err(&format!(
            "  the model: {}",
            print::safe_text(&plan.upstream.shown())
        ));
        print::err("  start the agent with ANTHROPIC_BASE_URL or OPENAI_BASE_URL set to that address");
        return Ok(None);
    };
    let launch = process::Launch::new(agent, program, own, base);
    if plan.headless {
        return launch.spawn(&plan.context.workspace).map(Some);
    }
    match plan.args.window {
        Window::Tmux => launch.in_tmux(&plan.context.workspace).await?,
        Window::None => {
            print::err("start the agent in another terminal, in the same directory:");
            print::err(&format!("  {}", launch.line()));
            print::err("this screen opens with its first request (ctrl-c ends)");
        }
    }
    if !agent.note.is_empty() {
        print::err(&format!("  note: {}", agent.note));
    }
    Ok(None)
}

/// Waits until the agent has ended, if it is a child.
async fn ended(child: &mut Option<Child>) -> End {
    let Some(child) = child else {
        return std::future::pending().await;
    };
    match child.wait().await {
        Ok(status) if status.success() => End::new(Code::Ok, ""),
        Ok(status) => End::new(Code::Other, format!("the agent ended with {status}")),
        Err(error) => End::new(Code::Other, format!("the agent was lost: {error}")),
    }
}

/// What a conversation other than the first one is built with.
#[derive(Clone)]
struct Beside {
    upstream: Arc<Upstream>,
    agent: Option<&'static Agent>,
    headless: bool,
}

impl Beside {
    fn of(plan: &Plan<'_>) -> Self {
        Self {
            upstream: plan.upstream.clone(),
            agent: plan.agent,
            headless: plan.headless,
        }
    }
}

/// Gives every conversation other than the first one a session of its own. The same policy decides in it, and the
/// operator decides on the same screen, or by commands if they are allowed.
async fn serve_beside(
    (common, context): (Common, AppContext),
    of: Beside,
    mut opened: mpsc::Receiver<Opening>,
    (first, conversations): (crate::engine::Handle, Conversations),
) {
    while let Some(opening) = opened.recv().await {
        let built = session(&common, &context, &of, &opening, None).and_then(|mut ready| {
            ready.door = control::open(&common, &context, &ready, None)?;
            Ok(ready)
        });
        match built {
            Ok(ready) => {
                let address = context.address(&ready.session);
                first.notice(if common.control {
                    format!("the agent began another conversation, such as a sub-agent: `overrule queue {address}` lists its calls")
                } else {
                    "the agent began another conversation, such as a sub-agent".to_owned()
                });
                conversations.add(&ready);
                let caller = Caller::of(&context, &ready.session);
                let calls = escalate::follow(caller, ready.handle.clone(), ready.handle.subscribe());
                let calls = tokio::spawn(calls);
                let Ready {
                    driver, first, door, ..
                } = ready;
                tokio::spawn(async move {
                    let _open = door;
                    driver.run(first).await;
                    calls.abort();
                });
            }
            Err(failure) => {
                opening.run.end();
                let why = &failure.message;
                first.notice(format!(
                    "a conversation of the agent is refused, as it cannot be recorded: {why}"
                ));
            }
        }
    }
}

fn begin(
    plan: &Plan<'_>,
    opening: &Opening,
    again: Option<&str>,
) -> Result<(Ready, crate::engine::Handle), Failure> {
    let ready = session(plan.common, &plan.context, &Beside::of(plan), opening, again)?;
    let handle = ready.handle.clone();
    Ok((ready, handle))
}

/// Builds the session of a conversation.
fn session(
    common: &Common,
    context: &AppContext,
    of: &Beside,
    opening: &Opening,
    again: Option<&str>,
) -> Result<Ready, Failure> {
    let opened = if let Some(id) = again {
        opening::open(context, &context.store.find(id)?)?
    } else {
        let id = ids::session();
        Opened {
            writer: context.store.create(id)?,
            state: State::default(),
            past: Vec::new(),
            session: id.to_string(),
            notices: Vec::new(),
        }
    };
    let Opened {
        writer,
        state,
        past,
        session,
        mut notices,
    } = opened;
    let name = opening
        .request
        .model
        .clone()
        .unwrap_or_else(|| "model".to_owned());
    let setup = Setup {
        session: session.clone(),
        model: ModelSetup::Agent {
            program: of.agent.map(|agent| agent.program.to_owned()),
            wire: opening.wire,
            upstream: of.upstream.shown(),
            model: name.clone(),
        },
        headless: of.headless,
        task: None,
        policy: context.policy_text(),
        output_schema: None,
        samples: None,
    };
    let unattended = of.headless && !common.control;
    let mut adviser = adviser(context, &setup, opening, unattended)?;
    adviser.watch = adviser.watch.on(&state);
    adviser.keep_rules(&state.rules);
    if state.started.is_some() {
        if common.policy.is_none() {
            adviser.keep_preset(&state.policy);
        }
        adviser.keep_resilience(&state);
    }
    let model = Arc::new(AgentModel::new(
        opening.run.clone(),
        title(of, opening.wire, &name),
    ));
    let started = context.started_by_agent(&adviser, &*model, &setup, "null");
    let started = Started {
        system: opening.request.system_text().into(),
        limits: tool::limits(started.limits),
        // Only the agent decides what the model is asked and which calls are made.
        reuse: Reuse {
            replies: false,
            pure: false,
            reads: false,
        },
        ..started
    };
    let mut first = if state.started.is_some() {
        resume::first_events(&state, &adviser, started)
    } else {
        vec![Event::Run(RunEvent::Started(Box::new(started)))]
    };
    first.extend(adviser.resilience(&state));
    notices.extend(context.notices());
    let (head, run) = (
        if again.is_some() {
            writer.head()
        } else {
            Link::FIRST
        },
        writer.run(),
    );
    let tools = (Arc::clone(&adviser.registry), Arc::clone(&adviser.workspace));
    let (driver, handle) = build::driver(state, writer, adviser, Launch::World(model), notices);
    let driver = context.configured(driver);
    let settings = context.clone();
    let fit = Arc::new(move |registry| settings.fitted_to_agent(registry));
    opening.run.attach(handle.clone(), fit);
    Ok(Ready {
        driver,
        handle,
        first,
        task: None,
        session,
        past,
        head,
        run,
        door: None,
        guest: None,
        tools,
        connected: None,
    })
}

/// The name of the model for people.
fn title(of: &Beside, wire: Wire, model: &str) -> String {
    let agent = of.agent.map_or_else(|| wire.name(), |agent| agent.program);
    format!("{agent}: {}", visible(model))
}

/// Tools, policy and loop detection of a conversation. What the agent executes is never run again by itself, and its
/// arguments are never repaired: the agent and its model do that.
fn adviser(
    context: &AppContext,
    setup: &Setup,
    opening: &Opening,
    unattended: bool,
) -> Result<Adviser, Failure> {
    let registry = context.fitted_to_agent(tool::registry(&opening.request.tools, &opening.run));
    let mut adviser = context.adviser_with(registry, setup, (&context.workspace, unattended))?;
    let mut policy = adviser.ladder.policy.clone();
    policy.retry.retries = 0;
    policy.repair.on = false;
    policy.breaker.consecutive = 0;
    policy.breaker.rate = 0;
    adviser.ladder = Ladder::new(policy, adviser.ladder.seed);
    Ok(adviser)
}
