//! Tests of recorded results and replies: what is not run or asked again, and what the model sees.
//!
//! Must not know: when a record may be used.

use overrule::domain::command::{Command, RunCommand};
use overrule::domain::id::NodeKind;
use overrule::domain::node::Origin;
use overrule::domain::state::{Mode, State};
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{Message, Part, formats};
use crate::wire::pick::{self, call, executions, node};
use crate::wire::stage::{Stage, read};

/// True where the current answer has these words.
fn answered(words: &'static str) -> impl Fn(&State) -> bool {
    move |state| match state.mode {
        Mode::Finished(answer) => state.nodes[&answer].text() == words,
        _ => false,
    }
}

#[tokio::test]
async fn an_equal_read_of_a_turn_that_is_asked_again_is_given_its_recorded_result_once() {
    for format in formats() {
        // Asked again because of an edit, and on request of the operator.
        for by_edit in [true, false] {
            let replies = vec![
                format.message(&[Part::Text("I look."), read("notes")]),
                answer(format, "First."),
                format.message(&[Part::Text("I look all the same."), read("again")]),
                answer(format, "Second."),
            ];
            let mut stage = Stage::new(format, replies).await;
            stage.live.until("an answer", answered("First.")).await;
            let notes = stage.call("notes");
            // Who read it again would see something else.
            stage.world.file("notes.txt", "gamma\n");
            if by_edit {
                let thought = node(&stage.live.state, NodeKind::Thought, "I look.");
                let edit = pick::rewritten(&stage.live.state, thought, "I think.");
                stage.commit(vec![edit]).await;
            } else {
                let turn = pick::turn(&stage.live.state, "notes");
                let again = Command::Run(RunCommand::AskAgain { turn, request: None });
                stage.live.send(again).await.unwrap();
            }
            stage.live.until("another answer", answered("Second.")).await;
            let (asked, state, _) = stage.end().await;
            assert_eq!(asked.len(), 4);
            assert_eq!(asked[2].upto(2), asked[0].upto(2));
            assert!(!asked[2].has("alpha"), "{}", asked[2]);
            let again = call(&state, "again");
            assert_ne!(again, notes);
            assert_eq!(state.ledger.len(), 1, "one execution for both");
            assert_eq!(executions(&state, again), 0);
            let origin = &state.observation(again).unwrap().now().origin;
            assert!(matches!(origin, Origin::Reused { .. }), "{origin:?}");
            let last = &asked[3];
            assert!(last.result("\"again\"").contains("alpha\nbeta"), "{last}");
            let results = last
                .messages
                .iter()
                .filter(|one| matches!(one, Message::Result(..)));
            assert_eq!(results.count(), 1, "{last}");
            assert!(!last.has("gamma") && !last.has("I look."), "{last}");
            assert_eq!(last.console().contains("rewrote"), by_edit, "{last}");
        }
    }
}

#[tokio::test]
async fn an_edit_that_comes_to_a_context_on_record_takes_its_reply_and_asks_nobody() {
    for format in formats() {
        let replies = vec![
            format.message(&[Part::Text("I look."), read("notes")]),
            answer(format, "First."),
            // One more turn and its answer, so that more than an answer comes back.
            format.message(&[
                Part::Text("I log it."),
                Part::Call(
                    "b",
                    "shell",
                    json!({"_as": "log", "command": "echo once >> log.txt; echo once"}),
                ),
            ]),
            answer(format, "Second."),
            answer(format, "Third."),
            answer(format, "On."),
        ];
        let mut stage = Stage::new(format, replies).await;
        stage.live.until("an answer", answered("First.")).await;
        let notes = stage.call("notes");
        for (value, words, requests) in [
            ("one", "Second.", 4),
            ("two", "Third.", 5),
            // As before: both the turn and the answer are recorded.
            ("one", "Second.", 5),
        ] {
            let edit = pick::corrected(&stage.live.state, notes, &json!(value));
            stage.commit(vec![edit]).await;
            stage.live.settles("an answer", answered(words)).await;
            assert_eq!(stage.asked().len(), requests, "{value}");
        }
        assert_eq!(stage.world.read("log.txt"), "once\n", "nothing ran for it");
        stage.live.prompt("And now?").await;
        stage.live.until("an answer", answered("On.")).await;
        let (asked, state, _) = stage.end().await;
        assert_eq!(asked.len(), 6);
        // It continues the earlier request byte for byte: system, task, message, result, message, result.
        assert_eq!(asked[5].upto(6), asked[3].upto(6), "{}", asked[5]);
        assert_eq!(asked[5].told().last(), Some(&"Second."));
        assert_eq!(asked[5].user(), "And now?");
        assert!(!asked[5].has("Third."), "{}", asked[5]);
        assert!(!asked[5].console().contains("Already happened"), "{}", asked[5]);
        assert_eq!(executions(&state, call(&state, "log")), 1);
    }
}
