//! Draws a screen of cells as SVG.
//!
//! Must not know: what the cells show.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

/// Size of a cell.
const CELL: (f32, f32) = (8.4, 18.0);
/// Background and text of a terminal without colours.
const PLAIN: (&str, &str) = ("#f4f4f4", "#202020");

/// What cells side by side have in common.
#[derive(PartialEq, Eq, Clone)]
struct Look {
    ink: String,
    ground: String,
    modifiers: Modifier,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let mut ink = colour(cell.fg, PLAIN.1);
        let mut background = colour(cell.bg, PLAIN.0);
        let modifiers = cell.modifier;
        if modifiers.contains(Modifier::REVERSED) {
            std::mem::swap(&mut ink, &mut background);
        }
        Self {
            ink,
            ground: background,
            modifiers,
        }
    }
}

fn colour(colour: Color, usual: &str) -> String {
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => usual.to_owned(),
    }
}

/// Returns the picture. Characters are placed at their cells, whatever font shows it.
pub fn of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (width, height) = (f32::from(area.width) * CELL.0, f32::from(area.height) * CELL.1);
    let usual = buffer.cell((area.width - 1, area.height / 2));
    let background = usual.map_or_else(|| PLAIN.0.to_owned(), |cell| colour(cell.bg, PLAIN.0));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{background}\"/>\n"
    );
    for y in area.top()..area.bottom() {
        let mut x = area.left();
        while x < area.right() {
            let Some(cell) = buffer.cell((x, y)) else { break };
            let look = Look::of(cell);
            let (mut text, from) = (String::new(), x);
            while let Some(cell) = buffer
                .cell((x, y))
                .filter(|cell| x < area.right() && Look::of(cell) == look)
            {
                text.push_str(cell.symbol());
                x += u16::try_from(cell.symbol().width()).unwrap_or(1).max(1);
            }
            let highlighted = look.ground != background;
            run(&mut out, &text, &look, (from, x, y), highlighted);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Cells side by side of one look.
fn run(out: &mut String, text: &str, look: &Look, (from, to, y): (u16, u16, u16), highlighted: bool) {
    let left = f32::from(from) * CELL.0;
    let width = f32::from(to - from) * CELL.0;
    let top = f32::from(y) * CELL.1;
    // Writing into a string cannot fail.
    if highlighted {
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            CELL.1, look.ground
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let lead = text.len() - text.trim_start().len();
    let words = text.trim();
    let x = left + lead as f32 * CELL.0;
    let length = words.width() as f32 * CELL.0;
    let mut style = String::new();
    for (modifier, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::DIM, " opacity=\"0.7\""),
    ] {
        if look.modifiers.contains(modifier) {
            style.push_str(attribute);
        }
    }
    let under = look.modifiers.contains(Modifier::UNDERLINED);
    let strike = look.modifiers.contains(Modifier::CROSSED_OUT);
    if under || strike {
        let line = if under { "underline" } else { "line-through" };
        let _ = write!(style, " text-decoration=\"{line}\"");
    }
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{style}>{}</text>",
        top + CELL.1 * 0.75,
        look.ink,
        escaped(words)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
