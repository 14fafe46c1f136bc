//! A text field: the only place that knows the editor widget.
//!
//! Holds the visible form of a text, so that nothing invisible hides in it and nothing raw reaches
//! the terminal; what is read out is the text that the visible form stands for, and an unchanged
//! field gives back the original bytes. Must not know: what the text is for.

mod draw;
#[cfg(test)]
mod tests;

use ratatui::style::{Modifier, Style};
use ratatui_textarea::{CursorMove, DataCursor, Input, Key as AreaKey, TextArea, WrapMode};

use super::commands::{Move, Reach, TextVerb};
use super::key::{Code, Key};
use crate::text;

/// Longest text for the built-in editor; more goes to `$EDITOR`.
pub const LIMIT: usize = 256 * 1024;

/// Most lines for the built-in editor: the widget counts the rows of the screen in 16 bits, and a line can be broken
/// into several of them.
pub const LINES: usize = 30_000;

/// Why a text is none for the built-in editor; none where it is.
pub fn too_much(text: &str) -> Option<String> {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let (count, what, most) = match text.len() {
        bytes if bytes > LIMIT => (bytes, "bytes", LIMIT),
        _ if lines > LINES => (lines, "lines", LINES),
        _ => return None,
    };
    Some(format!("{count} {what} are too many to type in (at most {most})"))
}

/// A text that is being typed.
#[derive(Debug, Clone)]
pub struct Field {
    area: TextArea<'static>,
    original: String,
    opened: Vec<String>,
    single: bool,
    /// Bytes, as they are shown, beyond which nothing more is typed.
    most: usize,
}

/// A text that cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// Line and character, from 0.
    pub place: (usize, usize),
    /// What is wrong there. Not made visible.
    pub why: String,
}

impl Misread {
    /// With its place, counted as the cursor is.
    pub fn words(&self) -> String {
        let (line, column) = (self.place.0 + 1, self.place.1 + 1);
        format!("line {line}, column {column}: {}", self.why)
    }
}

/// The text that lines in the visible form stand for.
pub fn read<S: AsRef<str>>(lines: &[S]) -> Result<String, Misread> {
    text::parse_lines(lines).map_err(|_| {
        let wrong = lines.iter().enumerate().find_map(|(row, line)| {
            let line = line.as_ref();
            let error = text::parse_visible(line).err()?;
            let column = line.get(..error.at()).map_or(0, |before| before.chars().count());
            Some(((row, column), error.to_string()))
        });
        let (place, why) = wrong.unwrap_or_default();
        Misread { place, why }
    })
}

impl Field {
    /// A field of several lines.
    pub fn lines(original: &str) -> Self {
        Self::new(original, false, LIMIT)
    }

    /// A field of one line that takes so many bytes.
    pub fn line(original: &str, most: usize) -> Self {
        Self::new(original, true, most)
    }

    fn new(original: &str, single: bool, most: usize) -> Self {
        let opened = if single {
            vec![text::visible(original)]
        } else {
            text::visible_lines(original)
        };
        let mut area = widget(opened.clone());
        area.set_max_histories(500);
        if single {
            area.move_cursor(CursorMove::End);
        } else {
            area.set_wrap_mode(WrapMode::WordOrGlyph);
        }
        let mut field = Self {
            area,
            original: original.to_owned(),
            opened,
            single,
            most,
        };
        field.make_room();
        field
    }

    /// What stands there already is no reason to take nothing more.
    fn make_room(&mut self) {
        self.most = self.most.max(2 * self.len());
    }

    /// Selects all of it: what is typed takes its place, a move of the cursor keeps it.
    pub fn select_all(&mut self) {
        if self.is_empty() {
            return;
        }
        // The widget's own way ends at the 65,535th line and character.
        self.area.cancel_selection();
        self.area.move_cursor(CursorMove::Jump(0, 0));
        self.area.start_selection();
        self.to_end();
    }

    /// Puts the cursor behind the last character.
    pub fn to_end(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// True where nothing was typed, or all of it was taken back.
    pub fn is_unchanged(&self) -> bool {
        self.area.lines() == self.opened
    }

    /// The text: the original bytes where nothing changed.
    pub fn text(&self) -> Result<String, String> {
        if self.is_unchanged() {
            return Ok(self.original.clone());
        }
        read(self.area.lines()).map_err(|misread| misread.words())
    }

    /// Why the text cannot be read back, where it cannot.
    pub fn misread(&self) -> Option<Misread> {
        read(self.area.lines()).err()
    }

    /// The text as it stands in the field, marks included.
    pub fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Lines of the text.
    pub fn rows(&self) -> usize {
        self.area.lines().len()
    }

    /// True where the field holds nothing.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Puts another text in its place; what was there can be taken back to.
    pub fn replace(&mut self, text: &str) {
        self.area.clear();
        self.area.insert_str(text::visible_lines(text).join("\n"));
        self.make_room();
    }

    /// Types a key that is no command. Gives true where the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        let Some(area_key) = area_key(key, self.single) else {
            return false;
        };
        let is_picked = self.area.selection_range().is_some_and(|(from, to)| from != to);
        if !is_picked && matches!(key.code, Code::Backspace | Code::Delete) {
            // A mark stands for one character, and goes like one.
            let back = key.code == Code::Backspace;
            let chars = self.chars_of_step(back);
            if chars > 1 {
                self.area.start_selection();
                self.walk(back);
            }
        }
        self.area.input_without_shortcuts(Input {
            key: area_key,
            ctrl: false,
            alt: false,
            shift: key.shift,
        })
    }

    /// What a key types into the text, if it types anything.
    pub fn typed(&self, key: Key) -> Option<char> {
        match area_key(key, self.single)? {
            AreaKey::Char(c) => Some(c),
            AreaKey::Enter => Some('\n'),
            _ => None,
        }
    }

    /// Takes in what was typed, as far as there is room for it. Gives the number of characters that there was none for.
    pub fn type_in(&mut self, typed: &str) -> usize {
        let room = self.room();
        let mut lines = LINES.max(self.opened.len()).saturating_sub(self.rows());
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
            self.area.insert_str(taken);
        }
        left.chars().count()
    }

    /// Bytes that there is room for; what is typed takes the place of what is selected.
    fn room(&self) -> usize {
        let picked: usize = self
            .picked()
            .map_or(0, |lines| lines.iter().map(String::len).sum());
        self.most.saturating_sub(self.len() - picked)
    }

    /// Bytes that it takes at most.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Takes in a paste, in the visible form. In one line the break of a line is a blank; what is too long for it is
    /// not taken in at all.
    pub fn paste(&mut self, pasted: &str) -> Result<(), String> {
        if !self.single {
            let lines = text::visible_lines(&pasted.replace("\r\n", "\n").replace('\r', "\n"));
            self.area.insert_str(lines.join("\n"));
            return Ok(());
        }
        let room = self.room();
        let line = pasted.trim_end_matches(['\n', '\r']);
        let shown = (line.len() <= self.most)
            .then(|| text::visible(&line.replace("\r\n", " ").replace(['\n', '\r'], " ")))
            .filter(|shown| shown.len() <= room);
        let Some(shown) = shown else {
            return Err(format!(
                "{} bytes are too many: at most {} go in here, and nothing of the paste was taken",
                line.len(),
                self.most
            ));
        };
        self.area.insert_str(shown);
        Ok(())
    }

    /// Characters of what stands before the cursor, or behind it: those of a whole mark, or one.
    fn chars_of_step(&self, back: bool) -> usize {
        let DataCursor(row, column) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        let (before, after) = line.split_at(at);
        let mark = if back {
            text::mark_at_end(before)
        } else {
            text::mark_at_start(after)
        };
        mark.unwrap_or(1)
    }

    /// Moves over the character, or the whole mark, before the cursor or behind it.
    fn walk(&mut self, back: bool) {
        for _ in 0..self.chars_of_step(back) {
            self.area.move_cursor(if back {
                CursorMove::Back
            } else {
                CursorMove::Forward
            });
        }
    }

    /// Moves the cursor; what was selected is no more.
    pub fn step(&mut self, to: Move) {
        self.area.cancel_selection();
        self.go(to);
    }

    fn go(&mut self, to: Move) {
        match to {
            Move::Up => self.area.move_cursor(CursorMove::Up),
            Move::Down => self.area.move_cursor(CursorMove::Down),
            Move::Left => self.walk(true),
            Move::Right => self.walk(false),
            Move::PageUp | Move::HalfUp => self.area.scroll((-10, 0)),
            Move::PageDown | Move::HalfDown => self.area.scroll((10, 0)),
            Move::Top => self.area.move_cursor(CursorMove::Top),
            Move::Bottom => self.area.move_cursor(CursorMove::Bottom),
        }
    }

    /// Carries out an editing command.
    pub fn edit(&mut self, verb: TextVerb) {
        match verb {
            TextVerb::Select(to) => {
                if !self.area.is_selecting() {
                    self.area.start_selection();
                }
                match to {
                    Reach::Left => self.go(Move::Left),
                    Reach::Right => self.go(Move::Right),
                    Reach::Up => self.go(Move::Up),
                    Reach::Down => self.go(Move::Down),
                    Reach::LineStart => self.area.move_cursor(CursorMove::Head),
                    Reach::LineEnd => self.area.move_cursor(CursorMove::End),
                    Reach::All => self.select_all(),
                }
                return;
            }
            TextVerb::Cut => {
                self.area.cut();
                return;
            }
            TextVerb::PutBack => {
                self.area.paste();
                return;
            }
            TextVerb::FindNext | TextVerb::FindBack => {
                self.seek(verb == TextVerb::FindBack);
                return;
            }
            TextVerb::EraseWord | TextVerb::EraseStart | TextVerb::EraseEnd => {}
            _ => self.area.cancel_selection(),
        }
        match verb {
            TextVerb::Undo => drop(self.area.undo()),
            TextVerb::Redo => drop(self.area.redo()),
            TextVerb::WordLeft => self.area.move_cursor(CursorMove::WordBack),
            TextVerb::WordRight => self.area.move_cursor(CursorMove::WordForward),
            TextVerb::LineStart => self.area.move_cursor(CursorMove::Head),
            TextVerb::LineEnd => self.area.move_cursor(CursorMove::End),
            TextVerb::First => self.area.move_cursor(CursorMove::Top),
            TextVerb::Last => self.area.move_cursor(CursorMove::Bottom),
            TextVerb::EraseWord => drop(self.area.delete_word()),
            TextVerb::EraseStart => drop(self.area.delete_line_by_head()),
            TextVerb::EraseEnd => drop(self.area.delete_line_by_end()),
            // Carried out elsewhere, or above.
            _ => {}
        }
    }

    /// The lines of what is selected, as they are shown; none where nothing is.
    fn picked(&self) -> Option<Vec<String>> {
        let ((first, from), (last, to)) = self.area.selection_range().filter(|(a, b)| a != b)?;
        let mut lines: Vec<String> = Vec::new();
        for (row, line) in self.area.lines().iter().enumerate().take(last + 1).skip(first) {
            let skip = if row == first { from } else { 0 };
            let end = if row == last { to } else { usize::MAX };
            lines.push(line.chars().take(end).skip(skip).collect());
        }
        Some(lines)
    }

    /// The selected text as it stands, marks read; all of it where nothing is selected.
    pub fn selected(&self) -> Result<String, String> {
        match self.picked() {
            None => self.text(),
            Some(lines) => read(&lines).map_err(|misread| misread.why),
        }
    }

    /// Looks for words from the cursor on, small and capital letters alike where only small ones are
    /// asked for. False where they are nowhere.
    pub fn find(&mut self, words: &str) -> bool {
        let mut pattern = regex::escape(words);
        if !words.chars().any(char::is_uppercase) {
            pattern.insert_str(0, "(?i)");
        }
        // An escaped text is always a pattern; one that is too large finds nothing.
        if self.area.set_search_pattern(pattern).is_err() {
            return false;
        }
        !words.is_empty() && self.area.search_forward(true)
    }

    fn seek(&mut self, back: bool) {
        self.area.cancel_selection();
        if back {
            self.area.search_back(false);
        } else {
            self.area.search_forward(false);
        }
    }

    /// Bytes of the text as it stands.
    pub fn len(&self) -> usize {
        self.area.lines().iter().map(|line| line.len() + 1).sum::<usize>() - 1
    }

    /// The byte of [`Field::shown`] at which the cursor stands.
    pub fn offset(&self) -> usize {
        let DataCursor(row, column) = self.area.cursor();
        let lines = self.area.lines();
        let before: usize = lines.iter().take(row).map(|line| line.len() + 1).sum();
        let inside = lines
            .get(row)
            .map_or(0, |line| line.chars().take(column).map(char::len_utf8).sum());
        before + inside
    }

    /// Puts other text, in the visible form, in the place of some bytes of [`Field::shown`] that stand
    /// on the line of the cursor; what was there can be taken back to. False where that is not possible.
    pub fn splice(&mut self, bytes: std::ops::Range<usize>, shown: &str) -> bool {
        let DataCursor(row, _) = self.area.cursor();
        let before: usize = self
            .area
            .lines()
            .iter()
            .take(row)
            .map(|line| line.len() + 1)
            .sum();
        let column = |at: usize| -> Option<usize> {
            let line = self.area.lines().get(row)?;
            Some(line.get(..at.checked_sub(before)?)?.chars().count())
        };
        let (Some(from), Some(to)) = (column(bytes.start), column(bytes.end)) else {
            return false;
        };
        self.area.cancel_selection();
        if !self.jump(row, from) {
            return false;
        }
        self.area.delete_str(to.saturating_sub(from));
        self.area.insert_str(shown);
        true
    }

    /// Puts the cursor on a line and character, counted from 0. False where that is too far for it.
    pub fn jump(&mut self, row: usize, column: usize) -> bool {
        let (Ok(row), Ok(column)) = (u16::try_from(row), u16::try_from(column)) else {
            return false;
        };
        self.area.move_cursor(CursorMove::Jump(row, column));
        true
    }

    /// The character of a line, counted from 0, that shows byte `byte` of the line's text.
    pub fn column_of(&self, row: usize, byte: usize) -> usize {
        let line = self.area.lines().get(row);
        line.map_or(0, |line| text::place_in(line, byte))
    }

    /// The screen has another size: what is shown begins at the first row again, as far as the cursor lets it.
    pub fn resized(&mut self) {
        let DataCursor(row, column) = self.area.cursor();
        let top = i16::try_from(self.area.scroll_offset().0).unwrap_or(i16::MAX);
        let reaches = u16::try_from(row).is_ok() && u16::try_from(column).is_ok();
        if top > 0 && !self.single && reaches {
            self.area.scroll((-top, 0));
            self.jump(row, column);
        }
    }

    /// The cursor, as line and column from 1.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0 + 1, at.1 + 1)
    }
}

/// The widget on these lines.
fn widget(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_cursor_line_style(Style::default());
    area.set_cursor_style(Style::default().add_modifier(Modifier::REVERSED));
    area.set_selection_style(Style::default().add_modifier(Modifier::REVERSED));
    area.set_search_style(Style::default().add_modifier(Modifier::UNDERLINED | Modifier::BOLD));
    area
}

fn area_key(key: Key, single: bool) -> Option<AreaKey> {
    Some(match key.code {
        _ if key.ctrl || key.alt => return None,
        Code::Char(c) if c.is_control() => return None,
        Code::Char(c) => AreaKey::Char(c),
        Code::Enter if !single => AreaKey::Enter,
        Code::Tab if !single && !key.shift => AreaKey::Tab,
        Code::Backspace => AreaKey::Backspace,
        Code::Delete => AreaKey::Delete,
        _ => return None,
    })
}
