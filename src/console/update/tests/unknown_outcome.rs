//! Tests the question about an unknown outcome, also while its process still runs.

use crate::kernel::msg::{Msg, Out};
use crate::run::link::{OrphanCandidate, Update};
use crate::run::orphan_status::OrphanStatus;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Decision, Outcome};
use overrule_domain::command::{CallCommand, Command, Resolution};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::{Attempt, Rev};
use overrule_domain::orphan_process::OrphanProcess;

const PROCESS: u32 = 25_142;

fn orphan_candidate() -> OrphanCandidate {
    OrphanCandidate {
        call: id("c3"),
        pid: PROCESS,
        ticks: 9,
    }
}

/// The selected question about a call that had a process.
fn asked() -> Stage {
    let mut stage = Stage::new(140, 40);
    stage.begin();
    stage.close();
    stage.running("c3", "shell", r#"{"command":"sleep 600"}"#);
    stage.call(CallEvent::Spawned {
        call: id("c3"),
        attempt: Attempt(1),
        pid: PROCESS,
        ticks: 9,
    });
    assert!(watched(&mut stage).is_empty(), "it runs before our eyes");
    stage.engine(Event::Run(RunEvent::Reopened {
        interrupted: vec![(id("c3"), Attempt(1))],
        version: "0".into(),
    }));
    stage.draw();
    stage.press("2 enter");
    stage.wait(ARMING);
    stage
}

fn watched(stage: &mut Stage) -> Vec<Vec<OrphanCandidate>> {
    let of = |out: &Out| match out {
        Out::Watch(processes) => Some(processes.clone()),
        _ => None,
    };
    let all = stage.out.iter().filter_map(of).collect();
    stage.out.retain(|out| !matches!(out, Out::Watch(_)));
    all
}

fn send_orphan_update(stage: &mut Stage, left: Option<OrphanProcess>) {
    stage.send(Msg::Run(Update::OrphanFound {
        process: orphan_candidate(),
        left,
    }));
    stage.draw();
}

fn resolve(what: Resolution) -> Command {
    Command::Call(CallCommand::Resolve {
        call: id("c3"),
        attempt: Some(Attempt(1)),
        what,
    })
}

#[test]
fn an_outcome_can_be_left_unknown_and_the_effect_is_shown() {
    let mut stage = asked();
    assert!(
        stage.text().contains("x abandon: not run again"),
        "{}",
        stage.text()
    );
    stage.press("x");
    stage.draw();
    assert!(
        stage
            .flat()
            .contains("c3 stays unknown and does not run again: what should the model know?"),
        "{}",
        stage.text()
    );
    assert_eq!(stage.commands(), [], "nothing is sent before that was read");
    stage.type_text("the office checks");
    stage.press("enter");
    let reason = "the office checks".into();
    assert_eq!(stage.commands(), [resolve(Resolution::Abandon { reason })]);
    assert!(stage.model.stack.is_empty());
    // Without a note, too.
    stage.press("enter");
    stage.wait(ARMING);
    stage.press("x enter");
    let reason = String::new();
    assert_eq!(stage.commands(), [resolve(Resolution::Abandon { reason })]);
}

#[test]
fn an_abandoned_call_is_labeled_in_its_row_and_waits_no_longer() {
    let mut stage = asked();
    stage.press("esc 1");
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Abandon {
            reason: "who knows".into(),
        },
    });
    stage.draw();
    let text = stage.text();
    let row = text
        .lines()
        .find(|row| row.contains("c3  shell"))
        .unwrap_or_default();
    assert!(row.contains("left unknown"), "{text}");
    assert!(!text.contains("rejected"), "{text}");
    assert_eq!(stage.model.queue.waiting(), 0);
    assert_eq!(
        watched(&mut stage).last(),
        Some(&Vec::new()),
        "nothing is watched any more"
    );
}

#[test]
fn while_its_process_runs_nobody_lets_it_run_again() {
    let mut stage = asked();
    assert_eq!(
        watched(&mut stage),
        [vec![orphan_candidate()]],
        "it is looked for once"
    );
    assert!(
        stage.text().contains("its process was 25142: if"),
        "{}",
        stage.text()
    );
    let began = "process 25142 of c3 has ended, but what it started still runs as process group 25142";
    for (left, message) in [
        (OrphanProcess::Process, "c3 still runs as process 25142"),
        (OrphanProcess::Group, began),
    ] {
        send_orphan_update(&mut stage, Some(left));
        let text = stage.flat();
        assert!(text.contains(&format!("{message}: wait")), "{text}");
        // The frame breaks the line in the middle of it.
        assert!(text.contains("`kill --") && text.contains("-25142`"), "{text}");
        assert_eq!(
            text.contains("┃ c3 still runs"),
            left == OrphanProcess::Process,
            "{text}"
        );
        assert!(!text.contains("it did not happen: run it"), "{text}");
        stage.press("d");
        assert_eq!(stage.commands(), []);
        let output = stage.status();
        assert!(
            output.contains(&format!("{message}: it may happen yet")),
            "{output}"
        );
        stage.wait(2_000);
    }
    send_orphan_update(&mut stage, None);
    let text = stage.flat();
    assert!(
        text.contains("its process 25142 and all its children have ended"),
        "{text}"
    );
    assert_eq!(stage.status(), "", "the refusal goes with its reason");
    assert!(text.contains("it did not happen: run it"), "{text}");
    stage.wait(2_000);
    stage.press("d");
    assert_eq!(stage.commands(), [resolve(Resolution::DidNot)]);
    // A report about another process does not apply to this one.
    stage.send(Msg::Run(Update::OrphanFound {
        process: OrphanCandidate {
            pid: 1,
            ..orphan_candidate()
        },
        left: Some(OrphanProcess::Process),
    }));
    assert_eq!(stage.model.run.outlived(id("c3")), OrphanStatus::Nothing);
}

/// A shell command that was approved, and that the operator cancelled while it ran.
fn cancelled() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.running("c3", "shell", r#"{"command":"make"}"#);
    stage.awaiting("c4", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.finish("c3", Outcome::Cancelled { executed: true });
    stage.draw();
    stage.press("2");
    stage.press("k");
    assert_eq!(stage.selected(), Some(id("c3")));
    stage.wait(ARMING);
    stage
}

#[test]
fn one_key_resolves_a_cancelled_call_as_unfinished_and_resumes() {
    let mut stage = cancelled();
    let text = stage.text();
    assert!(text.contains("it was cancelled while it ran"), "{text}");
    assert!(text.contains("c did not finish: continue"), "{text}");
    let word = [resolve(Resolution::DidNotFinish)];
    stage.press("c");
    assert_eq!(stage.commands(), word);
    // The list of choices does the same.
    let mut stage = cancelled();
    stage.press("enter");
    stage.press("c");
    assert_eq!(stage.commands(), [], "what it asks was on screen too shortly");
    stage.wait(ARMING);
    stage.press("c");
    assert_eq!(stage.commands(), word);
    assert!(stage.model.stack.is_empty());
}

#[test]
fn a_call_that_was_not_cancelled_cannot_be_resolved_as_unfinished() {
    let mut stage = asked();
    assert!(!stage.text().contains("did not finish"), "{}", stage.text());
    stage.press("c");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("was not cancelled"), "{}", stage.status());
    stage.press("esc");
    stage.wait(ARMING);
    stage.press("c");
    assert_eq!(stage.commands(), []);
}
