//! Tests how executions, streams and the loop itself end, and what a resume finds.

use std::time::Duration;

use super::kit::{Plan, Stage, adviser};
use crate::approved::{self, Approved};
use crate::resume;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, Status, ToolError};
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, RunCommand};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::state::{LedgerOutcome, Mode, State};
use overrule_domain::turn::{Stop, Stream, Turn};
use overrule_policy::{Policy, Preset};
use overrule_tools::builtin;
use overrule_tools::child::still_running;

/// The description of a stage's tools, unless a test gives another.
const SAME: &str = "does what a test says";

#[tokio::test(start_paused = true)]
async fn a_cancelled_attempt_ends_and_its_actual_outcome_is_reported() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "look", r#"{"n":1}"#).await;
    ask.call(1, "act", r#"{"n":2}"#).await;
    let (look, act) = (stage.runs().await, stage.runs().await);
    stage
        .until("both run", |stage| stage.state.agenda.running.len() == 2)
        .await;
    for args in [r#"{"n":1}"#, r#"{"n":2}"#] {
        let command = CallCommand::Cancel {
            attempt: None,
            call: stage.call(args),
            reason: "enough".into(),
        };
        stage.send(Command::Call(command)).await.unwrap();
    }
    look.cancel.cancelled().await;
    act.cancel.cancelled().await;
    stage
        .until("both ended", |stage| stage.state.agenda.running.is_empty())
        .await;
    let status = |args| stage.state.calls[&stage.call(args)].status.clone();
    assert_eq!(status(r#"{"n":1}"#), Status::Failed(ErrorClass::Cancelled));
    assert!(
        matches!(status(r#"{"n":2}"#), Status::OutcomeUnknown(_)),
        "the outcome of a cancelled write is unknown"
    );
}

/// A stage with the real tools in a directory.
fn real(dir: &std::path::Path) -> Stage {
    Stage::with(Plan {
        more: builtin::all(&builtin::Setup::default()),
        workspace: dir.canonicalize().unwrap(),
        ..Plan::default()
    })
}

async fn process_of(stage: &mut Stage) -> (u32, u64) {
    let process = |stage: &Stage| {
        let mut attempts = stage.state.calls.values().flat_map(|call| &call.attempts);
        attempts.find_map(|attempt| attempt.launch.process)
    };
    stage.until("a process", |stage| process(stage).is_some()).await;
    process(stage).unwrap()
}

#[tokio::test]
async fn a_cancelled_command_ends_with_all_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = real(dir.path());
    let ask = stage.prompt("go").await;
    ask.call(0, "shell", r#"{"command":"sleep 600 & sleep 600"}"#)
        .await;
    let (pid, ticks) = process_of(&mut stage).await;
    assert!(still_running(pid, ticks));
    let call = *stage.state.calls.keys().next().unwrap();
    let cancel = CallCommand::Cancel {
        attempt: None,
        call,
        reason: "enough".into(),
    };
    stage.send(Command::Call(cancel)).await.unwrap();
    stage
        .until("ended", |stage| stage.state.agenda.running.is_empty())
        .await;
    assert!(!still_running(pid, ticks));
}

#[tokio::test]
async fn a_shutdown_ends_children_and_leaves_what_was_in_flight_to_be_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = real(dir.path());
    let ask = stage.prompt("go").await;
    ask.call(0, "shell", r#"{"command":"sleep 600"}"#).await;
    let (pid, ticks) = process_of(&mut stage).await;
    stage.handle.shutdown().await;
    assert!(!still_running(pid, ticks));
    ask.cancel.cancelled().await;
    (&mut stage.driver).await.unwrap();
    let written = stage.written();
    let call = written.calls.values().next().unwrap();
    assert!(matches!(call.status, Status::Running(_)), "recorded as under way");
    assert_eq!(resume::interrupted(&written).len(), 1);
    // The run has ended: a command says so, and a second shutdown is no error.
    let command = Command::Run(RunCommand::Resume {});
    let refusal = stage.send(command).await.unwrap_err();
    assert!(refusal.message.contains("has ended"), "{}", refusal.message);
    stage.handle.shutdown().await;

    // The next process finds the call, asks about it, and runs nothing.
    let started = written.started.as_deref().unwrap().clone();
    let mut next = Stage::with(Plan {
        first: Some(resume::first_events(
            &written,
            &adviser(SAME, EffectClass::Write),
            started,
        )),
        state: written,
        ..Plan::default()
    });
    next.until("outcome unknown", |stage| {
        let mut queue = stage.state.queue();
        queue.any(|call| matches!(call.status, Status::OutcomeUnknown(_)))
    })
    .await;
    let entry = next.state.ledger.values().next().unwrap().clone();
    assert_eq!(entry.outcome, LedgerOutcome::Unknown);
}

#[tokio::test(start_paused = true)]
async fn the_model_is_not_asked_if_a_prompt_arrives_with_a_shutdown() {
    let mut stage = Stage::new();
    let prompt = Edit::InsertPrompt {
        after: None,
        text: "go".into(),
    };
    let commit = Command::Edit(EditCommand::Commit {
        edits: vec![prompt],
        effects_seen: None,
        reason: None,
        keep_later: false,
    });
    let (output, ()) = tokio::join!(biased; stage.send(commit), stage.handle.shutdown());
    output.expect("the prompt is active");
    assert!(
        stage.soon_asked().await.is_none(),
        "a request that is no longer needed"
    );
    assert_eq!(
        stage.written().turns.len(),
        2,
        "the prompt, and the turn that is asked for later"
    );
}

#[tokio::test(start_paused = true)]
async fn what_ended_by_itself_before_a_shutdown_is_a_fact() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    let run = stage.runs().await;
    let handle = stage.handle.clone();
    let shutdown = tokio::spawn(async move { handle.shutdown().await });
    run.ends(Outcome::ok("7"));
    shutdown.await.unwrap();
    let written = stage.written();
    let outcome = &written.ledger.values().next().unwrap().outcome;
    assert!(
        matches!(outcome, LedgerOutcome::Known(_) | LedgerOutcome::Running),
        "{outcome:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_process_of_what_has_just_begun_is_recorded_during_a_shutdown() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    let run = stage.runs().await;
    let handle = stage.handle.clone();
    // The shutdown is requested first, so that the loop receives the process while it waits for its calls.
    tokio::join!(biased; handle.shutdown(), async { (run.on_spawn)(7, 9) });
    let written = stage.written();
    let call = written.calls.values().next().unwrap();
    assert_eq!(call.attempts[0].launch.process, Some((7, 9)));
    assert!(
        matches!(call.status, Status::Running(_)),
        "who resumes finds it as under way"
    );
    assert_eq!(call.attempts[0].outcome, None);
    assert_eq!(resume::processes(&written), [(call.id, 7, 9)]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_during_a_shutdown_is_recorded_with_its_kind() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    let run = stage.runs().await;
    let handle = stage.handle.clone();
    let error = ToolError {
        class: ErrorClass::Unknown,
        message: "HTTP 503".into(),
        evidence: String::new(),
        hint: None,
        partial: None,
        executed: false,
        retry_after_ms: None,
    };
    // The shutdown is requested first, so that the loop receives the end while it waits for its calls.
    tokio::join!(biased; handle.shutdown(), async { run.ends(Outcome::err(error)) });
    let ends = stage.recorded(|event| match event {
        Event::Call(CallEvent::Finished { outcome, .. }) => Some(outcome.clone()),
        _ => None,
    });
    let [Outcome::Err(error)] = &ends[..] else {
        panic!("it failed, once: {ends:?}")
    };
    assert_eq!(error.class, ErrorClass::Transient);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_model_is_reported_and_can_be_stopped() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.text(0, "Let me th").await;
    let began = tokio::time::Instant::now();
    stage
        .until("the silence is reported", |stage| !stage.notices.is_empty())
        .await;
    assert!(began.elapsed() >= Duration::from_secs(60));
    assert!(
        stage.notices[0].contains("no data from the model for 60 s"),
        "{:?}",
        stage.notices
    );
    stage
        .until("it is reported again", |stage| stage.notices.len() == 3)
        .await;
    assert!(
        stage.notices[1].contains("no data from the model for 120 s"),
        "{:?}",
        stage.notices
    );
    assert!(
        stage.notices[2].contains("no data from the model for 180 s"),
        "{:?}",
        stage.notices
    );
    stage.send(Command::Run(RunCommand::StopTurn {})).await.unwrap();
    ask.cancel.cancelled().await;
    stage
        .until("paused", |stage| matches!(stage.state.mode, Mode::Paused(_)))
        .await;
    let is_aborted = |turn: &Turn| matches!(turn.stream, Stream::Aborted(_));
    assert!(stage.state.turns.values().any(is_aborted));
    stage.live(std::collections::BTreeMap::is_empty).await;
    stage.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn received_text_restarts_the_idle_timeout() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    ask.text(0, "still ").await;
    // Ten seconds short of a silence that began with this text, and long after one that began before it.
    tokio::time::sleep(Duration::from_secs(50)).await;
    ask.text(0, "here").await;
    ask.end(Stop::End).await;
    stage
        .until("an answer", |stage| matches!(stage.state.mode, Mode::Finished(_)))
        .await;
    assert!(stage.notices.is_empty(), "{:?}", stage.notices);
}

#[tokio::test(start_paused = true)]
async fn an_emergency_stop_ends_everything() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    let run = stage.runs().await;
    let stop = Command::Run(RunCommand::Stop {
        reason: "fire".into(),
    });
    stage.send(stop).await.unwrap();
    run.cancel.cancelled().await;
    ask.cancel.cancelled().await;
    stage
        .until("stopped", |stage| matches!(stage.state.mode, Mode::Stopped(_)))
        .await;
    stage
        .until("ended", |stage| stage.state.agenda.running.is_empty())
        .await;
    stage.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn only_what_was_decided_runs_and_only_while_it_is_what_was_decided() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    let _run = stage.runs().await;
    stage
        .until("it runs", |stage| stage.state.agenda.running.len() == 1)
        .await;
    let call = stage.state.calls.values().next().unwrap().clone();
    let Status::Running(attempt) = call.status else {
        panic!("it runs")
    };
    let rev = stage.state.nodes[&call.id].rev();
    let check = |about: &'static str, which| {
        Approved::from_decision(&stage.state, &adviser(about, EffectClass::Write), which)
    };
    let same = check(SAME, (call.id, rev, attempt)).unwrap();
    assert_eq!(
        (same.call(), same.tool(), &**same.bytes()),
        (call.id, "act", "{}")
    );
    // The tool is a different one now.
    let error = check("formats the disk", (call.id, rev, attempt)).unwrap_err();
    assert_eq!(error, approved::Error::Changed(call.id));
    // It runs a file that did not exist, or had different content, when the call was decided on.
    let which = (call.id, rev, attempt);
    let error = Approved::from_decision(&stage.state, &super::kit::running(SAME, "ls"), which).unwrap_err();
    assert_eq!(error, approved::Error::Changed(call.id));
    // There is no decision on another revision, another execution or another call.
    for which in [
        (call.id, rev.next(), attempt),
        (call.id, rev, overrule_domain::id::Attempt(9)),
        ("c99".parse().unwrap(), rev, attempt),
    ] {
        let error = check("does what a test says", which).unwrap_err();
        assert_eq!(error, approved::Error::Undecided(which.0));
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_does_not_outlive_the_definition_it_was_given_for() {
    let mut stage = Stage::with(Plan {
        policy: Policy::new(Preset::Supervised),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    ask.end(Stop::Calls).await;
    stage
        .until("a call waits", |stage| stage.state.queue().next().is_some())
        .await;
    // Approved and paused, so that it waits to be launched.
    let pause = Command::Run(RunCommand::Pause {
        reason: "wait".into(),
    });
    stage.send(pause).await.unwrap();
    let call = stage.state.queue().next().unwrap().clone();
    let approve = CallCommand::Approve {
        call: call.id,
        rev: stage.state.nodes[&call.id].rev(),
        digest: call.digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    };
    stage.send(Command::Call(approve)).await.unwrap();
    stage.handle.shutdown().await;
    let written = stage.written();

    let started = written.started.as_deref().unwrap().clone();
    let other = adviser("formats the disk", EffectClass::Write);
    let mut first = resume::first_events(&written, &other, started);
    first.push(Event::Run(RunEvent::Resumed {}));
    let mut next = Stage::with(Plan {
        policy: Policy::new(Preset::Supervised),
        about: "formats the disk",
        first: Some(first),
        state: written,
        ..Plan::default()
    });
    // It is asked for again, in its present form.
    next.until("a call waits", |stage| {
        let mut queue = stage.state.queue();
        queue.any(|one| one.status == Status::AwaitingApproval && one.digest != call.digest)
    })
    .await;
    next.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn pending_calls_are_checked_against_the_policy_of_the_resumed_run() {
    let mut stage = Stage::with(Plan {
        policy: Policy::new(Preset::Supervised),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    ask.end(Stop::Calls).await;
    stage
        .until("a call waits", |stage| stage.state.queue().next().is_some())
        .await;
    stage.handle.shutdown().await;
    let written = stage.written();
    let same = super::kit::advised_by(Preset::Supervised);
    let started = written.started.as_deref().unwrap().clone();
    let woken = |events: &[Event]| events.iter().any(|event| matches!(event, Event::Call(_)));
    assert!(!woken(&resume::first_events(&written, &same, started.clone())));
    let auto = super::kit::advised_by(Preset::Auto);
    assert!(woken(&resume::first_events(&written, &auto, started.clone())));
    let mut next = Stage::with(Plan {
        policy: Policy::new(Preset::Auto),
        first: Some(resume::first_events(&written, &auto, started)),
        state: written,
        ..Plan::default()
    });
    next.until("it runs", |stage| !stage.state.ledger.is_empty())
        .await;
}

/// A process that ended after a write was approved and before it began, and what a run on its
/// record records first.
async fn approved_write(under: Preset) -> (Stage, State) {
    let mut stage = Stage::new();
    let pause = RunCommand::Pause {
        reason: "look".into(),
    };
    let ask = stage.prompt("go").await;
    stage.send(Command::Run(pause)).await.unwrap();
    ask.call(0, "act", "{}").await;
    ask.end(Stop::Calls).await;
    stage
        .until("it is approved", |stage| !stage.state.agenda.queued.is_empty())
        .await;
    stage.handle.shutdown().await;
    let written = stage.written();
    let started = written.started.as_deref().unwrap().clone();
    let adviser = super::kit::advised_by(under);
    let next = Stage::with(Plan {
        policy: Policy::new(under),
        first: Some(resume::first_events(&written, &adviser, started)),
        state: written.clone(),
        ..Plan::default()
    });
    next.send(Command::Run(RunCommand::Resume {})).await.unwrap();
    (next, written)
}

#[tokio::test(start_paused = true)]
async fn approved_calls_are_checked_against_the_policy_of_the_resumed_run() {
    for (under, status) in [
        (Preset::ReadOnly, Status::Rejected),
        (Preset::Supervised, Status::AwaitingApproval),
    ] {
        let (mut next, written) = approved_write(under).await;
        assert!(written.ledger.is_empty());
        let active = status.clone();
        next.until("its status follows the policy", move |stage| {
            stage.state.calls.values().all(|call| call.status == active)
        })
        .await;
        assert!(next.soon_runs().await.is_none(), "{under}");
        assert!(next.state.ledger.is_empty(), "{under}");
    }
    let (mut next, _) = approved_write(Preset::Auto).await;
    next.runs().await;
}

#[test]
fn the_class_of_a_tool_is_part_of_its_definition() {
    // So that a tool that turns out to write asks again.
    let digest = |effect| {
        use overrule_domain::advice::Advice as _;
        let adviser = adviser("same words", effect);
        adviser.digest(
            "c1".parse().unwrap(),
            overrule_domain::id::Rev(1),
            ("act", "{}"),
            &[],
        )
    };
    assert_eq!(digest(EffectClass::Write), digest(EffectClass::Write));
    assert_ne!(digest(EffectClass::Write), digest(EffectClass::Read));
}
