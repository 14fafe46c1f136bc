//! Tests which parts of the screen grow with it, and which are dropped on a small one.
//!
//! Must not know: how they are drawn.

use crate::testing::Stage;

/// A run of some forty turns.
fn long(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.long_run(44);
    stage
}

#[test]
fn boxes_of_the_map_grow_with_the_room() {
    let widest = |width: u16, keys: &str| {
        let mut stage = long(width, 40);
        stage.press(keys);
        let text = stage.text();
        let boxes = text.lines().filter_map(|row| {
            let from = row.find(['[', '❯'])?;
            row[from..]
                .find(']')
                .map(|to| row[from..from + to].chars().count() + 1)
        });
        (boxes.max().unwrap_or(0), text)
    };
    let (small, _) = widest(80, "1 z f f V");
    let (wide, text) = widest(200, "1 z f f V");
    assert!((20..=26).contains(&small), "{small}");
    assert!(wide > 30, "{wide}: {text}");
}

#[test]
fn the_legend_of_the_timeline_is_whole_or_of_what_is_on_screen() {
    for width in [60, 80, 100, 120, 200] {
        let mut stage = long(width, 30);
        stage.press("1 G k k J");
        let text = stage.text();
        let area = stage.model.screen.places.graph.unwrap();
        let row = text.lines().nth(usize::from(area.y)).unwrap();
        assert!(!row.contains('…'), "{width}: {row}");
        assert!(
            row.contains("timeline · █ ran") && row.contains("═ model"),
            "{width}: {row}"
        );
        assert_eq!(row.contains(" to "), width > 60, "{width}: {row}");
    }
}
