//! The meaning of a finished control sequence: a key, a mouse event, a focus event, or nothing.
//!
//! Must not know: where a sequence begins and ends.

use crate::ground::key::{Code, Key};
use crate::ground::term_msg::{Mouse, TermMsg};

/// The key of `ESC O` and a byte.
pub(crate) const fn single(byte: u8) -> Option<Code> {
    Some(match byte {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'P'..=b'S' => Code::F(1 + byte - b'P'),
        _ => return None,
    })
}

/// The background that a control string names: `11;rgb:RRRR/GGGG/BBBB`, each part with one to four digits.
pub(crate) fn background(text: &[u8]) -> Option<[u8; 3]> {
    let text = std::str::from_utf8(text).ok()?;
    let colour = text
        .strip_prefix("11;rgb:")
        .or_else(|| text.strip_prefix("11;rgba:"))?;
    let part = |digits: &str| {
        let most = 16_u32
            .checked_pow(u32::try_from(digits.len()).ok()?)?
            .checked_sub(1)?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        (1..=4)
            .contains(&digits.len())
            .then(|| (value * 255 / most) as u8)
    };
    let mut parts = colour.split('/').map(part);
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// The message of a sequence: the bytes between `ESC [` and its last one.
pub(crate) fn message(bytes: &[u8], last: u8, alt: bool, at: u64) -> Option<TermMsg> {
    let text = std::str::from_utf8(bytes).ok()?;
    match (text, last) {
        ("", b'I') => return Some(TermMsg::Focus(true)),
        ("", b'O') => return Some(TermMsg::Focus(false)),
        _ => {}
    }
    if let Some(text) = text.strip_prefix('<') {
        return mouse(text, last);
    }
    let mut key = key(text, last)?;
    key.alt |= alt;
    Some(TermMsg::Key { key, at })
}

fn key(text: &str, last: u8) -> Option<Key> {
    if text == "[" {
        // The console of Linux.
        return (b'A'..=b'E')
            .contains(&last)
            .then(|| Key::plain(Code::F(1 + last - b'A')));
    }
    let mut parts = text.split(';');
    let first = parts.next().unwrap_or_default();
    let (second, third) = (parts.next(), parts.next());
    match last {
        b'~' if first == "27" => spelled(third?, second),
        b'u' => spelled(first, second),
        _ if third.is_some() => None,
        b'~' => modified(Key::plain(numbered(first.parse().ok()?)?), second),
        b'Z' if text.is_empty() => Some(Key {
            shift: true,
            ..Key::plain(Code::Tab)
        }),
        // With modifiers it is the answer where the cursor is.
        b'R' => None,
        _ if first.is_empty() || first == "1" => modified(Key::plain(single(last)?), second),
        _ => None,
    }
}

const fn numbered(number: u8) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F(number - 10),
        17..=21 => Code::F(number - 11),
        23..=26 => Code::F(number - 12),
        28..=29 => Code::F(number - 13),
        31..=34 => Code::F(number - 14),
        _ => return None,
    })
}

/// A key that a terminal sends as the number of its character.
fn spelled(code: &str, modifiers: Option<&str>) -> Option<Key> {
    let number: u32 = code.split(':').next()?.parse().ok()?;
    let code = match char::from_u32(number)? {
        '\r' => Code::Enter,
        '\u{1b}' => Code::Esc,
        '\t' => Code::Tab,
        '\u{8}' | '\u{7f}' => Code::Backspace,
        // Keys without a character, and what is none.
        '\u{e000}'..='\u{f8ff}' => return None,
        c if c.is_control() => return None,
        c => Code::Char(c),
    };
    let key = modified(Key::plain(code), modifiers)?;
    Some(match key.code {
        Code::Char(c) => Key {
            code: Code::Char(if key.shift { c.to_ascii_uppercase() } else { c }),
            shift: false,
            ..key
        },
        _ => key,
    })
}

/// The key with its modifiers; `None` for a release.
fn modified(key: Key, modifiers: Option<&str>) -> Option<Key> {
    const RELEASED: &str = "3";
    let Some(modifiers) = modifiers else {
        return Some(key);
    };
    let mut parts = modifiers.split(':');
    let mask: u16 = match parts.next().unwrap_or_default() {
        "" => 0,
        number => number.parse::<u16>().ok()?.checked_sub(1)?,
    };
    (parts.next() != Some(RELEASED)).then_some(Key {
        shift: mask & 1 != 0,
        alt: mask & 2 != 0,
        ctrl: mask & 4 != 0,
        ..key
    })
}

fn mouse(text: &str, last: u8) -> Option<TermMsg> {
    const BUTTON: u16 = 0b1100_0011;
    const MOVES: u16 = 0b10_0000;
    let mut parts = text.split(';').map(|part| part.parse::<u16>().ok());
    let (code, x, y) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() {
        return None;
    }
    let mouse = match (code & BUTTON, code & MOVES != 0, last) {
        (0, _, b'm') => Mouse::Release,
        (0, false, b'M') => Mouse::Press,
        (0, true, b'M') => Mouse::Drag,
        (64, false, b'M') => Mouse::WheelUp,
        (65, false, b'M') => Mouse::WheelDown,
        _ => return None,
    };
    Some(TermMsg::Mouse {
        mouse,
        x: x.checked_sub(1)?,
        y: y.checked_sub(1)?,
    })
}
