//! Tests reading: required before a call runs, and kept while other views are open.

use super::arming::approve_exact as approve;
use crate::kernel::dialog::Dialog;
use crate::surfaces::bulk::Bulk;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Gate, Verdict};
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::node::Origin;

const ARGS: &str = r#"{"path":"a","content":"b"}"#;

fn long() -> String {
    format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(3_000))
}

fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::exact(width, height);
    stage.begin();
    stage
}

/// The choices of the first entry of the queue.
fn choices(stage: &mut Stage) {
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("enter");
    stage.wait(ARMING);
    assert!(stage.model.stack.is_top::<Dialog>());
}

fn read(stage: &mut Stage) {
    for _ in 0..60 {
        stage.press("pgdn");
        stage.draw();
    }
}

/// A waiting write of this many letters, more than fit on the screen.
fn asked_about(letters: usize) -> Stage {
    let mut stage = stage(100, 20);
    let args = format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(letters));
    stage.awaiting("c3", "write_file", &args);
    stage.draw();
    stage
}

#[test]
fn what_was_not_read_needs_another_key() {
    let mut stage = asked_about(10_000);
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("bytes unread"), "{}", stage.status());
    stage.press("ctrl-a");
    let commands = stage.commands();
    let [Command::Call(CallCommand::Approve { unread, .. })] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert!((5_000..10_100).contains(unread), "{unread}");
}

#[test]
fn jumping_to_the_end_is_not_reading() {
    let mut stage = asked_about(10_000);
    stage.press("2 G");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), []);
}

#[test]
fn at_the_end_the_way_back_to_unread_rows_is_shown() {
    let mut stage = asked_about(4_000);
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a");
    assert!(stage.status().contains("pgdn shows more"), "{}", stage.status());
    stage.press("3 G");
    stage.wait(ARMING);
    let flat = stage.flat();
    assert!(flat.contains("unread · pgup goes back"), "{flat}");
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("pgup goes back"), "{}", stage.status());
    assert!(!stage.status().contains("pgdn"), "{}", stage.status());
    for _ in 0..20 {
        stage.press("pgup");
    }
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)], "{}", stage.status());

    let mut stage = self::stage(80, 24);
    stage.consent_of("c3", &long());
    choices(&mut stage);
    stage.press("G");
    stage.draw();
    stage.press("R");
    assert!(stage.status().contains("pgup goes back"), "{}", stage.status());
}

#[test]
fn what_was_read_to_the_end_can_be_approved() {
    let mut stage = stage(100, 20);
    let args = format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(3_000));
    stage.awaiting("c3", "write_file", &args);
    stage.draw();
    stage.press("2");
    for _ in 0..20 {
        stage.press("pgdn");
    }
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
}

#[test]
fn an_effect_happens_again_only_after_all_of_it_was_on_screen() {
    for (width, height) in [(40, 12), (80, 24)] {
        let mut stage = stage(width, height);
        stage.consent_of("c3", &long());
        choices(&mut stage);
        stage.press("R");
        assert_eq!(stage.commands(), []);
        assert!(stage.status().contains("bytes unread"), "{}", stage.status());
        stage.press("G");
        stage.draw();
        stage.press("R");
        assert_eq!(stage.commands(), [], "jumping to the end is not reading");
        stage.press("g");
        read(&mut stage);
        stage.press("R");
        assert_eq!(stage.commands().len(), 1, "{}", stage.status());
    }
}

#[test]
fn no_is_not_the_key_of_yes() {
    let mut stage = stage(100, 40);
    stage.consent("c3");
    choices(&mut stage);
    stage.press("n");
    assert_eq!(stage.commands(), []);
}

#[test]
fn what_did_not_happen_may_run_at_once_and_is_read_before() {
    let mut stage = stage(40, 12);
    stage.close();
    stage.outcome_unknown_with("c3", &long());
    choices(&mut stage);
    stage.press("d");
    assert_eq!(stage.commands(), []);
    read(&mut stage);
    stage.press("d");
    assert!(matches!(
        stage.commands().as_slice(),
        [Command::Call(CallCommand::Resolve { .. })]
    ));
}

#[test]
fn what_was_read_stays_read_while_something_else_is_looked_at() {
    let mut stage = stage(100, 20);
    stage.awaiting("c3", "write_file", &long());
    stage.awaiting("c4", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    read(&mut stage);
    stage.press("j");
    stage.draw();
    stage.press("k");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)], "{}", stage.status());
}

#[test]
fn another_revision_has_to_be_read_again() {
    let mut stage = stage(100, 20);
    stage.awaiting("c3", "write_file", &long());
    stage.draw();
    stage.press("2");
    read(&mut stage);
    let args = long().replace("xxx", "xyx");
    stage.awaiting_revised("c3", ("write_file", &args), Origin::Repair { attempt: 1 });
    stage.draw();
    stage.press("t");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("bytes unread"), "{}", stage.status());
}

#[test]
fn calls_only_a_shell_can_resolve_are_in_no_list() {
    let mut stage = stage(100, 40);
    stage.awaiting("c3", "write_file", ARGS);
    let alone = Verdict {
        gate: Gate::Ask,
        alone: true,
        operator_only: true,
        ..Stage::verdict()
    };
    stage.awaiting_by("c4", ("write_file", ARGS), alone);
    stage.draw();
    stage.press("A");
    let Some(bulk) = stage.model.stack.top::<Bulk>() else {
        panic!("no list");
    };
    let listed: Vec<_> = bulk.items.iter().map(|item| item.call).collect();
    assert_eq!(listed, [id("c3")]);
    let text = stage.text();
    assert!(
        text.contains("◎ c3 write_file") && !text.contains("◎ c4"),
        "{text}"
    );
}
