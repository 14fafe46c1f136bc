//! Reads the visible form back. Must not know: who typed it.
//!
//! Takes every output of the visible form and, beyond that, what a person may type in an editor:
//! plain blanks, tabs and line breaks stand for themselves.

use super::error::Error;
use super::visible::visible;

/// Longest text that counted blanks may blow a small input up to.
const LIMIT: usize = 1 << 30;

/// Characters of an unknown mark that a message repeats.
const SHOWN: usize = 24;

/// The text that a visible form stands for.
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

/// The bytes that a visible form stands for.
pub fn parse_visible_bytes(shown: &str) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(shown.len());
    read(shown, |token| {
        match token {
            Token::Plain(text) => out.extend_from_slice(text.as_bytes()),
            Token::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Token::Blanks { at, count } => {
                bound(out.len(), count, at)?;
                out.extend(std::iter::repeat_n(b' ', count));
            }
            Token::Byte { byte, .. } => out.push(byte),
        }
        Ok(())
    })?;
    Ok(out)
}

/// The text that visible lines stand for.
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

fn read<'a>(shown: &'a str, mut take: impl FnMut(Token<'a>) -> Result<(), Error>) -> Result<(), Error> {
    let mut at = 0;
    let mut rest = shown;
    while let Some(open) = rest.find(['⟨', '⟩']) {
        let (plain, tail) = rest.split_at(open);
        if !plain.is_empty() {
            take(Token::Plain(plain))?;
        }
        at += open;
        let inner = tail.strip_prefix('⟨').ok_or(Error::Bracket { at })?;
        // An opening bracket inside means that this one was never closed: looked for in the same
        // pass, so that many unclosed ones cost no more than their length.
        let close = inner.find(['⟨', '⟩']).ok_or(Error::Bracket { at })?;
        let (word, after) = inner.split_at(close);
        let after = after.strip_prefix('⟩').ok_or(Error::Bracket { at })?;
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
        mark: visible(&word.chars().take(SHOWN).collect::<String>()),
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
