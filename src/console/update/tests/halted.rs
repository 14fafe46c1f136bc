//! Tests a halted run: views and cancels work, and nothing else is offered or sent.

use crate::app::registry::verbs;
use crate::kernel::availability::{is_offered, of};
use crate::kernel::context::Context;
use crate::kernel::halted;
use crate::kernel::hints::{hints, surface};
use crate::kernel::model::{Message, Model};
use crate::kernel::msg::{Msg, Out};
use crate::kernel::prompt::Prompt;
use crate::kernel::verb::{Availability, Verb};
use crate::run::link::Update;
use crate::run::refusal::UNDECIDABLE;
use crate::run::target::Target;
use crate::surfaces::help::HelpPage;
use crate::surfaces::list::List;
use crate::surfaces::review::Review;
use crate::surfaces::staged_edits::StagedList;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::refusal::{Refusal, RefusalKind};

/// As the engine reports it: with advice, and a path at its end.
const WHY: &str = "No space left on device (os error 28): the session cannot be written; make room on the disk, then \
                   resume: everything acknowledged is there; failed to write the journal: /s/journal.jsonl";

const REFUSED: &str = "halted, nothing recorded: W shows why";

fn halt(stage: &mut Stage) {
    stage.send(Msg::Run(Update::Halted(WHY.into())));
    stage.wait(ARMING);
    stage.out.clear();
}

/// A halted run in which a call waited, one ran, and edits had been made.
fn halted(busy: bool) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "first this");
    stage.awaiting("c3", "write_file", r#"{"path":"a"}"#);
    if busy {
        stage.running("c4", "read_file", "{}");
    } else {
        stage.close();
    }
    stage.wait(ARMING);
    stage.press("2");
    halt(&mut stage);
    stage
}

fn refused(model: &Model, verb: &Verb) -> bool {
    of(model, verb) == Availability::Refused(halted::why(model))
}

#[test]
fn what_would_have_to_be_recorded_is_refused_in_one_row_and_opens_nothing() {
    for size in [(40, 12), (80, 24)] {
        let mut keys = 0;
        let all = verbs().filter(|entry| entry.contexts.contains(&Context::Panes));
        for entry in overrule_testing::sample(all, 4) {
            let mut stage = halted(false);
            (stage.model.screen.width, stage.model.screen.height) = size;
            stage.draw();
            if !refused(&stage.model, entry) {
                continue;
            }
            assert!(!is_offered(&stage.model, entry), "{} is offered", entry.name);
            let rows = stage.text();
            for key in entry.keys {
                keys += 1;
                stage.press(key);
                stage.wait(ARMING);
                assert_eq!(stage.status(), REFUSED, "{key} ({})", entry.name);
                assert!(stage.model.stack.is_empty(), "{key} ({})", entry.name);
                assert_eq!(stage.out, [], "{key} ({})", entry.name);
                let reported = stage.text();
                assert_eq!(
                    reported
                        .lines()
                        .filter(|row| row.contains("halted, nothing recorded"))
                        .count(),
                    1
                );
                assert!(reported.contains(REFUSED), "whole, on one row: {reported}");
                assert!(!reported.contains("journal.jsonl"), "{reported}");
                stage.press("alt-z");
                stage.model.message = Message::default();
            }
            assert_eq!(stage.text(), rows, "{} moved something", entry.name);
        }
        assert!(keys > 5, "{keys} keys were pressed");
    }
}

#[test]
fn what_is_not_refused_sends_nothing_that_would_have_to_be_recorded() {
    let mut sent = 0;
    let all = verbs().filter(|entry| entry.contexts.contains(&Context::Panes));
    for entry in overrule_testing::sample(all, 3) {
        for key in entry.keys {
            // The same run without a halt: commands are not filtered.
            let mut stage = halted(true);
            stage.model.run.halted = None;
            stage.press("1");
            stage.press(key);
            stage.wait(ARMING);
            let commands = stage.commands();
            let records = commands.iter().any(|one| !one.only_ends());
            sent += usize::from(records);
            assert!(
                !records || entry.effect.must_be_recorded(),
                "{key} ({}): {commands:?}",
                entry.name
            );
        }
    }
    assert!(sent > 0, "{sent} keys sent something");
}

#[test]
fn the_status_line_the_palette_and_help_leave_out_what_is_refused() {
    for busy in [false, true] {
        for pane in ["1", "2", "3", "4", "7", "8"] {
            let mut stage = halted(busy);
            stage.press(pane);
            let offered = hints(&stage.model);
            for hint in &offered {
                let verb =
                    stage
                        .model
                        .settings
                        .keymap
                        .verb(surface(&stage.model), hint.key.parse().unwrap(), false);
                assert!(
                    !refused(&stage.model, verb.unwrap()),
                    "{} {}",
                    hint.key,
                    hint.word
                );
            }
            assert!(offered.iter().any(|hint| hint.word == "quit"), "{offered:?}");
            let first = offered.iter().find(|hint| hint.leads).map(|hint| hint.word);
            assert!(
                pane == "4" || first == Some("quit"),
                "the way out has its place: {offered:?}"
            );
            let stops = offered.iter().any(|hint| hint.word == "stop all");
            assert_eq!(stops, busy, "{offered:?}");
            for word in [
                "edit",
                "replace",
                "correct",
                "guide",
                "pause",
                "approve",
                "next pending",
                "change the limits",
            ] {
                assert!(
                    !offered.iter().any(|hint| hint.word == word),
                    "{word} in {pane}: {offered:?}"
                );
            }
        }
    }
    let mut stage = halted(false);
    stage.press(":");
    let Some(list) = stage.model.stack.top::<List>() else {
        panic!("no palette")
    };
    let listed = |name: &str| list.choices.iter().any(|choice| choice.name == name);
    for name in [
        "approve",
        "guide",
        "limits",
        "undo",
        "stop-turn",
        "emergency-stop",
        "cancel-call",
    ] {
        assert!(!listed(name), "{name}");
    }
    for name in [
        "why-waiting",
        "log",
        "quit",
        "copy",
        "branches",
        "rules",
        "impact",
    ] {
        assert!(listed(name), "{name}");
    }
    stage.press("esc ?");
    let Some(page) = stage.model.stack.last().and_then(|top| top.sheet()) else {
        panic!("no help")
    };
    let help = page.doc.copy();
    assert!(help.contains("This run is halted"), "{help}");
    assert!(
        !help.contains("approve-unread") && !help.contains("emergency-stop"),
        "{help}"
    );
    assert!(help.contains("why-waiting"), "{help}");
}

#[test]
fn open_help_is_updated_when_the_run_halts() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("?");
    let help = |stage: &Stage| stage.model.stack.top::<HelpPage>().unwrap().sheet.doc.copy();
    assert!(help(&stage).contains("approve-unread"));
    halt(&mut stage);
    assert!(!help(&stage).contains("approve-unread") && help(&stage).contains("This run is halted"));
}

#[test]
fn a_halted_run_shows_nothing_as_waiting() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "first this");
    stage.close();
    stage.press("2");
    assert!(stage.text().contains("Queue empty"));
    halt(&mut stage);
    let text = stage.text();
    assert!(
        text.contains(UNDECIDABLE) && !text.contains("waits for you") && !text.contains("Queue empty"),
        "{text}"
    );
    let mut stage = halted(false);
    let text = stage.text();
    assert!(text.contains(&format!("queue 1; {UNDECIDABLE}")), "{text}");
    assert!(!text.contains("1 waiting"), "{text}");
    assert!(!text.contains("may this call run?"), "{text}");
    assert_eq!(stage.model.title(), "overrule: HALTED");
    // A replay ends with its reader, and allows no decisions anyway.
    let mut stage = Stage::with(80, 24, |settings| {
        settings.source = crate::kernel::model::Source::Replay;
    });
    stage.begin();
    halt(&mut stage);
    stage.press("a");
    assert!(!stage.status().contains("halted"), "{}", stage.status());
    assert!(!stage.text().contains(UNDECIDABLE));
}

#[test]
fn typed_text_survives_a_halt_and_shows_how_to_save_it() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "first this");
    stage.close();
    stage.guidance();
    stage.type_text("look twice");
    assert!(!stage.text().contains("halted"));
    assert!(hints(&stage.model).iter().any(|hint| hint.word == "done"));
    assert!(!hints(&stage.model).iter().any(|hint| hint.word == "copy"));
    halt(&mut stage);
    let text = stage.flat();
    assert!(
        text.contains(
            "halted: the text stays, but cannot be sent; alt-c copies it, ctrl-o opens it in $EDITOR, where it can be \
             saved, ctrl-g stages it"
        ),
        "{text}"
    );
    assert!(
        text.contains("look twice") && text.contains("alt-c copy"),
        "{text}"
    );
    assert!(!text.contains("ctrl-s done") && !text.contains("W why"), "{text}");
    stage.type_text(" now");
    stage.press("ctrl-s");
    assert!(
        stage.status().starts_with("halted: the text stays"),
        "{}",
        stage.status()
    );
    assert!(!stage.status().contains("journal"), "{}", stage.status());
    assert_eq!(stage.commands(), []);
    stage.press("alt-c");
    assert!(
        matches!(stage.out.as_slice(), [Out::Copy(text)] if text == "look twice now"),
        "{:?}",
        stage.out
    );
    stage.press("esc");
    assert_eq!(stage.status(), "esc again drops the text, alt-c copies it");
    stage.press("ctrl-g");
    assert!(stage.model.stack.is_empty());
    assert_eq!(
        stage.model.staged_edits.len(),
        1,
        "it is there, whatever becomes of the run"
    );
    assert_eq!(stage.commands(), [], "it suspends nothing");
    // The list can be viewed, but no edit can be opened.
    stage.press("E");
    assert!(stage.model.stack.is_top::<StagedList>());
    assert!(!hints(&stage.model).iter().any(|hint| hint.word == "open"));
    stage.press("e");
    assert!(stage.model.stack.is_top::<StagedList>());
    stage.press("v");
    assert!(stage.model.stack.is_top::<Review>());
    assert!(!hints(&stage.model).iter().any(|hint| hint.word == "commit"));
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.status(), "halted, nothing recorded");
}

#[test]
fn a_reason_that_is_typed_when_the_run_halts_stays() {
    let mut stage = Stage::asked(80, 24, r#"{"path":"a"}"#);
    stage.wait(ARMING);
    stage.press("x");
    stage.type_text("not there");
    halt(&mut stage);
    let text = stage.flat();
    assert!(
        text.contains("halted: this stays, but cannot be sent; alt-c copies it")
            && text.contains("not there"),
        "{text}"
    );
    stage.press("enter");
    assert!(stage.model.stack.is_top::<Prompt>());
    assert_eq!(stage.commands(), []);
    stage.press("esc");
    assert_eq!(stage.status(), "esc again drops what was typed, alt-c copies it");
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    // A search needs no record.
    stage.press("/");
    stage.type_text("first");
    stage.press("enter");
    assert!(stage.model.stack.is_empty(), "{}", stage.status());
}

#[test]
fn closing_an_editor_in_a_halted_run_sends_no_command() {
    let mut stage = Stage::asked(80, 24, r#"{"path":"a"}"#);
    stage.wait(ARMING);
    stage.press("e");
    let hold = Command::Edit(EditCommand::Hold { node: id("c3") });
    assert_eq!(stage.commands(), [hold]);
    halt(&mut stage);
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.status(), "");
}

#[test]
fn an_answer_of_a_halted_run_omits_the_reason_in_either_order() {
    let answers = [
        (format!("not done: {WHY}"), "not done; W shows why"),
        (
            format!("ended, but this is not recorded: {WHY}"),
            "ended, but this is not recorded; W shows why",
        ),
    ];
    for (answer, reported) in answers {
        for halts_first in [true, false] {
            let mut stage = Stage::new(80, 24);
            stage.begin();
            stage.running("c3", "read_file", "{}");
            stage.wait(ARMING);
            stage.press("1 j");
            stage.wait(ARMING);
            stage.press("c");
            let command = stage.commands().pop().expect("a cancel");
            let refusal = Refusal::new(RefusalKind::Journal, answer.as_str());
            if halts_first {
                halt(&mut stage);
                stage.refuse(command, refusal);
            } else {
                stage.refuse(command, refusal);
                assert!(stage.status().ends_with(WHY));
                halt(&mut stage);
            }
            assert!(stage.status().ends_with(reported), "{}", stage.status());
            assert!(!stage.status().contains("journal.jsonl"), "{}", stage.status());
            stage.press("4 enter");
            // All of it is in the log.
            assert!(
                stage.flat().contains("failed to write the journal"),
                "{}",
                stage.text()
            );
        }
    }
}

#[test]
fn what_was_ended_after_the_halt_is_not_offered_to_be_ended_once_more() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.running("c3", "read_file", "{}");
    stage.running("c4", "read_file", "{}");
    stage.close();
    stage.press("1 G");
    assert_eq!(stage.selected(), Some(id("c4")));
    halt(&mut stage);
    let word = |stage: &Stage| hints(&stage.model).iter().any(|hint| hint.word == "cancel");
    assert!(word(&stage));
    stage.press("c");
    stage.refuse_last(RefusalKind::Journal, &format!("ended: {WHY}"));
    assert!(!word(&stage));
    stage.press("c");
    assert_eq!(stage.commands(), []);
    stage.press("k");
    assert_eq!(stage.selected(), Some(id("c3")));
    assert!(word(&stage), "the other runs as far as is known");
    stage.press("X");
    stage.wait(ARMING);
    stage.press("X");
    stage.refuse_last(RefusalKind::Journal, &format!("ended: {WHY}"));
    assert!(!word(&stage) && !stage.model.run.is_busy());
    stage.press("q");
    assert!(
        matches!(stage.out.as_slice(), [Out::Quit(_)]),
        "nothing is cut off by that"
    );
}

#[test]
fn a_list_of_tools_and_a_row_of_limits_lead_to_nothing_that_is_typed() {
    let mut stage = Stage::asked(80, 24, r#"{"path":"a"}"#);
    stage.wait(ARMING);
    stage.press("r");
    assert!(stage.model.stack.is_top::<List>());
    halt(&mut stage);
    stage.press("enter");
    assert!(stage.model.stack.is_top::<List>());
    assert_eq!(stage.status(), "halted, nothing recorded");
    stage.press("esc 7 g");
    for _ in 0..20 {
        if stage.model.followed() == Target::Limits {
            break;
        }
        stage.press("j");
    }
    assert_eq!(stage.model.followed(), Target::Limits);
    assert!(!hints(&stage.model).iter().any(|hint| hint.key == "enter"));
    stage.press("enter");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.status(), REFUSED);
    assert_eq!(stage.commands(), []);
}

#[test]
fn enter_still_views_a_row_but_opens_no_question() {
    let mut stage = halted(false);
    stage.press("1 g g enter");
    assert!(stage.model.graph.is_transcript());
    assert_eq!(stage.status(), "", "nothing was refused");
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.consent("c3");
    stage.wait(ARMING);
    stage.press("2");
    halt(&mut stage);
    stage.press("enter");
    assert_eq!(stage.status(), REFUSED);
    assert!(stage.model.stack.is_empty());
}
