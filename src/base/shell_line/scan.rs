//! Reads words and expansions of a line.
//!
//! Must not know: what a word is for.

use super::command::Redirect;
use super::grammar::{Close, Raw};
use super::heredoc::Pending;
use super::reading::Uncertainty;
use super::word::Word;

/// Substitutions in substitutions that are followed.
const DEEP: u8 = 32;
/// How often `$((` may turn out to be a substitution, which is read again.
const RETRIES: u8 = 8;

/// State of reading a line.
#[derive(Default)]
pub(super) struct ScanResult {
    pub(super) commands: Vec<Raw>,
    /// The redirections of groups, loops and conditions.
    pub(super) redirects: Vec<Redirect>,
    /// The variables of loops, each with a value: `NAME=VALUE`.
    pub(super) loops: Vec<Word>,
    pub(super) uncertainty: Option<Uncertainty>,
    pub(super) deep: u8,
    retries: u8,
}

/// A position in a text.
pub(super) struct Scan<'t, 'f> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) found: &'f mut ScanResult,
    /// Here-documents whose bodies follow the next line break.
    pub(super) pending: Vec<Pending>,
    /// How many of those belong to the text around a substitution.
    pub(super) outer: usize,
}

impl<'t, 'f> Scan<'t, 'f> {
    pub(super) fn new(text: &'t str, found: &'f mut ScanResult) -> Self {
        Self {
            text,
            at: 0,
            found,
            pending: Vec::new(),
            outer: 0,
        }
    }

    pub(super) fn note(&mut self, uncertain: Uncertainty) {
        self.found.uncertainty.get_or_insert(uncertain);
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// Takes a text that follows here.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is = self.rest().starts_with(text);
        self.at += if is { text.len() } else { 0 };
        is
    }

    /// Skips backslashes at the end of a line, which join it with the next one.
    pub(super) fn skip_joins(&mut self) {
        while self.take("\\\n") {}
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            self.skip_joins();
            if !(self.take(" ") || self.take("\t")) {
                return;
            }
        }
    }

    /// Ends the reading: what follows is not understood.
    pub(super) fn stop(&mut self, uncertain: Uncertainty) {
        self.note(uncertain);
        self.at = self.text.len();
    }

    /// A line break inside quotation marks: shells differ where the bodies of here-documents begin then.
    fn note_break(&mut self, from: usize) {
        let read = self.text.get(from..self.at).unwrap_or_default();
        if !self.pending.is_empty() && read.contains('\n') {
            self.note(Uncertainty::Syntax);
        }
    }

    /// Reads a word; it ends at a blank or a sign outside quotation marks.
    pub(super) fn read_word(&mut self) -> Word {
        let begin = self.at;
        let mut word = Word::default();
        let (mut bracket, mut brace, mut several) = (false, false, false);
        loop {
            self.skip_joins();
            let Some(c) = self.peek() else { break };
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' => {
                    if !self.rest().get(1..).is_some_and(|rest| rest.starts_with('(')) {
                        break;
                    }
                    self.process(&mut word);
                }
                '\'' => self.single(&mut word),
                '"' => self.double(&mut word),
                '$' => self.dollar(&mut word, false),
                '`' => self.backquote(&mut word, false),
                '\\' => {
                    self.bump();
                    word.quoted = true;
                    match self.peek() {
                        Some(c) => word.text.push(c),
                        None => word.text.push('\\'),
                    }
                    self.bump();
                }
                _ => {
                    let starts = word.text.is_empty() || word.text.ends_with(['=', ':']);
                    word.home |= c == '~' && starts;
                    bracket |= c == '[';
                    brace |= c == '{';
                    several |= brace && (c == ',' || (c == '.' && word.text.ends_with('.')));
                    word.pattern |= "*?".contains(c)
                        || (c == ']' && bracket && word.text.len() > 1)
                        || (c == '}' && several);
                    word.text.push(c);
                    self.bump();
                }
            }
        }
        // Some shells run a substitution in an index, also where it stands in a text.
        if word.quoted && !word.unknown && ["[$(", "[`"].iter().any(|sign| word.text.contains(sign)) {
            self.note(Uncertainty::Syntax);
        }
        let raw = self.text.get(begin..self.at).unwrap_or_default();
        word.raw = (raw != word.text).then(|| raw.to_owned());
        word
    }

    fn single(&mut self, word: &mut Word) {
        let from = self.at;
        self.bump();
        word.quoted = true;
        let Some(end) = self.rest().find('\'') else {
            word.text.push_str(self.rest());
            self.stop(Uncertainty::Syntax);
            return;
        };
        word.text.push_str(self.rest().get(..end).unwrap_or_default());
        self.at += end + 1;
        self.note_break(from);
    }

    pub(super) fn double(&mut self, word: &mut Word) {
        let from = self.at;
        self.bump();
        word.quoted = true;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.bump();
                    self.note_break(from);
                    return;
                }
                '$' => self.dollar(word, true),
                '`' => self.backquote(word, true),
                '\\' => self.escaped(word, "$`\"\\"),
                _ => {
                    word.text.push(c);
                    self.bump();
                }
            }
        }
        self.note(Uncertainty::Syntax);
    }

    /// A backslash where it only counts before some characters.
    pub(super) fn escaped(&mut self, word: &mut Word, special: &str) {
        self.bump();
        match self.peek() {
            Some('\n') => {}
            Some(c) if special.contains(c) => word.text.push(c),
            Some(c) => word.text.extend(['\\', c]),
            None => word.text.push('\\'),
        }
        self.bump();
    }

    /// Appends what was read since `from` as it is written.
    fn unknown(&mut self, word: &mut Word, from: usize, quoted: bool) {
        word.text
            .push_str(self.text.get(from..self.at).unwrap_or_default());
        word.known_from = word.text.len();
        word.unknown = true;
        word.splits |= !quoted;
        self.note_break(from);
    }

    /// Reads what begins with `$`.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) {
        let from = self.at;
        self.bump();
        self.skip_joins();
        match self.peek() {
            Some('(') => {
                if !self.sum() {
                    self.bump();
                    self.nested(Close::Paren, "$(");
                }
                self.unknown(word, from, quoted);
            }
            Some('{') => {
                self.parameter(quoted);
                self.unknown(word, from, quoted);
            }
            Some('\'') if !quoted => self.ansi(word),
            Some('"') if !quoted => self.double(word),
            Some('[') => {
                // A sum for some shells, a text for others.
                self.note(Uncertainty::Syntax);
                word.text.push('$');
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.bump();
                }
                self.unknown(word, from, quoted);
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.bump();
                self.unknown(word, from, quoted);
            }
            _ => word.text.push('$'),
        }
    }

    /// Reads the commands of a substitution or a group.
    pub(super) fn nested(&mut self, close: Close, after: &'static str) {
        if self.found.deep >= DEEP {
            self.stop(Uncertainty::TooMany);
            return;
        }
        self.found.deep += 1;
        let outer = std::mem::replace(&mut self.outer, self.pending.len());
        self.list(close, after);
        if self.pending.len() > self.outer {
            self.note(Uncertainty::Syntax);
            self.pending.truncate(self.outer);
        }
        self.outer = outer;
        self.found.deep -= 1;
    }

    /// Reads the commands of a text of its own.
    pub(super) fn scan_nested(&mut self, text: &str, after: &'static str) {
        if self.found.deep >= DEEP {
            self.stop(Uncertainty::TooMany);
            return;
        }
        self.found.deep += 1;
        let mut inner = Scan::new(text, &mut *self.found);
        inner.list(Close::End, after);
        self.found.deep -= 1;
    }

    /// Reads `((…))` after a `$`; returns false, with nothing read, where it is no sum.
    fn sum(&mut self) -> bool {
        if !self.rest().starts_with("((") {
            return false;
        }
        if self.found.retries >= RETRIES || self.found.deep >= DEEP {
            self.note(Uncertainty::Syntax);
            return false;
        }
        let (at, commands, uncertain) = (self.at, self.found.commands.len(), self.found.uncertainty);
        self.at += 2;
        self.found.deep += 1;
        let is_sum = self.sum_body();
        self.found.deep -= 1;
        if !is_sum {
            self.found.retries += 1;
            self.found.commands.truncate(commands);
            self.found.uncertainty = uncertain;
            self.at = at;
        }
        is_sum
    }

    /// Reads a sum to the `))` that closes it, and the substitutions in it.
    pub(super) fn sum_body(&mut self) -> bool {
        let mut open = 0_usize;
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => return self.take("))"),
                '$' => {
                    self.dollar(&mut word, true);
                    continue;
                }
                '`' => {
                    self.backquote(&mut word, true);
                    continue;
                }
                '"' => {
                    self.double(&mut word);
                    continue;
                }
                '\'' => self.note(Uncertainty::Syntax),
                '\\' => self.bump(),
                _ => {}
            }
            self.bump();
        }
        false
    }

    /// Reads `{…}` after a `$`, and the substitutions in it.
    fn parameter(&mut self, quoted: bool) {
        if self.found.deep >= DEEP {
            self.stop(Uncertainty::TooMany);
            return;
        }
        self.found.deep += 1;
        let from = self.at;
        self.bump();
        // `${ CMD; }` and `${| CMD; }` run commands in some shells.
        if self.peek().is_some_and(|c| " \t\n|".contains(c)) {
            self.note(Uncertainty::Syntax);
        }
        let mut word = Word::default();
        loop {
            let Some(c) = self.peek() else {
                self.note(Uncertainty::Syntax);
                break;
            };
            match c {
                '}' => {
                    self.bump();
                    break;
                }
                '\\' => {
                    self.bump();
                    self.bump();
                }
                '\'' if quoted => {
                    // A quotation mark for some shells here, a letter for others.
                    self.note(Uncertainty::Syntax);
                    self.bump();
                }
                '\'' => self.single(&mut word),
                '"' => self.double(&mut word),
                '$' => self.dollar(&mut word, quoted),
                '`' => self.backquote(&mut word, quoted),
                '<' | '>' if self.rest().get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                    self.process(&mut word);
                }
                _ => self.bump(),
            }
        }
        // `${X@P}` runs what stands in the variable.
        let read = self.text.get(from..self.at).unwrap_or_default();
        if read.ends_with("@P}") {
            self.note(Uncertainty::Program);
        }
        self.found.deep -= 1;
    }

    /// Reads `` `…` ``: its commands stand in it with further backslashes.
    pub(super) fn backquote(&mut self, word: &mut Word, quoted: bool) {
        let from = self.at;
        self.bump();
        let mut inner = String::new();
        loop {
            match self.peek() {
                None => {
                    self.note(Uncertainty::Syntax);
                    break;
                }
                Some('`') => {
                    self.bump();
                    break;
                }
                Some('\\') => {
                    self.bump();
                    match self.peek() {
                        Some(c @ ('$' | '`' | '\\')) => inner.push(c),
                        Some('"') if quoted => inner.push('"'),
                        Some(c) => inner.extend(['\\', c]),
                        None => inner.push('\\'),
                    }
                    self.bump();
                }
                Some(c) => {
                    inner.push(c);
                    self.bump();
                }
            }
        }
        self.scan_nested(&inner, "`");
        self.unknown(word, from, quoted);
    }

    /// Reads `<(…)` and `>(…)`.
    fn process(&mut self, word: &mut Word) {
        let from = self.at;
        let after = if self.rest().starts_with('<') { "<(" } else { ">(" };
        self.at += 2;
        self.nested(Close::Paren, after);
        self.unknown(word, from, true);
    }

    /// Reads `$'…'`, whose escapes some shells decode.
    fn ansi(&mut self, word: &mut Word) {
        let from = self.at;
        self.bump();
        word.quoted = true;
        loop {
            let Some(c) = self.peek() else {
                self.note(Uncertainty::Syntax);
                return;
            };
            self.bump();
            match c {
                '\'' => break,
                '\\' => {
                    // `\'` ends the text for some shells.
                    if self.peek() == Some('\'') {
                        self.note(Uncertainty::Syntax);
                    }
                    self.decode(word);
                }
                c => word.text.push(c),
            }
        }
        self.note_break(from);
    }

    /// Decodes one escape of `$'…'` after its backslash.
    fn decode(&mut self, word: &mut Word) {
        let Some(c) = self.peek() else { return };
        let digits = |scan: &mut Self, radix: u32, most: usize| {
            let mut value = 0_u32;
            let mut count = 0;
            while let Some(digit) = scan
                .peek()
                .and_then(|c| c.to_digit(radix))
                .filter(|_| count < most)
            {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                count += 1;
                scan.bump();
            }
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        if c.is_digit(8) {
            word.text.push(digits(self, 8, 3));
            return;
        }
        self.bump();
        match c {
            'n' => word.text.push('\n'),
            't' => word.text.push('\t'),
            'r' => word.text.push('\r'),
            'x' => word.text.push(digits(self, 16, 2)),
            'u' => word.text.push(digits(self, 16, 4)),
            'U' => word.text.push(digits(self, 16, 8)),
            'a' | 'b' | 'e' | 'E' | 'f' | 'v' => word.text.push('\u{1}'),
            'c' => self.note(Uncertainty::Syntax),
            c => word.text.push(c),
        }
    }
}
