//! Runs the real engine with given models and tools, and a log in memory or a journal on disk.
//!
//! Must not know: what the model says, what the tools do, what is measured.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use overrule::cli::build::JournalLog;
use overrule::domain::advice::ToolFacts;
use overrule::domain::call::EffectClass;
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::envelope::{Actor, Envelope, Via};
use overrule::domain::event::run::{Limits, Reuse, Started, ToolCard};
use overrule::domain::event::{EditEvent, Event, RunEvent, TurnEvent};
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::engine::advise::Adviser;
use overrule::engine::clock::Clock;
use overrule::engine::log::{Log, Memory};
use overrule::engine::{Driver, Facts, Handle, Launch, Parts, Publication, ids};
use overrule::journal::Store;
use overrule::model::Model;
use overrule::policy::{Policy, Preset};
use overrule::tools::registry::Registry;
use overrule::tools::{Spec, Tool};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Whatever went wrong, with where.
pub type Fail = Box<dyn std::error::Error + Send + Sync>;

/// The parts of a stage.
pub struct Setup {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The tools.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The policy.
    pub preset: Preset,
    /// Where events are written.
    pub log: Box<dyn Log>,
}

/// A journal in a new session in a directory; a log in memory where there is none.
pub fn log(journal: Option<&Path>) -> Result<Box<dyn Log>, Fail> {
    Ok(match journal {
        Some(dir) => Box::new(JournalLog::unlisted(Store::open(dir).create(ids::session())?)),
        None => Box::new(Memory::default()),
    })
}

/// What a tool of the stage is known as.
pub fn spec(name: &str, effect: EffectClass, schema: &Value) -> Spec {
    Spec {
        card: ToolCard {
            name: Arc::from(name),
            description: Arc::from("Computes the value of a node from the values that it reads."),
            schema: Arc::from(schema.to_string()),
            effect,
            effect_by: None,
            tags: Vec::new(),
            pause_ms: 0,
            takes_truncated: false,
            confined: false,
            probe: None,
            compensate: None,
            origin: None,
        },
        facts: ToolFacts {
            effect,
            takes_truncated: false,
            show_difference: false,
            special: None,
        },
    }
}

/// A run in the engine.
pub struct Stage {
    handle: Handle,
    facts: Facts,
    task: JoinHandle<()>,
    began: Instant,
}

impl Stage {
    /// The engine comes up, and waits for a prompt.
    pub fn begin(setup: Setup) -> Result<Self, Fail> {
        let adviser = adviser(setup.tools, setup.preset)?;
        let first = vec![Event::Run(RunEvent::Started(Box::new(started(
            &adviser,
            &*setup.model,
        ))))];
        let (driver, handle) = Driver::new(Parts {
            state: State::default(),
            log: setup.log,
            adviser,
            launch: Launch::World(setup.model),
            clock: Clock::start(),
            notices: Vec::new(),
        });
        let facts = handle.subscribe().facts;
        let task = tokio::spawn(driver.run(first));
        Ok(Self {
            handle,
            facts,
            task,
            began: now(),
        })
    }

    /// Asks for the work.
    pub async fn prompt(&mut self) -> Result<(), Fail> {
        self.send(Edit::InsertPrompt {
            after: None,
            text: Arc::from("Run the workload."),
        })
        .await
    }

    /// Commits an edit and skips earlier events: the end of the run before the edit may be among them.
    pub async fn commit(&mut self, edit: Edit) -> Result<(), Fail> {
        self.send(edit).await?;
        while let Some(fact) = self.facts.recv().await {
            if let Publication::Event(envelope) = fact
                && let Event::Edit(EditEvent::Committed { .. }) = &envelope.event
                && matches!(envelope.actor, Actor::Operator(_))
            {
                return Ok(());
            }
        }
        Err("the run ended before the edit".into())
    }

    /// Sends an edit as an operator who saw everything; the time counts from here.
    async fn send(&mut self, edit: Edit) -> Result<(), Fail> {
        while self.facts.try_recv().is_some() {}
        self.began = now();
        let command = Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            reason: None,
            keep_later: false,
        });
        let sent = self
            .handle
            .command(command, Actor::operator("operator".into(), Via::Console));
        match sent.await {
            Ok(_) => Ok(()),
            Err(refusal) => Err(refusal.message.into()),
        }
    }

    /// Waits for a fact; gives the time since the last commit.
    pub async fn until(&mut self, mut holds: impl FnMut(&Envelope) -> bool) -> Result<Duration, Fail> {
        while let Some(fact) = self.facts.recv().await {
            match fact {
                Publication::Event(envelope) => match &envelope.event {
                    _ if holds(&envelope) => return Ok(self.began.elapsed()),
                    Event::Turn(TurnEvent::Broken { fault, .. }) => return Err(fault.message.clone().into()),
                    Event::Run(RunEvent::LimitReached { message, .. }) => return Err(message.clone().into()),
                    _ => {}
                },
                Publication::Halted(reason) => return Err(reason.into()),
                Publication::Ended => break,
                Publication::Snapshot(_) | Publication::Notice(_) => {}
            }
        }
        Err("the run ended before what was waited for".into())
    }

    /// Waits for the answer; gives the time since the last commit.
    pub async fn finish(&mut self) -> Result<Duration, Fail> {
        self.until(|envelope| matches!(envelope.event, Event::Run(RunEvent::Finished { .. })))
            .await
    }

    /// Everything that is true of the run now.
    pub async fn state(&self) -> Result<State, Fail> {
        match self.handle.subscribe().facts.recv().await {
            Some(Publication::Snapshot(state)) => Ok(*state),
            _ => Err("the run gave no snapshot".into()),
        }
    }

    /// Ends the engine.
    pub async fn close(self) -> Result<(), Fail> {
        self.handle.shutdown().await;
        Ok(self.task.await?)
    }
}

/// The newest call of this name.
pub fn call_of(state: &State, label: &str) -> Result<NodeId, Fail> {
    let found = state.agenda.holders(label).next_back();
    found.ok_or_else(|| format!("no call is named {label}").into())
}

/// The tools and the policy of a stage, for its rules.
pub fn adviser(tools: Vec<Arc<dyn Tool>>, preset: Preset) -> Result<Adviser, Fail> {
    Ok(Adviser {
        output: None,
        registry: Arc::new(Registry::new(tools)?),
        policy: Arc::new(Policy::new(preset)),
        session: Arc::from("stage"),
        workspace: Arc::new(Path::new("/").to_owned()),
        shell: overrule::engine::advise::ShellStart::of_system(),
        environment: Arc::from(""),
        sandbox: "no children".into(),
        files: overrule::engine::advise::FileTracking::default(),
        approver: None,
        headless: false,
        ladder: overrule::resilience::ladder::Ladder::default(),
        watch: overrule::resilience::watch::Watch::default(),
        now: None,
        caches: std::sync::Arc::default(),
        reader: overrule::engine::reader::Reader::default(),
    })
}

/// What a run on a stage begins with.
pub fn started(adviser: &Adviser, model: &dyn Model) -> Started {
    Started {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        workspace: adviser.workspace.display().to_string(),
        model: model.name(),
        wire: "in process".to_owned(),
        system: Arc::from("Run the workload."),
        tools: adviser.cards(),
        policy: adviser.policy.preset().to_string(),
        sandbox: adviser.sandbox.recorded(),
        limits: Limits {
            parallel: u32::MAX,
            turns: None,
            tokens: None,
            wall_ms: None,
            price: None,
            context: None,
        },
        user: Arc::from("operator"),
        input: Arc::from("null"),
        setup: Arc::from(json!({"session": &*adviser.session}).to_string()),
        reuse: Reuse::default(),
        hide_edits: false,
        price: None,
    }
}

/// A figure needs a finer clock than the engine's.
#[expect(
    clippy::disallowed_methods,
    reason = "a measurement, not a part of the engine"
)]
pub fn now() -> Instant {
    Instant::now()
}
