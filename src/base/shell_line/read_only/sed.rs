//! The words and scripts of `sed` that only read.
//!
//! Must not know: other programs.

use super::{ReadPlace, read_place};
use crate::shell_line::word::Word;

/// Returns the files that `sed` reads; nothing if it may do more.
pub(super) fn places(words: &[Word]) -> Option<Vec<ReadPlace>> {
    let mut has_script = false;
    let mut files = Vec::new();
    let mut each = words.iter();
    while let Some(word) = each.next() {
        match word.text.as_str() {
            "-n" | "-E" | "-r" | "-s" | "-z" | "-nE" | "-En" | "-nr" | "-rn" | "--quiet" | "--silent"
            | "--regexp-extended" | "-" => {}
            "-e" | "--expression" => {
                has_script = true;
                is_sure_script(each.next()?).then_some(())?;
            }
            option if option.starts_with('-') => return None,
            _ if !has_script => {
                has_script = true;
                is_sure_script(word).then_some(())?;
            }
            _ => files.push(read_place(word)?),
        }
    }
    has_script.then_some(files)
}

fn is_sure_script(word: &Word) -> bool {
    !word.pattern && Script(&word.text).only_prints()
}

/// What is left of a script (sed(1): addresses and commands).
struct Script<'s>(&'s str);

impl Script<'_> {
    /// True if every command prints, deletes, replaces text or ends the script.
    fn only_prints(mut self) -> bool {
        loop {
            self.skip(&[' ', ';', '\n', '\t']);
            if self.0.is_empty() {
                return true;
            }
            if self.command().is_none() {
                return false;
            }
            self.skip(&[' ', '\t']);
            if !(self.0.is_empty() || self.0.starts_with([';', '\n', '}'])) {
                return false;
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        if self.address()? {
            self.skip(&[' ']);
            if self.take(',') {
                self.skip(&[' ']);
                let is_relative = self.take('+') || self.take('~');
                (self.address()? || is_relative).then_some(())?;
            }
        }
        self.skip(&[' ']);
        self.take('!');
        self.skip(&[' ']);
        let command = self.next()?;
        match command {
            'p' | 'd' | 'q' | '=' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' => Some(()),
            's' => self.substitution(),
            _ => None,
        }
    }

    /// Reads an address, if there is one; nothing if it is not understood.
    fn address(&mut self) -> Option<bool> {
        if self.take('$') {
            return Some(true);
        }
        if self.take('/') {
            self.until('/')?;
            self.take('I');
            return Some(true);
        }
        let digits = self.0.len() - self.0.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        self.0 = self.0.get(digits..)?;
        Some(digits > 0)
    }

    fn substitution(&mut self) -> Option<()> {
        let mark = self.next().filter(|mark| "/|#,:@%".contains(*mark))?;
        self.until(mark)?;
        self.until(mark)?;
        // Only `e` runs what it made, and `w` writes it.
        while self
            .0
            .starts_with(|c: char| c.is_ascii_digit() || "gpiIM".contains(c))
        {
            self.next();
        }
        Some(())
    }

    /// Skips the text up to a mark, and the mark.
    fn until(&mut self, mark: char) -> Option<()> {
        loop {
            match self.next()? {
                '\n' | '[' => return None,
                '\\' => {
                    self.next()?;
                }
                one if one == mark => return Some(()),
                _ => {}
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let first = self.0.chars().next()?;
        self.0 = self.0.get(first.len_utf8()..)?;
        Some(first)
    }

    fn take(&mut self, one: char) -> bool {
        let is_next = self.0.starts_with(one);
        if is_next {
            self.next();
        }
        is_next
    }

    fn skip(&mut self, any: &[char]) {
        self.0 = self.0.trim_start_matches(any);
    }
}
