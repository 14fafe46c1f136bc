//! Reads the commands of a line in order: lists, pipes, groups, conditions, loops, functions.
//!
//! Must not know: what a program does with its words.
//!
//! Keywords are skipped where they may occur. Whether they fit together is not checked, because
//! every command is listed whether it runs or not.

use super::command::Redirect;
use super::lines::is_unseen;
use super::reading::Uncertainty;
use super::scan::{Scan, ScanResult};
use super::word::Word;

/// Maximum number of commands of a line, with those that turn out to be none.
const MOST: usize = 2_048;
/// Longest text that is followed from one command to the next.
const PIPED: usize = 64 * 1024;

/// A text, and whether it is the whole text that will be there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) sure: bool,
}

/// What a command reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Input {
    /// The text of a here-document, or of the command before a pipe.
    pub(super) text: Option<Text>,
    /// True if it is a file that the line names.
    pub(super) file: bool,
    /// The command before a pipe.
    pub(super) from: Option<usize>,
}

/// A command as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
    pub(super) after: &'static str,
    pub(super) text: String,
    pub(super) sets: Vec<Word>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) input: Input,
    /// True if it turned out to be no command.
    pub(super) void: bool,
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    End,
    Paren,
}

/// What a list has read.
pub(super) struct List {
    /// The sign before the next command.
    after: &'static str,
    /// Open `case` commands.
    pub(super) cases: usize,
    /// The simple command right before.
    pub(super) last: Option<usize>,
    /// The simple command right before a pipe.
    pipe: Option<usize>,
    /// True right after a group, so that redirections belong to it.
    pub(super) closed: bool,
    /// True after `&>`: for some shells the words after it belong to the command before it.
    joined: Option<usize>,
}

/// What a line was read as.
#[derive(Debug, Default)]
pub(super) struct RawLine {
    /// Its commands.
    pub(super) commands: Vec<Raw>,
    /// The redirections of its groups, loops and conditions.
    pub(super) redirects: Vec<Redirect>,
    /// The variables of its loops, each with a value: `NAME=VALUE`.
    pub(super) loops: Vec<Word>,
    /// Why there may be other commands.
    pub(super) uncertainty: Option<Uncertainty>,
}

/// Reads the commands of a line.
pub(super) fn raw_commands(line: &str) -> RawLine {
    let mut found = ScanResult::default();
    Scan::new(line, &mut found).list(Close::End, "");
    let mut commands = found.commands;
    for at in 0..commands.len() {
        let from = commands.get(at).and_then(|one| one.input.from);
        let text = from.and_then(|from| commands.get(from)).and_then(printed);
        if let Some(one) = commands.get_mut(at).filter(|one| one.input.text.is_none()) {
            one.input.text = text.filter(|text| text.text.len() <= PIPED);
        }
    }
    commands.retain(|one| !one.void);
    RawLine {
        commands,
        redirects: found.redirects,
        loops: found.loops,
        uncertainty: found.uncertainty,
    }
}

/// The text that a command prints, if it is known.
fn printed(raw: &Raw) -> Option<Text> {
    let known = |words: &[Word]| {
        words
            .iter()
            .all(|word| word.is_sure() && !word.home && !word.text.contains('\\'))
    };
    let (name, words) = raw.words.split_first()?;
    if !raw.redirects.iter().all(|one| one.sign.starts_with("<<")) {
        return None;
    }
    match name.program()? {
        "cat" if words.is_empty() => raw.input.text.clone(),
        "echo" if known(words) => {
            let words = words.strip_prefix(&[Word::literal("-n")]).unwrap_or(words);
            if words.first().is_some_and(|word| word.text.starts_with('-')) {
                return None;
            }
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            Some(Text {
                text: texts.join(" "),
                sure: true,
            })
        }
        "printf" => match words {
            [format] if !format.unknown && !format.pattern && !format.text.contains('%') => {
                let text = format.text.replace("\\n", "\n");
                (!text.contains('\\')).then_some(Text { text, sure: true })
            }
            [format, rest @ ..] if ["%s", "%s\\n"].contains(&format.text.as_str()) && known(rest) => {
                let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
                let between = if format.text == "%s" { "" } else { "\n" };
                Some(Text {
                    text: texts.join(between),
                    sure: true,
                })
            }
            _ => None,
        },
        _ => None,
    }
}

impl Scan<'_, '_> {
    /// Reads commands up to what closes the list.
    pub(super) fn list(&mut self, close: Close, after: &'static str) {
        let mut list = List {
            after,
            cases: 0,
            last: None,
            pipe: None,
            closed: false,
            joined: None,
        };
        loop {
            self.skip_blanks();
            let Some(c) = self.peek() else {
                if close == Close::Paren || !self.pending.is_empty() {
                    self.note(Uncertainty::Syntax);
                }
                return;
            };
            match c {
                ')' if close == Close::Paren => {
                    self.bump();
                    return;
                }
                '\n' | ';' | '&' | '|' | '(' | ')' => self.sign(c, &mut list),
                '#' => self.comment(),
                _ => self.command(&mut list),
            }
        }
    }

    pub(super) fn comment(&mut self) {
        if self
            .text
            .get(..self.at)
            .is_some_and(|before| before.ends_with(')'))
        {
            // After an array it is a part of the word.
            self.note(Uncertainty::Syntax);
        }
        let end = self.rest().find('\n');
        self.at = end.map_or(self.text.len(), |end| self.at + end);
    }

    fn sign(&mut self, c: char, list: &mut List) {
        self.bump();
        self.skip_joins();
        let last = list.last.take();
        list.pipe = None;
        list.closed = false;
        match c {
            '\n' => {
                list.after = "⏎";
                self.bodies();
            }
            ';' => {
                list.after = ";";
                if self.take(";") || self.take("&") {
                    self.take("&");
                    list.after = ";;";
                    if list.cases == 0 {
                        self.note(Uncertainty::Syntax);
                    } else {
                        self.patterns(list);
                    }
                }
            }
            '&' => {
                list.after = if self.take("&") { "&&" } else { "&" };
                if self.rest().starts_with('>') {
                    list.joined = last;
                }
            }
            '|' => {
                list.after = "|";
                if self.take("|") {
                    list.after = "||";
                } else {
                    list.pipe = last;
                    if self.take("&") {
                        list.after = "|&";
                    }
                }
            }
            '(' => {
                self.nested(Close::Paren, "(");
                list.closed = true;
                list.after = ")";
            }
            _ => {
                self.note(Uncertainty::Syntax);
                list.after = ")";
            }
        }
    }

    /// Reads a simple command, or a keyword.
    fn command(&mut self, list: &mut List) {
        let slot = self.found.commands.len();
        if slot >= MOST {
            self.stop(Uncertainty::TooMany);
            return;
        }
        let from = list.pipe.take();
        self.found.commands.push(Raw {
            after: list.after,
            void: true,
            ..Raw::default()
        });
        let begin = self.at;
        let mut raw = Raw::default();
        let mut end = self.at;
        let mut first = true;
        while let Some(c) = self.next_in_command() {
            if c == '(' {
                if self.group_in_command(&raw) {
                    // A function: its body follows like any other command.
                    list.last = None;
                    return;
                }
                end = self.at;
                continue;
            }
            if self.redirect(slot, &mut raw) {
                end = self.at;
                first = false;
                continue;
            }
            let word = self.read_word();
            end = self.at;
            if first && !word.quoted && self.keyword(&word, list) {
                return;
            }
            first = false;
            if raw.words.is_empty() && word.opens_index() {
                self.note(Uncertainty::Syntax);
            }
            if raw.words.is_empty() && word.is_assignment() {
                raw.sets.push(word);
            } else {
                raw.words.push(word);
            }
        }
        let only_redirects = raw.words.is_empty() && raw.sets.is_empty();
        let joined = list.joined.take().filter(|_| !raw.words.is_empty());
        if let Some(before) = joined.and_then(|before| self.found.commands.get(before)) {
            // The reading of shells that know `&>`.
            let mut joined = before.clone();
            joined.text.push(' ');
            joined
                .text
                .push_str(self.text.get(begin..end).unwrap_or_default());
            joined.words.extend(raw.words.iter().cloned());
            joined.after = list.after;
            self.found.commands.push(joined);
        }
        if only_redirects && list.closed {
            // They belong to the group before them, whose commands read what is redirected.
            self.found.redirects.append(&mut raw.redirects);
            return;
        }
        list.closed = false;
        list.last = Some(slot);
        raw.text.push_str(self.text.get(begin..end).unwrap_or_default());
        raw.after = list.after;
        if let Some(place) = self.found.commands.get_mut(slot) {
            // A here-document may have set it already.
            raw.input.text = raw.input.text.take().or_else(|| place.input.text.take());
            raw.input.from = from;
            *place = raw;
        }
    }

    /// The next character of a command, after blanks; none where it ends.
    fn next_in_command(&mut self) -> Option<char> {
        self.skip_blanks();
        let c = self.peek()?;
        if c == '#' {
            self.comment();
            return None;
        }
        (!"\n;&|)".contains(c)).then_some(c)
    }

    /// Reads what begins with a parenthesis after words; returns true for a function.
    fn group_in_command(&mut self, raw: &Raw) -> bool {
        let name = match raw.words.as_slice() {
            [name] if raw.sets.is_empty() && raw.redirects.is_empty() => Some(name),
            _ => None,
        };
        let array = raw
            .words
            .last()
            .or_else(|| raw.sets.last())
            .is_some_and(|word| word.text.ends_with('='));
        self.bump();
        if array && self.text.get(..self.at).is_some_and(|text| text.ends_with("=(")) {
            self.array();
            return false;
        }
        self.skip_blanks();
        if let Some(name) = name.filter(|_| self.take(")")) {
            self.function(name);
            return true;
        }
        self.note(Uncertainty::Syntax);
        self.nested(Close::Paren, "(");
        false
    }

    /// Reads the values of an array.
    fn array(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(')') => {
                    self.bump();
                    return;
                }
                Some('\n') => self.bump(),
                Some('#') => self.comment(),
                Some(c) if !";&|(<>".contains(c) => {
                    self.read_word();
                }
                _ => {
                    self.note(Uncertainty::Syntax);
                    return;
                }
            }
        }
    }

    /// Reads a redirection, if one begins here.
    fn redirect(&mut self, slot: usize, raw: &mut Raw) -> bool {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let sign = rest.get(digits..).unwrap_or_default();
        if !sign.starts_with(['<', '>'])
            || (digits == 0 && sign.get(1..).is_some_and(|rest| rest.starts_with('(')))
        {
            return false;
        }
        if digits > 1 {
            // A descriptor for some shells, a word for others.
            self.note(Uncertainty::Syntax);
        }
        let begin = self.at;
        self.at += digits + 1;
        self.skip_joins();
        if sign.starts_with('<') {
            if self.take("<") {
                self.skip_joins();
                if !self.take("<") {
                    let tabs = self.take("-");
                    self.delimiter(slot, tabs);
                    return true;
                }
                self.skip_blanks();
                let word = self.read_word();
                raw.input.text = Some(Text {
                    sure: word.is_sure(),
                    text: word.text,
                });
                return true;
            }
            raw.input.file = !(self.take("&") || self.take(">"));
        } else if !(self.take(">") || self.take("&")) {
            self.take("|");
        }
        let sign = self
            .text
            .get(begin..self.at)
            .unwrap_or_default()
            .replace("\\\n", "");
        self.skip_blanks();
        let target = self.read_word();
        if target.raw.is_none() && target.text.is_empty() {
            self.note(Uncertainty::Syntax);
        }
        raw.input.file &= !(sign.contains('<') && is_unseen(&target));
        raw.redirects.push(Redirect { sign, target });
        true
    }
}
