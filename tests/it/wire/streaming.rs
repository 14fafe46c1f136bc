//! Tests of edits while the model streams: the client closes unused streams and asks again.
//!
//! Must not know: how an edit is decided.

use std::sync::Arc;

use overrule::domain::call::Status;
use overrule::domain::command::{CallCommand, Command, Edit, RunCommand};
use overrule::domain::id::NodeKind;
use overrule::domain::state::State;
use overrule::domain::turn::Turn;
use overrule::tools::child::still_running;
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{FORMATS, Format, Message, Part, formats};
use crate::wire::pick::{self, executions, node};
use crate::wire::server::{Reply, Rest, open};
use crate::wire::stage::{Stage, call_of_turn, eventually, read, slow};

/// A message of a thought, a read, a command that does not end, and a second thought: it stays open.
fn streaming(format: &Format) -> (Reply, Rest) {
    open((format.frames)(
        &[
            Part::Signed("I weigh it.", "signature-one"),
            Part::Text("I look and run."),
            read("notes"),
            slow("slow"),
            Part::Text("While it runs "),
        ],
        0,
    ))
}

#[tokio::test]
async fn a_thought_rewritten_while_the_model_streams_closes_the_connection() {
    for format in FORMATS {
        let (first, rest) = streaming(format);
        let mut stage = Stage::new(format, vec![first, answer(format, "Instead.")]).await;
        let (pid, ticks) = stage.running("slow").await;
        assert!(!stage.server.closed(0));
        let thought = node(&stage.live.state, NodeKind::Thought, "I look and run.");
        stage
            .commit(vec![pick::rewritten(&stage.live.state, thought, "I only think.")])
            .await;
        stage.closed(0).await;
        // Later frames of the server are not read.
        rest.send((format.frames)(&[Part::Text("I go on."), read("late")], 2));
        let slow = stage.call("slow");
        let (asked, state, world) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].upto(2), asked[0].upto(2));
        assert_eq!(asked[1].told(), ["I only think."]);
        assert!(asked[1].console().contains("rewrote your last thought"));
        for gone in ["notes.txt", "sleep", "While it runs", "I go on"] {
            assert!(!asked[1].has(gone), "{gone} in\n{}", asked[1]);
        }
        let stored: &[&str] = if format.signs { &["signature-one"] } else { &[] };
        assert_eq!(asked[1].signatures(), stored, "reasoning before it stands");
        eventually("the command is ended", || !still_running(pid, ticks)).await;
        assert!(!state.nodes[&slow].active);
        assert_eq!(world.read("log.txt"), "begun\n");
        assert!(!state.calls.values().any(|call| *call.label == *"late"));
    }
}

#[tokio::test]
async fn a_deleted_thought_or_an_edited_prompt_closes_the_connection() {
    for format in formats() {
        for delete in [true, false] {
            let (first, _rest) = streaming(format);
            let mut stage = Stage::new(format, vec![first, answer(format, "Instead.")]).await;
            stage.running("slow").await;
            let edit = if delete {
                let node = node(&stage.live.state, NodeKind::Thought, "I look and run.");
                let base = stage.rev(node);
                Edit::Delete { node, base }
            } else {
                let prompt = node(&stage.live.state, NodeKind::Prompt, "the task");
                pick::rewritten(&stage.live.state, prompt, "another task")
            };
            stage.commit(vec![edit]).await;
            stage.closed(0).await;
            let (asked, ..) = stage.end().await;
            assert_eq!(asked.len(), 2);
            let words = if delete { "the task" } else { "another task" };
            assert_eq!(asked[1].user(), words);
            assert!(
                !asked[1].has("sleep") && !asked[1].has("I look and run"),
                "{}",
                asked[1]
            );
        }
    }
}

#[tokio::test]
async fn an_edited_call_leaves_the_stream_that_it_came_in_alone() {
    for format in formats() {
        let (first, rest) = streaming(format);
        let mut stage = Stage::new(format, vec![first, answer(format, "Both.")]).await;
        stage.running("slow").await;
        let id = stage.call("slow");
        let args = json!({"_as": "slow", "command": "echo quick"});
        stage
            .commit(vec![pick::edited(&stage.live.state, id, &args)])
            .await;
        let ended = move |state: &State| state.calls[&id].status == Status::Succeeded;
        stage.live.until("the edited call has ended", ended).await;
        assert!(!stage.server.closed(0));
        assert_eq!(stage.asked().len(), 1, "nobody is asked while the turn goes on");
        rest.send((format.frames)(
            &[Part::Text("I read once more."), read("late")],
            2,
        ));
        rest.send((format.end)(true));
        drop(rest);
        let (asked, ..) = stage.end().await;
        assert_eq!(asked.len(), 2);
        let Message::Assistant { calls, .. } = &asked[1].messages[2] else {
            panic!("{}", asked[1])
        };
        assert_eq!(calls.len(), 3, "all calls of the message, in order");
        assert_eq!(calls[1].args, args.to_string());
        assert!(asked[1].result("echo quick").ends_with("quick\n"));
        assert!(asked[1].result("\"late\"").contains("alpha"));
    }
}

#[tokio::test]
async fn an_edit_before_the_turn_that_streams_closes_the_connection() {
    for format in formats() {
        let one = || format.message(&[Part::Text("I look."), read("notes")]);
        // By a corrected result, by other arguments, and by a prompt put in before it.
        for way in 0..3 {
            let (second, rest) = streaming(format);
            let replies = vec![one(), second, answer(format, "Instead.")];
            let mut stage = Stage::new(format, replies).await;
            let (pid, ticks) = stage.running("slow").await;
            let notes = call_of_turn(&stage.live.state, 0);
            let edit = match way {
                0 => pick::corrected(&stage.live.state, notes, &json!("corrected")),
                1 => {
                    stage.world.file("other.txt", "gamma\n");
                    pick::edited(
                        &stage.live.state,
                        notes,
                        &json!({"_as": "notes", "path": "other.txt"}),
                    )
                }
                _ => Edit::InsertPrompt {
                    after: stage.live.state.turn_of(notes).map(|turn| turn.id),
                    text: Arc::from("Stop here."),
                },
            };
            stage.commit(vec![edit]).await;
            stage.closed(1).await;
            drop(rest);
            let (asked, ..) = stage.end().await;
            assert_eq!(asked.len(), 3);
            let same = [3, 2, 4][way];
            assert_eq!(asked[2].upto(same), asked[1].upto(same), "{}", asked[2]);
            let words = ["corrected", "gamma", "Stop here."][way];
            assert!(asked[2].has(words), "{}", asked[2]);
            assert!(!asked[2].has("sleep"), "{}", asked[2]);
            eventually("the command is ended", || !still_running(pid, ticks)).await;
        }
    }
}

#[tokio::test]
async fn a_call_that_runs_again_holds_the_later_stream_and_closes_it_only_for_another_result() {
    for format in formats() {
        for other in [false, true] {
            let one = format.message(&[Part::Text("I look."), read("notes")]);
            let (second, rest) = open((format.frames)(
                &[Part::Text("I look more."), read("more"), Part::Text("And ")],
                0,
            ));
            let mut replies = vec![one, second];
            replies.push(answer(format, "The end."));
            let mut stage = Stage::new(format, replies).await;
            stage.read_ended(2).await;
            if other {
                stage.world.file("notes.txt", "gamma\n");
            }
            let notes = call_of_turn(&stage.live.state, 0);
            let rev = stage.rev(notes);
            let command = CallCommand::Retry { call: notes, rev };
            stage.live.send(Command::Call(command)).await.unwrap();
            if other {
                stage.closed(1).await;
            } else {
                let restored = move |state: &State| {
                    state.calls[&notes].attempts.len() == 2
                        && state.calls[&notes].status == Status::Succeeded
                        && state.turns.values().all(Turn::is_active)
                };
                stage.live.until("the later turn stands again", restored).await;
                assert!(!stage.server.closed(1));
                rest.send((format.end)(true));
            }
            drop(rest);
            let (asked, state, _) = stage.end().await;
            assert_eq!(asked.len(), 3);
            let last = asked.last().unwrap();
            assert_eq!(last.has("I look more."), !other, "{last}");
            assert_eq!(last.has("gamma"), other, "{last}");
            assert_eq!(executions(&state, notes), 2);
            let same = if other { 3 } else { 4 };
            assert_eq!(last.upto(same), asked[1].upto(same));
        }
    }
}

#[tokio::test]
async fn guidance_at_the_tip_waits_for_the_stream_to_end() {
    for format in formats() {
        let (first, rest) = open((format.frames)(
            &[Part::Text("I look."), read("notes"), Part::Text("And ")],
            0,
        ));
        let mut stage = Stage::new(format, vec![first, answer(format, "With it.")]).await;
        stage.read_ended(1).await;
        stage.live.prompt("Mind the log.").await;
        assert!(!stage.server.closed(0));
        rest.send((format.frames)(&[Part::Text("so on.")], 1));
        rest.send((format.end)(true));
        drop(rest);
        let (asked, ..) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].user(), "Mind the log.");
        assert!(
            matches!(asked[1].messages.last(), Some(Message::User(_))),
            "behind the result"
        );
        assert!(asked[1].result("notes.txt").contains("alpha"));
        assert!(asked[1].has("And so on."), "{}", asked[1]);
    }
}

#[tokio::test]
async fn a_stopped_turn_closes_the_connection_and_keeps_what_arrived() {
    for format in formats() {
        let (first, _rest) = open((format.frames)(
            &[Part::Text("I look."), read("notes"), Part::Text("And ")],
            0,
        ));
        let mut stage = Stage::new(format, vec![first, answer(format, "Short.")]).await;
        stage.read_ended(1).await;
        let stop = Command::Run(RunCommand::StopTurn {});
        stage.live.send(stop).await.unwrap();
        stage.closed(0).await;
        assert_eq!(
            stage.asked().len(),
            1,
            "and is not asked on before somebody says so"
        );
        let resumes = Command::Run(RunCommand::Resume {});
        stage.live.send(resumes).await.unwrap();
        let (asked, ..) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert!(asked[1].result("notes.txt").contains("alpha"));
    }
}
