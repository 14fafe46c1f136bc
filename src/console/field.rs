//! A text field: the only file that knows the editor widget.
//!
//! Holds the visible form of a text, so that nothing invisible hides in it and nothing raw reaches
//! the terminal; what is read out is the text that the visible form stands for, and an unchanged
//! field gives back the original bytes. Must not know: what the text is for.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui_textarea::{CursorMove, Input, Key as AreaKey, TextArea, WrapMode};

use super::commands::{Move, TextVerb};
use super::key::{Code, Key};
use crate::text;

/// Longest text for the built-in editor; more goes to `$EDITOR`.
pub const LIMIT: usize = 256 * 1024;

/// A text that is being typed.
#[derive(Debug, Clone)]
pub struct Field {
    area: TextArea<'static>,
    original: String,
    opened: Vec<String>,
    single: bool,
}

impl Field {
    /// A field of several lines.
    pub fn lines(original: &str) -> Self {
        Self::new(original, false)
    }

    /// A field of one line.
    pub fn line(original: &str) -> Self {
        Self::new(original, true)
    }

    fn new(original: &str, single: bool) -> Self {
        let opened = if single {
            vec![text::visible(original)]
        } else {
            text::visible_lines(original)
        };
        let mut area = TextArea::new(opened.clone());
        area.set_cursor_line_style(Style::default());
        area.set_cursor_style(Style::default().add_modifier(Modifier::REVERSED));
        area.set_max_histories(500);
        if single {
            area.move_cursor(CursorMove::End);
        } else {
            area.set_wrap_mode(WrapMode::WordOrGlyph);
        }
        Self {
            area,
            original: original.to_owned(),
            opened,
            single,
        }
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
        text::parse_lines(self.area.lines()).map_err(|error| error.to_string())
    }

    /// The text as it stands in the field, marks included.
    pub fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    /// True where the field holds nothing.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Puts another text in its place; what was there can be taken back to.
    pub fn replace(&mut self, text: &str) {
        self.area.clear();
        self.area.insert_str(text::visible_lines(text).join("\n"));
    }

    /// Types a key that is no command. Gives true where the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        let Some(area_key) = area_key(key, self.single) else {
            return false;
        };
        self.area.input_without_shortcuts(Input {
            key: area_key,
            ctrl: false,
            alt: false,
            shift: key.shift,
        })
    }

    /// Takes in a paste, in the visible form.
    pub fn paste(&mut self, pasted: &str) {
        let shown = if self.single {
            text::visible(pasted.trim_end_matches(['\n', '\r']))
        } else {
            text::visible_lines(&pasted.replace("\r\n", "\n").replace('\r', "\n")).join("\n")
        };
        self.area.insert_str(shown);
    }

    /// Moves the cursor.
    pub fn step(&mut self, to: Move) {
        match to {
            Move::Up => self.area.move_cursor(CursorMove::Up),
            Move::Down => self.area.move_cursor(CursorMove::Down),
            Move::Left => self.area.move_cursor(CursorMove::Back),
            Move::Right => self.area.move_cursor(CursorMove::Forward),
            Move::PageUp | Move::HalfUp => self.area.scroll((-10, 0)),
            Move::PageDown | Move::HalfDown => self.area.scroll((10, 0)),
            Move::Top => self.area.move_cursor(CursorMove::Top),
            Move::Bottom => self.area.move_cursor(CursorMove::Bottom),
        }
    }

    /// Carries out an editing command.
    pub fn edit(&mut self, verb: TextVerb) {
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
            TextVerb::EraseEnd => drop(self.area.delete_line_by_end()),
            TextVerb::Commit | TextVerb::Cancel | TextVerb::External | TextVerb::Form => {}
        }
    }

    /// The cursor, as line and column from 1.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0 + 1, at.1 + 1)
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, style: Style) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        frame.buffer_mut().set_style(area, style);
        frame.render_widget(&self.area, area);
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_not_touched_keeps_its_bytes() {
        let text = "a\r\nb\u{202e}c   d \n";
        let mut field = Field::lines(text);
        field.key(Key::char('x'));
        assert!(!field.is_unchanged());
        field.edit(TextVerb::Undo);
        assert_eq!(field.text().unwrap(), text);
    }

    #[test]
    fn what_is_invisible_survives_an_edit() {
        let mut field = Field::lines("b\u{202e}c\r\n");
        field.key(Key::char('x'));
        assert_eq!(field.text().unwrap(), "xb\u{202e}c\r\n");
        assert!(field.shown().contains("⟨U+202E⟩"));
    }

    #[test]
    fn a_paste_shows_what_it_hides() {
        let mut field = Field::line("");
        field.paste("rm\u{200b} -rf\u{1b}[2J\n");
        assert_eq!(field.shown(), "rm⟨U+200B⟩ -rf⟨U+001B⟩[2J");
        assert_eq!(field.text().unwrap(), "rm\u{200b} -rf\u{1b}[2J");
    }

    #[test]
    fn a_broken_mark_is_an_error_not_a_guess() {
        let mut field = Field::lines("");
        for c in "⟨nothing⟩".chars() {
            field.key(Key::char(c));
        }
        assert!(field.text().is_err());
    }

    #[test]
    fn control_keys_type_nothing() {
        let mut field = Field::lines("");
        assert!(!field.key("ctrl-x".parse().unwrap()));
        assert!(!field.key("alt-x".parse().unwrap()));
        assert!(field.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in any::<String>()) {
            let mut field = Field::lines(&text);
            prop_assert_eq!(field.text().unwrap(), text.clone());
            field.key(Key::char('x'));
            prop_assert_eq!(field.text().unwrap(), format!("x{text}"));
        }
    }
}
