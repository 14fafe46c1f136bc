//! The model on the screen. Changes nothing: everything that is drawn was made ready before.
//!
//! Must not know: the terminal, what keys do.

mod editor;
mod graph;
mod header;
mod inspector;
mod lists;
mod log;
mod overlay;
mod paint;
mod queue;
mod rows;
mod shell;
mod status;
#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::buffer::Buffer;

use super::model::Model;

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let _shown = model.settings.shown();
    shell::draw(model, frame);
    if model.settings.text_in_ascii() {
        plain(frame.buffer_mut());
    }
}

/// Takes out what such a screen cannot show: beyond the marks of other people's text the console's own words
/// hold a few signs. Each of them has a twin.
fn plain(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let sign = twin(cell.symbol()).unwrap_or("?");
            cell.set_symbol(sign);
        }
    }
}

/// The sign of the console's own words in ASCII; none for one that they have not.
fn twin(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "…" => "~",
        "·" | "–" | "—" => "-",
        "→" => ">",
        "×" => "x",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        _ => return None,
    })
}
