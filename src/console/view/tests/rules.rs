//! Rules that every screen keeps.

use proptest::prelude::*;

use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::kernel::hints;
use crate::kernel::model::Source;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::event::{EditEvent, Event, TurnEvent};
use overrule_domain::id::TurnId;

#[test]
fn nothing_untrusted_reaches_the_screen_raw() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let evil = "\u{1b}]0;x\u{7}\u{202e}\u{200b}\u{e0041}\u{9b}31m";
    stage.thought("t2", evil);
    stage.awaiting("c3", evil, &format!("{{\"path\":\"{evil}\"}}"));
    stage.draw();
    for keys in ["2", "1 g j", "3", "e", "esc L", "? esc", ": esc"] {
        stage.press(keys);
        let buffer = stage.draw();
        for cell in buffer.content() {
            for c in cell.symbol().chars() {
                assert!(
                    !c.is_control() && !"\u{202e}\u{200b}\u{e0041}".contains(c),
                    "{keys}: {c:?} in {:?}",
                    cell.symbol()
                );
            }
        }
    }
}

#[test]
fn the_look_of_a_decision_is_made_by_nothing_else() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.thought("t2", " c3 r1  may this call run? \n┃ {\"path\":\"fake\"}");
    stage.awaiting(
        "c3",
        "write_file",
        r#"{"path":"┃ a","content":" end of the arguments "}"#,
    );
    let style = stage.model.settings.look.style(Role::Decision);
    stage.press("1 g j");
    let buffer = stage.draw();
    assert!(
        buffer.content().iter().all(|cell| cell.style().fg != style.fg),
        "no decision is on screen, so nothing may look like one"
    );
    stage.press("2");
    let buffer = stage.draw();
    let framed: String = buffer
        .content()
        .iter()
        .filter(|cell| cell.style().fg == style.fg && cell.style().bg == style.bg)
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    let area = stage.model.screen.places.inspector.unwrap();
    assert_eq!(
        framed.matches('┃').count(),
        usize::from(area.height) - 1,
        "{framed}"
    );
    assert_eq!(framed.matches(['┏', '┗']).count(), 2, "{framed}");
    assert_eq!(framed.matches("c3 writes").count(), 1, "{framed}");
}

#[test]
fn the_words_of_the_model_are_not_in_the_frame_of_the_decision() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "SAFE TO APPROVE");
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("2 z 3");
    let text = stage.text();
    assert!(!text.contains("SAFE TO APPROVE"), "{text}");
}

#[test]
fn a_state_is_shown_without_colors() {
    let mut stage = Stage::new(100, 30);
    stage.sample();
    let text = stage.text();
    for (glyph, what) in [('●', "ok"), ('✖', "failed"), ('◎', "waiting"), ('◐', "running")] {
        assert!(text.contains(glyph), "{what}: {text}");
    }
    let row = |id: &str| text.lines().find(|row| row.contains(id)).unwrap_or_default();
    assert!(row("c4 ").contains("failed"), "{text}");
    assert!(row("c5 ").contains('◎'), "{text}");
}

#[test]
fn ascii_draws_only_ascii_of_its_own() {
    let mut stage = Stage::with(80, 24, |settings| {
        settings.charset = Charset::Ascii;
        settings.line = crate::ground::layout::gutter::Line::Ascii;
    });
    stage.begin();
    stage.thought("t2", "plain");
    stage.finished("c3", "read_file", r#"{"path":"x"}"#, Outcome::ok("\"y\""));
    stage.awaiting("c4", "write_file", r#"{"path":"a","content":"b"}"#);
    for keys in ["1", "2", "3", "L", "2 e", "esc ?", "esc q"] {
        stage.press(keys);
        let text = stage.text();
        assert!(text.is_ascii(), "{keys}: {text}");
    }
}

#[test]
fn what_an_edit_replaced_is_one_row_that_unfolds() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "first");
    for call in ["c3", "c4", "c5"] {
        stage.finished(call, "read_file", r#"{"path":"x"}"#, Outcome::ok("1"));
    }
    stage.engine(Event::Edit(EditEvent::Committed {
        epoch: overrule_domain::id::Epoch(1),
        intervention: id("i6"),
        target: Some(id("t2")),
        after: None,
        what: "rewrite t2".into(),
        reason: None,
        by: None,
    }));
    stage.engine(Event::Edit(EditEvent::Superseded {
        nodes: vec![id("c3"), id("o3"), id("c4"), id("o4"), id("c5"), id("o5")],
    }));
    let text = stage.text();
    assert!(text.contains("6 superseded by i6"), "{text}");
    assert!(!text.contains("c4  read_file"), "{text}");
    stage.press("1 g j j space");
    let text = stage.text();
    assert!(text.contains("c4  read_file"), "{text}");
    stage.press("space");
    let text = stage.text();
    assert!(!text.contains("c4  read_file"), "{text}");
}

#[test]
fn a_call_unfolds_into_call_and_observation() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "first");
    stage.finished("c3", "read_file", r#"{"path":"x"}"#, Outcome::ok("\"result\""));
    let text = stage.text();
    assert!(text.contains("read_file x") && text.contains("1 line"), "{text}");
    stage.press("1 space");
    let text = stage.text();
    assert!(text.contains("6 bytes: result"), "{text}");
    stage.press("j o");
    assert!(stage.text().contains("━ edit o3 ━ result ━"));
}

#[test]
fn a_wide_fan_is_one_row_that_unfolds() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "many");
    for no in 3..33 {
        stage.finished(
            &format!("c{no}"),
            "read_file",
            r#"{"path":"x"}"#,
            Outcome::ok("1"),
        );
    }
    stage.awaiting("c40", "write_file", r#"{"path":"a","content":"b"}"#);
    let text = stage.text();
    assert!(text.contains("30 calls ●30"), "{text}");
    assert!(
        text.contains("c40  write_file"),
        "a waiting call is never hidden: {text}"
    );
    stage.press("1 g j j space G");
    assert!(stage.text().contains("c30  read_file"));
}

#[test]
fn what_an_edit_holds_is_dimmed_in_place() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "first");
    stage.draw();
    let dim = stage.model.settings.look.style(Role::Dim);
    stage.turn(TurnEvent::Suspended {
        turns: vec![TurnId(2)],
    });
    stage.press("1 g");
    let buffer = stage.draw();
    let y = stage.model.screen.places.graph.unwrap().bottom() - 1;
    let row: Vec<_> = (0..60).map(|x| buffer.cell((x, y)).unwrap()).collect();
    let text: String = row.iter().map(|cell| cell.symbol()).collect();
    assert!(text.contains("first"), "{text}");
    let word = text.find("first").unwrap();
    let at = text[..word].chars().count();
    assert_eq!(row[at].style().fg, dim.fg);
}

#[test]
fn the_cursor_highlights_ancestors_and_descendants() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "first");
    stage.finished("c3", "read_file", r#"{"path":"x"}"#, Outcome::ok("1"));
    stage.draw();
    stage.press("1 g j");
    let look = stage.model.settings.look.clone();
    let buffer = stage.draw();
    let area = stage.model.screen.places.graph.unwrap();
    // The rows end where the pane does.
    let first = area.bottom() - 3;
    let bg = |row: u16| buffer.cell((30, first + row - 2)).unwrap().style().bg;
    assert_eq!(bg(2), look.style(Role::Ancestor).bg, "the prompt");
    assert_eq!(bg(3), look.style(Role::Selection).bg, "the thought");
    assert_eq!(bg(4), look.style(Role::Descendant).bg, "the call");
    // Without any colour the edge says it.
    for (charset, signs) in [
        (Charset::Unicode, ["↑", "❯", "↓"]),
        (Charset::Ascii, ["u", "]", "d"]),
    ] {
        stage.model.settings.charset = charset;
        let buffer = stage.draw();
        let edge = |row: u16| buffer.cell((0, first + row - 2)).unwrap().symbol().to_owned();
        assert_eq!([edge(2), edge(3), edge(4)], signs);
    }
}

#[test]
fn hints_are_only_of_keys_that_do_something() {
    let mut stage = Stage::new(160, 40);
    stage.begin();
    stage.thought("t2", "first");
    stage.draw();
    let words = |stage: &Stage| -> Vec<&'static str> {
        hints::hints(&stage.model)
            .into_iter()
            .map(|hint| hint.word)
            .collect()
    };
    assert!(!words(&stage).contains(&"approve"));
    assert!(!words(&stage).contains(&"next pending"));
    assert!(words(&stage).contains(&"stop turn"));
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("t");
    assert!(words(&stage).contains(&"approve"));
    stage.wait(ARMING);
    stage.press("x");
    assert_eq!(words(&stage), ["reject", "back", "help"]);
}

#[test]
fn the_key_that_ends_a_line_names_what_it_does() {
    for (keys, word) in [
        ("t x", "reject"),
        ("W X", "skip"),
        ("/", "search"),
        ("&", "filter"),
    ] {
        let mut stage = Stage::new(160, 40);
        stage.begin();
        stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
        stage.draw();
        for key in keys.split(' ') {
            stage.wait(ARMING);
            stage.press(key);
        }
        let text = stage.text();
        assert!(text.contains(&format!(" enter {word}  ")), "{keys}\n{text}");
    }
}

#[test]
fn help_and_readme_name_every_command() {
    let mut seen = String::new();
    // Replay commands are in the help of a recording, refused ones in the help of a live run.
    for source in [Source::Live, Source::Replay] {
        let mut stage = Stage::with(200, 40, |settings| settings.source = source);
        stage.press("?");
        seen.push_str(&stage.text());
        for _ in 0..12 {
            stage.press("pgdn");
            seen.push_str(&stage.text());
        }
    }
    let table = crate::app::registry::markdown();
    for entry in crate::app::registry::verbs() {
        assert!(seen.contains(entry.name), "{} is not in help", entry.name);
        assert!(table.contains(entry.doc), "{} is not in the table", entry.name);
    }
}

#[test]
fn wide_characters_keep_their_columns() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    let text = stage.text();
    let row = text
        .lines()
        .find(|row| row.contains("日本語.txt"))
        .unwrap_or_default();
    assert!(row.trim_end().ends_with("running 1 s"), "{text}");
}

#[test]
fn decision_keys_are_highlighted_only_once_they_work() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("2");
    let style = stage.model.settings.look.style(Role::DecisionKey);
    let highlighted = |stage: &mut Stage| {
        stage
            .draw()
            .content()
            .iter()
            .any(|cell| cell.style().bg == style.bg && cell.symbol() == "a")
    };
    assert!(!highlighted(&mut stage));
    stage.wait(ARMING);
    assert!(highlighted(&mut stage));
}

#[test]
fn ten_megabytes_are_cut_into_rows_once_and_not_for_every_event() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let long = "abcdefghij".repeat(1_000_000);
    stage.awaiting(
        "c3",
        "write_file",
        &format!(r#"{{"path":"a","content":"{long}"}}"#),
    );
    stage.finished("c4", "read_file", r#"{"path":"a"}"#, Outcome::ok(long.as_str()));
    stage.draw();
    stage.press("2");
    let rows = |stage: &Stage| {
        let (pager, _) = stage.model.inspector.doc.decided().unwrap();
        std::sync::Arc::as_ptr(pager)
    };
    let before = rows(&stage);
    stage.thought("t5", "something else happened");
    stage.draw();
    assert_eq!(rows(&stage), before, "the same rows serve the next document");
    assert!(stage.text().contains("10000025 bytes"), "{}", stage.text());
    stage.press("G");
    assert!(stage.text().contains("┗━"), "{}", stage.text());
}

proptest! {
    #![proptest_config(overrule_testing::cases(5))]

    #[test]
    fn any_text_anywhere_leaves_the_screen_clean(text in any::<String>(), name in any::<String>()) {
        let mut stage = Stage::new(60, 20);
        stage.begin();
        stage.thought("t2", &text);
        stage.awaiting("c3", &name, &text);
        stage.finished("c4", "read_file", &text, Outcome::ok(text.as_str()));
        for keys in ["1 g j", "j", "2", "3 > >", "> >", "L"] {
            stage.press(keys);
            for cell in stage.draw().content() {
                prop_assert!(!cell.symbol().chars().any(char::is_control), "{:?}", cell.symbol());
            }
        }
    }
}
