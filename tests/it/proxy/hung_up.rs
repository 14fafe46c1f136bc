//! Tests of which request waits until it is known whether the agent hung up on the one before.
//!
//! Must not know: formats beyond what the agent and the model say.

use std::sync::Arc;

use hyper::HeaderMap;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::decode_request;
use overrule::policy::Preset;
use overrule::proxy::client::Client;
use overrule::proxy::conversation::{Kind, kind};
use overrule::proxy::history::History;
use overrule::proxy::run::Arriving;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{PATIENCE, asked_model, asks, base, finished, reply, run, slow};
use crate::proxy::course::{WIRES, streamed};
use crate::proxy::stage::Stage;

/// The next request of an agent, as it looks for its conversation.
fn arriving(wire: &str, agent: &Agent) -> Arc<Arriving> {
    let wire = Wire::named(wire).unwrap();
    let request = Arc::new(decode_request(wire, agent.body().to_string().as_bytes()).unwrap());
    let history = Arc::new(History::of(&request));
    let Kind::Conversation { key, is_sub_agent } = kind(&HeaderMap::new(), &request) else {
        panic!("a request with tools");
    };
    let client = Client::of(&HeaderMap::new(), wire);
    Arc::new(Arriving::new((client, key), is_sub_agent, (request, history)))
}

#[tokio::test]
async fn only_a_request_that_may_continue_after_a_hang_up_waits_for_one() {
    for wire in WIRES {
        let (model, release) = slow(vec![streamed(wire, "Late.", &[]), streamed(wire, "New.", &[])]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("one");
        agent.say("two");
        let first = asks(&agent);
        let (mut live, side) = stage.run_and_its_side(Preset::Auto).await;
        asked_model(&model, 1).await;
        // The agent waits: whatever else it asks is beside that.
        let mut more = agent.clone();
        more.say("no, three");
        let mut instead = agent.clone();
        instead.forget(1);
        instead.say("no, three");
        let mut other = agent.clone();
        other.forget(0);
        other.say("note what is worth keeping");
        let with_other_tools = more.clone().with_tools(&["remember"]);
        for (asking, may_continue) in [
            (&agent, true),
            (&more, true),
            (&instead, true),
            (&other, false),
            (&with_other_tools, false),
        ] {
            let found = side.compare(&arriving(wire, asking)).await;
            assert_eq!(
                (found.is_fork, found.may_continue),
                (true, may_continue),
                "{wire}"
            );
        }
        // Its hang-up is enough.
        let next = arriving(wire, &more);
        let waits = side.continues_with(&next);
        first.abort();
        tokio::time::timeout(PATIENCE, waits).await.unwrap();
        let found = side.compare(&next).await;
        assert_eq!((found.is_fork, found.may_continue), (false, false), "{wire}");
        let second = asks(&more);
        live.settles("the new words are there", |state| state.turns.len() > 2)
            .await;
        release.send(()).unwrap();
        assert_eq!(reply(wire, second).await.text, "New.", "{wire}");
        live.settles("finished", finished).await;
        live.end().await;
    }
}

#[tokio::test]
async fn a_request_beside_one_that_waits_has_a_conversation_of_its_own() {
    let wire = "anthropic";
    let (model, release) = slow(vec![streamed(wire, "Late.", &[]), streamed(wire, "Noted.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let session = ("x-claude-code-session-id", "s1");
    let mut agent = Agent::new(wire, &stage.base).with_header(session.0, session.1);
    agent.say("one");
    let first = asks(&agent);
    let mut live = run(&mut stage, Preset::Auto).await;
    asked_model(&model, 1).await;
    let mut other = Agent::new(wire, &stage.base).with_header(session.0, session.1);
    other = other.with_tools(&["remember"]);
    other.say("note what is worth keeping");
    let beside = asks(&other);
    let mut own = run(&mut stage, Preset::Auto).await;
    release.send(()).unwrap();
    let texts = [reply(wire, first).await.text, reply(wire, beside).await.text];
    assert_eq!(texts, ["Late.", "Noted."]);
    live.settles("finished", finished).await;
    own.settles("finished", finished).await;
    live.end().await;
    own.end().await;
}
