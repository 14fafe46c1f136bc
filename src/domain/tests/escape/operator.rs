//! Tests of what the operator does about a loop: an edit, a permission, a resumption, an undo.
//!
//! Must not know: how a loop is detected.

use super::*;

#[test]
fn an_operator_intervention_resolves_the_incident_and_resumes_the_run() {
    let mut w = world();
    times(&mut w, 5, "write", r#"{"n":-1}"#);
    assert!(matches!(w.state.mode, Mode::Paused(_)));
    w.edit(Edit::InsertPrompt {
        after: None,
        text: "try something else".into(),
    })
    .unwrap();
    assert_eq!(w.state.mode, Mode::Running);
    assert_eq!(steps(&w)[2].1, Some(StepOutcome::Overtaken));
    assert!(incident(&w).over);
    // So does a result by hand.
    let mut w = world();
    times(&mut w, 5, "write", r#"{"n":-1}"#);
    let about = calls_of(&w.state, incident(&w));
    assert_eq!(
        about[0],
        newest(&w),
        "the newest call counts, not the ones by which it was found"
    );
    assert!(matches!(w.state.mode, Mode::Paused(_)));
    w.answer_for(about[0], "7").unwrap();
    assert_eq!(w.state.mode, Mode::Running);
    w.guide("continue").unwrap();
    // A pause of their own is no matter of edits.
    w.run(RunCommand::Pause {
        reason: "mine".into(),
    })
    .unwrap();
    w.edit(Edit::InsertPrompt {
        after: None,
        text: "and this".into(),
    })
    .unwrap();
    assert!(matches!(w.state.mode, Mode::Paused(_)));
}

#[test]
fn the_run_pauses_for_the_operator_and_allowing_the_incident_resumes_it() {
    let mut w = world();
    times(&mut w, 5, "write", r#"{"n":-1}"#);
    let (Mode::Paused(reason), no) = (w.state.mode.clone(), incident(&w).no) else {
        panic!("{:?}", w.state.mode)
    };
    assert_eq!(reason, "loop 1: write: the same 3 times in a row");
    assert!(w.notes.iter().any(|note| note.contains("loop 1")));
    let describe = |incident, allowed| Command::Escape(EscapeCommand::AllowIncident { incident, allowed });
    let allow = |incident| describe(incident, true);
    assert_eq!(kind(w.cmd(allow(7))), RefusalKind::Unknown);
    w.cmd(allow(no)).unwrap();
    assert_eq!(w.state.mode, Mode::Running);
    assert!(incident(&w).over);
    assert_eq!(steps(&w)[2].1, Some(StepOutcome::Overtaken));
    assert_eq!(kind(w.cmd(allow(no))), RefusalKind::NoChange);
    times(&mut w, 5, "write", r#"{"n":-1}"#);
    assert_eq!(w.state.learned.escape.incidents.len(), 1, "it may repeat");
    // The loop is found again once that is withdrawn.
    w.cmd(describe(no, false)).unwrap();
    assert_eq!(kind(w.cmd(describe(no, false))), RefusalKind::NoChange);
    turn(&mut w, "write", r#"{"n":-1}"#);
    assert_eq!(w.state.learned.escape.incidents.len(), 2);
}

#[test]
fn resuming_without_a_change_pauses_again_and_then_stops_the_run() {
    let mut w = world();
    times(&mut w, 5, "write", r#"{"n":-1}"#);
    w.run(RunCommand::Resume {}).unwrap();
    turn(&mut w, "write", r#"{"n":-1}"#);
    assert_eq!(
        steps(&w)[2..],
        [
            (LoopStep::Human, Some(StepOutcome::Ignored)),
            (LoopStep::Human, None)
        ]
    );
    w.run(RunCommand::Resume {}).unwrap();
    let ran = w.executed.len();
    turn(&mut w, "write", r#"{"n":-1}"#);
    assert_eq!(w.executed.len(), ran + 1);
    assert_eq!(
        w.state.settings.restricted.as_deref(),
        Some("loop 1: write: the same 3 times in a row")
    );
    assert_eq!(w.state.mode, Mode::Running, "it may continue to read");
    assert!(w.notes.iter().filter(|note| note.contains("loop 1")).count() >= 3);
    // The calls of the loop are denied by now; another one of them is the end.
    turn(&mut w, "write", r#"{"n":-1}"#);
    assert_eq!(w.executed.len(), ran + 1);
    assert_eq!(
        steps(&w)[4..],
        [
            (LoopStep::Restrict, Some(StepOutcome::Ignored)),
            (LoopStep::Stop, None)
        ]
    );
    assert!(matches!(&w.state.mode, Mode::Stopped(reason) if reason.starts_with("loop 1")));
    assert!(w.open.is_empty());
}

#[test]
fn an_edit_of_the_operator_begins_a_new_count() {
    let mut w = world();
    times(&mut w, 2, "read", r#"{"n":-1}"#);
    w.guide("look elsewhere").unwrap();
    // The reply that was in progress precedes their text.
    turn(&mut w, "read", r#"{"n":-1}"#);
    times(&mut w, 2, "read", r#"{"n":-1}"#);
    assert!(w.state.learned.escape.incidents.is_empty());
    turn(&mut w, "read", r#"{"n":-1}"#);
    assert_eq!(incident(&w).finding.nodes.len(), 3);
    // And it ends an incident that is open.
    w.guide("stop that").unwrap();
    turn(&mut w, "pure", r#"{"n":1}"#);
    assert_eq!(steps(&w), [(LoopStep::Guidance, Some(StepOutcome::Overtaken))]);
    assert!(incident(&w).over);
}

#[test]
fn undoing_a_guard_step_counts_as_an_operator_undo() {
    let mut w = world();
    turn(&mut w, "read", r#"{"n":9}"#);
    times(&mut w, 5, "read", r#"{"n":-1}"#);
    assert_eq!(
        steps(&w).last().map(|(level, _)| *level),
        Some(LoopStep::RollBack)
    );
    let gone = incident(&w).finding.nodes.clone();
    w.undo().unwrap();
    let active = |id: &NodeId| w.state.nodes.get(id).is_some_and(|node: &Node| node.active);
    assert!(gone.iter().all(active), "the abandoned nodes are active again");
    assert!(
        w.events()
            .any(|event| matches!(event, Event::Edit(EditEvent::Recalled { .. }))),
        "as an undo of the operator"
    );
}
