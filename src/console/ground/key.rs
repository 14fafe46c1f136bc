//! Keys as the keymap names them (`a`, `A`, `ctrl-p`, `shift-tab`, `pgdn`).
//!
//! Must not know: commands, contexts.
//!
//! Independent of the terminal library, so that a binding can be parsed, printed and tested without
//! one.

use std::fmt;
use std::str::FromStr;

/// Which key, without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A character as typed: a capital letter is its own character, not shift and a letter.
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Esc,
    /// Tab; with shift it is `shift-tab`.
    Tab,
    /// Erase to the left.
    Backspace,
    /// Erase to the right.
    Delete,
    /// Arrow.
    Up,
    /// Arrow.
    Down,
    /// Arrow.
    Left,
    /// Arrow.
    Right,
    /// First place.
    Home,
    /// Last place.
    End,
    /// One screen up.
    PageUp,
    /// One screen down.
    PageDown,
    /// A function key.
    F(u8),
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Which.
    pub code: Code,
    /// With control.
    pub ctrl: bool,
    /// With alt.
    pub alt: bool,
    /// With shift; only if the key is not a character.
    pub shift: bool,
}

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// A character without modifiers.
    pub const fn char(c: char) -> Self {
        Self::plain(Code::Char(c))
    }

    /// The character that this key types into a text, if any.
    pub const fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

/// An invalid key name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// An unknown name.
    #[error(
        "`{0}` is not a key: write a character, or esc, enter, tab, space, up, pgdn, f1, … with ctrl-, alt- or shift- before it"
    )]
    Unknown(String),
    /// Terminals send another key instead.
    #[error("a terminal sends `{0}` and `{1}` alike: write `{1}`, or choose another key")]
    Indistinguishable(String, &'static str),
}

/// Characters that terminals send as another key together with control.
const CTRL_ALIASES: [(char, &str); 3] = [('i', "tab"), ('m', "enter"), ('[', "esc")];

const NAMED: [(&str, Code); 18] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("space", Code::Char(' ')),
    ("minus", Code::Char('-')),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("return", Code::Enter),
    ("escape", Code::Esc),
    ("del", Code::Delete),
];

impl FromStr for Key {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BadKey::Unknown(text.chars().take(40).collect());
        let mut key = Self::plain(Code::Esc);
        let mut rest = text;
        loop {
            if let Some(tail) = rest.strip_prefix("ctrl-") {
                (key.ctrl, rest) = (true, tail);
            } else if let Some(tail) = rest.strip_prefix("alt-") {
                (key.alt, rest) = (true, tail);
            } else if let Some(tail) = rest.strip_prefix("shift-") {
                (key.shift, rest) = (true, tail);
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        key.code = match (chars.next(), chars.next()) {
            (Some(c), None) if !c.is_control() => Code::Char(c),
            (Some(_), Some(_)) => named(rest).ok_or_else(bad)?,
            _ => return Err(bad()),
        };
        if key.shift && matches!(key.code, Code::Char(_)) {
            return Err(bad());
        }
        let similar = CTRL_ALIASES
            .iter()
            .find(|(c, _)| key.ctrl && key.code == Code::Char(*c));
        match similar {
            Some((_, other)) => Err(BadKey::Indistinguishable(key.to_string(), other)),
            None => Ok(key),
        }
    }
}

fn named(word: &str) -> Option<Code> {
    if let Some((_, code)) = NAMED.iter().find(|(name, _)| *name == word) {
        return Some(*code);
    }
    let number: u8 = word.strip_prefix('f')?.parse().ok()?;
    (1..=12).contains(&number).then_some(Code::F(number))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (on, name) in [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (self.shift, "shift-")] {
            if on {
                f.write_str(name)?;
            }
        }
        match self.code {
            Code::F(number) => write!(f, "f{number}"),
            code => match (NAMED.iter().find(|(_, known)| *known == code), code) {
                (Some((name, _)), _) => f.write_str(name),
                (None, Code::Char(c)) => write!(f, "{c}"),
                (None, _) => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_parses_to_the_key_that_prints_it() {
        for name in [
            "a",
            "A",
            "ctrl-p",
            "shift-tab",
            "pgdn",
            "f12",
            "alt-enter",
            "space",
            "?",
            "minus",
            "/",
            "ctrl-c",
        ] {
            let key: Key = name.parse().unwrap();
            assert_eq!(key.to_string(), name);
        }
    }

    #[test]
    fn words_that_are_no_keys_are_refused() {
        for name in ["", "ctrl-", "f0", "f13", "shift-a", "hyper-x", "\u{1b}", "aa"] {
            assert!(name.parse::<Key>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn keys_a_terminal_cannot_distinguish_are_refused_with_their_other_name() {
        for (name, other) in [("ctrl-i", "tab"), ("ctrl-m", "enter"), ("alt-ctrl-[", "esc")] {
            let why = name.parse::<Key>().unwrap_err().to_string();
            assert!(why.contains(&format!("write `{other}`")), "{why}");
        }
        assert!("ctrl-j".parse::<Key>().is_ok() && "alt-i".parse::<Key>().is_ok());
    }
}
