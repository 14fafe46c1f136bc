//! The tool source of MCP servers.
//!
//! Must not know: the protocol, how calls are decided.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use tokio::task::JoinHandle;

use super::definition::SOURCE;
use super::names;
use super::server::{OnChange, Server};
use super::tool::McpTool;
use super::view::ServerView;
use crate::sources::{Change, Changes, Context, Source};
use crate::tool::Tool;
use overrule_domain::event::run::ToolCard;

/// How long the start of a run waits for its servers. One that is not ready is offered later.
const START: Duration = Duration::from_secs(10);
/// How long a server may take to end. A child gets two seconds between SIGTERM and SIGKILL.
const STOP: Duration = Duration::from_secs(4);

/// The servers of a process.
#[derive(Default)]
struct Servers {
    all: Mutex<Vec<Arc<Server>>>,
    /// The tools of an earlier process of the run.
    recorded: Mutex<Arc<[ToolCard]>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// Returns the source.
pub fn source() -> Arc<dyn Source> {
    Arc::new(Servers::default())
}

/// The offered tools of a server, each with its name at the server.
struct Offered {
    tool: Arc<dyn Tool>,
    name: String,
}

impl Servers {
    fn all(&self) -> Vec<Arc<Server>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    /// Returns the tools of all servers, in the order of the servers.
    fn offered(&self) -> Vec<Vec<Offered>> {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = Arc::clone(&recorded);
        let mut taken = BTreeSet::new();
        let all = self.all();
        all.iter()
            .map(|server| offered(server, &recorded, &mut taken))
            .collect()
    }
}

/// Returns the tools of one server that can be offered: those of its list, and until it was read those that the run had
/// before. A refused server has none. `taken` has the names that are in use.
fn offered(server: &Arc<Server>, recorded: &[ToolCard], taken: &mut BTreeSet<String>) -> Vec<Offered> {
    if server.is_refused() {
        return Vec::new();
    }
    let Some(live) = server.last() else {
        return known(server, recorded, taken);
    };
    let drift = live.drift();
    let mut found = Vec::new();
    for definition in &live.tools {
        let name = names::offered(&server.config.name, &definition.name, taken);
        if !server.config.offers(&definition.name) {
            continue;
        }
        let Some(schema) = live.schema(definition) else {
            continue;
        };
        let tool = McpTool::new(Arc::clone(server), definition, (&name, schema), drift.clone());
        taken.insert(name);
        found.push(Offered {
            tool: Arc::new(tool),
            name: definition.name.clone(),
        });
    }
    found
}

/// Returns the recorded tools of a server. Their calls wait for it, and are sent if its list still has them.
fn known(server: &Arc<Server>, recorded: &[ToolCard], taken: &mut BTreeSet<String>) -> Vec<Offered> {
    let tools = recorded
        .iter()
        .filter_map(|card| McpTool::recorded(Arc::clone(server), card));
    let mut found = Vec::new();
    for tool in tools {
        let card = &tool.spec().card;
        let name = card.origin.as_ref().map(|origin| origin.tool.to_string());
        let name = name.unwrap_or_default();
        if server.config.offers(&name) && taken.insert(card.name.to_string()) {
            found.push(Offered {
                tool: Arc::new(tool),
                name,
            });
        }
    }
    found
}

impl Source for Servers {
    fn name(&self) -> &'static str {
        SOURCE
    }

    fn connect<'a>(&'a self, context: &'a Context, changes: Changes) -> BoxFuture<'a, Vec<Arc<dyn Tool>>> {
        let servers: Vec<Arc<Server>> = context
            .servers
            .iter()
            .map(|config| {
                let places = (
                    context.workspace.clone(),
                    context.logs.clone(),
                    context.pins.clone(),
                );
                let environment = context.builtin.environment.clone();
                let sandbox = context.sandbox.clone();
                Arc::new(Server::new(config.clone(), environment, places, sandbox))
            })
            .collect();
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&servers);
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = context.recorded.clone().into();
        Box::pin(async move {
            let on_change = on_change(changes);
            let tasks = servers
                .iter()
                .map(|server| tokio::spawn(Arc::clone(server).supervise(Arc::clone(&on_change))));
            self.tasks
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(tasks);
            join_all(servers.iter().map(|server| server.started(START))).await;
            self.tools().unwrap_or_default()
        })
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        let offered = self.offered().into_iter().flatten();
        Some(offered.map(|offered| offered.tool).collect())
    }

    fn servers(&self) -> Vec<ServerView> {
        let view = |(server, offered): (&Arc<Server>, Vec<Offered>)| {
            let names: Vec<(String, String)> = offered
                .into_iter()
                .map(|offered| (offered.name, offered.tool.spec().card.name.to_string()))
                .collect();
            ServerView::new(server, &names)
        };
        self.all().iter().zip(self.offered()).map(view).collect()
    }

    fn accept(&self, server: &str, hash: &str) -> Result<bool, String> {
        let all = self.all();
        let Some(server) = all.iter().find(|one| one.config.name == server) else {
            return Ok(false);
        };
        server.accept(hash).map(|()| true)
    }

    fn refuse(&self, server: &str) -> bool {
        let all = self.all();
        let server = all.iter().find(|one| one.config.name == server);
        server.inspect(|server| server.refuse()).is_some()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            for server in self.all() {
                server.stop();
            }
            let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
            let ended = tasks.into_iter().map(|task| tokio::time::timeout(STOP, task));
            join_all(ended).await;
        })
    }
}

/// Reports each change of a server.
fn on_change(changes: Changes) -> OnChange {
    Arc::new(move |notice| {
        let changes = changes.clone();
        Box::pin(async move {
            let change = notice.map_or(Change::Tools(SOURCE), Change::Notice);
            // An error means that the run has ended.
            changes.send(change).await.unwrap_or_default();
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::child::Environment;
    use crate::sources::mcp::definition::Definition;
    use crate::sources::mcp::server::Phase;
    use crate::sources::mcp::setup::{Confinement, Secrets, ServerConfig, Via};

    #[tokio::test]
    async fn a_server_that_is_refused_while_it_restarts_is_down_and_offers_nothing() {
        let config = ServerConfig {
            name: "docs".into(),
            via: Via::Command {
                program: "/bin/sh".into(),
                args: vec!["-c".into(), "exit 1".into()],
                env: Secrets::new(),
                cwd: None,
            },
            tools: Vec::new(),
            limit: ServerConfig::LIMIT,
            file: "f".into(),
            secrets: Vec::new(),
            written: "docs".into(),
            confinement: Confinement::default(),
        };
        let places = (PathBuf::from("/"), None, None);
        let server = Arc::new(Server::new(config, Environment::default(), places, None));
        let definition = Definition {
            name: "read".into(),
            content: json!({ "inputSchema": { "type": "object" } }),
        };
        let recorded = [definition
            .spec(("docs__read", &json!({})), &server.config, None)
            .card];
        let offers = || offered(&server, &recorded, &mut BTreeSet::new()).len();
        assert_eq!(offers(), 1, "a resumed run has its tools until it is up");
        let changes: OnChange = Arc::new(|_| Box::pin(async {}));
        let ends = tokio::spawn(Arc::clone(&server).supervise(changes));
        server.why_down(Duration::from_secs(10)).await.unwrap();
        assert!(matches!(server.phase(), Phase::Down { again: true, .. }));
        server.refuse();
        ends.await.unwrap();
        let Phase::Down { why, again } = server.phase() else {
            panic!("it is not down")
        };
        assert_eq!((why.as_str(), again), ("refused by the operator", false));
        assert_eq!(offers(), 0);
        assert!(ServerView::new(&server, &[]).tools.is_empty());
    }
}
