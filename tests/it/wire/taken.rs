//! Tests of nodes copied from another branch: an answer, and a call that only that branch has.
//!
//! Must not know: how a branch is found.

use overrule::domain::command::Edit;
use overrule::domain::id::{Epoch, NodeKind};
use overrule::domain::state::{Mode, State};
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{Message, Part, formats};
use crate::wire::pick::{self, executions, node};
use crate::wire::stage::{Stage, UNDO, read};

fn answered(words: &'static str) -> impl Fn(&State) -> bool {
    move |state| match state.mode {
        Mode::Finished(answer) => state.nodes[&answer].text() == words,
        _ => false,
    }
}

#[tokio::test]
async fn an_answer_of_another_branch_is_what_the_model_said_here() {
    for format in formats() {
        let replies = vec![
            format.message(&[Part::Text("I look."), read("notes")]),
            answer(format, "First."),
            answer(format, "Second."),
            answer(format, "On."),
        ];
        let mut stage = Stage::new(format, replies).await;
        stage.live.until("an answer", answered("First.")).await;
        let edit = pick::corrected(&stage.live.state, stage.call("notes"), &json!("corrected"));
        stage.commit(vec![edit]).await;
        stage.live.until("another", answered("Second.")).await;
        let theirs = node(&stage.live.state, NodeKind::Answer, "Second.");
        stage.live.send(UNDO).await.unwrap();
        stage
            .live
            .settles("the first answer stands", answered("First."))
            .await;
        let take = Edit::Copy {
            node: theirs,
            base: None,
            from: Epoch(1),
        };
        stage.commit(vec![take]).await;
        stage
            .live
            .settles("the other answer stands", answered("Second."))
            .await;
        assert_eq!(stage.asked().len(), 3, "nobody is asked for it");
        stage.live.prompt("And now?").await;
        stage.live.until("an answer", answered("On.")).await;
        let (asked, state, _) = stage.end().await;
        assert_eq!(asked.len(), 4);
        let last = &asked[3];
        // The results are this branch's, the answer is the other's.
        assert_eq!(last.upto(4), asked[1].upto(4), "{last}");
        assert_eq!(last.told(), ["I look.", "Second."]);
        assert_eq!(last.user(), "And now?");
        assert!(!last.has("First.") && !last.has("corrected"), "{last}");
        assert_eq!(state.ledger.len(), 1, "nothing ran for it");
    }
}

#[tokio::test]
async fn a_call_that_only_another_branch_has_comes_with_its_result_and_does_not_run() {
    for format in formats() {
        let replies = vec![
            format.message(&[Part::Text("I look."), read("notes")]),
            answer(format, "First."),
            format.message(&[
                Part::Text("I log it."),
                Part::Call(
                    "b",
                    "shell",
                    json!({"_as": "log", "command": "echo once >> log.txt; echo once"}),
                ),
            ]),
            answer(format, "Second."),
            answer(format, "With it."),
        ];
        let mut stage = Stage::new(format, replies).await;
        stage.live.until("an answer", answered("First.")).await;
        stage.live.prompt("Log it.").await;
        stage.live.until("another", answered("Second.")).await;
        let log = stage.call("log");
        stage.live.send(UNDO).await.unwrap();
        stage
            .live
            .settles("the first answer stands", answered("First."))
            .await;
        let take = Edit::Copy {
            node: log,
            base: None,
            from: Epoch(1),
        };
        stage.commit(vec![take]).await;
        stage.live.until("an answer", answered("With it.")).await;
        let (asked, state, world) = stage.end().await;
        assert_eq!(asked.len(), 5);
        let last = &asked[4];
        // System, task, message, result, as this branch had them; then its answer.
        assert_eq!(last.upto(4), asked[1].upto(4), "{last}");
        assert_eq!(last.told()[..2], ["I look.", "First."]);
        assert!(!last.has("Log it.") && !last.has("I log it."), "{last}");
        assert!(last.result("echo once").ends_with("once\n"), "{last}");
        let (here, theirs) = (*state.calls.keys().next_back().unwrap(), log);
        assert_ne!(here, theirs, "a call of its own");
        assert!(
            matches!(last.messages.last(), Some(Message::Console(text)) if text.contains("made the last call and shows")),
            "what it did stands in the context and is not told besides: {last}"
        );
        assert_eq!((executions(&state, theirs), executions(&state, here)), (1, 0));
        assert_eq!(world.read("log.txt"), "once\n", "it did not happen twice");
    }
}
