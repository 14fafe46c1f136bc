//! Tests that the colours of a tool's output appear only in its result.
//!
//! Must not know: which colour becomes which.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::ground::sgr::{Sgr, Tone};
use crate::ground::theme::{Colours, Role, Theme};
use crate::kernel::hints;

use crate::ground::json;
use crate::kernel::msg::Out;
use crate::testing::Stage;
use crate::testing::work;
use overrule_domain::call::Outcome;

const RED: &str = "\u{1b}[31mred\u{1b}[0m plain";

fn stage(output: &str) -> Stage {
    let mut stage = Stage::with(160, 30, |settings| {
        settings.look = Theme::built_in("dark").unwrap().look(Colours::True);
    });
    stage.begin();
    stage.thought("t2", "I look.");
    stage.finished(
        "c3",
        "shell",
        r#"{"command":"look"}"#,
        Outcome::ok(json::string(output)),
    );
    stage.close();
    stage.press("1 G");
    stage.draw();
    stage
}

/// The red of the output, as drawn.
fn red(stage: &Stage) -> Option<Color> {
    let fg = Tone::Index(1);
    let style = stage.model.settings.look.output(Sgr { fg, ..Sgr::default() });
    assert!(style.fg.is_some());
    style.fg
}

/// The colour of the first cell of a text.
fn colour_of(buffer: &Buffer, words: &str) -> Option<Color> {
    let area = buffer.area;
    (area.top()..area.bottom()).find_map(|y| {
        let row: String = (area.left()..area.right())
            .filter_map(|x| buffer.cell((x, y)))
            .map(|cell| cell.symbol().chars().next().unwrap_or(' '))
            .collect();
        let at = row.find(words)?;
        let x = row[..at].chars().count() as u16;
        buffer.cell((x, y)).map(|cell| cell.fg)
    })
}

#[test]
fn a_result_is_shown_in_its_colours_and_a_key_shows_its_bytes() {
    let mut stage = stage(RED);
    let red = red(&stage);
    let buffer = stage.draw();
    assert_eq!(colour_of(&buffer, "red plain"), red);
    assert_ne!(colour_of(&buffer, "plain"), red);
    let text = stage.text();
    assert!(
        text.contains("in the output's own colours; # shows its exact bytes"),
        "{text}"
    );
    let offered = |stage: &Stage| -> Vec<&str> {
        let hints = hints::hints(&stage.model).into_iter();
        hints
            .filter(|hint| hint.key == "#")
            .map(|hint| hint.word)
            .collect()
    };
    assert_eq!(offered(&stage), ["exact bytes"]);
    stage.press("#");
    let text = stage.text();
    assert!(text.contains("⟨U+001B⟩[31mred⟨U+001B⟩[0m plain"), "{text}");
    assert!(
        text.contains("every byte of the output; none is shown as a colour; # shows its colours"),
        "{text}"
    );
    assert_ne!(colour_of(&stage.draw(), "red"), red);
    assert_eq!(offered(&stage), ["colours"]);
    stage.press("#");
    assert_eq!(colour_of(&stage.draw(), "red plain"), red);
}

#[test]
fn what_is_copied_and_searched_is_there_in_both() {
    let mut stage = stage("er\u{1b}[31mror\u{1b}[0m");
    for _ in 0..2 {
        stage.out.clear();
        stage.press("y");
        let copied = stage
            .out
            .iter()
            .any(|out| matches!(out, Out::Copy(text) if text == "er\u{1b}[31mror\u{1b}[0m"));
        assert!(copied, "{:?}", stage.out);
        stage.press("#");
    }
    stage.press("3 /");
    stage.type_text("error");
    stage.press("enter");
    assert!(!stage.status().contains("not found"), "{}", stage.status());
}

#[test]
fn text_without_colors_shows_no_color_hint() {
    let mut stage = stage("plain, and \u{1b}[2J no colour");
    let text = stage.text();
    assert!(!text.contains("colours"), "{text}");
    assert!(text.contains("⟨U+001B⟩[2J"), "{text}");
    stage.press("#");
    assert!(stage.status().contains("No colours in what the inspector shows"));
}

#[test]
fn arguments_thoughts_and_decisions_show_marks_only() {
    let mut stage = stage("x");
    let args = json::string(RED);
    stage.thought("t4", RED);
    stage.awaiting("c5", "shell", &format!(r#"{{"command":{args}}}"#));
    for keys in ["1 G", "1 G k", "2", "2 >"] {
        stage.press(keys);
        let buffer = stage.draw();
        assert_ne!(colour_of(&buffer, "red"), red(&stage), "{keys}");
        assert!(!stage.model.inspector.doc.has_colours(), "{keys}");
    }
}

#[test]
fn hidden_output_is_read_and_nothing_blinks() {
    let mut stage = stage("\u{1b}[8;5;38;2;20;23;28msecret\u{1b}[0m \u{1b}[31;41malso\u{1b}[0m");
    let buffer = stage.draw();
    for words in ["secret", "also"] {
        // The row of the call has it too.
        let usual = [Role::Text, Role::Dim].map(|role| stage.model.settings.look.style(role).fg);
        assert!(usual.contains(&colour_of(&buffer, words)), "{words}");
    }
    for cell in &buffer.content {
        let never = Modifier::HIDDEN | Modifier::SLOW_BLINK | Modifier::RAPID_BLINK;
        assert!(!cell.modifier.intersects(never));
    }
}

#[test]
fn a_frame_after_the_first_goes_through_nothing() {
    let mut stage = stage(&RED.repeat(20_000));
    stage.press("3 j j");
    let (laid, through) = work::of(|| {
        stage.press("pgdn pgdn");
        stage.draw();
    });
    assert_eq!((laid, through), (0, 0));
}
