//! Snapshots of the graph pane in its forms and levels of detail, and rules for all of them.

use proptest::prelude::*;
use ratatui::style::Color;

use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::theme::{Colours, Theme};
use crate::kernel::graph::{Form, Level, Pick};
use crate::testing::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::event::TurnEvent;
use overrule_domain::id::TurnId;

const SIZES: [(u16, u16); 4] = [(40, 12), (80, 24), (120, 40), (200, 60)];

/// A run of some forty turns.
fn long(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.long_run(44);
    stage
}

fn pictures(name: &str, keys: &str) {
    for (width, height) in SIZES {
        let mut stage = long(width, height);
        stage.press(keys);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.text());
    }
}

#[test]
fn a_long_run() {
    pictures("long", "1 g pgdn");
}

#[test]
fn by_turns() {
    pictures("turns", "1 Z g");
}

#[test]
fn with_text() {
    pictures("text", "1 Z Z Z G k k");
}

#[test]
fn what_fits() {
    for (width, height) in SIZES {
        let mut stage = long(width, height);
        stage.press("1 &");
        stage.type_text("is:failed");
        stage.press("enter");
        insta::assert_snapshot!(format!("fits_{width}x{height}"), stage.text());
    }
}

#[test]
fn as_a_map() {
    pictures("map", "1 f f V");
}

#[test]
fn over_time() {
    pictures("time", "1 G k k J");
}

#[test]
fn without_colours_and_in_ascii() {
    for (name, keys) in [
        ("lanes", "1 g pgdn"),
        ("map", "1 f f V"),
        ("time", "1 G k k J"),
        ("turns", "1 Z g"),
    ] {
        let mut stage = Stage::with(80, 24, |settings| {
            settings.look = Theme::built_in("mono").unwrap().look(Colours::None);
            settings.charset = Charset::Ascii;
            settings.line = Line::Ascii;
        });
        stage.long_run(44);
        stage.press(keys);
        let text = stage.text();
        assert!(text.is_ascii(), "{name}: {text}");
        insta::assert_snapshot!(format!("plain_{name}_80x24"), text);
        for cell in stage.draw().content() {
            assert_eq!(
                (cell.fg, cell.bg),
                (Color::Reset, Color::Reset),
                "{name}: a colour at {:?}",
                cell.symbol()
            );
        }
    }
}

#[test]
fn old_turns_that_went_well_take_one_row_each_and_what_needs_an_eye_its_own() {
    let mut stage = long(120, 60);
    stage.press("1 g z");
    let text = stage.text();
    let row = |expected: &str| {
        text.lines()
            .find(|line| line.contains(expected))
            .map(str::to_owned)
    };
    let turn = row("Part 4 is next.").unwrap();
    assert!(turn.contains("turn 4 ●●") && !turn.contains("c6"), "{turn}");
    assert!(!text.contains("part4/file0.rs"), "{text}");
    let failed = row("c23 ").unwrap();
    assert!(
        failed.contains("no such file") && failed.contains("failed"),
        "{text}"
    );
    assert!(
        text.contains("part10/file1.rs"),
        "a turn in which something failed stays: {text}"
    );
    stage.press("G");
    let text = stage.text();
    assert!(
        text.contains("part46/file0.rs"),
        "the newest turns are there in full: {text}"
    );
    assert!(
        text.lines()
            .any(|row| row.contains("write_file report.md") && row.contains('◎')),
        "{text}"
    );
}

#[test]
fn a_turn_that_is_looked_at_is_not_folded_when_it_grows_old() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(60);
    stage.press("1 g");
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(id("c105"), run));
    stage.press("k j");
    let selected = stage.selected().unwrap();
    let row = stage.model.graph.cursor().unwrap() - stage.model.graph.top;
    let mut no = 1000;
    for turn in 100..140 {
        no = stage.model_turn(turn, no, "More.", &[(r#"{"path":"a"}"#, Outcome::ok("1"))]);
        stage.draw();
    }
    assert_eq!(stage.selected(), Some(selected));
    let at = stage.model.graph.cursor().unwrap();
    assert_eq!(
        stage.model.graph.rows.get(at).unwrap().key,
        selected,
        "it still has its own row"
    );
    assert_eq!(at - stage.model.graph.top, row, "in the same place on the screen");
    assert!(stage.text().contains(" new "), "new rows are counted");
}

#[test]
fn what_is_repeated_is_one_row() {
    let mut stage = Stage::new(120, 40);
    stage.long_run(1);
    let mut no = 100;
    for turn in 10..20 {
        no = stage.model_turn(
            turn,
            no,
            &format!("Try {turn}."),
            &[(r#"{"path":"gone"}"#, Outcome::ok("1"))],
        );
    }
    stage.press("1 g");
    let text = stage.text();
    assert!(text.contains("the same again 9 times"), "{text}");
    assert!(text.contains("Try 10.") && !text.contains("Try 11."), "{text}");
    stage.press("G space G");
    assert!(stage.text().contains("Try 19."), "{}", stage.text());
}

#[test]
fn a_filter_shows_what_it_hides_and_can_be_cleared() {
    let mut stage = long(120, 40);
    stage.press("1 &");
    stage.type_text("is:green");
    stage.press("enter");
    assert!(
        stage.status().contains("is not a state: waiting"),
        "{}",
        stage.status()
    );
    stage.press("ctrl-u esc &");
    stage.type_text("is:failed part20");
    stage.press("enter");
    let text = stage.text();
    assert!(text.contains("only is:failed part20 (1)"), "{text}");
    assert!(text.contains("not shown"), "{text}");
    assert_eq!(stage.status(), "1 match `is:failed part20`");
    // New rows are filtered too.
    stage.model_turn(90, 900, "nothing", &[(r#"{"path":"b"}"#, Outcome::ok("1"))]);
    assert!(!stage.text().contains("c901"));
    stage.press("& ctrl-w ctrl-w ctrl-w ctrl-w enter");
    assert!(stage.model.graph.settings.filter.is_none());
    assert!(stage.text().contains("c901"));
}

/// Carries out a command that has no key.
fn by_name(stage: &mut Stage, name: &str) {
    stage.press(":");
    stage.type_text(name);
    stage.press("enter");
}

#[test]
fn the_thoughts_are_a_key_away() {
    let mut stage = long(120, 40);
    stage.press("1 Z Z g");
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(id("c9"), run));
    stage.press("[");
    assert_eq!(stage.selected(), Some(id("t7")), "the thought of its turn first");
    stage.press("[");
    let before = stage.selected().unwrap();
    assert!(
        before.kind == overrule_domain::id::NodeKind::Thought && before < id("t7"),
        "{before}"
    );
    stage.press("] ]");
    let after = stage.selected().unwrap();
    assert!(
        after > id("t7") && after.kind == overrule_domain::id::NodeKind::Thought,
        "{after}"
    );
    stage.press("g [");
    assert!(stage.status().contains("No thought before"), "{}", stage.status());
}

#[test]
fn siblings_parents_and_children() {
    let mut stage = long(120, 40);
    stage.press("1 Z Z g");
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(id("c8"), run));
    stage.press("}");
    assert_eq!(stage.selected(), Some(id("c9")));
    stage.press("{");
    by_name(&mut stage, "parent");
    assert_eq!(stage.selected(), Some(id("t7")));
    by_name(&mut stage, "child");
    assert_eq!(stage.selected(), Some(id("c8")));
    stage.press("{");
    assert_eq!(stage.selected(), Some(id("c10")), "round again");
    by_name(&mut stage, "parent");
    stage.press("}");
    assert!(
        stage.status().contains("Nothing else depends on"),
        "{}",
        stage.status()
    );
}

#[test]
fn following_is_a_choice() {
    let mut stage = long(120, 40);
    assert!(!stage.model.graph.pinned);
    stage.press(";");
    assert!(stage.model.graph.pinned);
    let selected = stage.selected();
    let no = stage.model_turn(90, 900, "more", &[(r#"{"path":"b"}"#, Outcome::ok("1"))]);
    stage.draw();
    assert_eq!(stage.selected(), selected);
    stage.press(";");
    assert!(!stage.model.graph.pinned);
    stage.model_turn(91, no, "and more", &[(r#"{"path":"c"}"#, Outcome::ok("1"))]);
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c903")));
}

#[test]
fn the_map_is_walked_with_the_arrows() {
    let mut stage = Stage::new(120, 60);
    stage.long_run(12);
    stage.press("1 Z Z g");
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(id("t7"), run));
    stage.press("V");
    assert_eq!(stage.model.graph.form, Form::Map);
    assert!(stage.text().contains("━ map ━"), "{}", stage.text());
    stage.press("down");
    assert_eq!(stage.selected(), Some(id("c8")));
    stage.press("right");
    assert_eq!(stage.selected(), Some(id("c9")));
    stage.press("up");
    assert_eq!(stage.selected(), Some(id("t7")));
    // Beyond the drawn edge, the map is drawn again around the cursor.
    for _ in 0..20 {
        stage.press("down");
    }
    let last = stage.selected().unwrap();
    assert!(last.no > 25, "{last}");
    stage.press("V");
    assert_eq!(stage.selected(), Some(last), "the rows have the same cursor");
}

/// A run whose second request broke in the middle of a sentence.
fn cut_short() -> Stage {
    let mut stage = Stage::new(120, 30);
    stage.begin();
    stage.thought("t2", "I will read.");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
    stage.turn(TurnEvent::Partial {
        turn: TurnId(2),
        prefix_len: 0,
        spoken: None,
        text: "Then the lighthouse".into(),
    });
    stage.broken();
    stage.draw();
    stage
}

#[test]
fn a_stream_that_broke_has_a_row_with_what_had_come() {
    let mut stage = cut_short();
    stage.press("1 g");
    let text = stage.text();
    assert!(
        text.lines().any(|row| {
            row.starts_with(" ✖ ") && row.contains("  turn 2 broke (unreadable answer)  Then the lig")
        }),
        "{text}"
    );
    stage.press("G");
    assert_eq!(stage.model.graph.selected, Some(Pick::Live(TurnId(2), 0)));
    let text = stage.text();
    assert!(text.contains("arrived part of the next block"), "{text}");
    assert!(text.contains("the answer is no JSON"), "{text}");
}

#[test]
fn a_stream_that_broke_is_a_failure_and_is_found() {
    let broken = Some(Pick::Live(TurnId(2), 0));
    let mut stage = cut_short();
    stage.press("1 g f");
    assert_eq!(stage.model.graph.selected, broken, "{}", stage.status());
    stage.press("f");
    assert_eq!(stage.model.graph.selected, broken, "round again");
    stage.press("g /");
    stage.type_text("lighthouse");
    stage.press("enter");
    assert_eq!(stage.status(), "1 of 1");
    assert_eq!(stage.model.graph.selected, broken);
    stage.press("g /");
    stage.type_text("read");
    stage.press("enter n n N");
    assert!(matches!(stage.model.graph.selected, Some(Pick::Node(_))));
    stage.press("&");
    stage.type_text("is:failed");
    stage.press("enter");
    assert_eq!(stage.status(), "1 match `is:failed`");
    assert!(stage.text().contains("    turn 2 broke"), "{}", stage.text());
    stage.press("&");
    stage.type_text("tool:read_file");
    stage.press("enter");
    assert!(!stage.text().contains("    turn 2 broke"), "{}", stage.text());
}

#[test]
fn a_stream_that_broke_is_a_box_of_the_map() {
    let broken = Some(Pick::Live(TurnId(2), 0));
    let mut stage = cut_short();
    stage.press("1 g V z");
    let text = stage.text();
    assert!(text.contains("[✖ turn 2 broke (unr"), "{text}");
    stage.press("z");
    for _ in 0..6 {
        stage.press("down");
    }
    assert_eq!(stage.model.graph.selected, broken, "the arrows reach it");
    assert!(stage.text().contains("❯✖ turn 2 br"), "{}", stage.text());
    assert!(
        stage.text().contains("the answer is no JSON"),
        "the inspector is about it"
    );
    stage.press("up");
    assert_eq!(
        stage.selected(),
        Some(id("c3")),
        "it depends on the received text"
    );
    stage.press("f");
    assert_eq!(stage.model.graph.selected, broken);
    assert!(stage.text().contains("❯✖ turn 2 br"), "a jump goes there too");
    insta::assert_snapshot!("broken_map_120x30", stage.text());
    stage.request(2, 2);
    assert!(
        !stage.text().contains("✖ turn 2 br"),
        "asked again it is gone: {}",
        stage.text()
    );
}

#[test]
fn few_failures_in_a_part_of_the_strip_are_counted() {
    let mut stage = Stage::new(120, 14);
    stage.long_run(120);
    stage.press("1 Z Z g");
    let buffer = stage.draw();
    let area = stage.model.screen.places.graph.unwrap();
    let strip: String = (area.y + 1..area.bottom())
        .map(|y| buffer.cell((area.right() - 1, y)).unwrap().symbol().to_owned())
        .collect();
    assert!(strip.contains(|c: char| c.is_ascii_digit()), "{strip}");
    assert!(!strip.contains('✖'), "most went well everywhere: {strip}");
}

/// Walks the map with these keys; the selected box is whole after each of them.
fn walks_with_the_whole_box_on_screen(stage: &mut Stage, keys: &[&str]) {
    for key in keys {
        stage.press(key);
        let shown = stage.text();
        let name = format!(" {} ", stage.selected().unwrap());
        let map = &stage.model.graph.map;
        let (left, _) = map.window(stage.model.graph.selected, map.room);
        let own = map
            .spot(stage.model.graph.selected)
            .and_then(|spot| map.sheet.find(spot));
        let in_view =
            own.is_some_and(|own| own.x >= left && own.x + own.width <= left + usize::from(map.room.0));
        let mut rows = shown.lines().filter_map(|line| line.split_once('❯'));
        let whole =
            in_view && rows.any(|(_, rest)| rest.split(']').next().is_some_and(|own| own.contains(&name)));
        assert!(whole, "the box of{name}after `{key}`:\n{shown}");
    }
}

#[test]
fn the_selected_box_is_whole_at_the_end_of_a_long_run() {
    for (width, height) in SIZES {
        let mut stage = long(width, height);
        stage.press("1 G");
        walks_with_the_whole_box_on_screen(&mut stage, &["V", "k", "j", "h", "l", "h", "h", "l", "l"]);
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(3))]

    #[test]
    fn the_selected_box_is_whole_at_any_width(
        width in 20_u16..140,
        height in 9_u16..40,
        at in "[ct]([2-9]|[1-4][0-9])",
        keys in prop::collection::vec(prop::sample::select(vec!["h", "j", "k", "l"]), 0..12),
    ) {
        let mut stage = Stage::new(width, height);
        stage.long_run(12);
        stage.press("1 Z Z z g");
        let (graph, run) = (&mut stage.model.graph, &stage.model.run);
        graph.go_to(id(&at), run);
        walks_with_the_whole_box_on_screen(&mut stage, &["V"]);
        walks_with_the_whole_box_on_screen(&mut stage, &keys);
    }
}

#[test]
fn a_strip_shows_where_in_a_long_run_something_needs_an_eye() {
    let mut stage = long(120, 30);
    stage.press("1 g");
    let buffer = stage.draw();
    let area = stage.model.screen.places.graph.unwrap();
    let strip: String = (area.y + 1..area.bottom())
        .map(|y| buffer.cell((area.right() - 1, y)).unwrap().symbol().to_owned())
        .collect();
    assert!(strip.starts_with('█'), "{strip}");
    assert!(strip.ends_with('◎'), "{strip}");
    assert!(strip.contains('1') && strip.contains('│'), "{strip}");
}

#[test]
fn the_timeline_distinguishes_waiting_from_running() {
    let mut stage = long(120, 40);
    stage.press("1 G k k J z G");
    let text = stage.text();
    assert!(text.contains("▒ for you"), "{text}");
    let call = text.lines().rfind(|line| line.contains("c133")).unwrap();
    assert!(
        call.contains('▒') && call.contains('→') && !call.contains('█'),
        "{call}"
    );
    let before = text.lines().find(|line| line.contains("● c132")).unwrap();
    assert!(before.contains('█') && !before.contains('▒'), "{before}");
}

proptest! {
    #![proptest_config(overrule_testing::cases(3))]

    #[test]
    fn no_key_and_no_size_breaks_the_pane(
        keys in prop::collection::vec(
            prop::sample::select(vec![
                "Z", "V", "J", ";", "j", "k", "h", "l", "space", "g", "G", "pgdn", "pgup", "f", "d", "t", "[", "]",
                "{", "}", "1",
            ]),
            1..30,
        ),
        (width, height) in (1_u16..140, 1_u16..50),
    ) {
        let mut stage = Stage::new(width, height);
        stage.long_run(8);
        for key in keys {
            stage.press(key);
            let graph = &stage.model.graph;
            prop_assert!(graph.cursor().is_some());
            prop_assert!(graph.top < graph.len());
        }
        prop_assert!([Level::Recent, Level::Turns, Level::Nodes, Level::Text].contains(&stage.model.graph.settings.level));
    }
}

#[test]
fn a_jump_past_a_filter_shows_what_it_leads_to_and_nothing_else() {
    let mut stage = long(120, 60);
    stage.press("1 &");
    stage.type_text("is:failed");
    stage.press("enter g f");
    let rows = stage.model.graph.rows.len();
    let failed = stage.selected().unwrap();
    by_name(&mut stage, "child");
    let child = stage.selected().unwrap();
    assert_ne!(child, failed);
    let text = stage.text();
    let words = format!("only is:failed (4) and {child}");
    assert!(text.contains(&words), "{text}");
    assert!(
        (rows + 1..=rows + 2).contains(&stage.model.graph.rows.len()),
        "one row more, and perhaps a row on its other side: {text}"
    );
    by_name(&mut stage, "parent");
    assert_eq!(stage.selected(), Some(failed));
    assert_eq!(stage.model.graph.rows.len(), rows);
    assert!(stage.text().contains("only is:failed (4) ━"));
}
