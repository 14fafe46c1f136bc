//! Connects the tools of a run and passes on their changes.
//!
//! Must not know: what any tool does, how calls are decided.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;

use super::build::AppContext;
use super::exit::Failure;
use super::sandbox::Means;
use super::{demos, print};
use overrule_base::text::visible;
use overrule_config::OWN;
use overrule_config::tools::Mark;
use overrule_console::run::link::{ServerOrder, ServerState, ServerTool};
use overrule_control::protocol::{Definitions, ServerRequest};
use overrule_control::{ServerAsk, Servers};
use overrule_domain::event::run::ToolCard;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_engine::Handle;
use overrule_engine::advise::Adviser;
use overrule_engine::handle::Toolbox;
use overrule_engine::setup::{ModelSetup, Setup};
use overrule_tools::child::Environment;
use overrule_tools::registry::Registry;
use overrule_tools::sources::mcp::ServerView;
use overrule_tools::sources::{self, Connected, declared, recorded};
use overrule_tools::{Tool, builtin, sample};

/// How long the end of a run waits for its servers.
const END: Duration = Duration::from_secs(5);

/// Maximum number of waiting orders.
const ORDERS: usize = 16;
/// How often the logs of the servers are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Directory of the servers' logs within a session.
const LOGS: &str = "servers";

/// The connected tools of a run.
pub struct RunTools {
    /// The sources.
    sources: Connected,
    /// The sample tools of a built-in run.
    samples: Vec<Arc<dyn Tool>>,
}

impl RunTools {
    /// Returns all tools, in their order.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = self.sources.tools();
        tools.extend(self.samples.iter().cloned());
        tools
    }

    /// Describes the MCP servers.
    pub fn servers(&self) -> Vec<ServerView> {
        self.sources.servers()
    }

    /// Ends what the sources started.
    pub async fn close(&self) {
        self.sources.close().await;
    }

    /// Waits for the next change of a server. Returns its notice; for `None`, its state or tools changed.
    pub async fn changed(&mut self) -> Option<String> {
        self.sources.changed().await
    }

    /// Returns the notices of servers that are not ready.
    pub fn notices(&mut self) -> Vec<String> {
        self.sources.settle()
    }
}

impl AppContext {
    /// Returns what the sources of tools need; without a run, everything. A built-in run as it is shipped has the program's own tools only.
    fn sources(&self, setup: Option<&Setup>, workspace: &Path) -> sources::Context {
        let own_only = setup.is_some_and(demos::is_built_in);
        let logs = setup.map(|setup| self.store.dir().join(&setup.session).join(LOGS));
        sources::Context {
            builtin: self.builtin_setup(setup),
            declared: if own_only {
                Vec::new()
            } else {
                self.settings.declared.clone()
            },
            servers: if own_only {
                Vec::new()
            } else {
                self.settings.servers.clone()
            },
            sandbox: self.means.of_run(),
            workspace: workspace.to_owned(),
            logs,
            pins: self.pins(),
            recorded: Vec::new(),
        }
    }

    /// Returns the directory of accepted definitions.
    pub fn pins(&self) -> Option<PathBuf> {
        Some(self.env.state_dir.as_ref()?.join(OWN).join("pins"))
    }

    /// Returns what the built-in tools depend on.
    fn builtin_setup(&self, setup: Option<&Setup>) -> builtin::Setup {
        builtin::Setup {
            environment: Environment::allowed(self.env.all.0.iter().cloned()),
            // The schema is given once, in the system text, and checked once, on the whole answer.
            answer: setup
                .is_some_and(|setup| setup.output_schema.is_some())
                .then(|| serde_json::json!({ "description": "The JSON that fits the output schema." })),
            // A sample server is on this machine, where no proxy reaches it.
            proxy: setup.is_none_or(|setup| setup.samples.is_none()),
        }
    }

    /// Connects the tools of a run. `recorded` are those that an earlier process of it had.
    pub async fn connect(&self, setup: Option<&Setup>, workspace: &Path, recorded: &[ToolCard]) -> RunTools {
        let context = sources::Context {
            recorded: recorded.to_vec(),
            ..self.sources(setup, workspace)
        };
        let names: Vec<String> = context
            .servers
            .iter()
            .map(|server| visible(&server.name))
            .collect();
        if !names.is_empty() {
            print::err(&format!("starting MCP servers: {}", names.join(", ")));
        }
        RunTools {
            sources: Connected::open(&context).await,
            samples: setup.map_or_else(Vec::new, samples),
        }
    }

    /// Returns the tools of a stored session, for decisions only. Starts nothing. A declared tool that the settings still
    /// have knows which files it would run.
    pub fn recorded_tools(
        &self,
        setup: &Setup,
        workspace: &Path,
        cards: &[ToolCard],
    ) -> Result<Registry, Failure> {
        let recorded = recorded::tools(cards);
        if matches!(setup.model, ModelSetup::Agent { .. }) {
            return Ok(self.fitted_to_agent(Registry::new(recorded)?));
        }
        let mut tools = builtin::all(&self.builtin_setup(Some(setup)));
        let declared = declared::tools(&self.sources(Some(setup), workspace));
        for tool in recorded {
            let mut same = declared
                .iter()
                .filter(|one| one.spec().card.name == tool.spec().card.name);
            tools.push(same.next().cloned().unwrap_or(tool));
        }
        tools.extend(samples(setup));
        self.registry(tools)
    }

    /// Builds the registry of these tools, with the classes, tags and pauses of the settings.
    pub fn registry(&self, tools: Vec<Arc<dyn Tool>>) -> Result<Registry, Failure> {
        let Means { profile, sandbox, .. } = &self.means;
        let mut registry = Registry::new(tools)?
            .keeping_out_of(self.private.iter().cloned())
            .confining(profile, sandbox.clone());
        let offered: Vec<String> = registry.names().map(str::to_owned).collect();
        let offered: Vec<&str> = offered.iter().map(String::as_str).collect();
        set(&mut registry, self.settings.tags.fit(offered)?);
        Ok(registry)
    }

    /// Checks what the settings say of these tools, as the start of a run does. Returns the registry.
    pub fn checked(&self, tools: Vec<Arc<dyn Tool>>) -> Result<Registry, Failure> {
        let registry = self.registry(tools)?;
        self.settings.templates.fit(&mut registry.cards())?;
        Ok(registry)
    }

    /// Gives the tools of another program's agent the classes, tags and pauses of the settings. What the settings say of
    /// other tools does not count.
    pub fn fitted_to_agent(&self, registry: Registry) -> Registry {
        let mut registry = registry.keeping_out_of(self.private.iter().cloned());
        let offered: Vec<String> = registry.names().map(str::to_owned).collect();
        set(&mut registry, self.settings.tags.among(&offered));
        registry
    }

    /// Returns the tools with their cards, as a running process replaces them.
    fn toolbox(&self, tools: Vec<Arc<dyn Tool>>) -> Result<Toolbox, Failure> {
        let registry = Arc::new(self.registry(tools)?);
        let mut cards = Adviser::cards_of(&registry);
        self.settings.templates.fit(&mut cards)?;
        Ok(Toolbox { registry, cards })
    }
}

fn set(registry: &mut Registry, marks: Vec<(&str, Mark)>) {
    for (tool, mark) in marks {
        match mark {
            Mark::Tag(tag) => registry.tag(tool, tag),
            Mark::Pause(ms) => registry.pause(tool, ms),
            Mark::Effect(effect) => registry.set_effect(tool, effect),
        }
    }
}

fn samples(setup: &Setup) -> Vec<Arc<dyn Tool>> {
    setup
        .samples
        .as_ref()
        .map_or_else(Vec::new, |samples| sample::of(&samples.run))
}

/// What a console sees of the servers of a run, and how it orders something about them.
#[derive(Clone)]
pub struct ServerPanel {
    /// The newest states.
    pub states: watch::Receiver<Arc<[ServerState]>>,
    /// Orders about servers.
    pub orders: mpsc::Sender<ServerOrder>,
}

/// Passes the changes of tools on to a run until it is ended.
pub struct Following {
    end: Arc<Notify>,
    task: JoinHandle<()>,
    panel: ServerPanel,
    servers: Servers,
}

impl Following {
    /// Begins. Runs on the current runtime.
    pub fn new(context: &AppContext, mut tools: RunTools, handle: Handle) -> Self {
        let end = Arc::new(Notify::new());
        let (asked, context) = (Arc::clone(&end), context.clone());
        let (shown, states) = watch::channel(states(&tools));
        let (orders, mut ordered) = mpsc::channel(ORDERS);
        let (servers, mut asks) = mpsc::channel(ORDERS);
        let task = tokio::spawn(async move {
            loop {
                let change = tokio::select! {
                    () = asked.notified() => break,
                    change = tools.sources.changed() => change,
                    Some(order) = ordered.recv() => {
                        let failed = obey(&tools, &order).err();
                        let Some(why) = failed else { continue };
                        Some(format!("MCP server: {why}"))
                    }
                    Some(ask) = asks.recv() => {
                        let Some(notice) = answer(&tools, ask) else { continue };
                        Some(notice)
                    }
                    () = tokio::time::sleep(LOOK) => {
                        show(&shown, &tools);
                        continue;
                    }
                };
                show(&shown, &tools);
                match change {
                    Some(notice) => handle.notice(notice),
                    None => match context.toolbox(tools.tools()) {
                        Ok(toolbox) => handle.tools(toolbox).await,
                        Err(failure) => handle.notice(format!("the tools stay as they are: {failure}")),
                    },
                }
            }
            tools.sources.close().await;
        });
        let panel = ServerPanel { states, orders };
        Self {
            end,
            task,
            panel,
            servers,
        }
    }

    /// Returns the way for other processes of the operator to ask about servers.
    pub fn servers(&self) -> Servers {
        self.servers.clone()
    }

    /// Returns what a console needs.
    pub fn panel(&self) -> ServerPanel {
        self.panel.clone()
    }

    /// Ends what the tools started.
    pub async fn end(self) {
        self.end.notify_one();
        // What is left is killed when the program ends.
        let _ = tokio::time::timeout(END, self.task).await;
    }
}

/// Passes the states of the servers on, if one changed.
fn show(shown: &watch::Sender<Arc<[ServerState]>>, tools: &RunTools) {
    let now = states(tools);
    shown.send_if_modified(|before| {
        let is_other = **before != *now;
        *before = now;
        is_other
    });
}

fn states(tools: &RunTools) -> Arc<[ServerState]> {
    let servers = tools.servers();
    servers.into_iter().map(state).collect()
}

fn state(server: ServerView) -> ServerState {
    let about = server.facts().join(", ");
    let tools = server.tools.into_iter().map(|tool| ServerTool {
        name: tool.name,
        offered: tool.offered.map(Arc::from),
        pin: tool.pin,
        tokens: tool.tokens,
    });
    ServerState {
        name: server.name,
        state: server.state,
        why: server.why,
        confined: server.confined,
        about,
        hash: server.hash,
        drift: server.drift,
        difference: server.difference,
        tools: tools.collect(),
        log: server.lines,
        log_file: server.log.map(|path| path.to_string_lossy().into_owned()),
    }
}

fn obey(tools: &RunTools, order: &ServerOrder) -> Result<(), String> {
    match order {
        ServerOrder::Accept { server, hash } => tools.sources.accept(server, hash),
        ServerOrder::Refuse { server } => tools.sources.refuse(server),
    }
}

/// Answers a request of another process. Returns the notice about what was done.
fn answer(tools: &RunTools, ask: ServerAsk) -> Option<String> {
    let order = match ask.request {
        ServerRequest::Show { server } => {
            let shown = definitions(tools, &server).map(Some);
            // The process that asked may be gone.
            let _ = ask.answer.send(shown);
            return None;
        }
        ServerRequest::Accept { server, hash } => ServerOrder::Accept { server, hash },
        ServerRequest::Refuse { server } => ServerOrder::Refuse { server },
    };
    let done = obey(tools, &order);
    let notice = done.is_ok().then(|| {
        let (done, server) = match &order {
            ServerOrder::Accept { server, .. } => ("accepted its changed definitions", server),
            ServerOrder::Refuse { server } => ("refused it until the run is resumed", server),
        };
        format!("MCP server {}: {} {done}", visible(server), ask.actor)
    });
    let refused = |why| Refusal::new(RefusalKind::Changed, why);
    let _ = ask.answer.send(done.map(|()| None).map_err(refused));
    notice
}

/// The definitions of a server, next to the accepted ones.
fn definitions(tools: &RunTools, name: &str) -> Result<Definitions, Refusal> {
    let refused = |why: &str| Refusal::new(RefusalKind::Unknown, why);
    let servers = tools.servers();
    let server = servers.iter().find(|server| server.name == visible(name));
    let server = server.ok_or_else(|| refused("the run has no such server"))?;
    let hash = server.hash.clone();
    let hash = hash.ok_or_else(|| refused("its definitions were not read yet"))?;
    let whole = server.difference.as_deref();
    if whole.is_none() && !server.drift.is_empty() {
        return Err(refused(
            "the difference is too long for a page; end the run and use `overrule tools accept` without --run",
        ));
    }
    let difference = whole.unwrap_or_default().to_owned();
    Ok(Definitions { hash, difference })
}
