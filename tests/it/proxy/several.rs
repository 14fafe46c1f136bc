//! Tests of several agents behind one proxy: each has its own vendor, sessions and name.
//!
//! Must not know: how conversations are distinguished.

use overrule::domain::call::Status;
use overrule::domain::state::State;
use overrule::policy::Preset;
use serde_json::json;

use crate::proxy::agent::{Agent, client};
use crate::proxy::beside::{asks, base, finished, prompts, reply, run};
use crate::proxy::course::{bash, streamed};
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, reject};

const CLAUDE: &str = "claude-cli/2.1.332 (external, cli)";
const CODEX: &str = "codex_exec/0.171.0 (Debian 12)";
/// What no vendor but their own may see.
const LOG_INS: [&str; 2] = ["key-for-anthropic", "key-for-openai"];

/// Claude Code.
pub fn claude(base: &str) -> Agent {
    Agent::new("anthropic", base)
        .of_program(CLAUDE)
        .with_log_in(LOG_INS[0])
}

/// Codex.
pub fn codex(base: &str) -> Agent {
    Agent::new("openai-responses", base)
        .of_program(CODEX)
        .with_log_in(LOG_INS[1])
}

/// The models of both, and where their formats go.
pub fn models(of_claude: Vec<Reply>, of_codex: Vec<Reply>) -> ([Server; 2], [String; 2]) {
    let models = [Server::new(of_claude), Server::new(of_codex)];
    let at = [
        format!("anthropic={}", base(&models[0])),
        format!("openai-responses={}", models[1].base),
    ];
    (models, at)
}

/// Fails if a vendor saw a request of the other agent.
pub fn saw_only_their_own(models: &[Server; 2]) {
    for (number, model) in models.iter().enumerate() {
        let seen = model.seen();
        assert!(!seen.is_empty());
        for one in seen {
            let all = format!("{}{}", one.head, one.body);
            assert!(all.contains(LOG_INS[number]), "{all}");
            assert!(!all.contains(LOG_INS[1 - number]), "{all}");
        }
    }
}

#[tokio::test]
async fn two_agents_are_held_and_decided_apart_and_each_vendor_sees_its_own_alone() {
    let (models, at) = models(
        vec![
            streamed("anthropic", "I look.", &[("a1", "bash", bash("ls"))]),
            streamed("anthropic", "Claude is done.", &[]),
        ],
        vec![
            streamed("openai-responses", "I write.", &[("b1", "bash", bash("rm -r ."))]),
            streamed("openai-responses", "Codex is done.", &[]),
        ],
    );
    let mut stage = Stage::before_all(&at).await;
    let (mut one, mut two) = (claude(&stage.base), codex(&stage.base));
    let (of_one, of_two) = (one.ran.clone(), two.ran.clone());
    let one = tokio::spawn(async move { one.work("the same task").await });
    let mut first = run(&mut stage, Preset::Supervised).await;
    let held = asked(&mut first, "bash").await;
    let two = tokio::spawn(async move { two.work("the same task").await });
    let mut second = run(&mut stage, Preset::Supervised).await;
    let other = asked(&mut second, "bash").await;
    assert!(of_one.lock().unwrap().is_empty() && of_two.lock().unwrap().is_empty());
    reject(&second, other, "not this").await;
    assert_eq!(two.await.unwrap(), "Codex is done.");
    assert_eq!(first.state.calls[&held].status, Status::AwaitingApproval);
    approve(&first, held).await;
    assert_eq!(one.await.unwrap(), "Claude is done.");
    assert_eq!(*of_one.lock().unwrap(), [("bash".to_owned(), bash("ls"))]);
    assert!(of_two.lock().unwrap().is_empty(), "it was rejected");
    for live in [&mut first, &mut second] {
        live.settles("finished", finished).await;
        assert_eq!(prompts(&live.state), ["the same task"]);
        assert_eq!(live.state.calls.len(), 1);
    }
    saw_only_their_own(&models);
    let told = models[1].seen();
    assert!(told[1].body.contains("not this"), "its model knows why");
    first.end().await;
    second.end().await;
}

#[tokio::test]
async fn what_is_no_reply_goes_to_the_vendor_that_it_is_for_or_nowhere() {
    const OK: &str = "Content-Type: application/json\r\n";
    let replies = || (0..3).map(|_| Reply::Status(200, OK, "{}")).collect();
    let (models, at) = models(replies(), replies());
    let stage = Stage::before_all(&at).await;
    let get = async |path: &str, headers: &[(&'static str, &'static str)], log_in: &str| {
        let request = client().get(format!("{}{path}", stage.base));
        let request = request.header("authorization", format!("Bearer {log_in}"));
        let headers = headers.iter();
        let request = headers.fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let [of_claude, of_codex] = LOG_INS;
    for (path, headers, log_in, status) in [
        ("/v1/models", &[("user-agent", CLAUDE)][..], of_claude, 200),
        (
            "/v1/models",
            &[("anthropic-version", "2023-06-01")],
            of_claude,
            200,
        ),
        ("/v1/models", &[("user-agent", CODEX)], of_codex, 200),
        // Nothing says whose it is.
        ("/v1/models", &[("user-agent", "OpenAI/Python 1")], of_codex, 400),
        ("/v1/models", &[], of_claude, 400),
        (
            "/v1/models",
            &[("user-agent", "opencode/1.18.33")],
            of_claude,
            400,
        ),
    ] {
        let (found, body) = get(path, headers, log_in).await;
        assert_eq!(found, status, "{headers:?}: {body}");
        assert_eq!(status == 400, body.contains("--upstream URL"), "{body}");
    }
    // The path tells it, whoever asks.
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": []});
    let count = client()
        .post(format!("{}/v1/messages/count_tokens", stage.base))
        .header("user-agent", CODEX)
        .header("x-api-key", of_claude)
        .body(body.to_string());
    assert_eq!(count.send().await.unwrap().status(), 200);
    saw_only_their_own(&models);
    assert_eq!([models[0].seen().len(), models[1].seen().len()], [3, 1]);
}

/// Another agent that begins while the run of the first one is idle.
struct Joining {
    what: &'static str,
    wire: &'static str,
    program: &'static str,
    tools: &'static [&'static str],
    /// True if it continues that run.
    joins: bool,
}

#[tokio::test]
async fn a_conversation_without_a_name_continues_only_a_run_of_its_program_with_its_format_and_tools() {
    let wire = "openai-chat";
    for row in [
        Joining {
            what: "another first message",
            wire,
            program: "QwenCode/1",
            tools: &["bash", "edit"],
            joins: true,
        },
        Joining {
            what: "another version",
            wire,
            program: "QwenCode/2",
            tools: &["bash", "edit"],
            joins: true,
        },
        Joining {
            what: "a tool in common",
            wire,
            program: "QwenCode/1",
            tools: &["edit", "grep"],
            joins: true,
        },
        Joining {
            what: "no tool in common",
            wire,
            program: "QwenCode/1",
            tools: &["grep"],
            joins: false,
        },
        Joining {
            what: "another agent",
            wire,
            program: CLAUDE,
            tools: &["bash", "edit"],
            joins: false,
        },
        Joining {
            what: "an unknown program",
            wire,
            program: "Agents/Python 1",
            tools: &["bash", "edit"],
            joins: false,
        },
        Joining {
            what: "another format",
            wire: "anthropic",
            program: "QwenCode/1",
            tools: &["bash", "edit"],
            joins: false,
        },
    ] {
        let model = Server::answering(move |number, _| match number {
            1 => streamed(wire, "First.", &[]),
            _ => streamed(row.wire, "Second.", &[]),
        });
        let mut stage = Stage::before(&model.base).await;
        let mut first = Agent::new(wire, &stage.base).of_program("QwenCode/1");
        first.say("one");
        let asking = asks(&first);
        let mut live = run(&mut stage, Preset::Auto).await;
        reply(wire, asking).await;
        live.settles("finished", finished).await;
        let second = Agent::new(row.wire, &stage.base).of_program(row.program);
        let mut second = second.with_tools(row.tools);
        second.say("two");
        let asking = asks(&second);
        if row.joins {
            reply(row.wire, asking).await;
            live.settles("it is in the same run", |state| prompts(state).len() == 2)
                .await;
            assert!(live.state.origin.agent.rewritten.is_some(), "{}", row.what);
        } else {
            let mut other = run(&mut stage, Preset::Auto).await;
            reply(row.wire, asking).await;
            other.settles("finished", finished).await;
            assert_eq!(prompts(&other.state), ["two"], "{}", row.what);
            assert_eq!(prompts(&live.state), ["one"], "{}", row.what);
            assert_eq!(live.state.origin.agent.rewritten, None, "{}", row.what);
            other.end().await;
        }
        live.end().await;
    }
}

#[tokio::test]
async fn the_same_name_and_history_of_another_program_are_another_conversation() {
    let wire = "anthropic";
    for header in [None, Some("x-session-id")] {
        let model = Server::new(vec![
            streamed(wire, "One.", &[]),
            streamed(wire, "Two.", &[]),
            streamed(wire, "Three.", &[]),
        ]);
        let mut stage = Stage::before(base(&model)).await;
        let named = |agent: Agent| match header {
            Some(header) => agent.with_header(header, "s"),
            None => agent,
        };
        let mut first = named(Agent::new(wire, &stage.base));
        first.say("go");
        let asking = asks(&first);
        let mut live = run(&mut stage, Preset::Auto).await;
        first.take(&reply(wire, asking).await);
        live.settles("finished", finished).await;
        first.say("on");
        let second = named(first.clone().of_program("opencode/1.18.33"));
        let asking = asks(&second);
        let mut other = run(&mut stage, Preset::Auto).await;
        assert_eq!(reply(wire, asking).await.text, "Two.", "{header:?}");
        other.settles("finished", finished).await;
        assert_eq!(prompts(&live.state), ["go"], "{header:?}");
        // The first one continues in its own.
        assert_eq!(reply(wire, asks(&first)).await.text, "Three.", "{header:?}");
        live.settles("its words are known", |state| prompts(state) == ["go", "on"])
            .await;
        live.end().await;
        other.end().await;
    }
}

#[tokio::test]
async fn an_agent_is_no_sub_agent_of_another_one() {
    let task = "Count the files below src.";
    let args = json!({"command": "count", "prompt": task});
    let (models, at) = models(
        vec![streamed("anthropic", "One.", &[("a", "bash", args)])],
        vec![
            streamed("openai-responses", "Two.", &[]),
            streamed("openai-responses", "Two.", &[]),
        ],
    );
    let mut stage = Stage::before_all(&at).await;
    let mut agent = claude(&stage.base);
    agent.say("go");
    let asking = asks(&agent);
    let mut live = run(&mut stage, Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    approve(&live, call).await;
    live.settles("it runs", |state: &State| {
        matches!(state.calls[&call].status, Status::Running(_))
    })
    .await;
    asking.await.unwrap();
    // With the task alone, and with a mark of its own: neither belongs to a conversation of another agent.
    let plain = codex(&stage.base);
    let marked = codex(&stage.base)
        .with_header("thread-id", "t")
        .with_header("x-codex-parent-thread-id", "p");
    for mut other in [marked, plain] {
        other.say(task);
        let asking = asks(&other);
        let (opening, _) = stage.opening().await;
        assert!(opening.parent.is_none() && opening.is_beside);
        asking.abort();
    }
    // Its own sub-agent does.
    let mut own = claude(&stage.base);
    own.say(task);
    let asking = asks(&own);
    let (opening, _) = stage.opening().await;
    assert_eq!(opening.parent.unwrap().call, Some(call));
    asking.abort();
    drop(models);
    live.end().await;
}
