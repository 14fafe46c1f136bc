//! Tests of the requests after edits of running calls, and after several edits in one commit.
//!
//! Must not know: how an edit is decided.

use std::sync::Arc;

use overrule::domain::command::{CallCommand, Command, Edit};
use overrule::domain::id::TurnId;
use overrule::domain::state::{Mode, State};
use overrule::tools::child::still_running;
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{FORMATS, Part};
use crate::wire::pick::{self, call, executions};
use crate::wire::stage::{Stage, eventually, read, slow};

#[tokio::test]
async fn edited_arguments_of_a_running_call_end_it_and_run_in_its_place() {
    for format in FORMATS {
        let first = format.message(&[Part::Text("I run."), read("notes"), slow("slow")]);
        let mut stage = Stage::new(format, vec![first, answer(format, "Ended.")]).await;
        let (pid, ticks) = stage.running("slow").await;
        let id = stage.call("slow");
        let args = json!({"_as": "slow", "command": "echo quick"});
        stage
            .commit(vec![pick::edited(&stage.live.state, id, &args)])
            .await;
        let (asked, state, world) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].call("echo quick").args, args.to_string());
        assert!(asked[1].find("sleep").is_none(), "{}", asked[1]);
        let result = asked[1].result("echo quick");
        assert!(result.contains("[operator changed arguments: ") && result.ends_with("quick\n"));
        assert!(!still_running(pid, ticks));
        assert_eq!(executions(&state, id), 2);
        assert_eq!(executions(&state, call(&state, "notes")), 1);
        assert_eq!(world.read("log.txt"), "begun\n");
    }
}

#[tokio::test]
async fn an_answer_for_a_running_call_ends_it_and_is_its_only_result() {
    for format in FORMATS {
        let first = format.message(&[Part::Text("I run."), slow("slow")]);
        let mut stage = Stage::new(format, vec![first, answer(format, "Ended.")]).await;
        let (pid, ticks) = stage.running("slow").await;
        let call = stage.call("slow");
        let command = CallCommand::Answer {
            call,
            rev: stage.rev(call),
            value: Arc::from("\"I know it\""),
        };
        stage.live.send(Command::Call(command)).await.unwrap();
        let (asked, ..) = stage.end().await;
        let result = asked[1].result("sleep 600");
        assert!(result.contains("[operator wrote this result]") && result.ends_with("I know it"));
        eventually("the command is ended", || !still_running(pid, ticks)).await;
    }
}

#[tokio::test]
async fn a_deleted_running_call_is_ended_and_in_no_message() {
    for format in FORMATS {
        let first = format.message(&[Part::Text("I run."), read("notes"), slow("slow")]);
        let mut stage = Stage::new(format, vec![first, answer(format, "Ended.")]).await;
        let (pid, ticks) = stage.running("slow").await;
        let node = stage.call("slow");
        let base = stage.rev(node);
        stage.commit(vec![Edit::Delete { node, base }]).await;
        let (asked, ..) = stage.end().await;
        assert!(asked[1].find("sleep").is_none(), "{}", asked[1]);
        assert!(asked[1].result("notes.txt").contains("alpha"));
        eventually("the command is ended", || !still_running(pid, ticks)).await;
    }
}

#[tokio::test]
async fn several_edits_as_one_are_told_in_one_request() {
    for format in FORMATS {
        let first = format.message(&[
            Part::Text("I look and run."),
            read("notes"),
            Part::Call("b", "shell", json!({"_as": "start", "command": "echo one"})),
        ]);
        let replies = vec![first, answer(format, "Done."), answer(format, "Redone.")];
        let mut stage = Stage::new(format, replies).await;
        stage.finished().await;
        let (notes, start) = (stage.call("notes"), stage.call("start"));
        let args = json!({"_as": "start", "command": "echo two"});
        let prompt = |after| Edit::InsertPrompt {
            after,
            text: Arc::from("Mind both."),
        };
        // A part that is refused takes the whole with it.
        let bad = vec![
            pick::edited(&stage.live.state, start, &args),
            prompt(Some(TurnId(99))),
        ];
        stage.live.commit(bad).await.unwrap_err();
        assert_eq!(stage.live.state.operator.edits.len(), 0);
        let turn = stage.live.state.turn_of(start).map(|turn| turn.id);
        let edits = vec![
            pick::edited(&stage.live.state, start, &args),
            pick::corrected(&stage.live.state, notes, &json!("as I know them")),
            prompt(turn),
        ];
        stage.commit(edits).await;
        let again = move |state: &State| {
            state.calls[&start].attempts.len() == 2 && matches!(state.mode, Mode::Finished(_))
        };
        stage.live.until("the edited run has ended", again).await;
        let (asked, state, _) = stage.end().await;
        assert_eq!(asked.len(), 3, "one request for all of them");
        let last = &asked[2];
        assert_eq!(last.upto(2), asked[1].upto(2));
        assert!(last.result("echo two").contains("[operator changed arguments"));
        assert!(last.result("echo two").ends_with("two\n"));
        let notes_now = last.result("notes.txt");
        assert!(notes_now.contains("[operator wrote this result]") && notes_now.ends_with("as I know them"));
        assert_eq!(last.user(), "Mind both.");
        assert_eq!(executions(&state, notes), 1);
    }
}
