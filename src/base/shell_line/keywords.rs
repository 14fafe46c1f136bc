//! Reads keywords and what belongs to them: heads of loops, patterns of `case`, names of functions.
//!
//! Must not know: words that are no keywords.

use super::grammar::List;
use super::reading::Uncertainty;
use super::scan::Scan;
use super::word::Word;

/// Keywords after which a command may begin.
const OPENING: [&str; 10] = [
    "if", "then", "else", "elif", "while", "until", "do", "{", "!", "coproc",
];
/// Keywords after which a command has ended.
const CLOSING: [&str; 3] = ["fi", "done", "}"];

impl Scan<'_, '_> {
    /// Reads what follows a keyword; returns false if the word is none.
    pub(super) fn keyword(&mut self, word: &Word, list: &mut List) -> bool {
        let text = word.text.as_str();
        if OPENING.contains(&text) || text == "time" {
            if ["time", "coproc"].contains(&text) && !self.opens_group(text == "coproc") {
                return false;
            }
        } else if CLOSING.contains(&text) {
            list.last = None;
            list.closed = true;
        } else if text == "esac" && list.cases > 0 {
            list.cases -= 1;
            list.last = None;
            list.closed = true;
        } else if text == "case" {
            self.skip_blanks();
            self.read_word();
            self.skip_lines();
            if self.read_word().text == "in" {
                list.cases += 1;
                self.patterns(list);
            } else {
                self.note(Uncertainty::Syntax);
            }
        } else if ["for", "select"].contains(&text) {
            self.loop_head();
        } else if text == "function" {
            self.skip_blanks();
            let name = self.read_word();
            self.skip_blanks();
            if self.take("(") {
                self.skip_blanks();
                if !self.take(")") {
                    self.note(Uncertainty::Syntax);
                }
            }
            self.function(&name);
        } else {
            return false;
        }
        true
    }

    /// Notes that the reading is uncertain if a function replaces a command with a known output.
    pub(super) fn function(&mut self, name: &Word) {
        let printed = [
            "echo", "printf", "cat", "pwd", "nproc", "id", "date", "mktemp", "git",
        ];
        if !name.is_sure() || printed.contains(&name.text.as_str()) {
            self.note(Uncertainty::Syntax);
        }
    }

    /// True if a group or a further keyword follows, perhaps after a name, which is skipped then.
    fn opens_group(&mut self, named: bool) -> bool {
        self.skip_blanks();
        let opens = |rest: &str| {
            let word = rest.split([' ', '\t', '\n', ';']).next().unwrap_or_default();
            let keywords = ["case", "for", "select", "function"];
            rest.starts_with('(') || OPENING.contains(&word) || keywords.contains(&word)
        };
        if opens(self.rest()) {
            return true;
        }
        let name = self
            .rest()
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let following = self.rest().get(name..).unwrap_or_default();
        let group = following.trim_start_matches([' ', '\t']);
        let is = named && name > 0 && group.len() < following.len() && opens(group);
        self.at += if is { name } else { 0 };
        is
    }

    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some('\n') => {
                    self.bump();
                    self.bodies();
                }
                Some('#') => self.comment(),
                _ => return,
            }
        }
    }

    /// Reads the head of a `for` or `select`.
    fn loop_head(&mut self) {
        self.skip_blanks();
        if self.take("((") {
            if !self.sum_body() {
                self.note(Uncertainty::Syntax);
            }
            return;
        }
        let name = self.read_word();
        if !name.is_sure() || name.text.is_empty() {
            self.note(Uncertainty::Syntax);
        }
        self.skip_lines();
        let at = self.at;
        if self.peek().is_some_and(|c| ";(&|<>)".contains(c)) || self.read_word().text != "in" {
            self.at = at;
            self.value(&name, &Word::unseen());
            if self.peek() == Some('(') {
                self.note(Uncertainty::Syntax);
            }
            return;
        }
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(c) if !"\n;&|()<>".contains(c) => {
                    if c == '#' {
                        self.comment();
                        continue;
                    }
                    let value = self.read_word();
                    self.value(&name, &value);
                }
                Some('<' | '>') if self.rest().get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                    self.read_word();
                }
                Some('(' | ')' | '<' | '>') => {
                    self.note(Uncertainty::Syntax);
                    return;
                }
                _ => return,
            }
        }
    }

    /// Notes a value of the variable of a loop.
    fn value(&mut self, name: &Word, value: &Word) {
        self.found.loops.push(Word {
            text: format!("{}={}", name.text, value.text),
            raw: None,
            known_from: name.text.len() + 1 + value.known_from,
            ..value.clone()
        });
    }

    /// Reads the patterns of a branch of `case`, or the end of it.
    pub(super) fn patterns(&mut self, list: &mut List) {
        self.skip_lines();
        let open = self.take("(");
        let mut first = true;
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(')') => {
                    self.bump();
                    return;
                }
                Some('|') => self.bump(),
                Some(c) if !"\n;&(<>".contains(c) => {
                    let word = self.read_word();
                    if first && !open && word.text == "esac" && !word.quoted {
                        list.cases -= 1;
                        list.closed = true;
                        return;
                    }
                    first = false;
                }
                _ => {
                    self.note(Uncertainty::Syntax);
                    return;
                }
            }
        }
    }
}
