//! Tests of the link between a sub-agent and the call that it works for.
//!
//! Must not know: how a session is stored.

use overrule::domain::call::Status;
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::policy::Preset;
use overrule::proxy::server::Opening;
use serde_json::{Value, json};

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asks, base};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::live::Live;
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked, calls, finished, working};

/// What the sub-agent is to do.
const TASK: &str = "Count the files below src.";

/// The call that a new conversation is said to work for: none if it is no sub-agent.
async fn call_of(stage: &mut Stage, agent: &Agent) -> (Option<Option<String>>, Opening) {
    let asking = asks(agent);
    let (opening, _) = stage.opening().await;
    let call = opening
        .parent
        .as_ref()
        .map(|parent| parent.call.map(|call| call.to_string()));
    asking.abort();
    (call, opening)
}

/// An agent that runs a call with these arguments.
async fn running(wire: &str, args: Value) -> (Stage, Live, NodeId) {
    let id = if matches!(wire, "gemini" | "ollama") {
        ""
    } else {
        "a"
    };
    let model = Server::new(vec![streamed(wire, "One.", &[(id, "bash", args)])]);
    let (stage, mut live, work) = working(wire, &model, "go", Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    approve(&live, call).await;
    // Its own conversation continues only after that.
    work.abort();
    live.settles("it runs", |state: &State| {
        matches!(state.calls[&call].status, Status::Running(_))
    })
    .await;
    (stage, live, call)
}

fn task(prompt: &str) -> Value {
    json!({"command": "count", "description": "files", "more": [{"prompt": prompt}]})
}

#[tokio::test]
async fn a_new_conversation_with_the_task_of_a_running_call_is_its_sub_agent() {
    for wire in WIRES {
        let (mut stage, live, call) = running(wire, task(TASK)).await;
        // Other words are of another conversation.
        let mut other = Agent::new(wire, &stage.base);
        other.say("Count the files below docs.");
        let (found, opening) = call_of(&mut stage, &other).await;
        assert_eq!(found, None, "{wire}");
        assert!(!opening.run.is_sub_agent(), "{wire}");
        // Some agents put words of their own around the task.
        for words in [TASK.to_owned(), format!("Work on this:\n<task>\n{TASK}\n</task>")] {
            let mut sub_agent = Agent::new(wire, &stage.base);
            sub_agent.say(&words);
            let (found, opening) = call_of(&mut stage, &sub_agent).await;
            assert_eq!(found, Some(Some(call.to_string())), "{wire}: {words}");
            assert!(opening.run.is_sub_agent(), "{wire}");
            assert_eq!(
                opening.parent.unwrap().run.session().await.as_deref(),
                Some("session"),
                "{wire}"
            );
        }
        live.end().await;
    }
}

#[tokio::test]
async fn a_sub_agent_that_its_agent_names_belongs_to_the_call_that_has_ended_or_else_to_the_agent() {
    let wire = "anthropic";
    for (words, of_call) in [(TASK, true), ("Something else, made up by the agent.", false)] {
        let model = Server::new(vec![
            streamed(wire, "One.", &[("a", "bash", task(TASK))]),
            streamed(wire, "It works in the background.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base).with_header("x-claude-code-session-id", "s");
        let work = tokio::spawn(async move {
            agent.work("go").await;
        });
        let mut live = stage.run(Preset::Auto).await;
        work.await.unwrap();
        finished(&mut live).await;
        let call = calls(&live.state, "bash")[0];
        let mut sub_agent = Agent::new(wire, &stage.base)
            .with_header("x-claude-code-session-id", "s")
            .with_header("x-claude-code-agent-id", "sub");
        sub_agent.say(words);
        let (found, _) = call_of(&mut stage, &sub_agent).await;
        assert_eq!(found, Some(of_call.then(|| call.to_string())), "{words}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_sub_agent_in_the_background_that_nothing_names_has_exactly_the_task_of_an_ended_call() {
    for wire in WIRES {
        let id = if matches!(wire, "gemini" | "ollama") {
            ""
        } else {
            "a"
        };
        let model = Server::new(vec![
            streamed(wire, "One.", &[(id, "bash", task(TASK))]),
            streamed(wire, "It works in the background.", &[]),
            streamed(wire, "Another task.", &[]),
        ]);
        let (mut stage, mut live, work) = working(wire, &model, "go", Preset::Auto).await;
        work.await.unwrap();
        finished(&mut live).await;
        let call = calls(&live.state, "bash")[0];
        let mut sub_agent = Agent::new(wire, &stage.base);
        // Some agents begin with an exchange of their own.
        sub_agent.say("These are the files.");
        sub_agent.remember_text("Understood.");
        sub_agent.say(TASK);
        let (found, _) = call_of(&mut stage, &sub_agent).await;
        assert_eq!(found, Some(Some(call.to_string())), "{wire}");
        // Words that only contain the task are those of another conversation, which continues the idle run.
        let mut other = Agent::new(wire, &stage.base);
        other.say(&format!("Please do this: {TASK}"));
        let (status, _) = other.ask().await;
        assert_eq!(status, 200, "{wire}");
        live.settles("it is in the same run", |state| {
            state.origin.agent.rewritten.is_some()
        })
        .await;
        live.end().await;
    }
}

#[tokio::test]
async fn a_short_argument_and_words_with_a_history_link_nothing() {
    let wire = "anthropic";
    let (mut stage, live, _) = running(wire, bash("ls -a src")).await;
    let mut other = Agent::new(wire, &stage.base);
    other.say("what does ls -a src print?");
    let (found, _) = call_of(&mut stage, &other).await;
    assert_eq!(found, None);
    live.end().await;
}
