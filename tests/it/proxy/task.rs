//! Tests of the task of a conversation: reservations, and errors after it failed.
//!
//! Must not know: its messages.

use std::sync::Arc;

use overrule::domain::state::State;
use overrule::engine::Publication;
use overrule::policy::Preset;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asks, base, finished, reply};
use crate::proxy::course::{bash, streamed};
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked};

#[tokio::test]
async fn a_reservation_that_nobody_uses_ends_and_a_run_with_a_request_gives_none() {
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "Hold.", &[("a1", "bash", bash("ls"))]),
        streamed(wire, "End.", &[]),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    let work = tokio::spawn(async move { agent.work("go").await });
    let (opening, _) = stage.opening().await;
    assert!(opening.run.reserve_if_idle().await.is_none(), "it has no run");
    let mut live = stage.begin(&opening, Preset::Supervised, State::default());
    let call = asked(&mut live, "bash").await;
    assert!(opening.run.reserve_if_idle().await.is_none(), "its agent waits");
    approve(&live, call).await;
    assert_eq!(work.await.unwrap(), "End.");
    live.settles("finished", finished).await;
    let reservation = opening.run.reserve_if_idle().await;
    assert!(reservation.is_some());
    assert!(opening.run.reserve_if_idle().await.is_none(), "it is reserved");
    drop(reservation);
    assert!(opening.run.reserve_if_idle().await.is_some(), "it was given up");
    live.end().await;
}

#[tokio::test]
async fn if_a_task_fails_its_agent_and_others_get_an_error_and_no_call() {
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "Hold.", &[("a1", "bash", bash("ls"))]),
        streamed(wire, "End.", &[]),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base).with_header("x-claude-code-session-id", "s1");
    agent.say("go");
    let first = asks(&agent);
    let (opening, _) = stage.opening().await;
    // It is asked once other tools are offered.
    let fails = Arc::new(|_| panic!("a failure of the test's own"));
    let mut live = stage.begin_with(&opening, Preset::Supervised, fails);
    let mut heard = live.handle.subscribe().facts;
    let call = asked(&mut live, "bash").await;
    approve(&live, call).await;
    let got = reply(wire, first).await;
    assert!(!agent.take(&got));
    let mut agent = agent.with_tools(&["bash"]);
    assert_eq!(agent.ask().await.0, 503, "the task fails");
    assert_eq!(agent.ask().await.0, 503, "it does not come back");
    agent.say("and now?");
    assert_eq!(agent.ask().await.0, 503);
    // Requests of the same program that are no part of it could have its calls in their history.
    let mut title = Agent::new(wire, &stage.base).with_tools(&[]);
    title.say("a title");
    let (status, body) = title.ask().await;
    assert_eq!(status, 502);
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("a conversation failed in the proxy"), "{body}");
    assert_eq!(model.seen().len(), 1, "the model got no other request");
    assert_eq!(agent.ran.lock().unwrap().len(), 1);
    let told = async {
        loop {
            if let Publication::Notice(words) = heard.recv().await.unwrap()
                && words.contains("failed")
            {
                return words;
            }
        }
    };
    let told = tokio::time::timeout(crate::proxy::beside::PATIENCE, told)
        .await
        .unwrap();
    assert!(told.contains("its agent gets no reply any more"), "{told}");
    live.end().await;
}
