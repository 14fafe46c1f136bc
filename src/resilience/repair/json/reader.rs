//! Reads a value as JSON or Python spells it, and writes it as JSON.
//!
//! Must not know: what the value is for.
//!
//! What has two readings is not read.

/// Maximum nesting that is followed.
const DEEPEST: usize = 64;

/// What was wrong with a text besides Python spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slips {
    /// Nothing: it has one reading.
    None,
    /// Names without quotes, comments, escapes that are none.
    Some,
    /// Its end is missing.
    Cut,
}

pub(super) struct Reader<'t> {
    rest: &'t str,
    out: String,
    depth: usize,
    slips: Slips,
}

impl<'t> Reader<'t> {
    /// Writes the text as JSON, and returns what was wrong with it.
    pub fn over(text: &'t str) -> Option<(String, Slips)> {
        let mut reader = Self {
            rest: text,
            out: String::with_capacity(text.len() + 16),
            depth: 0,
            slips: Slips::None,
        };
        reader.value()?;
        reader.blanks();
        reader.rest.is_empty().then_some((reader.out, reader.slips))
    }

    fn slipped(&mut self, slips: Slips) {
        self.slips = self.slips.max(slips);
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    fn takes(&mut self, requested: &str) -> bool {
        let rest = self.rest.strip_prefix(requested);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !(self.rest.starts_with("//") || self.rest.starts_with('#')) {
                return;
            }
            self.slipped(Slips::Some);
            self.rest = self.rest.split_once('\n').map_or("", |(_, after)| after);
        }
    }

    fn value(&mut self) -> Option<()> {
        self.blanks();
        match self.peek()? {
            '"' | '\'' => self.string(),
            '{' => self.nested(Self::braces),
            '[' => self.nested(|reader| reader.list(']')),
            '(' => self.nested(Self::tuple),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ => {
                let word = self.bare_word();
                if matches!(word, "u" | "U") && matches!(self.peek(), Some('"' | '\'')) {
                    return self.string();
                }
                self.out.push_str(match word {
                    "true" | "True" => "true",
                    "false" | "False" => "false",
                    "null" | "None" => "null",
                    _ => return None,
                });
                Some(())
            }
        }
    }

    fn nested(&mut self, read: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        self.next()?;
        read(self)?;
        self.depth -= 1;
        Some(())
    }

    /// Moves to the next item of a list; returns false at its end.
    fn more(&mut self, close: char, first: bool) -> Option<bool> {
        self.blanks();
        if !first {
            match self.peek() {
                Some(',') => {
                    self.next();
                    self.blanks();
                }
                Some(found) if found == close => {}
                None => {}
                Some(_) => return None,
            }
        }
        match self.peek() {
            None => {
                self.slipped(Slips::Cut);
                Some(false)
            }
            Some(found) if found == close => {
                self.next();
                Some(false)
            }
            Some(_) => Some(true),
        }
    }

    fn list(&mut self, close: char) -> Option<()> {
        self.out.push('[');
        self.items(close, 0)?;
        self.out.push(']');
        Some(())
    }

    /// Reads the items that follow as many as there were.
    fn items(&mut self, close: char, mut count: usize) -> Option<usize> {
        while self.more(close, count == 0)? {
            if count > 0 {
                self.out.push(',');
            }
            self.value()?;
            count += 1;
        }
        Some(count)
    }

    /// A tuple is a list; a single value in round brackets is that value.
    fn tuple(&mut self) -> Option<()> {
        let (from, text) = (self.out.len(), self.rest);
        self.out.push('[');
        let count = self.items(')', 0)?;
        self.out.push(']');
        let inner = text.get(..text.len() - self.rest.len())?;
        let inner = inner.strip_suffix(')').unwrap_or(inner);
        if count == 1 && !inner.trim_end().ends_with(',') {
            self.out.remove(from);
            self.out.pop();
        }
        Some(())
    }

    /// An object, or a set, which is a list.
    fn braces(&mut self) -> Option<()> {
        let from = self.out.len();
        self.out.push('{');
        let mut count = 0;
        while self.more('}', count == 0)? {
            if count > 0 {
                self.out.push(',');
            }
            let named = self.name()?;
            self.blanks();
            if count == 0 && named && self.peek() != Some(':') && self.peek().is_some() {
                self.out.replace_range(from..=from, "[");
                self.items('}', 1)?;
                self.out.push(']');
                return Some(());
            }
            if !named || self.next()? != ':' {
                return None;
            }
            self.out.push(':');
            self.value()?;
            count += 1;
        }
        self.out.push('}');
        Some(())
    }

    /// Reads the name of a member, with or without quotes.
    fn name(&mut self) -> Option<bool> {
        self.blanks();
        if !self.peek()?.is_alphabetic() && !matches!(self.peek()?, '_' | '$') {
            let quoted = matches!(self.peek()?, '"' | '\'');
            self.value()?;
            self.blanks();
            // A value that is no text can be an item of a set, but no name.
            return Some(quoted || self.peek() != Some(':'));
        }
        let before = self.rest;
        let word = self.bare_word().to_owned();
        self.blanks();
        if self.peek() == Some(':') {
            self.slipped(Slips::Some);
            self.out.push_str(&serde_json::Value::String(word).to_string());
        } else {
            self.rest = before;
            self.value()?;
        }
        Some(true)
    }

    fn bare_word(&mut self) -> &'t str {
        let part = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.'));
        let end = self.rest.find(part).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// A number, also as Python writes it: `+1`, `.5`, `5.`, `1_000`.
    fn number(&mut self) -> Option<()> {
        if self.takes("-") {
            self.out.push('-');
        } else {
            self.takes("+");
        }
        let digits = |reader: &mut Self| {
            let end = reader.rest.find(|c: char| !(c.is_ascii_digit() || c == '_'));
            let (digits, rest) = reader.rest.split_at(end.unwrap_or(reader.rest.len()));
            reader.rest = rest;
            let sound = !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
            sound.then(|| digits.replace('_', ""))
        };
        let whole = digits(self)?;
        let fraction = if self.takes(".") {
            Some(digits(self)?)
        } else {
            None
        };
        let none = whole.is_empty() && fraction.as_ref().is_none_or(String::is_empty);
        if none || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let or_zero = |text: &str| {
            if text.is_empty() {
                "0".to_owned()
            } else {
                text.to_owned()
            }
        };
        self.out.push_str(&or_zero(&whole));
        if let Some(fraction) = fraction {
            self.out.push('.');
            self.out.push_str(&or_zero(&fraction));
        }
        if self.rest.starts_with(['e', 'E']) {
            self.next();
            self.out.push('e');
            if self.takes("-") {
                self.out.push('-');
            } else {
                self.takes("+");
            }
            let exponent = digits(self).filter(|digits| !digits.is_empty())?;
            self.out.push_str(&exponent);
        }
        let ends = self
            .peek()
            .is_none_or(|next| !(next.is_alphanumeric() || matches!(next, '.' | '_')));
        ends.then_some(())
    }

    /// A string in either kind of quotes, single or threefold. An unterminated string has lost more than its quote.
    fn string(&mut self) -> Option<()> {
        let quote = if self.rest.starts_with('"') { "\"" } else { "'" };
        let threefold = quote.repeat(3);
        let quote = if self.rest.starts_with(&threefold) {
            threefold
        } else {
            quote.to_owned()
        };
        self.takes(&quote);
        let mut read = String::new();
        while !self.takes(&quote) {
            match self.next()? {
                '\\' => self.escape(&mut read)?,
                plain => read.push(plain),
            }
        }
        self.out.push_str(&serde_json::Value::String(read).to_string());
        Some(())
    }

    fn escape(&mut self, read: &mut String) -> Option<()> {
        let found = self.next()?;
        let read_as = match found {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '\\' | '"' | '\'' | '/' => found,
            'x' => char::from_u32(self.digits(2)?)?,
            'u' => self.unicode()?,
            'U' => char::from_u32(self.digits(8)?)?,
            // Others are not escapes, or not known to both: the backslash may have been meant.
            _ => {
                self.slipped(Slips::Some);
                read.push('\\');
                found
            }
        };
        read.push(read_as);
        Some(())
    }

    /// Reads four hexadecimal digits, or twice four where two of them make one character.
    fn unicode(&mut self) -> Option<char> {
        let first = self.digits(4)?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.takes("\\u") {
            return None;
        }
        let second = self.digits(4)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + second)
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest.get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = self.rest.get(count..)?;
        u32::from_str_radix(digits, 16).ok()
    }
}
