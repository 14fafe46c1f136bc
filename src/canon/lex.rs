//! Reads JSON text token by token, without recursion and without losing anything.
//!
//! Must not know: what the tokens are used for.
//!
//! Strict (RFC 8259).

use std::borrow::Cow;

/// Maximum nesting of arrays and objects, the same as that of the JSON reader.
pub const MAX_DEPTH: usize = 127;

/// A token of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{` or `[`.
    Open { object: bool },
    /// `}` or `]`.
    Close,
    /// The name of a member.
    Key(Text<'a>),
    /// A string.
    String(Text<'a>),
    /// A number, as written.
    Number(&'a str),
    /// `true`, `false` or `null`.
    Word(&'a str),
}

/// A string as written, without its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text<'a> {
    raw: &'a str,
    escaped: bool,
    /// True if it contains half a surrogate pair.
    pub(super) lone: bool,
}

impl<'a> Text<'a> {
    /// Decodes the string; half a surrogate pair becomes U+FFFD.
    pub(super) fn decode(self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut out = String::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some(stop) = rest.find('\\') {
            let (plain, tail) = rest.split_at(stop);
            out.push_str(plain);
            let (c, used) = unescape(tail.as_bytes());
            out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = tail.get(used..).unwrap_or_default();
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Something else was expected.
    Syntax(&'static str),
    /// The text is nested too deeply.
    TooDeep,
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrClose,
    KeyOrClose,
    Key,
    CommaOrClose,
    End,
}

/// Reads a JSON text.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Offset of the next token.
    at: usize,
    /// The open containers, outermost first; true for an object.
    stack: Vec<bool>,
    expect: Expect,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            stack: Vec::new(),
            expect: Expect::Value,
        }
    }

    /// Returns the next token and its offset, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, (usize, Stop)> {
        loop {
            self.skip_blanks();
            let at = self.at;
            let Some(byte) = self.peek() else {
                return match self.expect {
                    Expect::End => Ok(None),
                    _ => Err((at, Stop::Syntax("the text ends too early"))),
                };
            };
            let token = match (self.expect, byte) {
                (Expect::End, _) => Err(Stop::Syntax("something follows the value")),
                (Expect::CommaOrClose, b',') => {
                    self.at += 1;
                    self.expect = match self.stack.last() {
                        Some(true) => Expect::Key,
                        _ => Expect::Value,
                    };
                    continue;
                }
                (Expect::CommaOrClose | Expect::KeyOrClose, b'}') if self.stack.last() == Some(&true) => {
                    Ok(self.close())
                }
                (Expect::CommaOrClose | Expect::ValueOrClose, b']') if self.stack.last() == Some(&false) => {
                    Ok(self.close())
                }
                (Expect::CommaOrClose, _) => Err(Stop::Syntax("a comma or a closing bracket is missing")),
                (Expect::Key | Expect::KeyOrClose, b'"') => self.key(),
                (Expect::Key | Expect::KeyOrClose, _) => {
                    Err(Stop::Syntax("a member name in double quotes is missing"))
                }
                (Expect::Value | Expect::ValueOrClose, _) => self.value(byte),
            };
            return token
                .map(|token| Some((at, token)))
                .map_err(|stop| (self.at, stop));
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn close(&mut self) -> Token<'a> {
        self.at += 1;
        self.stack.pop();
        self.after_value();
        Token::Close
    }

    fn after_value(&mut self) {
        self.expect = if self.stack.is_empty() {
            Expect::End
        } else {
            Expect::CommaOrClose
        };
    }

    fn key(&mut self) -> Result<Token<'a>, Stop> {
        let key = self.string()?;
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(Stop::Syntax("a colon is missing after a member name"));
        }
        self.at += 1;
        self.expect = Expect::Value;
        Ok(Token::Key(key))
    }

    fn value(&mut self, byte: u8) -> Result<Token<'a>, Stop> {
        let token = match byte {
            b'{' | b'[' => {
                if self.stack.len() >= MAX_DEPTH {
                    return Err(Stop::TooDeep);
                }
                let object = byte == b'{';
                self.stack.push(object);
                self.at += 1;
                self.expect = if object {
                    Expect::KeyOrClose
                } else {
                    Expect::ValueOrClose
                };
                return Ok(Token::Open { object });
            }
            b'"' => Token::String(self.string()?),
            b'-' | b'0'..=b'9' => Token::Number(self.number()?),
            _ => Token::Word(self.literal()?),
        };
        self.after_value();
        Ok(token)
    }

    fn literal(&mut self) -> Result<&'a str, Stop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let word = ["true", "false", "null"]
            .into_iter()
            .find(|word| rest.starts_with(word))
            .ok_or(Stop::Syntax("a value is missing"))?;
        self.at += word.len();
        Ok(word)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<&'a str, Stop> {
        let start = self.at;
        let bad = Stop::Syntax("this is not a number as JSON writes it");
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let count = self.digits();
        if count == 0 || (zero && count > 1) {
            return Err(bad);
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(bad);
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(bad);
            }
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn string(&mut self) -> Result<Text<'a>, Stop> {
        self.at += 1;
        let start = self.at;
        let (mut escaped, mut lone) = (false, false);
        loop {
            match self.peek() {
                None => return Err(Stop::Syntax("a string has no closing quote")),
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
                    let (c, used) = unescape(rest);
                    if used == 0 {
                        return Err(Stop::Syntax(
                            "a backslash is not followed by an escape that JSON knows",
                        ));
                    }
                    lone |= c.is_none();
                    self.at += used;
                }
                Some(..0x20) => return Err(Stop::Syntax("a control character in a string is not escaped")),
                Some(_) => self.at += 1,
            }
        }
        let raw = self.text.get(start..self.at).unwrap_or_default();
        self.at += 1;
        Ok(Text { raw, escaped, lone })
    }
}

/// Decodes the escape at the start of `bytes` to a character (`None` for half a surrogate pair) and its
/// length, which is 0 if there is no escape.
fn unescape(bytes: &[u8]) -> (Option<char>, usize) {
    let simple = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let Some(first) = unit(bytes, 0) else {
                return (None, 0);
            };
            if let Some(c) = char::from_u32(first) {
                return (Some(c), 6);
            }
            let pair = unit(bytes, 6).filter(|second| first < 0xDC00 && (0xDC00..0xE000).contains(second));
            return match pair {
                Some(second) => {
                    let c = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    (char::from_u32(c), 12)
                }
                None => (None, 6),
            };
        }
        _ => return (None, 0),
    };
    (Some(simple), 2)
}

/// Returns the number in `\uXXXX` at an offset.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}
