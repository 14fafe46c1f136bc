//! Tests of shell lines that only read: an agent's line is allowed as a tool that reads would be.
//!
//! Must not know: which programs read.

use overrule::domain::call::{EffectClass, Status};
use overrule::policy::Preset;
use serde_json::json;

use crate::proxy::course::{bash, streamed};
use crate::proxy::server::Server;
use crate::proxy::stage::{approve, asked, calls, finished, working};

#[tokio::test]
async fn an_agents_line_that_only_reads_runs_without_a_question_until_its_shell_may_be_elsewhere() {
    let wire = "anthropic";
    let one = |id: &'static str, line: &str| [(id, "bash", bash(line))];
    let model = Server::new(vec![
        streamed(wire, "I look.", &one("a1", "ls -la | head -3")),
        streamed(wire, "I look outside.", &one("a2", "cat /etc/hostname")),
        streamed(wire, "I go on.", &one("a3", "cd sub && make")),
        streamed(wire, "I look again.", &one("a4", "ls -la | head -3")),
        streamed(wire, "Done.", &[]),
    ]);
    let (_stage, mut live, work) = working(wire, &model, "look around", Preset::Guarded).await;
    for line in ["cat /etc/hostname", "cd sub && make", "ls -la | head -3"] {
        let id = asked(&mut live, "bash").await;
        let args = live.state.nodes[&id].as_call().unwrap().1.clone();
        assert!(args.contains(line), "{args}");
        assert_eq!(live.state.calls[&id].effect, EffectClass::Unknown, "{line}");
        approve(&live, id).await;
        live.settles("it went on", |state| {
            state.calls[&id].status != Status::AwaitingApproval
        })
        .await;
    }
    finished(&mut live).await;
    let all = calls(&live.state, "bash");
    assert_eq!(all.len(), 4);
    let first = &live.state.calls[&all[0]];
    assert_eq!((first.effect, first.decisions.len()), (EffectClass::Read, 1));
    let ran = work.await.unwrap().ran.lock().unwrap().clone();
    assert_eq!(
        ran[0],
        ("bash".to_owned(), json!({ "command": "ls -la | head -3" }))
    );
    assert_eq!(ran.len(), 4);
}

#[tokio::test]
async fn a_line_that_only_reads_is_held_against_the_rules_and_the_preset() {
    let wire = "openai-chat";
    let model = Server::new(vec![
        streamed(wire, "I look.", &[("a1", "bash", bash("ls"))]),
        streamed(wire, "Done.", &[]),
    ]);
    let (_stage, mut live, work) = working(wire, &model, "look around", Preset::Supervised).await;
    let id = asked(&mut live, "bash").await;
    assert_eq!(
        live.state.calls[&id].effect,
        EffectClass::Read,
        "it asks all the same"
    );
    approve(&live, id).await;
    finished(&mut live).await;
    assert_eq!(work.await.unwrap().ran.lock().unwrap().len(), 1);
}
