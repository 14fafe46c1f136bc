//! Tests the list of approvals: it stays as opened and approves calls that wait unchanged.

use super::arming::approve_as;
use crate::kernel::graph::Pick;
use crate::kernel::hints;
use crate::kernel::log::Line;
use crate::kernel::msg::Msg;
use crate::kernel::queue::QueueEntry;
use crate::run::link::Update;
use crate::surfaces::bulk::Bulk;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{EffectClass, Gate, Outcome, Verdict};
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::refusal::{Refusal, RefusalKind};

/// An approval from the list.
fn approve(call: u32, rev: u32, unread: u64) -> Command {
    approve_as(call, rev, unread, None)
}

const ARGS: &str = r#"{"path":"a","content":"b"}"#;

fn list(stage: &Stage) -> &Bulk {
    match stage.model.stack.top::<Bulk>() {
        Some(bulk) => bulk,
        other => panic!("no list but {other:?}"),
    }
}

fn listed(stage: &Stage) -> Vec<String> {
    let items = list(stage).items.iter();
    items.map(|item| item.call.to_string()).collect()
}

/// Calls that commands approve.
fn approved(commands: &[Command]) -> Vec<String> {
    let call = |command: &Command| match command {
        Command::Call(CallCommand::Approve { call, .. }) => call.to_string(),
        other => panic!("{other:?}"),
    };
    commands.iter().map(call).collect()
}

/// Two calls in an open list.
fn open() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.awaiting("c4", "write_file", r#"{"path":"z","content":"b"}"#);
    stage.draw();
    stage.press("A");
    stage
}

#[test]
fn what_comes_changes_a_number_and_nothing_that_is_listed() {
    let mut stage = open();
    stage.wait(ARMING);
    let before = list(&stage).sheet.doc.window(0, 20, None);
    stage.awaiting("c5", "write_file", ARGS);
    stage.awaiting("c6", "write_file", ARGS);
    let text = stage.text();
    assert!(
        text.contains("approve all of these; 2 more waiting: A adds them"),
        "{text}"
    );
    assert_eq!(list(&stage).sheet.doc.window(0, 20, None), before);
    stage.press("ctrl-a");
    assert_eq!(
        approved(&stage.commands()),
        ["c3", "c4"],
        "what is listed was on screen for long enough, and nothing else is approved"
    );
    assert_eq!(stage.status(), "Sent 2 approvals");
}

#[test]
fn new_calls_are_added_by_a_key_and_viewed_before_approval() {
    let mut stage = open();
    stage.press("A");
    assert!(stage.status().contains("up to date"), "{}", stage.status());
    stage.wait(ARMING);
    stage.awaiting("c5", "write_file", ARGS);
    stage.draw();
    let words = |stage: &Stage| {
        hints::hints(&stage.model)
            .into_iter()
            .map(|hint| hint.word)
            .collect::<Vec<_>>()
    };
    assert!(words(&stage).contains(&"refresh list"));
    stage.press("A");
    assert_eq!(listed(&stage), ["c3", "c4", "c5"]);
    assert!(!words(&stage).contains(&"refresh list"));
    assert!(!stage.text().contains("more waiting"));
    stage.press("ctrl-a");
    assert_eq!(stage.commands(), [], "the list is another one now");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert_eq!(approved(&stage.commands()), ["c3", "c4", "c5"]);
    assert!(stage.model.stack.is_empty(), "there is one list, not two");
}

#[test]
fn what_changed_or_waits_no_more_stays_in_its_row_and_is_not_approved() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c5", "write_file", ARGS);
    stage.listed_and_moved_on();
    stage.wait(ARMING);
    let text = stage.text();
    let row = |call: &str| {
        let rows = text.lines().map(str::trim);
        rows.filter(|row| row.starts_with(call))
            .map(str::to_owned)
            .next()
            .unwrap()
    };
    assert!(row("c7 gone").contains("gone"), "{text}");
    let changed = row("c8 changed");
    assert!(changed.contains("changed") && changed.contains("c8.md"), "{text}");
    assert!(
        !text.contains("passwd"),
        "nothing new stands in a row that was read: {text}"
    );
    assert!(text.contains("2 calls run immediately"), "{text}");
    assert!(
        text.contains("2 more waiting"),
        "the changed one and the new one: {text}"
    );
    stage.press("ctrl-a");
    assert_eq!(approved(&stage.commands()), ["c5", "c9"]);
    assert_eq!(
        stage.status(),
        "Sent 2 approvals; 2 of the list changed or no longer waited"
    );
}

#[test]
fn what_was_read_of_the_list_stays_read_when_a_call_leaves_it() {
    let mut stage = Stage::new(60, 12);
    stage.begin();
    for no in 3..30 {
        stage.awaiting(&format!("c{no}"), "write_file", ARGS);
    }
    stage.draw();
    stage.press("A pgdn pgdn pgdn");
    let rows = list(&stage).sheet.doc.rows();
    stage.call(overrule_domain::event::CallEvent::Decided {
        call: id("c4"),
        rev: overrule_domain::id::Rev(1),
        digest: None,
        decision: overrule_domain::call::Decision::Reject {
            reason: "elsewhere".into(),
        },
    });
    stage.draw();
    assert_eq!(list(&stage).sheet.doc.rows(), rows, "no row moves");
    stage.press("pgdn pgdn pgdn pgdn pgdn pgdn pgdn pgdn pgdn");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert_eq!(stage.commands().len(), 26, "{}", stage.status());
}

#[test]
fn a_list_of_which_nothing_waits_any_more_approves_nothing() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("A");
    stage.wait(ARMING);
    stage.awaiting_revised(
        "c3",
        ("write_file", r#"{"path":"other","content":"b"}"#),
        overrule_domain::node::Origin::Repair { attempt: 1 },
    );
    stage.draw();
    stage.press("ctrl-a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("Nothing approved"), "{}", stage.status());
    stage.press("A");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let bytes = r#"{"path":"other","content":"b"}"#.len() as u64;
    assert_eq!(stage.commands(), [approve(3, 2, bytes)]);
}

#[test]
fn the_rows_that_were_not_on_screen_are_named_wherever_they_are() {
    let mut stage = Stage::new(60, 12);
    stage.begin();
    for no in 3..40 {
        stage.awaiting(&format!("c{no}"), "write_file", ARGS);
    }
    stage.draw();
    stage.press("A");
    stage.wait(ARMING);
    let rows = list(&stage).sheet.doc.rows();
    stage.press("ctrl-a");
    assert_eq!(
        stage.status(),
        format!("Rows 10-{rows} not on screen yet. Scroll there first"),
        "the rest of it is below"
    );
    stage.press("G");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let above = rows - 9;
    assert_eq!(
        stage.status(),
        format!("Rows 10-{above} not on screen yet. Scroll there first"),
        "at its end nothing is below"
    );
    stage.press("k");
    stage.press("ctrl-a");
    assert_eq!(
        stage.status(),
        format!("Rows 10-{} not on screen yet. Scroll there first", above - 1)
    );
    assert_eq!(stage.commands(), []);
}

/// The console's own log lines, oldest first, each with whether it is a problem.
fn logged(stage: &Stage) -> Vec<(String, bool)> {
    let lines = stage.model.log.shown().filter_map(|(_, line)| match line {
        Line::Note(words) => Some((words.clone(), false)),
        Line::Problem(words) => Some((words.clone(), true)),
        Line::Event(_) => None,
    });
    lines.collect()
}

fn taken(stage: &mut Stage, command: &Command) {
    stage.send(Msg::Run(Update::Taken(Box::new(command.clone()))));
}

#[test]
fn bulk_approvals_are_reported_once_at_the_end() {
    let mut stage = open();
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let sent = stage.commands();
    taken(&mut stage, &sent[0]);
    assert_eq!(stage.status(), "Sent 2 approvals", "one of two is no word yet");
    assert_eq!(logged(&stage), []);
    taken(&mut stage, &sent[1]);
    let unread: u64 = sent
        .iter()
        .map(|command| match command {
            Command::Call(CallCommand::Approve { unread, .. }) => *unread,
            _ => 0,
        })
        .sum();
    let output = format!("Approved 2 calls with {unread} bytes unread");
    assert_eq!(stage.status(), output);
    assert_eq!(logged(&stage), [(format!("{output}: c3 c4"), false)]);
    // An approval that is sent alone has its own status text.
    taken(&mut stage, &sent[0]);
    assert!(stage.status().starts_with("Approved c3"), "{}", stage.status());
}

#[test]
fn calls_not_in_the_list_that_still_wait_are_reported_with_the_approvals() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.has_tool("launch", EffectClass::Write, &["irreversible"]);
    stage.awaiting("c3", "write_file", ARGS);
    stage.awaiting("c4", "launch", "{}");
    stage.awaiting("c5", "write_file", r#"{"path":"z","content":"b"}"#);
    stage.draw();
    stage.press("A");
    stage.wait(ARMING);
    stage.awaiting("c6", "write_file", r#"{"path":"q","content":"b"}"#);
    stage.draw();
    stage.press("ctrl-a");
    for command in stage.commands() {
        taken(&mut stage, &command);
    }
    let output = stage.status();
    assert!(output.starts_with("Approved 2 calls"), "{output}");
    let waits = "not in the list, and still waiting: 1 new (c6), 1 irreversible (c4)";
    assert!(output.ends_with(waits), "{output}");
}

#[test]
fn approvals_that_the_run_refused_meanwhile_are_counted_with_the_reason() {
    let mut stage = open();
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let sent = stage.commands();
    let changed = || Refusal::new(RefusalKind::Changed, "c3 changed\u{1b}[2J since");
    stage.refuse(sent[0].clone(), changed());
    assert_eq!(stage.status(), "Sent 2 approvals");
    taken(&mut stage, &sent[1]);
    let output = stage.status().to_owned();
    assert!(output.starts_with("Approved 1 of 2 calls"), "{output}");
    assert!(
        output.contains("; 1 refused meanwhile: c3: c3 changed"),
        "{output}"
    );
    assert!(stage.model.message.bad);
    assert!(stage.model.stack.is_empty());
    stage.draw();
    let flat = stage.flat();
    assert!(
        flat.contains("1 refused meanwhile: c3: c3 changed⟨U+001B⟩"),
        "{flat}"
    );
    let logged = logged(&stage);
    assert_eq!(logged.len(), 1, "one word: {logged:?}");
    assert!(logged[0].1 && logged[0].0.contains(": c4; 1 refused meanwhile: c3"));
    // The list is finished: the same refusal again is a separate one.
    stage.refuse(sent[0].clone(), changed());
    assert!(
        stage.status().contains("was refused: c3 changed"),
        "{}",
        stage.status()
    );
}

#[test]
fn the_list_shows_excluded_calls_with_reasons_and_those_waiting_for_an_edit() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.has_tool("launch", EffectClass::Write, &["irreversible"]);
    stage.awaiting("c3", "write_file", ARGS);
    stage.awaiting("c4", "launch", "{}");
    stage.awaiting("c5", "launch", "{}");
    stage.awaiting("c6", "no_such_tool", "{}");
    let denied = Verdict {
        gate: Gate::Deny,
        ..Stage::verdict()
    };
    stage.awaiting_by("c7", ("write_file", r#"{"path":"q","content":""}"#), denied);
    stage.outcome_unknown_with("c8", r#"{"path":"w","content":""}"#);
    stage.draw();
    stage.press("A");
    let text = stage.flat();
    let left = "left out: 1 denied (c7), 2 irreversible (c4 c5), 1 unknown outcome (c8), 1 unknown tool (c6)";
    assert!(text.contains(left), "{text}");
    assert_eq!(listed(&stage), ["c3"]);
    assert!(!text.contains("suspended by an edit"), "{text}");

    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.has_tool("launch", EffectClass::Write, &["irreversible"]);
    stage.awaiting("c4", "launch", "{}");
    stage.draw();
    stage.press("A");
    assert_eq!(
        stage.status(),
        "No waiting calls can be approved together: 1 irreversible (c4)"
    );

    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.awaiting("c4", "write_file", r#"{"path":"z","content":"b"}"#);
    stage.draw();
    super::staged_edits::collect(&mut stage, 1, r#"{"path":"a","content":"c"}"#);
    stage.carry_out();
    stage.press("A");
    let text = stage.flat();
    let (first, second) = text.split_once("c4 digest").unwrap();
    assert!(
        first.contains("c3 digest") && first.contains("then suspended by an edit"),
        "{text}"
    );
    assert!(!second.contains("then suspended"), "{text}");
    assert!(text.contains("no waiting call is left out"), "{text}");
}

#[test]
fn the_cursor_leaves_an_approved_call_for_the_next_one_that_waits() {
    let mut stage = open();
    stage.wait(ARMING);
    stage.press("ctrl-a");
    for command in stage.commands() {
        taken(&mut stage, &command);
    }
    for call in ["c3", "c4"] {
        stage.approved(call);
        stage.draw();
        stage.start(call);
        stage.finish(call, Outcome::ok("1"));
        stage.draw();
    }
    stage.awaiting("c5", "write_file", ARGS);
    let text = stage.text();
    let selected = stage.model.queue.selected;
    assert!(
        matches!(selected, Some(QueueEntry::Call { call, .. }) if call == id("c5")),
        "{selected:?}"
    );
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c5"))), "{text}");
}

#[test]
fn a_listed_call_has_its_marks_of_danger() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.has_tool("shell", EffectClass::Unknown, &[]);
        stage.awaiting("c3", "shell", r#"{"command":"ls"}"#);
        stage.awaiting("c4", "shell", r#"{"command":"git push --force"}"#);
        stage.draw();
        stage.press("A");
        let rows = &list(&stage).items;
        let words: Vec<String> = rows.iter().map(|item| item.rows[0].plain()).collect();
        assert!(
            !words[0].contains("overwrites") && !words[0].contains("network"),
            "{words:?}"
        );
        assert!(words[1].contains("  overwrites  network"), "{words:?}");
        let text = stage.flat();
        assert!(text.contains("overwrites network"), "{text}");
    }
}

#[test]
fn a_write_that_nobody_has_looked_at_may_overwrite() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.awaiting("c4", "shell", r#"{"command":"make"}"#);
    stage.draw();
    stage.press("A");
    let text = stage.flat();
    let marked = text.split_once("may overwrite");
    let (before, after) = marked.unwrap_or_else(|| panic!("{text}"));
    assert!(
        before.contains("c3 digest") && !before.contains("c4 digest"),
        "{text}"
    );
    assert!(!after.contains("overwrite"), "{text}");
}
