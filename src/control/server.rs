//! Receives commands on a socket and hands them to the run's own loop.
//!
//! Must not know: how a command is decided, flags.
//!
//! Whatever comes through it, the run continues undisturbed.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::agents::Agents;
use super::error::Error;
use super::peer::{self, Peer};
use super::place::{self, Places};
use super::protocol::{self, Asks, Definitions, Greeting, Reply, Request, ServerRequest, VERSION};
use overrule_domain::envelope::{Actor, Via};
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_engine::Handle;

/// Time limit for the sender's line, and for reading the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time limit for a decision.
const DECISION: Duration = Duration::from_secs(30);
/// Maximum number of connections at the same time.
const MOST_AT_ONCE: usize = 16;
/// Maximum number of simultaneous connections from senders that may not command. They are read only
/// to record what they tried, and never take the slot of a sender that may command.
const MOST_REFUSED_AT_ONCE: usize = 4;
/// Maximum number of refused senders that are recorded; further ones are refused without a record,
/// so that they cannot fill the journal.
const MOST_RECORDED: u32 = 100;
/// How long the end of the program waits for answers to be read.
const SETTLING: Duration = Duration::from_secs(1);
/// Pause after a failed accept: the process may be out of file descriptors for a short time.
const BREATH: Duration = Duration::from_millis(100);
/// Interval at which adopted processes are reaped.
const ROUND: Duration = Duration::from_secs(60);

/// A request about a server of tools, for the process that runs the servers.
pub struct ServerAsk {
    /// The request.
    pub request: ServerRequest,
    /// Name of the operator.
    pub actor: String,
    /// Where the answer goes: the definitions if they were asked for.
    pub answer: oneshot::Sender<Result<Option<Definitions>, Refusal>>,
}

/// The way to the process that runs the servers of tools.
pub type Servers = mpsc::Sender<ServerAsk>;

/// A listening socket, removed on drop.
#[derive(Debug)]
pub struct Door {
    path: PathBuf,
    /// Device and inode of the socket: another holder may have put its own in its place.
    own: (u64, u64),
    task: JoinHandle<()>,
    /// Ends the connections on which no request came yet.
    closing: watch::Sender<bool>,
    /// The places of connections, which are free once each has its answer.
    connections: [Arc<Semaphore>; 2],
}

impl Door {
    /// Opens the socket of a session that this process holds. A socket that exists already belongs to a
    /// process that is gone, because a session has only one holder. The greeting states the session's id.
    pub fn open(
        places: &Places,
        (session, id): (&Path, &str),
        handle: Handle,
        servers: Option<Servers>,
        agents: Agents,
    ) -> Result<Self, Error> {
        let dir = places.ready()?;
        place::sweep(&dir);
        let path = dir.join(place::name(session));
        let fail = |doing| {
            let path = path.clone();
            move |error| Error::io(doing, &path, error)
        };
        // Created under another name, so that under its own name it listens from the first moment.
        let unfinished = place::unfinished(&path);
        match fs::remove_file(&unfinished) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(fail("clear the way for")(error));
            }
            _ => {}
        }
        let listener = UnixListener::bind(&unfinished).map_err(fail("make the control socket"))?;
        let closed = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&unfinished, closed).map_err(fail("close to others"))?;
        let meta = fs::symlink_metadata(&unfinished).map_err(fail("look at"))?;
        fs::rename(&unfinished, &path).map_err(fail("put in place"))?;
        let (closing, is_closing) = watch::channel(false);
        let slots = Slots::new();
        let all = [Arc::clone(&slots.operators), Arc::clone(&slots.refused)];
        let host = Arc::new(Host {
            handle,
            servers,
            agents,
            closing: is_closing,
            above: peer::ancestors(),
            session: id.to_owned(),
            slots,
            recorded: AtomicU32::new(0),
        });
        tracing::debug!(path = %super::error::shown(&path), "control socket open");
        Ok(Self {
            own: (meta.dev(), meta.ino()),
            task: tokio::spawn(host.serve(listener)),
            path,
            closing,
            connections: all,
        })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits a limited time until all requests that were read have their answers.
    pub async fn settle(self) {
        let [operators, refused] = &self.connections;
        let all = async {
            let _operators = operators.acquire_many(MOST_AT_ONCE as u32).await;
            let _refused = refused.acquire_many(MOST_REFUSED_AT_ONCE as u32).await;
        };
        // A sender that does not read its answer in time gets none.
        let _ = timeout(SETTLING, all).await;
    }

    /// Stops accepting connections; requests that were read are still answered. To be called before
    /// the session is released, because its next holder opens its own socket.
    pub fn shut(&self) {
        self.task.abort();
        self.closing.send_replace(true);
        let still_own =
            fs::symlink_metadata(&self.path).is_ok_and(|meta| (meta.dev(), meta.ino()) == self.own);
        if still_own {
            // If it stays, the next holder replaces it.
            fs::remove_file(&self.path).unwrap_or_default();
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.shut();
    }
}

/// Reaps adopted processes that have ended, until it is dropped.
pub async fn tidy() {
    let mut ended = peer::Ended::default();
    // None has ended at the start.
    let mut round = tokio::time::interval_at(Instant::now() + ROUND, ROUND);
    round.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        round.tick().await;
        ended.look();
    }
}

/// Room for connections.
struct Slots {
    /// For those who may command.
    operators: Arc<Semaphore>,
    /// For the rest.
    refused: Arc<Semaphore>,
}

impl Slots {
    fn new() -> Self {
        Self {
            operators: Arc::new(Semaphore::new(MOST_AT_ONCE)),
            refused: Arc::new(Semaphore::new(MOST_REFUSED_AT_ONCE)),
        }
    }

    /// A slot for one of them, if there is room among its own kind.
    fn of(&self, peer: &Peer) -> Option<OwnedSemaphorePermit> {
        let room = match peer {
            Peer::Operator { .. } => &self.operators,
            Peer::Refused(_) => &self.refused,
        };
        Arc::clone(room).try_acquire_owned().ok()
    }
}

/// What all connections share.
struct Host {
    handle: Handle,
    /// None if the run has no servers of tools.
    servers: Option<Servers>,
    /// The processes of agents, which do not decide.
    agents: Agents,
    /// True once no request is waited for.
    closing: watch::Receiver<bool>,
    /// The processes above this one.
    above: Vec<peer::Ancestor>,
    session: String,
    slots: Slots,
    recorded: AtomicU32,
}

impl Host {
    async fn serve(self: Arc<Self>, listener: UnixListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(BREATH).await;
                continue;
            };
            // Immediately: the system vouches for a process only as long as it lives.
            let peer = peer::look(&stream, &self.agents, &self.above);
            if let Some(slot) = self.slots.of(&peer) {
                let host = Arc::clone(&self);
                tokio::spawn(async move {
                    host.hear(stream, peer).await;
                    drop(slot);
                });
            } else {
                let busy = protocol::line(&error("too many connections: try again"));
                // A sender that cannot read even this immediately gets no answer.
                let _ = stream.try_write(&busy);
            }
        }
    }

    /// Serves one connection: a greeting, a request, an answer. Errors of the other side do not matter here.
    async fn hear(&self, stream: UnixStream, peer: Peer) {
        let (from, mut to) = stream.into_split();
        let mut from = BufReader::new(from);
        let greeting = protocol::line(&Greeting {
            overrule_control: VERSION,
            session: self.session.clone(),
        });
        let request = timeout(PATIENCE, async {
            to.write_all(&greeting).await?;
            protocol::read(&mut from).await
        });
        let mut closing = self.closing.clone();
        let received = tokio::select! {
            biased;
            received = request => received.map_err(|_| "no request came in time"),
            _ = closing.wait_for(|is_closing| *is_closing) => Err("the run has ended"),
        };
        let reply = match received {
            Ok(Ok(line)) => match Request::parse(&line) {
                Ok(request) => match self.answer(request, peer).await {
                    Some(reply) => reply,
                    // An end without an answer means that the outcome is unknown.
                    None => return,
                },
                Err(why) => error(why),
            },
            Ok(Err(why)) => error(why.to_string()),
            Err(why) => error(why),
        };
        if matches!(reply, Reply::Error { .. }) {
            tracing::debug!("a message at the control socket was not understood");
        }
        let last = timeout(PATIENCE, async {
            to.write_all(&protocol::line(&reply)).await?;
            to.shutdown().await
        });
        // It is recorded or refused, whether or not the other side still listens.
        let _ = last.await;
    }

    async fn answer(&self, request: Request, peer: Peer) -> Option<Reply> {
        if let Peer::Refused(why) = peer {
            return Some(self.refuse(&request, why).await);
        }
        let name = request.name();
        let command = match request.asks {
            Asks::Command(command) => *command,
            Asks::Server(request) => return self.about_server(request, name).await,
        };
        let actor = Actor::operator(Arc::from(name), Via::Control);
        let decided = timeout(DECISION, self.handle.offer(command, actor));
        Some(match decided.await.ok()? {
            Ok(seq) => Reply::Recorded { seq },
            Err(refusal) => Reply::Refused { refusal },
        })
    }

    async fn about_server(&self, request: ServerRequest, actor: String) -> Option<Reply> {
        let (answer, answered) = oneshot::channel();
        let ask = ServerAsk {
            request,
            actor,
            answer,
        };
        let Some(servers) = &self.servers else {
            return Some(error("this run has no servers of tools"));
        };
        if servers.try_send(ask).is_err() {
            return Some(error("the servers of this run take no requests now: try again"));
        }
        let answered = timeout(DECISION, answered).await.ok()?;
        Some(match answered.ok()? {
            Ok(Some(definitions)) => Reply::Shown(definitions),
            Ok(None) => Reply::Done,
            Err(refusal) => Reply::Refused { refusal },
        })
    }

    /// Refuses a command because of who sent it, and records that.
    async fn refuse(&self, request: &Request, why: String) -> Reply {
        if self.recorded.fetch_add(1, Ordering::Relaxed) < MOST_RECORDED {
            let what = protocol::describe(&request.asks);
            self.handle.refused(what, why.clone()).await;
        }
        Reply::Refused {
            refusal: Refusal::new(RefusalKind::Denied, format!("the command was refused: {why}")),
        }
    }
}

fn error(message: impl Into<String>) -> Reply {
    Reply::Error {
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_may_not_command_take_no_place_of_those_who_may() {
        let slots = Slots::new();
        let stranger = Peer::Refused("started by this run".into());
        let operator = Peer::Operator { pid: 7 };
        let held: Vec<_> = (0..MOST_AT_ONCE * 2)
            .filter_map(|_| slots.of(&stranger))
            .collect();
        assert_eq!(held.len(), MOST_REFUSED_AT_ONCE);
        let all: Vec<_> = (0..MOST_AT_ONCE * 2)
            .filter_map(|_| slots.of(&operator))
            .collect();
        assert_eq!(all.len(), MOST_AT_ONCE);
        drop(held);
        assert!(slots.of(&operator).is_none() && slots.of(&stranger).is_some());
    }
}
