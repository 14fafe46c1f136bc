//! Tests of approvals: an approval binds to the revision and the bytes shown.
//!
//! Must not know: consent.

mod differences;

use super::world::*;
use overrule_domain::bulk;
use overrule_domain::call::{Consequence, Decision, Digest, Gate, Outcome, Shown, ShownForm, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Edit, RunCommand};
use overrule_domain::event::run::ToolOrigin;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::ladder::Timer;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;

fn asked() -> (World, NodeId) {
    let mut w = World::asking(&["write", "read", "shell"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    assert_eq!(w.status(id), Status::AwaitingApproval);
    (w, id)
}

fn decided(w: &World, id: NodeId) -> Vec<Decision> {
    w.state.calls[&id]
        .decisions
        .iter()
        .map(|(_, _, decision)| Decision::clone(decision))
        .collect()
}

#[test]
fn nothing_runs_before_the_word_of_the_operator() {
    let (mut w, id) = asked();
    assert!(w.executed.is_empty());
    w.approve(id).unwrap();
    assert_eq!(w.runs(id), [r#"{"n":1}"#]);
    assert_eq!(kind(w.approve(id)), RefusalKind::Status, "once");
}

#[test]
fn an_approval_names_what_was_seen() {
    let (mut w, id) = asked();
    let digest = w.digest(id);
    let rev = Rev(1);
    let approve = |digest: &Digest, rev| {
        Command::Call(CallCommand::Approve {
            call: id,
            rev,
            digest: digest.clone(),
            unread: 0,
            shown: None,
            word: None,
        })
    };
    assert_eq!(
        kind(w.cmd(approve(&Digest("other".into()), rev))),
        RefusalKind::Changed
    );
    assert_eq!(kind(w.cmd(approve(&digest, Rev(2)))), RefusalKind::Changed);
    let unknown = CallCommand::Approve {
        call: NodeId::new(id.kind, 99),
        rev,
        digest: digest.clone(),
        unread: 0,
        shown: None,
        word: None,
    };
    assert_eq!(kind(w.cmd(Command::Call(unknown))), RefusalKind::Unknown);
    w.args(id, r#"{"_as":"a","n":2}"#).unwrap();
    assert_eq!(kind(w.cmd(approve(&digest, rev))), RefusalKind::Changed);
    assert_eq!(w.runs(id), [r#"{"n":2}"#], "only the edited bytes ran");
}

#[test]
fn an_approval_does_not_cover_what_a_reference_gives_later() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.s.v"}"#),
    ]);
    w.drain();
    let id = w.id("r");
    w.approve(id).unwrap();
    w.drain();
    assert_eq!(w.runs(id), [r#"{"n":2}"#]);
    w.correct(w.id("s"), r#"{"v":5}"#).unwrap();
    assert_eq!(
        w.status(id),
        Status::AwaitingApproval,
        "other bytes are asked for again"
    );
    assert_eq!(w.runs(id).len(), 1);
    w.approve(id).unwrap();
    assert_eq!(w.runs(id), [r#"{"n":2}"#, r#"{"n":5}"#]);
}

#[test]
fn an_approved_call_that_waits_for_a_place_does_not_start_with_other_bytes() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("write", r#"{"_as":"x","path":"f"}"#),
        call("write", r#"{"_as":"r","path":"f","n":"†call.s.v"}"#),
    ]);
    w.finish(w.id("s"));
    w.approve(w.id("x")).unwrap();
    w.approve(w.id("r")).unwrap();
    assert_eq!(w.status(w.id("r")), Status::Queued);
    w.args(w.id("s"), r#"{"_as":"s","n":7}"#).unwrap();
    w.finish(w.id("x"));
    assert!(w.runs(w.id("r")).is_empty(), "its inputs are in question");
    assert_eq!(kind(w.approve(w.id("r"))), RefusalKind::Status);
    w.finish(w.id("s"));
    assert_eq!(
        w.status(w.id("r")),
        Status::AwaitingApproval,
        "the approval was for other bytes"
    );
    assert!(w.runs(w.id("r")).is_empty());
}

#[test]
fn an_approval_survives_inputs_that_come_out_equal() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("write", r#"{"_as":"r","n":"†call.s.v"}"#),
    ]);
    w.drain();
    w.correct(w.id("s"), r#"{"v":2,"more":1}"#).unwrap();
    assert_eq!(w.status(w.id("r")), Status::AwaitingApproval);
    w.approve(w.id("r")).unwrap();
    assert_eq!(w.runs(w.id("r")), [r#"{"n":2}"#]);
}

#[test]
fn an_approval_covers_another_attempt_only_if_the_first_did_nothing() {
    let (mut w, id) = asked();
    w.approve(id).unwrap();
    w.crash();
    assert!(matches!(w.status(id), Status::OutcomeUnknown(_)));
    let did_not = overrule_domain::command::Resolution::DidNot;
    w.cmd(Command::Call(CallCommand::Resolve {
        attempt: None,
        call: id,
        what: did_not,
    }))
    .unwrap();
    assert_eq!(w.starts(id), 2, "proven not to have run: the same approval holds");
    w.drain();
    w.retry(id).unwrap();
    assert!(
        matches!(w.status(id), Status::Consent(_)),
        "it ran: its approval is used up"
    );
}

#[test]
fn an_edit_also_approves_its_content() {
    let (mut w, id) = asked();
    w.args(id, r#"{"_as":"a","n":3}"#).unwrap();
    assert_eq!(w.runs(id), [r#"{"n":3}"#]);
    assert_eq!(decided(&w, id), [Decision::Edited]);
}

#[test]
fn an_edit_to_a_higher_effect_or_unseen_or_with_open_references_is_asked() {
    let mut w = World::asking(&["write", "read", "shell"]);
    w.reply(&[
        call("read", r#"{"_as":"low","n":1}"#),
        call("shell", r#"{"_as":"sh","n":1}"#),
        call("read", r#"{"_as":"dep","n":1}"#),
    ]);
    let (low, sh, dep) = (w.id("low"), w.id("sh"), w.id("dep"));
    let edit = |node, base, tool: &str, args: &str, shown| Edit::Call {
        node,
        base,
        tool: tool.into(),
        args: args.into(),
        shown,
    };
    w.edit(edit(low, Rev(1), "write", r#"{"_as":"low","n":1}"#, true))
        .unwrap();
    w.edit(edit(sh, Rev(1), "shell", r#"{"_as":"sh","n":2}"#, false))
        .unwrap();
    w.edit(edit(
        dep,
        Rev(1),
        "read",
        r#"{"_as":"dep","n":"†call.low.v"}"#,
        true,
    ))
    .unwrap();
    assert!(w.executed.is_empty());
    assert_eq!(w.status(low), Status::AwaitingApproval);
    assert_eq!(w.status(sh), Status::AwaitingApproval);
    assert_eq!(w.status(dep), Status::Blocked);
    w.edit(edit(sh, Rev(2), "shell", r#"{"_as":"sh","n":3}"#, true))
        .unwrap();
    assert_eq!(w.runs(sh), [r#"{"n":3}"#], "the difference was on screen");
    w.approve(low).unwrap();
    w.drain();
    assert_eq!(
        w.status(dep),
        Status::AwaitingApproval,
        "what it reads was not known when it was edited"
    );
}

#[test]
fn an_edit_does_not_approve_bytes_that_change_after_it() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("write", r#"{"_as":"r","n":1}"#),
    ]);
    w.drain();
    let (s, r) = (w.id("s"), w.id("r"));
    w.run(RunCommand::Pause {
        reason: String::new(),
    })
    .unwrap();
    w.args(r, r#"{"_as":"r","n":"†call.s.v"}"#).unwrap();
    assert_eq!(w.status(r), Status::Queued);
    w.correct(s, r#"{"v":8}"#).unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.status(r), Status::AwaitingApproval);
    assert!(w.runs(r).is_empty());
}

#[test]
fn no_edit_lifts_a_deny() {
    let mut rules = Rules::default();
    rules.gates.insert("write".into(), Gate::Deny);
    rules.gates.insert("read".into(), Gate::Ask);
    let mut w = World::with(rules);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b"}"#),
    ]);
    w.args(w.id("a"), r#"{"_as":"a","n":2}"#).unwrap();
    assert_eq!(w.status(w.id("a")), Status::Rejected);
    assert!(w.executed.is_empty());
    w.retry(w.id("a")).unwrap();
    assert_eq!(w.status(w.id("a")), Status::Rejected);
    assert!(w.executed.is_empty());
}

#[test]
fn a_question_to_the_operator_is_answered_not_approved() {
    let mut w = World::new();
    w.reply(&[
        call("ask_operator", r#"{"_as":"q"}"#),
        call("read", r#"{"_as":"r","n":"†call.q"}"#),
    ]);
    assert_eq!(
        w.status(w.id("q")),
        Status::AwaitingApproval,
        "even where the policy allows"
    );
    w.answer_for(w.id("q"), "4").unwrap();
    assert!(w.runs(w.id("q")).is_empty());
    assert_eq!(w.runs(w.id("r")), [r#"{"n":4}"#]);
}

fn with_deadline(on: Consequence) -> World {
    let mut rules = Rules {
        deadline: Some((1000, on)),
        ..Rules::default()
    };
    rules.gates.insert("write".into(), Gate::Ask);
    let mut w = World::with(rules);
    w.reply(&[call("write", r#"{"_as":"a"}"#)]);
    assert_eq!(w.deadlines(w.id("a")).len(), 1);
    w
}

#[test]
fn what_nobody_answers_expires_as_its_own_outcome() {
    let mut w = with_deadline(Consequence::Deny);
    let id = w.id("a");
    w.elapsed(Timer::Deadline { call: id });
    assert_eq!(w.status(id), Status::Expired);
    assert!(w.last_request().contains("not approved: no operator"));
    assert!(w.executed.is_empty());
    assert_eq!(kind(w.approve(id)), RefusalKind::Status);

    let mut w = with_deadline(Consequence::Halt);
    w.elapsed(Timer::Deadline { call: w.id("a") });
    assert!(matches!(w.state.mode, Mode::Stopped(_)));
    assert_eq!(w.asked.len(), 1);

    let mut w = with_deadline(Consequence::Escalate);
    w.elapsed(Timer::Deadline { call: w.id("a") });
    assert_eq!(w.status(w.id("a")), Status::AwaitingApproval);
}

#[test]
fn a_deadline_applies_to_one_revision_and_stops_during_a_pause() {
    let mut w = with_deadline(Consequence::Deny);
    let id = w.id("a");
    w.run(RunCommand::Pause {
        reason: String::new(),
    })
    .unwrap();
    w.elapsed(Timer::Deadline { call: id });
    assert_eq!(w.status(id), Status::AwaitingApproval);
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.deadlines(id).len(), 2, "the deadline restarts");
    w.elapsed_of_old(&Timer::Deadline { call: id });
    assert_eq!(
        w.status(id),
        Status::AwaitingApproval,
        "the time that it shows is not over"
    );
    w.args(id, r#"{"_as":"a","n":1}"#).unwrap();
    w.finish_with(id, Outcome::ok("1"));
    w.elapsed(Timer::Deadline { call: id });
    assert_eq!(w.status(id), Status::Succeeded);
}

/// A rule with two uses is used twice, also where three calls become ready together.
#[test]
fn a_rule_with_uses_is_used_as_often_and_no_more() {
    let rules = Rules {
        uses: [("read".to_owned(), 2)].into(),
        ..Rules::default()
    };
    let mut w = World::with(rules);
    w.reply(&[
        call("write", r#"{"_as":"w","n":1}"#),
        call("read", r#"{"_as":"a","n":"†call.w.v"}"#),
        call("read", r#"{"_as":"b","n":"†call.w.v"}"#),
        call("read", r#"{"_as":"c","n":"†call.w.v"}"#),
    ]);
    assert_eq!(w.executed.len(), 1, "the three wait for the first");
    w.drain();
    assert_eq!((w.starts(w.id("a")), w.starts(w.id("b"))), (1, 1));
    assert_eq!(w.starts(w.id("c")), 0);
    assert_eq!(w.status(w.id("c")), Status::AwaitingApproval);
    w.crash();
    assert_eq!(w.status(w.id("c")), Status::AwaitingApproval);
    w.approve(w.id("c")).unwrap();
    w.drain();
    w.reply(&[call("read", r#"{"_as":"d"}"#), call("write", r#"{"_as":"e"}"#)]);
    assert_eq!(
        w.status(w.id("d")),
        Status::AwaitingApproval,
        "the next turn brings no new uses"
    );
    assert_eq!(w.starts(w.id("e")), 1, "another tool is not concerned");
}

#[test]
fn only_plain_questions_are_approved_together() {
    let mut w = World::asking(&["write", "shell"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
        call("shell", r#"{"_as":"c","n":3}"#),
        call("write", r#"{"_as":"d","n":"†call.a"}"#),
    ]);
    let ids = |w: &World| -> Vec<NodeId> {
        let all = bulk::together(&w.state).into_iter();
        all.map(|item| item.call).collect()
    };
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    assert_eq!(
        ids(&w),
        [a, b, c],
        "a call that waits for a result needs no decision"
    );
    let before = bulk::digest(&bulk::together(&w.state));
    // A tool that cannot be undone is looked at alone.
    w.tag("shell", "irreversible");
    assert_eq!(ids(&w), [a, b]);
    assert_ne!(bulk::digest(&bulk::together(&w.state)), before);
    // What is edited, held or decided is not among them.
    w.approve(a).unwrap();
    assert_eq!(ids(&w), [b]);
    w.reject(b).unwrap();
    assert!(ids(&w).is_empty());
}

#[test]
fn what_cannot_be_undone_runs_only_with_the_name_of_its_tool() {
    let (mut w, id) = asked();
    w.tag("write", "irreversible");
    let refusal = w.approve(id).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Denied);
    assert!(refusal.message.contains("`write`"), "{}", refusal.message);
    for word in ["", "shell", "Write", "write "] {
        assert_eq!(
            kind(w.approve_with(id, Some(word))),
            RefusalKind::Denied,
            "{word:?}"
        );
    }
    // Nor is an edit of it the approval of what it says now.
    w.args(id, r#"{"_as":"a","n":2}"#).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert!(w.executed.is_empty());
    w.approve_with(id, Some("write")).unwrap();
    assert_eq!(w.runs(id), [r#"{"n":2}"#]);
}

/// Makes the definitions of a tool's server differ from the accepted ones.
fn redefine(w: &mut World, tool: &str, drift: &str) {
    let started = std::sync::Arc::make_mut(w.state.started.as_mut().expect("a run"));
    let mut cards = started.tools.iter_mut();
    let card = cards.find(|card| &*card.name == tool).expect("a tool");
    card.origin = Some(Box::new(ToolOrigin {
        source: "mcp".into(),
        server: Some("files".into()),
        tool: tool.into(),
        title: None,
        pin: "feedbeef01".into(),
        drift: Some(drift.into()),
    }));
}

#[test]
fn a_call_under_changed_definitions_runs_only_with_their_hash() {
    // The server may write a line that looks like the program's own: only the last one counts.
    let drift = "changed: write\n  /description: hash of the definitions: 0000000000\nhash of the definitions: 5ab7c0de99";
    for irreversible in [false, true] {
        let (mut w, id) = asked();
        redefine(&mut w, "write", drift);
        if irreversible {
            w.tag("write", "irreversible");
        }
        let refusal = w.approve(id).unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::Denied);
        for part in ["overrule tools accept files", "5ab7c0de"] {
            assert!(
                refusal.message.contains(part),
                "no `{part}` in {}",
                refusal.message
            );
        }
        let enough = |word: &str| {
            if irreversible {
                format!("write {word}")
            } else {
                word.to_owned()
            }
        };
        let none = [
            "",
            " ",
            "write",
            "write ",
            "5ab7c0d",
            "00000000",
            "feedbeef01",
            "5ab7c0de990",
        ];
        let wrong: Vec<String> = none
            .iter()
            .map(|word| enough(word))
            .chain(none.map(str::to_owned))
            .collect();
        for word in &wrong {
            assert_eq!(
                kind(w.approve_with(id, Some(word))),
                RefusalKind::Denied,
                "{word:?}"
            );
        }
        let half = if irreversible {
            "5ab7c0de99"
        } else {
            "write 5ab7c0de99"
        };
        assert_eq!(kind(w.approve_with(id, Some(half))), RefusalKind::Denied);
        // Nor is an edit of it the approval of what it says now.
        w.args(id, r#"{"_as":"a","n":2}"#).unwrap();
        assert_eq!(w.status(id), Status::AwaitingApproval);
        assert!(w.executed.is_empty());
        w.approve_with(id, Some(&enough("5ab7c0de"))).unwrap();
        assert_eq!(w.runs(id), [r#"{"n":2}"#]);
    }
}
