//! Tests of what a fork, or a fork of a fork, knows of its source: effects, keys, writes.
//!
//! Must not know: how a fork is stored.

use std::collections::BTreeSet;

use super::{begun, written};
use crate::world::*;
use overrule_domain::call::{ConsentCause, Decision, Gate, Status};
use overrule_domain::command::ConsentChoice;
use overrule_domain::id::NodeKind;

#[test]
fn a_fork_of_a_fork_knows_what_both_did() {
    let (w, at) = written();
    let (mut f, _) = w.fork(Some(at), 1);
    f.crash();
    f.reply(&[call("write", r#"{"_as":"b","n":2}"#)]);
    f.drain();
    let (mut g, preview) = f.fork(Some(at), 2);
    let tools: Vec<_> = preview
        .effects
        .iter()
        .map(|one| (&*one.session, &*one.args))
        .collect();
    assert_eq!(tools.len(), 2, "{tools:?}");
    g.crash();
    g.reply(&[
        call("write", r#"{"_as":"x","n":1}"#),
        call("write", r#"{"_as":"y","n":2}"#),
    ]);
    for label in ["x", "y"] {
        assert_eq!(
            g.status(g.id(label)),
            Status::Consent(ConsentCause::Elsewhere),
            "{label}"
        );
    }
    assert!(g.executed.is_empty());
    // A fork made after the start of this fork contains that start too.
    let (g, preview) = f.fork(None, 2);
    assert_eq!(
        (g.state.origin.forks.len(), g.state.origin.elsewhere.len()),
        (2, 1)
    );
    assert!(preview.effects.is_empty());
}

#[test]
fn idempotency_keys_differ_between_forks_and_resume_started_attempts() {
    let mut w = World::asking(&["idem"]);
    w.reply(&[call("idem", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    let key = |w: &World| w.state.ledger.values().next_back().unwrap().key.clone();
    let fresh = |made| {
        let mut f = w.fork(None, made).0;
        f.crash();
        f.approve(a).unwrap();
        assert_eq!(begun(&f, a), 1);
        f
    };
    let (one, other) = (fresh(1), fresh(2));
    w.approve(a).unwrap();
    let keys: BTreeSet<_> = [&one, &other, &w].into_iter().map(key).collect();
    assert_eq!(keys.len(), 3, "three runs that do the same");
    for begun_there in [&w, &one] {
        let mut f = begun_there.fork(None, 3).0;
        f.crash();
        assert_eq!(
            (begun(&f, a), key(&f)),
            (1, key(begun_there)),
            "the same execution, again"
        );
    }
}

/// What was read before may be another thing by now: the other run wrote since.
#[test]
fn a_read_is_not_reused_across_what_the_other_run_wrote() {
    for writes in [false, true] {
        let mut w = World::new();
        w.reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
        w.drain();
        let at = w.state.seq;
        if writes {
            w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
            w.drain();
        }
        let (mut f, _) = w.fork(Some(at), 1);
        f.crash();
        f.text(f.all(NodeKind::Prompt)[0], "go elsewhere").unwrap();
        f.reply(&[call("read", r#"{"_as":"q","n":1}"#)]);
        assert_eq!(begun(&f, f.id("q")), usize::from(writes));
    }
}

#[test]
fn an_edit_of_a_call_that_was_consented_asks_for_what_it_would_repeat_then() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    w.drain();
    let at = w.state.seq;
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
    ]);
    w.drain();
    let (mut f, _) = w.fork(Some(at), 1);
    f.crash();
    f.reply(&[call("write", r#"{"_as":"x","n":1}"#)]);
    let x = f.id("x");
    f.consent(x, ConsentChoice::RunAgain).unwrap();
    f.drain();
    assert_eq!(f.runs(x).len(), 1);
    f.args(x, r#"{"_as":"x","n":2}"#).unwrap();
    assert_eq!(f.status(x), Status::Consent(ConsentCause::Elsewhere));
    assert_eq!(f.runs(x).len(), 1);
    assert!(
        matches!(f.state.calls[&x].decisions.first(), Some((_, _, one)) if matches!(**one, Decision::RunAgain { .. }))
    );
}

#[test]
fn what_the_policy_denies_is_denied_and_not_asked_about() {
    let write = call("write", r#"{"_as":"a","n":1}"#);
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    w.drain();
    let at = w.state.seq;
    w.reply(std::slice::from_ref(&write));
    w.drain();
    let (mut f, _) = w.fork(Some(at), 1);
    f.rules.gates.insert("write".into(), Gate::Deny);
    f.crash();
    f.reply(&[write]);
    assert_eq!(f.status(f.id("a")), Status::Rejected);
    assert!(f.executed.is_empty());
}
