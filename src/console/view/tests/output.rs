//! Tests how the colours of tool output are drawn with many, few and no colours.
//!
//! Must not know: how a tool asks for colours.

use crate::ground::json;
use crate::ground::theme::{Colours, Theme};
use crate::kernel::model::screen::inside;
use crate::testing::Stage;
use overrule_domain::call::Outcome;

const OUTPUT: &str = "\u{1b}[1;32mok\u{1b}[0m    12 tests\n\
    \u{1b}[31mFAIL  one\ncontinued\u{1b}[0m\n\
    \u{1b}[33myellow\u{1b}[0m \u{1b}[38;5;208m208\u{1b}[0m \u{1b}[38;2;90;160;255mall\u{1b}[0m \u{1b}[2mweak\u{1b}[0m\n\
    \u{1b}[30;40mblack on black\u{1b}[0m \u{1b}[7mreversed\u{1b}[0m \u{1b}[8;5mhidden\u{1b}[0m\n\
    \u{1b}[1;38;2;255;215;95;48;2;43;36;19m as a decision \u{1b}[0m\n\
    \u{1b}[41;97m a\u{202e}mark \u{1b}[2J in it \u{1b}[0m\n\
    \u{1b}[3;4;9mlines\u{1b}[0m";

/// The rows of the inspector from the output on, each run of one style with its colours and attributes.
fn styled_rows(colours: Colours) -> String {
    let mut stage = Stage::with(110, 30, |settings| {
        settings.look = Theme::built_in("dark").unwrap().look(colours);
    });
    stage.begin();
    let outcome = Outcome::ok(json::string(OUTPUT));
    stage.finished("c2", "shell", r#"{"command":"look"}"#, outcome);
    stage.press("1 G z 3");
    let buffer = stage.draw();
    let area = inside(stage.model.screen.places.inspector.unwrap());
    let mut out = String::new();
    let mut within = false;
    for y in area.top()..area.bottom() {
        let mut runs: Vec<(String, String)> = Vec::new();
        for cell in (area.left()..area.right()).filter_map(|x| buffer.cell((x, y))) {
            let look = format!("{} on {} {:?}", cell.fg, cell.bg, cell.modifier);
            match runs.last_mut() {
                Some((last, text)) if *last == look => text.push_str(cell.symbol()),
                _ => runs.push((look, cell.symbol().to_owned())),
            }
        }
        let row: String = runs.iter().map(|(_, text)| text.as_str()).collect();
        if within && !row.trim().is_empty() {
            for (look, text) in runs.iter().filter(|(_, text)| !text.trim().is_empty()) {
                let line = format!("{text:<30} {look}");
                out.push_str(line.trim_end());
                out.push('\n');
            }
            out.push('\n');
        }
        within |= row.contains("its exact bytes");
    }
    out
}

#[test]
fn output_in_its_colours() {
    for (name, colours) in [
        ("all", Colours::True),
        ("256", Colours::Indexed),
        ("16", Colours::Basic),
        ("none", Colours::None),
    ] {
        insta::assert_snapshot!(format!("output_{name}"), styled_rows(colours));
    }
}
