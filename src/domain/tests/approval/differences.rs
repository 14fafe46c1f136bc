//! Tests of approvals by a difference: the file must be the one that the difference was made from.
//!
//! Must not know: consent.

use super::*;

/// Approves a call whose difference was made from a file with this hash.
fn approve_difference(
    w: &mut World,
    id: NodeId,
    base: &str,
) -> Result<(), overrule_domain::refusal::Refusal> {
    let (rev, digest) = (w.rev(id), w.digest(id));
    w.cmd(Command::Call(CallCommand::Approve {
        call: id,
        rev,
        digest,
        unread: 0,
        shown: Some(Shown {
            form: ShownForm::Difference,
            base: Some(base.into()),
        }),
        word: None,
    }))
}

#[test]
fn a_difference_from_a_file_that_changed_since_is_asked_again() {
    for (shown, now) in [("one", "two"), ("", "two"), ("one", "")] {
        let (mut w, id) = asked();
        w.rules.target = Some(now.to_owned());
        approve_difference(&mut w, id, shown).unwrap();
        assert!(w.executed.is_empty(), "{shown} {now}");
        assert_eq!(w.status(id), Status::AwaitingApproval);
        assert!(matches!(decided(&w, id).last(), Some(Decision::Withdrawn { .. })));
        // The new difference is approved, and runs once.
        approve_difference(&mut w, id, now).unwrap();
        assert_eq!(w.runs(id), [r#"{"n":1}"#]);
    }
}

#[test]
fn a_repeated_effect_whose_file_changed_since_is_asked_again() {
    let (mut w, id) = asked();
    w.rules.target = Some("one".to_owned());
    approve_difference(&mut w, id, "one").unwrap();
    assert_eq!(w.runs(id), [r#"{"n":1}"#]);
    w.finish(id);
    w.retry(id).unwrap();
    assert!(matches!(w.status(id), Status::Consent(_)), "{:?}", w.status(id));
    let (rev, digest) = (w.rev(id), w.digest(id));
    w.rules.target = Some("two".to_owned());
    w.cmd(Command::Call(CallCommand::Consent {
        call: id,
        rev,
        digest,
        choice: ConsentChoice::RunAgain,
        shown: Some(Shown {
            form: ShownForm::Difference,
            base: Some("one".into()),
        }),
        word: None,
    }))
    .unwrap();
    assert_eq!(w.runs(id), [r#"{"n":1}"#], "it did not run again");
    assert!(matches!(decided(&w, id).last(), Some(Decision::Withdrawn { .. })));
    assert!(w.status(id).needs_operator());
}

#[test]
fn a_difference_from_the_file_as_it_is_runs() {
    for now in ["one", ""] {
        let (mut w, id) = asked();
        w.rules.target = Some(now.to_owned());
        approve_difference(&mut w, id, now).unwrap();
        assert_eq!(w.runs(id), [r#"{"n":1}"#]);
        let shown = decided(&w, id).into_iter().find_map(|decision| match decision {
            Decision::Approve { shown, .. } => shown,
            _ => None,
        });
        assert_eq!(shown.map(|shown| shown.form), Some(ShownForm::Difference));
    }
    // What is no difference is not bound to a file.
    let (mut w, id) = asked();
    w.rules.target = Some("other".to_owned());
    w.approve(id).unwrap();
    assert_eq!(w.runs(id), [r#"{"n":1}"#]);
    // The file cannot be read any more.
    let (mut w, id) = asked();
    approve_difference(&mut w, id, "one").unwrap();
    assert!(w.executed.is_empty());
    assert_eq!(w.status(id), Status::AwaitingApproval);
}

#[test]
fn a_difference_of_a_call_of_a_lower_class_is_compared_with_its_file_too() {
    let mut w = World::asking(&["read"]);
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.rules.target = Some("two".to_owned());
    approve_difference(&mut w, id, "one").unwrap();
    assert!(w.executed.is_empty());
    assert_eq!(w.status(id), Status::AwaitingApproval);
    approve_difference(&mut w, id, "two").unwrap();
    assert_eq!(w.runs(id), [r#"{"n":1}"#]);
}
