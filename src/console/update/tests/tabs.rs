//! Tests that tabs stay in place and keep their position, and which rows count as read.

use super::arming::approve;
use crate::kernel::inspector::Tab;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::id::Rev;
use overrule_domain::node::Origin;

/// The column of each tab on the screen.
fn places(stage: &Stage) -> Vec<(Tab, u16)> {
    let inspector = &stage.model.inspector;
    let area = stage.model.screen.places.inspector.unwrap();
    let bar = inspector.bar(area.width, ('<', '>'));
    bar.tabs.into_iter().map(|(tab, x, _)| (tab, x)).collect()
}

#[test]
fn a_tab_has_one_place_whichever_is_shown() {
    for (width, whole) in [(200, true), (120, true), (60, false)] {
        let mut stage = Stage::new(width, 30);
        stage.begin();
        stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok(r#""b""#));
        stage.draw();
        let mut seen = Vec::new();
        for tab in Tab::ALL {
            assert_eq!(stage.model.inspector.tab, tab);
            let places = places(&stage);
            assert!(
                places.iter().any(|(one, _)| *one == tab),
                "{tab:?} is on the line"
            );
            let shown = stage.text();
            assert!(shown.contains(&format!("[{}]", tab.label())), "{shown}");
            seen.extend(places);
            stage.press(">");
        }
        for tab in Tab::ALL {
            let mut its: Vec<u16> = seen
                .iter()
                .filter(|(one, _)| *one == tab)
                .map(|(_, x)| *x)
                .collect();
            its.dedup();
            assert_eq!(its.len(), 1, "{tab:?} at {width}: {its:?}");
        }
        assert_eq!(seen.len() == 49, whole, "{width}");
    }
}

#[test]
fn a_thought_has_no_place_for_what_only_calls_have() {
    let mut stage = Stage::new(200, 30);
    stage.begin();
    stage.thought("t2", "first");
    stage.draw();
    stage.press("1 g j");
    let words: Vec<Tab> = places(&stage).into_iter().map(|(tab, _)| tab).collect();
    assert_eq!(
        words,
        [
            Tab::Content,
            Tab::Revisions,
            Tab::Context,
            Tab::Depends,
            Tab::Wire
        ]
    );
}

fn long() -> String {
    let lines: Vec<String> = (0..300).map(|no| format!("line {no}")).collect();
    serde_json::to_string(&lines.join("\n")).unwrap()
}

#[test]
fn each_tab_of_each_node_is_read_on_where_it_was_left() {
    let mut stage = Stage::new(120, 30);
    stage.begin();
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok(long()));
    stage.finished("c4", "read_file", r#"{"path":"b"}"#, Outcome::ok(long()));
    stage.draw();
    stage.press("1 g j 3 pgdn pgdn");
    assert_eq!(stage.selected(), Some(id("c3")));
    let top = stage.model.inspector.top;
    assert!(top > 20);
    stage.press(">");
    assert_eq!(
        stage.model.inspector.top, 0,
        "another text begins at its beginning"
    );
    stage.press("<");
    assert_eq!(stage.model.inspector.top, top);
    stage.press("1 j");
    assert_eq!((stage.selected(), stage.model.inspector.top), (Some(id("c4")), 0));
    stage.press("3 j 1 k");
    assert_eq!(
        (stage.selected(), stage.model.inspector.top),
        (Some(id("c3")), top)
    );
    stage.press("j");
    assert_eq!(stage.model.inspector.top, 1);
}

#[test]
fn a_restored_scroll_position_does_not_count_as_read() {
    let mut stage = Stage::new(100, 20);
    stage.begin();
    let args = format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(6_000));
    stage.awaiting("c3", "write_file", &args);
    stage.draw();
    stage.press("2 G");
    let top = stage.model.inspector.top;
    assert!(top > 20);
    stage.press("> <");
    assert_eq!(stage.model.inspector.top, top, "it is read on where it was left");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [], "the rows before were never on screen");
    assert!(stage.status().contains("bytes unread"), "{}", stage.status());
    stage.press("3 g");
    for _ in 0..30 {
        stage.press("pgdn > <");
    }
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)], "{}", stage.status());
}

#[test]
fn another_revision_is_read_from_its_beginning_by_who_comes_back_to_it() {
    let mut stage = Stage::new(100, 20);
    stage.begin();
    let args = |c: &str| format!(r#"{{"path":"a","content":"{}"}}"#, c.repeat(6_000));
    stage.awaiting("c3", "write_file", &args("x"));
    stage.awaiting("c4", "write_file", r#"{"path":"b","content":"c"}"#);
    stage.draw();
    stage.press("2 G j");
    stage.awaiting_revised("c3", ("write_file", &args("y")), Origin::Repair { attempt: 1 });
    stage.draw();
    for _ in 0..3 {
        stage.press("j");
        let read = stage.model.inspector.read.unwrap();
        if read.2 == Some(Rev(2)) {
            assert_eq!(stage.model.inspector.top, 0);
            return;
        }
    }
    panic!("the new revision is not in the queue");
}
