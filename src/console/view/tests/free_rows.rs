//! Tests which texts the free rows of the graph show, and that nodes come first.

use crate::ground::term_msg::{Mouse, TermMsg};
use crate::kernel::msg::Msg;
use crate::testing::{Stage, id};

/// The run whose tests failed, on a screen of this height.
fn failed(height: u16) -> Stage {
    let mut stage = Stage::new(100, height);
    stage.failures();
    stage
}

/// Parts of a thought, of the output of a command that failed, and of a difference, each in a free row.
const THOUGHT: &str = "open an issue.";
const OUTPUT: &str = "AssertionError: 2 != 2.5";
const DIFFERENCE: &str = "+     return sum(xs) / len(xs)";

#[test]
fn thoughts_come_first_then_failures_then_differences() {
    let shown = |height: u16| {
        let text = failed(height).text();
        let graph = text.split(" c16 shell").next().unwrap_or_default();
        [THOUGHT, OUTPUT, DIFFERENCE].map(|part| graph.contains(part))
    };
    let all: Vec<[bool; 3]> = (20..60).map(shown).collect();
    assert_eq!(all.first(), Some(&[false; 3]), "nodes need the rows");
    assert_eq!(all.last(), Some(&[true; 3]), "{}", failed(59).text());
    for parts in [[true, false, false], [true, true, false]] {
        assert!(all.contains(&parts), "{parts:?}: {all:?}");
    }
    assert!(all.is_sorted(), "a higher screen shows more: {all:?}");
}

#[test]
fn a_row_does_not_say_what_is_below_it() {
    let row = |height: u16| {
        let text = failed(height).text();
        let mut rows = text.lines().filter(|row| row.contains("c9  shell"));
        rows.next().unwrap_or_default().to_owned()
    };
    assert!(row(24).contains("FAILED (failures=1)"), "{}", row(24));
    assert!(!row(60).contains("FAILED (failures=1)"), "{}", row(60));
    assert!(row(60).ends_with("exit 1"), "{}", row(60));
}

#[test]
fn the_keys_go_from_node_to_node_and_a_click_on_a_text_selects_its_node() {
    let walk = |height: u16| {
        let mut stage = failed(height);
        stage.press("g");
        let mut seen = vec![stage.selected()];
        for _ in 0..11 {
            stage.press("j");
            seen.push(stage.selected());
        }
        seen
    };
    assert_eq!(walk(60), walk(24));
    let mut stage = failed(60);
    let text = stage.text();
    let row = text.lines().position(|row| row.contains(OUTPUT)).unwrap();
    let (mouse, x, y) = (Mouse::Press, 30, row as u16);
    stage.send(Msg::Term(TermMsg::Mouse { mouse, x, y }));
    assert_eq!(stage.selected(), Some(id("c9")));
}

#[test]
fn a_call_that_waits_shows_its_difference_in_the_frame_alone() {
    let mut stage = Stage::new(100, 60);
    stage.four_wait();
    let text = stage.text();
    assert_eq!(text.matches("return sum(xs) / len(xs) + 1").count(), 1, "{text}");
}

#[test]
fn a_large_run_has_no_free_rows() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(44);
    for keys in ["1", "k k", "g", "v"] {
        stage.press(keys);
        assert_eq!(stage.model.graph.free.used(), 0);
    }
}

#[test]
fn a_thought_that_does_not_fit_ends_with_a_sign() {
    let mut stage = Stage::new(60, 30);
    stage.begin();
    stage.thought("t2", &"many words ".repeat(200));
    let text = stage.text();
    let graph = stage.model.screen.places.graph.unwrap();
    let last = text.lines().nth(usize::from(graph.bottom()) - 1).unwrap();
    assert!(last.ends_with('…'), "{text}");
    assert!(
        text.lines().nth(2).is_some_and(|row| row.contains("p1")),
        "{text}"
    );
}
