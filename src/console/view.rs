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
use super::symbols::Charset;
use crate::text::shown_in_ascii;

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let ascii = model.settings.charset == Charset::Ascii;
    let _shown = shown_in_ascii(ascii);
    shell::draw(model, frame);
    if ascii {
        plain(frame.buffer_mut());
    }
}

/// Takes out what such a screen cannot show: beyond the marks of other people's text the console's own words
/// hold a few signs.
fn plain(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let sign = match cell.symbol() {
            symbol if symbol.is_ascii() => continue,
            "…" => "~",
            _ => "?",
        };
        cell.set_symbol(sign);
    }
}
