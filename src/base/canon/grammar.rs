//! Reads the elements of a JSON text by its grammar (RFC 8259), without recursion.
//!
//! Must not know: what the elements are used for.

use std::borrow::Cow;

use super::lex::{Lexer, Token, TokenKind as Kind, first_special};

/// Maximum nesting of arrays and objects, the same as that of the JSON reader.
pub const MAX_DEPTH: usize = 127;

/// An element of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element<'a> {
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
    /// Checks a string. A part of one lacks its end.
    fn of(token: Token<'a>) -> Result<Self, Fault> {
        let raw = match token.inner() {
            Some(inner) => inner,
            None => token.text.get(1..).unwrap_or_default(),
        };
        let (mut escaped, mut lone, mut rest) = (false, false, raw.as_bytes());
        while let Some(stop) = first_special(rest) {
            rest = rest.get(stop..).unwrap_or_default();
            let (c, used) = unescape(rest);
            if used == 0 {
                let what = match rest.first() {
                    Some(b'\\') => "a backslash is not followed by an escape that JSON knows",
                    _ => "a control character in a string is not escaped",
                };
                return Err(syntax(token.at + 1 + raw.len() - rest.len(), what));
            }
            escaped = true;
            lone |= c.is_none();
            rest = rest.get(used..).unwrap_or_default();
        }
        if token.kind == Kind::StringPart {
            return Err(syntax(token.end(), "a string has no closing quote"));
        }
        Ok(Self { raw, escaped, lone })
    }

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

/// Byte offset of a fault, and the fault.
type Fault = (usize, Stop);

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
pub(super) struct Reader<'a> {
    lexer: Lexer<'a>,
    /// The open containers, outermost first; true for an object.
    stack: Vec<bool>,
    expect: Expect,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            lexer: Lexer::new(text),
            stack: Vec::new(),
            expect: Expect::Value,
        }
    }

    /// Returns the next element and its offset, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Element<'a>)>, Fault> {
        loop {
            let Some(token) = self.lexer.next_solid() else {
                return match self.expect {
                    Expect::End => Ok(None),
                    _ => Err(syntax(self.lexer.at(), "the text ends too early")),
                };
            };
            let at = token.at;
            let element = match (self.expect, token.kind) {
                (Expect::End, _) => Err(syntax(at, "something follows the value")),
                (Expect::CommaOrClose, Kind::Punct(b',')) => {
                    self.expect = match self.stack.last() {
                        Some(true) => Expect::Key,
                        _ => Expect::Value,
                    };
                    continue;
                }
                (Expect::CommaOrClose | Expect::KeyOrClose, Kind::Punct(b'}'))
                    if self.stack.last() == Some(&true) =>
                {
                    Ok(self.close())
                }
                (Expect::CommaOrClose | Expect::ValueOrClose, Kind::Punct(b']'))
                    if self.stack.last() == Some(&false) =>
                {
                    Ok(self.close())
                }
                (Expect::CommaOrClose, _) => Err(syntax(at, "a comma or a closing bracket is missing")),
                (Expect::Key | Expect::KeyOrClose, Kind::String | Kind::StringPart) => self.key(token),
                (Expect::Key | Expect::KeyOrClose, _) => {
                    Err(syntax(at, "a member name in double quotes is missing"))
                }
                (Expect::Value | Expect::ValueOrClose, _) => self.value(token),
            };
            return element.map(|element| Some((at, element)));
        }
    }

    fn close(&mut self) -> Element<'a> {
        self.stack.pop();
        self.after_value();
        Element::Close
    }

    fn after_value(&mut self) {
        self.expect = if self.stack.is_empty() {
            Expect::End
        } else {
            Expect::CommaOrClose
        };
    }

    fn key(&mut self, token: Token<'a>) -> Result<Element<'a>, Fault> {
        let key = Text::of(token)?;
        let colon = self.lexer.next_solid();
        if colon.is_none_or(|colon| colon.kind != Kind::Punct(b':')) {
            let at = colon.map_or(self.lexer.at(), |colon| colon.at);
            return Err(syntax(at, "a colon is missing after a member name"));
        }
        self.expect = Expect::Value;
        Ok(Element::Key(key))
    }

    fn value(&mut self, token: Token<'a>) -> Result<Element<'a>, Fault> {
        let element = match token.kind {
            Kind::Punct(open @ (b'{' | b'[')) => {
                if self.stack.len() >= MAX_DEPTH {
                    return Err((token.at, Stop::TooDeep));
                }
                let object = open == b'{';
                self.stack.push(object);
                self.expect = if object {
                    Expect::KeyOrClose
                } else {
                    Expect::ValueOrClose
                };
                return Ok(Element::Open { object });
            }
            Kind::String | Kind::StringPart => Element::String(Text::of(token)?),
            Kind::Number => {
                let len = number_len(token.text)
                    .map_err(|bad| syntax(token.at + bad, "this is not a number as JSON writes it"))?;
                Element::Number(self.take(token, len))
            }
            Kind::Word | Kind::Punct(_) | Kind::Blank => {
                let word = ["true", "false", "null"]
                    .into_iter()
                    .find(|word| token.text.starts_with(word))
                    .ok_or(syntax(token.at, "a value is missing"))?;
                Element::Word(self.take(token, word.len()))
            }
        };
        self.after_value();
        Ok(element)
    }

    /// Takes the beginning of a token; the rest is read next.
    fn take(&mut self, token: Token<'a>, len: usize) -> &'a str {
        self.lexer.seek(token.at + len);
        token.text.get(..len).unwrap_or_default()
    }
}

const fn syntax(at: usize, what: &'static str) -> Fault {
    (at, Stop::Syntax(what))
}

/// Returns the length of the number at the beginning of a word, or the offset of its fault.
pub(super) fn number_len(word: &str) -> Result<usize, usize> {
    let byte = |at: usize| word.as_bytes().get(at).copied();
    let digits = |from: usize| {
        let rest = word.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let whole = usize::from(byte(0) == Some(b'-'));
    let mut end = digits(whole);
    if end == whole || (byte(whole) == Some(b'0') && end > whole + 1) {
        return Err(end);
    }
    if byte(end) == Some(b'.') {
        let fraction = end + 1;
        end = digits(fraction);
        if end == fraction {
            return Err(end);
        }
    }
    if matches!(byte(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + usize::from(matches!(byte(end + 1), Some(b'+' | b'-')));
        end = digits(exponent);
        if end == exponent {
            return Err(end);
        }
    }
    Ok(end)
}

/// Decodes the escape at the start of `bytes` to a character (`None` for half a surrogate pair) and its
/// length, which is 0 if there is no escape.
pub(super) fn unescape(bytes: &[u8]) -> (Option<char>, usize) {
    if bytes.first() != Some(&b'\\') {
        return (None, 0);
    }
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
