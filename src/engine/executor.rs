//! Carries out effects: asks models, runs and cancels tools, watches deadlines.
//!
//! Must not know: what follows from a report.
//!
//! A task sends its reports through the inbox, and waits while that is full. The loop must not wait for itself: it
//! takes the reports of the executor itself from [`Executor::own_report`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::advise::parse_args;
use super::approved::Approved;
use super::approver::Approver;
use super::clock::Clock;
use super::handle::{Handle, Message};
use super::held_workspace::HeldWorkspace;
use super::model_request::ModelRequest;
use super::open_streams::OpenStreams;
use super::questions::Questions;
use super::reader::Reader;
use super::side_request::{SidePurpose, SideReply, SideRequest};
use super::tracked::{self, Tracking, Window};
use overrule_domain::call::{Answer, ErrorClass, Outcome, ToolError};
use overrule_domain::files::StepList;
use overrule_domain::id::{Attempt, NodeId, Rev, Seq, TurnId};
use overrule_domain::input::Input;
use overrule_domain::ladder::Timer;
use overrule_domain::sandbox::KeptChange;
use overrule_domain::server_question::QuestionId;
use overrule_files::Tracker;
use overrule_model::{Model, Request};
use overrule_tools::child;
use overrule_tools::registry::Registry;
use overrule_tools::run::{Limits, run};
use overrule_tools::{Job, Withheld};

/// Default of the time without data from the model after which the operator is notified.
const IDLE_NOTICE: Duration = Duration::from_secs(60);

/// How long the end waits for tasks that do not listen. Leaving takes at most a second.
const FOR_TASKS: Duration = Duration::from_millis(500);
/// How long it waits while children end: they get two seconds between SIGTERM and SIGKILL.
const FOR_CHILDREN: Duration = Duration::from_secs(6);
/// Interval at which it looks.
const LOOK: Duration = Duration::from_millis(20);

/// The running tasks of one process.
pub struct Executor {
    model: Arc<dyn Model>,
    registry: Arc<Registry>,
    workspace: HeldWorkspace,
    reader: Reader,
    inbox: Handle,
    clock: Clock,
    asks: OpenStreams,
    runs: BTreeMap<(NodeId, Attempt), CancellationToken>,
    timers: BTreeMap<Timer, (Seq, CancellationToken)>,
    /// Open questions outside the conversation.
    asides: BTreeSet<SidePurpose>,
    /// Open questions of servers.
    questions: Questions,
    /// The program that is asked about calls, if there is one.
    approver: Option<Arc<Approver>>,
    /// The open questions to it, with the event with which each began.
    approvals: BTreeMap<NodeId, (Seq, CancellationToken)>,
    /// Tracks what executions change.
    files: Tracking,
    /// Time without data from the model after which the operator is notified.
    idle_notice: Duration,
    /// Reports that no task sends.
    own: VecDeque<Input>,
    /// Cancelled when this process is done with the run.
    end: CancellationToken,
    tasks: TaskTracker,
}

impl Executor {
    /// Creates an executor without tasks.
    pub fn new(
        model: Arc<dyn Model>,
        registry: Arc<Registry>,
        (workspace, reader): (Arc<std::path::PathBuf>, Reader),
        inbox: Handle,
        clock: Clock,
    ) -> Self {
        Self {
            model,
            registry,
            workspace: HeldWorkspace::open(workspace),
            reader,
            inbox,
            clock,
            asks: OpenStreams::default(),
            runs: BTreeMap::new(),
            timers: BTreeMap::new(),
            asides: BTreeSet::new(),
            questions: Questions::default(),
            approver: None,
            files: Tracking::default(),
            idle_notice: IDLE_NOTICE,
            approvals: BTreeMap::new(),
            own: VecDeque::new(),
            end: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Returns true if requests need the whole context.
    pub fn reads_history(&self) -> bool {
        self.model.reads_history()
    }

    /// Asks the model; blocks are reported as they complete.
    pub fn ask(&mut self, (turn, request): (TurnId, u32), mut what: Request) {
        what.quirks.extend(self.model.quirks());
        tracing::debug!(turn = turn.0, request, "asking the model");
        let job = ModelRequest {
            turn,
            request,
            inbox: self.inbox.clone(),
            asked: self.asks.begin(turn),
            idle_notice: self.idle_notice,
        };
        let model = self.model.clone();
        self.tasks.spawn(async move {
            job.stream(model, what).await;
        });
    }

    /// Asks the model a question outside the conversation, after a wait. Does nothing if it is already open.
    pub fn send_side_request(&mut self, purpose: SidePurpose, wait_ms: u64, mut question: SideRequest) {
        question.quirks.extend(self.model.quirks());
        if !self.asides.insert(purpose) {
            return;
        }
        tracing::debug!(?purpose, "asking the model outside the conversation");
        let (model, inbox, end) = (self.model.clone(), self.inbox.clone(), self.end.child_token());
        self.tasks.spawn(async move {
            if wait_ms > 0 {
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(wait_ms)) => {}
                    () = end.cancelled() => return,
                }
            }
            // The process that continues the run asks again.
            let server: Arc<str> = Arc::from(model.name());
            if let Some(SideReply {
                reply,
                passing,
                usage,
                learned,
            }) = super::side_request::ask(model, question, end).await
            {
                for (quirk, words) in learned {
                    let learned = Input::QuirkLearned {
                        server: server.clone(),
                        quirk: quirk.into(),
                        words: words.into(),
                    };
                    inbox.send(Message::Input(learned)).await;
                }
                let answered = purpose.report(reply, passing, usage);
                inbox.send(Message::Input(answered)).await;
            }
        });
    }

    /// Notifies the operator when the model sends nothing for this time.
    pub fn set_idle_notice(&mut self, after: Duration) {
        self.idle_notice = after;
    }

    /// Tracks the files that executions change.
    pub fn set_tracker(&mut self, tracker: Option<Tracker>) {
        self.files = Tracking::by(tracker);
    }

    /// Starts the first scan of the files, unless it was started.
    pub fn start_tracking(&self) {
        self.files.start();
    }

    /// Returns a notice about a report of an execution whose changes are not known; once for each reason.
    pub fn untracked(&mut self, input: &Input) -> Option<String> {
        self.files.untracked(input)
    }

    /// Lets a program be asked about calls.
    pub fn set_approver(&mut self, approver: Approver) {
        self.approver = Some(Arc::new(approver));
    }

    /// Asks the program about a call. Does nothing if that question is already open.
    pub fn ask_approver(&mut self, call: NodeId, set: Seq, question: Option<String>) {
        if self.approvals.get(&call).is_some_and(|(open, _)| *open == set) {
            return;
        }
        self.end_approver(call);
        let inbox = self.inbox.clone();
        let answered = move |(answer, reason)| Input::ApproverAnswered {
            call,
            set,
            answer,
            reason,
        };
        let (Some(approver), Some(question)) = (self.approver.clone(), question) else {
            let gone = "it is no longer in the settings".to_owned();
            self.own.push_back(answered((Answer::Ask, gone)));
            return;
        };
        let end = self.end.child_token();
        self.approvals.insert(call, (set, end.clone()));
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                // The process that continues the run asks again.
                () = end.cancelled() => {}
                answer = approver.ask(&question) => inbox.send(Message::Input(answered(answer))).await,
            }
        });
    }

    /// Ends the question to the program about a call.
    pub fn end_approver(&mut self, call: NodeId) {
        if let Some((_, end)) = self.approvals.remove(&call) {
            end.cancel();
        }
    }

    /// Answers a question of a server; a second answer has no effect.
    pub fn reply(&self, question: QuestionId, answer: Option<Arc<str>>) {
        self.questions.reply(question, answer);
    }

    /// Restores the content of an undone change. `again` says that an earlier process may have done it.
    pub fn keep_undone(&mut self, change: KeptChange, again: bool) {
        let KeptChange { call, path, from } = change;
        if again && std::path::Path::new(&from).symlink_metadata().is_err() {
            return;
        }
        let report = move |path, from, why| Input::NotKept {
            call,
            path,
            from,
            why,
        };
        let Some(sandbox) = self.registry.sandbox().cloned() else {
            let why = "this process has no sandbox for the run".to_owned();
            self.own.push_back(report(path, from, why));
            return;
        };
        let inbox = self.inbox.clone();
        self.tasks.spawn(async move {
            let (place, content) = (path.clone(), from.clone());
            let kept = tokio::task::spawn_blocking(move || sandbox.keep(&place, &content)).await;
            let why = match kept {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            let why = overrule_base::text::visible(&why);
            inbox.send(Message::Input(report(path, from, why))).await;
        });
    }

    /// Restores files, and reports what was not restored.
    pub fn restore(&mut self, restore: NodeId, steps: StepList) {
        let (inbox, under_way) = (self.inbox.clone(), self.files.restoring.clone());
        let tracker = self.files.tracker.clone();
        self.tasks.spawn(async move {
            let skipped = tracked::restored(tracker, steps).await;
            inbox
                .send(Message::Input(Input::Restored { restore, skipped }))
                .await;
            drop(under_way);
        });
    }

    /// Removes what a restore prepared that is left as it is.
    pub fn clear_restore(&self, steps: StepList) {
        let tracker = self.files.tracker.clone();
        self.tasks
            .spawn_blocking(move || tracked::clear(tracker.as_ref(), &steps));
    }

    /// Forgets what a report has ended.
    pub fn reported(&mut self, input: &Input) {
        match input {
            Input::Finished { call, attempt, .. } => {
                self.runs.remove(&(*call, *attempt));
                self.questions.end((*call, *attempt));
            }
            Input::RepairAnswered { call, rev, round, .. } => {
                _ = self.asides.remove(&SidePurpose::Repair {
                    call: *call,
                    rev: *rev,
                    round: *round,
                });
            }
            Input::SummaryAnswered { set, .. } => _ = self.asides.remove(&SidePurpose::Summary { set: *set }),
            Input::ApproverAnswered { call, .. } => self.end_approver(*call),
            // A timer that was restarted is kept.
            Input::Elapsed { timer, set }
                if self.timers.get(timer).is_some_and(|(newest, _)| newest == set) =>
            {
                self.timers.remove(timer);
            }
            _ => {}
        }
    }

    /// Takes the next report that no task sent.
    pub fn own_report(&mut self) -> Option<Input> {
        self.own.pop_front()
    }

    /// Begins a batch of effects: its launches look at the workspace once.
    pub fn begin_batch(&mut self) {
        self.workspace.begin_batch();
    }

    /// Closes the stream of a turn. Returns false if none was open.
    pub fn abort(&self, turn: TurnId) -> bool {
        self.asks.abort(turn)
    }

    /// Runs exactly what was approved, with the idempotency key that was recorded for it, without what rules keep from it.
    pub fn launch(&mut self, approved: &Approved, key: Arc<str>, withheld: Withheld) {
        let (call, rev, attempt) = (approved.call(), approved.rev(), approved.attempt());
        tracing::debug!(%call, attempt = attempt.0, "launching");
        let Some(tool) = self.registry.get(approved.tool()).cloned() else {
            self.report(
                call,
                rev,
                attempt,
                unrun(format!("the tool `{}` no longer exists", approved.tool())),
            );
            return;
        };
        // An agent runs its calls where it is.
        let is_own = !tool.spec().card.is_of_agent();
        let replaced = is_own.then(|| self.workspace.is_replaced_in_batch(&self.reader));
        if let Some(why) = replaced.flatten() {
            self.report(call, rev, attempt, unrun(why));
            return;
        }
        let cancel = CancellationToken::new();
        self.runs.insert((call, attempt), cancel.clone());
        let window = self.files.window(approved, &*tool);
        let inbox = self.inbox.clone();
        let (spawned, tasks) = (self.inbox.clone(), self.tasks.clone());
        let (confined, reports) = (self.inbox.clone(), self.tasks.clone());
        let clock = self.clock;
        let (tails, printed) = (self.inbox.tails().clone(), self.inbox.tails().clone());
        tails.begin(call, attempt);
        let job = Job {
            call,
            args: parse_args(approved.bytes()),
            key,
            text: approved.bytes().clone(),
            workspace: self.workspace.path.clone(),
            private: self.registry.private().clone(),
            withheld,
            cancel,
            on_spawn: Arc::new(move |pid, ticks| {
                let spawn = Input::Spawned {
                    call,
                    attempt,
                    pid,
                    ticks,
                };
                // A tool cannot wait here.
                if let Some(left) = spawned.begin(Message::Input(spawn)) {
                    tasks.spawn(left);
                }
            }),
            on_refused: Arc::new(move |refused| {
                let confine = Input::Confined {
                    call,
                    attempt,
                    refused,
                };
                if let Some(left) = confined.begin(Message::Input(confine)) {
                    reports.spawn(left);
                }
            }),
            profile: approved.profile().cloned(),
            sandbox: self.registry.sandbox().cloned(),
            on_output: Arc::new(move |bytes| printed.push(call, attempt, bytes)),
            ask: self.questions.of((call, attempt), self.inbox.clone()),
        };
        let leaving = self.end.clone();
        self.tasks.spawn(async move {
            let window = tracked::open(window, &job.cancel, &inbox).await;
            let began = clock.mono_ms();
            let (outcome, files) = match window {
                Err(why) => (unrun(format!("{call} did not begin: {why}")), None),
                Ok(window) => {
                    let limits = Limits::of(&*tool);
                    let outcome = run(tool, job, limits).await;
                    (outcome, Window::close(window, &leaving).await)
                }
            };
            let ms = clock.mono_ms().saturating_sub(began);
            tails.end(call, attempt);
            let finished = Input::Finished {
                call,
                rev,
                attempt,
                outcome,
                ms,
                files,
            };
            inbox.send(Message::Input(finished)).await;
        });
    }

    /// Replaces the tools. Running calls keep theirs.
    pub fn set_registry(&mut self, registry: Arc<Registry>) {
        self.registry = registry;
    }

    /// Reports an execution that could not begin.
    pub fn refuse(&mut self, call: NodeId, rev: Rev, attempt: Attempt, why: String) {
        self.report(call, rev, attempt, unrun(why));
    }

    fn report(&mut self, call: NodeId, rev: Rev, attempt: Attempt, outcome: Outcome) {
        self.own.push_back(Input::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms: 0,
            files: None,
        });
    }

    /// Cancels an execution. Returns false if it does not run.
    pub fn cancel(&self, call: NodeId, attempt: Attempt) -> bool {
        tracing::debug!(%call, attempt = attempt.0, "cancelling");
        let under_way = self.runs.get(&(call, attempt));
        if let Some(cancel) = under_way {
            cancel.cancel();
        }
        under_way.is_some()
    }

    /// Finds out whether an execution with an unknown outcome happened: of this tool, with these arguments, and
    /// with what was noted before it.
    pub fn probe(
        &mut self,
        call: NodeId,
        attempt: Attempt,
        (tool, args, before): (&str, &str, Option<&str>),
    ) {
        let finding = before.and_then(|before| {
            let before = serde_json::from_str(before).ok()?;
            let known = Arc::clone(self.registry.get(tool)?);
            let (value, workspace) = (parse_args(args), Arc::clone(&self.workspace.path));
            let job = move || known.probe(&value, &before, &workspace);
            self.reader.read((tool, args), job).flatten()
        });
        self.own.push_back(Input::Probed {
            call,
            attempt,
            finding,
        });
    }

    /// Reports when some time has passed. An earlier wait for the same timer ends, but its report may be on its way.
    pub fn timer(&mut self, timer: Timer, set: Seq, ms: u64) {
        let end = self.end.child_token();
        if let Some((_, before)) = self.timers.insert(timer.clone(), (set, end.clone())) {
            before.cancel();
        }
        let inbox = self.inbox.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                // The process that resumes the run restarts the wait.
                () = end.cancelled() => {}
                () = tokio::time::sleep(Duration::from_millis(ms)) => {
                    inbox.send(Message::Input(Input::Elapsed { timer, set })).await;
                }
            }
        });
    }

    /// Ends everything, and waits a limited time for it: for children that may end by themselves, not for a task that
    /// does not listen.
    pub async fn shut_down(&mut self) {
        self.end.cancel();
        self.asks.abort_all();
        for cancel in self.runs.values() {
            cancel.cancel();
        }
        self.tasks.close();
        let mut ended = std::pin::pin!(self.tasks.wait());
        let began = tokio::time::Instant::now();
        // A task whose child has ended has its time to report that.
        let mut quiet_since = began;
        while tokio::time::timeout(LOOK, &mut ended).await.is_err() {
            // A restore that is cut off needs the operator.
            if child::is_any_ending() || self.files.is_restoring() {
                quiet_since = tokio::time::Instant::now();
            }
            if quiet_since.elapsed() >= FOR_TASKS || began.elapsed() >= FOR_CHILDREN {
                break;
            }
        }
    }

    /// Starts a task that never ends, whatever it is asked.
    #[cfg(test)]
    pub(super) fn hang(&self) {
        self.tasks.spawn(std::future::pending::<()>());
    }

    /// Returns the way to the loop.
    #[cfg(test)]
    pub(super) const fn inbox(&self) -> &Handle {
        &self.inbox
    }

    /// Returns the number of executions under way.
    #[cfg(test)]
    pub(super) fn open_runs(&self) -> usize {
        self.runs.len()
    }

    /// Returns the number of open streams.
    #[cfg(test)]
    pub(super) fn open_asks(&self) -> usize {
        self.asks.len()
    }
}

fn unrun(message: String) -> Outcome {
    Outcome::err(ToolError {
        class: ErrorClass::Structural,
        message,
        evidence: "checked before the launch".into(),
        hint: None,
        partial: None,
        executed: false,
        retry_after_ms: None,
    })
}
