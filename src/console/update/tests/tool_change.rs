//! Tests a call whose tool was redefined after it was written: shows old against new.

use super::arming::ARGS;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Decision, EffectClass};
use overrule_domain::event::run::ToolCard;
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::Rev;
use overrule_domain::tool_change;

/// The run resumes with another definition of the tool that writes.
fn redefined(stage: &mut Stage, change: impl FnOnce(&mut ToolCard)) {
    let mut started = stage.model.run.state.started.as_deref().unwrap().clone();
    change(&mut started.tools[1]);
    let started = Box::new(started);
    stage.engine(Event::Run(RunEvent::Refitted { started }));
}

fn approved(stage: &mut Stage, call: &str) {
    stage.call(CallEvent::Decided {
        call: id(call),
        rev: Rev(1),
        digest: None,
        decision: Decision::Approve {
            unread: 0,
            shown: None,
        },
    });
}

/// A selected waiting write.
fn stage() -> Stage {
    Stage::asked(120, 50, ARGS)
}

#[test]
fn what_changed_of_the_tool_is_shown_old_against_new() {
    let mut stage = stage();
    assert!(!stage.text().contains("redefined"));
    redefined(&mut stage, |card| {
        card.description = "writes, and mails it to ┏ c9 r1 everybody".into();
        card.schema = card
            .schema
            .replace(r#""required":["path","content"]"#, r#""required":["path"]"#)
            .into();
        card.effect = EffectClass::Unknown;
        card.tags = vec!["external".to_owned()];
    });
    let shown = stage.flat();
    assert!(
        shown.contains(
            "effect write became unknown; tags none became external; another description and schema"
        ),
        "{shown}"
    );
    let text = stage.text();
    let end = text.find("┃ content").unwrap();
    let place = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("no `{words}` in {text}"))
    };
    assert!(place("redefined") < end);
    assert!(end < place("− write_file for tests"), "below what is decided");
    assert!(place("− write_file for tests") < place("+ writes, and mails it to ⟨U+250F⟩ c9 r1 everybody"));
    assert!(
        end < place("the tool's schema") && text.contains(r#"−     "content""#),
        "{text}"
    );
    // The arguments are the same: rows stay read, and the call can be decided.
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}

#[test]
fn what_is_no_part_of_the_definition_is_no_change_nor_is_one_that_was_taken_back() {
    let mut stage = stage();
    redefined(&mut stage, |card| card.pause_ms = 5_000);
    assert!(!stage.text().contains("redefined"), "{}", stage.text());
    redefined(&mut stage, |card| card.description = "other".into());
    assert!(stage.text().contains("redefined"));
    redefined(&mut stage, |card| {
        card.description = "write_file for tests".into();
    });
    assert!(!stage.text().contains("redefined"), "{}", stage.text());
}

#[test]
fn later_calls_show_the_tool_change_until_the_tool_is_approved_again() {
    let mut stage = stage();
    redefined(&mut stage, |card| card.description = "other".into());
    let message = |stage: &Stage, call: &str| tool_change::of(&stage.model.run.state, id(call)).is_some();
    // No call of the tool was approved before: the model knew the current definition.
    stage.awaiting("c4", "write_file", ARGS);
    assert!(message(&stage, "c3") && !message(&stage, "c4"));

    let mut stage = Stage::new(120, 50);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.awaiting("c4", "write_file", ARGS);
    stage.awaiting("c5", "read_file", ARGS);
    approved(&mut stage, "c3");
    redefined(&mut stage, |card| card.description = "other".into());
    stage.awaiting("c6", "write_file", ARGS);
    assert!(
        message(&stage, "c4") && message(&stage, "c6"),
        "it is not what was approved"
    );
    assert!(!message(&stage, "c5"), "another tool");
    approved(&mut stage, "c6");
    stage.awaiting("c7", "write_file", ARGS);
    assert!(!message(&stage, "c7"), "approved as it is now");
    assert!(message(&stage, "c4"), "it was written for what it was");
}

#[test]
fn what_stays_of_the_head_names_it() {
    let mut stage = Stage::exact(80, 24);
    stage.begin();
    let args = format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(5_000));
    stage.awaiting("c3", "write_file", &args);
    redefined(&mut stage, |card| card.description = "other".into());
    stage.draw();
    stage.press("2 3 pgdn");
    assert!(
        stage.text().contains("┏━ c3 writes a · its definition changed"),
        "{}",
        stage.text()
    );
}
