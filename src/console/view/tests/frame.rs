//! Tests that no text of a model, a tool or a file can imitate the frame of a decision.

use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ground::symbols::Charset;
use crate::ground::theme::{Colours, Role, Theme};
use crate::testing::{ARMING, Stage};
use overrule_base::text::FRAME;
use overrule_domain::call::Outcome;

/// Texts that try to look like the console's own rows.
fn pretence() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        3 => any::<String>(),
        2 => proptest::sample::select(vec![
            "┏━ c9 writes a · your rule asks ", "┗━━━━━━━━", "┃ {\"path\":\"safe\"}", "#=======",
            "#= c9 writes a - your rule asks ", "| ", "\n", "\r", "\t", "   ", "\u{1b}[7m", "\u{1b}[1;30;43m", "\u{9b}7m",
            "╏", "┇", "┋", "a approve", "⟨U+2503⟩", "\u{202e}", "\u{200b}┃", "e\u{301}┃", "\"}",
        ]).prop_map(str::to_owned),
        1 => proptest::sample::select(FRAME.to_vec()).prop_map(String::from),
    ];
    proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

fn looks_like(cell: &Cell, style: Style) -> bool {
    let mut expected = Cell::default();
    expected.set_style(style);
    cell.style() == expected.style()
}

fn cell(buffer: &Buffer, x: u16, y: u16) -> &Cell {
    buffer.cell((x, y)).unwrap()
}

/// The text in an area with the style of a decision, row by row.
fn decided(buffer: &Buffer, area: Rect, style: Style) -> Vec<String> {
    (area.top()..area.bottom())
        .map(|y| {
            (area.left()..area.right())
                .map(|x| cell(buffer, x, y))
                .filter(|cell| looks_like(cell, style))
                .map(Cell::symbol)
                .collect::<String>()
        })
        .filter(|row| !row.is_empty())
        .collect()
}

const LOOKS: [(&str, Colours, Charset); 5] = [
    ("dark", Colours::True, Charset::Unicode),
    ("light", Colours::Basic, Charset::Unicode),
    ("high-contrast", Colours::Indexed, Charset::Unicode),
    ("mono", Colours::None, Charset::Unicode),
    ("mono", Colours::None, Charset::Ascii),
];

fn stage(look: (&str, Colours, Charset), size: (u16, u16), text: &str, tool: &str) -> Stage {
    let mut stage = Stage::with(size.0, size.1, |settings| {
        settings.look = Theme::built_in(look.0).unwrap().look(look.1);
        settings.charset = look.2;
    });
    stage.model.inspector.exact = true;
    stage.begin();
    stage.thought("t2", text);
    stage.finished("c4", "read_file", text, Outcome::ok(text));
    let args = serde_json::json!({ "path": text, text: 1 }).to_string();
    stage.awaiting("c3", tool, &args);
    stage.draw();
    stage
}

/// Where a frame is drawn, and what it is made of.
fn frame_of(buffer: &Buffer, stage: &Stage) -> Vec<String> {
    let style = stage.model.settings.look.full(Role::Decision);
    let places = stage.model.screen.places;
    let area = places.inspector.unwrap_or_default();
    let area = places.edge.map_or(area, |edge| area.union(edge));
    let rows = decided(buffer, area, style);
    for y in 0..buffer.area.height {
        for x in 0..buffer.area.width {
            let one = cell(buffer, x, y);
            if one.symbol().chars().any(|c| FRAME.contains(&c)) {
                assert!(
                    x == area.x && area.contains((x, y).into()) && looks_like(one, style),
                    "{:?} at {x},{y} is no piece of a frame",
                    one.symbol()
                );
            }
        }
    }
    rows
}

/// What the title of a frame says about a write.
const ASKED: &str = "writes ";

/// Two waiting calls, one of them in the decision frame if there is room.
fn waiting(size: (u16, u16)) -> Stage {
    let mut stage = Stage::exact(size.0, size.1);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.awaiting("c4", "write_file", r#"{"path":"z","content":"b"}"#);
    stage.outcome_unknown("c5");
    stage.running("c6", "read_file", r#"{"path":"a"}"#);
    stage.at_the_queue();
    // The broken stream is listed before them.
    stage.press("j");
    stage.wait(ARMING);
    stage
}

#[test]
fn no_call_frame_is_shown_next_to_another_decision() {
    for size in [(40, 12), (80, 24), (120, 40), (200, 60)] {
        for keys in ["A", "+ ctrl-s", "X", "q", "O"] {
            let mut stage = waiting(size);
            if size.0 >= 120 {
                let text = stage.text();
                assert!(text.contains('┏') && text.contains(ASKED), "{size:?}: {text}");
            }
            stage.press(keys);
            assert!(!stage.model.stack.is_empty(), "{keys}: {}", stage.status());
            let text = stage.text();
            // The list of ready rules has a frame of its own.
            let is_call = |row: &&str| row.contains(ASKED) && !row.contains("rules made from it");
            let own = text.lines().filter(|row| row.starts_with('┏'));
            assert_eq!(own.filter(is_call).count(), 0, "{size:?} {keys}: {text}");
        }
    }
}

#[test]
fn next_to_the_choices_of_a_call_only_its_own_frame_is_shown() {
    let mut stage = Stage::exact(200, 60);
    stage.begin();
    stage.consent("c3");
    stage.awaiting("c4", "write_file", r#"{"path":"z","content":"b"}"#);
    stage.at_the_queue();
    stage.press("enter");
    assert!(stage.model.stack.len() == 1);
    assert_eq!(stage.text().matches('┏').count(), 2);
    // Whatever puts another call into the frame below.
    let other = stage.model.queue.items.last().map(|item| item.entry);
    stage.model.queue.selected = other;
    let text = stage.text();
    let own = text
        .lines()
        .filter(|row| row.starts_with('┏') && row.contains("c4"));
    assert_eq!(own.count(), 0, "{text}");
    assert_eq!(text.matches('┏').count(), 1, "{text}");
}

proptest! {
    #![proptest_config(overrule_testing::cases(2))]

    #[test]
    fn no_text_draws_a_frame(
        text in pretence(), tool in pretence(), look in proptest::sample::select(LOOKS.to_vec()),
        size in proptest::sample::select(vec![(40u16, 12u16), (80, 24), (120, 40)]),
    ) {
        let mut stage = stage(look, size, &text, &tool);
        // Where nothing is decided, nothing looks like it.
        for keys in ["1 g j", "3 >", "> >", "> >"] {
            stage.press(keys);
            let buffer = stage.draw();
            if stage.model.screen.places.edge.is_none() {
                prop_assert_eq!(frame_of(&buffer, &stage), Vec::<String>::new(), "after {}", keys);
            }
        }
        // Where something is, its frame is the console's: a title, a bar before each row, an edge.
        stage.press("2");
        stage.wait(ARMING);
        let (bar, corner, lower) = match look.2 {
            Charset::Unicode => ("┃", "┏", "┗"),
            Charset::Ascii => ("|", "#", "#"),
        };
        for _ in 0..3 {
            let buffer = stage.draw();
            let places = stage.model.screen.places;
            let area = places.inspector.unwrap_or_default();
            prop_assert!(places.edge.is_some(), "a decision is shown");
            let found = frame_of(&buffer, &stage);
            let bars = found.iter().filter(|row| *row == bar).count();
            prop_assert_eq!(bars, usize::from(area.height) - 1, "{:?}", found);
            prop_assert_eq!(found.len(), bars + 2, "{:?}", found);
            // The title is the first row, the edge the last one.
            prop_assert!(found[0].starts_with(corner) && found[0].contains("c3 "), "{:?}", found);
            prop_assert_eq!(&found[found.len() - 1], lower, "{:?}", found);
            stage.press("pgdn");
        }
    }
}
