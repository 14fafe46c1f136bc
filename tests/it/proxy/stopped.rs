//! Tests of runs and turns that are stopped while their agent waits.
//!
//! Must not know: formats beyond what the agent and the model say.

use std::time::Duration;

use overrule::domain::call::Status;
use overrule::domain::command::{Command, RunCommand};
use overrule::policy::Preset;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{PATIENCE, asked_model, asks, base, finished, prompts, reply, run, slow, story};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::server::{Reply, Server, open};
use crate::proxy::stage::{Stage, asked};

#[tokio::test]
async fn a_stopped_run_ends_the_turn_of_its_agent_and_nothing_that_waited_runs() {
    for wire in WIRES {
        for streams in [true, false] {
            let id = if wire == "gemini" { "" } else { "s1" };
            let calls = [(id, "bash", bash("rm -r ."))];
            let model = Server::new(vec![if streams {
                streamed(wire, "I begin.", &calls)
            } else {
                crate::proxy::course::whole(wire, "I begin.", &calls)
            }]);
            let mut stage = Stage::before(base(&model)).await;
            let mut agent = Agent::new(wire, &stage.base);
            if !streams {
                agent = agent.in_one_piece();
            }
            let ran = agent.ran.clone();
            let working = agent.clone();
            let work = tokio::spawn(async move {
                let mut agent = working;
                agent.work("go").await
            });
            let mut live = run(&mut stage, Preset::Supervised).await;
            let call = asked(&mut live, "bash").await;
            let reason = "enough".into();
            live.send(Command::Run(RunCommand::Stop { reason }))
                .await
                .unwrap();
            let text = tokio::time::timeout(PATIENCE, work)
                .await
                .expect("it ends")
                .unwrap();
            assert!(
                text.contains("stopped") && text.contains("enough"),
                "{wire} {streams}: {text}"
            );
            assert_eq!(text.contains("I begin."), streams, "{wire}: {text}");
            assert!(ran.lock().unwrap().is_empty(), "{wire}");
            assert!(live.state.calls[&call].attempts.is_empty(), "{wire}");
            // What it asks next is answered at once, and the model is not asked.
            agent.say("and now?");
            let next = reply(wire, asks(&agent)).await;
            assert!(next.text.contains("stopped"), "{wire}: {next:?}");
            assert_eq!(model.seen().len(), 1, "{wire}");
            live.end().await;
        }
    }
}

#[tokio::test]
async fn a_run_that_is_stopped_before_the_first_byte_or_in_a_text_ends_the_turn_of_its_agent() {
    for wire in WIRES {
        for has_begun in [true, false] {
            let (begun, rest) = story(wire);
            let (model, release) = slow(vec![begun]);
            if has_begun {
                release.send(()).unwrap();
            }
            let mut stage = Stage::before(base(&model)).await;
            let mut agent = Agent::new(wire, &stage.base);
            agent.say("tell me");
            let asking = asks(&agent);
            let mut live = run(&mut stage, Preset::Auto).await;
            asked_model(&model, 1).await;
            if has_begun {
                live.settles("the text begins", |state| !state.turns.is_empty())
                    .await;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            let reason = "enough".into();
            live.send(Command::Run(RunCommand::Stop { reason }))
                .await
                .unwrap();
            let answer = reply(wire, asking).await;
            assert!(
                answer.text.contains("stopped (enough)"),
                "{wire} {has_begun}: {answer:?}"
            );
            assert_eq!(
                answer.text.contains("A long story"),
                has_begun,
                "{wire}: {answer:?}"
            );
            drop((rest, release));
            live.end().await;
        }
    }
}

#[tokio::test]
async fn a_turn_that_is_stopped_in_a_text_is_asked_again_for_the_agents_next_request() {
    let wire = "openai-responses";
    let (begun, _rest) = story(wire);
    let model = Server::new(vec![begun, streamed(wire, "Short.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("tell me");
    let first = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask_in_part().await }
    });
    let mut live = run(&mut stage, Preset::Auto).await;
    asked_model(&model, 1).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    live.send(Command::Run(RunCommand::StopTurn {})).await.unwrap();
    let (bytes, is_whole) = tokio::time::timeout(PATIENCE, first)
        .await
        .expect("an end")
        .unwrap();
    assert!(!is_whole, "{}", String::from_utf8_lossy(&bytes));
    let second = asks(&agent);
    live.send(Command::Run(RunCommand::Resume {})).await.unwrap();
    assert_eq!(reply(wire, second).await.text, "Short.");
    live.settles("finished", finished).await;
    assert_eq!(prompts(&live.state), ["tell me"]);
    live.end().await;
}

#[tokio::test]
async fn a_call_that_the_agent_got_before_the_reply_broke_is_asked_about() {
    let wire = "openai-responses";
    let calls = [("b1", "bash", bash("once")), ("b2", "edit", bash("later"))];
    let Reply::Stream(mut frames) = streamed(wire, "Both.", &calls) else {
        unreachable!()
    };
    let at = frames.iter().position(|frame| frame.contains("later")).unwrap();
    frames.truncate(at);
    let (half, rest) = open(frames);
    let model = Server::new(vec![half, streamed(wire, "Anew.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let first = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask_in_part().await }
    });
    let mut live = run(&mut stage, Preset::Auto).await;
    live.settles("the first call is with the agent", |state| {
        let mut calls = state.calls.values();
        calls.any(|call| matches!(call.status, Status::Running(_)))
    })
    .await;
    drop(rest);
    let (bytes, _) = tokio::time::timeout(PATIENCE, first)
        .await
        .expect("an end")
        .unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("once"));
    let _second = asks(&agent);
    live.settles("its outcome is unknown", |state| {
        let mut calls = state.calls.values();
        calls.any(|call| matches!(call.status, Status::OutcomeUnknown(_)))
    })
    .await;
    assert_eq!(model.seen().len(), 1, "the operator says first what happened");
    live.end().await;
}
