//! Tests of what the model sees of decisions and edits on calls that have not run.
//!
//! Must not know: how a decision is made.

use overrule::domain::id::NodeId;

use crate::wire::course::{After, Course, answer};
use crate::wire::formats::{Asked, Format, formats};
use crate::wire::pick::executions;

/// Resumes after a verb on the call of a label: all other waiting calls were approved.
fn going_on(format: &'static Format, label: &str, verb: &[&str]) -> (Course, NodeId, After) {
    let phase = Course::interrupted(format);
    for besides in ["start", "other"].into_iter().filter(|one| *one != label) {
        approve(&phase, besides);
    }
    let call = phase.call(label);
    let id = call.to_string();
    let mut args = vec![verb[0], &id];
    args.extend(&verb[1..]);
    let after = phase.after(&args, vec![answer(format, "Went on.")]);
    assert_eq!(after.said.out, "Went on.\n");
    course_begins(&phase, after.one());
    (phase, call, after)
}

fn approve(phase: &Course, label: &str) {
    let call = phase.call(label);
    let digest = phase.digest(call);
    phase.verb(&["approve", &call.to_string(), "--digest", &digest]);
}

/// What was asked before is asked again, byte for byte.
#[track_caller]
fn course_begins(phase: &Course, asked: &Asked) {
    assert_eq!(asked.upto(2), phase.asked[0].upto(2));
}

#[test]
fn a_rejected_call_is_told_with_the_reason_and_its_readers_are_skipped() {
    for format in formats() {
        let verb = ["reject", "--reason", "not on this machine"];
        let (phase, start, after) = going_on(format, "start", &verb);
        let asked = after.one();
        let result = asked.result("echo start");
        assert!(
            result.contains("rejected by the operator: not on this machine"),
            "{result}"
        );
        assert!(asked.result("copy.txt").contains("skipped"), "{asked}");
        assert!(asked.result("echo other").contains("other"), "siblings go on");
        assert_eq!(phase.world.read("log.txt"), "other\n");
        assert_eq!(phase.world.read("copy.txt"), "");
        assert_eq!(executions(&phase.state(), start), 0);
    }
}

#[test]
fn a_rejected_blocked_call_never_ran() {
    for format in formats() {
        let (phase, copy, after) = going_on(format, "copy", &["reject", "--reason", "no copies"]);
        let asked = after.one();
        assert!(
            asked
                .result("copy.txt")
                .contains("rejected by the operator: no copies")
        );
        assert!(asked.result("echo start").contains("started"));
        assert_eq!(phase.world.read("copy.txt"), "");
        assert_eq!(executions(&phase.state(), copy), 0);
    }
}

#[test]
fn an_answer_by_hand_is_told_as_the_operators_and_read_by_others() {
    for format in formats() {
        let (phase, start, after) = going_on(format, "start", &["answer", "--value", "\"by hand\""]);
        let result = after.one().result("echo start").to_owned();
        assert!(result.contains("[operator wrote this result]"), "{result}");
        assert!(result.ends_with("by hand"), "{result}");
        assert_eq!(
            phase.world.read("copy.txt"),
            "by hand",
            "what reads it read the operator's value"
        );
        assert_eq!(phase.world.read("log.txt"), "other\n", "nothing ran for it");
        assert_eq!(executions(&phase.state(), start), 0);
    }
}

#[test]
fn an_answer_for_a_blocked_call_is_its_result() {
    for format in formats() {
        let (phase, copy, after) = going_on(format, "copy", &["answer", "--value", "{\"bytes\": 0}"]);
        let result = after.one().result("copy.txt").to_owned();
        assert!(result.contains("[operator wrote this result]"), "{result}");
        assert!(result.contains("\"bytes\": 0"), "{result}");
        assert_eq!(phase.world.read("copy.txt"), "");
        assert_eq!(executions(&phase.state(), copy), 0);
    }
}

#[test]
fn edited_arguments_of_a_ready_call_are_the_only_ones_that_run() {
    for format in formats() {
        let args = r#"{"_as":"start","command":"echo edited >> log.txt; echo better"}"#;
        let (phase, start, after) = going_on(format, "start", &["edit", "--args", args]);
        let asked = after.one();
        assert_eq!(asked.call("echo edited").args, args);
        assert!(asked.find("echo start").is_none(), "{asked}");
        let result = asked.result("echo edited");
        assert!(result.contains("[operator changed arguments: "), "{result}");
        assert!(result.ends_with("better\n"), "{result}");
        assert_eq!(phase.world.read("copy.txt"), "better\n");
        let log = phase.world.read("log.txt");
        assert!(log.contains("edited") && !log.contains("start"), "{log}");
        assert_eq!(executions(&phase.state(), start), 1);
        assert!(
            !asked.console().contains("Already happened"),
            "nothing had: {asked}"
        );
    }
}

#[test]
fn edited_arguments_of_a_blocked_call_are_the_only_ones_that_run() {
    for format in formats() {
        let args = r#"{"_as":"copy","path":"second.txt","content":"†call.start"}"#;
        let (phase, copy, after) = going_on(format, "copy", &["edit", "--args", args]);
        let asked = after.one();
        assert_eq!(asked.call("second.txt").args, args);
        assert!(asked.find("\"copy.txt\"").is_none(), "{asked}");
        assert!(
            asked
                .result("second.txt")
                .contains("[operator changed arguments: ")
        );
        assert_eq!(phase.world.read("second.txt"), "started\n");
        assert_eq!(phase.world.read("copy.txt"), "");
        assert_eq!(executions(&phase.state(), copy), 1);
    }
}

#[test]
fn a_replaced_ready_call_is_told_as_the_other_tool() {
    for format in formats() {
        let args = r#"{"_as":"start","path":"notes.txt"}"#;
        let (phase, _, after) = going_on(format, "start", &["replace", "read_file", "--args", args]);
        let asked = after.one();
        assert_eq!(asked.call(args).tool, "read_file");
        assert!(
            asked
                .result(args)
                .contains("[operator replaced shell by read_file]")
        );
        assert_eq!(
            phase.world.read("copy.txt"),
            "alpha\nbeta\n",
            "its readers read the other's result"
        );
        assert_eq!(phase.world.read("log.txt"), "other\n");
    }
}

#[test]
fn a_deleted_ready_call_was_never_made_and_its_readers_are_told_why() {
    for format in formats() {
        let (phase, start, after) = going_on(format, "start", &["delete"]);
        let asked = after.one();
        assert!(asked.find("echo start").is_none(), "{asked}");
        let reader = asked.result("copy.txt");
        assert!(reader.contains("\"error\""), "{reader}");
        assert_eq!(phase.world.read("copy.txt"), "");
        assert_eq!(phase.world.read("log.txt"), "other\n");
        assert_eq!(executions(&phase.state(), start), 0);
    }
}

#[test]
fn what_was_approved_as_it_stood_carries_no_note() {
    for format in formats() {
        let phase = Course::interrupted(format);
        approve(&phase, "other");
        let start = phase.call("start");
        let (id, digest) = (start.to_string(), phase.digest(start));
        let verb = ["approve", &id, "--digest", &digest];
        let after = phase.after(&verb, vec![answer(format, "Went on.")]);
        let asked = after.one();
        course_begins(&phase, asked);
        let args: Vec<&str> = ["\"notes\"", "echo start", "copy.txt", "echo other"]
            .into_iter()
            .map(|words| asked.result(words))
            .collect();
        assert!(
            args.iter().all(|result| !result.contains("[operator")),
            "{args:?}"
        );
        assert_eq!(executions(&phase.state(), start), 1);
    }
}

#[test]
fn decisions_one_after_the_other_are_told_in_one_request() {
    for format in formats() {
        let phase = Course::interrupted(format);
        let (start, copy, other) = (phase.call("start"), phase.call("copy"), phase.call("other"));
        let args = r#"{"_as":"copy","path":"third.txt","content":"†call.start"}"#;
        phase.verb(&["answer", &start.to_string(), "--value", "\"one\""]);
        phase.verb(&["edit", &copy.to_string(), "--args", args]);
        let other = other.to_string();
        let verb = ["reject", &other, "--reason", "enough"];
        let after = phase.after(&verb, vec![answer(format, "Went on.")]);
        let asked = after.one();
        assert!(
            asked
                .result("echo start")
                .contains("[operator wrote this result]")
        );
        assert!(asked.result("third.txt").contains("[operator changed arguments"));
        assert!(asked.result("echo other").contains("enough"));
        assert_eq!(phase.world.read("third.txt"), "one");
        assert_eq!(phase.world.read("log.txt"), "", "nothing else ran");
    }
}
