//! Reads here-documents.
//!
//! Must not know: what a command does with its input.

use super::grammar::Text;
use super::reading::Uncertainty;
use super::scan::Scan;
use super::word::Word;

/// A here-document whose body follows later.
pub(super) struct Pending {
    /// The command that it is the input of.
    pub(super) command: usize,
    delimiter: String,
    /// True if no shell expands the body.
    quoted: bool,
    /// True for `<<-`, which drops tabs.
    tabs: bool,
}

impl Scan<'_, '_> {
    /// Reads the word after `<<` or `<<-`.
    pub(super) fn delimiter(&mut self, command: usize, tabs: bool) {
        self.skip_blanks();
        let mut delimiter = String::new();
        let mut quoted = false;
        let begin = self.at;
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    quoted = true;
                    self.bump();
                    delimiter.extend(self.peek());
                }
                '\'' | '"' => {
                    quoted = true;
                    self.bump();
                    let Some(end) = self.rest().find(c) else {
                        self.stop(Uncertainty::Syntax);
                        return;
                    };
                    delimiter.push_str(self.rest().get(..end).unwrap_or_default());
                    self.at += end;
                }
                _ => delimiter.push(c),
            }
            self.bump();
        }
        let strange = |c: char| "$`\\\n\r".contains(c);
        if begin == self.at
            || self
                .text
                .get(begin..self.at)
                .is_some_and(|raw| raw.contains("$'"))
            || delimiter.contains(strange)
        {
            self.note(Uncertainty::Syntax);
        }
        self.pending.push(Pending {
            command,
            delimiter,
            quoted,
            tabs,
        });
    }

    /// Reads the bodies that begin here, at the beginning of a line.
    pub(super) fn bodies(&mut self) {
        if self.outer > 0 {
            // A line break in a substitution: shells differ where the bodies begin.
            self.note(Uncertainty::Syntax);
        }
        for pending in self.pending.split_off(self.outer.min(self.pending.len())) {
            self.body(&pending);
        }
    }

    fn body(&mut self, pending: &Pending) {
        let mut body = String::new();
        let mut joins = false;
        let mut ended = false;
        while self.at < self.text.len() {
            let rest = self.rest();
            let line = rest.split('\n').next().unwrap_or_default();
            self.at += (line.len() + 1).min(rest.len());
            let line = if pending.tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line == pending.delimiter {
                ended = true;
                break;
            }
            // A backslash at the end of a line may join it with the end of the body, or make the end.
            if let Some(part) = line.strip_suffix('\\').filter(|_| !pending.quoted) {
                joins |= pending.delimiter.starts_with(part);
                let next = self.rest().split('\n').next().unwrap_or_default();
                joins |= next.trim_start_matches('\t') == pending.delimiter;
            }
            body.push_str(line);
            body.push('\n');
        }
        if !ended || joins {
            self.note(Uncertainty::Syntax);
        }
        let mut sure = true;
        let mut text = body;
        if !pending.quoted {
            let mut word = Word::default();
            let mut inner = Scan::new(&text, &mut *self.found);
            inner.expansions(&mut word);
            sure = !word.unknown;
            text = word.text;
        }
        if let Some(command) = self.found.commands.get_mut(pending.command) {
            command.input.text = Some(Text { text, sure });
        }
    }

    /// Reads the expansions of a text in which quotation marks mean nothing.
    fn expansions(&mut self, word: &mut Word) {
        while let Some(c) = self.peek() {
            match c {
                '$' => self.dollar(word, true),
                '`' => self.backquote(word, true),
                '\\' => self.escaped(word, "$`\\"),
                c => {
                    word.text.push(c);
                    self.bump();
                }
            }
        }
    }
}
