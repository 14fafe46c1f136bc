//! Draws the model on the screen and changes nothing: everything is prepared before.
//!
//! Must not know: the terminal, what keys do.

mod offer;
mod picker;
#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::buffer::Buffer;

use crate::kernel::model::Model;
pub use offer::offer;
pub use picker::{picker, rows as picker_rows};

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let _shown = model.settings.shown();
    crate::kernel::draw::shell::draw(model, frame);
    if model.settings.text_in_ascii() {
        plain(frame.buffer_mut());
    }
}

/// Replaces the console's own signs by their ASCII forms on an ASCII screen. Untrusted text has its own marks.
fn plain(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let sign = twin(cell.symbol()).unwrap_or("?");
            cell.set_symbol(sign);
        }
    }
}

/// The ASCII form of one of the console's own signs; `None` for other characters.
fn twin(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "…" => "~",
        "↵" => "$",
        "·" | "–" | "—" | "−" => "-",
        "→" => ">",
        "×" => "x",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        _ => return None,
    })
}
