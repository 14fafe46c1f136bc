//! Edits of arguments keep the name and the place of the result, and a plan names the readers that lose theirs.
//!
//! Must not know: how a plan is shown.

use super::world::*;
use overrule_domain::advice::Cards;
use overrule_domain::call::Status;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::decide;
use overrule_domain::id::NodeId;
use overrule_domain::lineage;
use overrule_domain::refusal::RefusalKind;

/// `a` is read by its name (`b`), by its place (`p`), by both with another choice (`f`), and not at all (`s`).
fn read_twice() -> World {
    let mut w = World::new();
    w.reply(&[
        call(
            "read",
            r#"{"_as":"a","_out":"†state.n","_after":"†call.s","n":1}"#,
        ),
        call("write", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"p","n":"†state.n.v"}"#),
        call("read", r#"{"_as":"f","n":"†call.a.v || †call.s.v"}"#),
        call("read", r#"{"_as":"s"}"#),
    ]);
    w.drain();
    w
}

fn edit(w: &World, node: NodeId, tool: &str, args: &str) -> Edit {
    Edit::Call {
        node,
        base: w.rev(node),
        tool: tool.into(),
        args: args.into(),
        shown: true,
    }
}

/// The lost inputs of a plan: reader, reference, writer.
fn lost(w: &World, edits: &[Edit]) -> Vec<(String, String, NodeId)> {
    let plan = lineage::plan(&w.state, edits).unwrap();
    let name = |id: NodeId| w.state.calls[&id].label.to_string();
    let lost = plan.lost_inputs.into_iter();
    lost.map(|one| (name(one.reader), one.reference, one.writer))
        .collect()
}

fn args_of(w: &World, id: NodeId) -> String {
    w.state.nodes[&id].as_call().unwrap().1.to_string()
}

#[test]
fn an_edit_of_arguments_keeps_name_place_and_wait() {
    for (tool, args) in [("read", r#"{"n":4}"#), ("write", r#"{"n":4}"#)] {
        let mut w = read_twice();
        let a = w.id("a");
        let change = edit(&w, a, tool, args);
        assert_eq!(lost(&w, std::slice::from_ref(&change)), []);
        let before = w.executed.len();
        w.edit(change).unwrap();
        w.drain();
        assert_eq!(
            args_of(&w, a),
            r#"{"_as":"a","_out":"†state.n","_after":"†call.s","n":4}"#
        );
        assert_eq!(w.id("a"), a);
        let ran: Vec<NodeId> = w.executed[before..].iter().map(|one| one.call).collect();
        assert!(ran.contains(&a) && !ran.contains(&w.id("s")), "{ran:?}");
        for reader in ["b", "p", "f"] {
            assert_eq!(w.status(w.id(reader)), Status::Succeeded, "{reader}");
        }
        // What ran has none of these names.
        let args = &w.executed[before..]
            .iter()
            .find(|one| one.call == a)
            .unwrap()
            .args;
        assert_eq!(&**args, r#"{"n":4}"#);
    }
}

#[test]
fn the_same_arguments_without_the_names_are_no_change() {
    let mut w = read_twice();
    let before = w.executed.len();
    let refused = w.edit(edit(&w, w.id("a"), "read", r#"{"n":1}"#)).unwrap_err();
    assert_eq!(refused.kind, RefusalKind::NoChange);
    assert_eq!(w.executed.len(), before);
}

#[test]
fn a_plan_names_the_readers_of_what_an_edit_takes_away() {
    let a = r#"{"_as":"a","_out":"†state.n","n":1}"#;
    for (args, readers) in [
        (r#"{"_as":null,"n":4}"#, &["b †call.a.v", "f †call.a.v"][..]),
        (r#"{"_as":"other","n":4}"#, &["b †call.a.v", "f †call.a.v"]),
        (r#"{"_out":null,"n":4}"#, &["p †state.n.v"]),
        (r#"{"_out":"†state.other","n":4}"#, &["p †state.n.v"]),
        (
            r#"{"_as":null,"_out":null}"#,
            &["b †call.a.v", "p †state.n.v", "f †call.a.v"],
        ),
        // The place is still written by one of two.
        (r#"{"_out":"†state.n && †state.m"}"#, &[]),
        (r#"{"_after":null,"n":4}"#, &[]),
        (a, &[]),
    ] {
        let mut w = read_twice();
        let id = w.id("a");
        let change = edit(&w, id, "read", args);
        let found = lost(&w, std::slice::from_ref(&change));
        assert!(found.iter().all(|(_, _, writer)| *writer == id));
        let found: Vec<String> = found
            .iter()
            .map(|(who, what, _)| format!("{who} {what}"))
            .collect();
        assert_eq!(found, readers, "{args}");
        let (b, f) = (w.id("b"), w.id("f"));
        w.edit(change).unwrap();
        w.drain();
        let loses = readers.iter().any(|one| one.starts_with("b "));
        assert_eq!(
            w.status(b) == Status::Unsatisfiable,
            loses,
            "{args}: {:?}",
            w.status(b)
        );
        assert_eq!(w.status(f), Status::Succeeded, "{args}: it has another choice");
    }
}

#[test]
fn a_deleted_call_takes_its_names_and_an_undo_those_that_the_edit_gave() {
    let mut w = read_twice();
    let a = w.id("a");
    let delete = Edit::Delete {
        node: a,
        base: w.rev(a),
    };
    let found = lost(&w, &[delete]);
    assert_eq!(found.len(), 3, "{found:?}");
    // Together with an edit that gives the name to another call, nothing is lost.
    let s = w.id("s");
    let both = [
        edit(&w, a, "read", r#"{"_as":"other","_after":null}"#),
        edit(&w, s, "read", r#"{"_as":"a"}"#),
    ];
    assert_eq!(
        lost(&w, &both)
            .iter()
            .filter(|(_, what, _)| what == "†call.a.v")
            .count(),
        0
    );
    // After an undo of what gave a name, no call has it.
    w.edit(edit(&w, s, "read", r#"{"_as":"t"}"#)).unwrap();
    w.drain();
    w.edit(edit(&w, w.id("b"), "write", r#"{"n":"†call.t.v"}"#))
        .unwrap();
    w.drain();
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let plan = lineage::plan_of(&w.state, &undo).unwrap();
    assert_eq!(plan.lost_inputs, [], "the reader reads the old name again");
}

#[test]
fn an_id_that_becomes_a_name_is_lost_as_a_name() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.c3.v"}"#),
    ]);
    w.drain();
    let first = w.all(overrule_domain::id::NodeKind::Call)[0];
    assert_eq!(w.status(w.id("r")), Status::Succeeded, "{first}");
    let found = lost(&w, &[edit(&w, first, "read", r#"{"_as":"first","n":1}"#)]);
    assert_eq!(found, [("r".to_owned(), "†call.c3.v".to_owned(), first)]);
    assert_eq!(lost(&w, &[edit(&w, first, "read", r#"{"n":2}"#)]), []);
}

#[test]
fn a_preview_of_a_wide_edit_is_the_plan_of_its_events() {
    let w = read_twice();
    let change = edit(&w, w.id("a"), "read", r#"{"_as":null}"#);
    let command = EditCommand::Commit {
        edits: vec![change.clone()],
        effects_seen: None,
        reason: None,
        keep_later: false,
    };
    let events = decide::command(&w.state, &Cards(&w.state), &Command::Edit(command)).unwrap();
    let plan = lineage::of_events(&w.state, &events);
    assert_eq!(plan, lineage::plan(&w.state, &[change]).unwrap());
}
