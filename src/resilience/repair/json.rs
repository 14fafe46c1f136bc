//! Strategy: repair text that is almost JSON: a code fence around it, single quotes, unquoted names, surplus
//! commas, unclosed brackets. Must not know: other strategies.
//!
//! It reads as little into the text as it can: what is still not JSON afterwards is left alone.

use crate::domain::repair::Certainty;

/// Maximum length in bytes of a text that is repaired.
const MOST: usize = 256 * 1024;

/// Returns JSON for a text that is not, and how certain it is; `None` if that is impossible.
pub(super) fn mended(text: &str) -> Option<(String, Certainty, &'static str)> {
    if text.len() > MOST || is_json(text) {
        return None;
    }
    if let Some(inner) = fenced(text).filter(|inner| is_json(inner)) {
        return Some((
            inner.to_owned(),
            Certainty::Exact,
            "the JSON inside of the code fence",
        ));
    }
    let inner = fenced(text).unwrap_or(text).trim();
    let (written, cut) = Writer::over(inner)?;
    let (certainty, why) = if cut {
        // More may be missing than brackets.
        (
            Certainty::Changed,
            "what arrived of the JSON, with its brackets closed",
        )
    } else {
        (Certainty::Guess, "the JSON that was meant, without its slips")
    };
    is_json(&written).then_some((written, certainty, why))
}

/// Returns true for JSON without duplicate names or values that parsing would change.
fn is_json(text: &str) -> bool {
    crate::canon::scan(text).is_empty() && serde_json::from_str::<serde_json::Value>(text).is_ok()
}

fn fenced(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (first, rest) = inner.split_once('\n')?;
    first
        .trim()
        .chars()
        .all(char::is_alphanumeric)
        .then_some(rest.trim())
}

struct Writer<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    out: String,
    open: Vec<char>,
}

impl<'t> Writer<'t> {
    /// Rewrites the text as JSON; the flag says that brackets had to be closed at its end.
    fn over(text: &'t str) -> Option<(String, bool)> {
        let mut writer = Self {
            rest: text.chars().peekable(),
            out: String::with_capacity(text.len() + 16),
            open: Vec::new(),
        };
        while let Some(next) = writer.rest.peek().copied() {
            writer.step(next)?;
        }
        writer.drop_comma();
        let cut = !writer.open.is_empty();
        while let Some(open) = writer.open.pop() {
            writer.out.push(if open == '{' { '}' } else { ']' });
        }
        Some((writer.out, cut))
    }

    fn step(&mut self, next: char) -> Option<()> {
        match next {
            '"' | '\'' => self.string(next),
            '{' | '[' => {
                self.open.push(next);
                self.pass()
            }
            '}' | ']' => {
                self.drop_comma();
                let wanted = if next == '}' { '{' } else { '[' };
                (self.open.pop()? == wanted).then_some(())?;
                self.pass()
            }
            '/' => self.comment(),
            _ if next.is_alphabetic() || next == '_' || next == '$' => self.word(),
            _ => self.pass(),
        }
    }

    fn pass(&mut self) -> Option<()> {
        self.out.push(self.rest.next()?);
        Some(())
    }

    /// Drops a trailing comma.
    fn drop_comma(&mut self) {
        let kept = self.out.trim_end();
        if let Some(kept) = kept.strip_suffix(',') {
            self.out.truncate(kept.len());
        }
    }

    fn comment(&mut self) -> Option<()> {
        self.rest.next();
        (self.rest.next()? == '/').then_some(())?;
        for skipped in self.rest.by_ref() {
            if skipped == '\n' {
                break;
            }
        }
        Some(())
    }

    /// Copies a string in either kind of quotes. An unterminated string has lost more than its quote.
    fn string(&mut self, quote: char) -> Option<()> {
        self.rest.next();
        self.out.push('"');
        loop {
            match self.rest.next()? {
                '\\' => match self.rest.next()? {
                    '\'' => self.out.push('\''),
                    escaped => self.out.extend(['\\', escaped]),
                },
                found if found == quote => break,
                '"' => self.out.push_str("\\\""),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                plain => self.out.push(plain),
            }
        }
        self.out.push('"');
        Some(())
    }

    /// Copies a bare word: a name before a colon, or another language's word for one of JSON's.
    fn word(&mut self) -> Option<()> {
        let mut word = String::new();
        while let Some(next) = self.rest.peek().copied() {
            if !(next.is_alphanumeric() || matches!(next, '_' | '$' | '-' | '.')) {
                break;
            }
            word.push(next);
            self.rest.next();
        }
        let mut blanks = String::new();
        while let Some(blank) = self.rest.next_if(|next| next.is_whitespace()) {
            blanks.push(blank);
        }
        if self.rest.peek() == Some(&':') && self.open.last() == Some(&'{') {
            self.out.push_str(&serde_json::Value::String(word).to_string());
        } else {
            self.out.push_str(match word.as_str() {
                "true" | "True" => "true",
                "false" | "False" => "false",
                "null" | "None" => "null",
                // As a value, its meaning is unknown.
                _ => {
                    return number_tail(&self.out, &word).then(|| {
                        self.out.push_str(&word);
                        self.out.push_str(&blanks);
                    });
                }
            });
        }
        self.out.push_str(&blanks);
        Some(())
    }
}

/// Returns true if a word is the exponent of the number just written.
fn number_tail(out: &str, word: &str) -> bool {
    out.ends_with(|last: char| last.is_ascii_digit()) && word.starts_with(['e', 'E'])
}
