//! Tests of what the model sees of an agent's history: masked calls, and corrected results.
//!
//! Must not know: how it is changed.

use overrule::domain::command::Edit;
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::policy::Preset;
use overrule::proxy::overlay;
use serde_json::{Value, json};

use crate::proxy::agent::{Agent, Ran, client};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::live::Live;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, calls, finished, reject, working};

/// Corrects the result of a call.
pub async fn correct(live: &Live, call: NodeId, words: &str) {
    let observation = live.state.observation(call).unwrap();
    let edit = Edit::Observation {
        node: observation.id,
        base: observation.rev(),
        value: json!(words).to_string().into(),
    };
    live.commit(vec![edit]).await.unwrap();
}

/// Sends a body to a path of the proxy; returns the status.
pub async fn post(base: &str, path: &str, body: &Value) -> u16 {
    let sent = client()
        .post(format!("{base}{path}"))
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    sent.status().as_u16()
}

/// True if the model sees of a run what its agent has.
fn changes_nothing(state: &State) -> bool {
    state.nodes.keys().all(|id| overlay::is_unchanged(state, *id))
}

#[tokio::test]
async fn a_corrected_result_reaches_the_model_with_and_without_ids() {
    for (wire, ids, invents) in [
        ("anthropic", true, false),
        ("gemini", false, false),
        ("gemini", false, true),
        ("ollama", false, false),
    ] {
        let id = |id: &'static str| if ids { id } else { "" };
        let model = Server::new(vec![
            streamed(wire, "One.", &[(id("a"), "bash", bash("date"))]),
            streamed(
                wire,
                "Two.",
                &[(id("b"), "bash", bash("date")), (id("c"), "edit", bash("x"))],
            ),
            streamed(wire, "Three.", &[(id("d"), "bash", bash("date"))]),
            streamed(wire, "Ready.", &[]),
            streamed(wire, "Again.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        if invents {
            agent = agent.with_ids_of_its_own();
        }
        let work = tokio::spawn(async move {
            agent.work("go").await;
            agent
        });
        let mut live = stage.run(Preset::Auto).await;
        let mut agent = work.await.unwrap();
        finished(&mut live).await;
        let equal = calls(&live.state, "bash");
        assert_eq!(equal.len(), 3, "{wire}");
        assert!(changes_nothing(&live.state), "{wire}");
        correct(&live, equal[1], "it is noon").await;
        agent.say("and more");
        let (status, _) = agent.ask().await;
        assert_eq!(status, 200, "{wire}");
        live.settles("corrected", |state| !changes_nothing(state)).await;
        let sent = model.seen().last().unwrap().body.clone();
        assert_eq!(sent.matches("it is noon").count(), 1, "{wire}: {sent}");
        // The one before it has the result that the agent sent; the one after it is superseded.
        let at: Vec<usize> = sent.match_indices("ran date").map(|(at, _)| at).collect();
        let noon = sent.find("it is noon").unwrap();
        assert_eq!(at.len(), 1, "{wire}: {sent}");
        assert!(at[0] < noon, "{wire}: {sent}");
        assert!(
            sent.contains("ran x") && !sent.contains("Three."),
            "{wire}: {sent}"
        );
        live.end().await;
    }
}

/// An agent whose first call was rejected, its run, and its proxy.
async fn rejected(wire: &str, model: &Server) -> (Agent, Live, Stage) {
    let (stage, mut live, work) = working(wire, model, "go", Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    reject(&live, call, "not on this machine").await;
    let agent = work.await.unwrap();
    finished(&mut live).await;
    let mask = overlay::mask(&live.state, call);
    assert!(agent.body().to_string().contains(&mask), "{wire}");
    assert!(!changes_nothing(&live.state), "{wire}");
    (agent, live, stage)
}

/// Fails unless a body has the rejected call as the model made it.
#[track_caller]
fn is_true(wire: &str, sent: &str) {
    assert!(
        sent.contains("rm -r .") && sent.contains("not on this machine"),
        "{wire}: {sent}"
    );
    assert!(
        !sent.contains("rejected_by_operator") && !sent.contains("no such tool"),
        "{wire}: {sent}"
    );
}

#[tokio::test]
async fn requests_without_tools_and_counts_have_the_true_history() {
    for wire in WIRES {
        let id = if wire == "gemini" { "" } else { "k1" };
        let model = Server::answering(move |number, _| match number {
            1 => streamed(wire, "Hm.", &[(id, "bash", bash("rm -r ."))]),
            2 => streamed(wire, "Well.", &[]),
            _ => Reply::Status(200, "", "{}"),
        });
        let (agent, live, stage) = rejected(wire, &model).await;
        let mut body = agent.body();
        body.as_object_mut().unwrap().remove("tools");
        let paths: &[&str] = match wire {
            "anthropic" => &["/v1/messages", "/v1/messages/count_tokens?beta=true"],
            "openai-chat" => &["/chat/completions"],
            "openai-responses" => &["/responses", "/responses/compact", "/responses/input_tokens"],
            "gemini" => &["/v1beta/models/m:generateContent", "/v1beta/models/m:countTokens"],
            _ => &["/api/chat"],
        };
        for path in paths {
            let before = model.seen().len();
            assert_eq!(post(&stage.base, path, &body).await, 200, "{wire} {path}");
            assert_eq!(model.seen().len(), before + 1, "{wire} {path}");
            is_true(wire, &model.seen().last().unwrap().body);
        }
        // A mask of no run that is known does not reach the model, whatever the body is.
        let odd = json!({"something": ["rejected_by_operator_0badc0de_1"]});
        let text = body.to_string();
        let at = text.find("rejected_by_operator_").unwrap();
        let name: String = text[at..].chars().take_while(|c| *c != '"').collect();
        let foreign = text
            .replace(&name, "rejected_by_operator_0badc0de_1")
            .replace("\"k1\"", "\"k9\"");
        let foreign = serde_json::from_str(&foreign).unwrap();
        let before = model.seen().len();
        for (path, body) in [(paths[0], &foreign), ("/anything", &odd)] {
            let status = post(&stage.base, path, body).await;
            assert!((500..600).contains(&status), "{wire} {path}: {status}");
        }
        assert_eq!(model.seen().len(), before, "{wire}");
        live.end().await;
    }
}

/// Makes a call of this name one of the tool `invalid`, as an agent does with a call of a tool that it lacks.
fn make_invalid(value: &mut Value, mask: &str) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|one| make_invalid(one, mask)),
        Value::Object(members) => {
            if members.get("name").is_some_and(|name| name == mask) {
                let args = json!({"tool": mask, "error": "no such tool"});
                members.insert("name".into(), "invalid".into());
                for key in ["input", "arguments", "args"] {
                    if let Some(was) = members.get_mut(key) {
                        *was = if was.is_string() {
                            args.to_string().into()
                        } else {
                            args.clone()
                        };
                    }
                }
            }
            members.values_mut().for_each(|one| make_invalid(one, mask));
        }
        _ => {}
    }
}

#[tokio::test]
async fn a_mask_in_the_arguments_of_another_tool_is_restored_or_does_not_pass() {
    for wire in WIRES {
        let id = if wire == "gemini" { "" } else { "k1" };
        let model = Server::answering(move |number, _| match number {
            1 => streamed(wire, "Hm.", &[(id, "bash", bash("rm -r ."))]),
            _ => streamed(wire, "Well.", &[]),
        });
        let (agent, live, stage) = rejected(wire, &model).await;
        let call = calls(&live.state, "bash")[0];
        let mask = overlay::mask(&live.state, call);
        let mut body = agent.body();
        body.as_object_mut().unwrap().remove("tools");
        make_invalid(&mut body, &mask);
        // An id that names no call of the run.
        let text = body.to_string().replace("\"k1\"", "\"k9\"");
        assert!(text.contains("invalid"), "{wire}: {text}");
        let path = match wire {
            "anthropic" => "/v1/messages",
            "openai-chat" => "/chat/completions",
            "openai-responses" => "/responses",
            "gemini" => "/v1beta/models/m:generateContent",
            _ => "/api/chat",
        };
        let own = serde_json::from_str(&text).unwrap();
        assert_eq!(post(&stage.base, path, &own).await, 200, "{wire}");
        let before = model.seen().len();
        is_true(wire, &model.seen().last().unwrap().body);
        let foreign = text.replace(&mask, "rejected_by_operator_0badc0de_1");
        let foreign = serde_json::from_str(&foreign).unwrap();
        let status = post(&stage.base, path, &foreign).await;
        assert!((500..600).contains(&status), "{wire}: {status}");
        assert_eq!(model.seen().len(), before, "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_conversation_beside_has_the_true_history_too_and_its_own_calls() {
    for wire in WIRES {
        let id = |id: &'static str| if wire == "gemini" { "" } else { id };
        let model = Server::new(vec![
            streamed(wire, "Hm.", &[(id("a"), "bash", bash("rm -r ."))]),
            streamed(wire, "Well.", &[]),
            streamed(wire, "Hold.", &[(id("b"), "bash", bash("ls"))]),
            streamed(wire, "Perhaps.", &[(id("c"), "edit", bash("own"))]),
            streamed(wire, "No.", &[]),
            streamed(wire, "End.", &[]),
        ]);
        let (mut agent, mut live, mut stage) = rejected(wire, &model).await;
        let mut other = agent.clone();
        other.ran = Ran::default();
        let work = tokio::spawn(async move {
            agent.work("go on").await;
        });
        let held = asked(&mut live, "bash").await;
        // The same program asks for something else, with the same history, while it waits.
        let asking = tokio::spawn(async move { other.work("suggest something").await });
        let mut beside = stage.run(Preset::Supervised).await;
        let own = asked(&mut beside, "edit").await;
        is_true(wire, &model.seen()[3].body);
        reject(&beside, own, "not wanted").await;
        assert_eq!(asking.await.unwrap(), "No.", "{wire}");
        // Both numbers occur in one history, each with its own call.
        let sent = &model.seen()[4].body;
        is_true(wire, sent);
        assert!(
            sent.contains("not wanted") && sent.contains("own"),
            "{wire}: {sent}"
        );
        assert_ne!(
            overlay::mask(&live.state, held),
            overlay::mask(&beside.state, held),
            "{wire}: names of masks are unique"
        );
        approve(&live, held).await;
        work.await.unwrap();
        live.end().await;
        beside.end().await;
    }
}

#[tokio::test]
async fn a_call_of_another_conversation_with_the_same_id_is_left_alone() {
    let model = Server::new(vec![
        streamed("anthropic", "Hm.", &[("k1", "bash", bash("rm -r ."))]),
        streamed("anthropic", "Well.", &[]),
        streamed("anthropic", "Fine.", &[]),
    ]);
    let (agent, live, mut stage) = rejected("anthropic", &model).await;
    let mut body = agent.body();
    body["messages"] = json!([
        {"role": "user", "content": "another task"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "k1", "name": "edit", "input": {"command": "y"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k1", "content": "edited"}]},
    ]);
    let sent = client()
        .post(format!("{}/v1/messages", stage.base))
        .header("x-claude-code-session-id", "s")
        .header("x-claude-code-agent-id", "a")
        .body(body.to_string())
        .send();
    let asking = tokio::spawn(async move { sent.await.unwrap().status() });
    let beside = stage.run(Preset::Supervised).await;
    assert_eq!(asking.await.unwrap(), 200);
    assert_eq!(model.seen()[2].body, body.to_string());
    live.end().await;
    beside.end().await;
}

#[tokio::test]
async fn an_edit_of_one_conversation_leaves_the_same_words_of_another_alone() {
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "Done.", &[("a1", "bash", bash("one"))]),
        streamed(wire, "End.", &[]),
        streamed(wire, "Done.", &[("b1", "bash", bash("two"))]),
        streamed(wire, "End.", &[]),
        streamed(wire, "More.", &[]),
    ]);
    let (mut stage, mut live, work) = working(wire, &model, "go", Preset::Auto).await;
    let mut agent = work.await.unwrap();
    finished(&mut live).await;
    let mut nodes = live.state.nodes.values();
    let thought = nodes.find(|node| node.text() == "Done.").unwrap();
    let edit = Edit::Text {
        node: thought.id,
        base: thought.rev(),
        text: "Other.".into(),
    };
    live.commit(vec![edit]).await.unwrap();
    // A sub-agent says the same words, and nobody edits them.
    let base = stage.base.clone();
    let post = |body: &Value| {
        let sent = client()
            .post(format!("{base}/v1/messages"))
            .header("x-claude-code-session-id", "s")
            .header("x-claude-code-agent-id", "a")
            .body(body.to_string())
            .send();
        tokio::spawn(async move { sent.await.unwrap().text().await.unwrap() })
    };
    let mut body = agent.body();
    body["messages"] = json!([{"role": "user", "content": "another task"}]);
    let asking = post(&body);
    let beside = stage.run(Preset::Auto).await;
    assert!(asking.await.unwrap().contains("Done."));
    body["messages"] = json!([
        {"role": "user", "content": "another task"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."},
            {"type": "tool_use", "id": "b1", "name": "bash", "input": {"command": "two"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b1", "content": "ran two"}]},
    ]);
    post(&body).await.unwrap();
    assert_eq!(model.seen()[3].body, body.to_string());
    agent.say("and more");
    agent.ask().await;
    let sent = &model.seen()[4].body;
    assert!(sent.contains("Other.") && !sent.contains("Done."), "{sent}");
    live.end().await;
    beside.end().await;
}
