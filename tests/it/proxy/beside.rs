//! Tests of requests that come while another one is on its way, and of agents that hang up.
//!
//! Must not know: formats beyond what the agent and the model say.

use std::sync::mpsc;
use std::time::Duration;

use overrule::domain::call::Status;
use overrule::domain::command::{CallCommand, Command, Resolution};
use overrule::domain::id::NodeKind;
use overrule::domain::state::{Mode, State};
use overrule::model::decode::{Summary, summary};
use overrule::model::wire::Wire;
use overrule::policy::Preset;
use serde_json::{Value, json};

use crate::proxy::agent::Agent;
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::live::Live;
use crate::proxy::server::{Reply, Server, open};
use crate::proxy::stage::{Stage, approve, asked};

/// The longest that a test waits for something that must come.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A model whose first reply comes once the sender is used.
pub fn slow(mut replies: Vec<Reply>) -> (Server, mpsc::Sender<()>) {
    let (release, wait) = mpsc::channel();
    replies.reverse();
    let server = Server::answering(move |number, _| {
        if number == 1 {
            wait.recv_timeout(PATIENCE).unwrap();
        }
        replies.pop().unwrap()
    });
    (server, release)
}

/// The address of a model without its version.
pub fn base(model: &Server) -> &str {
    model.base.trim_end_matches("/v1")
}

/// Waits until the model has been asked so often.
pub async fn asked_model(model: &Server, times: usize) {
    for _ in 0..PATIENCE.as_millis() / 10 {
        if model.seen().len() >= times {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the model was not asked {times} times");
}

/// The run of the next conversation.
pub async fn run(stage: &mut Stage, preset: Preset) -> Live {
    let run = tokio::time::timeout(PATIENCE, stage.run(preset)).await;
    run.expect("a conversation of its own")
}

/// The reply to a request, whole.
pub async fn reply(wire: &str, asking: tokio::task::JoinHandle<(u16, Vec<u8>)>) -> Summary {
    let answer = tokio::time::timeout(PATIENCE, asking).await;
    let (status, bytes) = answer.expect("an answer").unwrap();
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&bytes));
    summary(Wire::named(wire).unwrap(), &bytes)
}

/// Lets an agent ask.
pub fn asks(agent: &Agent) -> tokio::task::JoinHandle<(u16, Vec<u8>)> {
    let agent = agent.clone();
    tokio::spawn(async move { agent.ask().await })
}

/// What the user of the agent wrote, as the run knows it.
pub fn prompts(state: &State) -> Vec<String> {
    let nodes = state.nodes.values();
    let prompts = nodes.filter(|node| node.id.kind == NodeKind::Prompt && node.active);
    prompts.map(|node| node.text().to_owned()).collect()
}

/// True once a run has its answer.
pub fn finished(state: &State) -> bool {
    matches!(state.mode, Mode::Finished(_))
}

#[tokio::test]
async fn two_conversations_that_begin_at_once_stay_two() {
    let wire = "gemini";
    let (model, release) = slow(vec![
        streamed(wire, "One.", &[("", "bash", bash("one"))]),
        streamed(wire, "Two.", &[("", "bash", bash("two"))]),
        streamed(wire, "End.", &[]),
        streamed(wire, "End.", &[]),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    let (mut first, mut second) = (Agent::new(wire, &stage.base), Agent::new(wire, &stage.base));
    let (ran, beside) = (first.ran.clone(), second.ran.clone());
    let one = tokio::spawn(async move { first.work("the first task").await });
    let mut live = run(&mut stage, Preset::Auto).await;
    asked_model(&model, 1).await;
    let two = tokio::spawn(async move { second.work("the second task").await });
    let mut other = run(&mut stage, Preset::Auto).await;
    release.send(()).unwrap();
    assert_eq!(
        (one.await.unwrap().as_str(), two.await.unwrap().as_str()),
        ("End.", "End.")
    );
    assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), bash("one"))]);
    assert_eq!(*beside.lock().unwrap(), [("bash".to_owned(), bash("two"))]);
    live.settles("finished", finished).await;
    other.settles("finished", finished).await;
    assert_eq!(prompts(&live.state), ["the first task"]);
    assert_eq!(prompts(&other.state), ["the second task"]);
    live.end().await;
    other.end().await;
}

#[tokio::test]
async fn words_before_the_first_byte_of_a_reply_take_its_place_and_its_call_never_runs() {
    for wire in WIRES {
        let id = if wire == "gemini" { "" } else { "a1" };
        let (model, release) = slow(vec![
            streamed(wire, "Old.", &[(id, "bash", bash("rm -r ."))]),
            streamed(wire, "New.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        let ran = agent.ran.clone();
        agent.say("one");
        let first = asks(&agent);
        let mut live = run(&mut stage, Preset::Auto).await;
        asked_model(&model, 1).await;
        first.abort();
        agent.say("no, two");
        let second = asks(&agent);
        live.settles("its words are known", |state| prompts(state).len() == 2)
            .await;
        release.send(()).unwrap();
        let answer = reply(wire, second).await;
        assert_eq!((answer.text.as_str(), answer.calls.len()), ("New.", 0), "{wire}");
        live.settles("finished", finished).await;
        assert!(ran.lock().unwrap().is_empty(), "{wire}");
        let attempts = live.state.calls.values().map(|call| call.attempts.len());
        assert_eq!(attempts.sum::<usize>(), 0, "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_retry_before_the_first_byte_gets_the_reply_of_the_first_request() {
    let wire = "anthropic";
    let (model, release) = slow(vec![streamed(wire, "Once.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let first = asks(&agent);
    let mut live = run(&mut stage, Preset::Auto).await;
    asked_model(&model, 1).await;
    first.abort();
    let again = asks(&agent);
    tokio::time::sleep(Duration::from_millis(400)).await;
    release.send(()).unwrap();
    assert_eq!(reply(wire, again).await.text, "Once.");
    live.settles("finished", finished).await;
    assert_eq!(model.seen().len(), 1, "the model is asked once");
    assert_eq!(prompts(&live.state), ["go"]);
    live.end().await;
}

#[tokio::test]
async fn the_same_request_twice_at_one_time_is_two_conversations() {
    let wire = "openai-chat";
    let (model, release) = slow(vec![streamed(wire, "A.", &[]), streamed(wire, "B.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let first = asks(&agent);
    let live = run(&mut stage, Preset::Auto).await;
    asked_model(&model, 1).await;
    let second = asks(&agent);
    let other = run(&mut stage, Preset::Auto).await;
    release.send(()).unwrap();
    let both = [reply(wire, first).await.text, reply(wire, second).await.text];
    assert_eq!(both, ["A.", "B."]);
    live.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_user_who_interrupts_a_text_and_says_something_else_is_answered() {
    let wire = "openai-chat";
    let frames = match streamed(wire, "A long story", &[]) {
        Reply::Stream(frames) => frames[..2].to_vec(),
        _ => unreachable!(),
    };
    let (story, _rest) = open(frames);
    let model = Server::new(vec![story, streamed(wire, "Sure.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("tell me");
    let first = tokio::spawn({
        let agent = agent.clone();
        async move {
            let mut response = agent.send().await;
            let _ = response.chunk().await;
        }
    });
    let mut live = run(&mut stage, Preset::Auto).await;
    first.await.unwrap();
    agent.say("stop, be brief");
    let second = asks(&agent);
    assert_eq!(reply(wire, second).await.text, "Sure.");
    live.settles("finished", finished).await;
    assert_eq!(prompts(&live.state), ["tell me", "stop, be brief"]);
    live.end().await;
}

#[tokio::test]
async fn all_calls_of_a_reply_run_however_many_they_are() {
    for wire in WIRES {
        let names: Vec<String> = (0..20)
            .map(|no| {
                if wire == "gemini" {
                    String::new()
                } else {
                    format!("c{no}")
                }
            })
            .collect();
        let calls: Vec<(&str, &str, Value)> = names
            .iter()
            .enumerate()
            .map(|(no, id)| (id.as_str(), "bash", bash(&format!("echo {no}"))))
            .collect();
        let model = Server::new(vec![streamed(wire, "All.", &calls), streamed(wire, "End.", &[])]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        let ran = agent.ran.clone();
        let work = tokio::spawn(async move { agent.work("go").await });
        let mut live = run(&mut stage, Preset::Auto).await;
        let answer = tokio::time::timeout(PATIENCE, work).await;
        assert_eq!(answer.expect("it ends").unwrap(), "End.", "{wire}");
        assert_eq!(ran.lock().unwrap().len(), 20, "{wire}");
        live.settles("finished", finished).await;
        live.end().await;
    }
}

#[tokio::test]
async fn a_call_that_was_cut_by_length_never_reaches_the_agent_and_no_mask_does() {
    let wire = "anthropic";
    let event = |name: &str, data: Value| {
        let mut data = data;
        data["type"] = name.into();
        format!("event: {name}\ndata: {data}\n\n")
    };
    let begin = json!({"message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}});
    let call =
        json!({"index": 0, "content_block": {"type": "tool_use", "id": "t1", "name": "bash", "input": {}}});
    let half =
        json!({"index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"command\":\"rm -r "}});
    let end = json!({"delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 9}});
    let model = Server::new(vec![
        Reply::Stream(vec![
            event("message_start", begin),
            event("content_block_start", call),
            event("content_block_delta", half),
            event("message_delta", end),
            event("message_stop", json!({})),
        ]),
        streamed(wire, "Better.", &[]),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let first = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask_in_part().await }
    });
    let mut live = run(&mut stage, Preset::Auto).await;
    let (bytes, is_whole) = tokio::time::timeout(PATIENCE, first)
        .await
        .expect("an end")
        .unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let first = summary(Wire::named(wire).unwrap(), &bytes);
    assert!(
        is_whole && text.contains("\"max_tokens\""),
        "the agent learns why it ended: {text}"
    );
    assert!(first.calls.is_empty() && !text.contains("rm -r"), "{text}");
    assert!(!text.contains("rejected_by"), "{text}");
    assert_eq!(reply(wire, asks(&agent)).await.text, "Better.");
    live.settles("finished", finished).await;
    assert!(model.seen().iter().all(|seen| !seen.body.contains("rejected_by")));
    live.end().await;
}

#[tokio::test]
async fn a_call_that_the_agent_may_have_run_does_not_come_to_it_again() {
    for wire in ["openai-chat", "openai-responses"] {
        let model = Server::new(vec![
            streamed(
                wire,
                "Both.",
                &[("b1", "bash", bash("once")), ("b2", "edit", bash("later"))],
            ),
            streamed(wire, "Anew.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let first = tokio::spawn({
            let agent = agent.clone();
            async move { agent.ask_until("once").await }
        });
        let mut live = run(&mut stage, Preset::Supervised).await;
        let once = asked(&mut live, "bash").await;
        let later = asked(&mut live, "edit").await;
        approve(&live, once).await;
        tokio::time::timeout(PATIENCE, first)
            .await
            .expect("the call")
            .unwrap();
        // The connection is gone. The agent asks the same once more, and says nothing of the call.
        let second = asks(&agent);
        live.settles("its outcome is unknown", |state| {
            matches!(state.calls[&once].status, Status::OutcomeUnknown(_))
        })
        .await;
        assert_eq!(
            model.seen().len(),
            1,
            "{wire}: the operator says first what happened"
        );
        let resolve = CallCommand::Resolve {
            call: once,
            attempt: None,
            what: Resolution::Happened {
                value: "\"done\"".into(),
            },
        };
        live.send(Command::Call(resolve)).await.unwrap();
        let answer = reply(wire, second).await;
        assert_eq!((answer.text.as_str(), answer.calls.len()), ("Anew.", 0), "{wire}");
        live.settles("finished", finished).await;
        assert_eq!(live.state.calls[&once].attempts.len(), 1, "{wire}");
        assert_eq!(live.state.calls[&later].status, Status::Rejected, "{wire}");
        live.end().await;
    }
}

/// How an agent comes back for a call that waits.
enum Back {
    /// With new words of its user.
    Words(&'static str),
    /// With words that it writes itself after its connection broke.
    Own(&'static str),
    /// With its mark of an interruption alone.
    Mark(&'static str),
}

#[tokio::test]
async fn new_words_and_an_interruption_are_a_no_and_the_agents_own_words_are_none() {
    let rows = [
        ("Hold", Back::Words("no, stop")),
        ("Something else", Back::Words("no, stop")),
        (
            "Hold",
            Back::Own("Your response above was cut off mid-stream. Resume directly from where it stops."),
        ),
        ("Hold", Back::Own("Continue from where you left off.")),
        ("Hold", Back::Mark("[Request interrupted by user]")),
        (
            "Hold",
            Back::Mark("<turn_aborted>\nThe user interrupted the previous turn on purpose."),
        ),
    ];
    for (shown, back) in rows {
        let wire = "anthropic";
        let two = [("e1", "bash", bash("rm -r .")), ("e2", "edit", bash("x"))];
        let model = Server::new(vec![
            streamed(wire, "Hold.", &two),
            streamed(wire, "All right.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        let ran = agent.ran.clone();
        agent.say("go");
        let first = tokio::spawn({
            let agent = agent.clone();
            async move { agent.ask_until("Hold").await }
        });
        let mut live = run(&mut stage, Preset::Supervised).await;
        let call = asked(&mut live, "bash").await;
        let other = asked(&mut live, "edit").await;
        first.await.unwrap();
        agent.remember_text(shown);
        let (text, is_no) = match back {
            Back::Words(text) | Back::Mark(text) => (text, true),
            Back::Own(text) => (text, false),
        };
        agent.say(text);
        let second = asks(&agent);
        if is_no {
            // The model is asked at once, with the words.
            let answer = reply(wire, second).await;
            assert_eq!(
                (answer.text.as_str(), answer.calls.len()),
                ("All right.", 0),
                "{text}"
            );
            assert!(
                model.seen()[1]
                    .body
                    .contains(&serde_json::to_string(text).unwrap()),
                "{text}"
            );
            live.settles("finished", finished).await;
            for call in [call, other] {
                let call = &live.state.calls[&call];
                assert_eq!(call.status, Status::Rejected, "{text}");
                let (_, _, decision) = call.decisions.last().unwrap();
                let why = format!("{decision:?}");
                assert!(why.contains("the agent's user interrupted"), "{text}: {why}");
            }
            let words: Vec<String> = prompts(&live.state).iter().map(ToString::to_string).collect();
            let expected: &[&str] = if matches!(back, Back::Words(_)) {
                &["go", "no, stop"]
            } else {
                &["go"]
            };
            assert_eq!(words[..expected.len()], *expected, "{text}");
            let edits: Vec<&str> = live.state.operator.edits.iter().map(|edit| &*edit.what).collect();
            assert!(
                edits.iter().all(|what| *what == "words of the agent's user"),
                "{edits:?}"
            );
        } else {
            approve(&live, call).await;
            approve(&live, other).await;
            let answer = reply(wire, second).await;
            assert_eq!(answer.calls.len(), 2, "{text}");
            assert_eq!(prompts(&live.state), ["go"], "{text}");
            assert_eq!(model.seen().len(), 1, "{text}");
        }
        assert!(ran.lock().unwrap().is_empty(), "{text}");
        live.end().await;
    }
}

/// The beginning of a text, and the way to its rest.
pub fn story(wire: &str) -> (Reply, crate::proxy::server::Rest) {
    let Reply::Stream(mut frames) = streamed(wire, "A long story", &[]) else {
        unreachable!()
    };
    let at = frames
        .iter()
        .position(|frame| frame.contains("A long story"))
        .unwrap();
    frames.truncate(at + 1);
    open(frames)
}
