//! Adapts the engine of a run on the screen to the console's interface.
//!
//! Must not know: keys, panes.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, Instant};

use super::alarms;
use super::build::AppContext;
use super::conversations::{Conversations, Others};
use super::escalate::{self, Caller};
use super::exit::{Code, Failure};
use super::files;
use super::goodbye;
use super::orphan_watcher::Watcher;
use super::replaced_file::Looker;
use super::repository_watcher::RepositoryWatcher;
use super::run::{self, Ready};
use super::screen::ScreenExit;
use super::toolbox::ServerPanel;
use super::{cut_off, leave, live_reload, print, request_text, screen, seen};
use overrule_console::run::approval_stats;
use overrule_console::run::file_look::FileLook;
use overrule_console::run::link::{
    Alarm, Conversation, Frames, Link, LoadTarget, OrphanCandidate, ServerOrder, ServerState, Update,
};
use overrule_domain::apply;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::envelope::{Actor, Via};
use overrule_domain::id::TurnId;
use overrule_domain::live::{AgentStatus, Live};
use overrule_domain::state::State;
use overrule_engine::halt::Halt;
use overrule_engine::handle::LiveTurns;
use overrule_engine::tails::Tails;
use overrule_engine::{Facts, Handle, Publication};
use overrule_files::Tracker;
use overrule_journal::Place;
use overrule_journal::wire::Wire;
use overrule_proxy::alarms::Alarms;
use overrule_tools::child::Environment;

/// Maximum number of answers that wait for the console. A task that has one more waits.
pub const ANSWERS: usize = 64;

/// The least time between two updates about the output of running calls.
const BETWEEN_OUTPUTS: Duration = Duration::from_millis(50);

/// Checks theme and keys before anything is written.
pub fn check(context: &AppContext) -> Result<(), Failure> {
    live_reload::look(context).map(|_| ())
}

/// What a proxy shows besides a conversation.
pub struct Proxied {
    /// The conversations of the agent.
    pub conversations: Conversations,
    /// The alarms.
    pub alarms: Alarms,
}

/// Serves a run on the screen until the operator leaves it. From one of several conversations the screen goes to others.
pub async fn serve(
    context: &AppContext,
    ready: Ready,
    panel: Option<ServerPanel>,
    proxied: Option<Proxied>,
) -> Result<Code, Failure> {
    let Ready {
        driver,
        handle,
        first,
        task,
        session,
        past,
        door,
        tools: (registry, workspace),
        ..
    } = ready;
    let actor = Actor::operator(context.user(), Via::Console);
    let place = context.store.find(&session).ok();
    let directory = PathBuf::clone(&workspace);
    let looks = |answers| Looker::new(registry, workspace, answers);
    let mut link = EngineLink::new(handle.clone(), actor.clone(), place, looks);
    link.tracker = driver.tracker().cloned();
    let environment = Environment::allowed(context.env.all.0.iter().cloned());
    link.repository = Some(RepositoryWatcher::new(
        directory,
        environment,
        link.to_answers.clone(),
    ));
    if let Some(proxied) = &proxied {
        link.show_proxied(proxied, &session);
    }
    if let Some(panel) = &panel {
        link.waiting
            .push_back(Update::Servers(panel.states.borrow().clone()));
    }
    link.panel = panel;
    if !past.is_empty() {
        link.waiting.push_back(Update::Past(past));
    }
    let caller = Caller::of(context, &session);
    let calls = tokio::spawn(escalate::follow(caller, handle.clone(), handle.subscribe()));
    let running = tokio::spawn(driver.run(first));
    let begun = async {
        match task {
            // A new run refuses its first prompt only if it cannot record it.
            Some(task) => {
                let actor = Actor::operator(context.user(), Via::Shell);
                handle.command(task, actor).await.map(|_| ())
            }
            None => Ok(()),
        }
    };
    let address = context.address(&session);
    let words = format!("session {session}; to continue: {}", address.to_continue());
    let _signals = leave::at_a_signal(leave::Signals::FromOutside, words.clone());
    // The screen does not wait for the disk.
    let shown = tokio::try_join!(
        async { begun.await.map_err(Failure::from) },
        show(context, link, &session, proxied.as_ref())
    );
    let shown = shown.map(|((), code)| code);
    let code = shown.as_ref().map_or_else(|failure| failure.code, |code| *code);
    let _leaving = leave::begin(code, words.clone());
    // An operator who leaves the screen needs no notification.
    calls.abort();
    if let Some(door) = &door {
        door.shut();
    }
    let mut reply = handle.subscribe();
    handle.shutdown().await;
    let (last, halt) = last(&mut reply.facts).await;
    let ended = running.await;
    if let Some(door) = door {
        door.settle().await;
    }
    if approval_stats::has_decided(&last) {
        seen::note_decision(&context.env);
    }
    print::err(&goodbye::summary(&last));
    for words in cut_off::lines(&last, halt.is_some()) {
        print::err(&print::safe_text(&words));
    }
    print::err(&goodbye::way_back(context, &session));
    let code = shown?;
    if ended.is_err() {
        return Err(Failure::new(
            Code::Other,
            "the event loop of the run failed; all decisions are recorded",
        ));
    }
    halt.map_or(Ok(code), |halt| Err(halt.into()))
}

/// Shows a run, and the other conversations that the operator goes to.
async fn show(
    context: &AppContext,
    first: EngineLink,
    session: &str,
    proxied: Option<&Proxied>,
) -> Result<Code, Failure> {
    let (mut link, mut session) = (first, session.to_owned());
    let actor = link.actor.clone();
    loop {
        let next = match screen::show(context, Box::new(link), &session, false).await? {
            ScreenExit::Code(code) => return Ok(code),
            ScreenExit::For(next) => next,
        };
        let Some(proxied) = proxied else {
            return Ok(Code::Ok);
        };
        let all = &proxied.conversations;
        let Some(member) = all.find(&next).or_else(|| all.find(&session)) else {
            return Ok(Code::Ok);
        };
        member.session().clone_into(&mut session);
        let (registry, workspace) = member.tools.clone();
        let looks = |answers| Looker::new(registry, workspace, answers);
        let place = context.store.find(&session).ok();
        link = EngineLink::new(member.handle.clone(), actor.clone(), place, looks);
        link.tracker.clone_from(&member.tracker);
        link.show_proxied(proxied, &session);
        link.waiting.push_back(Update::Past(member.past()));
    }
}

/// The last state of the run, and why it halted. The state is empty if the event loop failed.
async fn last(facts: &mut Facts) -> (State, Option<Halt>) {
    let (mut state, mut halted) = (State::default(), None);
    while let Some(fact) = facts.recv().await {
        match fact {
            Publication::Snapshot(snapshot) => state = *snapshot,
            Publication::Event(envelope) => apply::apply(&mut state, &envelope),
            Publication::Notice(_) => {}
            Publication::Halted(halt) => halted = Some(halt),
            Publication::Ended => break,
        }
    }
    (state, halted)
}

/// The console's interface to a live run.
struct EngineLink {
    handle: Handle,
    actor: Actor,
    facts: Facts,
    live: watch::Receiver<LiveTurns>,
    shown: LiveTurns,
    waiting: std::collections::VecDeque<Update>,
    answers: mpsc::Receiver<Update>,
    to_answers: mpsc::Sender<Update>,
    live_open: bool,
    outputs: Outputs,
    wire: Option<Wire>,
    place: Option<Place>,
    looker: Looker,
    watcher: Watcher,
    /// Tracks the files of the workspace; none where nothing does.
    tracker: Option<Tracker>,
    /// Looks at the repository of the workspace.
    repository: Option<RepositoryWatcher>,
    /// The servers of tools; none once they are gone.
    panel: Option<ServerPanel>,
    /// The other conversations of the agent, if there can be any.
    others: Option<Others>,
    /// The alarms of the proxy, if there is one.
    alarms: Option<alarms::OnScreen>,
    /// The event loop ended without a message.
    broken: bool,
}

impl EngineLink {
    fn new(
        handle: Handle,
        actor: Actor,
        place: Option<Place>,
        looker: impl FnOnce(mpsc::Sender<Update>) -> Looker,
    ) -> Self {
        let subscription = handle.subscribe();
        let (to_answers, answers) = mpsc::channel(ANSWERS);
        Self {
            outputs: Outputs::of(handle.tails()),
            handle,
            actor,
            facts: subscription.facts,
            live: subscription.live,
            shown: LiveTurns::new(),
            waiting: std::collections::VecDeque::new(),
            answers,
            looker: looker(to_answers.clone()),
            watcher: Watcher::new(to_answers.clone()),
            tracker: None,
            repository: None,
            to_answers,
            live_open: true,
            wire: place.as_ref().map(run::wire_of),
            place,
            panel: None,
            others: None,
            alarms: None,
            broken: false,
        }
    }

    /// Shows what is beside the conversation of this session.
    fn show_proxied(&mut self, proxied: &Proxied, session: &str) {
        self.others = Some(proxied.conversations.others_of(session));
        self.alarms = Some(alarms::OnScreen::of(&proxied.alarms));
    }

    /// The words with which the program ends if the run does not answer.
    fn farewell(&self) -> String {
        let session = match &self.place {
            Some(Place::Dir { id, .. }) => id.to_string(),
            _ => "last".to_owned(),
        };
        format!(
            "the run did not stop within a second: the program ended; to continue: overrule resume {session}"
        )
    }

    /// Queues an update for each open turn that changed.
    fn note_live(&mut self) {
        let now = self.live.borrow_and_update().clone();
        for turn in self.shown.keys().filter(|turn| !now.contains_key(turn)) {
            self.waiting.push_back(Update::Live(Live {
                turn: *turn,
                ..Live::default()
            }));
        }
        for (turn, live) in &now {
            if self.shown.get(turn) != Some(live) {
                self.waiting.push_back(Update::Live(live.clone()));
            }
        }
        self.shown = now;
    }
}

/// Waits for a change of the other conversations.
async fn others(others: &mut Option<Others>) -> (AgentStatus, Arc<[Conversation]>) {
    match others {
        Some(others) => others.changed().await,
        None => std::future::pending().await,
    }
}

/// Waits for a change of the alarms.
async fn changed_alarms(alarms: &mut Option<alarms::OnScreen>) -> Arc<[Alarm]> {
    match alarms {
        Some(alarms) => alarms.changed().await,
        None => std::future::pending().await,
    }
}

/// Waits for a change of the servers.
async fn changed(panel: &mut Option<ServerPanel>) -> Arc<[ServerState]> {
    if let Some(open) = panel {
        if open.states.changed().await.is_ok() {
            return open.states.borrow_and_update().clone();
        }
        *panel = None;
    }
    std::future::pending().await
}

/// The output of the running calls, at most some times a second.
struct Outputs {
    tails: Tails,
    changes: watch::Receiver<u64>,
    /// The number of changes that were passed on.
    seen: u64,
    /// Not before this.
    next: Instant,
}

impl Outputs {
    fn of(tails: &Tails) -> Self {
        Self {
            tails: tails.clone(),
            changes: tails.changes(),
            seen: 0,
            next: Instant::now(),
        }
    }

    /// Waits for a change. Cancel safe: what was not taken is waited for again.
    async fn changed(&mut self) {
        let seen = self.seen;
        if self.changes.wait_for(|count| *count != seen).await.is_err() {
            // The tails live as long as this.
            std::future::pending::<()>().await;
        }
        tokio::time::sleep_until(self.next).await;
    }

    /// Takes the newest output.
    fn take(&mut self) -> Update {
        self.seen = *self.changes.borrow();
        self.next = Instant::now() + BETWEEN_OUTPUTS;
        Update::Outputs(self.tails.now())
    }
}

/// The stored bytes of a request, as text; invalid UTF-8 becomes U+FFFD.
pub fn frames(wire: &Wire, turn: TurnId, request: u32) -> Result<Option<Frames>, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into();
    let found = wire.read(turn, request)?;
    Ok(found.map(|found| Frames {
        sent: text(&found.sent),
        received: text(&found.received),
        more: found.more,
    }))
}

impl Link for EngineLink {
    fn wire(&mut self, turn: TurnId, request: u32) -> Result<Option<Frames>, String> {
        self.wire
            .as_ref()
            .map_or(Ok(None), |wire| frames(wire, turn, request))
    }

    fn sent(&mut self, turn: TurnId, request: u32) {
        let (place, answers) = (self.place.clone(), self.to_answers.clone());
        tokio::task::spawn_blocking(move || {
            let update = match place {
                Some(place) => request_text::update(&place, turn, request),
                None => Update::Sent {
                    turn,
                    request,
                    found: Err("cannot find the session of this run: it was moved or deleted".to_owned()),
                    body: None,
                },
            };
            // An error means that the console is gone.
            answers.blocking_send(update).unwrap_or_default();
        });
    }

    fn look(&mut self, at: Option<LoadTarget>) {
        self.looker.look(at);
    }

    fn look_at_files(&mut self, look: &FileLook) -> Result<(), String> {
        let Some(tracker) = self.tracker.clone() else {
            return Err("this run does not track files".to_owned());
        };
        let (look, answers) = (look.clone(), self.to_answers.clone());
        tokio::task::spawn_blocking(move || {
            let found = look.answer(
                |needs| tracker.look_up(&needs.paths, &needs.contents),
                |path, state| files::content(&tracker, path, state),
            );
            // An error means that the console is gone.
            answers.blocking_send(Update::Files(found)).unwrap_or_default();
        });
        Ok(())
    }

    fn watch(&mut self, processes: Vec<OrphanCandidate>) {
        self.watcher.watch(processes);
    }

    fn order(&mut self, order: ServerOrder) {
        if let Some(panel) = &self.panel {
            // A full channel means that earlier orders are still carried out.
            if panel.orders.try_send(order).is_err() {
                let words = "Nothing was ordered: the servers still carry out earlier orders. Press again";
                self.waiting.push_back(Update::Notice(words.to_owned()));
            }
        }
    }

    fn alarms_seen(&mut self) {
        if let Some(alarms) = &self.alarms {
            alarms.set_seen();
        }
    }

    fn send(&mut self, command: Command) {
        // Nobody waits for a run that does not even stop.
        let stops = matches!(command, Command::Run(RunCommand::Stop { .. }));
        let leaving = stops.then(|| leave::begin(Code::Interrupted, self.farewell()));
        // Sent here, not by the task, to keep the order of commands. The screen never waits for the run.
        let carried_out = self.handle.offer(command.clone(), self.actor.clone());
        let answers = self.to_answers.clone();
        tokio::spawn(async move {
            let carried_out = carried_out.await;
            drop(leaving);
            let answer = match carried_out {
                Ok(_) => Update::Taken(Box::new(command)),
                Err(refusal) => Update::Refused {
                    command: Box::new(command),
                    refusal,
                },
            };
            // An error means that the console is gone.
            answers.send(answer).await.unwrap_or_default();
        });
    }

    fn next(&mut self) -> BoxFuture<'_, Update> {
        Box::pin(async move {
            loop {
                if let Some(update) = self.waiting.pop_front() {
                    return update;
                }
                tokio::select! {
                    biased;
                    fact = self.facts.recv() => {
                        return match fact {
                            Some(Publication::Snapshot(state)) => Update::Snapshot(state),
                            Some(Publication::Event(envelope)) => {
                                if let Some(repository) = &self.repository {
                                    repository.note(&envelope.event);
                                }
                                Update::Event(envelope)
                            }
                            Some(Publication::Notice(text)) => Update::Notice(text),
                            Some(Publication::Halted(halt)) => Update::Halted(halt.to_string()),
                            Some(Publication::Ended) => Update::Ended,
                            // The event loop failed. Reported once.
                            None if self.broken => Update::Ended,
                            None => {
                                self.broken = true;
                                Update::Halted("the event loop of the run failed; all decisions are recorded".into())
                            }
                        };
                    }
                    Some(answer) = self.answers.recv() => return answer,
                    (agent, others) = others(&mut self.others) => return Update::Conversations { agent, others },
                    alarms = changed_alarms(&mut self.alarms) => return Update::Alarms(alarms),
                    servers = changed(&mut self.panel) => return Update::Servers(servers),
                    () = self.outputs.changed() => return self.outputs.take(),
                    changed = self.live.changed(), if self.live_open => {
                        if changed.is_ok() {
                            self.note_live();
                        } else {
                            self.live_open = false;
                        }
                    }
                }
            }
        })
    }
}
