//! Where files are restored: with each kind of change, and for what each list is about.

use super::restored::{review, rewrites_the_thought, take_sent};
use crate::surfaces::branches::BranchList;
use crate::surfaces::effects::EffectList;
use crate::surfaces::restore::RestorePage;
use crate::surfaces::review::Review;
use crate::testing::{Stage, id};
use overrule_domain::command::{CallCommand, Command, EditCommand, FilesCommand, RunCommand};
use overrule_domain::files::RestoreCause;

/// The previewed change is committed with the restore of these many paths.
fn commits(stage: &mut Stage, restored: usize) -> Command {
    let text = stage.text();
    assert!(stage.model.stack.is_top::<Review>(), "{text}");
    assert!(
        text.contains(&format!("restore {restored} of {restored}")),
        "{text}"
    );
    assert!(!text.contains("stays  "), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(stage);
    let [Command::Files(FilesCommand::With { command, choice })] = sent.as_slice() else {
        panic!("{sent:?}: {}", stage.text());
    };
    assert!(choice.over.is_empty() && choice.without.is_empty());
    assert!(stage.model.stack.is_empty(), "{}", stage.text());
    (**command).clone()
}

/// The cause of the restore that began, which ends.
fn restored(stage: &mut Stage) -> RestoreCause {
    let open = stage.model.run.state.operator.files.open().unwrap();
    let cause = open.started.cause;
    stage.restores();
    cause
}

/// A run whose only command was superseded by an edit; its files were restored.
fn superseded() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    let command = commits(&mut stage, 3);
    assert!(matches!(command, Command::Edit(EditCommand::Commit { .. })));
    assert_eq!(restored(&mut stage), RestoreCause::Edit);
    assert!(!stage.model.run.state.node(id("c3")).unwrap().active);
    stage
}

#[test]
fn an_undo_makes_the_changes_again_and_a_redo_takes_them_back() {
    let mut stage = superseded();
    stage.press("u");
    let command = commits(&mut stage, 3);
    assert!(
        matches!(command, Command::Edit(EditCommand::Undo { .. })),
        "{command:?}"
    );
    let started = &stage.model.run.state.operator.files.open().unwrap().started;
    assert_eq!((started.undone.len(), started.redone.len()), (0, 1));
    assert_eq!(restored(&mut stage), RestoreCause::Undo);
    stage.press("ctrl-r");
    let command = commits(&mut stage, 3);
    assert!(
        matches!(command, Command::Edit(EditCommand::Redo { .. })),
        "{command:?}"
    );
    assert_eq!(restored(&mut stage), RestoreCause::Redo);
}

#[test]
fn a_switch_of_branches_has_the_section() {
    let mut stage = superseded();
    stage.press("b k enter");
    let command = commits(&mut stage, 3);
    assert!(
        matches!(command, Command::Edit(EditCommand::Switch { .. })),
        "{command:?}"
    );
    assert_eq!(restored(&mut stage), RestoreCause::Switch);
}

#[test]
fn another_request_for_a_turn_has_the_section() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("t2");
    stage.press("T");
    let command = commits(&mut stage, 3);
    assert!(
        matches!(command, Command::Run(RunCommand::AskAgain { .. })),
        "{command:?}"
    );
    assert_eq!(restored(&mut stage), RestoreCause::Edit);
}

#[test]
fn staged_edits_have_the_section() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("t2");
    stage.press("e");
    stage.type_text("Other ");
    stage.press("ctrl-g E v");
    let command = commits(&mut stage, 3);
    assert!(
        matches!(command, Command::Edit(EditCommand::Commit { .. })),
        "{command:?}"
    );
    assert_eq!(restored(&mut stage), RestoreCause::Edit);
    assert!(stage.model.staged_edits.is_empty());
}

#[test]
fn a_call_that_runs_again_restores_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("c3");
    stage.wait(1_500);
    stage.press("R");
    let sent = stage.commands();
    assert!(
        matches!(sent.as_slice(), [Command::Call(CallCommand::Retry { .. })]),
        "{sent:?}: {}",
        stage.status()
    );
    assert!(stage.model.run.state.operator.files.open().is_none());
}

#[test]
fn the_files_of_a_branch_are_restored_alone() {
    let mut stage = superseded();
    stage.press("b k _");
    let text = stage.text();
    assert!(stage.model.stack.is_top::<RestorePage>(), "{text}");
    assert!(text.contains("restore the files of branch 0"), "{text}");
    assert!(text.contains("restore 3 of 3"), "{text}");
    assert!(!text.contains("The calls stay active"), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    assert!(
        matches!(
            sent.as_slice(),
            [Command::Files(FilesCommand::RestoreBranch { .. })]
        ),
        "{sent:?}"
    );
    assert_eq!(restored(&mut stage), RestoreCause::Branch);
    assert!(
        !stage.model.run.state.node(id("c3")).unwrap().active,
        "the branch does not become the current one"
    );
    stage.press("esc b _");
    assert!(stage.model.stack.is_top::<BranchList>(), "{}", stage.text());
    assert_eq!(stage.status(), "This is the current branch: nothing to restore");
}

#[test]
fn the_files_of_an_effect_are_restored_alone() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.press("O");
    assert!(stage.model.stack.is_top::<EffectList>(), "{}", stage.text());
    stage.press("_");
    let text = stage.text();
    assert!(text.contains("restore the files of c3"), "{text}");
    assert!(text.contains("restore 3 of 3"), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    assert!(
        matches!(sent.as_slice(), [Command::Files(FilesCommand::Restore { .. })]),
        "{sent:?}"
    );
    assert!(
        stage.model.stack.is_top::<EffectList>(),
        "the list stays: {}",
        stage.text()
    );
}

#[test]
fn the_key_of_the_section_is_named_by_its_heading_alone() {
    for width in [80, 160] {
        let mut stage = Stage::new(width, 24);
        stage.changed_by_command();
        rewrites_the_thought(&mut stage);
        let text = stage.text();
        assert_eq!(text.matches("_ keep").count(), 1, "{text}");
        stage.press("_");
        let text = stage.text();
        assert_eq!(text.matches("_ ").count(), 1, "{text}");
        assert!(!text.contains("keep this"), "all files are kept: {text}");
    }
}

#[test]
fn with_conflicts_only_the_heading_still_leads_to_a_choice() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    for name in ["README.md", "src/lib.rs", "tests/new.rs"] {
        stage.put_file(name, Some("mine\n"));
    }
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(
        text.contains("keep all") && text.contains("_ choose what to restore"),
        "{text}"
    );
    stage.press("_ space space");
    assert_eq!(review(&stage).files.restored(), 1, "{}", stage.text());
}

#[test]
fn what_is_no_longer_saved_is_shown_as_not_restorable_and_is_not_promised() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    let files = stage.files.as_mut().unwrap();
    files.lose("a\n");
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(text.contains("restore 2 of 3"), "{text}");
    assert!(text.contains("its content is no longer saved"), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    take_sent(&mut stage);
    let started = &stage.model.run.state.operator.files.open().unwrap().started;
    assert_eq!(started.steps.0.len(), 2, "what was shown is what runs");
}

#[test]
fn a_call_that_still_runs_is_named_before_the_commit_is_refused() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.asked_for(3);
    stage.calls(
        3,
        "c9",
        "shell",
        r#"{"command":"make more"}"#,
        "preset guarded: all ask",
    );
    stage.start("c9");
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(
        text.contains("c9 still runs: cancel it before 3 of 3 are restored"),
        "{text}"
    );
    stage.press("_");
    assert!(
        !stage.text().contains("still runs"),
        "the files stay: {}",
        stage.text()
    );
}
