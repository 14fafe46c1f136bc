//! The smallest program with the same display: a header, a list and two blocks of text.
//!
//! Must not know: the console.
//!
//! It makes only the rows of the list that are on screen.

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, List as Rows, ListItem, Paragraph, Wrap};
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::count::{Bytes, Count};

/// A list of rows with a cursor.
pub struct List {
    terminal: Terminal<CrosstermBackend<Count>>,
    bytes: Bytes,
    rows: usize,
    at: usize,
    /// True while the rows above the cursor are lit.
    lit: bool,
    size: (u16, u16),
}

impl List {
    /// A list of this many rows.
    pub fn new((width, height): (u16, u16), rows: usize) -> Self {
        let options = TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, width, height)),
        };
        let bytes = Bytes::default();
        let backend = CrosstermBackend::new(Count(bytes.clone()));
        Self {
            terminal: Terminal::with_options(backend, options).unwrap(),
            bytes,
            rows,
            at: 0,
            lit: false,
            size: (width, height),
        }
    }

    /// Counts what it sends.
    pub fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// Moves the cursor and draws.
    pub fn step(&mut self, by: usize) {
        self.at = (self.at + by) % self.rows;
        self.draw();
    }

    /// Highlights the rows above the cursor at the end of the list, or none, and draws.
    pub fn light(&mut self, highlighted: bool) {
        self.lit = highlighted;
        self.at = self.rows - if highlighted { 2 } else { 1 };
        self.draw();
    }

    fn draw(&mut self) {
        let (width, height) = self.size;
        let left = width * 9 / 20;
        let (at, highlighted) = (self.at, self.lit);
        let top = at.saturating_sub(usize::from(height) / 2);
        let top = top.min(self.rows.saturating_sub(usize::from(height - 2)));
        self.terminal
            .draw(|frame| {
                let head = Rect::new(0, 0, width, 1);
                frame.render_widget(Line::from("overrule  measured  100000 nodes  working"), head);
                let rows = (top..top + usize::from(height - 2)).map(|no| {
                    let style = if no == at {
                        Style::new().add_modifier(Modifier::REVERSED)
                    } else if highlighted && no < at {
                        Style::new().bg(Color::Indexed(236))
                    } else {
                        Style::new()
                    };
                    ListItem::new(format!(
                        "● │ c{no} read_file src/part{no}/file{no}.rs → 14 bytes: fn part{no}() {{ }}"
                    ))
                    .style(style)
                });
                let area = Rect::new(0, 1, left, height - 1);
                frame.render_widget(Rows::new(rows).block(Block::new().borders(Borders::TOP)), area);
                let words = format!("c{at} call\nsucceeded\nread_file\nsrc/part{at}/file{at}.rs\n").repeat(8);
                let area = Rect::new(left, 1, width - left, height / 3);
                let block = || Block::new().borders(Borders::TOP);
                frame.render_widget(Paragraph::new("Queue empty").block(block()), area);
                let area = Rect::new(left, 1 + height / 3, width - left, height - 1 - height / 3);
                let text = Paragraph::new(words).wrap(Wrap { trim: false }).block(block());
                frame.render_widget(text, area);
            })
            .unwrap();
    }
}
