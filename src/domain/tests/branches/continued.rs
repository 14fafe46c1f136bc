//! Tests that undo, redo and switch continue a branch.
//!
//! Must not know: how branches are shown.

use super::*;

#[test]
fn events_after_an_undo_redo_or_switch_continue_on_that_branch() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.approve(a).unwrap();
    w.drain();
    w.args(b, r#"{"_as":"b","n":5}"#).unwrap();
    w.undo().unwrap();
    // The run continues there: b is answered, the model asked.
    w.answer_for(b, r#"{"v":9}"#).unwrap();
    w.reply(&[answer("without the edit")]);
    let numbers = |w: &World| -> Vec<u32> { branches(&w.state).iter().map(|one| one.epoch.0).collect() };
    assert_eq!(numbers(&w), [0, 1]);
    w.redo().unwrap();
    if w.state.queue().next().is_some() {
        w.approve(b).unwrap();
    }
    w.drain();
    w.reply(&[answer("with the edit")]);
    let found: Vec<_> = branches(&w.state)
        .iter()
        .map(|one| {
            (
                one.epoch.0,
                one.current,
                one.sum.text.as_deref().unwrap_or("").to_owned(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (0, false, "without the edit".to_owned()),
            (1, true, "with the edit".to_owned())
        ]
    );
    // An undo goes to the end of the branch before, with all that was done there since.
    let (asked, runs) = (w.asked.len(), w.executed.len());
    w.undo().unwrap();
    assert_eq!(
        (answers(&w), w.value(b)),
        (vec!["without the edit".to_owned()], r#"{"v":9}"#.to_owned())
    );
    w.switch(1).unwrap();
    assert_eq!(answers(&w), ["with the edit"]);
    w.undo().unwrap();
    w.redo().unwrap();
    assert_eq!(answers(&w), ["with the edit"]);
    assert_eq!(
        (w.asked.len(), w.executed.len()),
        (asked, runs),
        "nothing is asked or run again"
    );
    assert_eq!(numbers(&w), [0, 1]);
    // Another edit begins the next one.
    w.correct(b, r#"{"v":3}"#).unwrap();
    assert_eq!(numbers(&w), [0, 1, w.state.epoch.0]);
    assert_eq!(branches(&w.state)[2].base, Epoch(1));
}
