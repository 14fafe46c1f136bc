//! Tests what an editor shows: its text, the cursor and the faults.

use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::testing::{ARMING, Stage};

fn editing(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("e ctrl-t");
    stage
}

#[test]
fn on_a_small_screen_the_name_gives_way_to_the_place_of_the_cursor() {
    for (width, height) in [(40, 12), (50, 12), (120, 40)] {
        let mut stage = editing(width, height);
        stage.press("down end x");
        let text = stage.text();
        let title = text.lines().find(|row| row.contains(" edit c3 ")).expect(&text);
        assert!(title.contains(" JSON 2:16, changed ━"), "{title}");
        assert_eq!(title.contains('…'), width < 50, "{title}");
        assert_eq!(title.contains("edit c3 ━ write_file ━"), width >= 50, "{title}");
    }
}

#[test]
fn a_fault_that_is_longer_than_its_row_is_cut_with_a_sign() {
    let fault = |width: u16| {
        let mut stage = editing(width, 12);
        stage.press("alt-a");
        stage.type_text("{}");
        let text = stage.text();
        let row = text
            .lines()
            .find(|row| row.contains("required"))
            .map(str::to_owned);
        row.expect(&text).trim_end().to_owned()
    };
    assert!(fault(40).ends_with('…'), "{}", fault(40));
    assert!(fault(100).ends_with("is missing; add it"), "{}", fault(100));
}

#[test]
fn first_and_last_are_those_of_the_text() {
    let mut stage = editing(80, 24);
    stage.press("down right right right ctrl-home");
    assert!(stage.text().contains(" JSON 1:1 "), "{}", stage.text());
    stage.press("ctrl-end");
    assert!(stage.text().contains(" JSON 4:2 "), "{}", stage.text());
}

#[test]
fn in_ascii_a_letter_is_drawn_as_it_will_be_once_it_is_stored() {
    let mut stage = Stage::with(80, 24, |settings| {
        settings.charset = Charset::Ascii;
        settings.line = Line::Ascii;
    });
    stage.begin();
    stage.guidance();
    stage.type_text("f\u{fc}r <LF>");
    stage.paste(" \u{1b}[2J\u{27e8}");
    let text = stage.text();
    let expected = "f<U+00FC>r <U+003C>LF> <U+001B>[2J<U+27E8>";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains('?'), "{text}");
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert!(stage.model.stack.is_empty(), "{}", stage.text());
    stage.press("1 G 3");
    let text = stage.text();
    assert!(text.contains(expected), "{text}");
}
