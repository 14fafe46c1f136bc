//! Tests a driver that only records: a command is decided, and nothing starts.

use super::kit::{Plan, Stage, advised_by};
use crate::clock::Clock;
use crate::driver::record_only::Unrecorded;
use crate::log::Memory;
use crate::{Driver, Launch, Parts};
use overrule_domain::apply::fold;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::{NodeId, Rev, Seq};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::State;
use overrule_domain::turn::Stop;
use overrule_policy::{Policy, Preset};

/// Records a command on a session, and returns what was written.
fn record(state: &State, command: &Command) -> (Result<Seq, Unrecorded>, Vec<Envelope>) {
    let memory = Memory::default();
    let written = memory.envelopes.clone();
    let (driver, _) = Driver::new(Parts {
        state: state.clone(),
        log: Box::new(memory),
        adviser: advised_by(Preset::Guarded),
        launch: Launch::RecordOnly,
        clock: Clock::start(),
        notices: Vec::new(),
    });
    let recorded = driver.record_one(command, &Actor::Operator("tester".into()));
    let written = written.lock().unwrap().clone();
    (recorded, written)
}

fn approve(state: &State, call: NodeId) -> Command {
    Command::Call(CallCommand::Approve {
        call,
        rev: Rev(1),
        digest: state.calls[&call].digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    })
}

/// A run whose only call awaits approval.
async fn waiting() -> (Stage, NodeId) {
    let mut stage = Stage::with(Plan {
        policy: Policy::new(Preset::Guarded),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    ask.end(Stop::Calls).await;
    stage
        .until("the call waits", |stage| stage.state.queue().next().is_some())
        .await;
    let call = stage.call("{}");
    (stage, call)
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_recorded_and_launches_only_when_the_run_is_resumed() {
    let (stage, call) = waiting().await;
    stage.handle.shutdown().await;
    let before = stage.written();
    let (recorded, written) = record(&before, &approve(&before, call));
    assert_eq!(recorded, Ok(written.last().unwrap().seq));
    let begun = |one: &Envelope| matches!(one.event, Event::Call(CallEvent::Started { .. }));
    assert!(!written.iter().any(begun), "{written:?}");
    let mut all = stage.log.lock().unwrap().clone();
    all.extend(written);
    let state = fold(&all);
    assert_eq!(state.calls[&call].status, Status::Queued);

    let reopened = Event::Run(RunEvent::Reopened {
        interrupted: Vec::new(),
        version: "0".into(),
    });
    let mut resumed = Stage::with(Plan {
        policy: Policy::new(Preset::Guarded),
        state,
        first: Some(vec![reopened]),
        ..Plan::default()
    });
    let run = resumed.runs().await;
    assert_eq!(&*run.text, "{}");
    run.ends(Outcome::ok("1"));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_interrupted_is_taken_over_by_the_first_command_that_is_not_refused() {
    let (mut stage, call) = waiting().await;
    let state = stage.state.clone();
    stage.send(approve(&state, call)).await.unwrap();
    let _run = stage.runs().await;
    // Its process ends here, without a word.
    let killed = stage.written();
    assert!(matches!(killed.calls[&call].status, Status::Running(_)));
    let retry = Command::Call(CallCommand::Approve {
        call,
        rev: Rev(9),
        digest: killed.calls[&call].digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    });
    let (refused, written) = record(&killed, &retry);
    assert!(matches!(refused, Err(Unrecorded::Refused(_))), "{refused:?}");
    assert_eq!(written, [], "a refused command writes nothing");

    let pause = Command::Run(RunCommand::Pause { reason: "x".into() });
    let (recorded, written) = record(&killed, &pause);
    let kinds: Vec<&Event> = written.iter().map(|one| &one.event).collect();
    assert!(
        matches!(
            kinds[..],
            [Event::Run(RunEvent::Reopened { interrupted, .. }), Event::Run(RunEvent::Paused { .. }), ..]
                if interrupted.len() == 1
        ),
        "{kinds:?}"
    );
    assert_eq!(written[0].seq, killed.seq.next());
    assert_eq!(recorded, Ok(written.last().unwrap().seq));
}

#[tokio::test(start_paused = true)]
async fn a_sender_waits_for_room_or_is_refused_as_busy() {
    // This loop takes no message before the end of the test.
    let memory = Memory::default();
    let (driver, handle) = Driver::new(Parts {
        state: State::default(),
        log: Box::new(memory),
        adviser: advised_by(Preset::Guarded),
        launch: Launch::RecordOnly,
        clock: Clock::start(),
        notices: Vec::new(),
    });
    let pause = || Command::Run(RunCommand::Pause { reason: "x".into() });
    let actor = || Actor::Operator("tester".into());
    let mut sent = 0;
    let busy = loop {
        let offered = handle.offer(pause(), actor());
        if let Ok(answer) = tokio::time::timeout(std::time::Duration::ZERO, offered).await {
            break answer.unwrap_err();
        }
        sent += 1;
        assert!(sent < 100_000, "the inbox has no bound");
    };
    assert_eq!(busy.kind, RefusalKind::Busy);
    let waits = tokio::spawn(handle.command(pause(), actor()));
    tokio::task::yield_now().await;
    assert!(!waits.is_finished());
    let running = tokio::spawn(driver.run(Vec::new()));
    // It got its turn: the loop answers.
    let answer = waits.await.unwrap();
    let kind = answer.err().map(|refusal| refusal.kind);
    assert_ne!(kind, Some(RefusalKind::Busy));
    handle.shutdown().await;
    running.await.unwrap();
}
