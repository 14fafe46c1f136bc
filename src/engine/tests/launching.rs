//! Tests when a call starts, and when it does not.

use std::sync::Arc;
use std::time::Duration;

use super::kit::{Plan, Stage};
use overrule_domain::call::{Consequence, Decision, Gate, Outcome, Status};
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::node::Node;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Stop, Stream};
use overrule_policy::expiry::Deadline;
use overrule_policy::{Policy, Preset};

fn asking() -> Policy {
    Policy::new(Preset::Supervised)
}

#[tokio::test(start_paused = true)]
async fn a_sealed_call_starts_before_the_stream_has_ended() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "look", r#"{"n":1}"#).await;
    let run = stage.runs().await;
    assert_eq!((&*run.tool, &*run.text), ("look", r#"{"n":1}"#));
    // The second call begins while the first runs and the stream is open.
    ask.call(1, "act", r#"{"n":2}"#).await;
    let second = stage.runs().await;
    run.ends(Outcome::ok("1"));
    let first = r#"{"n":1}"#;
    stage
        .until("the first has ended", |stage| {
            stage.state.calls.len() == 2 && stage.state.calls[&stage.call(first)].status == Status::Succeeded
        })
        .await;
    let open = stage
        .state
        .turns
        .values()
        .filter(|turn| turn.stream == Stream::Open);
    assert_eq!(open.count(), 1, "the stream has not ended");
    second.ends(Outcome::ok("2"));
    ask.end(Stop::Calls).await;
    let next = stage.asked().await;
    let results = next
        .request
        .messages
        .iter()
        .filter(|message| matches!(message, overrule_domain::transcript::Message::Result { .. }));
    assert_eq!(results.count(), 2);
    next.answer("done").await;
    stage
        .until("the answer", |stage| {
            matches!(stage.state.mode, Mode::Finished(_))
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_one_time_than_allowed() {
    let limits = Limits {
        parallel: 2,
        ..Limits::default()
    };
    let mut stage = Stage::with(Plan {
        limits,
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    for n in 0..5 {
        ask.call(n, "look", &format!("{{\"n\":{n}}}")).await;
    }
    ask.end(Stop::Calls).await;
    let (first, second) = (stage.runs().await, stage.runs().await);
    stage.quiet().await;
    first.ends(Outcome::ok("0"));
    let third = stage.runs().await;
    stage.quiet().await;
    second.ends(Outcome::ok("0"));
    third.ends(Outcome::ok("0"));
    let (fourth, fifth) = (stage.runs().await, stage.runs().await);
    fourth.ends(Outcome::ok("0"));
    fifth.ends(Outcome::ok("0"));
    stage.asked().await;
}

#[tokio::test(start_paused = true)]
async fn what_must_be_approved_waits_and_runs_once_it_is() {
    let mut stage = Stage::with(Plan {
        policy: asking(),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    stage
        .until("a call waits", |stage| stage.state.queue().next().is_some())
        .await;
    stage.quiet().await;
    let call = stage.state.queue().next().unwrap();
    let approve = |digest| {
        Command::Call(CallCommand::Approve {
            call: call.id,
            rev: stage.state.nodes.get(&call.id).map(Node::rev).unwrap(),
            digest,
            unread: 0,
            shown: None,
            word: None,
        })
    };
    let seen = call.digest.clone().unwrap();
    let other = overrule_domain::call::Digest(Arc::from("0123456789abcdef"));
    stage.send(approve(other)).await.unwrap_err();
    let good = approve(seen);
    stage.quiet().await;
    stage.send(good.clone()).await.unwrap();
    let run = stage.runs().await;
    run.ends(Outcome::ok("1"));
    // The same decision does not count twice.
    stage.send(good).await.unwrap_err();
    stage.quiet().await;
}

/// Creates a call that waits and is denied after `ms` milliseconds.
async fn waiting(ms: u64) -> Stage {
    let deadline = Deadline {
        ms,
        on_expiry: Consequence::Deny,
    };
    let mut stage = Stage::with(Plan {
        policy: asking().with_deadline(Some(deadline)),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    ask.end(Stop::Calls).await;
    stage
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_decides_on_in_time_expires() {
    let mut stage = waiting(5_000).await;
    let began = tokio::time::Instant::now();
    // The model is told, and continues.
    let next = stage.asked().await;
    assert!(began.elapsed() >= Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    stage
        .until("expired", |stage| {
            stage
                .state
                .calls
                .values()
                .any(|call| call.status == Status::Expired)
        })
        .await;
    next.answer("without").await;
    stage.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_the_whole_time_to_decide_is_there_again() {
    let mut stage = waiting(60_000).await;
    stage
        .until("a call waits", |stage| stage.state.queue().next().is_some())
        .await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    let reason = "a look".into();
    stage
        .send(Command::Run(RunCommand::Pause { reason }))
        .await
        .unwrap();
    stage.send(Command::Run(RunCommand::Resume {})).await.unwrap();
    let began = tokio::time::Instant::now();
    let next = stage.asked().await;
    assert!(
        began.elapsed() >= Duration::from_secs(60),
        "{:?}",
        began.elapsed()
    );
    next.answer("without").await;
    stage.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_never_runs() {
    let mut stage = Stage::with(Plan {
        policy: Policy::new(Preset::ReadOnly),
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    ask.end(Stop::Calls).await;
    stage.asked().await.answer("without").await;
    stage.quiet().await;
    let written = stage.written();
    let call = written.calls.values().next().unwrap().clone();
    assert_eq!(call.verdict.unwrap().gate, Gate::Deny);
    assert!(matches!(*call.decisions[0].2, Decision::Deny { .. }));
}

#[tokio::test(start_paused = true)]
async fn another_preset_counts_from_the_next_call_on() {
    let mut stage = Stage::with(Plan {
        policy: asking(),
        ..Plan::default()
    });
    let unknown = Command::Run(RunCommand::SetPolicy {
        policy: "lenient".into(),
    });
    stage.send(unknown).await.unwrap_err();
    let auto = Command::Run(RunCommand::SetPolicy {
        policy: "auto".into(),
    });
    stage.send(auto).await.unwrap();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    stage.runs().await;
}

#[tokio::test(start_paused = true)]
async fn a_stricter_preset_applies_to_approved_unstarted_calls() {
    let mut stage = Stage::with(Plan {
        limits: Limits {
            parallel: 1,
            ..Limits::default()
        },
        ..Plan::default()
    });
    let ask = stage.prompt("go").await;
    ask.call(0, "act", r#"{"n":1}"#).await;
    ask.call(1, "act", r#"{"n":2}"#).await;
    ask.end(Stop::Calls).await;
    let first = stage.runs().await;
    let strict = Command::Run(RunCommand::SetPolicy {
        policy: "read-only".into(),
    });
    stage.send(strict).await.unwrap();
    first.ends(Outcome::ok("1"));
    stage.asked().await.answer("done").await;
    stage.quiet().await;
    assert_eq!(stage.written().ledger.len(), 1, "the second did not begin");
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_starts_nothing_and_a_step_lets_one_thing_through() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    let pause = Command::Run(RunCommand::Pause {
        reason: "wait".into(),
    });
    stage.send(pause).await.unwrap();
    ask.call(0, "look", r#"{"n":1}"#).await;
    ask.call(1, "look", r#"{"n":2}"#).await;
    ask.end(Stop::Calls).await;
    stage.quiet().await;
    stage.send(Command::Run(RunCommand::Step {})).await.unwrap();
    stage.runs().await.ends(Outcome::ok("1"));
    stage.quiet().await;
    stage.send(Command::Run(RunCommand::Resume {})).await.unwrap();
    stage.runs().await.ends(Outcome::ok("2"));
    stage.asked().await;
}
