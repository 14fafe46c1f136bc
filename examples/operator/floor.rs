//! The smallest program with the same display in a terminal: a list, and below it the model's stream.
//!
//! Must not know: the console.
//!
//! It makes only the rows of the list that are on screen. As in the console, the rows above the
//! cursor, its dependencies, are highlighted. None are while the cursor is on the stream.

use std::io::{BufRead as _, BufReader, Write as _, stdout};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, read};
use crossterm::execute;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, List, ListItem, Paragraph, Wrap};
use ratatui::{DefaultTerminal, Frame, Terminal, backend::CrosstermBackend};

use crate::write::now;

/// Between two frames that no key asked for.
const FRAME: Duration = Duration::from_micros(16_667);
/// Bytes of a stream that are shown: as many as fill its pane.
const SHOWN: usize = 4_096;
/// The ground of a row that is lit.
const MAX_HIGHLIGHTED: Color = Color::Indexed(236);
/// The prefix of the streamed text.
const SHOWN_PREFIX: &str = "t1 stream\nsays: ";

/// The input of the program.
enum Told {
    Key(KeyCode),
    Text(String),
}

/// What it shows.
struct Shown {
    list: Vec<String>,
    /// What has been streamed; none where nothing streams, and then there is no row for it.
    text: Option<String>,
    at: usize,
}

impl Shown {
    fn last(&self) -> usize {
        self.list.len() - usize::from(self.text.is_none())
    }

    /// False where it has to end.
    fn take(&mut self, message: Told, height: usize) -> bool {
        match message {
            Told::Text(more) => self.text.get_or_insert_default().push_str(&more),
            Told::Key(KeyCode::Char('q')) => return false,
            Told::Key(KeyCode::Char('j')) => self.at = (self.at + 1).min(self.last()),
            Told::Key(KeyCode::Char('k')) => self.at = self.at.saturating_sub(1),
            Told::Key(KeyCode::Char('g')) => self.at = 0,
            Told::Key(KeyCode::Char('G')) => self.at = self.last(),
            Told::Key(KeyCode::PageDown) => self.at = (self.at + height).min(self.last()),
            Told::Key(_) => {}
        }
        true
    }
}

/// Shows this many rows until a key ends it, and the stream of a server if there is one.
pub fn show(rows: usize, streams: Option<&str>) {
    let list: Vec<String> = (0..rows)
        .map(|no| format!("● │ c{no} read_file src/part{no}/file{no}.rs → 14 bytes: fn part{no}() {{ }}"))
        .collect();
    let mut shown = Shown {
        at: if streams.is_some() { rows } else { rows / 2 },
        text: streams.map(|_| String::new()),
        list,
    };
    enable_raw_mode().unwrap();
    execute!(stdout(), EnterAlternateScreen).unwrap();
    let mut terminal: DefaultTerminal = Terminal::new(CrosstermBackend::new(stdout())).unwrap();
    let (to, message) = channel();
    if let Some(address) = streams {
        listen(address, to.clone());
    }
    std::thread::spawn(move || {
        while let Ok(event) = read() {
            if let Event::Key(key) = event
                && to.send(Told::Key(key.code)).is_err()
            {
                return;
            }
        }
    });
    let height = usize::from(terminal.size().unwrap().height);
    loop {
        execute!(stdout(), BeginSynchronizedUpdate).unwrap();
        terminal.draw(|frame| draw(frame, &shown)).unwrap();
        execute!(stdout(), EndSynchronizedUpdate).unwrap();
        if !next(&message, &mut shown, height) {
            break;
        }
    }
    execute!(stdout(), LeaveAlternateScreen).unwrap();
    disable_raw_mode().unwrap();
}

/// Takes input until there is something to draw: immediately after a key, after text when a frame is due.
fn next(message: &Receiver<Told>, shown: &mut Shown, height: usize) -> bool {
    let due = now() + FRAME;
    let mut changed = false;
    loop {
        let one = if changed {
            match message.recv_timeout(due.saturating_duration_since(now())) {
                Err(RecvTimeoutError::Timeout) => return true,
                one => one.ok(),
            }
        } else {
            message.recv().ok()
        };
        let Some(one) = one else { return false };
        let is_key = matches!(one, Told::Key(_));
        if !shown.take(one, height) {
            return false;
        }
        if is_key {
            return true;
        }
        changed = true;
    }
}

/// Asks a server of chat completions, and tells what it answers.
fn listen(base: &str, to: Sender<Told>) {
    let host = base.trim_start_matches("http://").trim_end_matches("/v1");
    let mut socket = TcpStream::connect(host).unwrap();
    write!(
        socket,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}"
    )
    .unwrap();
    std::thread::spawn(move || {
        for line in BufReader::new(socket).lines().map_while(Result::ok) {
            let Some(data) = line.strip_prefix("data: ") else {
                continue;
            };
            let data: serde_json::Value = serde_json::from_str(data).unwrap();
            let words = data["choices"][0]["delta"]["content"]
                .as_str()
                .unwrap_or_default();
            if to.send(Told::Text(words.to_owned())).is_err() {
                return;
            }
        }
    });
}

fn draw(frame: &mut Frame<'_>, shown: &Shown) {
    let Shown { list, text, at } = shown;
    let Rect { width, height, .. } = frame.area();
    let left = width * 9 / 20;
    let lines = usize::from(height - 2);
    let top = at
        .saturating_sub(lines / 2)
        .min((list.len() + 1).saturating_sub(lines));
    let head = Rect::new(0, 0, width, 1);
    frame.render_widget(Line::from("overrule  measured  working"), head);
    let end = text.as_deref().map(tail);
    let lights = end.is_some() && *at < list.len();
    let rows = list.iter().map(String::as_str).chain(end);
    let rows = rows.enumerate().skip(top).take(lines);
    let rows = rows.map(|(no, words)| {
        let style = if no == *at {
            Style::new().add_modifier(Modifier::REVERSED)
        } else if lights && no < *at {
            Style::new().bg(MAX_HIGHLIGHTED)
        } else {
            Style::new()
        };
        ListItem::new(words.get(..words.len().min(usize::from(left))).unwrap_or(words)).style(style)
    });
    let area = Rect::new(0, 1, left, height - 1);
    frame.render_widget(List::new(rows).block(Block::new().borders(Borders::TOP)), area);
    let area = Rect::new(left, 1, width - left, height / 3);
    let block = || Block::new().borders(Borders::TOP);
    frame.render_widget(Paragraph::new("Queue empty").block(block()), area);
    let area = Rect::new(left, 1 + height / 3, width - left, height - 1 - height / 3);
    let words = match end.filter(|_| *at == list.len()) {
        Some(end) => format!("{SHOWN_PREFIX}{end}"),
        None => format!("c{at} call\nsucceeded\nread_file\nsrc/part{at}/file{at}.rs\n").repeat(8),
    };
    let text = Paragraph::new(words)
        .wrap(Wrap { trim: false })
        .block(block().title(" content "));
    frame.render_widget(text, area);
}

/// The end of a text, as much of it as is shown.
fn tail(text: &str) -> &str {
    let from = text.len().saturating_sub(SHOWN);
    (from..text.len())
        .find_map(|from| text.get(from..))
        .unwrap_or_default()
}
