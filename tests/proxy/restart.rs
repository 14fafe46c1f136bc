//! Tests what an agent finds after the proxy was killed while a call waited.
//!
//! Must not know: how a session is stored.

use overrule::domain::call::Status;
use overrule::domain::id::{NodeId, NodeKind};
use overrule::domain::state::{Mode, State};
use overrule::domain::turn::Stream;
use overrule::model::decode::summary;
use overrule::model::wire::Wire;
use overrule::policy::Preset;

use crate::agent::Agent;
use crate::course::{WIRES, bash, streamed};
use crate::live::Live;
use crate::server::{Reply, Server, open};
use crate::stage::{Stage, approve, asked};

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

fn prompts(state: &State) -> Vec<&str> {
    let nodes = state.nodes.values();
    let prompts = nodes.filter(|node| node.id.kind == NodeKind::Prompt && node.active);
    prompts.map(overrule::domain::node::Node::text).collect()
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
async fn an_agent_that_continues_with_other_words_gets_the_call_once_it_is_approved() {
    for (wire, shown) in [
        ("anthropic", ""),
        ("anthropic", "No response requested."),
        ("openai-chat", "Hold."),
        ("openai-responses", ""),
    ] {
        let model = Server::new(vec![
            streamed(wire, "Hold.", &[("k1", "bash", bash("ls"))]),
            streamed(wire, "End.", &[]),
        ]);
        let (state, call, mut agent) = killed(wire, &model, true).await;
        if !shown.is_empty() {
            agent.remember_text(shown);
        }
        agent.say("where were we?");
        let ran = agent.ran.clone();
        let (mut live, mut agent, asking) = restarted(agent, &model, state).await;
        live.settles("its words are known", |state| prompts(state).len() == 2)
            .await;
        assert_eq!(live.state.calls[&call].status, Status::AwaitingApproval, "{wire}");
        assert!(ran.lock().unwrap().is_empty(), "{wire}");
        approve(&live, call).await;
        let (_, bytes) = asking.await.unwrap();
        let reply = summary(Wire::named(wire).unwrap(), &bytes);
        let text = if shown == "Hold." { "" } else { "Hold." };
        assert_eq!((reply.text.as_str(), reply.calls.len()), (text, 1), "{wire}");
        assert_eq!(model.seen().len(), 1, "{wire}: the model is not asked again");
        agent.take(&reply);
        agent.ask().await;
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), bash("ls"))], "{wire}");
        assert_eq!(live.state.calls[&call].status, Status::Succeeded, "{wire}");
        assert_eq!(prompts(&live.state), ["fix it", "where were we?"], "{wire}");
        live.end().await;
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
