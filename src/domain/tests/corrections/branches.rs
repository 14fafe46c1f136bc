//! Tests of corrections after undo, redo and switch, and in recorded replies.
//!
//! Must not know: how counterparts are found.

use super::*;

#[test]
fn it_belongs_to_its_branch() {
    let mut w = two_turns("read");
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("after b")]);
    w.undo().unwrap();
    // Without the correction, the call runs, or has what it gave.
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&[b("read")]);
    w.drain();
    assert_eq!(w.value(w.id("b")), r#"{"v":3}"#);
    assert!(!pinned(&w, w.id("b")));
    w.reply(&[answer("without")]);
    assert!(lost(&w).is_empty());
    // On the branch with it, it counts, and what is asked there again has it.
    w.switch(1).unwrap();
    assert_eq!(w.value(w.id("b")), GOOD);
    w.correct(w.id("a"), r#"{"v":61}"#).unwrap();
    w.reply(&[b("read")]);
    assert_eq!(w.value(w.id("b")), GOOD);
    w.reply(&[answer("with")]);
    for _ in 0..2 {
        w.undo().unwrap();
        w.redo().unwrap();
        assert_eq!((w.value(w.id("b")), pinned(&w, w.id("b"))), (GOOD.into(), true));
    }
    assert_eq!(w.starts(w.id("b")), 0);
}

#[test]
fn what_fell_on_another_branch_is_no_word_of_this_one() {
    // `b` is corrected on one branch and superseded there. Then the run switches to another branch, on
    // which it was superseded before.
    let mut w = two_turns("read");
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&[b("read")]);
    w.drain();
    w.reply(&[answer("one")]);
    w.switch(0).unwrap();
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("two")]);
    w.correct(w.id("a"), r#"{"v":61}"#).unwrap();
    w.reply(&[b("read")]);
    assert_eq!(w.value(w.id("b")), GOOD);
    w.reply(&[answer("three")]);
    w.switch(1).unwrap();
    assert_eq!(w.value(w.id("b")), r#"{"v":3}"#);
    w.correct(w.id("a"), r#"{"v":62}"#).unwrap();
    w.reply(&[b("read")]);
    w.drain();
    assert_eq!(w.value(w.id("b")), r#"{"v":3}"#);
    assert!(!pinned(&w, w.id("b")));
    w.remembers();
}

#[test]
fn undo_drops_corrections_made_since() {
    // After the edit the model is asked again, and `b` is answered: without the edit there is no answer.
    for by_undo in [true, false] {
        let mut w = World::new();
        w.stream(think("first"));
        w.text(w.all(NodeKind::Thought)[0], "another").unwrap();
        w.reply(&[b("read")]);
        w.answer_for(w.id("b"), GOOD).unwrap();
        if by_undo {
            w.undo().unwrap();
        } else {
            w.switch(0).unwrap();
        }
        w.reply(&[think("first"), b("read")]);
        w.drain();
        assert!(!pinned(&w, w.id("b")));
        assert_eq!(w.starts(w.id("b")), 1);
        w.remembers();
    }
}

#[test]
fn a_recorded_reply_is_reused_only_if_its_context_matches() {
    // The correction was made after another value of `a`: the recorded reply does not know of it.
    let mut w = two_turns("read");
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&[b("read")]);
    w.drain();
    w.reply(&[answer("one")]);
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("two")]);
    let (asked, runs) = (w.asked.len(), w.executed.len());
    w.correct(w.id("a"), r#"{"v":2}"#).unwrap();
    assert_eq!(w.asked.len(), asked + 1, "the recorded reply has another result");
    w.reply(&[b("read")]);
    assert_eq!(w.value(w.id("b")), GOOD);
    assert_eq!(w.executed.len(), runs);
    // And one that has it is not asked for again.
    w.reply(&[answer("three")]);
    let asked = w.asked.len();
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    assert_eq!(w.value(w.id("b")), GOOD);
    assert_eq!(w.asked.len(), asked, "{}", w.last_request());
}

#[test]
fn a_reply_on_record_does_not_bring_a_correction_of_another_branch() {
    let mut w = two_turns("read");
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("corrected")]);
    w.undo().unwrap();
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&[b("read")]);
    w.drain();
    w.reply(&[answer("one")]);
    w.correct(w.id("a"), r#"{"v":2}"#).unwrap();
    if !w.open.is_empty() {
        w.reply(&[b("read")]);
        w.drain();
    }
    assert!(!pinned(&w, w.id("b")));
    assert_eq!(w.value(w.id("b")), r#"{"v":3}"#);
}

#[test]
fn an_undo_is_not_named_as_a_loss() {
    let mut w = corrected("read");
    w.reply(&[b("read")]);
    w.reply(&[answer("after both")]);
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let found = overrule_domain::lineage::plan_of(&w.state, &undo).unwrap();
    assert!(found.corrections.is_empty() && found.corrections_lost.is_empty());
    assert!(found.corrections_may_be_lost.is_empty());
    w.undo().unwrap();
    assert_eq!(w.value(w.id("b")), GOOD);
    assert!(lost(&w).is_empty());
}
