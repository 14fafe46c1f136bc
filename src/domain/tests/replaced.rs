//! Tests of the reason given for a superseded node: an edit, an undo, or the model itself.
//!
//! Must not know: where that is shown.

use super::world::*;
use overrule_domain::command::RunCommand;
use overrule_domain::effective_status;
use overrule_domain::id::NodeKind;

#[test]
fn a_node_replaced_by_another_reply_is_not_attributed_to_an_edit() {
    let mut w = World::new();
    w.stream(think("plan"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.drain();
    let a = w.id("a");
    w.crash();
    w.stream(think("another plan"));
    let thoughts = w
        .state
        .nodes
        .values()
        .filter(|node| node.id.kind == NodeKind::Thought);
    let old = thoughts.map(|node| node.id).next().unwrap();
    for id in [old, a] {
        assert!(!w.state.nodes[&id].active);
        let words = effective_status::replaced_words(&w.state, id);
        assert_eq!(words, "the model was asked again and said something else");
        let number = effective_status::replaced_with(&w.state, id).unwrap();
        let under = effective_status::replaced_under(&w.state, number);
        assert_eq!(under.as_deref(), Some("another reply of the model"));
    }
}

#[test]
fn edits_undos_and_repeated_requests_are_named_as_the_replacement() {
    let mut w = World::new();
    w.reply(&[think("plan"), call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let a = w.id("a");
    let turn = w.turn_of(a);
    let words = |w: &World| effective_status::replaced_words(&w.state, a);
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    assert!(!w.state.nodes[&a].active);
    assert_eq!(words(&w), "the model was asked again for its turn");
    w.undo().unwrap();
    assert!(w.state.nodes[&a].active, "it counts");
    let thoughts = w.all(NodeKind::Thought);
    w.text(thoughts[0], "rather so").unwrap();
    assert_eq!(words(&w), "an edit replaced it");
    let number = effective_status::replaced_with(&w.state, a).unwrap();
    let edit = w.all(NodeKind::Intervention).last().unwrap().to_string();
    assert_eq!(effective_status::replaced_under(&w.state, number), Some(edit));
}
