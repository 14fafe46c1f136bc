//! Supervises an agent that another program runs (`overrule proxy`).
//!
//! Must not know: formats, how a request is read, how a call is decided.

mod changed;
mod confined;
mod session;
mod start;
mod terminal;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot, watch};

use self::confined::Confined;
use self::session::{Parts, Resumed, session};
use self::start::start_agent;
pub use self::terminal::become_agent;
use super::agent_process::{self as process, Launch, Started};
use super::args::{self, Common, Window};
use super::build::AppContext;
use super::conversations::Conversations;
use super::escalate::{self, Caller};
use super::exit::{Code, Failure};
use super::operator;
use super::run::{self, Guest, Ready};
use super::signals::{self, StopRequest};
use super::why_ended::End;
use super::{alarms, control, headless, live, models, print, sandbox};
use overrule_base::text::visible;
use overrule_domain::sandbox::Profile;
use overrule_proxy::address::Token;
use overrule_proxy::agents::{self, AGENTS, Agent};
use overrule_proxy::alarms::{Alarm, Alarms};
use overrule_proxy::client::Client;
use overrule_proxy::run::AgentRun;
use overrule_proxy::server::{self, Opening, Server};
use overrule_proxy::sub_agent;
use overrule_proxy::upstream::leads_to;
use overrule_proxy::upstreams::Upstreams;

/// How long an agent may take until its first request.
const FIRST: Duration = Duration::from_secs(20);
/// Alarms of an agent that sends nothing to be decided about.
const NO_REQUEST: &str =
    "no request of the agent arrived within 20 s: it may talk to its model without the proxy";
const NO_TOOLS: &str = "the agent is connected, but has sent nothing with tools within 20 s";
/// The variable with a token, for an agent that must find the proxy again after a restart.
const TOKEN: &str = "OVERRULE_PROXY_TOKEN";

/// What a proxy needs to know.
struct Plan<'a> {
    common: &'a Common,
    args: &'a args::Proxy,
    context: AppContext,
    agent: Option<&'static Agent>,
    upstreams: Arc<Upstreams>,
    headless: bool,
}

impl Plan<'_> {
    fn parts(&self, confined: Option<&Confined>, alarms: &Alarms) -> Parts {
        Parts {
            means: confined.map(|one| one.means.clone()).unwrap_or_default(),
            refusals: confined.map(|one| one.refusals(alarms)),
            headless: self.headless,
            started: self.agent,
            begins_in_workspace: !self.args.agent.iter().skip(1).any(|word| names_directory(word)),
            pass_unknown: self.args.pass_unknown,
        }
    }
}

/// True for an argument of an agent that may make it work in another directory: `-C DIR`, `--cd=DIR`, `DIR`.
fn names_directory(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let attached = value.strip_prefix("-C").filter(|value| !value.is_empty());
    std::path::Path::new(attached.unwrap_or(value)).is_dir()
}

/// Supervises an agent.
pub fn proxy(common: &Common, args: &args::Proxy) -> Result<Code, Failure> {
    if let Some(program) = &args.print {
        known(std::slice::from_ref(program))?;
        print::out(&Launch::function(program, &flags(common, args)));
        return Ok(Code::Ok);
    }
    let mut context = AppContext::read(common)?;
    live::check(&context)?;
    let agent = known(&args.agent)?;
    context.reach.supervise(program_of(agent));
    context.reach.add_upstreams(&args.upstream);
    let leads_here = |url: &str| args.listen.is_some_and(|at| leads_to(url, at));
    let of_format = |text: &str| leads_here(text.split_once('=').map_or(text, |(_, url)| url));
    if args.upstream.iter().any(|text| of_format(text)) {
        return Err(Failure::new(
            Code::Usage,
            "cannot use the upstream: it is the address of this proxy; hint: name that of the model",
        ));
    }
    // A shell for agents names this proxy.
    let variable = |name: &str| process::variable(&context, name).filter(|url| !leads_here(url));
    let upstreams = Upstreams::new(
        &args.upstream,
        agent,
        variable,
        &models::authorities(&context.settings)?,
    );
    let upstreams = upstreams.map_err(|error| Failure::new(Code::Config, error))?;
    let plan = Plan {
        common,
        args,
        context,
        agent,
        upstreams: Arc::new(upstreams),
        headless: run::is_headless(common),
    };
    let runtime = run::runtime()?;
    let result = runtime.block_on(serve(&plan));
    end(runtime);
    plan.context.collect(false);
    result
}

fn end(runtime: Runtime) {
    runtime.shutdown_timeout(Duration::from_millis(200));
}

/// The program of an agent in a command for the operator.
fn program_of(agent: Option<&'static Agent>) -> &'static str {
    agent.map_or("AGENT", |agent| agent.program)
}

/// The flags of a proxy that is started later in the same way.
fn flags(common: &Common, args: &args::Proxy) -> Vec<String> {
    let window = (args.window == Window::Tmux).then_some("tmux");
    let policy = common.policy.as_deref().map(|policy| ("--policy", policy));
    let upstreams = args.upstream.iter().map(|one| ("--upstream", one.as_str()));
    let window = window.map(|window| ("--window", window));
    let values = policy.into_iter().chain(upstreams).chain(window);
    let values = values.map(|(flag, value)| [flag, value]);
    let level = common
        .sandbox
        .map(|level| format!("--sandbox={}", level.number()));
    let set = [
        ("--headless", common.headless),
        ("--control", common.control),
        ("--keep-prompts", args.keep_prompts),
        ("--pass-unknown", args.pass_unknown),
    ];
    let set = set
        .into_iter()
        .filter_map(|(flag, is_set)| is_set.then_some(flag));
    let all = values.flatten().chain(set).map(str::to_owned);
    all.chain(level).collect()
}

/// The known agent of a program.
fn known(words: &[String]) -> Result<Option<&'static Agent>, Failure> {
    let Some(program) = words.first() else {
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

/// Notes the process at the other end of each connection: the agent, which does not decide on its own calls.
fn recognised(context: &AppContext) -> server::Connected {
    let agents = context.agents.clone();
    Arc::new(move |from, to| {
        if let Err(error) = agents.connected(from, to) {
            tracing::warn!(%error, "the agent is not noted for other processes");
        }
    })
}

/// The word without which nothing is served.
fn token(context: &AppContext) -> Result<Token, Failure> {
    let Some(text) = process::variable(context, TOKEN) else {
        return Ok(Token::random());
    };
    Token::given(&text).ok_or_else(|| {
        let words = format!("cannot use {TOKEN}: write at least 16 letters, digits, `-` and `_`");
        Failure::new(Code::Config, words)
    })
}

/// Opens the socket that agents connect to.
async fn listening(plan: &Plan<'_>) -> Result<(TcpListener, SocketAddr), Failure> {
    let address = plan
        .args
        .listen
        .unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let config = |error: overrule_proxy::Error| Failure::new(Code::Config, error);
    let listener = server::listen(address).await.map_err(config)?;
    let at = listener
        .local_addr()
        .map_err(|error| Failure::new(Code::Config, format!("cannot listen on {address}: {error}")))?;
    Ok((listener, at))
}

async fn serve(plan: &Plan<'_>) -> Result<Code, Failure> {
    let (listener, at) = listening(plan).await?;
    let token = token(&plan.context)?;
    let resumed = match plan.args.resume.as_deref() {
        Some(id) => {
            operator::may_decide(&plan.context.env, &plan.context.find(id)?.id(), "continue")?;
            Resumed::open(&plan.context, id)?
        }
        None => Resumed::default(),
    };
    let (openings, mut opened) = mpsc::channel(8);
    let alarms = Alarms::default();
    let printing = tokio::spawn(alarms::print(alarms.clone()));
    let setup = server::Setup {
        token,
        upstreams: plan.upstreams.clone(),
        openings,
        begin: AgentRun::new,
        resumed: resumed.recognition(),
        connected: Some(recognised(&plan.context)),
        alarms: alarms.clone(),
        pass_unknown: plan.args.pass_unknown,
    };
    let server = Server::new(setup, at);
    let serving = tokio::spawn(server.clone().serve(listener));
    let mut signals = signals::listen()?;
    let confined = confined::prepare(plan, at).await?;
    if let (None, Some(had)) = (plan.common.sandbox, resumed.profile()) {
        sandbox::accept(&had, &Profile::default(), plan.headless)?;
    }
    let (mut agent, asks, _served) = start_agent(plan, (&server, &alarms), confined.as_ref()).await?;
    let first = tokio::select! {
        first = first_request(&mut opened, server.requests(), &alarms) => first,
        ended = agent.ended() => {
            return Err(without_request(&ended, &alarms));
        }
        StopRequest::Stop(code) | StopRequest::StopNow(code) = signals.next() => return Ok(code),
    };
    let Some(first) = first else {
        return Err(Failure::new(Code::Other, "the proxy failed"));
    };
    drop(signals);
    let parts = plan.parts(confined.as_ref(), &alarms);
    let client = first.run.client().clone();
    let context = parts.context_of(&plan.context, &client);
    let of_first = resumed.take_for(&first);
    let mut ready = session(plan.common, &context, &parts, &first, of_first)?;
    if let Some(asks) = asks.filter(|_| !plan.headless) {
        ready.handle.notice(asks);
    }
    if let Some(session) = resumed.waiting() {
        let program = named(&parts, &client);
        let words =
            format!("{program} began another conversation: session {session} continues once its own asks");
        ready.handle.notice(words);
    }
    let conversations = Conversations::new();
    conversations.add(&ready, parts.program_of(&client), first.run.status());
    // Other programs' runs do not end with it.
    let own = plan
        .agent
        .map_or(parts.program_of(&client), |agent| agent.program);
    let own: Arc<str> = own.into();
    let beside = tokio::spawn(serve_beside(
        (plan.common.clone(), plan.context.clone()),
        (parts, resumed),
        opened,
        (ready.handle.clone(), client, conversations.clone()),
    ));
    if plan.common.keep_wire || plan.context.settings.keep_replies.value {
        let place = plan.context.store.find(&ready.session)?;
        ready.driver = ready.driver.listened_to(run::taps(&place, plan.common.keep_wire));
    }
    ready.door = control::open(plan.common, &context, &ready, None)?;
    let result = if plan.headless {
        ready.guest = Some(guest(agent, conversations, own));
        Box::pin(headless::serve(plan.common, &context, ready)).await
    } else {
        tokio::spawn(tell_end(agent, ready.handle.clone(), (server, own.clone())));
        printing.abort();
        let proxied = live::Proxied {
            conversations: conversations.clone(),
            alarms,
        };
        let shown = Box::pin(live::serve(&context, ready, None, Some(proxied))).await;
        for (session, program) in conversations.of_others(&own) {
            tell_other(&plan.context, &session, &program);
        }
        shown
    };
    printing.abort();
    beside.abort();
    serving.abort();
    for line in confined.iter().flat_map(Confined::changed) {
        print::err(&format!("notice: {line}"));
    }
    result
}

/// The agent with which a run without a screen ends, once no run of another agent is under way.
fn guest(mut agent: Started, conversations: Conversations, own: Arc<str>) -> Guest {
    let (gone, ended) = oneshot::channel();
    let (others, program) = (conversations.clone(), own.clone());
    tokio::spawn(async move {
        let end = agent.ended().await;
        if others.others_work(&program) {
            print::err(
                "the agent ended; the proxy ends with the work of the other agents (ctrl-c ends it now)",
            );
            others.others_rest(&program).await;
        }
        // An error means that the run has ended.
        gone.send(end).unwrap_or_default();
    });
    let others_rest = Box::pin(async move { conversations.others_rest(&own).await });
    Guest { ended, others_rest }
}

/// Tells on the screen that the agent ended.
async fn tell_end(
    mut agent: Started,
    handle: overrule_engine::Handle,
    (server, program): (Arc<Server>, Arc<str>),
) {
    let end = agent.ended().await;
    server.note_agent_ended(&program).await;
    let how = match &*end.why {
        "" => "the agent ended".to_owned(),
        why => why.to_owned(),
    };
    handle.notice(format!("{how}; the session stays open for you"));
}

/// Tells how to continue the session of another agent.
fn tell_other(context: &AppContext, session: &str, program: &str) {
    let Some(agent) = agents::named(program) else {
        return;
    };
    let mut context = context.clone();
    context.reach.supervise(agent.program);
    let address = context.address(session);
    print::err(&format!(
        "session {session} of {program}; to continue: {}",
        address.to_continue()
    ));
}

/// Why nothing was recorded: the agent ended before its first conversation.
fn without_request(ended: &End, alarms: &Alarms) -> Failure {
    let refused = alarms.all();
    let refused = refused
        .iter()
        .rfind(|alarm| &*alarm.words != NO_REQUEST && &*alarm.words != NO_TOOLS);
    // An agent may report success although nothing was answered.
    let code = match ended.code {
        Code::Ok => Code::Other,
        code => code,
    };
    let mut words = "the agent ended without a request to its model that could be decided about".to_owned();
    for more in [refused.map(Alarm::describe), Some(ended.why.clone())]
        .into_iter()
        .flatten()
    {
        if !more.is_empty() {
            words = format!("{words}; {more}");
        }
    }
    Failure::new(code, words)
}

/// Waits for the first conversation, and raises an alarm if nothing comes. The alarm is withdrawn if something does.
async fn first_request(
    opened: &mut mpsc::Receiver<Opening>,
    mut requests: watch::Receiver<u64>,
    alarms: &Alarms,
) -> Option<Opening> {
    let mut opening = std::pin::pin!(opened.recv());
    tokio::select! {
        first = &mut opening => return first,
        () = tokio::time::sleep(FIRST) => {}
    }
    if *requests.borrow() == 0 {
        alarms.raise(NO_REQUEST);
        tokio::select! {
            // An error means that the server is gone.
            _ = requests.wait_for(|count| *count > 0) => alarms.take_back(NO_REQUEST),
            first = &mut opening => {
                alarms.take_back(NO_REQUEST);
                return first;
            }
        }
        tokio::select! {
            first = &mut opening => return first,
            () = tokio::time::sleep(FIRST) => {}
        }
    }
    alarms.raise(NO_TOOLS);
    let first = opening.await;
    alarms.take_back(NO_TOOLS);
    first
}

/// Gives every conversation other than the first one a session of its own. The same policy decides in it, and the
/// operator decides on the same screen, or by commands if they are allowed.
async fn serve_beside(
    (common, context): (Common, AppContext),
    (of, resumed): (Parts, Resumed),
    mut opened: mpsc::Receiver<Opening>,
    (first, of_first, conversations): (overrule_engine::Handle, Client, Conversations),
) {
    let mut programs = BTreeSet::from([of_first.program().to_owned()]);
    while let Some(opening) = opened.recv().await {
        let client = opening.run.client();
        let context = of.context_of(&context, client);
        let built =
            session(&common, &context, &of, &opening, resumed.take_for(&opening)).and_then(|mut ready| {
                ready.door = control::open(&common, &context, &ready, None)?;
                Ok(ready)
            });
        match built {
            Ok(ready) => {
                let address = context.address(&ready.session);
                let is_new = programs.insert(client.program().to_owned());
                let who = match of.agent_of(client) {
                    None if is_new => "another agent",
                    _ => named(&of, client),
                };
                let what = format!("{who} {}", began(&opening, is_new));
                first.notice(if common.control {
                    format!("{what}: `overrule queue {address}` lists its calls")
                } else {
                    what
                });
                conversations.add(&ready, of.program_of(client), opening.run.status());
                if let Some(parent) = opening.parent.clone() {
                    // The parent may wait for its own session.
                    tokio::spawn(sub_agent::link(parent, opening.run.clone()));
                }
                let caller = Caller::of(&context, &ready.session);
                let calls = escalate::follow(caller, ready.handle.clone(), ready.handle.subscribe());
                let calls = tokio::spawn(calls);
                let Ready {
                    driver, first, door, ..
                } = ready;
                tokio::spawn(async move {
                    let _open = door;
                    Box::pin(driver.run(first)).await;
                    calls.abort();
                });
            }
            Err(failure) => {
                opening.run.end();
                let why = &failure.message;
                first.notice(format!(
                    "a conversation of {} is refused, as it cannot be recorded: {why}",
                    named(&of, client)
                ));
            }
        }
    }
}

/// The agent of a conversation in a sentence.
fn named(of: &Parts, client: &Client) -> &'static str {
    of.agent_of(client).map_or("the agent", |agent| agent.program)
}

/// Says which conversation began. `is_new` is true for the first one of its program.
fn began(opening: &Opening, is_new: bool) -> &'static str {
    match &opening.parent {
        _ if opening.resumes => "continues the session that is resumed",
        Some(_) => "began a sub-agent, which has a session of its own",
        None if is_new => "began a conversation, which has a session of its own",
        None => "began another conversation, which has a session of its own",
    }
}
