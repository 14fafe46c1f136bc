//! Tests the list of orphaned effects, and calls that revert or probe them.

use super::branches::{commit, list};
use crate::kernel::dialog::Dialog;
use crate::kernel::model::double_press::DOUBLE_PRESS_MS;
use crate::kernel::model::key_state::HELD_MS;
use crate::kernel::msg::{Msg, Out};
use crate::run::link::{OrphanCandidate, Update};
use crate::surfaces::effects::EffectList;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, Resolution};
use overrule_domain::event::{CallEvent, EditEvent, Event, RunEvent};
use overrule_domain::id::Attempt;
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::template::Template;

/// True for the whole ledger in the open list of effects.
fn open(stage: &Stage) -> Option<bool> {
    stage.model.stack.top::<EffectList>().unwrap().all
}

/// The list of effects that need attention.
const LEFT: Option<bool> = Some(false);

#[test]
fn effects_under_what_was_replaced_are_listed_and_offered_when_a_session_is_taken_up() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.press("O");
    assert!(stage.model.stack.is_empty());
    let mut stage = Stage::new(100, 40);
    stage.orphaned();
    stage.press("O");
    let text = stage.text();
    assert!(text.contains("c3 write_file a"), "{text}");
    assert!(text.contains("1970-01-01 00:00:00 UTC, succeeded"), "{text}");
    let state = stage.model.run.state.clone();
    let mut later = Stage::new(100, 40);
    later.send(crate::kernel::msg::Msg::Run(crate::run::link::Update::Snapshot(
        Box::new(state),
    )));
    assert!(later.text().contains("c3 write_file"), "{}", later.text());
    assert_eq!(open(&later), LEFT);
    later.press("esc");
    let again = later.model.run.state.clone();
    later.send(crate::kernel::msg::Msg::Run(crate::run::link::Update::Snapshot(
        Box::new(again),
    )));
    assert!(later.model.stack.is_empty(), "offered once");
}

#[test]
fn the_whole_ledger_is_one_key_away() {
    let mut stage = Stage::new(100, 40);
    stage.orphaned();
    stage.press("O s");
    assert_eq!(open(&stage), Some(true));
    let text = stage.text();
    assert!(
        text.contains("all effects, newest first")
            && text.contains("succeeded, superseded: edit i4 replaced it"),
        "{text}"
    );
    stage.press("s");
    assert_eq!(open(&stage), LEFT);
    // If no effect needs attention, the list has all; without effects, the status line says so.
    let mut stage = Stage::new(100, 40);
    stage.written();
    stage.press("O");
    assert_eq!(open(&stage), Some(true));
    stage.press("d");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("outcome is known"), "{}", stage.status());
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.press("O");
    assert!(stage.status().contains("No effects yet"));
}

#[test]
fn an_unknown_outcome_is_resolved_in_the_effect_list_too() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.close();
    stage.outcome_unknown("c3");
    stage.press("O");
    let text = stage.text();
    assert!(text.contains("outcome unknown; h: it happened"), "{text}");
    // A key that came too early is ignored.
    stage.press("d");
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
    stage.wait(ARMING);
    // A call that runs immediately is shown whole first.
    stage.press("d");
    assert_eq!(stage.commands(), []);
    assert!(
        stage.model.stack.len() == 1 && stage.model.stack.is_top::<Dialog>(),
        "{}",
        stage.text()
    );
    stage.press("d");
    assert_eq!(stage.commands(), [], "it was not on screen for long enough");
    stage.wait(ARMING);
    stage.press("d");
    let describe = |what| {
        Command::Call(CallCommand::Resolve {
            call: id("c3"),
            attempt: Some(Attempt(1)),
            what,
        })
    };
    assert_eq!(stage.commands(), [describe(Resolution::DidNot)]);
    stage.press("O h");
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
    stage.wait(ARMING);
    stage.press("h");
    stage.type_text("ok");
    stage.press("ctrl-s");
    let value = "\"ok\"".into();
    assert_eq!(stage.commands(), [describe(Resolution::Happened { value })]);
}

/// The list, on an attempt with an unknown outcome that no call waits for.
fn forgotten() -> (Stage, Command) {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.close();
    stage.running("c3", "shell", r#"{"command":"sleep 600"}"#);
    stage.call(CallEvent::Spawned {
        call: id("c3"),
        attempt: Attempt(1),
        pid: 77,
        ticks: 9,
    });
    stage.engine(Event::Run(RunEvent::Reopened {
        interrupted: vec![(id("c3"), Attempt(1))],
        version: "0".into(),
    }));
    stage.engine(Event::Edit(EditEvent::Superseded {
        nodes: vec![id("c3")],
    }));
    assert_eq!(stage.model.run.state.queue().count(), 0);
    stage.draw();
    stage.press("O");
    let did_not = Command::Call(CallCommand::Resolve {
        call: id("c3"),
        attempt: Some(Attempt(1)),
        what: Resolution::DidNot,
    });
    (stage, did_not)
}

/// What happens between the two presses.
type Between = fn(&mut Stage);

#[test]
fn not_happened_for_an_orphaned_call_needs_a_second_press_in_time() {
    let ways: [(Between, bool); 4] = [
        (|stage| stage.wait(ARMING), true),
        (|stage| stage.wait(DOUBLE_PRESS_MS + 1), false),
        (|stage| stage.press("k"), false),
        (|stage| stage.press("y"), false),
    ];
    for (between, counts) in ways {
        let (mut stage, did_not) = forgotten();
        stage.wait(ARMING);
        stage.press("d");
        assert!(stage.status().contains("again confirms"), "{}", stage.status());
        between(&mut stage);
        stage.wait(HELD_MS);
        stage.press("d");
        let expected: &[Command] = if counts { &[did_not] } else { &[] };
        assert_eq!(stage.commands(), expected);
        assert_eq!(
            stage.status().contains("again confirms"),
            !counts,
            "{}",
            stage.status()
        );
    }
}

#[test]
fn the_effect_list_resolves_nothing_while_a_process_runs_or_the_run_is_halted() {
    let (mut stage, _) = forgotten();
    let process = OrphanCandidate {
        call: id("c3"),
        pid: 77,
        ticks: 9,
    };
    let watched = |out: &Out| matches!(out, Out::Watch(all) if *all == [process]);
    assert!(stage.out.iter().any(watched), "{:?}", stage.out);
    stage.send(Msg::Run(Update::OrphanFound {
        process,
        left: Some(OrphanProcess::Group),
    }));
    stage.wait(ARMING);
    stage.press("d");
    assert!(
        stage
            .status()
            .contains("process 77 of c3 has ended, but what it started still runs"),
        "{}",
        stage.status()
    );
    stage.send(Msg::Run(Update::OrphanFound { process, left: None }));
    stage.send(Msg::Run(Update::Halted("the disk is full".into())));
    for key in ["d", "h"] {
        stage.wait(HELD_MS);
        stage.press(key);
        assert!(
            stage.status().contains("halted, nothing recorded"),
            "{}",
            stage.status()
        );
    }
    assert_eq!(stage.commands(), []);
    assert_eq!(open(&stage), LEFT);
}

#[test]
fn a_call_that_takes_an_effect_back_is_offered_and_shown_first() {
    let offered = |template: Option<Template>| {
        let mut stage = Stage::new(100, 40);
        stage.orphaned();
        let mut started = stage.model.run.state.started.as_deref().unwrap().clone();
        started.tools[1].compensate = template;
        let started = Box::new(started);
        stage.engine(Event::Run(RunEvent::Refitted { started }));
        stage.commands();
        stage.press("O");
        stage
    };
    let mut stage = offered(None);
    assert!(stage.text().contains("cannot revert it"), "{}", stage.text());
    stage.press("c");
    assert_eq!(open(&stage), LEFT);
    let mut stage = offered(Some(Template {
        tool: "write_file".into(),
        args: r#"{"path":"{/path}","content":""}"#.into(),
    }));
    stage.press("c ctrl-s");
    let text = stage.text();
    assert!(text.contains("+   \"path\": \"a\""), "{text}");
    let commands = commit(&mut stage);
    assert!(
        matches!(commands.as_slice(), [Command::Edit(EditCommand::Commit { edits, .. })]
            if matches!(edits.as_slice(), [Edit::InsertCall { tool, .. }] if &**tool == "write_file")),
        "{commands:?}"
    );
    assert!(stage.model.stack.is_empty());
    assert_eq!(
        stage.model.run.state.ledger.len(),
        1,
        "it is asked for like any other call"
    );
}

#[test]
fn a_call_that_looks_whether_it_happened_is_offered() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.close();
    stage.outcome_unknown("c3");
    stage.draw();
    stage.press("2 enter p");
    assert!(stage.status().contains("no probe template"), "{}", stage.status());
    let mut started = stage.model.run.state.started.as_deref().unwrap().clone();
    started.tools[1].probe = Some(Template {
        tool: "read_file".into(),
        args: r#"{"path":"{/path}"}"#.into(),
    });
    let started = Box::new(started);
    stage.engine(Event::Run(RunEvent::Refitted { started }));
    stage.commands();
    stage.draw();
    stage.press("p ctrl-s");
    let text = stage.text();
    assert!(text.contains("+ read_file"), "{text}");
    assert_eq!(stage.commands(), [], "nothing is inserted before the commit");
}

#[test]
fn the_preview_names_the_effects_that_stay() {
    let mut stage = Stage::new(100, 40);
    stage.written();
    stage.press("1 g j e");
    stage.type_text("!");
    stage.press("ctrl-s");
    let text = stage.text();
    assert!(text.contains("stays           c3 write_file a"), "{text}");
    stage.press("esc esc esc O");
    let text = stage.text();
    assert!(text.contains("1970-01-01 00:00:00 UTC, succeeded"), "{text}");
}

#[test]
fn of_the_ledger_of_a_long_run_the_rows_on_the_screen_are_made_and_no_others() {
    let mut stage = Stage::long();
    let no = stage.model.run.state.tally.last_no;
    for at in 1..=30 {
        let args = format!(r#"{{"path":"{at}","content":"b"}}"#);
        stage.finished(&format!("c{}", no + at), "write_file", &args, Outcome::ok("1"));
    }
    stage.press("O");
    let text = stage.text();
    assert!(text.contains("all effects, newest first"), "{text}");
    assert_eq!(list(&stage).items.len(), 30);
    let last = format!("❯  c{} write_file 30 ", no + 30);
    assert!(text.contains(&last), "{last}: {text}");
    let made = || {
        let rows = &list(&stage).rows;
        rows.shown(0..rows.count())
            .filter(|line| line.of.is_some())
            .count()
    };
    assert!(made() < 2 * 30, "{} rows", made());
    stage.press("G");
    let text = stage.text();
    assert!(text.contains(&format!("❯  c{} write_file 1 ", no + 1)), "{text}");
}

#[test]
fn the_state_of_an_effect_is_shown_whole_on_a_narrow_screen() {
    let mut stage = Stage::new(44, 24);
    stage.orphaned();
    stage.press("O");
    let text = stage.text();
    let whole = "1970-01-01 00:00:00 UTC, succeeded, superseded: edit i4 replaced it";
    assert!(!text.contains(whole), "{text}");
    let message: Vec<&str> = text
        .lines()
        .flat_map(|row| row.trim_matches(['│', ' ']).split_whitespace())
        .collect();
    assert!(message.join(" ").contains(whole), "{text}");
}
