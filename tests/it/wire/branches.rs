//! Tests that after undo, redo or switch a request repeats that of the branch byte for byte.
//!
//! Must not know: how a branch is restored.

use std::sync::Arc;

use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::id::{Epoch, NodeKind};
use overrule::domain::state::{Mode, State};
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{FORMATS, Format, Part, formats};
use crate::wire::pick::{self, call, executions, node};
use crate::wire::server::{Reply, open};
use crate::wire::stage::{Stage, UNDO, read};

const REDO: Command = Command::Edit(EditCommand::Redo {
    epoch: None,
    effects_seen: None,
});

fn first(format: &Format) -> Reply {
    format.message(&[
        Part::Signed("I weigh it.", "signature-one"),
        Part::Text("I look and run."),
        read("notes"),
        Part::Call(
            "b",
            "shell",
            json!({"_as": "start", "command": "echo one >> log.txt; echo one"}),
        ),
    ])
}

/// True where the current answer has these words.
fn answered(state: &State, words: &str) -> bool {
    let Mode::Finished(answer) = state.mode else {
        return false;
    };
    state.nodes[&answer].text() == words
}

/// A run to its answer, edited, and run to its next.
async fn edited(format: &'static Format, more: Vec<Reply>) -> Stage {
    let mut replies = vec![first(format), answer(format, "First."), answer(format, "Second.")];
    replies.extend(more);
    let mut stage = Stage::new(format, replies).await;
    stage
        .live
        .until("an answer", |state| answered(state, "First."))
        .await;
    let args = json!({"_as": "start", "command": "echo two >> log.txt; echo two"});
    let edit = pick::edited(&stage.live.state, stage.call("start"), &args);
    stage.commit(vec![edit]).await;
    stage
        .live
        .until("another", |state| answered(state, "Second."))
        .await;
    stage
}

#[tokio::test]
async fn an_undo_and_a_redo_ask_nobody_and_go_on_byte_for_byte() {
    for format in formats() {
        let more = vec![answer(format, "On."), answer(format, "On again.")];
        let mut stage = edited(format, more).await;
        stage.live.send(UNDO).await.unwrap();
        stage
            .live
            .settles("the first answer stands", |state| answered(state, "First."))
            .await;
        assert_eq!(
            stage.asked().len(),
            3,
            "what was asked and answered is not asked again"
        );
        stage.live.prompt("And now?").await;
        stage
            .live
            .until("an answer", |state| answered(state, "On."))
            .await;
        let asked = stage.asked();
        // System, task, message, two results, and the answer after them.
        assert_eq!(asked[3].upto(5), asked[1].upto(5), "{}", asked[3]);
        assert_eq!(asked[3].told().last(), Some(&"First."));
        assert!(asked[3].find("echo two").is_none(), "{}", asked[3]);
        assert!(
            asked[3].console().contains("Already happened"),
            "the other branch's effect is told: {}",
            asked[3]
        );
        // The other branch: back to the edit.
        let to = Epoch(1);
        let switch = Command::Edit(EditCommand::Switch {
            to,
            epoch: None,
            effects_seen: None,
        });
        stage.live.send(switch).await.unwrap();
        stage
            .live
            .settles("the second answer stands", |state| answered(state, "Second."))
            .await;
        assert_eq!(stage.asked().len(), 4);
        stage.live.prompt("And then?").await;
        stage
            .live
            .until("an answer", |state| answered(state, "On again."))
            .await;
        let asked = stage.asked();
        assert_eq!(asked[4].upto(5), asked[2].upto(5), "{}", asked[4]);
        assert_eq!(asked[4].told().last(), Some(&"Second."));
        assert!(
            !asked[4].has("And now?") && !asked[4].has("First."),
            "{}",
            asked[4]
        );
        let (_, state, world) = stage.end().await;
        assert_eq!(world.read("log.txt"), "one\ntwo\n", "nothing ran again");
        assert_eq!(executions(&state, call(&state, "start")), 2);
    }
}

#[tokio::test]
async fn a_redo_brings_the_edit_back_as_it_was_told() {
    for format in formats() {
        let mut stage = edited(format, vec![answer(format, "On.")]).await;
        stage.live.send(UNDO).await.unwrap();
        stage.live.send(REDO).await.unwrap();
        stage
            .live
            .settles("the second answer stands", |state| answered(state, "Second."))
            .await;
        assert_eq!(stage.asked().len(), 3);
        stage.live.prompt("And now?").await;
        stage
            .live
            .until("an answer", |state| answered(state, "On."))
            .await;
        let asked = stage.asked();
        assert_eq!(asked[3].upto(5), asked[2].upto(5));
        assert!(
            asked[3]
                .result("echo two")
                .contains("[operator changed arguments")
        );
        stage.end().await;
    }
}

#[tokio::test]
async fn an_undo_closes_the_stream_of_what_it_takes_back() {
    for format in FORMATS {
        let (held, _rest) = open((format.frames)(
            &[Part::Text("On this branch "), read("late"), Part::Text("I ")],
            0,
        ));
        let replies = vec![
            first(format),
            answer(format, "First."),
            held,
            answer(format, "On."),
        ];
        let mut stage = Stage::new(format, replies).await;
        stage
            .live
            .until("an answer", |state| answered(state, "First."))
            .await;
        let thought = node(&stage.live.state, NodeKind::Thought, "I look and run.");
        let edit = pick::rewritten(&stage.live.state, thought, "I wait.");
        stage.commit(vec![edit]).await;
        let late = |state: &State| state.calls.values().any(|call| *call.label == *"late");
        stage.live.until("it streams", late).await;
        stage.live.send(UNDO).await.unwrap();
        stage.closed(2).await;
        stage
            .live
            .settles("the first answer stands", |state| answered(state, "First."))
            .await;
        stage.live.prompt("And now?").await;
        stage
            .live
            .until("an answer", |state| answered(state, "On."))
            .await;
        let asked = stage.asked();
        assert_eq!(asked.len(), 4);
        assert_eq!(asked[3].upto(5), asked[1].upto(5));
        assert!(!asked[3].has("On this branch") && !asked[3].has("I wait."));
        let stored: &[&str] = if format.signs { &["signature-one"] } else { &[] };
        assert_eq!(asked[3].signatures(), stored, "what was signed stands again");
        stage.end().await;
    }
}

#[tokio::test]
async fn a_result_taken_from_another_branch_is_told_as_it_was_there() {
    for format in formats() {
        let replies = vec![
            first(format),
            answer(format, "First."),
            answer(format, "Second."),
            answer(format, "Third."),
        ];
        let mut stage = Stage::new(format, replies).await;
        stage
            .live
            .until("an answer", |state| answered(state, "First."))
            .await;
        let notes = stage.call("notes");
        let edit = pick::corrected(&stage.live.state, notes, &json!("corrected"));
        stage.commit(vec![edit]).await;
        stage
            .live
            .until("another", |state| answered(state, "Second."))
            .await;
        stage.live.send(UNDO).await.unwrap();
        stage
            .live
            .settles("the first answer stands", |state| answered(state, "First."))
            .await;
        let take = Edit::Copy {
            node: notes,
            base: None,
            from: Epoch(1),
        };
        stage.commit(vec![take]).await;
        let taken = |state: &State| state.epoch == Epoch(3) && matches!(state.mode, Mode::Finished(_));
        stage.live.until("an answer with what was taken", taken).await;
        let last = stage.asked().pop().unwrap();
        assert!(last.result("notes.txt").ends_with("corrected"), "{last}");
        let (_, state, world) = stage.end().await;
        assert_eq!(executions(&state, notes), 1, "nothing ran for it");
        assert_eq!(world.read("log.txt"), "one\n");
    }
}

#[tokio::test]
async fn later_turns_that_the_operator_kept_are_told_behind_what_he_changed() {
    for format in formats() {
        let second = format.message(&[Part::Text("I look more."), read("more")]);
        let replies = vec![
            first(format),
            second,
            answer(format, "First."),
            answer(format, "On."),
        ];
        let mut stage = Stage::new(format, replies).await;
        stage
            .live
            .until("an answer", |state| answered(state, "First."))
            .await;
        let edit = pick::corrected(&stage.live.state, stage.call("start"), &json!("corrected"));
        let stored = Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            keep_later: true,
            reason: Some(Arc::from("it does not matter to them")),
        });
        stage.live.send(stored).await.unwrap();
        stage
            .live
            .settles("the answer stands", |state| answered(state, "First."))
            .await;
        assert_eq!(stage.asked().len(), 3, "nobody is asked");
        stage.live.prompt("And now?").await;
        stage
            .live
            .until("an answer", |state| answered(state, "On."))
            .await;
        let asked = stage.asked();
        let last = &asked[3];
        assert!(last.result("echo one").ends_with("corrected"), "{last}");
        assert_eq!(last.upto(4), asked[2].upto(4), "up to what was changed");
        assert_eq!(last.told(), ["I look and run.", "I look more.", "First."]);
        stage.end().await;
    }
}
