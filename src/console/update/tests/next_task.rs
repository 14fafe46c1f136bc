//! Tests the row of the next task: what is typed, recalled and completed there, and what is sent.

use crate::kernel::msg::{Msg, Out};
use crate::run::link::Update;
use crate::surfaces::list::List;
use crate::surfaces::next_task::NextTask;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::state::Mode;

fn task(stage: &Stage) -> &NextTask {
    stage.model.stack.top().expect("the row is open")
}

/// A run that waits for its next task.
fn answered() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.model.run.state.mode = Mode::Finished(NodeId::new(NodeKind::Answer, 5));
    stage.draw();
    stage.commands();
    stage
}

fn sent(text: &str) -> Command {
    Command::Edit(EditCommand::Commit {
        edits: vec![Edit::InsertPrompt {
            after: None,
            text: text.into(),
        }],
        effects_seen: Some(0),
        reason: None,
        keep_later: false,
    })
}

#[test]
fn a_task_of_several_lines_is_sent_by_enter() {
    let mut stage = answered();
    stage.press("i");
    stage.type_text("also test spread");
    stage.press("ctrl-j");
    stage.type_text("in stats.py");
    let text = stage.text();
    assert!(text.contains("━ next task ━"), "{text}");
    assert!(
        text.contains("❯ also test spread") && text.contains("in stats.py"),
        "{text}"
    );
    assert!(text.contains("enter send"), "{text}");
    stage.press("enter");
    let expected = sent("also test spread\nin stats.py");
    assert_eq!(stage.commands(), std::slice::from_ref(&expected));
    stage.press("enter");
    assert_eq!(stage.commands(), [], "sent once");
    stage.send(Msg::Run(Update::Taken(Box::new(expected))));
    assert!(stage.model.stack.is_empty());
}

#[test]
fn nothing_is_sent_of_an_empty_row_and_what_is_typed_is_not_lost_by_one_key() {
    let mut stage = answered();
    stage.press("i enter");
    assert!(stage.status().contains("empty"), "{}", stage.status());
    assert_eq!(stage.commands(), []);
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    stage.press("i");
    stage.type_text("more");
    stage.press("esc");
    assert!(
        stage.model.stack.is_top::<NextTask>(),
        "a typed task needs a second press"
    );
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
}

#[test]
fn earlier_tasks_come_back_and_so_does_what_was_typed() {
    let mut stage = answered();
    stage.press("i");
    assert!(stage.out.contains(&Out::Tasks), "{:?}", stage.out);
    stage.send(Msg::Tasks(vec!["newest".into(), "older\nof two lines".into()]));
    stage.type_text("mine");
    stage.press("up");
    assert_eq!(task(&stage).field.text(), "newest");
    stage.press("up");
    assert_eq!(task(&stage).field.text(), "older\nof two lines");
    stage.press("up up");
    assert!(stage.status().contains("No earlier task"), "{}", stage.status());
    stage.press("down down");
    assert_eq!(task(&stage).field.text(), "newest");
    stage.press("down");
    assert_eq!(task(&stage).field.text(), "mine");
    stage.press("down");
    assert!(stage.status().contains("No later task"), "{}", stage.status());
}

#[test]
fn a_file_is_completed_after_its_sign() {
    let mut stage = answered();
    stage.press("i");
    stage.out.clear();
    stage.type_text("test spread in ");
    assert!(!stage.out.contains(&Out::Names));
    stage.type_text("@sta");
    assert_eq!(
        stage.out.iter().filter(|out| **out == Out::Names).count(),
        1,
        "asked once"
    );
    let names: Vec<String> = ["a/status.rs", "stats.py", "tests/test_stats.py", "other"]
        .map(str::to_owned)
        .to_vec();
    stage.send(Msg::Names(names.into()));
    let text = stage.text();
    let place = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
    assert!(
        place("stats.py") < place("a/status.rs"),
        "the nearest first: {text}"
    );
    assert!(!text.contains("other"), "{text}");
    stage.press("tab");
    assert_eq!(task(&stage).field.text(), "test spread in @stats.py ");
    stage.type_text("a@b");
    assert!(task(&stage).files().is_empty(), "an address is no file");
    stage.press("tab");
    assert!(stage.status().contains("type @"), "{}", stage.status());
}

#[test]
fn a_slash_in_an_empty_row_opens_the_commands() {
    let mut stage = answered();
    stage.press("i /");
    assert!(stage.model.stack.is_top::<List>());
    assert_eq!(stage.model.stack.len(), 1, "the row is closed");
    stage.press("esc i x /");
    assert_eq!(task(&stage).field.text(), "x/");
}

#[test]
fn while_the_agent_works_the_row_says_when_the_task_is_sent() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.running("c4", "read_file", r#"{"path":"b"}"#);
    stage.draw();
    stage.press("i");
    let text = stage.text();
    assert!(text.contains("next task · sent when turn"), "{text}");
    stage.wait(ARMING);
    stage.type_text("later");
    stage.press("enter");
    assert_eq!(stage.commands(), [sent("later")]);
    stage.send(Msg::Run(Update::Taken(Box::new(sent("later")))));
    assert!(stage.status().contains("sent when turn"), "{}", stage.status());
}

#[test]
fn once_the_run_has_answered_a_row_says_where_its_next_task_goes() {
    let mut stage = Stage::new(80, 24);
    stage.what_is_left();
    assert!(!stage.text().contains("type the next task"), "{}", stage.text());
    let mut stage = Stage::new(80, 24);
    stage.answers();
    assert!(stage.text().contains("i next task"), "{}", stage.text());
    stage.press("k");
    let text = stage.text();
    assert!(text.contains(" i  type the next task"), "{text}");
    stage.press("i");
    assert!(!stage.text().contains("type the next task"), "{}", stage.text());
}
