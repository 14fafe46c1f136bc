//! Tests what is next to each other on a wide screen.

use ratatui::layout::Rect;

use super::decisions::pictured;
use crate::testing::Stage;

/// The run whose tests failed, with the pane of a key.
fn with_pane(width: u16, height: u16, key: &str) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.failures();
    stage.press(key);
    stage.draw();
    stage
}

/// Columns of the widest row in an area, with its margins.
fn widest(text: &str, area: Rect) -> usize {
    let rows = text.lines().skip(usize::from(area.y) + 1);
    let rows = rows.take(usize::from(area.height) - 1);
    let wide = rows.map(|row| {
        let inside: String = row.chars().skip(usize::from(area.x)).collect();
        inside.trim_end().chars().count()
    });
    wide.max().unwrap_or(0) + 1
}

#[test]
fn a_pane_is_at_the_right_of_the_graph_and_as_wide_as_its_content() {
    for key in ["5", "6", "7", "8", "9"] {
        let mut stage = with_pane(160, 50, key);
        let text = stage.text();
        let places = stage.model.screen.places;
        let (graph, pane) = (places.graph.unwrap(), places.lower.unwrap());
        assert_eq!((graph.right(), graph.y), (pane.x, pane.y), "{key}: {text}");
        assert_eq!(graph.height, pane.height, "{key}: {text}");
        assert_eq!(
            places.inspector.map(|area| area.width),
            Some(160),
            "{key}: what is looked at keeps its room"
        );
        let title = text.lines().nth(usize::from(pane.y)).unwrap();
        let title: String = title.chars().skip(usize::from(pane.x)).collect();
        let title = title.split("  ").next().unwrap_or_default();
        let title = title.trim_end_matches(['━', '─']).chars().count() + 1;
        let content = widest(&text, pane).max(title);
        assert!(
            usize::from(pane.width) <= content + 1,
            "{key}: {pane:?} {content} {text}"
        );
    }
}

#[test]
fn a_narrower_screen_and_a_zoomed_pane_stay_as_they_are() {
    let stage = with_pane(139, 50, "5");
    let places = stage.model.screen.places;
    let pane = places.lower.unwrap();
    assert_eq!((pane.x, pane.width), (0, 139));
    let mut stage = with_pane(160, 50, "5");
    stage.press("z");
    assert_eq!(stage.model.screen.places.lower.map(|area| area.width), Some(160));
}

#[test]
fn next_to_the_transcript_a_pane_has_the_place_of_the_inspector() {
    let mut stage = with_pane(160, 50, "8");
    stage.press("1 ctrl-t");
    let places = stage.model.screen.places;
    assert_eq!(places.inspector, None);
    assert_eq!(places.graph.map(Rect::right), places.lower.map(|area| area.x));
    stage.press("3");
    let places = stage.model.screen.places;
    assert!(places.inspector.is_some(), "what is gone to is on the screen");
}

#[test]
fn the_frame_of_a_decision_keeps_the_whole_width() {
    let mut stage = Stage::new(160, 50);
    stage.two_wait();
    stage.press("5");
    let places = stage.model.screen.places;
    assert_eq!(places.inspector.map(|area| area.width), Some(160));
    assert!(places.lower.is_some_and(|pane| pane.x >= 80));
}

#[test]
fn the_details_of_a_list_are_next_to_it() {
    pictured("effects_160x50", (160, 50), |stage| {
        stage.written();
        stage.press("O");
    });
    let mut stage = Stage::new(160, 50);
    stage.written();
    stage.press("O");
    stage.draw();
    let list = stage.model.stack.last().and_then(|top| top.listing()).unwrap();
    let (whole, rows, more) = stage.model.screen.listing(list.rows.count(), list.doc.rows());
    assert_eq!(
        (rows.y, more.x > rows.right()),
        (more.y, true),
        "{rows:?} {more:?}"
    );
    assert_eq!(
        usize::from(whole.height),
        list.rows.count().max(list.doc.rows()) + 1,
        "no taller than its content"
    );
}

#[test]
fn a_pane_next_to_the_graph() {
    pictured("health_beside_160x50", (160, 50), |stage| {
        stage.failures();
        stage.press("8");
    });
}
