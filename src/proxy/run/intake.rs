//! Takes in the requests of an agent one after the other: in stages, between which the engine records what they add.
//!
//! Must not know: formats, how a decision is made, which messages there are.

use std::sync::Arc;

use super::Attached;
use super::incoming::{New, Pending};
use super::request::Step;
use super::task::{Done, Task};
use overrule_base::text::visible_head;
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, Resolution, RunCommand};
use overrule_domain::decide::edit::of_agent::OF_AGENTS_USER;
use overrule_domain::envelope::Actor;
use overrule_domain::id::Seq;
use overrule_domain::state::Mode;
use overrule_engine::Handle;

/// Maximum characters of a refusal in a notice.
const MAX_REASON: usize = 200;
/// Why a call is rejected whose agent did not wait for it.
const GONE: &str = "the agent hung up and went on without this call";
/// Why a call is rejected whose agent's user interrupted it, or said something else.
const INTERRUPTED: &str = "the agent's user interrupted";

/// What is done next with the request that is taken in.
pub(super) enum Stage {
    /// It is decided what it is.
    Place(Box<Pending>),
    /// What it adds is recorded: it waits for the run to ask, and its results are given to their calls.
    Keep(Box<Pending>, New),
    /// Nothing. The next one may be taken in.
    Done,
}

/// The request that is taken in. Requests are taken in one after the other.
pub(super) enum Intake {
    /// None.
    Idle,
    /// The engine works for it.
    Working,
    /// This follows once the fact of this number is known here.
    Next(Stage, Option<Seq>),
}

impl Task {
    /// Does what is next with the request that is taken in. What is recorded decides what a request is.
    pub(super) fn continue_intake(&mut self) {
        loop {
            let is_known = |after: Option<Seq>| {
                self.state.has_ended || after.is_none_or(|after| self.state.state.seq >= after)
            };
            match std::mem::replace(&mut self.intake, Intake::Working) {
                Intake::Next(Stage::Place(pending), after) if is_known(after) => self.place(pending),
                Intake::Next(Stage::Keep(pending, new), after) if is_known(after) => {
                    self.keep(*pending, &new);
                }
                Intake::Next(Stage::Done, after) if is_known(after) => {
                    self.look();
                    self.intake = Intake::Idle;
                }
                Intake::Idle if self.state.is_loaded || self.state.has_ended => {
                    self.requests.retain(|pending| !pending.connection.is_closed());
                    let Some(pending) = self.requests.pop_front() else {
                        self.intake = Intake::Idle;
                        return;
                    };
                    self.report(pending);
                }
                waits => {
                    self.intake = waits;
                    return;
                }
            }
        }
    }

    /// Reports what a request says besides its messages.
    fn report(&mut self, pending: Box<Pending>) {
        let input = self.state.report(&pending);
        let engine = self.engine();
        self.work(async move {
            if let (Some(input), Some(engine)) = (input, engine) {
                engine.report(input).await;
            }
            Done::Intake(Stage::Place(pending), None)
        });
    }

    /// Answers a request, or records what it adds.
    fn place(&mut self, pending: Box<Pending>) {
        self.state.has_agent_ended = false;
        let reply = self.state.reply.as_ref();
        let had_hung_up = reply.is_some_and(|reply| !reply.is_connected());
        let tail = self.state.tail(&pending);
        match self.state.step(pending, &tail) {
            Step::Done => {
                if had_hung_up {
                    self.notice("the agent is connected again".to_owned());
                }
                self.intake = Intake::Idle;
            }
            Step::Retransmit(pending, what) => {
                self.state.retransmit(what, *pending);
                self.look();
                self.notice("the agent is connected again: it gets the reply that waits".to_owned());
                self.intake = Intake::Idle;
            }
            Step::Ask { pending, is_repeated } => {
                let rejection = pending.incoming.rejection;
                let new = New {
                    tail,
                    is_repeated,
                    rejection,
                };
                self.record(pending, new);
            }
        }
    }

    /// Records what a request adds, and ends what the agent does not wait for any more.
    fn record(&mut self, pending: Box<Pending>, new: New) {
        let tools = self.state.offer(&pending.incoming.request);
        let attached = self.attached();
        let toolbox = tools.zip(self.run.upgrade()).zip(attached.as_ref());
        let toolbox = toolbox.map(|((tools, run), attached)| attached.toolbox(&tools, &run));
        let has_words = !new.is_repeated && !new.tail.words.is_empty();
        let is_no = has_words || new.tail.is_interrupted && !new.is_repeated;
        let why = if is_no { INTERRUPTED } else { GONE };
        let (stop, rejections) = self.state.abandon(has_words, why);
        let has_withdrawn = stop.is_some() || !rejections.is_empty();
        if is_no && has_withdrawn {
            self.notice(withdrawn(rejections.len()));
        }
        self.state.is_interrupted = is_no && (has_withdrawn || new.tail.is_interrupted);
        let was_running = matches!(self.state.state.mode, Mode::Running);
        self.work(async move {
            let Some(Attached { handle: engine, .. }) = attached else {
                return Done::Intake(Stage::Keep(pending, new), None);
            };
            if let Some(toolbox) = toolbox {
                engine.tools(toolbox).await;
            }
            let mut recorder = Recorder { engine, newest: None };
            let has_stopped = match stop {
                Some(stop) => recorder.record(stop).await && was_running,
                None => false,
            };
            // Before the rejections: the turn after them answers these words.
            if has_words {
                recorder.record(prompt(&new.tail.words)).await;
            }
            for rejection in rejections {
                recorder.record(rejection).await;
            }
            if has_stopped {
                // The agent's user stopped a reply, not the run.
                recorder.record(Command::Run(RunCommand::Resume {})).await;
            }
            Done::Intake(Stage::Keep(pending, new), recorder.newest)
        });
    }

    /// Keeps a request for the run to ask, and ends the calls whose results it has.
    fn keep(&mut self, pending: Pending, new: &New) {
        let mut resolved = Vec::new();
        for (call, outcome) in self.state.keep(pending, new) {
            match (self.state.with_agent.remove(&call), outcome) {
                // An error means that the execution was cancelled meanwhile.
                (Some(waits), outcome) => waits.send(outcome).unwrap_or_default(),
                (None, Outcome::Ok { value, .. }) => {
                    let what = Resolution::Happened { value };
                    let attempt = None;
                    resolved.push(Command::Call(CallCommand::Resolve { call, attempt, what }));
                }
                (None, _) => {}
            }
        }
        let engine = self.engine();
        self.work(async move {
            let Some(engine) = engine else {
                return Done::Intake(Stage::Done, None);
            };
            let mut recorder = Recorder { engine, newest: None };
            for command in resolved {
                recorder.record(command).await;
            }
            Done::Intake(Stage::Done, recorder.newest)
        });
    }
}

/// Gives commands for a request of the agent one after the other.
struct Recorder {
    engine: Handle,
    /// The newest fact that they caused.
    newest: Option<Seq>,
}

impl Recorder {
    /// Gives a command. Returns false if it was refused; the operator sees a notice.
    async fn record(&mut self, command: Command) -> bool {
        match self.engine.command(command, Actor::Engine).await {
            Ok(seq) => {
                self.newest = self.newest.max(Some(seq));
                true
            }
            Err(refusal) => {
                self.engine.notice(format!(
                    "what the agent sent could not be recorded: {}",
                    visible_head(&refusal.message, MAX_REASON)
                ));
                false
            }
        }
    }
}

/// The command that records what the agent's user wrote.
fn prompt(words: &str) -> Command {
    let edit = Edit::InsertPrompt {
        after: None,
        text: Arc::from(words),
    };
    Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: Some(Arc::from(OF_AGENTS_USER)),
        keep_later: false,
    })
}

/// Says that the agent's user interrupted, and how many calls are rejected for it.
fn withdrawn(calls: usize) -> String {
    match calls {
        0 => "the agent's user interrupted: the reply was stopped".to_owned(),
        1 => "the agent's user interrupted: 1 call that waited is rejected".to_owned(),
        calls => format!("the agent's user interrupted: {calls} calls that waited are rejected"),
    }
}
