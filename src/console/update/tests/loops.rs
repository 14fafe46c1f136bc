//! Tests what the operator sees of loops, and what their keys do about them.
//!
//! Must not know: how a loop is found.

use std::sync::Arc;

use crate::kernel::model::Source;
use crate::run::target::Target;
use crate::surfaces;
use crate::testing::{Stage, id};
use overrule_domain::call::Decision;
use overrule_domain::command::{Command, EscapeCommand};
use overrule_domain::escape::{Detector, Finding, LoopStep, Signature, StepOutcome};
use overrule_domain::event::{CallEvent, EscapeEvent, Event, RunEvent};
use overrule_domain::id::{Rev, Seq, ThreadId, TurnId};

fn stage() -> Stage {
    let mut stage = Stage::new(140, 50);
    stage.begin();
    stage.awaiting("c3", "fetch", r#"{"page":1}"#);
    let signature = Signature {
        tool: Arc::from("fetch"),
        args: Some(Arc::from("94b32882cbe09a2a")),
        error: None,
    };
    stage.engine(Event::Escape(EscapeEvent::Found {
        incident: 1,
        finding: Finding {
            detector: Detector::Sequence,
            thread: ThreadId(0),
            period: 1,
            repetitions: 3,
            fails: true,
            first: Seq(1),
            nodes: vec![id("c3")],
            signatures: vec![signature.clone()],
        },
    }));
    for (node, level) in [("i8", LoopStep::Guidance), ("i9", LoopStep::Human)] {
        stage.engine(Event::Escape(EscapeEvent::Proposed {
            incident: 1,
            node: id(node),
            step: level,
            why: Arc::from("skipped: another tool\u{202e}"),
            after: TurnId(2),
            skipped: Vec::new(),
        }));
        stage.engine(Event::Escape(EscapeEvent::Applied {
            incident: 1,
            node: id(node),
            forbidden: vec![signature.clone()],
            notice: Some(Arc::from("You repeat yourself.")),
        }));
        if level == LoopStep::Guidance {
            stage.engine(Event::Escape(EscapeEvent::StepEnded {
                incident: 1,
                node: id(node),
                outcome: StepOutcome::Ignored,
            }));
        }
    }
    stage.engine(Event::Run(RunEvent::Paused {
        reason: "loop 1: fetch: the same 3 times in a row".into(),
    }));
    stage
}

#[test]
fn the_page_shows_what_repeats_what_was_done_and_what_can_be_done() {
    let mut stage = stage();
    stage.press("C");
    let text = stage.text();
    for words in [
        "loop 1 (sequence), waits for you: fetch: the same 3 times in a row",
        "i8 told the model to do something else: it changed nothing",
        "i9 paused for the operator: no outcome yet [skipped: another tool⟨U+202E⟩]",
        "allow the loop",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let guide = text.lines().find(|line| line.contains("give the model guidance"));
    assert!(guide.unwrap().contains("i  "), "{text}");
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
}

#[test]
fn what_helped_is_shown_on_the_page_and_in_the_health_pane() {
    let mut stage = stage();
    for key in ["C", "8"] {
        stage.press(key);
        let text = stage.text();
        assert!(
            text.contains("what helped so far: guidance 0 of 1"),
            "{key}\n{text}"
        );
        stage.press("esc");
    }
}

#[test]
fn of_what_is_over_nothing_is_offered() {
    let mut stage = stage();
    stage.engine(Event::Run(RunEvent::Resumed {}));
    stage.engine(Event::Escape(EscapeEvent::Ended {
        incident: 1,
        why: Arc::from("the operator intervened"),
    }));
    stage.press("C");
    let text = stage.text();
    assert!(text.contains("loop 1 (sequence), over"), "{text}");
    assert!(
        !text.contains("resume without a change") && !text.contains("allow the loop"),
        "{text}"
    );
}

#[test]
fn in_a_recorded_run_the_page_offers_nothing() {
    let mut stage = stage();
    stage.model.settings.source = Source::Replay;
    for (keys, message) in [("C", "it changed nothing"), ("W", "the newest events")] {
        stage.press(keys);
        let text = stage.text();
        assert!(text.contains(message), "{text}");
        assert!(
            !text.contains("allow the loop") && !text.contains("what you can do"),
            "{text}"
        );
        stage.press("esc");
    }
}

#[test]
fn a_key_lets_it_repeat() {
    let mut stage = stage();
    stage.press("Y");
    let allow = Command::Escape(EscapeCommand::AllowIncident {
        incident: 1,
        allowed: true,
    });
    assert_eq!(stage.commands(), [allow]);
    // The same key withdraws it.
    let signatures = stage.model.run.state.learned.escape.incidents[0]
        .finding
        .signatures
        .clone();
    stage.engine(Event::Escape(EscapeEvent::Allowed {
        signatures,
        allowed: true,
    }));
    stage.press("Y");
    let no_more = Command::Escape(EscapeCommand::AllowIncident {
        incident: 1,
        allowed: false,
    });
    assert_eq!(stage.commands(), [no_more]);
    let mut quiet = Stage::new(100, 40);
    quiet.begin();
    quiet.press("Y");
    assert_eq!(quiet.commands(), []);
    assert!(quiet.status().contains("No loops so far"), "{}", quiet.status());
}

#[test]
fn a_detector_is_muted_and_listened_to_by_its_name() {
    let mut stage = stage();
    let mute = |stage: &mut Stage, name: &str| {
        stage.press(":");
        stage.type_text("mute-loops");
        stage.press("enter");
        stage.type_text(name);
        stage.press("enter");
        stage.commands()
    };
    let command = |muted| {
        Command::Escape(EscapeCommand::Mute {
            detector: Detector::SameError,
            muted,
        })
    };
    assert_eq!(mute(&mut stage, "same_error"), [command(true)]);
    stage.engine(Event::Escape(EscapeEvent::Muted {
        detector: Detector::SameError,
        muted: true,
    }));
    assert_eq!(mute(&mut stage, "same-error"), [command(false)]);
    assert_eq!(mute(&mut stage, "everything"), []);
    assert!(
        stage.status().contains("same_error, no_progress"),
        "{}",
        stage.status()
    );
}

#[test]
fn a_detector_is_muted_and_unmuted_from_its_row_in_the_health_pane() {
    let mut stage = stage();
    stage.press("8 g");
    stage.text();
    let rows = &stage.model.lower.of(surfaces::health::PANE).unwrap().rows;
    let at = rows
        .iter()
        .position(|row| row.target == Target::Detector(Detector::NoProgress))
        .expect("each detector has a row");
    for _ in 0..at {
        stage.press("j");
    }
    let command = |muted| {
        Command::Escape(EscapeCommand::Mute {
            detector: Detector::NoProgress,
            muted,
        })
    };
    // The first opens the line with its name, the second sends it.
    stage.press("enter enter");
    assert_eq!(stage.commands(), [command(true)]);
    stage.engine(Event::Escape(EscapeEvent::Muted {
        detector: Detector::NoProgress,
        muted: true,
    }));
    assert!(
        stage.text().contains("no_progress  muted by you"),
        "{}",
        stage.text()
    );
    stage.press("enter enter");
    assert_eq!(stage.commands(), [command(false)]);
}

#[test]
fn the_inspector_describes_a_step() {
    let mut stage = stage();
    stage.press("G");
    let text = stage.text();
    for words in ["loop 1: fetch", "not known yet", "You repeat yourself."] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn a_call_that_the_guard_refuses_is_told_on_the_screen() {
    for (rule, told) in [("loop guard, loop 1", true), ("deny all", false)] {
        let mut stage = stage();
        stage.engine(Event::Call(CallEvent::Decided {
            call: id("c3"),
            rev: Rev(1),
            digest: None,
            decision: Decision::Deny {
                rule: rule.into(),
                reason: "it repeats".into(),
            },
        }));
        let screen = stage.text();
        let words = "c3 is refused because it repeats a loop. C shows the loop";
        assert_eq!(screen.contains(words), told, "{rule}: {screen}");
    }
}
