//! A simulated world for the rules: it stamps and folds events, and queues what the run asks for.
//!
//! Must not know: what the rules should do.
//!
//! It does nothing until a test says so. It records every request and every execution, so that a
//! test can check what did not happen.

use super::check;
use overrule_domain::advice::Advice;
use overrule_domain::call::{EffectClass, ErrorClass, Gate, Outcome, Status, ToolError};
use overrule_domain::command::{Command, Edit};
use overrule_domain::effect::Effect;
use overrule_domain::envelope::{Actor, Envelope, Via};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent, SandboxEvent};
use overrule_domain::files::StepList;
use overrule_domain::fork::{ForkPreview, Reading, Ready};
use overrule_domain::id::{Attempt, NodeId, Rev, Seq, TurnId};
use overrule_domain::input::Input;
use overrule_domain::ladder::Timer;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::server_question::QuestionId;
use overrule_domain::state::State;
use overrule_domain::transcript::{Message, build};
use overrule_domain::turn::Stream;
use overrule_domain::{advance, apply, decide, effects, ready};

pub use super::rules::{Rules, sum};

mod look;
mod operator;
mod outside;
mod values;
mod waits;

pub use operator::UNDO;
use values::started_by;
pub use values::{answer, call, not_found, started, think};

/// A request that was made.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    pub turn: TurnId,
    pub messages: Vec<Message>,
}

/// An execution that was begun.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningCall {
    pub call: NodeId,
    pub rev: Rev,
    pub attempt: Attempt,
    pub tool: String,
    pub args: String,
    /// Asked to end.
    pub cancelled: bool,
}

/// The world.
pub struct World {
    pub state: State,
    pub log: Vec<Envelope>,
    pub rules: Rules,
    /// Streams that are open, oldest first.
    pub open: Vec<(TurnId, u32)>,
    /// Every request, in order.
    pub asked: Vec<RecordedRequest>,
    /// Executions under way in the world.
    pub running: Vec<RunningCall>,
    /// Every execution that was begun, in order.
    pub executed: Vec<RunningCall>,
    /// Every undone change that was to be given back.
    pub kept: Vec<String>,
    /// Every restore that was to be carried out, in order.
    pub restores: Vec<(NodeId, StepList)>,
    /// The steps of every restore that was to be cleared away, in order.
    pub cleared: Vec<StepList>,
    /// Every wait that was ever asked for, with the event with which it began.
    pub waits: Vec<(Timer, Seq)>,
    pub probes: Vec<(NodeId, Attempt)>,
    pub timers: Vec<(Timer, u64)>,
    /// Questions about arguments without an answer.
    pub questions: Vec<(NodeId, Rev, u32)>,
    /// Answers to questions of servers.
    pub replies: Vec<(QuestionId, Option<std::sync::Arc<str>>)>,
    /// Questions for a summary, by the event that asked.
    pub summaries: Vec<Seq>,
    /// Open questions to the operator's program, with the event with which each began.
    pub approvers: Vec<(NodeId, Seq)>,
    pub notes: Vec<String>,
    /// Events that still follow by themselves until the program dies.
    pub fuse: Option<usize>,
    /// Reports and commands that are still taken in before the world hears what it is asked for.
    pub late: usize,
    /// Checks run after every `every`-th event only: large sessions would take minutes.
    pub every: u64,
    asked_for: Vec<Effect>,
    following: bool,
    witness: check::Witness,
}

impl World {
    /// A run that has begun and has no prompt yet.
    pub fn bare(rules: Rules, limits: Limits) -> Self {
        let started = started_by(&rules, limits);
        let mut world = Self {
            state: State::default(),
            log: Vec::new(),
            rules,
            open: Vec::new(),
            asked: Vec::new(),
            running: Vec::new(),
            executed: Vec::new(),
            kept: Vec::new(),
            restores: Vec::new(),
            cleared: Vec::new(),
            waits: Vec::new(),
            probes: Vec::new(),
            timers: Vec::new(),
            questions: Vec::new(),
            replies: Vec::new(),
            summaries: Vec::new(),
            approvers: Vec::new(),
            notes: Vec::new(),
            fuse: None,
            late: 0,
            every: 1,
            asked_for: Vec::new(),
            following: false,
            witness: check::Witness::default(),
        };
        world.take(vec![Event::Run(RunEvent::Started(Box::new(started)))]);
        world
    }

    /// A run that was asked something and waits for the model.
    pub fn new() -> Self {
        Self::with(Rules::default())
    }

    pub fn with(rules: Rules) -> Self {
        Self::limited(rules, Limits::default())
    }

    pub fn limited(rules: Rules, limits: Limits) -> Self {
        let mut world = Self::bare(rules, limits);
        world
            .edit(Edit::InsertPrompt {
                after: None,
                text: "go".into(),
            })
            .unwrap();
        world
    }

    /// A run whose policy asks before these tools.
    pub fn asking(tools: &[&str]) -> Self {
        let gates = tools.iter().map(|tool| ((*tool).to_owned(), Gate::Ask)).collect();
        Self::with(Rules {
            gates,
            ..Rules::default()
        })
    }

    // ---- the loop

    pub fn record(&mut self, events: Vec<Event>) {
        let last = events.len().saturating_sub(1);
        for (index, event) in events.into_iter().enumerate() {
            let text = serde_json::to_string(&event).unwrap();
            let back: Event = serde_json::from_str(&text).unwrap();
            assert_eq!(back, event, "an event survives its JSON");
            let envelope = Envelope {
                seq: self.state.seq.next(),
                at: 0,
                mono: 0,
                actor: Actor::Engine,
                cause: self.state.seq,
                more: index < last,
                event,
            };
            self.witness.before(&self.state, &envelope);
            apply::apply(&mut self.state, &envelope);
            if matches!(
                envelope.event,
                Event::Run(RunEvent::RuleAdded { .. } | RunEvent::RuleDropped { .. })
            ) {
                self.rules.keep(&self.state.settings.rules);
            }
            if let Event::Sandbox(SandboxEvent::Widened { by }) = &envelope.event {
                self.rules.widen(std::slice::from_ref(by));
            }
            if let Event::Run(RunEvent::PolicyChanged { policy }) = &envelope.event {
                self.rules.take_policy(policy).unwrap();
            }
            self.log.push(envelope.clone());
            let whole = self.looks();
            self.witness.after(&self.state, &envelope, &self.rules, whole);
            self.asked_for.extend(effects::effects(&self.state, &envelope));
            if self.burns() {
                return;
            }
        }
    }

    /// True where the program dies at this event.
    fn burns(&mut self) -> bool {
        if self.fuse == Some(0) || !self.following {
            return self.fuse == Some(0);
        }
        self.fuse = self.fuse.map(|left| left - 1);
        self.fuse == Some(0)
    }

    /// Takes facts in with all that follows from them; then the world is asked.
    fn take(&mut self, events: Vec<Event>) {
        // A decision is whole or not there at all.
        self.record(events);
        self.follow();
        if self.fuse == Some(0) {
            self.fuse = None;
            self.crash();
            return;
        }
        self.late = self.late.saturating_sub(1);
        if self.late == 0 {
            self.act_all();
        }
    }

    /// Carries out the requests that the world has not seen yet.
    fn act_all(&mut self) {
        while !self.asked_for.is_empty() {
            let mut refused = Vec::new();
            for effect in std::mem::take(&mut self.asked_for) {
                refused.extend(self.act(effect));
            }
            for (call, rev, attempt) in refused {
                let outcome = Outcome::err(ToolError {
                    class: ErrorClass::Internal,
                    message: "withdrawn".into(),
                    evidence: "the engine".into(),
                    hint: None,
                    partial: None,
                    executed: false,
                    retry_after_ms: None,
                });
                let input = Input::Finished {
                    call,
                    rev,
                    attempt,
                    outcome,
                    ms: 0,
                    files: None,
                };
                let events = decide::input(&self.state, &input);
                self.record(events);
                self.follow();
            }
        }
    }

    /// True where everything is looked at.
    fn looks(&self) -> bool {
        self.state.seq.0.is_multiple_of(self.every)
    }

    pub fn follow(&mut self) {
        self.following = true;
        self.follow_on();
        self.following = false;
    }

    fn follow_on(&mut self) {
        // Each call takes a few steps to where it waits; nothing repeats.
        for _ in 0..40 + 8 * self.state.calls.len() {
            let events = advance::advance(&self.state, &self.rules);
            if self.looks() {
                let again = advance::advance(&self.state, &self.rules);
                assert_eq!(events, again, "advance is a function");
            }
            if events.is_empty() {
                if self.looks() {
                    check::at_rest(&self.state);
                }
                return;
            }
            self.record(events);
            if self.fuse == Some(0) {
                return;
            }
        }
        panic!(
            "advance does not end: {:?}",
            advance::advance(&self.state, &self.rules)
        );
    }

    /// Returns an execution that was withdrawn before it began.
    fn act(&mut self, effect: Effect) -> Option<(NodeId, Rev, Attempt)> {
        match effect {
            Effect::Ask {
                turn,
                thread,
                request,
                ..
            } => {
                let asked = &self.state.turns[&turn];
                if asked.asked != request || asked.stream != Stream::Open {
                    return None;
                }
                let mut messages = build::messages(&self.state, thread, Some(turn));
                check::transcript(&messages);
                messages.extend(build::notices(&self.state, &self.state.turns[&turn]));
                self.open.retain(|(one, _)| *one != turn);
                self.open.push((turn, request));
                self.asked.push(RecordedRequest { turn, messages });
            }
            Effect::KeepUndone { change, .. } => self.kept.push(change.path),
            Effect::Restore { restore, steps } => self.restores.push((restore, steps)),
            Effect::ClearRestore { steps } => self.cleared.push(steps),
            Effect::Abort { turn } => self.open.retain(|(one, _)| *one != turn),
            Effect::Launch {
                call, rev, attempt, ..
            } => {
                let life = &self.state.calls[&call];
                if life.status != Status::Running(attempt) || self.rev(call) != rev {
                    return Some((call, rev, attempt));
                }
                let args = ready::resolved_args(&self.state, life).unwrap();
                let (tool, _) = self.state.nodes[&call].as_call().unwrap();
                let launched = RunningCall {
                    call,
                    rev,
                    attempt,
                    tool: tool.to_string(),
                    args: args.to_string(),
                    cancelled: false,
                };
                let writes = life.effect.has_effect();
                for other in &self.running {
                    assert_ne!(other.call, call, "two executions of one call overlap");
                    let resource = |one: &str| self.rules.resource(tool.as_ref(), one);
                    let shared = resource(&other.args).is_some() && resource(&other.args) == resource(&args);
                    let other_writes = Rules::effect(&other.tool).is_some_and(EffectClass::has_effect);
                    assert!(
                        !(shared && writes && other_writes),
                        "two writers of one path overlap"
                    );
                }
                assert!(
                    self.running.len() < self.state.settings.limits.parallel as usize
                        || self.state.mode != overrule_domain::state::Mode::Running,
                    "more run than may"
                );
                self.running.push(launched.clone());
                self.executed.push(launched);
            }
            Effect::Cancel { call, attempt } => {
                for one in &mut self.running {
                    one.cancelled |= one.call == call && one.attempt == attempt;
                }
            }
            Effect::Probe { call, attempt } => self.probes.push((call, attempt)),
            Effect::AskRepair { call, rev, round, .. } => {
                if !self.questions.contains(&(call, rev, round)) {
                    self.questions.push((call, rev, round));
                }
            }
            Effect::ReplyToServer { question, answer } => self.replies.push((question, answer)),
            Effect::AskSummary { set, .. } => self.summaries.push(set),
            Effect::AskApprover { call, set } => {
                if !self.approvers.contains(&(call, set)) {
                    self.approvers.push((call, set));
                }
            }
            Effect::EndApprover { call } => self.approvers.retain(|(one, _)| *one != call),
            Effect::Timer { timer, set, ms } => {
                self.waits.push((timer.clone(), set));
                self.timers.retain(|(one, _)| *one != timer);
                self.timers.push((timer, ms));
            }
            Effect::Notify { why } => self.notes.push(why),
        }
        None
    }

    pub fn input(&mut self, input: Input) {
        let events = decide::input(&self.state, &input);
        self.take(events);
    }

    /// Carries out a command; a refused one leaves no trace.
    pub fn cmd(&mut self, command: Command) -> Result<(), Refusal> {
        let text = serde_json::to_string(&command).unwrap();
        assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), command);
        let events = decide::command(&self.state, &self.rules, &command)?;
        self.take(events);
        Ok(())
    }

    /// A new world, forked after an event of this one or at its end, and not opened yet.
    pub fn fork(&self, at: Option<Seq>, made: i64) -> (Self, ForkPreview) {
        let mut reading = Reading::up_to(at);
        self.log
            .iter()
            .for_each(|envelope| reading.take(envelope.clone()));
        let Ready {
            point,
            preview: predicted,
        } = reading.finish("s1").expect("a run has begun there");
        let mut world = Self::bare(self.rules.clone(), Limits::default());
        (world.state, world.log) = (State::default(), Vec::new());
        world.witness = check::Witness::default();
        world.every = self.every;
        let count = usize::try_from(predicted.at.0).unwrap();
        let facts = predicted.facts(&Actor::operator("me".into(), Via::Shell), made);
        for envelope in self.log[..count].iter().chain(&facts) {
            if envelope.seq == predicted.at.next() {
                assert_eq!(world.state, point, "the preview is computed from these events");
            }
            world.witness.before(&world.state, envelope);
            apply::apply(&mut world.state, envelope);
            world.log.push(envelope.clone());
            let whole = world.looks();
            world.witness.after(&world.state, envelope, &world.rules, whole);
        }
        (world, predicted)
    }

    /// The program dies and is started again on its journal.
    pub fn crash(&mut self) {
        let state = apply::fold(&self.log);
        assert_eq!(state, self.state, "the journal gives the state");
        self.open.clear();
        self.running.clear();
        self.timers.clear();
        self.questions.clear();
        self.approvers.clear();
        self.asked_for.clear();
        self.late = 0;
        let interrupted: Vec<(NodeId, Attempt)> = self
            .state
            .agenda
            .running
            .iter()
            .map(|id| (*id, self.state.calls[id].last_attempt().unwrap().no))
            .collect();
        self.take(vec![Event::Run(RunEvent::Reopened {
            interrupted,
            version: "test".into(),
        })]);
    }
}

/// The kind of a refusal; a test fails where nothing was refused.
pub fn kind(result: Result<(), Refusal>) -> RefusalKind {
    result.expect_err("this must be refused").kind
}
