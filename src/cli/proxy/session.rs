//! Builds the session of a conversation of an agent: a new one, or the one that is resumed.
//!
//! Must not know: formats, how a request is read, how a call is decided.

use std::sync::{Arc, Mutex, PoisonError};

use crate::args::Common;
use crate::build::{self, AppContext};
use crate::exit::{Code, Failure};
use crate::opening::{self, Opened};
use crate::operator;
use crate::run::Ready;
use crate::sandbox::Means;
use crate::screen;
use crate::written_here;
use overrule_base::text::visible;
use overrule_config::Origin;
use overrule_domain::event::run::{Limits, Reuse, Started};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::sandbox::Profile;
use overrule_domain::state::State;
use overrule_engine::advise::{Adviser, FileTracking};
use overrule_engine::setup::{ModelSetup, Setup};
use overrule_engine::{Launch, ids, resume};
use overrule_journal::Link;
use overrule_proxy::agents::Agent;
use overrule_proxy::client::Client;
use overrule_proxy::model::AgentModel;
use overrule_proxy::resumed::{self, Belongs, Recorded};
use overrule_proxy::run::Refusals;
use overrule_proxy::server::Opening;
use overrule_proxy::tool;
use overrule_resilience::ladder::Ladder;

/// What the header says where requests pass that cannot be gated.
const PASS_UNKNOWN: &str = "pass-unknown";

/// The session that is resumed, until the conversation asks that it was recorded from.
#[derive(Clone, Default)]
pub struct Resumed(Arc<Mutex<Option<Opened>>>);

impl Resumed {
    /// Opens the session.
    pub fn open(context: &AppContext, id: &str) -> Result<Self, Failure> {
        let place = context.find(id)?;
        if written_here::writer(&context.env, &place) == written_here::Writer::Elsewhere {
            return Err(Failure::new(
                Code::Halted,
                format!(
                    "cannot resume session {}: it is from elsewhere: this program did not write it here; hint: read it \
                     with `overrule replay`, and start a new one",
                    place.id()
                ),
            ));
        }
        let opened = opening::open(context, &place)?;
        Ok(Self(Arc::new(Mutex::new(Some(opened)))))
    }

    /// Recognises its conversation; none where no session is resumed.
    pub fn recognition(&self) -> Option<Belongs> {
        let resumed = self.clone();
        let is_there = self.with(|opened| opened.is_some());
        is_there.then(|| -> Belongs {
            Box::new(move |client, request| {
                resumed.with(|opened| {
                    let state = opened.as_ref().map(|opened| &opened.state);
                    state.is_some_and(|state| is_its(state, client) && resumed::is_of(state, request))
                })
            })
        })
    }

    /// Takes the session for this conversation, if it is the one.
    pub fn take_for(&self, opening: &Opening) -> Option<Opened> {
        self.with(|opened| opened.take_if(|_| opening.resumes))
    }

    /// How its agent was confined; none where no session is resumed.
    pub fn profile(&self) -> Option<Profile> {
        self.with(|opened| opened.as_ref().map(|opened| opened.state.sandbox_profile()))
    }

    /// The id of the session, until its conversation asks.
    pub fn waiting(&self) -> Option<String> {
        self.with(|opened| opened.as_ref().map(|opened| opened.session.clone()))
    }

    fn with<T>(&self, read: impl FnOnce(&mut Option<Opened>) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// True if a program may continue a session: it has the agent and the format with which that was recorded.
fn is_its(state: &State, client: &Client) -> bool {
    let started = state.started.as_ref();
    let setup = started.and_then(|started| Setup::parse(&started.setup).ok());
    match setup.map(|setup| setup.model) {
        Some(ModelSetup::Agent { program, wire, .. }) => Recorded { program, wire }.may_be(client),
        _ => false,
    }
}

/// What the sessions of conversations are built with.
#[derive(Clone)]
pub struct Parts {
    /// True without a screen.
    pub headless: bool,
    /// What the conversations of a confined agent record.
    pub means: Means,
    /// Finds what the sandbox refused a confined agent.
    pub refusals: Option<Refusals>,
    /// The agent that this process starts.
    pub started: Option<&'static Agent>,
    /// True if it was started in the workspace, so that its shell begins there.
    pub begins_in_workspace: bool,
    /// True where requests pass that cannot be gated.
    pub pass_unknown: bool,
}

impl Parts {
    /// The agent of a conversation, if it is a known one.
    pub fn agent_of(&self, client: &Client) -> Option<&'static Agent> {
        client
            .agent()
            .or_else(|| self.started.filter(|agent| client.may_be(agent)))
    }

    /// The program of a conversation. It may be empty, and is untrusted.
    pub fn program_of<'c>(&self, client: &'c Client) -> &'c str {
        self.agent_of(client)
            .map_or(client.program(), |agent| agent.program)
    }

    /// The same settings for the session of a conversation: its commands name its own agent.
    pub fn context_of(&self, context: &AppContext, client: &Client) -> AppContext {
        let mut context = context.clone();
        context.means = if client.is_confined() {
            self.means.clone()
        } else {
            Means::default()
        };
        if let Some(agent) = self.agent_of(client) {
            context.reach.supervise(agent.program);
        }
        context
    }

    /// True if the shell of a conversation's agent begins in the workspace: nobody else knows where an agent began.
    fn is_in_workspace(&self, client: &Client) -> bool {
        self.begins_in_workspace && self.started.is_some_and(|agent| client.may_be(agent))
    }
}

/// A new session.
fn new(context: &AppContext) -> Result<Opened, Failure> {
    let id = ids::session();
    operator::note_beginning_of_agent(&context.env, &id.to_string())?;
    Ok(Opened {
        writer: context.store.create(id)?,
        state: State::default(),
        past: Vec::new(),
        session: id.to_string(),
        notices: Vec::new(),
    })
}

/// Builds the session of a conversation.
pub fn session(
    common: &Common,
    context: &AppContext,
    of: &Parts,
    opening: &Opening,
    resumed: Option<Opened>,
) -> Result<Ready, Failure> {
    let is_resumed = resumed.is_some();
    let opened = match resumed {
        Some(opened) => opened,
        None => new(context)?,
    };
    let Opened {
        writer,
        state,
        past,
        session,
        mut notices,
    } = opened;
    let client = opening.run.client();
    let (name, setup) = setup(context, of, opening, &session);
    let unattended = of.headless && !common.control;
    let mut adviser = adviser(context, &setup, opening, unattended)?;
    adviser.shell.in_workspace = of.is_in_workspace(client);
    adviser.watch = adviser.watch.on(&state);
    adviser.keep_rules(&state.settings.rules);
    adviser.keep_widenings(&state.settings.widenings);
    let tracked = context.tracked(&context.workspace);
    adviser.files = FileTracking::of(tracked.tracker);
    notices.extend(tracked.notice);
    if of.pass_unknown {
        // The header and every digest say so.
        adviser.sandbox = adviser.sandbox.noted(PASS_UNKNOWN);
    }
    if state.started.is_some() {
        if common.policy.is_none() {
            adviser.keep_preset(&state.settings.policy);
        }
        adviser.keep_resilience(&state);
    }
    let model = Arc::new(AgentModel::new(opening.run.clone(), name));
    let turns = &context.settings.limits.turns;
    let started = context.started_by_agent(&adviser, &*model, &setup, "null");
    let started = Started {
        system: opening.request.system_text().into(),
        limits: tool::limits(Limits {
            // The agent knows when it has finished.
            turns: turns.value.filter(|_| turns.origin != Origin::Default),
            ..started.limits
        }),
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
    notices.extend(screen::notices(context, of.headless));
    let note = written_here::note(&context.env, &session);
    let (head, run) = (if is_resumed { writer.head() } else { Link::FIRST }, writer.run());
    let tools = (Arc::clone(&adviser.registry), Arc::clone(&adviser.workspace));
    let (driver, handle) = build::driver(
        state,
        (writer, Some(note)),
        adviser,
        Launch::World(model),
        notices,
    );
    let driver = context.configured(driver);
    let settings = context.clone();
    let fit = Arc::new(move |registry| settings.fitted_to_agent(registry));
    let refusals = of.refusals.clone().filter(|_| client.is_confined());
    opening.run.attach(&session, handle.clone(), (fit, refusals));
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

/// The name of the model for people, and how the session was begun.
fn setup(context: &AppContext, of: &Parts, opening: &Opening, session: &str) -> (String, Setup) {
    let agent = of.agent_of(opening.run.client());
    let model = opening.request.model.as_deref().unwrap_or("model");
    let name = agent.map_or_else(|| opening.wire.name(), |agent| agent.program);
    let name = format!("{name}: {}", visible(model));
    let setup = Setup {
        session: session.to_owned(),
        model: ModelSetup::Agent {
            program: agent.map(|agent| agent.program.to_owned()),
            wire: opening.wire,
            upstream: opening.run.upstream().shown(),
            model: model.to_owned(),
        },
        headless: of.headless,
        task: None,
        policy: context.policy_text(),
        output_schema: None,
        samples: None,
    };
    (name, setup)
}

/// Tools, policy and loop detection of a conversation.
fn adviser(
    context: &AppContext,
    setup: &Setup,
    opening: &Opening,
    unattended: bool,
) -> Result<Adviser, Failure> {
    let registry = context.fitted_to_agent(tool::registry(&opening.request.tools, &opening.run));
    let mut adviser = context.adviser_with(registry, setup, (&context.workspace, unattended))?;
    let policy = adviser.ladder.policy.clone().of_agent(unattended);
    adviser.ladder = Ladder::new(policy, adviser.ladder.seed);
    Ok(adviser)
}
