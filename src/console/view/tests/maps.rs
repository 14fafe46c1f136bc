//! Tests that the map is readable, and that the signs in the margins are explained.
//!
//! Must not know: how boxes are placed.

use crate::testing::Stage;
use overrule_domain::call::Outcome;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// A map around a failure in the middle of a run.
fn map((width, height): (u16, u16)) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.long_run(44);
    stage.press("1 f f V");
    stage
}

/// The rows of the graph pane, without its title.
fn rows(stage: &mut Stage) -> Vec<String> {
    let text = stage.text();
    let area = stage.model.screen.places.graph.unwrap();
    let rows = text
        .lines()
        .skip(usize::from(area.y) + 1)
        .take(usize::from(area.height) - 1);
    rows.map(|row| row.chars().take(usize::from(area.width)).collect())
        .collect()
}

#[test]
fn a_box_is_as_wide_as_there_is_room() {
    for size in SIZES {
        let mut stage = map(size);
        let rows = rows(&mut stage);
        let row = |name: &str| {
            rows.iter()
                .find(|row| row.contains(name))
                .unwrap_or_else(|| panic!("{rows:#?}"))
        };
        // A thought alone in its layer has its whole text.
        assert!(row("t56").contains("t56 Part 21 is next.]"), "{rows:#?}");
        // Three calls next to each other share the columns.
        let three = row("c53");
        assert!(three.contains("c54") && three.contains("c55"), "{three}");
        let last = three.rfind(']').unwrap();
        assert!(three.chars().count() < 30 + last, "{three}");
    }
}

#[test]
fn the_first_lane_is_in_view_and_no_half_of_the_map_is_empty() {
    for size in SIZES {
        let mut stage = map(size);
        for key in ["k", "j", "l", "l", "j"] {
            stage.press(key);
            let rows = rows(&mut stage);
            let boxes = rows.iter().filter(|row| row.contains(']'));
            for row in boxes {
                assert!(row.starts_with(['[', '❯', '↑', '↓']), "{key}: {rows:#?}");
            }
            let empty = rows.iter().filter(|row| row.trim().is_empty()).count();
            assert_eq!(empty, 0, "{key}: {rows:#?}");
        }
    }
}

#[test]
fn the_end_of_a_run_fills_the_map_too() {
    for size in SIZES {
        let mut stage = map(size);
        stage.press("V G V");
        let rows = rows(&mut stage);
        let empty = rows.iter().filter(|row| row.trim().is_empty()).count();
        assert_eq!(empty, 0, "{rows:#?}");
    }
}

#[test]
fn boxes_share_the_columns_of_a_wide_layer_of_another_turn() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "one thing after the other");
    stage.finished(
        "c3",
        "read_file",
        r#"{"path":"a/quite/long/path/of/a/file.txt"}"#,
        Outcome::ok("1"),
    );
    stage.close();
    let args: Vec<String> = (0..4).map(|no| format!(r#"{{"path":"f{no}"}}"#)).collect();
    let calls: Vec<(&str, Outcome)> = args.iter().map(|args| (&**args, Outcome::ok("1"))).collect();
    stage.model_turn(3, 10, "four at a time", &calls);
    stage.press("1 g V");
    let rows = rows(&mut stage);
    let own = rows.iter().find(|row| row.contains("c3 ")).unwrap();
    assert!(own.contains("a/quite/long/path/of/a/file.txt"), "{rows:#?}");
    let four = rows.iter().find(|row| row.contains("c11")).unwrap();
    assert!((11..15).all(|no| four.contains(&format!("c{no} "))), "{rows:#?}");
}

#[test]
fn the_signs_in_the_margin_are_explained_in_the_title_while_they_are_there() {
    for size in SIZES {
        let mut stage = Stage::new(size.0, size.1);
        stage.two_turns();
        stage.press("1 g");
        let title = |stage: &mut Stage| {
            let text = stage.text();
            text.lines()
                .find(|row| row.contains(" graph ") || row.contains(" map "))
                .unwrap()
                .to_owned()
        };
        let first = title(&mut stage);
        assert!(first.contains("↓ depends on p1"), "{first}");
        assert!(!first.contains('↑'), "nothing is above: {first}");
        stage.press("j j");
        let call = title(&mut stage);
        assert!(call.contains("↑ c3 depends on it"), "{call}");
        stage.press("V");
        let map = title(&mut stage);
        assert!(map.contains("↑ c3 depends on it"), "{map}");
    }
}

#[test]
fn the_numbers_at_the_edge_are_explained_where_there_are_any() {
    for size in SIZES {
        let mut stage = Stage::new(size.0, size.1);
        stage.long_run(120);
        stage.press("1 Z Z g");
        let title = |stage: &mut Stage| {
            let text = stage.text();
            text.lines()
                .find(|row| row.contains(" graph "))
                .unwrap()
                .to_owned()
        };
        let long = title(&mut stage);
        assert!(long.contains("1-9 failures"), "{long}");
        let mut short = Stage::new(size.0, size.1);
        short.begin();
        short.running("c3", "read_file", "{}");
        short.press("1 g");
        let text = title(&mut short);
        assert!(!text.contains("1-9"), "{text}");
    }
}
