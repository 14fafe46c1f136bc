//! Tests the text below a row of the graph: a short one is whole, a long one is marked as cut.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::ground::columns::Columns as _;
use crate::testing::{Stage, id};

/// A fan of calls, with lanes next to the selected thought.
fn stage(width: u16, fan: u32, text: &str) -> Stage {
    let mut stage = Stage::new(width, 60);
    stage.begin();
    for no in 0..fan {
        stage.running(&format!("c{}", 3 + no), "read_file", r#"{"path":"a"}"#);
    }
    stage.thought(&format!("t{}", 3 + fan), text);
    stage.press("1 z Z Z Z");
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(id(&format!("t{}", 3 + fan)), run));
    stage
}

/// The rows below the one of the thought.
fn below(stage: &mut Stage, fan: u32) -> String {
    let text = stage.text();
    let name = format!(" t{} ", 3 + fan);
    let rows = text
        .lines()
        .skip_while(|row| !row.contains(&name) || row.contains(" graph "))
        .skip(1);
    rows.take(5).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(overrule_testing::cases(7))]

    #[test]
    fn every_character_of_a_short_text_is_on_screen(
        width in 30u16..130, fan in 0u32..9, lengths in prop::collection::vec(1usize..12, 1..8),
    ) {
        // No character twice, narrow and wide ones.
        let mut narrow = ('\u{c0}'..='\u{17f}').filter(|c| c.is_alphabetic());
        let mut wide = '\u{4e00}'..='\u{4fff}';
        let words: Vec<String> = lengths.iter().enumerate().map(|(at, length)| {
            let from: &mut dyn Iterator<Item = char> = if at % 2 == 0 { &mut narrow } else { &mut wide };
            from.take(*length).collect()
        }).collect();
        let text = words.join(" ");
        let mut stage = stage(width, fan, &text);
        let screen = below(&mut stage, fan);
        let shown: BTreeSet<char> = screen.chars().collect();
        let missing: Vec<char> = text.chars().filter(|c| *c != ' ' && !shown.contains(c)).collect();
        if !screen.contains('…') {
            prop_assert!(missing.is_empty(), "{missing:?} of {text}\n{screen}");
        }
        // Five lines of this pane hold it.
        let room = usize::from(width / 2).saturating_sub(4);
        if text.columns() * 2 < room * 4 {
            prop_assert!(!screen.contains('…') && missing.is_empty(), "{missing:?} of {text}\n{screen}");
        }
    }
}

#[test]
fn cut_text_is_marked_and_no_character_is_lost_for_the_mark() {
    for width in [40, 80, 120] {
        for fan in [0, 4, 8] {
            let text = "0123456789".repeat(200);
            let mut stage = stage(width, fan, &text);
            let screen = below(&mut stage, fan);
            assert_eq!(screen.matches('…').count(), 1, "{screen}");
            let digits: String = screen.chars().filter(char::is_ascii_digit).collect();
            assert!(
                text.starts_with(&digits),
                "nothing is left out before it: {digits}\n{screen}"
            );
            assert!(digits.len() > 60, "{digits}");
        }
    }
}
