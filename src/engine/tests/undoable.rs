//! Tests that a call waits for the first scan of the files, and starts with what could not be restored read-only.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::kit::{Plan, Stage};
use crate::advise::{FileTracking, TracksFiles};
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::files::FilePath;
use overrule_domain::sandbox::{Level, Profile, ReadOnly, Tracking};
use overrule_policy::{Policy, Preset};

/// A tracker that says what a test sets.
#[derive(Clone)]
struct Tracker(Arc<Mutex<Tracking>>);

impl TracksFiles for Tracker {
    fn tracking(&self) -> Tracking {
        self.0.lock().unwrap().clone()
    }
}

impl Tracker {
    fn new(tracking: Tracking) -> Self {
        Self(Arc::new(Mutex::new(tracking)))
    }

    fn set(&self, tracking: Tracking) {
        *self.0.lock().unwrap() = tracking;
    }

    fn ready(path: &str) -> Tracking {
        Tracking::Ready {
            not_restorable: [FilePath::new(path).unwrap()].into(),
        }
    }

    fn stage(&self, preset: Preset) -> Stage {
        Stage::with(Plan {
            profile: profile(),
            policy: Policy::new(preset).in_workspace(Path::new("/w")),
            files: FileTracking::by(Arc::new(self.clone())),
            ..Plan::default()
        })
    }
}

fn profile() -> Profile {
    Profile {
        level: Level::Workspace,
        write: vec!["/w".into()],
        ..Profile::default()
    }
}

fn limited(path: &str) -> Profile {
    Profile {
        read_only: ReadOnly {
            paths: vec![path.into()],
            repositories: true,
        },
        ..profile()
    }
}

const ARGS: &str = r#"{"n":1}"#;

#[tokio::test(start_paused = true)]
async fn an_allowed_call_starts_with_what_could_not_be_restored_read_only() {
    let tracker = Tracker::new(Tracker::ready("big.bin"));
    let mut stage = tracker.stage(Preset::Reversible);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", ARGS).await;
    let run = stage.runs().await;
    assert_eq!(run.profile.as_deref(), Some(&limited("/w/big.bin")));
    // The next call starts with what could not be restored then.
    run.ends(Outcome::ok("done"));
    tracker.set(Tracker::ready("other.bin"));
    ask.call(1, "act", r#"{"n":2}"#).await;
    let run = stage.runs().await;
    assert_eq!(run.profile.as_deref(), Some(&limited("/w/other.bin")));
}

#[tokio::test(start_paused = true)]
async fn another_preset_makes_nothing_read_only() {
    let tracker = Tracker::new(Tracker::ready("big.bin"));
    let mut stage = tracker.stage(Preset::Auto);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", ARGS).await;
    let run = stage.runs().await;
    assert_eq!(run.profile.as_deref(), Some(&profile()));
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_the_first_scan_and_is_allowed_then() {
    let tracker = Tracker::new(Tracking::NotYet);
    let mut stage = tracker.stage(Preset::Reversible);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", ARGS).await;
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    tracker.set(Tracker::ready("big.bin"));
    let run = stage.runs().await;
    assert_eq!(run.profile.as_deref(), Some(&limited("/w/big.bin")));
}

#[tokio::test(start_paused = true)]
async fn a_scan_that_takes_too_long_makes_the_call_ask() {
    let tracker = Tracker::new(Tracking::NotYet);
    let mut stage = tracker.stage(Preset::Reversible);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", ARGS).await;
    stage
        .until("it asks", |stage| stage.state.queue().count() == 1)
        .await;
    let call = stage.call(ARGS);
    let verdict = stage.state.calls[&call].verdict.clone().unwrap();
    assert_eq!(
        verdict.reason,
        "the first scan of the files takes longer than 10 s."
    );
    // What a person approves starts with the profile of the run, also if the scan is complete by then.
    tracker.set(Tracker::ready("big.bin"));
    let shown = &stage.state.calls[&call];
    let command = CallCommand::Approve {
        call,
        rev: stage.state.nodes[&call].rev(),
        digest: shown.digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    };
    stage.send(Command::Call(command)).await.unwrap();
    let run = stage.runs().await;
    assert_eq!(run.profile.as_deref(), Some(&profile()));
}

#[tokio::test(start_paused = true)]
async fn after_an_untracked_call_the_next_one_asks_with_the_reason() {
    let tracker = Tracker::new(Tracking::ready());
    let mut stage = tracker.stage(Preset::Reversible);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", ARGS).await;
    let run = stage.runs().await;
    tracker.set(Tracking::not("c3 ended untracked: scanning took longer than 2 s"));
    run.ends(Outcome::ok("done"));
    ask.call(1, "act", r#"{"n":2}"#).await;
    stage
        .until("it asks", |stage| stage.state.queue().count() == 1)
        .await;
    let call = stage.call(r#"{"n":2}"#);
    let verdict = stage.state.calls[&call].verdict.clone().unwrap();
    assert_eq!(
        verdict.reason,
        "c3 ended untracked: scanning took longer than 2 s."
    );
}

#[tokio::test(start_paused = true)]
async fn what_auto_allowed_does_not_start_as_undoable_without_read_only_paths() {
    let tracker = Tracker::new(Tracker::ready("big.bin"));
    let mut stage = tracker.stage(Preset::Auto);
    let ask = stage.prompt("go").await;
    let pause = RunCommand::Pause {
        reason: "a test".into(),
    };
    stage.send(Command::Run(pause)).await.unwrap();
    ask.call(0, "act", ARGS).await;
    stage
        .until("it is queued", |stage| {
            stage
                .state
                .calls
                .values()
                .any(|call| call.status == Status::Queued)
        })
        .await;
    let set = RunCommand::SetPolicy {
        policy: "reversible".into(),
    };
    stage.send(Command::Run(set)).await.unwrap();
    stage.send(Command::Run(RunCommand::Resume {})).await.unwrap();
    // It is decided again: it asks, or starts with read-only paths.
    stage
        .until("it is decided again", |stage| {
            stage.state.queue().count() == 1
                || stage
                    .state
                    .calls
                    .values()
                    .any(|call| matches!(call.status, Status::Running(_)))
        })
        .await;
    if stage.state.queue().count() == 0 {
        let run = stage.runs().await;
        assert_eq!(run.profile.as_deref(), Some(&limited("/w/big.bin")));
    }
}
