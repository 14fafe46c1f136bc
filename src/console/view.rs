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

use super::model::Model;

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    shell::draw(model, frame);
}
