//! Where tools come from: the program itself, the settings, MCP servers.
//!
//! Must not know: any particular tool, scheduling, approvals, the model.

pub mod builtin;
mod connected;
pub mod declared;
pub mod mcp;
pub mod recorded;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::tool::Tool;
pub use connected::Connected;
use overrule_domain::event::run::ToolCard;

/// What the sources need to know.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// What the built-in tools depend on; also the environment of every child process.
    pub builtin: builtin::Setup,
    /// The tools that the settings declare.
    pub declared: Vec<declared::Declaration>,
    /// The MCP servers.
    pub servers: Vec<mcp::ServerConfig>,
    /// The sandbox of the run, for the servers that are to be confined; none where it has none.
    pub sandbox: Option<mcp::OfRun>,
    /// The directory that the tools work in.
    pub workspace: PathBuf,
    /// Where the standard error of servers goes; `None` keeps only its end, in memory.
    pub logs: Option<PathBuf>,
    /// The file of accepted definitions; `None` accepts all.
    pub pins: Option<PathBuf>,
    /// The tools that an earlier process of the run recorded; empty for a new run.
    pub recorded: Vec<ToolCard>,
}

/// What a source reports after it was connected.
pub enum Change {
    /// The source of this name has other [tools](Source::tools) than before.
    Tools(&'static str),
    /// A notice for the operator.
    Notice(String),
}

/// The way for a source to report changes. It is bounded: a source waits while it is full.
pub type Changes = mpsc::Sender<Change>;

/// Where tools come from.
pub trait Source: Send + Sync {
    /// Returns its name.
    fn name(&self) -> &'static str;

    /// Returns its tools. A tool that is not ready in time is reported later.
    fn connect<'a>(&'a self, context: &'a Context, changes: Changes) -> BoxFuture<'a, Vec<Arc<dyn Tool>>>;

    /// Returns its present tools; `None` if they never change.
    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        None
    }

    /// Describes its servers, if it has any.
    fn servers(&self) -> Vec<mcp::ServerView> {
        Vec::new()
    }

    /// Accepts the definitions of a server that have this hash. Returns false if it has no such server; the error says
    /// why they were not accepted.
    fn accept(&self, _server: &str, _hash: &str) -> Result<bool, String> {
        Ok(false)
    }

    /// Ends a server for good. Returns false if it has no such server.
    fn refuse(&self, _server: &str) -> bool {
        false
    }

    /// Ends everything that it started.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// All sources, in the order in which their tools are offered.
pub const SOURCES: [fn() -> Arc<dyn Source>; 3] = [builtin::source, declared::source, mcp::source];
