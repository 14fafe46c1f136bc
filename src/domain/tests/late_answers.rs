//! Tests of replies to repairs that the operator ended, and of records of changed settings.
//!
//! Must not know: engine, clocks.

use super::flights::{answer_question, refused, world};
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ErrorClass, Status};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_domain::id::NodeId;
use overrule_domain::ladder::Stage;
use overrule_domain::setting_change::SettingChange;

/// A call about whose arguments the model is being asked.
fn asked() -> (World, NodeId) {
    let mut w = world("write", true, true);
    w.reply(&[call("write", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
    (w, a)
}

fn skip(w: &mut World, call: NodeId) {
    let rev = w.rev(call);
    w.cmd(Command::Resilience(ResilienceCommand::SkipRepair { call, rev }))
        .unwrap();
}

#[test]
fn an_answer_after_the_repair_was_skipped_changes_nothing_and_runs_nothing() {
    let (mut w, a) = asked();
    skip(&mut w, a);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
    let (revisions, starts) = (w.state.nodes[&a].revisions.len(), w.starts(a));
    let before = w.state.clone();
    answer_question(&mut w, r#"{"passengers": 1}"#);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
    assert_eq!(
        (w.state.nodes[&a].revisions.len(), w.starts(a)),
        (revisions, starts)
    );
    assert_eq!(w.rev(a), before.nodes[&a].rev());
    assert_eq!(
        w.state.calls[&a].failure.given_up,
        before.calls[&a].failure.given_up
    );
    assert!(w.running.is_empty());
    // Its cost is counted all the same, and its text is recorded.
    assert_eq!(w.state.tally.usage.input, Some(100));
    assert!(w.state.calls[&a].failure.repairs[0].reply.is_some());
    let (requests, message) = (w.state.tally.requests, w.last_request());
    w.drain();
    assert_eq!(apply::fold(&w.log), w.state);
    assert_eq!((w.state.tally.requests, w.last_request()), (requests, message));
}

#[test]
fn nor_does_one_after_the_operator_wrote_the_arguments() {
    let (mut w, a) = asked();
    w.args(a, r#"{"_as":"a","origin":"BOS","passengers":2}"#).unwrap();
    let (rev, starts) = (w.rev(a), w.starts(a));
    answer_question(&mut w, r#"{"passengers": 1}"#);
    assert_eq!((w.rev(a), w.starts(a)), (rev, starts));
    let (_, args) = w.state.nodes[&a].as_call().unwrap();
    assert!(
        args.contains("BOS") && args.contains("\"passengers\":2"),
        "{args}"
    );
}

#[test]
fn each_change_of_the_settings_is_recorded_with_its_number_and_what_it_changed() {
    let mut w = World::new();
    let mut set = |key: &str, value: &str| {
        let (key, value) = (key.into(), value.into());
        w.cmd(Command::Resilience(ResilienceCommand::Configure { key, value }))
            .unwrap();
    };
    for (key, value) in [("retry", "2"), ("open", "1"), ("window", "5")] {
        set(key, value);
    }
    let mut made = Vec::new();
    for envelope in &w.log {
        if let Event::Resilience(ResilienceEvent::PolicySet { version, changed, .. }) = &envelope.event {
            let words: Vec<String> = changed.iter().map(SettingChange::describe).collect();
            made.push((*version, words.join("; ")));
        }
    }
    assert_eq!(
        made,
        [
            (1, "retry to 2".to_owned()),
            (2, "open to 1; retry from 2 to nothing".to_owned()),
            (3, "open from 1 to nothing; window to 5".to_owned()),
        ]
    );
}
