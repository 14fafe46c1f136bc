//! Tests of the results that an agent sends: which call each is of, and what they lead to.
//!
//! Must not know: formats beyond what the agent and the model say.

use overrule::domain::call::Status;
use overrule::domain::state::Mode;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::{ReplyHead, encode_stream};
use overrule::policy::Preset;
use serde_json::{Value, json};

use crate::proxy::agent::Agent;
use crate::proxy::course::{WIRES, bash, chunks, head, streamed};
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::Stage;

#[tokio::test]
async fn a_request_that_knows_nothing_of_a_call_with_the_agent_does_not_end_it() {
    for wire in ["anthropic", "openai-chat", "openai-responses"] {
        let model = Server::new(vec![
            streamed(wire, "Now.", &[("h1", "bash", bash("make"))]),
            streamed(wire, "A title.", &[]),
            streamed(wire, "Made.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let mut other = agent.clone();
        agent.say("go");
        let asking = tokio::spawn(async move {
            let (_, bytes) = agent.ask().await;
            (agent, bytes)
        });
        let mut live = stage.run(Preset::Auto).await;
        let (mut agent, bytes) = asking.await.unwrap();
        live.settles("a call", |state| !state.calls.is_empty()).await;
        let call = *live.state.calls.keys().next().unwrap();
        // The agent runs the call for a while, and asks for something else meanwhile.
        other.say("go");
        other.say("name this");
        let naming = tokio::spawn(async move { other.ask().await });
        let mut second = stage.run(Preset::Auto).await;
        naming.await.unwrap();
        second
            .settles("answered", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        live.settles("the call is with the agent", |state| {
            let mut calls = state.calls.values();
            calls.any(|one| one.id == call && matches!(one.status, Status::Running(_)))
        })
        .await;
        let reply = overrule::model::decode::summary(Wire::named(wire).unwrap(), &bytes);
        agent.take(&reply);
        agent.ask().await;
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert_eq!(live.state.calls[&call].status, Status::Succeeded, "{wire}");
        live.end().await;
        second.end().await;
    }
}

#[tokio::test]
async fn results_with_ids_of_the_agents_own_are_taken_by_their_place() {
    let wire = "gemini";
    let model = Server::new(vec![
        streamed(
            wire,
            "Two.",
            &[("", "bash", bash("one")), ("", "edit", bash("two"))],
        ),
        streamed(wire, "More.", &[("", "bash", bash("three"))]),
        streamed(wire, "End.", &[]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base).with_ids_of_its_own();
    let ran = agent.ran.clone();
    let work = tokio::spawn(async move { agent.work("go").await });
    let mut live = stage.run(Preset::Auto).await;
    assert_eq!(work.await.unwrap(), "End.");
    let tools: Vec<String> = ran
        .lock()
        .unwrap()
        .iter()
        .map(|(_, args)| args["command"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(tools, ["one", "two", "three"], "each ran once");
    live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
        .await;
    for call in live.state.calls.values() {
        assert_eq!(call.status, Status::Succeeded, "{}", call.id);
    }
    assert_eq!(model.seen().len(), 3);
    live.end().await;
}

#[tokio::test]
async fn an_agent_in_a_loop_is_refused_after_three_times_and_told_why() {
    for wire in WIRES {
        let model = Server::answering(move |number, _| {
            let id = if wire == "gemini" {
                String::new()
            } else {
                format!("l{number}")
            };
            streamed(wire, "Again.", &[(&id, "bash", bash("make"))])
        });
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let ran = agent.ran.clone();
        let work = tokio::spawn(async move { agent.work("build it").await });
        let mut live = stage.run(Preset::Auto).await;
        live.settles("a repetition is refused", |state| {
            let mut calls = state.calls.values();
            calls.any(|call| call.status == Status::Rejected)
        })
        .await;
        assert_eq!(ran.lock().unwrap().len(), 3, "{wire}");
        let seen = model.seen();
        let told = seen[3].body.to_lowercase();
        assert!(told.contains("loop") || told.contains("repeat"), "{wire}: {told}");
        assert!(
            !seen[2].body.to_lowercase().contains("repeat"),
            "{wire}: not before the third"
        );
        work.abort();
        live.end().await;
    }
}

#[tokio::test]
async fn an_agent_whose_history_the_server_keeps_stays_in_one_conversation() {
    let wire = "openai-responses";
    let named = |id: &str, text: &str, calls: &[(&str, &str, Value)]| {
        let head = ReplyHead {
            id: id.into(),
            ..head()
        };
        let body = encode_stream(Wire::named(wire).unwrap(), head, &chunks(text, calls));
        Reply::Stream(body.split_inclusive("\n\n").map(str::to_owned).collect())
    };
    let model = Server::new(vec![
        named("resp_1", "Look.", &[("p1", "bash", bash("ls"))]),
        named("resp_2", "Done.", &[]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let asking = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask().await }
    });
    let mut live = stage.run(Preset::Auto).await;
    let (_, bytes) = asking.await.unwrap();
    assert_eq!(
        overrule::model::decode::summary(Wire::named(wire).unwrap(), &bytes)
            .calls
            .len(),
        1
    );
    let result = json!({"type": "function_call_output", "call_id": "p1", "output": "ran ls"});
    let mut body = agent.body();
    body["input"] = json!([result]);
    body["previous_response_id"] = "resp_1".into();
    let response = crate::proxy::agent::client()
        .post(format!("{}/responses", stage.base))
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    assert!(response.text().await.unwrap().contains("Done."));
    live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
        .await;
    let call = live.state.calls.values().next().unwrap();
    assert_eq!(call.status, Status::Succeeded);
    assert_eq!(live.state.tally.requests, 2);
    live.end().await;
}
