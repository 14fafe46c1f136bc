//! Tests that search covers the whole of each text, and reports what was never stored.

use crate::kernel::graph::Pick;
use crate::testing::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::id::NodeId;

/// A read whose result has a word after this many bytes.
fn far(bytes: usize, discarded: u64) -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    let value = serde_json::to_string(&format!("{}Needle at the end", "hay ".repeat(bytes / 4))).unwrap();
    let outcome = Outcome::Ok {
        value: value.into(),
        meta: None,
        discarded,
        exit: None,
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
    assert_eq!(stage.status(), "1 of 1");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c3")));
    stage.press("/ end");
    stage.type_text("pin");
    stage.press("enter");
    assert_eq!(stage.status(), "Not found in the graph: `needlepin`");
}

#[test]
fn the_inspector_is_searched_to_the_end_of_a_long_text() {
    let mut stage = far(10_000_000, 0);
    stage.press("3");
    look_for(&mut stage, "needle");
    assert!(stage.status().starts_with("1 of 1, row "), "{}", stage.status());
    assert!(stage.text().contains("Needle at the end"));
    let output = stage.status().to_owned();
    stage.press("n");
    assert_eq!(stage.status(), format!("{output}, from the other end"));
}

#[test]
fn each_match_is_numbered_in_row_order() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    let lines: Vec<String> = (0..300)
        .map(|no| format!("line {no}{}", if no % 3 == 0 { " owl" } else { "" }))
        .collect();
    let value = serde_json::to_string(&lines.join("\n")).unwrap();
    stage.finished("c3", "read_file", r#"{"path":"owl.txt"}"#, Outcome::ok(value));
    stage.draw();
    stage.press("1 g j 3 g");
    look_for(&mut stage, "owl");
    assert!(stage.status().starts_with("1 of 101, row "), "{}", stage.status());
    for no in [2, 3, 4] {
        stage.press("n");
        assert!(
            stage.status().starts_with(&format!("{no} of 101, row ")),
            "{}",
            stage.status()
        );
    }
    stage.press("N");
    assert!(stage.status().starts_with("3 of 101, row "), "{}", stage.status());
    stage.press("g N N N");
    assert!(
        stage.status().ends_with("from the other end"),
        "{}",
        stage.status()
    );
    assert!(
        stage.status().starts_with("101 of 101, row "),
        "{}",
        stage.status()
    );
    stage.press("?");
    look_for(&mut stage, "approve");
    assert!(
        stage.status().starts_with("1 of "),
        "a page too: {}",
        stage.status()
    );
}

#[test]
fn unstored_text_is_mentioned_when_nothing_is_found() {
    let mut stage = far(100, 77);
    look_for(&mut stage, "pin");
    assert_eq!(
        stage.status(),
        "Not found in the graph; 1 result was stored in part: the rest of it is not searched: `pin`"
    );
    stage.press("3");
    look_for(&mut stage, "pin");
    assert_eq!(
        stage.status(),
        "Not found; 77 bytes of its result were not stored and are not searched: `pin`"
    );
}

#[test]
fn nodes_added_after_a_search_are_found_too() {
    let mut stage = far(100, 0);
    look_for(&mut stage, "lighthouse");
    assert_eq!(stage.status(), "Not found in the graph: `lighthouse`");
    stage.proposed("c9", "read_file", r#"{"path":"lighthouse"}"#);
    stage.press("1 g n");
    assert_eq!(stage.selected(), Some(id("c9")), "{}", stage.status());
}

#[test]
fn unstored_text_is_mentioned_before_the_text_with_the_gap() {
    let mut stage = far(300, 77);
    stage.press("G");
    stage.draw();
    let text = stage.text();
    let rows: Vec<&str> = text.lines().collect();
    let at = |words: &str| rows.iter().rposition(|row| row.contains(words)).expect(words);
    assert!(at("77 bytes of it were not stored") < at("Needle"), "{text}");
}

/// A run of many calls, each with its number in its arguments.
fn many() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    for no in 3..203 {
        let args = format!(r#"{{"path":"file {no}."}}"#);
        stage.finished(&format!("c{no}"), "read_file", &args, Outcome::ok("1"));
    }
    stage.draw();
    stage.press("1 g");
    stage
}

#[test]
fn all_of_a_long_run_is_searched_and_the_first_place_below_the_cursor_is_gone_to() {
    let mut stage = many();
    look_for(&mut stage, "read_file");
    assert_eq!(stage.status(), "1 of 200");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c3")));
    stage.press("G N N");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c200")));
    look_for(&mut stage, "\"file 202.\"");
    assert_eq!(stage.status(), "1 of 1");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c202")));
}

#[test]
fn what_happened_since_is_found_and_what_is_no_match_any_more_is_forgotten() {
    let mut stage = many();
    stage.running("c300", "read_file", r#"{"path":"late"}"#);
    look_for(&mut stage, "is:running");
    assert_eq!(stage.status(), "1 of 1");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c300")));
    stage.finish("c300", Outcome::ok("1"));
    stage.running("c301", "read_file", r#"{"path":"later"}"#);
    stage.press("g n");
    assert_eq!(stage.selected().map(NodeId::call), Some(id("c301")));
    assert_eq!(stage.model.graph.search.found(), 1);
    stage.finish("c301", Outcome::ok("1"));
    stage.press("n");
    assert_eq!(stage.model.graph.search.found(), 0);
    assert!(
        stage.status().starts_with("Not found in the graph"),
        "{}",
        stage.status()
    );
}

#[test]
fn the_next_place_is_the_nearest_one_whichever_way_it_was_looked_for() {
    let mut stage = many();
    stage.model.graph.selected = Some(Pick::Node(id("c198")));
    look_for(&mut stage, "kind:call");
    stage.model.graph.selected = Some(Pick::Node(id("c150")));
    stage.press("n");
    assert_eq!(stage.selected(), Some(id("c151")));
    stage.press("N");
    assert_eq!(stage.selected(), Some(id("c150")));
}

#[test]
fn the_text_of_a_row_is_found_as_it_is_on_the_screen_and_each_match_has_its_number() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.thought("t2", "I will read.");
        for no in 3..6 {
            let args = format!(r#"{{"path":"file{no}","line":{no}}}"#);
            stage.finished(&format!("c{no}"), "read_file", &args, Outcome::ok("1"));
        }
        stage.awaiting("c6", "write_file", r#"{"path":"r","content":"x"}"#);
        stage.draw();
        stage.press("1 g");
        // The arguments are JSON; the row shows the file.
        assert!(stage.text().contains("read_file file4"), "{}", stage.text());
        look_for(&mut stage, "read_file file");
        assert_eq!(stage.status(), "1 of 3");
        assert_eq!(stage.selected().map(NodeId::call), Some(id("c3")));
        stage.press("n");
        assert_eq!(stage.status(), "2 of 3");
        stage.press("N N");
        assert_eq!(stage.status(), "3 of 3, from the other end");
        assert_eq!(stage.selected().map(NodeId::call), Some(id("c5")));
        // Several words are found as they stand in a row.
        look_for(&mut stage, "\"write_file r\"");
        assert_eq!(stage.status(), "1 of 1");
        assert_eq!(stage.selected().map(NodeId::call), Some(id("c6")));
        // An id is one node, not every row with these letters.
        look_for(&mut stage, "c3");
        assert_eq!(stage.status(), "1 of 1");
    }
}

#[test]
fn a_call_and_its_result_are_one_match() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.finished("c3", "read_file", r#"{"path":"owl"}"#, Outcome::ok("\"owl\""));
    stage.draw();
    stage.press("1 g");
    look_for(&mut stage, "owl");
    assert_eq!(stage.status(), "1 of 1");
}

#[test]
fn a_pane_at_the_bottom_is_searched_where_the_cursor_is() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = many();
        let resize = crate::ground::term_msg::TermMsg::Resize { width, height };
        stage.send(crate::kernel::msg::Msg::Term(resize));
        stage.press("1 g");
        let before = stage.selected();
        stage.press("L g");
        look_for(&mut stage, "c7 c");
        assert_eq!(stage.status(), "1 of 2");
        let text = stage.text();
        assert!(
            text.lines()
                .any(|row| row.contains('❯') && row.contains("engine: c7")),
            "{text}"
        );
        assert_eq!(stage.selected(), before, "the graph stays");
        stage.press("n");
        assert_eq!(stage.status(), "2 of 2");
        stage.press("n");
        assert_eq!(stage.status(), "1 of 2, from the other end");
        look_for(&mut stage, "lighthouse");
        assert_eq!(stage.status(), "Not found in the log pane: `lighthouse`");
        // Another pane has a search of its own.
        stage.press("7 n");
        assert_eq!(stage.status(), "Nothing searched here yet. / searches");
        look_for(&mut stage, "requests");
        assert!(stage.status().starts_with("1 of "), "{}", stage.status());
    }
}
