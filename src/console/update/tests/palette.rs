//! Tests that the palette over a question applies to that question as it was read.

use crate::surfaces::list::List;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::{CallCommand, Command, ConsentChoice};

const ARGS: &str = r#"{"path":"a","content":"b"}"#;

fn stage() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "first this");
    stage
}

#[test]
fn choices_are_in_the_palette_too_and_count_only_for_what_was_looked_at() {
    let open = |looked: u64| {
        let mut stage = stage();
        stage.consent("c3");
        stage.draw();
        stage.press("2");
        stage.wait(ARMING);
        stage.press("enter");
        stage.wait(looked);
        stage.press(":");
        stage.type_text("run-again");
        stage.wait(ARMING);
        stage.press("enter");
        stage
    };
    let mut stage = open(ARMING);
    assert!(
        matches!(
            stage.commands().as_slice(),
            [Command::Call(CallCommand::Consent {
                choice: ConsentChoice::RunAgain,
                ..
            })]
        ),
        "{}",
        stage.status()
    );
    let mut stage = open(100);
    assert_eq!(
        stage.commands(),
        [],
        "the question itself was on screen too shortly"
    );
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
    stage.wait(ARMING);
    stage.press("R");
    assert_eq!(stage.commands().len(), 1, "the question is still there");
}

#[test]
fn the_first_palette_entry_decides_nothing_without_its_full_name() {
    for typed in ["", "a", "appr"] {
        let mut stage = stage();
        stage.awaiting("c3", "write_file", ARGS);
        stage.draw();
        stage.press("2");
        stage.wait(ARMING);
        stage.press(":");
        stage.type_text(typed);
        stage.wait(ARMING);
        stage.press("enter");
        assert_eq!(stage.commands(), [], "typed {typed:?}");
        assert!(
            stage.status().contains("type the whole name"),
            "{}",
            stage.status()
        );
        stage.type_text("approve".get(typed.len()..).unwrap());
        stage.wait(ARMING);
        stage.press("enter");
        assert_eq!(stage.commands().len(), 1, "{}", stage.status());
    }
}

#[test]
fn a_preview_is_committed_from_the_palette_only_after_it_was_looked_at() {
    let open = |looked: u64| {
        let mut stage = stage();
        stage.awaiting("c3", "write_file", ARGS);
        stage.draw();
        stage.press("1 g j j D");
        stage.wait(looked);
        stage.press(":");
        stage.type_text("commit-edit");
        stage.wait(ARMING);
        stage.press("enter");
        stage
    };
    let mut stage = open(ARMING);
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
    let mut stage = open(100);
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_preview_that_became_another_below_the_palette_is_not_committed_from_it() {
    let mut stage = stage();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("1 g j D");
    stage.wait(ARMING);
    stage.press(":");
    stage.type_text("commit-edit");
    stage.wait(ARMING);
    // The commit would now supersede more than the preview said.
    stage.running("c4", "read_file", "{}");
    stage.press("enter");
    assert_eq!(stage.commands(), [], "{}", stage.status());
    assert!(!stage.model.stack.is_empty(), "the preview is still there");
}

#[test]
fn every_command_is_in_the_palette_of_where_it_works() {
    use crate::app::registry::REGISTRY;
    use crate::kernel::context::Context;
    use crate::surfaces;
    let keymap = crate::app::registry::keymap(&[]).unwrap();
    let palette: crate::ground::key::Key = ":".parse().unwrap();
    for entry in crate::app::registry::verbs() {
        let wants = entry.decides || entry.effect.acts();
        let has = REGISTRY.places(entry).into_iter().any(|context| {
            let Context::On(surface) = context else {
                return context != Context::Replay;
            };
            // Leaving and stopping are questions with their keys in them; a text takes every character.
            let own = surface.is_text() || [surfaces::stop::ID, surfaces::leave::ID].contains(&surface);
            own || keymap.verb(surface, palette, false).is_some()
        });
        assert!(!wants || has, "{} cannot be chosen by its name", entry.name);
        assert!(entry.doc.len() > 3, "{} has no help", entry.name);
    }
}

#[test]
fn what_was_typed_is_marked_in_the_names_that_fit() {
    use crate::ground::theme::Role;
    let mut stage = stage();
    stage.draw();
    stage.press(":");
    stage.type_text("ns");
    let buffer = stage.draw();
    match stage.model.stack.top::<List>() {
        Some(list) => {
            let first = &list.choices[list.found[0]];
            assert_eq!(first.name, "next-sibling");
            assert_eq!(list.typed[0], [0, 5]);
        }
        other => panic!("{other:?}"),
    }
    let found = stage.model.settings.look.style(Role::Match);
    let marked: String = buffer
        .content()
        .iter()
        .filter(|cell| cell.style().bg == found.bg)
        .map(ratatui::buffer::Cell::symbol)
        .take(2)
        .collect();
    assert_eq!(marked, "ns");
}

#[test]
fn commands_of_other_places_come_last_and_show_where_they_work() {
    let mut stage = stage();
    stage.draw();
    stage.press(":");
    let names = |stage: &Stage| -> Vec<String> {
        match stage.model.stack.top::<List>() {
            Some(list) => {
                let name = |at: &usize| list.choices[*at].name.clone();
                list.found.iter().map(name).collect()
            }
            other => panic!("{other:?}"),
        }
    };
    stage.type_text("branch");
    let found = names(&stage);
    let place = |name: &str| found.iter().position(|one| one == name).unwrap();
    assert!(place("branch-pane") < place("branch-switch"), "{found:?}");
    assert!(place("branches") < place("branch-mark"), "{found:?}");
    stage.type_text("-switch");
    assert_eq!(names(&stage).first().map(String::as_str), Some("branch-switch"));
    stage.press("enter");
    assert_eq!(stage.status(), "This works in: branches");
    assert_eq!(stage.commands(), []);
    assert!(stage.model.stack.is_top::<List>());
}

#[test]
fn what_is_typed_is_found_in_names_by_letters_and_in_descriptions_by_words() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    let found = |stage: &Stage| -> Vec<(String, String)> {
        let Some(list) = stage.model.stack.top::<List>() else {
            panic!("no list is open");
        };
        let choices = list.found.iter().map(|at| &list.choices[*at]);
        choices
            .map(|one| (one.name.clone(), one.detail.clone()))
            .collect()
    };
    stage.press(":");
    stage.type_text("mute");
    let names = found(&stage);
    assert_eq!(names.first().map(|(name, _)| &**name), Some("mute-loops"));
    let by_letters = |text: &str| {
        let mut rest = text.chars();
        "mute".chars().all(|c| rest.any(|other| other == c))
    };
    for (name, detail) in &names {
        assert!(by_letters(name) || detail.contains("mute"), "{name}: {detail}");
    }
    stage.press("ctrl-u");
    stage.type_text("mlps");
    assert!(found(&stage).iter().any(|(name, _)| name == "mute-loops"));
    stage.press("ctrl-u");
    stage.type_text("repetition");
    assert!(
        found(&stage).iter().any(|(name, _)| name == "mute-loops"),
        "a word of what it does"
    );
}

/// The names that the palette lists for a text, best first.
fn listed(stage: &mut Stage, text: &str) -> Vec<String> {
    stage.press(":");
    stage.type_text(text);
    let Some(list) = stage.model.stack.top::<List>() else {
        panic!("no list is open");
    };
    let names = list
        .found
        .iter()
        .map(|at| list.choices[*at].name.clone())
        .collect();
    stage.press("esc");
    names
}

#[test]
fn a_command_is_found_by_another_word_for_it() {
    let mut stage = stage();
    stage.draw();
    for (typed, first) in [
        ("color", "theme"),
        ("colour", "theme"),
        ("cost", "budget"),
        ("revert", "undo"),
        ("steer", "guide"),
        ("resume", "pause"),
        ("grep", "search"),
        ("exit", "quit"),
        ("diff", "changes"),
    ] {
        let names = listed(&mut stage, typed);
        let at = |name: &str| names.iter().position(|one| one == name);
        let best = names.iter().take(3).any(|name| name == first);
        assert!(best, "{typed}: {names:?}");
        // Letters that happen to be in this order are no match beside words.
        assert_eq!(at("commit-staged").filter(|_| typed == "cost"), None, "{names:?}");
    }
    assert_eq!(listed(&mut stage, "color")[0], "theme");
    assert_eq!(listed(&mut stage, "cost")[0], "budget");
}

#[test]
fn a_command_is_found_by_its_key_and_case_counts() {
    let mut stage = stage();
    stage.draw();
    for (typed, first) in [
        ("7", "budget"),
        ("X", "emergency-stop"),
        ("ctrl-g", "changes"),
        ("x", "reject"),
        ("f1", "help"),
    ] {
        assert_eq!(listed(&mut stage, typed)[0], first, "{typed}");
    }
}

#[test]
fn what_can_be_done_now_comes_first() {
    let place = |names: &[String], name: &str| names.iter().position(|one| one == name).unwrap();
    let mut stage = stage();
    stage.draw();
    let names = listed(&mut stage, "");
    assert!(
        place(&names, "approve") > place(&names, "budget"),
        "nothing waits: {names:?}"
    );
    assert!(
        place(&names, "undo") > place(&names, "quit"),
        "nothing to undo: {names:?}"
    );
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    let names = listed(&mut stage, "");
    assert_eq!(names[0], "approve");
    assert!(place(&names, "undo") > place(&names, "quit"), "{names:?}");
    // Of two that match equally, the one that can be done now is first.
    let names = listed(&mut stage, "re");
    assert!(place(&names, "reject") < place(&names, "redo"), "{names:?}");
    assert!(place(&names, "replace") < place(&names, "retry"), "{names:?}");
}

#[test]
fn what_cannot_be_done_now_is_dim() {
    use crate::ground::theme::Role;
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.thought("t2", "first this");
        stage.draw();
        stage.press(":");
        stage.type_text("redo");
        let buffer = stage.draw();
        let text = stage.text();
        let y = text
            .lines()
            .position(|row| row.contains("❯redo") || row.contains("❯ redo"))
            .unwrap();
        let row = text.lines().nth(y).unwrap();
        let x = row.chars().position(|c| c == '❯').unwrap() + 2;
        let cell = buffer
            .cell((u16::try_from(x).unwrap(), u16::try_from(y).unwrap()))
            .unwrap();
        let look = &stage.model.settings.look;
        assert_ne!(cell.style().fg, look.style(Role::Accent).fg, "{text}");
    }
}
