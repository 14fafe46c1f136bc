//! A text field: the typed text, and the effect of keys on it.
//!
//! Must not know: what the text is for.
//!
//! The text area of a library edits the text, character by character as it was typed, pasted or
//! opened. The field draws its visible form: invisible characters appear as marks, and nothing raw
//! reaches the terminal. A mark is never read back, so letters that look like a mark stay letters.

pub(crate) mod area;
pub(crate) mod draw;
pub(crate) mod laid;
pub(crate) mod moves;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod text_verb;

use std::cell::Cell;
use std::ops::Range;

use ratatui_textarea::CursorMove;

use self::area::Area;
use self::draw::View;
pub use self::text_verb::{Reach, TextVerb};
use super::columns::Columns as _;
use super::key::{Code, Key};
use super::motion::Move;
use overrule_base::text;

/// Maximum length for the built-in editor, in bytes. Longer texts go to `$EDITOR`.
pub const LIMIT: usize = 64 * 1024;

/// Maximum length of a line for the built-in editor, in characters. The library counts in 16 bits.
pub const LINE: usize = u16::MAX as usize;

/// Maximum number of lines for the built-in editor.
pub const LINES: usize = 30_000;

/// Columns between tab stops. The tab key types blanks.
const TAB: usize = 4;

/// Why a text is too large for the built-in editor; none if it fits.
pub fn too_much(text: &str) -> Option<String> {
    let lines = lines_of(text);
    let longest = || text.split('\n').map(|line| line.chars().count()).max();
    let (count, what, most) = match text.len() {
        bytes if bytes > LIMIT => (bytes, "bytes", LIMIT),
        _ if lines > LINES => (lines, "lines", LINES),
        _ => match longest() {
            Some(longest) if longest > LINE => (longest, "characters in one line", LINE),
            _ => return None,
        },
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
    area: Area,
    original: String,
    single: bool,
    /// Maximum length of typed text, in bytes.
    most: usize,
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
            area: Area::new(original),
            original: original.to_owned(),
            single,
            most,
            wish: None,
            view: Cell::new(View::NONE),
        };
        field.make_room();
        field
    }

    /// The original text does not use up the room for typing.
    fn make_room(&mut self) {
        self.most = self.most.max(2 * self.len()).min(LIMIT);
    }

    /// Selects the whole text. Typing replaces it; a move of the cursor keeps it.
    pub fn select_all(&mut self) {
        self.wish = None;
        self.area.select_all();
    }

    /// Moves the cursor after the last character.
    pub fn to_end(&mut self) {
        self.wish = None;
        self.area.go(self.len());
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
    pub fn text(&self) -> String {
        self.area.text()
    }

    /// The text as it is shown away from the cursor, with marks.
    pub fn shown(&self) -> String {
        if self.single {
            text::visible(&self.text())
        } else {
            text::visible_lines(&self.text()).join("\n")
        }
    }

    /// Number of lines.
    pub fn rows(&self) -> usize {
        if self.single { 1 } else { self.area.rows() }
    }

    /// True for an empty text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the whole text by one that is not `too_much`. An undo restores it.
    pub fn replace(&mut self, text: &str) {
        self.splice(0..self.len(), text);
        self.make_room();
    }

    /// Handles a key that is neither a command nor a character: erases, or moves to the next tab
    /// stop. Returns true if the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        let back = match key.code {
            _ if key.ctrl || key.alt => return false,
            Code::Tab if !self.single && !key.shift => {
                let (text, at) = (self.text(), self.place().start);
                let before = text.get(self.line_at(&text, at).start..at).unwrap_or_default();
                return self.type_in(&" ".repeat(TAB - before.columns() % TAB)) == 0;
            }
            Code::Backspace => true,
            Code::Delete => false,
            _ => return false,
        };
        self.wish = None;
        self.erased(back).is_some_and(|gone| self.area.put(gone, ""))
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
        let (before, after) = self.around();
        let tail = after.chars().take_while(|c| *c != '\n').count();
        let mut line = before.chars().rev().take_while(|c| *c != '\n').count() + tail;
        let mut lines = lines_of(&before) + lines_of(&after) - 1;
        let fits = |(at, c): (usize, char)| {
            let end = at + c.len_utf8();
            if c == '\n' {
                (line, lines) = (tail, lines + 1);
            } else {
                line += 1;
            }
            (end <= room && line <= LINE && lines <= LINES).then_some(end)
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
        self.area.put(self.place(), text);
    }

    /// The text before the place of an insertion, and the text after it.
    fn around(&self) -> (String, String) {
        let (mut text, place) = (self.text(), self.place());
        let after = text.get(place.end..).unwrap_or_default().to_owned();
        text.truncate(place.start);
        (text, after)
    }

    /// The text with a paste.
    pub fn with_paste(&self, text: &str) -> String {
        let (before, after) = self.around();
        format!("{before}{}{after}", pasted(text))
    }

    /// Bytes of room. Typing replaces the selection.
    fn room(&self) -> usize {
        self.most.saturating_sub(self.len() - self.place().len())
    }

    /// Describes how much text fits.
    pub fn most(&self) -> String {
        if self.single {
            format!("{} bytes", self.most)
        } else {
            format!("{LIMIT} bytes, {LINES} lines and {LINE} characters in one line")
        }
    }

    /// Inserts a paste. Line breaks become line feeds, or blanks in a field of one line. A paste that
    /// is too long is refused.
    pub fn paste(&mut self, text: &str) -> Result<(), String> {
        let lines = pasted(text);
        if !self.single {
            if let Some(why) = too_much(&self.with_paste(text)) {
                return Err(why);
            }
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
        self.area.deselect();
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
            Move::Top => self.area.go(0),
            Move::Bottom => self.area.go(self.len()),
        }
        self.wish = None;
    }

    /// Carries out an editing command.
    pub fn edit(&mut self, verb: TextVerb) {
        let (text, at) = (self.text(), self.area.cursor());
        let line = self.line_at(&text, at);
        match verb {
            TextVerb::Select(to) => return self.select(to),
            TextVerb::Cut => self.take(None),
            // At the edge of a line, erases the line break.
            TextVerb::EraseWord | TextVerb::EraseStart if at == line.start => self.take(self.group(true)),
            TextVerb::EraseEnd if at == line.end => self.take(self.group(false)),
            TextVerb::EraseWord => {
                let word = self.area.after(CursorMove::WordBack);
                self.take(Some(word.max(line.start)..at));
            }
            TextVerb::EraseStart => self.take(Some(line.start..at)),
            TextVerb::EraseEnd => self.take(Some(at..line.end)),
            TextVerb::Undo => self.area.undo(),
            TextVerb::Redo => self.area.redo(),
            TextVerb::FindNext => drop(self.area.seek(false)),
            TextVerb::FindBack => self.area.seek_back(),
            TextVerb::WordLeft => self.move_to(|field| field.area.go_by(CursorMove::WordBack)),
            TextVerb::WordRight => self.move_to(|field| field.area.go_by(CursorMove::WordForward)),
            TextVerb::LineStart => self.move_to(|field| field.go_to_edge(true)),
            TextVerb::LineEnd => self.move_to(|field| field.go_to_edge(false)),
            TextVerb::First => self.step(Move::Top),
            TextVerb::Last => self.step(Move::Bottom),
        }
        self.wish = None;
    }

    fn move_to(&mut self, go: impl FnOnce(&mut Self)) {
        self.area.deselect();
        go(self);
    }

    fn select(&mut self, to: Reach) {
        self.area.hold();
        match to {
            Reach::Left => self.go(Move::Left),
            Reach::Right => self.go(Move::Right),
            Reach::Up => self.go(Move::Up),
            Reach::Down => self.go(Move::Down),
            Reach::LineStart => self.go_to_edge(true),
            Reach::LineEnd => self.go_to_edge(false),
            Reach::All => self.select_all(),
        }
        if !matches!(to, Reach::Up | Reach::Down) {
            self.wish = None;
        }
    }

    /// Cuts the selection, or else a range of the text, for a later paste.
    fn take(&mut self, range: Option<Range<usize>>) {
        if let Some(range) = self.area.picked().or(range) {
            self.area.cut(range);
        }
    }

    /// The text that was cut last.
    pub fn taken(&self) -> String {
        self.area.taken()
    }

    /// The selection, or the whole text.
    pub fn selected(&self) -> String {
        let text = self.text();
        let picked = self.area.picked().and_then(|picked| text.get(picked));
        picked.map_or_else(|| text.clone(), str::to_owned)
    }

    /// The range of bytes that an insertion replaces.
    pub fn place(&self) -> Range<usize> {
        self.area.place()
    }

    /// Searches from the cursor. The search ignores case unless it contains a capital letter. False
    /// without a match.
    pub fn find(&mut self, words: &str) -> bool {
        let mut pattern = regex::escape(words);
        if !words.chars().any(char::is_uppercase) {
            pattern.insert_str(0, "(?i)");
        }
        // One that is too large matches nothing.
        self.area
            .set_pattern(if words.is_empty() { "" } else { &pattern });
        self.wish = None;
        self.area.seek(true)
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> usize {
        self.area.len()
    }

    /// The byte position of the cursor.
    pub fn offset(&self) -> usize {
        self.area.cursor()
    }

    /// Replaces a range of bytes, as one change. False if the range is invalid, or if the text would
    /// be `too_much`.
    pub fn splice(&mut self, bytes: Range<usize>, text: &str) -> bool {
        self.wish = None;
        let mut whole = self.text();
        if whole.get(bytes.clone()).is_none() {
            return false;
        }
        whole.replace_range(bytes.clone(), text);
        let fits = too_much(&whole).is_none();
        if fits {
            self.area.put(bytes, text);
        }
        fits
    }

    /// Moves the cursor to a line and character, counted from 0, or to the end of a shorter line.
    /// False if there is no such line.
    pub fn jump(&mut self, row: usize, column: usize) -> bool {
        let text = self.text();
        let Some(start) = self.start_of(&text, row) else {
            return false;
        };
        let line = text.get(self.line_at(&text, start)).unwrap_or_default();
        let inside = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        self.wish = None;
        self.area.deselect();
        self.area.go(start + inside);
        true
    }

    /// Resets the scroll position after a resize, as far as the cursor allows.
    pub fn resized(&mut self) {
        let mut view = self.view.get();
        (view.top, view.left) = ((0, 0), 0);
        self.view.set(view);
    }

    /// The line of a byte position, from 0.
    fn line_no(&self, text: &str, at: usize) -> usize {
        if self.single {
            return 0;
        }
        lines_of(text.get(..at).unwrap_or_default()) - 1
    }

    /// The cursor as line and column from 1. A column is a character of the text, not of its shown
    /// form.
    pub fn cursor(&self) -> (usize, usize) {
        let (text, at) = (self.text(), self.area.cursor());
        let before = text.get(self.line_at(&text, at).start..at).unwrap_or_default();
        (self.line_no(&text, at) + 1, before.chars().count() + 1)
    }
}
