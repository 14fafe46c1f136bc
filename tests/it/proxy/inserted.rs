//! Tests of what an operator inserts into an agent's conversation, or deletes there.
//!
//! Must not know: how a request is changed.

use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::state::State;
use overrule::policy::Preset;
use serde_json::{Value, json};

use crate::proxy::agent::{Agent, client};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked, calls, finished, reject, working};

/// Fails if a body has two messages of the user in a row where the server may refuse that.
#[track_caller]
pub fn alternates(wire: &str, body: &str) {
    let body: Value = serde_json::from_str(body).unwrap();
    let messages = body["messages"].as_array().or(body["contents"].as_array());
    for two in messages.into_iter().flat_map(|messages| messages.windows(2)) {
        assert!(
            two[0]["role"] != "user" || two[1]["role"] != "user",
            "{wire}: {body}"
        );
    }
}

/// The places of texts in a body, each of which it has once.
#[track_caller]
fn places(body: &str, texts: &[&str]) -> Vec<usize> {
    let place = |text: &&str| {
        assert_eq!(body.matches(text).count(), 1, "{text}: {body}");
        body.find(text).unwrap()
    };
    texts.iter().map(place).collect()
}

#[tokio::test]
async fn words_of_the_operator_reach_the_model_and_stay_in_their_place() {
    for wire in WIRES {
        let model = Server::new(vec![
            streamed(wire, "One.", &[("a", "bash", bash("date"))]),
            streamed(wire, "Two.", &[]),
            streamed(wire, "Three.", &[]),
            streamed(wire, "Four.", &[]),
        ]);
        let (_stage, mut live, work) = working(wire, &model, "go", Preset::Supervised).await;
        let call = asked(&mut live, "bash").await;
        let guide = |text: &str| Edit::InsertPrompt {
            after: None,
            text: text.into(),
        };
        live.commit(vec![guide("Mind the time zone.")]).await.unwrap();
        approve(&live, call).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        // The words come after the result, also without an id that names its call.
        let sent = model.seen()[1].body.clone();
        alternates(wire, &sent);
        let at = places(&sent, &["One.", "ran date", "Mind the time zone."]);
        assert!(at.is_sorted(), "{wire}: {sent}");
        live.commit(vec![guide("Say it in words.")]).await.unwrap();
        agent.work("and more").await;
        agent.work("that is all").await;
        for (at, more) in [(2, &[][..]), (3, &["Three.", "that is all"])] {
            let sent = model.seen()[at].body.clone();
            let texts = [
                "One.",
                "ran date",
                "Mind the time zone.",
                "Two.",
                "Say it in words.",
                "and more",
            ];
            alternates(wire, &sent);
            let at = places(&sent, &[&texts[..], more].concat());
            assert!(at.is_sorted(), "{wire}: {sent}");
        }
        assert_eq!(agent.ran.lock().unwrap().len(), 1, "{wire}");
        // The agent itself has none of these words.
        assert!(!agent.body().to_string().contains("time zone"), "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn what_the_agent_would_contradict_is_refused_and_changes_nothing() {
    let wire = "anthropic";
    let model = Server::new(vec![streamed(wire, "One.", &[]), streamed(wire, "Two.", &[])]);
    let (_stage, mut live, work) = working(wire, &model, "go", Preset::Auto).await;
    let mut agent = work.await.unwrap();
    finished(&mut live).await;
    let mut nodes = live.state.nodes.values();
    let prompt = nodes.find(|node| node.text() == "go").unwrap();
    let (node, base) = (prompt.id, prompt.rev());
    let text = "stop".into();
    let call = Edit::InsertCall {
        after: None,
        tool: "bash".into(),
        args: r#"{"command":"date"}"#.into(),
    };
    let thought = Edit::InsertThought {
        after: None,
        text: "Hm.".into(),
    };
    let edits = [
        Edit::Text { node, base, text },
        Edit::Delete { node, base },
        call,
        thought,
    ];
    for edit in edits {
        let refusal = live.commit(vec![edit]).await.unwrap_err();
        assert!(refusal.message.contains("hint: guide the model"), "{refusal:?}");
    }
    // The operator's own words can be changed.
    let guide = Edit::InsertPrompt {
        after: None,
        text: "Mind the tme zone.".into(),
    };
    live.commit(vec![guide]).await.unwrap();
    let typo = |state: &State| {
        let mut nodes = state.nodes.values();
        nodes
            .find(|node| node.text().contains("tme"))
            .map(|node| (node.id, node.rev()))
    };
    live.settles("the words are there", |state| typo(state).is_some())
        .await;
    let (node, base) = typo(&live.state).unwrap();
    let text = "Mind the time zone.".into();
    live.commit(vec![Edit::Text { node, base, text }]).await.unwrap();
    agent.work("and more").await;
    let sent = model.seen()[1].body.clone();
    let at = places(&sent, &["\"go\"", "One.", "Mind the time zone.", "and more"]);
    assert!(at.is_sorted() && !sent.contains("tme"), "{sent}");
    assert!(agent.ran.lock().unwrap().is_empty());
    live.end().await;
}

#[tokio::test]
async fn a_deleted_call_has_no_result_in_later_requests() {
    for wire in WIRES {
        // These agents send no ids.
        let id = |id: &'static str| {
            if matches!(wire, "gemini" | "ollama") {
                ""
            } else {
                id
            }
        };
        let model = Server::new(vec![
            streamed(
                wire,
                "One.",
                &[(id("a"), "bash", bash("date")), (id("b"), "edit", bash("x"))],
            ),
            streamed(wire, "Two.", &[]),
            streamed(wire, "Three.", &[]),
        ]);
        let (_stage, mut live, work) = working(wire, &model, "go", Preset::Auto).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        let node = live.state.nodes.get(&calls(&live.state, "bash")[0]).unwrap();
        let (node, base) = (node.id, node.rev());
        live.commit(vec![Edit::Delete { node, base }]).await.unwrap();
        agent.work("and more").await;
        // The call stays, as reasoning of the model may belong to it.
        let sent = model.seen()[2].body.clone();
        assert!(!sent.contains("ran date"), "{wire}: {sent}");
        let result = "The operator deleted this call and its result.";
        places(&sent, &["One.", result, "ran x", "and more"]);
        live.end().await;
    }
}

#[tokio::test]
async fn equal_replies_are_told_apart_and_words_of_another_task_stay_away() {
    for wire in WIRES {
        let replies = ["Done.", "Done.", "Done.", "Other."];
        let model = Server::new(replies.iter().map(|text| streamed(wire, text, &[])).collect());
        let (stage, mut live, work) = working(wire, &model, "first", Preset::Auto).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        let guide = Edit::InsertPrompt {
            after: None,
            text: "Only the docs.".into(),
        };
        live.commit(vec![guide]).await.unwrap();
        agent.work("second").await;
        agent.work("third").await;
        let sent = model.seen()[2].body.clone();
        let at = places(&sent, &["first", "Only the docs.", "second", "third"]);
        assert!(at.is_sorted(), "{wire}: {sent}");
        let done: Vec<usize> = sent.match_indices("Done.").map(|(at, _)| at).collect();
        assert!(done[0] < at[1] && at[1] < done[1], "{wire}: {sent}");
        // A history without the step before them does not get the words.
        let mut other = Agent::new(wire, &stage.base);
        other.say("a new task");
        let (status, _) = other.ask().await;
        assert_eq!(status, 200);
        let sent = model.seen()[3].body.clone();
        assert!(!sent.contains("Only the docs."), "{wire}: {sent}");
        live.end().await;
    }
}

#[tokio::test]
async fn words_of_an_agent_whose_tools_the_provider_runs_are_sent_once() {
    let wire = "anthropic";
    let model = Server::new(vec![streamed(wire, "One.", &[])]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let base = stage.base.clone();
    let body = json!({
        "model": "m", "max_tokens": 9, "stream": true,
        "messages": [{"role": "user", "content": "look it up"}],
        "tools": [{"type": "web_search_20250305", "name": "web_search"}],
    });
    let sent = body.to_string();
    let asking = tokio::spawn(async move {
        let sent = client().post(format!("{base}/v1/messages")).body(sent).send();
        sent.await.unwrap().text().await.unwrap()
    });
    let live = stage.run(Preset::Auto).await;
    assert!(asking.await.unwrap().contains("One."));
    assert_eq!(model.seen()[0].body, body.to_string());
    live.end().await;
}

#[tokio::test]
async fn after_an_undo_the_model_sees_the_call_that_was_rejected() {
    for wire in WIRES {
        let call = streamed(wire, "One.", &[("a", "bash", bash("ls -a"))]);
        let model = Server::new(vec![call, streamed(wire, "Two.", &[])]);
        let (_stage, mut live, work) = working(wire, &model, "go", Preset::Supervised).await;
        let node = asked(&mut live, "bash").await;
        let edit = Edit::Call {
            node,
            base: live.state.nodes[&node].rev(),
            tool: "bash".into(),
            args: bash("rm x").to_string().into(),
            shown: false,
        };
        live.commit(vec![edit]).await.unwrap();
        live.send(Command::Edit(EditCommand::Undo {
            epoch: None,
            effects_seen: None,
        }))
        .await
        .unwrap();
        asked(&mut live, "bash").await;
        reject(&live, node, "not here").await;
        let agent = work.await.unwrap();
        finished(&mut live).await;
        let sent = model.seen()[1].body.clone();
        assert!(
            sent.contains("ls -a") && sent.contains("not here"),
            "{wire}: {sent}"
        );
        assert!(!sent.contains("rm x"), "{wire}: {sent}");
        assert!(agent.ran.lock().unwrap().is_empty(), "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn words_after_a_repeated_request_stay_behind_its_reply() {
    for wire in WIRES {
        let replies = ["One.", "Again.", "Two."];
        let model = Server::new(replies.iter().map(|text| streamed(wire, text, &[])).collect());
        let (_stage, mut live, work) = working(wire, &model, "go", Preset::Auto).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        // The agent lost the reply, and asks the same again.
        agent.forget(1);
        let reply = crate::proxy::beside::reply(wire, crate::proxy::beside::asks(&agent)).await;
        agent.take(&reply);
        live.settles("it was asked again", |state| {
            let mut nodes = state.nodes.values();
            nodes.any(|node| node.text() == "Again.")
        })
        .await;
        finished(&mut live).await;
        let guide = Edit::InsertPrompt {
            after: None,
            text: "Mind the time zone.".into(),
        };
        live.commit(vec![guide]).await.unwrap();
        agent.work("and more").await;
        let sent = model.seen()[2].body.clone();
        let at = places(&sent, &["Again.", "Mind the time zone.", "and more"]);
        assert!(at.is_sorted() && !sent.contains("One."), "{wire}: {sent}");
        live.end().await;
    }
}
