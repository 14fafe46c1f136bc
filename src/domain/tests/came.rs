//! How results came about that no execution gave, and what two branches say of a call that came to nothing. Must not
//! know: how that is shown.

use super::world::*;
use crate::domain::branch::compare::compare;
use crate::domain::came::{self, Came};
use crate::domain::command::{CallCommand, Command, Resolution};
use crate::domain::id::{Epoch, NodeId};

fn came(w: &World, id: NodeId) -> Option<Came> {
    came::now(&w.state, &w.state.calls[&id])
}

#[test]
fn an_answer_in_place_of_a_run_is_told_from_one_that_ran() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"answered","n":1}"#),
        call("write", r#"{"_as":"over","n":2}"#),
        call("write", r#"{"_as":"told","n":3}"#),
        call("write", r#"{"_as":"ran","n":4}"#),
    ]);
    let [answered, over, told, ran] = ["answered", "over", "told", "ran"].map(|label| w.id(label));
    w.answer_for(answered, "1").unwrap();
    w.approve(over).unwrap();
    w.answer_for(over, "2").unwrap();
    w.approve(ran).unwrap();
    w.finish(ran);
    w.approve(told).unwrap();
    w.crash();
    w.cmd(Command::Call(CallCommand::Resolve {
        call: told,
        attempt: None,
        what: Resolution::Happened { value: "3".into() },
    }))
    .unwrap();
    let all = [answered, over, told, ran].map(|id| came(&w, id));
    assert_eq!(
        all,
        [Some(Came::Instead), Some(Came::Over), Some(Came::Told), None]
    );
    w.correct(ran, "5").unwrap();
    assert_eq!(came(&w, ran), Some(Came::Corrected));
    // A correction of what never ran makes no run of it.
    w.correct(answered, "6").unwrap();
    assert_eq!(came(&w, answered), Some(Came::Instead));
}

#[test]
fn two_branches_tell_where_a_call_was_refused_on_one() {
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
