//! Tests of what the operator sees of an agent: connected, hung up, interrupted, at work, waiting for its user, ended.
//!
//! Must not know: how it is shown.

use std::sync::mpsc;

use overrule::domain::live::AgentStatus;
use overrule::policy::Preset;
use tokio::sync::watch;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{PATIENCE, asks, base, finished, reply};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked};

async fn becomes(status: &mut watch::Receiver<AgentStatus>, wanted: AgentStatus) {
    let found = tokio::time::timeout(PATIENCE, status.wait_for(|now| *now == wanted)).await;
    found.unwrap_or_else(|_| panic!("it is not {wanted:?}")).unwrap();
}

/// A model that answers each of these requests, counted from 1, only once the sender is used.
fn model(wire: &'static str, slow: &'static [usize]) -> (Server, mpsc::Sender<()>) {
    let (release, wait) = mpsc::channel();
    let server = Server::answering(move |number, _| {
        if slow.contains(&number) {
            wait.recv_timeout(PATIENCE).unwrap();
        }
        let id = if wire == "gemini" { "" } else { "s1" };
        match number {
            1 => streamed(wire, "Hold.", &[(id, "bash", bash("ls"))]),
            _ => streamed(wire, "End.", &[]),
        }
    });
    (server, release)
}

#[tokio::test]
async fn the_status_follows_the_connection_the_calls_and_the_process() {
    for wire in WIRES {
        let (model, release) = model(wire, &[1, 3]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let first = asks(&agent);
        let (mut live, side) = stage.run_and_its_side(Preset::Supervised).await;
        let mut status = side.status();
        becomes(&mut status, AgentStatus::Connected).await;
        release.send(()).unwrap();
        let call = asked(&mut live, "bash").await;
        assert_eq!(*status.borrow(), AgentStatus::Connected, "{wire}");
        first.abort();
        becomes(&mut status, AgentStatus::HungUp).await;
        let again = asks(&agent);
        becomes(&mut status, AgentStatus::Connected).await;
        approve(&live, call).await;
        let got = reply(wire, again).await;
        becomes(&mut status, AgentStatus::Works).await;
        assert!(!agent.take(&got), "{wire}: it has the call");
        let second = asks(&agent);
        assert_eq!(reply(wire, second).await.text, "End.", "{wire}");
        live.settles("finished", finished).await;
        becomes(&mut status, AgentStatus::WaitsForUser).await;
        side.note_agent_ended().await;
        becomes(&mut status, AgentStatus::Ended).await;
        // Its user starts it again.
        agent.remember_text("End.");
        agent.say("more");
        let third = asks(&agent);
        becomes(&mut status, AgentStatus::Connected).await;
        release.send(()).unwrap();
        assert_eq!(reply(wire, third).await.text, "End.", "{wire}");
        becomes(&mut status, AgentStatus::WaitsForUser).await;
        live.end().await;
    }
}

#[tokio::test]
async fn an_interruption_is_shown_until_its_reply_is_there_and_the_first_words_are_none() {
    let wire = "anthropic";
    for (words, interrupts) in [
        ("[Request interrupted by user]", true),
        ("no, stop", true),
        ("Continue from where you left off.", false),
    ] {
        let (model, release) = model(wire, &[2]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let first = tokio::spawn({
            let agent = agent.clone();
            async move { agent.ask_until("Hold").await }
        });
        let (mut live, side) = stage.run_and_its_side(Preset::Supervised).await;
        let mut status = side.status();
        let call = asked(&mut live, "bash").await;
        first.await.unwrap();
        becomes(&mut status, AgentStatus::HungUp).await;
        agent.remember_text("Hold");
        agent.say(words);
        let second = asks(&agent);
        if interrupts {
            becomes(&mut status, AgentStatus::Interrupted).await;
            release.send(()).unwrap();
            assert_eq!(reply(wire, second).await.text, "End.", "{words}");
            becomes(&mut status, AgentStatus::WaitsForUser).await;
        } else {
            becomes(&mut status, AgentStatus::Connected).await;
            approve(&live, call).await;
            reply(wire, second).await;
            becomes(&mut status, AgentStatus::Works).await;
        }
        live.end().await;
    }
}
