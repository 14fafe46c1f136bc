//! Converts the visible form back to the text.
//!
//! Must not know: who wrote it.
//!
//! This shows that no two texts look the same. Nothing that is typed is read like this. It accepts
//! every output of the visible form and, in addition, plain blanks, tabs and line breaks, which
//! represent themselves. The visible form has no mark of a byte, but results of tools do: that is
//! refused, because it represents no text.

use super::error::Error;
use super::screen::in_ascii;

/// Maximum length in bytes to which counted blanks may expand a small input.
const LIMIT: usize = 1 << 30;

/// Maximum number of characters of an unknown mark in a message.
const SHOWN: usize = 24;

/// Parses a visible form to the text that it stands for.
pub fn parse_visible(shown: &str) -> Result<String, Error> {
    let mut out = String::with_capacity(shown.len());
    read(shown, |token| {
        match token {
            Token::Plain(text) => out.push_str(text),
            Token::Char(c) => out.push(c),
            Token::Blanks { at, count } => {
                bound(out.len(), count, at)?;
                out.extend(std::iter::repeat_n(' ', count));
            }
            Token::Byte { at, byte } => return Err(Error::Byte { at, byte }),
        }
        Ok(())
    })?;
    Ok(out)
}

/// Parses visible lines to the text that they stand for.
pub fn parse_lines<S: AsRef<str>>(lines: &[S]) -> Result<String, Error> {
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&parse_visible(line.as_ref())?);
    }
    Ok(out)
}

fn bound(have: usize, more: usize, at: usize) -> Result<(), Error> {
    if have.saturating_add(more) > LIMIT {
        return Err(Error::TooLong { at, limit: LIMIT });
    }
    Ok(())
}

enum Token<'a> {
    Plain(&'a str),
    Char(char),
    Blanks { at: usize, count: usize },
    Byte { at: usize, byte: u8 },
}

/// Returns true if the text after a `<` reads as the rest of a mark, or would if it continued.
pub(super) fn may_be_mark(rest: &str) -> bool {
    match rest.find(['<', '>']) {
        Some(end) => rest.get(end..).is_some_and(|rest| rest.starts_with('>')) && is_mark(rest.get(..end)),
        None => begins_mark(rest),
    }
}

fn is_mark(word: Option<&str>) -> bool {
    word.is_some_and(|word| mark(word, 0).is_ok())
}

/// Returns true if a mark can begin like this.
fn begins_mark(word: &str) -> bool {
    let hexadecimal = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let blanks = word.trim_start_matches(|c: char| c.is_ascii_digit());
    ["TAB", "LF", "CR", "U+", "0x"]
        .iter()
        .any(|whole| whole.starts_with(word))
        || ["U+", "0x"]
            .iter()
            .any(|head| word.strip_prefix(head).is_some_and(hexadecimal))
        || (blanks.len() < word.len() && " spaces".starts_with(blanks))
}

/// Parses the ASCII form, in which everything that is not a mark stands for itself.
fn read_ascii<'a>(shown: &'a str, mut take: impl FnMut(Token<'a>) -> Result<(), Error>) -> Result<(), Error> {
    let (mut plain, mut at) = (0, 0);
    while let Some(open) = shown.get(at..).and_then(|rest| rest.find('<')) {
        let open = at + open;
        let rest = shown.get(open + 1..).unwrap_or_default();
        let word = rest.find(['<', '>']).and_then(|end| {
            let closes = rest.get(end..).is_some_and(|rest| rest.starts_with('>'));
            rest.get(..end).filter(|_| closes)
        });
        match word.filter(|word| is_mark(Some(*word))) {
            Some(word) => {
                if let Some(text) = shown.get(plain..open).filter(|text| !text.is_empty()) {
                    take(Token::Plain(text))?;
                }
                take(mark(word, open)?)?;
                at = open + word.len() + 2;
                plain = at;
            }
            None => at = open + 1,
        }
    }
    match shown.get(plain..).filter(|text| !text.is_empty()) {
        Some(text) => take(Token::Plain(text)),
        None => Ok(()),
    }
}

fn read<'a>(shown: &'a str, mut take: impl FnMut(Token<'a>) -> Result<(), Error>) -> Result<(), Error> {
    if in_ascii() {
        return read_ascii(shown, take);
    }
    let mut at = 0;
    let mut rest = shown;
    while let Some(open) = rest.find(['⟨', '⟩']) {
        let (plain, tail) = rest.split_at(open);
        if !plain.is_empty() {
            take(Token::Plain(plain))?;
        }
        at += open;
        let closes = Error::Bracket { at, bracket: '⟩' };
        let inner = tail.strip_prefix('⟨').ok_or(closes)?;
        // An opening bracket inside means that this one was never closed. It is found in the same pass, so
        // that many unclosed brackets cost no more than their length.
        let opens = || Error::Bracket { at, bracket: '⟨' };
        let close = inner.find(['⟨', '⟩']).ok_or_else(opens)?;
        let (word, after) = inner.split_at(close);
        let after = after.strip_prefix('⟩').ok_or_else(opens)?;
        take(mark(word, at)?)?;
        at += tail.len() - after.len();
        rest = after;
    }
    if !rest.is_empty() {
        take(Token::Plain(rest))?;
    }
    Ok(())
}

fn mark<'a>(word: &str, at: usize) -> Result<Token<'a>, Error> {
    let unknown = || Error::UnknownMark {
        at,
        mark: word.chars().take(SHOWN).collect(),
    };
    match word {
        "TAB" => return Ok(Token::Char('\t')),
        "LF" => return Ok(Token::Char('\n')),
        "CR" => return Ok(Token::Char('\r')),
        _ => {}
    }
    if let Some(digits) = word.strip_prefix("U+") {
        let c = hex(digits, 4, 6).and_then(char::from_u32).ok_or_else(unknown)?;
        return Ok(Token::Char(c));
    }
    if let Some(digits) = word.strip_prefix("0x") {
        let byte = hex(digits, 2, 2).and_then(|n| u8::try_from(n).ok());
        let byte = byte.ok_or_else(unknown)?;
        return Ok(Token::Byte { at, byte });
    }
    let digits = word
        .strip_suffix(" spaces")
        .or_else(|| word.strip_suffix(" space"));
    let digits = digits
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
        .ok_or_else(unknown)?;
    let count = digits.parse().map_err(|_| unknown())?;
    Ok(Token::Blanks { at, count })
}

fn hex(digits: &str, least: usize, most: usize) -> Option<u32> {
    let fits = (least..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    fits.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}
