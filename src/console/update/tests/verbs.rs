//! Tests that every verb sends its command, and only where it may.

use crate::kernel::dialog::Dialog;
use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::surfaces::editor::state::Editor;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Decision, Digest, Outcome, Shown, ShownForm};
use overrule_domain::command::{
    CallCommand, Command, ConsentChoice, Edit, EditCommand, Resolution, RunCommand,
};
use overrule_domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule_domain::id::{Attempt, Rev, TurnId};
use overrule_domain::refusal::RefusalKind;

pub const ARGS: &str = r#"{"path":"a","content":"b"}"#;

pub fn stage() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "first this");
    stage
}

/// Shows the queue for long enough.
fn look(stage: &mut Stage) {
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
}

fn run(command: RunCommand) -> Vec<Command> {
    vec![Command::Run(command)]
}

#[test]
fn reject_shows_the_reason() {
    let mut stage = stage();
    stage.awaiting("c3", "write_file", ARGS);
    look(&mut stage);
    stage.press("x");
    stage.type_text("not this");
    assert_eq!(stage.commands(), []);
    stage.press("enter");
    let reject = Command::Call(CallCommand::Reject {
        call: id("c3"),
        rev: Rev(1),
        reason: "not this".into(),
    });
    assert_eq!(stage.commands(), [reject]);
    assert!(stage.model.stack.is_empty());
}

#[test]
fn a_completed_command_is_reported_where_the_screen_does_not_show_it() {
    let mut stage = stage();
    stage.awaiting("c3", "write_file", ARGS);
    let done = |stage: &mut Stage, command: Command| {
        stage.send(Msg::Run(Update::Taken(Box::new(command))));
        stage.status().to_owned()
    };
    let policy = Command::Run(RunCommand::SetPolicy {
        policy: "auto".into(),
    });
    let words = "Policy is now auto; 1 call asked before and still waits for you";
    assert_eq!(done(&mut stage, policy.clone()), words);
    stage.awaiting("c4", "write_file", ARGS);
    let (call, rev) = (id("c4"), Rev(1));
    for decision in [
        Decision::Auto { rule: "x".into() },
        Decision::Withdrawn { reason: "y".into() },
    ] {
        stage.engine(Event::Call(CallEvent::Decided {
            call,
            rev,
            digest: None,
            decision,
        }));
    }
    stage.engine(Event::Call(CallEvent::Asked {
        call,
        rev,
        deadline_ms: None,
        approver: None,
    }));
    let words = format!("{words}; 1 call approved before asks you now");
    assert_eq!(done(&mut stage, policy.clone()), words);
    let (call, rev) = (id("c3"), Rev(1));
    let reason = "no".into();
    let reject = Command::Call(CallCommand::Reject { call, rev, reason });
    assert_eq!(done(&mut stage, reject), "Rejected c3: it does not run");
    let mut idle = Stage::new(80, 24);
    idle.begin();
    assert_eq!(done(&mut idle, policy), "Policy is now auto");
}

#[test]
fn a_reason_can_be_given_up() {
    let mut stage = stage();
    stage.awaiting("c3", "write_file", ARGS);
    look(&mut stage);
    // Closing asks first if a reason was typed, and not otherwise.
    stage.press("x n o esc");
    assert_eq!(stage.status(), "enter takes what was typed, esc again drops it");
    assert_eq!(stage.model.stack.len(), 1);
    stage.press("t esc");
    assert_eq!(
        stage.model.stack.len(),
        1,
        "what was typed since is not dropped by the second"
    );
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    stage.press("x esc");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
    // A search text is quickly typed again.
    stage.press("1 / n o esc");
    assert!(stage.model.stack.is_empty());
}

#[test]
fn the_key_that_finishes_a_text_finishes_a_line_too() {
    let mut stage = stage();
    stage.awaiting("c3", "write_file", ARGS);
    look(&mut stage);
    stage.press("x n o ctrl-s");
    assert!(matches!(
        stage.commands().as_slice(),
        [Command::Call(CallCommand::Reject { reason, .. })] if reason == "no"
    ));
    assert!(stage.model.stack.is_empty());
}

#[test]
fn pause_resume_step_and_stop_turn() {
    let mut stage = stage();
    stage.press("p");
    assert!(matches!(
        stage.commands().as_slice(),
        [Command::Run(RunCommand::Pause { .. })]
    ));
    stage.engine(Event::Run(RunEvent::Paused {
        reason: "operator".into(),
    }));
    stage.press("s");
    assert_eq!(stage.commands(), run(RunCommand::Step {}));
    stage.press("p");
    assert_eq!(stage.commands(), run(RunCommand::Resume {}));
    stage.press("S");
    assert_eq!(stage.commands(), run(RunCommand::StopTurn {}));
}

#[test]
fn a_running_call_can_be_cancelled_and_a_finished_one_run_again() {
    let mut stage = stage();
    stage.running("c3", "read_file", r#"{"path":"a"}"#);
    stage.wait(ARMING);
    assert_eq!(stage.selected(), Some(id("c3")));
    stage.press("R");
    let retry = Command::Call(CallCommand::Retry {
        call: id("c3"),
        rev: Rev(1),
    });
    assert_eq!(
        stage.commands(),
        vec![retry.clone()],
        "whether it can be run again is the run's to say"
    );
    stage.press("c");
    assert!(
        matches!(stage.commands().as_slice(), [Command::Call(CallCommand::Cancel { call, .. })] if *call == id("c3"))
    );
    stage.finish("c3", Outcome::ok("1"));
    stage.wait(ARMING);
    stage.press("c");
    assert_eq!(stage.commands(), [], "a finished call is not cancelled");
    stage.press("R");
    assert_eq!(stage.commands(), [retry]);
}

#[test]
fn answer_for_the_tool_gives_a_text_as_json() {
    let mut stage = stage();
    stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
    look(&mut stage);
    stage.press("w");
    stage.type_text("he said \"no\"");
    stage.press("ctrl-s");
    let answer = Command::Call(CallCommand::Answer {
        call: id("c3"),
        rev: Rev(1),
        value: r#""he said \"no\"""#.into(),
    });
    assert_eq!(stage.commands(), std::slice::from_ref(&answer));
    assert_eq!(
        stage.model.stack.len(),
        1,
        "the text stays until the run has taken it"
    );
    stage.press("x");
    stage.send(Msg::Run(Update::Taken(Box::new(answer))));
    assert!(stage.model.stack.is_empty());
}

#[test]
fn an_empty_answer_needs_a_second_key() {
    let mut stage = stage();
    stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
    look(&mut stage);
    stage.press("w ctrl-s");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.status(), "The result is empty. ctrl-s again sends it");
    stage.press("ctrl-s");
    assert!(
        matches!(stage.commands().as_slice(), [Command::Call(CallCommand::Answer { value, .. })] if **value == *"\"\""),
    );
}

#[test]
fn an_answer_can_be_typed_as_json() {
    let mut stage = stage();
    stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
    look(&mut stage);
    stage.press("w");
    stage.type_text("[1]");
    stage.press("ctrl-t");
    for _ in 0..5 {
        stage.press("ctrl-k delete");
    }
    let Some(editor) = stage.model.stack.top_mut::<Editor>() else {
        panic!("no editor");
    };
    editor.field.replace("{\"n\": 1.10}");
    stage.press("ctrl-s");
    assert!(
        matches!(stage.commands().as_slice(), [Command::Call(CallCommand::Answer { value, .. })] if **value == *"{\"n\":1.10}"),
    );
}

#[test]
fn a_journal_failure_is_not_reported_as_a_refusal() {
    let mut stage = stage();
    stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
    look(&mut stage);
    stage.press("a");
    stage.refuse_last(RefusalKind::Journal, "it is unknown whether this was recorded");
    let output = stage.status();
    assert!(
        output.ends_with(": it is unknown whether this was recorded"),
        "{output}"
    );
    assert!(output.starts_with("approve c3"), "{output}");
    assert!(!stage.flat().contains("refused"), "{}", stage.text());
}

#[test]
fn a_refused_answer_is_not_lost() {
    let mut stage = stage();
    stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
    look(&mut stage);
    stage.press("w");
    stage.type_text("precious");
    stage.press("ctrl-s");
    stage.refuse_last(RefusalKind::Changed, "it changed");
    assert_eq!(stage.status(), "answer for c3 was refused: it changed");
    let Some(editor) = stage.model.stack.top::<Editor>() else {
        panic!("the editor closed");
    };
    assert_eq!(editor.field.text(), "precious");
    stage.press("ctrl-s");
    assert_eq!(stage.commands().len(), 1, "it can be sent again");
}

#[test]
fn consent_has_three_choices() {
    let open = || {
        let mut stage = stage();
        stage.consent("c3");
        look(&mut stage);
        stage.press("enter");
        assert!(stage.model.stack.is_top::<Dialog>());
        stage.wait(ARMING);
        stage
    };
    let digest = || Digest("digest-of-c3-r1".into());
    let mut stage = open();
    stage.press("R");
    let again = Command::Call(CallCommand::Consent {
        call: id("c3"),
        rev: Rev(1),
        digest: digest(),
        choice: ConsentChoice::RunAgain,
        shown: Some(Shown {
            form: ShownForm::Fields,
            base: None,
        }),
        word: None,
    });
    assert_eq!(stage.commands(), [again]);

    let mut stage = open();
    stage.press("x");
    stage.type_text("enough");
    stage.press("enter");
    let reject = Command::Call(CallCommand::Consent {
        call: id("c3"),
        rev: Rev(1),
        digest: digest(),
        choice: ConsentChoice::Reject {
            reason: "enough".into(),
        },
        shown: None,
        word: None,
    });
    assert_eq!(stage.commands(), [reject]);

    let mut stage = open();
    stage.press("u");
    assert_eq!(stage.commands(), [], "there is no recorded result to reuse");
}

#[test]
fn approve_on_a_repeated_effect_opens_the_choices_instead() {
    let mut stage = stage();
    stage.consent("c3");
    look(&mut stage);
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.model.stack.is_top::<Dialog>());
    stage.press("R");
    assert_eq!(
        stage.commands(),
        [],
        "the choices were not on screen for long enough"
    );
}

#[test]
fn an_unknown_outcome_is_resolved_by_the_operator() {
    let mut stage = stage();
    stage.close();
    stage.outcome_unknown("c3");
    look(&mut stage);
    stage.press("enter");
    stage.wait(ARMING);
    stage.press("d");
    let did_not = Command::Call(CallCommand::Resolve {
        attempt: Some(Attempt(1)),
        call: id("c3"),
        what: Resolution::DidNot,
    });
    assert_eq!(stage.commands(), [did_not]);

    stage.press("enter");
    stage.wait(ARMING);
    stage.press("h");
    stage.type_text("ok");
    stage.press("ctrl-s");
    let happened = Command::Call(CallCommand::Resolve {
        attempt: Some(Attempt(1)),
        call: id("c3"),
        what: Resolution::Happened {
            value: "\"ok\"".into(),
        },
    });
    assert_eq!(stage.commands(), [happened]);
}

#[test]
fn a_cancelled_call_is_not_reported_as_a_program_end() {
    let asked = |unknown: &dyn Fn(&mut Stage)| {
        let mut stage = stage();
        unknown(&mut stage);
        look(&mut stage);
        stage.flat()
    };
    let cancelled = asked(&|stage| {
        stage.running("c3", "write_file", "{}");
        stage.call(CallEvent::Finished {
            call: id("c3"),
            rev: Rev(1),
            attempt: Attempt(1),
            outcome: Outcome::Cancelled { executed: true },
            ms: 1,
            digest: None,
        });
    });
    assert!(cancelled.contains("it was cancelled while it ran"), "{cancelled}");
    assert!(!cancelled.contains("program ended"), "{cancelled}");
    let crashed = asked(&|stage| stage.outcome_unknown("c3"));
    assert!(crashed.contains("program ended"), "{crashed}");
    assert!(!crashed.contains("cancelled"), "{crashed}");
}

#[test]
fn a_broken_stream_is_in_the_queue_with_three_choices() {
    let broken = || {
        let mut stage = stage();
        stage.broken();
        look(&mut stage);
        stage.press("enter");
        stage.wait(ARMING);
        stage
    };
    let mut stage = broken();
    stage.press("T");
    assert_eq!(
        stage.commands(),
        run(RunCommand::AskAgain {
            turn: TurnId(2),
            request: Some(1)
        })
    );
    let mut stage = broken();
    stage.press("u");
    assert_eq!(
        stage.commands(),
        run(RunCommand::KeepArrived {
            turn: TurnId(2),
            request: Some(1)
        })
    );
    let mut stage = broken();
    stage.press("X");
    stage.wait(ARMING);
    stage.press("X");
    assert!(matches!(
        stage.commands().as_slice(),
        [Command::Run(RunCommand::Stop { .. })]
    ));
}

#[test]
fn guidance_at_the_tip_goes_without_a_preview() {
    let mut stage = stage();
    stage.close();
    stage.turn(TurnEvent::Settled {
        turn: TurnId(2),
        errors: Vec::new(),
    });
    stage.press("i");
    stage.type_text("be brief");
    stage.press("ctrl-s");
    let commands = stage.commands();
    let [
        Command::Edit(EditCommand::Commit {
            edits,
            effects_seen: Some(0),
            ..
        }),
    ] = commands.as_slice()
    else {
        panic!("{commands:?}");
    };
    assert_eq!(
        edits,
        &[Edit::InsertPrompt {
            after: None,
            text: "be brief".into()
        }]
    );
}
