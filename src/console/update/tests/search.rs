//! What is searched is the whole of each text, however long; what was never stored is said.

use crate::console::testing::{Stage, id};
use crate::domain::call::Outcome;
use crate::domain::id::NodeId;

/// A read whose result holds a word behind so many bytes.
fn far(bytes: usize, discarded: u64) -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    let value = serde_json::to_string(&format!("{}Needle at the end", "hay ".repeat(bytes / 4))).unwrap();
    let outcome = Outcome::Ok {
        value: value.into(),
        meta: None,
        discarded,
    };
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, outcome);
    stage.draw();
    stage
}

fn look_for(stage: &mut Stage, words: &str) {
    stage.press("/");
    stage.type_text(words);
    stage.press("enter");
}

#[test]
fn the_graph_is_searched_to_the_end_of_each_text() {
    let mut stage = far(300_000, 0);
    look_for(&mut stage, "needle");
    assert_eq!(stage.said(), "1 place");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c3")));
    stage.press("/ end");
    stage.type_text("pin");
    stage.press("enter");
    assert_eq!(stage.said(), "`needlepin` is nowhere in the graph");
}

#[test]
fn the_inspector_is_searched_to_the_end_of_a_long_text() {
    let mut stage = far(10_000_000, 0);
    stage.press("3");
    look_for(&mut stage, "needle");
    assert!(stage.said().starts_with("row "), "{}", stage.said());
    assert!(stage.text().contains("Needle at the end"));
}

#[test]
fn what_was_never_stored_is_said_where_nothing_is_found() {
    let mut stage = far(100, 77);
    look_for(&mut stage, "pin");
    assert_eq!(
        stage.said(),
        "`pin` is nowhere in the graph; 1 result was stored in part: the rest of it is not searched"
    );
    stage.press("3");
    look_for(&mut stage, "pin");
    assert_eq!(
        stage.said(),
        "`pin` is nowhere in it; 77 bytes of its result were not stored and are not searched"
    );
}

#[test]
fn what_came_after_a_search_is_found_too() {
    let mut stage = far(100, 0);
    look_for(&mut stage, "lighthouse");
    assert_eq!(stage.said(), "`lighthouse` is nowhere in the graph");
    stage.proposed("c9", "read_file", r#"{"path":"lighthouse"}"#);
    stage.press("1 g n");
    assert_eq!(stage.selected(), Some(id("c9")), "{}", stage.said());
}
