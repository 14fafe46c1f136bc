//! A text field: the typed text, and the effect of keys on it.
//!
//! Must not know: what the text is for.
//!
//! Holds the text itself, character by character as it was typed, pasted or opened. It shows the
//! visible form: invisible characters appear as marks, and nothing raw reaches the terminal. A mark
//! is never read back, so letters that look like a mark stay letters.

mod buffer;
mod draw;
mod laid;
mod moves;
#[cfg(test)]
mod tests;
mod text_verb;

use std::cell::Cell;

use regex::Regex;

use self::buffer::Buffer;
use self::draw::View;
pub use self::text_verb::{Reach, TextVerb};
use super::columns::Columns as _;
use super::key::{Code, Key};
use super::motion::Move;
use overrule_base::text;

/// Maximum length for the built-in editor, in bytes. Longer texts go to `$EDITOR`.
pub const LIMIT: usize = 256 * 1024;

/// Maximum number of lines for the built-in editor.
pub const LINES: usize = 30_000;

/// Columns between tab stops. The tab key types blanks.
const TAB: usize = 4;

/// Why a text is too large for the built-in editor; none if it fits.
pub fn too_much(text: &str) -> Option<String> {
    let lines = lines_of(text);
    let (count, what, most) = match text.len() {
        bytes if bytes > LIMIT => (bytes, "bytes", LIMIT),
        _ if lines > LINES => (lines, "lines", LINES),
        _ => return None,
    };
    Some(format!("{count} {what} are too many to type in (at most {most})"))
}

fn lines_of(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// A paste with each line break as one line feed. Terminals send other characters.
pub fn pasted(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A text that is being typed.
#[derive(Debug, Clone)]
pub struct Field {
    buffer: Buffer,
    original: String,
    single: bool,
    /// Maximum length of typed text, in bytes.
    most: usize,
    /// The text that was cut last.
    taken: String,
    /// The last search.
    pattern: Option<Regex>,
    /// The column in which a move up or down began.
    wish: Option<usize>,
    /// The part on the screen. Drawing sets it.
    view: Cell<View>,
}

impl Field {
    /// A field of several lines.
    pub fn lines(original: &str) -> Self {
        Self::new(original, false, LIMIT)
    }

    /// A field of one line with a maximum length in bytes.
    pub fn line(original: &str, most: usize) -> Self {
        let mut field = Self::new(original, true, most);
        field.to_end();
        field
    }

    fn new(original: &str, single: bool, most: usize) -> Self {
        let mut field = Self {
            buffer: Buffer::new(original),
            original: original.to_owned(),
            single,
            most,
            taken: String::new(),
            pattern: None,
            wish: None,
            view: Cell::new(View::NONE),
        };
        field.make_room();
        field
    }

    /// The original text does not use up the room for typing.
    fn make_room(&mut self) {
        self.most = self.most.max(2 * self.len());
    }

    /// Selects the whole text. Typing replaces it; a move of the cursor keeps it.
    pub fn select_all(&mut self) {
        self.buffer.deselect();
        self.buffer.go(0);
        self.buffer.hold();
        self.to_end();
    }

    /// Moves the cursor after the last character.
    pub fn to_end(&mut self) {
        self.wish = None;
        self.buffer.go(self.len());
    }

    /// True if the text equals the original.
    pub fn is_unchanged(&self) -> bool {
        self.text() == self.original
    }

    /// The text that it was opened on.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The text, exactly as it was typed.
    pub fn text(&self) -> &str {
        self.buffer.text()
    }

    /// The text as it is shown away from the cursor, with marks.
    pub fn shown(&self) -> String {
        if self.single {
            text::visible(self.text())
        } else {
            text::visible_lines(self.text()).join("\n")
        }
    }

    /// Number of lines.
    pub fn rows(&self) -> usize {
        if self.single { 1 } else { lines_of(self.text()) }
    }

    /// True for an empty text.
    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// Replaces the whole text. An undo restores it.
    pub fn replace(&mut self, text: &str) {
        self.wish = None;
        self.buffer.put(0..self.len(), text);
        self.make_room();
    }

    /// Handles a key that is neither a command nor a character: erases, or moves to the next tab
    /// stop. Returns true if the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        let back = match key.code {
            _ if key.ctrl || key.alt => return false,
            Code::Tab if !self.single && !key.shift => {
                let at = self.buffer.place().start;
                let before = self.text().get(self.line_at(at).start..at).unwrap_or_default();
                return self.type_in(&" ".repeat(TAB - before.columns() % TAB)) == 0;
            }
            Code::Backspace => true,
            Code::Delete => false,
            _ => return false,
        };
        self.wish = None;
        self.erased(back).is_some_and(|gone| self.buffer.put(gone, ""))
    }

    /// The character that a key types, if any.
    pub fn typed(&self, key: Key) -> Option<char> {
        match key.code {
            _ if key.ctrl || key.alt => None,
            Code::Char(c) if c.is_control() => None,
            Code::Char(c) => Some(c),
            Code::Enter if !self.single => Some('\n'),
            _ => None,
        }
    }

    /// Inserts typed text as far as there is room. Returns the number of characters left out.
    pub fn type_in(&mut self, typed: &str) -> usize {
        let room = self.room();
        let mut lines = LINES.max(lines_of(&self.original)).saturating_sub(self.rows());
        let fits = |(at, c): (usize, char)| {
            let end = at + c.len_utf8();
            if end > room || (c == '\n' && lines == 0) {
                return None;
            }
            lines -= usize::from(c == '\n');
            Some(end)
        };
        let end = typed.char_indices().map_while(fits).last().unwrap_or(0);
        let (taken, left) = typed.split_at(end);
        if !taken.is_empty() {
            self.put(taken);
        }
        left.chars().count()
    }

    /// Replaces the selection by a text, or inserts it at the cursor, as one change.
    fn put(&mut self, text: &str) {
        self.wish = None;
        self.buffer.put(self.buffer.place(), text);
    }

    /// Bytes of room. Typing replaces the selection.
    fn room(&self) -> usize {
        self.most.saturating_sub(self.len() - self.buffer.place().len())
    }

    /// Maximum length in bytes.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Inserts a paste. Line breaks become line feeds, or blanks in a field of one line. A field of
    /// one line refuses a paste that is too long.
    pub fn paste(&mut self, text: &str) -> Result<(), String> {
        let lines = pasted(text);
        if !self.single {
            self.put(&lines);
            return Ok(());
        }
        let line = lines.trim_end_matches('\n');
        if line.len() > self.room() {
            return Err(format!(
                "cannot paste {} bytes: at most {} fit here",
                line.len(),
                self.most
            ));
        }
        self.put(&line.replace('\n', " "));
        Ok(())
    }

    /// Moves the cursor and ends the selection.
    pub fn step(&mut self, to: Move) {
        self.buffer.deselect();
        self.go(to);
    }

    fn go(&mut self, to: Move) {
        let page = self.view.get().height.saturating_sub(1).max(1);
        let half = (page / 2).max(1);
        match to {
            Move::Up => return self.rows_away(1, false),
            Move::Down => return self.rows_away(1, true),
            Move::PageUp => return self.rows_away(page, false),
            Move::PageDown => return self.rows_away(page, true),
            Move::HalfUp => return self.rows_away(half, false),
            Move::HalfDown => return self.rows_away(half, true),
            Move::Left => self.walk(true),
            Move::Right => self.walk(false),
            Move::Top => self.buffer.go(0),
            Move::Bottom => self.buffer.go(self.len()),
        }
        self.wish = None;
    }

    /// Carries out an editing command.
    pub fn edit(&mut self, verb: TextVerb) {
        let at = self.buffer.cursor();
        let line = self.line_at(at);
        match verb {
            TextVerb::Select(to) => return self.select(to),
            TextVerb::Cut => self.take(self.buffer.picked()),
            TextVerb::EraseWord => self.take(Some(self.word_or_break()..at)),
            // At the edge of a line, erases the line break.
            TextVerb::EraseStart if at == line.start => self.take(self.group(true)),
            TextVerb::EraseStart => self.take(Some(line.start..at)),
            TextVerb::EraseEnd if at == line.end => self.take(self.group(false)),
            TextVerb::EraseEnd => self.take(Some(at..line.end)),
            TextVerb::Undo => self.buffer.undo(),
            TextVerb::Redo => self.buffer.redo(),
            TextVerb::FindNext => drop(self.seek(at + 1)),
            TextVerb::FindBack => self.seek_back(),
            TextVerb::WordLeft => self.jump_to(self.word_boundary(true)),
            TextVerb::WordRight => self.jump_to(self.word_boundary(false)),
            TextVerb::LineStart => self.jump_to(line.start),
            TextVerb::LineEnd => self.jump_to(line.end),
            TextVerb::First => self.jump_to(0),
            TextVerb::Last => self.jump_to(self.len()),
        }
        self.wish = None;
    }

    fn jump_to(&mut self, at: usize) {
        self.buffer.deselect();
        self.buffer.go(at);
    }

    fn select(&mut self, to: Reach) {
        self.buffer.hold();
        let line = self.line_at(self.buffer.cursor());
        match to {
            Reach::Left => self.go(Move::Left),
            Reach::Right => self.go(Move::Right),
            Reach::Up => self.go(Move::Up),
            Reach::Down => self.go(Move::Down),
            Reach::LineStart => self.buffer.go(line.start),
            Reach::LineEnd => self.buffer.go(line.end),
            Reach::All => self.select_all(),
        }
        if !matches!(to, Reach::Up | Reach::Down) {
            self.wish = None;
        }
    }

    /// The start of the word before the cursor, or of the line break before it.
    fn word_or_break(&self) -> usize {
        let at = self.buffer.cursor();
        if at == self.line_at(at).start {
            return at.saturating_sub(1);
        }
        self.word_boundary(true).max(self.line_at(at).start)
    }

    /// Cuts the selection, or else a range of the text, for a later paste.
    fn take(&mut self, place: Option<std::ops::Range<usize>>) {
        let Some(place) = self.buffer.picked().or(place) else {
            return;
        };
        let taken = self.text().get(place.clone()).unwrap_or_default().to_owned();
        if self.buffer.put(place, "") {
            self.taken = taken;
        }
    }

    /// The text that was cut last.
    pub fn taken(&self) -> &str {
        &self.taken
    }

    /// The selection, or the whole text.
    pub fn selected(&self) -> &str {
        let picked = self.buffer.picked().and_then(|picked| self.text().get(picked));
        picked.unwrap_or(self.text())
    }

    /// The range of bytes that an insertion replaces.
    pub fn place(&self) -> std::ops::Range<usize> {
        self.buffer.place()
    }

    /// Searches from the cursor. The search ignores case unless it contains a capital letter. False
    /// without a match.
    pub fn find(&mut self, words: &str) -> bool {
        let mut pattern = regex::escape(words);
        if !words.chars().any(char::is_uppercase) {
            pattern.insert_str(0, "(?i)");
        }
        // An escaped text is always a valid pattern. One that is too large matches nothing.
        self.pattern = Regex::new(&pattern).ok().filter(|_| !words.is_empty());
        self.wish = None;
        self.seek(self.buffer.cursor())
    }

    /// Moves to the first match from a byte on, or from the start of the text.
    fn seek(&mut self, from: usize) -> bool {
        let text = self.buffer.text();
        let Some(requested) = &self.pattern else {
            return false;
        };
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at));
        let found = from
            .and_then(|from| requested.find_at(text, from))
            .or_else(|| requested.find(text));
        let at = found.map(|found| found.start());
        at.map(|at| self.jump_to(at)).is_some()
    }

    /// Moves to the last match before the cursor, or in the text.
    fn seek_back(&mut self) {
        let Some(requested) = &self.pattern else { return };
        let starts = || requested.find_iter(self.text()).map(|found| found.start());
        let before = starts().take_while(|at| *at < self.buffer.cursor()).last();
        if let Some(at) = before.or_else(|| starts().last()) {
            self.jump_to(at);
        }
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> usize {
        self.text().len()
    }

    /// The byte position of the cursor.
    pub fn offset(&self) -> usize {
        self.buffer.cursor()
    }

    /// Replaces a range of bytes, as one change. False if the range is invalid.
    pub fn splice(&mut self, bytes: std::ops::Range<usize>, text: &str) -> bool {
        self.wish = None;
        let fits = self.text().get(bytes.clone()).is_some();
        if fits {
            self.buffer.put(bytes, text);
        }
        fits
    }

    /// Moves the cursor to a line and character, counted from 0, or to the end of a shorter line.
    /// False if there is no such line.
    pub fn jump(&mut self, row: usize, column: usize) -> bool {
        let Some(start) = self.start_of(row) else {
            return false;
        };
        let line = self.line_at(start);
        let text = self.text().get(line.clone()).unwrap_or_default();
        let inside = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
        self.wish = None;
        self.jump_to(start + inside);
        true
    }

    /// Resets the scroll position after a resize, as far as the cursor allows.
    pub fn resized(&mut self) {
        let mut view = self.view.get();
        (view.top, view.left) = ((0, 0), 0);
        self.view.set(view);
    }

    /// The line of a byte position, from 0.
    fn line_no(&self, at: usize) -> usize {
        if self.single {
            return 0;
        }
        lines_of(self.text().get(..at).unwrap_or_default()) - 1
    }

    /// The cursor as line and column from 1. A column is a character of the text, not of its shown
    /// form.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.buffer.cursor();
        let line = self.line_at(at);
        let before = self.text().get(line.start..at).unwrap_or_default();
        (self.line_no(at) + 1, before.chars().count() + 1)
    }
}
