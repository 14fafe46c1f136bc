//! Tests of inserted and deleted nodes while the model streams and while a call runs.
//!
//! Must not know: how an edit is decided.
//!
//! They check what continues, and the next request to the model.

use std::sync::Arc;

use overrule::domain::command::{Edit, InsertAfter};
use overrule::domain::id::{NodeKind, TurnId};
use overrule::domain::state::State;
use overrule::tools::child::still_running;
use serde_json::json;

use crate::wire::course::answer;
use crate::wire::formats::{Asked, Message, Part, formats};
use crate::wire::pick::{self, call, executions, node};
use crate::wire::server::open;
use crate::wire::stage::{Stage, call_of_turn, eventually, patient, read, slow};

/// The inserted node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Call,
    Thought,
    Prompt,
}

const ALL: [What; 3] = [What::Call, What::Thought, What::Prompt];

impl What {
    fn after(self, after: Option<TurnId>) -> Edit {
        let text = || Arc::from("I stop here.");
        match self {
            Self::Call => Edit::InsertCall {
                after,
                tool: Arc::from("shell"),
                args: Arc::from(
                    json!({"_as": "extra", "command": "echo extra >> log.txt; echo extra"}).to_string(),
                ),
            },
            Self::Thought => Edit::InsertThought {
                after: after.map(InsertAfter::Turn),
                text: text(),
            },
            Self::Prompt => Edit::InsertPrompt { after, text: text() },
        }
    }

    /// Fails unless it is all that a request says from a message on, as what it is.
    #[track_caller]
    fn ends(self, asked: &Asked, from: usize) {
        let rest = &asked.messages[from..];
        match (self, rest) {
            (
                Self::Call,
                [
                    Message::Assistant { text, calls, .. },
                    Message::Result(of, output),
                    Message::Console(note),
                ],
            ) => {
                assert_eq!((text.as_str(), calls.len(), &calls[0].id), ("", 1, of), "{asked}");
                assert!(calls[0].args.contains("echo extra"), "{asked}");
                assert!(output.ends_with("extra\n"), "{asked}");
                assert!(note.contains("operator made the last call"), "{asked}");
            }
            (Self::Thought, [Message::Assistant { text, signed, calls }, Message::Console(note)]) => {
                assert_eq!(text, "I stop here.");
                assert!(signed.is_empty() && calls.is_empty(), "{asked}");
                assert!(note.contains("Continue from it"), "{asked}");
            }
            (Self::Prompt, [Message::User(text)]) => assert_eq!(text, "I stop here."),
            _ => panic!("{self:?} is not all behind message {from} of\n{asked}"),
        }
    }
}

/// True once this many calls have succeeded.
fn ended(calls: usize) -> impl Fn(&State) -> bool {
    use overrule::domain::call::{Call, Status};
    move |state| {
        let done = |call: &&Call| call.status == Status::Succeeded;
        state.calls.values().filter(done).count() == calls
    }
}

#[tokio::test]
async fn what_is_put_in_at_the_tip_leaves_the_stream_alone_and_is_told_behind_it() {
    for format in formats() {
        for what in ALL {
            let (first, rest) = open((format.frames)(
                &[Part::Text("I look."), read("notes"), Part::Text("And ")],
                0,
            ));
            let mut stage = Stage::new(format, vec![first, answer(format, "With it.")]).await;
            stage.read_ended(1).await;
            stage.commit(vec![what.after(None)]).await;
            if what == What::Call {
                // It reads nothing of the turn that streams, so that it need not wait for it.
                stage.live.until("the call has ended", ended(2)).await;
            }
            assert!(!stage.server.closed(0));
            assert_eq!(stage.asked().len(), 1, "nobody is asked while the turn streams");
            rest.send((format.frames)(&[Part::Text("so on."), read("late")], 1));
            rest.send((format.end)(true));
            drop(rest);
            let (asked, state, world) = stage.end().await;
            assert_eq!(asked.len(), 2);
            let last = &asked[1];
            assert_eq!(last.upto(2), asked[0].upto(2));
            let Message::Assistant { calls, .. } = &last.messages[2] else {
                panic!("{last}")
            };
            assert_eq!(
                calls.len(),
                2,
                "the whole message of the model, as it came: {last}"
            );
            assert!(last.has("And so on."), "{last}");
            what.ends(last, 5);
            let (log, runs) = match what {
                What::Call => ("extra\n", 3),
                What::Thought | What::Prompt => ("", 2),
            };
            assert_eq!(world.read("log.txt"), log);
            assert_eq!(state.ledger.len(), runs, "each call ran once");
        }
    }
}

#[tokio::test]
async fn what_is_put_in_before_a_turn_ends_its_stream_and_its_running_call() {
    for format in formats() {
        for (what, streams) in ALL.into_iter().flat_map(|what| [(what, true), (what, false)]) {
            let second = [Part::Text("I run."), slow("slow"), Part::Text("While it runs ")];
            let (reply, rest) = if streams {
                let (reply, rest) = open((format.frames)(&second, 0));
                (reply, Some(rest))
            } else {
                (format.message(&second), None)
            };
            let first = format.message(&[Part::Text("I look."), read("notes")]);
            let mut stage = Stage::new(format, vec![first, reply, answer(format, "Instead.")]).await;
            let (pid, ticks) = stage.running("slow").await;
            let slow = stage.call("slow");
            let after = stage.live.state.turn_of(call_of_turn(&stage.live.state, 0));
            let after = after.map(|turn| turn.id);
            stage.commit(vec![what.after(after)]).await;
            if streams {
                stage.closed(1).await;
            }
            drop(rest);
            let (asked, state, world) = stage.end().await;
            assert_eq!(asked.len(), 3);
            let last = &asked[2];
            // The messages before it are repeated byte for byte; later ones are gone.
            assert_eq!(last.upto(4), asked[1].upto(4), "{last}");
            for gone in ["I run.", "sleep", "While it runs"] {
                assert!(!last.has(gone), "{gone} in\n{last}");
            }
            let reported = last.messages.len() - 1;
            assert!(
                matches!(&last.messages[reported], Message::Console(text)
                    if text.contains("May have happened") && text.contains(&format!("({slow})"))),
                "what was cut off is told: {last}"
            );
            let mut without = last.clone();
            without.messages.truncate(reported);
            what.ends(&without, 4);
            eventually("the command is ended", || !still_running(pid, ticks)).await;
            assert!(!state.nodes[&slow].active);
            assert_eq!(executions(&state, slow), 1);
            let log = if what == What::Call {
                "begun\nextra\n"
            } else {
                "begun\n"
            };
            assert_eq!(world.read("log.txt"), log);
        }
    }
}

#[tokio::test]
async fn a_thought_behind_a_call_cuts_its_message_there_and_ends_what_runs_behind_it() {
    for format in formats() {
        for streams in [true, false] {
            let parts = [
                Part::Text("I look."),
                read("notes"),
                slow("slow"),
                Part::Text("And "),
            ];
            let (reply, rest) = if streams {
                let (reply, rest) = open((format.frames)(&parts, 0));
                (reply, Some(rest))
            } else {
                (format.message(&parts), None)
            };
            let mut stage = Stage::new(format, vec![reply, answer(format, "Instead.")]).await;
            stage.read_ended(1).await;
            let (pid, ticks) = stage.running("slow").await;
            let (notes, slow) = (stage.call("notes"), stage.call("slow"));
            let after = Some(InsertAfter::Node(notes));
            let text = Arc::from("I stop here.");
            stage.commit(vec![Edit::InsertThought { after, text }]).await;
            if streams {
                stage.closed(0).await;
            }
            drop(rest);
            let (asked, state, world) = stage.end().await;
            assert_eq!(asked.len(), 2);
            let mut last = asked[1].clone();
            assert_eq!(last.upto(2), asked[0].upto(2));
            for gone in ["sleep", "And "] {
                assert!(!last.has(gone), "{gone} in\n{last}");
            }
            let Message::Assistant { calls, .. } = &last.messages[2] else {
                panic!("{last}")
            };
            assert_eq!(calls.len(), 1, "what stood before the place is kept: {last}");
            let Some(Message::Console(reported)) = last.messages.pop() else {
                panic!("{last}")
            };
            assert!(reported.contains("May have happened") && reported.contains(&format!("({slow})")));
            What::Thought.ends(&last, 4);
            eventually("the command is ended", || !still_running(pid, ticks)).await;
            assert!(state.nodes[&notes].active && !state.nodes[&slow].active);
            assert_eq!((executions(&state, notes), executions(&state, slow)), (1, 1));
            assert_eq!(world.read("log.txt"), "begun\n");
        }
    }
}

#[tokio::test]
async fn what_is_put_in_while_a_call_runs_waits_for_it_and_is_told_behind_its_result() {
    for format in formats() {
        for what in ALL {
            let first = format.message(&[Part::Text("I run."), read("notes"), patient("patient")]);
            let mut stage = Stage::new(format, vec![first, answer(format, "Both.")]).await;
            let (pid, ticks) = stage.running("patient").await;
            stage.commit(vec![what.after(None)]).await;
            let calls = if what == What::Call { 2 } else { 1 };
            stage.live.settles("all else has ended", ended(calls)).await;
            assert_eq!(stage.asked().len(), 1, "nobody is asked while it runs");
            assert!(still_running(pid, ticks), "and it is left alone");
            stage.world.file("go", "");
            let (asked, state, _) = stage.end().await;
            assert_eq!(asked.len(), 2);
            let last = &asked[1];
            assert_eq!(last.upto(2), asked[0].upto(2));
            assert!(last.result("until test").ends_with("went on\n"), "{last}");
            what.ends(last, 5);
            assert_eq!(executions(&state, call(&state, "patient")), 1);
        }
    }
}

#[tokio::test]
async fn a_deleted_prompt_is_in_no_request_and_its_reply_is_closed() {
    for format in formats() {
        let (first, rest) = open((format.frames)(
            &[Part::Text("I look."), read("notes"), Part::Text("And ")],
            0,
        ));
        let (second, _rest) = open((format.frames)(
            &[Part::Text("I mind it."), slow("slow"), Part::Text("And ")],
            0,
        ));
        let replies = vec![first, second, answer(format, "Without.")];
        let mut stage = Stage::new(format, replies).await;
        stage.read_ended(1).await;
        stage.live.prompt("Mind the log.").await;
        rest.send((format.frames)(&[Part::Text("so on.")], 1));
        rest.send((format.end)(true));
        drop(rest);
        let (pid, ticks) = stage.running("slow").await;
        let prompt = node(&stage.live.state, NodeKind::Prompt, "Mind the log.");
        stage.commit(vec![pick::deleted(&stage.live.state, prompt)]).await;
        stage.closed(1).await;
        let (asked, state, world) = stage.end().await;
        assert_eq!(asked.len(), 3);
        let last = &asked[2];
        assert_eq!(asked[1].user(), "Mind the log.");
        // System, task, message, result: as before, and the prompt was never said.
        assert_eq!(last.upto(4), asked[1].upto(4), "{last}");
        assert_eq!(last.user(), "the task");
        for gone in ["Mind the log.", "I mind it.", "sleep"] {
            assert!(!last.has(gone), "{gone} in\n{last}");
        }
        assert!(last.console().contains("May have happened"), "{last}");
        eventually("the command is ended", || !still_running(pid, ticks)).await;
        assert_eq!(executions(&state, call(&state, "notes")), 1);
        assert_eq!(world.read("log.txt"), "begun\n");
    }
}
