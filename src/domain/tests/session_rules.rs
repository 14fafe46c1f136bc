//! Tests of rules that the operator adds in a session: what they decide now, later and never.
//!
//! Must not know: the language of rules.

use super::world::*;
use overrule_domain::call::{Decision, Digest, Gate, Status};
use overrule_domain::command::{Command, Edit, RunCommand};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::rule::RuleRequest;

fn text(rule: &str, seen: &[Digest]) -> Command {
    Command::Run(RunCommand::AddRule {
        rule: RuleRequest::Text { text: rule.into() },
        seen: seen.to_vec(),
    })
}

fn exactly(w: &World, call: NodeId) -> Command {
    let digest = w.digest(call);
    Command::Run(RunCommand::AddRule {
        rule: RuleRequest::Exact {
            call,
            rev: Rev(1),
            digest: digest.clone(),
        },
        seen: vec![digest],
    })
}

/// Two writes that wait.
fn two() -> (World, NodeId, NodeId) {
    let mut w = World::asking(&["write", "read", "shell"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    (w, a, b)
}

fn last(w: &World, id: NodeId) -> Option<Decision> {
    w.state.calls[&id]
        .decisions
        .last()
        .map(|(_, _, decision)| Decision::clone(decision))
}

#[test]
fn a_rule_decides_about_what_was_shown_with_it_and_what_comes() {
    let (mut w, a, b) = two();
    let seen = [w.digest(a)];
    w.cmd(text("write allow", &seen)).unwrap();
    assert_eq!(w.runs(a).len(), 1);
    assert_eq!(
        last(&w, a),
        Some(Decision::Auto {
            rule: "session rule 1: write".into()
        })
    );
    assert_eq!(
        w.status(b),
        Status::AwaitingApproval,
        "what was not shown still waits"
    );
    assert!(w.runs(b).is_empty());
    w.approve(b).unwrap();
    w.drain();
    w.reply(&[
        call("write", r#"{"_as":"c","n":3}"#),
        call("read", r#"{"_as":"d"}"#),
    ]);
    assert_eq!(w.runs(w.id("c")).len(), 1, "it decides later calls");
    assert_eq!(
        w.status(w.id("d")),
        Status::AwaitingApproval,
        "another tool is not"
    );
}

#[test]
fn a_rule_that_denies_refuses_what_was_shown() {
    let (mut w, a, b) = two();
    let seen = [w.digest(a), w.digest(b)];
    w.cmd(text("write deny", &seen)).unwrap();
    assert_eq!((w.status(a), w.status(b)), (Status::Rejected, Status::Rejected));
    assert!(w.executed.is_empty());
}

#[test]
fn a_rule_that_asks_decides_nothing() {
    let (mut w, a, _) = two();
    let seen = [w.digest(a)];
    w.cmd(text("write ask", &seen)).unwrap();
    assert_eq!(w.status(a), Status::AwaitingApproval);
    assert!(w.executed.is_empty());
}

#[test]
fn always_exactly_this_is_about_these_bytes_alone() {
    let (mut w, a, b) = two();
    w.cmd(exactly(&w, a)).unwrap();
    assert_eq!((w.runs(a).len(), w.runs(b).len()), (1, 0));
    w.approve(b).unwrap();
    w.drain();
    w.reply(&[
        call("write", r#"{"_as":"c","n":1}"#),
        call("write", r#"{"_as":"d","n":3}"#),
    ]);
    assert_eq!(w.runs(w.id("c")).len(), 1, "the same bytes of another call");
    assert_eq!(w.status(w.id("d")), Status::AwaitingApproval);
    let other = Command::Run(RunCommand::AddRule {
        rule: RuleRequest::Exact {
            call: w.id("d"),
            rev: Rev(1),
            digest: w.digest(w.id("c")),
        },
        seen: Vec::new(),
    });
    assert_eq!(
        kind(w.cmd(other)),
        RefusalKind::Changed,
        "the digest of another call"
    );
}

#[test]
fn always_names_what_was_seen_and_only_what_waits() {
    let (mut w, a, _) = two();
    let wrong = Command::Run(RunCommand::AddRule {
        rule: RuleRequest::Exact {
            call: a,
            rev: Rev(1),
            digest: Digest("other".into()),
        },
        seen: Vec::new(),
    });
    assert_eq!(kind(w.cmd(wrong)), RefusalKind::Changed);
    assert!(w.state.settings.rules.is_empty(), "a refused rule is none");
    let done = exactly(&w, a);
    w.approve(a).unwrap();
    assert_eq!(kind(w.cmd(done)), RefusalKind::Status);
    w.drain();
    let mut w = World::asking(&["shell"]);
    w.reply(&[call("shell", r#"{"_as":"s","command":"a; b"}"#)]);
    let s = w.id("s");
    assert_eq!(kind(w.cmd(exactly(&w, s))), RefusalKind::Invalid);
    assert_eq!(w.status(s), Status::AwaitingApproval);
}

#[test]
fn an_inadmissible_rule_changes_nothing() {
    let (mut w, a, _) = two();
    let seen = [w.digest(a)];
    let before = w.log.len();
    assert_eq!(kind(w.cmd(text("delegate allow", &seen))), RefusalKind::Invalid);
    assert_eq!(w.log.len(), before);
    w.cmd(text("write allow", &[])).unwrap();
    assert_eq!(kind(w.cmd(text("write allow", &seen))), RefusalKind::NoChange);
    assert_eq!(w.status(a), Status::AwaitingApproval);
}

#[test]
fn a_dropped_rule_no_longer_applies_and_its_number_is_not_reused() {
    let (mut w, a, b) = two();
    w.cmd(text("write allow", &[])).unwrap();
    w.cmd(Command::Run(RunCommand::DropRule { no: 1 })).unwrap();
    assert_eq!(
        kind(w.cmd(Command::Run(RunCommand::DropRule { no: 1 }))),
        RefusalKind::NoChange
    );
    assert_eq!(
        kind(w.cmd(Command::Run(RunCommand::DropRule { no: 7 }))),
        RefusalKind::Unknown
    );
    w.approve(a).unwrap();
    w.approve(b).unwrap();
    w.drain();
    w.reply(&[call("write", r#"{"_as":"c","n":3}"#)]);
    assert_eq!(w.status(w.id("c")), Status::AwaitingApproval);
    w.cmd(text("write allow", &[])).unwrap();
    assert_eq!(w.state.settings.rules.last().unwrap().no, 2);
}

#[test]
fn a_rule_is_no_consent_to_repeat_an_effect() {
    let mut w = World::new();
    w.reply(&[think("first"), call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.cmd(text("write allow", &[])).unwrap();
    let thought = w
        .state
        .turns
        .values()
        .flat_map(|turn| &turn.nodes)
        .find(|id| id.to_string().starts_with('t'));
    let thought = *thought.unwrap();
    w.edit(Edit::Text {
        node: thought,
        base: Rev(1),
        text: "second".into(),
    })
    .unwrap();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    assert!(matches!(w.status(b), Status::Consent(_)), "{:?}", w.status(b));
    assert!(w.runs(b).is_empty());
}

#[test]
fn rules_outlive_an_undo_and_revive_nothing() {
    let (mut w, a, b) = two();
    w.cmd(text("write allow", &[])).unwrap();
    w.args(a, r#"{"_as":"a","n":9}"#).unwrap();
    w.drain();
    w.cmd(Command::Run(RunCommand::DropRule { no: 1 })).unwrap();
    w.undo().unwrap();
    assert!(w.state.settings.rules[0].dropped, "an undo brings no rule back");
    assert_eq!(w.status(b), Status::AwaitingApproval);
}

#[test]
fn a_deny_of_the_policy_is_above_any_rule() {
    let mut w = World::with(Rules {
        gates: [("write".to_owned(), Gate::Deny)].into(),
        ..Rules::default()
    });
    w.cmd(text("write allow", &[])).unwrap();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    assert_eq!(w.status(w.id("a")), Status::Rejected);
    assert!(w.executed.is_empty());
}
