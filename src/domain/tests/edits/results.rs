//! Tests of results that the operator writes: nothing runs for them, and they stay.
//!
//! Must not know: how an edit is shown.

use super::*;

#[test]
fn a_corrected_observation_runs_nothing_of_its_call() {
    let mut w = chain();
    let a = w.id("a");
    w.correct(a, r#"{"v":7}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(a).len(), 1);
    assert_eq!(w.value(a), r#"{"v":7}"#);
    assert!(w.state.nodes[&a.observation()].pinned);
    assert_eq!(w.runs(w.id("b")), [r#"{"n":2}"#, r#"{"n":7}"#]);
    assert_eq!(w.runs(w.id("s")).len(), 1);
    assert!(w.last_request().contains("operator wrote this result"));
    assert_eq!(
        w.state.nodes[&a.observation()].revisions.len(),
        2,
        "the old result stays as history"
    );
}

#[test]
fn a_pinned_result_stays_active_despite_earlier_edits() {
    let mut w = chain();
    let b = w.id("b");
    w.correct(b, r#"{"v":70}"#).unwrap();
    w.drain();
    let c_runs = w.runs(w.id("c")).len();
    assert_eq!(badge::of(&w.state, b), []);
    w.args(w.id("a"), r#"{"_as":"a","n":4}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(b).len(), 1);
    assert_eq!(w.value(b), r#"{"v":70}"#);
    assert_eq!(w.runs(w.id("c")).len(), c_runs, "nothing goes through a pin");
    // It is said all the same that it was written for something else, as long as that is so.
    assert_eq!(badge::of(&w.state, b), [Badge::InputsChanged]);
    w.undo().unwrap();
    w.drain();
    assert_eq!(
        (badge::of(&w.state, b), w.value(b)),
        (vec![], r#"{"v":70}"#.into())
    );
    w.redo().unwrap();
    w.drain();
    assert_eq!(badge::of(&w.state, b), [Badge::InputsChanged]);
    w.delete(w.id("a")).unwrap();
    w.drain();
    assert_eq!(w.value(b), r#"{"v":70}"#);
    assert_eq!(w.status(b), Status::Succeeded);
    assert_eq!(badge::of(&w.state, b), [Badge::InputsChanged]);
    w.undo().unwrap();
    w.drain();
    w.unpin(b.observation()).unwrap();
    w.drain();
    assert_eq!((w.runs(b).len(), badge::of(&w.state, b)), (2, vec![]));
}
