//! Tests long texts: background work lays them out, and no decision precedes that.

use crate::ground::term_msg::TermMsg;
use crate::kernel::inspector::Tab;
use crate::kernel::msg::{Msg, Out};
use crate::kernel::pane::Pane;
use crate::surfaces::editor::state::Editor;
use crate::testing::{ARMING, Stage, id, work};
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command};

/// The most bytes that a frame may scan.
const SHORT: usize = 64 * 1024;

/// Arguments of a quarter of a megabyte whose letters are not ASCII.
fn args() -> String {
    let content = "обычный текст, как его пишут. ".repeat(5_000);
    format!(r#"{{"path":"a","content":"{content}\u202e"}}"#)
}

/// A selected waiting call with such arguments, which take time to lay out.
fn asked() -> Stage {
    let mut stage = Stage::exact(100, 30);
    stage.slow = Some(Vec::new());
    stage.begin();
    stage.awaiting("c3", "write_file", &args());
    stage
}

#[test]
fn no_frame_waits_for_a_long_text() {
    let mut stage = asked();
    let (laid, _) = work::of(|| {
        stage.press("2");
        stage.wait(ARMING);
    });
    assert!(laid < SHORT, "{laid} bytes were laid out");
    let text = stage.text();
    assert!(text.contains("loading the arguments…"), "{text}");
    assert!(text.contains("write_file") && text.contains("digest"), "{text}");
    // Other keys still work meanwhile.
    stage.press("?");
    assert!(stage.model.stack.last().is_some_and(|top| top.id().reads));
    stage.press("esc");
    assert!(stage.work() > 0);
    let text = stage.text();
    assert!(text.contains("обычный текст"), "{text}");
    assert!(
        text.contains("turns the direction of the text: ⟨U+202E⟩"),
        "{text}"
    );
    assert!(!text.contains("loading"), "{text}");
    assert_eq!(stage.work(), 0, "all of it is there");
}

#[test]
fn nothing_is_decided_before_it_is_there_and_has_been_on_screen() {
    let mut stage = asked();
    stage.press("2");
    stage.wait(10 * ARMING);
    for key in ["a", "ctrl-a"] {
        stage.press(key);
        assert!(
            stage.status().contains("not on screen yet, loading…"),
            "{}",
            stage.status()
        );
    }
    assert_eq!(stage.commands(), []);
    stage.work();
    stage.draw();
    stage.press("a");
    assert!(stage.status().starts_with("Ignored: "), "{}", stage.status());
    stage.wait(ARMING);
    stage.press("a");
    assert!(stage.status().contains("bytes unread"), "{}", stage.status());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_list_of_approvals_counts_once_all_of_it_is_looked_through() {
    let mut stage = asked();
    stage.awaiting("c4", "write_file", r#"{"path":"b","content":"x"}"#);
    stage.press("A");
    stage.wait(ARMING);
    let text = stage.flat();
    assert!(text.contains(" loading…"), "{text}");
    stage.press("ctrl-a");
    assert!(
        stage.status().contains("not on screen yet, loading…"),
        "{}",
        stage.status()
    );
    assert_eq!(stage.commands(), []);
    stage.work();
    let text = stage.flat();
    assert!(text.contains("1 place to look at"), "{text}");
    stage.press("ctrl-a");
    assert!(stage.status().starts_with("Ignored: "), "{}", stage.status());
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let approved: Vec<String> = stage
        .commands()
        .iter()
        .map(|command| match command {
            Command::Call(CallCommand::Approve { call, .. }) => call.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(approved, ["c3", "c4"]);
}

#[test]
fn what_nobody_looks_at_any_more_is_not_begun() {
    let mut stage = asked();
    stage.awaiting("c4", "write_file", r#"{"path":"b","content":"x"}"#);
    stage.press("2");
    assert!(stage.slow.as_ref().is_some_and(|slow| !slow.is_empty()));
    stage.press("j");
    assert!(stage.text().contains("c4"));
    assert_eq!(stage.work(), 0);
    // After a return it is laid out again.
    stage.press("k");
    assert!(stage.work() > 0);
    assert!(stage.text().contains("обычный текст"));
}

#[test]
fn a_place_in_a_long_text_outlives_another_width() {
    let mut stage = asked();
    stage.press("2");
    stage.work();
    stage.press("pgdn pgdn pgdn");
    let top = stage.model.inspector.top;
    assert!(top > 20, "{top}");
    stage.send(Msg::Term(TermMsg::Resize {
        width: 90,
        height: 30,
    }));
    let text = stage.text();
    assert!(text.contains("loading"), "{text}");
    stage.work();
    stage.draw();
    assert_eq!(stage.model.inspector.top, top);
}

#[test]
fn a_long_result_is_neither_copied_nor_searched_before_it_is_there() {
    let text = "строка такой длины, какие бывают в файлах\n".repeat(5_000);
    let mut stage = Stage::exact(100, 30);
    stage.slow = Some(Vec::new());
    stage.begin();
    let outcome = Outcome::ok(serde_json::Value::from(text).to_string());
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, outcome);
    stage.press("1 G");
    assert_eq!(stage.selected(), Some(id("c3")));
    stage.model.inspector.choose(Tab::Content, Pane::GRAPH);
    let (laid, _) = work::of(|| {
        stage.draw();
    });
    assert!(laid < SHORT, "{laid}");
    let shown = stage.text();
    assert!(shown.contains("loading "), "{shown}");
    stage.out.clear();
    stage.press("y");
    assert!(stage.status().contains("Loading text…"), "{}", stage.status());
    assert!(!stage.out.iter().any(|out| matches!(out, Out::Copy(_))));
    // The text is scanned for colours first, then laid out.
    while stage.work() > 0 {
        stage.draw();
    }
    let shown = stage.text();
    assert!(shown.contains("строка такой длины"), "{shown}");
}

/// Lines that are too many to compare while a frame waits.
fn lines(first: &str) -> String {
    let rest: Vec<String> = (0..3_000).map(|no| format!("line {no}")).collect();
    format!("{first}\n{}", rest.join("\n"))
}

/// A long thought, rewritten in its editor.
fn rewritten() -> Stage {
    let mut stage = Stage::exact(100, 30);
    stage.slow = Some(Vec::new());
    stage.begin();
    stage.thought("t2", &lines("before"));
    stage.draw();
    stage.press("1 g j e");
    match stage.model.stack.top_mut::<Editor>() {
        Some(editor) => editor.field.replace(&lines("after")),
        other => panic!("{other:?}"),
    }
    stage
}

#[test]
fn no_frame_waits_for_the_difference_of_long_texts_and_nothing_is_committed_before_it_is_there() {
    let mut stage = rewritten();
    stage.press("ctrl-s");
    stage.wait(10 * ARMING);
    let text = stage.text();
    assert!(text.contains("loading "), "{text}");
    assert!(!text.contains("+ after"), "{text}");
    stage.commands();
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains("not on screen yet, loading…"),
        "{}",
        stage.status()
    );
    assert!(stage.work() > 0);
    let text = stage.text();
    assert!(text.contains("− before") && text.contains("+ after"), "{text}");
    stage.press("enter");
    assert_eq!(stage.commands(), [], "it was not on screen for long enough");
    stage.wait(ARMING);
    stage.press("enter");
    assert!(
        matches!(stage.commands().as_slice(), [Command::Edit(_)]),
        "{}",
        stage.status()
    );
    assert_eq!(stage.work(), 0);
}

#[test]
fn the_diff_of_a_staged_edit_is_computed_once() {
    let mut stage = rewritten();
    stage.press("ctrl-g 1 E");
    let text = stage.text();
    assert!(text.contains("loading "), "{text}");
    assert!(stage.work() > 0);
    let text = stage.text();
    assert!(text.contains("+ after"), "{text}");
    // Only a new event makes the list again.
    stage.running("c9", "read_file", r#"{"path":"a"}"#);
    stage.draw();
    let text = stage.text();
    assert!(text.contains("+ after"), "{text}");
    assert_eq!(stage.work(), 0);
}
