//! Files that a preview restores, and the preview of a restore alone.

use crate::ground::symbols::Charset;
use crate::kernel::model::Source;
use crate::run::restore_preview::OnEdit;
use crate::surfaces::review::Review;
use crate::testing::files::path;
use crate::testing::{Stage, id};
use overrule_domain::command::{Command, EditCommand, FilesCommand};
use overrule_domain::event::{Event, FilesEvent};
use overrule_domain::files::{ChangeList, ChangeSet, FilePath, FileState, Head, HeadMove};

/// The preview of a new text for the thought before that command.
pub(super) fn rewrites_the_thought(stage: &mut Stage) {
    stage.on("t2");
    stage.press("e");
    stage.type_text("Other ");
    stage.press("ctrl-s");
    stage.draw();
    assert!(stage.model.stack.is_top::<Review>(), "{}", stage.text());
}

/// The sent commands, carried out. That the edit holds what waits for its node is no matter here.
pub(super) fn take_sent(stage: &mut Stage) -> Vec<Command> {
    let mut sent = stage.carry_out();
    sent.retain(|command| !matches!(command, Command::Edit(EditCommand::Hold { .. })));
    sent
}

pub(super) fn review(stage: &Stage) -> &Review {
    stage.model.stack.top::<Review>().unwrap()
}

#[test]
fn a_preview_restores_the_files_of_what_it_makes_inactive() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    for row in [
        "restore 3 of 3",
        "keep the files instead",
        "−2 +1",
        "created → deleted",
        "commit, restore 3",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    assert!(!text.contains("stays"), "its files are restored: {text}");
    insta::assert_snapshot!(text);
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    let [Command::Files(FilesCommand::With { command, choice })] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert!(matches!(**command, Command::Edit(EditCommand::Commit { .. })));
    assert!(choice.over.is_empty() && choice.without.is_empty());
    assert!(stage.model.stack.is_empty(), "{}", stage.text());
    assert!(stage.status().contains("Restoring 3 paths"), "{}", stage.status());
    let started = &stage.model.run.state.operator.files.open().unwrap().started;
    assert_eq!(started.steps.0.len(), 3);
    stage.restores();
    assert!(stage.status().contains("Restored 3 paths"), "{}", stage.status());
}

#[test]
fn the_section_has_signs_of_its_own_on_an_ascii_screen_and_room_on_a_wide_one() {
    let mut stage = Stage::with(80, 24, |settings| settings.charset = Charset::Ascii);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    for row in ["< README.md", "-2 +1", "created -> deleted"] {
        assert!(text.contains(row), "{row}: {text}");
    }
    let mut stage = Stage::new(160, 50);
    stage.changed_by_command();
    stage.put_file("src/lib.rs", Some("mine"));
    rewrites_the_thought(&mut stage);
    stage.press("_");
    insta::assert_snapshot!(stage.text());
}

#[test]
fn a_conflict_is_asked_about_once_and_a_path_can_be_left() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.put_file("README.md", Some("mine\n"));
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(
        text.contains("keep all"),
        "with a conflict nothing is restored unasked: {text}"
    );
    assert!(!text.contains(", restore"), "{text}");
    stage.press("_");
    let text = stage.text();
    assert!(text.contains("restore 2 of 3"), "{text}");
    assert!(text.contains("changed since by something else"), "{text}");
    insta::assert_snapshot!(text);
    stage.press("space");
    assert!(
        stage.status().contains("space again restores it"),
        "{}",
        stage.status()
    );
    assert!(review(&stage).files.restored() == 2, "not yet");
    stage.press("space");
    assert_eq!(review(&stage).files.restored(), 3);
    let text = stage.text();
    assert!(
        !text.contains("stays  "),
        "every path of the call is restored: {text}"
    );
    assert!(
        stage.text().contains("present content saved first"),
        "{}",
        stage.text()
    );
    stage.press("down space");
    assert_eq!(review(&stage).files.restored(), 2);
    let text = stage.text();
    assert!(text.contains("stays           c3"), "one path is left: {text}");
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    let [Command::Files(FilesCommand::With { choice, .. })] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(choice.over, [path("README.md")]);
    assert_eq!(choice.without, [path("src/lib.rs")]);
    let started = &stage.model.run.state.operator.files.open().unwrap().started;
    let paths: Vec<&FilePath> = started.steps.0.iter().map(|step| &step.path).collect();
    assert_eq!(paths, [&path("tests/new.rs"), &path("README.md")]);
}

#[test]
fn the_files_stay_if_the_operator_switches_the_section_off() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    stage.press("_");
    let text = stage.text();
    assert!(
        text.contains("keep all") && text.contains("restore 3 of 3 instead"),
        "{text}"
    );
    assert!(text.contains("stays           c3 shell make all"), "{text}");
    stage.press("space");
    assert!(
        stage.status().contains("All files stay as they are"),
        "{}",
        stage.status()
    );
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    assert!(
        matches!(sent.as_slice(), [Command::Edit(EditCommand::Commit { .. })]),
        "{sent:?}"
    );
}

#[test]
fn the_setting_decides_what_the_section_is_set_to() {
    for (on_edit, conflict, is_on) in [
        (OnEdit::Keep, false, false),
        (OnEdit::Restore, true, true),
        (OnEdit::Ask, false, true),
    ] {
        let mut stage = Stage::with(80, 24, |settings| settings.on_edit = on_edit);
        stage.changed_by_command();
        if conflict {
            stage.put_file("README.md", Some("mine\n"));
        }
        rewrites_the_thought(&mut stage);
        assert_eq!(review(&stage).files.is_on(), is_on, "{on_edit:?}");
    }
}

#[test]
fn a_preview_of_what_changed_no_files_has_no_section() {
    let mut stage = Stage::new(80, 24);
    stage.fixing();
    stage.asked_for(2);
    stage.thinks(2, "t2", "I read.");
    stage.settles(2);
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(!text.contains("files  "), "{text}");
    stage.press("_");
    assert!(stage.status() == "No files are affected", "{}", stage.status());
}

#[test]
fn a_refused_commit_shows_the_new_preview() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    rewrites_the_thought(&mut stage);
    stage.wait(1_500);
    stage.put_file("README.md", Some("mine\n"));
    stage.press("enter");
    stage.carry_out();
    assert!(stage.model.run.state.operator.files.open().is_none());
    stage.draw();
    stage.draw();
    let text = stage.text();
    assert!(stage.model.stack.is_top::<Review>(), "{text}");
    assert!(text.contains("changed since by something else"), "{text}");
    assert!(text.contains("restore 2 of 3"), "it stays switched on: {text}");
    assert_eq!(
        stage.status(),
        "Cannot restore: the files or the run changed. Review the new preview"
    );
    stage.press("enter");
    assert_eq!(
        stage.commands(),
        [],
        "the new preview was too short on the screen"
    );
    stage.wait(1_500);
    stage.press("enter");
    stage.carry_out();
    let started = &stage.model.run.state.operator.files.open().unwrap().started;
    assert_eq!(started.steps.0.len(), 2);
}

#[test]
fn where_files_cannot_be_looked_at_they_stay() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.files = None;
    rewrites_the_thought(&mut stage);
    let text = stage.text();
    assert!(text.contains("cannot be restored here"), "{text}");
    assert!(
        text.contains("stays           c3 shell make all"),
        "nothing takes it back: {text}"
    );
    stage.press("_");
    assert!(stage.status().contains("annot restore"), "{}", stage.status());
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    assert!(matches!(sent.as_slice(), [Command::Edit(_)]), "{sent:?}");
}

#[test]
fn the_files_of_a_call_are_restored_alone_and_that_is_undone() {
    let mut stage = Stage::new(80, 24);
    stage.changed_by_command();
    stage.on("c3");
    stage.press("_");
    let text = stage.text();
    assert!(text.contains("restore the files of c3"), "{text}");
    insta::assert_snapshot!(text);
    stage.press("enter");
    assert_eq!(stage.commands(), [], "it was too short on the screen");
    stage.wait(1_500);
    stage.press("enter");
    let taken = take_sent(&mut stage);
    assert!(
        matches!(taken.as_slice(), [Command::Files(FilesCommand::Restore { .. })]),
        "{taken:?}"
    );
    assert!(stage.model.stack.is_empty(), "{}", stage.text());
    let restore = stage.model.run.state.operator.files.open.unwrap();
    stage.restores();
    let text = stage.text();
    assert!(text.contains(&format!("files restored by {restore}")), "{text}");
    assert!(stage.model.run.state.node(id("c3")).unwrap().active);
    stage.on(&restore.to_string());
    stage.press("_");
    let text = stage.text();
    assert!(text.contains(&format!("undo the restore {restore}")), "{text}");
    stage.wait(1_500);
    stage.press("enter");
    let sent = take_sent(&mut stage);
    assert!(
        matches!(
            sent.as_slice(),
            [Command::Files(FilesCommand::UndoRestore { .. })]
        ),
        "{sent:?}"
    );
    stage.restores();
    let text = stage.text();
    assert!(!text.contains("files restored by"), "{text}");
}

#[test]
fn what_is_not_restorable_says_why() {
    let mut stage = Stage::new(80, 24);
    stage.fixing();
    stage.asked_for(2);
    stage.thinks(2, "t2", "I build it.");
    stage.runs(2, "c3", "make", &[("a.rs", Some("1\n"), Some("2\n"))]);
    let head = |commit: &str| Head {
        branch: Some("main".to_owned()),
        commit: Some(commit.to_owned()),
    };
    let rest = ChangeSet {
        ignored: vec![path("target")],
        head: Some(HeadMove {
            before: head("a1b2c3d4e5f6"),
            after: head("c3d4"),
        }),
        untracked: Some("scanning took longer than 2 s".to_owned()),
        ..ChangeSet::default()
    };
    let args = r#"{"command":"git commit -am x"}"#;
    stage.gave(2, "c4", "shell", args, overrule_domain::call::Outcome::ok("\"\""));
    stage.changed_with("c4", &[("b.rs", Some("1\n"), Some("2\n"))], rest);
    stage.settles(2);
    stage.on("c4");
    stage.press("_");
    let text = stage.text();
    for row in [
        "ignored: cannot be restored",
        "git reset --soft a1b2c3d",
        "scanning took longer than 2 s",
        "c4 moved HEAD",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn hostile_paths_are_shown_as_such_in_every_list() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.fixing();
        stage.asked_for(2);
        stage.thinks(2, "t2", "I write.");
        let args = r#"{"command":"make"}"#;
        stage.gave(2, "c3", "shell", args, overrule_domain::call::Outcome::ok("\"\""));
        let long = "d/".repeat(149) + "end.rs";
        let paths = [
            path("a\u{202e}b\u{1b}[31m.rs"),
            FilePath::new(b"\xff\xfe\x01".to_vec()).unwrap(),
            path(&long),
            path("n\nl\r.rs"),
        ];
        let changes = paths.iter().map(|path| (path.clone(), Some("1\n"), Some("2\n")));
        stage.changed_paths("c3", changes.collect(), ChangeSet::default());
        stage.settles(2);
        let check = |stage: &mut Stage, rows: &[&str]| {
            let text = stage.text();
            let is_safe = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
            assert!(text.chars().all(is_safe), "{text}");
            for row in rows {
                assert!(text.contains(row), "{row}: {text}");
            }
        };
        stage.on("c3");
        stage.press("_");
        check(&mut stage, &["⟨U+202E⟩", "end.rs"]);
        stage.press("right");
        check(&mut stage, &[]);
        stage.press("esc esc ctrl-g");
        check(&mut stage, &["4 files"]);
        stage.press("right right right");
        check(&mut stage, &["4 of 4 files"]);
    }
}

#[test]
fn a_recorded_run_restores_nothing() {
    let mut stage = Stage::with(80, 24, |settings| settings.source = Source::Replay);
    stage.changed_by_command();
    stage.on("c3");
    stage.press("_");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.status(), "Cannot change this run: it is recorded");
    stage.press("ctrl-g");
    let text = stage.text();
    assert!(text.contains("3 files"), "what changed is on the record: {text}");
    stage.press("space _");
    assert_eq!(stage.commands(), []);
}

#[test]
fn changes_are_reviewed_by_call_and_marked_as_seen() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.changed_by_command();
        stage.asked_for(3);
        let args = r#"{"path":"/home/ada/stats/src/stats.py","old":"a","new":"b"}"#;
        let outcome = overrule_domain::call::Outcome::ok("\"replaced\"");
        stage.gave(3, "c5", "edit_file", args, outcome);
        stage.changed("c5", &[("src/stats.py", Some("a\n"), Some("b\nc\n"))]);
        let state = stage.files.get_or_insert_default().state(Some("z\n"));
        stage.engine(Event::Files(FilesEvent::ChangedOutside {
            changes: ChangeList(vec![overrule_domain::files::Change {
                path: path("notes.txt"),
                before: FileState::Missing {},
                after: state,
            }]),
        }));
        stage.closes(3);
        stage.draw();
        let text = stage.text();
        let header = text.lines().next().unwrap();
        let count = if width < 100 {
            "2 changes"
        } else {
            "2 changes not seen"
        };
        assert!(header.contains(count), "{header}");
        stage.press("ctrl-g");
        stage.draw();
        let text = stage.text();
        insta::assert_snapshot!(format!("changes_by_call_{width}"), text);
        for row in [
            "2 of 2 not seen",
            "[ ] c5",
            "[ ] c3",
            "3 files",
            "−2 +4",
            "exit 0",
            "−1 +2",
        ] {
            assert!(text.contains(row), "{row}: {text}");
        }
        stage.press("down down space");
        let sent = take_sent(&mut stage);
        assert!(
            matches!(sent.as_slice(), [Command::Files(FilesCommand::Seen { .. })]),
            "{sent:?}"
        );
        let text = stage.text();
        assert!(text.contains("[x] c3") && text.contains("[ ] c5"), "{text}");
        stage.press("up space");
        stage.carry_out();
        let text = stage.text();
        assert!(text.contains("[x] c3") && text.contains("[x] c5"), "{text}");
        assert!(!text.lines().next().unwrap().contains("change"), "{text}");
        stage.press("space");
        assert_eq!(stage.status(), "Already seen");
        stage.press("_");
        assert!(
            stage.text().contains("restore the files of c5"),
            "{}",
            stage.text()
        );
        stage.press("esc enter");
        let text = stage.text();
        assert!(text.contains("src/stats.py, before and after"), "{text}");
        stage.press("esc tab");
        assert!(stage.text().contains("changed files"), "{}", stage.text());
    }
}
