//! What is chosen in the preview of a restore while the files or the run change.

use super::restored::{review, rewrites_the_thought, take_sent};
use crate::surfaces::effects::EffectList;
use crate::surfaces::restore::RestorePage;
use crate::surfaces::review::Review;
use crate::testing::files::path;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Digest, Outcome};
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::event::{Event, FilesEvent};
use overrule_domain::files::{
    ChangeSet, Execution, RestoreCause, RestoreChoice, RestoreStarted, Step, StepList,
};
use overrule_domain::id::Attempt;

/// The choice of the only command that is sent.
fn sent_choice(stage: &mut Stage) -> RestoreChoice {
    let sent = take_sent(stage);
    match sent.as_slice() {
        [Command::Files(FilesCommand::With { choice, .. } | FilesCommand::Restore { choice, .. })] => {
            choice.clone()
        }
        _ => panic!("{sent:?}: {}", stage.text()),
    }
}

/// The paths of the restore that began.
fn begun(stage: &Stage) -> Vec<String> {
    let open = stage.model.run.state.operator.files.open().unwrap();
    let steps = open.started.steps.0.iter();
    steps.map(|step| step.path.text().into_owned()).collect()
}

#[test]
fn a_preview_that_is_opened_again_looks_at_the_files_again() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("c3");
    stage.press("_");
    assert!(stage.text().contains("restore 3 of 3"), "{}", stage.text());
    stage.press("esc");
    stage.put_file("README.md", Some("mine\n"));
    stage.press("_");
    let text = stage.text();
    assert!(text.contains("restore 2 of 3"), "{text}");
    stage.press("esc");
    rewrites_the_thought(&mut stage);
    stage.press("esc");
    stage.put_file("src/lib.rs", Some("mine\n"));
    stage.press("ctrl-s");
    assert!(stage.model.stack.is_top::<Review>(), "{}", stage.text());
    let text = stage.text();
    assert!(text.contains("restore 1 of 3"), "{text}");
}

#[test]
fn a_path_that_was_left_and_becomes_a_conflict_can_be_chosen() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    stage.press("space");
    assert_eq!(review(&stage).files.restored(), 2);
    stage.put_file("README.md", Some("mine\n"));
    stage.put_file("src/lib.rs", Some("mine\n"));
    stage.wait(1_500);
    stage.press("enter");
    stage.carry_out();
    stage.draw();
    let text = stage.text();
    assert!(text.contains("restore 1 of 3"), "{text}");
    assert!(text.contains("❯ ! README.md"), "{text}");
    stage.press("space space");
    assert_eq!(review(&stage).files.restored(), 2, "{}", stage.text());
    stage.wait(1_500);
    stage.press("enter");
    let choice = sent_choice(&mut stage);
    assert_eq!(choice.over, [path("README.md")]);
    assert_eq!(choice.without, []);
    assert_eq!(begun(&stage), ["tests/new.rs", "README.md"]);
}

#[test]
fn a_conflict_that_was_chosen_and_left_again_stays_left() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.put_file("README.md", Some("mine\n"));
    rewrites_the_thought(&mut stage);
    stage.press("_ space space space");
    assert_eq!(review(&stage).files.restored(), 2);
    // What conflicts is as the call left it again.
    stage.put_file("README.md", Some("b\n"));
    stage.wait(1_500);
    stage.press("enter");
    let choice = sent_choice(&mut stage);
    assert_eq!(
        (choice.over.as_slice(), choice.without.as_slice()),
        (&[][..], &[path("README.md")][..])
    );
    assert!(!begun(&stage).contains(&"README.md".to_owned()));
}

/// Another console restores one file that a call changed.
fn restored_elsewhere(stage: &mut Stage, name: &str, before: &str) {
    let files = stage.files.as_mut().unwrap();
    let [from, to] = ["b\n", before].map(|content| files.state(Some(content)));
    let execution = Execution {
        call: id("c3"),
        attempt: Attempt(1),
    };
    stage.engine(Event::Files(FilesEvent::RestoreStarted(Box::new(
        RestoreStarted {
            restore: id("i40"),
            cause: RestoreCause::Calls,
            digest: Digest("d".into()),
            steps: StepList(vec![Step {
                path: path(name),
                from,
                to,
            }]),
            undone: vec![execution],
            redone: Vec::new(),
            of: None,
        },
    ))));
    stage.restores();
}

#[test]
fn a_choice_about_a_path_that_is_in_no_row_any_more_is_not_sent() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("c3");
    stage.press("_ space");
    restored_elsewhere(&mut stage, "README.md", "a\n");
    stage.draw();
    let text = stage.text();
    assert!(text.contains("restore 2 of 2"), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    let choice = sent_choice(&mut stage);
    assert_eq!((choice.over, choice.without), (Vec::new(), Vec::new()));
    assert_eq!(begun(&stage), ["tests/new.rs", "src/lib.rs"]);
}

#[test]
fn a_new_row_above_moves_no_mark() {
    let mut stage = Stage::new(80, 24);
    stage.fixing();
    stage.asked_for(2);
    stage.thinks(2, "t2", "I change files.");
    stage.runs(
        2,
        "c3",
        "make",
        &[("b.rs", Some("1\n"), Some("2\n")), ("c.rs", None, Some("x\n"))],
    );
    let args = r#"{"command":"make more"}"#;
    stage.gave(2, "c4", "shell", args, Outcome::ok("\"\""));
    stage.settles(2);
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(text.contains("❯ ↶ b.rs"), "{text}");
    stage.changed("c4", &[("a.rs", Some("1\n"), Some("2\n"))]);
    stage.draw();
    let text = stage.text();
    assert!(text.contains("  ↶ a.rs") && text.contains("❯ ↶ b.rs"), "{text}");
    stage.press("space");
    let rows = review(&stage).files.rows();
    let chosen: Vec<bool> = rows.iter().map(|row| row.is_chosen).collect();
    assert_eq!(chosen, [true, false, true], "{}", stage.text());
    stage.press("up up up down down down down space");
    let rows = review(&stage).files.rows();
    let chosen: Vec<bool> = rows.iter().map(|row| row.is_chosen).collect();
    assert_eq!(chosen, [true, false, false]);
}

#[test]
fn an_empty_list_restores_nothing_of_the_call_behind_it() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("c3");
    stage.press("O s");
    assert!(stage.model.stack.is_top::<EffectList>());
    stage.press("_");
    assert!(stage.model.stack.is_top::<EffectList>(), "{}", stage.text());
    assert!(!stage.model.stack.is_top::<RestorePage>());
    assert_eq!(stage.status(), "No row selected");
}

#[test]
fn an_effect_stays_in_the_list_if_a_part_of_it_is_not_restored() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    assert!(!stage.text().contains("stays  "), "{}", stage.text());
    stage.press("space");
    assert!(stage.text().contains("stays           c3"), "{}", stage.text());
    stage.press("space");
    assert!(!stage.text().contains("stays  "), "{}", stage.text());
    stage.wait(ARMING);
}

#[test]
fn an_effect_that_is_more_than_its_files_stays_in_the_list() {
    let ignored = ChangeSet {
        ignored: vec![path("target")],
        ..ChangeSet::default()
    };
    let untracked = ChangeSet {
        untracked: Some("store full".to_owned()),
        ..ChangeSet::default()
    };
    for (tool, rest, stays) in [
        ("shell", ChangeSet::default(), false),
        ("shell", ignored, true),
        ("shell", untracked, true),
        // It cannot be undone.
        ("deploy", ChangeSet::default(), true),
    ] {
        let mut stage = Stage::new(80, 24);
        stage.fixing();
        stage.asked_for(2);
        stage.thinks(2, "t2", "I change a file.");
        let args = r#"{"command":"make"}"#;
        stage.gave(2, "c3", tool, args, Outcome::ok("\"\""));
        stage.changed_with("c3", &[("a.rs", Some("1\n"), Some("2\n"))], rest);
        stage.settles(2);
        rewrites_the_thought(&mut stage);
        let text = stage.text();
        assert!(text.contains("restore 1 of"), "{text}");
        assert_eq!(
            text.contains(&format!("stays           c3 {tool}")),
            stays,
            "{text}"
        );
    }
}
