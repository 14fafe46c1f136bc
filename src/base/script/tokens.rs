//! Cuts a program in JavaScript into names, literal values and signs.
//!
//! Must not know: what they mean together.

use serde_json::Value;

/// A part of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name or a keyword.
    Name(String),
    /// A text, a number, or what stands for a call that was read.
    Value(Value),
    /// Any other character.
    Sign(char),
}

/// Returns the tokens of a program, and true if all of it was understood. A regular expression, a template with a value in
/// it or an escape in a name is not.
pub(super) fn tokens(text: &str) -> (Vec<Token>, bool) {
    let mut cutter = Cutter {
        rest: text,
        is_known: true,
    };
    let mut tokens = Vec::new();
    while let Some(token) = cutter.next() {
        tokens.push(token);
    }
    (tokens, cutter.is_known)
}

struct Cutter<'t> {
    rest: &'t str,
    is_known: bool,
}

const fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

impl Cutter<'_> {
    fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next();
        self.rest = chars.as_str();
        first
    }

    /// Takes characters as long as the test holds.
    fn take_while(&mut self, test: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !test(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            self.rest = self
                .rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            if self.rest.starts_with("//") {
                self.take_while(|c| !is_line_end(c));
            } else if let Some(rest) = self.rest.strip_prefix("/*") {
                let end = rest.find("*/");
                self.is_known &= end.is_some();
                self.rest = end.and_then(|end| rest.get(end + 2..)).unwrap_or_default();
            } else {
                break;
            }
        }
        let first = self.rest.chars().next()?;
        Some(match first {
            '"' | '\'' | '`' => {
                self.bump();
                Token::Value(self.string(first).into())
            }
            c if c.is_alphabetic() || "_$#\\".contains(c) => {
                let is_part = |c: char| c.is_alphanumeric() || "_$#\\{}".contains(c) && c != '{' && c != '}';
                let name = self.take_while(is_part);
                self.is_known &= name.is_ascii() && !name.contains(['\\', '#']);
                Token::Name(name)
            }
            c if c.is_ascii_digit() => {
                let number = self.take_while(|c| c.is_ascii_alphanumeric() || "._".contains(c));
                Token::Value(number.parse::<u64>().map_or(Value::Null, Value::from))
            }
            other => {
                self.bump();
                // It may begin a regular expression, in which signs and quotation marks mean nothing.
                self.is_known &= other != '/';
                Token::Sign(other)
            }
        })
    }

    /// A text after its quotation mark.
    fn string(&mut self, mark: char) -> String {
        let mut text = String::new();
        loop {
            match self.bump() {
                Some(c) if c == mark => return text,
                Some('\\') => self.escape(&mut text),
                Some('$') if mark == '`' && self.rest.starts_with('{') => {
                    // The value in it is not known.
                    self.is_known = false;
                    text.push('$');
                }
                Some(c) if mark != '`' && matches!(c, '\n' | '\r') => {
                    self.is_known = false;
                    return text;
                }
                Some(c) => text.push(c),
                None => {
                    self.is_known = false;
                    return text;
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        match self.bump() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('v') => text.push('\u{b}'),
            Some('x') => self.unit(2, text),
            Some('u') => {
                if let Some(rest) = self.rest.strip_prefix('{') {
                    let (hex, rest) = rest.split_once('}').unwrap_or((rest, ""));
                    self.rest = rest;
                    let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
                    self.is_known &= c.is_some();
                    text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                } else {
                    self.unit(4, text);
                }
            }
            Some('\r') => self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest),
            Some(c) if is_line_end(c) => {}
            Some(c @ '0'..='9') => {
                self.is_known &= c == '0' && !self.rest.starts_with(|c: char| c.is_ascii_digit());
                text.push(if c == '0' { '\0' } else { c });
            }
            Some(c) => text.push(c),
            None => self.is_known = false,
        }
    }

    /// A character in hexadecimal digits; half of a pair takes the other half.
    fn unit(&mut self, digits: usize, text: &mut String) {
        let mut units = vec![self.hex(digits)];
        if matches!(units.first(), Some(Some(0xd800..=0xdbff)))
            && let Some(rest) = self.rest.strip_prefix("\\u")
        {
            self.rest = rest;
            units.push(self.hex(4));
        }
        let known: Option<Vec<u16>> = units.into_iter().collect();
        let decoded = known.and_then(|units| String::from_utf16(&units).ok());
        self.is_known &= decoded.is_some();
        text.push_str(decoded.as_deref().unwrap_or("\u{fffd}"));
    }

    fn hex(&mut self, digits: usize) -> Option<u16> {
        let (hex, rest) = self.rest.split_at_checked(digits)?;
        let unit = u16::from_str_radix(hex, 16)
            .ok()
            .filter(|_| !hex.starts_with('+'))?;
        self.rest = rest;
        Some(unit)
    }
}
