//! Tests the choice of a repair: shown first, made by number, or declined.
//!
//! Must not know: how a repair is found.

use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::kernel::prompt::Prompt;
use crate::testing::{ARMING, Stage, flat, id};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_domain::id::Rev;

/// A call with two possible repairs that was on screen for long enough.
fn stage() -> Stage {
    let mut stage = Stage::new(110, 40);
    stage.two_repairs();
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

#[test]
fn where_no_repair_is_offered_no_key_for_one_is_named() {
    let mut stage = Stage::new(110, 40);
    stage.offered_repairs("no day fits", Vec::new());
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("enter");
    let text = flat(&stage.text());
    assert!(
        text.contains("c3 cannot run as it is: K lets the call fail, e edits"),
        "{text}"
    );
    assert!(!text.contains("F choose"), "{text}");
    assert_eq!(stage.commands(), []);
}

#[test]
fn what_a_repair_changes_and_why_is_not_cut_off() {
    let mut stage = stage();
    stage.send(Msg::Term(TermMsg::Resize {
        width: 60,
        height: 40,
    }));
    let text = stage.text();
    let words = flat(&text);
    assert!(
        words.contains(
            "/day \"10/11/2024\" becomes \"2024-11-10\" date_format_correction: one of the days that it can mean"
        ),
        "{text}"
    );
}

#[test]
fn what_a_repair_changes_is_shown_whole() {
    let mut stage = stage();
    let text = stage.text();
    assert_eq!(text.matches("becomes").count(), 2, "{text}");
    assert_eq!(text.matches("(changes the meaning)").count(), 2, "{text}");
}

#[test]
fn a_repair_is_chosen_by_its_number() {
    let mut stage = stage();
    stage.press("F");
    let text = stage.text();
    assert!(text.contains("1) day: \"2024-11-10\""), "{text}");
    stage.type_text("0");
    stage.press("enter");
    assert_eq!(stage.commands(), [], "there is no such number");
    assert!(stage.model.stack.is_top::<Prompt>());
    stage.press("backspace");
    stage.type_text("2");
    stage.press("enter");
    let choose = Command::Resilience(ResilienceCommand::ChooseRepair {
        call: id("c3"),
        rev: Rev(1),
        option: 1,
    });
    assert_eq!(stage.commands(), [choose]);
    assert!(stage.model.stack.is_empty());
}

#[test]
fn the_keys_of_other_questions_name_those_of_a_repair() {
    for key in ["a", "x"] {
        let mut stage = stage();
        stage.press(key);
        assert_eq!(stage.commands(), []);
        assert!(
            stage
                .status()
                .contains("F chooses a repair, K lets the call fail"),
            "{key}: {}",
            stage.status()
        );
    }
}

#[test]
fn enter_opens_the_repairs_of_the_call() {
    let mut stage = stage();
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(stage.model.stack.is_top::<Prompt>(), "{}", stage.status());
}

#[test]
fn a_repair_can_be_left_and_only_where_there_is_one() {
    let mut stage = stage();
    stage.press("K");
    let skip = Command::Resilience(ResilienceCommand::SkipRepair {
        call: id("c3"),
        rev: Rev(1),
    });
    assert_eq!(stage.commands(), [skip]);
    stage.engine(Event::Resilience(ResilienceEvent::GaveUp {
        call: id("c3"),
        rev: Rev(1),
        why: "the operator wants no repair".into(),
    }));
    stage.wait(ARMING);
    stage.press("F K");
    assert_eq!(stage.commands(), []);
    assert!(stage.model.stack.is_empty());
}
