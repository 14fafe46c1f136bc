//! Tests staged edits: previewed as one, committed or dropped together, never lost.

use crate::ground::term_msg::TermMsg;
use crate::kernel::model::Source;
use crate::kernel::msg::{Leave, Msg, Out};
use crate::surfaces::editor::state::Editor;
use crate::surfaces::review::Review;
use crate::surfaces::staged_edits::StagedList;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::envelope::Actor;
use overrule_domain::event::{EditEvent, Event};
use overrule_domain::id::{Epoch, NodeId, Rev};
use overrule_domain::node::{Content, Origin};
use overrule_domain::refusal::RefusalKind;

/// A thought, two finished reads, a waiting write.
pub(super) fn stage() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "first this");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.finished("c4", "read_file", r#"{"path":"b"}"#, Outcome::ok("2"));
    stage.awaiting("c5", "write_file", r#"{"path":"r","content":"x"}"#);
    stage.close();
    stage.draw();
    stage
}

fn field(stage: &mut Stage) -> &mut crate::ground::field::Field {
    match stage.model.stack.top_mut::<Editor>() {
        Some(editor) => &mut editor.field,
        other => panic!("no editor but {other:?}"),
    }
}

/// Stages other arguments for a call.
pub(super) fn collect(stage: &mut Stage, row: usize, args: &str) {
    stage.press("1 g");
    for _ in 0..row {
        stage.press("j");
    }
    stage.press("e ctrl-t");
    field(stage).replace(args);
    stage.press("ctrl-g");
}

pub(super) fn two() -> Stage {
    let mut stage = stage();
    collect(&mut stage, 2, r#"{"path":"A"}"#);
    collect(&mut stage, 3, r#"{"path":"B"}"#);
    stage
}

fn args_of(edits: &[Edit]) -> Vec<&str> {
    edits
        .iter()
        .map(|edit| match edit {
            Edit::Call { args, .. } => &**args,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn hold(name: &str) -> Command {
    Command::Edit(EditCommand::Hold { node: id(name) })
}

fn release(name: &str) -> Command {
    let node = Some(id(name));
    Command::Edit(EditCommand::Release { node })
}

/// Another client edits a node.
pub(super) fn changed_by_another(stage: &mut Stage, node: NodeId) {
    stage.engine(Event::Edit(EditEvent::Revised {
        node,
        rev: Rev(2),
        content: Content::Call {
            tool: "read_file".into(),
            args: r#"{"path":"z"}"#.into(),
        },
        origin: Origin::Operator { user: "eve".into() },
        approves: None,
    }));
    stage.draw();
}

#[test]
fn collecting_commits_nothing_and_keeps_holding() {
    let mut stage = two();
    let commands = stage.commands();
    assert_eq!(commands, [hold("c3"), hold("c3"), hold("c4"), hold("c4")]);
    assert!(stage.model.stack.is_empty(), "back to the panes");
    let text = stage.text();
    assert!(text.contains("2 edits staged"), "{text}");
    assert!(text.contains("c3  (edit staged)"), "{text}");
    assert_eq!(stage.model.run.state.epoch, Epoch(0));
}

#[test]
fn a_preview_can_be_staged_instead_of_committed() {
    let mut stage = stage();
    stage.press("1 g j j D");
    assert!(stage.model.stack.is_top::<Review>());
    stage.press("c");
    assert!(stage.model.stack.is_empty());
    assert!(
        matches!(stage.model.staged_edits.edits().as_slice(), [Edit::Delete { node, .. }] if *node == id("c3"))
    );
    assert_eq!(stage.commands(), [hold("c3")]);
}

#[test]
fn an_answer_for_a_call_is_no_edit_and_cannot_be_staged() {
    let mut stage = stage();
    stage.press("2 w");
    stage.type_text("no");
    stage.press("ctrl-g");
    assert!(stage.model.staged_edits.is_empty());
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("Cannot stage"), "{}", stage.status());
    assert_eq!(field(&mut stage).shown(), "no");
}

#[test]
fn an_invalid_edit_is_not_staged() {
    let mut stage = stage();
    stage.press("1 g j j e ctrl-t");
    field(&mut stage).replace(r#"{"path":7}"#);
    stage.press("ctrl-g");
    assert!(stage.model.staged_edits.is_empty());
    stage.press("esc e ctrl-t ctrl-g");
    assert!(stage.model.staged_edits.is_empty(), "nothing was changed");
}

#[test]
fn all_are_previewed_and_committed_as_one() {
    let mut stage = two();
    stage.commands();
    stage.press("E v");
    let text = stage.text();
    assert!(text.contains("2 edits together"), "{text}");
    assert!(text.contains("edit 1") && text.contains("edit 2"), "{text}");
    stage.press("r");
    stage.type_text("wrong files");
    stage.press("enter");
    stage.press("enter");
    assert_eq!(
        stage.commands(),
        [],
        "the preview was not on screen for long enough"
    );
    stage.wait(ARMING);
    stage.press("enter");
    let commands = stage.carry_out();
    let [
        Command::Edit(EditCommand::Commit {
            edits,
            reason: Some(reason),
            effects_seen: Some(0),
            keep_later: false,
        }),
    ] = commands.as_slice()
    else {
        panic!("{commands:?}");
    };
    assert_eq!(args_of(edits), [r#"{"path":"A"}"#, r#"{"path":"B"}"#]);
    assert_eq!(&**reason, "wrong files");
    assert_eq!(stage.model.run.state.epoch, Epoch(1), "one commit is one epoch");
    assert!(stage.model.staged_edits.is_empty());
    assert!(stage.model.stack.is_empty(), "{:?}", stage.model.stack);
}

#[test]
fn a_paste_commits_and_drops_nothing() {
    let mut stage = two();
    stage.press("E v");
    stage.wait(ARMING);
    stage.commands();
    let at = stage.now;
    for key in ["enter", "enter", "enter", "D", "D", "D"] {
        let key = key.parse().unwrap();
        stage.send(Msg::Term(TermMsg::Key { key, at }));
    }
    stage.now += 60;
    let at = stage.now;
    stage.send(Msg::Tick { at });
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.model.staged_edits.len(), 2);
}

#[test]
fn a_refused_commit_loses_no_edit() {
    let mut stage = two();
    stage.press("E v");
    stage.wait(ARMING);
    stage.press("enter");
    stage.refuse_last(RefusalKind::Effects, "2 effects happened since the preview");
    assert_eq!(stage.model.staged_edits.len(), 2);
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(stage.commands().len(), 1, "it can be sent again");
}

#[test]
fn another_edit_of_the_same_node_continues_the_staged_edit() {
    let mut stage = two();
    stage.press("1 g j j e");
    assert_eq!(field(&mut stage).shown(), "A", "the staged text is in the editor");
    stage.press("ctrl-t");
    field(&mut stage).replace(r#"{"path":"AA"}"#);
    stage.press("ctrl-g");
    let edits = stage.model.staged_edits.edits();
    assert_eq!(args_of(&edits), [r#"{"path":"AA"}"#, r#"{"path":"B"}"#]);
}

#[test]
fn one_can_be_committed_alone_and_the_others_stay_held() {
    let mut stage = two();
    stage.commands();
    stage.press("1 g j j e ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert_eq!(args_of(&stage.model.staged_edits.edits()), [r#"{"path":"B"}"#]);
    assert_eq!(stage.carry_out(), [hold("c4")], "the commit let everything go");
    assert!(stage.model.run.state.operator.editing.contains_key(&id("c4")));
}

#[test]
fn a_commit_by_another_hand_lets_nothing_of_mine_go() {
    let mut stage = two();
    stage.press("1 g j e");
    stage.carry_out();
    assert_eq!(stage.model.run.state.operator.editing.len(), 3);
    stage.event(
        Actor::Operator("eve".into()),
        Event::Edit(EditEvent::Committed {
            epoch: Epoch(1),
            intervention: id("i20"),
            after: None,
            target: None,
            what: "add guidance".into(),
            reason: None,
            by: None,
        }),
    );
    assert!(stage.model.run.state.operator.editing.is_empty());
    assert_eq!(stage.carry_out(), [hold("t2"), hold("c3"), hold("c4")]);
    assert_eq!(stage.model.run.state.operator.editing.len(), 3);
    assert!(stage.model.stack.is_top::<Editor>(), "the open text stays");
}

#[test]
fn one_can_be_taken_out() {
    let mut stage = two();
    stage.commands();
    stage.press("E j x");
    assert_eq!(stage.commands(), [release("c4")]);
    assert_eq!(args_of(&stage.model.staged_edits.edits()), [r#"{"path":"A"}"#]);
    stage.press("x");
    assert_eq!(stage.commands(), [release("c3")]);
    assert!(stage.model.stack.is_empty(), "an empty list closes");
}

#[test]
fn all_are_dropped_only_the_second_time() {
    let mut stage = two();
    stage.commands();
    stage.press("E D");
    assert_eq!(stage.model.staged_edits.len(), 2);
    stage.press("j D");
    assert_eq!(
        stage.model.staged_edits.len(),
        2,
        "a move between cancels the first press"
    );
    stage.press("D");
    assert_eq!(stage.model.staged_edits.len(), 2, "the key may be held down");
    stage.wait(ARMING);
    stage.press("D");
    assert!(stage.model.staged_edits.is_empty());
    let all = Command::Edit(EditCommand::Release { node: None });
    assert_eq!(stage.commands(), [all]);
    assert_eq!(stage.model.run.state.epoch, Epoch(0));
}

#[test]
fn what_moved_under_an_edit_is_marked_and_is_done_again() {
    let mut stage = two();
    changed_by_another(&mut stage, id("c3"));
    stage.press("E");
    let text = stage.text();
    assert!(text.contains("! redo  c3"), "{text}");
    assert!(text.contains("c3 changed from revision 1 to 2 since"), "{text}");
    stage.press("v");
    stage.wait(ARMING);
    stage.commands();
    stage.press("enter");
    assert_eq!(
        stage.commands(),
        [],
        "nothing is committed while one has to be done again"
    );
    stage.press("esc enter");
    assert!(field(&mut stage).shown() == "A", "what was typed is there");
    stage.press("ctrl-g");
    assert!(matches!(
        stage.model.staged_edits.edits().as_slice(),
        [Edit::Call { base: Rev(2), .. }, Edit::Call { base: Rev(1), .. }]
    ));
    assert!(!stage.text().contains("! redo"));
}

#[test]
fn an_edit_of_what_is_history_can_only_be_taken_out() {
    let mut stage = two();
    stage.engine(Event::Edit(EditEvent::Superseded {
        nodes: vec![id("c4"), id("o4")],
    }));
    stage.press("E j enter");
    assert!(stage.status().contains("c4 is superseded"), "{}", stage.status());
    assert_eq!(stage.model.staged_edits.len(), 2, "it is not lost by itself");
    stage.press("x");
    assert_eq!(stage.model.staged_edits.len(), 1);
}

#[test]
fn edits_that_do_not_go_together_are_refused_by_the_preview() {
    let mut stage = stage();
    stage.press("1 g j e");
    stage.type_text("!");
    stage.press("ctrl-g");
    collect(&mut stage, 2, r#"{"path":"A"}"#);
    stage.press("E v");
    let text = stage.text();
    assert!(text.contains("not possible: c3 is superseded"), "{text}");
    stage.wait(ARMING);
    stage.commands();
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.model.staged_edits.len(), 2, "no edit is lost");
}

#[test]
fn panes_and_events_lose_no_edit() {
    let mut stage = two();
    stage.press("1 2 3 L z tab / x esc ? esc : esc");
    stage.finished("c9", "read_file", r#"{"path":"q"}"#, Outcome::ok("1"));
    stage.send(Msg::Term(TermMsg::Resize {
        width: 60,
        height: 20,
    }));
    stage.draw();
    assert_eq!(stage.model.staged_edits.len(), 2);
}

#[test]
fn leaving_with_staged_edits_asks_first() {
    let mut stage = two();
    assert!(!stage.model.run.is_busy());
    stage.out.clear();
    stage.press("q");
    assert_eq!(stage.out, []);
    let text = stage.text();
    assert!(text.contains("2 staged edits are not committed"), "{text}");
    stage.press("esc");
    assert_eq!(stage.model.staged_edits.len(), 2);
    stage.press("q q");
    assert_eq!(stage.out, [Out::Quit(Leave::Quit)]);
}

#[test]
fn nothing_is_listed_when_no_edits_are_staged() {
    let mut stage = stage();
    stage.press("E");
    assert!(stage.model.stack.is_empty());
    assert!(stage.status().contains("No staged edits"), "{}", stage.status());
    stage.press(":");
    stage.type_text("commit-staged");
    stage.press("enter");
    assert!(stage.model.stack.is_empty());
}

#[test]
fn insertions_can_be_staged_and_reopened() {
    let mut stage = stage();
    stage.press("1 g j M");
    stage.type_text("be brief");
    stage.press("ctrl-g");
    assert!(matches!(
        stage.model.staged_edits.edits().as_slice(),
        [Edit::InsertPrompt { after: Some(_), .. }]
    ));
    stage.press("E enter");
    assert_eq!(field(&mut stage).shown(), "be brief");
    stage.type_text("er");
    stage.press("ctrl-g");
    let edits = stage.model.staged_edits.edits();
    assert!(
        matches!(edits.as_slice(), [Edit::InsertPrompt { text, .. }] if text.contains("er")),
        "{edits:?}"
    );
    assert!(stage.model.stack.is_top::<StagedList>(), "back to the list");
}

#[test]
fn nothing_can_be_staged_in_a_replay() {
    let mut stage = Stage::with(100, 40, |settings| settings.source = Source::Replay);
    stage.sample();
    stage.press("1 g j e");
    assert!(stage.model.stack.is_empty());
    stage.press("v");
    assert!(
        stage.model.stack.last().is_some_and(|top| top.id().reads),
        "the impact can be looked at"
    );
}

#[test]
fn the_impact_of_a_change_is_shown_without_one() {
    let mut stage = stage();
    stage.press("1 g j v");
    let text = stage.text();
    assert!(text.contains("what a change of t2 would do"), "{text}");
    assert!(text.contains("superseded      c3 c4 c5"), "{text}");
    stage.wait(ARMING);
    stage.press("enter esc");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.model.run.state.epoch, Epoch(0));
}
