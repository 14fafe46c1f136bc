//! Tests of the loop with a scripted model, a journal in memory and a controlled clock.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Driver, INBOX, Launch, Parts};
use crate::Handle;
use crate::advise::Adviser;
use crate::approved::{Approved, Error};
use crate::clock::Clock;
use crate::log::{Log, Unwritten};
use overrule_domain::apply::fold;
use overrule_domain::call::Decision;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::run::{Limits, Started};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::{Attempt, Rev};
use overrule_domain::input::Input;
use overrule_domain::state::State;
use overrule_model::scripted::{Playbook, Scripted};
use overrule_policy::expiry::Deadline;
use overrule_policy::{Policy, Preset};
use overrule_tools::builtin;
use overrule_tools::registry::Registry;

/// Calls the shell once, then waits.
const SHELL: &str = "[meta]\nname = \"one\"\n[[rule]]\nthink = \"I run it.\"\n\
                     [[rule.call]]\ntool = \"shell\"\nargs = { command = \":\" }\n";

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<Envelope>>>);

impl Memory {
    fn has(&self, which: impl Fn(&Event) -> bool) -> bool {
        self.0
            .lock()
            .unwrap()
            .iter()
            .any(|envelope| which(&envelope.event))
    }
}

impl Log for Memory {
    fn append(&mut self, envelope: &Envelope) -> Result<(), Unwritten> {
        self.0.lock().unwrap().push(envelope.clone());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }
}

fn adviser(policy: Policy) -> Adviser {
    Adviser {
        output: None,
        registry: Arc::new(Registry::new(builtin::all(&builtin::Setup::default())).unwrap()),
        policy: Arc::new(policy),
        session: "session".into(),
        workspace: Arc::new(PathBuf::from("/")),
        shell: crate::advise::ShellStart::of_system(),
        environment: "".into(),
        sandbox: "none".into(),
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

fn started(adviser: &Adviser, limits: Limits) -> Event {
    Event::Run(RunEvent::Started(Box::new(Started {
        version: String::new(),
        workspace: "/".into(),
        model: "scripted".into(),
        wire: "scripted".into(),
        system: "".into(),
        tools: adviser.cards(),
        policy: adviser.policy.preset().to_string(),
        sandbox: "none".into(),
        limits,
        user: "tester".into(),
        input: "null".into(),
        setup: "".into(),
        reuse: overrule_domain::event::run::Reuse::default(),
        hide_edits: false,
        price: None,
    })))
}

/// Starts a run whose only call waits for approval.
async fn waiting(policy: Policy, limits: Limits) -> (Memory, Handle) {
    let memory = Memory::default();
    let adviser = adviser(policy);
    let first = started(&adviser, limits);
    let (driver, handle) = Driver::new(Parts {
        state: State::default(),
        log: Box::new(memory.clone()),
        adviser,
        launch: Launch::World(Arc::new(Scripted::new(
            Playbook::parse("one", SHELL).unwrap(),
            false,
        ))),
        clock: Clock::start(),
        notices: Vec::new(),
    });
    tokio::spawn(driver.run(vec![first]));
    let prompt = Command::Edit(EditCommand::Commit {
        edits: vec![Edit::InsertPrompt {
            after: None,
            text: "go".into(),
        }],
        effects_seen: None,
        reason: None,
        keep_later: false,
    });
    handle
        .command(prompt, Actor::Operator("tester".into()))
        .await
        .unwrap();
    while !memory.has(|event| matches!(event, Event::Call(CallEvent::Asked { .. }))) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (memory, handle)
}

#[tokio::test(start_paused = true)]
async fn waits_for_the_operator_do_not_count_as_working_time() {
    let limits = Limits {
        wall_ms: Some(60_000),
        ..Limits::default()
    };
    let (memory, handle) = waiting(Policy::new(Preset::Guarded), limits).await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    handle.shutdown().await;
    assert!(!memory.has(|event| matches!(event, Event::Run(RunEvent::LimitReached { .. }))));
}

#[tokio::test(start_paused = true)]
async fn a_question_with_a_deadline_does_not_hold_the_end_up() {
    let deadline = Deadline {
        ms: 3_600_000,
        on_expiry: overrule_domain::call::Consequence::Deny,
    };
    let policy = Policy::new(Preset::Guarded).with_deadline(Some(deadline));
    let (memory, handle) = waiting(policy, Limits::default()).await;
    let began = tokio::time::Instant::now();
    handle.shutdown().await;
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "took {:?}",
        began.elapsed()
    );
    assert!(!memory.has(|event| matches!(event, Event::Call(CallEvent::Decided { .. }))));
}

/// Folds a run's events followed by these.
fn state_with(memory: &Memory, more: Vec<CallEvent>) -> State {
    let mut all = memory.0.lock().unwrap().clone();
    for event in more {
        let mut next = all.last().unwrap().clone();
        next.seq = next.seq.next();
        next.event = Event::Call(event);
        all.push(next);
    }
    fold(&all)
}

/// Creates a driver that has not started yet and has an approved call to launch next.
async fn about_to_launch() -> (Driver, Memory) {
    let (memory, handle) = waiting(Policy::new(Preset::Guarded), Limits::default()).await;
    handle.shutdown().await;
    let state = state_with(&memory, Vec::new());
    let call = state.queue().next().unwrap();
    let approve = Command::Call(CallCommand::Approve {
        call: call.id,
        rev: Rev(1),
        digest: call.digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    });
    let (mut driver, _) = Driver::new(Parts {
        state,
        log: Box::new(memory.clone()),
        adviser: adviser(Policy::new(Preset::Guarded)),
        launch: Launch::World(Arc::new(Scripted::new(
            Playbook::parse("one", SHELL).unwrap(),
            false,
        ))),
        clock: Clock::start(),
        notices: Vec::new(),
    });
    driver.command(&approve, &Actor::Operator("tester".into()), None);
    (driver, memory)
}

#[tokio::test(start_paused = true)]
async fn the_last_decisions_before_a_shutdown_are_recorded_and_launch_nothing() {
    let launched =
        |memory: &Memory| memory.has(|event| matches!(event, Event::Call(CallEvent::Started { .. })));
    let (mut driver, memory) = about_to_launch().await;
    driver.conclude();
    assert!(launched(&memory));
    assert_eq!(
        driver.executor.as_ref().unwrap().open_runs(),
        1,
        "else nothing would have been launched"
    );

    let (mut driver, memory) = about_to_launch().await;
    driver.conclude_for_good();
    assert!(launched(&memory), "the decision is valid");
    assert_eq!(driver.executor.as_ref().unwrap().open_runs(), 0);
}

#[tokio::test]
async fn an_execution_that_waits_to_report_does_not_hold_the_end_up() {
    let (mut driver, _memory) = about_to_launch().await;
    let handle = driver.executor.as_ref().unwrap().inbox().clone();
    for _ in 0..INBOX {
        handle.notice("the inbox is full".into());
    }
    driver.conclude();
    let began = tokio::time::Instant::now();
    let reports = driver.end_tasks().await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "took {:?}",
        began.elapsed()
    );
    let ended = |input: &Input| matches!(input, Input::Finished { .. });
    assert_eq!(
        reports.iter().filter(|input| ended(input)).count(),
        1,
        "{reports:?}"
    );
}

/// A change to the process that continues the run.
type Change = fn(&mut Adviser);

#[tokio::test(start_paused = true)]
async fn only_what_was_decided_on_may_run() {
    let (memory, handle) = waiting(Policy::new(Preset::Guarded), Limits::default()).await;
    handle.shutdown().await;
    let adviser = adviser(Policy::new(Preset::Guarded));
    let asked = state_with(&memory, Vec::new());
    let life = asked.queue().next().unwrap();
    let which = (life.id, Rev(1), Attempt(1));
    let decided = |decision| CallEvent::Decided {
        call: life.id,
        rev: Rev(1),
        digest: life.digest.clone(),
        decision,
    };
    let started = CallEvent::Started {
        call: life.id,
        rev: Rev(1),
        attempt: Attempt(1),
        key: "".into(),
        same: "".into(),
        effect: life.effect,
        task: None,
        before: None,
        thread: None,
        guards: Vec::new(),
    };
    let approve = decided(Decision::Approve {
        unread: 0,
        shown: None,
    });
    let reject = decided(Decision::Reject {
        reason: String::new(),
    });

    let good = state_with(&memory, vec![approve.clone(), started.clone()]);
    let approved = Approved::from_decision(&good, &adviser, which).unwrap();
    assert_eq!(&**approved.bytes(), "{\"command\":\":\"}");

    let refuse = |events| Approved::from_decision(&state_with(&memory, events), &adviser, which).unwrap_err();
    assert_eq!(refuse(vec![started.clone()]), Error::Undecided(life.id));
    assert_eq!(refuse(vec![approve.clone()]), Error::Undecided(life.id));
    assert_eq!(
        refuse(vec![approve, reject, started]),
        Error::Undecided(life.id),
        "the last word counts"
    );

    let surroundings: [(&str, Change); 5] = [
        ("session", |adviser| adviser.session = "another".into()),
        ("directory", |adviser| {
            adviser.workspace = Arc::new(PathBuf::from("/tmp"));
        }),
        ("environment", |adviser| adviser.environment = "PATH".into()),
        ("sandbox", |adviser| adviser.sandbox = "level 1".into()),
        // The same name stands for something else: no tool at all.
        ("tools", |adviser| {
            adviser.registry = Arc::new(Registry::default());
        }),
    ];
    for (what, change) in surroundings {
        let mut elsewhere = adviser.clone();
        change(&mut elsewhere);
        assert_eq!(
            Approved::from_decision(&good, &elsewhere, which).unwrap_err(),
            Error::Changed(life.id),
            "another {what}"
        );
    }
    let other = (life.id, Rev(2), Attempt(1));
    assert!(Approved::from_decision(&good, &adviser, other).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_task_that_does_not_listen_holds_the_end_up_for_less_than_a_second() {
    let (driver, handle) = Driver::new(Parts {
        state: State::default(),
        log: Box::new(Memory::default()),
        adviser: adviser(Policy::new(Preset::Guarded)),
        launch: Launch::World(Arc::new(Scripted::new(
            Playbook::parse("one", SHELL).unwrap(),
            false,
        ))),
        clock: Clock::start(),
        notices: Vec::new(),
    });
    driver.executor.as_ref().unwrap().hang();
    let began = tokio::time::Instant::now();
    let running = tokio::spawn(driver.run(Vec::new()));
    handle.shutdown().await;
    running.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}
