//! Tests of what the model sees after an edit superseded a part of an agent's history.
//!
//! Must not know: how a request is changed.

use overrule::domain::call::Status;
use overrule::domain::command::{Command, Edit, EditCommand, RunCommand};
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::domain::turn::Stream;
use overrule::policy::Preset;
use serde_json::Value;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asked_model, asks, reply};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::inserted::alternates;
use crate::proxy::live::Live;
use crate::proxy::overlay::correct;
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked, calls, finished, working};

/// What the model gets where its own words would be the last ones.
const WENT_BACK: &str = "The operator went back to this point";

/// Rewrites a text of the model.
async fn rewrite(live: &mut Live, was: &str, words: &str) {
    let id = |state: &State| {
        state
            .nodes
            .values()
            .find(|node| node.text() == was)
            .map(|node| node.id)
    };
    live.settles("the text is known", |state| id(state).is_some())
        .await;
    let node = id(&live.state).unwrap();
    let edit = Edit::Text {
        node,
        base: live.state.nodes[&node].rev(),
        text: words.into(),
    };
    live.commit(vec![edit]).await.unwrap();
}

/// Fails unless a body ends with words or results for the model, and every call in it has a result.
#[track_caller]
fn is_whole(wire: &str, body: &str) {
    alternates(wire, body);
    let read: Value = serde_json::from_str(body).unwrap();
    let list = ["messages", "contents", "input"];
    let messages = list.iter().find_map(|key| read[*key].as_array()).unwrap();
    let last = messages.last().unwrap();
    let role = last["role"].as_str().unwrap_or_default();
    assert!(!matches!(role, "assistant" | "model"), "{wire}: {body}");
    // No message is left without content.
    for message in messages {
        for key in ["content", "parts", "tool_calls"] {
            let empty = message[key].as_array().is_some_and(Vec::is_empty);
            assert!(!empty, "{wire}: {body}");
        }
    }
}

/// The number of calls and of results in a body.
fn counts(body: &str) -> (usize, usize) {
    let count = |keys: &[&str]| keys.iter().map(|key| body.matches(key).count()).sum();
    let calls = count(&["\"type\":\"tool_use\"", "\"arguments\":", "\"functionCall\":"]);
    let results = count(&[
        "\"type\":\"tool_result\"",
        "\"role\":\"tool\"",
        "\"function_call_output\"",
        "\"functionResponse\":",
    ]);
    (calls, results)
}

/// Ids of calls: some formats have none.
fn id(wire: &str, id: &'static str) -> &'static str {
    if matches!(wire, "gemini" | "ollama") {
        ""
    } else {
        id
    }
}

/// An agent that ran a call and waits for a second one, whose first thought was then rewritten. The third call runs.
async fn gone_back(wire: &'static str, model: &Server) -> (Agent, Live, Stage) {
    let (stage, mut live, work) = working(wire, model, "go", Preset::Supervised).await;
    let first = asked(&mut live, "bash").await;
    approve(&live, first).await;
    let second = asked(&mut live, "edit").await;
    live.settles("its reply has ended", |state| {
        let mut turns = state.turns.values();
        turns.all(|turn| turn.stream != Stream::Open)
    })
    .await;
    rewrite(&mut live, "One.", "I only look.").await;
    let third = asked(&mut live, "bash").await;
    assert!(
        !live.state.nodes[&first].active && !live.state.nodes[&second].active,
        "{wire}"
    );
    approve(&live, third).await;
    let agent = work.await.unwrap();
    finished(&mut live).await;
    (agent, live, stage)
}

fn three(wire: &str, more: &[&str]) -> Server {
    three_with(wire, "Three.", more)
}

/// The same with these words before the third call.
fn three_with(wire: &str, words: &str, more: &[&str]) -> Server {
    let mut replies = vec![
        streamed(wire, "One.", &[(id(wire, "a"), "bash", bash("first"))]),
        streamed(wire, "Two.", &[(id(wire, "b"), "edit", bash("second"))]),
        streamed(wire, words, &[(id(wire, "c"), "bash", bash("third"))]),
        streamed(wire, "Ready.", &[]),
    ];
    replies.extend(more.iter().map(|text| streamed(wire, text, &[])));
    Server::new(replies)
}

#[tokio::test]
async fn after_a_rewritten_thought_the_model_sees_nothing_of_what_came_after_it() {
    for wire in WIRES {
        let model = three(wire, &["And more."]);
        let (mut agent, mut live, _stage) = gone_back(wire, &model).await;
        agent.work("go on").await;
        finished(&mut live).await;
        let gone = [
            "One.",
            "first",
            "Two.",
            "second",
            "rejected_by_operator",
            "no such tool",
        ];
        let stays: [&[&str]; 3] = [
            &["I only look.", "rewrote your last thought", "not undone: bash"],
            &["I only look.", WENT_BACK, "Three.", "ran third"],
            &[
                "I only look.",
                WENT_BACK,
                "Three.",
                "ran third",
                "Ready.",
                "go on",
            ],
        ];
        for (at, stays) in (2..).zip(stays) {
            let sent = model.seen()[at].body.clone();
            is_whole(wire, &sent);
            for text in gone {
                assert!(!sent.contains(text), "{wire}, request {at}: {text} in {sent}");
            }
            let places: Vec<usize> = stays
                .iter()
                .map(|text| {
                    sent.find(text)
                        .unwrap_or_else(|| panic!("{wire}, request {at}: no {text} in {sent}"))
                })
                .collect();
            assert!(places.is_sorted(), "{wire}: {sent}");
            let (calls, results) = counts(&sent);
            assert_eq!(calls, results, "{wire}, request {at}: {sent}");
        }
        // The agent ran what it was given, and has its own history as it was.
        let ran = agent.ran.lock().unwrap().len();
        assert_eq!(ran, 2, "{wire}: the first call and the third");
        let own = agent.body().to_string();
        assert!(own.contains("One.") && own.contains("ran first"), "{wire}: {own}");
        assert!(
            !own.contains("I only look.") && !own.contains(WENT_BACK),
            "{wire}: {own}"
        );
        live.end().await;
    }
}

#[tokio::test]
async fn after_an_undo_the_model_sees_again_what_was_superseded() {
    for wire in WIRES {
        let model = three(wire, &["Back.", "On."]);
        let (mut agent, mut live, _stage) = gone_back(wire, &model).await;
        agent.work("go on").await;
        finished(&mut live).await;
        let words = |state: &State| {
            let mut nodes = state.nodes.values();
            nodes.any(|node| node.text() == "go on" && node.active)
        };
        assert!(words(&live.state), "{wire}");
        live.send(Command::Edit(EditCommand::Undo {
            epoch: None,
            effects_seen: None,
        }))
        .await
        .unwrap();
        live.settles("the old thought is back", |state| {
            let mut nodes = state.nodes.values();
            nodes.any(|node| node.text() == "One." && node.active)
        })
        .await;
        assert!(words(&live.state), "{wire}: the words of the agent's user stay");
        agent.say("what now");
        agent.ask().await;
        let sent = model.seen().last().unwrap().body.clone();
        for text in ["One.", "ran first", "Two.", "second", "go on", "what now"] {
            assert!(sent.contains(text), "{wire}: no {text} in {sent}");
        }
        for text in ["I only look.", "third", WENT_BACK] {
            assert!(!sent.contains(text), "{wire}: {text} in {sent}");
        }
        // What the agent's user wrote since is no edit: the undone one can be redone.
        live.send(Command::Edit(EditCommand::Redo {
            epoch: None,
            effects_seen: None,
        }))
        .await
        .unwrap();
        live.settles("the edit is back", |state| {
            let mut nodes = state.nodes.values();
            nodes.any(|node| node.text() == "I only look." && node.active)
        })
        .await;
        live.end().await;
    }
}

/// An agent that finished three calls in a row, and said more since.
async fn three_in_a_row(wire: &'static str, model: &Server) -> (Agent, Live, Stage, [NodeId; 2]) {
    let (stage, mut live, work) = working(wire, model, "go", Preset::Auto).await;
    let mut agent = work.await.unwrap();
    finished(&mut live).await;
    agent.work("and this").await;
    finished(&mut live).await;
    let first = calls(&live.state, "bash")[0];
    let second = calls(&live.state, "edit")[0];
    (agent, live, stage, [first, second])
}

#[tokio::test]
async fn after_a_corrected_result_the_words_of_the_agents_user_stay_and_the_rest_is_gone() {
    for wire in WIRES {
        let model = three(wire, &["Noted.", "Fine."]);
        let (mut agent, mut live, _stage, [first, second]) = three_in_a_row(wire, &model).await;
        correct(&live, first, "nothing there").await;
        live.settles("what came after is superseded", |state| {
            !state.nodes[&second].active
        })
        .await;
        let said = |state: &State, words: &str| {
            let mut nodes = state.nodes.values();
            nodes.any(|node| node.text() == words && node.active)
        };
        assert!(said(&live.state, "and this"), "{wire}");
        agent.say("last");
        agent.ask().await;
        let sent = model.seen().last().unwrap().body.clone();
        for text in ["One.", "first", "nothing there", "and this", "last"] {
            assert!(sent.contains(text), "{wire}: no {text} in {sent}");
        }
        for text in [
            "ran first",
            "Two.",
            "second",
            "Three.",
            "third",
            "Ready.",
            "Noted.",
            WENT_BACK,
        ] {
            assert!(!sent.contains(text), "{wire}: {text} in {sent}");
        }
        assert_eq!(counts(&sent), (1, 1), "{wire}: {sent}");
        live.end().await;
    }
}

#[tokio::test]
async fn equal_words_of_two_replies_are_told_apart_by_their_calls() {
    for wire in WIRES {
        // The model says the same again that was rewritten.
        let model = three_with(wire, "One.", &["And more."]);
        let (mut agent, mut live, _stage) = gone_back(wire, &model).await;
        agent.work("go on").await;
        finished(&mut live).await;
        let sent = model.seen().last().unwrap().body.clone();
        let at = ["I only look.", WENT_BACK, "One.", "ran third", "go on"].map(|text| {
            assert_eq!(sent.matches(text).count(), 1, "{wire}: {text} in {sent}");
            sent.find(text).unwrap()
        });
        assert!(at.is_sorted(), "{wire}: {sent}");
        assert!(
            !sent.contains("first") && !sent.contains("second"),
            "{wire}: {sent}"
        );
        live.end().await;
    }
}

#[tokio::test]
async fn a_call_that_was_given_up_is_gone_though_the_agent_has_its_result() {
    for wire in WIRES {
        let model = three(wire, &[]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let asking = asks(&agent);
        let mut live = stage.run(Preset::Supervised).await;
        let first = asked(&mut live, "bash").await;
        approve(&live, first).await;
        let given = reply(wire, asking).await;
        live.settles("it runs", |state| {
            matches!(state.calls[&first].status, Status::Running(_))
        })
        .await;
        rewrite(&mut live, "One.", "I only look.").await;
        live.settles("it is superseded", |state| !state.nodes[&first].active)
            .await;
        agent.take(&given);
        let asking = asks(&agent);
        asked_model(&model, 2).await;
        let sent = model.seen()[1].body.clone();
        is_whole(wire, &sent);
        assert!(sent.contains("I only look."), "{wire}: {sent}");
        for text in ["One.", "first"] {
            assert!(!sent.contains(text), "{wire}: {text} in {sent}");
        }
        assert_eq!(counts(&sent), (0, 0), "{wire}: {sent}");
        asking.abort();
        live.end().await;
    }
}

#[tokio::test]
async fn words_of_the_agents_user_stay_if_the_model_is_asked_again_for_an_earlier_turn() {
    for wire in WIRES {
        let model = three(wire, &["Noted.", "Fine."]);
        let (mut agent, mut live, _stage, [_, second]) = three_in_a_row(wire, &model).await;
        let turn = live.state.nodes[&second].turn;
        live.send(Command::Run(RunCommand::AskAgain { turn, request: None }))
            .await
            .unwrap();
        live.settles("the turn is superseded", |state| !state.nodes[&second].active)
            .await;
        let mut nodes = live.state.nodes.values();
        assert!(
            nodes.any(|node| node.text() == "and this" && node.active),
            "{wire}"
        );
        agent.say("last");
        agent.ask().await;
        let sent = model.seen().last().unwrap().body.clone();
        for text in ["ran first", "and this", "last"] {
            assert!(sent.contains(text), "{wire}: no {text} in {sent}");
        }
        for text in ["second", "third", "Ready.", "Noted."] {
            assert!(!sent.contains(text), "{wire}: {text} in {sent}");
        }
        live.end().await;
    }
}
