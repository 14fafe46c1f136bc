//! Tests of conversations that the agent names in a header.
//!
//! Must not know: formats beyond what the agent and the model say.

use overrule::domain::call::Status;
use overrule::domain::state::State;
use overrule::policy::Preset;

use crate::proxy::agent::Agent;
use crate::proxy::beside::{asked_model, asks, base, finished, prompts, reply, run, slow};
use crate::proxy::course::{bash, streamed};
use crate::proxy::live::Live;
use crate::proxy::server::Server;
use crate::proxy::stage::{Stage, approve, asked};

/// Headers that name a conversation.
const HEADERS: [&str; 3] = ["x-claude-code-session-id", "thread-id", "x-session-id"];

const WIRE: &str = "anthropic";
const HEADER: &str = HEADERS[0];

/// A model that gives these answers.
fn model(answers: &[&str]) -> Server {
    Server::new(answers.iter().map(|text| streamed(WIRE, text, &[])).collect())
}

/// Waits until a run knows so many prompts, and is finished.
async fn has_prompts(live: &mut Live, count: usize) {
    live.settles("its words are known", |state| {
        prompts(state).len() == count && finished(state)
    })
    .await;
}

#[tokio::test]
async fn another_name_is_another_conversation_also_with_the_same_words() {
    for header in HEADERS {
        for words in ["two", "one"] {
            let model = model(&["First.", "Second.", "Third.", "Fourth."]);
            let mut stage = Stage::before(base(&model)).await;
            let mut old = Agent::new(WIRE, &stage.base).with_header(header, "s1");
            old.say("one");
            let asking = asks(&old);
            let mut first = run(&mut stage, Preset::Auto).await;
            old.take(&reply(WIRE, asking).await);
            first.settles("finished", finished).await;

            let mut new = Agent::new(WIRE, &stage.base).with_header(header, "s2");
            new.say(words);
            let asking = asks(&new);
            let mut second = run(&mut stage, Preset::Auto).await;
            new.take(&reply(WIRE, asking).await);
            second.settles("finished", finished).await;

            // Each continues in its own.
            old.say("and on");
            assert_eq!(reply(WIRE, asks(&old)).await.text, "Third.", "{header}");
            has_prompts(&mut first, 2).await;
            new.say("further");
            assert_eq!(reply(WIRE, asks(&new)).await.text, "Fourth.", "{header}");
            has_prompts(&mut second, 2).await;
            assert_eq!(prompts(&first.state), ["one", "and on"], "{header}");
            assert_eq!(prompts(&second.state), [words, "further"], "{header}");
            for live in [&first, &second] {
                assert_eq!(
                    live.state.origin.agent.rewritten, None,
                    "{header}: nothing was rewritten"
                );
            }
            first.end().await;
            second.end().await;
        }
    }
}

#[tokio::test]
async fn a_conversation_that_continues_under_a_new_name_has_both() {
    for header in HEADERS {
        let model = model(&["First.", "Second.", "Third.", "Fourth."]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(WIRE, &stage.base).with_header(header, "s1");
        agent.say("one");
        let asking = asks(&agent);
        let mut live = run(&mut stage, Preset::Auto).await;
        agent.take(&reply(WIRE, asking).await);
        live.settles("finished", finished).await;

        let mut agent = agent.with_header(header, "s2");
        agent.say("two");
        agent.take(&reply(WIRE, asks(&agent)).await);
        has_prompts(&mut live, 2).await;
        assert_eq!(
            live.state.origin.agent.rewritten, None,
            "{header}: it was extended"
        );
        // The new name alone finds it, and so does the old one.
        agent.forget(0);
        agent.say("a summary");
        agent.take(&reply(WIRE, asks(&agent)).await);
        has_prompts(&mut live, 3).await;
        let mut agent = agent.with_header(header, "s1");
        agent.say("three");
        reply(WIRE, asks(&agent)).await;
        has_prompts(&mut live, 4).await;
        let all = ["one", "two", "a summary", "three"];
        assert_eq!(prompts(&live.state), all, "{header}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_call_that_waits_is_found_under_a_new_name() {
    for words in ["", "Continue from where you left off."] {
        let calls = [("k1", "bash", bash("ls"))];
        let model = Server::new(vec![streamed(WIRE, "Hold.", &calls)]);
        let mut stage = Stage::before(base(&model)).await;
        let mut agent = Agent::new(WIRE, &stage.base).with_header(HEADER, "s1");
        agent.say("fix it");
        let first = tokio::spawn({
            let agent = agent.clone();
            async move { agent.ask_until("Hold.").await }
        });
        let mut live = run(&mut stage, Preset::Supervised).await;
        let call = asked(&mut live, "bash").await;
        first.await.unwrap();
        let mut agent = agent.with_header(HEADER, "s2");
        if !words.is_empty() {
            agent.remember_text("Hold.");
            agent.say(words);
        }
        let second = asks(&agent);
        assert_eq!(live.state.calls[&call].status, Status::AwaitingApproval);
        approve(&live, call).await;
        assert_eq!(reply(WIRE, second).await.calls.len(), 1, "{words}");
        assert_eq!(model.seen().len(), 1, "{words}: the model is not asked again");
        live.end().await;
    }
}

#[tokio::test]
async fn the_same_words_under_another_name_are_another_conversation_while_the_first_one_waits() {
    let (model, release) = slow(vec![streamed(WIRE, "A.", &[]), streamed(WIRE, "B.", &[])]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(WIRE, &stage.base).with_header(HEADER, "s1");
    agent.say("go");
    let first = asks(&agent);
    let live = run(&mut stage, Preset::Auto).await;
    asked_model(&model, 1).await;
    let second = asks(&agent.with_header(HEADER, "s2"));
    let other = run(&mut stage, Preset::Auto).await;
    release.send(()).unwrap();
    let both = [reply(WIRE, first).await.text, reply(WIRE, second).await.text];
    assert_eq!(both, ["A.", "B."]);
    live.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_resumed_session_continues_under_any_name() {
    let model = model(&["First.", "Second.", "Third."]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(WIRE, &stage.base).with_header(HEADER, "s1");
    agent.say("one");
    let asking = asks(&agent);
    let mut live = run(&mut stage, Preset::Auto).await;
    agent.take(&reply(WIRE, asking).await);
    live.settles("finished", finished).await;
    let state: State = live.state.clone();
    live.end().await;

    let mut stage = Stage::with_session(base(&model), &state).await;
    let mut agent = agent.at(&stage.base).with_header(HEADER, "s2");
    agent.say("two");
    let asking = asks(&agent);
    let (opening, resumes) = stage.opening().await;
    assert!(resumes);
    let mut live = stage.begin(&opening, Preset::Auto, state);
    agent.take(&reply(WIRE, asking).await);
    has_prompts(&mut live, 2).await;
    let mut agent = agent.with_header(HEADER, "s3");
    agent.say("three");
    reply(WIRE, asks(&agent)).await;
    has_prompts(&mut live, 3).await;
    assert_eq!(prompts(&live.state), ["one", "two", "three"]);
    assert_eq!(live.state.origin.agent.rewritten, None);
    live.end().await;
}
