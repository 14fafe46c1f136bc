//! Tests of requests that an agent gives up, and of those that it repeats in another form.
//!
//! Must not know: formats beyond what the agent and the model say.

use std::sync::Arc;
use std::time::Duration;

use overrule::domain::turn::Stream;
use overrule::model::decode::summary;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::decode_request;
use overrule::policy::Preset;
use overrule::proxy::history::History;
use overrule::proxy::rejection::Rejection;
use overrule::proxy::run::Incoming;
use serde_json::Value;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{PATIENCE, asked_model, asks, base, finished, prompts, reply, run, slow, story};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked, waiting};

/// A request as the server hands it over.
fn incoming(wire: &str, agent: &Agent) -> Incoming {
    let wire = Wire::named(wire).unwrap();
    let request = Arc::new(decode_request(wire, agent.body().to_string().as_bytes()).unwrap());
    Incoming {
        is_confined: false,
        begun: None,
        reservation: None,
        others: Vec::new(),
        wire,
        method: hyper::Method::POST,
        path: "/chat/completions".into(),
        headers: hyper::HeaderMap::new(),
        history: Arc::new(History::of(&request)),
        request,
        streamed: true,
        rejection: Rejection::Mask,
    }
}

#[tokio::test]
async fn a_request_that_is_given_up_at_any_moment_leaves_a_run_that_answers_and_words_once() {
    let wire = "openai-chat";
    for moment in 0..6 {
        let (begun, _rest) = story(wire);
        let model = Server::answering({
            let mut first = Some(begun);
            move |_, _| first.take().unwrap_or_else(|| streamed(wire, "Sure.", &[]))
        });
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
        let (mut live, side) = stage.run_and_its_side(Preset::Auto).await;
        first.await.unwrap();
        agent.say("stop, be brief");
        {
            let mut request = Box::pin(side.request(incoming(wire, &agent)));
            let published = live.handle.subscribe().published;
            let begun = *published.borrow();
            // It is given up right after this many facts became known.
            for _ in 0..2_000 {
                let is_done = futures_util::poll!(&mut request).is_ready();
                if is_done || published.borrow().0 >= begun.0 + moment {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        let second = asks(&agent);
        assert_eq!(reply(wire, second).await.text, "Sure.", "{moment}");
        live.settles("finished", finished).await;
        let mut said = prompts(&live.state);
        // An answer for which nobody waited any more is asked for again.
        said.retain(|words| words != "(the agent asks again)");
        assert_eq!(said, ["tell me", "stop, be brief"], "{moment}");
        live.end().await;
    }
}

#[tokio::test]
async fn an_agent_that_asks_again_for_another_form_gets_the_call_in_that_form() {
    for wire in WIRES {
        for is_whole_first in [false, true] {
            let id = if wire == "gemini" { "" } else { "k1" };
            let calls = [(id, "bash", bash("ls"))];
            let model = Server::new(vec![
                if is_whole_first {
                    crate::proxy::course::whole(wire, "Hold.", &calls)
                } else {
                    streamed(wire, "Hold.", &calls)
                },
                streamed(wire, "End.", &[]),
            ]);
            let mut stage = Stage::before(base(&model)).await;
            let mut agent = Agent::new(wire, &stage.base);
            agent.say("go");
            let (mut first, mut second) = (agent.clone(), agent.clone().in_one_piece());
            if is_whole_first {
                (first, second) = (second, first);
            }
            let asking = asks(&first);
            let mut live = run(&mut stage, Preset::Supervised).await;
            let call = asked(&mut live, "bash").await;
            live.settles("the reply is whole", |state| {
                state.turns.values().all(|turn| turn.stream != Stream::Open)
            })
            .await;
            asking.abort();
            let response = {
                let second = second.clone();
                tokio::spawn(async move {
                    let response = second.send().await;
                    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
                    (kind, response.bytes().await.unwrap())
                })
            };
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(
                waiting(&live.state, "bash").map(|call| call.id),
                Some(call),
                "{wire}"
            );
            approve(&live, call).await;
            let (kind, bytes) = tokio::time::timeout(PATIENCE, response)
                .await
                .expect("an answer")
                .unwrap();
            assert_eq!(kind == "application/json", !is_whole_first, "{wire}: {kind}");
            let is_json = serde_json::from_slice::<Value>(&bytes).is_ok();
            assert_eq!(
                is_json,
                !is_whole_first,
                "{wire}: {}",
                String::from_utf8_lossy(&bytes)
            );
            let answer = summary(Wire::named(wire).unwrap(), &bytes);
            assert_eq!((answer.text.as_str(), answer.calls.len()), ("Hold.", 1), "{wire}");
            assert_eq!(answer.calls[0].name, "bash", "{wire}");
            assert_eq!(model.seen().len(), 1, "{wire}: the model is not asked again");
            second.take(&answer);
            let end = reply(wire, asks(&second)).await;
            assert_eq!(end.text, "End.", "{wire}");
            assert_eq!(
                *second.ran.lock().unwrap(),
                [("bash".to_owned(), bash("ls"))],
                "{wire}"
            );
            live.end().await;
        }
    }
}

#[tokio::test]
async fn a_retry_before_the_first_byte_in_another_form_gets_a_reply_in_that_form() {
    for wire in WIRES {
        let (model, release) = slow(vec![
            streamed(wire, "Old.", &[]),
            crate::proxy::course::whole(wire, "New.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let first = asks(&agent);
        let mut live = run(&mut stage, Preset::Auto).await;
        asked_model(&model, 1).await;
        first.abort();
        let again = asks(&agent.clone().in_one_piece());
        tokio::time::sleep(Duration::from_millis(400)).await;
        release.send(()).unwrap();
        let (status, bytes) = tokio::time::timeout(PATIENCE, again)
            .await
            .expect("an answer")
            .unwrap();
        assert_eq!(status, 200, "{wire}");
        assert!(
            serde_json::from_slice::<Value>(&bytes).is_ok(),
            "{wire}: {}",
            String::from_utf8_lossy(&bytes)
        );
        assert_eq!(summary(Wire::named(wire).unwrap(), &bytes).text, "New.", "{wire}");
        live.settles("finished", finished).await;
        assert_eq!(prompts(&live.state), ["go"], "{wire}");
        live.end().await;
    }
}
