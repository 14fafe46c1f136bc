//! Tests which profile a call starts with, and what becomes of what the sandbox refuses.

use super::kit::{Plan, Stage};
use overrule_domain::call::{Digest, Outcome, Status};
use overrule_domain::command::{CallCommand, Command, SandboxCommand};
use overrule_domain::event::{CallEvent, Event, RunEvent, SandboxEvent};
use overrule_domain::id::NodeId;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::sandbox::{KeptChange, Level, Profile, Refused, RefusedKind, Widening};
use overrule_policy::{Policy, Preset};

fn profile() -> Profile {
    Profile {
        level: Level::Workspace,
        write: vec!["/w".into()],
        ..Profile::default()
    }
}

fn stage(preset: Preset) -> Stage {
    Stage::with(Plan {
        profile: profile(),
        policy: Policy::new(preset),
        ..Plan::default()
    })
}

const INSIDE: &str = r#"{"n":1}"#;
const OUTSIDE: &str = r#"{"n":1,"_outside":"it needs docker"}"#;

async fn waits(stage: &mut Stage, args: &str) -> NodeId {
    stage
        .until("it waits", |stage| stage.state.queue().count() == 1)
        .await;
    stage.call(args)
}

async fn approve(stage: &Stage, call: NodeId, digest: Digest) -> Result<(), Refusal> {
    let command = CallCommand::Approve {
        call,
        rev: stage.state.nodes[&call].rev(),
        digest,
        unread: 0,
        shown: None,
        word: None,
    };
    stage.send(Command::Call(command)).await.map(|_| ())
}

#[tokio::test(start_paused = true)]
async fn a_call_starts_with_the_profile_that_it_was_approved_with() {
    let mut stage = stage(Preset::Supervised);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", INSIDE).await;
    let call = waits(&mut stage, INSIDE).await;
    let shown = stage.state.calls[&call].digest.clone().unwrap();
    let by = Widening::Host("a.example".into());
    stage
        .send(Command::Sandbox(SandboxCommand::Widen { by: by.clone() }))
        .await
        .unwrap();
    let refusal = approve(&stage, call, shown.clone()).await.unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Changed);
    stage
        .until("it asks again", |stage| {
            let call = &stage.state.calls[&call];
            call.status == Status::AwaitingApproval && call.digest.as_ref() != Some(&shown)
        })
        .await;
    let now = stage.state.calls[&call].digest.clone().unwrap();
    approve(&stage, call, now).await.unwrap();
    let run = stage.runs().await;
    assert_eq!(run.profile.as_deref(), Some(&profile().widened(&[by])));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_asks_to_leave_the_sandbox_waits_and_starts_without_a_profile() {
    let mut stage = stage(Preset::Auto);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", OUTSIDE).await;
    let call = waits(&mut stage, OUTSIDE).await;
    assert!(
        stage.soon_runs().await.is_none(),
        "the preset allows everything else"
    );
    let digest = stage.state.calls[&call].digest.clone().unwrap();
    approve(&stage, call, digest).await.unwrap();
    assert_eq!(stage.runs().await.profile, None);
    // The same call inside needs no question, and one of another tool has no sandbox.
    ask.call(1, "act", INSIDE).await;
    assert_eq!(stage.runs().await.profile.as_deref(), Some(&profile()));
    ask.call(2, "look", OUTSIDE).await;
    assert_eq!(stage.runs().await.profile, None);
}

#[tokio::test(start_paused = true)]
async fn what_the_sandbox_refused_is_recorded_before_the_end_of_the_call() {
    let mut stage = stage(Preset::Auto);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", INSIDE).await;
    let run = stage.runs().await;
    let refused = Refused::exact(RefusedKind::Network, "registry.example.org:443");
    (run.on_refused)(vec![refused.clone()]);
    let late = run.on_refused.clone();
    run.ends(Outcome::ok("1"));
    let has_ended = |stage: &Stage| {
        let mut calls = stage.state.calls.values();
        calls.any(|call| call.status == Status::Succeeded)
    };
    stage.until("it has ended", has_ended).await;
    let call = stage.call(INSIDE);
    late(vec![refused.clone()]);
    stage.drain().await;
    assert_eq!(stage.state.calls[&call].attempts[0].refused, [refused]);
    let log = stage.log.lock().unwrap();
    let at = |is: fn(&Event) -> bool| -> Vec<usize> {
        let found = log.iter().enumerate().filter(|(_, one)| is(&one.event));
        found.map(|(at, _)| at).collect()
    };
    let confined = at(|event| matches!(event, Event::Sandbox(SandboxEvent::Confined { .. })));
    let finished = at(|event| matches!(event, Event::Call(CallEvent::Finished { .. })));
    assert_eq!(confined.len(), 1, "a late report is not recorded");
    assert!(confined[0] < finished[0]);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_given_back_is_told_and_can_be_tried_again() {
    let mut stage = stage(Preset::Auto);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", INSIDE).await;
    let run = stage.runs().await;
    let undone = Refused {
        kept: Some("/s/undone-1/.mcp.json".into()),
        ..Refused::exact(RefusedKind::Protected, ".mcp.json")
    };
    (run.on_refused)(vec![undone.clone()]);
    run.ends(Outcome::ok("1"));
    let has_ended = |stage: &Stage| {
        let mut calls = stage.state.calls.values();
        calls.any(|call| call.status == Status::Succeeded)
    };
    stage.until("it has ended", has_ended).await;
    let call = stage.call(INSIDE);
    let keep = |path: &str| {
        let path = path.to_owned();
        Command::Sandbox(SandboxCommand::Keep { call, path })
    };
    stage.send(keep("other")).await.unwrap_err();
    // This process has no sandbox that holds the content.
    stage.send(keep(".mcp.json")).await.unwrap();
    let is_told = |stage: &Stage| {
        let log = stage.log.lock().unwrap();
        let is = |event: &Event| matches!(event, Event::Sandbox(SandboxEvent::NotKept { .. }));
        log.iter().any(|one| is(&one.event))
    };
    stage.until("it is told", is_told).await;
    assert_eq!(stage.state.calls[&call].refused(), [undone]);
}

/// A process that ended between the decision and its effect left the content where it was.
#[tokio::test(start_paused = true)]
async fn the_next_process_restores_a_kept_change_unless_that_was_done() {
    let mut stage = stage(Preset::Auto);
    let ask = stage.prompt("go").await;
    ask.call(0, "act", INSIDE).await;
    let run = stage.runs().await;
    run.ends(Outcome::ok("1"));
    let has_ended = |stage: &Stage| {
        let mut calls = stage.state.calls.values();
        calls.any(|call| call.status == Status::Succeeded)
    };
    stage.until("it has ended", has_ended).await;
    let call = stage.call(INSIDE);
    let place = tempfile::tempdir().unwrap();
    let from = place.path().join(".mcp.json");
    for (is_there, reports) in [(false, 0), (true, 1)] {
        if is_there {
            std::fs::write(&from, "{}").unwrap();
        }
        let mut state = stage.written();
        state.operator.kept = vec![KeptChange {
            call,
            path: ".mcp.json".into(),
            from: from.to_str().unwrap().to_owned(),
        }];
        let mut next = Stage::with(Plan {
            profile: profile(),
            state,
            first: Some(vec![Event::Run(RunEvent::Reopened {
                interrupted: Vec::new(),
                version: "1".into(),
            })]),
            ..Plan::default()
        });
        next.drain().await;
        // This process has no sandbox, so what is still to be done is reported as not done.
        let is = |event: &Event| matches!(event, Event::Sandbox(SandboxEvent::NotKept { .. })).then_some(());
        assert_eq!(next.recorded(is).len(), reports, "{is_there}");
    }
}
