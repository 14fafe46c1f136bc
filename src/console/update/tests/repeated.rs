//! Tests a repeated effect: which execution it repeats, how that ended, and if it is active.

use crate::kernel::dialog::Dialog;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{ConsentCause, EffectClass, Outcome};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::fork::Elsewhere;
use overrule_domain::id::Seq;
use overrule_domain::ledger;
use overrule_domain::state::LedgerOutcome;

const ARGS: &str = r#"{"path":"a","content":"b"}"#;

/// The first execution of a call.
fn entry(stage: &Stage, call: &str) -> Seq {
    ledger::newest_of(&stage.model.run.state, id(call)).unwrap()
}

/// A write that ran under a thought that was rewritten, and another call that would repeat these
/// executions.
fn repeats(width: u16, entries: impl FnOnce(&Stage) -> Vec<Seq>) -> Stage {
    let mut stage = Stage::exact(width, 40);
    stage.orphaned();
    let entries = entries(&stage);
    stage.repeats("c8", ("write_file", ARGS), ConsentCause::Orphaned, entries);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

#[test]
fn the_frame_names_the_call_its_entry_its_end_and_the_edit() {
    for width in [60, 120] {
        let mut stage = repeats(width, |stage| vec![entry(stage, "c3")]);
        let (at, edit) = (
            entry(&stage, "c3"),
            stage.model.run.state.operator.edits[0].intervention,
        );
        let output = format!("it repeats c3 {at}, succeeded; superseded: edit {edit} replaced it");
        let shown = crate::testing::flat(&stage.text().replace(['┃', '│'], " "));
        assert!(shown.contains(&output), "{shown}");
        let place = |words: &str| {
            shown
                .find(words)
                .unwrap_or_else(|| panic!("no `{words}`: {shown}"))
        };
        assert!(
            place("┏━ c8 would repeat c3") < place("it repeats") && place("it repeats") < place(r#"{"path""#),
            "{shown}"
        );
        assert!(!shown.contains("and 1 more"), "{shown}");
        // The dialog shows the same frame.
        stage.press("enter");
        assert!(stage.model.stack.is_top::<Dialog>());
        assert!(
            crate::testing::flat(&stage.text().replace('┃', " ")).contains(&output),
            "{}",
            stage.text()
        );
    }
}

#[test]
fn nothing_is_shown_when_nothing_is_repeated() {
    let mut stage = Stage::exact(120, 40);
    stage.orphaned();
    stage.awaiting("c8", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    assert!(stage.text().contains("┏━ c8 writes"), "{}", stage.text());
    assert!(!stage.text().contains("repeats"), "{}", stage.text());
    stage.press("O");
    assert!(stage.text().contains("superseded: "), "{}", stage.text());
    assert!(!stage.text().contains("would be repeated"), "{}", stage.text());
    // Nor of one that asked and was answered.
    let mut stage = repeats(120, |stage| vec![entry(stage, "c3")]);
    stage.call(CallEvent::Decided {
        call: id("c8"),
        rev: overrule_domain::id::Rev(1),
        digest: None,
        decision: overrule_domain::call::Decision::RunAgain { shown: None },
    });
    assert!(!stage.text().contains("it repeats"), "{}", stage.text());
}

#[test]
fn a_few_are_named_newest_first_and_the_others_are_counted() {
    let mut stage = Stage::exact(120, 40);
    stage.begin();
    for call in ["c3", "c4", "c5", "c6", "c7"] {
        stage.finished(call, "write_file", ARGS, Outcome::ok("1"));
    }
    let all = ["c3", "c4", "c5", "c6", "c7"].map(|call| entry(&stage, call));
    stage.repeats("c8", ("write_file", ARGS), ConsentCause::SameCall, all.to_vec());
    stage.draw();
    stage.press("2");
    let shown = stage.flat();
    let place = |words: &str| {
        shown
            .find(words)
            .unwrap_or_else(|| panic!("no `{words}`: {shown}"))
    };
    assert!(
        place("it repeats c7") < place("it repeats c6") && place("it repeats c6") < place("it repeats c5"),
        "{shown}"
    );
    assert!(place("it repeats c5") < place("and 2 more"), "{shown}");
    assert!(
        !shown.contains("repeats c4") && !shown.contains("repeats c3"),
        "{shown}"
    );
    assert!(
        shown.contains("it repeats c7") && shown.contains("succeeded; still active"),
        "{shown}"
    );
}

#[test]
fn an_unseen_end_is_shown_as_outcome_unknown() {
    let mut stage = Stage::exact(120, 40);
    stage.begin();
    stage.close();
    stage.outcome_unknown("c3");
    let at = entry(&stage, "c3");
    assert_eq!(stage.model.run.state.ledger[&at].outcome, LedgerOutcome::Unknown);
    stage.repeats("c8", ("write_file", ARGS), ConsentCause::Unknown, vec![at]);
    stage.draw();
    stage.press("2 j");
    let output = format!("it repeats c3 {at}, outcome unknown; still active");
    assert!(stage.flat().contains(&output), "{}", stage.text());
    assert!(!stage.flat().contains("succeeded"), "{}", stage.text());
}

#[test]
fn what_another_run_did_is_framed_once_and_cannot_draw_the_frame() {
    let mut stage = Stage::exact(160, 40);
    stage.begin();
    let seq = stage.engine(Event::Run(RunEvent::HappenedElsewhere(std::sync::Arc::new(
        Elsewhere {
            session: "s\n┃ {\"path\":\"x\"}".into(),
            entry: Seq(9),
            call: id("c7"),
            tool: "write_file".into(),
            args: ARGS.into(),
            same: "s".into(),
            effect: EffectClass::Write,
            at: 0,
            outcome: Some(Outcome::ok("1")),
        },
    ))));
    stage.consent_elsewhere("c3", "write_file", ARGS, seq);
    stage.press("2");
    let shown = stage.flat();
    assert_eq!(
        shown.matches("happened after the fork point").count(),
        1,
        "{shown}"
    );
    assert_eq!(shown.matches("┃ {").count(), 1, "only the arguments: {shown}");
    assert!(!shown.contains("it repeats"), "{shown}");
}

#[test]
fn the_effect_list_shows_why_one_is_superseded_and_what_would_repeat_it() {
    for width in [60, 120] {
        let mut stage = repeats(width, |stage| vec![entry(stage, "c3")]);
        let edit = stage.model.run.state.operator.edits[0].intervention;
        stage.press("O");
        let shown = stage.flat();
        let output = format!("succeeded, would be repeated by c8; superseded: edit {edit} replaced it");
        assert!(shown.contains(&output), "{shown}");
    }
}
