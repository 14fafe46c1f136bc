//! Tests that a change is previewed first, and that a commit does what was previewed.

use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::run::edit_preview::{Change, EditPreview};
use crate::surfaces::impact::Impact;
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::lineage;

fn review(stage: &Stage) -> &Review {
    match stage.model.stack.top::<Review>() {
        Some(review) => review,
        other => panic!("no preview but {other:?}"),
    }
}

/// The number of commits that were sent.
fn commits(stage: &mut Stage) -> usize {
    let is_commit = |command: &Command| matches!(command, Command::Edit(EditCommand::Commit { .. }));
    stage.commands().iter().filter(|one| is_commit(one)).count()
}

/// The impact page of the selected node shows what a change of it would do.
fn shows_its_own(stage: &mut Stage) {
    let text = stage.text();
    assert!(
        text.contains("superseded      ") && text.contains("then            "),
        "{text}"
    );
    let page = stage.model.stack.top::<Impact>().expect("the impact");
    let edit_preview = EditPreview::of(&stage.model.run.state, &Change::Any(page.edit.clone()));
    assert_eq!(stage.model.cached.last_edit_preview(), Some(&edit_preview));
}

#[test]
fn what_any_change_would_do_is_shown_of_the_node_that_is_looked_at() {
    let mut stage = Stage::long();
    stage.press("1 g j v");
    shows_its_own(&mut stage);
    let first = stage.model.cached.last_edit_preview().cloned();
    stage.press("esc j j v");
    shows_its_own(&mut stage);
    assert_ne!(stage.model.cached.last_edit_preview().cloned(), first);
}

#[test]
fn nothing_is_committed_before_its_preview_was_on_screen() {
    let mut stage = Stage::long();
    stage.press("1 g e");
    stage.edit_field("Look at other files.");
    stage.commands();
    for key in ["ctrl-s", "enter"] {
        stage.now += 10 * ARMING;
        let (key, at) = (key.parse().unwrap(), stage.now);
        stage.send(Msg::Term(TermMsg::Key { key, at }));
    }
    assert_eq!(commits(&mut stage), 0, "{}", stage.status());
    assert!(stage.text().contains("superseded"), "{}", stage.text());
    stage.press("enter");
    assert_eq!(commits(&mut stage), 0, "it has only just come on screen");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(commits(&mut stage), 1, "{}", stage.text());
}

#[test]
fn changes_after_the_frame_that_was_read_are_not_committed_unseen() {
    let mut stage = Stage::previewed();
    stage.wait(ARMING);
    stage.commands();
    let falls = |stage: &Stage| review(stage).known().unwrap().superseded.len();
    let before = falls(&stage);
    stage.one_more();
    assert_eq!(falls(&stage), before, "no frame came in between");
    stage.press("enter");
    assert_eq!(commits(&mut stage), 0, "what would be done is not what was seen");
    assert!(stage.status().contains("not on screen yet"), "{}", stage.status());
    assert!(falls(&stage) > before);
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(commits(&mut stage), 1, "{}", stage.text());
}

#[test]
fn each_preview_frame_shows_the_current_plan_and_is_armed_again() {
    let mut stage = Stage::previewed();
    stage.wait(ARMING);
    stage.commands();
    let before = review(&stage).known().unwrap().clone();
    stage.one_more();
    stage.draw();
    let Command::Edit(command) = review(&stage).command.clone() else {
        panic!("{:?}", review(&stage).command);
    };
    let now = lineage::plan_of(&stage.model.run.state, &command).unwrap();
    assert_ne!(now, before);
    assert_eq!(review(&stage).known(), Ok(&now));
    stage.press("enter");
    assert_eq!(commits(&mut stage), 0, "it has only just come on screen");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(commits(&mut stage), 1, "{}", stage.text());
}

/// The arguments of the edit that a preview would commit.
fn args(stage: &Stage) -> &str {
    match review(stage).edits() {
        [Edit::Call { args, .. }] => args,
        edits => panic!("{edits:?}"),
    }
}

#[test]
fn a_place_that_is_deleted_in_the_editor_goes_and_the_preview_names_who_reads_it() {
    let lost = "loses its input: c5 reads †state.plan, which c3 gave";
    for (text, sent, is_lost) in [
        (r#"{"path":"b"}"#, r#"{"_out":null,"path":"b"}"#, true),
        (
            r#"{"path":"b","_out":"state.other"}"#,
            r#"{"path":"b","_out":"state.other"}"#,
            true,
        ),
        (
            r#"{"path":"b","_out":"state.plan"}"#,
            r#"{"path":"b","_out":"state.plan"}"#,
            false,
        ),
    ] {
        let mut stage = Stage::new(110, 40);
        stage.one_reads_another();
        stage.press("1 g j j e");
        stage.edit_field(text);
        stage.press("ctrl-s");
        assert_eq!(args(&stage), sent);
        assert_eq!(stage.text().contains(lost), is_lost, "{}", stage.text());
        assert_eq!(commits(&mut stage), 0);
    }
}
