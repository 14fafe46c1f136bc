//! Starts a server as a child process and ends it with all its descendants.
//!
//! Must not know: the protocol.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use super::confined::Confined;
use super::log::{self, ServerLog};
use super::reader::Reader;
use super::setup::Secrets;
use super::transport::{Closed, Lines};
use crate::child::{self, Environment, Start, Started, Tree};
use overrule_base::text::visible;
use overrule_sandbox::network::{RefusedHosts, Serving, serve};

/// A running server process. Dropping it kills the process and its descendants.
pub(super) struct Process {
    child: Child,
    tree: Tree,
    /// Copies its standard error to the log.
    copying: JoinHandle<()>,
    /// Serves the hosts that a confined one may reach, as long as it lives.
    serving: Option<Serving>,
}

/// Starts a server, confined where a plan says how. The error says why it could not be started.
pub(super) async fn start(
    (program, args): (&str, &[String]),
    env: &Secrets,
    (cwd, environment, confined): (&Path, &Environment, Option<Confined>),
    log: Arc<ServerLog>,
    (reader, closed): (Arc<Reader>, Closed),
) -> Result<(Process, Lines<BufReader<ChildStdout>, ChildStdin>), String> {
    let own = env
        .iter()
        .map(|(name, value)| (name.into(), value.expose_secret().into()));
    let private = confined.iter().flat_map(|one| &one.planned.variables);
    let private = private.map(|(name, value)| ((*name).into(), value.clone().into_os_string()));
    let environment = environment.clone().with(private).with(own);
    let what = Start {
        program: OsStr::new(program),
        args,
        cwd,
        environment: &environment,
        confinement: confined.as_ref().map(|one| &one.planned.confinement),
    };
    let Started {
        mut child,
        tree,
        proxy,
    } = child::start_fed(what)
        .await
        .map_err(|error| format!("cannot start `{}`: {error}", visible(program)))?;
    let serving = match (proxy, confined) {
        (Some(listener), Some(Confined { hosts, .. })) => {
            let served = serve(listener, hosts);
            Some(served.map_err(|error| format!("the hosts that it may reach are not served: {error}"))?)
        }
        _ => None,
    };
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (Some(input), Some(output)) = (input, output) else {
        return Err(format!("cannot start `{}`: it has no pipes", visible(program)));
    };
    let stderr = child.stderr.take();
    let copying = tokio::spawn(async move { log::copy(stderr, &log).await });
    let lines = Lines::new(BufReader::with_capacity(64 * 1024, output), input, reader, closed);
    let process = Process {
        child,
        tree,
        copying,
        serving,
    };
    Ok((process, lines))
}

impl Process {
    /// Returns the hosts that are refused to it; none where nothing serves it.
    pub(super) fn refused_hosts(&self) -> Option<RefusedHosts> {
        self.serving.as_ref().map(Serving::refused_hosts)
    }

    /// Returns its process id.
    pub(super) const fn pid(&self) -> u32 {
        self.tree.pid()
    }

    /// Ends it and everything that it started. Returns how it ended by itself, once its last words are in the log; one
    /// that closed its output has the time `moment` for each of these.
    pub(super) async fn end(mut self, moment: Duration) -> Option<String> {
        let ended = tokio::time::timeout(moment, self.child.wait()).await;
        let ended = ended.ok().and_then(Result::ok);
        let _ = tokio::join!(self.tree.end(), self.child.wait());
        drop(self.serving);
        if ended.is_some() {
            let _ = tokio::time::timeout(moment, self.copying).await;
        }
        ended.map(|status| status.to_string())
    }
}
