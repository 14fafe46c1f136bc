//! Tests what an agent finds after the proxy was killed while a call waited.
//!
//! Must not know: how a session is stored.

use overrule::domain::call::Status;
use overrule::domain::id::NodeId;
use overrule::domain::state::{Mode, State};
use overrule::domain::turn::Stream;
use overrule::model::decode::summary;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::decode_request;
use overrule::policy::Preset;
use overrule::proxy::resumed;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asks, finished, prompts, reply};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::live::Live;
use crate::proxy::server::{Reply, Server, open};
use crate::proxy::stage::{Stage, approve, asked, waiting, working};

/// A run whose process is gone while a call waits, the call, and the agent with what it had sent. The reply is whole, or
/// its end is missing.
async fn killed(wire: &str, model: &Server, is_whole: bool) -> (State, NodeId, Agent) {
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("fix it");
    let asking = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask().await }
    });
    let mut live = stage.run(Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    if is_whole {
        live.settles("the reply is whole", |state| {
            state.turns.values().all(|turn| turn.stream != Stream::Open)
        })
        .await;
    }
    asking.abort();
    (live.state.clone(), call, agent)
}

/// Starts the proxy again, and lets the agent ask.
async fn restarted(
    agent: Agent,
    model: &Server,
    state: State,
) -> (Live, Agent, tokio::task::JoinHandle<(u16, Vec<u8>)>) {
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let agent = agent.at(&stage.base);
    let asking = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask().await }
    });
    let live = stage.resume(Preset::Supervised, state).await;
    // The server serves until the test ends.
    std::mem::forget(stage);
    (live, agent, asking)
}

#[tokio::test]
async fn an_agent_that_repeats_its_request_finds_its_question() {
    for wire in WIRES {
        let id = if wire == "gemini" { "" } else { "k1" };
        let model = Server::new(vec![
            streamed(wire, "Hold.", &[(id, "bash", bash("ls"))]),
            streamed(wire, "End.", &[]),
        ]);
        let (state, call, agent) = killed(wire, &model, true).await;
        let ran = agent.ran.clone();
        let (live, mut agent, asking) = restarted(agent, &model, state).await;
        let mut live = live;
        live.settles("it still waits", |state| {
            state
                .calls
                .get(&call)
                .is_some_and(|call| call.status == Status::AwaitingApproval)
        })
        .await;
        assert!(ran.lock().unwrap().is_empty(), "{wire}");
        approve(&live, call).await;
        let (_, bytes) = asking.await.unwrap();
        let reply = summary(Wire::named(wire).unwrap(), &bytes);
        assert_eq!((reply.text.as_str(), reply.calls.len()), ("Hold.", 1), "{wire}");
        assert_eq!(model.seen().len(), 1, "{wire}: the model is not asked again");
        agent.take(&reply);
        agent.ask().await;
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), bash("ls"))], "{wire}");
        assert_eq!(prompts(&live.state), ["fix it"], "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn an_agent_that_comes_back_gets_the_call_by_its_own_words_and_an_answer_to_those_of_its_user() {
    for (wire, shown) in [
        ("anthropic", ""),
        ("anthropic", "No response requested."),
        ("openai-chat", "Hold."),
        ("openai-responses", ""),
    ] {
        for words in ["Continue from where you left off.", "where were we?"] {
            let is_no = words == "where were we?";
            let model = Server::new(vec![
                streamed(wire, "Hold.", &[("k1", "bash", bash("ls"))]),
                streamed(wire, "End.", &[]),
            ]);
            let (state, call, mut agent) = killed(wire, &model, true).await;
            if !shown.is_empty() {
                agent.remember_text(shown);
            }
            agent.say(words);
            let ran = agent.ran.clone();
            let (mut live, mut agent, asking) = restarted(agent, &model, state).await;
            let wire_of = Wire::named(wire).unwrap();
            if is_no {
                let reply = summary(wire_of, &asking.await.unwrap().1);
                assert_eq!((reply.text.as_str(), reply.calls.len()), ("End.", 0), "{wire}");
                live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
                    .await;
                assert_eq!(live.state.calls[&call].status, Status::Rejected, "{wire}");
                assert!(ran.lock().unwrap().is_empty(), "{wire}");
                assert_eq!(prompts(&live.state), ["fix it", words], "{wire}");
                live.end().await;
                continue;
            }
            live.settles("it waits", |state| waiting(state, "bash").is_some())
                .await;
            assert!(ran.lock().unwrap().is_empty(), "{wire}");
            approve(&live, call).await;
            let reply = summary(wire_of, &asking.await.unwrap().1);
            let text = if shown == "Hold." { "" } else { "Hold." };
            assert_eq!((reply.text.as_str(), reply.calls.len()), (text, 1), "{wire}");
            assert_eq!(model.seen().len(), 1, "{wire}: the model is not asked again");
            agent.take(&reply);
            agent.ask().await;
            live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
                .await;
            assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), bash("ls"))], "{wire}");
            assert_eq!(live.state.calls[&call].status, Status::Succeeded, "{wire}");
            assert_eq!(prompts(&live.state), ["fix it"], "{wire}");
            live.end().await;
        }
    }
}

#[tokio::test]
async fn another_task_ends_the_call_that_waited_and_nothing_runs() {
    for wire in WIRES {
        let id = if wire == "gemini" { "" } else { "k1" };
        let model = Server::new(vec![
            streamed(wire, "Hold.", &[(id, "bash", bash("rm -r ."))]),
            streamed(wire, "Something else.", &[]),
        ]);
        let (state, call, old) = killed(wire, &model, true).await;
        let ran = old.ran.clone();
        let mut agent = Agent::new(wire, "");
        agent.ran = ran.clone();
        agent.say("write a poem");
        let (mut live, _, asking) = restarted(agent, &model, state).await;
        let (_, bytes) = asking.await.unwrap();
        let reply = summary(Wire::named(wire).unwrap(), &bytes);
        assert_eq!(
            (reply.text.as_str(), reply.calls.len()),
            ("Something else.", 0),
            "{wire}"
        );
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert_eq!(live.state.calls[&call].status, Status::Rejected, "{wire}");
        assert!(live.state.calls[&call].attempts.is_empty(), "{wire}");
        assert!(ran.lock().unwrap().is_empty(), "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_call_of_a_reply_that_the_end_of_the_proxy_cut_never_runs() {
    for says_the_same in [true, false] {
        let wire = "anthropic";
        let Reply::Stream(mut frames) = streamed(wire, "Half.", &[("k1", "bash", bash("rm -r ."))]) else {
            unreachable!()
        };
        // Without the end of the message.
        frames.truncate(frames.len() - 2);
        let (half, _rest) = open(frames);
        let model = Server::new(vec![half, streamed(wire, "Anew.", &[])]);
        let (state, call, mut agent) = killed(wire, &model, false).await;
        if !says_the_same {
            let ran = agent.ran.clone();
            agent = Agent::new(wire, "");
            agent.ran = ran;
            agent.say("write a poem");
        }
        let ran = agent.ran.clone();
        let (mut live, _, asking) = restarted(agent, &model, state).await;
        let (_, bytes) = asking.await.unwrap();
        let reply = summary(Wire::named(wire).unwrap(), &bytes);
        assert_eq!((reply.text.as_str(), reply.calls.len()), ("Anew.", 0));
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert!(live.state.calls[&call].attempts.is_empty());
        assert!(ran.lock().unwrap().is_empty());
        live.end().await;
    }
}

#[tokio::test]
async fn a_session_continues_in_its_own_conversation_whoever_asks_first() {
    for wire in WIRES {
        for header in [None, Some("x-claude-code-session-id")] {
            let id = if wire == "gemini" { "" } else { "k1" };
            let model = Server::new(vec![
                streamed(wire, "Hold.", &[(id, "bash", bash("ls"))]),
                streamed(wire, "A poem.", &[]),
            ]);
            let (state, call, agent) = killed(wire, &model, true).await;
            let mut stage = Stage::with_session(model.base.trim_end_matches("/v1"), &state).await;
            let named = |agent: Agent| match header {
                Some(header) => agent.with_header(header, "s"),
                None => agent,
            };
            let mut other = named(Agent::new(wire, &stage.base));
            other.say("write a poem");
            let asking = asks(&other);
            let (opening, resumes) = stage.opening().await;
            assert!(!resumes, "{wire}: another task");
            let mut first = stage.begin(&opening, Preset::Supervised, State::default());
            assert_eq!(reply(wire, asking).await.text, "A poem.", "{wire}");
            first.settles("finished", finished).await;

            let agent = named(agent.at(&stage.base));
            let asking = asks(&agent);
            let (opening, resumes) = stage.opening().await;
            assert!(resumes && opening.is_beside, "{wire}: its own conversation");
            let mut live = stage.begin(&opening, Preset::Supervised, state);
            live.settles("it still waits", |state| {
                let call = state.calls.get(&call);
                call.is_some_and(|call| call.status == Status::AwaitingApproval)
            })
            .await;
            assert!(agent.ran.lock().unwrap().is_empty(), "{wire}");
            approve(&live, call).await;
            assert_eq!(reply(wire, asking).await.calls.len(), 1, "{wire}");
            assert_eq!(model.seen().len(), 2, "{wire}: the model is not asked again");
            assert_eq!(prompts(&live.state), ["fix it"], "{wire}");
            assert_eq!(prompts(&first.state), ["write a poem"], "{wire}");
            live.end().await;
            first.end().await;
        }
    }
}

#[tokio::test]
async fn a_history_without_a_call_that_ran_or_with_other_words_is_not_of_the_session() {
    for wire in WIRES {
        let id = if wire == "gemini" { "" } else { "k1" };
        let model = Server::new(vec![
            streamed(wire, "Hm.", &[(id, "bash", bash("ls"))]),
            streamed(wire, "Listed.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let fresh = agent.clone();
        let work = tokio::spawn(async move {
            let (_, bytes) = agent.ask().await;
            agent.take(&summary(Wire::named(wire).unwrap(), &bytes));
            let (_, bytes) = agent.ask().await;
            agent.take(&summary(Wire::named(wire).unwrap(), &bytes));
            agent
        });
        let mut live = stage.run(Preset::Auto).await;
        let mut agent = work.await.unwrap();
        live.settles("finished", finished).await;
        let request = |agent: &Agent| {
            let body = agent.body().to_string();
            decode_request(Wire::named(wire).unwrap(), body.as_bytes()).unwrap()
        };
        let is_of = |agent: &Agent| resumed::is_of(&live.state, &request(agent));
        assert!(is_of(&agent), "{wire}: the same history");
        agent.say("and on");
        assert!(is_of(&agent), "{wire}: more of it");
        assert!(!is_of(&fresh), "{wire}: the same words without the call");
        let mut other = Agent::new(wire, "");
        other.say("write a poem");
        other.say("and on");
        assert!(!is_of(&other), "{wire}: other words");
        assert!(
            !resumed::is_of(&State::default(), &request(&agent)),
            "{wire}: an empty session"
        );
        live.end().await;
    }
}

#[tokio::test]
async fn a_rejected_call_says_of_a_shortened_history_that_it_is_of_the_session() {
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "Hm.", &[("k1", "bash", bash("ls"))]),
        streamed(wire, "Then not.", &[]),
    ]);
    let (_stage, mut live, work) = working(wire, &model, "go", Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    crate::proxy::stage::reject(&live, call, "no").await;
    let agent = work.await.unwrap();
    live.settles("finished", finished).await;
    let mut body = agent.body();
    body["messages"][0]["content"] = "a summary".into();
    let of = |body: &serde_json::Value| {
        decode_request(Wire::named(wire).unwrap(), body.to_string().as_bytes()).unwrap()
    };
    assert!(resumed::is_of(&live.state, &of(&body)));
    body["messages"][1]["content"][1]["name"] = "rejected_by_operator_00000000_1".into();
    assert!(!resumed::is_of(&live.state, &of(&body)), "of another session");
    live.end().await;
}
