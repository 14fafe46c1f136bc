//! Tests of requests that arrive while the run is paused: the agent waits as long as a person needs.
//!
//! Must not know: formats beyond what the agent and the model say.

use overrule::domain::command::{Command, RunCommand};
use overrule::domain::event::run::Limits;
use overrule::domain::state::State;
use overrule::model::decode::{Summary, summary};
use overrule::model::wire::Wire;
use overrule::policy::Preset;
use serde_json::Value;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{PATIENCE, base, prompts, run};
use crate::proxy::course::{WIRES, bash, streamed, whole};
use crate::proxy::live::Live;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::Stage;

/// An agent whose first call ran, in a run that was paused meanwhile, and its next request.
struct Paused {
    wire: &'static str,
    agent: Agent,
    live: Live,
    model: Server,
    _stage: Stage,
}

fn id(wire: &str, id: &'static str) -> &'static str {
    if wire == "gemini" { "" } else { id }
}

fn form(wire: &str, streams: bool, text: &str, calls: &[(&str, &str, Value)]) -> Reply {
    if streams {
        streamed(wire, text, calls)
    } else {
        whole(wire, text, calls)
    }
}

async fn paused(wire: &'static str, streams: bool, next: Vec<Reply>) -> Paused {
    let reason = "lunch".into();
    after(wire, streams, next, RunCommand::Pause { reason }).await
}

/// The same after another command.
async fn after(wire: &'static str, streams: bool, next: Vec<Reply>, command: RunCommand) -> Paused {
    let first = form(wire, streams, "Now.", &[(id(wire, "b1"), "bash", bash("ls"))]);
    let model = Server::new(std::iter::once(first).chain(next).collect());
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    if !streams {
        agent = agent.in_one_piece();
    }
    agent.say("go");
    let asking = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask().await }
    });
    let mut live = run(&mut stage, Preset::Auto).await;
    let (_, bytes) = asking.await.unwrap();
    live.send(Command::Run(command)).await.unwrap();
    live.settles("the reply is recorded", |state| {
        state.calls.values().any(|call| !call.attempts.is_empty())
    })
    .await;
    agent.take(&summary(Wire::named(wire).unwrap(), &bytes));
    Paused {
        wire,
        agent,
        live,
        model,
        _stage: stage,
    }
}

impl Paused {
    /// Sends the next request; returns once the agent has the head and several pieces.
    async fn waits(&self) -> (reqwest::Response, Vec<u8>) {
        let sent = tokio::time::timeout(PATIENCE, self.agent.send()).await;
        let mut response = sent.expect("a head while the run is paused");
        assert_eq!(response.status(), 200, "{}", self.wire);
        let mut bytes = Vec::new();
        for _ in 0..4 {
            let piece = tokio::time::timeout(PATIENCE, response.chunk()).await;
            bytes.extend(piece.expect("a heartbeat").unwrap().unwrap());
        }
        assert_eq!(
            self.model.seen().len(),
            1,
            "{}: the model is not asked",
            self.wire
        );
        (response, bytes)
    }

    async fn resume(&self) {
        let resume = Command::Run(RunCommand::Resume {});
        self.live.send(resume).await.unwrap();
    }

    fn summary(&self, bytes: &[u8]) -> Summary {
        summary(Wire::named(self.wire).unwrap(), bytes)
    }
}

/// Reads a reply to its end, which is no break.
async fn rest((mut response, mut bytes): (reqwest::Response, Vec<u8>)) -> Vec<u8> {
    while let Some(piece) = tokio::time::timeout(PATIENCE, response.chunk())
        .await
        .expect("an end")
        .unwrap()
    {
        bytes.extend(piece);
    }
    bytes
}

fn count(bytes: &[u8], words: &str) -> usize {
    String::from_utf8_lossy(bytes).matches(words).count()
}

/// The types of the events of a stream, and their numbers.
fn events(bytes: &[u8]) -> Vec<(String, Option<u64>)> {
    let text = String::from_utf8_lossy(bytes);
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let data = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    data.map(|data| {
        let kind = data["type"].as_str().unwrap_or_default().to_owned();
        (kind, data["sequence_number"].as_u64())
    })
    .collect()
}

fn results(state: &State) -> usize {
    let nodes = state.nodes.values();
    let is_result = |id: overrule::domain::id::NodeKind| id == overrule::domain::id::NodeKind::Observation;
    nodes.filter(|node| is_result(node.id.kind)).count()
}

#[tokio::test]
async fn a_request_in_a_paused_run_gets_its_head_and_heartbeats_and_the_reply_after_the_pause() {
    for wire in WIRES {
        for streams in [true, false] {
            let calls = [(id(wire, "b2"), "edit", bash("two"))];
            let paused = paused(wire, streams, vec![form(wire, streams, "Later.", &calls)]).await;
            let begun = paused.waits().await;
            if streams {
                assert!(!begun.1.trim_ascii().is_empty(), "{wire}");
            } else {
                assert!(begun.1.trim_ascii().is_empty(), "{wire}: white space only");
            }
            paused.resume().await;
            let bytes = rest(begun).await;
            let text = String::from_utf8_lossy(&bytes);
            let reply = paused.summary(&bytes);
            assert_eq!(reply.error, None, "{wire} {streams}: {text}");
            assert_eq!(reply.text, "Later.", "{wire} {streams}: {text}");
            assert_eq!(reply.calls.len(), 1, "{wire} {streams}: {text}");
            assert_eq!(reply.calls[0].name, "edit", "{wire} {streams}");
            assert_eq!(paused.model.seen().len(), 2, "{wire}: asked once");
            let mut live = paused.live;
            live.settles("the result is known", |state| results(state) == 1)
                .await;
            assert_eq!(prompts(&live.state), ["go"], "{wire}");
            live.end().await;
        }
    }
}

#[tokio::test]
async fn a_request_beyond_a_limit_gets_its_head_too_and_its_reply_once_the_limit_is_raised() {
    let wire = "anthropic";
    let limits = |turns| Limits {
        parallel: Limits::MOST_PARALLEL,
        turns: Some(turns),
        ..Limits::default()
    };
    let next = vec![streamed(wire, "Later.", &[])];
    let limited = RunCommand::SetLimits { limits: limits(1) };
    let paused = after(wire, true, next, limited).await;
    let begun = paused.waits().await;
    let raised = RunCommand::SetLimits { limits: limits(5) };
    paused.live.send(Command::Run(raised)).await.unwrap();
    let reply = paused.summary(&rest(begun).await);
    assert_eq!((reply.error, reply.text.as_str()), (None, "Later."));
    assert_eq!(paused.model.seen().len(), 2, "asked once");
    paused.live.end().await;
}

#[tokio::test]
async fn a_reply_that_began_before_the_models_begins_once_and_its_events_are_numbered() {
    for (wire, begin) in [
        ("anthropic", "message_start"),
        ("openai-responses", "response.created"),
    ] {
        let mut last = streamed(wire, "Later.", &[]);
        if let Reply::Stream(frames) = &mut last {
            // What the model's server says of the costs must reach the agent.
            let with_costs = frames[0].replacen("\"input_tokens\":0", "\"input_tokens\":77", 1);
            frames[0] = with_costs;
        }
        let paused = paused(wire, true, vec![last]).await;
        let begun = paused.waits().await;
        assert_eq!(events(&begun.1)[0].0, begin);
        paused.resume().await;
        let bytes = rest(begun).await;
        let events = events(&bytes);
        let begins = events.iter().filter(|(kind, _)| kind == begin).count();
        assert_eq!(begins, 1, "{wire}: {events:?}");
        let numbers: Vec<u64> = events.iter().filter_map(|(_, number)| *number).collect();
        let running: Vec<u64> = (0..numbers.len() as u64).collect();
        assert_eq!(numbers, running, "{wire}");
        if wire == "anthropic" {
            assert_eq!(count(&bytes, "\"input_tokens\":77"), 1, "{wire}");
        }
        paused.live.end().await;
    }
}

#[tokio::test]
async fn a_refusal_of_the_model_after_the_head_is_an_error_of_the_format() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"too many of us"}}"#;
    for wire in WIRES {
        for streams in [true, false] {
            for (status, body, words) in [
                (529, error, "too many of us"),
                (502, "<html>no\nroute", "HTTP 502"),
            ] {
                let paused = paused(wire, streams, vec![Reply::Status(status, "", body)]).await;
                let begun = paused.waits().await;
                paused.resume().await;
                let bytes = rest(begun).await;
                let reply = paused.summary(&bytes);
                let text = String::from_utf8_lossy(&bytes);
                if streams {
                    let error = reply.error.expect("an error");
                    assert!(error.contains(words), "{wire}: {error}: {text}");
                } else {
                    let body: Value = serde_json::from_slice(&bytes).unwrap();
                    assert!(body["error"].to_string().contains(words), "{wire}: {text}");
                }
                assert!(reply.calls.is_empty() && reply.text.is_empty(), "{wire}: {text}");
                assert_eq!(paused.model.seen().len(), 2, "{wire}");
                paused.live.end().await;
            }
        }
    }
}

#[tokio::test]
async fn a_run_that_is_stopped_after_the_pause_ends_the_turn_in_the_reply_that_began() {
    for wire in WIRES {
        for streams in [true, false] {
            let paused = paused(wire, streams, Vec::new()).await;
            let begun = paused.waits().await;
            let reason = "enough".into();
            let stop = Command::Run(RunCommand::Stop { reason });
            paused.live.send(stop).await.unwrap();
            let bytes = rest(begun).await;
            let reply = paused.summary(&bytes);
            assert_eq!(reply.error, None, "{wire} {streams}");
            assert!(
                reply.text.contains("stopped (enough)"),
                "{wire} {streams}: {reply:?}"
            );
            assert_eq!(paused.model.seen().len(), 1, "{wire}: the model was not asked");
            paused.live.end().await;
        }
    }
}

#[tokio::test]
async fn an_agent_that_hangs_up_in_a_pause_and_repeats_its_request_is_answered_once() {
    for wire in WIRES {
        let mut paused = paused(wire, true, vec![streamed(wire, "Later.", &[])]).await;
        drop(paused.waits().await);
        let begun = paused.waits().await;
        paused.resume().await;
        let reply = paused.summary(&rest(begun).await);
        assert_eq!((reply.error, reply.text.as_str()), (None, "Later."), "{wire}");
        assert_eq!(paused.model.seen().len(), 2, "{wire}: asked once");
        paused
            .live
            .settles("finished", crate::proxy::beside::finished)
            .await;
        assert_eq!(prompts(&paused.live.state), ["go"], "{wire}");
        paused.live.end().await;
    }
}

#[tokio::test]
async fn a_reply_in_another_form_than_the_one_that_began_is_written_in_that_one() {
    for wire in WIRES {
        for streams in [true, false] {
            let calls = [(id(wire, "b2"), "edit", bash("two"))];
            let paused = paused(wire, streams, vec![form(wire, !streams, "Later.", &calls)]).await;
            let begun = paused.waits().await;
            paused.resume().await;
            let bytes = rest(begun).await;
            let text = String::from_utf8_lossy(&bytes);
            let reply = paused.summary(&bytes);
            assert_eq!(reply.error, None, "{wire} {streams}: {text}");
            assert_eq!(reply.text, "Later.", "{wire} {streams}: {text}");
            assert_eq!(reply.calls.len(), 1, "{wire} {streams}: {text}");
            let is_whole = serde_json::from_slice::<Value>(&bytes).is_ok();
            assert_eq!(is_whole, !streams, "{wire}: {text}");
            paused.live.end().await;
        }
    }
}
