//! Tests of what an operator inserts into an agent's conversation, or deletes there.
//!
//! Must not know: how a request is changed.

use overrule::domain::command::Edit;
use overrule::domain::state::State;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::{AgentMessage, Role, decode_request};
use overrule::policy::Preset;

use crate::agent::Agent;
use crate::course::{WIRES, bash, streamed};
use crate::server::Server;
use crate::stage::{Stage, approve, asked, calls, finished};

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
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let work = tokio::spawn(async move {
            agent.work("go").await;
            agent
        });
        let mut live = stage.run(Preset::Supervised).await;
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
async fn an_inserted_thought_is_one_of_the_model_and_not_the_end_of_a_request() {
    for wire in WIRES {
        let model = Server::new(vec![
            streamed(wire, "One.", &[]),
            streamed(wire, "Two.", &[]),
            streamed(wire, "Three.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let work = tokio::spawn(async move {
            agent.work("go").await;
            agent
        });
        let mut live = stage.run(Preset::Auto).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        let edit = Edit::InsertThought {
            after: None,
            text: "I never asked for the date.".into(),
        };
        live.commit(vec![edit]).await.unwrap();
        agent.work("and more").await;
        agent.work("that is all").await;
        for number in [1, 2] {
            let sent = model.seen()[number].body.clone();
            let at = places(&sent, &["One.", "I never asked for the date.", "and more"]);
            assert!(at.is_sorted(), "{wire}: {sent}");
            let request = decode_request(Wire::named(wire).unwrap(), sent.as_bytes()).unwrap();
            let said = |message: &&AgentMessage| message.texts().any(|text| text.contains("never asked"));
            let thought = request.messages.iter().find(said).unwrap();
            assert_eq!(thought.role, Role::Assistant, "{wire}: {sent}");
            assert_eq!(
                request.messages.last().unwrap().role,
                Role::User,
                "{wire}: {sent}"
            );
        }
        live.end().await;
    }
}

#[tokio::test]
async fn what_the_agent_would_contradict_is_refused_and_changes_nothing() {
    let wire = "anthropic";
    let model = Server::new(vec![streamed(wire, "One.", &[]), streamed(wire, "Two.", &[])]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    let work = tokio::spawn(async move {
        agent.work("go").await;
        agent
    });
    let mut live = stage.run(Preset::Auto).await;
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
    for edit in [Edit::Text { node, base, text }, Edit::Delete { node, base }, call] {
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
async fn a_deleted_call_is_in_no_later_request() {
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
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let work = tokio::spawn(async move {
            agent.work("go").await;
            agent
        });
        let mut live = stage.run(Preset::Auto).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        let node = live.state.nodes.get(&calls(&live.state, "bash")[0]).unwrap();
        let (node, base) = (node.id, node.rev());
        live.commit(vec![Edit::Delete { node, base }]).await.unwrap();
        agent.work("and more").await;
        let sent = model.seen()[2].body.clone();
        assert!(!sent.contains("date"), "{wire}: {sent}");
        places(&sent, &["One.", "ran x", "and more"]);
        live.end().await;
    }
}
