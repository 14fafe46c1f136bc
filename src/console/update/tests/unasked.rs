//! Tests a dialog over a call that changed meanwhile: it says so and decides nothing.

use crate::kernel::dialog::Dialog;
use crate::kernel::hints::hints;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Decision;
use overrule_domain::event::CallEvent;
use overrule_domain::id::Rev;

/// The choices of a call below a thought.
fn dialog(make: impl Fn(&mut Stage)) -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "I will write.");
    make(&mut stage);
    stage.close();
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("enter");
    stage.wait(ARMING);
    assert!(stage.model.stack.is_top::<Dialog>(), "{}", stage.status());
    assert!(hints(&stage.model).iter().any(|hint| hint.decides), "it asks");
    stage
}

/// Checks that no key decides anything, and that the dialog stays until it is closed.
fn decides_nothing(stage: &mut Stage, why: &str) {
    stage.wait(ARMING);
    let text = stage.text();
    assert!(text.contains("this is no longer asked"), "{text}");
    assert!(text.contains(why), "{text}");
    let offered: Vec<_> = hints(&stage.model)
        .into_iter()
        .filter(|hint| hint.decides)
        .collect();
    assert!(offered.is_empty(), "{offered:?}");
    for key in ["u", "R", "x", "h", "d", "p", "T", "X"] {
        let open = stage.model.stack.len();
        stage.press(key);
        stage.wait(ARMING);
        assert_eq!(stage.commands(), [], "{key}");
        assert_eq!(stage.model.stack.len(), open, "{key}: {}", stage.status());
    }
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
}

#[test]
fn a_repeated_effect_that_an_edit_replaced_is_not_decided() {
    let mut stage = dialog(|stage| stage.consent("c3"));
    stage.rewrite("t2", "I will not write.");
    decides_nothing(&mut stage, "c3 is superseded: an edit replaced it");
}

#[test]
fn an_unknown_outcome_of_a_superseded_call_decides_nothing() {
    let mut stage = dialog(|stage| stage.outcome_unknown("c3"));
    stage.rewrite("t2", "I will not write.");
    decides_nothing(&mut stage, "c3 is superseded: an edit replaced it");
}

#[test]
fn nor_is_what_another_hand_decided_meanwhile() {
    let mut stage = dialog(|stage| stage.consent("c3"));
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Auto { rule: "test".into() },
    });
    decides_nothing(&mut stage, "cannot decide c3: its status is ");
}

#[test]
fn while_the_call_is_active_the_same_keys_decide() {
    let mut stage = dialog(|stage| stage.consent("c3"));
    stage.press("R");
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}
