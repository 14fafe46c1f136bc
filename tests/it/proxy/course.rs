//! Tests of the course of a conversation: what runs, what the agent gets, what the model sees.
//!
//! Must not know: formats beyond what the agent and the model say.

use overrule::domain::call::Status;
use overrule::domain::command::Edit;
use overrule::domain::id::NodeKind;
use overrule::domain::state::Mode;
use overrule::domain::turn::Stop;
use overrule::model::Chunk;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::{ReplyHead, encode_stream, encode_whole};
use overrule::policy::Preset;
use overrule::proxy::overlay;
use serde_json::{Value, json};

use crate::proxy::agent::Agent;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, reject};

/// Every format.
pub const WIRES: [&str; 5] = ["anthropic", "openai-chat", "openai-responses", "gemini", "ollama"];

/// The chunks of a reply with these calls, or an answer.
pub fn chunks(text: &str, calls: &[(&str, &str, Value)]) -> Vec<Chunk> {
    let mut chunks = vec![
        Chunk::Text {
            part: 0,
            delta: text.into(),
        },
        Chunk::Sealed {
            part: 0,
            opaque: None,
        },
    ];
    for (at, (id, name, args)) in calls.iter().enumerate() {
        let part = at as u32 + 1;
        chunks.extend([
            Chunk::Call {
                part,
                id: (!id.is_empty()).then(|| (*id).to_owned()),
                name: (*name).to_owned(),
            },
            Chunk::Args {
                part,
                delta: args.to_string(),
            },
            Chunk::Sealed { part, opaque: None },
        ]);
    }
    let stop = if calls.is_empty() { Stop::End } else { Stop::Calls };
    chunks.push(Chunk::Finish(stop));
    chunks
}

/// The head of a reply.
pub fn head() -> ReplyHead {
    ReplyHead {
        id: "r".into(),
        model: "m".into(),
        created: 1,
    }
}

/// A reply of the model.
pub fn streamed(wire: &str, text: &str, calls: &[(&str, &str, Value)]) -> Reply {
    let body = encode_stream(Wire::named(wire).unwrap(), head(), &chunks(text, calls));
    // One event a frame, as a server sends them.
    let end = if wire == "ollama" { "\n" } else { "\n\n" };
    Reply::Stream(body.split_inclusive(end).map(str::to_owned).collect())
}

/// The same in one piece.
pub fn whole(wire: &str, text: &str, calls: &[(&str, &str, Value)]) -> Reply {
    let body = encode_whole(Wire::named(wire).unwrap(), &head(), &chunks(text, calls));
    Reply::Stream(vec![body])
}

/// The arguments of a shell call.
pub fn bash(command: &str) -> Value {
    json!({ "command": command })
}

#[tokio::test]
async fn a_person_edits_one_call_rejects_another_and_neither_runs_as_it_was() {
    for wire in ["anthropic", "openai-chat", "openai-responses"] {
        let model = Server::new(vec![
            streamed(
                wire,
                "I look.",
                &[("a1", "bash", bash("rm -rf /")), ("a2", "edit", bash("keep"))],
            ),
            streamed(wire, "Done.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let ran = agent.ran.clone();
        let work = tokio::spawn(async move { agent.work("do it").await });
        let mut live = stage.run(Preset::Supervised).await;

        let first = asked(&mut live, "bash").await;
        let second = asked(&mut live, "edit").await;
        assert!(
            ran.lock().unwrap().is_empty(),
            "{wire}: nothing ran before a decision"
        );
        reject(&live, second, "not this file").await;
        let node = live.state.nodes.get(&first).unwrap();
        let edit = Edit::Call {
            node: first,
            base: node.rev(),
            tool: "bash".into(),
            args: bash("ls").to_string().into(),
            shown: true,
        };
        live.commit(vec![edit]).await.unwrap();
        live.settles("it is approved or asked", |state| {
            let is_new = state.nodes[&first].rev() > overrule::domain::id::Rev(1);
            is_new && state.calls[&first].status != Status::Ready
        })
        .await;
        if live.state.calls[&first].status == Status::AwaitingApproval {
            approve(&live, first).await;
        }
        assert_eq!(work.await.unwrap(), "Done.", "{wire}");
        assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), bash("ls"))], "{wire}");

        // The model sees the call that ran, and of the other its own words with the operator's reason.
        let sent = model.seen()[1].body.clone();
        assert!(
            sent.contains("not this file") && sent.contains("keep"),
            "{wire}: {sent}"
        );
        assert!(
            !sent.contains("rejected_by_operator") && !sent.contains("no such tool"),
            "{wire}: {sent}"
        );
        assert!(
            sent.contains("ran ls") && !sent.contains("rm -rf"),
            "{wire}: {sent}"
        );

        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        let state = &live.state;
        assert_eq!(state.calls[&first].status, Status::Succeeded, "{wire}");
        assert_eq!(state.calls[&second].status, Status::Rejected, "{wire}");
        assert!(state.calls[&second].attempts.is_empty(), "{wire}");
        let prompts = state
            .nodes
            .keys()
            .filter(|id| id.kind == NodeKind::Prompt)
            .count();
        assert_eq!((prompts, state.tally.requests), (1, 2), "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn what_the_policy_allows_passes_byte_for_byte_and_is_recorded() {
    for wire in WIRES {
        let model = Server::new(vec![
            streamed(wire, "Now.", &[("b1", "bash", bash("ls"))]),
            streamed(wire, "Ready.", &[]),
            streamed(wire, "Again.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let work = tokio::spawn(async move {
            agent.say("go");
            let (status, bytes) = agent.ask().await;
            assert_eq!(status, 200);
            let reply = overrule::model::decode::summary(Wire::named(wire).unwrap(), &bytes);
            agent.take(&reply);
            let (_, answer) = agent.ask().await;
            agent.take(&overrule::model::decode::summary(
                Wire::named(wire).unwrap(),
                &answer,
            ));
            (bytes, agent.work("and more").await, agent)
        });
        let mut live = stage.run(Preset::Auto).await;
        let (bytes, answer, agent) = work.await.unwrap();
        let sent = encode_stream(
            Wire::named(wire).unwrap(),
            head(),
            &chunks("Now.", &[("b1", "bash", bash("ls"))]),
        );
        assert_eq!(String::from_utf8(bytes).unwrap(), sent, "{wire}");
        assert_eq!(answer, "Again.", "{wire}");
        let seen = model.seen();
        assert_eq!(seen.len(), 3, "{wire}");
        assert!(
            seen[0].head.contains("canary-5c1f"),
            "the credentials go to the model"
        );
        let last: Value = serde_json::from_str(&seen[2].body).unwrap();
        let mut expected = agent.body();
        let list = match wire {
            "gemini" => "contents",
            "openai-responses" => "input",
            _ => "messages",
        };
        expected[list].as_array_mut().unwrap().pop();
        assert_eq!(last, expected, "{wire}: the request passes unchanged");
        live.settles("the second answer", |state| {
            matches!(state.mode, Mode::Finished(_)) && state.tally.requests == 3
        })
        .await;
        let prompts = live
            .state
            .nodes
            .keys()
            .filter(|id| id.kind == NodeKind::Prompt)
            .count();
        assert_eq!(prompts, 2, "{wire}");
        let call = live.state.calls.values().next().unwrap();
        assert_eq!(call.status, Status::Succeeded);
        let outcome = live.state.observation(call.id).unwrap().outcome().unwrap();
        assert!(format!("{outcome:?}").contains("ran ls"), "{wire}: {outcome:?}");
        let all = format!("{:?}", live.state);
        assert!(
            !all.contains("canary-5c1f"),
            "{wire}: credentials are in no event"
        );
        live.end().await;
    }
}

#[tokio::test]
async fn a_reply_that_is_not_streamed_is_held_too_and_kept_alive_with_white_space() {
    for wire in WIRES {
        let body = encode_whole(
            Wire::named(wire).unwrap(),
            &head(),
            &chunks("One.", &[("c1", "bash", bash("date"))]),
        );
        let model = Server::new(vec![Reply::Stream(vec![body])]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let agent = Agent::new(wire, &stage.base).in_one_piece();
        let ran = agent.ran.clone();
        let asking = tokio::spawn(async move {
            let mut agent = agent;
            agent.say("go");
            let (_, bytes) = agent.ask().await;
            let reply = overrule::model::decode::summary(Wire::named(wire).unwrap(), &bytes);
            agent.take(&reply);
            (bytes, reply)
        });
        let mut live = stage.run(Preset::Supervised).await;
        let id = asked(&mut live, "bash").await;
        reject(&live, id, "no").await;
        let (_, reply) = asking.await.unwrap();
        assert_eq!(reply.calls.len(), 1, "{wire}");
        assert_eq!(reply.calls[0].name, overlay::mask(&live.state, id), "{wire}");
        assert!(ran.lock().unwrap().is_empty(), "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn an_answer_by_hand_is_what_the_model_sees_and_the_tool_does_not_run() {
    use overrule::domain::command::{CallCommand, Command};
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "Look.", &[("d1", "bash", bash("cat secret"))]),
        streamed(wire, "Fine.", &[]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    let ran = agent.ran.clone();
    let work = tokio::spawn(async move { agent.work("read it").await });
    let mut live = stage.run(Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    let rev = live.state.nodes[&call].rev();
    let value = "\"forty-two\"".into();
    live.send(Command::Call(CallCommand::Answer { call, rev, value }))
        .await
        .unwrap();
    assert_eq!(work.await.unwrap(), "Fine.");
    assert!(ran.lock().unwrap().is_empty());
    let messages = model.seen()[1].messages();
    let result = &messages[2]["content"][0];
    assert!(result["content"].to_string().contains("forty-two"), "{result}");
    assert_ne!(result["is_error"], true);
    assert_eq!(messages[1]["content"][1]["name"], "bash");
    live.end().await;
}

#[tokio::test]
async fn an_error_of_the_model_reaches_the_agent_and_its_retry_is_the_same_turn() {
    let wire = "anthropic";
    let error = r#"{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}"#;
    let model = Server::new(vec![
        Reply::Status(400, "Content-Type: application/json\r\n", error),
        streamed(wire, "Better.", &[]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let first = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask().await }
    });
    let mut live = stage.run(Preset::Auto).await;
    let (status, body) = first.await.unwrap();
    assert_eq!((status, String::from_utf8(body).unwrap().as_str()), (400, error));
    let (status, _) = agent.ask().await;
    assert_eq!(status, 200);
    live.settles("answered", |state| matches!(state.mode, Mode::Finished(_)))
        .await;
    let prompts = live
        .state
        .nodes
        .keys()
        .filter(|id| id.kind == NodeKind::Prompt)
        .count();
    assert_eq!(prompts, 1, "the retry is no second prompt");
    live.end().await;
}

#[tokio::test]
async fn an_agent_that_hangs_up_and_repeats_itself_finds_its_question() {
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "Hold.", &[("e1", "bash", bash("ls"))]),
        streamed(wire, "End.", &[]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("go");
    let first = tokio::spawn({
        let agent = agent.clone();
        async move {
            let mut response = agent.send().await;
            let _ = response.chunk().await;
        }
    });
    let mut live = stage.run(Preset::Supervised).await;
    let id = asked(&mut live, "bash").await;
    first.await.unwrap();
    let second = tokio::spawn({
        let agent = agent.clone();
        async move { agent.ask().await }
    });
    approve(&live, id).await;
    let (_, bytes) = second.await.unwrap();
    let reply = overrule::model::decode::summary(Wire::named(wire).unwrap(), &bytes);
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("Hold.", 1));
    assert_eq!(model.seen().len(), 1, "the model is not asked again");
    agent.take(&reply);
    let (_, bytes) = agent.ask().await;
    assert!(String::from_utf8(bytes).unwrap().contains("End."));
    live.settles("answered", |state| matches!(state.mode, Mode::Finished(_)))
        .await;
    live.end().await;
}

#[tokio::test]
async fn a_request_next_to_a_held_reply_is_a_conversation_of_its_own_and_ends_nothing() {
    for wire in WIRES {
        let model = Server::new(vec![
            streamed(wire, "Hold.", &[("f1", "bash", bash("ls"))]),
            streamed(wire, "Perhaps.", &[("g1", "edit", bash("x"))]),
            streamed(wire, "End.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let mut other = agent.clone();
        other.ran = crate::proxy::agent::Ran::default();
        let (ran, beside) = (agent.ran.clone(), other.ran.clone());
        let work = tokio::spawn(async move { agent.work("go").await });
        let mut live = stage.run(Preset::Supervised).await;
        let held = asked(&mut live, "bash").await;
        // The same program asks something else with the same beginning, while it waits.
        other.say("go");
        other.say("what would you suggest?");
        let asking = tokio::spawn(async move {
            let (_, bytes) = other.ask().await;
            overrule::model::decode::summary(Wire::named(wire).unwrap(), &bytes)
        });
        let mut second = stage.run(Preset::Supervised).await;
        let suggested = asked(&mut second, "edit").await;
        assert_eq!(
            live.state.calls[&held].status,
            Status::AwaitingApproval,
            "{wire}: the held call still waits"
        );
        reject(&second, suggested, "no").await;
        assert_eq!(asking.await.unwrap().text, "Perhaps.", "{wire}");
        approve(&live, held).await;
        assert_eq!(work.await.unwrap(), "End.", "{wire}");
        assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), bash("ls"))], "{wire}");
        assert!(beside.lock().unwrap().is_empty(), "{wire}");
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        let prompts = live.state.nodes.keys();
        let prompts = prompts.filter(|id| id.kind == NodeKind::Prompt).count();
        assert_eq!((prompts, live.state.tally.requests), (1, 2), "{wire}");
        live.end().await;
        second.end().await;
    }
}
