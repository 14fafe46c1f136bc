//! Tests a log that cannot be written: nothing starts, and every listener is notified.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::kit::{Ask, Plan, Run, Stage};
use crate::log::{Log, Unwritten};
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::turn::Stop;

/// A log whose nth append or sync fails, and every later one too.
struct Flaky {
    appends: usize,
    syncs: usize,
    flushed: Arc<AtomicUsize>,
    fails_at: Fails,
}

#[derive(Clone, Copy)]
enum Fails {
    Append(usize),
    Sync(usize),
}

impl Flaky {
    fn broken(&self) -> bool {
        match self.fails_at {
            Fails::Append(n) => self.appends >= n,
            Fails::Sync(n) => self.syncs >= n,
        }
    }

    fn result(&self) -> Result<(), Unwritten> {
        if self.broken() {
            return Err("no room on the disk".to_owned().into());
        }
        Ok(())
    }
}

impl Log for Flaky {
    fn append(&mut self, _: &Envelope) -> Result<(), Unwritten> {
        if matches!(self.fails_at, Fails::Append(_)) {
            self.appends += 1;
        }
        self.result()
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        self.result()?;
        self.flushed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        if matches!(self.fails_at, Fails::Sync(_)) {
            self.syncs += 1;
        }
        self.flush()
    }
}

fn stage(fails_at: Fails) -> Stage {
    let log = Flaky {
        appends: 0,
        syncs: 0,
        flushed: Arc::default(),
        fails_at,
    };
    Stage::with(Plan {
        log: Some(Box::new(log)),
        ..Plan::default()
    })
}

/// Drives a run of two calls until the log fails; returns how many executions had begun.
async fn drive(stage: &mut Stage) -> usize {
    let mut begun = 0;
    let prompt = overrule_domain::command::Edit::InsertPrompt {
        after: None,
        text: Arc::from("go"),
    };
    let command = Command::Edit(overrule_domain::command::EditCommand::Commit {
        edits: vec![prompt],
        effects_seen: None,
        reason: None,
        keep_later: false,
    });
    if stage.send(command).await.is_err() {
        return begun;
    }
    let Some(ask) = stage.soon_asked().await else {
        return begun;
    };
    ask.call(0, "act", r#"{"n":1}"#).await;
    if let Some(run) = stage.soon_runs().await {
        begun += 1;
        run.ends(Outcome::ok("1"));
    }
    ask.call(1, "act", r#"{"n":2}"#).await;
    if let Some(run) = stage.soon_runs().await {
        begun += 1;
        run.ends(Outcome::ok("2"));
    }
    ask.end(Stop::Calls).await;
    if let Some(next) = stage.soon_asked().await {
        next.answer("done").await;
        stage.soon_asked().await;
    }
    begun
}

async fn fails(fails_at: Fails) -> (usize, bool) {
    let mut stage = stage(fails_at);
    let begun = drive(&mut stage).await;
    let refusal = stage
        .send(Command::Run(RunCommand::Pause { reason: "x".into() }))
        .await;
    let reported = stage.drain().await;
    // Every execution that began is among the published events, which are those on disk.
    assert_eq!(
        stage.state.ledger.len(),
        begun,
        "an effect without its intent on disk"
    );
    if !reported {
        return (begun, false);
    }
    let refusal = refusal.expect_err("nothing can be decided any more");
    assert_eq!(refusal.kind, RefusalKind::Journal);
    assert!(refusal.message.contains("no room on the disk"));
    let halted = stage.halted.as_deref().unwrap();
    assert!(
        halted.starts_with("no room on the disk: the session cannot be written"),
        "{halted}"
    );
    stage.quiet().await;
    // A later subscriber is notified too.
    let mut late = stage.handle.subscribe().facts;
    let mut halted = false;
    while let Ok(Some(reported)) = tokio::time::timeout(std::time::Duration::from_secs(1), late.recv()).await
    {
        halted |= matches!(reported, crate::Publication::Halted(_));
    }
    assert!(halted);
    stage.handle.shutdown().await;
    (begun, true)
}

#[tokio::test(start_paused = true)]
async fn wherever_an_append_fails_no_effect_starts_after_it() {
    let mut last = 0;
    for n in 1.. {
        let (begun, halted) = fails(Fails::Append(n)).await;
        assert!(begun >= last, "a later failure lets no fewer begin");
        last = begun;
        if !halted {
            assert!(n > 20, "a run has more facts than {n}");
            break;
        }
    }
    assert_eq!(last, 2);
}

#[tokio::test(start_paused = true)]
async fn wherever_a_sync_fails_no_effect_starts_after_it() {
    let mut last = 0;
    for n in 1.. {
        let (begun, halted) = fails(Fails::Sync(n)).await;
        assert!(begun >= last);
        last = begun;
        if !halted {
            assert!(
                n > 4,
                "the start, the prompt, two intents and the answer are synced"
            );
            break;
        }
    }
    assert_eq!(last, 2);
}

/// A log that refuses events that contain a word, and keeps all others.
#[derive(Clone, Default)]
struct Picky {
    waiting: Arc<Mutex<Vec<Envelope>>>,
    records: Arc<Mutex<Vec<Envelope>>>,
}

const UNWRITABLE: &str = "unwritable";

impl Log for Picky {
    fn append(&mut self, envelope: &Envelope) -> Result<(), Unwritten> {
        if format!("{:?}", envelope.event).contains(UNWRITABLE) {
            return Err("it is too long".to_owned().into());
        }
        self.waiting.lock().unwrap().push(envelope.clone());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        self.records
            .lock()
            .unwrap()
            .append(&mut self.waiting.lock().unwrap());
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        self.flush()
    }
}

#[tokio::test(start_paused = true)]
async fn records_written_before_a_refused_record_stay_and_are_confirmed() {
    let log = Picky::default();
    let mut stage = Stage::with(Plan {
        log: Some(Box::new(log.clone())),
        ..Plan::default()
    });
    let run = |command| {
        let command = Command::Run(command);
        stage.handle.command(command, Actor::Operator("tester".into()))
    };
    // Both are taken in one batch.
    let (before, refused) = tokio::join!(
        run(RunCommand::Pause {
            reason: "look".into()
        }),
        run(RunCommand::Title {
            title: UNWRITABLE.into()
        }),
    );
    before.expect("it is recorded");
    let refused = refused.expect_err("it is not");
    assert_eq!(refused.kind, RefusalKind::Journal);
    assert!(
        refused.message.contains("it is too long") && refused.message.contains("not done"),
        "{}",
        refused.message
    );
    assert!(
        stage.drain().await,
        "every listener is notified that nothing more begins"
    );
    let reported = stage.state.seq;
    let stored = log.records.lock().unwrap().last().map(|envelope| envelope.seq);
    assert_eq!(stored, Some(reported), "the reported text is the stored text");
    stage.handle.shutdown().await;
    let all = log.records.lock().unwrap();
    assert_eq!(
        all.last().map(|envelope| envelope.seq),
        Some(reported),
        "nothing comes after it"
    );
    assert!(
        log.waiting.lock().unwrap().is_empty(),
        "and nothing is left to be written later"
    );
}

/// A log that can be written until the test says otherwise.
#[derive(Clone, Default)]
struct Filling {
    no_append: Arc<AtomicBool>,
    no_sync: Arc<AtomicBool>,
}

fn unless(broken: &AtomicBool) -> Result<(), Unwritten> {
    if broken.load(Ordering::Relaxed) {
        return Err("no room on the disk".to_owned().into());
    }
    Ok(())
}

impl Log for Filling {
    fn append(&mut self, _: &Envelope) -> Result<(), Unwritten> {
        unless(&self.no_append)
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        unless(&self.no_sync)
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        unless(&self.no_sync)
    }
}

/// A stage with an open stream and two calls that run.
async fn at_work(log: &Filling) -> (Stage, Ask, [Run; 2]) {
    let mut stage = Stage::with(Plan {
        log: Some(Box::new(log.clone())),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", r#"{"n":1}"#).await;
    ask.call(1, "act", r#"{"n":2}"#).await;
    let runs = [stage.runs().await, stage.runs().await];
    stage
        .until("both run", |stage| stage.state.agenda.running.len() == 2)
        .await;
    (stage, ask, runs)
}

fn cancel(stage: &Stage, args: &str) -> Command {
    Command::Call(CallCommand::Cancel {
        attempt: None,
        call: stage.call(args),
        reason: "enough".into(),
    })
}

async fn refused(stage: &Stage, command: Command) -> String {
    let refusal = stage.send(command).await.expect_err("it cannot be recorded");
    assert_eq!(refusal.kind, RefusalKind::Journal);
    refusal.message
}

#[tokio::test(start_paused = true)]
async fn what_runs_can_be_ended_although_nothing_can_be_recorded_any_more() {
    let log = Filling::default();
    let (mut stage, ask, [first, second]) = at_work(&log).await;
    log.no_append.store(true, Ordering::Relaxed);
    let pause = Command::Run(RunCommand::Pause { reason: "x".into() });
    let halts = refused(&stage, pause.clone()).await;
    assert!(halts.contains("not done"), "{halts}");

    let output = refused(&stage, cancel(&stage, r#"{"n":1}"#)).await;
    assert!(output.contains("ended, but this is not recorded"), "{output}");
    first.cancel.cancelled().await;
    assert!(!second.cancel.is_cancelled(), "not requested");
    assert!(!ask.cancel.is_cancelled(), "not requested either");
    // It has ended by itself: there is nothing left to end.
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let again = refused(&stage, cancel(&stage, r#"{"n":1}"#)).await;
    assert!(again.contains("not done"), "{again}");

    let output = refused(&stage, Command::Run(RunCommand::StopTurn {})).await;
    assert!(output.contains("ended, but this is not recorded"), "{output}");
    ask.cancel.cancelled().await;
    assert!(!second.cancel.is_cancelled());
    let stop = Command::Run(RunCommand::Stop {
        reason: "fire".into(),
    });
    let output = refused(&stage, stop.clone()).await;
    assert!(output.contains("ended, but this is not recorded"), "{output}");
    second.cancel.cancelled().await;
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    for nothing in [stop, pause] {
        let output = refused(&stage, nothing).await;
        assert!(output.contains("not done"), "{output}");
    }
    assert!(stage.drain().await);
    assert_eq!(
        stage.state.agenda.running.len(),
        2,
        "their ends are not reported as facts"
    );
    stage.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_that_is_the_first_to_be_not_recorded_ends_the_call_all_the_same() {
    for syncs in [false, true] {
        let log = Filling::default();
        let (mut stage, ask, [first, second]) = at_work(&log).await;
        let broken = if syncs { &log.no_sync } else { &log.no_append };
        broken.store(true, Ordering::Relaxed);
        let output = refused(&stage, cancel(&stage, r#"{"n":1}"#)).await;
        let words = if syncs {
            "it is unknown whether this was recorded"
        } else {
            "ended, but this is not recorded"
        };
        assert!(output.contains(words), "{output}");
        first.cancel.cancelled().await;
        assert!(!second.cancel.is_cancelled() && !ask.cancel.is_cancelled());
        stage.quiet().await;
    }
}
