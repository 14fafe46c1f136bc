//! Tests of results without an execution, and of calls without a result on two branches.
//!
//! Must not know: how that is shown.

use super::world::*;
use overrule_domain::branch::compare::compare;
use overrule_domain::command::{CallCommand, Command, Resolution};
use overrule_domain::id::{Epoch, NodeId};
use overrule_domain::result_source::{self, ResultSource};

fn source_of(w: &World, id: NodeId) -> Option<ResultSource> {
    result_source::now(&w.state, &w.state.calls[&id])
}

#[test]
fn an_operator_answer_is_distinguished_from_a_run() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"answered","n":1}"#),
        call("write", r#"{"_as":"over","n":2}"#),
        call("write", r#"{"_as":"message","n":3}"#),
        call("write", r#"{"_as":"ran","n":4}"#),
    ]);
    let [answered, over, message, ran] = ["answered", "over", "message", "ran"].map(|label| w.id(label));
    w.answer_for(answered, "1").unwrap();
    w.approve(over).unwrap();
    w.answer_for(over, "2").unwrap();
    w.approve(ran).unwrap();
    w.finish(ran);
    w.approve(message).unwrap();
    w.crash();
    w.cmd(Command::Call(CallCommand::Resolve {
        call: message,
        attempt: None,
        what: Resolution::Happened { value: "3".into() },
    }))
    .unwrap();
    let all = [answered, over, message, ran].map(|id| source_of(&w, id));
    assert_eq!(
        all,
        [
            Some(ResultSource::Instead),
            Some(ResultSource::Over),
            Some(ResultSource::Reported),
            None
        ]
    );
    w.correct(ran, "5").unwrap();
    assert_eq!(source_of(&w, ran), Some(ResultSource::Corrected));
    // A correction of what never ran makes no run of it.
    w.correct(answered, "6").unwrap();
    assert_eq!(source_of(&w, answered), Some(ResultSource::Instead));
}

#[test]
fn two_branches_differ_where_a_call_was_rejected_on_one() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.reject(a).unwrap();
    w.drain();
    w.answer_for(a, "1").unwrap();
    let found = compare(&w.state, Epoch(0), w.state.epoch);
    let row = |id| *found.rows.iter().find(|row| row.node == id).unwrap();
    assert_eq!(
        (row(a).left_a, row(a).left_b, row(a).same),
        (Some("rejected"), None, false)
    );
    assert_eq!((row(b).left_a, row(b).left_b, row(b).same), (None, None, true));
    let itself = compare(&w.state, Epoch(0), Epoch(0));
    assert!(itself.is_equal());
}
