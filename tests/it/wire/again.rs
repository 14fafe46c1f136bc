//! Tests of what the model sees of calls that run again or have an unknown outcome.
//!
//! Must not know: how consent is decided.

use std::process::Stdio;

use overrule::domain::call::Status;
use overrule::domain::id::NodeKind;
use overrule::tools::child;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use crate::wire::course::{Course, MESSAGES, answer, flags};
use crate::wire::formats::{Part, formats};
use crate::wire::pick::executions;
use crate::wire::server::Server;
use crate::wire::world::{World, signal, until, wait};

#[test]
fn a_read_that_gives_the_same_again_asks_nobody() {
    for format in formats() {
        let phase = Course::new(format);
        let notes = phase.call("notes");
        let after = phase.after(&["retry", &notes.to_string()], Vec::new());
        assert!(after.asked.is_empty(), "nothing that the model saw has changed");
        assert_eq!(after.said.out, "All is done.\n");
        assert_eq!(executions(&phase.state(), notes), 2);
        // What is asked later repeats what was asked before, byte for byte.
        let after = phase.after(&["guide", "And now?"], vec![answer(format, "Now.")]);
        phase.repeats(after.one(), MESSAGES);
    }
}

#[test]
fn a_read_that_gives_something_else_is_told_with_its_new_result_alone() {
    for format in formats() {
        let phase = Course::new(format);
        phase.world.file("notes.txt", "gamma\n");
        let notes = phase.call("notes").to_string();
        let after = phase.after(&["retry", &notes], vec![answer(format, "Anew.")]);
        let asked = after.one();
        phase.repeats(asked, 3);
        let result = asked.result("notes.txt");
        assert!(result.contains("gamma") && !result.contains("alpha"), "{result}");
        assert!(!result.contains("[operator"), "nobody edited anything: {result}");
        // The reader ran again with the new value; a sibling did not.
        assert_eq!(phase.world.read("copy.txt"), "gamma\n");
        assert_eq!(executions(&phase.state(), phase.call("start")), 1);
        assert!(!asked.has("echo finish"), "{asked}");
    }
}

#[test]
fn an_effect_that_is_taken_from_the_record_changes_nothing() {
    for format in formats() {
        let phase = Course::new(format);
        let start = phase.call("start");
        let id = start.to_string();
        phase.verb(&["retry", &id]);
        assert!(matches!(
            phase.state().call(start).unwrap().status,
            Status::Consent(_)
        ));
        let digest = phase.digest(start);
        let verb = ["consent", &id, "--digest", &digest, "reuse"];
        let after = phase.after(&verb, Vec::new());
        assert!(after.asked.is_empty());
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\n");
        let after = phase.after(&["guide", "And now?"], vec![answer(format, "Now.")]);
        phase.repeats(after.one(), MESSAGES);
    }
}

#[test]
fn an_effect_that_runs_again_or_is_refused_is_told_as_it_ended() {
    for format in formats() {
        for (choice, words, log) in [
            ("run-again", "more than once", "once\nonce\n"),
            ("reject", "rejected by the operator", "once\n"),
        ] {
            let phase = Course::new(format);
            let finish = phase.call("finish").to_string();
            let args = r#"{"_as":"finish","command":"echo once >> log.txt; test $(grep -c once log.txt) = 1 && echo once || echo more than once"}"#;
            phase.world.file("log.txt", "");
            phase.after(&["edit", &finish, "--args", args], vec![answer(format, "First.")]);
            phase.verb(&["retry", &finish]);
            let digest = phase.digest(phase.call("finish"));
            let verb = ["consent", &finish, "--digest", &digest, choice];
            let after = phase.after(&verb, vec![answer(format, "Second.")]);
            let asked = after.one();
            phase.repeats(asked, 6);
            assert!(asked.result("echo once").contains(words), "{choice}: {asked}");
            assert_eq!(phase.world.read("log.txt"), log, "{choice}");
        }
    }
}

#[test]
fn an_equal_call_of_the_model_after_an_edit_is_told_with_the_recorded_result() {
    for format in formats() {
        let phase = Course::new(format);
        let thought = phase.node(NodeKind::Thought, "I log the end.");
        let again = vec![
            Part::Text("The same after all."),
            Part::Call(
                "z",
                "shell",
                json!({"_as": "finish", "command": "echo finish >> log.txt; echo finished"}),
            ),
        ];
        let replies = vec![format.message(&again), answer(format, "Anyway.")];
        let verb = ["edit", &thought, "--text", "I think it over."];
        let after = phase.after(&verb, replies);
        assert_eq!(after.asked.len(), 2);
        assert!(after.asked[0].find("echo finish").is_none());
        let asked = &after.asked[1];
        assert_eq!(
            asked.result("echo finish").lines().last(),
            Some("finished"),
            "{asked}"
        );
        assert_eq!(
            phase.world.read("log.txt"),
            "start\nfinish\n",
            "it did not happen twice"
        );
        assert_eq!(executions(&phase.state(), phase.call("finish")), 0);
    }
}

/// A session whose process was killed while a command ran that had begun its effect.
fn killed(format: &'static crate::wire::formats::Format) -> Course {
    let world = World::new();
    let line = "echo begun >> log.txt; if test -e again; then echo done; else sleep 600; fi";
    let server = Server::new(vec![format.message(&[
        Part::Text("I look and run."),
        Part::Call("a", "read_file", json!({"_as": "notes", "path": "notes.txt"})),
        Part::Call("b", "shell", json!({"_as": "it", "command": line})),
    ])]);
    let mut command = crate::wire::asking(&world, &server, &flags(format, &["--policy", "auto"]));
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    until("the command runs and the read has ended", || {
        world.read("log.txt") == "begun\n"
            && world.ids().last().is_some_and(|id| {
                let path = world.sessions().join(id).join("journal.jsonl");
                std::fs::read_to_string(path).is_ok_and(|text| text.contains("call.finished"))
            })
    });
    signal(&child, Signal::KILL);
    assert_eq!(wait(child).code, None);
    let asked = format.all(&server.seen());
    Course {
        id: world.id(),
        world,
        format,
        asked,
    }
}

/// Ends what the killed process had started and what still runs of it.
fn end_the_rest(phase: &Course) {
    let state = phase.state();
    let attempts = state.calls.values().flat_map(|call| &call.attempts);
    for (pid, ticks) in attempts.filter_map(|one| one.launch.process) {
        let group = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        // What has ended by itself need not be ended.
        let _ = kill_process_group(group, Signal::KILL);
        until("all of it has ended", || !child::still_running(pid, ticks));
    }
}

#[test]
fn what_is_left_unknown_is_told_as_that() {
    for format in formats() {
        let phase = killed(format);
        let id = phase.call("it").to_string();
        let verb = ["resolve", &id, "--abandon", "--reason", "the office checks"];
        let after = phase.after(&verb, vec![answer(format, "At last.")]);
        let result = after.one().result("echo begun").to_owned();
        assert!(result.contains("nobody knows whether it happened"), "{result}");
        assert!(result.contains("the office checks"), "{result}");
        assert!(!result.contains("rejected"), "{result}");
        assert_eq!(phase.world.read("log.txt"), "begun\n");
    }
}

#[test]
fn an_unknown_outcome_is_told_as_the_operator_resolved_it() {
    for format in formats() {
        let phase = killed(format);
        let it = phase.call("it");
        let id = it.to_string();
        let verb = ["resolve", &id, "--happened", "\"as I saw it\""];
        let after = phase.after(&verb, vec![answer(format, "So it is.")]);
        let asked = after.one();
        assert_eq!(asked.upto(2), phase.asked[0].upto(2));
        let result = asked.result("echo begun");
        assert!(result.ends_with("as I saw it"), "{result}");
        assert!(result.contains("[operator wrote this result]"), "{result}");
        assert_eq!(executions(&phase.state(), it), 1);
        assert_eq!(phase.world.read("log.txt"), "begun\n");
    }
}

#[test]
fn what_did_not_happen_runs_again_and_is_told_with_what_came_of_it() {
    for format in formats() {
        let phase = killed(format);
        phase.world.file("again", "");
        let it = phase.call("it");
        end_the_rest(&phase);
        let id = it.to_string();
        let verb = ["resolve", &id, "--did-not"];
        let after = phase.after(&verb, vec![answer(format, "At last.")]);
        let result = after.one().result("echo begun").to_owned();
        assert!(result.ends_with("done\n"), "{result}");
        assert_eq!(
            executions(&phase.state(), it),
            2,
            "one that was cut off, one that ended"
        );
        assert_eq!(executions(&phase.state(), phase.call("notes")), 1);
    }
}
