//! Puts the whole agent of a proxy into a sandbox: what it writes, what it only reads, and what serves it.
//!
//! Must not know: formats, how a call is decided, how a kernel confines.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

use super::Plan;
use super::changed::Watched;
use crate::agent_process::Inside;
use crate::build::AppContext;
use crate::exit::{Code, Failure};
use crate::sandbox::{self, Means};
use overrule_base::text::visible;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile, Refused, RefusedKind};
use overrule_engine::ids;
use overrule_proxy::agents::Agent;
use overrule_proxy::alarms::Alarms;
use overrule_proxy::run::Refusals;
use overrule_proxy::server::Server;
use overrule_sandbox::network::{Hosts, RefusedHosts, Serving, serve};
use overrule_sandbox::session::{Planned, Sandbox};

/// How the agent is confined.
pub(super) struct Confined {
    /// The profile of its sessions.
    pub(super) means: Means,
    /// How it is started.
    pub(super) planned: Planned,
    hosts: Hosts,
    /// The hosts that were refused, of each process of the agent.
    refused: Arc<Mutex<Vec<RefusedHosts>>>,
    watched: Arc<Watched>,
    session: String,
    context: AppContext,
}

/// Prepares the sandbox of the agent, if its user wants one.
pub(super) async fn prepare(plan: &Plan<'_>, at: SocketAddr) -> Result<Option<Confined>, Failure> {
    // The level of the settings is that of own runs.
    let level = plan.common.sandbox.unwrap_or_default();
    if level == Level::Off {
        return Ok(None);
    }
    let Some(agent) = plan.agent else {
        let words = "cannot confine the agent: the proxy does not start one; hint: name it, such as `overrule proxy --sandbox -- \
                     claude`";
        return Err(Failure::new(Code::Usage, words));
    };
    if at.ip() != Ipv4Addr::LOCALHOST {
        let words =
            "cannot confine the agent: it reaches the proxy at 127.0.0.1 only; hint: leave out --listen";
        return Err(Failure::new(Code::Usage, words));
    }
    Confined::prepare(&plan.context, agent, (level, at.port()))
        .await
        .map(Some)
}

/// What serves an agent in a sandbox. Dropping it ends that.
pub(super) struct Served {
    _hosts: Serving,
    model: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.model.abort();
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        sandbox::delete(&self.context, &self.session);
    }
}

impl Confined {
    /// Prepares the sandbox of an agent that reaches the proxy on this port.
    pub(super) async fn prepare(
        context: &AppContext,
        agent: &'static Agent,
        (level, port): (Level, u16),
    ) -> Result<Self, Failure> {
        let mut context = context.clone();
        context.settings.sandbox.level.value = level;
        let home = possible(&context, level)?;
        let session = format!("agent-{}", ids::session());
        let mut request = context.sandbox_request(&session, &context.workspace, level)?;
        request.write.extend(state(agent, &home)?);
        request.show.extend(agent.home.existing_log_in(&home));
        let prepared = Sandbox::prepare(AppContext::helper()?, &request).await;
        let (sandbox, mut profile) = prepared.map_err(|error| sandbox::unprepared(&error))?;
        let refused = refusal(&sandbox, &profile, context.settings.sandbox.required.value);
        if let Some(failure) = refused {
            sandbox.forget();
            return Err(failure);
        }
        keep_terminal(&mut profile);
        let hosts = profile
            .hosts()
            .map_err(|error| Failure::new(Code::Config, error))?;
        let mut planned = sandbox.plan(&profile);
        let plan = &mut planned.confinement.plan;
        plan.keeps_terminal = true;
        plan.port = Some(port);
        let settings = agent.home.existing_settings(&home);
        let settings = settings.iter().filter_map(|path| path.canonicalize().ok());
        let inside = |path: &PathBuf| profile.write.iter().any(|one| path.starts_with(one));
        plan.read_only.extend(settings.filter(inside));
        Ok(Self {
            watched: Arc::new(Watched::now(agent, &home, &context.workspace)),
            refused: Arc::default(),
            means: Means::of_agent(profile),
            planned,
            hosts,
            session,
            context,
        })
    }

    /// Returns what serves the agent.
    pub(super) fn serves(&self) -> Serves {
        Serves {
            hosts: self.hosts.clone(),
            refused: Arc::clone(&self.refused),
        }
    }

    /// Returns what is asked at each result of the agent: the hosts that were refused since. What the agent changed since
    /// raises an alarm.
    pub(super) fn refusals(&self, alarms: &Alarms) -> Refusals {
        let (refused, watched) = (Arc::clone(&self.refused), Arc::clone(&self.watched));
        let alarms = alarms.clone();
        Arc::new(move || {
            let (refused, watched, alarms) = (Arc::clone(&refused), Arc::clone(&watched), alarms.clone());
            Box::pin(async move {
                // It looks at files, which may take its time.
                let news = tokio::task::spawn_blocking(move || watched.news()).await;
                for words in news.unwrap_or_default() {
                    alarms.raise(&words);
                }
                let all = refused.lock().unwrap_or_else(PoisonError::into_inner);
                let hosts = all.iter().flat_map(RefusedHosts::take);
                hosts
                    .map(|host| Refused::exact(RefusedKind::Network, host))
                    .collect()
            })
        })
    }

    /// Says how it is confined.
    pub(super) fn describe(&self) -> String {
        let profile = &self.means.profile;
        let lost: Vec<&str> = profile.missing.iter().map(|one| one.guarantee.loss()).collect();
        match lost.as_slice() {
            [] => profile.label(),
            lost => format!("{}: {}", profile.label(), lost.join("; ")),
        }
    }

    /// Returns what the agent changed of what starts programs later, a sentence each.
    pub(super) fn changed(&self) -> Vec<String> {
        self.watched.changed()
    }
}

/// Serves an agent: the hosts that it may reach.
pub(super) struct Serves {
    hosts: Hosts,
    refused: Arc<Mutex<Vec<RefusedHosts>>>,
}

impl Serves {
    /// Serves the agent on the sockets of its sandbox.
    pub(super) fn serve(&self, inside: Inside, server: &Arc<Server>) -> Result<Served, Failure> {
        let failed = |why: &str| {
            Failure::new(
                Code::Other,
                format!("cannot serve the agent in its sandbox: {why}"),
            )
        };
        let mut listeners = inside.listeners.into_iter();
        let (Some(hosts), Some(model)) = (listeners.next(), listeners.next()) else {
            return Err(failed("it has no sockets"));
        };
        let lost = |error: std::io::Error| failed(&error.to_string());
        model.set_nonblocking(true).map_err(lost)?;
        let model = tokio::net::TcpListener::from_std(model).map_err(lost)?;
        let serving = serve(hosts, self.hosts.clone()).map_err(lost)?;
        let mut all = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(serving.refused_hosts());
        Ok(Served {
            _hosts: serving,
            model: tokio::spawn(Arc::clone(server).serve_confined(model)),
        })
    }
}

/// Returns the home directory, if an agent can be confined with these settings.
fn possible(context: &AppContext, level: Level) -> Result<PathBuf, Failure> {
    let refused = |why: &str| {
        Err(Failure::new(
            Code::Usage,
            format!("cannot confine the agent: {why}"),
        ))
    };
    if level == Level::Scratch {
        return refused("level 2 leaves it no place for its own state; hint: use --sandbox 1");
    }
    if context
        .settings
        .sandbox
        .network
        .value
        .iter()
        .any(|host| host == Profile::ALL_HOSTS)
    {
        return refused(
            "the settings allow every host, so that it could reach its model without the proxy; hint: list the hosts in `network` of [sandbox]",
        );
    }
    match context
        .env
        .home
        .as_ref()
        .and_then(|home| home.canonicalize().ok())
    {
        Some(home) => Ok(home),
        None => refused("it has no home directory; hint: set HOME"),
    }
}

/// Makes what an agent writes of its own state, and returns it.
fn state(agent: &Agent, home: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |path: &Path, error: &std::io::Error| {
        let path = visible(&path.to_string_lossy());
        Failure::new(
            Code::Config,
            format!("cannot make `{path}` for the agent: {error}"),
        )
    };
    let mut all = Vec::new();
    for place in agent.home.directories {
        let path = home.join(place);
        overrule_regular_file::make_directories(&path).map_err(|error| failed(&path, &error))?;
        all.push(path);
    }
    for place in agent.home.present {
        let path = home.join(place);
        overrule_regular_file::make_directories(&path).map_err(|error| failed(&path, &error))?;
    }
    for (place, empty) in agent.home.files {
        let path = home.join(place);
        if !path.exists() {
            sandbox::make_file(&path, empty).map_err(|error| failed(&path, &error))?;
        }
        all.push(path);
    }
    Ok(all)
}

/// Says why an agent is not started with what this machine gives.
fn refusal(sandbox: &Sandbox, profile: &Profile, is_required: bool) -> Option<Failure> {
    if is_required && !profile.missing.is_empty() {
        return Some(sandbox::required(profile));
    }
    if sandbox.machine().namespaces && profile.holds(Guarantee::Network) {
        return None;
    }
    let why = profile.missing.first().map_or("", |one| one.why.as_str());
    let why = format!(
        "cannot confine the agent: it needs a network of its own to reach the proxy, and this machine makes none ({}); hint: \
         overrule doctor, or start it without --sandbox",
        visible(why)
    );
    Some(Failure::new(Code::Config, why))
}

/// The agent keeps its terminal.
fn keep_terminal(profile: &mut Profile) {
    if profile.holds(Guarantee::Terminal) {
        profile.missing.push(Missing {
            guarantee: Guarantee::Terminal,
            why: "the agent keeps its terminal".to_owned(),
        });
    }
}
