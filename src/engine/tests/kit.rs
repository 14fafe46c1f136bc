//! Test kit: a driver whose model, tools and log are controlled by a test.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::advise::{Adviser, Sandbox};
use crate::clock::Clock;
use crate::handle::{LiveTurns, Subscription};
use crate::log::{Log, Memory};
use crate::{Driver, Handle, Launch, Parts, Publication};
use overrule_domain::advice::ToolFacts;
use overrule_domain::apply::apply;
use overrule_domain::call::{EffectClass, FileCheck, Operand, Outcome};
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::run::{Confinement, Limits, Started, ToolCard};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::refusal::Refusal;
use overrule_domain::sandbox::Profile;
use overrule_domain::state::State;
use overrule_domain::turn::{Stop, StreamFault};
use overrule_model::{Chunk, Model, Request};
use overrule_policy::{Policy, Preset};
use overrule_tools::registry::Registry;
use overrule_tools::{Job, OnRefused, ReadOperands, Spec, Tool};

/// Longer than anything in a test takes, on a clock that jumps while everything waits.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Longer than anything takes that does not have to wait.
const SOON: Duration = Duration::from_secs(20);

/// A request that waits for what the test makes the model say.
pub struct Ask {
    pub request: Request,
    chunks: mpsc::Sender<Chunk>,
    done: oneshot::Sender<Result<(), StreamFault>>,
    pub cancel: CancellationToken,
}

impl Ask {
    pub async fn send(&self, chunk: Chunk) {
        self.chunks.send(chunk).await.unwrap();
    }

    /// Sends one whole call as part `part`.
    pub async fn call(&self, part: u32, tool: &str, args: &str) {
        let (id, name) = (Some(format!("id{part}")), tool.to_owned());
        self.send(Chunk::Call { part, id, name }).await;
        let delta = args.to_owned();
        self.send(Chunk::Args { part, delta }).await;
        self.send(Chunk::Sealed { part, opaque: None }).await;
    }

    pub async fn text(&self, part: u32, delta: &str) {
        let delta = delta.to_owned();
        self.send(Chunk::Text { part, delta }).await;
    }

    pub async fn end(self, stop: Stop) {
        self.send(Chunk::Finish(stop)).await;
        drop(self.chunks);
        self.done.send(Ok(())).unwrap();
    }

    pub async fn answer(self, text: &str) {
        self.text(0, text).await;
        self.end(Stop::End).await;
    }

    /// Reports success and closes the stream, but leaves out the end mark.
    pub fn done_without_a_mark(self) {
        drop(self.chunks);
        self.done.send(Ok(())).unwrap();
    }

    pub fn fail(self, fault: StreamFault) {
        drop(self.chunks);
        self.done.send(Err(fault)).unwrap();
    }
}

struct Puppet(mpsc::UnboundedSender<Ask>);

impl Model for Puppet {
    fn name(&self) -> String {
        "puppet".into()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        let (done, end) = oneshot::channel();
        let ask = Ask {
            request,
            chunks,
            done,
            cancel,
        };
        self.0.send(ask).unwrap();
        Box::pin(async move {
            match end.await {
                Ok(result) => result,
                // The test makes the model hang for ever.
                Err(_) => std::future::pending().await,
            }
        })
    }
}

/// An execution that waits for its outcome.
pub struct Run {
    pub tool: Arc<str>,
    pub text: Arc<str>,
    pub cancel: CancellationToken,
    /// The sandbox that it starts in.
    pub profile: Option<Arc<Profile>>,
    /// Reports what the sandbox refused.
    pub on_refused: OnRefused,
    /// Reports a process.
    pub on_spawn: Arc<dyn Fn(u32, u64) + Send + Sync>,
    end: oneshot::Sender<Outcome>,
}

impl Run {
    pub fn ends(self, outcome: Outcome) {
        // A cancelled execution does not listen any more.
        self.end.send(outcome).unwrap_or_default();
    }
}

struct Hand {
    spec: Spec,
    runs: mpsc::UnboundedSender<Run>,
    operands: Vec<Operand>,
}

impl Tool for Hand {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn operands(&self, _args: &str, _workspace: &std::path::Path) -> Option<ReadOperands> {
        let operands = self.operands.clone();
        Some(Box::new(move || operands))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (end, outcome) = oneshot::channel();
        let run = Run {
            tool: self.spec.card.name.clone(),
            text: job.text.clone(),
            cancel: job.cancel.clone(),
            profile: job.profile.clone(),
            on_refused: job.on_refused.clone(),
            on_spawn: job.on_spawn.clone(),
            end,
        };
        self.runs.send(run).unwrap();
        let executed = self.spec.card.effect.has_effect();
        Box::pin(async move {
            tokio::select! {
                biased;
                outcome = outcome => outcome.unwrap_or(Outcome::Cancelled { executed }),
                () = job.cancel.cancelled() => Outcome::Cancelled { executed },
            }
        })
    }
}

fn hand(name: &str, effect: EffectClass, about: &str, runs: &mpsc::UnboundedSender<Run>) -> Hand {
    let card = ToolCard {
        name: Arc::from(name),
        description: Arc::from(about),
        schema: json!({"type": "object"}).to_string().into(),
        effect,
        effect_by: None,
        tags: Vec::new(),
        pause_ms: 0,
        takes_truncated: false,
        confined: false,
        probe: None,
        compensate: None,
        origin: None,
    };
    let facts = ToolFacts {
        effect,
        takes_truncated: false,
        show_difference: false,
        special: None,
    };
    Hand {
        spec: Spec { card, facts },
        runs: runs.clone(),
        operands: Vec::new(),
    }
}

fn hands(about: &str, act: EffectClass, runs: &mpsc::UnboundedSender<Run>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(hand("look", EffectClass::Read, about, runs)),
        Arc::new(hand("act", act, about, runs)),
    ]
}

fn advised(tools: Vec<Arc<dyn Tool>>, policy: Policy, workspace: std::path::PathBuf) -> Adviser {
    Adviser {
        output: None,
        registry: Arc::new(Registry::new(tools).unwrap()),
        policy: Arc::new(policy),
        session: Arc::from("s"),
        workspace: Arc::new(workspace),
        shell: crate::advise::ShellStart::of_system(),
        environment: Arc::from(""),
        sandbox: "".into(),
        approver: None,
        headless: false,
        ladder: overrule_resilience::ladder::Ladder::default(),
        watch: overrule_resilience::watch::Watch::default(),
        now: None,
        caches: std::sync::Arc::default(),
        reader: crate::reader::Reader::default(),
        tracker: None,
    }
}

/// The adviser of a stage whose tools have this description, with `act` of this class.
pub fn adviser(about: &str, act: EffectClass) -> Adviser {
    let (runs, _) = mpsc::unbounded_channel();
    advised(hands(about, act, &runs), Policy::new(Preset::Auto), "/".into())
}

/// The same with the default description, under a preset.
pub fn advised_by(preset: Preset) -> Adviser {
    let (runs, _) = mpsc::unbounded_channel();
    let about = Plan::default().about;
    advised(
        hands(about, EffectClass::Write, &runs),
        Policy::new(preset),
        "/".into(),
    )
}

/// The same with an `act` that runs a file with this content.
pub fn running(about: &str, content: &str) -> Adviser {
    let (runs, _) = mpsc::unbounded_channel();
    let mut act = hand("act", EffectClass::Write, about, &runs);
    act.operands = vec![Operand {
        path: "run.sh".into(),
        bytes: 2,
        seen: FileCheck::Whole,
        hash: content.into(),
    }];
    advised(vec![Arc::new(act)], Policy::new(Preset::Auto), "/".into())
}

/// The parts of a stage.
pub struct Plan {
    pub policy: Policy,
    pub limits: Limits,
    pub about: &'static str,
    /// Tools in addition to `look` (reads) and `act` (writes).
    pub more: Vec<Arc<dyn Tool>>,
    pub workspace: std::path::PathBuf,
    /// The sandbox of `act`.
    pub profile: Profile,
    /// A log instead of the one in memory.
    pub log: Option<Box<dyn Log>>,
    /// The state recorded before.
    pub state: State,
    pub first: Option<Vec<Event>>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            policy: Policy::new(Preset::Auto),
            limits: Limits::default(),
            about: "does what a test says",
            more: Vec::new(),
            workspace: "/".into(),
            profile: Profile::default(),
            log: None,
            state: State::default(),
            first: None,
        }
    }
}

/// A driver on a stage.
pub struct Stage {
    pub handle: Handle,
    asks: mpsc::UnboundedReceiver<Ask>,
    runs: mpsc::UnboundedReceiver<Run>,
    subscription: Subscription,
    /// The fold of everything published.
    pub state: State,
    pub notices: VecDeque<String>,
    pub halted: Option<String>,
    /// Everything written to the log in memory.
    pub log: Arc<Mutex<Vec<Envelope>>>,
    pub driver: JoinHandle<()>,
}

impl Stage {
    pub fn new() -> Self {
        Self::with(Plan::default())
    }

    pub fn with(plan: Plan) -> Self {
        let (to_asks, asks) = mpsc::unbounded_channel();
        let (to_runs, runs) = mpsc::unbounded_channel();
        let mut tools = hands(plan.about, EffectClass::Write, &to_runs);
        tools.extend(plan.more);
        let mut adviser = advised(tools, plan.policy, plan.workspace);
        let mut confinement = Confinement::from("none");
        if plan.profile.confines() {
            let mut registry = (*adviser.registry).clone();
            registry.confine("act");
            adviser.registry = Arc::new(registry);
            adviser.sandbox = Sandbox::new(plan.profile);
            confinement = adviser.sandbox.recorded();
        }
        let started = Event::Run(RunEvent::Started(Box::new(Started {
            version: "0".into(),
            workspace: "/".into(),
            model: "puppet".into(),
            wire: "none".into(),
            system: Arc::from("system"),
            tools: adviser.cards(),
            policy: "auto".into(),
            limits: plan.limits,
            user: Arc::from("tester"),
            input: Arc::from("null"),
            setup: Arc::from("{}"),
            reuse: overrule_domain::event::run::Reuse::default(),
            hide_edits: false,
            price: None,
            sandbox: confinement,
        })));
        let memory = Memory::default();
        let log = memory.envelopes.clone();
        let (driver, handle) = Driver::new(Parts {
            state: plan.state,
            log: plan.log.unwrap_or(Box::new(memory)),
            adviser,
            launch: Launch::World(Arc::new(Puppet(to_asks))),
            clock: Clock::start(),
            notices: Vec::new(),
        });
        let received = handle.subscribe();
        let driver = tokio::spawn(driver.run(plan.first.unwrap_or_else(|| vec![started])));
        Self {
            handle,
            asks,
            runs,
            subscription: received,
            state: State::default(),
            notices: VecDeque::new(),
            halted: None,
            log,
            driver,
        }
    }

    pub async fn send(&self, command: Command) -> Result<Seq, Refusal> {
        self.handle
            .command(command, Actor::Operator("tester".into()))
            .await
    }

    /// Sends a prompt and receives the request that follows.
    pub async fn prompt(&mut self, text: &str) -> Ask {
        let edit = Edit::InsertPrompt {
            after: None,
            text: Arc::from(text),
        };
        self.send(Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            reason: None,
            keep_later: false,
        }))
        .await
        .unwrap();
        self.asked().await
    }

    pub async fn asked(&mut self) -> Ask {
        let ask = tokio::time::timeout(PATIENCE, self.asks.recv()).await;
        ask.expect("the model was not asked").unwrap()
    }

    pub async fn runs(&mut self) -> Run {
        let run = tokio::time::timeout(PATIENCE, self.runs.recv()).await;
        run.expect("no tool was run").unwrap()
    }

    /// Fails if a tool runs or the model is asked, however long one waits.
    pub async fn quiet(&mut self) {
        tokio::time::sleep(PATIENCE / 2).await;
        assert!(self.runs.try_recv().is_err(), "a tool was run");
        assert!(self.asks.try_recv().is_err(), "the model was asked");
    }

    /// Returns the next request, if one comes soon.
    pub async fn soon_asked(&mut self) -> Option<Ask> {
        tokio::time::timeout(SOON, self.asks.recv()).await.ok().flatten()
    }

    /// Returns the next execution, if one comes soon.
    pub async fn soon_runs(&mut self) -> Option<Run> {
        tokio::time::timeout(SOON, self.runs.recv()).await.ok().flatten()
    }

    /// Takes in everything published so far; returns true if the log has failed.
    pub async fn drain(&mut self) -> bool {
        while let Ok(Some(message)) = tokio::time::timeout(SOON, self.subscription.facts.recv()).await {
            self.take(message);
        }
        self.halted.is_some()
    }

    fn take(&mut self, message: Publication) {
        match message {
            Publication::Snapshot(state) => self.state = *state,
            Publication::Event(envelope) => apply(&mut self.state, &envelope),
            Publication::Notice(text) => self.notices.push_back(text),
            Publication::Halted(halt) => self.halted = Some(halt.to_string()),
            Publication::Ended => {}
        }
    }

    /// Takes in what is published until a condition holds.
    pub async fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            let message = tokio::time::timeout(PATIENCE, self.subscription.facts.recv()).await;
            let message = message.unwrap_or_else(|_| panic!("never: {what}"));
            self.take(message.unwrap_or_else(|| panic!("ended before: {what}")));
        }
    }

    /// Waits for open text that fulfils a condition.
    pub async fn live(&mut self, holds: impl Fn(&LiveTurns) -> bool) {
        let mut live = self.subscription.live.clone();
        let found = tokio::time::timeout(PATIENCE, live.wait_for(holds)).await;
        found.expect("never shown").unwrap();
    }

    /// Returns the call with these arguments.
    pub fn call(&self, args: &str) -> NodeId {
        let found = self.state.calls.keys().find(|id| {
            let node = self.state.nodes.get(id).unwrap();
            node.as_call().is_some_and(|(_, text)| &**text == args)
        });
        *found.unwrap_or_else(|| panic!("no call with {args}"))
    }

    /// Folds everything written so far.
    pub fn written(&self) -> State {
        overrule_domain::apply::fold(&*self.log.lock().unwrap())
    }

    /// Returns what was written of some kind.
    pub fn recorded<T>(&self, which: impl Fn(&Event) -> Option<T>) -> Vec<T> {
        let log = self.log.lock().unwrap();
        log.iter().filter_map(|envelope| which(&envelope.event)).collect()
    }
}
