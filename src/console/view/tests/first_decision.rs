//! The two sentences that a person reads until their first decision.

use super::decisions::pictured;
use crate::kernel::model::Source;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Decision;
use overrule_domain::event::CallEvent;
use overrule_domain::id::Rev;

const REPORT: &str = r##"{"path":"overrule-report.md","content":"# Audit\nUnfinished work: 2 lines in 2 files.\nFirst step: begin with README.md.\n"}"##;
const SECOND: &str = "If you reject (x), it reads your reason and goes another way.";

/// A report is about to be written, for a person who has never decided.
fn report(stage: &mut Stage) {
    stage.model.settings.first_decision = true;
    stage.fixing();
    stage.asked_for(2);
    stage.asks(2, "c2", "write_file", REPORT);
    // The console asks what the call would replace.
    stage.wait(1);
    stage.would_replace("c2", None, "");
    stage.draw();
    stage.wait(ARMING);
}

fn decided(stage: &mut Stage, decision: Decision) {
    stage.call(CallEvent::Decided {
        call: id("c2"),
        rev: Rev(1),
        digest: None,
        decision,
    });
    stage.draw();
}

#[test]
fn the_first_decision_is_explained_in_two_sentences() {
    pictured("first_decision_80x24", (80, 24), report);
    // A small screen has no room for them, and shows the decision as always.
    let mut stage = Stage::new(60, 14);
    report(&mut stage);
    assert!(stage.text().contains("a approve"), "{}", stage.text());
    assert!(!stage.text().contains(SECOND), "{}", stage.text());
}

#[test]
fn the_sentences_end_with_the_first_decision() {
    for decision in [Decision::Reject { reason: "no".into() }, Decision::Answer] {
        let mut stage = Stage::new(80, 24);
        report(&mut stage);
        assert!(stage.text().contains(SECOND), "{}", stage.text());
        decided(&mut stage, decision);
        stage.asks(2, "c3", "write_file", REPORT);
        stage.draw();
        assert!(!stage.text().contains("If you reject"), "{}", stage.text());
    }
}

#[test]
fn a_decision_of_the_policy_is_none_of_the_operator() {
    let mut stage = Stage::new(80, 24);
    report(&mut stage);
    decided(
        &mut stage,
        Decision::Auto {
            rule: "preset guarded: pure and read go".into(),
        },
    );
    stage.asks(2, "c3", "shell", r#"{"command":"ls"}"#);
    stage.press("t");
    let text = stage.text();
    assert!(text.contains("The agent asks to run this command."), "{text}");
}

#[test]
fn who_decided_before_who_reads_a_recording_and_who_sees_no_call_reads_no_sentence() {
    let mut stage = Stage::new(80, 24);
    report(&mut stage);
    stage.model.settings.first_decision = false;
    stage.draw();
    assert!(!stage.text().contains(SECOND), "{}", stage.text());
    stage.model.settings.first_decision = true;
    stage.model.settings.source = Source::Replay;
    stage.draw();
    assert!(!stage.text().contains(SECOND), "{}", stage.text());

    let mut stage = Stage::new(80, 24);
    report(&mut stage);
    stage.press("1 g");
    assert!(!stage.text().contains(SECOND), "{}", stage.text());
}

#[test]
fn a_notice_has_the_row_above_and_an_answer_to_a_key_has_all() {
    let mut stage = Stage::new(80, 24);
    report(&mut stage);
    stage.model.notify("a notice of the run");
    stage.draw();
    let text = stage.text();
    assert!(
        text.contains("a notice of the run") && text.contains(SECOND),
        "{text}"
    );
    stage.model.complain("Ignored: it was not read to its end");
    stage.draw();
    let text = stage.text();
    assert!(text.contains("Ignored") && !text.contains(SECOND), "{text}");
}
