//! Tests completion: names of the schema, and references.

use super::typing::{editing, editor};
use crate::surfaces::editor::state::Editor;
use crate::surfaces::list::List;
use crate::testing::{ARMING, Stage};

#[test]
fn names_of_the_schema_complete() {
    let mut stage = editing(r#"{"path":"a"}"#);
    editor(&mut stage).field.replace("{\"path\": \"a\", \"c");
    stage.press("ctrl-end tab");
    assert_eq!(
        editor(&mut stage).field.text(),
        "{\"path\": \"a\", \"content\": ",
        "the only matching name is inserted"
    );
    stage.press("alt-u alt-u");
    editor(&mut stage).field.replace("{");
    stage.press("ctrl-end tab");
    assert!(stage.model.stack.is_top::<List>(), "several are offered");
    let text = stage.text();
    assert!(
        text.contains("path") && text.contains("required string"),
        "{text}"
    );
    stage.type_text("con");
    stage.press("enter");
    assert_eq!(editor(&mut stage).field.text(), "{\"content\": ");
    assert!(stage.commands().is_empty(), "nothing was sent");
}

#[test]
fn without_matches_the_text_stays_and_a_message_is_shown() {
    let mut stage = editing(r#"{"path":"a","content":"b"}"#);
    let before = editor(&mut stage).field.text();
    stage.press("ctrl-end tab");
    assert_eq!(editor(&mut stage).field.text(), before);
    assert!(stage.status().contains("No completions"), "{}", stage.status());
}

#[test]
fn in_words_tab_is_a_tab() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
    stage.type_text("a");
    stage.press("tab");
    assert!(editor(&mut stage).field.text().starts_with('a'));
    assert!(editor(&mut stage).field.text().len() > 1);
}

/// Two calls with results, one of them written to the state, and an editor on a third call.
fn reading(args: &str) -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.spent();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("e ctrl-t");
    stage.out.clear();
    editor(&mut stage).field.replace(args);
    stage
}

/// The names that are offered after a text, and the text with the only name inserted.
fn offered(args: &str) -> (Vec<String>, String) {
    let mut stage = reading(args);
    stage.press("ctrl-end tab");
    let names = match stage.model.stack.top::<List>() {
        Some(list) => list.choices.iter().map(|choice| choice.name.clone()).collect(),
        _ => Vec::new(),
    };
    while stage.model.stack.is_top::<List>() {
        stage.press("esc");
    }
    (names, editor(&mut stage).field.text())
}

#[test]
fn references_complete_with_what_is_there() {
    let (names, _) = offered(r#"{"path": "†"#);
    assert_eq!(names, ["call.", "state.", "input"]);
    let (_, text) = offered(r#"{"path": "†ca"#);
    assert_eq!(text, r#"{"path": "†call."#, "the only root that fits");
    let (names, _) = offered(r#"{"path": "†call."#);
    assert_eq!(
        names,
        ["call.c5", "call.c4", "call.c3"],
        "the newest first, not itself"
    );
    let (_, text) = offered(r#"{"path": "†call.c3."#);
    assert_eq!(text, r#"{"path": "†call.c3.files"#);
    let (names, _) = offered(r#"{"path": "†call.c3.files."#);
    assert_eq!(names, ["call.c3.files.0", "call.c3.files.1"]);
    let (_, text) = offered(r#"{"path": "†state."#);
    assert_eq!(text, r#"{"path": "†state.plan"#);
    let (names, _) = offered(r#"{"path": "†state.plan."#);
    assert_eq!(
        names,
        ["state.plan.files", "state.plan.notes"],
        "the value there, and a path below"
    );
    let (_, text) = offered(r#"{"path": "†call.c9 || †sta"#);
    assert_eq!(
        text, r#"{"path": "†call.c9 || †state."#,
        "each part of an expression"
    );
    let (names, text) = offered(r#"{"path": "††call."#);
    assert!(
        names.is_empty() && text == r#"{"path": "††call."#,
        "an escaped dagger is a text"
    );
}

#[test]
fn an_empty_text_offers_a_reference_and_a_result_does_not() {
    let mut stage = reading(r#"{"path": ""}"#);
    stage.press("ctrl-end left left tab");
    let text = stage.text();
    assert!(text.contains("†call."), "{text}");
    stage.type_text("state");
    stage.press("enter");
    assert_eq!(editor(&mut stage).field.text(), r#"{"path": "†state."}"#);
    let mut stage = Stage::new(100, 30);
    stage.spent();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("w ctrl-t");
    editor(&mut stage).field.replace("\"†");
    stage.press("ctrl-end tab");
    assert!(stage.model.stack.is_top::<Editor>());
}
