//! A run in this process: the real engine and tools in a directory of the test, with any model.
//!
//! Must not know: what is tested.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overrule::domain::apply::apply;
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::envelope::{Actor, Envelope, Via};
use overrule::domain::event::run::{Limits, Reuse, Started};
use overrule::domain::event::{Event, RunEvent};
use overrule::domain::id::Seq;
use overrule::domain::refusal::Refusal;
use overrule::domain::state::State;
use overrule::engine::advise::{Adviser, ShellStart};
use overrule::engine::clock::Clock;
use overrule::engine::handle::Subscription;
use overrule::engine::log::{Log, Memory};
use overrule::engine::{Driver, Handle, Launch, Parts, Publication, resume};
use overrule::model::Model;
use overrule::policy::{Policy, Preset};
use overrule::tools::builtin;
use overrule::tools::child::Environment;
use overrule::tools::registry::Registry;
use tokio::task::JoinHandle;

/// Longer than anything in a test may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run in this process.
pub struct Live {
    /// The way to it.
    pub handle: Handle,
    /// The fold of all published events.
    pub state: State,
    heard: Subscription,
    driver: JoinHandle<()>,
}

/// What a run is advised by: the built-in tools in this directory, under a preset.
pub fn adviser(workspace: &Path, preset: Preset) -> Adviser {
    let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
    let tools = builtin::all(&builtin::Setup {
        environment: Environment::allowed([path]),
        answer: None,
        proxy: false,
    });
    Adviser {
        output: None,
        registry: Arc::new(Registry::new(tools).unwrap()),
        policy: Arc::new(Policy::new(preset).in_workspace(workspace)),
        session: Arc::from("live"),
        workspace: Arc::new(workspace.to_owned()),
        shell: ShellStart::of_system(),
        environment: Arc::from("PATH"),
        sandbox: "none".into(),
        approver: None,
        headless: false,
        ladder: overrule::resilience::ladder::Ladder::default(),
        watch: overrule::resilience::watch::Watch::default(),
        now: None,
        caches: std::sync::Arc::default(),
        reader: overrule::engine::reader::Reader::default(),
        tracker: None,
    }
}

fn started(adviser: &Adviser, model: &dyn Model) -> Started {
    Started {
        version: "0".into(),
        workspace: adviser.workspace.display().to_string(),
        model: model.name(),
        wire: "none".into(),
        system: Arc::from("Be brief."),
        tools: adviser.cards(),
        policy: adviser.policy.preset().to_string(),
        sandbox: "none".into(),
        limits: Limits::default(),
        user: Arc::from("tester"),
        input: Arc::from("null"),
        setup: Arc::from("{}"),
        reuse: Reuse::default(),
        hide_edits: false,
        price: None,
    }
}

impl Live {
    /// Begins a run with a task; gives it and its log.
    pub async fn begin(
        adviser: Adviser,
        model: Arc<dyn Model>,
        task: &str,
    ) -> (Self, Arc<Mutex<Vec<Envelope>>>) {
        let memory = Memory::default();
        let log = memory.envelopes.clone();
        let live = Self::over(State::default(), Box::new(memory), adviser, model);
        live.prompt(task).await;
        (live, log)
    }

    /// Begins a run, or resumes one where something is recorded.
    pub fn over(state: State, log: Box<dyn Log>, adviser: Adviser, model: Arc<dyn Model>) -> Self {
        Self::within(Limits::default(), state, log, adviser, model)
    }

    /// The same within these limits.
    pub fn within(
        limits: Limits,
        state: State,
        log: Box<dyn Log>,
        adviser: Adviser,
        model: Arc<dyn Model>,
    ) -> Self {
        let fitted = Started {
            limits,
            ..started(&adviser, &*model)
        };
        let first = if state.started.is_none() {
            vec![Event::Run(RunEvent::Started(Box::new(fitted)))]
        } else {
            resume::first_events(&state, &adviser, fitted)
        };
        let (driver, handle) = Driver::new(Parts {
            state,
            log,
            adviser,
            launch: Launch::World(model),
            clock: Clock::start(),
            notices: Vec::new(),
        });
        let received = handle.subscribe();
        Self {
            handle,
            state: State::default(),
            heard: received,
            driver: tokio::spawn(driver.run(first)),
        }
    }

    /// Sends a command of the operator's.
    pub async fn send(&self, command: Command) -> Result<Seq, Refusal> {
        let actor = Actor::operator(Arc::from("tester"), Via::Console);
        self.handle.command(command, actor).await
    }

    /// Commits edits as one.
    pub async fn commit(&self, edits: Vec<Edit>) -> Result<Seq, Refusal> {
        self.send(Command::Edit(EditCommand::Commit {
            edits,
            effects_seen: None,
            keep_later: false,
            reason: None,
        }))
        .await
    }

    /// Puts a prompt at the tip.
    pub async fn prompt(&self, text: &str) {
        let (after, text) = (None, Arc::from(text));
        self.commit(vec![Edit::InsertPrompt { after, text }])
            .await
            .unwrap();
    }

    /// Applies published events until the state fulfils a condition.
    pub async fn until(&mut self, what: &str, holds: impl Fn(&State) -> bool) {
        while !holds(&self.state) {
            let message = tokio::time::timeout(PATIENCE, self.heard.facts.recv()).await;
            let message = message.unwrap_or_else(|_| panic!("never: {what}"));
            match message.unwrap_or_else(|| panic!("ended before: {what}")) {
                Publication::Snapshot(state) => self.state = *state,
                Publication::Event(envelope) => apply(&mut self.state, &envelope),
                Publication::Halted(reason) => panic!("halted: {reason}"),
                Publication::Notice(_) | Publication::Ended => {}
            }
        }
    }

    /// Applies published events until none is pending and the state fulfils a condition.
    pub async fn settles(&mut self, what: &str, holds: impl Fn(&State) -> bool) {
        loop {
            let message = *self.heard.published.borrow_and_update();
            self.until(what, |state| state.seq >= message).await;
            if holds(&self.state) {
                return;
            }
            let changed = tokio::time::timeout(PATIENCE, self.heard.published.changed()).await;
            changed.unwrap_or_else(|_| panic!("never: {what}")).unwrap();
        }
    }

    /// Ends this process's part of the run.
    pub async fn end(self) {
        self.handle.shutdown().await;
        self.driver.await.unwrap();
    }
}
