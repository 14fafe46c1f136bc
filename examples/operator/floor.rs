//! The smallest program that shows as much, in a terminal: a list of which only the rows on screen are made.
//!
//! Must not know: the console.

use std::io::stdout;

use crossterm::event::{Event, KeyCode, read};
use crossterm::execute;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, List, ListItem, Paragraph, Wrap};
use ratatui::{DefaultTerminal, Frame, Terminal, backend::CrosstermBackend};

/// Shows so many rows until it is told to end.
pub fn show(rows: usize) {
    let list: Vec<String> = (0..rows)
        .map(|no| format!("● │ c{no} read_file src/part{no}/file{no}.rs → 14 bytes: fn part{no}() {{ }}"))
        .collect();
    enable_raw_mode().unwrap();
    execute!(stdout(), EnterAlternateScreen).unwrap();
    let mut terminal: DefaultTerminal = Terminal::new(CrosstermBackend::new(stdout())).unwrap();
    let mut at = rows / 2;
    loop {
        execute!(stdout(), BeginSynchronizedUpdate).unwrap();
        terminal.draw(|frame| draw(frame, &list, at)).unwrap();
        execute!(stdout(), EndSynchronizedUpdate).unwrap();
        match read().unwrap() {
            Event::Key(key) if key.code == KeyCode::Char('j') => at = (at + 1).min(rows - 1),
            Event::Key(key) if key.code == KeyCode::Char('k') => at = at.saturating_sub(1),
            Event::Key(key) if key.code == KeyCode::Char('q') => break,
            _ => {}
        }
    }
    execute!(stdout(), LeaveAlternateScreen).unwrap();
    disable_raw_mode().unwrap();
}

fn draw(frame: &mut Frame<'_>, list: &[String], at: usize) {
    let Rect { width, height, .. } = frame.area();
    let left = width * 9 / 20;
    let top = at.saturating_sub(usize::from(height) / 2);
    let head = Rect::new(0, 0, width, 1);
    frame.render_widget(Line::from("overrule  measured  working"), head);
    let rows = list.iter().enumerate().skip(top).take(usize::from(height - 2));
    let rows = rows.map(|(no, words)| {
        let style = if no == at {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            Style::new()
        };
        ListItem::new(words.as_str()).style(style)
    });
    let area = Rect::new(0, 1, left, height - 1);
    frame.render_widget(List::new(rows).block(Block::new().borders(Borders::TOP)), area);
    let area = Rect::new(left, 1, width - left, height / 3);
    let block = || Block::new().borders(Borders::TOP);
    frame.render_widget(Paragraph::new("nothing waits for you").block(block()), area);
    let area = Rect::new(left, 1 + height / 3, width - left, height - 1 - height / 3);
    let words = format!("c{at} call\nsucceeded\nread_file\nsrc/part{at}/file{at}.rs\n").repeat(8);
    let text = Paragraph::new(words)
        .wrap(Wrap { trim: false })
        .block(block().title(" content "));
    frame.render_widget(text, area);
}
