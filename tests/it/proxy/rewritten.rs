//! Tests of what a request says besides its messages: how long the agent waits, and that it rewrote its history.
//!
//! Must not know: formats beyond what the agent and the model say.

use overrule::domain::badge::{self, Badge};
use overrule::domain::call::Status;
use overrule::domain::id::NodeId;
use overrule::domain::node::Node;
use overrule::domain::state::State;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::decode_request;
use overrule::policy::Preset;
use overrule::proxy::history::History;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asks, base, finished, reply, run};
use crate::proxy::course::{WIRES, bash, streamed, whole};
use crate::proxy::live::Live;
use crate::proxy::overlay::correct;
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked, reject};

#[tokio::test]
async fn the_time_that_an_agent_waits_for_a_whole_reply_is_known_and_that_for_a_stream_is_not() {
    for wire in WIRES {
        for (streams, seconds, known) in [
            (false, "600", Some(600_000)),
            (true, "600", None),
            (false, "soon", None),
        ] {
            let calls = [(if wire == "gemini" { "" } else { "a1" }, "bash", bash("ls"))];
            let model = Server::new(vec![if streams {
                streamed(wire, "Hm.", &calls)
            } else {
                whole(wire, "Hm.", &calls)
            }]);
            let mut stage = Stage::before(base(&model)).await;
            let mut agent = Agent::new(wire, &stage.base).with_header("x-stainless-timeout", seconds);
            if !streams {
                agent = agent.in_one_piece();
            }
            agent.say("go");
            let asking = asks(&agent);
            let mut live = run(&mut stage, Preset::Supervised).await;
            let call = asked(&mut live, "bash").await;
            let wait = live.state.origin.agent.wait.map(|wait| wait.ms);
            assert_eq!(wait, known, "{wire} {streams} {seconds}");
            approve(&live, call).await;
            assert_eq!(reply(wire, asking).await.calls.len(), 1, "{wire}");
            live.end().await;
        }
    }
}

/// An agent in a conversation of its own name. One call was rejected, another one ran and its result was corrected.
async fn edited(wire: &'static str, more: usize) -> (Agent, Live, Stage, Server, [NodeId; 2]) {
    let id = |id| {
        if wire == "gemini" || wire == "ollama" {
            ""
        } else {
            id
        }
    };
    let calls = [
        (id("a1"), "bash", bash("rm -r .")),
        (id("a2"), "edit", bash("two")),
    ];
    let mut replies = vec![streamed(wire, "I look.", &calls)];
    replies.extend((0..=more).map(|_| streamed(wire, "Then not.", &[])));
    let model = Server::new(replies);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base).with_header("x-claude-code-session-id", "s");
    agent.say("go");
    let asking = asks(&agent);
    let mut live = run(&mut stage, Preset::Supervised).await;
    let rejected = asked(&mut live, "bash").await;
    let corrected = asked(&mut live, "edit").await;
    reject(&live, rejected, "not this").await;
    approve(&live, corrected).await;
    agent.take(&reply(wire, asking).await);
    let answer = reply(wire, asks(&agent)).await;
    agent.take(&answer);
    live.settles("finished", finished).await;
    assert_eq!(live.state.calls[&rejected].status, Status::Rejected);
    correct(&live, corrected, "by hand").await;
    live.settles("the correction is known", |state| {
        state
            .observation(corrected)
            .is_some_and(|one| one.revisions.len() > 1)
    })
    .await;
    assert_eq!(
        live.state.origin.agent.rewritten, None,
        "{wire}: so far it was extended"
    );
    (agent, live, stage, model, [rejected, corrected])
}

#[tokio::test]
async fn a_shortened_history_is_reported_once_with_the_edits_that_it_lacks() {
    for wire in WIRES {
        let (mut agent, mut live, _stage, model, [rejected, corrected]) = edited(wire, 2).await;
        let mut lost = vec![rejected, corrected.observation()];
        lost.sort_unstable();
        agent.forget(0);
        agent.say("a summary of what was");
        agent.take(&reply(wire, asks(&agent)).await);
        live.settles("it is reported", |state| state.origin.agent.rewritten.is_some())
            .await;
        let seam = live.state.origin.agent.rewritten;
        assert!(
            live.state.origin.agent.lost.iter().eq(&lost),
            "{wire}: {:?}",
            live.state.origin.agent
        );
        // Both are there: what was, and what follows.
        assert!(live.state.nodes.contains_key(&rejected), "{wire}");
        live.settles("its words are a prompt", |state| {
            state
                .nodes
                .values()
                .any(|node| node.text() == "a summary of what was")
        })
        .await;
        // The first node after that is marked, and no other one.
        let marked: Vec<&str> = live
            .state
            .nodes
            .values()
            .filter(|node| badge::of(&live.state, node.id).contains(&Badge::HistoryRewritten))
            .map(Node::text)
            .collect();
        assert_eq!(marked, ["a summary of what was"], "{wire}");
        // What extends the new history is no other one.
        agent.say("and on");
        reply(wire, asks(&agent)).await;
        live.settles("its words are known", |state| {
            state.nodes.values().any(|node| node.text() == "and on")
        })
        .await;
        assert_eq!(live.state.origin.agent.rewritten, seam, "{wire}: reported once");
        let sent = model.seen().last().unwrap().body.clone();
        assert!(
            !sent.contains("not this") && !sent.contains("by hand"),
            "{wire}: {sent}"
        );
        live.end().await;
    }
}

#[tokio::test]
async fn an_agent_that_goes_back_to_a_message_loses_no_edit_before_it() {
    for wire in WIRES {
        let (mut agent, mut live, _stage, model, _) = edited(wire, 2).await;
        let before = agent.body();
        agent.say("this way");
        reply(wire, asks(&agent)).await;
        live.settles("its words are known", |state| {
            state.nodes.values().any(|node| node.text() == "this way")
        })
        .await;
        assert_eq!(live.state.origin.agent.rewritten, None, "{wire}");
        let list = ["messages", "contents", "input"];
        let length = list
            .iter()
            .find_map(|list| before[*list].as_array())
            .unwrap()
            .len();
        agent.forget(length);
        agent.say("no, that way");
        reply(wire, asks(&agent)).await;
        live.settles("it is reported", |state| state.origin.agent.rewritten.is_some())
            .await;
        assert!(
            live.state.origin.agent.lost.is_empty(),
            "{wire}: {:?}",
            live.state.origin.agent
        );
        let sent = model.seen().last().unwrap().body.clone();
        assert!(
            sent.contains("not this") && sent.contains("by hand"),
            "{wire}: {sent}"
        );
        assert!(
            sent.contains("that way") && !sent.contains("this way"),
            "{wire}: {sent}"
        );
        live.end().await;
    }
}

#[test]
fn what_an_agent_adds_by_itself_and_a_repeated_request_are_no_rewriting() {
    for wire in WIRES {
        let history = |texts: &[&str]| {
            let mut agent = Agent::new(wire, "");
            for text in texts {
                agent.say(text);
            }
            let body = agent.body().to_string();
            History::of(&decode_request(Wire::named(wire).unwrap(), body.as_bytes()).unwrap())
        };
        let old = history(&["<system-reminder>be brief</system-reminder>", "go"]);
        for (new, is_rewritten) in [
            (
                &["<system-reminder>be very brief</system-reminder>", "go"][..],
                false,
            ),
            (&["go"], false),
            (&["go", "and on"], false),
            (&["stop"], true),
            (&["before", "go"], true),
            (&[], true),
        ] {
            let rewriting = old.rewriting(&history(new), &State::default());
            assert_eq!(rewriting.is_some(), is_rewritten, "{wire}: {new:?}");
        }
        assert_eq!(History::default().rewriting(&old, &State::default()), None);
    }
}
