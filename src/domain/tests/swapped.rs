//! Tests of files that a call runs: a decision is valid only for the contents it was made on.
//!
//! Must not know: how a file is found.

use super::world::*;
use overrule_domain::bulk::{self, Alone};
use overrule_domain::call::{Decision, Gate, Status};
use overrule_domain::command::RunCommand;
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::NodeId;

const ARGS: &str = r#"{"_as":"a","file":"run.sh"}"#;

fn asked(text: &str) -> (World, NodeId) {
    let mut w = World::asking(&["write", "shell"]);
    w.rules.files.insert("run.sh".into(), text.into());
    w.reply(&[call("shell", ARGS)]);
    let id = w.id("a");
    assert_eq!(w.status(id), Status::AwaitingApproval);
    (w, id)
}

fn changed_files(w: &World, id: NodeId) -> Vec<&str> {
    let runs = w.state.calls[&id].runs.as_ref();
    runs.map_or_else(Vec::new, |runs| runs.changed.iter().map(|path| &**path).collect())
}

#[test]
fn a_file_that_is_swapped_between_the_look_and_the_launch_does_not_run() {
    let (mut w, id) = asked("ls");
    assert_eq!(w.state.calls[&id].operands()[0].hash.as_ref(), "ls");
    assert!(changed_files(&w, id).is_empty());
    let shown = w.digest(id);
    w.rules.files.insert("run.sh".into(), "rm -rf .".into());
    w.approve(id).unwrap();
    assert!(
        w.runs(id).is_empty(),
        "the operator has not seen what it would run"
    );
    assert_eq!(w.status(id), Status::AwaitingApproval, "it is asked for again");
    assert_ne!(w.digest(id), shown);
    assert_eq!(changed_files(&w, id), ["run.sh"]);
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn a_link_that_leads_elsewhere_at_the_launch_is_decided_again() {
    let (mut w, id) = asked("ls");
    let shown = w.digest(id);
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    w.approve(id).unwrap();
    w.rules.place = "secrets".to_owned();
    w.run(RunCommand::Resume {}).unwrap();
    assert!(w.runs(id).is_empty(), "another place was decided on");
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert_ne!(w.digest(id), shown);
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn what_was_decided_runs_where_nothing_was_swapped() {
    let (mut w, id) = asked("ls");
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
    assert!(
        !w.events()
            .any(|event| matches!(event, Event::Call(CallEvent::Woken { .. })))
    );
}

#[test]
fn a_file_that_comes_or_goes_is_another_one_too() {
    for (before, after) in [(None, Some("ls")), (Some("ls"), None)] {
        let mut w = World::asking(&["shell"]);
        let set = |w: &mut World, text: Option<&str>| {
            w.rules.files = text
                .map(|text| ("run.sh".to_owned(), text.to_owned()))
                .into_iter()
                .collect();
        };
        set(&mut w, before);
        w.reply(&[call("shell", ARGS)]);
        let id = w.id("a");
        set(&mut w, after);
        w.approve(id).unwrap();
        assert!(w.runs(id).is_empty());
        assert_eq!(w.status(id), Status::AwaitingApproval);
        let message: Vec<&str> = after.map(|_| "run.sh").into_iter().collect();
        assert_eq!(
            changed_files(&w, id),
            message,
            "the new content is reported as changed"
        );
    }
}

#[test]
fn a_call_whose_command_is_unknowable_is_approved_alone() {
    let (w, id) = asked("?");
    assert_eq!(bulk::together(&w.state), []);
    assert_eq!(bulk::left_out(&w.state)[&Alone::Shell], [id]);
    let (w, _) = asked("ls");
    assert_eq!(bulk::together(&w.state).len(), 1);
}

#[test]
fn an_approval_that_waits_for_a_place_does_not_hold_for_another_content() {
    let (mut w, id) = asked("ls");
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    w.approve(id).unwrap();
    assert_eq!(w.status(id), Status::Queued);
    w.rules.files.insert("run.sh".into(), "rm -rf .".into());
    w.run(RunCommand::Resume {}).unwrap();
    assert!(w.runs(id).is_empty());
    assert_eq!(w.status(id), Status::AwaitingApproval);
}

#[test]
fn a_rule_that_lets_any_content_run_lets_it_run_as_it_is() {
    let mut w = World::asking(&["shell"]);
    w.rules.gates.insert("shell".into(), Gate::Allow);
    w.rules.files.insert("run.sh".into(), "ls".into());
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    w.reply(&[call("shell", ARGS)]);
    let id = w.id("a");
    w.rules.files.insert("run.sh".into(), "date".into());
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.runs(id).len(), 1);
    let decided = &w.state.calls[&id].decisions;
    assert!(matches!(*decided.last().unwrap().2, Decision::Auto { .. }));
    assert_eq!(
        w.state.calls[&id].operands()[0].hash.as_ref(),
        "date",
        "and it reports which file changed"
    );
}

#[test]
fn an_edit_approves_the_file_as_it_was_then() {
    let (mut w, id) = asked("ls");
    w.rules.files.insert("other.sh".into(), "pwd".into());
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    w.args(id, r#"{"_as":"a","file":"other.sh"}"#).unwrap();
    w.rules.files.insert("other.sh".into(), "rm -rf .".into());
    w.run(RunCommand::Resume {}).unwrap();
    assert!(w.runs(id).is_empty());
    assert_eq!(w.status(id), Status::AwaitingApproval);
}
