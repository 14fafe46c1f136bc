//! Tests of rejected, answered and deleted calls of a program that ends at a tool that it does not have.
//!
//! Must not know: formats beyond what the agent and the model say.

use overrule::domain::agent::held_behind;
use overrule::domain::call::Status;
use overrule::domain::command::{CallCommand, Command, Edit};
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::policy::Preset;
use serde_json::json;
use tokio::task::JoinHandle;

use crate::proxy::agent::Agent;
use crate::proxy::beside::asks;
use crate::proxy::course::{WIRES, bash, streamed, whole};
use crate::proxy::live::Live;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, finished, reject, waiting};

/// What a person does with a call.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Reject,
    Answer,
    Delete,
}

/// What the model sees of it.
impl Verb {
    const ALL: [Self; 3] = [Self::Reject, Self::Answer, Self::Delete];

    const fn seen(self) -> &'static str {
        match self {
            Self::Reject => "not this file",
            Self::Answer => "forty-two",
            Self::Delete => "The operator deleted this call",
        }
    }

    async fn apply(self, live: &Live, call: NodeId) {
        let rev = live.state.nodes[&call].rev();
        match self {
            Self::Reject => reject(live, call, "not this file").await,
            Self::Answer => {
                let value = json!("forty-two").to_string().into();
                let command = CallCommand::Answer { call, rev, value };
                live.send(Command::Call(command)).await.unwrap();
            }
            Self::Delete => {
                let edit = Edit::Delete {
                    node: call,
                    base: rev,
                };
                live.commit(vec![edit]).await.unwrap();
            }
        }
    }
}

/// The id of a call, where the format has one.
fn id<'i>(wire: &str, id: &'i str) -> &'i str {
    if matches!(wire, "gemini" | "ollama") {
        ""
    } else {
        id
    }
}

fn reply(wire: &str, is_streamed: bool, text: &str, calls: &[(&str, &str, &str)]) -> Reply {
    let calls: Vec<_> = calls
        .iter()
        .map(|(own, tool, command)| (id(wire, own), *tool, bash(command)))
        .collect();
    if is_streamed {
        streamed(wire, text, &calls)
    } else {
        whole(wire, text, &calls)
    }
}

fn program(wire: &str, is_streamed: bool, base: &str) -> Agent {
    let agent = Agent::new(wire, base).unknown();
    if is_streamed { agent } else { agent.in_one_piece() }
}

fn works(mut agent: Agent, words: &'static str) -> JoinHandle<(String, Agent)> {
    tokio::spawn(async move { (agent.work(words).await, agent) })
}

/// Every way in which a program gets a reply.
fn ways() -> impl Iterator<Item = (&'static str, bool)> {
    WIRES.into_iter().flat_map(|wire| [(wire, true), (wire, false)])
}

/// Asserts that these words are in a text in this order, and what somebody said, which ends with a point, only once.
#[track_caller]
fn in_order(text: &str, words: &[&str], about: &str) {
    let mut rest = text;
    for word in words {
        let (_, after) = rest
            .split_once(word)
            .unwrap_or_else(|| panic!("{about}: no `{word}` in its place: {text}"));
        let is_once = text.matches(word).count() == 1;
        assert!(is_once || !word.ends_with('.'), "{about}: `{word}` once: {text}");
        rest = after;
    }
}

#[tokio::test]
async fn a_program_that_ends_at_an_unknown_tool_goes_on_after_its_call_was_refused() {
    for (wire, is_streamed) in ways() {
        for verb in Verb::ALL {
            let about = format!("{wire} {is_streamed} {verb:?}");
            let model = Server::new(vec![
                reply(wire, is_streamed, "First.", &[("a1", "bash", "rm it")]),
                reply(wire, is_streamed, "Second.", &[("a2", "edit", "look")]),
                reply(wire, is_streamed, "Third.", &[]),
                reply(wire, is_streamed, "Fourth.", &[]),
            ]);
            let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
            let agent = program(wire, is_streamed, &stage.base);
            let ran = agent.ran.clone();
            let work = works(agent, "do it");
            let mut live = stage.run(Preset::Supervised).await;
            let first = asked(&mut live, "bash").await;
            verb.apply(&live, first).await;
            let second = asked(&mut live, "edit").await;
            assert!(ran.lock().unwrap().is_empty(), "{about}");
            approve(&live, second).await;
            let (answer, mut agent) = work.await.unwrap();
            assert_eq!(answer, "Third.", "{about}");
            assert_eq!(
                *ran.lock().unwrap(),
                [("edit".to_owned(), bash("look"))],
                "{about}"
            );
            let own = agent.body().to_string();
            assert!(
                !own.contains("rejected_by") && !own.contains("rm it"),
                "{about}: {own}"
            );

            // The model sees what it said, in the order in which it said it.
            let seen: Vec<String> = model.seen().into_iter().map(|seen| seen.body).collect();
            in_order(&seen[1], &["do it", "First.", "rm it", verb.seen()], &about);
            let all = [
                "do it",
                "First.",
                "rm it",
                verb.seen(),
                "Second.",
                "look",
                "ran look",
            ];
            in_order(&seen[2], &all, &about);
            finished(&mut live).await;
            agent.work("and more").await;
            let later = model.seen()[3].body.clone();
            in_order(&later, &[&all[..], &["Third.", "and more"]].concat(), &about);
            assert!(!later.contains("rejected_by"), "{about}: {later}");
            live.end().await;
        }
    }
}

#[tokio::test]
async fn a_refused_call_stays_in_the_history_after_an_answer_and_new_words() {
    for (wire, is_streamed) in ways() {
        let about = format!("{wire} {is_streamed}");
        let model = Server::new(vec![
            reply(wire, is_streamed, "First.", &[("a1", "bash", "rm it")]),
            reply(wire, is_streamed, "Second.", &[]),
            reply(wire, is_streamed, "Third.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let work = works(program(wire, is_streamed, &stage.base), "do it");
        let mut live = stage.run(Preset::Supervised).await;
        let call = asked(&mut live, "bash").await;
        Verb::Reject.apply(&live, call).await;
        let (answer, mut agent) = work.await.unwrap();
        assert!(answer.ends_with("Second."), "{about}: {answer}");
        finished(&mut live).await;
        assert_eq!(agent.work("and more").await, "Third.", "{about}");
        let later = model.seen()[2].body.clone();
        let all = [
            "do it",
            "First.",
            "rm it",
            Verb::Reject.seen(),
            "Second.",
            "and more",
        ];
        in_order(&later, &all, &about);
        live.end().await;
    }
}

#[tokio::test]
async fn of_parallel_calls_the_program_gets_those_that_were_not_refused() {
    for (wire, is_streamed) in ways() {
        for (verb, refused) in Verb::ALL.into_iter().flat_map(|verb| [(verb, 0), (verb, 1)]) {
            // What is deleted supersedes what follows it.
            if matches!(verb, Verb::Delete) && refused == 0 {
                continue;
            }
            let about = format!("{wire} {is_streamed} {verb:?} {refused}");
            let model = Server::new(vec![
                reply(
                    wire,
                    is_streamed,
                    "First.",
                    &[("a1", "bash", "one"), ("a2", "edit", "two")],
                ),
                reply(wire, is_streamed, "Second.", &[]),
                reply(wire, is_streamed, "Third.", &[]),
            ]);
            let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
            let agent = program(wire, is_streamed, &stage.base);
            let ran = agent.ran.clone();
            let work = works(agent, "do it");
            let mut live = stage.run(Preset::Supervised).await;
            let both = [asked(&mut live, "bash").await, asked(&mut live, "edit").await];
            verb.apply(&live, both[refused]).await;
            approve(&live, both[1 - refused]).await;
            let (answer, mut agent) = work.await.unwrap();
            assert_eq!(answer, "Second.", "{about}");
            assert_eq!(ran.lock().unwrap().len(), 1, "{about}");
            let results = [verb.seen(), ["ran two", "ran one"][refused]];
            let sent = model.seen()[1].body.clone();
            assert!(sent.contains("one") && sent.contains("two"), "{about}: {sent}");
            for word in ["First."].iter().chain(&results) {
                assert_eq!(sent.matches(word).count(), 1, "{about}: `{word}` once: {sent}");
            }
            finished(&mut live).await;
            agent.work("and more").await;
            let later = model.seen()[2].body.clone();
            assert!(later.contains(verb.seen()), "{about}: {later}");
            assert!(!later.contains("rejected_by"), "{about}: {later}");
            live.end().await;
        }
    }
}

/// Stops the process of a run: its state, and a program with what it had sent.
fn killed(asking: JoinHandle<(u16, Vec<u8>)>, live: Live) -> State {
    asking.abort();
    live.state.clone()
}

#[tokio::test]
async fn a_hidden_call_is_put_back_after_the_proxy_was_killed() {
    for (wire, is_streamed) in ways() {
        let about = format!("{wire} {is_streamed}");
        let model = Server::new(vec![
            reply(wire, is_streamed, "First.", &[("a1", "bash", "rm it")]),
            reply(wire, is_streamed, "Second.", &[("a2", "edit", "look")]),
            reply(wire, is_streamed, "Third.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = program(wire, is_streamed, &stage.base);
        agent.say("do it");
        let asking = tokio::spawn({
            let agent = agent.clone();
            async move { agent.ask().await }
        });
        let mut live = stage.run(Preset::Supervised).await;
        let first = asked(&mut live, "bash").await;
        reject(&live, first, "not this file").await;
        asked(&mut live, "edit").await;
        live.settles("the reply is whole", |state| {
            state
                .turns
                .values()
                .all(|turn| turn.stream != overrule::domain::turn::Stream::Open)
        })
        .await;
        let state = killed(asking, live);

        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = agent.at(&stage.base);
        let ran = agent.ran.clone();
        let work = tokio::spawn(async move {
            let (_, bytes) = agent.ask().await;
            // Some programs end where it does not say what it cost.
            let says = String::from_utf8_lossy(&bytes).into_owned();
            assert!(
                wire != "openai-chat" || says.contains("\"prompt_tokens\":"),
                "{says}"
            );
            let wire = overrule::model::wire::Wire::named(wire).unwrap();
            agent.take(&overrule::model::decode::summary(wire, &bytes));
            let (_, bytes) = agent.ask().await;
            overrule::model::decode::summary(wire, &bytes).text
        });
        let mut live = stage.resume(Preset::Supervised, state).await;
        live.settles("it waits again", |state| waiting(state, "edit").is_some())
            .await;
        let second = waiting(&live.state, "edit").unwrap().id;
        approve(&live, second).await;
        assert_eq!(work.await.unwrap(), "Third.", "{about}");
        assert_eq!(
            *ran.lock().unwrap(),
            [("edit".to_owned(), bash("look"))],
            "{about}"
        );
        let sent = model.seen()[2].body.clone();
        let all = [
            "do it",
            "First.",
            "rm it",
            "not this file",
            "Second.",
            "look",
            "ran look",
        ];
        in_order(&sent, &all, &about);
        live.end().await;
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_the_agents_tool_are_a_warning_and_never_refused_by_themselves() {
    for wire in WIRES {
        let about = wire;
        let odd = json!({"command": 5});
        let calls = [(id(wire, "a1"), "bash", odd.clone())];
        let model = Server::new(vec![
            streamed(wire, "First.", &calls),
            streamed(wire, "Second.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let agent = program(wire, true, &stage.base);
        let ran = agent.ran.clone();
        let work = works(agent, "do it");
        // It asks even where every call is allowed: rules may not find in it what they are about.
        let mut live = stage.run(Preset::Auto).await;
        let call = asked(&mut live, "bash").await;
        let reason = &live.state.calls[&call].verdict.as_ref().unwrap().reason;
        assert!(
            reason.contains("do not fit the agent's tool: /command"),
            "{about}: {reason}"
        );
        assert!(ran.lock().unwrap().is_empty(), "{about}");
        approve(&live, call).await;
        assert_eq!(work.await.unwrap().0, "Second.", "{about}");
        assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), odd)], "{about}");
        live.end().await;
    }
}

#[tokio::test]
async fn an_approved_call_whose_bytes_are_withheld_is_held_behind_the_undecided_one() {
    let wire = "anthropic";
    let calls = [("a1", "bash", bash("one")), ("a2", "edit", bash("two"))];
    let model = Server::new(vec![
        streamed(wire, "First.", &calls),
        streamed(wire, "Second.", &[]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let agent = Agent::new(wire, &stage.base);
    let ran = agent.ran.clone();
    let work = works(agent, "do it");
    let mut live = stage.run(Preset::Supervised).await;
    let (first, second) = (asked(&mut live, "bash").await, asked(&mut live, "edit").await);
    approve(&live, second).await;
    live.settles("it is released", |state| {
        matches!(state.calls[&second].status, Status::Running(_))
    })
    .await;
    let behind = |live: &Live, call: &NodeId| held_behind(&live.state, &live.state.calls[call]);
    assert_eq!(behind(&live, &second), Some(first));
    assert_eq!(behind(&live, &first), None, "it waits for the operator");
    assert!(ran.lock().unwrap().is_empty());
    approve(&live, first).await;
    live.settles("both are with the agent", |state| {
        !state.calls[&first].attempts.is_empty()
    })
    .await;
    assert_eq!(behind(&live, &second), None);
    assert_eq!(work.await.unwrap().0, "Second.");
    live.end().await;
}

#[tokio::test]
async fn a_model_that_repeats_what_is_refused_is_not_asked_without_end() {
    for (wire, is_streamed) in ways() {
        let about = format!("{wire} {is_streamed}");
        let model = Server::answering(move |number, _| {
            let command = format!("rm number{number}");
            reply(wire, is_streamed, "I delete.", &[("a1", "bash", &command)])
        });
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = program(wire, is_streamed, &stage.base);
        agent.say("do it");
        let asking = asks(&agent);
        let live = stage.run(Preset::ReadOnly).await;
        let (status, text) = asking.await.unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(status, 200, "{about}");
        // The agent learns of it then, and no call passes.
        assert!(text.contains("rejected_by"), "{about}: {text}");
        assert!(!text.contains("rm number"), "{about}: {text}");
        assert_eq!(model.seen().len(), 9, "{about}");
        live.end().await;
    }
}
