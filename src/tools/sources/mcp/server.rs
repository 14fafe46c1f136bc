//! A server: keeps its definitions current, restarts it, ends it.
//!
//! Must not know: how it is connected to, calls, policy, screens.

mod connecting;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use overrule_sandbox::network::RefusedHosts;
use rmcp::model::SubscriptionFilter;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::confined::{self, OfRun};
use super::current::Current;
use super::listing::{self, Listed, Unlisted};
use super::live::{Connection, Live, Read};
use super::log::ServerLog;
use super::pace::Pace;
use super::pins::{self, Pinned};
use super::progress::Progress;
use super::questions::Questions;
use super::redaction::Redaction;
use super::setup::ServerConfig;
use super::spoken::Spoken;
use super::told::Told;
use super::view;
use super::whole::WholeResults;
use crate::child::Environment;

/// Maximum number of restarts in a row.
const RESTARTS: u32 = 5;
/// Wait before the first restart; each further one waits twice as long.
const BACKOFF: Duration = Duration::from_millis(500);
/// A server that ran this long counts its restarts from zero again.
const HEALTHY: Duration = Duration::from_secs(60);
/// Time limit for the handshake and the first list of tools.
const HANDSHAKE: Duration = Duration::from_secs(60);
/// How long a process whose output ended may take to end itself.
const MOMENT: Duration = Duration::from_secs(1);
/// How often it is looked whether changed definitions were accepted elsewhere.
const LOOK: Duration = Duration::from_secs(2);
/// Time limit for the answer to a request for notifications of changes.
const LISTEN: Duration = Duration::from_secs(5);

/// What a server is doing.
#[derive(Clone)]
pub(super) enum Phase {
    /// It is being connected to, or its list of tools is being read again.
    Starting,
    /// It takes calls.
    Ready(Arc<Live>),
    /// It cannot be used.
    Down {
        /// Why.
        why: String,
        /// Whether it will be started again.
        again: bool,
    },
}

/// How a connection ended.
enum End {
    /// It was asked to.
    Stopped,
    /// It could not even be started: another attempt would end the same way.
    Refused(String),
    /// It is lost.
    Lost(String),
    /// It ended at a question of the newer protocol, or did not answer afterwards: it is asked in another way at once.
    Again(String),
}

/// A server of the settings.
pub(super) struct Server {
    pub(super) config: ServerConfig,
    environment: Environment,
    workspace: PathBuf,
    pins: Option<PathBuf>,
    /// The sandbox of the run, if it has one.
    pub(super) sandbox: Option<OfRun>,
    pub(super) log: Arc<ServerLog>,
    pub(super) told: Arc<Told>,
    pub(super) progress: Arc<Progress>,
    pub(super) redaction: Arc<Redaction>,
    pub(super) whole: WholeResults,
    pub(super) questions: Arc<Questions>,
    phase: watch::Sender<Phase>,
    /// The newest definitions: tools stay offered while their server restarts.
    last: Mutex<Option<Arc<Live>>>,
    current: Arc<Current>,
    spoken: Spoken,
    /// Why it was restarted last.
    before: Mutex<Option<String>>,
    /// The hosts that its sandbox refused, of the newest process.
    refused_hosts: Mutex<Option<RefusedHosts>>,
    /// Set once the operator refused it.
    refused: AtomicBool,
    /// How often it was restarted.
    restarts: AtomicU32,
    stop: CancellationToken,
}

/// What the source does when the definitions of a server changed, or it is up or down.
pub(super) type OnChange = Arc<dyn Fn(Option<String>) -> BoxFuture<'static, ()> + Send + Sync>;

impl Server {
    pub(super) fn new(
        config: ServerConfig,
        environment: Environment,
        (workspace, logs, pins): (PathBuf, Option<PathBuf>, Option<PathBuf>),
        sandbox: Option<OfRun>,
    ) -> Self {
        let session = logs.as_deref().and_then(Path::parent);
        let whole = WholeResults::new(session.map(Path::to_owned));
        let log = logs.map(|dir| dir.join(format!("{}.log", view::file_name(&config.name))));
        let redaction = Arc::new(Redaction::new(&config));
        let questions = Arc::new(Questions::new(&config.name, Arc::clone(&redaction)));
        let phase = watch::channel(Phase::Starting).0;
        let log = Arc::new(ServerLog::new(log, Arc::clone(&redaction)));
        Self {
            spoken: Spoken::new(pins.as_deref(), &config),
            config,
            environment,
            workspace,
            pins,
            sandbox,
            told: Arc::new(Told::new(Arc::clone(&log))),
            log,
            progress: Arc::new(Progress::new(Arc::clone(&redaction))),
            questions,
            redaction,
            whole,
            current: Arc::new(Current::new(phase.clone())),
            phase,
            last: Mutex::default(),
            before: Mutex::default(),
            refused_hosts: Mutex::default(),
            refused: AtomicBool::new(false),
            restarts: AtomicU32::new(0),
            stop: CancellationToken::new(),
        }
    }

    /// Remembers what the sandbox refuses a process that was started.
    fn note_refused_hosts(&self, hosts: Option<RefusedHosts>) {
        *self.refused_hosts.lock().unwrap_or_else(PoisonError::into_inner) = hosts;
    }

    /// Returns the hosts that its sandbox refused since this was asked last. They are in its log then.
    pub(super) fn take_refused_hosts(&self) -> Vec<String> {
        let hosts = self.refused_hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let hosts = hosts.as_ref().map(RefusedHosts::take).unwrap_or_default();
        for host in &hosts {
            self.log.note(&format!("the sandbox refused the host {host}"));
        }
        hosts
    }

    /// Returns what it is doing.
    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    /// Returns the newest definitions, of the present or an earlier connection.
    pub(super) fn last(&self) -> Option<Arc<Live>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until its first start has ended in some way, but not longer than this.
    pub(super) async fn started(&self, limit: Duration) {
        let mut phase = self.phase.subscribe();
        let settled = phase.wait_for(|phase| !matches!(phase, Phase::Starting));
        let _ = tokio::time::timeout(limit, settled).await;
    }

    /// Waits until it takes calls, or is down for good. The error says why it does not.
    pub(super) async fn ready(&self, limit: Duration) -> Result<Arc<Live>, String> {
        let mut phase = self.phase.subscribe();
        let settled = phase.wait_for(|phase| match phase {
            Phase::Ready(_) => true,
            Phase::Down { again, .. } => !again,
            Phase::Starting => false,
        });
        let settled = tokio::time::timeout(limit, settled).await;
        match settled.map(|found| found.map(|phase| phase.clone())) {
            Ok(Ok(Phase::Ready(live))) => Ok(live),
            Ok(Ok(Phase::Down { why, .. })) => Err(why),
            _ => Err(match self.phase() {
                Phase::Down { why, .. } => why,
                _ => format!("it is not ready within {} s", limit.as_secs()),
            }),
        }
    }

    /// Waits until it is down, but not longer than this, and returns why it is.
    pub(super) async fn why_down(&self, limit: Duration) -> Option<String> {
        let mut phase = self.phase.subscribe();
        let down = phase.wait_for(|phase| matches!(phase, Phase::Down { .. }));
        let down = tokio::time::timeout(limit, down).await.ok()?.ok()?;
        match &*down {
            Phase::Down { why, .. } => Some(why.clone()),
            _ => None,
        }
    }

    /// Accepts its definitions, if they are the ones with this hash, and reads them again.
    pub(super) fn accept(&self, hash: &str) -> Result<(), String> {
        let live = self.last().ok_or("its definitions were not read yet")?;
        if live.hash != hash {
            return Err("its definitions changed since they were shown".to_owned());
        }
        let dir = self
            .pins
            .as_deref()
            .ok_or("there is no place for accepted definitions")?;
        let now = Pinned::new(&self.config, &live.tools);
        pins::accept(dir, &self.config, &now).map_err(|error| error.to_string())?;
        self.current.outdate();
        Ok(())
    }

    /// Ends it for good: the operator refuses its definitions.
    pub(super) fn refuse(&self) {
        self.refused.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// Returns how often it was restarted.
    pub(super) fn restarts(&self) -> u32 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// True once the operator refused it: none of its tools is offered any more.
    pub(super) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::SeqCst)
    }

    /// Asks it to end.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Runs it until it is stopped or fails too often. Ends its process before it returns.
    pub(super) async fn supervise(self: Arc<Self>, on_change: OnChange) {
        if let Some(losses) = confined::losses(&self.config, self.sandbox.as_ref()) {
            self.tell(losses, &on_change).await;
        }
        let tell = async {
            loop {
                let words = self.told.next().await;
                self.tell(words, &on_change).await;
            }
        };
        tokio::select! {
            () = self.keep_up(&on_change) => {}
            () = tell => {}
        }
        if let Some(words) = self.told.take() {
            self.tell(words, &on_change).await;
        }
        if self.is_refused() {
            self.down("refused by the operator".to_owned(), false);
            self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
            on_change(None).await;
        }
    }

    async fn tell(&self, words: String, on_change: &OnChange) {
        let name = overrule_base::text::visible(&self.config.name);
        on_change(Some(format!("MCP server {name}: {words}"))).await;
    }

    /// Serves, and restarts it, until it is stopped or fails too often.
    async fn keep_up(&self, on_change: &OnChange) {
        let name = overrule_base::text::visible(&self.config.name);
        let mut restarts = 0;
        loop {
            let began = Instant::now();
            let why = match self.serve(on_change).await {
                End::Stopped if self.is_refused() => return,
                End::Stopped => {
                    // Also writes what it said before its session existed.
                    self.log.note("ended with the run");
                    return;
                }
                End::Refused(why) => {
                    self.down(why.clone(), false);
                    on_change(Some(format!("MCP server {name}: {why}"))).await;
                    return;
                }
                End::Again(why) => {
                    self.log.note(&why);
                    continue;
                }
                End::Lost(why) => why,
            };
            if began.elapsed() >= HEALTHY {
                restarts = 0;
            }
            restarts += 1;
            if restarts > RESTARTS {
                self.down(format!("{why}; it was restarted {RESTARTS} times"), false);
                on_change(Some(format!(
                    "MCP server {name}: {why}. It was restarted {RESTARTS} times and stays down"
                )))
                .await;
                return;
            }
            let wait = BACKOFF.saturating_mul(1 << (restarts - 1));
            self.down(why.clone(), true);
            on_change(Some(format!(
                "MCP server {name}: {why}. Restart {restarts} of {RESTARTS} in {} ms",
                wait.as_millis()
            )))
            .await;
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stop.cancelled() => return,
            }
            self.restarts.fetch_add(1, Ordering::Relaxed);
            self.phase.send_replace(Phase::Starting);
        }
    }

    /// Returns why it was restarted last.
    pub(super) fn before(&self) -> Option<String> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn down(&self, why: String, again: bool) {
        self.log.note(&why);
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.clone());
        self.phase.send_replace(Phase::Down { why, again });
    }

    /// Connects, and serves until the connection ends.
    async fn serve(&self, on_change: &OnChange) -> End {
        let mut process = None;
        let end = tokio::select! {
            () = self.stop.cancelled() => End::Stopped,
            end = self.connected(&mut process, on_change) => end,
        };
        let is_lost = matches!(end, End::Lost(_));
        let status = match process {
            Some(process) => process.end(if is_lost { MOMENT } else { Duration::ZERO }).await,
            None => None,
        };
        match (end, status) {
            (End::Lost(why), Some(status)) => {
                let last = self
                    .log
                    .last()
                    .into_iter()
                    .rev()
                    .find(|line| !line.starts_with("overrule: "));
                let last = last.map(|line| format!(", and said: {line}")).unwrap_or_default();
                End::Lost(format!("{why} ({status}{last})"))
            }
            (End::Again(why), Some(status)) => End::Again(format!("{why} ({status})")),
            (end, _) => end,
        }
    }

    /// Keeps the definitions of a connection current, until they cannot be read.
    async fn follow(&self, connection: &Connection, on_change: &OnChange) -> End {
        let peer = &connection.peer;
        let info = peer.peer_info();
        let mut listens = info.is_some_and(|info| !info.protocol_version.has_initialize());
        let mut subscription = None;
        let mut pace = Pace::new();
        loop {
            if listens && subscription.is_none() {
                let filter = SubscriptionFilter::builder().tools_list_changed().build();
                let opened = tokio::time::timeout(LISTEN, peer.listen(filter)).await;
                subscription = opened.ok().and_then(Result::ok);
                listens = subscription.is_some();
            }
            let read = match self.read_tools(connection, on_change).await {
                Ok(read) => read,
                Err(end) => return end,
            };
            pace.read(read.is_other);
            on_change(None).await;
            let unsubscribed = async {
                match &mut subscription {
                    // The connection knows of each change already.
                    Some(open) => while let Ok(Some(_)) = open.next().await {},
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.current.outdated() => {}
                () = unsubscribed => {
                    // What was reported after its end is not known.
                    self.current.outdate();
                    subscription = None;
                }
                () = tokio::time::sleep(read.ttl.unwrap_or(Duration::MAX)), if read.ttl.is_some() => {}
                () = self.accepted(), if read.is_drifted => self.current.outdate(),
            }
            pace.wait().await;
        }
    }

    /// Waits until another process of the operator accepted the definitions.
    async fn accepted(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let now = self.last().map(|live| Pinned::new(&self.config, &live.tools));
            let differs = |now| pins::check(self.pins.as_deref(), &self.config, &now).excerpt;
            if now.is_some_and(|now| differs(now).is_empty()) {
                return;
            }
        }
    }

    /// Reads the list of tools and takes calls.
    async fn read_tools(&self, connection: &Connection, on_change: &OnChange) -> Result<Read, End> {
        let changes = self.current.changes();
        let list = listing::list(&connection.peer, &self.redaction, &self.told);
        let listed = tokio::time::timeout(HANDSHAKE, list).await;
        let Listed { tools, unnamed, ttl } = match listed {
            Ok(Ok(listed)) => listed,
            Ok(Err(Unlisted::Lost(why))) => return Err(End::Lost(why)),
            Ok(Err(Unlisted::Refused(why))) => return Err(End::Refused(why)),
            Err(_) => {
                let why = format!("no list of tools within {} s", HANDSHAKE.as_secs());
                return Err(End::Lost(why));
            }
        };
        if unnamed > 0 {
            let words = "tools left out whose names contain a key of the server";
            self.log.note(&format!("{words}: {unnamed}"));
        }
        let now = Pinned::new(&self.config, &tools);
        let difference = pins::check(self.pins.as_deref(), &self.config, &now);
        let before = self.last();
        let live = Live::new(connection.clone(), now, (changes, difference), before.as_deref());
        let live = Arc::new(live);
        let is_other = before.as_ref().is_some_and(|before| before.hash != live.hash);
        if is_other || before.is_none() {
            live.note(&self.log, &self.told);
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&live));
        let is_drifted = !live.difference.excerpt.is_empty();
        // Told before the first request of a run.
        if let Some(words) = self.told.take() {
            self.tell(words, on_change).await;
        }
        self.current.put(live);
        Ok(Read {
            ttl,
            is_other,
            is_drifted,
        })
    }
}

#[cfg(test)]
mod tests;
