//! Starts a confined agent in another terminal: the process that runs there becomes the agent.
//!
//! Must not know: formats, how a call is decided, how a kernel confines.

use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::task::JoinHandle;

use super::confined::{Confined, Served};
use super::start::note;
use crate::agent_process::{Inside, Launch};
use crate::build::AppContext;
use crate::exit::{Code, Failure};
use overrule_base::shell_line::quote;
use overrule_base::text::visible;
use overrule_engine::ids;
use overrule_proxy::alarms::Alarms;
use overrule_proxy::server::Server;
use overrule_sandbox::Running;
use overrule_sandbox::handover::{self, Words};
use overrule_sandbox::session::Planned;
use overrule_tools::child;

/// How long a process that connects may take to say what it is.
const SAYS: Duration = Duration::from_secs(5);
/// The command of that process.
const COMMAND: &str = "confined-agent";

/// The socket at which a process of another terminal becomes the agent. Dropping it removes it, and ends what serves the
/// agents that were started.
pub(super) struct Terminal {
    directory: PathBuf,
    line: String,
    accepting: JoinHandle<()>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.accepting.abort();
        // What is left is empty.
        std::fs::remove_dir_all(&self.directory).unwrap_or_default();
    }
}

impl Terminal {
    /// Opens the socket.
    pub(super) fn open(
        context: &AppContext,
        confined: &Confined,
        launch: &Launch,
        (server, alarms): (&Arc<Server>, &Alarms),
    ) -> Result<Self, Failure> {
        let failed =
            |error: std::io::Error| Failure::new(Code::Other, format!("cannot start the agent: {error}"));
        // The path of a socket is short.
        let directory = std::env::temp_dir().join(format!("overrule-{}", ids::session()));
        overrule_regular_file::make_directories(&directory).map_err(failed)?;
        let socket = directory.join("agent");
        let listener = UnixListener::bind(&socket).map_err(failed)?;
        let Planned {
            confinement,
            variables,
        } = confined.planned.clone();
        let program = confinement.helper.program.to_string_lossy().into_owned();
        let mut words = launch.words(&context.workspace);
        let variables = variables.into_iter().map(|(name, value)| {
            let value = value.to_string_lossy().into_owned();
            (name.to_owned(), value)
        });
        words.environment.extend(variables);
        let line = [&*program, COMMAND, &*socket.to_string_lossy()]
            .map(quote)
            .join(" ");
        let (server, alarms, serves) = (Arc::clone(server), alarms.clone(), confined.serves());
        let context = context.clone();
        let accepting = tokio::spawn(async move {
            let mut served: Vec<Served> = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                let peer = stream.peer_cred().ok().and_then(|peer| peer.pid());
                note(&context, peer.and_then(|pid| u32::try_from(pid).ok()));
                let started = started(stream, words.clone(), confinement.clone());
                match started.await.and_then(|inside| serves.serve(inside, &server)) {
                    Ok(one) => served.push(one),
                    Err(failure) => alarms.raise(&failure.message),
                }
            }
        });
        Ok(Self {
            directory,
            line,
            accepting,
        })
    }

    /// The line for a shell.
    pub(super) fn line(&self) -> &str {
        &self.line
    }
}

/// Makes the process at the other end the agent. Returns the sockets of its sandbox.
async fn started(
    stream: tokio::net::UnixStream,
    words: Words,
    confinement: overrule_sandbox::Confinement,
) -> Result<Inside, Failure> {
    let failed = |why: String| {
        Failure::new(
            Code::Other,
            format!("the agent was not started: {}", visible(&why)),
        )
    };
    let io = |error: std::io::Error| failed(error.to_string());
    let stream = stream.into_std().map_err(io)?;
    stream.set_nonblocking(false).map_err(io)?;
    stream.set_read_timeout(Some(SAYS)).map_err(io)?;
    let answered = tokio::task::spawn_blocking(move || {
        handover::answer(&stream, &words, (&confinement.plan, &confinement.helper))
    });
    let outside = answered.await.map_err(|error| failed(error.to_string()))?;
    let outside = outside.map_err(|error| failed(error.to_string()))?;
    let Running { listeners, .. } = outside
        .started()
        .await
        .map_err(|error| failed(error.to_string()))?;
    Ok(Inside { listeners })
}

/// Becomes the agent for which a proxy waits at this socket. Returns only where that failed.
pub fn become_agent(socket: &Path) -> Result<Code, Failure> {
    let failed = |error: std::io::Error| {
        let words = format!("cannot start the agent: {error}; hint: is its proxy still running?");
        Failure::new(Code::Other, words)
    };
    let stream = UnixStream::connect(socket).map_err(failed)?;
    let mut command = handover::ask(&stream, &AppContext::helper()?).map_err(failed)?;
    drop(stream);
    child::without_files(&mut command);
    Err(failed(command.exec()))
}
