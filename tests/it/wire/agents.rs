//! Tests of the requests of a sub-agent, and of what its parent receives.
//!
//! Must not know: how a thread begins or ends.

use overrule::domain::id::{NodeId, NodeKind};
use overrule::domain::state::{Mode, State};
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{Format, Message, Part, formats};
use crate::wire::pick::{self, call, executions, node};
use crate::wire::server::Reply;
use crate::wire::stage::{Stage, read};

fn answered(words: &'static str) -> impl Fn(&State) -> bool {
    move |state| match state.mode {
        Mode::Finished(answer) => state.nodes[&answer].text() == words,
        _ => false,
    }
}

/// The root splits off a task and logs; the sub-agent reads and answers; the root answers.
fn split(format: &Format, more: Vec<Reply>) -> Vec<Reply> {
    let mut replies = vec![
        format.message(&[
            Part::Text("I split it."),
            Part::Call(
                "b",
                "shell",
                json!({"_as": "log", "command": "echo once >> log.txt; echo once"}),
            ),
            Part::Call(
                "a",
                "delegate",
                json!({"_as": "helper", "task": "Say what the notes are about.", "scopes": ["†call.log"],
                    "tools": ["read_file"]}),
            ),
        ]),
        format.message(&[Part::Text("I read them."), read("notes")]),
        answer(format, "They are about alpha."),
        answer(format, "First."),
    ];
    replies.extend(more);
    replies
}

/// The answer of the sub-agent that counts.
fn of_helper(state: &State) -> NodeId {
    node(state, NodeKind::Answer, "They are")
}

#[tokio::test]
async fn a_sub_agent_is_asked_alone_and_its_answer_is_all_that_is_told_above() {
    for format in formats() {
        let mut stage = Stage::new(format, split(format, Vec::new())).await;
        stage.live.until("an answer", answered("First.")).await;
        let (asked, state, world) = stage.end().await;
        assert_eq!(asked.len(), 4);
        for inside in &asked[1..3] {
            let Message::System(system) = &inside.messages[0] else {
                panic!("{inside}")
            };
            assert!(system.contains("You are a sub-agent"), "{system}");
            assert!(
                inside.user().starts_with("Say what the notes are about."),
                "{inside}"
            );
            assert!(
                inside.user().contains("†call.log:\nonce\n"),
                "what it is shown: {inside}"
            );
            let output = inside.to_string();
            for outside in ["the task", "I split it.", "echo once"] {
                assert!(!output.contains(outside), "{outside} in\n{output}");
            }
            assert!(!inside.has("write_file"), "it is offered what it was given alone");
        }
        assert_eq!(asked[2].upto(2), asked[1].upto(2));
        assert!(asked[2].result("notes.txt").contains("alpha\nbeta"));
        for outside in [&asked[0], &asked[3]] {
            assert!(!outside.has("sub-agent: another agent"), "{outside}");
            assert!(!outside.has("I read them.") && !outside.has("beta"), "{outside}");
            assert!(outside.has("write_file"), "its own tools are all offered");
        }
        assert_eq!(asked[3].upto(2), asked[0].upto(2));
        let result = asked[3].result("\"helper\"");
        assert!(result.ends_with("They are about alpha."), "{result}");
        assert_eq!(world.read("log.txt"), "once\n");
        assert_eq!(executions(&state, call(&state, "notes")), 1);
    }
}

#[tokio::test]
async fn an_edit_inside_asks_the_sub_agent_and_only_another_answer_is_told_above() {
    for format in formats() {
        for equal in [true, false] {
            let words = if equal {
                "They are about alpha."
            } else {
                "They are empty."
            };
            let more = vec![answer(format, words), answer(format, "Second.")];
            let mut stage = Stage::new(format, split(format, more)).await;
            stage.live.until("an answer", answered("First.")).await;
            let before = of_helper(&stage.live.state);
            let edit = pick::corrected(&stage.live.state, stage.call("notes"), &json!("nothing"));
            stage.commit(vec![edit]).await;
            let another = move |state: &State| {
                state.nodes.values().any(|node| {
                    node.active
                        && node.id.kind == NodeKind::Answer
                        && node.id > before
                        && node.text() == words
                })
            };
            stage.live.until("the sub-agent has answered anew", another).await;
            let end = if equal { "First." } else { "Second." };
            stage.live.settles("an answer", answered(end)).await;
            let (asked, state, world) = stage.end().await;
            assert_eq!(asked.len(), if equal { 5 } else { 6 });
            // System, its task, its message: as it was; then the corrected result.
            assert_eq!(asked[4].upto(3), asked[2].upto(3), "{}", asked[4]);
            let result = asked[4].result("notes.txt");
            assert!(result.contains("[operator wrote this result]") && result.ends_with("nothing"));
            let output = asked[4].to_string();
            assert!(
                !output.contains("beta") && !output.contains("the task"),
                "{output}"
            );
            if let Some(above) = asked.get(5) {
                // Nothing before the answer has changed for the one that asked.
                assert_eq!(above.upto(4), asked[3].upto(4), "{above}");
                assert!(above.result("\"helper\"").ends_with(words), "{above}");
                let output = above.to_string();
                assert!(
                    !output.contains("nothing") && !output.contains("alpha"),
                    "{output}"
                );
            }
            assert_eq!(world.read("log.txt"), "once\n", "a sibling does not run again");
            for label in ["log", "notes", "helper"] {
                assert_eq!(executions(&state, call(&state, label)), 1, "{label}");
            }
        }
    }
}
