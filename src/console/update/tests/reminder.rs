//! Tests that a new dialog needs its own file and one entry: the example of `docs/contributing.md`.

use std::sync::LazyLock;

use crate::app::registry::REGISTRY;
use crate::kernel::hints::{hints, surface};
use crate::kernel::keymap::Keymap;
use crate::kernel::registry::{Entry, Registry};
use crate::testing::Stage;
use crate::testing::reminder::{ENTRY, ID, Reminder};

/// The registry with one entry more.
static WITH_ONE_MORE: LazyLock<Registry> = LazyLock::new(|| {
    let entries = REGISTRY.surfaces.iter().map(|entry| Entry { ..*entry });
    Registry {
        families: REGISTRY.families,
        panes: REGISTRY.panes,
        surfaces: Vec::leak(entries.chain([ENTRY]).collect()),
        tasks: REGISTRY.tasks,
        replay: REGISTRY.replay,
    }
});

fn stage() -> Stage {
    let mut stage = Stage::with(80, 24, |settings| {
        settings.keymap = Keymap::new(&WITH_ONE_MORE, &[]).unwrap();
    });
    stage.begin();
    stage.press("alt-9");
    stage
}

#[test]
fn a_dialog_with_one_entry_is_drawn_moved_searched_and_has_its_keys() {
    let mut stage = stage();
    assert_eq!(surface(&stage.model), ID);
    assert!(stage.text().contains("buy milk"), "{}", stage.text());
    let long: Vec<String> = (1..400).map(|no| format!("buy milk {no} ")).collect();
    stage.model.stack.push(Reminder {
        text: long.concat(),
        ..Reminder::default()
    });
    stage.draw();
    let text = stage.text();
    assert!(
        text.contains(" reminder ") && text.contains("buy milk 1 "),
        "{text}"
    );
    assert!(hints(&stage.model).iter().any(|hint| hint.word == "done"));
    stage.press("pgdn");
    assert!(!stage.text().contains("buy milk 1 "), "{}", stage.text());
    stage.press("/");
    stage.type_text("milk 300 ");
    stage.press("enter");
    assert!(stage.status().starts_with("1 of 1"), "{}", stage.status());
    stage.press("?");
    let help = stage.text();
    assert!(
        help.contains("reminder") && help.contains("d      done"),
        "{help}"
    );
    stage.press("esc d d");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.status(), "Done");
    assert_eq!(stage.commands(), []);
}

#[test]
fn the_keys_of_a_dialog_work_there_alone() {
    let mut stage = stage();
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    stage.press("d");
    assert_ne!(
        stage.status(),
        "Done",
        "in the panes it is the key of another verb"
    );
    assert!(REGISTRY.verbs().all(|verb| !verb.name.starts_with("reminder")));
}

#[test]
fn no_two_surfaces_have_the_same_heading() {
    let headings: Vec<&str> = WITH_ONE_MORE.surfaces().iter().map(|id| id.heading).collect();
    let distinct: std::collections::BTreeSet<&&str> = headings.iter().collect();
    assert_eq!(distinct.len(), headings.len(), "{headings:?}");
    assert!(headings.iter().all(|heading| !heading.is_empty()), "{headings:?}");
}
