//! Tests of operator actions that are not edits.
//!
//! Must not know: how it is decided.
//!
//! They are decisions before a rewritten thought, a removed pin, a cancelled call, and a turn that
//! is asked again.

use std::sync::Arc;

use overrule::domain::call::Status;
use overrule::domain::command::{CallCommand, Command, Resolution};
use overrule::domain::id::{NodeId, NodeKind};
use overrule::domain::state::{Mode, State};
use overrule::policy::Preset;
use overrule::tools::child::still_running;
use serde_json::json;

use crate::wire::course::{Course, MESSAGES, answer};
use crate::wire::formats::{FORMATS, Message, Part};
use crate::wire::pick::{self, call, executions, node};
use crate::wire::server::open;
use crate::wire::stage::{Stage, eventually, read, slow};

fn logs(label: &'static str) -> Part {
    Part::Call(
        label,
        "shell",
        json!({"_as": label, "command": format!("echo {label} >> log.txt; echo did {label}")}),
    )
}

/// A call of this label waits for approval.
fn waits(label: &'static str) -> impl Fn(&State) -> bool {
    move |state| {
        let mut calls = state.calls.values();
        calls.any(|call| *call.label == *label && call.status == Status::AwaitingApproval)
    }
}

async fn approve(stage: &Stage, call: NodeId) {
    let approval = CallCommand::Approve {
        call,
        rev: stage.rev(call),
        digest: stage.live.state.calls[&call].digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    };
    stage.live.send(Command::Call(approval)).await.unwrap();
}

#[tokio::test]
async fn a_thought_rewritten_behind_calls_that_wait_asks_nobody_before_they_are_decided() {
    for format in FORMATS {
        for streams in [true, false] {
            let parts = [
                Part::Text("I look and log."),
                read("notes"),
                logs("one"),
                logs("two"),
                Part::Text("And I log more."),
                logs("three"),
            ];
            let (first, rest) = if streams {
                let mut frames = (format.frames)(&parts, 0);
                frames.extend((format.frames)(&[Part::Text("And ")], 4));
                let (first, rest) = open(frames);
                (first, Some(rest))
            } else {
                (format.message(&parts), None)
            };
            let replies = vec![first, answer(format, "Enough.")];
            let mut stage = Stage::under(Preset::Guarded, format, replies).await;
            let all = |state: &State| waits("one")(state) && waits("two")(state) && waits("three")(state);
            stage.live.until("the calls wait", all).await;
            stage.read_ended(1).await;
            let thought = node(&stage.live.state, NodeKind::Thought, "And I log more.");
            let three = stage.call("three");
            let edit = pick::rewritten(&stage.live.state, thought, "I log no more.");
            stage.commit(vec![edit]).await;
            if streams {
                stage.closed(0).await;
            }
            drop(rest);
            let (one, two) = (stage.call("one"), stage.call("two"));
            let quiet = move |state: &State| !state.nodes[&three].active;
            stage
                .live
                .settles("what came after the thought has fallen", quiet)
                .await;
            assert_eq!((stage.live.state.tally.requests, stage.asked().len()), (1, 1));
            approve(&stage, one).await;
            let ended = move |state: &State| state.calls[&one].status == Status::Succeeded;
            stage.live.settles("the first has run", ended).await;
            assert_eq!(
                (stage.live.state.tally.requests, stage.asked().len()),
                (1, 1),
                "one waits still"
            );
            let reject = CallCommand::Reject {
                call: two,
                rev: stage.rev(two),
                reason: "once is enough".into(),
            };
            stage.live.send(Command::Call(reject)).await.unwrap();
            let (asked, state, world) = stage.end().await;
            assert_eq!(asked.len(), 2, "one request");
            let last = &asked[1];
            assert_eq!(last.upto(2), asked[0].upto(2));
            let Message::Assistant { text, calls, .. } = &last.messages[2] else {
                panic!("{last}")
            };
            assert_eq!((text.as_str(), calls.len()), ("I look and log.", 3), "{last}");
            assert!(last.result("echo one").ends_with("did one\n"), "{last}");
            assert!(last.result("echo two").contains("once is enough"), "{last}");
            assert_eq!(last.told().last(), Some(&"I log no more."));
            assert!(last.console().contains("rewrote your last thought"), "{last}");
            assert!(!last.has("echo three") && !last.has("And I log more."), "{last}");
            assert_eq!(world.read("log.txt"), "one\n");
            assert_eq!(executions(&state, three), 0);
        }
    }
}

#[tokio::test]
async fn a_pin_that_is_given_up_lets_the_call_run_with_what_it_reads_now() {
    for format in FORMATS {
        let name = |file: &str| json!({"_as": "name", "command": format!("printf {file}")});
        let first = format.message(&[
            Part::Text("I look."),
            Part::Call("a", "shell", name("notes.txt")),
            Part::Call("b", "read_file", json!({"_as": "text", "path": "†call.name"})),
        ]);
        let replies = ["First.", "Second.", "Third.", "Fourth."].map(|words| answer(format, words));
        let replies = std::iter::once(first).chain(replies).collect();
        let mut stage = Stage::new(format, replies).await;
        stage.world.file("other.txt", "gamma\n");
        let answered = |words: &'static str| {
            move |state: &State| match state.mode {
                Mode::Finished(answer) => state.nodes[&answer].text() == words,
                _ => false,
            }
        };
        stage.live.until("an answer", answered("First.")).await;
        let text = stage.call("text");
        let edit = pick::corrected(&stage.live.state, text, &json!("as I know it"));
        stage.commit(vec![edit]).await;
        stage.live.until("the next", answered("Second.")).await;
        // The value it reads changes, and the operator's result stays all the same.
        let edit = pick::edited(&stage.live.state, stage.call("name"), &name("other.txt"));
        stage.commit(vec![edit]).await;
        stage.live.until("the next", answered("Third.")).await;
        assert_eq!(executions(&stage.live.state, text), 1);
        let unpin = CallCommand::Unpin {
            rev: None,
            node: text.observation(),
        };
        stage.live.send(Command::Call(unpin)).await.unwrap();
        stage.live.until("the last", answered("Fourth.")).await;
        let (asked, state, _) = stage.end().await;
        assert_eq!(asked.len(), 5);
        for (request, ends) in [
            (1, "alpha\nbeta\n"),
            (2, "as I know it"),
            (3, "as I know it"),
            (4, "gamma\n"),
        ] {
            let result = asked[request].result("†call.name");
            assert!(result.contains(ends), "request {request}: {result}");
            let by_hand = result.contains("[operator wrote this result]");
            assert_eq!(by_hand, [2, 3].contains(&request), "request {request}: {result}");
        }
        // Up to the result of what it reads nothing has changed by giving up the pin.
        assert_eq!(asked[4].upto(4), asked[3].upto(4));
        assert_eq!(executions(&state, text), 2);
        assert_eq!(executions(&state, call(&state, "name")), 2);
    }
}

#[tokio::test]
async fn a_running_call_that_is_cancelled_is_told_as_the_operator_says_it_ended() {
    for format in FORMATS {
        let first = format.message(&[Part::Text("I run."), read("notes"), slow("slow")]);
        let mut stage = Stage::new(format, vec![first, answer(format, "So.")]).await;
        let (pid, ticks) = stage.running("slow").await;
        let call = stage.call("slow");
        let cancel = CallCommand::Cancel {
            attempt: None,
            call,
            reason: "too slow".into(),
        };
        stage.live.send(Command::Call(cancel)).await.unwrap();
        let unknown = move |state: &State| matches!(state.calls[&call].status, Status::OutcomeUnknown(_));
        stage.live.settles("it is in doubt", unknown).await;
        eventually("the command is ended", || !still_running(pid, ticks)).await;
        assert_eq!(
            (stage.live.state.tally.requests, stage.asked().len()),
            (1, 1),
            "nobody is asked before somebody says what came of it"
        );
        let what = Resolution::Happened {
            value: Arc::from("\"in part\""),
        };
        let resolve = CallCommand::Resolve {
            attempt: None,
            call,
            what,
        };
        stage.live.send(Command::Call(resolve)).await.unwrap();
        let (asked, state, world) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].upto(2), asked[0].upto(2));
        let result = asked[1].result("sleep 600");
        assert!(result.contains("[operator wrote this result]") && result.ends_with("in part"));
        assert!(asked[1].result("notes.txt").contains("alpha"));
        assert_eq!(executions(&state, call), 1);
        assert_eq!(world.read("log.txt"), "begun\n");
    }
}

#[test]
fn a_whole_turn_that_is_asked_again_is_asked_with_what_it_was_asked_with() {
    for format in FORMATS {
        let phase = Course::new(format);
        let finish = phase.call("finish");
        let turn = phase.turn("finish");
        let again = format.message(&[
            Part::Text("I only look."),
            Part::Call("e", "read_file", json!({"_as": "seen", "path": "log.txt"})),
        ]);
        let after = phase.after(&["ask-again", &turn], vec![again, answer(format, "Seen.")]);
        assert_eq!(after.said.out, "Seen.\n");
        assert_eq!(after.asked.len(), 2);
        let asked = &after.asked[0];
        phase.repeats(asked, 6);
        assert_eq!(asked.upto(6), phase.asked[1].upto(6), "the same question");
        assert_eq!(
            asked.messages.len(),
            7,
            "and nothing besides but the effect: {asked}"
        );
        assert!(asked.console().contains(&format!("shell ({finish})")), "{asked}");
        for gone in ["I log the end.", "echo finish", "All is done."] {
            assert!(
                !asked.has(gone) && !after.asked[1].has(gone),
                "{gone} in\n{asked}"
            );
        }
        assert!(after.asked[1].result("\"seen\"").contains("finish"));
        assert_eq!(after.asked[1].messages.len(), MESSAGES + 1);
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\n");
        assert_eq!(executions(&phase.state(), phase.call("start")), 1);
    }
}
